"""Look-up of provisions as labels name them."""

from __future__ import annotations

from datetime import date

import pytest

from citegrain.tasks.law.citations import TEXT, TEXT_CORPUS, Citations, eli_of, legislation_of, numbered


def test_a_text_is_meant_by_its_id_as_it_is_written() -> None:
    names = ["S1", "s1", "S-1", "302", "ipc/302"]
    texts = Citations((TEXT, TEXT_CORPUS, f"{TEXT_CORPUS}/{name}", name) for name in names)
    for name in names:
        assert texts.labelled(TEXT_CORPUS, name) == [f"{TEXT_CORPUS}/{name}"]
    assert texts.labelled("ipc", "302") == [f"{TEXT_CORPUS}/ipc/302"]
    assert not texts.labelled(TEXT_CORPUS, "s-1") and not texts.labelled("crpc", "302")


def test_a_section_goes_before_an_entry_of_the_same_number() -> None:
    entry, section = ("entry", "ipc", "ipc/sched_1/entry_5", "5"), ("section", "ipc", "ipc/sec_5", "5")
    assert Citations([entry, section]).labelled("ipc", "5") == ["ipc/sec_5"]
    assert Citations([entry]).labelled("ipc", "5") == ["ipc/sched_1/entry_5"]


def test_a_letter_in_brackets_is_that_of_the_number_where_no_clause_has_it() -> None:
    rows = [("section", "ita", f"ita/sec_{n}", n) for n in ("2", "2A", "66", "66A", "66ZA", "70")]
    look_up = Citations([*rows, ("clause", "ita", "ita/sec_2__clause_a", "2(a)")])
    for number, meant in {
        "66(A)": "66A",
        "66(a)": "66A",
        "66(ZA)": "66ZA",
        "2(A)": "2",
        "70(b)": "70",
    }.items():
        assert look_up.cited("section", number, "ita") == [f"ita/sec_{meant}"], number
    assert look_up.cited("section", "71(b)", "ita") == []


def test_orders_schedules_and_articles_without_an_act() -> None:
    india = "constitution-of-india"
    rows = [
        ("section", "cpc", "cpc/sec_37", "37"),
        *(("rule", "cpc", f"cpc/order_XXXVII__rule_{n}", f"O37R{n}") for n in "12"),
        ("entry", "limits", "limits/sched_1__entry_21", "Art21"),
        ("article", india, f"{india}/art_21", "21"),
        ("schedule", india, f"{india}/sched_10", "Tenth Schedule"),
        ("entry", "stamps", "stamps/sched_1__series_2__entry_23", "First Schedule, entry 23"),
    ]
    cited = Citations(rows).cited
    rules = ["cpc/order_XXXVII__rule_1", "cpc/order_XXXVII__rule_2"]
    assert cited("order", "O37", "cpc") == cited("order", "O37", None) == rules
    assert cited("rule", "37", "cpc") == [] and cited("section", "37", "cpc") == ["cpc/sec_37"]
    assert cited("article", "21", None) == [f"{india}/art_21"]
    assert Citations(rows[3:4]).cited("article", "21", None) == ["limits/sched_1__entry_21"]
    assert cited("schedule", "10", india) == [f"{india}/sched_10"] and cited("schedule", "9", india) == []
    assert cited("schedule", "1E23", "stamps") == ["stamps/sched_1__series_2__entry_23"]


def test_a_judgment_is_meant_by_all_its_paragraphs() -> None:
    rows = [
        ("paragraph", "a-v-b-1999", "a-v-b-1999/para_1", "1"),
        ("paragraph", "a-v-b-1999", "a-v-b-1999/para_2", "2"),
        ("front", "a-v-b-1999", "a-v-b-1999/front_1", "Front"),
        ("paragraph", "c-v-d-2000", "c-v-d-2000/para_1", "1"),
        ("section", "ipc", "ipc/sec_1", "1"),
    ]
    citations = Citations(rows)
    assert citations.labelled("a-v-b-1999", "judgment") == ["a-v-b-1999/para_1", "a-v-b-1999/para_2"]
    assert not citations.labelled("ipc", "judgment") and not citations.labelled("e-v-f", "judgment")
    assert citations.labelled("a-v-b-1999", "2") == ["a-v-b-1999/para_2"]


def test_a_provision_has_an_id_and_a_node_of_json_ld() -> None:
    act = {"act_id": "lamp-act-2011", "number": "7 of 2011", "version_date": date(2024, 1, 2), "kind": "act",
           "jurisdiction": "central", "language": "en", "title": "The Lamp Act, 2011", "in_force_from": date(2011, 3, 4)}  # fmt: skip
    row = {"provision_id": "lamp-act-2011/sec_3", "heading": "Oil", "valid_from": None, "valid_to": None}
    node = legislation_of(act, row, "The Lamp Act, 2011, section 3", True)
    eli = "eli/in/act/2011/7/2024-01-02/sec_3"
    assert node["@id"] == node["legislationIdentifier"] == eli == eli_of(act, "lamp-act-2011/sec_3")
    assert node["isPartOf"]["@id"] == "eli/in/act/2011/7/2024-01-02" and node["@type"] == "Legislation"
    assert (node["temporalCoverage"], node["legislationJurisdiction"]) == ("2011-03-04/..", "IN")
    assert node["legislationLegalForce"] == "https://schema.org/InForce"
    past = act | {"number": "", "version_date": None, "jurisdiction": "goa", "in_force_from": None}
    ended = legislation_of(past, row | {"valid_to": date(2020, 1, 1), "heading": ""}, "x", False)
    assert ended["@id"] == "eli/in-goa/act/lamp-act-2011/undated/sec_3" and "headline" not in ended
    assert ended["temporalCoverage"] == "../2020-01-01" and "legislationDateVersion" not in ended
    assert ended["legislationLegalForce"] == "https://schema.org/NotInForce"


@pytest.mark.parametrize(
    ("kind", "number", "said"),
    [
        ("section", "302", "section 302"),
        ("rule", "O39R1", "Order XXXIX, rule 1"),
        ("rule", "O20AR2(1)", "Order XXA, rule 2(1)"),
        ("order", "O7", "Order VII"),
        ("rule", "12", "rule 12"),
        ("entry", "Art73", "article 73"),
        ("entry", "First Schedule, entry 9", "First Schedule, entry 9"),
        ("entry", "4", "entry 4"),
        ("chapter", "Chapter XVI", "Chapter XVI"),
        ("schedule", "Form A", "Form A"),
        ("proviso", "302 proviso 1", "302 proviso 1"),
        (TEXT, "Abc", "text Abc"),
    ],
)
def test_a_provision_is_called_as_a_lawyer_calls_it(kind: str, number: str, said: str) -> None:
    assert numbered({"kind": kind, "number": number, "provision_id": "a/1"}) == said
