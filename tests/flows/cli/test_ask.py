"""Asking: from standard input, at a prompt, a file of questions; which build, and why an answer."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from citegrain.flows.cli.ask import _questions
from citegrain.flows.shared import library
from citegrain.flows.shared.library import Build
from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.cascade import Cascade, CascadeConfig
from tests.conftest import ROOT
from tests.flows.conftest import Done

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("commands")]
Ask = Callable[..., Done]


@pytest.fixture
def ask(call: Callable[..., Done], indexed: Path) -> Ask:
    return lambda *words, **more: call("ask", *words, f"artifacts='{indexed}'", **more)


def test_questions_at_a_prompt(ask: Ask) -> None:
    typed = [
        ":explain", "wages of a keeper", ":full 1", ":full 9", ":explain", ":date 1999-01-01", "wages of a keeper",
        ":date soon", ":date today", ":colour", ":help", ":quit", "never asked",
    ]  # fmt: skip
    done = ask("--interactive", typed="\n".join(typed))
    assert done.returncode == 0
    assert done.stdout.count("1. The ") >= 2 and "never" not in done.stdout
    assert "law of 1999-01-01, as asked" in done.stdout and ":full 2 " in done.stdout
    assert "Rank (score) by stage" in done.stdout and "why: " in done.stdout
    wrong = ("nothing was answered yet", ":full N, N from 1 to", ":date must be followed", ":colour: no such")
    assert all(words in done.stderr for words in wrong)
    assert ask("--interactive", typed="oil").returncode == 0, "the end of input ends it"
    refused = ask("--interactive", "--json")
    assert refused.returncode == 2 and ":full N" in refused.stderr


def test_a_file_of_questions(ask: Ask, tmp_path: Path) -> None:
    questions, answers = tmp_path / "questions.txt", tmp_path / "answers.jsonl"
    questions.write_text("wages of a keeper\n\nwho supplies the oil?\n")
    done = ask("--file", str(questions), "--out", str(answers), "--explain", "--k", "2")
    assert done.returncode == 0 and "2 answers" in done.stdout
    rows = [json.loads(line) for line in answers.read_text().splitlines()]
    assert [row["query"] for row in rows] == ["wages of a keeper", "who supplies the oil?"]
    assert all(len(row["charges"]) == 2 and len(row["explanation"]) > 2 for row in rows)
    alone = json.loads(ask("who supplies the oil?", "--json", "--k", "2").stdout)
    assert alone == {name: value for name, value in rows[1].items() if name != "explanation"}
    plain = ask("--file", str(questions))
    assert len(plain.stdout.splitlines()) == 2, "standard output where no file is named"
    questions.write_text("\n")
    assert ask("--file", str(questions)).returncode == 2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_questions_as_editors_save_them(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "questions.txt"
    file.write_bytes("wages – é?\r\n\r\n \r\nwho\u2028supplies?\rthe oil\r\n".encode(encoding))
    assert _questions(file) == ["wages – é?", "who\u2028supplies?", "the oil"]


def test_a_question_that_is_no_text_takes_one_line(call: Callable[..., Done], tmp_path: Path) -> None:
    for words, typed in ((["-"], b"wages \xff\xe9"), (["wages \udcff"], b"")):
        done = call("ask", *words, f"artifacts='{tmp_path}'", typed=typed)
        assert done.returncode == 2 and done.stderr.startswith("citegrain: the question is not UTF-8")


def test_a_text_that_is_too_long_to_be_read_whole(ask: Ask) -> None:
    done = ask("-", typed="wages of the keeper " * 50)
    assert done.returncode == 0 and "Only the first 62 of 200 words were read" in done.stdout
    answer = json.loads(ask("-", "--json", typed="who supplies the oil?\n").stdout)
    assert answer["query"] == "who supplies the oil?"
    assert answer["words"] == {"asked": 4, "encoded": 4, "cut": "", "read_as": ""}
    assert ask("-", typed=" ").returncode == 2


def test_an_explanation_is_readable_at_80_columns(ask: Ask) -> None:
    done = ask("wages of a keeper", "--explain", "--k", "1", width=80)
    _, _, explained = done.stdout.partition("Rank (score) by stage\n")
    lines = explained.splitlines()[:-1]
    assert max(map(len, lines)) <= 80 and "Not returned" in lines
    assert lines[0].startswith("1. The ") and "why: the 1 before it are returned (select.k)" in explained
    rows = json.loads(ask("wages of a keeper", "--explain", "--k", "1", "--json").stdout)["explanation"]
    assert [row["returned"] for row in rows[:2]] == [True, False]
    assert rows[0]["heading"] and rows[0]["stages"]["selected"]["rank"] == 1 and not rows[0]["why"]


def test_an_answer_as_a_page(ask: Ask, tmp_path: Path) -> None:
    page = tmp_path / "answer.html"
    done = ask("wages of a keeper", "--html", str(page), "--k", "1")
    html = page.read_text(encoding="utf-8")
    assert done.returncode == 0 and f"written: {page}" in done.stderr and "1. The " in done.stdout
    shown = ("data:image/png;base64,", 'class="passage"', "Rank (score) at every stage")
    assert all(part in html for part in shown)
    elsewhere = ask("wages of a keeper", "--html", str(page), f"corpus.path={tmp_path}", "corpus.name=mine")
    assert elsewhere.returncode == 0 and "the PDF is not at hand" in page.read_text(encoding="utf-8")
    assert ask("--interactive", "--html", str(page)).returncode == 2
    assert "--trace needs a controller" in ask("who pays?", "--trace").stderr


def test_which_build_is_asked(
    ask: Ask, call: Callable[..., Done], indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builds = indexed / "builds"
    shutil.copytree(builds / "mine", builds / "other")
    os.utime(builds / "other/current", (1.0e9, 1.0e9))
    (builds / "other/previous").write_text((builds / "other/current").read_text())
    refused = ask("oil", "--json")
    assert refused.returncode == 2 and "2 builds are published: mine, other; name one" in refused.stderr
    monkeypatch.setenv("CITEGRAIN_CORPUS", "other")
    answer = ask("oil", "--json")
    day = datetime.fromtimestamp(1.0e9, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
    assert json.loads(answer.stdout)["build"].startswith("other/")
    assert f"asking other, published {day}" in answer.stderr
    answer_of_mine = ask("oil", "--json", "corpus.name=mine")
    assert json.loads(answer_of_mine.stdout)["build"].startswith("mine/")
    rows = json.loads(call("builds", "--json", f"artifacts='{indexed}'").stdout)
    assert [(r["name"], r["state"]) for r in rows] == [
        ("mine", "current"), ("other", "current"), ("other", "previous")
    ]  # fmt: skip
    assert [rows[0][kind] for kind in ("documents", "acts", "versions")] == [2, 2, 2]
    assert [rows[0][kind] for kind in ("rules", "judgments", "others")] == [0, 0, 0]
    assert rows[0]["size"] > 1000
    table = call("builds", f"artifacts='{indexed}'", width=80).stdout
    assert "Acts" in table and "rules" not in table and "versions" not in table
    assert "previous" in table and rows[0]["key"][:8] in table and max(map(len, table.splitlines())) <= 80
    assert day in table, "a row is one line"
    account = call("documents", "corpus.name=mine", f"artifacts='{indexed}'").stdout
    assert "lantern.pdf" in account and "doubtful" not in account


def test_the_library_asks_the_law_of_today(indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build = Build.open(indexed / "builds/mine")
    days: list[date | None] = []

    def eligible(day: date | None) -> Mask:
        days.append(day)
        return PublishedBuild.eligible(build, day)

    monkeypatch.setattr(build, "eligible", eligible)
    assert build.search("wages", k=2) and set(days) == {datetime.now(UTC).astimezone().date()}
    with pytest.raises(ValueError, match="the question is empty"):
        build.search(" ")


def test_the_library_gives_nothing_where_a_question_is_declined(
    indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = Build.open(indexed / "builds" / "mine")
    assert build.search("wages of a keeper")
    declined = build.ask("wages of a keeper").model_copy(update={"charges": [], "reason": "too_vague"})
    given = library.answered
    monkeypatch.setattr(library, "answered", lambda *arguments: (declined, given(*arguments)[1]))
    assert build.search("wages of a keeper") == [] and build.search("wages of a keeper").reason == "too_vague"


def test_an_override_goes_before_an_option(ask: Ask) -> None:
    done = ask("wages of a keeper", "--k", "3", "select.k=1", "--json")
    assert len(json.loads(done.stdout)["charges"]) == 1


def test_what_the_library_keeps_between_questions_changes_no_answer(indexed: Path) -> None:
    build, day = Build.open(indexed / "builds/mine"), date(1990, 1, 1)
    today = build.search("wages", k=2)
    once = ("search", CascadeConfig.chosen(2).select)
    assert isinstance(build.shared(once, dict), Cascade), "made once, for every day"
    for text, k, as_of in (("who supplies the oil", 2, None), ("wages", 2, day), ("wages", 1, None)):
        fresh = Build.open(indexed / "builds/mine")
        assert build.search(text, k, as_of) == fresh.search(text, k, as_of)
    assert build.search("wages", k=2) == today


def passed_on(*words: str) -> str:
    """What a target of make gives citegrain, its arguments joined by ``|``."""
    # make test runs this test in a make of its own
    outside = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    printed = subprocess.run(
        ["make", "-n", *words], cwd=ROOT, env=outside, capture_output=True, text=True, check=True
    )
    command = printed.stdout.splitlines()[-1].replace(".venv/bin/citegrain", "printf '%s|'")
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    return done.stdout


def test_make_passes_a_question_on_as_it_is() -> None:
    question = """He said "give me $500" and it's `mine`; $(HOME)"""
    assert passed_on("ask", f"Q={question}", "NAME=a") == f"ask|corpus.name=a|--|{question}|"


@pytest.mark.parametrize("path", ["/a b/it's, [1] = “x”", "pdfs", "a\\'$b", '/"c"/$(HOME)/`d`#;&'])
def test_make_passes_a_path_on_as_it_is(path: str) -> None:
    for target, name in (("index", "my"), ("reindex", "my"), ("reproduce", "")):
        command, *settings = passed_on(target, f"CORPUS={path}", f"NAME={name}").strip("|").split("|")
        assert command == target and load_settings([*settings, "corpus.name=my"]).corpus.path == path
        assert ("corpus.name=my" in settings) == bool(name)


def test_make_asks_for_the_folder() -> None:
    for target in ("index", "reindex"):
        command = ["make", target, "PYTHON=true", "BIN=/bin", "-o", "setup"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 2 and f"name the folder: make {target} CORPUS=" in done.stdout


def test_a_file_is_asked_beside_the_build(ask: Ask, lantern_pdf: bytes, tmp_path: Path) -> None:
    upload = tmp_path / "notice.pdf"
    upload.write_bytes(lantern_pdf)
    answer = json.loads(ask("wages of a keeper", "--with", str(upload), "--json").stdout)
    assert answer["uploads"] and {passage["file"] for passage in answer["uploads"]} == {"notice.pdf"}
    assert all(passage["page"] >= 1 and passage["text"] for passage in answer["uploads"])
    shown = ask("wages of a keeper", "--with", str(upload))
    assert "[notice.pdf, page" in shown.stdout
    missing = ask("wages of a keeper", "--with", str(tmp_path / "none.pdf"))
    assert missing.returncode in (1, 2) and "is missing" in missing.stderr
    assert ask("--interactive", "--with", str(upload), typed=":quit").returncode == 2
