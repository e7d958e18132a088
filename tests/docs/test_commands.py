"""The commands that the pages show exist, with their options, overrides and Make targets."""

from __future__ import annotations

import importlib
import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command

from citegrain.flows.cli.main import app
from citegrain.flows.shared.settings import load_settings, split_values
from tests.conftest import ROOT

PAGES = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").glob("*.md"))]
INLINE = re.compile(r"`((?:citegrain|make) [^`\n]+)`")
EXAMPLE = "rerank=word_overlap"  # what docs/extending.md adds as an exercise
OVERRIDE = re.compile(r"[+~]{0,2}[a-z_]+(\.[a-z_]+)*=.*|~[a-z_.]+", re.DOTALL)


def _lines() -> Iterator[str]:
    """Lines of code blocks, and code in running text, that begin with a command."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        fenced = [line for block in text.split("```")[1::2] for line in block.splitlines()]
        lines = [*fenced, *(line for line in text.splitlines() if line.startswith("    "))]
        stripped = [line.strip().removeprefix("$ ") for line in lines]
        yield from (line for line in stripped if re.match(r"(\w+=\S+ )?(citegrain|make) [a-z]", line))
        yield from INLINE.findall(text)


def _words(line: str) -> list[str]:
    try:
        words = shlex.split(line, comments=True)
    except ValueError:  # an apostrophe: running text that happens to begin with the name
        return []
    while words and "=" in words[0]:
        words = words[1:]
    return words


COMMANDS = sorted({tuple(words) for line in _lines() if (words := _words(line))[:1] == ["citegrain"]})
TARGETS = sorted({words[1] for line in _lines() if (words := _words(line))[:1] == ["make"]})


def _command(words: tuple[str, ...]) -> tuple[Any, list[str]]:
    """The command of the app that ``words`` name, and what follows it."""
    command: Any = get_command(app)
    rest = list(words[1:])
    while hasattr(command, "commands") and rest and not rest[0].startswith("--"):
        name = rest.pop(0)
        assert name in command.commands, f"there is no command {name}"
        command = command.commands[name]
    return command, rest


def _overrides(rest: list[str]) -> list[str]:
    return [word for word in rest if OVERRIDE.fullmatch(word) and " " not in word.partition("=")[0]]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_command_and_its_options_exist(words: tuple[str, ...]) -> None:
    command, rest = _command(words)
    options = {
        option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)
    }
    assert {word.partition("=")[0] for word in rest if word.startswith("--")} <= options | {"--help"}


@pytest.mark.parametrize(
    "overrides",
    sorted({tuple(_overrides(list(words[1:]))) for words in COMMANDS if EXAMPLE not in words}),
    ids=" ".join,
)
def test_overrides_compose(overrides: tuple[str, ...]) -> None:
    if "corpus=published" in overrides or any(word.startswith("corpus.name=") for word in overrides):
        overrides = (
            *overrides,
            *(() if any(w.startswith("corpus=") for w in overrides) else ("corpus=published",)),
        )
    given, cells = split_values(overrides)
    for changes in cells.values() or [[]]:
        load_settings([*given, *changes])


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert {
        target for target in TARGETS if not re.search(rf"^{re.escape(target)}:", makefile, re.MULTILINE)
    } == set()


def test_what_the_examples_import_exists() -> None:
    for page in PAGES:
        for package, names in re.findall(
            r"^from (citegrain\S*) import ([\w, ]+)$", page.read_text(encoding="utf-8"), re.MULTILINE
        ):
            module = importlib.import_module(package)
            missing = [name for name in names.split(", ") if not hasattr(module, name)]
            assert not missing, f"{page.name}: {package} has no {missing}"
