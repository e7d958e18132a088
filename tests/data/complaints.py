"""The complaints benchmark as its files hold it."""

from __future__ import annotations

from citegrain.tasks.evaluation.benchmark import Record
from citegrain.tasks.offline.corpus import load_registry
from tests.conftest import ROOT
from tests.data.labelled import Labelled

ACTS = load_registry(ROOT / "data" / "registry.yaml").acts
COMPLAINTS = Labelled("complaints")
REPLACED = {a for a, e in ACTS.items() if e.replaced_by} | {
    e.replaced_by for e in ACTS.values() if e.replaced_by
}
"""Acts that were replaced by another of the registry, and those that replaced one."""


def date_decides(record: Record) -> bool:
    """Whether another Act would apply on another day."""
    return record.dated and any(citation.act in REPLACED for citation in record.applicable)
