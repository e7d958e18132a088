"""A reader that learns from no question, and a ranker that learns beside it."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from citegrain.flows.index.run import run_index
from citegrain.flows.shared.library import Build
from citegrain.flows.shared.settings import load_settings
from citegrain.flows.train.training import TrainingResult, digests, gains, learn, plan_training, ship
from citegrain.tasks.core.paths import located
from citegrain.tasks.core.schemas import LEARNED
from citegrain.tasks.core.store.files import hash_file
from citegrain.tasks.offline.models import ADAPTER
from citegrain.tasks.online.answer import explain
from citegrain.tasks.online.cascade import Cascade, CascadeConfig
from citegrain.tasks.online.estimate import EstimateConfig, catalogue, estimates_of
from citegrain.tasks.online.features import FEATURES
from citegrain.tasks.online.fuse import ranker_of
from citegrain.tasks.online.retrieve.channels.classifier import read_classifier
from citegrain.tasks.online.select import SelectConfig
from citegrain.tasks.train import (
    CATALOGUE,
    CLASSIFIER,
    ESTIMATED,
    LISTS,
    RANKED_BY,
    VECTORS,
    read_questions,
)
from citegrain.tasks.train import ranker as ranker_module
from citegrain.tasks.train import readings as readings_module
from tests.flows.conftest import Quiet, common
from tests.flows.study.test_bench import record

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("prefect")]


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def small_catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every thirtieth entry of the catalogue: each training encodes all of its lines."""
    entries = located(catalogue.CATALOGUE).read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "catalogue.jsonl").write_text("".join(entries[::30]), encoding="utf-8")
    monkeypatch.setattr(catalogue, "CATALOGUE", str(tmp_path / "catalogue.jsonl"))


@pytest.fixture
def overrides(indexed: Path, corpus: Path, tmp_path: Path, tiny_model: Path) -> list[str]:
    """A build of two Acts with lay texts; a story, and questions of which one has no answer."""
    acts = sorted(act for act, _, _ in Build.open(indexed / "builds" / "mine").names())
    labels = [{"act": act, "section": str(n)} for act in acts for n in range(1, 5)]
    styles = ("plain", "scene", "message")
    lay = [label | {style: f"{style} of {label['section']}" for style in styles} for label in labels]
    expansion = f"index.expansion=['{lines(tmp_path / 'lay.jsonl', lay)}']"
    run_index(load_settings([*common(tmp_path, tiny_model), expansion]), Quiet())
    lines(tmp_path / "stories.jsonl", [{"id": "s-1", "text": "both", "applicable": [labels[0], labels[-1]]}])
    questions: list[dict[str, Any]] = [
        {"id": f"q-{n}", "text": f"who keeps {n}", "incident_date": None, "applicable": [labels[n % 8]]}
        for n in range(24)
    ]
    questions += [questions[0] | {"id": "q-none", "applicable": []}]
    elsewhere = {"act": acts[0], "section": "999"}
    questions += [questions[0] | {"id": "q-lost", "applicable": [elsewhere, labels[1]]}]
    lines(tmp_path / "questions.jsonl", questions)
    outside = [{"id": f"o-{n}", "text": f"bake {n}", "kind": "everyday", "act": ""} for n in range(12)]
    lines(tmp_path / "outside.jsonl", outside)
    return [
        *common(tmp_path, tiny_model),
        "corpus=published",
        "corpus.name=mine",
        f"train.texts='{tmp_path / 'lay.jsonl'}'",
        f"train.stories='{tmp_path / 'stories.jsonl'}'",
        f"train.questions='{tmp_path / 'questions.jsonl'}'",
        "train.held_out=0",
        "train.asked=[nowhere.jsonl]",
        "train.once=[]",
        "train.unseen=[]",
    ]


READER = [
    "train=minilm_statutes",
    "train.name=tiny",
    "train.questions=''",
    "train.joined=0",
    "train.batch=4",
    "train.epochs=1",
    "train.rank=8",
    "train.precision=fp32",
]
RANKER = [
    "train=ranker_statutes",
    "train.name=tiny_ranker",
    "train.short=''",
    "train.forum=''",
    "train.folds=[]",
]


def selected_by(cascade: Cascade) -> str:
    """What decides the sets of a cascade, as text."""
    conformal = Cascade(cascade.build, replace(cascade.config, select=SelectConfig("conformal")))
    (step,) = (s for s in conformal.steps({"a": "who"}, {"a": None}) if s.name == "selected")
    return str((step.params, step.sources))


def trained(overrides: list[str]) -> TrainingResult:
    settings = load_settings(overrides)
    return learn(plan_training(settings, settings.builds_folder / "mine"))


def test_a_reader_and_a_ranker_beside_it(
    overrides: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = load_settings([*overrides, *READER])
    plan = plan_training(settings, settings.builds_folder / "mine")
    assert "not there, and not learned from: nowhere.jsonl" in plan.line
    reader = trained([*overrides, *READER])
    shipped = ship(reader, tmp_path / "kept")
    assert sorted(p.name for p in shipped.iterdir()) == sorted(
        ["README.md", "training.json", "adapter.json", ADAPTER, VECTORS]
    )

    ranking = [
        *overrides,
        *RANKER,
        f"train.start='{shipped}'",
        f"train.outside='{tmp_path / 'outside.jsonl'}'",
        "train.rounds=5",
    ]
    threads: set[int] = set()
    gathered: list[Any] = []
    gather = ranker_module.gather

    def watched(*args: Any, **options: Any) -> Any:
        threads.update(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")
        gathered.extend(rows := gather(*args, **options))
        return rows

    monkeypatch.setattr(ranker_module, "gather", watched)
    with threadpool_limits(2):
        ranker = trained(ranking)
    assert threads == {1}, "the threads of the machine move no sum"
    rows = ranker.artefact.table(LEARNED).to_pylist()
    assert sorted(row["id"] for row in rows) == sorted(["s-1", *(f"q-{n}" for n in range(24))])
    assert {row["split"] for row in rows} == {"left_out"} and all(row["rank_after"] >= 1 for row in rows)
    assert [g.metric for g in gains(ranker)] == ["first", "in_20", "in_5", "any"]
    lists = {one["id"]: one for one in json.loads((ranker.artefact.path / LISTS).read_text())}
    assert {"s-1", "q-1", "q-none", "o-1"} <= lists.keys() and not lists["q-none"]["inside"]
    assert "text" not in lists["q-1"] and len(lists["q-1"]["chunks"]) == len(lists["q-1"]["grades"]) > 0
    shipped_copy = ship(ranker, tmp_path / "kept")
    assert "texts left out, first" in (shipped_copy / "README.md").read_text(encoding="utf-8")
    estimated = (CATALOGUE, CLASSIFIER, ESTIMATED)
    assert all(
        (shipped_copy / name).is_file() and name in (shipped_copy / "README.md").read_text()
        for name in estimated
    )
    folder = ranker.artefact.path

    build = Build.open(settings.builds_folder / "mine", settings.models_folder)
    config = replace(CascadeConfig.chosen(), select=SelectConfig("top"))
    assert digests(ranker)[RANKED_BY] == hash_file(folder / RANKED_BY)
    for path in (folder / RANKED_BY,):
        sha256 = hash_file(path)
        fuse = replace(config.fuse, ranker=str(path), ranker_sha256=sha256)
        cascade = Cascade(build, replace(config, fuse=fuse))
        done = cascade.run({"a": "who keeps 3", "b": "who keeps 4"})
        alone = cascade.run({"b": "who keeps 4"})
        assert [h.provision_id for h in done.hits["b"]] == [h.provision_id for h in alone.hits["b"]]
        assert "features" not in done.runs and len(done.hits["a"]) == 5
        fused = done.runs["fused"].to_pylist()
        cited = [build.citations[r["chunk_id"]] for r in fused if r["query_id"] == "a"]
        assert len(cited) == len(set(cited)) > 5, "each provision once, by its best chunk"
        alone_rows = explain(build, cascade.config, alone, cascade.vectors(alone.queries)[0], ranker_of(fuse))
        assert all(len(row["moved"]) == 3 and set(row["moved"]) <= set(FEATURES) for row in alone_rows)

        # this build encodes by another reader: nothing is estimated until the estimates are of its space
        content = json.loads((folder / ESTIMATED).read_text()) | {"ranker": sha256}
        estimates = tmp_path / "estimates.json"
        scores = content["conformal"]["primary"]["question"]
        assert len(scores) == 25 and scores.count(2.0) >= 1, "that of which nothing is learned counts too"
        keys: set[str] = set()
        for space in (content["space"], build.query_space):
            estimates.write_text(json.dumps(content | {"space": space}))
            learned = EstimateConfig("learned", str(estimates), hash_file(estimates), str(folder / CATALOGUE))
            judging = Cascade(
                build, replace(cascade.config, estimate=learned, select=SelectConfig("expected"))
            )
            assert (estimates_of(learned, fuse, build.query_space) is None) == (space == content["space"])
            keys.add(selected_by(judging))
        assert len(keys) == 2, "sets by other thresholds are others"
        explained = judging.run({"a": "who keeps 3"})
        rows_of = partial(explain, build, judging.config, ranker=ranker_of(fuse))
        for row in rows_of(result=explained, vector=judging.vectors(explained.queries)[0]):
            assert "select.threshold" not in row["why"], "there is no such limit"
        tamil = judging.run({"none": "எனக்கு சொல்லுங்கள்"})
        of_tamil = rows_of(result=tamil, vector=judging.vectors(tamil.queries)[0])
        assert tamil.hits["none"] and [row["returned"] for row in of_tamil] == [False] * len(of_tamil)
        assert of_tamil[0]["why"] == "the question is declined"
        answers = judging.run({"a": "who keeps 3", "none": "எனக்கு சொல்லுங்கள்"}).answers.to_pylist()
        answer, none = (json.loads(row["answer"]) for row in answers)
        assert none["decision"] == "decline" and none["reason"] == "not_readable" and none["charges"] == []
        assert [row["abstained"] for row in answers] == [answer["decision"] == "decline", True]
        assert 0 <= answer["probability"] <= 1 and none["probability"] == 0
        for charge in answer["charges"]:
            assert 0 <= charge["primary"] <= charge["probability"] <= 1


def test_forum_questions_count_for_classifier_and_priors_alone(overrides: list[str], tmp_path: Path) -> None:
    shipped = ship(trained([*overrides, *READER]), tmp_path / "kept")
    ranking = [*overrides, *RANKER, "train.rounds=5", f"train.start='{shipped}'"]
    outside = f"train.outside='{tmp_path / 'outside.jsonl'}'"
    ranker = trained([*ranking, outside])
    assert ranker.artefact.table(LEARNED).num_rows == 25
    space = str(json.loads((ranker.artefact.path / ESTIMATED).read_text())["space"])
    learned = read_classifier(ranker.artefact.path / CLASSIFIER, space)
    assert learned is not None and len(learned.labels) == 8 and len(learned.label_numbers) == 8 * 3 + 25

    questions = read_questions(tmp_path / "questions.jsonl")[:3]
    more = [{"id": f"f-{q.id}", "text": f"{q.text} now", "incident_date": None} for q in questions]
    cited = [[{"act": c.act, "section": c.section} for c in q.applicable] for q in questions]
    file = lines(
        tmp_path / "forum.jsonl", [q | {"applicable": one} for q, one in zip(more, cited, strict=True)]
    )
    forum = trained([*ranking, outside, f"train.forum='{file}'"])
    assert forum.artefact.path != ranker.artefact.path and forum.artefact.table(LEARNED).num_rows == 25
    learned = read_classifier(forum.artefact.path / CLASSIFIER, space)
    assert learned is not None and len(learned.label_numbers) == 8 * 3 + 25 + 3
    before, after = (
        json.loads((one.artefact.path / RANKED_BY).read_text())["priors"] for one in (ranker, forum)
    )
    assert sum(after.values()) == sum(before.values()) + 3, "each counts once for the priors"


def test_abroad_nothing_is_learned_of_the_acts_of_a_fold(
    overrides: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = ship(trained([*overrides, *READER]), tmp_path / "kept")
    acts = sorted({json.loads(line)["act"] for line in (tmp_path / "lay.jsonl").read_text().splitlines()})
    records = [
        record(f"b-{n}", f"which one keeps {n}", [(act, "2")])
        for n, act in enumerate((*acts, "law-of-elsewhere-2001"))
    ]
    bench = lines(tmp_path / "bench.jsonl", records)
    readings: list[tuple[set[str], Any]] = []
    read_by = readings_module.read_by

    def watched(*args: Any) -> Any:
        readings.append((set(args[6]), read_by(*args)))
        return readings[-1][1]

    monkeypatch.setattr(readings_module, "read_by", watched)
    ranking = [*overrides, *RANKER, "train.rounds=5", f"train.start='{shipped}'"]
    folds = f"train.folds=[[{acts[0]}],[{acts[1]}]]"
    options = [folds, f"train.fold_reader='{shipped.parent}/tiny_{{}}'", f"+train.measured.mine='{bench}'"]
    shutil.copytree(shipped, shipped.parent / "tiny_1")
    ranker = trained([*ranking, *options, f"train.outside='{tmp_path / 'outside.jsonl'}'"])

    home, *abroad = readings
    assert home[0] == set() and [unseen for unseen, _ in abroad] == [{acts[0]}, {acts[1]}]
    for unseen, reading in abroad:
        assert not unseen & {act for act, _ in reading.classifier.labels}
        assert not unseen & {act for labels in reading.answered.labels for act, _ in labels}
        assert unseen <= {p.partition("/")[0] for p in reading.build.expansion.provisions}, "but lay texts"
    assert abroad[0][1].space == home[1].space != abroad[1][1].space, "the base reads where no reader is"

    rows = ranker.artefact.table(LEARNED).to_pylist()
    splits = ("left_out", "unseen", "written")
    of_texts = {split: {r["id"] for r in rows if r["split"] == split} for split in splits}
    assert of_texts["left_out"] == of_texts["unseen"] == of_texts["written"] >= {"s-1", "q-1", "b-0", "b-1"}
    assert "b-2" not in of_texts["left_out"], "what is not in the build cannot be found"
    assert all(r["best_after"] <= r["rank_after"] <= r["worst_after"] for r in rows)
    labels = [gain.label for gain in gains(ranker) if gain.metric == "any"]
    kinds = ["texts left out", "Acts kept back", "Acts kept back, lay texts"]
    kinds += ["mine at home", "mine abroad", "mine abroad, lay texts"]
    assert labels == [f"{kind}, any that applies first" for kind in kinds]
