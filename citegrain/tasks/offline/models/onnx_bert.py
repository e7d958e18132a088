"""BERT (Devlin et al. 2019) by ONNX Runtime, for the few texts of a question: importing torch takes a second.

It reads the same safetensors as the network in torch and computes in float32; what it gives agrees with that
to the last bits. Texts are not padded.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from citegrain.tasks.offline.models.adapters import CONFIG, WEIGHTS, ModelError
from citegrain.tasks.offline.models.weights import read_json

INPUTS = "input_ids", "token_type_ids", "positions"
"""Inputs of the graph: int64, shape (tokens,); its one output has shape (tokens, dimension)."""

Weights = Mapping[str, tuple[str, Sequence[int], int, int]]
"""Type, shape, first byte and the byte after the last of each tensor of a file in safetensors."""

_FUSED, _HIDDEN = "com.microsoft", "hidden"
_IR_VERSION, _OPSET, _OPSET_FUSED = 8, 17, 1
_FLOAT, _INT64 = 1, 7
_TYPES = {"F32": _FLOAT, "F16": 10, "BF16": 16}
_ELSEWHERE = 1  # where the bytes of a tensor lie
_OF_FLOAT, _OF_INTEGER = 1, 2  # types of an attribute


def bert_graph(config: Mapping[str, Any], weights: Weights, file: str) -> bytes:
    """The graph of a model by its ``config.json``, and what the file of its weights holds."""
    epsilon = float(config.get("layer_norm_eps", 1e-12))
    halves = (name for name, (kind, *_) in weights.items() if kind in _TYPES and kind != "F32")
    nodes = [_node("Cast", [_stored(name)], name, to=_FLOAT) for name in halves]
    nodes += _embedded(epsilon)
    layers = int(config["num_hidden_layers"])
    for number in range(layers):
        nodes += _layer(number, int(config["num_attention_heads"]), epsilon)
    graph = b"".join(_field(1, node) for node in nodes) + _field(2, "bert")
    for name, (kind, shape, start, end) in weights.items():
        if kind in _TYPES:
            stored = name if kind == "F32" else _stored(name)
            graph += _field(5, _tensor(stored, _TYPES[kind], shape, file, start, end))
    graph += _field(5, _field(1, 1) + _field(2, _INT64) + _field(8, "axis") + _field(9, struct.pack("<q", 0)))
    graph += b"".join(_field(11, _value(name, _INT64, ("tokens",))) for name in INPUTS)
    graph += _field(12, _value(f"{_HIDDEN}{layers}", _FLOAT, ("tokens", int(config["hidden_size"]))))
    opsets = (("", _OPSET), (_FUSED, _OPSET_FUSED))
    versions = b"".join(_field(8, _field(1, domain) + _field(2, version)) for domain, version in opsets)
    return _field(1, _IR_VERSION) + _field(7, graph) + versions


def _embedded(epsilon: float) -> list[bytes]:
    tables = [f"embeddings.{name}_embeddings.weight" for name in ("word", "token_type", "position")]
    norm = [f"embeddings.LayerNorm.{part}" for part in ("weight", "bias")]
    return [
        *(
            _node("Gather", [table, ids], f"{ids} embedded")
            for table, ids in zip(tables, INPUTS, strict=True)
        ),
        _node("Add", [f"{ids} embedded" for ids in INPUTS[:2]], "added"),
        _node("Add", ["added", f"{INPUTS[2]} embedded"], "embedded"),
        _node("LayerNormalization", ["embedded", *norm], f"{_HIDDEN}0", epsilon=epsilon),
    ]


def _layer(number: int, heads: int, epsilon: float) -> list[bytes]:
    """Nodes of a layer: the first read ``hidden`` of its number, the last writes that of the next."""
    name = f"encoder.layer.{number}."
    hidden, after = f"{_HIDDEN}{number}", f"{_HIDDEN}{number + 1}"
    parts = [f"{name}attention.self.{part}" for part in ("query", "key", "value")]
    nodes = [_node("Concat", [f"{part}.bias" for part in parts], f"{name}biases", axis=0)]
    for part in parts:  # attention has texts, of which there is one here
        nodes += [_linear(hidden, part), _node("Unsqueeze", [f"{part} out", "axis"], f"{part} of text")]
    of_texts = [f"{part} of text" for part in parts]
    return [
        *nodes,
        _node("MultiHeadAttention", [*of_texts, f"{name}biases"], f"{name}texts", _FUSED, num_heads=heads),
        _node("Squeeze", [f"{name}texts", "axis"], f"{name}mixed"),
        *_added(f"{name}mixed", hidden, f"{name}attention.output.", f"{name}read", epsilon),
        _linear(f"{name}read", f"{name}intermediate.dense"),
        _node(
            "BiasGelu",
            [f"{name}intermediate.dense out", f"{name}intermediate.dense.bias"],
            f"{name}wide",
            _FUSED,
        ),
        *_added(f"{name}wide", f"{name}read", f"{name}output.", after, epsilon),
    ]


def _added(reads: str, before: str, name: str, out: str, epsilon: float) -> list[bytes]:
    """A product whose result is added to what was before, and normalised."""
    norm = [f"{name}LayerNorm.{part}" for part in ("weight", "bias")]
    return [  # the operation that does both takes as long as nine additions
        _node("Gemm", [reads, f"{name}dense.weight", f"{name}dense.bias"], f"{name}dense out", transB=1),
        _node("Add", [f"{name}dense out", before], f"{name}sum"),
        _node("LayerNormalization", [f"{name}sum", *norm], out, epsilon=epsilon),
    ]


def _linear(reads: str, name: str) -> bytes:
    return _node("Gemm", [reads, f"{name}.weight"], f"{name} out", transB=1)


def _stored(name: str) -> str:
    return f"{name} as stored"


def _node(kind: str, reads: Sequence[str], out: str, domain: str = "", **attributes: float) -> bytes:
    node = b"".join(_field(1, name) for name in reads) + _field(2, out) + _field(4, kind)
    for name, value in attributes.items():
        typed = _field(3, value) + _field(20, _OF_INTEGER)
        if isinstance(value, float):
            typed = _field(2, value) + _field(20, _OF_FLOAT)
        node += _field(5, _field(1, name) + typed)
    return node + _field(7, domain)


def _tensor(name: str, kind: int, shape: Sequence[int], file: str, start: int, end: int) -> bytes:
    places = {"location": file, "offset": start, "length": end - start}
    lies = b"".join(_field(13, _field(1, key) + _field(2, str(value))) for key, value in places.items())
    sizes = b"".join(_field(1, size) for size in shape)
    return sizes + _field(2, kind) + _field(8, name) + lies + _field(14, _ELSEWHERE)


def _value(name: str, kind: int, shape: Sequence[int | str]) -> bytes:
    sizes = b"".join(_field(1, _field(2 if isinstance(size, str) else 1, size)) for size in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, sizes)))


def _field(number: int, value: float | str | bytes) -> bytes:
    """A field of a message: an integer, a float, or bytes with their length."""
    if isinstance(value, int):
        return _integer(number << 3) + _integer(value)
    if isinstance(value, float):
        return _integer(number << 3 | 5) + struct.pack("<f", value)
    content = value.encode() if isinstance(value, str) else value
    return _integer(number << 3 | 2) + _integer(len(content)) + content


def _integer(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


Matrix = npt.NDArray[np.float32]
T = TypeVar("T")
R = TypeVar("R")
TOKENIZER = "tokenizer.json"
MODULES = "modules.json"
SETTINGS = "sentence_bert_config.json"
POOLINGS = [["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]]
_COLUMNS = {"input_ids": "ids", "token_type_ids": "type_ids", "attention_mask": "attention_mask"}
_ERRORS = 3  # of ONNX Runtime: what is less is not said
_WEIGHTS_FOLDER = "session.model_external_initializers_file_folder_path"


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

    def features(self, texts: Sequence[str | tuple[str, str]], longest: int) -> dict[str, Any]:
        """Token ids, segments and mask of texts, or of pairs, padded: int64, (texts, tokens)."""
        self._tokenizer.enable_truncation(longest)
        self._tokenizer.enable_padding(pad_id=int(self._config.get("pad_token_id") or 0))
        encoded = self._tokenizer.encode_batch(list(texts))
        return {name: np.array([getattr(e, field) for e in encoded]) for name, field in _COLUMNS.items()}


class OnnxBert(BertFiles):
    """A loaded model whose vector is the mean of its tokens'.

    Each text goes through the layers by itself: its bits depend neither on others nor on threads.
    """

    def __init__(self, folder: Path, threads: int = 0) -> None:
        super().__init__(folder)
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = _ERRORS
        options.intra_op_num_threads = threads or os.cpu_count() or 1
        # a thread that waits for its part in a loop takes the time of whoever has work
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        path = (folder / WEIGHTS).resolve()
        options.add_session_config_entry(_WEIGHTS_FOLDER, str(path.parent))
        graph = bert_graph(self._config, self._weights, path.name)
        try:
            self._session = onnxruntime.InferenceSession(graph, options, ["CPUExecutionProvider"])
        except Exception as error:  # its errors have no class in common
            raise ModelError(f"{folder}: cannot be loaded: {error}") from error

    def _load(self, path: Path) -> dict[str, Any]:
        """Type, shape and place in the file of each of the weights, which are read where they lie."""
        from safetensors import safe_open

        with safe_open(path, "np"), path.open("rb") as file:  # it checks that what is described is there
            size = int.from_bytes(file.read(8), "little")
            described: dict[str, Any] = json.loads(file.read(size))
        start = 8 + size
        return {
            name: (row["dtype"], row["shape"], *(start + place for place in row["data_offsets"]))
            for name, row in described.items()
            if name != "__metadata__"
        }

    def pooled(self, features: Mapping[str, npt.NDArray[np.int64]]) -> tuple[Matrix, Matrix]:
        """The mean of the token vectors of each text, normalised where the model does so, and the former.

        Returns float32, shape (texts, dimension) and (texts, tokens, dimension); padding has zeros.
        """
        mask = features["attention_mask"].astype(bool)
        hidden = np.zeros((*mask.shape, self.dimension), np.float32)
        for text, tokens in enumerate(mask):
            places = np.flatnonzero(tokens)
            inputs = features["input_ids"][text, places], features["token_type_ids"][text, places], places
            hidden[text, places] = self._session.run(None, dict(zip(INPUTS, inputs, strict=True)))[0]
        mean = hidden.sum(axis=1) / mask.sum(axis=1, keepdims=True, dtype=np.float32)
        if self._normalise:
            mean /= np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-12)
        return mean, hidden


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


def begun(work: Callable[[], R]) -> Future[R]:
    """A work that is done when a thread is idle; who needs it first may cancel and do it."""
    return _others().submit(work)


@cache
def _others() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max(1, (os.cpu_count() or 1) - 1), "parts")
