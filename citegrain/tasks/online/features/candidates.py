"""The candidates of a query: the provisions that its channels found, and what is known of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from citegrain.tasks.core.runs import SMOOTHING, Ranked, collapse
from citegrain.tasks.core.schemas import PROVISIONS, REFERENCES
from citegrain.tasks.core.words import is_devanagari
from citegrain.tasks.online.builds import PublishedBuild

Column = npt.NDArray[np.floating[Any]]
Rows = npt.NDArray[np.intp]

CHANNELS = ("dense", "sparse", "provision", "lay_dense", "lay_sparse", "questions", "classifier")
LAY = ("lay_dense", "lay_sparse")
INSERTED = "+"
"""Behind the id of an Act: its provisions of which nothing was learned."""
OF_TEXTS = (*LAY, "questions", "classifier")
"""Channels that find nothing of an Act about which nobody wrote."""


def unlearned(channels: Iterable[str]) -> list[str]:
    """The channels of which features say nothing."""
    return [channel for channel in channels if channel not in CHANNELS]


@dataclass(frozen=True)
class Priors:
    """How often provisions applied to the questions that were learned from.

    ``provisions``: weight of the questions to which each applied, by id. An Act of which none stands here is
    new. ``every``: ids of all that the build had by which it was learned; empty if they are not known.
    """

    provisions: Mapping[str, float]
    every: Collection[str] = frozenset()

    @cached_property
    def acts(self) -> dict[str, float]:
        """Weight by Act."""
        sums: dict[str, float] = {}
        for provision, weight in self.provisions.items():
            act = _act(provision)
            sums[act] = sums.get(act, 0.0) + weight
        return sums

    def act_of(self, provision: str) -> str:
        """Its Act; of a provision that the Act did not have when it was learned of, a new one.

        Else the ranker would take it for one to which nobody's question applies.
        """
        act = _act(provision)
        return act + INSERTED if self.every and provision not in self.every and act in self.acts else act


class Facts:
    """What a build says of its provisions; what it costs to say is computed once for each."""

    def __init__(
        self,
        provisions: Mapping[str, tuple[str, str]],
        links: Iterable[tuple[str, str | None]],
        terms: Callable[[str], Sequence[str]],
        idf: Callable[[str], float],
    ) -> None:
        self._rows = {provision: row for row, provision in enumerate(provisions)}
        self._texts = list(provisions.values())
        self._columns: dict[Hashable, Column] = {}
        self._headings: dict[int, tuple[dict[str, float], float]] = {}
        self.terms, self.idf = terms, idf
        self.references: dict[str, set[str]] = {}
        for source, target in links:
            if target and _section(source) != _section(target):
                self.references.setdefault(_section(source), set()).add(_section(target))

    def rows(self, provisions: Sequence[str]) -> Rows:
        """Where provisions stand here."""
        return np.array([self._rows[provision] for provision in provisions], dtype=np.intp)

    def _column(self, name: Hashable, rows: Rows, value: Callable[[str, str], float]) -> Column:
        """What a function says of text and heading; each provision is looked at once."""
        if name not in self._columns:
            self._columns[name] = np.full(len(self._texts), np.nan)
        column = self._columns[name]
        missing = rows[np.isnan(column[rows])]
        column[missing] = [value(*self._texts[row]) for row in missing.tolist()]
        return column[rows]

    def lengths(self, rows: Rows) -> Column:
        """Length of each text, in characters."""
        return self._column("length", rows, lambda text, heading: len(text))

    def say(self, pattern: re.Pattern[str], rows: Rows, headings: bool = False) -> Column:
        """1 where the text of a provision, or its heading instead, matches in small letters, else 0."""
        return self._column(
            (pattern, headings),
            rows,
            lambda text, heading: bool(pattern.search((heading if headings else text).lower())),
        )

    def heading_shares(self, text: str, rows: Rows) -> Column:
        """Share of each heading that a text has, by the rarity of its terms; 0 of one without terms."""
        words, shares = set(self.terms(text)), np.zeros(len(rows))
        for at, row in enumerate(rows.tolist()):
            if row not in self._headings:
                weights = {term: self.idf(term) for term in self.terms(self._texts[row][1])}
                self._headings[row] = weights, sum(weights.values()) or 1.0
            weights, total = self._headings[row]
            # in the order of the heading: that of a set would move the last bits of the sum
            if had := [weight for term, weight in weights.items() if term in words]:
                shares[at] = sum(had) / total
        return shares

    @classmethod
    def from_build(cls, build: PublishedBuild) -> Facts:
        """Those of a build, which keeps them."""
        return build.shared("facts of provisions", lambda: cls._read(build))

    @classmethod
    def _read(cls, build: PublishedBuild) -> Facts:
        columns = build.table(PROVISIONS).select(["provision_id", "text", "heading"]).to_pydict()
        cited = {c for c in build.citations.values() if c is not None}
        provisions: dict[str, tuple[str, str]] = {}
        # of editions in two languages the one that was learned of
        for provision, text, heading in zip(*columns.values(), strict=True):
            if provision in cited and not (provision in provisions and is_devanagari(text[:200])):
                provisions[provision] = text, heading or ""
        links = build.table(REFERENCES).select(["source_id", "target_id"]).to_pydict()
        return cls(provisions, zip(*links.values(), strict=True), build.terms, build.idf)


def _act(provision_id: str) -> str:
    return provision_id.partition("/")[0]


def _section(provision_id: str) -> str:
    """The section of a sub-section or clause."""
    return provision_id.partition("__")[0]


@dataclass(frozen=True)
class Candidates:
    """The provisions that the channels found for one query.

    ``provisions``, ``chunks``, ``acts``: ids of each candidate: its provision, the chunk that stands for it,
    its Act by ``priors.act_of``. ``ranks``, ``scores``: place among the provisions that a channel found, from
    1, and score there, by channel: shape (candidates,), NaN where it did not find one. ``fused``: score by
    weighted reciprocal rank fusion: shape (candidates,).
    """

    query: Mapping[str, Any]
    provisions: Sequence[str]
    chunks: Sequence[str]
    acts: Sequence[str]
    ranks: Mapping[str, Column]
    scores: Mapping[str, Column]
    fused: Column
    priors: Priors
    facts: Facts

    @classmethod
    def gather(
        cls,
        build: PublishedBuild,
        query: Mapping[str, Any],
        lists: Mapping[str, Ranked],
        priors: Priors,
        weights: Mapping[str, float],
        without_lay_texts: Collection[str] = (),
    ) -> Candidates:
        """The candidates of the lists of one query, those of the first list first.

        A channel beyond ``CHANNELS`` brings candidates of which no feature says that it found them.

        ``weights``: of the channels, for ``fused``; 1 where one is not named. ``without_lay_texts``: Acts
        whose lay texts, and questions, are passed over.
        """
        chunks: dict[str, str] = {}
        hits: dict[str, list[tuple[str, str, float]]] = {}
        for channel in CHANNELS:
            hits[channel] = collapse(lists.get(channel, []), build.citations)
            if without_lay_texts and channel in OF_TEXTS:
                hits[channel] = [h for h in hits[channel] if _act(h[0]) not in without_lay_texts]
            for provision, chunk, _ in hits[channel]:
                chunks.setdefault(provision, chunk)
        for channel in unlearned(lists):
            for provision, chunk, _ in collapse(lists[channel], build.citations):
                chunks.setdefault(provision, chunk)
        number = {provision: n for n, provision in enumerate(chunks)}
        columns, fused = {}, np.zeros(len(chunks))
        for channel, ranked in hits.items():
            columns[channel] = np.full((len(chunks), 2), np.nan)
            rows, ranks = [number[provision] for provision, _, _ in ranked], np.arange(1, 1 + len(ranked))
            columns[channel][rows, 0] = ranks
            columns[channel][rows, 1] = [score for _, _, score in ranked]
            fused[rows] += weights.get(channel, 1.0) / (SMOOTHING + ranks)
        return cls(
            query,
            list(chunks),
            list(chunks.values()),
            list(map(priors.act_of, chunks)),
            {c: column[:, 0] for c, column in columns.items()},
            {c: column[:, 1] for c, column in columns.items()},
            fused,
            priors,
            Facts.from_build(build),
        )

    @cached_property
    def best(self) -> list[int]:
        """Positions of the twenty that fusion by ranks puts first, in its order."""
        return [int(i) for i in np.argsort(-self.fused, kind="stable")[:20]]

    @cached_property
    def rows(self) -> Rows:
        """Where each stands among the facts."""
        return self.facts.rows(self.provisions)

    @cached_property
    def different_acts(self) -> list[str]:
        """The Acts, each once, in the order of their appearance."""
        return list(dict.fromkeys(self.acts))

    @cached_property
    def act_numbers(self) -> Rows:
        """Number of the Act of each, in the order of their appearance."""
        numbers = {act: n for n, act in enumerate(self.different_acts)}
        return np.array([numbers[act] for act in self.acts], dtype=np.intp)

    @cached_property
    def without_lay_texts(self) -> npt.NDArray[np.bool_]:
        """Whether none of its Act was found by lay texts: shape (candidates,)."""
        by_lay_texts = np.any([~np.isnan(self.ranks[channel]) for channel in LAY], axis=0)
        return ~np.isin(self.act_numbers, self.act_numbers[by_lay_texts])

    @cached_property
    def applied(self) -> Column:
        """How often each applied to the questions that were learned from; NaN of a new Act."""
        times = np.array([self.priors.provisions.get(p, 0.0) for p in self.provisions])
        return np.where(np.isnan(self.of_acts(self.priors.acts, np.nan)), np.nan, times)

    def of_acts(self, values: Mapping[str, float], default: float = 0.0) -> Column:
        """A value by Act, for each candidate."""
        return np.array([values.get(act, default) for act in self.different_acts])[self.act_numbers]
