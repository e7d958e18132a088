"""An adapter of a few numbers for the tiny encoder: random, repeatable."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from citegrain.tasks.core.store import hash_file
from citegrain.tasks.offline.models import ADAPTER, DOWN, FULL, UP, WEIGHTS, Adapter

QUERY = "encoder.layer.0.attention.self.query.weight"
NORM = "encoder.layer.0.output.LayerNorm.bias"


def write_tiny_adapter(folder: Path, base: Path, scale: float = 1.0, seed: int = 1) -> Path:
    """Write what is added to one matrix, of rank 2, and to one vector of the model in ``base``."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(seed)
    added = {
        f"{QUERY}{UP}": scale * rng.normal(size=(32, 2)).astype(np.float32),
        f"{QUERY}{DOWN}": rng.normal(size=(2, 32)).astype(np.float32),
        f"{NORM}{FULL}": scale * rng.normal(size=32).astype(np.float16),
    }
    save_file(added, folder / ADAPTER)
    Adapter(str(base), hash_file(base / WEIGHTS)).write(folder)
    return folder
