"""Sentence encoders: texts to L2-normalised vectors (Reimers and Gurevych 2019; Eq. 3.1 of the thesis)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import takewhile
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from citegrain.tasks.core.store.files import hash_file
from citegrain.tasks.core.words import LETTERS
from citegrain.tasks.offline.models.adapters import CONFIG, ModelError
from citegrain.tasks.offline.models.networks import Bert, ColbertModel, Mpnet, SentenceModel, plain_kind
from citegrain.tasks.offline.models.onnx_bert import SETTINGS, OnnxBert, begun
from citegrain.tasks.offline.models.weights import ModelFiles, read_json

_SYLLABLE = re.compile(f"[{LETTERS}]{{2}}")

Matrix = npt.NDArray[np.float32]
TokenMatrix = npt.NDArray[np.float16]
PRECISIONS = ("auto", "fp32", "bf16")
_PLAIN: dict[str, type[Bert]] = {"bert": Bert, "mpnet": Mpnet}
_BF16 = ("avx512_bf16", "amx_bf16", "bf16")  # of x86 and of ARM
FEW = 8
"""Queries at a time that a BERT encodes without torch, in float32; for more torch is worth importing."""
_AHEAD = 64  # queries that are encoded before they are asked for
_SPREAD = 2.0  # queries padded to more than this many times their length are encoded apart


class Tokenizer:
    """Word pieces of a model, without its special tokens.

    ``sha256`` is the digest of ``tokenizer.json``: it belongs in the key of whatever counts tokens. ``added``
    is the number of special tokens that the encoder adds to a text.
    """

    def __init__(self, files: ModelFiles) -> None:
        from tokenizers import Tokenizer as Fast

        path = files.folder / "tokenizer.json"
        if not path.is_file():
            raise ModelError(f"{files.name}: no tokenizer.json in it")
        self.sha256 = hash_file(path)
        self._fast = Fast.from_file(str(path))
        self._fast.no_truncation()
        self._fast.no_padding()
        self.added = self._fast.num_special_tokens_to_add(is_pair=False)

    @cached_property
    def reads_devanagari(self) -> bool:
        """Whether it knows syllables of Devanagari; a vocabulary of English has its letters at most."""
        return any(_SYLLABLE.search(token) for token in self._fast.get_vocab())

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Character span of each token of ``text``."""
        return list(self._fast.encode(text, add_special_tokens=False).offsets)


@dataclass(frozen=True)
class EncoderSettings:
    """How a model is run.

    ``precision``: ``fp32``, ``bf16``, or ``auto``, which is one of both (:func:`in_bf16`). ``max_tokens``:
    longest input, special tokens included; 0 for the limit of the model. ``batch_size``: texts a forward
    pass. It changes the result in the last bits only. ``query_prefix``, ``passage_prefix``: put before
    queries and passages, for models trained with them.
    """

    precision: str = "auto"
    max_tokens: int = 0
    batch_size: int = 32
    query_prefix: str = ""
    passage_prefix: str = ""

    def __post_init__(self) -> None:
        if self.precision not in PRECISIONS:
            raise ValueError(f"precision {self.precision}: one of {', '.join(PRECISIONS)}")
        if self.batch_size < 1 or self.max_tokens < 0:
            raise ValueError("batch_size must be positive and max_tokens not negative")


def in_bf16(precision: str) -> bool:
    """Whether torch computes in bf16: asked for, or by ``auto`` where the processor has instructions for it.

    Without them a product in bf16 takes several times as long as in fp32 (docs/results.md).
    """
    import torch

    able = torch.cpu.get_capabilities()
    return precision == "bf16" or (precision == "auto" and any(able.get(name) for name in _BF16))


class Encoder:
    """A loaded encoder.

    ``files``: model files whose digest has been checked. ``threads``: threads of the forward pass; 0 leaves
    the library's choice.
    """

    def __init__(self, files: ModelFiles, settings: EncoderSettings, threads: int = 0) -> None:
        self.files = files
        self.settings = settings
        self._threads = threads
        self._kind = plain_kind(files.folder)
        limit = int(read_json(files.folder / SETTINGS).get("max_seq_length") or 0)
        if not limit and self._kind:
            limit = int(read_json(files.folder / CONFIG)["max_position_embeddings"])
        limit = limit or self._network.limit
        self.max_tokens = min(limit, settings.max_tokens) if settings.max_tokens else limit
        self.dimension = files.dimension
        self._tokenizing = Lock()
        self._last: tuple[str, Callable[[], list[TokenMatrix]]] | None = None  # a query encoded by itself
        self._ahead: dict[str, Future[Matrix]] = {}
        self._pieces: dict[str, int] = {}  # how many word pieces the last queries had that were read whole

    @cached_property
    def _network(self) -> Any:
        """The network in torch."""
        import torch

        if self._threads:
            torch.set_num_threads(self._threads)
        plain = _PLAIN.get(self._kind)
        other = ColbertModel if self.files.is_colbert else SentenceModel
        network = plain(self.files.folder) if plain else other(self.files)
        if in_bf16(self.settings.precision):
            network.to(torch.bfloat16)
        return network

    @cached_property
    def _without_torch(self) -> OnnxBert:
        return OnnxBert(self.files.folder, self._threads)

    def encode(
        self, texts: Sequence[str], *, query: bool = False, progress: Callable[[int], None] = lambda n: None
    ) -> Matrix:
        """Vectors of ``texts``.

        Texts are sorted by length, longest first, so that batches carry little padding.

        ``texts``: what to encode; the prefix of the settings is put before each. Returns float32, shape
        (len(texts), dimension), each row of length 1 (0 for an empty text's row).
        """
        if query and len(texts) == 1 and (ahead := self._ahead.pop(texts[0], None)) and not ahead.cancel():
            return ahead.result()
        return self._encode(texts, query, progress)

    def _encode(
        self, texts: Sequence[str], query: bool = True, progress: Callable[[int], None] = lambda n: None
    ) -> Matrix:
        prefix = self.settings.query_prefix if query else self.settings.passage_prefix
        out = np.zeros((len(texts), self.dimension), dtype=np.float32)
        few = query and len(texts) <= FEW and self._needs_no_torch
        network: Any = self._without_torch if few else self._network
        # a complaint and the few words searched besides it would cost twice if padded to one length
        spread = _SPREAD if query and not few else math.inf
        batches = self._batches(network, [prefix + t for t in texts], spread)
        left_out = prefix and getattr(network, "skips_prompt", False)
        length = {"prompt_length": network.prompt_length(prefix)} if left_out else {}
        for number, (indices, features) in enumerate(batches):
            vectors, hidden = _pooled(network, features | length)
            out[indices] = vectors
            if few and not prefix:
                counts = zip(indices, features["attention_mask"].sum(axis=1).tolist(), strict=True)
                uncut = [(texts[i], n - self.tokenizer.added) for i, n in counts if n < self.max_tokens]
                self._pieces = dict([*self._pieces.items(), *uncut][-_AHEAD:])
            if query and number == 0 and (few or len(indices) == 1):
                self._last = texts[indices[0]], partial(_normalised_tokens, hidden, network.special, features)
            progress(len(indices))
        return out

    def encode_ahead(self, text: str) -> None:
        """Begin to encode a query, in a thread that is idle: who encodes it alone finds its vector."""
        if not self._needs_no_torch or text in self._ahead:
            return
        while len(self._ahead) >= _AHEAD:  # nobody came for it
            self._ahead.pop(next(iter(self._ahead)), None)
        self._ahead[text] = begun(lambda: self._encode([text]))

    @property
    def _needs_no_torch(self) -> bool:
        return self._kind == "bert" and self.settings.precision != "bf16"

    def token_vectors(
        self, texts: Sequence[str], *, query: bool = False, progress: Callable[[int], None] = lambda n: None
    ) -> list[TokenMatrix]:
        """One matrix a text: the normalised vector of each of its tokens (special ones left out).

        float16, shape (tokens, dimension), for late interaction (Khattab and Zaharia 2020). The query encoded
        last is not encoded again if it filled a batch by itself.
        """
        if query and len(texts) == 1 and self._last is not None and self._last[0] == texts[0]:
            return self._last[1]()[:1]
        prefix = self.settings.query_prefix if query else self.settings.passage_prefix
        out: list[TokenMatrix] = [np.zeros((0, self.dimension), np.float16)] * len(texts)
        for indices, features in self._batches(self._network, [prefix + t for t in texts]):
            matrices = _normalised_tokens(self._hidden(features), self._network.special, features)
            for index, matrix in zip(indices, matrices, strict=True):
                out[index] = matrix
            progress(len(indices))
        return out

    def span_vectors(self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]]) -> list[Matrix]:
        """Vectors of parts of passages: of each the mean of its tokens as they read in the whole text.

        ``spans``: of each text, where its parts begin and end, in characters. Returns one matrix a text,
        shape (parts, dimension), each row of length 1.
        """
        prefix = self.settings.passage_prefix
        out: list[Matrix] = [np.zeros((0, self.dimension), np.float32)] * len(texts)
        for indices, features in self._batches(self._network, [prefix + t for t in texts]):
            hidden, ids = self._hidden(features), features["input_ids"].numpy()
            for row, index in enumerate(indices):
                special = [int(token) in self._network.special for token in ids[row]]
                leading = special.index(False) if False in special else 0
                ends = np.array(self.tokenizer.offsets(prefix + texts[index])) - len(prefix)
                length = min(len(ends), self.max_tokens - self.tokenizer.added)
                tokens = hidden[row, leading : leading + length]
                out[index] = _means(tokens, ends[: len(tokens)], spans[index])
        return out

    def encoded_part(self, text: str) -> str:
        """The beginning of a query's text that fits into ``max_tokens``."""
        prefix = self.settings.query_prefix
        if len(prefix + text) < self.max_tokens - 2 or text in self._pieces:  # a token has a character
            return text
        spans = self._offsets(prefix + text)[: self.max_tokens - self.tokenizer.added]
        return text[: max(0, spans[-1][1] - len(prefix))] if spans else ""

    def pieces(self, text: str) -> int:
        """How many word pieces a text has, special tokens left out."""
        return self._pieces.get(text) or len(self._offsets(text))

    @property
    def reads_devanagari(self) -> bool:
        """As of its tokenizer."""
        return self.tokenizer.reads_devanagari

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """That of its model."""
        return Tokenizer(self.files)

    @cached_property
    def _offsets(self) -> Callable[[str], list[tuple[int, int]]]:
        """Of the tokenizer; each of the questions that are answered at once is asked for them twice."""
        return lru_cache(maxsize=64)(self.tokenizer.offsets)

    def _batches(
        self, network: Any, texts: Sequence[str], spread: float = math.inf
    ) -> Iterator[tuple[list[int], dict[str, Any]]]:
        """Indices and features of each batch, longest texts first; tokenized when it is reached.

        ``spread``: how many times as long as its shortest text the longest of a batch may be.
        """
        order = sorted(range(len(texts)), key=lambda i: (-len(texts[i]), texts[i]))
        at = 0
        while at < len(order):
            least = len(texts[order[at]]) / spread
            ordered = order[at : at + self.settings.batch_size]
            indices = list(takewhile(lambda i, least=least: len(texts[i]) >= least, ordered))  # type: ignore[misc]
            at += len(indices)
            with self._tokenizing:  # a tokenizer is set to a length, and then reads
                features = network.features([texts[i] for i in indices], self.max_tokens)
            yield indices, features

    def _hidden(self, features: dict[str, Any]) -> Matrix:
        """Token vectors before pooling: float32, shape (batch, tokens, dimension)."""
        from torch import inference_mode

        with inference_mode():
            return np.asarray(self._network.hidden(features).float().numpy(), dtype=np.float32)


def _pooled(network: Any, features: dict[str, Any]) -> tuple[Matrix, Matrix]:
    """Sentence vectors by the model's own pooling, normalised, and the token vectors before pooling."""
    if isinstance(network, OnnxBert):
        vectors, tokens = network.pooled(features)
    else:
        from torch import inference_mode

        with inference_mode():
            vectors, tokens = (part.float().numpy() for part in network.pooled(features))
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(norms, 1e-12), dtype=np.float32), tokens


def _normalised_tokens(
    hidden: Matrix, special: Collection[int], features: Mapping[str, Any]
) -> list[TokenMatrix]:
    """Token vectors of each text of a batch, normalised, special tokens and padding left out."""
    hidden = hidden / np.maximum(np.linalg.norm(hidden, axis=2, keepdims=True), 1e-12)
    ids = np.asarray(features["input_ids"])
    positions = [[k for k, token in enumerate(row) if int(token) not in special] for row in ids]
    return [hidden[row, keep].astype(np.float16) for row, keep in enumerate(positions)]


def _means(tokens: Matrix, offsets: npt.NDArray[np.int64], spans: Sequence[tuple[int, int]]) -> Matrix:
    """The mean of the tokens that stand in each span, of length 1: shape (spans, dimension)."""
    inside = [(offsets[:, 0] < end) & (offsets[:, 1] > begin) for begin, end in spans]
    means = np.array([tokens[mask].mean(axis=0) if mask.any() else tokens[0] * 0 for mask in inside])
    return np.asarray(means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-12), np.float32)


class TwoEncoders:
    """Passages read by one model and queries by another that was trained towards its vectors.

    Each is loaded when it is first needed: a question needs only the second. The methods are those of
    :class:`Encoder`.
    """

    def __init__(self, passages: Callable[[], Encoder], queries: Callable[[], Encoder]) -> None:
        self._passages = passages
        self._queries = queries

    def encode(
        self, texts: Sequence[str], *, query: bool = False, progress: Callable[[int], None] = lambda n: None
    ) -> Matrix:
        return self._encoder(query).encode(texts, query=query, progress=progress)

    def token_vectors(
        self, texts: Sequence[str], *, query: bool = False, progress: Callable[[int], None] = lambda n: None
    ) -> list[TokenMatrix]:
        return self._encoder(query).token_vectors(texts, query=query, progress=progress)

    def span_vectors(self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]]) -> list[Matrix]:
        return self._passages().span_vectors(texts, spans)

    def __getattr__(self, name: str) -> Any:
        """What else an encoder can is asked of queries."""
        return getattr(self._queries(), name)

    def _encoder(self, query: bool) -> Encoder:
        return self._queries() if query else self._passages()
