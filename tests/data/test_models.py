"""The models that ship: small, whole, named by their digest, and of a base that is packaged."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from omegaconf import OmegaConf

from tasks.models import ADAPTER, Encoder, EncoderSettings, find_model
from tasks.models.adapters import read_adapter
from tasks.models.weights import PACKAGED, SHIPPED
from tasks.store import hash_file
from tests.conftest import ROOT

FOLDERS = sorted(p for p in SHIPPED.iterdir() if p.is_dir())
MOST = 25 * 2**20
models = pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f.name)


@models
def test_a_model_is_whole_and_told_of(folder: Path) -> None:
    digest, adapter = hash_file(folder / ADAPTER), read_adapter(folder)
    assert (folder / ADAPTER).stat().st_size < MOST
    assert sorted(p.name for p in folder.iterdir()) == sorted(
        ["README.md", ADAPTER, "adapter.json", "training.json"]
    )
    assert PACKAGED[adapter.base].sha256 == adapter.base_sha256
    card, facts = (folder / "README.md").read_text(), json.loads((folder / "training.json").read_text())
    assert digest in card and adapter.base_sha256 in card
    assert facts["sha256"] == digest and facts["base_sha256"] == adapter.base_sha256


@models
def test_the_configuration_holds_its_digest(folder: Path) -> None:
    told = OmegaConf.load(ROOT / "conf" / "embed" / f"{folder.name}.yaml")
    assert told.query_model == f"citegrain/{folder.name.replace('_', '-')}"
    assert told.query_sha256 == hash_file(folder / ADAPTER)
    facts = json.loads((folder / "training.json").read_text())
    config = OmegaConf.load(ROOT / "conf" / "train" / f"{folder.name}.yaml")
    assert {k: config[k] for k in facts["key"]["params"]} == facts["key"]["params"], "trained as configured"


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
    before, after = (e.encode([told for told, _ in pairs], query=True) @ law.T for e in (plain, learned))
    margin = [m.diagonal().mean() - (m.sum() - m.trace()) / 6 for m in (before, after)]
    assert margin[1] > margin[0]
    assert np.allclose(np.linalg.norm(learned.encode(["x"], query=True), axis=1), 1, atol=1e-3)
