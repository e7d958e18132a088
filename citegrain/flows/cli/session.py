"""A prompt at which question after question is asked: ``citegrain ask --interactive``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from citegrain.flows.cli.answers import show_answer, show_explanation, show_promise
from citegrain.flows.cli.terminal import line, note

if TYPE_CHECKING:
    from citegrain.flows.shared.asking import AnsweredQuestion, Asker

_HELP = """a question is answered; besides there are
:full 2           the whole text of the second provision
:explain          rank and score by stage of the last answer, and why others fell out
:date 2015-06-01  the day whose law applies from now on; auto reads it from each question; today
:help             these lines
:quit             end, as does Ctrl-D"""


class Session:
    """Reads questions and commands until the end of input."""

    def __init__(self, asker: Asker, as_of: str) -> None:
        self._asker = asker
        self._as_of = as_of
        self._last: AnsweredQuestion | None = None
        self._commands: dict[str, Callable[[str], None]] = {
            ":full": self._full,
            ":explain": self._explain,
            ":date": self._date,
            ":help": lambda argument: line(_HELP),
        }

    def run(self) -> None:
        """Answer until ``:quit`` or the end of input."""
        import readline  # noqa: F401  (gives input() its history and editing)

        self._asker.warm()
        line("a question, or :help")
        while True:
            try:
                typed = input("> ").strip()
            except EOFError:
                return
            if typed in (":quit", ":q"):
                return
            if typed:
                self._answer(typed)

    def _answer(self, typed: str) -> None:
        from citegrain.tasks.core.errors import Expected

        word, _, argument = typed.partition(" ")
        try:
            if word in self._commands:
                self._commands[word](argument.strip())
            elif word.startswith(":"):
                note(f"{word}: no such command; :help lists them", "red")
            else:
                self._last = self._asker.ask(typed, self._as_of)
                show_promise(self._last)
                show_answer(self._last.content)
        except Expected as error:
            note(str(error), "red")

    def _full(self, argument: str) -> None:
        from citegrain.tasks.online.answer import full_text

        charges = self._last.content["charges"] if self._last else []
        if not argument.isdigit() or not 1 <= int(argument) <= len(charges):
            note(f":full N, N from 1 to {len(charges)}" if charges else "nothing was answered yet", "red")
            return
        charge = charges[int(argument) - 1]
        line(charge["law"], style="bold")
        line(full_text(self._asker.build, charge))

    def _explain(self, argument: str) -> None:
        if self._last is None:
            note("nothing was answered yet", "red")
            return
        show_explanation(self._asker.explain(self._last), self._last.seconds)

    def _date(self, argument: str) -> None:
        from citegrain.flows.shared.library import QuestionError, day_text

        try:
            day_text("" if argument == "today" else argument or "none")
        except QuestionError:
            note(":date must be followed by a day as YYYY-MM-DD, auto or today", "red")
            return
        self._as_of = "" if argument == "today" else argument
        line(f"law of {argument}")
