"""What is scored: labels bound to the provisions, or the characters, of a build, and what an answer cites.

Whether the words given are those of the law of the day is asked of no judge: a question has a *nugget*, a
regular expression that the text of its provision must match on its day, and one that it must not.

Characters are counted as sets: one that two chunks share counts once. Where no two chunks overlap, precision
and recall are those of LegalBench-RAG (Pipitone and Alami 2024), which adds lengths.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Any

from citegrain.tasks.evaluation.benchmark import Benchmark, Citation, Record, Span
from citegrain.tasks.online.builds import PublishedBuild

CUTS = (1, 2, 4, 8, 16, 32, 64)
"""After how many chunks precision, recall and mismatch are measured, as LegalBench-RAG does."""


@dataclass(frozen=True, order=True)
class Stretch:
    """Characters ``start`` to ``end``, exclusive, of a document."""

    document: str
    start: int
    end: int


def merged(stretches: Iterable[Stretch]) -> list[Stretch]:
    """The same characters as stretches that are in order and apart."""
    out: list[Stretch] = []
    for one in sorted(s for s in stretches if s.start < s.end):
        if out and out[-1].document == one.document and one.start <= out[-1].end:
            out[-1] = Stretch(one.document, out[-1].start, max(out[-1].end, one.end))
        else:
            out.append(one)
    return out


def length(stretches: Iterable[Stretch]) -> int:
    """How many different characters they have."""
    return sum(s.end - s.start for s in merged(stretches))


def common(first: Iterable[Stretch], second: Iterable[Stretch]) -> list[Stretch]:
    """The characters of both."""
    others: dict[str, list[Stretch]] = {}
    for two in merged(second):
        others.setdefault(two.document, []).append(two)
    return [
        Stretch(one.document, max(one.start, two.start), min(one.end, two.end))
        for one in merged(first)
        for two in others.get(one.document, [])
        if max(one.start, two.start) < min(one.end, two.end)
    ]


def place_spans(benchmark: Benchmark, build: PublishedBuild) -> tuple[dict[str, list[Stretch]], list[str]]:
    """The spans of each record in the documents of a build, and what of them is not there.

    A file is the document whose path ends alike, by whole folders. A span whose file is not indexed, or whose
    characters in the build are not those that the benchmark quotes, stays gold that nothing finds.
    """
    files = {span.file for record in benchmark for span in record.spans}
    documents = _documents(files, build.paths)
    warnings = [f"{file}: no document of this path in the build" for file in sorted(files - documents.keys())]
    out: dict[str, list[Stretch]] = {}
    moved: dict[str, int] = {}
    for record in benchmark:
        out[record.id] = []
        for span in record.spans:
            document = documents.get(span.file, "")
            if document and not _is_there(span, document, build):
                moved[span.file] = moved.get(span.file, 0) + 1
                document = ""
            out[record.id].append(Stretch(document or f"?{span.file}", span.start, span.end))
    warnings += [f"{file}: {n} spans quote other characters than the build has" for file, n in moved.items()]
    return {query: merged(stretches) for query, stretches in out.items() if stretches}, warnings


def _documents(files: Iterable[str], paths: Mapping[str, str]) -> dict[str, str]:
    """The document of each file whose path has the longest end in common with it, where there is one such."""
    out = {}
    for file in files:
        shared = {document: _shared_end(file, path) for document, path in paths.items()}
        best = max(shared.values(), default=0)
        documents = [document for document, n in shared.items() if n == best]
        if best and len(documents) == 1:
            out[file] = documents[0]
    return out


def _shared_end(one: str, other: str) -> int:
    """How many names two paths share at their ends; 0 unless one of them ends with all of the other."""
    a, b = one.strip("/").split("/")[::-1], other.strip("/").split("/")[::-1]
    n = next((i for i, pair in enumerate(zip(a, b, strict=False)) if pair[0] != pair[1]), min(len(a), len(b)))
    return n if n == min(len(a), len(b)) else 0


def _is_there(span: Span, document: str, build: PublishedBuild) -> bool:
    """Whether every chunk that has characters of a span has those that the benchmark quotes."""
    if not span.answer:
        return True
    return all(
        text[max(0, span.start - start) : span.end - start]
        == span.answer[max(0, start - span.start) : start + len(text) - span.start]
        for start, text in build.texts_by_document.get(document, ())
        if start < span.end and span.start < start + len(text)
    )


def span_scores(
    gold: Sequence[Stretch],
    ranking: Sequence[Stretch],
    selected: Sequence[Stretch],
    parts: Sequence[Stretch] = (),
) -> dict[str, float]:
    """Metrics of one question.

    ``selected``: those that were given to the generator. ``parts``: the provision in which each of them
    stands.
    """
    documents = {g.document for g in gold}
    out: dict[str, float] = {}
    for k in CUTS:
        first = ranking[:k]
        precision, recall = _shares(gold, first)
        out |= {f"char_precision_{k}": precision, f"char_recall_{k}": recall}
        if first:
            out[f"mismatch_{k}"] = sum(s.document not in documents for s in first) / len(first)
    out["text_precision"], out["text_recall"] = _shares(gold, selected)
    if selected:
        essential = [bool(common([s], gold)) for s in selected]
        near = [bool(common([p], gold)) for p in parts]
        out["mismatch"] = sum(s.document not in documents for s in selected) / len(selected)
        out["essential"] = sum(essential) / len(selected)
        out["unnecessary"] = sum(not e and not n for e, n in zip(essential, near, strict=True)) / len(
            selected
        )
    return out


def _shares(gold: Sequence[Stretch], given: Sequence[Stretch]) -> tuple[float, float]:
    """Share of the given characters that are gold, and of the gold that is given."""
    both = length(common(gold, given))
    return both / all_given if (all_given := length(given)) else 0.0, both / length(gold)


@dataclass(frozen=True)
class GoldItem:
    """One provision that applies.

    ``provisions``: its ids in the build; none where it is not indexed. ``in_force``: whether any of them is
    law on the query's day. ``pages``: (document_id, page) where they begin.
    """

    citation: Citation
    grade: int
    provisions: tuple[str, ...] = ()
    in_force: bool = False
    pages: frozenset[tuple[str, int]] = frozenset()

    @property
    def label(self) -> str:
        """``act/section``: its document id in TREC files."""
        return self.citation.label


@dataclass(frozen=True)
class GoldQuery:
    """What applies to a query, the primary first; nothing where it is out of scope.

    ``elsewhere`` is the Act or State subject that governs it then, where that is known; ``spans`` is what
    answers it where gold is characters. ``answer`` is the expected answer in words, and ``places`` are the
    (file, page) where it stands. ``nugget`` is the record where its words depend on the day.
    """

    query_id: str
    items: tuple[GoldItem, ...] = ()
    elsewhere: str = ""
    spans: tuple[Stretch, ...] = ()
    answer: str = ""
    places: tuple[tuple[str, int], ...] = ()
    nugget: Record | None = None

    @property
    def in_scope(self) -> bool:
        """Whether anything of the law at hand applies."""
        return bool(self.items)

    def labelled(self, provisions: Iterable[str]) -> list[str]:
        """The labels of provisions, each once, in the order of the provisions.

        One that answers to no label keeps its id.
        """
        names = {p: item.label for item in self.items for p in item.provisions}
        return list(dict.fromkeys(names.get(p, p) for p in provisions))


def make_gold(
    benchmark: Benchmark,
    provisions: Mapping[Citation, tuple[str, ...]],
    build: PublishedBuild,
    as_of: Mapping[str, date | None],
    spans: Mapping[str, Sequence[Stretch]] = MappingProxyType({}),
) -> list[GoldQuery]:
    """Gold of every query of a benchmark.

    ``provisions``: ids in the build of each label. ``as_of``: day whose law applies, by query id. ``spans``:
    what answers a question, by query id, where gold is characters.
    """
    out = []
    for record in benchmark.records:
        day = as_of.get(record.id)
        items = [
            _item(citation, grade, provisions.get(citation, ()), build, day)
            for citation, grade in record.graded
        ]
        places = tuple(zip(record.source, record.page, strict=True))
        stretches = tuple(spans.get(record.id, ()))
        nugget = record if record.editions else None
        out.append(
            GoldQuery(record.id, tuple(items), record.elsewhere, stretches, record.answer, places, nugget)
        )
    return out


def _item(
    citation: Citation, grade: int, provisions: tuple[str, ...], build: PublishedBuild, day: date | None
) -> GoldItem:
    law = tuple(p for p in provisions if build.in_force(p, day))
    pages = frozenset(page for p in law for page in build.pages(p, day))
    return GoldItem(citation, grade, provisions, bool(law), pages)


@dataclass(frozen=True)
class Predicted:
    """What an answer says.

    Attributes
    ----------
    charges
        (provision_id, act_id) of each charge in order, once each. A charge without a
        provision has an id that no label has: it counts against the answer.
    verified
        Share of the charges that were verified; None without a charge.
    confidence
        Probability that the first charge is the primary provision; None where it was not estimated.
    elsewhere
        Act or State subject that is said to govern instead, empty for none; None where it was not estimated
        whether anything applies.
    extracted
        Whether a model was asked and gave no answer, so that extracts stand instead; None where none was.
    hallucinated, verification_rate
        Whether the words of a model cite what does not exist, and the share of its citations that are right;
        None where no model wrote any.
    """

    charges: tuple[tuple[str, str], ...] = ()
    verified: float | None = None
    confidence: float | None = None
    elsewhere: str | None = None
    abstained: bool = False
    failed: bool = False
    extracted: bool | None = None
    hallucinated: bool | None = None
    verification_rate: float | None = None


def predicted(row: Mapping[str, Any] | None) -> Predicted:
    """Read a row of ``answers``; None stands for a query that failed on the way."""
    if row is None or not row["answer"]:
        return Predicted(failed=True)
    answer = json.loads(row["answer"])
    listed, report = answer["charges"], answer.get("citations")
    charges: dict[str, str] = {}
    for number, charge in enumerate(listed):
        provision = charge["provision_id"] or f"?{number}"
        charges.setdefault(provision, charge["act"] or provision.split("/")[0])
    verified = sum(c["verification"] == "verified" for c in listed)
    return Predicted(
        tuple(charges.items()),
        verified / len(listed) if listed else None,
        listed[0].get("primary") if listed else None,
        None if answer.get("probability") is None else answer["elsewhere"],
        bool(row["abstained"]),
        extracted=bool(row["error"]) if row["error"] or row["parse_pass"] else None,
        hallucinated=report["hallucinated"] > 0 if report else None,
        verification_rate=report["rate"] if report else None,
    )


_DEPTH = 5
_MARKS = re.compile(r"\d*\[|\]")  # of amendments, which stand within the words


def says(nugget: Record, text: str) -> bool:
    """Whether a text says what it must and nothing that it must not, line breaks, case and marks aside."""
    words = " ".join(_MARKS.sub("", text).split())
    unwanted = nugget.must_not and re.search(nugget.must_not, words, re.IGNORECASE)
    return re.search(nugget.must, words, re.IGNORECASE) is not None and not unwanted


def nugget_scores(
    build: PublishedBuild, nugget: Record, primary: Collection[str], chunks: Sequence[str]
) -> dict[str, float]:
    """Whether the first provisions have the nugget, and the first of the right ones the right version.

    ``primary``: ids of the provision asked for. ``chunks``: the ranking, best first. Of the version no more
    is said where neither the provision nor one in its place is among the first five.
    """
    shown: dict[str, date | None] = {}
    for chunk in map(build.chunk, chunks):
        if chunk["citation"] is not None and len(shown) < _DEPTH:
            shown.setdefault(chunk["citation"], chunk["version_date"])
    rows = [build.provision_row(*cited) for cited in shown.items()]
    right = [row for row in rows if row["provision_id"] in primary]
    out = {"nugget_5": float(any(says(nugget, f"{r['heading']}. {r['text']}") for r in right))}
    instead = {citation.label for citation in nugget.instead}
    for row in rows:
        if row in right or f"{row['act_id']}/{row['number']}" in instead:
            return out | {"version_5": float(row in right and row["version_date"] in nugget.editions)}
    return out
