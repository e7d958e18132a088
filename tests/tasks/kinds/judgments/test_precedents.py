"""Cases are named with their citations, and with what the judgment does with them."""

from __future__ import annotations

import pytest

from citegrain.tasks.kinds.judgments.tag import Precedents


def relations(text: str) -> dict[str, str]:
    """Relation by name of the case."""
    return {case.name: case.relation for case in Precedents().find(text)}


def test_a_case_has_its_name_and_all_its_citations() -> None:
    text = "In Rajnesh v. Neha and Another, (2021) 2 SCC 324 : AIR 2021 SC 569, this Court laid it down."
    (case,) = Precedents().find(text)
    assert case.name == "Rajnesh v. Neha and Another"
    assert [c.text for c in case.citations] == ["(2021) 2 SCC 324", "AIR 2021 SC 569"]
    assert text[case.start : case.end].endswith("AIR 2021 SC 569")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("as held in S.P. Sampath Kumar v. Union of India & Ors. that tribunals",
         "S.P. Sampath Kumar v. Union of India & Ors."),
        ("This was settled. M/s. Tide Mills Pvt. Ltd. vs. State of U.P. followed it.",
         "M/s. Tide Mills Pvt. Ltd. v. State of U.P."),
        ("See also Wick v Salt4 on that.", "Wick v. Salt"),
        ("The decision in Lamp v. Collector, Bombay was", "Lamp v. Collector"),
    ],
)  # fmt: skip
def test_a_name_ends_where_the_sentence_goes_on(text: str, name: str) -> None:
    assert [case.name for case in Precedents().find(text)] == [name]


def test_two_cases_joined_by_and_are_two() -> None:
    text = "relying upon Pankaj Bansal v. Union of India and Prabir Purkayastha v. State of Goa that"
    assert list(relations(text)) == ["Pankaj Bansal v. Union of India", "Prabir Purkayastha v. State of Goa"]


def test_a_citation_may_stand_in_the_footnote() -> None:
    text = "In S.M. Datta vs. State of Gujarat, this Court cautioned again."
    (case,) = Precedents().find(text, [(text.index(","), "(2001) 7 SCC 659")])
    assert [c.text for c in case.citations] == ["(2001) 7 SCC 659"]


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("Salt Works v. State of Kerala is hereby overruled.", "overruled"),
        ("The Bench overruled Salt Works v. State of Kerala.", "overruled"),
        ("Salt Works v. State of Kerala does not lay down the correct law.", "overruled"),
        ("Salt Works v. State of Kerala was not overruled.", "cited"),
        ("We respectfully follow Salt Works v. State of Kerala.", "followed"),
        ("Salt Works v. State of Kerala (2009) 1 SCC 5 – relied on.", "followed"),
        ("Learned counsel relied on Salt Works v. State of Kerala.", "cited"),
        ("Salt Works v. State of Kerala is distinguishable on facts.", "distinguished"),
        ("Salt Works v. State of Kerala was doubted.", "doubted"),
        ("In Salt Works v. State of Kerala, this Court reversed the judgment of the High Court.", "cited"),
        ("We refer to the following words in Salt Works v. State of Kerala.", "cited"),
        ("Salt Works -vs- State of Kerala is distinguishable.", "distinguished"),
        ("In Salt Works v. State of Kerala the keeper was paid.", "cited"),
    ],
)
def test_words_say_what_is_done_with_a_case(text: str, relation: str) -> None:
    assert relations(text) == {"Salt Works v. State of Kerala": relation}


def test_what_is_said_of_a_list_is_said_of_each_in_it() -> None:
    text = "King v. Khwaja, AIR 1945 PC 18; State of Goa v. Bhajan Lal, (1992) 1 Suppl. SCC 335 – relied on."
    assert set(relations(text).values()) == {"followed"}


def test_a_list_ends_with_its_sentence() -> None:
    text = "So it is in view of Harbour Board v. Bell. Salt Works v. State of Kerala, so far as it says more, is overruled."
    assert relations(text) == {"Harbour Board v. Bell": "cited", "Salt Works v. State of Kerala": "overruled"}


def test_a_verb_between_two_cases_has_one_object() -> None:
    text = "Harbour Board v. Bell (2003) 4 SCC 211 was decided before Salt Works v. State of Kerala overruled Tide v. Collector."
    assert relations(text) == {
        "Harbour Board v. Bell": "cited",
        "Salt Works v. State of Kerala": "cited",
        "Tide v. Collector": "overruled",
    }


def test_a_short_name_stands_for_the_case_it_fits() -> None:
    cases = Precedents()
    cases.find("Reliance is placed on Maneka Gandhi v. Union of India, (1978) 1 SCC 248.")
    (case,) = cases.find("We are bound by Maneka Gandhi (supra).")
    assert case.name == "Maneka Gandhi v. Union of India"
    assert [c.text for c in case.citations] == ["(1978) 1 SCC 248"]


def test_a_name_that_was_given_counts_where_something_is_said_of_it() -> None:
    cases = Precedents()
    cases.find("The decision in Salt Works v. State of Kerala (“Salt Works”) was cited.")
    (case,) = cases.find("Salt Works is old. Salt Works must be and is accordingly overruled.")
    assert (case.name, case.relation) == ("Salt Works v. State of Kerala", "overruled")
