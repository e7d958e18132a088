"""Headings that a language model reads where the patterns miss them, and what it may not make of a text."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from citegrain.flows.shared.settings import SettingsError, load_settings
from citegrain.tasks.core.endpoint import Endpoint, ModelReply
from citegrain.tasks.core.schemas import PROVISIONS, REPORTS
from citegrain.tasks.core.stage import Tables
from citegrain.tasks.offline import parse, structure
from citegrain.tasks.offline.corpus import ActIdentity, Registry
from citegrain.tasks.offline.document import CorpusDocument, Setup
from citegrain.tasks.offline.parse import ParseConfig, parse_document
from citegrain.tasks.offline.structure import ActSpan, HeadingCalls, StructureConfig, structure_document
from citegrain.tasks.published.headings import ask_headings
from tests.bad_server import misbehaving
from tests.tasks.offline.structure.test_soundness import Rewrite, rewritten
from tests.typeset import Section

Prompt = dict[str, Any]
Said = list[dict[str, Any]]
CALLS = HeadingCalls(timeout=20, attempts=1, longest_wait=0.02)


def damaged(form: str, every: int = 4) -> Rewrite:
    """Every ``every``-th heading printed in a way that no pattern reads; not the last, which leaves no gap."""

    def rewrite(n: int, s: Section) -> Section:
        words = s.heading if n % every == 0 and (n < 40 or every == 1) else ""
        return replace(s, number="", heading=form.format(n=n, words=words)) if words else s

    return rewrite


BROKEN = {"named": "Section {n} {words}", "in words": "No. {n} – {words}", "misread": "Sec. {n}; {words}"}


@cache
def typeset(form: str, contents: bool = True, every: int = 4) -> bytes:
    """An Act with broken headings."""
    return rewritten(damaged(BROKEN[form], every), contents=contents)


@cache
def parsed(pdf: bytes) -> Tables:
    return parse_document(pdf, "d" * 64, ParseConfig(ocr="off"))


def read(pdf: bytes, model: Callable[[Prompt], Said] | None = None) -> dict[str, Any]:
    """The report on a PDF and its sections by number, as a model helps to read it."""

    def ask(prompts: Any) -> dict[str, ModelReply]:
        assert model is not None
        said = {key: model(json.loads(messages[-1]["content"])) for key, messages in prompts.items()}
        return {key: ModelReply(json.dumps({"headings": headings})) for key, headings in said.items()}

    tables, span = parsed(pdf), ActSpan("act", None, 1, 999)
    given = tables["documents"], tables["lines"], [span]
    tables = structure_document(*given, partial(ask_headings, ask=ask) if model else None)
    (row,) = tables["reports"].to_pylist()
    sections = {p["number"]: p for p in tables["provisions"].to_pylist() if p["kind"] == "section"}
    return {"sections": sections, **row}


def honest(prompt: Prompt) -> Said:
    """Names the rows on which a missing number stands behind a word, with the heading that follows."""
    out = []
    for row in prompt["rows"]:
        for number in prompt["missing"]:
            text = row["text"]
            at = text.find(number if f"{number}; " in text else f"{number} ")
            words = text[at + len(number) :].split(".")[0].split("—")[0].strip(" ;–")
            if 0 <= at < 12 and " of class " in text:
                out.append({"row": row["row"], "number": number, "heading": words})
    return out


@pytest.mark.parametrize("contents", [True, False])
@pytest.mark.parametrize("form", BROKEN)
def test_headings_broken_on_purpose_are_read_with_a_model(form: str, contents: bool) -> None:
    pdf = typeset(form, contents)
    before, after = read(pdf), read(pdf, honest)
    assert before["verdict"] != "sound" and before["n_by_model"] == 0 and before["model_note"] == ""
    assert (after["verdict"], after["n_sections"]) == ("sound", 40), after
    assert after["n_by_model"] == 40 - before["n_sections"] > 4
    assert f"{after['n_by_model']} headings taken" in after["model_note"]
    heading, text = after["sections"]["8"]["heading"], after["sections"]["8"]["text"]
    assert heading.endswith("of class 8") and text.startswith("The ")
    # what the patterns read is as it was, but where another section ended in it
    assert all(after["sections"][n]["heading"] == s["heading"] for n, s in before["sections"].items())


def test_an_act_of_which_nothing_was_recognised_is_read() -> None:
    pdf = typeset("in words", False, 1)
    before, after = read(pdf), read(pdf, honest)
    assert before["verdict"] == "failed" and not before["sections"]
    assert (after["verdict"], len(after["sections"]), after["n_by_model"]) == ("sound", 40, 40)


def test_a_sound_act_is_not_asked_about() -> None:
    def model(prompt: Prompt) -> Said:
        raise AssertionError(prompt)

    assert read(rewritten(lambda n, s: s, contents=True), model)["model_note"] == ""


def test_only_doubtful_spans_are_shown() -> None:
    prompts: list[Prompt] = []
    doubtful = damaged(BROKEN["named"])
    pdf = rewritten(lambda n, s: doubtful(n, s) if n in (20, 24, 28, 32) else s, contents=True)
    read(pdf, lambda prompt: prompts.append(prompt) or [])  # type: ignore[func-returns-value]
    assert [p["missing"] for p in prompts] == [["20"], ["24"], ["28"], ["32"]]
    shown = " ".join(row["text"] for p in prompts for row in p["rows"])
    assert "of class 20" in shown and "of class 12" not in shown
    assert all(p["headings in the contents"] for p in prompts)


def each(number: Callable[[Prompt, int], str], heading: str = "") -> Callable[[Prompt], Said]:
    """A model that names every row it is shown."""
    return lambda prompt: [
        {"row": row["row"], "number": number(prompt, i), "heading": heading}
        for i, row in enumerate(prompt["rows"])
    ]


HOSTILE: dict[str, tuple[Callable[[Prompt], Said], str]] = {
    "nothing": (lambda prompt: [], "0 headings taken"),
    "ids that are not missing": (each(lambda p, i: "999"), "its number is not missing there"),
    "no number": (each(lambda p, i: "; drop"), "its number is not missing there"),
    "everything": (each(lambda p, i: p["missing"][0]), "does not stand at the beginning of the row"),
    "rows that were not shown": (lambda p: [{"row": r, "number": p["missing"][0], "heading": ""} for r in (-1, 0, 10**9)],
                                 "its row was not shown"),
    "another heading": (lambda p: [h | {"heading": "Grants of land to the model"} for h in honest(p)],
                        "its heading does not stand behind the number"),
    "no heading": (lambda p: [h | {"heading": ""} for h in honest(p)],
                   "neither a stop nor a heading stands behind the number"),
}  # fmt: skip


@pytest.mark.parametrize("reply", HOSTILE)
def test_what_does_not_stand_in_the_text_is_refused(reply: str) -> None:
    pdf = typeset("named")
    model, why = HOSTILE[reply]
    before, after = read(pdf), read(pdf, model)
    assert why in after["model_note"] and "0 headings taken" in after["model_note"]
    assert " 0 refused" not in after["model_note"]
    assert after["sections"] == before["sections"]
    assert (after["verdict"], after["reason"]) == (before["verdict"], before["reason"])


def test_what_is_true_is_taken_beside_what_is_not() -> None:
    pdf = typeset("named")
    after = read(pdf, lambda p: [*each(lambda p, i: "999")(p), *honest(p), *honest(p)])
    assert (after["verdict"], after["n_by_model"]) == ("sound", 9)
    assert "9 refused: named twice" in after["model_note"]


def test_numbers_of_a_list_are_not_taken_for_sections() -> None:
    def lists(n: int, s: Section) -> Section:
        items = [f"{k} barrels of oil shall be kept at sea." for k in range(n + 1, n + 6)]
        return replace(s, paragraphs=[*s.paragraphs, *items]) if n == 10 else damaged(BROKEN["named"])(n, s)

    pdf = rewritten(lists, contents=False)

    def greedy(prompt: Prompt) -> Said:
        rows = [row for row in prompt["rows"] if " barrels of oil" in row["text"]]
        return [{"row": r["row"], "number": r["text"].split()[0], "heading": "barrels of oil"} for r in rows]

    before, after = read(pdf), read(pdf, greedy)
    assert after["sections"] == before["sections"], after["model_note"]


# -- the stage, and a server ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which the Act is parsed once."""
    return tmp_path_factory.mktemp("store")


def setup_of(store: Path, url: str | None, calls: HeadingCalls = CALLS) -> Setup:
    configs = {"parse": ParseConfig(ocr="off")}
    configs |= {"structure": StructureConfig(headings="llm" if url else "patterns", calls=calls)}  # type: ignore[dict-item]
    return Setup(store, configs, Registry({}), None, Endpoint(url, "scripted") if url else None)  # type: ignore[arg-type]


def document(tmp_path: Path, pdf: bytes) -> CorpusDocument:
    path = tmp_path / "act.pdf"
    path.write_bytes(pdf)
    act = ActIdentity("act", "The Act, 1950", "", None, "", "", 1, 999)
    return CorpusDocument("d" * 64, path, (act,))


def run_stages(pdf: CorpusDocument, setup: Setup) -> Any:
    """The artefact of ``structure``; with that of ``parse`` made before it."""
    done = {"parse": parse.DOCUMENT_STAGE.run(pdf, {}, setup)}
    return structure.DOCUMENT_STAGE.run(pdf, done, setup), structure.DOCUMENT_STAGE.key(pdf, done, setup)


def scripted(data: Prompt) -> str:
    return json.dumps({"headings": honest(data)})


def test_replies_are_kept_by_prompt_and_the_artefact_by_model(tmp_path: Path, store: Path) -> None:
    pdf = document(tmp_path, typeset("named"))
    with misbehaving("good", script=scripted) as server:
        setup = setup_of(store, server.url)
        artefact, key = run_stages(pdf, setup)
        (row,) = artefact.table(REPORTS).to_pylist()
        calls = sum(server.calls.values())
        assert (row["verdict"], row["n_by_model"]) == ("sound", 9) and calls == 9
        assert artefact.path.name == key.digest
        # a store that lost the artefact asks nobody again
        (artefact.path / "manifest.json").unlink()
        assert run_stages(pdf, setup)[0].content == artefact.content and sum(server.calls.values()) == calls
    plain, plain_key = run_stages(pdf, setup_of(store, None))
    assert plain_key.digest != key.digest and plain.table(REPORTS).to_pylist()[0]["verdict"] == "doubtful"
    assert set(plain_key.params) == {"min_sections", "acts"}  # as it was before there was a model


@pytest.mark.parametrize(
    ("mood", "script", "calls", "words"),
    [
        ("hang", scripted, replace(CALLS, timeout=0.4), "no reply within structure.calls.timeout=0.4 s"),
        ("good", lambda data: "As you wish: 13, 14.", CALLS, "does not fit the schema"),
        ("good", lambda data: '{"headings": "all"}', CALLS, "does not fit the schema"),
        ("good", lambda data: '{"headings": [{"row": "1", "number": 4, "heading": ""}]}', CALLS, "schema"),
        ("good", scripted, replace(CALLS, max_calls=4), "structure.calls.max_calls=4 were spent"),
        ("hang", scripted, replace(CALLS, timeout=9.0, max_seconds=0.3), "structure.calls.max_seconds=0.3 were spent"),
        ("429", scripted, CALLS, "HTTP 429"),
    ],
)  # fmt: skip
def test_without_a_reply_the_patterns_stand_and_the_next_run_tries_again(
    mood: str, script: Any, calls: HeadingCalls, words: str, tmp_path: Path, store: Path
) -> None:
    pdf = document(tmp_path, typeset("named"))
    with misbehaving(mood, script=script) as server:
        artefact, key = run_stages(pdf, setup_of(store, server.url, calls))
    (row,) = artefact.table(REPORTS).to_pylist()
    assert words in row["model_note"] and row["verdict"] == "doubtful"
    assert row["n_by_model"] == (4 if calls.max_calls == 4 else 0)
    assert artefact.path.name != key.digest  # a later run does not take it for the whole
    assert artefact.table(PROVISIONS).num_rows > 30


def test_the_setting_is_checked() -> None:
    assert load_settings(["corpus=demo"]).documents["structure"].headings == "patterns"
    for wrong in ("structure.headings=model", "structure.calls.timeout=0"):
        with pytest.raises(SettingsError, match=r"structure\.(headings|calls)"):
            load_settings(["corpus=demo", wrong])
