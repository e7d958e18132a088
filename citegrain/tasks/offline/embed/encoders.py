"""The encoders of a configuration, loaded at first use and once for all that ask."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

from citegrain.tasks.offline.embed.config import EmbedConfig
from citegrain.tasks.offline.models import (
    Encoder,
    EncoderSettings,
    ModelError,
    ModelFiles,
    TextEncoder,
    TwoEncoders,
    find_model,
)


@lru_cache(maxsize=2)
def _load(files: ModelFiles, settings: EncoderSettings) -> Encoder:
    return Encoder(files, settings)


def encoder_of(config: EmbedConfig, weights: str, query_weights: str, models: Path) -> TextEncoder:
    """What passages and queries are encoded with; where a reader of its own reads queries, two models.

    Parameters
    ----------
    weights, query_weights
        SHA-256 that the two must have.
    models
        Folder for unpacked model weights.

    Raises
    ------
    ModelError
        If weights are not to be had or have another digest; of two models, when each is first used.
    """

    @cache
    def passages() -> Encoder:
        return _load(find_model(config.model, models, weights), config.settings())

    @cache
    def queries() -> Encoder:
        files = find_model(config.query_model, models, config.query_sha256)
        if files.sha256 != query_weights:
            raise ModelError(f"{config.query_model}: not the weights this build was made with; index again")
        return _load(files, config.settings())

    return TwoEncoders(passages, queries) if config.query_model else passages()
