"""The classifier of provisions: its words, its likeness by hand, the file, the channel."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from citegrain.tasks.core.words import Analyser
from citegrain.tasks.offline.models import ModelError
from citegrain.tasks.online.retrieve.channels.classifier import (
    Classifier,
    Learned,
    Vocabulary,
    classifier,
    read_classifier,
)
from citegrain.tasks.online.retrieve.stage import shipped
from tests.fakes import as_build

SPACE = "s" * 32
TEXTS = [
    "my landlord keeps the deposit",
    "the landlord keeps my deposit since May",
    "stolen phone, no police report",
    "police refused the report of my stolen phone",
]
VECTORS = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [-0.6, 0.8]], np.float32)
LABELS = [("a", "1"), ("a", "2"), ("old", "7"), ("b", "9")]
LEARNED = Learned.from_texts(TEXTS, VECTORS)
LABEL_NUMBERS = np.array([[0, 1], [0, 2], [1, 3], [1, 3]])
WEIGHTS = np.array([[1.0, -0.5], [0.5, 0.25], [0.75, 2.0], [0.5, 1.0]], np.float32)
CLASSIFIER = Classifier(LEARNED, LABELS, LABEL_NUMBERS, WEIGHTS)


def test_words_weigh_as_those_of_scikit_learn() -> None:
    terms = Analyser("english", "en").terms

    def analyse(text: str) -> list[str]:
        words = terms(text)
        return [*words, *(" ".join(pair) for pair in pairwise(words))]

    questions = [*TEXTS, "the landlord keeps the police", "deposit deposit deposit landlord", "nothing known"]
    other = TfidfVectorizer(analyzer=analyse, min_df=2, sublinear_tf=True).fit(TEXTS)
    expected = (other.transform(questions) @ other.transform(TEXTS).T).toarray()
    words = Vocabulary.from_texts(TEXTS)
    assert len(words.keys) == len(other.vocabulary_)
    assert np.allclose((words.rows(questions) @ words.rows(TEXTS).T).toarray(), expected, atol=1e-6)


def test_likeness_by_hand() -> None:
    """Of a text whose words are unknown the vectors speak: twice the cube of the cosine less the mean."""
    mean = np.array([0.3, 0.6])
    vector = np.array([[0.6, 0.8]], np.float32)
    q = (vector[0] - mean) / np.linalg.norm(vector[0] - mean)
    rows = (VECTORS - mean) / np.linalg.norm(VECTORS - mean, axis=1, keepdims=True)
    expected = [2 * max(float(q @ row), 0) ** 3 for row in rows]
    assert LEARNED.likeness(["xyz"], vector)[0] == pytest.approx(expected, abs=1e-6)
    itself = LEARNED.likeness(TEXTS, VECTORS)
    assert np.diag(itself) == pytest.approx([3.0] * 4, abs=1e-5) and np.allclose(itself, itself.T, atol=1e-6)
    # what the words say is the product of the sparse rows, to the last bit, of one text and of several
    shared = (LEARNED.rows @ LEARNED.rows.T.tocsr()).toarray()
    cosines = np.maximum(
        (VECTORS - LEARNED.mean)
        / np.linalg.norm(VECTORS - LEARNED.mean, axis=1)[:, None]
        @ LEARNED.vectors.T,
        0,
    )
    assert itself == pytest.approx(shared + 2 * cosines**3, abs=1e-6)
    assert all(
        np.array_equal(LEARNED.likeness([t], v[None])[0], row)
        for t, v, row in zip(TEXTS, VECTORS, itself, strict=True)
    )


def test_the_score_is_the_sum_of_weights_times_likeness() -> None:
    likeness = LEARNED.likeness(["my stolen deposit"], VECTORS[:1])[0]
    expected = [0.0] * 4
    for row, labels in enumerate(LABEL_NUMBERS):
        for label, weight in zip(labels, WEIGHTS[row], strict=True):
            expected[label] += float(likeness[row] * weight)
    assert CLASSIFIER.scores(["my stolen deposit"], VECTORS[:1])[0] == pytest.approx(expected, abs=1e-6)


@given(st.lists(st.text(max_size=60), max_size=4))
def test_each_row_has_length_one_or_nothing_and_any_text_can_be_asked(texts: list[str]) -> None:
    rows = LEARNED.words.rows([*texts, TEXTS[0]])
    lengths = np.sqrt((rows * rows).sum(axis=1))
    assert all(length == pytest.approx(0) or length == pytest.approx(1) for length in lengths)
    alone = LEARNED.words.rows([TEXTS[0]]).toarray()[0]
    assert np.array_equal(rows.toarray()[-1], alone), "others beside it move nothing"


def test_the_file_is_what_was_written_and_holds_no_text(tmp_path: Path) -> None:
    path, again = tmp_path / "classifier.safetensors", tmp_path / "again.safetensors"
    for target in (path, again):
        CLASSIFIER.write(target, SPACE + "more")
    assert path.read_bytes() == again.read_bytes()
    read = read_classifier(path, SPACE)
    assert read is not None and list(read.labels) == LABELS
    questions = ["the police keeps my deposit", "unknown"]
    before, after = (c.scores(questions, VECTORS[:2]) for c in (CLASSIFIER, read))
    assert np.allclose(before, after, atol=0.01) and np.abs(before).max() > 0.5
    assert read_classifier(path, "t" * 32) is None
    assert not any(word.encode() in path.read_bytes() for word in ("landlord", "stolen", "deposit"))


def test_a_digest_that_no_file_has_is_refused() -> None:
    with pytest.raises(ModelError, match=r"retrieve\.classifier=0+: no classifier\.safetensors"):
        shipped("classifier.safetensors", "0" * 64)


class Law:
    """Sections 1 and 2 of an Act; section 7 of the old one leads to section 1; the last label names nothing."""

    chunk_ids = ("c0", "c1", "c2")
    query_space = SPACE

    def __init__(self, learned: Classifier | None) -> None:
        self._learned = learned

    def shared(self, key: tuple[object, ...], make: object) -> object:
        return self._learned if key[0] == "classifier" else make()  # type: ignore[operator]

    def labelled(self, act: str, section: str) -> list[str]:
        return [] if act == "b" else [f"{act}/{section}"]

    def rows_of(self, provision: str) -> list[int]:
        return {"a/1": [0, 1], "a/2": [2], "old/7": []}[provision]

    def counterpart(self, provision: str, eligible: object) -> list[int]:
        return [0] if provision == "old/7" else []


class Fixed(Classifier):
    """The same scores for all texts."""

    def scores(self, texts: object, vectors: object) -> np.ndarray:
        return np.array([[0.5, 0.6, 0.25, 0.9], [0.1, -0.2, 0.0, -1.0]], np.float32)


@pytest.mark.parametrize(
    ("counterparts", "k", "first"),
    [
        (True, 5, [("c0", 0.75), ("c2", 0.6)]),
        (False, 5, [("c2", 0.6), ("c0", 0.5)]),
        (True, 1, [("c2", 0.6)]),
    ],
)
def test_labels_that_lead_to_one_provision_add_up(
    counterparts: bool, k: int, first: list[tuple[str, float]]
) -> None:
    """Where k is reached, further labels add nothing."""
    law = as_build(Law(Fixed(LEARNED, LABELS, LABEL_NUMBERS, WEIGHTS)))
    queries = [_query("q"), _query("r")]
    eligible, files = np.ones(3, dtype=bool), {"classifier": "x", "glossed": ""}
    ranked = classifier(law, queries, eligible, VECTORS[:2], k=k, counterparts=counterparts, **files)
    assert [c for c, _ in ranked["q"]] == [c for c, _ in first]
    assert dict(ranked["q"]) == pytest.approx(dict(first))
    assert dict(ranked["r"]) == pytest.approx({"c0": 0.1}), "what speaks against a provision does not find it"


def test_nothing_is_found_by_a_classifier_of_another_reader() -> None:
    queries, eligible = [_query("q")], np.ones(3, dtype=bool)
    law, files = as_build(Law(None)), {"classifier": "x", "glossed": "x"}
    ranked = classifier(law, queries, eligible, VECTORS[:1], k=5, counterparts=True, **files)
    assert ranked == {"q": []}


def _query(name: str, typed: str = "") -> dict[str, object]:
    """As ``make_queries`` has it: with its own words besides where it was read as English."""
    texts = [{"text": name, "weight": 1.0, "words_only": None}]
    texts += [{"text": typed, "weight": 0.3, "words_only": True}] if typed else []
    return {"query_id": name, "text": name, "texts": texts}


class Second(Classifier):
    """A classifier with a label more, which speaks for it and against the first."""

    def scores(self, texts: object, vectors: np.ndarray) -> np.ndarray:
        return np.tile(np.array([[1.0, -1.0]], np.float32), (len(vectors), 1))


def test_what_was_learned_of_questions_in_hindi_counts_for_these_alone() -> None:
    first = Fixed(LEARNED, [("a", "1"), ("b", "9"), ("old", "7"), ("b", "8")], LABEL_NUMBERS, WEIGHTS)
    more = Second(LEARNED, [("a", "2"), ("a", "1")], LABEL_NUMBERS, WEIGHTS)

    class Both(Law):
        def shared(self, key: tuple[object, ...], make: object) -> object:
            return more if key[0] == "glossed" else super().shared(key, make)

    def ranked(queries: list[dict[str, object]]) -> dict[str, list[tuple[str, float]]]:
        files = {"classifier": "x", "glossed": "y"}
        law, eligible = as_build(Both(first)), np.ones(3, dtype=bool)
        return classifier(law, queries, eligible, VECTORS[:2], k=5, counterparts=False, **files)

    english = ranked([_query("q"), _query("r")])
    mixed = ranked([_query("q"), _query("r", "naukri")])
    assert mixed["q"] == english["q"] == [("c0", 0.5)]
    assert dict(english["r"]) == pytest.approx({"c0": 0.1})
    assert dict(mixed["r"]) == pytest.approx({"c2": 0.3}), "the first label has 0.1 less 0.3"
