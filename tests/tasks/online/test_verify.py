"""Each citation against the build."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import pytest

from citegrain.tasks.core.endpoint import Endpoint, ModelReply
from citegrain.tasks.law.citing import Lexicon
from citegrain.tasks.online.generate import REFUSED, AnswerSchema, Generated
from citegrain.tasks.online.query import QueryConfig, make_queries
from citegrain.tasks.online.verify import VerifyConfig, verify
from tests.fakes import as_build
from tests.tasks.online.generate.test_generate import hit

SCHEMA = AnswerSchema(("victim", "culprit"), ("bailable",))
LEXICON = Lexicon([("lamp", "The Lamp Act, 1999", ["LA"]), ("oil", "The Oil Act, 2001", [])])
HITS = [hit(1), hit(2)]

QUERIES_TABLE = make_queries({"q": "who?"}, LEXICON, QueryConfig())


class Law:
    """Sections 1 to 4 of the Lamp Act; 4 is repealed."""

    lexicon = LEXICON

    def cited(self, kind: str, number: str, act_id: str | None) -> Sequence[str]:
        return [f"lamp/sec_{number}"] if act_id == "lamp" and number in "1234" else []

    def in_force(self, provision_id: str, as_of: date | None) -> bool:
        return not provision_id.endswith("4")

    def attributes(self, provision_id: str) -> Mapping[str, str]:
        return {"bailable": "No"} if provision_id == "lamp/sec_1" else {}


def check(law: str, policy: str = "flag", hits: Sequence[Any] = HITS) -> dict[str, Any]:
    reply = {"charges": [{"law": law, "description": "d", "bailable": "Yes"}]}
    generated = {"q": Generated(SCHEMA.conform(reply), "", 1, ModelReply(tokens_in=2000, tokens_out=100))}
    endpoint = Endpoint("http://127.0.0.1", "m", price_in=1.0, price_out=10.0)
    return verify(
        as_build(Law()), QUERIES_TABLE, generated, {"q": hits}, SCHEMA, VerifyConfig(policy), endpoint
    )[0]


@pytest.mark.parametrize(
    ("law", "status", "provision"),
    [
        ("The Lamp Act, 1999, section 1", "verified", "lamp/sec_1"),
        ("Section 2 of the Lamp Act", "verified", "lamp/sec_2"),
        ("LA s. 2(1)", "verified", "lamp/sec_2"),
        ("Section 3, Lamp Act, 1999", "not_in_context", "lamp/sec_3"),
        ("Section 4, Lamp Act, 1999", "not_in_force", "lamp/sec_4"),
        ("Section 9, Lamp Act, 1999", "not_in_corpus", ""),
        ("Section 1 of the Moon Act", "not_in_corpus", ""),
        ("section 1", "not_in_corpus", ""),
        ("be good", "not_in_corpus", ""),
        ("", "not_in_corpus", ""),
    ],
)
def test_each_status(law: str, status: str, provision: str) -> None:
    row = check(law)
    charge = json.loads(row["answer"])["charges"][0]
    assert (charge["verification"], charge["provision_id"]) == (status, provision)
    assert row[f"n_{status}"] == 1 and row["n_charges"] == 1


def test_a_verified_charge_is_completed_and_its_attributes_are_the_laws() -> None:
    charge = json.loads(check("Section 1 of the Lamp Act")["answer"])["charges"][0]
    assert (charge["page"], charge["chunk_id"], charge["section"]) == (1, "c1", "1")
    assert charge["bailable"] == "No"  # the model said Yes
    other = json.loads(check("Section 2 of the Lamp Act")["answer"])["charges"][0]
    assert other["bailable"] == ""  # the model said Yes, the law says nothing


def test_drop_takes_out_what_is_not_verified() -> None:
    row = check("Section 3 of the Lamp Act", "drop")
    assert json.loads(row["answer"])["charges"] == [] and row["n_charges"] == 0
    assert row["n_not_in_context"] == 1


def test_cost_and_errors() -> None:
    assert check("Section 1 of the Lamp Act")["cost"] == pytest.approx(0.003)
    extracted = SCHEMA.conform({"charges": [], "note": "extractive"})
    generated = {"q": Generated(extracted, "no reply", 0, ModelReply(error="no reply", attempts=5), "P [1]")}
    row = verify(as_build(Law()), QUERIES_TABLE, generated, {}, SCHEMA, VerifyConfig())[0]
    assert (row["error"], row["attempts"]) == ("no reply", 5)
    assert json.loads(row["answer"])["prose"] == "P [1]"


def test_the_words_of_a_model_are_checked_too() -> None:
    def flag(texts: Sequence[str], day: date | None) -> tuple[list[str], dict[str, Any]]:
        return [text.replace("9", "9 [?]") for text in texts], {"hallucinated": 1}

    charge = {"law": "Section 1 of the Lamp Act", "description": "See section 9."}
    reply = SCHEMA.conform({"charges": [charge], "note": "And 9."})
    for text, note in (("{}", "And 9."), ("", "And 9."), ("{}", REFUSED)):  # extracts are no words of a model
        given = reply | {"note": note}
        generated = {"q": Generated(given, "", 1, ModelReply(text), prose="By section 9 [1].")}
        arguments = as_build(Law()), QUERIES_TABLE, generated, {"q": HITS}, SCHEMA, VerifyConfig()
        answer = json.loads(verify(*arguments, flag=flag)[0]["answer"])
        words = answer["charges"][0]["description"], answer["note"], answer["prose"]
        flagged = bool(text) and note != REFUSED
        assert [("[?]" in part) for part in words] == [flagged] * 3
        assert ("citations" in answer) == flagged and answer["charges"][0]["section"] == "1"


def test_parameters_are_checked() -> None:
    with pytest.raises(ValueError, match="flag or drop"):
        VerifyConfig("keep")
