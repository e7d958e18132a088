"""Failures are counted by the rule that is written down, worked by hand."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from citegrain.flows.study.folder import _metadata_groups, _untagged
from citegrain.flows.study.study import Study
from citegrain.tasks.core.schemas import FUNNEL, SCORES, SUMMARY, per_configuration
from citegrain.tasks.evaluation.report.failures import MODES, failure_modes, failures_table
from citegrain.tasks.evaluation.studies import StudyFolder

INFORMAL = [["register", "informal"], ["cites_statute", "no"]]
QUESTIONS: dict[str, dict[str, Any]] = {
    "right": {"groups": INFORMAL},
    "schedule": {"groups": [["cross_domain", "yes"], *INFORMAL], "untagged": ["act/Sch"]},
    "both": {"groups": [["cross_domain", "yes"], *INFORMAL]},
    "plain": {"groups": [["cross_domain", "no"], *INFORMAL]},
    "cites": {"groups": [["register", "informal"], ["cites_statute", "yes"]]},
    "second": {"groups": [["register", "formal"]], "untagged": ["act/2"]},
    "unmarked": {},
}
LOST = {
    "right": [("1", True, "found")],
    "schedule": [("Sch", True, "cut_by_rerank"), ("2", False, "found")],
    "both": [("1", True, "not_retrieved")],
    "plain": [("1", True, "wrong_order")],
    "cites": [("1", True, "cut_by_selection")],
    "second": [("1", True, "found"), ("2", False, "cut_by_selection")],
    "unmarked": [("1", True, "failed")],
}


@pytest.fixture
def study() -> StudyFolder:
    scores, funnel = [], []
    for query, rows in LOST.items():
        first = rows[0][2] == "found"
        every = all(lost == "found" for _, _, lost in rows)
        for metric, value in (("primary_accuracy", first), ("complete_accuracy", every)):
            scores.append({"configuration": "a", "query_id": query, "metric": metric, "value": float(value)})
        funnel += [
            {"configuration": "a", "query_id": query, "act": "act", "section": section, "primary": primary, "lost_at": lost}
            for section, primary, lost in rows
        ]  # fmt: skip
    cell = {"configuration": "a", "value": 0.5, "lo": 0.1, "hi": 0.9, "n": 7}
    summary = [cell | {"metric": metric} for metric in ("primary_accuracy", "complete_accuracy")]
    facts = {"configurations": {"a": {}, "unscored": {}}, "questions": deepcopy(QUESTIONS), "baseline": ""}
    tables = {
        "scores": per_configuration(SCORES).rows(scores),
        "funnel": per_configuration(FUNNEL).rows(funnel),
        "summary": SUMMARY.rows(summary),
    }
    return StudyFolder(Path("none"), facts, tables)


def test_each_failure_has_every_mode_that_holds_the_first_of_which_counts(study: StudyFolder) -> None:
    assert failure_modes(study, "a", primaries=True) == {
        "schedule": ["section_metadata_missing", "across_domains", "informal"],
        "both": ["across_domains", "informal"],
        "plain": ["informal"],
        "cites": ["other"],
        "unmarked": ["other"],
    }
    of_sets = failure_modes(study, "a", primaries=False)
    assert of_sets["second"] == [
        "section_metadata_missing"
    ]  # its primary is found, its other provision is not
    assert set(of_sets) == set(LOST) - {"right"}


def test_what_is_charged_lacks_nothing_that_would_explain_its_failure(study: StudyFolder) -> None:
    study.facts["questions"]["plain"]["untagged"] = ["act/1"]
    assert failure_modes(study, "a", primaries=True)["plain"][0] == "section_metadata_missing"  # not first
    assert failure_modes(study, "a", primaries=False)["plain"] == ["informal"]  # it is in the set


def test_the_table_counts_each_failure_once_and_says_for_how_many_a_mode_holds(study: StudyFolder) -> None:
    (row,) = failures_table(study, primaries=True).rows
    assert [(cell.text, cell.small) for cell in row[1:]] == [
        ("1", ""), ("1", "holds for 2"), ("1", "holds for 3"), ("2", ""), ("5", "")
    ]  # fmt: skip
    assert len(row) == len(MODES) + 2
    nothing = StudyFolder(study.folder, study.facts, {**study.tables, "summary": SUMMARY.empty()})
    assert failures_table(nothing, primaries=True).rows == []


def test_a_label_without_a_section_number_on_any_chunk_is_untagged() -> None:
    tags = {"c0": "3", "c1": "", "c2": "", "c3": "4"}
    build = SimpleNamespace(
        chunk_ids=list(tags),
        rows_of={"act/3": [0, 1], "act/sch": [2], "act/gone": []}.__getitem__,
        tag=lambda chunk: {"section": tags[chunk]},
    )
    items = [SimpleNamespace(label=name, provisions=(name,)) for name in ("act/3", "act/sch", "act/gone")]
    gold = [SimpleNamespace(query_id="a", items=items), SimpleNamespace(query_id="b", items=items[:1])]
    members = [
        SimpleNamespace(cascade=None),
        SimpleNamespace(cascade=SimpleNamespace(build=build), gold=gold),
    ]
    records = [SimpleNamespace(id=name, in_scope=name != "out") for name in ("a", "b", "out")]
    study = cast(Study, SimpleNamespace(members=members, benchmark=SimpleNamespace(records=records)))
    assert _untagged(study) == {"a": ["act/sch"]}
    assert _metadata_groups(study) == [
        ("a", "section_metadata", "missing"), ("b", "section_metadata", "present")
    ]  # fmt: skip
    members[1].gold = gold[1:]
    assert _untagged(study) == {} and _metadata_groups(study) == []  # one group is no division
