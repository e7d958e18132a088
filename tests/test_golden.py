"""No stage's output moves unless its version is raised."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citegrain.tasks.core.stage import Stage
from tests import golden_outputs as golden

pytestmark = [pytest.mark.model, pytest.mark.xdist_group("golden")]


@pytest.mark.parametrize("stage", list(golden.STAGES))
def test_output_is_as_accepted(stage: str) -> None:
    assert golden.complaint(stage) is None


def test_a_change_without_a_new_version_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(golden, "FOLDER", tmp_path)
    accepted = {"version": 3, "output": {"rows": [{"a": 1}]}}
    (tmp_path / "made.json").write_text(json.dumps(accepted))
    for version, row, wanted in [
        (3, {"a": 1}, None),
        (3, {"a": 2}, "raise its STAGE version above 3"),
        (4, {"a": 2}, "python -m tests.golden_outputs"),
        (4, {"a": 1}, "python -m tests.golden_outputs"),
    ]:
        stages = {"made": (Stage("made", version, ()), lambda row=row: {"rows": [row]})}
        monkeypatch.setattr(golden, "STAGES", stages)
        complaint = golden.complaint("made")
        assert (complaint is None) if wanted is None else wanted in (complaint or "")
        # accepting needs the version too
        assert golden.accept() == (1 if wanted and "raise" in wanted else 0)
        (tmp_path / "made.json").write_text(json.dumps(accepted))
