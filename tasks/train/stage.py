"""Declaration of ``train``: a reader of queries for the vectors of a build."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tasks.models import Encoder, EncoderSettings, ModelFiles, find_model
from tasks.schemas import LEARNED, LEARNING
from tasks.stage import Key, Stage, digest
from tasks.store import Artefact, Store
from tasks.tables import write_table
from tasks.train.config import TrainConfig
from tasks.train.examples import SPLITS, TRAIN, Example, Examples, Law, Matrix, make_examples, ranks
from tasks.train.texts import LayQueries, Story

STAGE = Stage("train", 1, (LEARNING, LEARNED))


class Trained(Law, Protocol):
    """What training needs of a build beside its law."""

    def vectors(self, rows: Sequence[int]) -> Matrix:
        """Vectors of searched chunks by row."""
        ...


def train_key(
    config: TrainConfig,
    base: ModelFiles,
    space: str,
    content: str,
    lay: Sequence[Any],
    stories: Sequence[Any],
) -> Key:
    """Key of a training: parameters, texts, base model, and the vectors that are trained towards.

    Parameters
    ----------
    space, content
        Vector space of the build, and digest of what it holds.
    """
    texts = digest([[str(item) for item in group] for group in (lay, stories)])
    inputs = {"weights": base.sha256, "vectors": space, "law": content, "texts": texts}
    return STAGE.key(config.parameters(), inputs)


def run_training(
    build: Trained,
    base: ModelFiles,
    settings: EncoderSettings,
    lay: Sequence[LayQueries],
    stories: Sequence[Story],
    config: TrainConfig,
    store: Store,
    key: Key,
    progress: Callable[[int], None] = lambda n: None,
) -> Artefact:
    """Train, measure what ships on what was kept back, and put both into the store.

    Parameters
    ----------
    settings
        How the encoder of the build is run; what was learned is measured so.

    Returns
    -------
    Artefact
        Of ``key``: the adapter, tables ``learning`` and ``learned``.
    """
    from tasks.train import learning

    examples = make_examples(build, lay, stories, config)
    passages = build.vectors(range(len(build.citable)))
    work = store.root / "tmp" / f"train-{key.digest}"
    work.mkdir(parents=True, exist_ok=True)
    found, history = learning.train(base, passages, examples, config, work, progress)
    shipped = work / "adapter"
    shipped.mkdir(exist_ok=True)
    learning.write_adapter(shipped, base, found, config)
    learned = measure(base, find_model(str(shipped), work / "merged"), settings, passages, examples)

    def write(folder: Path) -> None:
        for file in shipped.iterdir():
            (folder / file.name).write_bytes(file.read_bytes())
        write_table(folder / LEARNING.file, LEARNING.rows(history), LEARNING)
        write_table(folder / LEARNED.file, learned, LEARNED)

    counts = {split: len(examples.of(split)) for split in SPLITS}
    artefact = store.commit(key, write, {"texts": counts, "lost": examples.lost})
    learning.clear(work)
    return artefact


def measure(
    base: ModelFiles,
    reader: ModelFiles,
    settings: EncoderSettings,
    passages: Matrix,
    examples: Examples,
) -> pa.Table:
    """Table ``learned``: where the answers of what was kept back stand by the base and by the reader."""
    kept = [example for split in SPLITS if split != TRAIN for example in examples.of(split)]
    texts = [example.text for example in kept]

    def found(model: ModelFiles) -> npt.NDArray[np.int64]:
        vectors = Encoder(model, settings).encode(texts, query=True)
        return ranks(vectors, passages, kept, examples)

    before, after = found(base), found(reader)
    return LEARNED.rows([_row(e, before[i], after[i]) for i, e in enumerate(kept)])


def _row(example: Example, before: Any, after: Any) -> dict[str, Any]:
    n = len(example.golds)
    return {
        "id": example.id,
        "kind": example.kind,
        "split": example.split,
        "rank_before": int(before[0]),
        "rank_after": int(after[0]),
        "worst_before": int(before[:n].max()),
        "worst_after": int(after[:n].max()),
    }
