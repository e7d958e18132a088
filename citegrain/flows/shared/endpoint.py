"""The endpoint of a language model, from the environment: the only place that reads it."""

from __future__ import annotations

import os

from citegrain.flows.shared.settings import Settings
from citegrain.tasks.core.endpoint import Endpoint

_NAMES = ("CITEGRAIN_LLM_BASE_URL", "CITEGRAIN_LLM_MODEL", "CITEGRAIN_LLM_KEY")


def endpoint(setting: str, chosen: bool) -> Endpoint | None:
    """The endpoint that a setting such as ``generate=llm`` asks for; None where it is not chosen.

    Raises
    ------
    EndpointError
        If a model is to be asked and its address, name or key is missing.
    """
    url, model, key = (os.environ.get(name, "") for name in _NAMES)
    return Endpoint(url, model, key, setting) if chosen else None


def online_endpoint(settings: Settings) -> Endpoint | None:
    """The endpoint for routing, rewriting, searching and answering questions; None where no model does."""
    setting = settings.cascade.asking
    return endpoint(setting, bool(setting))
