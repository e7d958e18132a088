"""Learning to read complaints, alone or together with a provision, by sentence-transformers' trainers.

Of a reader the passages stay where they are: only what reads a query learns. Every step compares a batch of
texts with the stored vectors of all provisions, so each provision that does not apply is a wrong answer, the
hard ones included, at the cost of encoding the queries alone; and an index needs nothing embedded anew.

Of a reranker each text makes a list: a provision that applies, and wrong ones that a search for the text puts
highest, by vectors and by words. The model learns to put the first before the others (ListNet; Cao et al.
2007).
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
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from sentence_transformers.cross_encoder import (
    CrossEncoder,
    CrossEncoderTrainer,
    CrossEncoderTrainingArguments,
)
from sentence_transformers.cross_encoder.losses import ListNetLoss

from citegrain.tasks.core.runs import top_rows
from citegrain.tasks.offline.models import WEIGHTS, ModelFiles
from citegrain.tasks.train import running
from citegrain.tasks.train.config import ReaderConfig, RerankerConfig
from citegrain.tasks.train.examples import TRAIN, Example, Examples, Mask, Matrix, ranks
from citegrain.tasks.train.running import History, Measured, OwnBatches, Progress, Weights
from citegrain.tasks.train.texts import STYLES


class LawSoftmax(torch.nn.Module):
    """Cross-entropy of each answer against every provision that was law and does not apply.

    Of several answers each counts alike, and none is a wrong answer to the text of another. Of a provision
    cut into several chunks any may match.
    """

    def __init__(self, model: Any, passages: Matrix, examples: Examples, temperature: float) -> None:
        super().__init__()
        self.model = model
        self._passages = torch.from_numpy(np.ascontiguousarray(passages))
        self._wrong = [torch.from_numpy(mask & examples.shown) for mask in examples.law]
        self._items = examples.items
        self._temperature = temperature

    def forward(self, features: list[dict[str, Any]], labels: Any) -> Any:
        """Mean loss of a batch; ``labels`` are positions in the examples."""
        vectors = self.model(features[0])["sentence_embedding"]
        passages = self._passages.to(vectors.device)
        scores = torch.nn.functional.normalize(vectors.float(), dim=1) @ passages.T / self._temperature
        examples = [self._items[number] for number in labels.tolist()]
        wrong = torch.stack([self._wrong[example.day] for example in examples])
        answers = [(at, list(rows)) for at, example in enumerate(examples) for rows in example.golds]
        right = torch.zeros(len(answers), len(passages), dtype=torch.bool)
        for answer, (at, rows) in enumerate(answers):
            right[answer, rows], wrong[at, rows] = True, False
        texts = torch.tensor([at for at, _ in answers], device=vectors.device)
        no_right, no_wrong = (~mask.to(vectors.device) for mask in (right, wrong))
        against = torch.logsumexp(scores.masked_fill(no_wrong, -torch.inf), 1)[texts]
        of_answers = torch.logsumexp(scores[texts].masked_fill(no_right, -torch.inf), 1)
        losses = torch.logaddexp(of_answers, against) - of_answers
        return (losses / torch.bincount(texts)[texts]).sum() / len(examples)


class _ReaderTrainer(OwnBatches, SentenceTransformerTrainer):
    """sentence-transformers' trainer of encoders."""


def learning_weights(network: Any, prefix: str = "") -> Weights:
    """The weights that learn, by name: all but the embeddings of words and places."""
    parameters = network.named_parameters()
    return {name: weight for name, weight in parameters if not name.startswith(f"{prefix}embeddings.")}


def train_reader(
    base: ModelFiles,
    passages: Matrix,
    examples: Examples,
    config: ReaderConfig,
    work: Path,
    progress: Progress = lambda n: None,
) -> tuple[Weights, History]:
    """Train, as ``train.running.run`` does.

    ``passages``: vectors of all chunks by ``base``: float32, shape (chunks, dimension). ``progress``: called
    with the number of steps done.
    """
    running.prepare(config)
    model = SentenceTransformer(str(base.folder), device=running.device(config), **running.LOCAL)
    model.max_seq_length = min(config.max_tokens, model.max_seq_length or config.max_tokens)
    running.freeze(model, learning_weights(model[0].auto_model))
    learned = [n for n, example in enumerate(examples.items) if example.split == TRAIN]
    texts = [examples.items[n].text for n in learned]

    def find(measured: Sequence[Example]) -> Any:
        return ranks(_encode(model, [e.text for e in measured], config), passages, measured, examples)

    return running.run(
        (_ReaderTrainer, SentenceTransformerTrainingArguments),
        model,
        LawSoftmax(model, passages, examples, config.temperature),
        Dataset.from_dict({"text": texts, "label": learned}),
        running.ByLength([len(text) for text in texts], config.batch, config.seed),
        Measured(find, examples, config.measured),
        lambda: learning_weights(model[0].auto_model),
        config,
        work,
        progress,
    )


def _encode(model: Any, texts: list[str], config: ReaderConfig) -> Matrix:
    """Unit vectors of texts by the model as it stands."""
    with running.autocast(config):
        vectors = model.encode(texts, batch_size=64, normalize_embeddings=True, show_progress_bar=False)
    return np.asarray(vectors, dtype=np.float32)


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


class _RerankerTrainer(OwnBatches, CrossEncoderTrainer):
    """sentence-transformers' trainer of cross-encoders."""


def train_reranker(
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
    running.freeze(model, learning_weights(model.model, PREFIX))
    data = draw(examples, lists, read, config)

    def find(measured: Sequence[Example]) -> npt.NDArray[np.int64]:
        with running.autocast(config):
            return reranked(lambda pairs: _scores(model, pairs), measured, lists, examples, read)

    return running.run(
        (_RerankerTrainer, CrossEncoderTrainingArguments),
        model,
        ListNetLoss(model, mini_batch_size=-1),
        data,
        running.ByLength([len(query) for query in data["query"]], config.batch, config.seed, mixed=False),
        Measured(find, examples, config.measured),
        lambda: learning_weights(model.model, PREFIX),
        replace(config, epochs=1, checks=config.epochs * config.checks),  # the passes are in the data
        work,
        progress,
    )


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
