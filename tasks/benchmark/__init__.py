"""Benchmarks of complaints: records labelled by the guide, read from three formats and written to two."""

from tasks.benchmark.beir import write_beir
from tasks.benchmark.config import SPLITS, BenchmarkConfig
from tasks.benchmark.errors import BenchmarkError
from tasks.benchmark.fields import STRICT, ActId, Applicable, Citation, Identifier, Section, Told
from tasks.benchmark.jsonl import read_objects
from tasks.benchmark.load import load_benchmark
from tasks.benchmark.overlap import content_words, overlap, overlap_by_register
from tasks.benchmark.passes import NEITHER, RECORDS, Labels, Pass, Settled, pass_of, read_passes, read_settled
from tasks.benchmark.qrels import write_qrels
from tasks.benchmark.records import Benchmark, Record, groups
from tasks.benchmark.resolution import Resolution, resolve

__all__ = [
    "NEITHER",
    "RECORDS",
    "SPLITS",
    "STRICT",
    "ActId",
    "Applicable",
    "Benchmark",
    "BenchmarkConfig",
    "BenchmarkError",
    "Citation",
    "Identifier",
    "Labels",
    "Pass",
    "Record",
    "Resolution",
    "Section",
    "Settled",
    "Told",
    "content_words",
    "groups",
    "load_benchmark",
    "overlap",
    "overlap_by_register",
    "pass_of",
    "read_objects",
    "read_passes",
    "read_settled",
    "resolve",
    "write_beir",
    "write_qrels",
]
