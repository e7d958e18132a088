"""The encoders of a configuration, loaded once, at first use."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

from citegrain.tasks.offline.embed.config import EmbedConfig
from citegrain.tasks.offline.models import (
    Encoder,
    EncoderSettings,
    ModelError,
    ModelFiles,
    TwoEncoders,
    find_model,
)


@lru_cache(maxsize=2)
def _load(files: ModelFiles, settings: EncoderSettings) -> Encoder:
    return Encoder(files, settings)


def encoder_of(config: EmbedConfig, weights: str, query_weights: str, models: Path) -> Encoder | TwoEncoders:
    """What encodes passages and queries: two models where a separate reader reads the queries.

    Parameters
    ----------
    weights, query_weights
        SHA-256 that the two must have.
    models
        Folder for unpacked model weights.

    Raises
    ------
    ModelError
        If weights are missing or have another digest; of two models, when each is first used.
    """

    def _checked(name: str, sha256: str, expected: str) -> ModelFiles:
        files = find_model(name, models, sha256)
        if expected not in ("", files.sha256):
            raise ModelError(f"{name}: not the weights of this build; run citegrain index")
        return files

    @cache
    def passages() -> Encoder:
        return _load(_checked(config.model, config.sha256, weights), config.settings())

    @cache
    def queries() -> Encoder:
        return _load(_checked(config.query_model, config.query_sha256, query_weights), config.settings())

    return TwoEncoders(passages, queries) if config.query_model else passages()
