"""A build that is asked in one line.

``Build.open("mine").ask("...")`` needs neither Hydra nor Prefect nor MLflow. It stands in ``flows`` because
it reads the clock and the environment, which no stage does. It may be called from several threads.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from numbers import Integral, Real
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pyarrow.compute as pc

from citegrain.flows.shared.answering import (
    COMPUTING,
    answered,
    answered_all,
    one_thread,
    reads_ahead,
    today,
    with_matters,
)
from citegrain.tasks.core.errors import UsageFault
from citegrain.tasks.core.paths import located
from citegrain.tasks.core.personal import Masks
from citegrain.tasks.core.schemas import PROVISIONS
from citegrain.tasks.law.asof import AUTO
from citegrain.tasks.law.citations import stands_alone
from citegrain.tasks.law.correspondence import Correspondence
from citegrain.tasks.online.answer import QUESTION, Answer
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.cascade import Cascade, CascadeConfig
from citegrain.tasks.online.estimate import estimates_of
from citegrain.tasks.online.gloss import Glosses
from citegrain.tasks.online.hits import Hit

if TYPE_CHECKING:
    from citegrain.tasks.online.answer import Picture
    from citegrain.tasks.online.check import CheckedCitation, CheckedText
    from citegrain.tasks.online.claims import CheckedAnswer, ClaimContext
    from citegrain.tasks.online.provision import Provision

EMPTY = "the question is empty"
_MOST_CHOICES = 10  # provisions that words may mean, named in what is said of them
_AT_ONCE = 8  # questions that go through the stages at once, while those behind them are encoded
Day = date | str | None
"""A day, as a string ``YYYY-MM-DD``; ``auto``: as the question says; None or empty: today."""


class QuestionError(ValueError, UsageFault):
    """A question cannot be asked so; the message says why. ``choices``: by id, what its words may mean."""

    def __init__(self, message: str, choices: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.choices = choices or {}


def _words(text: object) -> str:
    """A text that is one. Raises QuestionError if it is none, such as None or a number."""
    if not isinstance(text, str):
        raise QuestionError(f"a text is needed, not {type(text).__name__}")
    return text


def day_text(day: Day, auto: bool = True) -> str:
    """A day as ``law.asof.resolve`` reads it. Raises QuestionError if it is none.

    ``auto``: whether the day may be left to the question, and the day of the step may stand behind it.
    """
    text = day.isoformat()[:10] if isinstance(day, date) else _words(day or "")  # of a datetime its day
    first, slash, step = text.partition("/") if auto else (text, "", "")
    try:
        of_first = first in ("", AUTO if auto else "") or date.fromisoformat(first).isoformat() == first
        of_step = not slash or date.fromisoformat(step).isoformat() == step
        if of_first and of_step and (not slash or first in ("", AUTO) or first <= step):
            return text
    except ValueError as error:
        if "isoformat" not in str(error):  # it is written as one
            raise QuestionError(f"{text}: there is no such day") from None
    more = ", or auto, or two such with / between them, the step no earlier" if auto else ""
    raise QuestionError(f"{text}: must be a day as YYYY-MM-DD{more}")


@dataclass(frozen=True)
class Question:
    """A question, and how it is to be answered.

    Attributes
    ----------
    text
        A complaint or question in plain words.
    k
        Number of provisions; 0: as many as seem to apply.
    as_of
        Day whose law applies; ``2024-05-03/2024-09-01``: that of the act, and that of the step in procedure.
    confidence
        The fewest provisions that hold the primary one of this share of questions, below 1; 0: not so.
    full
        Whether each charge has the whole text of its provision.
    acts
        Acts that are searched, by id or by name as IPC; None: all.
    matters
        Whether a question that tells of several matters is answered matter by matter, too.
    """

    text: str
    k: int = 0
    as_of: Day = ""
    confidence: float = 0.0
    full: bool = False
    acts: Collection[str] | None = None
    matters: bool = False

    def __post_init__(self) -> None:
        if not _words(self.text).strip():
            raise QuestionError(EMPTY)
        numbers: list[object] = [self.k, self.confidence]
        if not (isinstance(numbers[0], Integral) and isinstance(numbers[1], Real)):
            raise QuestionError("k and confidence are numbers")
        if self.k and self.confidence:
            raise QuestionError("k and confidence exclude each other: give one of them")
        if not (0 <= self.k <= 100 and 0 <= self.confidence < 1):
            raise QuestionError("k must be 0 to 100, and confidence 0 to less than 1")
        object.__setattr__(self, "as_of", day_text(self.as_of))
        if self.acts is not None:
            acts = [self.acts] if isinstance(self.acts, str) else self.acts
            object.__setattr__(self, "acts", frozenset(acts))


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

    @classmethod
    def open(
        cls, path: Path | str, models: Path | str | None = None, correspondence: Correspondence | None = None
    ) -> Self:
        """Open a build by its folder, or by its name in the folder of ``CITEGRAIN_ARTIFACTS``.

        Raises BuildError; ``models`` and ``correspondence``: as :meth:`PublishedBuild.open` has them.
        """
        folder = Path(path)
        if len(folder.parts) == 1 and not folder.is_dir():
            folder = located(os.environ.get("CITEGRAIN_ARTIFACTS", "artifacts")) / "builds" / folder
        return super().open(folder, models, correspondence)

    @property
    def vector_server(self) -> tuple[str, str]:
        """Address and key of a Qdrant server, from the environment; empty: in the memory of this process."""
        return os.environ.get("CITEGRAIN_QDRANT_URL", ""), os.environ.get("CITEGRAIN_QDRANT_KEY", "")

    @staticmethod
    def account(vendor: str) -> tuple[str, str]:
        """Address and key of a vendor of encoders and rerankers, from the environment, or empty."""
        name = f"CITEGRAIN_{vendor.upper()}"
        return os.environ.get(f"{name}_BASE_URL", ""), os.environ.get(f"{name}_KEY", "")

    def __repr__(self) -> str:
        return f"Build({str(self.folder)!r})"

    @property
    def label(self) -> str:
        """Its name and key, as answers have it."""
        return f"{self.folder.parent.name}/{self.folder.name}"

    def ask(
        self,
        question: str,
        k: int = 0,
        as_of: Day = None,
        confidence: float = 0.0,
        full: bool = False,
        matters: bool = False,
    ) -> Answer:
        """The answer to a question, as ``citegrain ask`` gives it by the default configuration.

        The parameters are those of :class:`Question`. Raises QuestionError if they cannot be.
        """
        return self.ask_all([Question(question, k, as_of, confidence, full, matters=matters)])[0]

    def ask_all(self, questions: Sequence[Question | str]) -> list[Answer]:
        """The answers to questions, in their order; those that are searched alike are searched at once."""
        if isinstance(questions, str):  # its letters would be the questions
            raise QuestionError("a list of questions is needed, not one text: ask takes that")
        given = [Question(q) if isinstance(q, str) else q for q in questions]
        alike: dict[tuple[Any, ...], list[int]] = {}
        for number, q in enumerate(given):
            alike.setdefault((q.k, q.confidence, q.full, q.acts), []).append(number)
        answers: dict[int, Answer] = {}
        for (k, confidence, full, acts), numbers in alike.items():
            with COMPUTING:
                cascade = self._cascade(CascadeConfig.chosen(exactly=k, confidence=confidence), acts)
                some = [(given[n].text, str(given[n].as_of)) for n in numbers]
                for text, _ in some[_AT_ONCE:]:
                    self.begin(text)
                parts = (some[at : at + _AT_ONCE] for at in range(0, len(some), _AT_ONCE))
                results = [result for part in parts for result in answered_all(cascade, part, full)]
                answers |= {
                    n: with_matters(cascade, answer, full) if given[n].matters else answer
                    for n, (answer, _) in zip(numbers, results, strict=True)
                }
        return [answers[number] for number in range(len(given))]

    def begin(self, question: str) -> None:
        """Begin to read a question that will be asked, in a thread that is idle."""
        Glosses.over(self).encode_ahead(Masks().mask(question))

    def search(self, text: str, k: int = 5, as_of: Day = None, acts: Collection[str] = ()) -> SearchResult:
        """At most ``k`` provisions that fit a text best; none where nothing here seems to apply.

        ``acts``: as :class:`Question` has them; empty: all. Raises QuestionError as :meth:`ask` does.
        """
        question = Question(text, k, as_of, acts=acts or None)
        if not k:
            raise QuestionError("k must be 1 to 100")
        with COMPUTING:
            cascade = self._cascade(CascadeConfig.chosen(k), question.acts)
            answer, result = answered(cascade, text, str(question.as_of))
        chances = {charge.chunk_id: charge.probability for charge in answer.charges}
        hits = (hit for hit in result.hits[QUESTION] if hit.chunk_id in chances)
        return SearchResult((replace(hit, probability=chances[hit.chunk_id]) for hit in hits), answer)

    def check(self, text: str, as_of: Day = None) -> list[CheckedCitation]:
        """Every citation of a text, as :meth:`check_text` has them."""
        return self.check_text(text, as_of).citations

    def check_text(self, text: str, as_of: Day = None) -> CheckedText:
        """Every citation of a text, and whether it is right on a day; None: the text's own day, else today.

        Paragraphs stand with an empty line between them; signs of Markdown do not count.
        """
        from citegrain.tasks.online.check import ReadText, check_text  # a question needs none of it

        with COMPUTING:
            return check_text(
                self, ReadText(_words(text)), "", day_text(as_of, auto=False), today().isoformat()
            )

    def check_answer(
        self, text: str, contexts: Sequence[ClaimContext] | None = None, as_of: Day = None
    ) -> CheckedAnswer:
        """Whether the sentences of an answer stand in what they cite, and whether that is law on a day.

        ``text``: an answer that cites passages as ``[1]`` or ``[1, 3]``, or provisions by name. ``contexts``:
        the passages, by number from 1; None: the provisions that the text names, looked up here.
        """
        from citegrain.tasks.online.claims import check_answer

        with COMPUTING, one_thread(by_torch=True):
            return check_answer(self, _words(text), contexts, self.day(as_of), encode=self.encode_queries)

    def provision(self, what: str, as_of: Day = None) -> Provision:
        """A provision with its text on a day, by words as ``IPC 302`` or by its id.

        Raises NotInBuild if the build has none, QuestionError if the words name several.
        """
        from citegrain.tasks.online.provision import make_provision

        provision_id = self._one(what)
        with COMPUTING:
            return make_provision(self, provision_id, self.day(as_of), what)

    def contents(self, act: str, as_of: Day = None) -> list[dict[str, Any]]:
        """Sections, articles, rules and Schedules of an Act in their order: rows of ``provisions``.

        ``act``: its id, or a name. Each row is that of a day, with ``page`` and ``in_force``, whether it is
        law then. Raises QuestionError if no Act is called so, or several are.
        """
        ids, day = self.acts_called(act), self.day(as_of)
        if len(ids) > 1:
            choices = {row["act_id"]: str(row["title"]) for row in self.acts if row["act_id"] in ids}
            raise QuestionError(f"{act}: which is meant? {'; '.join(choices.values())}", choices)
        with COMPUTING:
            table = self.table(PROVISIONS).select(["provision_id", "act_id", "kind", "number", "ordinal"])
            rows = table.filter(pc.equal(table.column("act_id"), next(iter(ids)))).to_pylist()
            ordered = sorted(rows, key=itemgetter("ordinal"))
            listed = [r for r in ordered if r["kind"] == "schedule" or stands_alone(r["kind"], r["number"])]
            versions = (self.on_day(p, day) for p in dict.fromkeys(row["provision_id"] for row in listed))
            return [
                row | {"in_force": law, "page": self.shown_page(row["document_id"], row["page_start"])}
                for row, law in versions
            ]

    def picture(self, what: str, as_of: Day = None, passage: str = "") -> Picture:
        """The page of a provision on a day, ``png`` and what is marked on it; that with most of a passage.

        Raises NotInBuild, QuestionError as :meth:`provision` does, PictureError if its PDF is not at hand.
        """
        from citegrain.tasks.online.answer import picture_of

        provision_id = self._one(what)
        with COMPUTING:
            return picture_of(self, self.on_day(provision_id, self.day(as_of))[0], passage, marked=True)

    def graph(self, what: str) -> dict[str, list[dict[str, Any]]]:
        """What a provision or an Act cites and what cites it: edges by its id, as ``citegrain graph --json``.

        Empty where the words name nothing of the build.
        """
        from citegrain.tasks.online.graph import neighbourhood, nodes_of
        from citegrain.tasks.online.provision import parts_in

        with COMPUTING:
            nodes = nodes_of(self.graph_tables, parts_in(self, _words(what)))
            return {node: neighbourhood(self.graph_tables, node) for node in nodes}

    def day(self, as_of: Day = None) -> date:
        """A day that does not depend on a question. Raises QuestionError if it is none."""
        text = day_text(as_of, auto=False)
        return date.fromisoformat(text) if text else today()

    def acts_called(self, name: str) -> frozenset[str]:
        """Ids of the Acts of a name or id. Raises QuestionError if there are none."""
        ids = {act["act_id"] for act in self.acts}
        meant = {name} & ids or {act for place in self.lexicon.find(name) for act in place.act_ids}
        if not meant:
            said = (
                f"{name}: no Act of this build; it may be law all the same" if name else "an Act has no name"
            )
            raise QuestionError(said)
        return frozenset(meant)

    def _one(self, what: str) -> str:
        """Id of the one provision that words name."""
        from citegrain.tasks.online.provision import make_provision, not_in_build, parts_in

        with COMPUTING:
            ids = [part for part in dict.fromkeys(parts_in(self, _words(what))) if self.has_provision(part)]
        if len(ids) > 1:
            choices = {part: make_provision(self, part, today()).law for part in ids[:_MOST_CHOICES]}
            more = f"; and {len(ids) - _MOST_CHOICES} more" if len(ids) > _MOST_CHOICES else ""
            raise QuestionError(f"{what}: which is meant? {'; '.join(choices.values())}{more}", choices)
        if not ids:
            raise not_in_build(self, what)
        return ids[0]

    def _cascade(self, config: CascadeConfig, acts: Collection[str] | None) -> Cascade:
        estimates = estimates_of(config.estimate, config.fuse, self.query_space)
        if config.select.method == "conformal" and estimates is None:
            raise QuestionError("confidence: no probabilities were learned for what reads this build")
        if acts is not None:
            return Cascade(self.within(frozenset().union(*map(self.acts_called, acts))), config)
        return self.shared(("search", config.select), lambda: reads_ahead(Cascade(self, config)))
