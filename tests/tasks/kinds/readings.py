"""A document of a test as the stages read it: parsed, identified and structured."""

from __future__ import annotations

import hashlib
from typing import Any

from citegrain.tasks.core.stage import Tables
from citegrain.tasks.kinds.judgments.structure import structure_judgment
from citegrain.tasks.offline.corpus import ActIdentity, Registry, identify
from citegrain.tasks.offline.parse import ParseConfig, parse_document
from citegrain.tasks.offline.structure import act_spans, structure_document


def parsed(data: bytes) -> Tables:
    return parse_document(data, hashlib.sha256(data).hexdigest(), ParseConfig(ocr="off"))


def identified(tables: Tables, registry: Registry | None = None, name: str = "x.pdf") -> list[ActIdentity]:
    acts = identify(tables["documents"].to_pylist()[0], registry or Registry(), name)
    assert isinstance(acts, list), name
    return acts


def structured(
    data: bytes, registry: Registry | None = None, name: str = "x.pdf", **more: Any
) -> tuple[list[ActIdentity], Tables]:
    """What Acts, or with their ``reader`` rules, are, and their structure."""
    tables = parsed(data)
    acts = identified(tables, registry, name)
    read = tables["documents"], tables["lines"], act_spans(acts)
    return acts, structure_document(*read, **more)


def of_judgment(tables: Tables, registry: Registry | None = None, name: str = "x.pdf") -> Tables:
    """The structure of a judgment, from what was parsed."""
    (span,) = act_spans(identified(tables, registry, name))
    return structure_judgment(tables["documents"], tables["lines"], tables["judgments"], span)
