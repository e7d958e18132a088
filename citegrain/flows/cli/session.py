"""An answer in the terminal, and a prompt for question after question: ``citegrain ask --interactive``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from rich.text import Text

from citegrain.flows.cli.terminal import line, note, out
from citegrain.tasks.law.asof import AsOf
from citegrain.tasks.online.answer import UploadedPassage, called, counterpart_line, day_line, percent
from citegrain.tasks.online.builds import ATTRIBUTES
from citegrain.tasks.online.features import meaning

if TYPE_CHECKING:
    from citegrain.flows.shared.asking import AnsweredQuestion, Asker

_CUT = 300  # characters of what was not read that are shown
_WIDEST = 100  # characters of a line
_SHOWN = 20  # charges that are shown with their passages; of a conformal set there may be a hundred more


def show_answer(answer: Mapping[str, Any]) -> None:
    """Print an answer as ``online.answer`` has it: the day, each charge, what was not read."""
    words = answer["words"]
    if answer["urgent"]:
        _wrapped(answer["urgent"], "bold red")
    line(day_line(AsOf(**answer["as_of"]), answer["query"]))
    if words["read_as"]:
        _wrapped(f"{called('read as', answer['query'])}: {shorten(words['read_as'], _CUT, placeholder=' …')}")
    if words["cut"]:
        _wrapped(
            f"Only the first {words['encoded']:,} of {words['asked']:,} words were read for their meaning; "
            "names of Acts and sections, dates and single words were searched in all of them.",
            "yellow",
        )
        _indented(f"not read: {shorten(words['cut'], _CUT, placeholder=' …')}", "yellow")
    if answer["message"]:
        _wrapped(answer["message"])
    if answer["prose"]:
        _show_prose(answer)
    for number, charge in enumerate(answer["charges"], 1):
        if number <= _SHOWN:
            _show_charge(number, charge, answer["query"])
        else:
            line(f"{number}. {charge['law']}: {charge['heading']}")
    for number, matter in enumerate(answer["matters"], 1):
        out.print(f"{called('Matter', answer['query'])} {number}", style="bold")
        _indented(shorten(matter["words"], _CUT, placeholder=" …"), "dim")
        for charge in matter["charges"]:
            _show_other(charge)
    for upload in answer["uploads"]:
        _wrapped(f"{UploadedPassage(**upload).citation} {upload['text']}")
    if answer["others"]:
        head = "What else may apply" if answer["charges"] else "What comes nearest"
        out.print(called(head, answer["query"]), style="bold")
    for charge in answer["others"]:
        _show_other(charge)
    for number, case in enumerate(answer["landmarks"]):
        if number == 0:
            out.print("Judgments that the graph suggests", style="bold")
        _indented(case["law"])
        _show_falls(case["falls"])
    for part in answer["unresolved"]:
        line(f"unresolved: {shorten(part, _CUT, placeholder=' …')}", style="yellow")
    for remark in (*answer["conflicts"], *answer["remarks"]):
        _wrapped(remark, "yellow")
    if answer["note"] and answer["charges"]:
        line(answer["note"])
    if answer["charges"]:
        estimated = answer["charges"][0]["likelihood"] and not answer["prose"]  # then each says it itself
        sure = "" if estimated else f"Confidence: {answer['confidence']}. "
        _wrapped(sure + answer["advice"], "dim")


def _show_prose(answer: Mapping[str, Any]) -> None:
    """The answer in words, and what it cites."""
    for paragraph in answer["prose"].splitlines():
        _wrapped(paragraph)
    for row in answer["references"]:
        where = ", ".join(
            filter(None, [row["link"], f"law as of {row['version']}" if row["version"] else ""])
        )
        headed = f": {row['heading']}" if row["heading"] else ""
        _indented(f"[{row['number']}] {row['law']}{headed}, {where}", "dim")
    for claim in answer["claims"]:
        if claim["verdict"] != "supported":
            why = claim["message"] or "what it cites does not say it in full"
            _indented(
                f"{claim['verdict']}: {shorten(claim['text'], _CUT, placeholder=' …')} ({why})", "yellow"
            )
    out.print()


def show_promise(answered: AnsweredQuestion) -> None:
    """Say what a set was to hold, and where none can."""
    if not answered.coverage or not answered.content["charges"]:
        return
    share = f"{answered.coverage:.0%} of questions like this"
    if answered.promised:
        note(f"a list that holds the main provision of {share}; others in it need not apply")
    else:
        note(f"no list of candidates holds the main provision of {share}")


def _show_charge(number: int, charge: Mapping[str, Any], question: str) -> None:
    """What applies, how likely, the passage that says so, and where it is printed."""
    out.print(Text(f"{number}. {charge['law']}", style="bold"))
    word = called(charge["likelihood"], question)
    sure = f"{word}, {percent(charge['probability'])}" if word else ""
    headed = charge["heading"] or charge["description"]
    if sure or headed:
        _indented(": ".join(filter(None, [sure, headed])))
    if charge["text"] or charge["evidence"]:
        _indented(charge["text"] or charge["evidence"])
    if charge["link"]:
        _show_place(charge, question)
    if other := counterpart_line(charge, question):
        _indented(other)
    if charge["amendment"]:
        _indented(f"{called('amended', question)}: {charge['amendment']}", "dim")
    if charge["may_have_changed"]:
        _indented(charge["may_have_changed"], "yellow")
    _show_falls(charge["falls"])
    if charge["verification"] != "verified":
        _indented(f"not verified: {charge['verification'].replace('_', ' ')}", "red")


def _show_other(charge: Mapping[str, Any]) -> None:
    """What else may apply, on a line, and the passage that says so."""
    line(f"-  {charge['law']} ({percent(charge['probability'])}): {charge['heading']}")
    if charge["evidence"]:
        _indented(shorten(charge["evidence"], _CUT, placeholder=" …"), "dim")


def _show_falls(falls: Sequence[Mapping[str, Any]]) -> None:
    """Which judgments say that one is no longer law, in their words."""
    for fall in falls:
        _indented(f"{fall['relation']}, says {fall['law']}: {fall['words']}", "red")


def _show_place(charge: Mapping[str, Any], question: str) -> None:
    """File and page, opened by a click on a terminal, an address elsewhere; version and attributes."""
    attributes = [
        f"{called(name, question)}: {called(charge[name], question)}"
        for name in ATTRIBUTES
        if charge.get(name)
    ]
    score = [] if charge["likelihood"] else [f"score {charge['score']:.4f}"]
    version = [f"{called('law as of', question)} {charge['version']}"] if charge["version"] else []
    opens = charge["url"] if out.is_terminal else ""
    linked = Text(charge["link"], style=f"link {opens}" if opens else "")
    place = [linked] if opens or not charge["url"] else []
    if facts := [*place, *map(Text, (*version, *score, *attributes))]:
        _indented(Text("  ").join(facts))
    if not place:
        line(f"   {charge['url']}")


def show_explanation(rows: Sequence[Mapping[str, Any]], seconds: Mapping[str, float]) -> None:
    """Print the rank and score of each provision by stage, why it fell out, and where the time went."""
    out.print("\nRank (score) by stage", style="bold")
    for number, row in enumerate(rows, 1):
        if not row["returned"] and (number == 1 or rows[number - 2]["returned"]):
            out.print("Not returned", style="bold")
        out.print(Text(f"{number}. {row['law']}" + (f": {row['heading']}" if row["heading"] else "")))
        places = ", ".join(
            f"{name} {at['rank']} ({at['score']:.3g})" for name, at in row["stages"].items() if at
        )
        _indented(places)
        if row["lay_text"]:
            _indented(f"lay text: {row['lay_text']}", "dim")
        if row["moved"]:
            _indented(
                "moved by: " + ", ".join(f"{name} {value:+.2f}" for name, value in row["moved"].items())
            )
        if row["why"]:
            _indented(f"why: {row['why']}", "yellow")
    if names := sorted({name for row in rows for name in row["moved"]}):
        out.print("Features that moved them", style="bold")
    for name in names:
        _indented(f"{name}: {meaning(name)}")
    line("  ".join(f"{name} {1000 * s:.0f} ms" for name, s in seconds.items()))


def show_trace(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print what a controller did, operation by operation."""
    out.print("\nHow it was searched", style="bold")
    for row in rows:
        line(f"{row['round']} {row['operation']}: {row['what']}")
        if row["operation"] == "decide":
            _indented(f"pool {row['pool']}, unresolved {row['unresolved']}, h {row['confidence']:.2f}", "dim")


def _indented(text: str | Text, style: str = "") -> None:
    """A text below its provision, wrapped."""
    _wrapped(text, style, "   ")


def _wrapped(text: str | Text, style: str = "", indent: str = "") -> None:
    """A text in lines that are no longer than the eye follows, without blanks at their ends."""
    styled = Text(text, style=style) if isinstance(text, str) else text
    for row in styled.wrap(out, min(out.width, _WIDEST) - len(indent)):
        row.rstrip()
        out.print(Text(indent) + row)


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
