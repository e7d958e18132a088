"""An encoder and a reranker behind an API, from the PDFs to the ranked provisions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from citegrain.flows.shared.library import Build
from citegrain.flows.shared.settings import Settings, SettingsError
from citegrain.tasks.core.endpoint import EndpointError, metered
from citegrain.tasks.offline.models import Encoder
from citegrain.tasks.online.cascade import Cascade
from citegrain.tasks.online.rerank import read
from tests.builds import built, planned
from tests.vendor_server import KEY, letters, vendor_server

Make = Callable[..., Settings]
HYBRID = ["retrieve=thesis", "fuse=rrf", "rerank=none", "estimate=none", "select=mmr", "index=flat"]
QUESTIONS = {"oil": "who supplies the oil of the lamp", "wages": "they did not pay the keeper his wages"}


class Recorder:
    """What the local encoder gave for each text, passages and queries apart."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.vectors: dict[tuple[str, bool], np.ndarray[Any, Any]] = {}
        encode = Encoder.encode

        def recorded(encoder: Encoder, texts: Sequence[str], **values: Any) -> np.ndarray[Any, Any]:
            out = encode(encoder, texts, **values)
            for text, vector in zip(texts, out, strict=True):
                self.vectors[text, values.get("query", False)] = vector
            return out

        monkeypatch.setattr(Encoder, "encode", recorded)

    def reply(self, texts: Sequence[str], query: bool) -> list[list[float]]:
        return [self.vectors[text, query].tolist() for text in texts]


def ranked(build: Build, chosen: Settings) -> dict[str, pa.Table]:
    """The ranked lists of the questions, their vectors and pair scores stored."""
    return dict(Cascade(build, chosen.cascade, chosen.store_folder).run(QUESTIONS).runs)


@pytest.mark.parametrize("vendor", ["voyage", "cohere", "jina"])
def test_a_run_by_an_api_that_gives_the_local_vectors_is_the_local_run_bit_for_bit(
    settings: Make, tmp_path: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch, vendor: str
) -> None:
    recorder, chosen = Recorder(monkeypatch), settings(*HYBRID)
    local = ranked(built(*planned(chosen)), chosen)
    assert local["dense"].num_rows > 10 and {query for _, query in recorder.vectors} == {True, False}
    remote = [
        "embed=api", "embed.model=a-model", f"embed.api.vendor={vendor}", "embed.api.dimension=32",
        f"embed.api.tokenizer='{tiny_model}'", "embed.max_tokens=64", "embed.api.price=1.0",
    ]  # fmt: skip
    with pytest.raises(
        EndpointError, match=f"embed=api needs a key for this endpoint: set CITEGRAIN_{vendor.upper()}_KEY"
    ):
        planned(settings(*HYBRID, *remote))
    monkeypatch.setenv(f"CITEGRAIN_{vendor.upper()}_KEY", KEY)
    with vendor_server(vendor, "500", encode=recorder.reply) as server:
        monkeypatch.setenv(f"CITEGRAIN_{vendor.upper()}_BASE_URL", server.url)
        chosen = settings(*HYBRID, *remote)
        with metered() as indexing:
            build = built(*planned(chosen))
        with metered() as asking:
            there = ranked(build, chosen)
        assert there.keys() == local.keys() and all(there[name].equals(local[name]) for name in local)
        assert indexing.tokens_in > asking.tokens_in > 0
        assert asking.cost == pytest.approx(asking.scored_tokens / 1e6)

        calls = len(server.bodies)
        again = settings(*HYBRID, *remote, "fuse.k=10")
        assert not ranked(built(*planned(again)), again)["fused"].equals(local["fused"])
        assert len(server.bodies) == calls  # every text has its vector

        priced = [f"rerank.options.vendor={vendor}", "rerank.options.price=3", "rerank.scale=raw"]
        chosen = settings(*HYBRID, *remote, "rerank=api", *priced)
        with metered() as scoring:
            rows = ranked(build, chosen)["reranked"].to_pylist()
        assert {body["model"] for body in server.bodies[calls:]} == {"rerank-v3.5"}
        assert scoring.cost == pytest.approx(2 * 7 * 3 / 1e6)
        for row in rows:
            pair = QUESTIONS[row["query_id"]] + read(build, build.rows[row["chunk_id"]])
            assert np.float32(row["score"]) == np.float32(letters([pair], False)[0][0])
        calls = len(server.bodies)
        assert ranked(build, chosen)["reranked"].to_pylist() == rows
        assert len(server.bodies) == calls  # every pair has its score
    manifest = (build.folder / "manifest.json").read_text(encoding="utf-8")
    assert f'"vendor": "{vendor}"' in manifest and KEY not in manifest and server.url not in manifest
    monkeypatch.delenv(f"CITEGRAIN_{vendor.upper()}_KEY")
    monkeypatch.delenv(f"CITEGRAIN_{vendor.upper()}_BASE_URL")
    with pytest.raises(EndpointError, match=f"set CITEGRAIN_{vendor.upper()}_KEY"):
        Build.open(build.folder, tmp_path / "artifacts" / "models").encode_queries(["wages"])


def test_what_an_api_cannot_do_is_refused_in_one_line(settings: Make, tiny_model: Path) -> None:
    remote = ["embed=api", "embed.model=m", f"embed.api.tokenizer='{tiny_model}'"]
    for overrides, message in (
        ([], "embed.api.dimension"),
        (["embed.api.dimension=4", "embed.late=section"], "embed.api: late"),
        (["embed.api.dimension=4", "embed.tokens=true"], "embed.api: late"),
        (["embed.api.dimension=4", "embed.max_tokens=0"], "embed.max_tokens is missing"),
        (["embed.api.dimension=4", "embed.api.vendor=acme"], "vendor=acme: one of"),
        (["embed.api.dimension=4", "embed.api.speed=4"], "speed"),
    ):
        with pytest.raises(SettingsError, match=message):
            settings(*remote, *overrides)
