"""The notebooks run on a build, and only read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.golden_outputs import golden_build

pytestmark = [pytest.mark.model, pytest.mark.xdist_group("golden")]


@pytest.mark.parametrize("notebook", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda p: p.stem)
def test_a_notebook_runs(notebook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build = golden_build().folder
    before = sorted((p, p.stat().st_mtime_ns) for p in build.rglob("*"))
    monkeypatch.setenv("CITEGRAIN_BUILD", str(build))
    monkeypatch.chdir(ROOT / "notebooks")
    names: dict[str, object] = {}
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            assert not cell["outputs"], "outputs are not committed"
            exec(compile("".join(cell["source"]), notebook.name, "exec"), names)
    assert sorted((p, p.stat().st_mtime_ns) for p in build.rglob("*")) == before
