"""The candidates of a query: the provisions that its channels found, and what is known of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from citegrain.tasks.core.runs import Ranked, collapse, reciprocal_rank_fusion
from citegrain.tasks.core.schemas import PROVISIONS, REFERENCES
from citegrain.tasks.core.script import is_devanagari
from citegrain.tasks.online.builds import PublishedBuild

Column = npt.NDArray[np.float32]

CHANNELS = ("dense", "sparse", "provision", "lay_dense", "lay_sparse", "questions", "classifier")
LAY = ("lay_dense", "lay_sparse")
OF_TEXTS = (*LAY, "questions", "classifier")
"""Channels that find nothing of an Act about which nobody wrote."""


@dataclass(frozen=True)
class Priors:
    """How often provisions applied to the questions that were learned from.

    ``provisions``: weight of the questions to which each applied, by id. An Act of which none stands here is
    new.
    """

    provisions: Mapping[str, float]

    @cached_property
    def acts(self) -> dict[str, float]:
        """Weight by Act."""
        sums: dict[str, float] = {}
        for provision, weight in self.provisions.items():
            act = provision.partition("/")[0]
            sums[act] = sums.get(act, 0.0) + weight
        return sums


class Facts:
    """What a build says of its provisions, read once."""

    def __init__(self, build: PublishedBuild) -> None:
        columns = build.table(PROVISIONS).select(["provision_id", "text", "heading"]).to_pydict()
        cited = {c for c in build.citations.values() if c is not None}
        self.texts: dict[str, str] = {}
        self.headings: dict[str, str] = {}
        # of editions in two languages the one that was learned of
        for provision, text, heading in zip(*columns.values(), strict=True):
            if provision in cited and not (provision in self.texts and is_devanagari(text[:200])):
                self.texts[provision], self.headings[provision] = text, heading or ""
        self.terms, self.idf = build.terms, build.idf
        self._heads: dict[str, dict[str, float]] = {}
        self.references: dict[str, set[str]] = {}
        self._said: dict[re.Pattern[str], dict[str, float]] = {}
        links = build.table(REFERENCES).select(["source_id", "target_id"]).to_pydict()
        for source, target in zip(links["source_id"], links["target_id"], strict=True):
            if target and _section(source) != _section(target):
                self.references.setdefault(_section(source), set()).add(_section(target))

    def say(self, pattern: re.Pattern[str], provisions: Sequence[str], headings: bool = False) -> list[float]:
        """1 where the text of a provision, in small letters, matches, else 0; each is looked at once.

        ``headings``: whether its heading is looked at instead.
        """
        cached, texts = self._said.setdefault(pattern, {}), self.headings if headings else self.texts
        for provision in provisions:
            if provision not in cached:
                cached[provision] = float(bool(pattern.search(texts.get(provision, "").lower())))
        return [cached[provision] for provision in provisions]

    def heading_shares(self, text: str, provisions: Sequence[str]) -> list[float]:
        """Share of each heading that a text has, by the rarity of its terms; 0 of one without terms."""
        words = set(self.terms(text))
        shares = []
        for provision in provisions:
            if provision not in self._heads:
                terms = self.terms(self.headings.get(provision, ""))
                self._heads[provision] = {term: self.idf(term) for term in terms}
            weights = self._heads[provision]
            # in the order of the heading: that of a set would move the last bits of the sum
            both = 0.0 if words.isdisjoint(weights) else sum(w for t, w in weights.items() if t in words)
            shares.append(both / (sum(weights.values()) or 1.0))
        return shares

    @classmethod
    def from_build(cls, build: PublishedBuild) -> Facts:
        """Those of a build, which keeps them."""
        return build.shared("facts of provisions", lambda: cls(build))


def _section(provision_id: str) -> str:
    """The section of a sub-section or clause."""
    return provision_id.partition("__")[0]


@dataclass(frozen=True)
class Candidates:
    """The provisions that the channels found for one query.

    Attributes
    ----------
    provisions, chunks, acts
        Ids of each candidate: its provision, the chunk that stands for it, its Act.
    ranks, scores
        Place among the provisions that a channel found, from 1, and score there, by channel: shape
        (candidates,), NaN where it did not find one.
    fused
        Score by weighted reciprocal rank fusion: shape (candidates,).
    priors, facts
        What was learned of provisions, and what the build says of them.
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

        Parameters
        ----------
        weights
            Of the channels, for ``fused``; 1 where one is not named.
        without_lay_texts
            Acts whose lay texts, and questions, are passed over.
        """
        chunks: dict[str, str] = {}
        places: dict[str, dict[str, tuple[int, float]]] = {}
        for channel in CHANNELS:
            places[channel] = {}
            for provision, chunk, score in collapse(lists.get(channel, []), build.citations):
                if channel in OF_TEXTS and provision.partition("/")[0] in without_lay_texts:
                    continue
                chunks.setdefault(provision, chunk)
                places[channel][provision] = (len(places[channel]) + 1, score)
        number = {provision: n for n, provision in enumerate(chunks)}
        columns = {}
        for channel, ranked in places.items():
            columns[channel] = np.full((len(chunks), 2), np.nan)
            if ranked:
                columns[channel][[number[provision] for provision in ranked]] = list(ranked.values())
        lists_of = [[(p, score) for p, (_, score) in ranked.items()] for ranked in places.values()]
        fused = dict(reciprocal_rank_fusion(lists_of, weights=[weights.get(c, 1.0) for c in places]))
        return cls(
            query,
            list(chunks),
            list(chunks.values()),
            [provision.partition("/")[0] for provision in chunks],
            {c: column[:, 0] for c, column in columns.items()},
            {c: column[:, 1] for c, column in columns.items()},
            np.array([fused[provision] for provision in chunks]),
            priors,
            Facts.from_build(build),
        )

    @cached_property
    def best(self) -> list[int]:
        """Positions of the twenty that fusion by ranks puts first, in its order."""
        return [int(i) for i in np.argsort(-self.fused, kind="stable")[:20]]

    @cached_property
    def without_lay_texts(self) -> npt.NDArray[np.bool_]:
        """Whether none of its Act was found by lay texts: shape (candidates,)."""
        by_channel = [~np.isnan(self.ranks[channel]) for channel in LAY]
        with_texts = {act for act, *hits in zip(self.acts, *by_channel, strict=True) if any(hits)}
        return np.array([act not in with_texts for act in self.acts], dtype=bool)

    def of_acts(self, values: Mapping[str, float], default: float = 0.0) -> Column:
        """A value by Act, for each candidate."""
        return np.array([values.get(act, default) for act in self.acts])
