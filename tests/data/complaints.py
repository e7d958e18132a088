"""The complaints benchmark as its files hold it."""

from __future__ import annotations

from citegrain.tasks.evaluation.benchmark import SPLITS, Record, load_benchmark, read_passes, read_settled
from citegrain.tasks.offline.corpus import load_registry
from tests.conftest import ROOT

FOLDER = ROOT / "data" / "benchmarks" / "complaints"
ACTS = load_registry(ROOT / "data" / "registry.yaml").acts
CARD = (FOLDER / "README.md").read_text(encoding="utf-8")
RECORDS: dict[str, tuple[Record, ...]] = {
    split: load_benchmark(FOLDER / f"{split}.jsonl", split, split).records for split in SPLITS
}
ALL = [record for split in SPLITS for record in RECORDS[split]]
PASSES = read_passes(FOLDER)
SETTLED = read_settled(FOLDER, PASSES)
REPLACED = {a for a, e in ACTS.items() if e.replaced_by} | {
    e.replaced_by for e in ACTS.values() if e.replaced_by
}
"""Acts that were replaced by another of the registry, and those that replaced one."""


def date_decides(record: Record) -> bool:
    """Whether another Act would apply on another day."""
    return record.dated and any(citation.act in REPLACED for citation in record.applicable)


def card_row(begins: str) -> list[str]:
    """Cells of the row of the card that begins so."""
    row = next(line for line in CARD.splitlines() if line.startswith(f"| {begins}"))
    return [cell.strip() for cell in row.strip("|").split("|")][1:]
