"""What complaints name: Acts, provisions, dates, sums; and what they ask for."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citegrain.tasks.law.citing import Lexicon, Mention, find_mentions, names_only, spelled_out
from citegrain.tasks.online.query import (
    QueryConfig,
    intents_of,
    make_queries,
    plain,
    without_days,
    without_wish,
)

ACTS = [
    ("ipc", "The Indian Penal Code, 1860", ["IPC", "Penal Code"]),
    ("nia", "The Negotiable Instruments Act, 1881", ["NI Act"]),
    ("ita", "The Information Technology Act, 2000", ["IT Act"]),
    ("cpa-1986", "The Consumer Protection Act, 1986", []),
    ("cpa-2019", "The Consumer Protection Act, 2019", []),
    ("crpc", "The Code of Criminal Procedure, 1973", ["CrPC", "Cr.P.C."]),
    ("cpc", "The Code of Civil Procedure, 1908", ["CPC"]),
    ("child", "The Child and Adolescent Labour (Prohibition and Regulation) Act, 1986", []),
]
LEXICON = Lexicon(ACTS)


def acts(text: str) -> list[str]:
    return [act for place in LEXICON.find(text) for act in place.act_ids]


def mentions(text: str) -> list[tuple[str, str, str | None]]:
    return [(m.kind, m.number, m.act_id) for m in find_mentions(text, LEXICON.find(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("booked under IPC", ["ipc"]),
        ("booked under ipc", ["ipc"]),
        ("booked under I.P.C.", ["ipc"]),
        ("the Indian Penal Code, 1860 and the NI Act", ["ipc", "nia"]),
        ("the Negotiable  Instruments Act", ["nia"]),
        ("it act like that", []),
        ("the IT Act", ["ita"]),
        ("Consumer Protection Act, 2019", ["cpa-2019"]),
        ("Consumer Protection Act of 1986", ["cpa-1986"]),
        ("Consumer Protection Act", ["cpa-1986", "cpa-2019"]),
        ("Cr. P. C. and crpc", ["crpc", "crpc"]),
        ("Child and Adolescent Labour Act", ["child"]),
        ("the recipe of an epic", []),
        ("", []),
    ],
)
def test_names_of_acts(text: str, expected: list[str]) -> None:
    assert acts(text) == expected


def test_names_that_are_everyday_words_count_as_they_are_written() -> None:
    lexicon = Lexicon(
        [
            ("itpa", "The Immoral Traffic (Prevention) Act, 1956", ["PITA"]),
            ("ita", "The Information Technology Act, 2000", ["ITA"]),
        ]
    )

    def act_ids(text: str) -> list[tuple[str, ...]]:
        return [place.act_ids for place in lexicon.find(text)]

    assert act_ids("mere pita ne kaha. I lost it. A man came. Pita ji") == []
    assert act_ids("under PITA and P.I.T.A. and the ITA") == [("itpa",), ("itpa",), ("ita",)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("section 138 NI Act", [("section", "138", "nia")]),
        ("Section 138 of the Negotiable Instruments Act, 1881", [("section", "138", "nia")]),
        ("IPC 302", [("section", "302", "ipc")]),
        ("IPC की धारा ४९८क और 304ख", [("section", "498A", "ipc"), ("section", "304B", "ipc")]),
        ("धारा 498", [("section", "498", None)]),
        ("उपधारा (2) के अनुसार", []),
        ("अनुच्छेद 21", [("article", "21", None)]),
        ("498A IPC", [("section", "498A", "ipc")]),
        ("section 498 A of the IPC", [("section", "498A", "ipc")]),
        ("sec 498 a ipc", [("section", "498A", "ipc")]),
        ("section 376 DB IPC", [("section", "376DB", "ipc")]),
        ("under section 302 A case is filed", [("section", "302", None)]),
        ("section 420 a case was filed", [("section", "420", None)]),
        ("SECTION 302 OF THE IPC", [("section", "302", "ipc")]),
        ("u/s 138 NI Act", [("section", "138", "nia")]),
        ("498a", [("section", "498A", None)]),
        ("Article 21", [("article", "21", None)]),
        ("Arts. 14 and 19(1)(a)", [("article", "14", None), ("article", "19", None)]),
        ("u/s 323/34 IPC", [("section", "323", "ipc"), ("section", "34", "ipc")]),
        ("sections 3, 4 and 5(2) of the IT Act", [("section", n, "ita") for n in ("3", "4", "5")]),
        ("sections 307 to 309 IPC", [("section", n, "ipc") for n in ("307", "308", "309")]),
        ("section 66-C of the IT Act", [("section", "66C", "ita")]),
        ("section 66-c, 378-zu of the it act", [("section", "66C", "ita"), ("section", "378ZU", "ita")]),
        ("u/s 66(A) I.T. Act", [("section", "66(A)", "ita")]),
        ("67c it act", [("section", "67C", "ita")]),
        ("138 N.I. Act, 138 N. I. Act", [("section", "138", "nia")]),
        ("9-to-5 work, section 9-to", [("section", "9", None)]),
        ("section 420 IPC and section 138 NI Act", [("section", "420", "ipc"), ("section", "138", "nia")]),
        ("Under the IPC they wrote to me, section 34 too", [("section", "34", "ipc")]),
        ("Order XXXIX Rule 1 CPC", [("rule", "O39R1", "cpc")]),
        ("order 7 rule 11", [("rule", "O7R11", None)]),
        ("Rule 11 of Order 7 CPC", [("rule", "O7R11", "cpc")]),
        ("Order XXXIX Rules 1 and 2 CPC", [("rule", "O39R1", "cpc"), ("rule", "O39R2", "cpc")]),
        ("CPC O39 R1", [("rule", "O39R1", "cpc")]),
        ("Order 37 CPC", [("order", "O37", "cpc")]),
        ("Order XXI", [("order", "O21", None)]),
        ("I want to order XL pizzas", []),
        ("Rule 3 CPC", [("rule", "3", "cpc")]),
        ("302 r/w 34 IPC", [("section", "302", "ipc"), ("section", "34", "ipc")]),
        ("IPC 303-305", [("section", n, "ipc") for n in ("303", "304", "305")]),
        ("IPC 12-05-2024", []),
        ("120B 420 467 IPC", [("section", n, "ipc") for n in ("120B", "420", "467")]),
        ("IPC 147 148 149", [("section", n, "ipc") for n in ("147", "148", "149")]),
        ("IPC 420 500 rupees", [("section", "420", "ipc")]),
        ("article-21", [("article", "21", None)]),
        ("420", [("section", "420", None)]),
        ("66A case", [("section", "66A", None)]),
        ("420 rupees", []),
        ("Tenth Schedule of the IPC", [("schedule", "10", "ipc")]),
        ("IPC Schedule I Article 23", [("schedule", "1E23", "ipc")]),
        ("entry 5 of the first schedule to the IPC", [("schedule", "1E5", "ipc")]),
        ("Schedule 7 List I entry 1 IPC", [("schedule", "7", "ipc")]),
        ("entry 8, List II of the Seventh Schedule to the IPC", [("schedule", "7", "ipc")]),
        ("the IPC applies. He scheduled 3 meetings on schedule", []),
        ("section 3 of some law", [("section", "3", None)]),
        ("I am 21 and paid 5000 on 12/03/2020 at 10am", []),
        ("the 3rd of 12 sections", []),
        ("sec 5", [("section", "5", None)]),
        ("his 2 sons and 302 cows", []),
    ],
)
def test_mentions(text: str, expected: list[tuple[str, str, str | None]]) -> None:
    assert mentions(text) == expected


def test_a_mention_is_listed_once() -> None:
    assert find_mentions("section 5 and again section 5", []) == [Mention("section", "5", None)]


@pytest.mark.parametrize(
    ("text", "plain"),
    [("ipc302", "ipc 302"), ("IPC-302", "IPC 302"), ("138 NI", "NI Act 138"), ("NI section 138", "NI Act section 138"),
     ("2 sons", "2 sons"), ("XY 5", "XY 5"), ("IPC 302", "IPC 302")],
)  # fmt: skip
def test_a_short_name_beside_a_number_is_spelled_out(text: str, plain: str) -> None:
    assert spelled_out(text, LEXICON) == plain


def test_what_names_provisions_alone_has_no_other_words() -> None:
    for text, more in {"Articles 14, 19 and 21": 0, "302 r/w 34 IPC": 0, "what is section 302 of the IPC?": 0,
                       "section 144 curfew": 1, "he hit me 302 IPC": 2}.items():  # fmt: skip
        assert names_only(text, LEXICON.find(text)) == more, text


def test_the_table() -> None:
    text = "On 3rd May 2019 he took Rs. 5,000. Then he asked for 2 lakh rupees, IPC 384. I owe 12 things."
    row = make_queries({"q": text}, LEXICON, QueryConfig(["sentences"], 0.25)).to_pylist()[0]
    assert row["dates"] == [date(2019, 5, 3)]
    assert row["amounts"] == [5000.0, 200000.0]
    assert row["acts"] == ["ipc"]
    assert row["texts"][0] == {"text": text, "weight": 1.0, "words_only": None}
    assert [t["weight"] for t in row["texts"][1:]] == [0.25] * (len(row["texts"]) - 1) != []
    plain = make_queries({"q": text}, LEXICON, QueryConfig()).to_pylist()[0]
    assert len(plain["texts"]) == 1


@settings(max_examples=200)
@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    row = make_queries({"q": text}, LEXICON, QueryConfig(["sentences"])).to_pylist()[0]
    assert row["text"] == text
    assert all(m["kind"] in ("section", "article", "rule", "order") for m in row["mentions"])


@pytest.mark.parametrize("values", [(["never"],), ([], 0.0), (["hyde", "hyde"],)])
def test_parameters_are_checked(values: tuple[object, ...]) -> None:
    with pytest.raises(ValueError, match="query"):
        QueryConfig(*values)  # type: ignore[arg-type]


def test_rules_are_named_by_number_where_rules_are_named() -> None:
    lexicon = Lexicon([
        ("goa-oil-rules-2012", "The Goa Oil Rules, 2012", []),
        ("oil-regulations-2013", "The Oil Regulations, 2013", []),
        ("cpc", "The Code of Civil Procedure, 1908", ["CPC"]),
    ])  # fmt: skip

    def mentions(text: str) -> list[tuple[str, str, str | None]]:
        return [(m.kind, m.number, m.act_id) for m in find_mentions(text, lexicon.find(text))]

    goa, board = "goa-oil-rules-2012", "oil-regulations-2013"
    assert mentions("rule 17 of the Goa Oil Rules, 2012") == [("rule", "17", goa)]
    assert mentions("Goa Oil Rules 2012, rules 3 and 4A") == [("rule", "3", goa), ("rule", "4A", goa)]
    assert mentions("Regulation 5(2) under the Oil Regulations, 2013") == [("regulation", "5", board)]
    assert mentions("what does rule 17 say") == [] and mentions("Order 7 rule 11 CPC") == [
        ("rule", "O7R11", "cpc")
    ]


def test_words_of_a_route_are_searched_besides() -> None:
    rows = make_queries({"a": "by when?", "b": "who?"}, LEXICON, QueryConfig(), words={"a": "within days"})
    texts = [[t["text"] for t in row["texts"]] for row in rows.to_pylist()]
    assert texts == [["by when?", "within days"], ["who?"]]
    assert QueryConfig().parameters({"temporal": "within days"}) != QueryConfig().parameters()
    assert QueryConfig().parameters({}) == QueryConfig().parameters()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Can I file an FIR against him?", ["punishment", "right"]),
        ("How do I get my money back?", ["remedy", "procedure"]),
        ("He affirmed it.", []),
    ],
)
def test_words_say_what_is_asked(text: str, names: list[str]) -> None:
    assert intents_of(text) == names


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("I want to kill myself", ""), ("i don't want to live anymore", ""), ("i am thinking of sucide", ""),
        ("main marna chahta hu", ""), ("मैं मरना चाहती हूँ", ""), ("mujhe mar jana hai", ""), ("i feel suicidal.", ""),
        ("मुझे जीना नहीं है", ""), ("i tried to kill myself last night", ""),
        ("my husband beats me daily and I want to die", "my husband beats me daily"),
        ("mera pati marta hai, main suicide kar lungi", "mera pati marta hai"),
        ("recovery agents threaten me, i will hang myself", "recovery agents threaten me"),
        ("i was beaten by my husband and want to die", "i was beaten by my husband"),
        ("my mother in law taunts me daily, i am thinking of suicide", "my mother in law taunts me daily"),
        ("i want to die because police did not write my fir", "police did not write my fir"),
        ("main ab jeena nahi chahti", ""), ("i wish i was dead", ""), ("kms", "kms"),
        *((text, text) for text in (
            "i have a suicide note of my son", "my son failed and will commit suicide",
            "my husband says he will kill himself", "my sister killed herself because of dowry",
            "can police arrest me if I attempted suicide", "what is the punishment if i try to kill myself",
            "my wife said i will commit suicide", "i am dying to know the law", "mera pati mujhe marna chahta hai",
            "main usko marna chahta hu", "i will die before the case ends", "i am accused of abetment of suicide",
            "I want to take my life savings out of the chit fund but they refuse", "I do not want to die",
            "i am thinking about taking my life insurance money", "I want to take it all back",
            "usne mujhe mar jane ki dhamki di aur mara", "mera pati kehta hai mujhe mar jana chahiye",
            "mujhe suicide karne ke liye uksaya", "I am not going to kill myself", "main marna nahi chahta",
            "i want to kill myself, is it a crime", "i will hang myself if the bank does not return my money",
            "i do not want to live with him", "i want to make a will before i die",
        )),
    ],
)  # fmt: skip
def test_a_wish_to_die_is_not_searched(text: str, rest: str) -> None:
    assert without_wish(text) == rest
    assert plain(text) == (rest or text)


def test_of_a_story_a_wish_to_die_is_little() -> None:
    story = "he beats me " + "and so on " * 9 + "so i want to die"
    assert plain(story) == story != without_wish(story)


@pytest.mark.parametrize(
    ("text", "searched"),
    [
        ("On 12 May 2024 he stabbed my brother", "he stabbed my brother"),
        ("my husband beat me from March 2023 to January 2025", "my husband beat me"),
        ("In June 2026, my neighbour abused me.", "my neighbour abused me"),
        ("I lent money in 2019, can I sue now", ""),  # the day is what is asked about
        ("is it theft under the Penal Code, 1860", ""),
        ("on 12 May 2024", ""),
        ("he stole my bike in 2024 " + "and so on " * 9, ""),  # of a story the day is little
    ],
)
def test_a_short_complaint_is_searched_without_its_days(text: str, searched: str) -> None:
    assert without_days(text) == (searched or text)


@pytest.mark.parametrize(
    ("text", "searched"),
    [
        ("police refuse to lodge my f.i.r.", "police refuse to lodge my fir"),
        ("r.t.i reply, under the N.I. Act at 11 p.m.", "rti reply, under the NI Act at 11 pm"),
        ("He paid Rs. 5.50. I asked Cr.P.C. why.", "He paid Rs. 5.50. I asked Cr.P.C. why."),
        ("see www.a.b.com", "see www.a.b.com"),
        ("f.i.r. " + "and so on " * 9, "f.i.r. " + "and so on " * 9),
    ],
)
def test_the_dots_of_abbreviations_do_not_count(text: str, searched: str) -> None:
    assert plain(text) == searched
