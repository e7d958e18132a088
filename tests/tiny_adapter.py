"""An adapter of a few numbers for the tiny encoder: random, repeatable."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from tasks.models import ADAPTER, Adapter
from tasks.store import hash_file


def write_tiny_adapter(folder: Path, base: Path, scale: float = 1.0, seed: int = 1) -> Path:
    """Write factors of rank 2 for one weight of the model in ``base`` to ``folder``."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(seed)
    key = "encoder.layer.0.attention.self.query"
    factors = {
        f"{key}.lora_A": rng.normal(size=(2, 32)).astype(np.float32),
        f"{key}.lora_B": rng.normal(size=(32, 2)).astype(np.float32),
    }
    save_file(factors, folder / ADAPTER)
    Adapter(str(base), hash_file(base / "model.safetensors"), scale).write(folder)
    return folder
