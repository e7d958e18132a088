"""A new stage over documents is a package and a line: with nothing else touched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from citegrain.flows.index.run import run_index
from citegrain.flows.shared.settings import Settings, SettingsError, load_settings
from citegrain.tasks.core.schemas import TEXTS
from citegrain.tasks.offline import chain
from tests.flows.conftest import Quiet
from tests.flows.prefect_pages import edges, task_runs, wait_for

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("index")]


LINE = "tests.flows.index.shout"


def test_it_is_configured_planned_run_drawn_and_kept(
    settings: Callable[..., Settings], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    packages = *chain.OVER_DOCUMENTS, LINE
    monkeypatch.setattr(chain, "DOCUMENT_STAGES", chain.document_stages(packages))
    first = run_index(settings("corpus.name=shouted"), Quiet())
    assert first.line.startswith("1 configuration, 12 stage runs") and first.computed["shout"] == 2
    drawn = edges(wait_for(lambda: task_runs("index shouted"), lambda tasks: len(tasks) == 7))
    assert (
        drawn["shout 2 PDFs"] == drawn["chunk 2 PDFs"] == {"structure 2 PDFs"} and not drawn["parse 2 PDFs"]
    )
    assert drawn["tag 2 PDFs"] == {"structure 2 PDFs", "chunk 2 PDFs"}
    assert "shout 2 PDFs" in drawn["index 1 build"]
    files = list((tmp_path / "artifacts" / "store" / "shout").glob("*/texts.parquet"))
    assert len(files) == 2
    again = run_index(settings("corpus.name=shouted"), Quiet())
    assert not again.started_flow and again.build == first.build
    louder = run_index(settings("corpus.name=shouted", "shout.exclamation='!!'"), Quiet())
    assert louder.computed == {"shout": 2, "index": 1}
    assert first.plan.documents[0].done["shout"].table(TEXTS).column("text")[0].as_py().endswith("!")
    with pytest.raises(SettingsError, match="loudness"):
        settings("shout.loudness=3")


def test_without_the_line_its_parameters_are_unknown() -> None:
    with pytest.raises(SettingsError, match="shout"):
        load_settings(["shout.exclamation='?'"])
