"""Labels in a build: what is in it, and what is said of the rest."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citegrain.tasks.evaluation.benchmark import Benchmark, Citation, Record, resolve
from tests.tasks.evaluation.benchmark.samples import BNS, IPC, NIA, benchmarks

IDS = {(IPC, "420"): ["p1"], (IPC, "1"): ["p2", "p3"], (NIA, "138"): ["p4"]}


def cited(act: str, section: str) -> Sequence[str]:
    return IDS.get((act, section), [])


def benchmark(*labels: Sequence[str]) -> Benchmark:
    records = []
    for number, given_labels in enumerate(labels):
        applicable = tuple(map(Citation.parse, given_labels))
        primary = applicable[0] if applicable else None
        records.append(Record(id=str(number), text="x", primary=primary, applicable=applicable))
    return Benchmark("b", "dev", tuple(records))


def warnings(*labels: Sequence[str], acts: Sequence[str] = (IPC, NIA)) -> list[str]:
    return resolve(benchmark(*labels), cited, acts).warnings


def test_citations_in_the_build() -> None:
    both = [f"{IPC}/420", f"{IPC}/1"], [f"{NIA}/138", f"{IPC}/420"]
    resolution = resolve(benchmark(*both, []), cited, [IPC, NIA])
    assert resolution.provisions == {
        Citation(IPC, "1"): ("p2", "p3"),
        Citation(IPC, "420"): ("p1",),
        Citation(NIA, "138"): ("p4",),
    }
    assert resolution.warnings == []


def test_an_act_and_a_section_not_in_the_build() -> None:
    labels = ([f"{BNS}/303", f"{BNS}/304"], [f"{BNS}/303", f"{IPC}/9"], [f"{IPC}/9"], [f"{NIA}/9"])
    resolution = resolve(benchmark(*labels), cited, [IPC, NIA])
    assert set(resolution.provisions.values()) == {()}
    assert resolution.warnings == [
        f"{BNS}: this Act is not in the build (2 citations, 2 queries)",
        f"{IPC}/9: the Act is in the build, but this section is not (2 queries)",
        f"{NIA}/9: the Act is in the build, but this section is not (1 query)",
    ]


@pytest.mark.parametrize(
    ("act", "meant"),
    [
        ("indian-penal-code-1860-", IPC),
        ("indian-penal-codes-1860", IPC),
        ("penal-code-indian-1860", IPC),
        ("indian-penal-code", IPC),
        ("indian-penal-code-1861", None),  # Acts of two years are two Acts
        ("indian-panel-code-1980", None),
        ("companies-act-2013", None),
        ("negotiable-instrument-act-1881", NIA),
    ],
)
def test_an_act_meant(act: str, meant: str | None) -> None:
    (line,) = warnings([f"{act}/1"])
    hint = f"; did you mean {meant}?" if meant else ""
    assert line == f"{act}: this Act is not in the build (1 citation, 1 query){hint}"


def test_the_closest_act_is_named_whatever_the_order() -> None:
    acts = ["code-of-wages-2019", "code-on-wages-2019", "code-in-wages-2019"]
    (line,), again = (warnings(["code-on-wage-2019/1"], acts=order) for order in (acts, acts[::-1]))
    assert again == [line]
    assert line.endswith("did you mean code-on-wages-2019?")


def test_an_empty_build() -> None:
    assert warnings([f"{IPC}/1"], acts=[]) == [f"{IPC}: this Act is not in the build (1 citation, 1 query)"]


@settings(max_examples=60)
@given(benchmarks(graded=False), st.sets(st.sampled_from([IPC, BNS, NIA])))
def test_every_citation_is_resolved_or_warned_of(any_benchmark: Benchmark, acts: set[str]) -> None:
    resolution = resolve(any_benchmark, cited, acts)
    cited_provisions = {citation for record in any_benchmark for citation in record.applicable}
    assert set(resolution.provisions) == cited_provisions
    warned = {line.split(": ")[0] for line in resolution.warnings}
    assert warned == {
        c.label if c.act in acts else c.act
        for c, provisions in resolution.provisions.items()
        if not provisions
    }
