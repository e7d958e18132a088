"""An encoder of a few thousand weights, made on the spot: random, repeatable, quick."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

WORDS = """
the of and in to or be shall any a by for as is such this that under section which on may act with it not
wages keeper lantern oil owner paid month night lamp fine prison penalty weekly tower lens vessel
""".split()


def write_tiny_model(folder: Path, kind: str = "bert") -> Path:
    """Write a sentence-transformers model (dimension 32, 64 tokens) to ``folder``: ``bert`` or ``mpnet``."""
    import torch
    from transformers import BertModel, MPNetConfig, MPNetModel

    _write_tokenizer(folder)
    torch.manual_seed(7)
    sizes = {k: v for k, v in _config().to_dict().items() if k in MPNetConfig().to_dict()}
    sizes |= {"max_position_embeddings": 66, "model_type": "mpnet"}
    model = BertModel(_config()) if kind == "bert" else MPNetModel(MPNetConfig(**sizes))
    model.save_pretrained(folder, safe_serialization=True)
    modules = [
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "sentence_bert_config.json").write_text(
        json.dumps({"max_seq_length": 64, "do_lower_case": False})
    )
    (folder / "1_Pooling").mkdir()
    pooling = {"word_embedding_dimension": 32, "pooling_mode_mean_tokens": True}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    return folder


def write_tiny_dense(folder: Path, width: int, seed: int = 7) -> None:
    """Write a layer that makes vectors of ``width`` numbers 8 long."""
    import torch
    from safetensors.torch import save_file

    folder.mkdir(exist_ok=True)
    torch.manual_seed(seed)
    save_file(
        {"linear.weight": torch.randn(8, width), "linear.bias": torch.randn(8)}, folder / "model.safetensors"
    )
    config = {"in_features": width, "out_features": 8, "bias": True}
    activation = {"activation_function": "torch.nn.modules.activation.Tanh"}
    (folder / "config.json").write_text(json.dumps(config | activation))


def write_tiny_cross_encoder(folder: Path) -> Path:
    """Write a classifier of one output over pairs of texts to ``folder``."""
    import torch
    from transformers import BertForSequenceClassification

    _write_tokenizer(folder)
    torch.manual_seed(7)
    model = BertForSequenceClassification(_config(num_labels=1))
    model.save_pretrained(folder, safe_serialization=True)
    return folder


def write_tiny_colbert(folder: Path) -> Path:
    """Write a ColBERT in the layout of colbert-ir/colbertv2.0 (16 dimensions) to ``folder``."""
    import torch
    from safetensors.torch import save_file
    from transformers import BertModel

    _write_tokenizer(folder, ("[unused0]", "[unused1]"))
    torch.manual_seed(7)
    config = _config(2, architectures=["HF_ColBERT"])
    weights = {f"bert.{name}": value for name, value in BertModel(config).state_dict().items()}
    save_file(
        weights | {"linear.weight": torch.randn(16, 32)}, folder / "model.safetensors", {"format": "pt"}
    )
    (folder / "config.json").write_text(json.dumps(config.to_dict()))
    return folder


def _vocabulary() -> dict[str, int]:
    letters = [chr(c) for c in range(33, 127)]
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{c}" for c in letters)]
    return {piece: i for i, piece in enumerate(dict.fromkeys([*pieces, *WORDS]))}


def _config(more: int = 0, **values: Any) -> Any:
    from transformers import BertConfig

    return BertConfig(
        vocab_size=len(_vocabulary()) + more,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=64,
        **values,
    )


def _write_tokenizer(folder: Path, more: Sequence[str] = ()) -> None:
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    folder.mkdir(parents=True)
    vocabulary = _vocabulary()
    vocabulary |= {piece: len(vocabulary) + i for i, piece in enumerate(more)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.decoder = decoders.WordPiece()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_max_length=64,
    )
    fast.save_pretrained(folder)
