"""What is scored: labels of a benchmark bound to the provisions of a build, and what an answer cites.

Whether the words given are those of the law of the day is asked of no judge: a question has a *nugget*, a
regular expression that the text of its provision must match on its day, and one that it must not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Any

from citegrain.tasks.evaluation.benchmark import Benchmark, Citation, Record
from citegrain.tasks.evaluation.score.spans import Stretch
from citegrain.tasks.online.builds import PublishedBuild


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
