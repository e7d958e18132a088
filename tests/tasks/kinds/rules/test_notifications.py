"""Rules as the notification that makes them names them."""

from __future__ import annotations

from datetime import date

from citegrain.tasks.kinds.rules.notifications import find_notifications
from citegrain.tasks.offline.pages import TextRow, TitledAct


def find(text: str) -> list[TitledAct]:
    rows = [TextRow(page, line, 11.0) for page, line in enumerate(text.strip().splitlines(), 1)]
    return find_notifications(rows)


def test_rules_of_the_centre_for_a_territory() -> None:
    (rules,) = find("""
New Delhi, the 31st October, 2016
G.S.R. 1026(E).- In exercise of the powers conferred by section 84 of the Lantern Act, 2016
the Central Government hereby makes the following rules, namely:
1. Short title and commencement.- (1) These rules may be called the Chandigarh Lantern
(Agreement for Oil) Rules, 2016.
(2) They shall come into force on the date of their publication in the Official Gazette.
""")
    assert rules.title == "The Chandigarh Lantern (Agreement for Oil) Rules, 2016"
    assert (rules.gazette_number, rules.jurisdiction) == ("G.S.R. 1026(E)", "chandigarh")
    assert rules.published == rules.effective_date == date(2016, 10, 31)


def test_regulations_of_a_state_with_a_day_of_their_own() -> None:
    (rules,) = find("""
GOVERNMENT OF KERALA
NOTIFICATION No. LSG/12/2019
Dated the 4th March, 2019
the Lantern Board hereby makes the following regulations:
1. (1) These regulations may be called “the Lantern Board (General) Regulations, 2019”.
(2) They shall come into force on the 1st day of April, 2019.
""")
    assert rules.title == "The Lantern Board (General) Regulations, 2019"
    assert rules.gazette_number == "LSG/12/2019"
    assert (rules.jurisdiction, rules.published) == ("kerala", date(2019, 3, 4))
    assert rules.effective_date == date(2019, 4, 1)


def test_two_sets_in_one_gazette_and_an_act_that_is_none() -> None:
    first = "1. These rules may be called the Lamp Rules, 2001."
    second = "1. These rules may be called the Bell Rules, 2002."
    both = [(rules.title, rules.page_start) for rules in find("\n".join([first, "2. Oil.", second, first]))]
    assert both == [("The Lamp Rules, 2001", 1), ("The Bell Rules, 2002", 3)]
    none = "1. This Act may be called the Lamp Act, 1999.\nThese rules may be called for by either House."
    assert find(none) == []
