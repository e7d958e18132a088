"""Which provision of a new code took the place of an old one, and the other way round.

People name the section they have heard of, which may be of a code that was replaced, or of one that had
not begun. The counterpart is the provision of the other code that is nearest by vector, where each is
the nearest to the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Mask = npt.NDArray[np.bool_]
Matrix = npt.NDArray[np.float32]


class Counterparts:
    """Counterparts between Acts of which one replaced the other.

    Parameters
    ----------
    acts
        Rows of ``acts``.
    rows
        Rows of the searched chunks of each provision; the first stands for it.
    vectors
        Vectors of searched chunks by row.
    """

    def __init__(
        self,
        acts: Sequence[Mapping[str, Any]],
        rows: Mapping[str, Sequence[int]],
        vectors: Callable[[Sequence[int]], Matrix],
    ) -> None:
        self._rows = rows
        self._vectors = vectors
        self._partners: dict[str, set[str]] = {}
        self._held: dict[str, tuple[list[str], Matrix]] = {}
        self._found: dict[str, list[str]] = {}
        for act in acts:
            if act["replaced_by"]:
                self._partners.setdefault(act["act_id"], set()).add(act["replaced_by"])
                self._partners.setdefault(act["replaced_by"], set()).add(act["act_id"])

    def of(self, provision_id: str, eligible: Mask | None = None) -> list[int]:
        """Rows of the counterpart of a provision that may be returned; none if there is no such."""
        if provision_id not in self._found:
            self._found[provision_id] = list(self._nearest(provision_id))
        for other in self._found[provision_id]:
            allowed = [r for r in self._rows[other] if eligible is None or eligible[r]]
            if allowed:
                return allowed
        return []

    def _nearest(self, provision_id: str) -> Iterator[str]:
        """Counterparts of a provision, at most one of each Act that its own replaced or was replaced by."""
        act = provision_id.split("/")[0]
        own, own_vectors = self._act(act)
        if provision_id not in own:
            return
        for partner in sorted(self._partners.get(act, ())):
            others, vectors = self._act(partner)
            if not others:
                continue
            best = int(np.argmax(vectors @ own_vectors[own.index(provision_id)]))
            if own[int(np.argmax(own_vectors @ vectors[best]))] == provision_id:
                yield others[best]

    def _act(self, act_id: str) -> tuple[list[str], Matrix]:
        """Provisions of an Act with their vectors, shape (provisions, dimension)."""
        if act_id not in self._held:
            ids = [p for p in self._rows if p.split("/")[0] == act_id]
            self._held[act_id] = ids, self._vectors([self._rows[p][0] for p in ids])
        return self._held[act_id]
