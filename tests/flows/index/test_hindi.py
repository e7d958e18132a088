"""An Act in Hindi beside its English edition: indexed, and asked in both languages."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from citegrain.flows.index.run import run_index
from citegrain.flows.shared.settings import load_settings
from tests import typeset_hindi
from tests.flows.conftest import Done, Quiet, common

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("index")]
Ask = Callable[..., dict[str, Any]]
REGISTRY = """
lantern-keepers-welfare-act-2011:
  title: The Lantern Keepers (Welfare) Act, 2011
  number: 17 of 2011
"""


def indexed(folder: Path, settings: list[str]) -> Any:
    (folder / "registry.yaml").write_text(REGISTRY)
    return run_index(load_settings([*settings, f"corpus.registry='{folder / 'registry.yaml'}'"]), Quiet())


def asking(call: Callable[..., Done], settings: list[str]) -> Ask:
    def ask(question: str) -> dict[str, Any]:
        done = call("ask", question, "--json", *settings)
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    return ask


def sections(answer: dict[str, Any]) -> list[str]:
    return [charge["section"] for charge in answer["charges"]]


def check(ask: Ask) -> None:
    oil = ask("दीप के रक्षक को तेल कौन देगा?")
    assert sections(oil)[0] == "3A" and "तेल भत्ता" in json.dumps(oil, ensure_ascii=False)
    assert sections(ask("धारा ४ में क्या है?"))[0] == "4"
    assert "शास्ति" in json.dumps(ask("धारा 4"), ensure_ascii=False), (
        "the edition in the language of the question"
    )


def test_both_editions_are_indexed_and_asked(
    call: Callable[..., Done], tmp_path: Path, corpus: Path, tiny_model: Path
) -> None:
    (corpus / "hindi.pdf").write_bytes(typeset_hindi.hindi())
    settings = common(tmp_path, tiny_model)
    result = indexed(tmp_path, settings)
    report = result.report()
    editions = {row["language"] for row in report["indexed"] if row["act_id"].startswith("lantern")}
    assert editions == {"en", "hi"} and report["refused"] == []
    ask = asking(call, settings)
    check(ask)
    oil = ask("दीप के रक्षक को तेल कौन देगा?")["charges"][0]
    oil_in_english = ask("Who supplies the oil of the lantern keeper?")["charges"][0]
    assert oil["provision_id"] == oil_in_english["provision_id"], "whatever the language of the question"
    assert "तेल भत्ता" not in json.dumps(oil_in_english, ensure_ascii=False)
    english = ask("section 4 of the Lantern Keepers (Welfare) Act")
    assert sections(english)[0] == "4" and "शास्ति" not in json.dumps(
        english["charges"][0], ensure_ascii=False
    )


@pytest.mark.model
@pytest.mark.slow
def test_a_question_in_hindi_is_judged_as_it_is_read(
    call: Callable[..., Done], tmp_path: Path, corpus: Path
) -> None:
    settings = [s for s in common(tmp_path, Path()) if not s.startswith("embed")]
    indexed(tmp_path, settings)
    before = asking(call, settings)("धारा 4")
    assert before["decision"] == "answer" and sections(before)[0] == "4", "who names a section is given it"
    (corpus / "hindi.pdf").write_bytes(typeset_hindi.hindi())
    indexed(tmp_path, settings)
    ask = asking(call, settings)
    assert sections(ask("धारा 4"))[0] == "4"
    assert ask("मुर्गी")["decision"] == ask("hen")["decision"] == "decline"
