"""``citegrain reproduce`` as a user meets it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from citegrain.flows.cli.measure import _substituted
from citegrain.flows.cli.reproduce import _build_remarks
from citegrain.flows.shared.settings import load_settings
from citegrain.flows.study import reproduce as planning
from citegrain.flows.study.reproduce import plan_reproduction
from citegrain.tasks.offline.models import ModelError
from tests.flows.conftest import Done, common
from tests.flows.study.test_bench import benched, write_stories
from tests.tasks.evaluation.report.studies import make_study

Run = Callable[..., Done]


@pytest.fixture
def reproduce(call: Run, tmp_path: Path) -> Run:
    return lambda *words: call("reproduce", *words, f"artifacts='{tmp_path / 'artifacts'}'", width=100)


def test_what_is_not_at_hand_is_replaced_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def find(model: str, *_: object) -> None:
        raise ModelError(model)

    monkeypatch.setattr(planning, "find_model", find)
    monkeypatch.setattr(planning, "is_packaged", lambda model: False)
    monkeypatch.delenv("CITEGRAIN_LLM_BASE_URL", raising=False)
    planned = plan_reproduction(["corpus=folder", f"corpus.path='{tmp_path}/My Acts'", "fuse.k=30"])
    settings = planned.settings
    assert (settings.corpus.name, settings.benchmark.name) == ("thesis-My-Acts", "complaints")
    assert (settings.embed.model.rpartition("/")[2], settings.embed.long) == ("all-MiniLM-L6-v2", "truncate")
    assert (settings.cascade.rerank.scorer, settings.cascade.generate.kind) == ("none", "extractive")
    assert (settings.cascade.select.method, settings.cascade.fuse.k) == ("mmr", 30)
    assert settings.documents["chunk"].size == 700
    assert [r.split()[0].rpartition("/")[2] for r in planned.remarks] == [
        "all-mpnet-base-v2", "ms-marco-MiniLM-L6-v2", "CITEGRAIN_LLM_BASE_URL",
    ]  # fmt: skip

    # scores stay on the scale of threshold and gap
    (other,) = _substituted("civicsetu", ["experiment=civicsetu"])[1:]
    assert other == "rerank=plain"
    assert load_settings(["experiment=civicsetu", other]).cascade.rerank.scale == "logistic"
    assert "civicsetu: cross-encoder/ms-marco-MiniLM-L6-v2 is not at hand" in capsys.readouterr().err

    monkeypatch.setattr(planning, "find_model", lambda *_: None)
    assert _substituted("civicsetu", ["experiment=civicsetu"]) == []
    monkeypatch.setenv("CITEGRAIN_LLM_BASE_URL", "http://127.0.0.1:1")
    planned = plan_reproduction([])
    assert planned.settings.embed.model.endswith("all-mpnet-base-v2") and not planned.remarks
    assert planned.settings.cascade.rerank.scorer == "cross_encoder"
    assert planned.settings.cascade.generate.kind == "llm"
    assert (planned.settings.corpus.name, planned.settings.benchmark.name) == ("thesis-demo", "constitution")

    # what installed packages hold is at hand, and is not unpacked to plan
    monkeypatch.setattr(planning, "find_model", find)
    monkeypatch.setattr(planning, "is_packaged", lambda model: model.endswith("mpnet-base-v2"))
    (remark,) = plan_reproduction([]).remarks
    assert remark.split()[0].endswith("/ms-marco-MiniLM-L6-v2")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["corpus.name=none"], 1, "no build in it"),
        (["--study", "none"], 1, "none: there is no study of this name"),
        (["chunk.colour=red"], 2, "colour"),
    ],
)
def test_what_cannot_be_done_is_one_line(reproduce: Run, arguments: list[str], code: int, words: str) -> None:
    done = reproduce(*arguments)
    assert done.returncode == code and words in done.stderr and "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("recorded", "said"),
    [({"size": 700}, []), ({"size": 500}, ["its chunks are not the thesis'"]), (None, ["not known to be"])],
)
def test_chunks_of_the_thesis_are_those_whose_recorded_parameters_are_its_own(
    monkeypatch: pytest.MonkeyPatch, recorded: dict[str, int] | None, said: list[str]
) -> None:
    monkeypatch.setattr("citegrain.tasks.published.reproduce.chunk_parameters", lambda *_: recorded)
    manifest = {"counts": {"documents": 2, "pages": 9}, "embed": {"model": "a/b"}}
    build: Any = SimpleNamespace(manifest=manifest, names=lambda: [1, 2], folder=Path("mine/0123456789"))
    settings: Any = SimpleNamespace(store_folder=Path())
    remarks = _build_remarks(build, settings, {"size": 700, "separators": ["x"]})  # of which no key is made
    assert len(remarks) == 1 + len(said) and all(words in remarks[-1] for words in said)


@pytest.mark.prefect
@pytest.mark.usefixtures("indexed", "corpus")
@pytest.mark.xdist_group("commands")
def test_a_build_beside_the_published_rows(
    call: Run, reproduce: Run, tmp_path: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[list[str]] = []

    def measured(words: list[str], progress: object) -> SimpleNamespace:
        given.append(words)
        return SimpleNamespace(members=[SimpleNamespace(went_without=["grid: answers went on without 3"])])

    monkeypatch.setattr(planning, "measure_papers", measured)
    report = json.loads(reproduce("corpus.name=mine", "--json").stdout)
    assert "its chunks are not the thesis'" in report["remarks"][1]
    assert "there is no study of this build" in report["remarks"][2]
    rows = {o["published"]["id"]: o for s in report["sections"] for o in s["outcomes"]}
    assert rows["documents"]["ours"] == "2" and rows["documents"]["status"] == "differs"
    assert rows["size"]["status"] == "reproduced" and rows["width"]["ours"] == "all-mpnet-base-v2"
    statuses = {"reproduced", "differs", "not reproducible", "not measured"}
    assert {o["status"] for o in rows.values()} == statuses

    make_study(tmp_path / "artifacts" / "reports" / "newest", study="newest", corpus="another")
    words = [o for o in common(tmp_path, tiny_model) if not o.startswith("corpus.name")]
    words += [*benched(write_stories(tmp_path)), "generate=extractive"]
    target = tmp_path / "elsewhere" / "page.md"
    done = call("reproduce", *words, "--to", str(target), width=100)
    assert done.returncode == 0, done.stderr
    assert [w.partition("=")[0] for w in given[0] if w.startswith("artifacts")] == ["artifacts"]
    shown = " ".join(done.stdout.split())
    assert "The five systems" in shown and "Paper-QA: " in shown and "Table 4.1" not in shown
    assert "build thesis-pdfs/" in shown and "size 700, overlap 85, header none" in shown
    assert "accuracy of ours: study thesis-pdfs-stories: benchmark stories (test), 4 complaints" in shown
    assert "grid: answers went on without 3" in shown
    assert "the benchmark cites 1 things that this corpus lacks;" in shown and "newest" not in shown
    assert (tmp_path / "artifacts" / "builds" / "thesis-pdfs" / "current").is_file()
    assert not [x for x in done.stdout.splitlines()[:-1] if len(x) > 100]
    page = target.read_text(encoding="utf-8")
    interval = r"\[89.8%, 96.5%\]"
    assert f"| 1 | primary: interval | {interval} | {interval} | reproduced (arithmetic) |" in page
    assert "contradicts" in page
    again = call("reproduce", *words, "--dry-run")
    assert again.returncode == 0 and again.stdout and not re.search(r"[1-9]\d* to make", again.stdout)
