"""Networks in torch: BERT (Devlin et al. 2019) and MPNet by themselves, others by sentence-transformers.

Importing transformers takes longer than answering a question. The operations of a BERT are those of
transformers in their order, so that the vectors are equal to the last bit.
"""

from __future__ import annotations

import math
import re
import string
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from citegrain.tasks.offline.models.adapters import CONFIG, WEIGHTS, ModelError
from citegrain.tasks.offline.models.onnx_bert import MODULES, POOLINGS, SETTINGS, TOKENIZER, BertFiles
from citegrain.tasks.offline.models.weights import ModelFiles, pooling_modes, read_json

_BERTS = {
    r"attention\.attn\.q\.": "attention.self.query.",
    r"attention\.attn\.k\.": "attention.self.key.",
    r"attention\.attn\.v\.": "attention.self.value.",
    r"attention\.attn\.o\.": "attention.output.dense.",
    r"attention\.LayerNorm\.": "attention.output.LayerNorm.",
}
_PADDING = 1  # id of padding in every MPNet; positions are counted from it on
_BUCKETS, _FARTHEST = 16, 128  # of distances in one direction, and where the last begins


def plain_kind(folder: Path) -> str:
    """``bert`` or ``mpnet``, if a folder holds one whose vector is the mean of its tokens', and no more."""
    from safetensors import safe_open

    config, modules = read_json(folder / CONFIG), read_json(folder / MODULES) or []
    kinds = [str(module["type"]).rpartition(".")[2] for module in modules]
    plain = {"hidden_act": "gelu", "is_decoder": False, "relative_attention_num_buckets": 32}
    kind = str(config.get("model_type"))
    if (
        kind not in ("bert", "mpnet")
        or kinds not in POOLINGS
        or modules[0]["path"]
        or not (folder / TOKENIZER).is_file()
        or read_json(folder / SETTINGS).get("do_lower_case")
        or any(config.get(key, value) != value for key, value in plain.items())
        or config.get("position_embedding_type") not in (None, "absolute")
    ):
        return ""
    pooling = read_json(folder / str(modules[1]["path"]) / CONFIG)
    if pooling_modes(pooling) != {"mean"} or pooling.get("include_prompt") is False:
        return ""
    with safe_open(folder / WEIGHTS, "np") as weights:
        return kind if "embeddings.LayerNorm.weight" in weights.keys() else ""  # noqa: SIM118


class Bert(BertFiles):
    """A loaded model."""

    def __init__(self, folder: Path) -> None:
        import torch

        self._torch = torch
        super().__init__(folder)

    def _load(self, path: Path) -> dict[str, Any]:
        from safetensors.torch import load_file

        return dict(load_file(path))

    def to(self, dtype: Any) -> None:
        """Run it in another precision."""
        self._weights = {key: weight.to(dtype) for key, weight in self._weights.items()}

    def features(self, texts: Sequence[str | tuple[str, str]], longest: int) -> dict[str, Any]:
        """As :meth:`BertFiles.features`, as tensors."""
        return {name: self._torch.from_numpy(v) for name, v in super().features(texts, longest).items()}

    def pooled(self, features: Mapping[str, Any]) -> tuple[Any, Any]:
        """The mean of the token vectors of each text, normalised where the model does so, and the former.

        Returns tensors of shape (texts, dimension) and (texts, tokens, dimension).
        """
        hidden = self.hidden(features)
        mask = features["attention_mask"][:, :, None].float()
        mean = ((hidden.float() * mask).sum(1) / mask.sum(1).clamp(min=1e-9)).to(hidden.dtype)
        return self._torch.nn.functional.normalize(mean, dim=-1) if self._normalise else mean, hidden

    def hidden(self, features: Mapping[str, Any]) -> Any:
        """Token vectors, shape (texts, tokens, dimension)."""
        hidden = self._normalised(self._embedded(features), "embeddings.LayerNorm")
        read = self._read(features["attention_mask"], hidden.dtype)
        for number in range(int(self._config["num_hidden_layers"])):
            hidden = self._layer(hidden, read, f"encoder.layer.{number}.")
        return hidden

    def _embedded(self, features: Mapping[str, Any]) -> Any:
        """The sum of the embeddings of words, segments and positions."""
        ids, positions = features["input_ids"], self._weights["embeddings.position_embeddings.weight"]
        hidden = self._looked_up(ids, "word") + self._looked_up(features["token_type_ids"], "token_type")
        return hidden + positions[None, : ids.shape[1]]

    def _looked_up(self, numbers: Any, name: str) -> Any:
        weights = self._weights[f"embeddings.{name}_embeddings.weight"]
        return self._torch.nn.functional.embedding(numbers, weights)

    def _read(self, mask: Any, dtype: Any) -> Any:
        """What attention may read: None for all."""
        length = mask.shape[1]
        return None if mask.all() else mask.bool()[:, None, None, :].expand(-1, 1, length, -1)

    def _layer(self, hidden: Any, read: Any, name: str) -> Any:
        mixed = self._linear(self._attention(hidden, read, name), f"{name}attention.output.dense")
        hidden = self._normalised(mixed + hidden, f"{name}attention.output.LayerNorm")
        wide = self._torch.nn.functional.gelu(self._linear(hidden, f"{name}intermediate.dense"))
        return self._normalised(self._linear(wide, f"{name}output.dense") + hidden, f"{name}output.LayerNorm")

    def _attention(self, hidden: Any, read: Any, name: str) -> Any:
        query, key, value = self._heads(hidden, name)
        attend = self._torch.nn.functional.scaled_dot_product_attention
        mixed = attend(query, key, value, attn_mask=read)
        return mixed.transpose(1, 2).reshape(hidden.shape)

    def _heads(self, hidden: Any, name: str) -> list[Any]:
        """Query, key and value, each of shape (texts, heads, tokens, dimension of a head)."""
        shape = (*hidden.shape[:2], int(self._config["num_attention_heads"]), -1)
        parts = (self._linear(hidden, f"{name}attention.self.{part}") for part in ("query", "key", "value"))
        return [part.view(shape).transpose(1, 2) for part in parts]

    def _linear(self, hidden: Any, name: str) -> Any:
        weights = self._weights
        return self._torch.nn.functional.linear(hidden, weights[f"{name}.weight"], weights[f"{name}.bias"])

    def _normalised(self, hidden: Any, name: str) -> Any:
        weight, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        epsilon = float(self._config.get("layer_norm_eps", 1e-12))
        return self._torch.nn.functional.layer_norm(hidden, weight.shape, weight, bias, epsilon)


class Mpnet(Bert):
    """A BERT without segments that adds to attention what its heads learned of the distance of tokens."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        for pattern, name in _BERTS.items():
            self._weights = {re.sub(pattern, name, key): weight for key, weight in self._weights.items()}

    def _embedded(self, features: Mapping[str, Any]) -> Any:
        """The sum of the embeddings of words and positions, which are counted from the padding's id on."""
        ids = features["input_ids"]
        present = ids.ne(_PADDING).long()
        positions = present.cumsum(1) * present + _PADDING
        return self._looked_up(ids, "word") + self._looked_up(positions, "position")

    def _read(self, mask: Any, dtype: Any) -> Any:
        """What is added to each attention: shape (texts or 1, heads, tokens, tokens)."""
        at = self._torch.arange(mask.shape[1])
        learned = self._weights["encoder.relative_attention_bias.weight"]
        bias = self._torch.nn.functional.embedding(self._buckets(at[None, :] - at[:, None]), learned)
        hidden = (1 - mask[:, None, None, :].to(dtype)) * self._torch.finfo(dtype).min
        return bias.permute(2, 0, 1)[None].to(dtype) + hidden

    def _buckets(self, distance: Any) -> Any:
        """Bucket of each distance: one a token near by, ever wider ones farther off, apart by direction."""
        torch, near = self._torch, _BUCKETS // 2
        back = distance.neg()
        far = back.abs()
        wide = near + (
            torch.log(far.float() / near) / math.log(_FARTHEST / near) * (_BUCKETS - near)
        ).long().clamp(max=_BUCKETS - 1 - near)
        return (back < 0).long() * _BUCKETS + torch.where(far < near, far, wide)

    def _attention(self, hidden: Any, read: Any, name: str) -> Any:
        query, key, value = self._heads(hidden, name)
        scores = query.matmul(key.transpose(-1, -2)) / math.sqrt(query.shape[-1]) + read
        mixed = self._torch.nn.functional.softmax(scores, dim=-1).matmul(value)
        return mixed.permute(0, 2, 1, 3).reshape(hidden.shape)


class SentenceModel:
    """A loaded model that is no BERT or MPNet, or pools otherwise; its methods are those of :class:`Bert`."""

    _class: ClassVar[str] = "SentenceTransformer"

    def __init__(self, files: ModelFiles) -> None:
        import sentence_transformers
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()  # who asks a question need not see that weights are loaded
        try:
            self._model: Any = getattr(sentence_transformers, self._class)(
                str(files.folder),
                device="cpu",
                local_files_only=True,
                trust_remote_code=False,
                model_kwargs={"use_safetensors": True},
            ).eval()
        except (OSError, ValueError) as error:
            raise ModelError(f"{files.name}: cannot be loaded: {error}") from error
        self.limit = int(self._model.max_seq_length or 512)
        self.dimension = int(self._model.get_embedding_dimension())
        self.special = set(self._model.tokenizer.all_special_ids)
        self.skips_prompt = any(getattr(module, "include_prompt", True) is False for module in self._model)

    def prompt_length(self, prompt: str) -> int:
        """Tokens of a prompt, with the special ones before it: what a pooling without prompts leaves out."""
        ids = self._model.tokenizer(prompt)["input_ids"]
        return len(ids) - (ids[-1] in self.special)

    def to(self, dtype: Any) -> None:
        self._model.to(dtype)

    def features(self, texts: Sequence[str], longest: int) -> dict[str, Any]:
        tokenizer = self._model.tokenizer
        return dict(
            tokenizer(list(texts), padding=True, truncation=True, max_length=longest, return_tensors="pt")
        )

    def hidden(self, features: Mapping[str, Any]) -> Any:
        return self._model[0](dict(features))["token_embeddings"]

    def pooled(self, features: Mapping[str, Any]) -> tuple[Any, Any]:
        """Vector of each text by the model's own pooling, and its token vectors."""
        pooled = dict(features) | {"token_embeddings": self.hidden(features)}
        for module in list(self._model)[1:]:
            pooled = module(pooled)
        return pooled["sentence_embedding"], pooled["token_embeddings"]


class ColbertModel(SentenceModel):
    """A ColBERT as Stanford publishes it: a BERT whose token vectors are projected (Khattab, Zaharia 2020).

    Its sentence vector is their mean. Punctuation does not count, and queries are not filled up with [MASK]:
    complaints are longer than the 32 tokens up to which that is done. The marks of queries and passages,
    ``[unused0]`` and ``[unused1]``, are prefixes of the configuration.
    """

    _class = "MultiVectorEncoder"

    def __init__(self, files: ModelFiles) -> None:
        super().__init__(files)
        tokenizer = self._model.tokenizer
        self.special = {tokenizer.pad_token_id, *tokenizer.convert_tokens_to_ids(list(string.punctuation))}

    def hidden(self, features: Mapping[str, Any]) -> Any:
        """Token vectors in the dimensions of the projection, shape (texts, tokens, dimension)."""
        network, projection, *_ = self._model
        return projection(network(dict(features)))["token_embeddings"]

    def pooled(self, features: Mapping[str, Any]) -> tuple[Any, Any]:
        """The mean of the token vectors, each of length 1, and the token vectors."""
        from torch.nn.functional import normalize

        hidden = self.hidden(features)
        return (normalize(hidden, dim=-1) * features["attention_mask"][:, :, None]).mean(1), hidden
