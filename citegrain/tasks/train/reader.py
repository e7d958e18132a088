"""Learning to read complaints: sentence-transformers' trainer, and a softmax over the law itself.

The passages stay where they are: only what reads a query learns. Every step compares a batch of texts with
the stored vectors of all provisions, so each provision that does not apply is a wrong answer, the hard ones
included, at the cost of encoding the queries alone; and an index needs nothing embedded anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from datasets import Dataset
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)

from citegrain.tasks.offline.models import ModelFiles
from citegrain.tasks.train import running
from citegrain.tasks.train.config import ReaderConfig
from citegrain.tasks.train.examples import TRAIN, Example, Examples, Matrix, ranks
from citegrain.tasks.train.running import History, Measured, OwnBatches, Progress, Weights


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


class _Trainer(OwnBatches, SentenceTransformerTrainer):
    """sentence-transformers' trainer of encoders."""


def learning_weights(model: Any) -> Weights:
    """The weights that learn, by name: all but the embeddings of words and places."""
    parameters = model[0].auto_model.named_parameters()
    return {name: weight for name, weight in parameters if not name.startswith("embeddings.")}


def train(
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
    running.freeze(model, learning_weights(model))
    learned = [n for n, example in enumerate(examples.items) if example.split == TRAIN]
    texts = [examples.items[n].text for n in learned]

    def find(measured: Sequence[Example]) -> Any:
        return ranks(_encode(model, [e.text for e in measured], config), passages, measured, examples)

    return running.run(
        (_Trainer, SentenceTransformerTrainingArguments),
        model,
        LawSoftmax(model, passages, examples, config.temperature),
        Dataset.from_dict({"text": texts, "label": learned}),
        running.ByLength([len(text) for text in texts], config.batch, config.seed),
        Measured(find, examples, config.measured),
        lambda: learning_weights(model),
        config,
        work,
        progress,
    )


def _encode(model: Any, texts: list[str], config: ReaderConfig) -> Matrix:
    """Unit vectors of texts by the model as it stands."""
    with running.autocast(config):
        vectors = model.encode(texts, batch_size=64, normalize_embeddings=True, show_progress_bar=False)
    return np.asarray(vectors, dtype=np.float32)
