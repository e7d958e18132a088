"""Gold by characters: scores against sets of positions, places in a build, a question worked by hand."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citegrain.tasks.evaluation.benchmark import Benchmark, Record, Span
from citegrain.tasks.evaluation.score.gold import (
    CUTS,
    Stretch,
    common,
    length,
    merged,
    place_spans,
    span_scores,
)

STRETCH = st.tuples(st.sampled_from("ab"), st.integers(0, 40), st.integers(1, 15)).map(
    lambda drawn: Stretch(drawn[0], drawn[1], drawn[1] + drawn[2])
)
LISTS = st.lists(STRETCH, max_size=70)


def positions(stretches: list[Stretch]) -> set[tuple[str, int]]:
    return {(s.document, i) for s in stretches for i in range(s.start, s.end)}


@given(st.lists(STRETCH, min_size=1, max_size=6), LISTS, st.integers(0, 8))
def test_scores_are_those_of_sets_of_positions(gold: list[Stretch], ranking: list[Stretch], n: int) -> None:
    scores = span_scores(gold, ranking, ranking[:n], ranking[:n])
    wanted = positions(gold)
    for k, (precision, recall) in {
        **{k: (f"char_precision_{k}", f"char_recall_{k}") for k in CUTS},
        n: ("text_precision", "text_recall"),
    }.items():
        given = positions(ranking[:k])
        assert scores[precision] == pytest.approx(len(given & wanted) / max(1, len(given)), abs=1e-9)
        assert scores[recall] == pytest.approx(len(given & wanted) / len(wanted), abs=1e-9)
    for k in CUTS if ranking else ():
        wrong = [s for s in ranking[:k] if s.document not in {g.document for g in gold}]
        assert scores[f"mismatch_{k}"] == pytest.approx(len(wrong) / len(ranking[:k]), abs=1e-9)


@given(LISTS, LISTS)
def test_stretches_are_merged_and_cut_as_sets_are(first: list[Stretch], second: list[Stretch]) -> None:
    stretches = merged(first)
    assert positions(stretches) == positions(first) and length(first) == len(positions(first))
    assert all(a.document != b.document or a.end < b.start for a, b in pairwise(stretches))
    assert positions(common(first, second)) == positions(first) & positions(second)


def test_a_question_worked_by_hand() -> None:
    gold = [Stretch("nda", 100, 200)]
    documents = ("nda", "other", "nda", "nda")
    given = ((150, 250), (0, 100), (300, 400), (0, 50)), ((90, 260), (0, 900), (180, 400), (0, 60))
    chunks, parts = ([Stretch(d, *span) for d, span in zip(documents, spans, strict=True)] for spans in given)
    scores = span_scores(gold, chunks, chunks, parts)
    assert {k: round(v, 4) for k, v in scores.items() if not k.endswith(("8", "16", "32", "64"))} == {
        "char_precision_1": 0.5, "char_recall_1": 0.5, "mismatch_1": 0.0,
        "char_precision_2": 0.25, "char_recall_2": 0.5, "mismatch_2": 0.5,
        "char_precision_4": round(50 / 350, 4), "char_recall_4": 0.5, "mismatch_4": 0.25,
        "text_precision": round(50 / 350, 4), "text_recall": 0.5, "mismatch": 0.25,
        # the third has no gold, but stands in a provision that has some
        "essential": 0.25, "unnecessary": 0.5,
    }  # fmt: skip


def test_nothing_given_has_no_mismatch() -> None:
    scores = span_scores([Stretch("nda", 0, 10)], [], [])
    assert scores["text_precision"] == scores["char_recall_64"] == 0.0
    assert "mismatch" not in scores and "mismatch_1" not in scores and "essential" not in scores
    empty = Stretch("nda", 5, 5)
    assert span_scores([Stretch("nda", 0, 10)], [empty], [empty], [empty])["text_precision"] == 0.0


def build(**texts: str) -> Any:
    """Documents by path (``__`` for ``/``), each in chunks of 10 characters, blanks between them left out."""
    chunks = {d: [(i, t[i : i + 10]) for i in range(0, len(t), 11)] for d, t in texts.items()}
    paths = {d: d.replace("__", "/") for d in texts}
    return SimpleNamespace(paths=paths, texts_by_document=chunks)


def record(*spans: Span) -> Benchmark:
    return Benchmark("b", "test", (Record(id="1", text="q", spans=spans),))


TEXT = "0123456789 abcdefghij KLMNOPQRST"


def test_a_span_stands_in_the_document_whose_path_ends_alike() -> None:
    documents = build(nda=TEXT, x__other=TEXT, y__other=TEXT)
    inside = Span("contracts/nda", 5, 15, TEXT[5:15])
    placed, warnings = place_spans(record(inside, Span("nda", 12, 20)), documents)
    assert (placed, warnings) == ({"1": [Stretch("nda", 5, 20)]}, [])
    files = ("other", "y/other", "z/da")
    placed, warnings = place_spans(record(*(Span(file, 0, 5) for file in files)), documents)
    assert placed["1"] == [Stretch("?other", 0, 5), Stretch("?z/da", 0, 5), Stretch("y__other", 0, 5)]
    assert warnings == [f"{file}: no document of this path in the build" for file in ("other", "z/da")]


def test_a_span_that_quotes_other_characters_is_found_by_nothing() -> None:
    placed, warnings = place_spans(record(Span("nda", 5, 15, "56789 abce")), build(nda=TEXT))
    assert placed["1"] == [Stretch("?nda", 5, 15)]
    assert warnings == ["nda: 1 spans quote other characters than the build has"]
