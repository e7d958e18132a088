"""What titles say of kind and State."""

from __future__ import annotations

import pytest

from citegrain.tasks.law.instruments import classified, jurisdiction_of, state_in, unit_of


@pytest.mark.parametrize(
    ("title", "kind", "document_type", "unit"),
    [
        ("The Lantern Keepers (Welfare) Act, 2011", "act", "act", "section"),
        ("The Code of Bell Procedure, 1908", "act", "code", "section"),
        ("The Constitution of India", "act", "constitution", "article"),
        ("The Constitution (Ninth Amendment) Act, 1960", "act", "act", "section"),
        ("The Lantern Keepers (Oil under the Lamp Act, 1999) Rules, 2012", "rules", "rules", "rule"),
        ("The Lantern Board (General) Regulations, 2013", "rules", "regulations", "regulation"),
        ("The Harbour Bye-laws, 1961", "rules", "bye_laws", "regulation"),
        ("The Constitution (Application to Lanterns) Order, 1954", "other", "order", "section"),
        ("Lamps", "", "", "section"),
    ],
)
def test_a_title_names_its_kind(title: str, kind: str, document_type: str, unit: str) -> None:
    assert classified(title) == (kind, document_type)
    assert unit_of(kind, document_type) == unit


def test_the_first_state_is_taken() -> None:
    assert state_in("The Tamil  Nadu Lantern Rules, made after Kerala's") == "tamil-nadu"
    assert state_in("Daman & Diu Lantern Rules") == "daman-and-diu"
    assert state_in("The Goatherds (Welfare) Rules, 2017") == ""


@pytest.mark.parametrize(
    ("title", "number", "kind", "said", "place"),
    [
        ("The Lamps Act, 2011", "4 of 2011", "act", "", "central"),
        ("The Lamps Act, 2011", "", "act", "", ""),
        ("The Goa Lamps Act, 2011", "4 of 2011", "act", "", "goa"),
        ("The Lamps Act, 2011", "4 of 2011", "act", "kerala", "kerala"),
        ("The Lamps Rules, 2012", "", "rules", "", ""),
        ("The Lamps Rules, 2012", "", "rules", "goa", "goa"),
    ],
)
def test_an_act_of_parliament_is_central(title: str, number: str, kind: str, said: str, place: str) -> None:
    row = {"title": title, "number": number, "kind": kind, "jurisdiction": said}
    assert jurisdiction_of(row) == place
