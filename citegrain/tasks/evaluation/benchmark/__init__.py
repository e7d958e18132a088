"""Benchmarks of complaints: records labelled by the guide, read from three formats and written to two."""

from citegrain.tasks.evaluation.benchmark.config import SPLITS, BenchmarkConfig
from citegrain.tasks.evaluation.benchmark.errors import BenchmarkError
from citegrain.tasks.evaluation.benchmark.fields import (
    STRICT,
    ActId,
    Applicable,
    Citation,
    Day,
    Identifier,
    NonBlank,
    Section,
)
from citegrain.tasks.evaluation.benchmark.jsonl import read_objects
from citegrain.tasks.evaluation.benchmark.load import load_benchmark, open_benchmark
from citegrain.tasks.evaluation.benchmark.overlap import content_words, overlap, overlap_by_register
from citegrain.tasks.evaluation.benchmark.passes import (
    RECORDS,
    Labels,
    Pass,
    Settled,
    pass_of,
    read_passes,
    read_settled,
)
from citegrain.tasks.evaluation.benchmark.qrels import write_qrels
from citegrain.tasks.evaluation.benchmark.records import Benchmark, Record, Span, groups
from citegrain.tasks.evaluation.benchmark.resolution import resolve
