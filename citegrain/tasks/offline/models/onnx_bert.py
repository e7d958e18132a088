"""BERT (Devlin et al. 2019) by ONNX Runtime, for the few texts of a question: importing torch takes a second.

It reads the same safetensors as the network in torch and computes in float32; what it gives agrees with that
to the last bits. Texts are not padded.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from citegrain.tasks.offline.models.adapters import CONFIG, WEIGHTS, ModelError
from citegrain.tasks.offline.models.onnx_graph import INPUTS, bert_graph
from citegrain.tasks.offline.models.weights import read_json

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
