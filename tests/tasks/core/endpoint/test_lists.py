"""Recorded replies are found by the lists that were read, also where today's lists end otherwise."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from citegrain.flows.shared.library import Build
from citegrain.tasks.core.endpoint import RECORDED, Endpoint, kept_replies, reply_rows, write_lists
from citegrain.tasks.core.runs import make_run, rankings
from citegrain.tasks.core.schemas import JUDGEMENTS
from citegrain.tasks.online.generate import GenerateConfig, answer_schema, generate
from citegrain.tasks.online.hits import cite
from citegrain.tasks.online.judge import JudgeConfig, judge, order
from citegrain.tasks.published.configs import ControllerConfig
from citegrain.tasks.published.controller import Question, RankedPassage, Resources
from citegrain.tasks.published.controller.operations import planned, retrieved
from citegrain.tasks.published.controller.policies.llm import LanguageModel
from citegrain.tasks.published.controller.records import Memory, Model, Plan
from tests.bad_server import misbehaving
from tests.golden_outputs import golden_build

pytestmark = [pytest.mark.model, pytest.mark.xdist_group("golden")]
CALLS = JudgeConfig(timeout=0.5, attempts=2, longest_wait=0.02, candidates=5)

CONTROLLER = ControllerConfig(kind="llm", timeout=5, attempts=1, longest_wait=0.02)


@pytest.fixture(scope="module")
def build() -> Build:
    return golden_build()


def replies_of(store: Path, file: Path) -> Endpoint:
    """The kept replies as a file, without lists, and the endpoint that reads it."""
    file.parent.mkdir()
    file.write_text("".join(json.dumps(line) + "\n" for line in kept_replies(store)))
    return Endpoint("", "m", mode=RECORDED, replies=file)


def test_a_recorded_verdict_is_found_by_the_list_that_was_read(build: Build, tmp_path: Path) -> None:
    question = "My wages were not paid"
    store, file = tmp_path / "store", tmp_path / "out" / "replies.jsonl"
    good = json.dumps({"primary": 2, "set": [2], "order": [2, 5], "p": 0.5, "why": ""})
    some = [c for c, provision in build.citations.items() if provision is not None][:9]
    queries = pa.table({"query_id": ["q"], "text": [question]})

    def run_of(*chunks: str) -> pa.Table:
        return make_run({"q": [(c, 1 / (i + 1)) for i, c in enumerate(chunks)]}, "fused")

    with misbehaving("good", script=lambda data: good) as server:
        live = Endpoint(server.url, "m")
        rows = reply_rows(store, "judge", live, CALLS)
        (first,) = judge(build, queries, run_of(*some[:5]), CALLS, live, rows).to_pylist()
    recorded = replies_of(store, file)
    elsewhere = run_of(*some[:4], some[6])
    (none,) = judge(build, queries, elsewhere, CALLS, recorded).to_pylist()
    assert none["error"] == "no reply to this prompt was recorded"
    write_lists(store, file)
    stored_rows = reply_rows(store, "j", recorded, CALLS)
    (again,) = judge(build, queries, elsewhere, CALLS, recorded, stored_rows).to_pylist()
    assert again == first and not first["error"]
    ordered = order(elsewhere, JUDGEMENTS.rows([again]), build.citations)
    assert [c for c, _ in rankings(ordered)["q"]] == [some[1], some[0], some[2], some[3], some[6]]
    (other,) = judge(build, queries, run_of(*some[:3], *some[6:8]), CALLS, recorded).to_pylist()
    assert other["error"], "three of five are not the same list"
    (longer,) = judge(build, queries, run_of(*some[:7]), replace(CALLS, candidates=7), recorded).to_pylist()
    assert longer["error"], "five of seven are not the same list"


@pytest.mark.parametrize("kind", ["llm", "prose"])
def test_a_recorded_answer_is_found_by_the_list_that_was_read(
    build: Build, tmp_path: Path, kind: str
) -> None:
    store, file = tmp_path / "store", tmp_path / "out" / "replies.jsonl"
    some = [c for c, provision in build.citations.items() if provision is not None][:9]
    read, elsewhere, other = (
        [cite(build, chunk, n) for n, chunk in enumerate(chunks, 1)]
        for chunks in (some[:8], [*some[:7], some[8]], some[1:6])
    )
    config = GenerateConfig(kind, timeout=0.5, attempts=2, longest_wait=0.02)
    schema, queries = answer_schema((), ()), pa.table({"query_id": ["q"], "text": ["My wages"]})
    charge = {"law": read[7].law, "description": "it is due"}
    said = {"llm": json.dumps({"charges": [charge], "note": ""}), "prose": "It is due [8]."}[kind]
    with misbehaving("good", script=lambda data: said) as server:
        live = Endpoint(server.url, "m")
        rows = reply_rows(store, "generate", live, config)
        first = generate(queries, {"q": read}, config, schema, live, rows)["q"]
    assert not first.error and first.read == read
    recorded = replies_of(store, file)
    assert generate(queries, {"q": elsewhere}, config, schema, recorded, build=build)["q"].error
    write_lists(store, file)
    again = generate(queries, {"q": elsewhere}, config, schema, recorded, build=build)["q"]
    assert (again.answer, again.references) == (first.answer, first.references)
    assert [hit.chunk_id for hit in again.read] == some[:8]
    assert generate(queries, {"q": other}, config, schema, recorded, build=build)["q"].error
    # without a build it is not read
    assert generate(queries, {"q": elsewhere}, config, schema, recorded)["q"].error
    fewer = replace(config, context_chars=9, words=9)
    assert generate(queries, {"q": elsewhere}, fewer, schema, recorded, build=build)["q"].error


def test_what_a_model_read_elsewhere_is_found_by_provision(tmp_path: Path) -> None:
    """Numbers of a recorded reply are those of the passages that were read, wherever they stand today."""
    store, file = tmp_path / "store", tmp_path / "out" / "replies.jsonl"
    propositions = [{"subquestion": 1, "passage": n, "text": f"no. {n}"} for n in (2, 4)]
    said = json.dumps({"propositions": propositions})

    def memory(*provisions: str) -> Memory:
        passages = [RankedPassage(f"{p}#0", p, 1.0, None, f"Text of {p}.") for p in provisions]
        state, _ = planned(Memory(Question("Is it due?")), Plan(("due?",), ("due",)), CONTROLLER)
        return retrieved(state, ("due",), [passages], len(passages))

    def read(endpoint: Endpoint, *provisions: str) -> list[tuple[str, str]]:
        model = Model(endpoint, CONTROLLER, store)
        policy = LanguageModel(Resources(None, CONTROLLER, model), 80)  # type: ignore[arg-type]
        (propositions,) = policy.read([memory(*provisions)])
        return [(one.provision_id, one.text) for one in propositions]

    with misbehaving("good", script=lambda data: said) as server:
        assert read(Endpoint(server.url, "m"), *"abcd") == [("b", "no. 2"), ("d", "no. 4")]
    recorded = replies_of(store, file)
    assert read(recorded, *"bacd") == []
    write_lists(store, file)
    assert read(recorded, *"bacd") == [("b", "no. 2"), ("d", "no. 4")]
    assert read(recorded, *"bacx") == [("b", "no. 2")], "the fourth is not there today"
    assert read(recorded, *"bxyz") == []
