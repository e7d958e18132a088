"""Re-index over Acts of our own: no change, what moved, the gate, force, rollback."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from citegrain.flows.reindex import gate, run
from citegrain.flows.reindex.run import _Log, reindex, run_reindex
from citegrain.flows.reindex.steps import NO_CHANGE, REPORT
from citegrain.flows.shared.library import Build
from citegrain.flows.shared.settings import Settings, SettingsError, load_settings
from citegrain.tasks.core.store import ReindexBusy, reindexing
from citegrain.tasks.evaluation.benchmark import Citation, Record
from citegrain.tasks.evaluation.promotion import FIRST, PROMOTED, RECORD, REFUSED, Verdict
from citegrain.tasks.offline.index import COPIES, copy_documents, read_pointer, rollback
from tests import typeset
from tests.flows.conftest import Done, Quiet, common
from tests.flows.prefect_pages import edges, task_runs, wait_for
from tests.flows.study.test_bench import BELL, LANTERN, benched, record, write_stories

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("studies")]
Call = Callable[..., Done]


def amended() -> typeset.Act:
    """The lantern Act with section 4 substituted, 4A inserted and 5 gone."""
    number, heading, sections = typeset.LANTERN.chapters[1]
    by_number = {s.number: s for s in sections}
    fourth = by_number["4"]
    harder = replace(fourth, paragraphs=[fourth.paragraphs[0].replace("two years", "five years")])
    added = typeset.Section(
        "4A", "Inspectors", ["The Central Government may appoint inspectors of lanterns."]
    )
    chapter = (number, heading, [by_number["3"], by_number["3A"], harder, added])
    return replace(typeset.LANTERN, chapters=[typeset.LANTERN.chapters[0], chapter])


@pytest.fixture
def overrides(indexed: Path, corpus: Path, tmp_path: Path, tiny_model: Path) -> list[str]:
    return [*common(tmp_path, tiny_model), *benched(write_stories(tmp_path))]


@pytest.fixture
def settings(overrides: list[str]) -> Settings:
    return load_settings(overrides)


def current(settings: Settings) -> str:
    return read_pointer(settings.builds_folder / "mine" / "current")


def test_nothing_changed_is_a_state_of_its_own_and_writes_nothing(
    settings: Settings, overrides: list[str], monkeypatch: Any
) -> None:
    monkeypatch.setattr(
        "citegrain.flows.shared.prefect_tasks.set_up_prefect", lambda a: pytest.fail("a flow is started")
    )
    before = current(settings)
    outcome = run_reindex(settings, Quiet())
    assert outcome.state == NO_CHANGE and current(settings) == before == outcome.build.name
    assert not list((settings.builds_folder / "mine").glob(f"*{REPORT}"))
    assert not (settings.builds_folder / "mine" / RECORD).exists()
    assert reindex(overrides).name == "No change"


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
    assert outcome.report.parent == outcome.build.parent
    page = (outcome.report / "amendments.html").read_text(encoding="utf-8")
    assert "five" in page and "inspectors" in page
    link = re.search(r'<a href="([^"]*)#page=\d+">', page)
    (corpus / "lantern.pdf").write_bytes(b"the next edition")
    assert link is not None and (outcome.report / link[1]).read_bytes() == typeset.india_code(amended())
    assert "could not have seen a loss below" in page or "too few to see any loss" in page
    assert json.loads((outcome.report / "verdict.json").read_text())["promoted"] is True
    recorded = [json.loads(line) for line in (outcome.build.parent / RECORD).read_text().splitlines()]
    assert [(r["state"], r["before"], r["forced"]) for r in recorded] == [(PROMOTED, before, False)]
    hit = Build.open(outcome.build).search("inspectors of lanterns appointed", k=3)
    assert any("4A" in h.provision_id for h in hit)
    assert rollback(settings.builds_folder, "mine") == before == current(settings)


def test_pages_of_a_replaced_edition_are_shown_from_its_copy(
    call: Call, settings: Settings, overrides: list[str], corpus: Path
) -> None:
    before = (corpus / "lantern.pdf").read_bytes()
    copies = settings.builds_folder / "mine" / f"{current(settings)}{COPIES}"
    assert sorted(p.read_bytes() for p in copies.iterdir()) == sorted(
        p.read_bytes() for p in corpus.iterdir()
    )
    (corpus / "lantern.pdf").write_bytes(typeset.india_code(amended()))
    outcome = run_reindex(settings, Quiet())
    assert outcome.report is not None
    page = (outcome.report / "amendments.html").read_text(encoding="utf-8")
    links = set(re.findall(r'<a href="(old-pages/[0-9a-f]{12}-\d+\.pdf)">', page))
    assert links and links == {f"old-pages/{p.name}" for p in (outcome.report / "old-pages").iterdir()}
    with pymupdf.open(outcome.report / min(links)) as shown, pymupdf.open("pdf", before) as whole_act:
        text = shown[0].get_text()
        assert "may extend to two years" in " ".join(text.split()) and text in {
            p.get_text() for p in whole_act
        }
    # what both builds have is one file
    new = outcome.build.with_name(outcome.build.name + COPIES)
    same = {p.name for p in copies.iterdir()} & {p.name for p in new.iterdir()}
    assert [(new / name).samefile(copies / name) for name in same] == [True]


def test_copies_of_documents_have_a_bound(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("citegrain.tasks.offline.index.publishing._MOST_COPIED", 20)
    files = {}
    for text in (b"a" * 15, b"bbbb", b"cccccc"):
        file = tmp_path / f"{text[:1].decode()}.pdf"
        file.write_bytes(text)
        files[hashlib.sha256(text).hexdigest()] = file
    files["0" * 64] = files[hashlib.sha256(b"bbbb").hexdigest()]  # other bytes by now
    files["1" * 64] = tmp_path / "gone.pdf"
    build = tmp_path / "builds" / "mine" / "k"
    build.mkdir(parents=True)
    copy_documents(build, files)
    copied = {p.read_bytes() for p in build.with_name("k" + COPIES).iterdir()}
    assert copied == {b"bbbb", b"cccccc"}
    copy_documents(tmp_path / "not" / "there" / "k", files)  # nothing is said where it cannot be written


def test_a_benchmark_of_other_acts_measures_nothing_and_the_amendments_are_printed(
    call: Call, settings: Settings, overrides: list[str], corpus: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(gate, "measure", lambda *a: pytest.fail("it is measured"))
    file = tmp_path / "other.jsonl"
    file.write_text(json.dumps(record("z", "The lift is broken", [("lift-act-1999", "3")])) + "\n")
    (corpus / "lantern.pdf").write_bytes(typeset.india_code(amended()))
    done = call(
        "reindex",
        *[o for o in overrides if not o.startswith("benchmark")],
        "benchmark=file",
        f"benchmark.path={file}",
    )
    assert done.returncode == 0, done.stderr
    assert "other names no Act of this corpus, and nothing is compared by it" in done.stdout
    assert "1 inserted, 1 substituted, 0 renumbered, 1 omitted, 0 printed differently" in done.stdout
    amended_act = "The Lantern Keepers (Welfare) Act, 2011: inserted Section 4A; substituted Section 4; omitted Section 5"
    assert amended_act in " ".join(done.stdout.split())
    assert "answers changed" not in done.stdout
    (report,) = (settings.builds_folder / "mine").glob(f"*{REPORT}")
    verdict = json.loads((report / "verdict.json").read_text())
    assert verdict["benchmark_fits"] is False and verdict["moved"]["substituted"] == 1
    assert "names no Act of this corpus" in (report / "amendments.html").read_text("utf-8")


def test_labels_that_the_amendment_touches_are_left_out_of_the_gate(
    overrides: list[str], corpus: Path, tmp_path: Path
) -> None:
    number, heading, sections = typeset.LANTERN.chapters[1]
    third = replace(sections[0], paragraphs=["A keeper has no right to wages of any kind whatever."])
    act = replace(
        typeset.LANTERN, chapters=[typeset.LANTERN.chapters[0], (number, heading, [third, *sections[1:]])]
    )
    (corpus / "lantern.pdf").write_bytes(typeset.india_code(act))
    outcome = run_reindex(load_settings(overrides), Quiet())
    verdict = outcome.verdict
    assert isinstance(verdict, Verdict) and verdict.excluded == {"a": [f"{LANTERN}/sec_3"]}
    assert outcome.report is not None and "Left out, because" in (
        outcome.report / "amendments.html"
    ).read_text("utf-8")


def test_a_text_to_which_nothing_applies_is_left_out_where_something_new_may_apply() -> None:
    labelled = Citation(act="lamp-act", section="1")
    within = Record(id="a", text="x", applicable=(labelled,), primary=labelled)
    assert gate._meant(within, {"p1"}, {"p2"}) == {"p1", "p2"}
    assert gate._meant(Record(id="b", text="x"), {"p1"}, {"p1", "p2"}) == {"p2"}
    assert gate._meant(Record(id="b", text="x"), set(), {"p2"}) == {"p2"}


def test_a_document_that_is_no_longer_read_refuses_the_build_and_force_is_recorded(
    call: Call, settings: Settings, overrides: list[str], corpus: Path
) -> None:
    before = current(settings)
    (corpus / "bell.pdf").write_bytes(b"%PDF-1.7 broken")
    refused = call("reindex", *overrides)
    assert refused.returncode == 5 and "bell.pdf: was read before and is not now" in refused.stdout
    assert current(settings) == before and "--force promotes this one" in refused.stdout
    forced = call("reindex", *overrides, "--force")
    assert forced.returncode == 0 and "by force" in forced.stdout and current(settings) != before
    record = (settings.builds_folder / "mine" / RECORD).read_text().splitlines()
    assert [(json.loads(r)["state"], json.loads(r)["forced"]) for r in record] == [
        (REFUSED, False),
        (PROMOTED, True),
    ]


def test_a_loss_on_the_benchmark_refuses_the_build(
    settings: Settings, corpus: Path, monkeypatch: Any
) -> None:
    measure, before = gate.measure, current(settings)

    def worse(build: Build, *rest: Any) -> Any:
        measured = measure(build, *rest)
        right = float(build.folder.name == before)
        assert list(measured.values) == ["primary_accuracy", "abstained_in_scope", "abstained_out_of_scope"]
        values = {"primary_accuracy": dict.fromkeys(measured.values["primary_accuracy"], right)}
        return replace(measured, values=values, labels={})

    monkeypatch.setattr(gate, "measure", worse)
    (corpus / "lantern.pdf").write_bytes(typeset.india_code(amended()))
    outcome = run_reindex(settings, Quiet())
    assert outcome.state == REFUSED and current(settings) == before
    assert outcome.verdict is not None and "worse" in outcome.verdict.reasons[0]


def test_an_answer_that_moved_is_listed_with_what_moved_it(
    settings: Settings, corpus: Path, monkeypatch: Any
) -> None:
    (corpus / "lantern.pdf").write_bytes(typeset.india_code(amended()))
    outcome = run_reindex(settings, Quiet())
    verdict, report = outcome.verdict, outcome.report
    assert verdict is not None and verdict.changed and report is not None
    page = (report / "amendments.html").read_text("utf-8")
    links = re.findall(r'<a href="((?:before|after)-pages/[0-9a-f]+\.html)">', page)
    assert len(links) == len(set(links)) == 2 * len(verdict.changed)
    assert all("section 4" in (report / link).read_text("utf-8") for link in links[:2])
    ids = {f"{LANTERN}/sec_{n}" for n in ("4", "4A", "5")}
    for changed in verdict.changed:
        moved = {*changed.added, *changed.removed}
        assert moved & ids <= set(changed.causes) <= ids


def test_an_act_that_is_added_or_taken_away_is_reported_and_its_labels_are_left_out(
    overrides: list[str], corpus: Path
) -> None:
    # how an encoder of random weights answers two complaints is not what is looked at
    settings = load_settings([*overrides, "reindex.most_lost=1"])
    bell = (corpus / "bell.pdf").read_bytes()
    (corpus / "bell.pdf").unlink()
    gone = run_reindex(settings, Quiet())
    assert gone.state == PROMOTED and gone.verdict is not None and gone.report is not None
    assert set(gone.verdict.excluded) == {"c"} and f"{BELL}/sec_3" in gone.verdict.excluded["c"]
    assert "No longer there: The Bell Ringers" in (gone.report / "amendments.md").read_text("utf-8")
    (corpus / "bell.pdf").write_bytes(bell)
    back = run_reindex(settings, Quiet())
    assert back.report is not None and back.verdict is not None
    # nothing applied to d: it is answered by the new Act, which may apply
    assert set(back.verdict.excluded) == {"c", "d"}
    assert "New: The Bell Ringers" in (back.report / "amendments.md").read_text("utf-8")


def test_a_file_in_which_its_act_is_no_longer_found_refuses_the_build(
    settings: Settings, corpus: Path
) -> None:
    other = typeset.renamed(typeset.LANTERN, "THE LATERN KEEPERS (WELFARE) ACT, 2011", "14 of 2011")
    (corpus / "lantern.pdf").write_bytes(typeset.india_code(other))
    outcome = run_reindex(settings, Quiet())
    assert outcome.state == REFUSED and outcome.verdict is not None
    assert outcome.verdict.reasons == [
        "lantern.pdf: The Lantern Keepers (Welfare) Act, 2011: was found in it before and is not now"
    ]


def test_an_act_that_lost_its_sections_without_a_word_refuses_the_build(
    overrides: list[str], corpus: Path, tmp_path: Path
) -> None:
    def act(sections: int) -> bytes:
        number, heading, printed = typeset.LANTERN.chapters[1]
        more = [
            typeset.Section(str(n), f"Lamps {n}", [f"Lamp {n} is lit."]) for n in range(10, 10 + sections)
        ]
        chapters = [typeset.LANTERN.chapters[0], (number, heading, [*printed, *more])]
        return typeset.india_code(replace(typeset.LANTERN, chapters=chapters))

    settings = load_settings(overrides)
    (corpus / "lantern.pdf").write_bytes(act(12))
    assert run_reindex(settings, Quiet()).state == PROMOTED
    (corpus / "lantern.pdf").write_bytes(act(2))
    outcome = run_reindex(settings, Quiet())
    assert outcome.state == REFUSED and outcome.verdict is not None
    assert "10 of " in outcome.verdict.reasons[0] and "sections are gone" in outcome.verdict.reasons[0]


def test_a_fuller_copy_of_an_act_takes_the_place_of_the_other(settings: Settings, corpus: Path) -> None:
    (corpus / "better.pdf").write_bytes(typeset.india_code(with_one_more()))
    outcome = run_reindex(settings, Quiet())
    assert outcome.state == PROMOTED
    assert [line for line in outcome.left_out if "lantern.pdf: not indexed: the same Act" in line]


def with_one_more() -> typeset.Act:
    number, heading, sections = typeset.LANTERN.chapters[1]
    added = typeset.Section("9", "Lenses", ["A lens shall be cleaned every day by its keeper."])
    return replace(
        typeset.LANTERN, chapters=[typeset.LANTERN.chapters[0], (number, heading, [*sections, added])]
    )


def test_what_is_not_indexed_is_reported_where_nothing_changed(
    call: Call, overrides: list[str], corpus: Path
) -> None:
    (corpus / "new.pdf").write_bytes(b"%PDF-1.7 broken")
    (corpus / "run.exe").write_bytes(b"MZ")
    (corpus / "same again.pdf").write_bytes((corpus / "lantern.pdf").read_bytes())
    done = call("reindex", *overrides)
    assert done.returncode == 0 and done.stdout.startswith("no change")
    assert "new.pdf: not indexed" in done.stdout and "run.exe: not indexed: .exe files are not" in done.stdout
    assert "same again.pdf: the same bytes as lantern.pdf" in done.stdout


def test_a_new_edition_whose_sections_were_not_read_is_promoted_and_said_once(
    call: Call, overrides: list[str], corpus: Path
) -> None:
    number, heading, printed = typeset.LANTERN.chapters[1]
    far = [typeset.Section(str(n), f"Lamps {n}", [f"Lamp {n} is lit."]) for n in range(40, 46)]
    gaps = replace(
        typeset.LANTERN, chapters=[typeset.LANTERN.chapters[0], (number, heading, [*printed, *far])]
    )
    (corpus / "lantern.pdf").write_bytes(typeset.india_code(gaps))
    done = call("reindex", *overrides)
    assert done.returncode == 0 and "lantern.pdf: failed: 34 of " in done.stdout, done.stdout
    assert "lantern.pdf: failed" not in call("reindex", *overrides).stdout


def test_a_build_that_cannot_be_read_is_replaced_by_force_alone(
    call: Call, settings: Settings, overrides: list[str], corpus: Path
) -> None:
    before = current(settings)
    (settings.builds_folder / "mine" / before / "chunks.parquet" / "part-00000.parquet").write_bytes(b"PAR1")
    (corpus / "lantern.pdf").write_bytes(typeset.india_code(amended()))
    refused = call("reindex", *overrides)
    assert refused.returncode == 5 and "the current build cannot be asked" in refused.stdout
    assert call("reindex", *overrides, "--force").returncode == 0 and current(settings) != before


def test_a_decision_stands_until_something_changes(
    call: Call, settings: Settings, overrides: list[str], corpus: Path, monkeypatch: Any
) -> None:
    before = current(settings)
    (corpus / "lantern.pdf").write_bytes(typeset.india_code(amended()))
    assert call("reindex", *overrides).returncode == 0
    assert call("rollback", "corpus.name=mine", *common_artifacts(overrides)).returncode == 0
    record = settings.builds_folder / "mine" / RECORD
    lines = len(record.read_text().splitlines())
    monkeypatch.setattr(gate, "measure", lambda *a: pytest.fail("it is judged anew"))
    again = call("reindex", *overrides)
    assert again.returncode == 5 and "rolled back at" in again.stdout and current(settings) == before
    assert len(record.read_text().splitlines()) == lines == 2


def common_artifacts(overrides: list[str]) -> list[str]:
    return [override for override in overrides if override.startswith("artifacts=")]


def test_the_report_is_an_artefact_of_prefect_and_no_condition(
    settings: Settings, corpus: Path, monkeypatch: Any
) -> None:
    artefacts: list[tuple[str, ...]] = []
    monkeypatch.setattr(run, "show_report", lambda *report: artefacts.append(report))
    (corpus / "lantern.pdf").write_bytes(typeset.india_code(amended()))
    assert run_reindex(settings, Quiet()).state == PROMOTED
    assert artefacts[0][0] == "amendments-mine" and "Section 4A" in artefacts[0][1]

    def fails(*report: str) -> None:
        raise RuntimeError("Prefect is not there")

    monkeypatch.setattr(run, "show_report", fails)
    (corpus / "lantern.pdf").write_bytes(typeset.india_code(typeset.LANTERN))
    quiet = Quiet()
    assert run_reindex(settings, quiet).state == PROMOTED and "keeps no report" in quiet.lines[-1]


def test_prefect_shows_the_steps_of_a_re_index_with_their_edges(settings: Settings, corpus: Path) -> None:
    (corpus / "lantern.pdf").write_bytes(typeset.india_code(amended()))
    before, outcome = current(settings)[:8], run_reindex(settings, Quiet())
    new = outcome.build.name[:8]
    index, compare = "index 2 documents", f"compare {before} and {new}"
    gate, publish = f"gate: 5 queries of {before} and {new}", f"publish {new}"

    def published() -> dict[str, set[str]]:
        return edges(task_runs("reindex mine"))

    reads = wait_for(published, lambda reads: publish in reads)
    assert reads[compare] == {index} and reads[gate] == {index, compare}
    assert reads[publish] == {compare, gate}


def test_a_name_alone_has_no_sources(call: Call, settings: Settings, overrides: list[str]) -> None:
    done = call("reindex", "corpus=published", "corpus.name=mine", *common_artifacts(overrides))
    assert done.returncode == 1 and "has no sources: add corpus=folder" in done.stderr


def test_the_first_build_of_a_name_is_compared_with_nothing(overrides: list[str]) -> None:
    outcome = run_reindex(load_settings([*overrides, "corpus.name=other"]), Quiet())
    assert outcome.state == FIRST and outcome.verdict is None
    assert read_pointer(outcome.build.parent / "current") == outcome.build.name


def test_the_second_of_two_leaves(call: Call, settings: Settings, overrides: list[str]) -> None:
    with reindexing(settings.builds_folder / "mine", 0.0):
        with pytest.raises(ReindexBusy):
            run_reindex(settings, Quiet())
        assert call("reindex", *overrides).returncode == 4


@pytest.mark.parametrize(
    "wrong", ["reindex.metrics=[primary_accuracy,ndcg_10]", "reindex.most_lost=2", "reindex.wait=-1"]
)
def test_a_wrong_gate_is_refused(wrong: str) -> None:
    with pytest.raises(SettingsError, match="reindex"):
        load_settings([wrong])


def test_the_log_of_a_schedule_has_what_is_said_while_documents_are_fetched(
    capsys: pytest.CaptureFixture[str],
) -> None:
    log = _Log()
    with log.step("fetch", 1):
        log.say("waiting")
    log.say("1 unchanged")
    assert re.fullmatch(r"[\d-]+ [\d:]+ waiting\n", capsys.readouterr().err)
