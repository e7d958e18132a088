"""Which benchmark is read, and its labels against the law of a build."""

import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from pathlib import Path
from statistics import median

from rapidfuzz import fuzz, process

from citegrain.tasks.core.paths import located
from citegrain.tasks.core.personal import Masks
from citegrain.tasks.core.words import Analyser
from citegrain.tasks.evaluation.benchmark.folders import read_beir, read_trec
from citegrain.tasks.evaluation.benchmark.jsonl import (
    read_csv,
    read_jsonl,
    read_out_of_scope,
    read_questions,
    read_spans,
)
from citegrain.tasks.evaluation.benchmark.lines import BenchmarkError, printable, readable
from citegrain.tasks.evaluation.benchmark.records import Benchmark, Citation, Record, iso_day
from citegrain.tasks.law.citations import TEXT_CORPUS

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


_ALIKE = 85.0


@dataclass(frozen=True)
class Resolution:
    """Which citations of a benchmark are in a build.

    ``provisions``: ids of the provisions of each citation; empty where it is not indexed. ``warnings``: one
    line for each Act and each section that is not in the build.
    """

    provisions: Mapping[Citation, tuple[str, ...]]
    warnings: list[str]


def resolve(
    benchmark: Benchmark, cited: Callable[[str, str], Sequence[str]], acts: Collection[str]
) -> Resolution:
    """Find every citation of a benchmark in a build.

    ``cited``: ids of the provisions that the build knows by (act, section). ``acts``: ids of its Acts.
    """
    queries: dict[Citation, list[str]] = {}
    for record in benchmark:
        for citation in record.applicable:
            queries.setdefault(citation, []).append(record.id)
    provisions: dict[Citation, tuple[str, ...]] = {}
    unknown: dict[str, list[Citation]] = {}
    sections: list[str] = []
    for citation in sorted(queries):
        is_indexed = citation.act in acts
        # the id of a text may look like the label of another Act
        may_be_text = is_indexed or TEXT_CORPUS in acts
        provisions[citation] = tuple(cited(citation.act, citation.section)) if may_be_text else ()
        if provisions[citation]:
            continue
        if not is_indexed:
            unknown.setdefault(citation.act, []).append(citation)
        else:
            concerned = _count(len(queries[citation]), "query", "queries")
            sections.append(
                f"{citation.label}: the Act is in the build, but this section is not ({concerned})"
            )
    warnings = [_unknown_act(act, citations, queries, acts) for act, citations in unknown.items()]
    return Resolution(provisions, warnings + sections)


def _unknown_act(
    act: str, citations: Sequence[Citation], queries: Mapping[Citation, Sequence[str]], acts: Collection[str]
) -> str:
    concerned = {query for citation in citations for query in queries[citation]}
    counts = f"{_count(len(citations), 'citation')}, {_count(len(concerned), 'query', 'queries')}"
    near = _nearest(act, acts)
    hint = f"; did you mean {near}?" if near else ""
    return f"{act}: this Act is not in the build ({counts}){hint}"


def _nearest(act: str, acts: Collection[str]) -> str | None:
    """An Act whose id is written almost so; Acts of two years are two Acts, however alike their titles."""
    same = sorted(a for a in acts if "" in (_year(act), _year(a)) or _year(act) == _year(a))
    best = process.extractOne(act, same, scorer=fuzz.token_sort_ratio, processor=_words, score_cutoff=_ALIKE)
    return best[0] if best else None


def _words(act: str) -> str:
    return act.replace("-", " ")


def _year(act: str) -> str:
    match = re.search(r"(?:^|-)((?:1[6-9]|20)\d\d)$", act)
    return match[1] if match else ""


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


@lru_cache(maxsize=1)
def _analyser() -> Analyser:
    return Analyser("english", "en_plus")


def content_words(text: str) -> frozenset[str]:
    """Distinct words of letters in lower case, without English stop words, as Snowball stems."""
    return frozenset(term for term in _analyser().terms(text) if term.isalpha())


def overlap(complaint: str, provision: str) -> float:
    """Share of the content words of a complaint that occur in a provision; NaN where it has none."""
    words = content_words(complaint)
    return len(words & content_words(provision)) / len(words) if words else math.nan


def overlap_by_register(
    records: Iterable[Record], text_of: Callable[[Citation], str | None]
) -> Mapping[str, tuple[float, int]]:
    """(median overlap with the primary provision, number of complaints) by register.

    Left out are complaints out of scope or of no register, and those whose primary has no text.

    ``text_of``: text of a provision; None or empty where it is not at hand.
    """
    shares: dict[str, list[float]] = {}
    for record in records:
        provision = text_of(record.primary) if record.primary else None
        if record.register and provision:
            share = overlap(record.text, provision)
            if not math.isnan(share):
                shares.setdefault(record.register, []).append(share)
    return {
        register: (median(values), len(values)) for register, values in sorted(shares.items(), reverse=True)
    }
