"""A policy without a model: it knows matters of law by what people ask, and what law excludes other law."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from citegrain.tasks.core.schemas import EDGES
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.hits import passage
from citegrain.tasks.published.controller.operations import Policy
from citegrain.tasks.published.controller.records import (
    CONTRADICTED,
    COVERED,
    OPEN,
    Evidence,
    Memory,
    Plan,
    Proposition,
    Resources,
)
from citegrain.tasks.published.rewrite import sentences

REPLACED, OVERRIDDEN, PERSONAL = "replaced", "overridden", "another personal law"
_COMMUNITY = re.compile(
    r"\b(hindu|muslim|mohammedan|sikh|buddhist|jain|christian|parsi|jewish)s?\b", re.IGNORECASE
)
_SAME = {"mohammedan": "muslim", "sikh": "hindu", "buddhist": "hindu", "jain": "hindu"}
"""Communities that one law is for (explanations to the Hindu Acts, and another spelling)."""


@dataclass(frozen=True)
class Exclusions:
    """What is known of a corpus: pairs of Acts, pairs of provisions, and the community of an Act."""

    replaced: Collection[tuple[str, str]]
    overridden: Collection[tuple[str, str]]
    communities: Mapping[str, str]

    @classmethod
    def from_acts(
        cls, acts: Iterable[Mapping[str, Any]], overriding: Iterable[tuple[str, str]] = ()
    ) -> Exclusions:
        """From rows of ``acts`` (``act_id``, ``title``, ``replaced_by``), and what overrides what by id."""
        rows = list(acts)
        pairs = [(a["act_id"], a["replaced_by"]) for a in rows if a["replaced_by"]]
        titles = {a["act_id"]: _COMMUNITY.search(a["title"]) for a in rows}
        names = {act: title[1].lower() for act, title in titles.items() if title}
        communities = {act: _SAME.get(name, name) for act, name in names.items()}
        return cls(_both(pairs), _both(overriding), communities)

    def why(self, one: str, other: str) -> str:
        """Why two provisions cannot both apply to one matter; empty if nothing says so."""
        acts = act_of(one), act_of(other)
        if acts in self.replaced:
            return REPLACED
        if any(pair in self.overridden for pair in ((one, other), (one, acts[1]), (acts[0], other))):
            return OVERRIDDEN
        whose = {self.communities.get(act, "") for act in acts} - {""}
        return PERSONAL if len(whose) > 1 else ""


def act_of(provision_id: str) -> str:
    """The Act of a provision, by its id."""
    return provision_id.partition("/")[0]


def _both(pairs: Iterable[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    return frozenset(p for a, b in pairs for p in ((a, b), (b, a)))


_SUPPORTS = 3  # propositions of an issue that a round adds


@dataclass(frozen=True)
class Issue:
    """The part of a story that is a matter of one Act; of a story in one piece, of none."""

    text: str
    act: str


class Rules(Policy):
    """Searches for the complaint, then for each of its issues to which nothing that was found applies.

    ``clear``: how near a sentence must be to what people ask of an Act for it to be its matter. ``least``:
    probability from which a passage supports an issue.
    """

    def __init__(self, resources: Resources, clear: float, least: float) -> None:
        super().__init__(resources.config)
        self._build, self._catalogue = resources.build, resources.catalogue
        self._clear, self._least = clear, least
        self._issues: dict[str, list[Issue]] = {}

    def plan(self, memories: Sequence[Memory]) -> Sequence[Plan]:
        """The complaint; then each unresolved issue by itself, and after that with its Act's name."""
        self._find([m.question.text for m in memories])
        return [self._plan(m) for m in memories]

    def _plan(self, memory: Memory) -> Plan:
        text = memory.question.text
        if not memory.queries:
            return Plan(tuple(issue.text for issue in self._issues[text]), (text,))
        left, issues = {s.text for s in memory.unresolved}, self._issues[text]
        return Plan((), tuple(self._query(i, text, memory.queries) for i in issues if i.text in left))

    def _query(self, issue: Issue, text: str, searched: Collection[str]) -> str:
        """What is searched for an issue: it with the story's beginning, which says who; then its Act too."""
        first = sentences(text)[0]
        query = issue.text if issue.text.startswith(first) else f"{first} {issue.text}"
        return f"{query} ({self._titles[issue.act]})" if query in searched and issue.act else query

    @cached_property
    def _titles(self) -> dict[str, str]:
        return {act_id: title for act_id, title, _ in self._build.names()}

    def read(self, memories: Sequence[Memory]) -> Sequence[Sequence[Proposition]]:
        """Of each unresolved issue the most probable passages, by the sentences that meet it best."""
        self._find([m.question.text for m in memories])
        return [list(self._read(m)) for m in memories]

    def _read(self, memory: Memory) -> Iterator[Proposition]:
        left = {s.text for s in memory.unresolved}
        for issue in self._issues[memory.question.text]:
            if issue.text in left:
                about = [one for one in memory.latest() if self._supports(one, issue)]
                likely = sorted(about, key=lambda one: -(one.passage.probability or 0))
                yield from (self._proposition(one, issue) for one in likely[:_SUPPORTS])

    def _supports(self, one: Evidence, issue: Issue) -> bool:
        """Whether a passage is probable, and was searched for the issue or is of its Act, new or old."""
        if one.passage.probability is not None and one.passage.probability < self._least:
            return False
        act = act_of(one.passage.provision_id)
        of_it = not issue.act or act == issue.act or (act, issue.act) in self._exclusions.replaced
        return of_it or (one.round > 1 and issue.text in one.query)

    def _proposition(self, one: Evidence, issue: Issue) -> Proposition:
        weights = self._build.term_weights([{"text": issue.text, "weight": 1.0}])
        said = passage(one.passage.text, issue.text, weights, self._build.terms)
        return one.passage.says(issue.text, said, one.passage.probability or one.passage.score)

    def reflect(self, memories: Sequence[Memory]) -> Sequence[Sequence[str]]:
        """Contradicted where two of an issue's propositions are of provisions that exclude each other."""
        return [[self._state(s.text, m.propositions) for s in m.subquestions] for m in memories]

    def _state(self, issue: str, propositions: Sequence[Proposition]) -> str:
        cited = dict.fromkeys(p.provision_id for p in propositions if p.subquestion == issue)
        exclusive = any(self._exclusions.why(a, b) for a, b in combinations(cited, 2))
        return CONTRADICTED if exclusive else COVERED if cited else OPEN

    @cached_property
    def _exclusions(self) -> Exclusions:
        return self._build.shared("exclusions", lambda: _exclusions(self._build))

    def _find(self, texts: Sequence[str]) -> None:
        """Find the issues of stories that were not seen yet, all sentences read at once."""
        new = [text for text in dict.fromkeys(texts) if text not in self._issues]
        said = [(text, sentence) for text in new for sentence in sentences(text)]
        matters = self._matters([sentence for _, sentence in said])
        for text in new:
            self._issues[text] = list(
                _split(text, [m for (t, _), m in zip(said, matters, strict=True) if t == text])
            )

    def _matters(self, said: Sequence[str]) -> list[tuple[str, str]]:
        """Each sentence with the Act of the build that it is clearly a matter of; empty for none."""
        if self._catalogue is None or not said:
            return [(sentence, "") for sentence in said]
        catalogue = self._catalogue()
        acts = np.array(
            self._build.shared("acts of the catalogue", lambda: catalogue.acts(self._build.lexicon))
        )
        here = np.flatnonzero(acts != "")
        if not len(here):
            return [(sentence, "") for sentence in said]
        near = catalogue.near_each(self._build.encode_queries(said), said, here)
        nearest = acts[here[near.argmax(axis=1)]].tolist()
        clear = near.max(axis=1) >= self._clear
        return [(s, act if sure else "") for s, act, sure in zip(said, nearest, clear, strict=True)]


def _split(text: str, said: Sequence[tuple[str, str]]) -> Iterator[Issue]:
    """The issues of a story, each a stretch that begins where the matter changes; the story itself for one.

    What is said of no Act in particular goes on with what was said before it, the beginning with the first.
    """
    current = next((act for _, act in said if act), "")
    stretches: dict[str, list[str]] = {}
    for sentence, act in said:
        current = act or current
        stretches.setdefault(current, []).append(sentence)
    if len(stretches) < 2:
        yield Issue(text, "")
    else:
        yield from (Issue(" ".join(stretch), act) for act, stretch in stretches.items())


def _exclusions(build: PublishedBuild) -> Exclusions:
    """What the build's Acts and its graph say; of a build without a graph only what Acts say."""
    overriding = []
    if build.has(EDGES):
        edges = build.graph_tables["edges"].select(["source_id", "target_id", "kind"]).to_pylist()
        overriding = [(e["source_id"], e["target_id"]) for e in edges if e["kind"] == "conflicts"]
    return Exclusions.from_acts(build.acts, [(a, b) for a, b in overriding if b])


def rules(resources: Resources, *, clear: float = 0.7, least: float = 0.1) -> Policy:
    """A policy that plans by the catalogue of what people ask, and reads by probabilities."""
    return Rules(resources, clear, least)
