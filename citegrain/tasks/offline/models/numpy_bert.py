"""BERT (Devlin et al. 2019) in NumPy, for the few texts of a question: importing torch takes a second.

It reads the same safetensors as the network in torch and computes in float32; what it gives agrees with that
to the last bits. Texts are not padded: the tokens of all go through each layer as one matrix.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from citegrain.tasks.offline.models.adapters import CONFIG, WEIGHTS, ModelError
from citegrain.tasks.offline.models.weights import read_json

Matrix = npt.NDArray[np.float32]
T = TypeVar("T")
R = TypeVar("R")
TOKENIZER = "tokenizer.json"
MODULES = "modules.json"
POOLINGS = [["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]]
_COLUMNS = {"input_ids": "ids", "token_type_ids": "type_ids", "attention_mask": "attention_mask"}
_ERF = (-6.02381350e-08, 3.79008080e-06, -9.78606853e-05, 1.28481154e-03, 5.79629305e-02, 6.36625133e-01)
"""erf(x / sqrt 2) is tanh(x sqrt p), p this polynomial in x², the highest power first: fitted up to x = 6."""
_FARTHEST = np.float32(6)  # from here on erf is 1 in float32
_LONG = 64  # tokens from which halves are worth a second thread
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
    """A loaded model whose vector is the mean of its tokens'.

    Heads and inner units of each layer are computed in two halves, each by its part of the weights (Shoeybi
    et al. 2019), on two threads where a second is idle. Whether in halves depends on the texts alone.
    """

    def _load(self, path: Path) -> dict[str, Any]:
        """The weights by name, those of layers turned: a product with few rows takes a seventh less time."""
        weights = super()._load(path)
        for name in (name for name in weights if name.startswith("encoder.") and weights[name].ndim > 1):
            weights[name] = np.ascontiguousarray(weights[name].T)
        return weights

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
        ends = np.cumsum(mask.sum(axis=1)).tolist()
        texts = [slice(start, end) for start, end in zip([0, *ends[:-1]], ends, strict=True)]
        for number in range(int(self._config["num_hidden_layers"])):
            name = f"encoder.layer.{number}."
            mixed = self._halves(partial(self._attention, hidden, texts, name), "num_attention_heads", hidden)
            hidden = self._added(mixed, f"{name}attention.output.", hidden)
            wide = self._halves(partial(self._feed_forward, hidden, name), "intermediate_size", hidden)
            hidden = self._added(wide, f"{name}output.", hidden)
        return hidden

    def _halves(self, block: Callable[[slice], Matrix], units: str, hidden: Matrix) -> Matrix:
        """What a block of a layer gives: the sum of what each half of its units does."""
        count = int(self._config[units])
        middle = count // 2 if len(hidden) >= _LONG else 0
        first, *second = in_parts(block, [slice(0, middle), slice(middle, count)][not middle :])
        for part in second:
            first += part
        return first

    def _added(self, change: Matrix, name: str, hidden: Matrix) -> Matrix:
        change += self._weights[f"{name}dense.bias"]
        change += hidden
        return self._normalised(change, f"{name}LayerNorm")

    def _attention(self, hidden: Matrix, texts: Sequence[slice], name: str, heads: slice) -> Matrix:
        width = self.dimension // int(self._config["num_attention_heads"])
        rows = slice(heads.start * width, heads.stop * width)
        parts = [
            self._linear(hidden, f"{name}attention.self.{part}", rows) for part in ("query", "key", "value")
        ]
        parts[0] *= np.float32(width**-0.5)
        mixed = np.empty_like(parts[0])
        for text in texts:
            query, key, value = (
                p[text].reshape(-1, p.shape[1] // width, width).swapaxes(0, 1) for p in parts
            )
            shares = query @ key.swapaxes(1, 2)
            shares -= shares.max(axis=2, keepdims=True)
            totals = np.exp(shares, out=shares).sum(axis=2, keepdims=True)
            mixed[text] = (shares @ value / totals).swapaxes(0, 1).reshape(-1, mixed.shape[1])
        return np.asarray(mixed @ self._weights[f"{name}attention.output.dense.weight"][rows])

    def _feed_forward(self, hidden: Matrix, name: str, units: slice) -> Matrix:
        wide = _gelu(self._linear(hidden, f"{name}intermediate.dense", units))
        return np.asarray(wide @ self._weights[f"{name}output.dense.weight"][units])

    def _linear(self, hidden: Matrix, name: str, rows: slice) -> Matrix:
        out: Matrix = hidden @ self._weights[f"{name}.weight"][:, rows]
        out += self._weights[f"{name}.bias"][rows]
        return out

    def _normalised(self, hidden: Matrix, name: str) -> Matrix:
        centred: Matrix = hidden - hidden.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", centred, centred)[:, None] / np.float32(hidden.shape[1])
        centred /= np.sqrt(variance + np.float32(self._config.get("layer_norm_eps", 1e-12)))
        centred *= self._weights[f"{name}.weight"]
        centred += self._weights[f"{name}.bias"]
        return centred


def _gelu(values: Matrix) -> Matrix:
    """``x (1 + erf(x / sqrt 2)) / 2`` within 4e-7, in place.

    A few rows at a time: what does not fit into the cache takes six times as long.
    """
    buffers = np.empty((2, min(_ROWS, len(values)), *values.shape[1:]), np.float32)
    factors = [np.float32(factor) for factor in _ERF]
    for at in range(0, len(values), _ROWS):
        part = values[at : at + _ROWS]
        square, inner = buffers[:, : len(part)]
        np.clip(part, -_FARTHEST, _FARTHEST, out=square)
        square *= square
        np.multiply(square, factors[0], out=inner)
        for factor in factors[1:-1]:
            inner += factor
            inner *= square
        inner += factors[-1]
        np.sqrt(inner, out=inner)
        inner *= part
        np.tanh(inner, out=inner)
        inner += 1
        part *= np.float32(0.5)
        part *= inner
    return values


def in_parts(work: Callable[[T], R], parts: Sequence[T]) -> list[R]:
    """What a work gives for each part: of this thread, which starts at the end, and of those that are idle.

    For work in NumPy, which lets other threads run. A part may be done in parts: no more threads are at work
    than there are processors.
    """
    tasks = [_others().submit(work, part) for part in parts[: len(parts) - 1]]
    done = [work(part) for part in parts[-1:]]
    for task, part in zip(reversed(tasks), parts[-2::-1], strict=True):
        done.append(work(part) if task.cancel() else task.result())
    return done[::-1]


@cache
def _others() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max(1, (os.cpu_count() or 1) - 1), "encoder")
