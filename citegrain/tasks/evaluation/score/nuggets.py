"""Whether the words that are given are those of the law of the day: by a pattern that they must have.

No judge is asked: a question has a *nugget*, a regular expression that the text of its provision must match
on its day, and one that it must not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date

from citegrain.tasks.online.builds import PublishedBuild

_DEPTH = 5
_MARKS = re.compile(r"\d*\[|\]")  # of amendments, which stand within the words


@dataclass(frozen=True)
class Nugget:
    """What the text of the primary provision must say.

    Attributes
    ----------
    must, must_not
        Patterns, read without regard to case; empty for none.
    editions
        Versions of the Act in which it stands.
    instead
        Labels ``act/section`` of what stands in the provision's place in the law of other days.
    """

    must: str
    must_not: str
    editions: frozenset[date]
    instead: frozenset[str]

    def stands_in(self, text: str) -> bool:
        """Whether a text says what it must and nothing that it must not, line breaks and marks aside."""
        words = " ".join(_MARKS.sub("", text).split())
        unwanted = self.must_not and re.search(self.must_not, words, re.IGNORECASE)
        return re.search(self.must, words, re.IGNORECASE) is not None and not unwanted


def nugget_scores(
    build: PublishedBuild, nugget: Nugget, primary: Collection[str], chunks: Sequence[str]
) -> dict[str, float]:
    """Whether the first provisions have the nugget, and the first of the right ones the right version.

    Parameters
    ----------
    primary
        Ids of the provision asked for.
    chunks
        The ranking, best first. Of the version no more is said where neither the provision nor one in its
        place is among the first five.
    """
    shown: dict[str, date | None] = {}
    for chunk in map(build.chunk, chunks):
        if chunk["citation"] is not None and len(shown) < _DEPTH:
            shown.setdefault(chunk["citation"], chunk["version_date"])
    rows = [build.provision_row(*cited) for cited in shown.items()]
    right = [row for row in rows if row["provision_id"] in primary]
    out = {"nugget_5": float(any(nugget.stands_in(f"{r['heading']}. {r['text']}") for r in right))}
    for row in rows:
        if row in right or f"{row['act_id']}/{row['number']}" in nugget.instead:
            return out | {"version_5": float(row in right and row["version_date"] in nugget.editions)}
    return out
