"""A channel and a scorer of somebody else: a file each, and their names in a configuration."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib import invalidate_caches
from pathlib import Path
from typing import Any

import pytest

from citegrain.tasks.core.plugins import plugin, source
from citegrain.tasks.core.runs import Ranked, rankings
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.cascade import Cascade, CascadeConfig
from citegrain.tasks.online.fuse import FuseConfig
from citegrain.tasks.online.rerank import RerankConfig, pair_rows, scorers
from citegrain.tasks.online.rerank.config import SCORERS
from citegrain.tasks.online.retrieve import RetrieveConfig, channels
from tests.golden_outputs import golden_build

CHANNEL = '''
def backwards(build, queries, eligible, *, k, first=1.0):
    """The last chunks of the build, whatever is asked."""
    rows = [row for row in range(len(eligible)) if eligible[row]][::-1][:k]
    ranked = [(build.chunk_ids[row], first / (rank + 1)) for rank, row in enumerate(rows)]
    return {query["query_id"]: ranked for query in queries}
'''
SCORER = '''
class Shortest:
    identity = "shortest-1"

    def __init__(self, unit):
        self.unit = unit

    def score(self, query, passages):
        return [-len(passage.text) / self.unit for passage in passages]

    def forget(self):
        pass


def shortest(build, *, unit):
    """The shorter the passage, the better."""
    return Shortest(unit)
'''
PLUGINS = CascadeConfig(
    retrieve=RetrieveConfig(["dense"]), fuse=FuseConfig("single"), rerank=RerankConfig("none")
)


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package, name, text in ((channels, "backwards", CHANNEL), (scorers, "shortest", SCORER)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])


@pytest.mark.model
@pytest.mark.xdist_group("golden")
@pytest.mark.usefixtures("added")
def test_a_channel_and_a_scorer_are_a_file_and_a_configuration_each() -> None:
    build = golden_build()
    config = RetrieveConfig(["backwards"], k=7, options={"first": 2.0})
    order = RerankConfig("shortest", scale="raw", provenance=0.0, options={"unit": 10.0})
    result = Cascade(build, replace(PLUGINS, retrieve=config, rerank=order)).run({"q": "wages"})
    ranked = rankings(result.runs["backwards"])["q"]
    mask = build.eligible(None)
    last = [c for c, eligible in zip(build.chunk_ids, mask, strict=True) if eligible][::-1][:7]
    assert [c for c, _ in ranked] == last and ranked[0][1] == 2.0
    lengths = [-s * 10 for _, s in rankings(result.runs["reranked"])["q"]]
    assert lengths == sorted(lengths) and len(lengths) == 7
    assert config.parameters("backwards")["first"] == 2.0  # what it reads is in its key
    assert RetrieveConfig(["backwards"]).parameters("backwards")["first"] == 1.0


def test_an_unknown_name_is_refused_with_what_there_is() -> None:
    channels = r"retrieve\.channels: backwards is unknown; there are bench, .*date, dense, entity"
    with pytest.raises(ValueError, match=channels):
        RetrieveConfig(["backwards"])
    scorer_names = r"rerank\.scorer: never is unknown; there are api, cross_encoder, late_inter"
    with pytest.raises(ValueError, match=scorer_names):
        RerankConfig("never")


@pytest.mark.usefixtures("added")
def test_an_option_that_nothing_reads_is_refused_and_one_that_is_missing_is_named() -> None:
    with pytest.raises(ValueError, match="no backwards reads the option last"):
        RetrieveConfig(["backwards"], options={"last": 2.0})
    with pytest.raises(ValueError, match="shortest needs a value for unit"):
        Cascade(golden_build(), replace(PLUGINS, rerank=RerankConfig("shortest"))).run({"q": "wages"})


@pytest.mark.model
@pytest.mark.xdist_group("golden")
def test_a_channel_may_be_a_function_or_an_import_path_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_lab.py").write_text(CHANNEL, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    build = golden_build()
    runs = []

    def last(build: PublishedBuild, queries: list[Any], eligible: Mask, *, k: int) -> dict[str, Ranked]:
        rows = [row for row in range(len(eligible)) if eligible[row]][::-1][:k]
        return {q["query_id"]: [(build.chunk_ids[row], -float(row)) for row in rows] for q in queries}

    for channel in ("my_lab:backwards", plugin(last)):
        config = replace(PLUGINS, retrieve=RetrieveConfig([channel]))
        run = Cascade(build, config).run({"q": "wages"}).runs[channel]
        runs.append([chunk for chunk, _ in rankings(run)["q"]])
    assert runs[0] == runs[1] and runs[0][0] == build.chunk_ids[-1]
    for wrong in ("my_lab:forwards", "no_such_lab:x", "my_lab:", ":x"):
        with pytest.raises(ValueError, match="cannot be imported") as caught:
            RetrieveConfig([wrong])
        assert ("PYTHONPATH=." in str(caught.value)) == wrong.startswith("no_such")


@pytest.mark.model
@pytest.mark.xdist_group("golden")
def test_what_a_channel_of_ones_own_finds_is_a_candidate_of_the_learned_fusion_too() -> None:
    build = golden_build()
    alone: dict[str, str] = {}

    def last(build: PublishedBuild, queries: list[Any], eligible: Mask) -> dict[str, Ranked]:
        return {q["query_id"]: [(alone["chunk"], 1.0)] for q in queries}

    def fused(channels: list[str], weights: dict[str, float]) -> list[str]:
        config = replace(PLUGINS, retrieve=RetrieveConfig(channels, k=3), fuse=FuseConfig("learned"))
        config = replace(config, fuse=replace(config.fuse, depth=10, weights=weights))
        return [chunk for chunk, _ in rankings(Cascade(build, config).run({"q": "wages"}).runs["fused"])["q"]]

    plain = fused(["sparse"], {})
    cited = {None, *(build.citations[chunk] for chunk in plain)}
    alone["chunk"] = next(c for c in build.chunk_ids if build.citations[c] not in cited)
    light, heavy = (fused(["sparse", plugin(last)], {"last": weight}) for weight in (0.0, 2.0))
    assert heavy[0] == alone["chunk"] and {*light} == {*heavy} == {*plain, alone["chunk"]}


def test_a_key_holds_the_source_of_what_stands_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who changes a function of his own and measures again is not given the old figures."""
    lab = tmp_path / "changing_lab"
    lab.mkdir()
    (lab / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)

    def keys() -> list[Any]:
        for name in [name for name in sys.modules if name.startswith("changing_lab")]:
            monkeypatch.delitem(sys.modules, name)
        invalidate_caches()
        scored = RerankConfig("changing_lab.two:shortest", options={"unit": 1.0})
        searched = RetrieveConfig(["changing_lab.one:backwards"]).parameters("changing_lab.one:backwards")
        scorer: object = SCORERS.function("changing_lab.two:shortest")(None, unit=1.0)
        return [searched, scored.parameters(), pair_rows(tmp_path, scorer).folder]  # type: ignore[arg-type]

    (lab / "one.py").write_text(CHANNEL, encoding="utf-8")
    (lab / "two.py").write_text(SCORER, encoding="utf-8")
    before = keys()
    assert keys() == before and source(golden_build) and not source(rankings)
    (lab / "one.py").write_text(CHANNEL + "\nLAST = 1\n", encoding="utf-8")
    assert not any(old == new for old, new in zip(before, keys(), strict=True))
    assert "source" not in RetrieveConfig(["dense"]).parameters("dense")


def test_a_module_that_breaks_is_named_with_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_lab.py").write_text("\ndef recent(build: PublishedBuild): ...\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match=r"cannot be imported: NameError: .*broken_lab.py, line 2\)$"):
        RetrieveConfig(["broken_lab:recent"])
    with pytest.raises(ValueError, match=r"broken_lab\.recent is unknown; .*written module:function$"):
        RetrieveConfig(["broken_lab.recent"])
