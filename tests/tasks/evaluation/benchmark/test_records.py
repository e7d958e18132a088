"""Records, citations and groups as values."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from dataclasses import FrozenInstanceError, replace
from datetime import date, datetime
from typing import Any

import pytest
from hypothesis import given
from pydantic import ValidationError

from citegrain.tasks.evaluation.benchmark import Benchmark, BenchmarkError, Citation, Record, groups
from tests.tasks.evaluation.benchmark.samples import CITATIONS, IPC, NIA

A, B, C = Citation(IPC, "1"), Citation(IPC, "2"), Citation(NIA, "1")


@given(CITATIONS)
def test_a_label_is_read_back(citation: Citation) -> None:
    assert Citation.parse(citation.label) == citation


@pytest.mark.parametrize("label", ["", "ipc", "/", "ipc/", "/1", "ipc/1/2", "ipc/1 ", "d123"])
def test_labels_that_are_none(label: str) -> None:
    with pytest.raises(ValueError, match=r"must be|a label names") as error:
        Citation.parse(label)
    assert "\n" not in str(error.value)


def test_citations_are_values() -> None:
    assert len({A, Citation(IPC, "1")}) == 1 and sorted([C, B, A]) == [A, B, C]
    with pytest.raises(FrozenInstanceError):
        A.act = "x"  # type: ignore[misc]


def test_records_are_values_and_stay_checked() -> None:
    record = Record(id="a", text="x", primary=A, applicable=(A, B))
    assert hash(record) == hash(replace(record)) and record.grades == (2, 1)
    with pytest.raises(FrozenInstanceError):
        record.text = "y"  # type: ignore[misc]
    with pytest.raises(ValidationError):
        replace(record, applicable=(B, A))


@pytest.mark.parametrize("grades", [(1,), (1, 2, 3), (1, 2), (1, 0), (True, True), (2, 1.5)])
def test_grades_fall_and_are_positive(grades: Any) -> None:
    with pytest.raises(ValidationError, match="grades"):
        Record(id="a", text="x", primary=A, applicable=(A, B), grades=grades)


def test_an_instant_is_no_day() -> None:
    assert Record(id="a", text="x", incident_date=date(2024, 7, 1)).dated
    with pytest.raises(ValidationError):
        Record(id="a", text="x", incident_date=datetime(2024, 7, 1))


def test_groups() -> None:
    said: dict[str, Any] = {
        "register": "formal",
        "domain": ("tax", "civil"),
        "cross_domain": True,
        "cites_statute": False,
    }
    assert groups(Record(id="a", text="x", **said)) == [
        ("register", "formal"), ("domain", "tax"), ("domain", "civil"), ("cross_domain", "yes"),
        ("cites_statute", "no"), ("dated", "no"),
    ]  # fmt: skip
    assert groups(Record(id="a", text="x", incident_date=date(2024, 7, 1))) == [("dated", "yes")]


def test_a_benchmark_has_each_id_once() -> None:
    record = Record(id="a", text="x")
    with pytest.raises(BenchmarkError, match="twice"):
        Benchmark("b", "dev", (record, record))


def test_the_digest_counts_order_and_grades_but_no_names() -> None:
    one = Record(id="a", text="x", primary=A, applicable=(A,))
    two = Record(id="b", text="x")
    digest = Benchmark("b", "dev", (one, two)).sha256
    assert digest == Benchmark("c", "test", (one, two)).sha256
    assert digest != Benchmark("b", "dev", (two, one)).sha256
    assert digest != Benchmark("b", "dev", (replace(one, grades=(3,)), two)).sha256


def test_the_digest_does_not_move() -> None:
    """Results are filed by it, so that it must not follow the fields' order or a library's."""
    record = Record(id="a", text="ü", incident_date=date(2024, 7, 1), primary=A, applicable=(A, C))
    canonical = (
        '[{"annotator":"","applicable":[{"act":"indian-penal-code-1860","section":"1"},'
        '{"act":"negotiable-instruments-act-1881","section":"1"}],"cites_statute":null,"cross_domain":null,'
        '"domain":[],"grades":[2,1],"id":"a","incident_date":"2024-07-01",'
        '"primary":{"act":"indian-penal-code-1860","section":"1"},"rationale":"","register":null,"text":"ü"}]'
    )
    assert Benchmark("b", "dev", (record,)).sha256 == hashlib.sha256(canonical.encode()).hexdigest()


def test_the_digest_counts_what_is_said_of_texts_to_which_nothing_applies() -> None:
    plain = Record(id="a", text="x")
    kinds = [plain, replace(plain, kind="state"), replace(plain, kind="state", elsewhere="rent control")]
    assert len({Benchmark("b", "dev", (record,)).sha256 for record in kinds}) == 3


def test_the_package_brings_no_framework() -> None:
    code = "import sys, citegrain.tasks.evaluation.benchmark; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"hydra", "omegaconf", "prefect", "mlflow", "torch", "flows"} & set(done.stdout.split())
