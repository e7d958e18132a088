"""The graph of a BERT in the format of ONNX, its weights left in the safetensors where they lie.

What is written is the little of the format (Protocol Buffers, ``onnx.proto3``) that this graph needs. Fused
operations are those of ONNX Runtime (domain ``com.microsoft``).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

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
