"""Gold as scoring reads it: labels of a benchmark bound to the provisions of a build."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from citegrain.tasks.evaluation.benchmark import Benchmark, Citation


class Lookup(Protocol):
    """What binding needs of a build."""

    def in_force(self, provision_id: str, as_of: date | None) -> bool:
        """Whether a provision is law on a day."""
        ...

    def pages(self, provision_id: str, as_of: date | None) -> Sequence[tuple[str, int]]:
        """(document_id, first page) of a provision as it is law on a day."""
        ...


@dataclass(frozen=True)
class GoldItem:
    """One provision that applies.

    Attributes
    ----------
    citation
        As the benchmark labels it.
    grade
        Degree of relevance; the primary's is the greatest.
    provisions
        Its ids in the build; none where the build does not hold it.
    in_force
        Whether any of them is law on the query's day.
    pages
        (document_id, page) where they begin.
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
    """What applies to a query, the primary first; nothing where it is out of scope."""

    query_id: str
    items: tuple[GoldItem, ...] = ()

    @property
    def in_scope(self) -> bool:
        """Whether anything of the law at hand applies."""
        return bool(self.items)

    def labelled(self, provisions: Iterable[str]) -> list[str]:
        """Provision ids as the labels they answer to, each once, in their order.

        One that answers to no label keeps its own id.
        """
        names = {p: item.label for item in self.items for p in item.provisions}
        return list(dict.fromkeys(names.get(p, p) for p in provisions))


def make_gold(
    benchmark: Benchmark,
    provisions: Mapping[Citation, tuple[str, ...]],
    build: Lookup,
    as_of: Mapping[str, date | None],
) -> list[GoldQuery]:
    """Gold of every query of a benchmark.

    Parameters
    ----------
    provisions
        Ids in the build of each label.
    as_of
        Day whose law applies, by query id.
    """
    out = []
    for record in benchmark.records:
        day = as_of.get(record.id)
        items = [
            _item(citation, grade, provisions.get(citation, ()), build, day)
            for citation, grade in zip(record.applicable, record.grades, strict=True)
        ]
        out.append(GoldQuery(record.id, tuple(items)))
    return out


def _item(
    citation: Citation, grade: int, provisions: tuple[str, ...], build: Lookup, day: date | None
) -> GoldItem:
    law = tuple(p for p in provisions if build.in_force(p, day))
    pages = frozenset(page for p in law for page in build.pages(p, day))
    return GoldItem(citation, grade, provisions, bool(law), pages)
