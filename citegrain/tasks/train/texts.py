"""Texts to learn from: what people say to whom a provision applies, and what they ask (``data/training``)."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator
from pydantic.dataclasses import dataclass

from citegrain.tasks.evaluation.benchmark import (
    STRICT,
    ActId,
    Applicable,
    Citation,
    Day,
    Identifier,
    NonBlank,
    Section,
    load_benchmark,
    read_objects,
)

STYLES = ("plain", "scene", "message")
STORY = "story"
QUESTION, ASKED, SHORT, FORUM = "question", "asked", "short", "forum"


def _several(applicable: tuple[Citation, ...]) -> tuple[Citation, ...]:
    if len(applicable) < 2:  # a text of one provision is a lay query
        raise ValueError(f"two provisions or more are needed, not {len(applicable)}")
    return applicable


@dataclass(frozen=True, kw_only=True, config=STRICT)
class LayQueries:
    """What three people would say to whom one provision applies, each with other facts.

    ``act``, ``section``: the provision, as labels of benchmarks write it. ``plain``: one or two plain
    sentences. ``scene``: a scene with people, places, sums, days. ``message``: broken English, or Hindi in
    Latin letters mixed with English, as typed on a telephone.
    """

    act: ActId
    section: Section
    plain: NonBlank
    scene: NonBlank
    message: NonBlank

    @property
    def citation(self) -> Citation:
        """The provision that the texts call for."""
        return Citation(act=self.act, section=self.section)

    @property
    def texts(self) -> tuple[tuple[str, str], ...]:
        """(style, text) of each, in the order of ``STYLES``."""
        return tuple((style, getattr(self, style)) for style in STYLES)


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Story:
    """A longer text that calls for several provisions.

    ``id``, ``text``: unique in its file; the story as one person tells it. ``applicable``: all provisions
    that apply, two or more, each once, the primary first.
    """

    incident_date: ClassVar[None] = None
    once: ClassVar[bool] = False

    id: Identifier
    text: NonBlank
    applicable: Annotated[Applicable, AfterValidator(_several)]


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Question:
    """What a person asks, mostly several things at once.

    ``incident_date``: day of what it is about, where the text gives it. ``applicable``: all provisions that
    apply, the primary first; none where no Act of the corpus has any. ``once``: whether one annotator alone
    has labelled it, of those whose like is measured by the labels of two.
    """

    id: Identifier
    text: NonBlank
    incident_date: Day
    applicable: Applicable
    once: bool = False


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Outside:
    """A text to which no provision of the corpus applies.

    ``act``: the Act, or the subject of State law, that governs it; empty where none does.
    """

    id: Identifier
    text: NonBlank
    kind: Literal["everyday", "foreign", "state", "absent", "vague", "nonsense", "abuse", "instruct"]
    act: str


def read_lay_queries(path: Path) -> tuple[LayQueries, ...]:
    """Lay texts of a file of JSON lines, one object a provision, in its order.

    Raises BenchmarkError if it cannot be read, holds nothing, or anything in it is not as it should be, a
    provision that stands twice included; up to ten faults are reported.
    """
    return read_objects(path, LayQueries, key=("act", "section"))


def read_asked(path: Path, once: bool) -> tuple[Question, ...]:
    """The same of a benchmark, for what people really asked; ``once`` as :class:`Question` has it.

    Raises BenchmarkError if it cannot be read, or does not fit its format.
    """
    records = load_benchmark(path, path.stem, "train").records
    return tuple(
        Question(id=r.id, text=r.text, incident_date=r.incident_date, applicable=r.applicable, once=once)
        for r in records
    )


read_outside = partial(read_objects, kind=Outside)
"""Texts out of scope of a file, as :func:`read_objects` reads them; likewise the other two."""
read_stories = partial(read_objects, kind=Story)
read_questions = partial(read_objects, kind=Question)
