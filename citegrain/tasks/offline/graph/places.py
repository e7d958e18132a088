"""Pages on which words stand, by their offset in the running text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any


class Places:
    """Where the provisions of Acts begin, down to clauses.

    Parameters
    ----------
    provisions
        Rows of ``provisions``, of each the version that is looked at.
    """

    def __init__(self, provisions: Sequence[Mapping[str, Any]]) -> None:
        self._document = {row["provision_id"]: (row["document_id"], row["act_id"]) for row in provisions}
        starts: dict[tuple[str, str], list[tuple[int, int]]] = {}
        for row in provisions:
            key = row["document_id"], row["act_id"]
            starts.setdefault(key, []).append((row["char_start"], row["page_start"]))
        self._starts = {key: sorted(pairs) for key, pairs in starts.items()}

    def page(self, provision_id: str, offset: int) -> int:
        """The page on which the clause begins that has an offset; 0 if there is none."""
        key = self._document.get(provision_id)
        if key is None or offset < 0:
            return 0
        starts = self._starts[key]
        at = bisect_right(starts, (offset, 10**9)) - 1
        return starts[at][1] if at >= 0 else 0
