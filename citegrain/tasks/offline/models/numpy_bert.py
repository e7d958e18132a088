"""BERT (Devlin et al. 2019) in NumPy, for the few texts of a question: importing torch takes a second.

It reads the same safetensors as the network in torch and computes in float32; what it gives agrees with that
to the last bits. Texts are not padded: the tokens of all go through each layer as one matrix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from citegrain.tasks.offline.models.adapters import CONFIG, WEIGHTS, ModelError
from citegrain.tasks.offline.models.weights import read_json

Matrix = npt.NDArray[np.float32]
TOKENIZER = "tokenizer.json"
MODULES = "modules.json"
POOLINGS = [["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]]
_COLUMNS = {"input_ids": "ids", "token_type_ids": "type_ids", "attention_mask": "attention_mask"}
_ERF = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
_ERF_STEP = 0.3275911
_ROWS = 32


class BertFiles:
    """Configuration, weights and tokenizer of a BERT.

    ``limit``: longest input in tokens, special tokens included.
    """

    def __init__(self, folder: Path) -> None:
        from safetensors import SafetensorError
        from tokenizers import Tokenizer

        self._config = read_json(folder / CONFIG)
        self._normalise = len(read_json(folder / MODULES)) == len(POOLINGS[1])
        try:
            self._weights = self._load(folder / WEIGHTS)
            self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        except (OSError, ValueError, SafetensorError) as error:
            raise ModelError(f"{folder}: cannot be loaded: {error}") from error
        self.limit = int(self._config["max_position_embeddings"])
        self.dimension = int(self._config["hidden_size"])
        tokens = self._tokenizer.get_added_tokens_decoder()
        self.special = {number for number, token in tokens.items() if token.special}

    def _load(self, path: Path) -> dict[str, Any]:
        """The weights by name."""
        from safetensors.numpy import load_file

        return dict(load_file(path))

    def features(self, texts: Sequence[str], longest: int) -> dict[str, Any]:
        """Token ids, segments and mask of a batch, padded: int64, shape (texts, tokens)."""
        self._tokenizer.enable_truncation(longest)
        self._tokenizer.enable_padding(pad_id=int(self._config.get("pad_token_id") or 0))
        encoded = self._tokenizer.encode_batch(list(texts))
        return {name: np.array([getattr(e, field) for e in encoded]) for name, field in _COLUMNS.items()}


class NumpyBert(BertFiles):
    """A loaded model whose vector is the mean of its tokens'."""

    def pooled(self, features: Mapping[str, npt.NDArray[np.int64]]) -> tuple[Matrix, Matrix]:
        """The mean of the token vectors of each text, normalised where the model does so, and the former.

        Returns float32, shape (texts, dimension) and (texts, tokens, dimension); padding has zeros.
        """
        mask = features["attention_mask"].astype(bool)
        hidden = np.zeros((*mask.shape, self.dimension), np.float32)
        hidden[mask] = self._hidden(features, mask)
        mean = hidden.sum(axis=1) / mask.sum(axis=1, keepdims=True, dtype=np.float32)
        if self._normalise:
            mean /= np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-12)
        return mean, hidden

    def _hidden(self, features: Mapping[str, npt.NDArray[np.int64]], mask: npt.NDArray[np.bool_]) -> Matrix:
        """The vectors of the tokens of all texts, one after another: shape (tokens, dimension)."""
        embeddings = [
            self._weights[f"embeddings.{name}_embeddings.weight"][ids[mask]]
            for name, ids in (
                ("word", features["input_ids"]),
                ("token_type", features["token_type_ids"]),
                ("position", np.broadcast_to(np.arange(mask.shape[1]), mask.shape)),
            )
        ]
        hidden = self._normalised(sum(embeddings[1:], start=embeddings[0]), "embeddings.LayerNorm")
        ends = np.cumsum(mask.sum(axis=1))
        texts = [slice(start, end) for start, end in zip([0, *ends[:-1]], ends, strict=True)]
        for number in range(int(self._config["num_hidden_layers"])):
            name = f"encoder.layer.{number}."
            mixed = self._linear(self._attention(hidden, texts, name), f"{name}attention.output.dense")
            hidden = self._normalised(mixed + hidden, f"{name}attention.output.LayerNorm")
            wide = _gelu(self._linear(hidden, f"{name}intermediate.dense"))
            hidden = self._normalised(
                self._linear(wide, f"{name}output.dense") + hidden, f"{name}output.LayerNorm"
            )
        return hidden

    def _attention(self, hidden: Matrix, texts: Sequence[slice], name: str) -> Matrix:
        heads = int(self._config["num_attention_heads"])
        shape = -1, heads, hidden.shape[1] // heads
        parts = [self._linear(hidden, f"{name}attention.self.{part}") for part in ("query", "key", "value")]
        parts[0] /= np.float32(shape[2] ** 0.5)
        mixed = np.empty_like(hidden)
        for rows in texts:
            query, key, value = (
                p[rows].reshape(-1, heads, p.shape[1] // heads).swapaxes(0, 1) for p in parts
            )
            shares = query @ key.swapaxes(1, 2)
            shares -= shares.max(axis=2, keepdims=True)
            totals = np.exp(shares, out=shares).sum(axis=2, keepdims=True)
            mixed[rows] = (shares @ value / totals).swapaxes(0, 1).reshape(-1, hidden.shape[1])
        return mixed

    def _linear(self, hidden: Matrix, name: str) -> Matrix:
        out: Matrix = hidden @ self._weights[f"{name}.weight"].T
        out += self._weights[f"{name}.bias"]
        return out

    def _normalised(self, hidden: Matrix, name: str) -> Matrix:
        centred: Matrix = hidden - hidden.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", centred, centred)[:, None] / np.float32(hidden.shape[1])
        centred /= np.sqrt(variance + np.float32(self._config.get("layer_norm_eps", 1e-12)))
        centred *= self._weights[f"{name}.weight"]
        centred += self._weights[f"{name}.bias"]
        return centred


def _gelu(values: Matrix) -> Matrix:
    """``x (1 + erf(x / sqrt 2)) / 2``, erf within 1.5e-7 (Abramowitz and Stegun 1964, 7.1.26).

    A few rows at a time, in place: what does not fit into the cache takes six times as long.
    """
    out = np.empty_like(values)
    for at in range(0, len(values), _ROWS):
        part, below = values[at : at + _ROWS], out[at : at + _ROWS]
        size = np.abs(part)
        size *= np.float32(0.5**0.5)
        step = np.float32(_ERF_STEP) * size
        step += 1
        np.reciprocal(step, out=step)
        np.multiply(step, np.float32(_ERF[0]), out=below)
        for factor in _ERF[1:]:
            below += np.float32(factor)
            below *= step
        size *= size
        below *= np.exp(np.negative(size, out=size), out=size)  # 1 - erf
        below *= np.abs(part, out=step)
        below /= 2
        np.subtract(np.maximum(part, 0, out=size), below, out=below)
    return out
