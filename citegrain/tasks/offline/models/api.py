"""An encoder behind an API, in the place of one whose weights are on disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NoReturn

import numpy as np

from citegrain.tasks.core.endpoint import Endpoint, VendorConfig, embed_texts
from citegrain.tasks.core.stage import digest
from citegrain.tasks.offline.models.adapters import ModelError
from citegrain.tasks.offline.models.encoder import Encoder, EncoderSettings, Matrix
from citegrain.tasks.offline.models.weights import ModelFiles, find_model

_UNIT = 1e-5  # a vector whose length is 1 within this is left as it came


@dataclass(frozen=True, kw_only=True)
class ApiConfig(VendorConfig):
    """Which vendor encodes, and how.

    ``dimension``: length of the vectors. ``shortened``: whether the vendor is told so: for models that give
    vectors of several lengths. ``tokenizer``: model whose word pieces count tokens, for chunks and for what
    is too long: the vendor's count differs.
    """

    group: ClassVar[str] = "embed.api"

    dimension: int = 0
    shortened: bool = False
    tokenizer: str = "sentence-transformers/all-MiniLM-L6-v2"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.vendor and self.dimension < 1:
            raise ValueError("embed.api.dimension is missing: add the length of the model's vectors")


@dataclass(frozen=True)
class ApiModel(ModelFiles):
    """A model behind an API: its folder has the tokenizer alone, its digest is of name and vendor."""

    length: int = 0

    @property
    def dimension(self) -> int:
        """Length of its vectors."""
        return self.length


def api_model(name: str, config: ApiConfig, cache: Path) -> ApiModel:
    """A vendor's model, with the tokenizer that counts for it.

    Raises ModelError if that is missing. ``cache``: as of :func:`find_model`.
    """
    identity = digest(["api", config.vendor, name, config.dimension, config.shortened])
    return ApiModel(name, find_model(config.tokenizer, cache).folder, identity, config.dimension)


class ApiEncoder(Encoder):
    """Vectors from a vendor. Token vectors, and with them late chunking, are not to be had there."""

    def __init__(
        self, model: ApiModel, settings: EncoderSettings, config: ApiConfig, endpoint: Endpoint
    ) -> None:
        self.files, self.settings = model, settings
        self.max_tokens, self.dimension = settings.max_tokens, model.dimension
        self._config, self._endpoint = config, endpoint
        self._pieces = {}  # the API tells none

    def encode_ahead(self, text: str) -> None:
        """Nothing: what is asked of a vendor is paid for."""

    def encode(
        self, texts: Sequence[str], *, query: bool = False, progress: Callable[[int], None] = lambda n: None
    ) -> Matrix:
        """As :meth:`Encoder.encode`. Raises EndpointError where the vendor gives none."""
        prefix = self.settings.query_prefix if query else self.settings.passage_prefix
        vectors = embed_texts(
            [prefix + text for text in texts],
            self._endpoint,
            self._config,
            query=query,
            dimension=self.dimension,
            shortened=self._config.shortened,
            size=self.settings.batch_size,
            progress=progress,
        )
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit = vectors / np.maximum(norms, 1e-12)
        return np.asarray(np.where(np.abs(norms - 1) < _UNIT, vectors, unit), dtype=np.float32)

    def token_vectors(self, *args: Any, **more: Any) -> NoReturn:
        """There are none. Raises ModelError."""
        raise ModelError(f"{self.files.name}: an encoder behind an API gives no vectors of tokens")

    span_vectors = token_vectors
