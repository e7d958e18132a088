"""Configuration: composed by Hydra, checked by the dataclasses of the stages."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import yaml
from omegaconf import MISSING, OmegaConf

from citegrain.flows.shared import composing
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


@pytest.mark.parametrize("online", [False, True])
@pytest.mark.parametrize(
    "overrides",
    [
        ["chunk=guide", "embed=minilm_mpnet", "retrieve=colbert", "route=llm", "train=reranker_statutes"],
        ["experiment=civicsetu", "embed=mpnet", "index.hnsw_m=8"],
        ["rerank=plain", "experiment=tier3", "chunk=page", "select=top", "select.k=4"],
        ["+fuse.weights.other=1.0", "fuse.k=50", "retrieve=colbert", "select=top", "select.k=4"],
        ["select.k=4", "fuse=single", "+fuse.weights={other:1.0}", "experiment=tier3"],
    ],
)
def test_options_and_experiments_are_read_as_hydra_does(overrides: list[str], online: bool) -> None:
    names = tuple(composing.group_classes(online))
    ours, theirs = (
        composing.composed(overrides, names, online),
        composing._compose(tuple(overrides), names, online),
    )
    assert ours == theirs
    for group in names:
        assert OmegaConf.get_type(ours[group]) is OmegaConf.get_type(theirs[group])


@pytest.mark.slow
def test_every_file_that_ships_is_read_as_hydra_does() -> None:
    names = tuple(composing.group_classes(False))
    files = [path.relative_to(composing.CONF).with_suffix("") for path in composing.CONF.glob("*/**/*.yaml")]
    options = [f"{file.parts[0]}={'/'.join(file.parts[1:])}" for file in files]
    assert len(options) >= 160
    for option in options:
        assert composing.composed([option], names, False) == composing._compose((option,), names, False), (
            option
        )


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
        defaults = OmegaConf.to_container(composing.schema_of((group,), False)[group])
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
        ["runner.memory_gib=7.5"],
    ],
)
def test_a_build_is_indexed_the_same_by_what_is_noted_of_it(overrides: list[str]) -> None:
    settings = load_settings(overrides)
    noted = indexing_overrides(settings)
    again = load_settings(noted)
    assert (again.offline, again.corpus) == (settings.offline, settings.corpus)
    assert again.runner.memory_gib == settings.runner.memory_gib
    assert bool(noted) is bool(overrides)
