"""A build that is searched in one line.

``Build.open("artifacts/builds/mine").answer("...")`` needs neither Hydra nor Prefect nor MLflow. It stands in
``flows`` because it reads the clock and the environment, which no stage does.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from citegrain.tasks.law.asof import AsOf, resolve
from citegrain.tasks.law.counterparts import changes_of
from citegrain.tasks.online.answer import QUESTION, Answer, answer_of
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.cascade import Cascade, CascadeConfig, CascadeResult
from citegrain.tasks.online.hits import Hit
from citegrain.tasks.online.rerank import NONE
from citegrain.tasks.online.steps import OnStep

if TYPE_CHECKING:
    from citegrain.tasks.online.check import CheckedCitation
    from citegrain.tasks.online.claims import CheckedAnswer, ClaimContext

EMPTY = "the question is empty"


def today() -> date:
    """Today where the user is."""
    return datetime.now(UTC).astimezone().date()


class SearchResult(list[Hit]):
    """The provisions that a search found, the likeliest first.

    ``message``: why there are none, or what else the question may be a matter of; ``reason``: the same in
    short, as ``Answer.reason`` has it. Both are empty for most.
    """

    def __init__(self, hits: Iterable[Hit], answer: Answer) -> None:
        super().__init__(hits)
        self.reason, self.message = answer.reason, answer.message


class Build(PublishedBuild):
    """A build on disk."""

    @property
    def vector_server(self) -> tuple[str, str]:
        """Address and key of a Qdrant server, from the environment; empty: in the memory of this process."""
        return os.environ.get("CITEGRAIN_QDRANT_URL", ""), os.environ.get("CITEGRAIN_QDRANT_KEY", "")

    def search(self, text: str, k: int = 5, as_of: date | None = None) -> SearchResult:
        """The ``k`` provisions that fit ``text`` best; none where nothing here seems to apply.

        Raises ValueError if ``text`` is empty.

        Parameters
        ----------
        text
            A complaint or question in plain words.
        k
            Number of provisions.
        as_of
            Day whose law applies; None: today.
        """
        answer, result = self._answered(text, k, as_of)
        chances = {charge.chunk_id: charge.probability for charge in answer.charges}
        hits = (hit for hit in result.hits[QUESTION] if hit.chunk_id in chances)
        return SearchResult((replace(hit, probability=chances[hit.chunk_id]) for hit in hits), answer)

    def answer(self, text: str, k: int = 5, as_of: date | None = None) -> Answer:
        """The answer to a complaint, as ``citegrain ask`` gives it by the default configuration.

        ``text``, ``k``, ``as_of``: as :meth:`search` has them. Raises ValueError if ``text`` is empty.
        """
        return self._answered(text, k, as_of)[0]

    def check(self, text: str, as_of: date | None = None) -> list[CheckedCitation]:
        """Every citation of a text, and whether it is right on a day; None: today.

        Paragraphs stand with an empty line between them; signs of Markdown do not count.
        """
        from citegrain.tasks.online.check import Checker  # reads files, too: a question needs none of it

        checker = self.shared("checker", lambda: Checker(self))
        return checker.check(text, as_of or today())

    def check_answer(
        self, text: str, contexts: Sequence[ClaimContext] | None = None, as_of: date | None = None
    ) -> CheckedAnswer:
        """Whether the sentences of an answer stand in what they cite, and whether that is law on a day.

        Parameters
        ----------
        text
            An answer that cites passages as ``[1]`` or ``[1, 3]``, or provisions by name.
        contexts
            The passages, by number from 1; None: the provisions that the text names, looked up here.
        as_of
            Day whose law counts; None: today.
        """
        from citegrain.tasks.online.claims import check_answer

        with one_thread():
            return check_answer(self, text, contexts, as_of or today(), encode=self.encode_queries)

    def _answered(self, text: str, k: int, as_of: date | None) -> tuple[Answer, CascadeResult]:
        if not text.strip():
            raise ValueError(EMPTY)
        config = CascadeConfig.chosen(k)
        cascade = self.shared(("search", k), lambda: Cascade(self, config))  # slow to make for many Acts
        return answered(cascade, text, as_of.isoformat() if as_of else "")


def answered(
    cascade: Cascade,
    text: str,
    as_of: str,
    full: bool = False,
    on_step: OnStep = lambda step, table: None,
) -> tuple[Answer, CascadeResult]:
    """The answer to one question, and what it came from; the command and the library both ask here.

    Parameters
    ----------
    as_of
        The day whose law applies, as :func:`day_of` has it.
    full
        Whether each charge has the whole text of its provision.
    on_step
        Called after each step with its table.
    """
    day = day_of(as_of, text, today(), cascade.build)
    with nullcontext() if cascade.config.rerank.scorer != NONE else one_thread():
        result = cascade.run({QUESTION: text}, day.day, on_step)
    return answer_of(cascade, text, day, result, full), result


@contextmanager
def one_thread() -> Iterator[None]:
    """Let PyTorch and FAISS compute on one thread, and then on as many as before.

    One question is little work: on a busy machine two threads wait for each other for a second, and the last
    bits of what they compute depend on how many there are.
    """
    import faiss
    import torch

    threads = torch.get_num_threads(), faiss.omp_get_max_threads()
    torch.set_num_threads(1)
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads[0])
        faiss.omp_set_num_threads(threads[1])


def day_of(as_of: str, text: str, today: date, build: PublishedBuild) -> AsOf:
    """The day whose law applies to a complaint, as ``law.asof.resolve`` has it."""
    return resolve(as_of, text, today, changes_of(build.acts))
