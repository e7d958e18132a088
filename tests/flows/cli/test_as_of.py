"""``ask --as-of`` over two invented laws, one of which took the place of the other."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from citegrain.flows.shared.asking import open_build
from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.online.cascade import Cascade
from citegrain.tasks.online.steps import run_steps
from tests import typeset
from tests.conftest import ROOT
from tests.flows.conftest import Done, Quiet, common
from tests.typeset import Act, Section

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("commands")]
OLD, NEW = "lamp-code-1860", "lamp-sanhita-2023"
THEFT = (
    "Whoever, intending to take dishonestly any lamp out of the possession of its keeper without that keeper’s consent, moves "
    "that lamp in order to such taking, is said to commit theft."
)
PENALTY = (
    "Whoever commits theft of a lamp shall be punished with imprisonment of either description for a term which may extend to "
    "three years, or with fine, or with both."
)
OIL = "Every owner shall supply the keeper with oil of the quality that is prescribed by the Commissioner of Lamps."
CHESS = "Whoever plays at chess upon the stair of a lighthouse while a vessel is in sight shall be liable to a fine."
DRONE = "Whoever flies an unmanned aircraft within one furlong of a beacon shall be liable to be imprisoned for a year."


def law(title: str, number: str, *sections: tuple[str, str, Sequence[str]]) -> bytes:
    written = [Section(n, heading, paragraphs) for n, heading, paragraphs in sections]
    short = Section("1", "Short title", [f"This Act may be called the {title.title()}."])
    return typeset.india_code(Act(f"THE {title.upper()}", number, [("I", "LAMPS", [short, *written])]))


REGISTRY = {
    OLD: {
        "title": "The Lamp Code, 1860", "number": "9 of 1860", "aliases": ["LPC"], "in_force_from": "1862-01-01",
        "in_force_to": "2024-06-30", "replaced_by": NEW,
    },
    NEW: {"title": "The Lamp Sanhita, 2023", "number": "45 of 2023", "aliases": ["LS"], "in_force_from": "2024-07-01"},
}  # fmt: skip


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory, tiny_model: Path) -> list[str]:
    """Overrides that ask the build of both laws."""
    from citegrain.flows.index.run import run_index

    folder = tmp_path_factory.mktemp("codes")
    (folder / "pdfs").mkdir()
    old = law(
        "lamp code, 1860", "9 of 1860",
        ("378", "Theft of lamp", [THEFT]), ("379", "Punishment for theft of lamp", [PENALTY]),
        ("380", "Supply of oil", [OIL]), ("381", "Playing chess", [CHESS]),
    )  # fmt: skip
    new = law(
        "lamp sanhita, 2023", "45 of 2023",
        ("302", "Supply of oil", [OIL]), ("303", "Theft of lamp", [f"(1) {THEFT}", f"(2) {PENALTY}"]),
        ("304", "Unmanned aircraft", [DRONE]),
    )  # fmt: skip
    (folder / "pdfs" / "old.pdf").write_bytes(old)
    (folder / "pdfs" / "new.pdf").write_bytes(new)
    (folder / "registry.yaml").write_text(yaml.safe_dump(REGISTRY).replace("'", ""), encoding="utf-8")
    given = [*common(folder, tiny_model), "corpus.name=codes"]
    run_index(load_settings([*given, f"corpus.registry='{folder / 'registry.yaml'}'"]), Quiet())
    return [o for o in given if o.partition("=")[0] not in ("corpus", "corpus.path")]


Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def ask(call: Callable[..., Done], once: list[str]) -> Ask:
    def json_of(words: str, *arguments: str) -> dict[str, Any]:
        done = call("ask", words, "--json", "--k", "9", *arguments, *once)
        assert done.returncode == 0, done.stderr
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    return json_of


def charge(answer: dict[str, Any], section: str) -> dict[str, Any]:
    charge: dict[str, Any] = next(c for c in answer["charges"] if c["section"] == section)
    return charge


@pytest.mark.parametrize(
    ("words", "as_of", "act", "source", "evidence"),
    [
        ("theft of a lamp", "2024-05-01", OLD, "asked", ""),
        ("theft of a lamp", "2024-08-01", NEW, "asked", ""),
        ("theft of a lamp in May 2024", "auto", OLD, "words", "May 2024"),
        ("theft of a lamp on 3rd August 2024", "auto", NEW, "words", "3rd August 2024"),
        ("theft of a lamp on 30/06/24, FIR of 2 July 2024", "auto", OLD, "words", "30/06/24"),
        ("theft of a lamp on 1 July 2024", "auto", NEW, "words", "1 July 2024"),
        ("theft of a lamp in 2024", "auto", NEW, "today", "in 2024"),
        ("theft of a lamp", "auto", NEW, "today", ""),
        ("theft of a lamp in May 2024", "", NEW, "today", ""),
    ],
)
def test_the_day_decides_the_code(
    ask: Ask, words: str, as_of: str, act: str, source: str, evidence: str
) -> None:
    answer = ask(words, *(["--as-of", as_of] if as_of else []))
    assert answer["charges"] and {c["act"] for c in answer["charges"]} == {act}
    as_of_day = answer["as_of"]
    assert (as_of_day["source"], as_of_day["evidence"]) == (source, evidence)
    assert as_of_day["uncertain"] == (words.endswith("in 2024") and as_of == "auto")


def test_each_charge_names_its_counterparts(ask: Ask) -> None:
    old = ask("theft of a lamp, chess, oil", "--as-of", "2024-05-01")
    theft = charge(old, "379")
    assert theft["replacement"] == {
        "relation": "successor", "act": NEW, "title": "The Lamp Sanhita, 2023", "since": "2024-07-01", "in_build": True
    }  # fmt: skip
    assert theft["counterparts"] == [
        {
            "act": NEW, "section": "303", "heading": "Theft of lamp", "provision_id": f"{NEW}/sec_303",
            "relation": "successor", "source": "matched",
        }
    ]  # fmt: skip
    assert charge(old, "381")["counterparts"] == []
    new = ask("theft of a lamp, unmanned aircraft, oil", "--as-of", "2024-08-01")
    assert [c["section"] for c in charge(new, "303")["counterparts"]] == ["379", "378"]
    assert {c["relation"] for c in charge(new, "303")["counterparts"]} == {"predecessor"}
    assert charge(new, "304")["counterparts"] == []


def test_in_the_terminal_one_plain_line_each(call: Callable[..., Done], once: list[str]) -> None:
    done = call("ask", "theft of a lamp on 3 May 2024, playing chess", "--as-of", "auto", "--k", "9", *once)
    day = done.stdout.splitlines()[0]
    assert day == "law of 2024-05-03, read from “3 May 2024”: the only date in the text"
    since = "   since 2024-07-01: The Lamp Sanhita, 2023, "
    assert f"{since}section 303 (matched by heading and text)\n" in done.stdout
    assert f"{since}no similar section found\n" in done.stdout
    today = call("ask", "theft of a lamp", "--k", "9", *once)
    assert "   before 2024-07-01: The Lamp Code, 1860, sections 379, 378 (matched" in today.stdout


def test_the_users_table(call: Callable[..., Done], ask: Ask, once: list[str], tmp_path: Path) -> None:
    rows = [("LPC", "381", "LS", "304"), ("LPC", "379", "LS", ""), ("LPC", "999", "LS", "303")]
    table = tmp_path / "table.csv"
    table.write_text("old_act,old_section,new_act,new_section\n" + "\n".join(map(",".join, rows)) + "\n")
    counterparts = f"corpus.counterparts='{table}'"
    answer = ask("theft of a lamp, chess", "--as-of", "2024-05-01", counterparts)
    assert [(c["section"], c["source"]) for c in charge(answer, "381")["counterparts"]] == [("304", "table")]
    assert charge(answer, "379")["counterparts"] == []
    assert [c["source"] for c in charge(answer, "378")["counterparts"]] == ["matched"]
    shown = call("ask", "theft of a lamp", counterparts, *once)
    assert "not in this build: LPC 999 (1 in all)" in shown.stderr
    # who names an old section is led by the table
    answer = ask("what of LPC 381?", "--as-of", "2024-08-01", counterparts)
    assert answer["charges"][0]["section"] == "304"
    table.write_text("old_act,old_section,new_act,new_section\nLPC,381(2),LS,304\n")
    wrong = call("ask", "theft", counterparts, *once)
    assert wrong.returncode == 1
    assert "line 2: old_section: must be a section without sub-section" in wrong.stderr


def test_a_day_that_is_none(call: Callable[..., Done], once: list[str]) -> None:
    done = call("ask", "theft", "--as-of", "2024-02-30", *once)
    assert done.returncode == 2 and "--as-of 2024-02-30: there is no such day" in done.stderr


def test_the_registry_says_when_the_codes_changed() -> None:
    registry = yaml.safe_load((ROOT / "data" / "registry.yaml").read_text(encoding="utf-8"))
    assert registry["indian-penal-code-1860"]["in_force_to"].isoformat() == "2024-06-30"
    assert registry["bharatiya-nyaya-sanhita-2023"]["in_force_from"].isoformat() == "2024-07-01"


def test_a_benchmark_asks_each_complaint_on_its_own_day(once: list[str]) -> None:
    settings = load_settings(["corpus=published", *once])
    cascade = Cascade(open_build(settings.builds_folder / "codes", settings), settings.cascade)
    days = {"may": date(2024, 5, 1), "august": date(2024, 8, 1), "undated": None}
    tables = run_steps(cascade.steps(dict.fromkeys(days, "theft of a lamp"), days))
    hits = cascade.hits(tables["query"], tables["selected"])
    assert {h.act for h in hits["may"]} == {OLD} and {h.act for h in hits["august"]} == {NEW}
    assert tables["query"].column("as_of").to_pylist() == list(days.values())
