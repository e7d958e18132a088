"""The command that checks the citations of a text: ``citegrain check FILE``."""

from __future__ import annotations

from collections import Counter
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citegrain.flows.cli.terminal import (
    AsJson,
    Overrides,
    fail,
    in_one_line,
    json_text,
    line,
    note,
    out,
    rendered,
    settings_to_ask,
    write_page,
)

if TYPE_CHECKING:
    from citegrain.tasks.online.check import CheckedText

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
        _show(checked)
        if judged:
            out.print(rendered(claims_table(judged)))
    if not checked.citations:
        fail(f"{file}: no citations found", NOTHING_CITED)
    if any([c.wrong for c in checked.citations] + [c.wrong for c in (judged.claims if judged else ())]):
        raise typer.Exit(1)


def _show(checked: CheckedText) -> None:
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
