"""Learning to read a complaint and a provision together: sentence-transformers' trainer, list by list.

Each text makes a list: a provision that applies, and wrong ones that a search for the text puts highest, by
vectors and by words. The model learns to put the first before the others (ListNet; Cao et al. 2007).
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from datasets import Dataset
from sentence_transformers.cross_encoder import (
    CrossEncoder,
    CrossEncoderTrainer,
    CrossEncoderTrainingArguments,
)
from sentence_transformers.cross_encoder.losses import ListNetLoss

from citegrain.tasks.core.runs import top_rows
from citegrain.tasks.offline.models import WEIGHTS, ModelFiles
from citegrain.tasks.train import running
from citegrain.tasks.train.config import RerankerConfig
from citegrain.tasks.train.examples import TRAIN, Example, Examples, Mask, Matrix
from citegrain.tasks.train.running import History, Measured, OwnBatches, Progress, Weights
from citegrain.tasks.train.texts import STYLES

PREFIX = "bert."
"""What stands before the names of an encoder's weights in a cross-encoder."""

HEAD: Mapping[str, Any] = {
    "architectures": ["BertForSequenceClassification"],
    "id2label": {"0": "LABEL_0"},
    "label2id": {"LABEL_0": 0},
}
"""What its configuration says beside the encoder's: one score a pair."""

_CANDIDATES = 20  # that are put in order where it is measured, as many as fusion gives on
_PAIRS = 32  # a forward pass where it is measured
_NEVER = math.log(1e-9)  # label of a wrong answer: the loss takes the softmax of labels


Read = Callable[[int, int], str]
"""What is read of a provision: by the row of its chunk, and by the number of the lay text, one of each style,
that is read with it; -1 for none."""


@dataclass(frozen=True)
class Lists:
    """The candidates of each text.

    Attributes
    ----------
    mined
        By position in the examples, of the texts that are learned from: rows that are wrong, those that the
        vectors put highest and those that BM25 does.
    candidates
        By id, of the texts that were kept back: the rows of the first provisions by vectors, best first.
    others
        Rows that any text may get as a wrong answer: all that may be learned from.
    """

    mined: Mapping[int, tuple[Sequence[int], Sequence[int]]]
    candidates: Mapping[str, Sequence[int]]
    others: npt.NDArray[np.int64]


def mine(
    words: Callable[[str], Matrix],
    vectors: Matrix,
    passages: Matrix,
    examples: Examples,
    config: RerankerConfig,
) -> Lists:
    """Search for the candidates of all texts; of what is kept back none is a wrong answer to learn from.

    ``words``: BM25 of each chunk for a text, shape (chunks,). ``vectors``: of all texts as the build reads
    queries, shape (examples, dimension). ``passages``: of all chunks, shape (chunks, dimension).
    """
    mined: dict[int, tuple[Sequence[int], Sequence[int]]] = {}
    candidates: dict[str, Sequence[int]] = {}
    for n, example in enumerate(examples.items):
        scores, law = passages @ vectors[n], examples.law[example.day]
        if example.split == TRAIN:
            answers = np.unique(examples.provision_of[[r for rows in example.golds for r in rows]])
            wrong = law & examples.shown & ~np.isin(examples.provision_of, answers)
            near = _best(scores, wrong, examples, config.depth)
            mined[n] = near, _best(words(example.text), wrong, examples, config.depth)
        else:
            candidates[example.id] = _best(scores, law, examples, _CANDIDATES)
    return Lists(mined, candidates, np.flatnonzero(examples.shown & (examples.provision_of >= 0)))


def _best(scores: Matrix, allowed: Mask, examples: Examples, k: int) -> list[int]:
    """Rows of the ``k`` best provisions, each by its best chunk."""
    out: dict[int, int] = {}
    masked = np.where(allowed, scores, -np.inf).astype(np.float32)
    for row in top_rows(masked, 8 * k):
        if allowed[row]:
            out.setdefault(int(examples.provision_of[row]), int(row))
    return list(out.values())[:k]


def draw(examples: Examples, lists: Lists, read: Read, config: RerankerConfig) -> Dataset:
    """The lists that are learned from, as ``query``, ``docs`` and ``labels``, in the order of the work.

    Over the first ``ramp`` of them any provision's place is gradually taken by the mined wrong answers: with
    those alone from the start a model that has never compared two texts stays at chance.

    ``read``: what is read of a row.
    """
    rng = np.random.default_rng(config.seed)
    columns: dict[str, list[Any]] = {"query": [], "docs": [], "labels": []}
    total = config.epochs * len(lists.mined)
    for done, n in enumerate(n for _ in range(config.epochs) for n in rng.permutation(list(lists.mined))):
        example, (near, by_words) = examples.items[n], lists.mined[n]
        answers = example.golds[int(rng.integers(len(example.golds)))]
        right = answers[int(rng.integers(len(answers)))]
        wrong = _drawn(near, config.wrong - config.wrong // 4, (), rng)
        wrong += _drawn(by_words, config.wrong - len(wrong), wrong, rng)
        easy = 1 - done / (config.ramp * total) if config.ramp else 0.0
        wrong = [_any(example, lists.others, examples, rng) if rng.random() < easy else r for r in wrong]
        rows = [right, *wrong]
        # all candidates are read with lay texts of one style, which is not that of the text that is asked
        number = _other(example, rng)
        shown = np.where(rng.random(len(rows)) < config.lay_texts, number, -1)
        columns["query"].append(example.text)
        columns["docs"].append([read(row, int(lay)) for row, lay in zip(rows, shown, strict=True)])
        # the softmax of labels 1 and 0, as the library's examples have them, would be nearly flat
        columns["labels"].append([0.0] + [_NEVER] * (len(rows) - 1))
    return Dataset.from_dict(columns)


def _drawn(rows: Sequence[int], k: int, but: Sequence[int], rng: np.random.Generator) -> list[int]:
    left = [row for row in rows if row not in but]
    return [left[i] for i in rng.permutation(len(left))[:k]]


def _any(
    example: Example, others: npt.NDArray[np.int64], examples: Examples, rng: np.random.Generator
) -> int:
    """Any row that was law on the text's day and does not answer it."""
    answers = {int(examples.provision_of[row]) for rows in example.golds for row in rows}
    while True:
        row = int(rng.choice(others))
        if examples.law[example.day][row] and int(examples.provision_of[row]) not in answers:
            return row


def _other(example: Example, rng: np.random.Generator) -> int:
    """Number of a lay text of another style than the text has."""
    return int(rng.choice([n for n, style in enumerate(STYLES) if style != example.kind]))


class _Trainer(OwnBatches, CrossEncoderTrainer):
    """sentence-transformers' trainer of cross-encoders."""


def train(
    start: ModelFiles,
    examples: Examples,
    lists: Lists,
    read: Read,
    config: RerankerConfig,
    work: Path,
    progress: Progress = lambda n: None,
) -> tuple[Weights, History]:
    """Train a cross-encoder from an encoder, as ``train.running.run`` does."""
    running.prepare(config)
    model = CrossEncoder(
        str(_plain(start, work / "start")),
        device=running.device(config),
        num_labels=1,
        config_kwargs={"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0},
        **running.LOCAL,
    )
    model.max_seq_length = min(config.max_tokens, model.config.max_position_embeddings)
    running.freeze(model, learning_weights(model))
    data = draw(examples, lists, read, config)

    def find(measured: Sequence[Example]) -> npt.NDArray[np.int64]:
        with running.autocast(config):
            return reranked(lambda pairs: _scores(model, pairs), measured, lists, examples, read)

    return running.run(
        (_Trainer, CrossEncoderTrainingArguments),
        model,
        ListNetLoss(model, mini_batch_size=-1),
        data,
        running.ByLength([len(query) for query in data["query"]], config.batch, config.seed, mixed=False),
        Measured(find, examples, config.measured),
        lambda: learning_weights(model),
        replace(config, epochs=1, checks=config.epochs * config.checks),  # the passes are in the data
        work,
        progress,
    )


def learning_weights(model: Any) -> Weights:
    """The weights that learn, by name: all but the embeddings of words and places."""
    parameters = model.model.named_parameters()
    return {name: weight for name, weight in parameters if not name.startswith(f"{PREFIX}embeddings.")}


def _plain(start: ModelFiles, folder: Path) -> Path:
    """The model without what makes it an encoder of sentences: the library would load that instead."""
    if not (folder / WEIGHTS).is_file():
        shutil.copytree(
            start.folder, folder, ignore=shutil.ignore_patterns("modules.json", "*_Pooling", "*_Normalize")
        )
    return folder


def _scores(model: Any, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float32]:
    scores = model.predict(
        list(pairs), batch_size=_PAIRS, activation_fn=torch.nn.Identity(), show_progress_bar=False
    )
    return np.asarray(scores, dtype=np.float32)


def reranked(
    score: Callable[[Sequence[tuple[str, str]]], npt.NDArray[np.float32]],
    measured: Sequence[Example],
    lists: Lists,
    examples: Examples,
    read: Read,
) -> npt.NDArray[np.int64]:
    """Rank of each answer among the candidates of its text, put in order by ``score``.

    Returns
    -------
    numpy.ndarray
        int, shape (texts, most answers of a text): 0 where a text has fewer, and one more than there are
        candidates where an answer is none of them.
    """
    # a cross-encoder cannot know which lay text is the one asked: those of what is kept back are not read
    pairs = [(e.text, read(row, -1)) for e in measured for row in lists.candidates[e.id]]
    scores = score(pairs) if pairs else np.zeros(0, np.float32)
    out = np.zeros((len(measured), max((len(e.golds) for e in measured), default=1)), dtype=np.int64)
    at = 0
    for i, example in enumerate(measured):
        rows = lists.candidates[example.id]
        order = np.argsort(-scores[at : at + len(rows)], kind="stable")
        at += len(rows)
        out[i] = places([rows[j] for j in order], example, examples, out.shape[1])
    return out


def places(rows: Sequence[int], example: Example, examples: Examples, width: int) -> list[int]:
    """Rank of each answer of a text in a list of rows, one more than its length where it is not in it."""
    provisions = [int(examples.provision_of[row]) for row in rows]
    answers = [int(examples.provision_of[g[0]]) for g in example.golds]
    ranks = [provisions.index(a) + 1 if a in provisions else len(rows) + 1 for a in answers]
    return ranks + [0] * (width - len(ranks))
