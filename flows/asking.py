"""What asking takes from the environment."""

from __future__ import annotations

import os

from tasks.generate import Endpoint, GenerateConfig


def endpoint(config: GenerateConfig) -> Endpoint | None:
    """The endpoint of a model, from the environment; None where no model is asked.

    Raises
    ------
    EndpointError
        If a model is to be asked and its address, name or key is missing.
    """
    if config.kind != "llm":
        return None
    names = ("CITEGRAIN_LLM_BASE_URL", "CITEGRAIN_LLM_MODEL", "CITEGRAIN_LLM_KEY")
    return Endpoint(*(os.environ.get(name, "") for name in names))
