"""What the trainings of the tests share."""

from __future__ import annotations

from citegrain.tasks.train.config import TrainConfig

TINY = TrainConfig(
    name="tiny", batch=4, learning_rate=3e-3, rank=32, max_tokens=32, precision="fp32", checks=1
)
"""A training of seconds."""
