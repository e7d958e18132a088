"""The commands that answer complaints and check citations: ``citegrain ask`` and ``check``."""

from __future__ import annotations

import io
import json
import os
import sys
from collections import Counter
from contextlib import nullcontext
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citegrain.flows.cli.terminal import (
    AsJson,
    Overrides,
    Terminal,
    corpus_to_ask,
    fail,
    in_one_line,
    json_text,
    line,
    note,
    out,
    published,
    rendered,
    settings_of,
    settings_to_ask,
    write_page,
)

if TYPE_CHECKING:
    from citegrain.flows.shared.asking import AnsweredQuestion, Asker
    from citegrain.flows.shared.library import Build
    from citegrain.flows.shared.settings import Settings
    from citegrain.tasks.online.check import CheckedText

_STDIN = "-"


Question = Annotated[
    list[str] | None,
    typer.Argument(help="The complaint in plain words, - to read it from standard input; then overrides."),
]
Count = Annotated[
    int | None,
    typer.Option(help="Provisions to return; as many as seem to apply if not given.", min=1, max=100),
]
Confidence = Annotated[
    float,
    typer.Option(
        help="Return the fewest that hold the primary provision of this share of questions, e.g. 0.9.",
        min=0.0,
        max=0.99,
    ),
]
Day = Annotated[
    str,
    typer.Option(
        help="Day whose law applies, YYYY-MM-DD, or auto: as the complaint says; today if not given. "
        "Behind a / the day of the step, for procedure: 2024-05-03/2024-09-01."
    ),
]
Explain = Annotated[
    bool, typer.Option(help="Show rank and score by stage, also of the next ten, and why they fell out.")
]
Controller = Annotated[
    str, typer.Option(help="Search again for the parts of a complaint: rules; docs/published-systems.md.")
]
Save = Annotated[bool, typer.Option(help="Keep pair scores and model replies for later runs.")]
Page = Annotated[Path | None, typer.Option(help="Write the answer as a page, with the PDF's.")]
Upload = Annotated[
    Path | None, typer.Option("--with", help="A file whose passages are given too, with their pages.")
]
Matters = Annotated[bool, typer.Option("--matters", help="Answer several matters one by one, too.")]
ByApi = Annotated[bool, typer.Option("--api/--no-api", help="Let citegrain api answer, if it runs here.")]


def ask(
    question: Question = None,
    as_json: AsJson = False,
    k: Count = None,
    confidence: Confidence = 0.0,
    as_of: Day = "",
    explain: Explain = False,
    controller: Controller = "",
    trace: Annotated[bool, typer.Option(help="Show each operation of the controller.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Show whole provisions.")] = False,
    save: Save = False,
    interactive: Annotated[bool, typer.Option("--interactive", "-i", help="Ask at a prompt.")] = False,
    html: Page = None,
    file: Annotated[Path | None, typer.Option(help="Ask the questions of a file, one a line.")] = None,
    out: Annotated[Path | None, typer.Option(help="JSONL file for the answers to --file.")] = None,
    upload: Upload = None,
    matters: Matters = False,
    by_api: ByApi = True,
) -> None:
    """Find the provisions that apply to a complaint. Needs no network and no server."""
    from citegrain.flows.shared.asking import Asker

    text, overrides = split_question(question or [])
    settings = settings_of(published(_chosen(overrides, k or 0, confidence, controller)), online=True)
    if text != _STDIN and sum((bool(text), interactive, file is not None)) > 1:
        fail("one of a question, --interactive and --file", 2)
    text = _typed(text)
    _check(text, interactive, file, out, html, as_of)
    for option, value in {"--with": upload, "--html": html, "--matters": matters}.items():
        if value and not text:
            fail(f"{option} needs a question", 2)
    if interactive and (as_json or explain or trace or full):
        fail("--interactive shows answers in short: :explain and :full N give more", 2)
    if trace and not settings.group("controller").on:
        fail("--trace needs a controller: add --controller rules", 2)
    questions = _questions(file) if file else [text]
    folder = corpus_to_ask(settings, overrides)
    more = confidence or explain or trace or save or html or upload or matters
    content = (
        _answer_of_api(settings, folder, text, k or 0, as_of, full) if by_api and text and not more else None
    )
    if content:
        _show(content, as_json)
        return
    with in_one_line(settings.artifacts_folder, ValueError):
        asker = Asker(folder, settings, save)
        if unknown := asker.build.unknown_counterparts:
            first = ", ".join([*unknown[:3], *["..."] * (len(unknown) > 3)])
            note(f"{settings.corpus.counterparts}: not in this build: {first} ({len(unknown)} in all)")
        if interactive:
            from citegrain.flows.cli.session import Session

            Session(asker, as_of).run()
        elif file:
            _answer_all(asker, questions, as_of, (explain, trace), out, full)
        else:
            answered = asker.ask(text, as_of, full, matters)
            if upload:
                answered = _with_upload(answered, upload, text, asker.build)
            _answer(asker, answered, as_json, (explain, trace), html)


def _typed(text: str) -> str:
    """A question as it was typed, or as standard input has it."""
    from citegrain.tasks.core.store.files import decoded

    try:
        return decoded(sys.stdin.buffer.read() if text == _STDIN else os.fsencode(text)).strip()
    except UnicodeError:
        fail("the question is not UTF-8: save it as UTF-8, and ask with --file", 2)


def _check(
    text: str, interactive: bool, file: Path | None, out: Path | None, html: Path | None, as_of: str
) -> None:
    """Exit with 2, in one line, where an option lacks what it needs."""
    from citegrain.flows.shared.library import EMPTY, QuestionError, day_text

    if not (text or interactive or file):
        fail(EMPTY, 2)
    if out and not file:
        fail("--out needs --file", 2)
    if html and html.is_dir():
        fail(f"--html {html}: is a folder; name a file", 2)
    try:
        day_text(as_of)
    except QuestionError as error:
        fail(f"--as-of {error}", 2)


def _answer_of_api(
    settings: Settings, folder: Path, text: str, k: int, as_of: str, full: bool
) -> dict[str, Any] | None:
    """The answer of the API that runs; None where none does, or where it would answer otherwise."""
    if not any(settings.artifacts_folder.glob("api-*.sock")):
        return None  # the modules below cost time
    from citegrain.flows.shared.remembered import answer_of_api
    from citegrain.tasks.online.configuration import CascadeConfig

    cascade, usual = settings.cascade, CascadeConfig.chosen(exactly=k)
    added = any(getattr(group, "on", True) for group in cascade.added.values())
    if settings.corpus.counterparts or added or replace(cascade, added={}) != usual:
        return None
    return answer_of_api(settings.artifacts_folder, folder, text, k, as_of, full)


def _with_upload(answered: AnsweredQuestion, upload: Path, text: str, asked_build: Build) -> AnsweredQuestion:
    """An answer with the passages of a file that meet the question."""
    from citegrain.flows.index.folder import uploaded_passages

    uploads = uploaded_passages(upload, asked_build.models, asked_build.embed_config, text)
    return replace(answered, answer=answered.answer.model_copy(update={"uploads": uploads}))


def _chosen(overrides: list[str], k: int, confidence: float, controller: str) -> list[str]:
    """Overrides with what ``--k``, ``--confidence`` and ``--controller`` stand for; an override wins."""
    overrides = [*([f"controller={controller}"] if controller else []), *overrides]
    if k and confidence:
        fail("one of --k and --confidence", 2)
    if confidence:
        return ["select=conformal", f"select.coverage={confidence}", *overrides]
    return ["select=top", f"select.k={k}", *overrides] if k else overrides


def split_question(words: list[str]) -> tuple[str, list[str]]:
    """The question and the overrides among the arguments of ``ask``."""
    questions = [w for w in words if not _is_override(w)]
    return " ".join(questions).strip(), [w for w in words if _is_override(w)]


def _is_override(word: str) -> bool:
    """Whether a word is an override, ``key=value``; a sentence is none unless it begins with a known key."""
    from citegrain.flows.shared.settings import group_of, known_groups

    head = word.split("=", 1)[0].lstrip("+~")
    if "=" not in word or not head.translate(str.maketrans("", "", "._/@")).isalnum():
        return False
    return " " not in word or group_of(head) in known_groups()


def _questions(file: Path) -> list[str]:
    """The lines of a file that are not empty; exits with 2 where there are none."""
    from citegrain.tasks.core.store.files import decoded

    try:
        lines = io.StringIO(decoded(file.read_bytes()), newline=None)  # U+2028 ends no line
    except (OSError, UnicodeDecodeError) as error:
        fail(f"{file}: cannot be read: {getattr(error, 'strerror', None) or 'not UTF-8'}", 2)
    questions = [line.strip() for line in lines if line.strip()]
    if not questions:
        fail(f"{file}: no question in it", 2)
    return questions


def _answer(
    asker: Asker, answered: AnsweredQuestion, as_json: bool, more: tuple[bool, bool], html: Path | None
) -> None:
    """Print one answer, with its explanation and its trace if asked, and write its page."""
    from citegrain.flows.cli.session import show_explanation, show_promise, show_trace
    from citegrain.tasks.online.answer import answer_sheet

    show_promise(answered)
    if html:
        sheet = answer_sheet(asker.build, asker.detailed(answered, True, True), answered.seconds)
        write_page(html, sheet)
    explain, trace = more
    if as_json:
        _show(asker.detailed(answered, explain, trace).to_dict(), as_json)
        return
    _show(answered.content, as_json)
    if trace:
        show_trace(asker.trace(answered))
    if explain:
        show_explanation(asker.explain(answered), answered.seconds)


def _show(content: dict[str, Any], as_json: bool) -> None:
    from citegrain.flows.cli.session import show_answer

    if as_json:
        print(json_text(content, 1))
    else:
        show_answer(content)


def _answer_all(
    asker: Asker, questions: list[str], as_of: str, more: tuple[bool, bool], out: Path | None, full: bool
) -> None:
    """Write an answer a line, to a file or to standard output; says to how many a model gave none."""
    failed, unpromised = 0, 0
    opened = out.open("w", encoding="utf-8") if out else nullcontext(sys.stdout)
    with opened as file, Terminal().step("ask", len(questions)) as done:
        for question in questions:
            answered = asker.ask(question, as_of, full)
            content = asker.detailed(answered, *more).to_dict()
            unpromised += not answered.promised
            failed += bool(content["error"])
            text = json.dumps(content, ensure_ascii=False) if out else json_text(content)
            print(text, file=file, flush=True)
            done(1)
    if out:
        line(f"{len(questions)} answers: {out}")
    if unpromised:
        share = f"{unpromised} of {len(questions)} questions"
        note(f"{share} are of a kind of which no set holds the primary provision so often")
    if failed:
        note(f"{failed} of {len(questions)} questions are answered by extracts: the model gave no answer")


NOTHING_CITED = 6
"""Exit code where a text cites nothing: that is no success."""


def check(
    file: Annotated[Path, typer.Argument(help="Text, Markdown, Word, PDF or HTML.")],
    overrides: Overrides = None,
    as_json: AsJson = False,
    to: Annotated[Path | None, typer.Option("--to", help="Write a page, FILE.html.")] = None,
    as_of: Annotated[
        str,
        typer.Option(
            help="Day whose law counts, YYYY-MM-DD; if not given, the day the text bears, or today."
        ),
    ] = "",
    claims: Annotated[
        bool, typer.Option("--claims", help="Compare each sentence with the provisions that it cites.")
    ] = False,
) -> None:
    """Check every citation of a text. Exit 1: some are wrong; 2: it or the build is unreadable; 6: none."""
    from citegrain.flows.shared.answering import today
    from citegrain.flows.shared.asking import open_build
    from citegrain.flows.shared.library import QuestionError, day_text
    from citegrain.tasks.online.check import check_page, check_text, read_file
    from citegrain.tasks.online.claims import claims_section, claims_table

    try:
        day_text(as_of, auto=False)
    except QuestionError as error:
        fail(f"--as-of {error}", 2)
    settings, folder = settings_to_ask(overrides, 2)
    with in_one_line(settings.artifacts_folder, code=2):  # 1 says that citations are wrong
        build = open_build(folder, settings)
        read = read_file(file)
        checked = check_text(build, read, file.name, as_of, today().isoformat())
        day = date.fromisoformat(checked.as_of)
        judged = build.check_answer(read.text, as_of=day) if claims else None
        if to:
            write_page(to, check_page(checked, claims_section(judged) if judged else "", build))
    if as_json:
        more = judged.model_dump(mode="json", include={"claims", "passages"}) if judged else {}
        typer.echo(json_text(checked.model_dump(mode="json") | more, 1))
    else:
        _show_checked(checked)
        if judged:
            out.print(rendered(claims_table(judged)))
    if not checked.citations:
        fail(f"{file}: no citations found", NOTHING_CITED)
    if any([c.wrong for c in checked.citations] + [c.wrong for c in (judged.claims if judged else ())]):
        raise typer.Exit(1)


def _show_checked(checked: CheckedText) -> None:
    from citegrain.tasks.online.check import check_table

    if checked.unread_pages:
        pages = ", ".join(map(str, checked.unread_pages))
        note(f"pages without readable text: {pages}", "yellow")
    if checked.citations:
        out.print(rendered(check_table(checked)))
    counts = Counter(citation.status.replace("_", " ") for citation in checked.citations)
    day = f"law of {checked.as_of}" + (", the day of the text" if checked.dated else "")
    line(f"{day}; " + ", ".join(f"{n} {status}" for status, n in counts.most_common()))
    if checked.hint:
        line(checked.hint)
