"""The command line as a user meets it: output, exit codes, one line an error."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from citegrain.flows.cli.ask import split_question
from tests.conftest import ROOT
from tests.flows.conftest import Done, common

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("commands")]
Run = Callable[..., Done]


@pytest.fixture
def offline(tmp_path: Path, tiny_model: Path) -> list[str]:
    """What is common to all, without a corpus."""
    return [o for o in common(tmp_path, tiny_model) if not o.startswith("corpus")]


@pytest.fixture
def citegrain(call: Run, offline: list[str]) -> Run:
    return lambda *arguments: call(*arguments, *offline)


@pytest.fixture
def process(offline: list[str]) -> Run:
    """The same in a separate process, as a user runs it."""

    def run(*arguments: str) -> Done:
        done = subprocess.run(
            [sys.executable, "-m", "citegrain", *arguments, *offline],
            cwd=ROOT, capture_output=True, text=True, timeout=240, check=False, env=os.environ | {"COLUMNS": "200"},
        )  # fmt: skip
        return Done(done.returncode, done.stdout, done.stderr)

    return run


def test_index_then_ask(citegrain: Run, process: Run, corpus: Path) -> None:
    (corpus / "bad.pdf").write_bytes(b"")
    where = ["corpus=folder", f"corpus.path='{corpus}'", "corpus.name=mine"]
    plan = citegrain("index", "--dry-run", *where)
    assert plan.returncode == 0
    assert plan.stdout.startswith("1 configuration, 14 stage runs, 0 already present")
    done = process("index", *where)
    assert done.returncode == 0, done.stderr
    assert "bad.pdf: not indexed: the file is empty (0 bytes)" in done.stdout
    assert "The Lantern Keepers (Welfare) Act, 2011" in done.stdout
    again = citegrain("index", "--strict", *where)
    assert again.returncode == 3 and "nothing to do" in again.stdout

    done = process("ask", "My wages were withheld for four months", "corpus.name=mine", "--json", "--k", "3")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert len(answer["charges"]) == 3
    assert set(answer["reply"]) == {"parse_pass", "attempts", "tokens_in", "tokens_out", "cost"}
    assert not any(answer["reply"].values())
    charge = answer["charges"][0]
    assert {"act", "section", "heading", "page", "chunk_id", "score", "evidence", "version"} <= set(charge)
    assert charge["link"].endswith(f".pdf#page={charge['page']}")

    why = ("--explain", "rerank=late_interaction")
    explained = citegrain("ask", "wages under section 3", "corpus.name=mine", *why)
    assert explained.returncode == 0 and "Rank (score) by stage" in explained.stdout
    assert "reranked" in explained.stdout and "dense" in explained.stdout.splitlines()[-1]
    for arguments, words in [
        (["generate=llm"], "set CITEGRAIN_LLM_BASE_URL and CITEGRAIN_LLM_MODEL"),
        (["rerank=cross_encoder"], "ms-marco-MiniLM-L6-v2"),
        (["fuse=single", "fuse.channel=graph"], "fuse.channel=graph"),
    ]:
        failed = citegrain("ask", "wages", "corpus.name=mine", *arguments)
        assert failed.returncode == 1 and words in failed.stderr and "Traceback" not in failed.stderr

    plain = citegrain("ask", "who supplies the oil?")
    assert plain.returncode == 0 and "asking mine, published 20" in plain.stderr
    assert "1. The " in plain.stdout and "#page=" in plain.stdout
    early = citegrain("ask", "wages", "corpus.name=mine", "--as-of", "1999-01-01", "--json")
    assert early.returncode == 0


CONF = ["corpus=folder", "corpus.path=conf", "corpus.name=x"]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["index", "chunk.colour=red"], 2, "colour"),
        (["index", "corpus.pth=/x"], 2, "did you mean corpus.path?"),
        (["index", "crpus=folder"], 2, "did you mean corpus?"),
        (["index", "corpus=folder", "corpus.path=/nonexistent-folder", "corpus.name=x"], 2, "no such folder"),
        (["index", *CONF], 1, "no documents"),
        (["index", "corpus=folder", "corpus.path=conf", "corpus.name=../x"], 2, "corpus.name"),
        (["index", *CONF, "index.background=[none.jsonl]"], 2, "none.jsonl"),
        (["index", *CONF, "index.expansion=[none.jsonl]"], 2, "none.jsonl"),
        (["ask", "anything"], 1, "no build is published in "),
        (["ask", "anything", "corpus.name=none"], 1, "no build in it"),
        (["ask", " "], 2, "the question is empty"),
        (["ask", "anything", "--as-of", "soon"], 2, "YYYY-MM-DD"),
        (["check", "none.txt", "--as-of", "2023-02-29"], 2, "2023-02-29: there is no such day"),
        (["ask", "anything", "--k", "0"], 2, "greater than or equal to 1"),
        (["ask", "anything", "--interactive"], 2, "one of a question, --interactive and --file"),
        (["ask", "--file", "none.txt"], 2, "none.txt: cannot be read: No such file"),
        (["ask", "anything", "--out", "x.jsonl"], 2, "--out needs --file"),
        (["rollback", "corpus.name=none"], 1, "no previous build"),
    ],
)
def test_what_goes_wrong_is_one_line_and_an_exit_code(
    citegrain: Run, arguments: list[str], code: int, words: str
) -> None:
    done = citegrain(*arguments)
    assert done.returncode == code, done.stderr
    assert words in done.stderr and "Traceback" not in done.stderr


def test_a_wrong_word_is_one_line_of_the_process_too(process: Run) -> None:
    done = process("index", "chunk.colour=red")
    assert done.returncode == 2 and "colour" in done.stderr and len(done.stderr.splitlines()) == 1


def test_gc_of_an_empty_store(citegrain: Run) -> None:
    done = citegrain("store", "gc")
    assert done.returncode == 0 and done.stdout.startswith("cleared 0 builds")


def test_questions_and_overrides_are_separated() -> None:
    words = ["what is 2+2=4, please", "corpus.name=mine", "k=3"]
    assert split_question(words) == ("what is 2+2=4, please", ["corpus.name=mine", "k=3"])
    assert split_question(["salary=5000 was not paid"]) == ("salary=5000 was not paid", [])
    assert split_question(["corpus.path=/my pdfs"]) == ("", ["corpus.path=/my pdfs"])


HEAVY = {"prefect", "mlflow", "sentence_transformers", "transformers", "pymupdf", "sklearn", "matplotlib"} | {
    "torch", "numba", "statsmodels", "asyncio", "jinja2", "openai", "httpx",
}  # fmt: skip


def run_code(code: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)


def test_the_library_loads_only_what_an_answer_needs(indexed: Path) -> None:
    code = (
        "import sys; from citegrain.flows.shared.library import Build; "
        f"hits = Build.open({str(indexed / 'builds/mine')!r}).search('wages of a keeper'); "
        "assert hits and hits[0].probability is None; assert not {'hydra', 'citegrain.flows.shared.settings'} & set(sys.modules); "
        f"sys.exit(str({HEAVY!r} & set(sys.modules) or ''))"
    )
    assert run_code(code).stderr.strip() == ""


def test_ask_loads_only_what_an_answer_needs(indexed: Path) -> None:
    heavy = HEAVY | {"pandas", "psutil"}
    code = (
        "import sys; from citegrain.flows.cli.main import app; "
        f"app(['ask', 'wages', 'corpus.name=mine', 'artifacts={indexed}'], standalone_mode=False); "
        "own = sum(name.partition('.')[0] == 'citegrain' for name in sys.modules); assert own <= 160, own; "
        f"sys.exit(str({heavy!r} & set(sys.modules) or ''))"
    )
    done = run_code(code)
    assert "1. The " in done.stdout and len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert done.stderr.startswith("asking mine, published ")
