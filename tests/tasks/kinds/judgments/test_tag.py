"""A judgment's paragraphs cite provisions and other cases; a build resolves both."""

from __future__ import annotations

from datetime import date
from typing import Any

from citegrain.tasks.core.schemas import JUDGMENTS, PRECEDENTS
from citegrain.tasks.kinds.judgments.tag import tag
from citegrain.tasks.offline.corpus import ActEntry, Registry
from citegrain.tasks.offline.merge import resolve_precedents


def registry(*acts: ActEntry) -> Registry:
    return Registry({act.act_id: act for act in acts})


ACTS = registry(
    ActEntry("lantern-keepers-welfare-act-2011", "The Lantern Keepers (Welfare) Act, 2011"),
    ActEntry("constitution-of-india", "The Constitution of India", aliases=("Constitution",)),
)


def paragraph(number: int, text: str, kind: str = "paragraph", start: int = 0) -> dict[str, Any]:
    """A row of ``provisions``."""
    act = "a-v-b-2021-03-09"
    identity = {"provision_id": f"{act}/para_{number}", "act_id": act, "kind": kind}
    return identity | {"text": text, "text_start": start, "notes": []}


ROWS = [
    paragraph(1, "Section 7 of the Lantern Keepers (Welfare) Act, 2011 (“the 2011 Act”) is in issue.", start=10),
    paragraph(2, "Article 14 was applied in Salt Works v. State of Kerala, AIR 2009 SC 77. We follow it.", start=100),
    paragraph(3, "Section 9 of the 2011 Act is not.", kind="front"),
]  # fmt: skip


def test_references_lead_to_the_provisions_of_known_acts() -> None:
    references, _ = tag(ROWS, ACTS)
    assert [(r["source_id"][-6:], r["target_id"]) for r in references] == [
        ("para_1", "lantern-keepers-welfare-act-2011/sec_7"),
        ("para_2", "constitution-of-india/art_14"),
    ]
    assert references[0]["offset"] == 10 + len("Section ")


def test_a_name_beside_the_title_leads_to_the_act_of_that_year() -> None:
    acts = registry(ActEntry("lamp-code-1860", "The Imperial Lamp Code, 1860", aliases=("Lamp Code",)))
    rows = [paragraph(1, "Section 7 of the Lamp Code, 1860 is older than section 7 of the Lamp Code, 1899.")]
    references, _ = tag(rows, acts)
    assert [r["target_id"] for r in references] == ["lamp-code-1860/sec_7", "lamp-code-1899/sec_7"]


def test_a_misspelt_title_leads_to_the_act_that_is_meant() -> None:
    rows = [paragraph(1, "Section 7 of the Lantern Keeper (Welfare) Act, 2011 applies.")]
    references, _ = tag(rows, ACTS)
    assert references[0]["target_act"] == "lantern-keepers-welfare-act-2011"


def judgment(document_id: str, name: str, citations: list[str]) -> dict[str, Any]:
    """A row of ``judgments``."""
    rest = {"court": "", "bench": [], "also_reported": [], "docket": "", "print": "court"}
    identity = {"document_id": document_id, "case_name": name, "date": date(2009, 1, 1)}
    return identity | rest | {"citations": citations}


def test_a_precedent_is_resolved_by_citation_or_by_name() -> None:
    _, precedents = tag(ROWS, ACTS)
    table = PRECEDENTS.rows(precedents)
    acts = [{"document_id": "d", "act_id": "salt-works-v-state-of-kerala-2009-01-01"}]
    for name, citations in (("X v. Y", ["2009 AIR 77"]), ("Salt Works v. State of Kerala & Ors.", [])):
        judgments = JUDGMENTS.rows([judgment("d", name, citations)])
        resolved = resolve_precedents(table, judgments, acts).to_pylist()
        assert resolved[0]["target_act"] == acts[0]["act_id"]
    judgments = JUDGMENTS.rows([judgment("d", "Salt v. State of Goa", ["AIR 2009 SC 78"])])
    assert resolve_precedents(table, judgments, acts).to_pylist()[0]["target_act"] is None


def test_a_judgment_is_no_precedent_of_itself() -> None:
    _, precedents = tag([paragraph(1, "This judgment is cited as AIR 2009 SC 77.")], ACTS)
    acts = [{"document_id": "d", "act_id": precedents[0]["act_id"]}]
    judgments = JUDGMENTS.rows([judgment("d", "X v. Y", ["AIR 2009 SC 77"])])
    resolved = resolve_precedents(PRECEDENTS.rows(precedents), judgments, acts).to_pylist()
    assert [row["target_act"] for row in resolved] == [None]
