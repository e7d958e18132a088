"""What joins candidates, over the little law: worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from citegrain.tasks.core.runs import make_run, rankings
from citegrain.tasks.online.query import QueryConfig, make_queries
from citegrain.tasks.published.expand import ExpandConfig, expand
from tests.fakes import as_build
from tests.tasks.online.retrieve.test_graph_channels import PROVISIONS, Law


class Parts(Law):
    """The little law, its section 2 in two chunks."""

    def __init__(self) -> None:
        super().__init__()
        self.chunk_ids = [*self.chunk_ids, "more#"]
        self.citations = self.citations | {"more#": PROVISIONS[1]["provision_id"]}
        self.rows = {chunk: row for row, chunk in enumerate(self.chunk_ids)}

    def eligible(self, as_of: object) -> np.ndarray:
        return np.array([row not in self.forbidden for row in range(len(self.chunk_ids))])

    def rows_of(self, provision_id: str) -> Sequence[int]:
        return [row for row, chunk in enumerate(self.chunk_ids) if self.citations[chunk] == provision_id]

    def family(self, row: int) -> Sequence[int]:
        return self.rows_of(self.citations[self.chunk_ids[row]])

    def passage(self, row: int) -> dict[str, str]:
        return {"text": "He shall be punished." if row == 2 else "Oil."}


def joined(
    ranked: list[int], config: ExpandConfig, build: Parts | None = None, **by_type: ExpandConfig
) -> str:
    """Numbers of the sections after it, in their order; 2b for the second part of section 2."""
    build = build or Parts()
    run = make_run({"q": [(build.chunk_ids[row], 1.0 - i / 10) for i, row in enumerate(ranked)]}, "fused")
    queries = make_queries({"q": "x"}, build.lexicon, QueryConfig())
    out = rankings(expand(as_build(build), queries, run, config, by_type))["q"]
    scores = [score for _, score in out]
    assert scores == sorted(scores, reverse=True)
    return " ".join("2b" if chunk == "more#" else chunk.rpartition("_")[2][:-1] for chunk, _ in out)


def test_a_family_stands_behind_the_part_that_was_found() -> None:
    assert joined([1, 4], ExpandConfig(family=1)) == "2 2b 5"
    assert joined([4, 7], ExpandConfig(family=1)) == "5 2b"
    assert joined([1, 4], ExpandConfig()) == "2 5"


def test_what_is_cited_and_what_cites_stand_behind_the_first_provisions() -> None:
    assert joined([3, 4], ExpandConfig(cited=1)) == "4 3 5"
    assert set(joined([4, 2], ExpandConfig(cited=2)).split()) == {"5", "3", "2", "4", "1"}
    assert joined([4, 2], ExpandConfig(cited=1)) == "5 3"
    # what stood in the list already moves up to what cites it, and stands there once
    assert joined([3, 4, 2], ExpandConfig(cited=1)) == "4 3 5"


def test_only_what_punishes_is_pulled_and_only_law() -> None:
    assert joined([1, 4], ExpandConfig(punishing=1)) == "2 3 5"
    build = Parts()
    build.forbidden = [2]
    assert joined([1, 4], ExpandConfig(punishing=1), build) == "2 5"


def test_the_list_is_cut_and_a_query_may_have_its_own_values() -> None:
    assert joined([1, 4], ExpandConfig(family=2, most=2)) == "2 2b"
    assert joined([1, 4], ExpandConfig(), q=ExpandConfig(family=1)) == "2 2b 5"
    assert joined([1, 4], ExpandConfig(family=1), other=ExpandConfig()) == "2 2b 5"


def test_counts_that_make_no_sense_are_refused() -> None:
    for wrong in ({"family": -1}, {"most": 0}, {"breadth": 0}):
        with pytest.raises(ValueError, match="expand"):
            ExpandConfig(**wrong)
