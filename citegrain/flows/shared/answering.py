"""Questions to answers: masked, by the law of their days, a batch at once, matter by matter if asked for.

It stands in ``flows`` because it reads the clock. One thread computes at a time.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import UTC, date, datetime
from functools import cache
from importlib import import_module
from threading import RLock
from typing import TYPE_CHECKING

from citegrain.tasks.core.personal import Masks
from citegrain.tasks.law.asof import AUTO, AsOf, resolve
from citegrain.tasks.law.counterparts import changes_of
from citegrain.tasks.offline.models import begun
from citegrain.tasks.online.answer import QUESTION, Answer, Charge, Matter, answer_of, find_matters
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.cascade import Cascade, CascadeResult
from citegrain.tasks.online.estimate import ANSWER, Catalogue, estimates_of
from citegrain.tasks.online.gloss import Glosses
from citegrain.tasks.online.rerank import NONE
from citegrain.tasks.online.retrieve import answered_of, classifier_of
from citegrain.tasks.online.steps import OnStep

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from threadpoolctl import ThreadpoolController

COMPUTING = RLock()
"""One thread computes: how many are used belongs to the process, a build's caches to all."""


def today() -> date:
    """Today where the user is."""
    return datetime.now(UTC).astimezone().date()


def reads_ahead(cascade: Cascade) -> Cascade:
    """Begin to read, in a thread that is idle, the large files that a question needs late."""
    build, config = cascade.build, cascade.config

    def read() -> None:
        build.pieces("")  # the digest of the encoder
        if "classifier" in config.retrieve.channels:
            classifier_of(build, config.retrieve.classifier)
        if "questions" in config.retrieve.channels:
            answered_of(build, config.retrieve.questions)
        if learned := estimates_of(config.estimate, config.fuse, build.query_space):
            Catalogue.from_build(build, config.estimate.vectors, learned.catalogue)

    begun(read)
    return cascade


def answered(
    cascade: Cascade,
    text: str,
    as_of: str,
    full: bool = False,
    on_step: OnStep = lambda step, table: None,
) -> tuple[Answer, CascadeResult]:
    """The answer to one question, and what it came from; parameters as :func:`answered_all` has them."""
    return answered_all(cascade, [(text, as_of)], full, on_step)[0]


def answered_all(
    cascade: Cascade,
    questions: Sequence[tuple[str, str]],
    full: bool = False,
    on_step: OnStep = lambda step, table: None,
) -> list[tuple[Answer, CascadeResult]]:
    """The answers to questions, and what they came from; command, library and service all ask here.

    What is personal in a question is masked before anything reads it, and stands in its answer again.

    ``questions``: each with the day whose law applies, as :func:`day_of` has it. ``full``: whether each
    charge has the whole text of its provision. ``on_step``: called after each step with its table.
    """
    steps = [as_of.partition("/")[2] for _, as_of in questions]
    if any(steps) and cascade.build.step is None:
        return _by_step(cascade, questions, steps, full, on_step)
    ids = [f"{QUESTION}{number}" for number in range(len(questions))] if len(questions) > 1 else [QUESTION]
    given = dict(zip(ids, questions, strict=True))
    alone = cascade.config.rerank.scorer == NONE
    with COMPUTING, one_thread() if alone else nullcontext():
        days = {i: day_of(as_of, text, today(), cascade.build) for i, (text, as_of) in given.items()}
        masks = {i: Masks() for i in ids}
        texts = {i: masks[i].mask(text) for i, (text, _) in given.items()}
        result = cascade.run(texts, {i: day.day for i, day in days.items()}, on_step)
        parts = result.by_query()
        answers = {i: answer_of(cascade, texts[i], days[i], parts[i], full) for i in ids}
        for i in (i for i in ids if masks[i].values):
            shown = masks[i].unmask_json(answers[i].to_dict()) | {"query": given[i][0]}
            answers[i] = Answer.model_validate(shown)
        return [(answers[i], parts[i]) for i in ids]


def with_matters(cascade: Cascade, answer: Answer, full: bool = False) -> Answer:
    """An answer with the matters that its question tells of, where there are several.

    It takes as long as four questions or more: each part is asked by itself, by the law of the same day.
    What is personal is masked before the question is cut and encoded.
    """
    build, glosses, masks = cascade.build, Glosses.over(cascade.build), Masks()
    day = "/".join(filter(None, (answer.as_of.day, answer.as_of.step)))

    def encode(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return build.encode_queries([glosses.read(text)[0] for text in texts])

    def ask(texts: Sequence[str]) -> list[Sequence[Charge]]:
        parts = answered_all(cascade, [(text, day) for text in texts], full)
        return [part.charges if part.decision == ANSWER else [] for part, _ in parts]

    with COMPUTING, one_thread():
        parts = find_matters(masks.mask(answer.query), encode, ask)
    matters = [Matter(words=masks.unmask(words), charges=list(charges)) for words, charges in parts]
    return answer.model_copy(update={"matters": matters})


@contextmanager
def one_thread(by_torch: bool = False) -> Iterator[None]:
    """Let NumPy, FAISS and PyTorch compute on one thread, and then on as many as before.

    One question is little work: on a busy machine two threads wait for each other for a second, and the last
    bits of what they compute depend on how many there are. ``by_torch``: whether torch will be needed; where
    it has not been imported, it need not be.
    """
    import faiss

    torch = import_module("torch") if by_torch else sys.modules.get("torch")
    threads = faiss.omp_get_max_threads(), torch.get_num_threads() if torch else 0
    faiss.omp_set_num_threads(1)
    if torch:
        torch.set_num_threads(1)
    try:
        with _blas().limit(limits=1):
            yield
    finally:
        faiss.omp_set_num_threads(threads[0])
        if torch:
            torch.set_num_threads(threads[1])


def _by_step(
    cascade: Cascade, questions: Sequence[tuple[str, str]], steps: Sequence[str], full: bool, on_step: OnStep
) -> list[tuple[Answer, CascadeResult]]:
    """The answers, those together whose law of procedure is that of one day."""
    out: dict[int, tuple[Answer, CascadeResult]] = {}
    for step in dict.fromkeys(steps):
        numbers = [number for number, other in enumerate(steps) if other == step]
        some = [questions[number] for number in numbers]
        build = cascade.build.with_step(date.fromisoformat(step)) if step else cascade.build
        answers = answered_all(cascade.over(build) if step else cascade, some, full, on_step)
        out |= dict(zip(numbers, answers, strict=True))
    return [out[number] for number in range(len(questions))]


@cache
def _blas() -> ThreadpoolController:
    """The threads of NumPy's products."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


def day_of(as_of: str, text: str, today: date, build: PublishedBuild) -> AsOf:
    """The day whose law applies to a complaint, as ``law.asof.resolve`` has it; Hindi by its English."""
    read = Glosses.over(build).read(text)[0] if as_of == AUTO else text
    return resolve(as_of, read, today, changes_of(build.acts))
