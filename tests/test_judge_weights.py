"""What was learned of the judge is what its tool makes of the judged questions that ship."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from citegrain.flows.shared.library import Build
from citegrain.tasks.core.endpoint import BatchPending, Endpoint
from citegrain.tasks.core.paths import located
from citegrain.tasks.online.judge import JudgeConfig, JudgeModel, candidate_signs
from tests.bad_server import misbehaving
from tests.golden_outputs import golden_build
from tools import judge_weights


def test_what_ships_is_what_the_tool_makes_of_the_judged_questions() -> None:
    rows = judge_weights.read_judged(located(judge_weights.JUDGED))
    shipped = json.loads(located(judge_weights.WEIGHTS).read_text(encoding="utf-8"))
    for name, model in judge_weights.fitted(rows).items():
        for field, numbers in model.items():
            assert np.allclose(numbers, shipped[name][field], rtol=1e-3, atol=1e-4), (name, field)
    assert len({row["id"] for row in rows}) == len(rows) > 200
    assert {type(row[name]) for row in rows for name in row} == {str, bool, int, float, list}
    assert all(
        isinstance(n, (int, float)) for row in rows for v in row.values() if isinstance(v, list) for n in v
    )


pytestmark = [pytest.mark.model, pytest.mark.xdist_group("golden")]


@pytest.fixture(scope="module")
def build() -> Build:
    return golden_build()


def row(n: int, right: bool, p: float) -> dict[str, Any]:
    """A question of two candidates of which the judge takes the second."""
    grades = [0, 2] if right else [2, 0]
    said = {"first": 2, "applicable": [2], "order": [2, 1], "p": p}
    return {"id": str(n), "kind": "asked", "inside": True, "grades": grades, "scope": 0.9} | said | {
        "all": [0.4, 0.3], "primary": [0.3, 0.2]
    }  # fmt: skip


def test_a_judge_that_is_right_when_it_is_sure_is_believed_when_it_is_sure() -> None:
    rows = [row(n, n % 10 > 0, 0.9) for n in range(60)] + [row(n, n % 10 < 3, 0.3) for n in range(60, 120)]
    rows += [
        row(120, True, 0.9) | {"inside": False, "grades": [0, 0], "first": 0, "applicable": [], "p": 0.0}
    ]
    model = JudgeModel.from_json(judge_weights.fitted(rows))
    sure, unsure = (
        model.primary.probability(
            candidate_signs(
                {"primary": "b", "applicable": ["b"], "order": ["b", "a"], "p": p}, ["a", "b"],
                np.array([0.4, 0.3]), np.array([0.3, 0.2]),
            )
        )
        for p in (0.9, 0.3)
    )  # fmt: skip
    assert sure[1] == pytest.approx(0.9, abs=0.1) and unsure[1] == pytest.approx(0.3, abs=0.15)
    assert sure[0] < unsure[0]


LIST = {
    "kind": "asked",
    "once": False,
    "inside": True,
    "scope": 0.912345678,
    "all": [0.5, 0.25],
    "primary": [0.4, 0.2],
}


def test_verdicts_become_numbers_of_candidates(build: Build, tmp_path: Path) -> None:
    cited = {p: c for c, p in build.citations.items() if p}
    provisions = sorted(cited)[:2]
    chunks = [cited[p] for p in provisions]
    lists = [LIST | {"id": name, "chunks": chunks, "grades": [0, 2]} for name in ("a", "none", "broken")]
    texts = {str(one["id"]): f"{one['id']}: my wages" for one in lists}
    config = JudgeConfig(candidates=2, timeout=5, attempts=1, longest_wait=0.02)

    def reply(data: Any) -> str:
        name = data["question"].partition(":")[0]
        first = {"a": 2, "none": 0}.get(name, 7)
        chosen = [first] if first else []
        return json.dumps({"primary": first, "set": chosen, "order": [*chosen, 1], "p": 0.8, "why": "x"})

    with misbehaving("good", script=reply) as server:
        rows = judge_weights.judged(build, texts, lists, Endpoint(server.url, "m"), config)
    first, none = rows
    assert (first["first"], first["applicable"], first["order"], first["p"]) == (2, [2], [2, 1], 0.8)
    assert (none["first"], none["applicable"], none["order"], none["p"]) == (0, [], [1], 0.0)
    assert first["scope"] == 0.91235 and first["grades"] == [0, 2] and "why" not in first
    with pytest.raises(BatchPending, match="3 requests"):
        batch = Endpoint("", "m", mode="batch", replies=tmp_path / "replies.jsonl")
        judge_weights.judged(build, texts, lists, batch, config)


def test_which_questions_are_judged_their_names_decide() -> None:
    def one(name: str, kind: str, once: bool = False) -> dict[str, Any]:
        return {"id": name, "kind": kind, "once": once}

    lists = [one(f"s-{n}", "story") for n in range(100)] + [one("real", "asked"), one("once", "asked", True)]
    lists += [one("vague", "vague")]
    picked = [item["id"] for item in judge_weights.chosen(lists)]
    assert picked[0] == "real" and len(picked) == 31 and not {"once", "vague"} & set(picked)
    assert picked == [item["id"] for item in judge_weights.chosen(lists[::-1])]
