"""Lists that a reranker learns from, by hand; that it learns; what ships of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pytest
from safetensors.numpy import load_file

from citegrain.tasks.offline.models import ADAPTER, find_model
from citegrain.tasks.online.rerank import CrossEncoderScorer
from citegrain.tasks.train.config import RerankerConfig
from citegrain.tasks.train.examples import HELD_OUT, TRAIN, UNSEEN, Example, Examples
from tests.tasks.train.tiny import TINY, Lazy
from tests.tiny_model import WORDS

if TYPE_CHECKING:
    from citegrain.tasks.train import neural, running
else:
    neural, running = Lazy("neural"), Lazy("running")

CONFIG = RerankerConfig(**TINY, epochs=6, depth=3, wrong=2)


def words(first: int, rows: int) -> Callable[[str], npt.NDArray[np.float32]]:
    """BM25 that puts one row before all others."""
    scores = np.zeros(rows, np.float32)
    scores[first] = 1.0
    return lambda text: scores


def example(
    text: str, golds: tuple[tuple[int, ...], ...], split: str = TRAIN, kind: str = "plain"
) -> Example:
    return Example(text, kind, text, golds, 0, split)


def eight(*items: Example) -> Examples:
    """Eight chunks of seven provisions: rows 0 and 1 are one's; 7 is of an Act kept back, 6 was not law."""
    law, shown = np.ones(8, dtype=bool), np.ones(8, dtype=bool)
    law[6] = shown[7] = False
    return Examples(items, (law,), shown, np.array([0, 0, 1, 2, 3, 4, 5, 6]), 0)


def mined(*items: Example) -> tuple[Examples, neural.Lists]:
    """Cosines fall with the row."""
    examples = eight(*items)
    passages = np.linspace(0.9, 0.2, 8, dtype=np.float32)[:, None]
    vectors = np.ones((len(items), 1), np.float32)
    return examples, neural.mine(words(5, 8), vectors, passages, examples, CONFIG)


def test_wrong_answers_are_neither_answers_nor_kept_back_nor_law_of_another_day() -> None:
    _, lists = mined(example("a", ((0,), (3,))))
    near, mentioned = lists.mined[0]
    # without the provision of rows 0 and 1, row 3, the row that was no law and the Act kept back
    assert list(near) == [2, 4, 5] and mentioned[0] == 5 and not set(mentioned) & {0, 1, 3, 6, 7}
    assert 7 not in lists.others


def test_a_text_kept_back_has_the_candidates_of_a_search() -> None:
    _, lists = mined(example("kept", ((3,),), HELD_OUT))
    # a provision once, by its best chunk; the Act kept back is searched, what was not law is not
    assert lists.candidates == {"kept": [0, 2, 3, 4, 5, 7]} and not lists.mined


def test_lists_are_drawn_from_what_was_mined_the_answer_first() -> None:
    examples, lists = mined(example("a", ((0, 1), (3,))), example("b", ((2,),), kind="story"))
    data = neural.draw(examples, lists, lambda row, lay: f"{row} {lay}", CONFIG)
    again = neural.draw(examples, lists, lambda row, lay: f"{row} {lay}", CONFIG)
    assert list(data) == list(again) and len(data) == CONFIG.epochs * 2
    for row in data:
        first, *others = (int(doc.split()[0]) for doc in row["docs"])
        n = "ab".index(row["query"])
        assert first in {0, 1, 3} if n == 0 else first == 2
        assert len(others) == 2 and set(others) <= {*lists.mined[n][0], *lists.mined[n][1]}
        assert all(doc.endswith(" -1") for doc in row["docs"])
        assert row["labels"][0] == 0 and max(row["labels"][1:]) < -20


def test_at_first_wrong_answers_are_any_and_lay_texts_are_never_the_one_asked() -> None:
    examples, lists = mined(*(example(f"{n}", ((0,),)) for n in range(60)))
    config = RerankerConfig(name="x", epochs=2, depth=1, wrong=1, lay_texts=1.0, ramp=0.5)
    data = neural.draw(examples, lists, lambda row, lay: f"{row} {lay}", config)
    rows = [[int(x) for x in row["docs"][1].split()] for row in data]
    assert {lay for _, lay in rows} == {1, 2}, "of a plain text the scene or the message"
    assert {row for row, _ in rows[:60]} == {2, 3, 4, 5} and {row for row, _ in rows[60:]} == {2, 3, 4}
    assert not {row for row, _ in rows} & {0, 1, 6, 7}


def test_places_by_hand() -> None:
    examples = eight()
    text = example("t", ((3,), (0, 1), (6,)), HELD_OUT)
    assert neural.places([1, 3, 4], text, examples, 4) == [2, 1, 4, 0]


@pytest.fixture
def task() -> tuple[Examples, neural.Lists, neural.Read]:
    """Half of the passages answer all texts, and a word tells which: the tiny model has nothing to compare by."""
    rng = np.random.default_rng(3)
    passages = [" ".join([WORDS[12 + n // 6]] * 3 + list(rng.choice(WORDS[:12], 2))) for n in range(12)]
    texts = [" ".join(rng.choice(WORDS[:12], 4)) for n in range(84)]
    items = [example(text, ((n % 6,),), TRAIN if n < 72 else UNSEEN) for n, text in enumerate(texts)]
    everything = np.ones(12, dtype=bool)
    examples = Examples(tuple(items), (everything,), everything, np.arange(12), 0)
    vectors = np.ones((len(items), 1), np.float32)
    lists = neural.mine(words(11, 12), vectors, np.arange(12, dtype=np.float32)[:, None], examples, CONFIG)
    return examples, lists, lambda row, lay: passages[row]


def test_it_learns_and_what_ships_is_what_was_learned(task: Any, tiny_model: Path, tmp_path: Path) -> None:
    examples, lists, read = task
    base = find_model(str(tiny_model), tmp_path / "models")
    first, history = neural.train_reranker(base, examples, lists, read, CONFIG, tmp_path / "a")
    again, same = neural.train_reranker(base, examples, lists, read, CONFIG, tmp_path / "b")
    assert history == same and all(np.array_equal(first[key], again[key]) for key in first)
    assert not any("embeddings" in key for key in first)
    losses = [row["value"] for row in history if row["metric"] == "loss"]
    assert losses[-1] < losses[0] - 0.3
    folder = tmp_path / "shipped"
    folder.mkdir()
    running.write_adapter(folder, base, first, 64, neural.PREFIX, neural.HEAD)
    trained = find_model(str(folder), tmp_path / "models")
    weights = load_file(trained.folder / "model.safetensors")
    assert "classifier.weight" in weights and set(first) <= set(weights)
    assert all(np.allclose(weights[key], value.numpy(), atol=2e-3) for key, value in first.items())
    assert load_file(folder / ADAPTER)["classifier.weight.new"].shape == (1, 32)

    scorer = CrossEncoderScorer(trained, max_tokens=32)
    held_out = examples.split(UNSEEN)
    ranks = neural.reranked(scorer.pairs, held_out, lists, examples, read)
    shuffled = neural.reranked(lambda p: np.zeros(len(p), np.float32), held_out, lists, examples, read)
    assert (1 / ranks[:, 0]).mean() > (1 / shuffled[:, 0]).mean() + 0.2
