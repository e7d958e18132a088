"""Rewrites of the guide to LegalBench-RAG, by rules and by a model; ``online.rewrite`` finds them by name."""

from collections.abc import Mapping
from types import MappingProxyType

from citegrain.tasks.online.rewrite import Request, Rule
from citegrain.tasks.published.rewrite.asking import REQUESTS
from citegrain.tasks.published.rewrite.rules import RULES, sentences

REWRITES: Mapping[str, Request | Rule] = MappingProxyType({**RULES, **REQUESTS})
"""By name."""
