"""Parameters of ``embed``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from citegrain.tasks.offline.models import ApiConfig, EncoderSettings

LATE = ("", "section", "document")
_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True)
class EmbedConfig:
    """Which encoder, and how it is run.

    Attributes
    ----------
    model
        Name on the hub, ``NAME@COMMIT`` for a revision of it, or a folder.
    sha256
        Digest the weights must have; empty: that of the packaged model, or none.
    precision
        ``fp32``, ``bf16``, or ``auto``: bf16 where the processor has instructions for it,
        else fp32. Vectors of both agree (cosine .9999); ``auto`` has the vector space of bf16. Up to
        ``models.FEW`` queries at a time are in fp32 unless it is ``bf16``.
    max_tokens
        Longest input; 0 for the limit of the model.
    long
        How a text longer than the encoder reads is encoded: ``truncate`` leaves out the rest;
        ``windows`` reads it in windows, the header before each, and takes the direction half way
        between the first window's vector and the mean of all.
    late
        Late chunking: a chunk is read among those of its ``section``, or of its Act (``document``), as far as
        the encoder reads, and its vector is the mean of its own tokens. Empty: it is read alone.
    batch_size
        Texts a forward pass.
    query_prefix, passage_prefix
        For models trained with them; empty: the prompts that the model's own files name, if any.
    query_model, query_sha256
        A separate model for queries (the reader), trained towards the vectors of ``model``: name or
        folder, and the digest its weights must have. Empty: ``model`` reads both.
    query_vectors, query_vectors_sha256
        File of vectors that ship with the reader (``offline.embed.queries``), and its digest. Empty: none.
    tokens
        Whether token vectors are kept for late interaction (two bytes a number).
    also
        Further encoders by name, each with parameters as these. The build has a vector space of each, and the
        channel ``dense_NAME`` searches it.
    api
        Of an encoder behind an API: the vendor, and how it is called; ``model`` is then its name there.
    """

    model: str = "sentence-transformers/all-MiniLM-L6-v2"
    sha256: str = ""
    precision: str = "auto"
    max_tokens: int = 0
    long: str = "windows"
    late: str = ""
    batch_size: int = 32
    query_prefix: str = ""
    passage_prefix: str = ""
    query_model: str = ""
    query_sha256: str = ""
    query_vectors: str = ""
    query_vectors_sha256: str = ""
    tokens: bool = False
    also: dict[str, Any] = field(default_factory=dict)
    api: ApiConfig = field(default_factory=ApiConfig)

    def __post_init__(self) -> None:
        if isinstance(self.api, Mapping):  # of a manifest
            object.__setattr__(self, "api", ApiConfig(**self.api))
        if self.api.vendor and (self.late or self.tokens or self.query_model or self.sha256):
            raise ValueError("embed.api: late, tokens, query_model and sha256 are of weights on this machine")
        if self.api.vendor and not self.max_tokens:
            raise ValueError("embed.max_tokens is missing: add what the model behind the API reads")
        for name, values in self.also.items():
            if not _NAME.fullmatch(name) or values.get("also") or values.get("tokens"):
                raise ValueError(
                    f"embed.also.{name}: a name of small letters, without also and tokens of its own"
                )
        self.others()
        if self.long not in ("truncate", "windows"):
            raise ValueError(f"embed.long={self.long}: truncate or windows")
        if self.late not in LATE:
            raise ValueError(f"embed.late={self.late}: section, document or empty")
        self.settings()

    def others(self) -> dict[str, EmbedConfig]:
        """The further encoders.

        Raises ValueError if one has an unknown key, or a value out of range.
        """
        try:
            return {name: EmbedConfig(**values) for name, values in self.also.items()}
        except TypeError as error:
            raise ValueError(f"embed.also: {error}") from error

    def settings(self) -> EncoderSettings:
        """The part of it that the encoder reads."""
        return EncoderSettings(
            self.precision, self.max_tokens, self.batch_size, self.query_prefix, self.passage_prefix
        )
