"""What scores a pair of query and passage. To add one: docs/extending.md."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from citegrain.tasks.offline.models import ModelFiles, find_model
from citegrain.tasks.online.rerank.config import RerankConfig

Scores = npt.NDArray[np.float32]
Tokens = npt.NDArray[np.float16]
_KEPT_BYTES = 512 * 2**20


@dataclass(frozen=True, slots=True)
class Passage:
    """A candidate: its row in the build, the text that is read and that text's hash."""

    row: int
    text: str
    text_hash: str


class Scorer(Protocol):
    """Scores pairs. ``identity`` tells two scorers apart whose scores may differ."""

    identity: str

    def score(self, query: str, passages: Sequence[Passage]) -> Scores:
        """One score a passage, higher is better."""
        ...

    def forget(self) -> None:
        """Let go of what is kept of passages scored before: who measures time wants none of it."""
        ...


class TokenEncoder(Protocol):
    """What late interaction needs of an encoder."""

    def token_vectors(self, texts: Sequence[str], *, query: bool = False) -> list[Tokens]:
        """One matrix a text, a normalised vector a token."""
        ...


class _Recent:
    """Token vectors of the passages used last: the queries of a batch share many.

    Parameters
    ----------
    limit
        Bytes above which the oldest are dropped.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held: OrderedDict[str, Tokens] = OrderedDict()
        self._bytes = 0

    def matrices(self, passages: Sequence[Passage], encoder: TokenEncoder) -> list[Tokens]:
        """Token vectors of each passage, encoded where they are not at hand."""
        missing = [p for p in passages if p.text_hash not in self._held]
        fresh = dict(
            zip(
                (p.text_hash for p in missing),
                encoder.token_vectors([p.text for p in missing]) if missing else [],
                strict=True,
            )
        )
        out = [fresh[p.text_hash] if p.text_hash in fresh else self._held[p.text_hash] for p in passages]
        for passage, matrix in zip(passages, out, strict=True):
            if passage.text_hash not in self._held:
                self._bytes += matrix.nbytes
            self._held[passage.text_hash] = matrix
            self._held.move_to_end(passage.text_hash)
        while self._bytes > self._limit and self._held:
            self._bytes -= self._held.popitem(last=False)[1].nbytes
        return out


class LateInteraction:
    """MaxSim: mean over the query's tokens of the best cosine among the passage's tokens.

    Khattab and Zaharia 2020, divided by the number of query tokens so that queries compare.

    Parameters
    ----------
    encoder
        Gives what makes token vectors of queries, and of passages where the build keeps none; called
        when the first pair is scored.
    stored
        Token vectors of a chunk by row; None if the build keeps none.
    """

    def __init__(
        self,
        encoder: Callable[[], TokenEncoder],
        identity: str,
        stored: Callable[[int], Tokens] | None = None,
    ) -> None:
        self.identity = f"late_interaction-{identity}"
        self._encoder = encoder
        self._stored = stored
        self._recent = _Recent(_KEPT_BYTES)

    def forget(self) -> None:
        """Let go of the token vectors of passages."""
        self._recent = _Recent(_KEPT_BYTES)

    def score(self, query: str, passages: Sequence[Passage]) -> Scores:
        """One score a passage, -1..1; 0 for an empty passage or query."""
        import torch

        encoder = self._encoder()
        tokens = encoder.token_vectors([query], query=True)[0].astype(np.float32)
        if self._stored is not None:
            documents = [self._stored(p.row) for p in passages]
        else:
            documents = self._recent.matrices(passages, encoder)
        out = np.zeros(len(passages), dtype=np.float32)
        full = [i for i, d in enumerate(documents) if len(d)]
        if not full or not len(tokens):
            return out
        flat = np.concatenate([documents[i] for i in full]).astype(np.float32)
        starts = np.cumsum([0, *(len(documents[i]) for i in full[:-1])])
        # by torch and not numpy: two pools of threads, each waiting for work, slow the encoder down threefold
        cosines = (torch.from_numpy(flat) @ torch.from_numpy(tokens).T).numpy()
        best = np.maximum.reduceat(cosines, starts, axis=0)
        out[full] = best.mean(axis=1)
        return out


class CrossEncoderScorer:
    """A sequence classifier of one output over (query, passage); its logits as they are.

    It is loaded when the first pair is scored.
    """

    def __init__(self, files: ModelFiles, config: RerankConfig) -> None:
        precision = "" if config.precision == "fp32" else f"-{config.precision}"
        self.identity = f"cross_encoder-{files.sha256[:32]}-{config.max_tokens}{precision}"
        self._precision = config.precision
        self._folder = files.folder
        self._size = config.batch_size
        self._longest = config.max_tokens

    @cached_property
    def _model(self) -> Any:
        import torch
        from transformers import AutoModelForSequenceClassification

        model = AutoModelForSequenceClassification.from_pretrained(
            self._folder, local_files_only=True, use_safetensors=True
        ).eval()
        return model.to(torch.bfloat16) if self._precision == "bf16" else model

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


def make_scorer(
    config: RerankConfig,
    encoder: Callable[[], TokenEncoder],
    identity: str,
    stored: Callable[[int], Tokens] | None,
    models: Path,
) -> Scorer | None:
    """The scorer that ``config`` names; None for ``none``.

    Parameters
    ----------
    encoder, identity
        The build's encoder, made when it is needed, and what tells its token vectors from others'.
    stored
        The build's token vectors by row, if it keeps any.
    models
        Folder of unpacked weights.
    """
    if config.scorer == "late_interaction":
        return LateInteraction(encoder, identity, stored)
    if config.scorer == "cross_encoder":
        return CrossEncoderScorer(find_model(config.model, models, config.sha256), config)
    return None
