"""The JSON of an answer: its schema in docs, and that answers have every key of it and no other."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from citegrain.flows.shared.answer import Answer
from citegrain.flows.shared.answering import beside
from citegrain.tasks.core.schemas import JUDGMENTS
from tests.conftest import ROOT
from tests.flows.conftest import Done
from tests.tasks.offline.graph.law import CASE, act
from tests.tasks.online.graph.test_nearness import LAMP
from tests.tasks.online.graph.test_nearness import tables as graph_tables

SCHEMA = ROOT / "docs/answer.schema.json"
WRITE = (
    'python -c "import json; from citegrain.flows.shared.answer import Answer; '
    'print(json.dumps(Answer.model_json_schema(), indent=1))" > docs/answer.schema.json'
)


def test_the_schema_in_docs_is_that_of_the_code() -> None:
    assert json.loads(SCHEMA.read_text()) == Answer.model_json_schema(), f"write it anew: {WRITE}"


def test_every_key_has_a_description() -> None:
    schema = Answer.model_json_schema()
    for part in [schema, *schema["$defs"].values()]:
        assert all(key.get("description") for key in part["properties"].values()), part["title"]


def test_judgments_are_suggested_and_flagged_where_it_is_asked_for() -> None:
    old = [act("old-v-state", "Old v. State", kind="judgment"), act(CASE, "Ram v. State", kind="judgment")]
    edges = [(CASE, "old-v-state", "overruled"), (CASE, LAMP, "cites"), ("old-v-state", LAMP, "cites")]
    graph = graph_tables(["old-v-state", CASE], edges)
    rows = [
        {"document_id": a["document_id"], "date": date(2000 + 10 * n, 1, 1), "case_name": a["title"], "court": "", "bench": [],
         "citations": [], "also_reported": [], "docket": "", "print": "court"}
        for n, a in enumerate(old)
    ]  # fmt: skip
    build: Any = SimpleNamespace(acts=old, graph_tables=graph, table=lambda _: JUDGMENTS.rows(rows))
    asked = [{"provision_id": "old-v-state/para_1"}, {"provision_id": LAMP}]
    fall = {
        "relation": "overruled", "law": f"{CASE.upper()} v. State, paragraph 1, page 7", "words": "overruled old-v-state",
        "provision_id": f"{CASE}/para_1",
    }  # fmt: skip
    content = beside(build, asked, date(2015, 1, 1), 5)
    assert [c["falls"] for c in content["charges"]] == [[fall], []]
    assert content["landmarks"] == [{"act": CASE, "law": f"{CASE.upper()} v. State", "falls": []}]
    seen = beside(build, asked[1:], date(2015, 1, 1), 1)
    assert seen["landmarks"] == [{"act": "old-v-state", "law": "OLD-V-STATE v. State", "falls": [fall]}]
    none: dict[str, Any] = {"charges": [c | {"falls": []} for c in asked], "landmarks": []}
    assert beside(build, asked, date(2005, 1, 1), 5) == none  # the other had not been given yet
    assert beside(build, asked, date(2015, 1, 1), 0) == none


@pytest.mark.prefect
@pytest.mark.xdist_group("prefect")
def test_answers_validate_and_have_every_key(call: Callable[..., Done], indexed: Path) -> None:
    schema = json.loads(SCHEMA.read_text())

    def asked(*words: str) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(call("ask", *words, "--json", f"artifacts='{indexed}'").stdout)
        jsonschema.validate(answer, schema)
        return answer

    answer = asked("wages of a keeper", "--full", "--explain", "--k", "2", "--trace", "controller=rules")
    assert set(schema["properties"]) == set(answer) - {"victim", "culprit"}
    charge = answer["charges"][0]
    assert set(schema["$defs"]["Charge"]["properties"]) == set(charge) - {"bailable", "cognizable"}
    assert charge["text"] and charge["evidence"].strip("… ") in " ".join(charge["text"].split())
    assert charge["url"].startswith("file:///") and charge["url"].endswith(f"#page={charge['page']}")
    silent = asked("wages", "--as-of", "1900-01-01")
    assert silent["abstained"] and "1900-01-01" in silent["message"] and not silent["charges"]
    assert "explanation" not in silent
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(answer | {"words": {}}, schema)
