"""Provisions of which one shuts out the other: replaced law, law that gives way, another personal law."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

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
