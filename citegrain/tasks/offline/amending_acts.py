"""Declaration of ``amending_acts``: what amending Acts of a corpus do to others, as instructions."""

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.core.schemas import ACTS, INSTRUCTIONS, PROVISIONS
from citegrain.tasks.core.stage import CorpusStage, Stage, Tables
from citegrain.tasks.law.amending_acts import PendingAmendments, instruction_rows
from citegrain.tasks.law.in_force import LawInForce

STAGE = Stage("amending_acts", 16, (INSTRUCTIONS,))
_READ = [
    "provision_id", "act_id", "document_id", "kind", "number", "heading", "text", "parent_id", "page_start",
]  # fmt: skip
_MAY_AMEND = (
    r"(?is)\bshall\b.{0,170}\b(?:substituted|inserted|added|omitted|deleted|numbered|lettered|amended)\b|"
    r"\bsubstitute\b"
)
_TOP = ["section", "article", "rule", "regulation", "paragraph", "schedule"]


def make_instructions(tables: Mapping[str, pa.Table], store: Path | None = None) -> Tables:
    """Instructions of the Acts of a build; nothing is kept in the store."""
    acts = [act for act in tables[ACTS.name].to_pylist() if act["language"] == "en"]
    acts.sort(key=lambda act: str(act["version_date"] or ""))
    rows = instruction_rows(acts, _candidates(tables[PROVISIONS.name]))
    days = _carried(rows, tables) if rows else {}
    return {
        INSTRUCTIONS.name: INSTRUCTIONS.rows([r | {"carried": days.get(r["provision_id"])} for r in rows])
    }


def _carried(rows: Sequence[Mapping[str, Any]], tables: Mapping[str, pa.Table]) -> dict[str, date]:
    """First day on which the law has all that a provision does to other Acts, by its id."""
    acts, provisions = tables[ACTS.name], tables[PROVISIONS.name]
    law = LawInForce(acts, provisions)
    by_edition = {(act["act_id"], act["document_id"]): act for act in acts.to_pylist()}

    def editions(provision_id: str) -> list[tuple[dict[str, Any], dict[str, Any], date]]:
        places = law.beginnings(provision_id)
        versions = provisions.take([row for row, _ in places]).to_pylist() if places else []
        return [
            (row, by_edition[row["act_id"], row["document_id"]], day)
            for row, (_, day) in zip(versions, places, strict=True)
        ]

    return PendingAmendments(rows).carried(editions)


def _candidates(provisions: pa.Table) -> list[dict[str, Any]]:
    """Rows of the documents in which some provision is worded like one that amends, in reading order."""
    text, heading = (pc.match_substring_regex(provisions.column(c), _MAY_AMEND) for c in ("text", "heading"))
    worded = pc.or_(text, heading)
    top = pc.is_in(provisions.column("kind"), pa.array(_TOP))
    documents = pc.unique(provisions.filter(pc.and_(worded, top)).column("document_id"))
    candidates = provisions.filter(pc.is_in(provisions.column("document_id"), documents))
    rows: list[dict[str, Any]] = candidates.sort_by("ordinal").select(_READ).to_pylist()
    return rows


CORPUS_STAGE = CorpusStage(STAGE, make_instructions)
