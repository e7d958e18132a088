"""Weights: located, checked by digest, never a pickle. Encoders: their numbers."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from citegrain.tasks.core.paths import DATA
from citegrain.tasks.offline.embed import EmbedConfig, with_prompts
from citegrain.tasks.offline.models import (
    FEW,
    Encoder,
    EncoderSettings,
    ModelError,
    Tokenizer,
    encoder,
    find_model,
    onnx_bert,
)
from citegrain.tasks.offline.models import weights as module
from citegrain.tasks.offline.models.adapters import WEIGHTS
from citegrain.tasks.offline.models.networks import Bert, Mpnet, plain_kind
from citegrain.tasks.offline.models.onnx_bert import OnnxBert
from tests.tiny_model import write_tiny_colbert, write_tiny_dense, write_tiny_model

MINILM = "sentence-transformers/all-MiniLM-L6-v2"


def test_a_folder_is_a_model_and_its_digest_is_checked(tiny_model: Path, tmp_path: Path) -> None:
    model = find_model(str(tiny_model), tmp_path)
    assert model.dimension == 32
    assert find_model(str(tiny_model), tmp_path, model.sha256) == model
    with pytest.raises(ModelError, match="expected one is 0000"):
        find_model(str(tiny_model), tmp_path, "0" * 64)


def test_a_changed_byte_is_noticed(tiny_model: Path, tmp_path: Path) -> None:
    model = find_model(str(tiny_model), tmp_path)
    copy = shutil.copytree(tiny_model, tmp_path / "copy")
    data = bytearray((copy / WEIGHTS).read_bytes())
    data[-1] ^= 1
    (copy / WEIGHTS).write_bytes(bytes(data))
    with pytest.raises(ModelError, match="SHA-256"):
        find_model(str(copy), tmp_path, model.sha256)


def test_pickles_are_never_loaded(tiny_model: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(tiny_model, tmp_path / "copy")
    (copy / WEIGHTS).rename(copy / "pytorch_model.bin")
    with pytest.raises(ModelError, match="pickles"):
        find_model(str(copy), tmp_path)


def test_the_hubs_cache_is_used(tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real hub path, on generated weights and a cache laid out as the hub lays it out."""
    import huggingface_hub.constants as constants

    cache = tmp_path / "hub"
    repository = cache / "models--lamps--tiny"
    shutil.copytree(tiny_model, repository / "snapshots" / "abc123")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("abc123")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))
    monkeypatch.setattr("huggingface_hub._snapshot_download.constants.HF_HUB_CACHE", str(cache))
    model = find_model("lamps/tiny", tmp_path)
    assert Encoder(model, EncoderSettings("fp32")).encode(["wages"]).shape == (1, 32)


def test_a_revision_of_the_hub_is_taken(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As ``embed=multilingual`` names it; another revision is not in the cache."""
    cache, commit = tmp_path / "hub", "fd" * 20
    shutil.copytree(tiny_model, cache / "models--lamps--tiny" / "snapshots" / commit)
    for place in ("huggingface_hub.constants", "huggingface_hub._snapshot_download.constants"):
        monkeypatch.setattr(f"{place}.HF_HUB_CACHE", str(cache))
    model = find_model(f"lamps/tiny@{commit}", tmp_path)
    prefixed = Encoder(model, EncoderSettings("fp32", query_prefix="query: ", passage_prefix="passage: "))
    question, passage = prefixed.encode(["wages"], query=True), prefixed.encode(["wages"])
    assert question.shape == (1, 32) and not (question == passage).all()
    with pytest.raises(ModelError, match=f"lamps/tiny@{'ab' * 20}: not in the cache, and the hub"):
        find_model(f"lamps/tiny@{'ab' * 20}", tmp_path)


@pytest.mark.parametrize(("token", "reads"), [("के", True), ("▁धारा", True), ("क", False), ("ke", False)])
def test_whether_a_tokenizer_reads_devanagari(
    token: str, reads: bool, tiny_model: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_model, folder)
    written = json.loads((folder / "tokenizer.json").read_text())
    written["model"]["vocab"][token] = len(written["model"]["vocab"])
    (folder / "tokenizer.json").write_text(json.dumps(written))
    assert Tokenizer(find_model(str(folder), tmp_path)).reads_devanagari is reads


def test_a_missing_model_gives_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="lamps/none: not in the cache") as error:
        find_model("lamps/none", tmp_path)
    assert "\n" not in str(error.value)


def test_parts_are_joined_checked_and_no_path_leads_out(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "whole.zip"
    with zipfile.ZipFile(archive, "w") as zipped:
        for file in sorted(p for p in tiny_model.rglob("*") if p.is_file()):
            zipped.write(file, f"tiny/{file.relative_to(tiny_model)}")
        zipped.writestr("tiny/../../evil.json", "{}")
        zipped.writestr("tiny/code.py", "raise SystemExit")
    data = archive.read_bytes()
    third = len(data) // 3
    parts = []
    for i, piece in enumerate((data[:third], data[third : 2 * third], data[2 * third :])):
        parts.append(tmp_path / f"part{i}")
        parts[-1].write_bytes(piece)
    sha256 = find_model(str(tiny_model), tmp_path).sha256
    package = module._Package(("tiny-part",), "1", "part", sha256)
    monkeypatch.setattr(module, "PACKAGED", {"lamps/tiny": package})
    monkeypatch.setattr(module, "_installed", lambda p: True)
    monkeypatch.setattr(module, "_parts", lambda p: parts)
    model = find_model("lamps/tiny", tmp_path / "cache")
    assert model.sha256 == sha256
    assert not list(tmp_path.rglob("evil.json")) and not list((tmp_path / "cache").rglob("*.py"))
    assert find_model("lamps/tiny", tmp_path / "cache").folder == model.folder
    wrong = module._Package(("tiny-part",), "1", "part", "1" * 64)
    monkeypatch.setattr(module, "PACKAGED", {"lamps/tiny": wrong})
    with pytest.raises(ModelError, match="digest"):
        find_model("lamps/tiny", tmp_path / "cache")


@pytest.mark.model
def test_the_packaged_model_has_the_expected_digest(tmp_path: Path) -> None:
    model = find_model(MINILM, tmp_path)
    assert model.sha256 == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    assert model.dimension == 384


def test_vectors_have_length_one_and_do_not_depend_on_the_order(tiny_model: Path, tmp_path: Path) -> None:
    encoder = Encoder(find_model(str(tiny_model), tmp_path), EncoderSettings("fp32", batch_size=3))
    texts = ["wages of the keeper", "oil", "the lamp shall be paid by night " * 5, "penalty", ""]
    vectors = encoder.encode(texts)
    assert vectors.dtype == np.float32 and vectors.shape == (5, 32)
    assert np.allclose(np.linalg.norm(vectors[:4], axis=1), 1, atol=1e-5)
    again = encoder.encode(texts[::-1])[::-1]
    assert np.allclose(vectors, again, atol=1e-5)
    assert encoder.encode([]).shape == (0, 32)


def test_token_vectors_leave_out_special_tokens(tiny_model: Path, tmp_path: Path) -> None:
    files = find_model(str(tiny_model), tmp_path)
    encoder = Encoder(files, EncoderSettings("fp32"))
    matrices = encoder.token_vectors(["wages of the keeper", "oil"])
    assert [len(m) for m in matrices] == [
        len(Tokenizer(files).offsets(t)) for t in ("wages of the keeper", "oil")
    ]
    assert matrices[0].dtype == np.float16
    assert np.allclose(np.linalg.norm(matrices[0].astype(float), axis=1), 1, atol=1e-2)


def test_a_query_passes_through_the_model_once(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = find_model(str(tiny_model), tmp_path)
    fresh = Encoder(files, EncoderSettings("fp32", query_prefix="oil "))
    alone = fresh.token_vectors(["wages of the keeper"], query=True)[0]
    encoder = Encoder(files, EncoderSettings("fp32", query_prefix="oil "))
    encoder.encode(["wages of the keeper"], query=True)
    with monkeypatch.context() as patch:
        patch.setattr(encoder, "_hidden", None)
        assert (encoder.token_vectors(["wages of the keeper"], query=True)[0] == alone).all()
    # another text, or the same as a passage, is no longer at hand
    assert encoder.token_vectors(["lamp"], query=True)[0].shape != alone.shape
    assert encoder.token_vectors(["wages of the keeper"])[0].shape != alone.shape


def test_words_searched_besides_a_query_are_not_padded_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where torch encodes them: of an MPNet."""
    folder = write_tiny_model(tmp_path / "model", "mpnet")
    encoder = Encoder(find_model(str(folder), tmp_path), EncoderSettings("fp32"))
    texts = ["oil of the lamp", "the lamp shall be paid by night " * 5]
    shapes: list[tuple[int, int]] = []
    features = encoder._network.features

    def recorded(batch: list[str], longest: int) -> dict[str, Any]:
        encoded: dict[str, Any] = features(batch, longest)
        shapes.append(tuple(encoded["input_ids"].shape))
        return encoded

    monkeypatch.setattr(encoder._network, "features", recorded)
    separate = encoder.encode(texts, query=True)
    together = encoder.encode(texts)
    assert [n for n, _ in shapes] == [1, 1, 2] and shapes[1][1] < shapes[0][1]
    assert np.allclose(separate, together, atol=1e-5)
    encoder.encode(texts, query=True)
    monkeypatch.setattr(encoder, "_hidden", None)
    assert len(encoder.token_vectors([texts[1]], query=True)[0]) > 20  # at hand still


def test_prefixes_go_before_queries_and_passages(tiny_model: Path, tmp_path: Path) -> None:
    files = find_model(str(tiny_model), tmp_path)
    plain = Encoder(files, EncoderSettings("fp32"))
    prefixed = Encoder(files, EncoderSettings("fp32", query_prefix="oil ", passage_prefix="lamp "))
    assert np.allclose(prefixed.encode(["wages"], query=True), plain.encode(["oil wages"]), atol=1e-6)
    assert np.allclose(prefixed.encode(["wages"]), plain.encode(["lamp wages"]), atol=1e-6)


@pytest.mark.model
@pytest.mark.xdist_group("model")
def test_bf16_agrees_with_fp32(tmp_path: Path) -> None:
    files = find_model(MINILM, tmp_path)
    texts = [
        f"Whoever withholds the wages of {n} keepers shall be punished with a fine of {n} rupees."
        for n in range(40)
    ]
    exact = Encoder(files, EncoderSettings("fp32")).encode(texts)
    half = Encoder(files, EncoderSettings("bf16")).encode(texts)
    assert float((exact * half).sum(axis=1).mean()) > 0.9999


@pytest.mark.parametrize(
    ("able", "chosen"),
    [({}, False), ({"avx512_f": True, "avx512_bf16": False}, False), ({"amx_bf16": True}, True)],
)
def test_bf16_only_where_the_processor_has_it(
    monkeypatch: pytest.MonkeyPatch, able: dict[str, bool], chosen: bool
) -> None:
    monkeypatch.setattr("torch.cpu.get_capabilities", lambda: able)
    assert encoder.in_bf16("auto") is chosen
    assert encoder.in_bf16("bf16") and not encoder.in_bf16("fp32")


def test_settings_are_checked() -> None:
    with pytest.raises(ValueError, match="int8"):
        EncoderSettings("int8")


def test_the_tiny_model_is_repeatable(tiny_model: Path, tmp_path: Path) -> None:
    again = write_tiny_model(tmp_path / "again")
    assert find_model(str(again), tmp_path).sha256 == find_model(str(tiny_model), tmp_path).sha256


NORMALIZE = {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("further", [[], [NORMALIZE]])
def test_networks_in_plain_torch_give_the_vectors_of_sentence_transformers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, precision: str, further: list[Any], kind: str
) -> None:
    folder = write_tiny_model(tmp_path / "model", kind)
    modules = json.loads((folder / "modules.json").read_text())
    (folder / "modules.json").write_text(json.dumps([*modules, *further]))
    texts = ["wages of the keeper", "", "été ₹ 500", "the lamp shall be paid by night " * 12]
    files, settings = find_model(str(folder), tmp_path), EncoderSettings(precision)
    plain = Encoder(files, settings)
    monkeypatch.setattr(encoder, "plain_kind", lambda folder: "")
    other = Encoder(files, settings)
    assert isinstance(plain._network, Bert) and not isinstance(other._network, Bert)
    assert (plain.encode(texts) == other.encode(texts)).all()
    query = plain.encode(texts[:1], query=True)
    assert np.allclose(query, other.encode(texts[:1], query=True), atol=1e-6)
    for mine, theirs in zip(plain.token_vectors(texts), other.token_vectors(texts), strict=True):
        assert (mine == theirs).all()
    assert plain.dimension == other.dimension and plain.max_tokens == other.max_tokens


TEXTS = st.lists(st.text(alphabet="abeglmnoprsty ", max_size=400), min_size=1, max_size=FEW)


@given(texts=TEXTS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_onnx_runtime_gives_the_vectors_of_torch(tiny_model: Path, texts: list[str]) -> None:
    """Whatever is encoded together, the longest texts cut; of texts without tokens, too."""
    import torch

    by_onnx, by_torch = OnnxBert(tiny_model), Bert(tiny_model)
    features = by_torch.features(texts, 64)
    with torch.inference_mode():
        vectors, tokens = (part.numpy() for part in by_torch.pooled(features))
    mine, hidden = by_onnx.pooled(by_onnx.features(texts, 64))
    assert np.allclose(mine, vectors, atol=1e-6)
    mask = features["attention_mask"].numpy().astype(bool)
    assert np.allclose(hidden[mask], tokens[mask], atol=1e-5) and not hidden[~mask].any()


def test_a_text_has_the_same_bits_by_any_number_of_threads_and_beside_others(tiny_model: Path) -> None:
    texts = ["oil of the lamp " * 40, "a table", "wages of the keeper"]
    models = [OnnxBert(tiny_model, threads) for threads in (1, 2, 5)]
    first, *others = ([m.pooled(m.features([text], 64))[0] for text in texts] for m in models)
    assert all((a == b).all() for other in others for a, b in zip(first, other, strict=True))
    together = models[0].pooled(models[0].features(texts, 64))[0]
    assert np.allclose(together, np.concatenate(first), atol=1e-6)  # the mean is over padding, too
    at_once = onnx_bert.in_parts(lambda text: models[1].pooled(models[1].features([text], 64))[0], texts * 20)
    assert all((a == b).all() for a, b in zip(at_once, first * 20, strict=True))


def test_queries_that_are_encoded_ahead_have_the_same_vectors(tiny_model: Path, tmp_path: Path) -> None:
    files = find_model(str(tiny_model), tmp_path)
    plain, ahead = (Encoder(files, EncoderSettings("fp32")) for _ in range(2))
    texts = [f"oil of the lamp {number}" for number in range(100)]
    for text in [*texts, texts[0]]:
        ahead.encode_ahead(text)
    assert len(ahead._ahead) == 64  # what nobody comes for is not kept
    for text in texts:
        assert (ahead.encode([text], query=True) == plain.encode([text], query=True)).all()
    assert not ahead._ahead and "_network" not in vars(ahead)
    half = Encoder(files, EncoderSettings("bf16"))
    half.encode_ahead(texts[0])  # many at once are for torch
    assert not half._ahead


@pytest.mark.parametrize("halved", [False, True])
def test_weights_are_read_where_they_lie_behind_a_link_and_in_halves(
    tmp_path: Path, tiny_model: Path, halved: bool
) -> None:
    """As in the cache of a hub, and in 16 bits."""
    folder = tmp_path / "model"
    shutil.copytree(tiny_model, folder)
    stored = tmp_path / "blob"
    tensors = load_file(folder / "model.safetensors")
    some = {name: t.astype(np.float16) for name, t in tensors.items()} if halved else tensors
    save_file(some, stored)
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors").symlink_to(stored)
    linked, plain = OnnxBert(folder), OnnxBert(tiny_model)
    features = plain.features(["oil of the lamp"], 64)
    assert np.allclose(linked.pooled(features)[0], plain.pooled(features)[0], atol=2e-3 if halved else 0)


@pytest.mark.parametrize("content", [b"", b"not safetensors", None])
def test_damaged_weights_are_one_line(tmp_path: Path, tiny_model: Path, content: bytes | None) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_model, folder)
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100] if content is None else content)
    with pytest.raises(ModelError, match="cannot be loaded"):
        OnnxBert(folder)


def test_parts_are_done_once_each_in_order_and_in_parts_again() -> None:
    def work(part: int) -> list[int]:
        return onnx_bert.in_parts(lambda n: 10 * part + n, range(4))

    assert onnx_bert.in_parts(work, range(20)) == [[10 * part + n for n in range(4)] for part in range(20)]
    assert onnx_bert.in_parts(work, []) == []
    with pytest.raises(ZeroDivisionError):
        onnx_bert.in_parts(lambda n: 1 / n, [0, 1])


def test_few_queries_need_no_torch_and_many_are_worth_it(tiny_model: Path, tmp_path: Path) -> None:
    encoder = Encoder(find_model(str(tiny_model), tmp_path), EncoderSettings("fp32"))
    few = encoder.encode(["oil of the lamp"] * FEW, query=True)
    assert "_network" not in vars(encoder)
    many = encoder.encode(["oil of the lamp"] * (FEW + 1), query=True)
    assert "_network" in vars(encoder) and np.allclose(few, many[:FEW], atol=1e-6)
    half = Encoder(find_model(str(tiny_model), tmp_path), EncoderSettings("bf16"))
    half.encode(["oil of the lamp"], query=True)
    assert "_without_torch" not in vars(half)  # it has no bf16


@pytest.mark.model
@pytest.mark.xdist_group("model")
def test_onnx_runtime_agrees_with_torch_in_either_precision(tmp_path: Path) -> None:
    """On complaints of the benchmark: cosine with fp32 and with the bf16 that most machines compute in."""
    lines = (DATA / "benchmarks/complaints/dev.jsonl").read_text(encoding="utf-8").splitlines()[:24]
    texts = [json.loads(line)["text"] for line in lines]
    files = find_model("citegrain/minilm-statutes", tmp_path)
    exact = Encoder(files, EncoderSettings("fp32"))
    mine = np.concatenate([exact.encode([text], query=True) for text in texts])
    assert ((mine * exact.encode(texts)).sum(axis=1) > 0.999999).all()
    assert float((mine * Encoder(files, EncoderSettings("bf16")).encode(texts)).sum(axis=1).mean()) > 0.9999


def test_distances_of_mpnet_share_buckets_as_in_transformers(tmp_path: Path) -> None:
    """Also those of texts longer than the tiny model reads."""
    import torch
    from transformers.models.mpnet.modeling_mpnet import MPNetEncoder

    distances = torch.arange(-600, 601)
    network = Mpnet(write_tiny_model(tmp_path / "model", "mpnet"))
    assert (network._buckets(distances) == MPNetEncoder.relative_position_bucket(distances)).all()


@pytest.mark.parametrize(
    ("file", "changes"),
    [
        ("config.json", {"model_type": "distilbert"}),
        ("config.json", {"hidden_act": "relu"}),
        ("sentence_bert_config.json", {"do_lower_case": True}),
        ("1_Pooling/config.json", {"pooling_mode_cls_token": True}),
        ("1_Pooling/config.json", {"pooling_mode": "max"}),
    ],
)
def test_other_networks_and_poolings_are_left_to_sentence_transformers(
    tiny_model: Path, tmp_path: Path, file: str, changes: dict[str, Any]
) -> None:
    copy = shutil.copytree(tiny_model, tmp_path / "copy")
    assert plain_kind(copy) == "bert"
    (copy / file).write_text(json.dumps(json.loads((copy / file).read_text()) | changes))
    assert plain_kind(copy) == ""


POOLINGS: list[dict[str, Any]] = [
    {"pooling_mode_mean_tokens": True},
    {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False},
    {"pooling_mode_max_tokens": True, "pooling_mode_mean_tokens": False},
    {"pooling_mode_lasttoken": True, "pooling_mode_mean_tokens": False},
    {"pooling_mode_cls_token": True},  # beside the mean: vectors twice as long
    {"include_prompt": False},
]


@pytest.mark.parametrize("pooling", POOLINGS)
@pytest.mark.parametrize("further", [[], ["2_Normalize"], ["2_Dense", "3_Normalize"]])
@pytest.mark.parametrize("prompts", [{}, {"query": "wages: ", "document": "oil: "}, {"passage": "the "}])
def test_any_sentence_transformers_model_is_run_as_its_own_files_say(
    tmp_path: Path, pooling: dict[str, Any], further: list[str], prompts: dict[str, str]
) -> None:
    from sentence_transformers import SentenceTransformer

    folder = write_tiny_model(tmp_path / "model")
    path = folder / "1_Pooling" / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | pooling))
    modules = json.loads((folder / "modules.json").read_text())
    for at, name in enumerate(further, 2):
        kind = f"sentence_transformers.models.{name.partition('_')[2]}"
        modules.append({"idx": at, "name": str(at), "path": name, "type": kind})
        (folder / name).mkdir()
    (folder / "modules.json").write_text(json.dumps(modules))
    if "2_Dense" in further:
        write_tiny_dense(folder / "2_Dense", find_model(str(folder), tmp_path).dimension)
    (folder / "config_sentence_transformers.json").write_text(json.dumps({"prompts": prompts}))

    files = find_model(str(folder), tmp_path)
    config = with_prompts(EmbedConfig(model=str(folder), precision="fp32"), files, None)
    assert (config.query_prefix, config.passage_prefix) == (
        prompts.get("query", ""),
        prompts.get("document", prompts.get("passage", "")),
    )
    ours, theirs = Encoder(files, config.settings()), SentenceTransformer(str(folder), device="cpu")
    texts = ["wages of the keeper", "the lamp shall be paid by night " * 12, "fine"]
    query = theirs.encode_query(texts, normalize_embeddings=True)
    passage = theirs.encode_document(
        texts, prompt=prompts.get("document") or prompts.get("passage"), normalize_embeddings=True
    )
    assert files.dimension == ours.dimension == query.shape[1]
    assert np.allclose(ours.encode(texts, query=True), query, atol=1e-5)
    assert np.allclose(ours.encode(texts), passage, atol=1e-5)
    chosen = EmbedConfig(model=str(folder), query_prefix="fine: ")
    assert with_prompts(chosen, files, None).query_prefix == "fine: "


def test_a_model_without_modules_is_the_mean_of_its_tokens(tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    folder = write_tiny_model(tmp_path / "model")
    (folder / "modules.json").unlink()
    files, texts = find_model(str(folder), tmp_path), ["wages of the keeper", "oil"]
    expected = SentenceTransformer(str(folder), device="cpu").encode(texts, normalize_embeddings=True)
    assert np.allclose(Encoder(files, EncoderSettings("fp32")).encode(texts), expected, atol=1e-5)


def test_the_digest_of_a_model_is_that_of_its_further_layers_too(tmp_path: Path) -> None:
    folder = write_tiny_model(tmp_path / "model")
    alone = find_model(str(folder), tmp_path)
    assert alone.sha256 == hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    write_tiny_dense(folder / "2_Dense", 32)
    dense = find_model(str(folder), tmp_path, alone.sha256)  # the digest that is expected is the network's
    (folder / "2_Dense" / "model.safetensors").unlink()
    write_tiny_dense(folder / "2_Dense", 32, seed=8)
    assert len({alone.sha256, dense.sha256, find_model(str(folder), tmp_path).sha256}) == 3


def test_a_colbert_of_the_hubs_layout_gives_the_token_vectors_of_the_library(tmp_path: Path) -> None:
    from sentence_transformers import MultiVectorEncoder

    files = find_model(str(write_tiny_colbert(tmp_path / "colbert")), tmp_path)
    encoder = Encoder(files, EncoderSettings("fp32", query_prefix="[unused0] ", passage_prefix="[unused1] "))
    assert files.dimension == encoder.dimension == 16
    texts = ["wages of the keeper, paid by night.", "oil"]
    expected = MultiVectorEncoder(str(files.folder), device="cpu").encode_document(
        texts, convert_to_numpy=True
    )
    ours = encoder.token_vectors(texts)
    # [CLS], mark, words and [SEP]; no punctuation
    assert [len(m) for m in ours] == [len(m) for m in expected] == [10, 4]
    assert all(np.allclose(a, b, atol=2e-3) for a, b in zip(ours, expected, strict=True))
    mean = expected[1].mean(axis=0)
    assert np.allclose(encoder.encode(texts[1:])[0], mean / np.linalg.norm(mean), atol=1e-3)
    assert not np.allclose(encoder.encode(["oil"], query=True), encoder.encode(["oil"]), atol=1e-2)
