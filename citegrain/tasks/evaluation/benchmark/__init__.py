"""Benchmarks of complaints: records labelled by the guide, read from three formats and written to two."""

from citegrain.tasks.evaluation.benchmark.folders import write_beir, write_qrels
from citegrain.tasks.evaluation.benchmark.jsonl import (
    Labels,
    Pass,
    Settled,
    pass_of,
    read_passes,
    read_settled,
)
from citegrain.tasks.evaluation.benchmark.lines import BenchmarkError, read_objects
from citegrain.tasks.evaluation.benchmark.load import (
    SPLITS,
    BenchmarkConfig,
    content_words,
    load_benchmark,
    open_benchmark,
    overlap,
    overlap_by_register,
    resolve,
)
from citegrain.tasks.evaluation.benchmark.records import (
    STRICT,
    ActId,
    Applicable,
    Benchmark,
    Citation,
    Day,
    Identifier,
    NonBlank,
    Record,
    Section,
    Span,
    groups,
)
