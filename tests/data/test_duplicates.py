"""Texts too near to others: worked by hand, and against the definitions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.data.duplicates import nearest, shared_runs, shared_words

WORDS = st.lists(st.sampled_from("abc"), max_size=12).map(" ".join)
TEXTS = st.dictionaries(st.sampled_from("wxyz"), WORDS)


def test_runs_by_hand() -> None:
    texts = {
        "cheque": "He gave me a cheque; the BANK sent it back.",
        "shop": "Yesterday the bank sent it, back to the shop.",
        "short": "sent it back",
    }
    assert shared_runs(texts, words=5) == [("cheque", "shop")], "the bank sent it back"
    assert shared_runs(texts, words=6) == [], "'cheque' is no 'yesterday', and 'to' follows in one alone"
    assert shared_runs(texts, words=3) == [("cheque", "shop"), ("cheque", "short"), ("shop", "short")]
    assert shared_runs(texts, {"cheque": "Sent it back!"}, words=3) == [
        ("cheque", "cheque"),
        ("shop", "cheque"),
        ("short", "cheque"),
    ], "ids of two sets may be the same"


def test_eight_words_by_default() -> None:
    seven = "i want to be put back as"
    assert shared_runs({"a": seven, "b": seven}) == []
    assert shared_runs({"a": f"{seven} i", "b": f"but {seven} I was"}) == [("a", "b")]


def test_words_of_the_shorter_are_shared() -> None:
    assert shared_words("The bank sent it.", "it is sent; yesterday, by a bank") == 0.75
    assert shared_words("", "bank") == 0


def test_a_run_has_words() -> None:
    with pytest.raises(ValueError, match="one or more"):
        shared_runs({}, words=0)


def holds_common_run(one: str, two: str, words: int) -> bool:
    """By the definition: some run of the one stands in the other."""
    a, b = one.split(), two.split()
    return any(
        a[i : i + words] == b[j : j + words]
        for i in range(len(a) - words + 1)
        for j in range(len(b) - words + 1)
    )


@given(TEXTS, TEXTS, st.integers(1, 5))
def test_runs_are_those_of_the_definition(texts: dict[str, str], others: dict[str, str], words: int) -> None:
    assert shared_runs(texts, others, words) == sorted(
        (a, b) for a in texts for b in others if holds_common_run(texts[a], others[b], words)
    )
    assert shared_runs(texts, words=words) == sorted(
        (a, b) for a in texts for b in texts if a < b and holds_common_run(texts[a], texts[b], words)
    )


@given(TEXTS, TEXTS, st.integers(1, 4))
def test_order_case_and_punctuation_do_not_matter(
    texts: dict[str, str], others: dict[str, str], words: int
) -> None:
    pairs = shared_runs(texts, others, words)
    assert sorted((b, a) for a, b in shared_runs(others, texts, words)) == pairs
    dressed = {name: f"«{text.upper().replace(' ', ', ')}!»" for name, text in texts.items()}
    assert shared_runs(dressed, others, words) == pairs
    longer = set(shared_runs(texts, others, words + 1))
    assert longer <= set(pairs), "a longer run holds a shorter one"


def test_cosines_by_hand() -> None:
    vectors = np.array([[3, 4], [0, -2], [0, 0]], np.float32)
    others = np.array([[1, 0], [0, 1], [0, 5]], np.float32)
    cosines, where = nearest(vectors, others)
    assert cosines == pytest.approx([0.8, 0, 0]), "3-4-5; at a right angle; of no direction"
    assert where.tolist() == [1, 0, 0], "the first of those equally near"


def test_nothing_to_compare() -> None:
    some = np.ones((2, 3), np.float32)
    cosines, where = nearest(some[:0], some)
    assert cosines.shape == where.shape == (0,)
    with pytest.raises(ValueError, match="nothing to compare with"):
        nearest(some, some[:0])


def matrices(least: int) -> st.SearchStrategy[npt.NDArray[np.float32]]:
    numbers = st.integers(-5, 5).map(np.float32)
    return st.integers(least, 7).flatmap(lambda n: arrays(np.float32, (n, 3), elements=numbers))


@given(matrices(0), matrices(1), st.integers(1, 8))
def test_the_nearest_of_all_whatever_the_block(
    vectors: npt.NDArray[np.float32], others: npt.NDArray[np.float32], rows: int
) -> None:
    cosines, where = nearest(vectors, others, rows)
    for vector, cosine, at in zip(vectors, cosines, where, strict=True):
        lengths = np.linalg.norm(vector) * np.linalg.norm(others, axis=1)
        alike = np.divide(others @ vector, lengths, out=np.zeros(len(others)), where=lengths > 0)
        assert cosine == pytest.approx(alike.max(), abs=1e-6)
        assert alike[at] == pytest.approx(alike.max(), abs=1e-6)


@given(matrices(1), st.sampled_from([0.25, 2.0, 64.0]))
def test_lengths_do_not_matter_and_each_is_nearest_to_itself(
    vectors: npt.NDArray[np.float32], times: float
) -> None:
    cosines, _ = nearest(vectors, vectors)
    longer, _ = nearest(vectors * np.float32(times), vectors)
    assert longer == pytest.approx(cosines, abs=1e-6)
    moved = np.linalg.norm(vectors, axis=1) > 0
    assert cosines[moved] == pytest.approx(np.ones(moved.sum()), abs=1e-6)
