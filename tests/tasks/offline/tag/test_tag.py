"""Tags and cross-references."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from citegrain.tasks.offline.chunk import ChunkConfig, chunk_document
from citegrain.tasks.offline.parse import ParseConfig, parse_document
from citegrain.tasks.offline.structure import ActSpan, structure_document
from citegrain.tasks.offline.tag import _references, tag_document
from tests import typeset
from tests.tasks.offline.chunk.test_chunk import Words

ACTS = [
    {"act_id": act, "title": title, "aliases": [], "number": number, "kind": "act"}
    for act, title, number in (
        ("indian-penal-code-1860", "The Indian Penal Code, 1860", "45 of 1860"),
        ("limitation-act-1963", "The Limitation Act, 1963", ""),
        ("this-act-2000", "The Sample Act, 2000", ""),
        ("constitution-of-india", "The Constitution of India", ""),
    )
]


def refs(text: str, kind: str = "section", order: str = "") -> list[tuple[str | None, str | None]]:
    act = "constitution-of-india" if kind == "article" else "this-act-2000"
    above = f"{act}/order_{order}" if order else None
    row: dict[str, Any] = {
        "provision_id": f"{act}/x",
        "act_id": act,
        "kind": kind,
        "number": "99",
        "heading": "",
    }
    row |= {"text": text, "text_start": 0, "parent_id": above}
    orders = [row | {"provision_id": above, "kind": "order", "text": "", "parent_id": None}] if order else []
    references = _references([*orders, row], ACTS)
    return [(r["target_act"], r["target_id"]) for r in references]


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("under section 5", ["this-act-2000/sec_5"]),
        ("sections 3, 4A and 5(2)", ["this-act-2000/sec_3", "this-act-2000/sec_4A", "this-act-2000/sec_5"]),
        ("sub-section (1) of section 12", ["this-act-2000/sec_12"]),
        ("section 302 of the Indian Penal Code (45 of 1860)", ["indian-penal-code-1860/sec_302"]),
        ("section 376, section 376A or section 376B of the Indian Penal Code (45 of 1860)",
         ["indian-penal-code-1860/sec_376", "indian-penal-code-1860/sec_376A", "indian-penal-code-1860/sec_376B"]),
        ("section 5 of the Limitation Act, 1963 (36 of 1963)", ["limitation-act-1963/sec_5"]),
        ("section 9 of the Lamp Act, 1901", ["lamp-act-1901/sec_9"]),
        ("section 9 of this Act", ["this-act-2000/sec_9"]),
        ("section 9 of the said Act", [None]),
        ("article 226 of the Constitution", ["constitution-of-india/art_226"]),
        ("the Limitation Act, 1963", [None]),
        ("section 5 per cent and 12.5", ["this-act-2000/sec_5"]),
        ("no reference at all in 1963", []),
    ],
)  # fmt: skip
def test_references(text: str, targets: list[str | None]) -> None:
    assert [t for _, t in refs(text)] == targets


def test_rules_and_articles_depend_on_where_they_stand() -> None:
    assert refs("under rule 5", order="XXI") == [("this-act-2000", "this-act-2000/order_XXI__rule_5")]
    assert refs("rule 5 of Order VI", order="XXI") == [("this-act-2000", "this-act-2000/order_VI__rule_5")]
    assert refs("rule 5") == [(None, None)]
    assert refs("clause (1) of article 19", kind="article") == [
        ("constitution-of-india", "constitution-of-india/art_19")
    ]


def test_an_act_named_alone_is_a_reference_to_it() -> None:
    assert refs("as the Limitation Act, 1963, says") == [("limitation-act-1963", None)]


def test_chunks_are_tagged() -> None:
    parsed = parse_document(typeset.india_code(), "d" * 64, ParseConfig(ocr="off"))
    act = "lantern-keepers-welfare-act-2011"
    span = ActSpan(act, date(2020, 1, 2), 1, 9)
    read = structure_document(parsed["documents"], parsed["lines"], [span])
    titles = {act: "The Lantern Keepers (Welfare) Act, 2011"}
    chunks = chunk_document(read["texts"], read["provisions"], titles, Words(), ChunkConfig())["chunks"]
    this_act = {"act_id": act, "title": titles[act], "aliases": [], "number": "", "kind": "act"}
    acts = [*ACTS, this_act]
    tagged = tag_document(read["texts"], read["provisions"], chunks, titles, acts)
    tags = {t["section"]: t for t in tagged["tags"].to_pylist() if t["section"]}
    assert list(tags) == ["1", "2", "3", "3A", "4", "5"]
    assert tags["3A"]["amended"] and not tags["3"]["amended"]
    assert tags["3"]["path"] == "Chapter II, RIGHTS OF KEEPERS > Section 3"
    assert all(t["act"] == titles[act] for t in tagged["tags"].to_pylist())
    assert all(0 <= t["position"] <= 1 and t["page"] >= 1 for t in tags.values())
    references = tagged["references"].to_pylist()
    assert [(r["source_id"], r["target_id"], r["resolved"]) for r in references] == [
        (f"{act}/sec_3", f"{act}/sec_5", "provision")
    ]
    text = read["texts"].to_pylist()[0]["text"]
    assert text[references[0]["offset"] :].startswith("5 may be paid")
