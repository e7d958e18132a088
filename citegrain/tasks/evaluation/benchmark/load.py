"""Which benchmark is read, and reading it, whatever its format."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from citegrain.tasks.core.paths import located
from citegrain.tasks.core.personal import Masks
from citegrain.tasks.evaluation.benchmark.folders import read_beir, read_trec
from citegrain.tasks.evaluation.benchmark.jsonl import (
    read_csv,
    read_jsonl,
    read_out_of_scope,
    read_questions,
    read_spans,
)
from citegrain.tasks.evaluation.benchmark.lines import BenchmarkError, printable, readable
from citegrain.tasks.evaluation.benchmark.records import Benchmark, Record, iso_day

SPLITS = ("dev", "test")
FORMATS = ("auto", "jsonl", "csv", "beir", "trec", "out_of_scope", "spans", "questions")
DAYS = ("given", "text", "today")
_FILES = {
    "jsonl": read_jsonl,
    "csv": read_csv,
    "out_of_scope": read_out_of_scope,
    "spans": read_spans,
    "questions": read_questions,
}


@dataclass(frozen=True)
class BenchmarkConfig:
    """Which complaints are scored.

    Attributes
    ----------
    name
        What results are filed under; if empty, the name of the file or folder.
    path
        The file or folder.
    split
        ``dev`` if configurations are chosen on it, ``test`` if not.
    format
        One of ``FORMATS``; ``auto`` goes by what is there.
    as_of
        Day whose law applies to complaints without a date, YYYY-MM-DD; empty for none.
    days
        Whose law is searched: ``given`` of the day of each complaint, ``text`` of the day that its words
        name, ``today`` of ``as_of`` for all.
    description
        For people.
    """

    name: str = ""
    path: str = ""
    split: str = "test"
    format: str = "auto"
    as_of: str = ""
    days: str = "given"
    description: str = ""

    def __post_init__(self) -> None:
        for name, value, choices in (
            ("split", self.split, SPLITS),
            ("format", self.format, FORMATS),
            ("days", self.days, DAYS),
        ):
            if value not in choices:
                raise ValueError(f"benchmark.{name}={value}: must be one of {', '.join(choices)}")
        try:
            _ = self.day
        except ValueError as error:
            raise ValueError(f"benchmark.as_of={self.as_of}: {error}") from error

    @property
    def day(self) -> date | None:
        """``as_of`` as a day."""
        return iso_day(self.as_of) if self.as_of else None

    @property
    def label(self) -> str:
        """``name``, else the name of the file or folder."""
        return self.name or re.sub(r"\.(?:jsonl?|csv)$", "", Path(self.path).name) or "benchmark"


def open_benchmark(config: BenchmarkConfig) -> Benchmark:
    """Read the benchmark that a configuration names.

    Raises BenchmarkError if a record is wrong; the message names file, line and field.
    """
    return load_benchmark(located(config.path), config.label, config.split, config.format)


def load_benchmark(path: Path, name: str, split: str, format: str = "auto") -> Benchmark:
    """Read a benchmark.

    Parameters
    ----------
    path
        A file of JSON lines in the annotation guide's format or of texts to which nothing applies, one as
        LegalBench-RAG has it, a folder as BEIR lays it out, or one with ``qrels.txt`` and ``topics.tsv``.
    name, split
        What it is called and used for; of a BEIR folder ``split`` also names the qrels to read.
    format
        One of ``FORMATS``; ``auto`` goes by what is there.

    Raises BenchmarkError if it cannot be read, contains no record, or does not fit its format.
    """
    if format not in FORMATS:
        raise BenchmarkError(f"benchmark.format={format}: must be one of {', '.join(FORMATS)}")
    with readable(path):
        records = _records(path, split, format)
    if not records:
        raise BenchmarkError(f"{printable(path)}: contains no record")
    return Benchmark(name, split, tuple(map(_masked, records)))


def _masked(record: Record) -> Record:
    """A record without phone numbers and the like: what is read of it is stored, and sent to models."""
    masks = Masks()
    text, rationale = masks.mask(record.text), masks.mask(record.rationale)
    return replace(record, text=text, rationale=rationale) if masks.values else record


def _records(path: Path, split: str, format: str) -> tuple[Record, ...]:
    kind = _format_of(path) if format == "auto" else format
    if kind in _FILES:
        return _FILES[kind](path)
    if not path.is_dir():
        raise BenchmarkError(f"{printable(path)}: {'not a folder' if path.exists() else 'no such folder'}")
    return read_beir(path, split) if kind == "beir" else read_trec(path)


def _format_of(path: Path) -> str:
    if path.is_file() and path.suffix in (".jsonl", ".csv"):
        return path.suffix[1:]
    if path.is_file() and path.suffix == ".json":
        return "spans"
    marks = {"beir": "queries.jsonl", "trec": "qrels.txt"}
    formats = [kind for kind, file in marks.items() if (path / file).is_file()]
    if len(formats) == 1:
        return formats[0]
    if formats:
        raise BenchmarkError(f"{printable(path)}: contains two formats; name one with benchmark.format")
    if not path.exists():
        raise BenchmarkError(f"{printable(path)}: no such file or folder")
    raise BenchmarkError(
        f"{printable(path)}: must be .jsonl, .csv or .json, or a folder with queries.jsonl or qrels.txt"
    )
