"""Settings of questions that are remembered: those that Hydra gives, and never others."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from citegrain.flows.shared import remembered
from citegrain.flows.shared.composing import CONF
from citegrain.flows.shared.remembered import READ, asking_settings
from citegrain.flows.shared.settings import Settings, SettingsError, load_settings

ROOT = Path(__file__).parents[3]
OVERRIDES = [
    [],
    ["corpus=published", "corpus.name=mine"],
    ["corpus=published", "corpus.name=5", "select=top", "select.k=3"],
    ["corpus=published", "corpus.name=mine", "select=conformal", "select.coverage=0.5"],
    ["corpus=published", "corpus.name=mine", "controller=rules", "rerank=late_interaction"],
    ["corpus=published", "corpus.name=mine", "retrieve.channels=[dense,sparse]", "artifacts=elsewhere"],
    ["experiment=untrained"],
]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "citegrain"


def again(overrides: list[str], monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The same settings where Hydra is not to be had."""
    with monkeypatch.context() as patch:
        patch.setattr(remembered, "load_settings", None)
        return asking_settings(overrides)


@pytest.mark.parametrize("overrides", OVERRIDES, ids=" ".join)
def test_what_is_remembered_is_what_hydra_gives(
    overrides: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    composed = load_settings(overrides, online=True)
    first, second = asking_settings(overrides), again(overrides, monkeypatch)
    assert repr(first) == repr(second) == repr(composed) and second == composed
    assert second.cascade == composed.cascade and second.artifacts_folder == composed.artifacts_folder


def test_another_override_file_or_variable_is_composed_anew(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking_settings(["corpus.name=a"])
    assert asking_settings(["corpus.name=b"]).corpus.name == "b"
    monkeypatch.setenv("CITEGRAIN_ARTIFACTS", "/elsewhere")
    assert asking_settings(["corpus.name=a"]).artifacts == "/elsewhere"
    monkeypatch.setattr(remembered, "PACKAGE", ROOT / "docs")  # other files, as after an upgrade
    with pytest.raises(TypeError):
        again(["corpus.name=a"], monkeypatch)
    assert len(list(cache.iterdir())) == 3 and cache.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"artifacts": 1, "groups": {"corpus": {"no": 1}}, "online": {}}']
)
def test_what_cannot_be_read_is_composed(cache: Path, text: str) -> None:
    composed = asking_settings([])
    (path,) = cache.iterdir()
    path.write_text(text)
    assert asking_settings([]) == composed
    assert json.loads(path.read_text())["artifacts"] == composed.artifacts


def test_errors_interpolations_and_what_else_is_read_are_not_remembered(cache: Path) -> None:
    with pytest.raises(SettingsError):
        asking_settings(["corpus.nam=a"])
    asking_settings(["corpus.name=${artifacts}"])
    asking_settings(["chunk=fixed"])  # all groups are read
    assert not cache.exists()


def test_only_some_are_remembered(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "_MOST", 2)
    for name in "abc":
        asking_settings([f"corpus.name={name}"])
    assert len(list(cache.iterdir())) == 2


def test_options_read_these_variables_alone() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in CONF.rglob("*.yaml"))
    assert set(re.findall(r"oc\.env:(\w+)", text)) == set(READ)


def test_settings_that_are_remembered_need_no_hydra(tmp_path: Path) -> None:
    code = "from citegrain.flows.shared.remembered import asking_settings as a; import sys; a([]); print('hydra' in sys.modules)"
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path)}
    said = [
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for _ in range(2)
    ]
    assert said == ["True", "False"]
