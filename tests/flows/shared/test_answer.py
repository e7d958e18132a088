"""The JSON of an answer: its schema in docs, and that answers have every key of it and no other."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from citegrain.flows.shared.answer import Answer
from tests.conftest import ROOT
from tests.flows.conftest import Done

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


@pytest.mark.prefect
@pytest.mark.xdist_group("prefect")
def test_answers_validate_and_have_every_key(call: Callable[..., Done], indexed: Path) -> None:
    schema = json.loads(SCHEMA.read_text())

    def asked(*words: str) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(call("ask", *words, "--json", f"artifacts='{indexed}'").stdout)
        jsonschema.validate(answer, schema)
        return answer

    answer = asked("wages of a keeper", "--full", "--explain", "--k", "2")
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
