"""The models that ship: small, whole, named by their digest, and of a base that is packaged."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open

from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.core.paths import located
from citegrain.tasks.core.store import hash_file
from citegrain.tasks.offline.embed import query_space, read_shipped, shipped_vectors, vector_space
from citegrain.tasks.offline.models import ADAPTER, Encoder, EncoderSettings, Tokenizer, find_model
from citegrain.tasks.offline.models.adapters import read_adapter
from citegrain.tasks.offline.models.weights import PACKAGED, SHIPPED
from citegrain.tasks.online.estimate import estimates_of, read_estimates
from citegrain.tasks.online.fuse import read_ranker
from citegrain.tasks.online.retrieve.channels.classifier import read_classifier
from citegrain.tasks.online.retrieve.stage import shipped
from citegrain.tasks.train import (
    ANSWERED,
    CATALOGUE,
    CLASSIFIER,
    ESTIMATED,
    RANKED_BY,
    VECTORS,
    read_lay_queries,
)
from tests.conftest import ROOT

FOLDERS = sorted(p for p in SHIPPED.iterdir() if p.is_dir())
TRAINED = [p for p in FOLDERS if (p / "training.json").is_file()]
BY_A_TOOL = sorted(set(FOLDERS) - set(TRAINED))  # which keeps no record
MOST = 40 * 2**20
NOT_READ_BY_A_RANKER = {
    "batch", "checks", "device", "epochs", "learner", "learning_rate", "max_tokens", "measured", "patience",
    "precision", "rank", "start_sha256", "temperature", "warmup",
}  # fmt: skip
OFF = {"patience", "distil"}  # options that were 0 when these were trained, and are gone
READ_IF_ON = {"temperature"}
models = pytest.mark.parametrize("folder", TRAINED, ids=lambda f: f.name)


def facts_of(folder: Path) -> dict[str, Any]:
    """The record of its training."""
    return dict(json.loads((folder / "training.json").read_text(encoding="utf-8")))


@models
def test_a_model_is_whole_and_described(folder: Path) -> None:
    facts = facts_of(folder)
    digests, card = facts["sha256"], (folder / "README.md").read_text(encoding="utf-8")
    described = ["README.md", "training.json", *(["adapter.json"] if ADAPTER in digests else [])]
    assert sorted(p.name for p in folder.iterdir()) == sorted([*described, *digests])
    assert {ADAPTER, RANKED_BY} & digests.keys()
    assert sum((folder / name).stat().st_size for name in digests) < MOST
    assert PACKAGED[facts["base"]].sha256 == facts["base_sha256"] and facts["base_sha256"] in card
    if ADAPTER in digests:
        adapter = read_adapter(folder)
        assert (adapter.base, adapter.base_sha256) == (facts["base"], facts["base_sha256"])
    for name, digest in digests.items():
        assert hash_file(folder / name) == digest and digest in card


@pytest.mark.parametrize("folder", BY_A_TOOL, ids=lambda f: f.name)
def test_a_model_that_a_tool_trained_is_whole_and_described(folder: Path) -> None:
    card, adapter = (folder / "README.md").read_text(encoding="utf-8"), read_adapter(folder)
    assert sorted(p.name for p in folder.iterdir()) == ["README.md", "adapter.json", ADAPTER]
    assert PACKAGED[adapter.base].sha256 == adapter.base_sha256 and adapter.base_sha256 in card
    assert hash_file(folder / ADAPTER) in card and (folder / ADAPTER).stat().st_size < MOST


@models
def test_it_was_trained_as_configured(folder: Path) -> None:
    train = load_settings([f"train={folder.name}"]).train
    params = facts_of(folder)["key"]["params"]
    if train.kind == "ranker":  # it was trained when its key still held what it does not read
        params = {name: value for name, value in params.items() if name not in NOT_READ_BY_A_RANKER}
        assert params == train.parameters()
    config = asdict(train)
    assert not any(params.get(name) for name in OFF)
    gone = {name for name in OFF | READ_IF_ON if name not in config}
    assert {k: config[k] for k in params.keys() - gone} == {k: params[k] for k in params.keys() - gone}


def lay_texts() -> list[str]:
    """The texts that every build with lay texts searches."""
    lay = read_lay_queries(ROOT / "data/training/lay_queries.jsonl")
    return [text for queries in lay for _, text in queries.texts]


READER = "minilm_statutes"


def test_the_configuration_has_the_digests_of_the_ranker_that_ships() -> None:
    settings = load_settings([])
    fuse, estimate, questions = (
        settings.cascade.fuse,
        settings.cascade.estimate,
        settings.cascade.retrieve.questions,
    )
    path = located(fuse.ranker)
    digests = facts_of(path.parent)["sha256"]
    assert [digests[RANKED_BY], digests[ESTIMATED]] == [fuse.ranker_sha256, estimate.model_sha256]
    assert {located(estimate.model).parent, located(estimate.vectors).parent} == {path.parent}
    assert shipped(ANSWERED, questions) == path.parent / ANSWERED and digests[ANSWERED] == questions
    sha256 = settings.cascade.retrieve.classifier
    assert shipped(CLASSIFIER, sha256) == path.parent / CLASSIFIER and digests[CLASSIFIER] == sha256
    learned = read_estimates(located(estimate.model), estimate.model_sha256)
    assert learned.ranker == fuse.ranker_sha256 and learned.catalogue == digests[CATALOGUE]
    assert read_ranker(path, fuse.ranker_sha256).names
    file = shipped("glossed.safetensors", settings.cascade.retrieve.glossed)
    assert read_classifier(file, learned.space) is not None and file.stat().st_size < 8 * 2**20
    judged = estimates_of(estimate, fuse, learned.space)
    assert judged is not None and len(judged.bare) == len(judged.written) == 2
    assert judged.glossed is not None and len(judged.glossed.weights[0]) == len(judged.kinds.weights[0])


def test_the_configuration_has_the_digests_of_the_reader() -> None:
    folder = SHIPPED / READER
    config, digests = load_settings([]).embed, facts_of(folder)["sha256"]
    assert config.query_model == "citegrain/minilm-statutes"
    assert config.query_sha256 == digests[ADAPTER]
    assert (
        located(config.query_vectors) == folder / VECTORS and config.query_vectors_sha256 == digests[VECTORS]
    )


def test_each_lay_text_has_a_vector_that_ships() -> None:
    config = load_settings([]).embed
    path = located(config.query_vectors)
    with safe_open(path, framework="numpy") as file:
        space = file.metadata()["space"]
    shipped = read_shipped(path, config.query_vectors_sha256, space)
    assert len(shipped_vectors(shipped, lay_texts())) == len(lay_texts())


@pytest.mark.model
@pytest.mark.xdist_group("model")
def test_the_vectors_that_ship_are_those_of_the_lay_texts_by_the_reader(tmp_path: Path) -> None:
    config = load_settings([]).embed
    base, reader = (find_model(name, tmp_path) for name in (config.model, config.query_model))
    space = query_space(vector_space(base, Tokenizer(base).sha256, config).digest, reader)
    shipped = read_shipped(located(config.query_vectors), config.query_vectors_sha256, space)
    texts = lay_texts()
    some = texts[:: len(texts) // 40]
    encoded = Encoder(reader, config.settings()).encode(some, query=True)
    cosines = [float(encoded[i] @ vector) for i, vector in shipped_vectors(shipped, some).items()]
    assert len(cosines) == len(some) and min(cosines) > 0.999


@pytest.mark.model
@pytest.mark.xdist_group("model")
def test_the_reader_moves_a_complaint_towards_its_law(tmp_path: Path) -> None:
    """Known pairs of everyday words and the law's, in no training text: nearer by the reader than by the base."""
    base = find_model("sentence-transformers/all-MiniLM-L6-v2", tmp_path)
    reader = find_model("citegrain/minilm-statutes", tmp_path)
    pairs = [
        (
            "Two boys on a scooter pulled the gold chain off my neck near the temple and sped away.",
            "Snatching. Theft is snatching if, in order to commit theft, the offender suddenly or quickly or "
            "forcibly seizes or secures or grabs or takes away from any person any moveable property.",
        ),
        (
            "The shop kept the money but the fridge it sold me has never cooled, and nobody picks up my calls.",
            "A complaint, in relation to any goods sold or delivered or any service provided, may be filed with "
            "a District Commission by the consumer to whom such goods are sold.",
        ),
        (
            "I asked the municipality for the file of the road six weeks ago and there is no answer at all.",
            "The Public Information Officer, on receipt of a request, shall, as expeditiously as possible, and in "
            "any case within thirty days of the receipt of the request, provide the information.",
        ),
    ]
    plain, learned = (Encoder(model, EncoderSettings()) for model in (base, reader))
    law = plain.encode([text for _, text in pairs])
    before, after = (
        e.encode([complaint for complaint, _ in pairs], query=True) @ law.T for e in (plain, learned)
    )
    margin = [m.diagonal().mean() - (m.sum() - m.trace()) / 6 for m in (before, after)]
    assert margin[1] > margin[0]
    assert np.allclose(np.linalg.norm(learned.encode(["x"], query=True), axis=1), 1, atol=1e-3)
