"""The tables: rows, order, what must not change a number, what is refused."""

from __future__ import annotations

import math
import time
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citegrain.tasks.core.schemas import BREAKDOWN, COMPARISONS, SUMMARY
from citegrain.tasks.evaluation.compare import MEAN, bca, breakdown, compare, holm, paired, summarise, wilson
from citegrain.tasks.evaluation.compare.values import derive_seed
from tests.tasks.evaluation.compare.studies import KINDS, from_rows

Row = tuple[str, str, str, float]


def invented(configurations: str, n: int = 40) -> list[Row]:
    rows: list[Row] = []
    for configuration in configurations:
        rng = np.random.default_rng(ord(configuration))
        for i in range(n):
            rows.append((configuration, f"q{i:03}", "mrr", float(rng.choice([0, 0.25, 0.5, 1]))))
            if i % 5:  # every fifth is out of scope: it has no accuracy
                rows.append((configuration, f"q{i:03}", "accuracy", float(rng.random() < 0.7)))
    return rows


def keyed(computed: pa.Table, keys: int) -> dict[tuple[object, ...], str]:
    """Numbers as text by the columns that name a row: NaN equals NaN."""
    rows = [tuple(row.values()) for row in computed.to_pylist()]
    return {row[:keys]: repr(row[keys:]) for row in rows}


def test_summary_by_kind_in_the_order_of_appearance() -> None:
    rows = invented("ba")
    computed = summarise(from_rows(rows), KINDS, 3)
    assert computed.schema.equals(SUMMARY.arrow, check_metadata=True)
    places = [(r["configuration"], r["metric"]) for r in computed.to_pylist()]
    assert places == [("b", "mrr"), ("b", "accuracy"), ("a", "mrr"), ("a", "accuracy")]
    mrr, accuracy = computed.to_pylist()[:2]
    values = [v for c, _, m, v in rows if (c, m) == ("b", "mrr")]
    expected = bca(values, derive_seed(3, "mrr"))
    assert [mrr[k] for k in ("value", "lo", "hi", "n")] == [expected.value, expected.lo, expected.hi, 40]
    right = [v for c, _, m, v in rows if (c, m) == ("b", "accuracy")]
    share = wilson(int(sum(right)), 32)
    assert [accuracy[k] for k in ("value", "lo", "hi", "n")] == [share.value, share.lo, share.hi, 32]


def test_what_was_not_measured_has_no_row() -> None:
    computed = summarise(
        from_rows([("a", "q", "mrr", 0.5), ("b", "q", "accuracy", 1.0)]), KINDS, 1
    ).to_pylist()
    assert [(r["configuration"], r["metric"]) for r in computed] == [("a", "mrr"), ("b", "accuracy")]
    assert math.isnan(computed[0]["lo"])  # one query has no spread
    assert summarise(from_rows([]), KINDS, 1).num_rows == 0


FAMILY = [("a", "b", "mrr"), ("a", "b", "accuracy"), ("c", "a", "mrr")]


def test_comparisons_are_those_declared() -> None:
    rows = invented("abc")
    computed = compare(from_rows(rows), KINDS, FAMILY, 3)
    assert computed.schema.equals(COMPARISONS.arrow, check_metadata=True)
    listed = computed.to_pylist()
    assert [(r["baseline"], r["configuration"], r["metric"]) for r in listed] == FAMILY
    assert [r["p_holm"] for r in listed] == holm([r["p"] for r in listed])
    side = {c: {q: v for k, q, m, v in rows if (k, m) == (c, "mrr")} for c in "ab"}
    one = paired(side["a"], side["b"], MEAN, derive_seed(3, "mrr"))
    for name in ("difference", "lo", "hi", "n", "wins", "losses", "p", "mde"):
        assert listed[0][name] == getattr(one, name)
    assert listed[1]["n"] == 32
    assert compare(from_rows(rows), KINDS, [], 3).num_rows == 0


def test_a_comparison_without_shared_queries_keeps_its_row() -> None:
    rows = [r for r in invented("ab") if r[2] == "mrr"]
    computed = compare(from_rows(rows), KINDS, [("a", "b", "accuracy"), ("a", "b", "mrr")], 3).to_pylist()
    assert (computed[0]["n"], computed[0]["wins"]) == (0, 0)
    assert math.isnan(computed[0]["p_holm"])
    assert computed[1]["p_holm"] == pytest.approx(min(1.0, 2 * computed[1]["p"]))


def test_breakdown_by_group() -> None:
    rows = invented("ab")
    groups = [(f"q{i:03}", "length", "long" if i % 2 else "short") for i in range(40)]
    of_acts = (("q001", "bns"), ("q001", "bnss"), ("q002", "bns"), ("q000", "none"))
    groups += [(query, "act", act) for query, act in of_acts]
    computed = breakdown(from_rows(rows), KINDS, groups, ["accuracy"], 3)
    assert computed.schema.equals(BREAKDOWN.arrow, check_metadata=True)
    listed = computed.to_pylist()
    # q000 is out of scope: its group has no accuracy
    names = [("length", "short"), ("length", "long"), ("act", "bns"), ("act", "bnss")]
    assert [(r["configuration"], r["dimension"], r["group"]) for r in listed] == [
        (c, *name) for c in "ab" for name in names
    ]
    assert [r["n"] for r in listed[:4]] == [16, 16, 2, 1]
    odd = [v for c, q, m, v in rows if (c, m) == ("a", "accuracy") and int(q[1:]) % 2]
    assert listed[1]["value"] == pytest.approx(sum(odd) / 16)


@settings(max_examples=3)
@given(st.permutations(invented("abc", 12)))
def test_the_order_of_rows_changes_no_number(rows: list[Row]) -> None:
    one, other = from_rows(invented("abc", 12)), from_rows(rows)
    assert keyed(summarise(one, KINDS, 3), 2) == keyed(summarise(other, KINDS, 3), 2)
    assert keyed(compare(one, KINDS, FAMILY, 3), 3) == keyed(compare(other, KINDS, FAMILY, 3), 3)


@settings(max_examples=3)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=60), st.booleans())
def test_another_configuration_or_metric_changes_no_number(values: list[float], first: bool) -> None:
    rows = invented("abc", 20)
    more: list[Row] = [("new", f"q{i:03}", "mrr", v) for i, v in enumerate(values)]
    more += [("a", f"q{i:03}", "other", v) for i, v in enumerate(values)]
    kinds = KINDS | {"other": MEAN}
    one, other = from_rows(rows), from_rows(more + rows if first else rows + more)
    groups = [(f"q{i:03}", "half", str(i % 2)) for i in range(20)]
    assert keyed(summarise(one, KINDS, 3), 2).items() <= keyed(summarise(other, kinds, 3), 2).items()
    assert keyed(compare(one, KINDS, FAMILY, 3), 3) == keyed(compare(other, kinds, FAMILY, 3), 3)
    small = keyed(breakdown(one, KINDS, groups, ["mrr"], 3), 4)
    more_groups = [("q001", "more", "x"), *groups]
    assert small.items() <= keyed(breakdown(other, kinds, more_groups, ["other", "mrr"], 3), 4).items()


def test_the_family_changes_the_adjustment_alone() -> None:
    scores = from_rows(invented("abc"))
    full = compare(scores, KINDS, FAMILY, 3).drop_columns(["p_holm"]).to_pylist()
    assert compare(scores, KINDS, FAMILY[1:], 3).drop_columns(["p_holm"]).to_pylist() == full[1:]


def test_the_seed_matters_and_repeats() -> None:
    scores = from_rows([("a", f"q{i:02}", "mrr", math.sqrt(i)) for i in range(50)])
    assert summarise(scores, KINDS, 3).equals(summarise(scores, KINDS, 3))
    assert summarise(scores, KINDS, 3)["lo"][0] != summarise(scores, KINDS, 4)["lo"][0]
    assert derive_seed(1, "ab", "c") != derive_seed(1, "a", "bc")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("a", "q", "mrr", 0.5), ("a", "q", "mrr", 0.5)], "twice"),
        ([("a", "q", "mrr", math.nan)], "not a score"),
        ([("a", "q", "mrr", None)], "not a score"),
        ([("a", "q", "accuracy", 0.5)], "0 and 1 only"),
    ],
)
def test_bad_scores_are_refused(rows: list[Row], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        summarise(from_rows(rows), KINDS, 1)


@pytest.mark.slow
def test_a_study_is_summarised_in_seconds() -> None:
    rng = np.random.default_rng(1)
    places = product(range(5), range(200), range(25))
    rows = [(f"c{c}", f"q{q}", f"m{m}", float(rng.random())) for c, q, m in places]
    start = time.perf_counter()
    assert summarise(from_rows(rows), {f"m{m}": MEAN for m in range(25)}, 1).num_rows == 125
    assert time.perf_counter() - start < 10
