"""Every option has a reason: it is the default, or a published system, a promise or a figure speaks for it."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
CONF = ROOT / "citegrain" / "conf"
OPTIONS = sorted(CONF.glob("*/*.yaml"))
REASON = re.compile(r"# (default|published: .+|promised: .+|measured: .+)")
SYSTEMS = ("the thesis", "CivicSetu", "KG-CiteRAG", "the guide", "paper-QA")
PUBLISHED = (ROOT / "docs" / "published-systems.md").read_text(encoding="utf-8")
LOG = (ROOT / "docs" / "log.md").read_text(encoding="utf-8")


def reason_of(path: Path) -> str:
    """What the first line says, below the line of Hydra."""
    lines = path.read_text(encoding="utf-8").removeprefix("# @package _global_\n").splitlines()
    match = REASON.fullmatch(lines[0])
    return match[1] if match else ""


def option(path: Path) -> str:
    return f"{path.parent.name}={path.stem}"


def mentions(path: Path, text: str) -> bool:
    """Whether a text names an option, by itself or with its group."""
    return bool(re.search(rf"\b{option(path)}\b|`{path.stem}`", text))


def read_by(path: Path) -> list[Path]:
    """The presets, sweeps and studies that choose an option, or start from it."""
    group, name = path.parent.name, path.stem
    chosen = re.compile(
        rf'(override /)?\b{group}(@[\w.]+)?(: |=)"?{name}\b|^  - {name}(@[\w.]+)?$', re.MULTILINE
    )
    presets = [p for p in OPTIONS if p.parent.name in {"experiment", "sweep", "study", group} and p != path]
    return [p for p in presets if chosen.search(p.read_text(encoding="utf-8"))]


def system_of(reason: str) -> list[str]:
    return [system for system in SYSTEMS if system in reason]


@pytest.mark.parametrize("path", OPTIONS, ids=option)
def test_an_option_says_why_it_is_here_and_it_is_so(path: Path) -> None:
    kind, _, why = reason_of(path).partition(": ")
    if kind == "default":
        choices = yaml.safe_load((CONF / "config.yaml").read_text(encoding="utf-8"))["defaults"]
        chosen = [c[path.parent.name] for c in choices if isinstance(c, dict) and path.parent.name in c]
        assert chosen == [path.stem]
    elif kind == "published":
        systems = system_of(why)
        assert systems, f"none of {SYSTEMS}"
        presets = [p for p in read_by(path) if set(system_of(reason_of(p))) & set(systems)]
        assert presets or mentions(path, PUBLISHED), "no preset of that system has it, and its page is silent"
    elif kind == "promised":
        page = (ROOT / why).read_text(encoding="utf-8")
        presets = [p for p in read_by(path) if p.parent.name == "experiment"]
        assert any(mentions(p, page) for p in [path, *presets]), (
            f"{why} names neither it nor a preset with it"
        )
    else:
        assert kind == "measured", "the first line gives no reason"
        lines = [line for line in LOG.splitlines() if why in line]
        assert lines, "docs/log.md has no such figure"
        verdicts = [line.split("|")[-3].strip() for line in lines]
        assert any(not v.startswith(("null", "removed", "loses")) for v in verdicts), (
            "it is not beyond chance"
        )


@pytest.mark.parametrize(
    "text, reason",
    [
        ("# measured: +3 [1, 5]\nkind: a\n", "measured: +3 [1, 5]"),
        ("# @package _global_\n# default\nkind: a\n", "default"),
        ("# A better one.\nkind: a\n", ""),
        ("kind: a\n# default\n", ""),
    ],
)
def test_a_reason_stands_in_the_first_line(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "some.yaml"
    path.write_text(text, encoding="utf-8")
    assert reason_of(path) == reason
