"""What questions call Acts: those of a build, those that it does not have, and mistyped names."""

from __future__ import annotations

import pytest

from citegrain.tasks.law.citing import UNKNOWN, ActNames, Lexicon, find_mentions, titles_of

ACTS = [
    ("consumer-protection-act-2019", "The Consumer Protection Act, 2019", ["CPA"]),
    ("motor-vehicles-act-1988", "The Motor Vehicles Act, 1988", ["MV Act"]),
    ("indian-penal-code-1860", "The Indian Penal Code, 1860", ["IPC", "Penal Code"]),
    ("registration-act-1908", "The Registration Act, 1908", []),
    ("ndps-act-1985", "The Narcotic Drugs and Psychotropic Substances Act, 1985", ["NDPS"]),
    ("dpdp-act-2023", "The Digital Personal Data Protection Act, 2023", ["DPDP Act"]),
    ("constitution-of-india", "The Constitution of India", ["Constitution"]),
    ("indian-easements-act-1882", "The Indian Easements Act, 1882", []),
    (
        "right-of-children-to-free-and-compulsory-education-act-2009",
        "The Right of Children to Free ... Act, 2009",
        [],
    ),
]
TITLES = [
    "The Societies Registration Act, 1860",
    "The Unlawful Activities (Prevention) Act, 1967",
    "The Building and Other Construction Workers (Regulation of Employment) Act, 1996",
    "The Workmens Compensation Act, 1923",
    "The Customs Act, 1962",
    "The Indian Registration Act, 1877",
]
NAMES = ActNames(ACTS, Lexicon(ACTS, initials=True), TITLES)


@pytest.mark.parametrize(
    ("text", "number", "act"),
    [
        ("UAPA 43D", "43D", "unlawful-activities-prevention-act-1967"),
        ("uapa section 43D", "43D", "unlawful-activities-prevention-act-1967"),
        ("Societies Registration Act 12", "12", "societies-registration-act-1860"),
        ("section 4A Workmen's Compensation Act", "4A", "workmens-compensation-act-1923"),
        ("section 7 of the building and other construction workers act", "7", "building-and-other"),
        ("custom act s. 135", "135", "customs-act-1962"),
        ("Kerala Police Act section 118A", "118A", "kerala-police-act"),
        ("Consumer Protection Act 1986 s.12", "12", "consumer-protection-act-1986"),
        ("MV Act 1939 s.110A", "110A", "motor-vehicles-act-1939"),
        ("section 9 of the Customs Act, 1878", "9", "customs-act-1878"),
    ],
)
def test_a_number_is_of_the_act_that_is_named_though_it_is_not_here(text: str, number: str, act: str) -> None:
    (mention,) = find_mentions(text, NAMES.find(text))
    assert mention.number == number and (mention.act_id or "").startswith(act)
    assert len(NAMES.absent(text)) == 1 and "is not indexed here" in NAMES.absent(text)[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Foo Act section 530", ["The Foo Act is not indexed here."]),
        ("s. 4 of the Zebra Act, u/s 9 of the foo code", ["The Zebra Act", "The Foo Code"]),
        ("section 12 of the Protection of Lamps Act, 2001", ["The Protection of Lamps Act, 2001 is"]),
        ("Lamps Code 2019 s. 3", ["The Lamps Code 2019"]),
        ("Sale Consumer Protection Act section 35", []),  # it has the name of one
        ("section 2 of the narcotic act", []),  # it is short for one
        ("section 2 of the said Act and section 3 of this act", []),
        ("section 4: he did a foolish act", []),
        ("he uses some rent act section 14", []),  # where does its name begin?
    ],
)
def test_an_act_that_nobody_knows_is_named_beside_a_section(text: str, said: list[str]) -> None:
    sentences = NAMES.absent(text)
    assert len(sentences) == len(said) and all(map(str.startswith, sentences, said)), sentences
    unknown = [mention.act_id for mention in find_mentions(text, NAMES.find(text))]
    assert not said or unknown == [UNKNOWN] * len(said)
    assert NAMES.absent(text, "read otherwise") == []


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("Consumer Protection Act, 2019 section 35", ["consumer-protection-act-2019"]),
        ("Indian Registration Act section 17", ["registration-act-1908"]),
        ("In Delhi Consumer Protection Act section 35", ["consumer-protection-act-2019"]),
        ("case under NDPS 2021", ["ndps-act-1985"]),  # the year of the case
        ("the Easements Act", ["indian-easements-act-1882"]),
        ("is a fee lawful under RTE", ["right-of-children-to-free-and-compulsory-education-act-2009"]),
        ("article 21 constitution 1950", ["constitution-of-india"]),
        ("My Shop Refused A Refund Under Consumer Protection Act", ["consumer-protection-act-2019"]),
        ("he was caught in the act", []),
        ("customs officers took it, an act of god", []),
    ],
)
def test_other_names_are_those_of_the_build(text: str, acts: list[str]) -> None:
    places = NAMES.find(text)
    assert [act for place in places for act in place.act_ids] == acts and NAMES.absent(text) == []
    assert "1950" not in {mention.number for mention in find_mentions(text, places)}


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("IPC 7 years", []),
        ("NDPS 20 lakhs bail", []),
        ("class 5 under RTE Act", []),
        ("Easements Act s 15", ["15"]),
        ("s 15 Easements Act", ["15"]),
    ],
)
def test_what_counts_years_or_names_a_class_is_no_section(text: str, numbers: list[str]) -> None:
    assert [mention.number for mention in find_mentions(text, NAMES.find(text))] == numbers


def test_the_act_of_the_name_that_is_here_is_said() -> None:
    (place,) = NAMES.find("Consumer Protection Act 1986")
    assert place.indexed == ("consumer-protection-act-2019",)
    assert NAMES.absent("Consumer Protection Act 1986", "the CPA") == [
        "The Consumer Protection Act, 1986 is not indexed here; the Consumer Protection Act, 2019 is."
    ]


def test_titles_are_made_of_ids_by_which_statutes_cite() -> None:
    cited = {"payment-of-bonus-act-1965": 1, "foreigners-act-1946": 2, "central-act-1974": 1}
    cited |= {"wage-amendment-act-1957": 9, "motor-act-1939": 9, "wage-rules-1950": 3}
    assert titles_of(cited, ["motor-vehicles-act-1988"]) == [
        "The Payment of Bonus Act, 1965",
        "The Foreigners Act, 1946",
    ]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Indian Panel Code 420", "Indian Penal Code 420"),
        ("motor vehical act 185", "Motor Vehicles Act 185"),
        ("consumer protecton act", "Consumer Protection Act"),
        ("DPDP section 8", "DPDP Act section 8"),
        ("section 8 of the DPDP", "section 8 of the DPDP Act"),
        ("Consumer Protection Act 2018 section 35", "Consumer Protection Act 2019 section 35"),
        ("IPC 1806 s. 420", "IPC 1860 s. 420"),
        ("Consumer Protection Act 1986 s.12", None),
        ("dpdp 2 years ago", None),
        ("Motor Vehicles Act 185", None),
        ("the registrar's act was a decent code", None),
        ("customs act 135", None),
    ],
)
def test_mistyped_names_are_read_as_those_of_the_build(text: str, read: str | None) -> None:
    assert NAMES.read(text) == (read or text)
