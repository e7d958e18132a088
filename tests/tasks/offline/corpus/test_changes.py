"""How the sources changed since a build was made."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citegrain.tasks.offline.corpus import Source, compare_sources


def files(digests: dict[str, str]) -> list[Source]:
    return [Source(Path(p), p, d, "" if d else "cannot be read") for p, d in digests.items()]


def summary(before: dict[str, str], now: dict[str, str], *passed_over: str) -> dict[str, list[str]]:
    changes = compare_sources(files(before), files(now), passed_over)
    return {
        "added": [s.document_id for s in changes.added],
        "removed": [s.document_id for s in changes.removed],
        "changed": [f"{a.document_id}>{b.document_id}" for a, b in changes.changed],
        "unchanged": [s.document_id for s in changes.unchanged],
        "unreadable": [s.relative for s in changes.unreadable],
    }


@pytest.mark.parametrize(
    ("before", "now", "wanted"),
    [
        ({"a": "1", "b": "2"}, {"a": "1", "b": "2"}, {"unchanged": ["1", "2"]}),
        ({"a": "1"}, {"a": "2"}, {"changed": ["1>2"]}),
        ({"a": "1"}, {"renamed": "1"}, {"unchanged": ["1"]}),
        ({"a": "1"}, {"a": "2", "b": "1"}, {"added": ["2"], "unchanged": ["1"]}),
        ({"a": "1"}, {"a": "1", "copy": "1"}, {"unchanged": ["1"]}),
        ({"a": "1", "b": "2"}, {"a": "1", "c": "3"}, {"added": ["3"], "removed": ["2"], "unchanged": ["1"]}),
        ({"a": "1", "b": "2"}, {"a": "1", "b": ""}, {"unchanged": ["1"], "unreadable": ["b"]}),
        ({"a": "1", "b": "2"}, {"a": "2", "b": "1"}, {"unchanged": ["2", "1"]}),
        ({}, {}, {}),
    ],
)
def test_changes(before: dict[str, str], now: dict[str, str], wanted: dict[str, list[str]]) -> None:
    empty: dict[str, list[str]] = {n: [] for n in ("added", "removed", "changed", "unchanged", "unreadable")}
    assert summary(before, now) == empty | wanted


def test_what_was_not_indexed_before_is_not_new() -> None:
    changes = compare_sources(files({"a": "1"}), files({"a": "1", "bill": "9"}), {"9"})
    assert changes.line == "sources: 1 unchanged"
    assert compare_sources(files({"a": "1"}), files({"a": "1", "bill": "9"})).added


@given(
    st.dictionaries(st.sampled_from("abcde"), st.sampled_from("123456")),
    st.dictionaries(st.sampled_from("abcde"), st.sampled_from("123456")),
)
def test_every_document_is_counted_once(before: dict[str, str], now: dict[str, str]) -> None:
    changes = compare_sources(files(before), files(now))
    new = [s.document_id for s in [*changes.added, *changes.unchanged, *(b for _, b in changes.changed)]]
    assert sorted(new) == sorted(set(now.values()))
    unchanged = {s.document_id for s in changes.unchanged}
    gone = {s.document_id for s in [*changes.removed, *(a for a, _ in changes.changed)]}
    assert gone == set(before.values()) - unchanged and unchanged == set(before.values()) & set(now.values())
    assert (not changes.added and not changes.removed and not changes.changed) == (
        set(before.values()) == set(now.values())
    )
