"""A benchmark as others read it: by a reader of its own, which keeps to BEIR's and MTEB's conventions."""

from __future__ import annotations

import csv
import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from citegrain.flows.study.sharing import write_benchmark, write_results
from citegrain.tasks.evaluation.benchmark import Benchmark, BenchmarkError, Citation, Record, load_benchmark
from citegrain.tasks.evaluation.score import GoldItem, GoldQuery
from citegrain.tasks.evaluation.studies import read_study
from tests.fakes import as_build
from tests.tasks.evaluation.report.studies import make_study

OLD, NEW = date(2020, 1, 1), date(2024, 1, 1)


class Law:
    """Section 1 in two editions, section 2 in one."""

    def law_of(self, days: set[date]) -> list[dict[str, Any]]:
        rows = [("1", v, f"of {v.year}", f"a\tb\n{v.year}") for v in (OLD, NEW)] + [("2", NEW, "", "two")]
        return [
            {"provision_id": f"lamp/sec_{n}", "act_id": "lamp", "version_date": v, "kind": "section",
             "number": n, "heading": h, "text": t}
            for n, v, h, t in rows
        ]  # fmt: skip

    def act(self, act_id: str, version: date) -> dict[str, str]:
        return {"title": "The Lamp Act"}

    def in_force(self, provision: str, day: date) -> bool:
        return provision == "lamp/sec_1" or day >= NEW

    def on_day(self, provision: str, day: date) -> tuple[dict[str, date], bool]:
        return {"version_date": OLD if provision == "lamp/sec_1" and day < NEW else NEW}, True


ONE, TWO, LOST = (Citation("lamp", number) for number in ("1", "2", "9"))
RECORDS = (
    Record(id="a", text="Was it\tso?", incident_date=date(2021, 5, 5), applicable=(ONE,), primary=ONE, register="formal"),
    Record(id="b", text="And now?", applicable=(ONE, TWO, LOST), primary=ONE),
    Record(id="c", text="Bread?"),
)  # fmt: skip
DAYS = {"a": date(2021, 5, 5), "b": date(2026, 1, 1), "c": date(2026, 1, 1)}


def gold() -> list[GoldQuery]:
    places = {ONE: ("lamp/sec_1",), TWO: ("lamp/sec_2",), LOST: ()}
    return [GoldQuery(r.id, tuple(GoldItem(c, g, places[c]) for c, g in r.graded)) for r in RECORDS]


def read(folder: Path, split: str) -> tuple[dict[str, Any], dict[str, str], dict[str, dict[str, int]]]:
    """As the loader of BEIR reads: corpus and queries by ``_id``, a header and three columns in qrels."""
    objects = {}
    for name in ("corpus", "queries"):
        with (folder / f"{name}.jsonl").open(encoding="utf-8") as file:
            objects[name] = {line["_id"]: line for line in map(json.loads, file)}
    judged: dict[str, dict[str, int]] = {}
    with (folder / "qrels" / f"{split}.tsv").open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_MINIMAL)
        assert next(rows) == ["query-id", "corpus-id", "score"]
        for query, document, grade in rows:
            judged.setdefault(query, {})[document] = int(grade)
    corpus = {i: {"title": d["title"], "text": d["text"]} for i, d in objects["corpus"].items()}
    return corpus, {i: q["text"] for i, q in objects["queries"].items()}, judged


def test_a_folder_is_read_by_the_conventions_of_beir_and_by_our_own_reader(tmp_path: Path) -> None:
    write_benchmark(Benchmark("lamps", "test", RECORDS), as_build(Law()), gold(), DAYS, tmp_path)
    corpus, queries, judged = read(tmp_path, "test")
    assert corpus["lamp/sec_1@2020-01-01"] == {
        "title": "The Lamp Act, section 1: of 2020", "text": "of 2020. a\tb\n2020"
    }  # fmt: skip
    assert corpus["lamp/sec_2"] == {"title": "The Lamp Act, section 2", "text": "two"} and len(corpus) == 3
    assert queries == {"a": "Was it\tso?", "b": "And now?", "c": "Bread?"}
    # by the version of the day; what the build lacks is judged, so that it counts as not found
    assert judged == {
        "a": {"lamp/sec_1@2020-01-01": 2}, "b": {"lamp/sec_1@2024-01-01": 2, "lamp/sec_2": 1, "lamp/9": 1}
    }  # fmt: skip
    assert load_benchmark(tmp_path, "lamps", "test", "beir").records == RECORDS


def test_a_benchmark_without_provisions_as_gold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match="lamps: no query has a provision as gold"):
        write_benchmark(Benchmark("lamps", "test", RECORDS[2:]), as_build(Law()), gold()[2:], DAYS, tmp_path)


def test_results_and_task_are_those_of_mteb(tmp_path: Path) -> None:
    study = read_study(make_study(tmp_path / "study", ("plain", "default")))
    files = write_results(study, tmp_path)
    revision = study.facts["benchmark"]["sha256"]
    assert [f.name for f in files] == ["task.py", *["CitegrainMade.json", "model_meta.json"] * 2]
    done, model = (json.loads(file.read_text(encoding="utf-8")) for file in files[3:])
    assert model == {"name": "citegrain/default", "revision": files[3].parent.name}
    assert done["task_name"] == "CitegrainMade" and done["dataset_revision"] == revision
    (scores,) = done["scores"]["test"]
    row = study.cells["default", "ndcg_10"]
    assert (scores["ndcg_at_10"], scores["ndcg_at_10_lo"], scores["n"]) == (row["value"], row["lo"], row["n"])
    assert scores["main_score"] == scores["ndcg_at_10"] and scores["hf_subset"] == "default"
    task = files[0].read_text(encoding="utf-8")
    compile(task, "task.py", "exec")
    assert "class CitegrainMade(AbsTaskRetrieval)" in task and revision in task and "$" not in task
