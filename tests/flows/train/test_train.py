"""Training as a command: plan, weights, card, MLflow, and a build that is asked through them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from citegrain.flows.shared.library import Build
from citegrain.flows.shared.settings import load_settings
from citegrain.flows.train.training import digests, gains, plan_training, run_train, ship
from citegrain.tasks.core.schemas import LEARNED, LEARNING
from citegrain.tasks.core.store import hash_file
from citegrain.tasks.offline import models
from citegrain.tasks.offline.models import ADAPTER, find_model
from citegrain.tasks.train import VECTORS
from tests.flows.conftest import Done, Quiet, common

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("prefect")]
Call = Callable[..., Done]


@pytest.fixture
def overrides(indexed: Path, tmp_path: Path, tiny_model: Path) -> list[str]:
    """Overrides: lay texts of each section of two Acts, one Act kept back, and a story of both."""
    build = Build.open(indexed / "builds" / "mine")
    acts = sorted(act for act, _, _ in build.names())
    labels = [{"act": act, "section": str(n)} for act in acts for n in range(1, 5)]
    lay = [
        label | {s: f"{s} of {label['section']}" for s in ("plain", "scene", "message")} for label in labels
    ]
    story = {"id": "s-1", "text": "the keeper and the owner", "applicable": [labels[0], labels[-1]]}
    for name, rows in (("lay", lay), ("stories", [story])):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return [
        *common(tmp_path, tiny_model),
        "corpus=published",
        "corpus.name=mine",
        f"train.texts='{tmp_path / 'lay.jsonl'}'",
        f"train.stories='{tmp_path / 'stories.jsonl'}'",
        f"train.unseen=[{acts[1]}]",
        "train.name=tiny",
        "train.batch=4",
        "train.epochs=2",
        "train.rank=8",
        "train.precision=fp32",
        "train.held_out=0.0",
    ]


@pytest.mark.usefixtures("corpus")
def test_from_texts_to_answers(overrides: list[str], tmp_path: Path) -> None:
    settings = load_settings(overrides)
    folder = settings.builds_folder / "mine"
    plan = plan_training(settings, folder)
    assert plan.present is None and "25 texts" in plan.line and "to make" in plan.line
    result = run_train(plan, Quiet())
    learned = result.artefact.table(LEARNED).to_pylist()
    assert {row["split"] for row in learned} == {"unseen"} and len(learned) == 4 * 3 + 1
    assert result.artefact.table(LEARNING).num_rows and result.artefact.facts["texts"]["train"] >= 12
    assert [g.metric for g in gains(result)] == ["first", "in_20"]
    assert not list((settings.store_folder / "tmp").glob("train-*")), "no checkpoint is left"

    again = run_train(plan_training(settings, folder), Quiet())
    assert not again.started_flow and again.artefact.path == result.artefact.path

    shipped = ship(result, tmp_path / "kept")
    digest = result.artefact.files[ADAPTER]
    card = (shipped / "README.md").read_text(encoding="utf-8")
    assert digest in card and plan.inputs.base.sha256 in card and "Acts kept back, first | 13 | 5 |" in card
    assert json.loads((shipped / "training.json").read_text())["sha256"] == digests(result)
    assert hash_file(shipped / ADAPTER) == digest
    reader = find_model(str(shipped), settings.models_folder, digest)
    assert reader.dimension == 32

    from citegrain.flows.index.run import run_index

    built = run_index(
        load_settings([*common(tmp_path, Path(settings.embed.model)), f"embed.query_model='{shipped}'"]),
        Quiet(),
    )
    assert built.build is not None and built.computed == {"index": 1}
    opened = Build.open(built.build, settings.models_folder)
    question = ["who pays the keeper"]
    plain = plan.inputs.build.encode_queries(question)
    assert not np.allclose(opened.encode_queries(question), plain, atol=1e-3)


@pytest.mark.usefixtures("corpus")
def test_the_vectors_that_ship_are_not_encoded_again(
    overrides: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from citegrain.flows.index.run import run_index

    settings = load_settings(overrides)
    result = run_train(plan_training(settings, settings.builds_folder / "mine"), Quiet())
    shipped = ship(result, tmp_path / "kept")
    reading = [
        *common(tmp_path, Path(settings.embed.model)),
        f"embed.query_model='{shipped}'",
        f"index.expansion=['{tmp_path / 'lay.jsonl'}']",
        "index.background=[]",
    ]
    encoded = run_index(load_settings(reading), Quiet())
    vectors = [f"embed.query_vectors='{shipped / VECTORS}'"]
    vectors += [f"embed.query_vectors_sha256={digests(result)[VECTORS]}"]
    monkeypatch.setattr("citegrain.tasks.offline.assemble.Encoder", None)
    built = run_index(load_settings([*reading, *vectors]), Quiet())
    assert encoded.build and built.build and encoded.build != built.build
    first, second = (Build.open(b, settings.models_folder).expansion for b in (encoded.build, built.build))
    assert first is not None and second is not None
    assert first.table.equals(second.table) and len(first.vectors) == 24
    assert np.allclose(first.vectors, second.vectors, atol=1e-3)


@pytest.mark.usefixtures("corpus")
def test_a_reranker_from_texts_to_answers(overrides: list[str], tmp_path: Path, call: Call) -> None:
    from citegrain.flows.index.run import run_index

    lay = f"index.expansion=['{tmp_path / 'lay.jsonl'}']"
    built = run_index(
        load_settings([*common(tmp_path, Path(load_settings(overrides).embed.model)), lay]), Quiet()
    )
    assert built.build is not None
    overrides = [
        *overrides,
        "train=reranker_statutes",
        "train.start=''",
        "train.name=tiny_reranker",
        "train.lay_texts=0.5",
        "train.ramp=0.5",
    ]
    settings = load_settings([*overrides, "train.wrong=3", "train.learning_rate=0.001"])
    plan = plan_training(settings, settings.builds_folder / "mine")
    assert "a reranker" in plan.line
    result = run_train(plan, Quiet())
    learned = result.artefact.table(LEARNED).to_pylist()
    assert len(learned) == 4 * 3 + 1 and all(1 <= row["rank_after"] <= 21 for row in learned)
    shipped = ship(result, tmp_path / "kept")
    card = (shipped / "README.md").read_text(encoding="utf-8")
    assert "reads a complaint and a provision together" in card and digests(result).keys() == {ADAPTER}
    judged = [
        *common(tmp_path, Path(settings.embed.model)),
        lay,
        "rerank=cross_encoder",
        f"rerank.model='{shipped}'",
        f"rerank.sha256={digests(result)[ADAPTER]}",
    ]
    for more in ([], ["rerank.lay_texts=true"], ["rerank.fused=0.5"], ["rerank.precision=bf16"]):
        done = call("ask", "who pays the keeper", *judged, *more)
        assert done.returncode == 0 and "1." in done.stdout, done.stderr


def test_as_a_command(
    overrides: list[str], tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "kept"
    monkeypatch.setattr(models, "SHIPPED", target)
    done = call("train", *overrides)
    assert done.returncode == 0, done.stderr
    assert "Acts kept back" in done.stdout and "SHA-256" in done.stdout
    assert (target / "tiny" / ADAPTER).is_file()
    again = call("train", *overrides, "--no-keep")
    assert again.returncode == 0 and "trained already" in again.stderr and "kept in" not in again.stdout
    from mlflow import MlflowClient

    client = MlflowClient(f"sqlite:///{tmp_path / 'artifacts' / 'mlflow.db'}")
    experiment = client.get_experiment_by_name("training")
    runs = client.search_runs([experiment.experiment_id])
    assert len(runs) == 1 and runs[0].data.params["train.rank"] == "8"
    assert "unseen_mrr" in runs[0].data.metrics


@pytest.mark.parametrize(
    ("spoil", "wrong"),
    [
        (lambda f: (f / "lay.jsonl").unlink(), "no such file"),
        (lambda f: (f / "lay.jsonl").write_text('{"act": "x"}\n'), "section: is missing"),
        (lambda f: (f / "stories.jsonl").write_bytes(b"\x80abc"), "not UTF-8"),
    ],
)
def test_bad_texts_end_in_one_line(
    overrides: list[str], tmp_path: Path, call: Call, spoil: Callable[[Path], Any], wrong: str
) -> None:
    spoil(tmp_path)
    done = call("train", *overrides)
    assert done.returncode == 2 and wrong in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "artifacts" / "store" / "train").exists()


def test_a_build_is_wanted(tmp_path: Path, tiny_model: Path, call: Call) -> None:
    (tmp_path / "pdfs").mkdir()
    done = call("train", *common(tmp_path, tiny_model), "corpus=published", "corpus.name=none")
    assert done.returncode == 1 and "no build" in done.stderr
