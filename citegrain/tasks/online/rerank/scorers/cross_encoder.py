"""Scorer ``cross_encoder``: a model that reads query and passage together."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from citegrain.tasks.offline.models import ModelFiles, find_model, in_bf16
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.rerank.config import Passage, Scorer, Scores


def cross_encoder(
    build: PublishedBuild, *, model: str, sha256: str, batch_size: int, max_tokens: int, precision: str
) -> Scorer:
    """A model from the hub or a folder; its weights are looked for beside those of the build.

    Raises ModelError if its weights are missing or have another digest.
    """
    return CrossEncoderScorer(find_model(model, build.models, sha256), batch_size, max_tokens, precision)


class CrossEncoderScorer:
    """A sequence classifier of one output over (query, passage); its logits as they are.

    It is loaded when the first pair is scored.
    """

    def __init__(
        self, files: ModelFiles, batch_size: int = 32, max_tokens: int = 0, precision: str = "fp32"
    ) -> None:
        suffix = "" if precision == "fp32" else f"-{precision}"
        self.identity = f"cross_encoder-{files.sha256[:32]}-{max_tokens}{suffix}"
        self._precision = precision
        self._folder = files.folder
        self._size = batch_size
        self._longest = max_tokens

    @cached_property
    def _model(self) -> Any:
        import torch
        from transformers import AutoModelForSequenceClassification

        model = AutoModelForSequenceClassification.from_pretrained(
            self._folder, local_files_only=True, use_safetensors=True
        ).eval()
        return model.to(torch.bfloat16) if in_bf16(self._precision) else model

    @cached_property
    def _tokenizer(self) -> Any:
        from transformers import AutoTokenizer

        return AutoTokenizer.from_pretrained(self._folder, local_files_only=True)

    @property
    def _limit(self) -> int:
        """Tokens that are read of a pair."""
        limit = min(int(self._tokenizer.model_max_length), int(self._model.config.max_position_embeddings))
        return min(self._longest, limit) if self._longest else limit

    def forget(self) -> None:
        """Nothing: no passage is kept."""

    def score(self, query: str, passages: Sequence[Passage]) -> Scores:
        """One logit a passage."""
        return self.pairs([(query, passage.text) for passage in passages])

    def pairs(self, pairs: Sequence[tuple[str, str]]) -> Scores:
        """One logit a pair of query and passage."""
        import torch

        out = np.zeros(len(pairs), dtype=np.float32)
        order = sorted(range(len(pairs)), key=lambda i: -sum(map(len, pairs[i])))
        for at in range(0, len(order), self._size):
            part = order[at : at + self._size]
            features = self._tokenizer(
                [pairs[i][0] for i in part],
                [pairs[i][1] for i in part],
                padding=True,
                truncation="longest_first",
                max_length=self._limit,
                return_tensors="pt",
            )
            with torch.inference_mode():
                out[part] = self._model(**features).logits[:, 0].float().numpy()
        return out
