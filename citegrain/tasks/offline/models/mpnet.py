"""MPNet (Song et al. 2020) in plain torch, for the reasons of :mod:`citegrain.tasks.offline.models.bert`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from citegrain.tasks.offline.models.bert import Bert

_BERTS = {
    r"attention\.attn\.q\.": "attention.self.query.",
    r"attention\.attn\.k\.": "attention.self.key.",
    r"attention\.attn\.v\.": "attention.self.value.",
    r"attention\.attn\.o\.": "attention.output.dense.",
    r"attention\.LayerNorm\.": "attention.output.LayerNorm.",
}
_PADDING = 1  # id of padding in every MPNet; positions are counted from it on
_BUCKETS, _FARTHEST = 16, 128  # of distances in one direction, and where the last begins


class Mpnet(Bert):
    """A BERT without segments that adds to attention what its heads learned of the distance of tokens."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._weights = {_bert_name(key): weight for key, weight in self._weights.items()}

    def _embedded(self, features: Mapping[str, Any]) -> Any:
        """The sum of the embeddings of words and positions, which are counted from the padding's id on."""
        ids, embed = features["input_ids"], self._torch.nn.functional.embedding
        present = ids.ne(_PADDING).long()
        positions = present.cumsum(1) * present + _PADDING
        return embed(ids, self._weights["embeddings.word_embeddings.weight"]) + embed(
            positions, self._weights["embeddings.position_embeddings.weight"]
        )

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


def _bert_name(key: str) -> str:
    """The name that BERT has for a weight."""
    for pattern, name in _BERTS.items():
        key = re.sub(pattern, name, key)
    return key
