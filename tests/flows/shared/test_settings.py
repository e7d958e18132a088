"""Configuration: composed by Hydra, checked by the dataclasses of the stages."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import yaml
from omegaconf import MISSING, OmegaConf

from citegrain.flows.shared import settings
from citegrain.flows.shared.settings import SettingsError, indexing_overrides, load_settings
from citegrain.tasks.core.paths import located
from citegrain.tasks.online.cascade import CascadeConfig
from citegrain.tasks.train import TRAININGS
from tests.conftest import ROOT

CHOICES = {
    "chunk": "strategy", "controller": "kind", "corpus": "kind", "embed": "model", "endpoint": "mode", "estimate": "method", "expand": "family", "fuse": "method", "generate": "kind", "index": "dense",
    "query": "rewrites", "rerank": "scorer", "retrieve": "channels", "route": "method", "select": "method", "train": "kind",
    "summarise": "method", "translate": "kind", "verify": "policy",
}  # fmt: skip
"""The key of each group that names the choice."""


def test_no_heavy_library_is_loaded_to_read_settings() -> None:
    """Help, a wrong word and a plan should come at once."""
    heavy = {
        "pymupdf",
        "bm25s",
        "numba",
        "scipy",
        "ir_measures",
        "torch",
        "transformers",
        "prefect",
        "httpx",
        "mlflow",
    }
    code = f"import sys, citegrain.flows.cli.main, citegrain.flows.shared.settings; sys.exit(str({heavy!r} & set(sys.modules) or ''))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stderr.strip() == ""


def test_the_default_is_the_embedded_corpus() -> None:
    plain = load_settings([])
    assert plain.corpus.name == "demo" and plain.documents["chunk"].strategy == "statutory"
    assert plain.store_folder == ROOT / "artifacts/store"


def test_without_lay_texts_fusion_is_what_it_was_before_there_were_any() -> None:
    config = load_settings(["experiment=untrained"]).cascade
    assert config.fuse.parameters(config.retrieve.channels) == {
        "method": "rrf",
        "depth": 20,
        "k": 60,
        "weights": {"dense": 2.0, "sparse": 1.0, "provision": 1.0},
        "weights_named": {"provision": 3.0},
    }


@pytest.mark.parametrize("name", sorted(p.stem for p in (ROOT / "conf" / "sweep").glob("*.yaml")))
def test_every_sweep_composes_and_so_do_its_configurations(name: str) -> None:
    corpus = ["corpus=published", "corpus.name=x"]
    sweep = load_settings([*corpus, f"sweep={name}"]).sweep
    assert sweep.name == name
    for overrides in sweep.members().values():
        load_settings([*corpus, *overrides])


def test_the_sweep_of_lay_texts_parts_them_from_training() -> None:
    sweep = load_settings(["sweep=expansion"]).sweep
    members = {name: load_settings(changes) for name, changes in sweep.members().items()}
    plain, both = members["untrained"], members["lay_texts"]
    channels = [*plain.cascade.retrieve.channels, "lay_dense", "lay_sparse"]
    assert both.cascade == replace(plain.cascade, retrieve=replace(plain.cascade.retrieve, channels=channels))
    assert both.embed == plain.embed and not plain.index.expansion
    assert members["lay_dense"].offline == members["lay_sparse"].offline == both.offline
    assert members["reader"].embed == members["both"].embed != plain.embed
    assert members["reader"].index == plain.index and members["both"].index == both.index


@pytest.mark.parametrize("overrides", [[], ["experiment=default"]])
def test_what_the_library_searches_by_is_what_the_command_does(overrides: list[str]) -> None:
    config = load_settings(overrides).cascade
    left_out = {"roles": None, "attributes": None, "added": None}  # what the corpus sets; stages that are off
    assert asdict(CascadeConfig.chosen()) | left_out == asdict(config) | left_out
    assert not any(group.on for group in config.added.values())


@pytest.mark.parametrize("option", sorted(p.stem for p in (ROOT / "conf/chunk").glob("*.yaml")))
def test_every_way_to_chunk_composes(option: str) -> None:
    assert load_settings([f"chunk={option}"]).documents["chunk"].size > 0


@pytest.mark.parametrize("option", ["minilm", "mpnet"])
def test_every_packaged_encoder_composes(option: str) -> None:
    assert len(load_settings([f"embed={option}"]).embed.sha256) == 64


@pytest.mark.parametrize("name", sorted(p.stem for p in (ROOT / "conf" / "experiment").glob("*.yaml")))
def test_every_experiment_composes_and_says_how_it_is_run(name: str) -> None:
    load_settings(["corpus=folder", "corpus.path=.", "corpus.name=x", f"experiment={name}"])
    text = (ROOT / "conf" / "experiment" / f"{name}.yaml").read_text(encoding="utf-8")
    assert "citegrain ask" in text and f"experiment={name}" in text


def test_the_thesis_is_table_4_2() -> None:
    s = load_settings(["corpus=folder", "corpus.path=.", "corpus.name=x", "experiment=thesis"])
    assert (
        s.documents["chunk"].size,
        s.documents["chunk"].overlap,
        s.cascade.retrieve.k,
        s.cascade.fuse.k,
        s.cascade.fuse.depth,
    ) == (700, 85, 20, 60, 20)
    assert (
        s.cascade.rerank.provenance,
        s.cascade.rerank.section,
        s.cascade.rerank.act,
        s.cascade.rerank.consistent,
    ) == (
        0.15,
        1.0,
        0.5,
        False,
    )
    assert (s.cascade.select.method, s.cascade.select.balance, s.cascade.select.k, s.cascade.select.unit) == (
        "mmr",
        0.5,
        5,
        "chunk",
    )
    assert (s.cascade.rerank.scale, s.cascade.select.scale, s.embed.long) == ("raw", "raw", "truncate")
    assert (
        s.cascade.generate.temperature,
        s.cascade.generate.max_tokens,
        s.cascade.generate.context_chars,
    ) == (0.0, 8192, 2000)
    assert s.embed.model.endswith("all-mpnet-base-v2") and s.cascade.rerank.model.endswith(
        "ms-marco-MiniLM-L6-v2"
    )


def test_civicsetu_is_its_design() -> None:
    s = load_settings(["experiment=civicsetu"])
    chunk, routes = s.documents["chunk"], s.group("route").routes
    assert (chunk.size, chunk.shortest, chunk.measure) == (1500, 100, "characters")
    assert (s.index.dense, s.index.hnsw_m, s.index.hnsw_ef_construction) == ("hnsw", 16, 64)
    assert (s.cascade.retrieve.channels, s.cascade.retrieve.k) == (["dense", "sparse", "graph"], 15)
    assert (s.cascade.fuse.method, s.cascade.fuse.k, s.cascade.fuse.depth) == ("rrf", 60, 10)
    assert {name for name, route in routes.items() if route.weights == {"graph": 0.0}} == {"fact", "conflict"}
    assert not any(value for route in routes.values() for value in route.expand.values())
    by_graph = {name for name, route in routes.items() if route.instead == "graph"}
    assert by_graph == {"cross_reference", "penalty", "temporal"}  # routing table of [4]
    assert routes["temporal"].words and s.cascade.retrieve.options == {  # traversal of [8]
        "graph_depth": 2,
        "graph_back": 1,
        "graph_breadth": 1000,
        "graph_score": "words",
        "graph_starts": "named",
        "graph_by_jurisdiction": True,
    }
    assert (
        s.group("expand").family,
        s.group("expand").most,
        s.cascade.rerank.scorer,
        s.cascade.rerank.scale,
    ) == (
        3,
        40,
        "cross_encoder",
        "logistic",
    )
    limits = (
        s.cascade.select.method,
        s.cascade.select.unit,
        s.cascade.select.k,
        s.cascade.select.pinned,
        s.cascade.select.threshold,
        s.cascade.select.raw_gap,
    )
    assert limits == ("top", "chunk", 5, 2, 0.1, 0.6) and s.cascade.rerank.provenance == 0.0


def test_kg_citerag_is_its_report() -> None:
    s = load_settings(["experiment=kg_citerag"])
    assert s.cascade.retrieve.channels == ["dense", "name", "graph", "entity", "date", "bench"]
    assert s.cascade.retrieve.options == {
        "name_weight": 10,
        "name_synonyms": "data:glossary/legal_synonyms.yaml",
        "graph_seeds": 5,
        "graph_breadth": 5,
        "graph_depth": 1,
        "graph_score": "pagerank",
    }
    assert (
        s.cascade.retrieve.k,
        s.cascade.retrieve.centre,
        s.cascade.fuse.method,
        s.cascade.fuse.k,
        s.cascade.fuse.depth,
    ) == (
        20,
        0.0,
        "rrf",
        60,
        120,
    )
    assert (s.index.dense, s.index.k1, s.index.b) == ("flat", 1.5, 0.75)
    for mentioned, vectors, words, graph, more in (
        ((), 0.30, 0.30, 0.20, {"entity": 0.20}),
        (("provision",), 0.20, 0.20, 0.10, {"entity": 0.50}),
        (("year",), 0.15, 0.15, 0.10, {"date": 0.60}),
        (("judge",), 0.15, 0.15, 0.10, {"bench": 0.60}),
        (("case",), 0.25, 0.50, 0.15, {"entity": 0.10}),
    ):
        weights = s.cascade.fuse.weights_of(mentioned)
        assert {"dense": vectors, "name": words, "graph": graph, **more}.items() <= weights.items()
    assert (
        s.cascade.select.method,
        s.cascade.select.unit,
        s.cascade.select.k,
        s.cascade.select.per_case,
    ) == (
        "top",
        "chunk",
        10,
        2,
    )
    assert (s.group("route").method, s.cascade.rerank.scorer, s.cascade.rerank.provenance) == (
        "none",
        "none",
        0.0,
    )
    assert (s.cascade.generate.temperature, s.cascade.generate.max_tokens) == (0.3, 8192)


def test_the_guide_is_its_document() -> None:
    s = load_settings(["experiment=guide"])
    chunk, summarise, select, generate = (
        s.documents["chunk"], s.group("summarise"), s.cascade.select, s.cascade.generate,
    )  # fmt: skip
    assert (chunk.strategy, chunk.size, chunk.overlap) == ("recursive", 500, 0)  # 3, in characters
    assert (summarise.prepend, summarise.layers) == (["context"], ["document", "section"])  # 3, 4
    assert s.index.dense == "flat" and s.cascade.retrieve.channels == ["dense"]  # 4, 5
    assert (s.cascade.rerank.scorer, s.cascade.rerank.provenance, select.method) == ("none", 0.0, "top")  # 5
    assert (select.unit, select.k, select.documents, select.margin, select.tokens) == (
        "chunk", 6, 2, 0.25, 2500,
    )  # 5  # fmt: skip
    assert (generate.temperature, generate.max_tokens) == (0.1, 1000)  # 7
    bare = load_settings(["experiment=guide_bare"])
    assert bare.group("summarise") == replace(summarise, prepend=[]) and bare.cascade == s.cascade


def test_the_tiers_are_their_recommended_combinations() -> None:
    guide, *tiers = (
        load_settings([f"experiment={name}"]) for name in ("guide", "tier1", "tier2", "tier3", "tier4")
    )
    for tier in tiers:  # each has the baseline
        assert tier.documents["chunk"] == guide.documents["chunk"] and tier.cascade.select.k == 6
        assert tier.group("summarise") == guide.group("summarise")
    one, two, three, four = (tier.cascade for tier in tiers)
    assert (one.select.method, one.select.balance, one.query.rewrites) == ("mmr", 0.5, ["expand"])  # T8, T2
    assert (two.query.rewrites, two.query.replace, two.query.temperature) == (["hyde"], True, 0.3)  # T1
    assert two.retrieve.channels == ["dense", "dense_mpnet"] and two.fuse.k == 60  # T4
    weights = [two.fuse.weights[channel] for channel in two.retrieve.channels]
    assert weights == [1.0, 1.5]  # T4: the strongest most
    for other in (two, three, four):
        assert (other.rerank.scorer, other.rerank.scale, other.rerank.provenance) == (
            "cross_encoder",
            "logistic",
            0.0,
        )
        assert (other.fuse.depth, other.select.threshold) == (20, 0.5)  # T7
    assert (two.select.method, two.select.balance, four.select.method) == ("mmr", 0.5, "top")  # T8
    loop = tiers[2].group("controller")
    assert (loop.kind, loop.threshold, loop.rounds, loop.passages) == ("crag_multihop", 0.7, 3, 4)  # T9, T10
    assert three.retrieve == two.retrieve and three.fuse == two.fuse and three.select == two.select
    assert (four.retrieve.channels, four.fuse.method) == (["colbert"], "single") and tiers[
        3
    ].index.colbert  # T6


def test_paper_qa_is_table_4_4() -> None:
    s = load_settings(["experiment=paper_qa"])
    chunk, generate = s.documents["chunk"], s.cascade.generate
    assert s.embed.model.endswith("all-MiniLM-L6-v2") and s.index.dense == "qdrant"  # 4.4
    assert (chunk.strategy, chunk.size, chunk.overlap) == ("page", 1000, 200)  # 4.3
    assert (s.cascade.retrieve.channels, s.cascade.fuse.method, s.cascade.rerank.scorer) == (
        ["dense"],
        "single",
        "none",
    )  # 4.5.1
    assert (s.cascade.retrieve.k, s.cascade.select.unit, s.cascade.select.k) == (5, "chunk", 5)  # 4.5
    assert (generate.kind, generate.temperature, generate.num_ctx) == ("prose", 0.6, 4096)  # 4.6.3, 4.7.3
    assert (generate.template_id, generate.open_knowledge, generate.seed) == (1, False, 0)  # 4.6.1, 4.6.2
    sweep = load_settings(["experiment=paper_qa", "sweep=paper_qa"]).sweep
    cells = {name: load_settings(["experiment=paper_qa", *o]) for name, o in sweep.members().items()}
    varied = {(g.seed, g.template_id, g.open_knowledge) for g in (c.cascade.generate for c in cells.values())}
    assert varied == {(s, t, o) for s in range(3) for t in range(1, 6) for o in (False, True)}  # 4.8.2
    assert len(sweep.members(["generate.seed", "generate.template"])) == 2  # what is named is not varied


def test_the_thesis_chunks_are_table_4_2() -> None:
    chunk = load_settings(["chunk=thesis"]).documents["chunk"]
    assert (chunk.size, chunk.overlap) == (700, 85)


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (["chunk.colour=red"], "Key 'colour' not in 'ChunkConfig'"),
        (["+chunk.colour=red"], "Key 'colour' not in 'ChunkConfig'"),
        (["corpus.http.retries=3"], "Key 'retries' not in 'HttpConfig'"),
        (["chunk.overlap=5000"], "chunk.size"),
        (["corpus=http"], "corpus.name is missing: add corpus.name=..."),
        (["corpus=http", "corpus.name=x"], "corpus.sources is missing"),
        (["embed=hub"], "embed.model is missing"),
        (["benchmark=file"], "benchmark.path is missing"),
        (["chunk=never"], "never"),
        (["nothing.at=all"], "nothing"),
        (["chunk.size=small"], "chunk"),
        (["chunk.overlap=5000"], "chunk.size"),
        (["corpus=folder"], "corpus.name"),
        (["corpus=folder", "corpus.name=x"], "corpus.path"),
        (["corpus=folder", "corpus.name=../x", "corpus.path=."], "corpus.name"),
        (["select.k=0"], "k must be positive"),
        (["embed.precision=int4"], "int4"),
        (["train.depth=3"], "Key 'depth' not in 'ReaderConfig', which has kind, name, texts"),
        (["+train.colour=red"], "Key 'colour' not in 'ReaderConfig', which has kind, name, texts"),
        (["train.kind=student"], "train.kind=student: must be reader, reranker, ranker"),
        (["train.kind=ranker"], "Key 'joined' not in 'RankerConfig', which has kind, name, texts"),
        (
            ["train.name=Two", "train.device=tpu"],
            "train.name: use lower-case letters, digits and _, not Two; train.device: must be one of cpu, cuda, auto, not 'tpu'",
        ),
        (["train.warmup=1"], "train.warmup: must be less than 1"),
        (["=="], ""),
    ],
)
def test_what_is_wrong_is_named_in_one_line(overrides: list[str], words: str) -> None:
    with pytest.raises(SettingsError) as error:
        load_settings(overrides)
    assert words in str(error.value) and "\n" not in str(error.value)


def test_paths_with_spaces_and_signs(tmp_path: Path) -> None:
    composed = load_settings(["corpus=folder", f"corpus.path='{tmp_path}/a b, ü=1'", "corpus.name=x"])
    assert composed.corpus.path.endswith("a b, ü=1")


@pytest.mark.parametrize("file", sorted((ROOT / "conf").glob("*/*.yaml")), ids=lambda file: file.stem)
def test_an_option_repeats_no_default_but_the_key_that_names_its_choice(file: Path) -> None:
    group = file.parent.name
    options = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
    if group == "experiment" or "defaults" in options:  # it differs from other options
        return
    defaults: object
    if group == "train":
        defaults = asdict(TRAININGS[options["kind"]](name="x"))
    else:
        defaults = OmegaConf.to_container(settings._schema((group,), False)[group])
    assert isinstance(defaults, dict)
    repeated = {key for key, value in options.items() if value == defaults[key] != MISSING}
    assert repeated <= {CHOICES.get(group), *({"size"} if file.stem == "page" else ())}


def test_a_folder_conf_in_the_working_directory_adds_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in {
        "chunk/short": "size: 64\n",
        "chunk/wrong": "colour: red\n",
        "experiment/mine": "# @package _global_\ndefaults:\n  - override /chunk: short\nselect:\n  k: 3\n",
    }.items():
        file = tmp_path / "conf" / f"{name}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    mine = load_settings(["experiment=mine"])
    assert (mine.documents["chunk"].strategy, mine.documents["chunk"].size, mine.cascade.select.k) == (
        "statutory",
        64,
        3,
    )
    assert (
        load_settings(["chunk=thesis"]).documents["chunk"].size == 700
    )  # the options that ship are still there
    with pytest.raises(SettingsError, match="'colour' not in 'ChunkConfig'"):
        load_settings(["chunk=wrong"])


def test_relative_paths_count_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CITEGRAIN_ARTIFACTS", raising=False)
    assert load_settings([]).store_folder == tmp_path / "artifacts/store"
    assert load_settings(["artifacts=elsewhere"]).builds_folder == tmp_path / "elsewhere/builds"
    assert located(load_settings(["corpus=folder", "corpus.path=pdfs", "corpus.name=x"]).corpus.path) == (
        tmp_path / "pdfs"
    )
    monkeypatch.setenv("CITEGRAIN_ARTIFACTS", "/mnt/artifacts")
    assert load_settings([]).store_folder == Path("/mnt/artifacts/store")
    assert load_settings([]).corpus.path == "/mnt/artifacts/corpus/demo"
    assert load_settings(["artifacts=elsewhere"]).artifacts_folder == tmp_path / "elsewhere"


@pytest.mark.parametrize(
    "overrides",
    [
        [],
        ["corpus=folder", "corpus.path='/it\\'s \\${a} b'", "corpus.name=x", "parse.ocr=off"],
        ["chunk=parent_child", "embed=mpnet", "index.expansion=[]", "corpus.roles=['a, b', c]"],
        ["+embed.also={x:{model:m}}", "corpus.http.max_mib=7", "corpus.counterparts='[a]'"],
        ["index.background=['a\\'b']", "translate.kind=llm"],
    ],
)
def test_a_build_is_indexed_the_same_by_what_is_noted_of_it(overrides: list[str]) -> None:
    settings = load_settings(overrides)
    noted = indexing_overrides(settings)
    again = load_settings(noted)
    assert (again.offline, again.corpus) == (settings.offline, settings.corpus)
    assert bool(noted) is bool(overrides)
