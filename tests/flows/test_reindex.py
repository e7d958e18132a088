"""Re-index over Acts of our own: no change, what moved, the gate, force, rollback."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from flows.reindex import reindex
from flows.reindexing import FIRST, NO_CHANGE, PROMOTED, RECORD, REFUSED, run_reindex
from flows.settings import Settings, SettingsError, load_settings
from tasks.builds import Build
from tasks.index import read_pointer, rollback
from tasks.promotion import Verdict
from tasks.store import ReindexBusy, reindexing
from tests import typeset
from tests.flows.conftest import Done, Quiet, common
from tests.flows.test_bench import LANTERN, benched, write_stories

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("studies")]
Call = Callable[..., Done]


def amended() -> typeset.Act:
    """The lantern Act with section 4 substituted, 4A inserted and 5 gone."""
    number, heading, sections = typeset.LANTERN.chapters[1]
    held = {s.number: s for s in sections}
    harder = replace(held["4"], paragraphs=[held["4"].paragraphs[0].replace("two years", "five years")])
    added = typeset.Section(
        "4A", "Inspectors", ["The Central Government may appoint inspectors of lanterns."]
    )
    chapter = (number, heading, [held["3"], held["3A"], harder, added])
    return replace(typeset.LANTERN, chapters=[typeset.LANTERN.chapters[0], chapter])


@pytest.fixture
def told(indexed: Path, corpus: Path, tmp_path: Path, tiny_model: Path) -> list[str]:
    return [*common(tmp_path, tiny_model), *benched(write_stories(tmp_path))]


@pytest.fixture
def settings(told: list[str]) -> Settings:
    return load_settings(told)


def current(settings: Settings) -> str:
    return read_pointer(settings.builds_folder / "mine" / "current")


def test_nothing_changed_is_a_state_of_its_own_and_writes_nothing(
    settings: Settings, told: list[str], monkeypatch: Any
) -> None:
    monkeypatch.setattr(
        "flows.indexing.prefect_environment.apply", lambda a: pytest.fail("a flow is started")
    )
    before = current(settings)
    outcome = run_reindex(settings, Quiet())
    assert outcome.state == NO_CHANGE and current(settings) == before == outcome.build.name
    assert not settings.reports_folder.exists() or not list(settings.reports_folder.glob("reindex-*"))
    assert not (settings.builds_folder / "mine" / RECORD).exists()
    assert reindex(told).name == "No change"


def test_an_amended_act_is_promoted_with_its_report_and_rolled_back_at_once(
    settings: Settings, corpus: Path, tmp_path: Path
) -> None:
    before = current(settings)
    (corpus / "lantern.pdf").write_bytes(typeset.india_code(amended()))
    outcome = run_reindex(settings, Quiet())
    assert outcome.state == PROMOTED and not outcome.forced
    assert current(settings) == outcome.build.name != before
    moved = {(r["kind"], r["number"]) for r in outcome.amendments.to_pylist()}
    assert moved == {("substituted", "4"), ("inserted", "4A"), ("omitted", "5")}
    assert outcome.report is not None
    page = (outcome.report / "amendments.html").read_text(encoding="utf-8")
    assert "five" in page and "inspectors" in page
    assert json.loads((outcome.report / "verdict.json").read_text())["promoted"] is True
    record = [json.loads(line) for line in (outcome.build.parent / RECORD).read_text().splitlines()]
    assert [(r["state"], r["before"], r["forced"]) for r in record] == [(PROMOTED, before, False)]
    hit = Build.open(outcome.build).search("inspectors of lanterns appointed", k=3)
    assert any("4A" in h.provision_id for h in hit)
    assert rollback(settings.builds_folder, "mine") == before == current(settings)


def test_labels_that_the_amendment_touches_are_left_out_of_the_gate(
    told: list[str], corpus: Path, tmp_path: Path
) -> None:
    number, heading, sections = typeset.LANTERN.chapters[1]
    third = replace(sections[0], paragraphs=["A keeper has no right to wages of any kind whatever."])
    act = replace(
        typeset.LANTERN, chapters=[typeset.LANTERN.chapters[0], (number, heading, [third, *sections[1:]])]
    )
    (corpus / "lantern.pdf").write_bytes(typeset.india_code(act))
    outcome = run_reindex(load_settings(told), Quiet())
    verdict = outcome.verdict
    assert isinstance(verdict, Verdict) and verdict.excluded == {"a": [f"{LANTERN}/sec_3"]}
    for changed in verdict.changed:
        assert changed.before != changed.after


def test_a_document_that_is_no_longer_read_refuses_the_build_and_force_is_recorded(
    call: Call, settings: Settings, told: list[str], corpus: Path
) -> None:
    before = current(settings)
    (corpus / "bell.pdf").write_bytes(b"%PDF-1.7 broken")
    refused = call("reindex", *told)
    assert refused.returncode == 5 and "bell.pdf was read before and is not now" in refused.stdout
    assert current(settings) == before
    forced = call("reindex", *told, "--force")
    assert forced.returncode == 0 and "by force" in forced.stdout and current(settings) != before
    record = (settings.builds_folder / "mine" / RECORD).read_text().splitlines()
    assert [(json.loads(r)["state"], json.loads(r)["forced"]) for r in record] == [
        (REFUSED, False),
        (PROMOTED, True),
    ]


def test_a_loss_on_the_benchmark_refuses_the_build(
    settings: Settings, corpus: Path, monkeypatch: Any
) -> None:
    from flows import gate

    measure = gate.measure
    asked: list[Any] = []

    def worse(build: Build, *rest: Any) -> Any:
        found = measure(build, *rest)
        asked.append(build)
        right = 1.0 if len(asked) == 1 else 0.0
        return replace(found, values=dict.fromkeys(found.values, right), labels={})

    monkeypatch.setattr(gate, "measure", worse)
    before = current(settings)
    (corpus / "lantern.pdf").write_bytes(typeset.india_code(amended()))
    outcome = run_reindex(settings, Quiet())
    assert outcome.state == REFUSED and current(settings) == before
    assert outcome.verdict is not None and "worse" in outcome.verdict.reasons[0]


def test_the_first_build_of_a_name_has_nothing_to_be_held_against(told: list[str]) -> None:
    outcome = run_reindex(load_settings([*told, "corpus.name=other"]), Quiet())
    assert outcome.state == FIRST and outcome.verdict is None
    assert read_pointer(outcome.build.parent / "current") == outcome.build.name


def test_the_second_of_two_leaves(call: Call, settings: Settings, told: list[str]) -> None:
    with reindexing(settings.builds_folder / "mine", 0.0):
        with pytest.raises(ReindexBusy):
            run_reindex(settings, Quiet())
        assert call("reindex", *told).returncode == 4


@pytest.mark.parametrize("wrong", ["reindex.metric=ndcg_10", "reindex.most_lost=2", "reindex.wait=-1"])
def test_a_wrong_gate_is_refused(wrong: str) -> None:
    with pytest.raises(SettingsError, match="reindex"):
        load_settings([wrong])
