"""The texts that a ranker learns from, and what reads them: nothing that was learned from them.

Nor anything that was learned from forum questions whose writers had read them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from citegrain.tasks.offline.embed import cached_vectors, query_rows
from citegrain.tasks.offline.models import Encoder, ModelError, ModelFiles
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.retrieve import AnsweredQuestions, Labels
from citegrain.tasks.train.classifier import CrossFitted, LabelledText, cross_fitted
from citegrain.tasks.train.config import PARTS
from citegrain.tasks.train.examples import last_day, part_of
from citegrain.tasks.train.texts import ASKED, FORUM, Outside, Question, Story

Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True)
class TrainingText:
    """A text to learn from, or to measure with.

    ``labels``, ``golds``: label, and ids of the provisions, of each answer, the primary first; one that is
    not in the build has no id. ``once``: as :class:`Question` has it.
    """

    id: str
    kind: str
    text: str
    day: date
    labels: Labels
    golds: tuple[frozenset[str], ...]
    once: bool = False

    @property
    def acts(self) -> set[str]:
        """Acts of the provisions that apply."""
        return {provision.partition("/")[0] for gold in self.golds for provision in gold}


def texts_of(
    build: PublishedBuild, questions: Mapping[str, Iterable[Question | Story]], as_of: date
) -> list[TrainingText]:
    """Stories and questions to which a law applies; undated ones are of the day ``as_of``."""
    texts = []
    for kind, records in questions.items():
        for record in records:
            if record.applicable:
                day = record.incident_date or last_day(build, record.applicable, as_of)
                labels = tuple((c.act, c.section) for c in record.applicable)
                golds = tuple(frozenset(build.labelled(act, section)) for act, section in labels)
                texts.append(TrainingText(record.id, kind, record.text, day, labels, golds, record.once))
    return texts


def outside_of(
    questions: Mapping[str, Iterable[Question | Story]], outside: Iterable[Outside], as_of: date
) -> list[TrainingText]:
    """Texts to which nothing of the law at hand applies."""
    texts = [
        TrainingText(q.id, kind, q.text, q.incident_date or as_of, (), ())
        for kind, records in questions.items()
        for q in records
        if not q.applicable
    ]
    return texts + [TrainingText(o.id, o.kind, o.text, as_of, (), ()) for o in outside]


@dataclass(frozen=True)
class CrossFittedQuestions(AnsweredQuestions):
    """Questions with known answers, of which each text does without the forum questions of its part.

    ``of_its_part``: their rows, by text.
    """

    of_its_part: Mapping[str, frozenset[int]] = field(default_factory=dict)

    def passed_over(self, text: str) -> frozenset[int]:
        """As :meth:`AnsweredQuestions.passed_over`."""
        return super().passed_over(text) | self.of_its_part.get(text, frozenset())


def parts_of(texts: Sequence[TrainingText], vectors: Matrix) -> list[int]:
    """Of the parts for cross-fitting that of each text, by its name.

    A forum question has that of the nearest that people asked: who wrote it had read that one, which would
    be ranked too well by what learned from it. Where nobody's are there, none does without it.
    """
    parts = [-1 if t.kind == FORUM else part_of(f"classifier/{t.id}", PARTS) for t in texts]
    forum, real = ([n for n, t in enumerate(texts) if t.kind == kind] for kind in (FORUM, ASKED))
    if real:
        nearest = np.argmax(vectors[forum] @ vectors[real].T, axis=1)
        for n, at in zip(forum, nearest.tolist(), strict=True):
            parts[n] = parts[real[at]]
    return parts


@dataclass(frozen=True)
class Reading:
    """A build as a reader reads it, with what is known of the texts by its vectors.

    ``answered``: written questions and stories with their answers: what people asked is not passed on.
    ``classifier``: learned from these, from what people asked, and from lay texts. ``space``: digest of the
    space of the reader's queries.
    """

    build: PublishedBuild
    space: str
    answered: AnsweredQuestions
    classifier: CrossFitted


def read_by(
    build: PublishedBuild,
    reader: ModelFiles,
    space: str,
    texts: Sequence[TrainingText],
    lay: Sequence[LabelledText],
    store: Path,
    unseen: Collection[str] = (),
) -> Reading:
    """What a reader makes of a build and of the texts to learn from.

    Parameters
    ----------
    space
        Digest of the space of its queries.
    lay
        The lay texts to learn from; a build's own are searched, too.
    store
        Where the vectors of texts are kept.
    unseen
        Acts of which nothing is learned, though their lay texts are there; then every text that is about no
        such Act is learned from, and none is cross-fitted.
    """
    texts = [t for t in texts if not any(act in unseen for act, _ in t.labels)]
    lay = [t for t in lay if t.labels[0][0] not in unseen]
    encoder = Encoder(reader, build.embed_config.settings())
    read = type(build)(build.folder, {**build.manifest, "query_space": space}, build.models)
    read.encoder = encoder
    rows = query_rows(store, space, build.embed_config.query_prefix, encoder.dimension)
    encode = partial(cached_vectors, partial(encoder.encode, query=True), rows=rows)
    if (expansion := build.expansion) is None:
        raise ModelError(f"{build.folder}: has no lay texts, and a ranker learns from them")
    searched = expansion.table.column("text").to_pylist()
    same = build.query_space == space[:32]
    vectors = expansion.vectors if same else encode(searched)
    read.expansion = expansion.with_vectors(vectors)

    at = {text: row for row, text in enumerate(searched)}
    encoded = encode([t.text for t in texts])
    parts = [-1] * len(texts) if unseen else parts_of(texts, encoded)
    labelled = [LabelledText(t.kind, t.text, t.labels, part) for t, part in zip(texts, parts, strict=True)]
    missing = [t.text for t in lay if t.text not in at]
    others = dict(zip(missing, encode(missing), strict=True)) if missing else {}
    of_lay = [others[t.text] if t.text in others else vectors[at[t.text]] for t in lay]
    classifier = cross_fitted([*lay, *labelled], np.array([*of_lay, *encoded], dtype=np.float32))
    written = [row for row, t in enumerate(texts) if t.kind != ASKED]
    answered = CrossFittedQuestions.from_texts(
        [texts[row].text for row in written], [texts[row].labels for row in written], encoded[written]
    )
    of_part = [
        frozenset(n for n, row in enumerate(written) if texts[row].kind == FORUM and parts[row] == part)
        for part in range(PARTS)
    ]
    of_its_part = {t.text: of_part[part] for t, part in zip(texts, parts, strict=True) if t.kind != FORUM}
    answered = replace(answered, of_its_part=of_its_part)
    read.shared(("answered", ""), lambda: answered)
    read.shared(("classifier", ""), lambda: classifier)
    return Reading(read, space, answered, classifier)
