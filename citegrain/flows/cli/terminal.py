"""What the commands share: two consoles, progress bars, errors in one line."""

from __future__ import annotations

import inspect
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from rich import box
from rich.console import Console, Group, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.prompt import Prompt
from rich.table import Table as RichTable
from rich.text import Text

if TYPE_CHECKING:
    from citegrain.flows.shared.settings import Settings
    from citegrain.tasks.core.pages import Table

_LEAST = 10  # signs of a column whose text folds

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Overrides = Annotated[
    list[str] | None,
    typer.Argument(help="Hydra overrides, e.g. corpus=folder corpus.path=DIR corpus.name=mine"),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the plan and do nothing.")]
_Cfg = Annotated[bool, typer.Option("--cfg", help="Print the composed configuration and do nothing.")]
_SELDOM = 60, 600  # seconds between two lines of progress in a log: the fewest, and the most
_CFG: ContextVar[bool] = ContextVar("cfg", default=False)


def with_cfg(command: Callable[..., None]) -> Callable[..., None]:
    """A command with ``--cfg``, as Hydra has it: where the command reads its settings, they are printed."""

    @wraps(command)
    def run(*args: Any, cfg: bool = False, **kwargs: Any) -> None:
        token = _CFG.set(cfg)
        try:
            command(*args, **kwargs)
        finally:
            _CFG.reset(token)

    signature = inspect.signature(command, eval_str=True)
    option = inspect.Parameter("cfg", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=_Cfg)
    run.__signature__ = signature.replace(parameters=[*signature.parameters.values(), option])  # type: ignore[attr-defined]
    run.__annotations__ = {**command.__annotations__, "cfg": _Cfg}
    return run


class _Lines:
    """Says in a log how far a stage is: after a minute, then each 10% or ten minutes, a minute apart."""

    def __init__(self, name: str, total: int, say: Callable[[str], None]) -> None:
        self._name, self._total, self._say = name, total, say
        self._done = self._said = 0
        self._begun = self._last = time.monotonic()

    def __call__(self, n: int) -> None:
        """Count ``n`` more items."""
        self._done += n
        now = time.monotonic()
        waited, share = now - self._last, (self._done - self._said) / max(1, self._total)
        if not self._done or waited < _SELDOM[0] or (self._said and share < 0.1 and waited < _SELDOM[1]):
            return
        self._last, self._said = now, self._done
        spent = now - self._begun
        left = spent / self._done * max(0, self._total - self._done)
        self._say(
            f"{self._name}: {self._done:,} of {self._total:,} ({self._done / max(1, self._total):.0%}) "
            f"in {_minutes(spent)}, about {_minutes(left)} left"
        )


def _minutes(seconds: float) -> str:
    """A time as a person says it: ``40 s``, ``12 min``, ``2 h 05 min``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min"


class Terminal:
    """Progress bars on the error stream, so that output can be piped."""

    @contextmanager
    def step(self, name: str, total: int) -> Iterator[Callable[[int], None]]:
        """A bar for one stage; where no terminal shows it, now and then a line."""
        if not err.is_terminal:
            yield _Lines(name, total, self.say)
            return
        with Progress(
            TextColumn("{task.description:<10}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=err,
        ) as bars:
            task = bars.add_task(name, total=total)
            yield lambda n: bars.advance(task, n)

    def say(self, line: str) -> None:
        """One line."""
        note(line)


def fail(message: str, code: int) -> NoReturn:
    """Say what is wrong in one line and exit."""
    note(f"citegrain: {message}", "red")
    raise typer.Exit(code)


@contextmanager
def in_one_line(artifacts: Path, *more: type[Exception], code: int = 0) -> Iterator[None]:
    """End with one line, and ``code`` or the error's, where the body fails for what a user can mend."""
    from citegrain.tasks.core.errors import Expected
    from citegrain.tasks.core.store.files import explain

    expected: tuple[type[Exception], ...] = (Expected, *more)
    try:
        yield
    except expected as error:
        fail(str(error), code or getattr(error, "exit_code", 1))
    except OSError as error:  # where no stage writes: the demo's PDF, Prefect's folder
        fail(explain(error, artifacts), 1)


def settings_of(overrides: list[str] | None, online: bool = False) -> Settings:
    """The settings that the overrides give; exits with 2 where they are wrong."""
    from citegrain.flows.shared.remembered import asking_settings
    from citegrain.flows.shared.settings import SettingsError, as_yaml, load_settings

    load = asking_settings if online and not _CFG.get() else load_settings
    try:
        settings = load(overrides or [])
    except SettingsError as error:
        fail(str(error), 2)
    if _CFG.get():
        typer.echo(as_yaml(settings), nl=False)
        raise typer.Exit
    return settings


def published(overrides: list[str] | None) -> list[str]:
    """Overrides in which a corpus given by its name alone is a published one."""
    given = list(overrides or [])
    if any(o.startswith("corpus.name=") for o in given) and not any(o.startswith("corpus=") for o in given):
        return ["corpus=published", *given]
    return given


def build_folder(settings: Settings, explicit: bool) -> Path | None:
    """Folder of the build that is named, of ``CITEGRAIN_CORPUS``, the only one, or one chosen here."""
    from citegrain.tasks.offline.index import published_names

    if explicit:
        return settings.builds_folder / settings.corpus.name
    names = published_names(settings.builds_folder)
    name = os.environ.get("CITEGRAIN_CORPUS", "")
    if not name and len(names) > 1:
        if not (sys.stdin.isatty() and err.is_terminal):
            fail(
                f"{len(names)} builds are published: {', '.join(names)}; name one by corpus.name=NAME or "
                "CITEGRAIN_CORPUS=NAME (citegrain builds lists them)",
                2,
            )
        name = Prompt.ask("which build", console=err, choices=names, default=names[0])
    name = name or "".join(names)
    return settings.builds_folder / name if name else None


def settings_to_ask(overrides: list[str] | None, code: int = 1) -> tuple[Settings, Path]:
    """The settings that the overrides give, and the folder of the build, as :func:`corpus_to_ask` has it."""
    given = published(overrides)
    settings = settings_of(given)
    return settings, corpus_to_ask(settings, given, code)


def corpus_to_ask(settings: Settings, overrides: list[str], code: int = 1) -> Path:
    """Folder of the build that is asked, which is said; exits with ``code`` where none is published."""
    folder = build_folder(settings, is_named(overrides))
    if folder is None:
        fail(f"no build is published in {settings.builds_folder}: run make demo or citegrain index", code)
    if (folder / "current").is_file():
        since = when((folder / "current").stat().st_mtime)
        note(f"asking {folder.name}, published {since} (corpus.name=NAME asks another)")
    return folder


def is_named(overrides: list[str]) -> bool:
    """Whether overrides name a corpus."""
    return any(o.startswith(("corpus.name=", "corpus=")) for o in overrides)


def when(seconds: float) -> str:
    """A moment on the user's clock, to the minute."""
    return datetime.fromtimestamp(seconds, UTC).astimezone().strftime("%Y-%m-%d %H:%M")


def line(text: str, style: str = "") -> None:
    """One line of output, as it is."""
    out.print(text, markup=False, soft_wrap=True, style=style)


def note(text: str, style: str = "") -> None:
    """One line on the error stream, as it is."""
    err.print(text, markup=False, soft_wrap=True, style=style)


def write_page(path: Path, page: str) -> None:
    """Write a page of HTML, and say so."""
    from citegrain.tasks.core.store.files import write_atomically

    write_atomically(path, page)
    note(f"written: {path}")


def rendered(content: Table, style: Callable[[str], str] = lambda text: "") -> RenderableType:
    """A table as the terminal shows it: intervals below their values, figures at the right.

    Where its columns need more than the terminal has they stand in parts, each with the names of the rows.
    ``style``: of a cell, by its text.
    """
    heads, *rows = content.texts(lambda *parts: "\n".join(filter(None, parts)))
    heads = ["\n".join(fill(part, 10, break_long_words=False) for part in head.split("\n")) for head in heads]
    rows = [[*row, *[""] * (len(heads) - len(row))] for row in rows]  # headings among them are one cell
    is_text = [True, *(column.is_text for column in content.columns)]
    columns = zip(heads, *rows, strict=True)
    widths = [_width(cells, folds) for cells, folds in zip(columns, is_text, strict=True)]
    parts: list[list[int]] = [[0]]
    room = left = out.width + 1 - widths[0]
    for place, width in list(enumerate(widths))[1:]:
        if width > left and len(parts[-1]) > 1:
            parts.append([0])
            left = room
        parts[-1].append(place)
        left -= width
    tables = []
    for part in parts:
        title = Text(content.caption, "bold") if content.caption and part is parts[0] else None
        table = RichTable(
            title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False
        )
        spare = out.width + 1 - sum(widths[place] for place in part if not is_text[place])
        most = max(_LEAST, spare // sum(is_text[place] for place in part) - 2)
        # a longer name ends its line behind a sign, not within a word
        name_part = re.compile(rf"(?=\S{{{most + 1}}})(\S{{1,{most - 1}}}[-_/])")
        for place in part:
            justify: Any = "left" if is_text[place] else "right"
            table.add_column(Text(heads[place]), justify=justify, no_wrap=not is_text[place], overflow="fold")
        for row in rows:
            table.add_row(*(Text(name_part.sub(r"\1\n", row[place]), style(row[place])) for place in part))
        tables.append(table)
    return Group(*tables) if len(tables) > 1 else tables[0]


def _width(cells: Iterable[str], folds: bool) -> int:
    """Signs that a column needs with the two blanks behind it; of one that folds the least."""
    longest = max(len(row) for cell in cells for row in cell.split("\n"))
    return 2 + (min(_LEAST, longest) if folds else longest)


def json_text(value: Any, indent: int | None = None) -> str:
    """JSON for standard output: escaped where that is not UTF-8, else a sign would be lost."""
    utf = (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf8")
    return json.dumps(value, indent=indent, ensure_ascii=not utf)


def write_report(file: Path, text: str) -> None:
    """Keep a report that is printed too: where it cannot be written, the command goes on."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        note(f"the report could not be written: {error.strerror}")


def shown(path: Path) -> str:
    """A path as the user would type it."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
