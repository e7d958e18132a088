"""What an answer says beside its provisions: danger, conflicts, amendments."""

from __future__ import annotations

from datetime import date
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from citegrain.tasks.law.asof import AsOf
from citegrain.tasks.online.answer.notices import amendments, confidence, conflicts, dated_before, in_danger

TODAY = date(2026, 11, 22)


@pytest.mark.parametrize(
    "text",
    [
        "My husband beats me every night",
        "he is threatening to kill my brother",
        "I want to end my life because of the loan",
        "The agents say they will burn my house", "I was locked in a room by my employer",
        "mera pati mujhe marta hai", "my uncle raped me", "they kidnapped my daughter",
        "i am beaten by my husband", "husband slapped me", "I was raped", "my stepfather touches me",
        "she was molested on the bus", "I don't want to live any more", "my daughter is missing since two days",
        "he threw acid on my face", "the teacher touched my little girl's private parts", "they beat my manager",
        "teacher touched 10 year old girl in private parts", "मेरी 14 साल की बेटी के साथ पड़ोसी ने बलात्कार किया",
        "मेरे पति रोज़ मारते हैं", "मैं मरना चाहती हूँ", "वह मुझे जान से मारने की धमकी देता है", "सास ने मेरी बहन को पीटते हुए निकाला",
        "sasural wale mar peet karte hain", "main marna chahti hu", "usne mujhe mara hai", "I took poison",
        "I am going to jump before the train tomorrow", "i wrote a farewell letter", "maine zehar kha liya",
    ],
)  # fmt: skip
def test_danger_is_heard(text: str) -> None:
    assert in_danger(text)


@pytest.mark.parametrize(
    "text",
    [
        "My employer has not paid my wages", "What is the punishment for murder?", "The builder beats every deadline",
        "my hits were counted", "I want to buy a flat", "the shop was locked", "", "He threatened to sue me",
        "the court slapped a fine on me", "my wall is touching my neighbour's wall", "I was kicked out of the company",
        "is slapping a child in school an offence", "what is the punishment for rape", "I never touched her",
        "the news hit me hard", "I do not wish to live at his house", "my refund is missing since two days",
        "the price rise is killing my business", "I want to kill the deal", "I was hit with a tax notice",
        "I am dying to know whether the notice is valid", "बलात्कार की सज़ा क्या है", "मेरी मज़दूरी नहीं मिली",
        "मेरी इमारत गिर गई", "मेरे सहमत होने पर इमारत बनी", "मेरे पति मुझे नहीं मारते, पर पैसे नहीं देते",
        "suicide squad was shown in the train", "the price jumped from 10 to 20",
        "I touched the button and the screen showed my face",
        "he touched upon the point that the notice in the file was about the body corporate",
    ],
)  # fmt: skip
def test_and_not_where_there_is_none(text: str) -> None:
    assert not in_danger(text)


def build(*edges: tuple[str, str, str, str]) -> Any:
    rows = [
        dict(zip(("source_id", "target_id", "kind", "words"), edge, strict=True)) | {"page": 4}
        for edge in edges
    ]
    places = {"lamp": "central", "bell": "Goa"}
    return SimpleNamespace(
        has=lambda schema: True,
        graph_tables={"edges": pa.Table.from_pylist(rows)},
        jurisdictions=places,
        shared=lambda key, make: make(),
    )


CHARGES = [
    {"provision_id": "lamp/sec_1", "law": "The Lamp Act, section 1"},
    {"provision_id": "bell/sec_2", "law": "The Bell Act, section 2"},
]


def test_a_conflict_is_shown_only_where_both_are_given() -> None:
    one = ("lamp/sec_1", "bell/sec_2", "conflicts", "section 2")
    said = [
        "The Lamp Act, section 1 (central) says that it holds in spite of The Bell Act, section 2 (Goa) (page 4)."
    ]
    assert conflicts(build(one, one), CHARGES) == said
    assert conflicts(build(one), CHARGES[:1]) == conflicts(build(one), CHARGES[1:]) == []
    of_act = ("lamp/sec_1", "bell", "conflicts", "the Bell Act")
    assert conflicts(build(of_act), CHARGES) == [said[0].replace("The Bell Act, section 2", "The Bell Act")]
    others = [("lamp/sec_1", "bell/sec_3", "conflicts", ""), ("lamp/sec_1", "lamp/sec_1", "conflicts", "")]
    assert conflicts(build(*others, ("lamp/sec_1", "bell/sec_2", "cites", "")), CHARGES) == []


def test_the_newest_note_of_an_amendment_is_given() -> None:
    edges = [("lamp/sec_1", "x", "amended_by", f"Subs. by Act 3 of {year}") for year in (1955, 2019, 1986)]
    notes = amendments(
        build(*edges, ("bell/sec_2", "y", "amended_by", "Subs. by the A.O.")), ["lamp/sec_1", "bell/sec_2"]
    )
    assert notes == {"lamp/sec_1": "Subs. by Act 3 of 2019"}
    assert amendments(build(*edges), []) == {}


@pytest.mark.parametrize(
    ("probability", "evidence", "verdicts", "level"),
    [
        (0.9, "", None, "high"), (0.5, "", None, "medium"), (0.1, "", None, "low"),
        (None, "wages of a keeper", None, "medium"), (None, "a bell", None, "low"),
        (0.9, "", ["supported"], "high"), (0.9, "", ["supported", "partly"], "medium"),
        (0.9, "", ["supported"] * 9 + ["contradicted"], "low"), (0.1, "", ["supported"], "low"),
        (0.9, "", [], "low"),
    ],
)  # fmt: skip
def test_every_answer_says_how_far_it_can_be_relied_upon(
    probability: float | None, evidence: str, verdicts: list[str] | None, level: str
) -> None:
    row: dict[str, Any] = {"number": "2", "notes": [], "valid_to": None, "char_start": 0}
    law = SimpleNamespace(
        term_weights=lambda texts: {"wages": 2.0, "unpaid": 1.0}, terms=lambda text: text.split(),
        on_day=lambda provision, day: (row, True),
    )  # fmt: skip
    charge = {"probability": probability, "evidence": evidence, "verification": "verified"}
    charge["provision_id"] = "lamp/sec_2"
    answer: dict[str, Any] = {"charges": [charge]}
    if verdicts is not None:  # an answer in words; without verdicts nobody held it against anything
        answer["prose"] = "A keeper may claim wages [1]."
    if verdicts:
        worth = {"supported": 1.0, "partly": 0.5, "contradicted": 0.0}
        answer |= {"support": sum(map(worth.__getitem__, verdicts)) / len(verdicts)}
        answer |= {"claims": [{"verdict": v, "message": ""} for v in verdicts]}
    assert confidence(law, "unpaid wages", answer) == level  # type: ignore[arg-type]
    doubtful = {"charges": [charge | {"verification": "not_in_force"}]}
    assert confidence(law, "", doubtful) == confidence(law, "", {"charges": []}) == "low"  # type: ignore[arg-type]
    row["notes"] = [{"text": "Section 2 is unconstitutional: A v. B.", "action": "", "offset": 0}]
    assert confidence(law, "unpaid wages", answer) == "low"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "act", "day", "said"),
    [
        ("On 3 May 2019 he beat me", "bns", AsOf(TODAY, "today"), "“3 May 2019” is before 2024-07-01"),
        ("He beat me in March 2023", "bns", AsOf(TODAY, "today"), "ask with the day 2023-03-01, or auto"),
        ("On 3 May 2025 he beat me", "bns", AsOf(TODAY, "today"), ""),
        ("He beat me in 2024", "bns", AsOf(TODAY, "today"), ""),  # the law changed within that time
        ("He beat me", "bns", AsOf(TODAY, "today"), ""),
        ("On 3 May 2019 he beat me", "bns", AsOf(TODAY, "asked"), ""),
        ("On 3 May 2019 he beat me", "bns", AsOf(TODAY, "today", why="the law changed within"), ""),
        (
            "On 3 May 2019 he beat me",
            "bnss",
            AsOf(TODAY, "today"),
            "",
        ),  # of procedure the day of the step counts
        ("On 3 May 2019 he beat me", "lamp", AsOf(TODAY, "today"), ""),
    ],
)
def test_a_time_before_the_law_of_today_is_said(text: str, act: str, day: AsOf, said: str) -> None:
    titles = {
        "bns": "The Sanhita, 2023",
        "bnss": "The Nagarik Suraksha Sanhita, 2023",
        "lamp": "The Lamp Act, 1901",
    }
    old = {
        "act_id": "ipc",
        "title": "The Penal Code, 1860",
        "replaced_by": "bns",
        "in_force_to": date(2024, 6, 30),
    }
    law: Any = SimpleNamespace(names=lambda: [(a, t, []) for a, t in titles.items()], acts=[old])
    other = {"relation": "predecessor", "title": old["title"], "since": "2024-07-01"}
    charge: Any = SimpleNamespace(act=act, replacement=None if act == "lamp" else SimpleNamespace(**other))
    line = " ".join(dated_before(law, text, day, [charge]))
    assert said in line if said else line == ""
