"""Lay texts of Acts of which the ranker learned nothing, worked out by hand."""

from __future__ import annotations

import pytest

from citegrain.tasks.online.features.stage import _with_lay_texts_as_words

CITATIONS: dict[str, str | None] = {
    "old#1": "old-act-2000/sec_1",
    "new#1": "new-act-2001/sec_1",
    "new#2": "new-act-2001/sec_2",
    "new#2b": "new-act-2001/sec_2",
    "new#title": None,
}
LISTS = {
    "dense": [("old#1", 0.6), ("new#2b", 0.45), ("new#2", 0.4), ("new#title", 0.3)],
    "sparse": [("new#2", 5.0)],
    "lay_dense": [("old#1", 0.9), ("new#1", 0.7), ("new#2", 0.5)],
    "lay_sparse": [("old#1", 20.0), ("new#2", 10.0), ("new#1", 5.0)],
}


def test_a_provision_of_a_new_act_is_as_near_as_the_nearest_of_its_lay_texts() -> None:
    out = _with_lay_texts_as_words(LISTS, CITATIONS, {"new-act-2001"})
    # .7 * .99 - .16 = .533; .5 * .99 - .16 = .335 is less than the .45 of the chunk that stands for section 2
    assert [chunk for chunk, _ in out["dense"]] == ["old#1", "new#1", "new#2b", "new#2", "new#title"]
    assert [score for _, score in out["dense"]] == pytest.approx([0.6, 0.533, 0.45, 0.4, 0.3])
    # 10 * .2 = 2 is less than the 5 of its own words; 5 * .2 = 1
    assert [chunk for chunk, _ in out["sparse"]] == ["new#2", "new#1"]
    assert [score for _, score in out["sparse"]] == pytest.approx([5.0, 1.0])


def test_of_acts_that_were_learned_of_nothing_changes() -> None:
    out = _with_lay_texts_as_words(LISTS, CITATIONS, {"another-act-1999"})
    assert out == LISTS


def test_without_channels_of_lay_texts_nothing_changes() -> None:
    lists = {channel: LISTS[channel] for channel in ("dense", "sparse")}
    assert _with_lay_texts_as_words(lists, CITATIONS, {"new-act-2001"}) == lists
