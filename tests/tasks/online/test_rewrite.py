"""Rewrites of complaints by a model that misbehaves, and what of published systems is read for them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from citegrain.flows.shared.asking import online_endpoint
from citegrain.flows.shared.settings import SettingsError, load_settings
from citegrain.tasks.core.endpoint import Endpoint, EndpointError, reply_rows
from citegrain.tasks.evaluation.benchmark import open_benchmark
from citegrain.tasks.online.builds import Matrix
from citegrain.tasks.online.query import QueryConfig
from citegrain.tasks.online.rewrite import make_rewrites, rewrite_of
from tests.bad_server import misbehaving

QUESTION = "who pays, and by when?"
CALLS = QueryConfig(["decompose_llm"], timeout=1, attempts=1, longest_wait=0.02)


def no_vectors(texts: Sequence[str]) -> Matrix:
    return np.zeros((len(texts), 1), dtype=np.float32)


def by_model(
    reply: Any, config: QueryConfig = CALLS, texts: Sequence[str] = (QUESTION,), **more: Any
) -> list[dict[str, Any]]:
    queries = {f"q{i}": text for i, text in enumerate(texts)}
    with misbehaving("good", script=lambda data: json.dumps(reply)) as server:
        table = make_rewrites(
            queries, lambda query: [], no_vectors, config, Endpoint(server.url, "m"), **more
        )
    return list(table.to_pylist())


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ({"texts": ["who pays?", "who pays?", " ", "when?"]}, ["who pays?", "when?"]),
        ({"texts": [f"question {i}" for i in range(10_000)]}, ["question 0", "question 1", "question 2"]),
        ({"texts": ["word " * 1000]}, [" ".join(["word"] * 200)]),
        ({"texts": []}, []),
        ({"texts": [""]}, []),
        ({"texts": "one"}, []),
        ({}, []),
        ([], []),
    ],
)
def test_whatever_a_model_says_at_most_three_short_texts_are_searched(
    reply: Any, expected: list[str]
) -> None:
    rows = by_model(reply)
    assert [text["text"] for row in rows for text in row["texts"]] == expected
    assert all((row["texts"] == []) == bool(row["error"]) for row in rows) and rows


def test_a_hypothetical_passage_has_200_words_at_most() -> None:
    config = replace(CALLS, rewrites=["hyde"])
    (row,) = by_model({"text": "shall " * 300}, config)
    assert len(row["texts"][0]["text"].split()) == 200 and row["rewrite"] == "hyde"
    (row,) = by_model({"text": " "}, config)
    assert row["texts"] == [] and row["error"]


def test_a_passage_of_a_contract_is_asked_for_without_a_word_of_statutes() -> None:
    text = "May it be copied?"
    of_statute = str(rewrite_of("hyde").messages(text))  # type: ignore[union-attr]
    of_document = str(rewrite_of("hyde_document").messages(text))  # type: ignore[union-attr]
    assert "Indian statutes" in of_statute and '"complaint"' in of_statute
    assert "legal documents" in of_document and '"question": "May it be copied?"' in of_document
    assert "statute" not in of_document and "complaint" not in of_document


def test_only_a_question_of_twenty_characters_is_taken_apart() -> None:
    reply = {"texts": ["which pays?"]}
    assert by_model(reply, texts=["a" * 19]) == [] and len(by_model(reply, texts=["a" * 20])) == 1
    for name, word in (("decompose_llm", "statutes"), ("decompose_document", "legal documents")):
        assert word in str(rewrite_of(name).messages(QUESTION))  # type: ignore[union-attr]


def test_a_wording_in_place_of_the_question_keeps_what_it_names() -> None:
    config = load_settings(["query=reworded"]).cascade.query
    assert config.replace and config.asks == "query.rewrites=[reword_llm]"
    calls = replace(CALLS, rewrites=config.rewrites)
    (row,) = by_model({"text": "Which penalty follows from contravening section 4?"}, calls)
    assert [text["text"] for text in row["texts"]] == ["Which penalty follows from contravening section 4?"]
    (row,) = by_model({"text": ""}, calls)
    assert row["texts"] == [] and row["error"]
    prompt = str(rewrite_of("reword_llm").messages("s 4?"))  # type: ignore[union-attr]
    assert "every number of a section" in prompt and "s 4?" in prompt


def test_a_model_that_hangs_or_whose_budget_is_spent_leaves_the_complaint_as_it_is() -> None:
    with misbehaving("hang", script=lambda data: "{}") as server:
        table = make_rewrites(
            {"q": QUESTION},
            lambda query: [],
            no_vectors,
            replace(CALLS, timeout=0.2),
            Endpoint(server.url, "m"),
        )
    assert [row["error"] for row in table.to_pylist()] == ["no reply within query.timeout=0.2 s"]
    rows = by_model({"texts": ["b"]}, replace(CALLS, max_calls=1, concurrency=1), (QUESTION, QUESTION * 2))
    assert [bool(row["texts"]) for row in rows] == [True, False] and "max_calls=1" in rows[1]["error"]


def test_replies_are_kept(tmp_path: Path) -> None:
    dead = Endpoint("http://127.0.0.1:9/v1", "m")
    rows = reply_rows(tmp_path, "rewrite", dead, CALLS)
    first = by_model({"texts": ["b"]}, rows=rows)
    table = make_rewrites({"q0": QUESTION}, lambda query: [], no_vectors, CALLS, dead, rows)
    assert table.to_pylist() == first


def test_a_model_needs_an_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CITEGRAIN_LLM_BASE_URL", raising=False)
    with pytest.raises(EndpointError, match=r"query.rewrites=\[expand,hyde\] needs an endpoint"):
        online_endpoint(load_settings(["query.rewrites=[expand,hyde]"]))
    assert online_endpoint(load_settings(["query.rewrites=[expand,feedback]"])) is None
    with pytest.raises(SettingsError, match="of sentences, decompose"):
        load_settings(["query.rewrites=[guess]"])


def test_the_issues_of_a_complaint_are_searched_with_its_personal_law() -> None:
    config = replace(CALLS, rewrites=["issues"])
    said = {"issues": ["maintenance of a wife", "maintenance of a wife", "custody"], "personal_law": "Hindu"}
    rows = by_model(said, config)
    expected = ["maintenance of a wife (Hindu law)", "custody (Hindu law)"]
    assert [text["text"] for row in rows for text in row["texts"]] == expected
    (row,) = by_model({"issues": [" "]}, config)
    assert row["texts"] == [] and "it has no issue" in row["error"]


def test_a_translation_is_searched_beside_the_question() -> None:
    config = replace(CALLS, rewrites=["translate"])
    hindi = "मालिक ने वेतन नहीं दिया"
    assert by_model({"english": "wages"}, config, ("wages were not paid",)) == [], "it is in English"
    (row,) = by_model({"english": "the employer  did not pay"}, config, (hindi,))
    assert [text["text"] for text in row["texts"]] == ["the employer did not pay"]
    (row,) = by_model({"english": " "}, config, (hindi,))
    assert "it has no translation" in row["error"]


def test_the_recorded_translations_are_of_the_complaints_in_hindi() -> None:
    replies = "endpoint.replies=data:replies/translated.jsonl"
    on = ["benchmark=complaints_dev", "benchmark.language=hindi"]
    settings = load_settings(["query=translate", "endpoint=recorded", "endpoint.model=claude", replies, *on])
    texts = {record.id: record.text for record in open_benchmark(settings.benchmark)}
    endpoint = online_endpoint(settings)
    table = make_rewrites(texts, lambda query: [], no_vectors, settings.cascade.query, endpoint)
    rows = table.to_pylist()
    assert len(rows) == 60 and not any(row["error"] for row in rows)
    assert all(row["texts"][0]["text"].isascii() for row in rows)


def test_the_issues_need_no_published_system() -> None:
    code = (
        "from citegrain.tasks.online.cascade import CascadeConfig; from citegrain.tasks.online.query import QueryConfig\n"
        "from citegrain.tasks.online.rewrite import rewrite_of; from dataclasses import replace; import importlib, sys\n"
        "config = replace(CascadeConfig.chosen(), query=QueryConfig(['issues'], spelling=True))\n"
        "for stage in config.stages(): importlib.import_module(stage.maker)\n"
        "rewrite_of('issues'); sys.exit(','.join(n for n in sys.modules if 'citegrain.tasks.published' in n) or None)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stderr == ""


@pytest.mark.parametrize("query", ["judge", "expand", "hyde", "decompose"])
def test_a_model_reads_mistyped_words_as_the_default_does(query: str) -> None:
    assert load_settings([f"query={query}"]).cascade.query.spelling
