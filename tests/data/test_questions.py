"""The questions to learn from: their card, their labels, and that they are nobody else's words."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date
from pathlib import Path
from statistics import median
from subprocess import run

import pytest

from citegrain.tasks.evaluation.benchmark import load_benchmark
from citegrain.tasks.online.gloss import language_of
from tests.conftest import ROOT
from tests.data.duplicates import shared_runs
from tests.data.test_training import CODES
from tests.data.training import ACTS, CARD, FILES, FOLDER, TRAINING, card_row

pytestmark = pytest.mark.xdist_group("questions")
each = pytest.mark.parametrize("file", FILES)


def _cell(begins: str, file: str) -> str:
    """What the card says of a file: one row has a column each."""
    return card_row(begins)[FILES.index(file)]


@each
def test_the_card_counts_them(file: str) -> None:
    answered = [question for question in TRAINING.files[file] if question.applicable]
    sizes = Counter(len(q.applicable) for q in answered)
    words = [len(q.text.split()) for q in answered]
    cited = {c for q in answered for c in q.applicable}
    primaries = {q.applicable[0] for q in answered}
    domains = Counter(ACTS[q.applicable[0].act].domain for q in answered)
    assert _cell("to which something applies", file) == f"{len(answered):,}"
    assert (
        _cell("words of these, median (range)", file) == f"{median(words):g} ({min(words)} to {max(words)})"
    )
    expected = ", ".join(f"{sizes[n]:,}" for n in range(1, 7))
    assert _cell("provisions that apply: one, two, three, four, five, six", file) == expected
    expected = f"{len(primaries):,}; {len(cited):,}; {len({c.act for c in cited})}"
    assert _cell("different primaries; provisions; Acts", file) == expected
    assert _cell("dated", file) == f"{sum(q.incident_date is not None for q in TRAINING.files[file]):,}"
    expected = ", ".join(f"{domain} {n:,}" for domain, n in domains.most_common())
    assert _cell("by domain of the primary", file) == expected


def test_to_some_questions_nothing_applies() -> None:
    assert (len(TRAINING.files["questions"]), sum(not q.applicable for q in TRAINING.files["questions"])) == (
        1800,
        180,
    )
    assert all(q.applicable for q in TRAINING.files["forum_questions"])


def test_each_is_one_clean_line_and_stands_once() -> None:
    assert [name for name, text in TRAINING.question_texts.items() if text != " ".join(text.split())] == []
    assert (
        len({text.casefold() for text in TRAINING.question_texts.values()})
        == len(TRAINING.question_texts)
        == sum(map(len, TRAINING.files.values()))
    )


def test_the_replaced_codes_stand_only_where_a_day_before_their_end_is_given() -> None:
    for question in (*TRAINING.files["questions"], *TRAINING.files["forum_questions"]):
        if {c.act for c in question.applicable} & CODES:
            assert question.incident_date and question.incident_date < date(2024, 7, 1), question.id


def test_no_eight_words_are_shared_with_each_other_or_with_other_texts() -> None:
    assert shared_runs(TRAINING.question_texts) == []
    assert shared_runs(TRAINING.question_texts, TRAINING.benchmarks) == []
    assert shared_runs(TRAINING.question_texts, TRAINING.every) == []


def test_texts_to_which_nothing_applies_are_as_their_card_says() -> None:
    files = [FOLDER / name for name in ("out_of_scope.jsonl", "out_of_scope_test.jsonl")]
    rows = [[json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] for file in files]
    every = {row["id"]: row["text"] for part in rows for row in part}
    assert len(every) == sum(map(len, rows)) == 700
    learn, test = (Counter(row["kind"] for row in part) for part in rows)
    for kind, n in learn.items():
        label = next(line.split("|")[1].strip() for line in CARD.splitlines() if line.startswith(f"| {kind}"))
        assert card_row(label) == [str(n), str(test[kind])]
    governed = {kind: {r["act"] for part in rows for r in part if r["kind"] == kind} for kind in learn}
    assert f"name {len(governed.pop('absent'))} Acts" in CARD
    assert f"kind state {len(governed.pop('state'))} subjects" in CARD
    assert set().union(*governed.values()) == {""}
    assert (
        shared_runs(every) == []
        and shared_runs(every, TRAINING.benchmarks | TRAINING.every | TRAINING.question_texts) == []
    )


def test_texts_in_hindi_to_which_nothing_applies_are_as_their_card_says() -> None:
    files = ("hinglish_out_of_scope.jsonl", "stories_out_of_scope.jsonl")
    read = [[json.loads(x) for x in (FOLDER / f).read_text(encoding="utf-8").splitlines()] for f in files]
    stories = Counter(language_of(row["text"]) for row in read[1])
    kinds = [
        ", ".join(f"{n} {k}" for k, n in Counter(r["kind"] for r in rows).most_common()) for rows in read
    ]
    assert f"`{files[0]}`: {len(read[0])} texts in Hinglish ({kinds[0]})" in CARD
    said = f"{len(read[1])} stories in Hinglish ({stories['Hinglish']}) and Hindi ({stories['Hindi']}) ({kinds[1]})"
    words = [len(row["text"].split()) for row in read[1]]
    assert f"`{files[1]}`: {said} of {median(words):g} words ({min(words)} to {max(words)}; " in CARD
    assert stories.total() == len(words) == stories["Hinglish"] + stories["Hindi"]
    texts = {row["id"]: row["text"] for rows in read for row in rows}
    assert len(texts) == sum(map(len, read))
    assert (
        shared_runs(texts) == []
        and shared_runs(texts, TRAINING.benchmarks | TRAINING.every | TRAINING.question_texts) == []
    )


def test_short_questions_are_short_and_nobody_elses_words() -> None:
    texts = {q.id: q.text for q in TRAINING.short}
    assert not texts.keys() & TRAINING.question_texts.keys(), "what is learned from is known by its id"
    assert len({text.casefold() for text in texts.values()}) == len(TRAINING.short) == 320
    assert all(4 <= len(text.split()) <= 24 for text in texts.values()) and all(
        q.applicable for q in TRAINING.short
    )
    assert len({q.applicable[0].act for q in TRAINING.short}) == 46
    assert (
        shared_runs(texts) == [] and shared_runs(texts, TRAINING.benchmarks | TRAINING.question_texts) == []
    )


def test_questions_in_hindi_are_as_their_card_says_and_nobody_elses_words() -> None:
    texts = {q.id: q.text for questions in TRAINING.indian.values() for q in questions}
    assert not texts.keys() & TRAINING.question_texts.keys() and len(texts) == sum(
        map(len, TRAINING.indian.values())
    )
    for language, questions in TRAINING.indian.items():
        words = [len(q.text.split()) for q in questions]
        labels = {q.applicable for q in questions}
        described = (
            f"{len(questions):,} in {language}, {median(words):g} words ({min(words)} to {max(words)}), "
            f"{len(labels):,} provisions of {len({some[0].act for some in labels})} Acts"
        )
        assert described in CARD
        assert all(len(q.applicable) == 1 and language_of(q.text) == language for q in questions)
    variants = ROOT / "data" / "benchmarks" / "complaints" / "languages.jsonl"
    rows = [json.loads(line) for line in variants.read_text(encoding="utf-8").splitlines()]
    measured = {f"{row['id']}/{name}": row[name] for row in rows for name in ("hindi", "hinglish")}
    assert (
        shared_runs(texts) == []
        and shared_runs(texts, TRAINING.benchmarks | measured | TRAINING.every | TRAINING.question_texts)
        == []
    )


@pytest.mark.corpus
def test_nothing_that_people_really_asked_is_in_the_repository(shared: Path) -> None:
    """Eight-word runs of their texts, in any file that git tracks; failures name ids and files, not words."""
    folder = shared / "real"
    if not folder.is_dir():
        pytest.skip("no questions that people asked: shared/real is absent")
    real_texts = {
        f"{path.name}/{record.id}": record.text
        for path in (folder / name for name in ("learn.jsonl", "learn-2.jsonl", "choose.jsonl"))
        for record in load_benchmark(path, path.stem, "train").records
    }
    listed = run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    kinds = (".py", ".md", ".jsonl", ".json", ".yaml", ".toml", ".ipynb", ".txt", ".csv", ".html")
    files = {n: ROOT / n for n in listed if n.endswith(kinds) and (ROOT / n).is_file()}
    texts = {name: path.read_text(encoding="utf-8") for name, path in files.items()}
    assert shared_runs(real_texts, texts) == []
