"""Which benchmark is read, and reading it, whatever its format."""

import json
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
LANGUAGES = ("", "english", "hindi", "hinglish")
_VARIANTS = "languages.jsonl"
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
    split
        ``dev`` if configurations are chosen on it, ``test`` if not.
    format
        One of ``FORMATS``; ``auto`` goes by what is there.
    as_of
        Day whose law applies to complaints without a date, YYYY-MM-DD; empty for none.
    days
        Whose law is searched: ``given`` of the day of each complaint, ``text`` of the day that its words
        name, ``today`` of ``as_of`` for all.
    language
        ``hindi`` or ``hinglish``: the complaints that ``languages.jsonl`` beside the file has in that
        language; ``english``: the same ones in English; empty: all.
    """

    name: str = ""
    path: str = ""
    split: str = "test"
    format: str = "auto"
    as_of: str = ""
    days: str = "given"
    language: str = ""
    description: str = ""

    def __post_init__(self) -> None:
        allowed = {"split": SPLITS, "format": FORMATS, "days": DAYS, "language": LANGUAGES}
        for name, choices in allowed.items():
            value = getattr(self, name)
            if value not in choices:
                raise ValueError(
                    f"benchmark.{name}={value}: must be one of {', '.join(filter(None, choices))}"
                )
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
        label = self.name or re.sub(r"\.(?:jsonl?|csv)$", "", Path(self.path).name) or "benchmark"
        return f"{label}_{self.language}" if self.language else label


def open_benchmark(config: BenchmarkConfig) -> Benchmark:
    """Read the benchmark that a configuration names.

    Raises BenchmarkError if a record is wrong; the message names file, line and field.
    """
    path = located(config.path)
    benchmark = load_benchmark(path, config.label, config.split, config.format)
    return (
        _in_language(benchmark, path.with_name(_VARIANTS), config.language) if config.language else benchmark
    )


def _in_language(benchmark: Benchmark, file: Path, language: str) -> Benchmark:
    """The complaints of a benchmark that a file of variants has, in a language of it, or in their own."""
    with readable(file):
        texts: dict[str, str] = {}
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            try:
                row = json.loads(line)
                texts[row["id"]] = "" if language == "english" else str(row[language])
            except (ValueError, TypeError, KeyError) as error:
                raise BenchmarkError(
                    f"{printable(file)}, line {number}: no id with a text in {language}"
                ) from error
    records = [record for record in benchmark.records if record.id in texts]
    if not records:
        raise BenchmarkError(f"{printable(file)}: has no complaint of {benchmark.name}")
    some = (replace(record, text=texts[record.id] or record.text) for record in records)
    return replace(benchmark, records=tuple(map(_masked, some)))


def load_benchmark(path: Path, name: str, split: str, format: str = "auto") -> Benchmark:
    """Read a benchmark.

    Parameters
    ----------
    path
        A file of JSON lines in the annotation guide's format or of texts to which nothing applies, one as
        LegalBench-RAG has it, a folder as BEIR lays it out, or one with ``qrels.txt`` and ``topics.tsv``.
    name, split
        What it is called and used for; of a BEIR folder ``split`` also names the qrels to read.

    Raises BenchmarkError if it cannot be read, contains no record, or does not fit its format.
    """
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
