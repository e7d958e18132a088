"""A claim and its passages read together: by ONNX as by torch, of no other weights, and only for claims."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from citegrain.tasks.offline.models import WEIGHTS, ModelError, find_model
from citegrain.tasks.offline.models.networks import Bert
from citegrain.tasks.online.check import Checker
from citegrain.tasks.online.claims import ClaimContext, check_answer, judge_claims, learned
from citegrain.tasks.online.claims.learned import VERDICTS, Reader, Readers, learned_with, nearest_words
from citegrain.tasks.online.claims.passages import passage_of
from tests.data.check.law import law_build

LAMPS = "Whoever keeps a lamp burning in a street after midnight shall be punished with fine."
CLAIMS = [
    "You can be fined for a lamp that burns in the street after midnight.",
    "Nobody is punished for a lamp that burns in the street after midnight.",
    "Bicycles need no insurance.",
]


@pytest.mark.model
def test_it_reads_as_the_network_in_torch_does(tmp_path: Path) -> None:
    import torch
    from safetensors.torch import load_file

    reader = Reader(tmp_path)
    folder = find_model(learned.READER, tmp_path, learned.READER_SHA256).folder
    network, weights = Bert(folder), load_file(folder / WEIGHTS)
    best = []
    for claim in CLAIMS:
        hidden = network.hidden(network.features([(claim, LAMPS)], 320))[0, 0]
        likely = torch.softmax(weights["head.weight"] @ hidden + weights["head.bias"], 0).numpy()
        read = reader(claim, [passage_of(LAMPS)])
        assert list(read.values()) == pytest.approx(np.log(likely + 1e-4).tolist(), abs=1e-3)
        best.append(VERDICTS[int(likely.argmax())])
    assert best == ["supported", "contradicted", "not"]


@pytest.mark.model
def test_other_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learned, "READER_SHA256", "0" * 64)
    with pytest.raises(ModelError, match="SHA-256"):
        Reader(tmp_path)


def test_only_claims_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(cache: Path) -> Reader:
        raise ModelError(f"loaded from {cache}")

    monkeypatch.setattr(learned, "Reader", load)
    build = law_build(tmp_path)
    build.manifest = {**build.manifest, "weights": learned_with()}
    vars(build)["encoder"] = SimpleNamespace(span_vectors=None)
    text, day = "Murder is punished under section 302 of the Indian Penal Code.", date(2020, 1, 1)
    assert Checker(build).check(text, day) and check_answer(build, text, None, day).claims
    with pytest.raises(ModelError, match="loaded"):
        check_answer(build, text, None, day, encode=lambda texts: np.ones((len(texts), 1), np.float32))


def test_of_long_passages_what_has_most_of_the_claim_is_read() -> None:
    other = "The owner of a bell may ring it at noon on the days that the Board names. "
    passage = passage_of(other * 5 + LAMPS + " " + other * 5)
    assert nearest_words({"lamp"}, [passage_of(LAMPS)]) == LAMPS
    read = nearest_words({"lamp", "street", "midnight"}, [passage])
    assert LAMPS in read and len(read) <= learned.ROOM
    assert nearest_words({"lamp"}, [passage], 2000) == passage.text


@pytest.mark.parametrize(
    ("likely", "near", "faults"), [("contradicted", 0.5, ["meaning"]), ("supported", 1.0, [])]
)
def test_what_is_read_decides_where_no_rule_names_a_difference(
    likely: str, near: float, faults: list[str]
) -> None:
    read = {f"read_{verdict}": 0.0 if verdict == likely else -9.0 for verdict in VERDICTS}
    readers = Readers(
        lambda texts, places: [np.full((len(some), 1), near, np.float32) for some in places],
        lambda *_: read,
    )
    (claim,) = judge_claims(
        "A lamp in the street after midnight brings a fine [1].", [ClaimContext(LAMPS)], readers=readers
    )
    assert (claim.verdict, claim.faults, claim.wrong) == (likely, faults, bool(faults))
