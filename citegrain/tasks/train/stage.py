"""Declaration of ``train``: a reader of queries for a build's vectors, or a reranker of its candidates."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from citegrain.tasks.core.paths import located
from citegrain.tasks.core.schemas import ACTS, CHUNKS, EXPANSION, LEARNED, LEARNING, PROVISIONS
from citegrain.tasks.core.stage import Key, Stage, digest
from citegrain.tasks.core.store import Artefact, Store
from citegrain.tasks.core.store.files import hash_file
from citegrain.tasks.core.tables import write_table
from citegrain.tasks.offline import embed
from citegrain.tasks.offline.models import (
    ADAPTER,
    Encoder,
    EncoderSettings,
    ModelFiles,
    find_model,
)
from citegrain.tasks.online import rerank
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.cascade import CascadeConfig
from citegrain.tasks.online.estimate import VECTORS as CATALOGUE
from citegrain.tasks.online.estimate import Catalogue
from citegrain.tasks.online.features import FEATURES
from citegrain.tasks.train.classifier import LabelledText
from citegrain.tasks.train.config import (
    NetworkConfig,
    RankerConfig,
    ReaderConfig,
    RerankerConfig,
    TrainConfig,
)
from citegrain.tasks.train.examples import (
    FOLDED,
    SPLITS,
    TRAIN,
    Example,
    Examples,
    learned_row,
    make_examples,
    ranks,
    with_joined,
)
from citegrain.tasks.train.texts import (
    ASKED,
    FORUM,
    QUESTION,
    SHORT,
    STORY,
    STYLES,
    LayQueries,
    Outside,
    Question,
    Story,
    read_asked,
    read_lay_queries,
    read_outside,
    read_questions,
    read_stories,
)

STAGE = Stage("train", 9, (LEARNING, LEARNED))
VECTORS, RANKED_BY = "vectors.safetensors", "ranker.json"
ANSWERED, CLASSIFIER = "questions.safetensors", "classifier.safetensors"
ESTIMATED, LISTS = "estimates.json", "lists.json"

Matrix = npt.NDArray[np.float32]
Ranks = npt.NDArray[np.int64]
Progress = Callable[[int], None]
_RERANKED = 200  # texts of a split whose candidates are put in order at the end: twenty pairs each


C = TypeVar("C", bound=TrainConfig, covariant=True)


@dataclass(frozen=True)
class TrainingInputs(Generic[C]):
    """What a training reads.

    Attributes
    ----------
    build
        Whose vectors are trained towards, or whose candidates are put in order.
    base
        Model that what was learned is added to.
    start
        Model that is trained from: the base, or a reader trained from it.
    questions
        Stories and questions with their provisions, by kind.
    reader
        Of a ranker: folder of the reader that it goes beside.
    outside, measured
        Of a ranker: texts to which nothing applies, and what it is measured on, by name of the benchmark.
    """

    build: PublishedBuild
    base: ModelFiles
    start: ModelFiles
    lay: Sequence[LayQueries]
    config: C
    questions: Mapping[str, Sequence[Question | Story]]
    reader: Path = Path()
    outside: Sequence[Outside] = ()
    measured: Mapping[str, Sequence[Question]] = field(default_factory=dict)

    @property
    def settings(self) -> EncoderSettings:
        """How the encoder of the build is run; what was learned is measured so."""
        return self.build.embed_config.settings()

    @property
    def space(self) -> str:
        """Digest of the vector space of the build."""
        return str(self.build.manifest["space"])

    @property
    def counts(self) -> dict[str, int]:
        """Texts by kind, those that are kept back too."""
        others = {kind: len(records) for kind, records in self.questions.items()}
        return dict.fromkeys(STYLES, len(self.lay)) | others

    def examples(self) -> Examples:
        """All texts with their answers."""
        return make_examples(self.build, self.lay, self.questions, self.config)


def read_inputs(build: PublishedBuild, config: TrainConfig) -> TrainingInputs[TrainConfig]:
    """Read what a training needs.

    Raises BenchmarkError or ModelError if a text or a model cannot be read.
    """
    base = find_model(build.embed_config.model, build.models, str(build.manifest["weights"]))
    lay = read_lay_queries(located(config.texts))
    inputs = TrainingInputs(build, base, base, lay, config, _questions(config))
    if isinstance(config, NetworkConfig) and config.start:
        return replace(inputs, start=find_model(config.start, build.models, config.start_sha256))
    if isinstance(config, RankerConfig):
        outside = read_outside(located(config.outside)) if config.outside else ()
        files = {name: located(path) for name, path in config.measured.items()}
        measured = {name: read_asked(file, False) for name, file in files.items() if file.is_file()}
        return replace(inputs, reader=located(config.start), outside=outside, measured=measured)
    return inputs


def _questions(config: TrainConfig) -> dict[str, tuple[Question | Story, ...]]:
    """Stories and questions by kind; of those that people asked the files that are there."""

    def read(path: str) -> tuple[Question | Story, ...]:
        return read_questions(located(path)) if path else ()

    labelled = [(path, False) for path in config.asked] + [(path, True) for path in config.once]
    files = [(file, once) for path, once in labelled if (file := located(path)).is_file()]
    real = tuple(record for file, once in files for record in read_asked(file, once))
    stories: tuple[Question | Story, ...] = read_stories(located(config.stories))
    questions = {STORY: stories, QUESTION: read(config.questions), ASKED: real}
    if isinstance(config, RankerConfig):
        questions |= {SHORT: read(config.short), FORUM: read(config.forum)}
    return {kind: records for kind, records in questions.items() if records}


def _fold_reader(inputs: TrainingInputs[Any], config: RankerConfig, fold: int) -> ModelFiles:
    """What reads for a fold of the Acts: a reader that learned nothing of them, else the base encoder."""
    facts = json.loads((inputs.reader / "training.json").read_text(encoding="utf-8"))
    learned_nothing = set(facts["key"]["params"]["unseen"])
    folder = located(config.fold_reader.format(fold + 1))
    folder = inputs.reader if learned_nothing.issuperset(config.folds[fold]) else folder
    return find_model(str(folder), inputs.build.models) if (folder / ADAPTER).is_file() else inputs.base


def train_key(inputs: TrainingInputs[TrainConfig]) -> Key:
    """Key of a training: parameters, texts, base model, and what of the build it is trained on."""
    # a reader is trained towards vectors of the law alone; what a reranker reads, lay texts belong to
    tables = (ACTS, PROVISIONS, CHUNKS, *(() if isinstance(inputs.config, ReaderConfig) else (EXPANSION,)))
    files = inputs.build.manifest["files"]
    law = digest([files[n]["sha256"] for t in tables for n in sorted(files) if n.startswith(f"{t.file}/")])
    # what a text is for is part of the key: forum questions apart, and not among the others
    questions = [records for kind, records in inputs.questions.items() if kind != FORUM]
    groups = (inputs.lay, *questions)
    texts = digest([[str(item) for item in group] for group in groups])
    hashes = {"weights": inputs.base.sha256, "vectors": inputs.space, "law": law, "texts": texts}
    hashes["start"] = inputs.start.sha256
    if isinstance(inputs.config, RerankerConfig):
        hashes["queries"] = inputs.build.query_space  # which mines its candidates
    if isinstance(inputs.config, RankerConfig):
        chosen = CascadeConfig.chosen()
        # these ship with what is trained here
        searched = replace(chosen.retrieve, questions="", classifier="", glossed="")
        channels = {name: searched.parameters(name) for name in searched.channels}
        hashes["candidates"] = digest([channels, chosen.fuse.weights, list(FEATURES)])
        hashes["readers"] = hash_file(inputs.reader / ADAPTER)
        hashes["forum"] = digest([str(item) for item in inputs.questions.get(FORUM, ())])
        hashes["outside"] = digest([[str(text) for text in inputs.outside], Catalogue.lines()[1]])
        hashes["measured"] = digest([str(item) for texts in inputs.measured.values() for item in texts])
        config = inputs.config
        of_folds = [(acts, _fold_reader(inputs, config, n).sha256) for n, acts in enumerate(config.folds)]
        hashes["abroad"] = digest(of_folds)
    return STAGE.key(inputs.config.parameters(), hashes)


def run_training(
    inputs: TrainingInputs[TrainConfig], store: Store, key: Key, progress: Progress = lambda n: None
) -> Artefact:
    """Train, measure what ships on what was kept back, and put both into the store.

    Returns
    -------
    Artefact
        Of ``key``: the adapter, tables ``learning`` and ``learned``; of a reader the vectors of the lay
        texts by it besides.
    """
    work = store.root / "tmp" / f"train-{key.digest}"
    shipped = work / "adapter"
    shipped.mkdir(parents=True, exist_ok=True)
    examples, history, learned = _LEARN[type(inputs.config)](inputs, work, shipped, progress)

    def write(folder: Path) -> None:
        shutil.copytree(shipped, folder, dirs_exist_ok=True)
        write_table(folder / LEARNING.file, LEARNING.rows(history), LEARNING)
        write_table(folder / LEARNED.file, LEARNED.rows(learned), LEARNED)

    counts = {split: len(examples.split(split)) for split in SPLITS}
    artefact = store.commit(key, write, {"texts": counts, "lost": examples.lost})
    shutil.rmtree(work, ignore_errors=True)
    return artefact


Learned = tuple[Examples, list[dict[str, Any]], list[dict[str, Any]]]
"""What was learned from, the history, and the rows of ``learned``."""


def _reader(inputs: TrainingInputs[ReaderConfig], work: Path, shipped: Path, progress: Progress) -> Learned:
    """Train a reader; its adapter and the vectors of the lay texts by it are written to ``shipped``."""
    from citegrain.tasks.train import neural, running

    config, settings = inputs.config, inputs.settings
    examples = with_joined(inputs.examples(), config.joined, config.seed)
    passages = inputs.build.vectors(range(len(inputs.build.citable)))
    weights, history = neural.train_reader(inputs.start, passages, examples, config, work, progress)
    running.write_adapter(shipped, inputs.base, weights, config.rank)
    trained = find_model(str(shipped), work / "merged")
    held_out = [e for split in SPLITS if split != TRAIN for e in examples.split(split)]

    def ranked(encoder: Encoder) -> Ranks:
        return ranks(encoder.encode([e.text for e in held_out], query=True), passages, held_out, examples)

    encoder = Encoder(trained, settings)
    learned = _rows(held_out, ranked(Encoder(inputs.base, settings)), ranked(encoder))
    texts = [text for lay in inputs.lay for _, text in lay.texts]
    prefixed = [settings.query_prefix + text for text in texts]
    space = embed.query_space(inputs.space, trained)
    embed.write_shipped(shipped / VECTORS, prefixed, encoder.encode(texts, query=True), space)
    return examples, history, learned


def _reranker(
    inputs: TrainingInputs[RerankerConfig], work: Path, shipped: Path, progress: Progress
) -> Learned:
    """Train a cross-encoder for what the build's search finds; its adapter is written to ``shipped``."""
    from citegrain.tasks.train import neural, running

    build, config, examples = inputs.build, inputs.config, inputs.examples()
    passages = build.vectors(range(len(build.citable)))
    vectors = build.encode_queries([example.text for example in examples.items])
    lists = neural.mine(build.sparse_scores, vectors, passages, examples, config)
    read = partial(rerank.read, build)
    weights, history = neural.train_reranker(inputs.start, examples, lists, read, config, work, progress)
    running.write_adapter(shipped, inputs.base, weights, config.rank, neural.PREFIX, neural.HEAD)
    trained = find_model(str(shipped), work / "merged")
    items = [
        e for split in SPLITS if split != TRAIN for e in running.thinned(examples.split(split), _RERANKED)
    ]
    precision = inputs.settings.precision
    scorer = rerank.CrossEncoderScorer(trained, max_tokens=config.max_tokens, precision=precision)
    after = neural.reranked(scorer.pairs, items, lists, examples, read)
    width = after.shape[1]
    before = [neural.places(lists.candidates[e.id], e, examples, width) for e in items]
    return examples, history, _rows(items, np.array(before).reshape(after.shape), after)


def _ranker(inputs: TrainingInputs[RankerConfig], work: Path, shipped: Path, progress: Progress) -> Learned:
    """Train a ranker of what the channels find; its file is written to ``shipped``."""
    from citegrain.tasks.train import ranker, readings

    config, every = inputs.config, inputs.examples()
    examples = replace(every, items=tuple(e for e in every.items if e.kind in FOLDED))
    learned_from = {e.id for e in every.split(TRAIN)}
    labelled = readings.texts_of(inputs.build, inputs.questions, config.day)
    texts = [text for text in labelled if text.id in learned_from]
    outside = readings.outside_of(inputs.questions, inputs.outside, config.day)
    # people ask of these as well
    outside += [text for text in labelled if text.id not in learned_from and text.kind != FORUM]
    lay = [
        LabelledText(style, text, ((queries.act, queries.section),))
        for queries in inputs.lay
        for style, text in queries.texts
        if f"{queries.citation.label}/{style}" in learned_from
    ]
    measured = [t for t in readings.texts_of(inputs.build, inputs.measured, config.day) if t.golds[0]]
    store = work.parents[1]

    def read(model: ModelFiles, unseen: Sequence[str] = ()) -> readings.Reading:
        space = embed.query_space(inputs.space, model)
        return readings.read_by(inputs.build, model, space, texts, lay, store, unseen)

    with threadpool_limits(1):  # sums over several threads depend on their number
        reading = read(find_model(str(inputs.reader), inputs.build.models))
        abroad = ((acts, read(_fold_reader(inputs, config, n), acts)) for n, acts in enumerate(config.folds))
        described, learned, fitted = ranker.learn(reading, texts, outside, config, store, measured, abroad)
    _write(described, shipped / RANKED_BY)
    encoder, space = reading.build.encoder, reading.space
    reading.answered.write(shipped / ANSWERED, space)
    reading.classifier.full.write(shipped / CLASSIFIER, space)
    lines = Catalogue.lines()[1]
    embed.write_shipped(shipped / CATALOGUE, lines, Catalogue.read_by(encoder).vectors, space[:32])
    digests = {"ranker": RANKED_BY, "catalogue": CATALOGUE}
    facts = {name: hash_file(shipped / file) for name, file in digests.items()} | {"space": space[:32]}
    _write(fitted[0] | facts, shipped / ESTIMATED)
    (shipped / LISTS).write_text(json.dumps(fitted[1]), encoding="utf-8")
    return examples, [], learned


def _write(described: dict[str, Any], path: Path) -> None:
    """Write what was learned as JSON."""
    path.write_text(json.dumps(described, sort_keys=True) + "\n", encoding="utf-8")


_LEARN: Mapping[type[TrainConfig], Callable[..., Learned]] = {
    ReaderConfig: _reader,
    RerankerConfig: _reranker,
    RankerConfig: _ranker,
}


def _rows(examples: Sequence[Example], before: Ranks, after: Ranks) -> list[dict[str, Any]]:
    """Rows of ``learned``: where the answers of what was kept back stand before and after."""
    places = zip(examples, before.tolist(), after.tolist(), strict=True)
    return [learned_row(e.id, e.kind, e.split, first, then) for e, first, then in places]
