"""The Act of a section is known by title, by the name that a judgment gave it, or by what was cited before."""

from __future__ import annotations

import pytest

from citegrain.tasks.law.citing import Statutes
from citegrain.tasks.law.instruments import slug

ACTS = [
    ("indian-penal-code-1860", "The Indian Penal Code, 1860", ("IPC", "Penal Code")),
    (
        "code-of-criminal-procedure-1973",
        "The Code of Criminal Procedure, 1973",
        ("CrPC", "Criminal Procedure Code"),
    ),
    ("consumer-protection-act-2019", "The Consumer Protection Act, 2019", ("Consumer Protection Act",)),
    ("constitution-of-india", "The Constitution of India", ("Constitution",)),
]


def cited(*paragraphs: str) -> list[tuple[str | None, str]]:
    """(Act, number) of each provision that is cited, in order."""
    statutes = Statutes("\n".join(paragraphs), ACTS, slug)
    return [(c.act, c.number) for hits in statutes.find(paragraphs) for c in hits]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Section 302 of the Indian Penal Code, 1860", [("indian-penal-code-1860", "302")]),
        (
            "under Sections 420, 406 and 120-B IPC",
            [("indian-penal-code-1860", n) for n in ("420", "406", "120B")],
        ),
        (
            "Section 302 read with Section 34 of the I.P.C.",
            [("indian-penal-code-1860", n) for n in ("302", "34")],
        ),
        ("u/s. 482 Cr.P.C.", [("code-of-criminal-procedure-1973", "482")]),
        ("Articles 14 and 21 protect", [("constitution-of-india", "14"), ("constitution-of-india", "21")]),
        ("Article 8 of the European Convention on Human Rights", [(None, "8")]),
        ("The Wick Act, 1999: s. 5 – Wages", [("wick-act-1999", "5")]),
        ("Rule 4(2) of the Tide Tables (Printing) Rules, 2020", [("tide-tables-printing-rules-2020", "4")]),
        (
            "Section 18 of the Real Sea(Regulation and Use) Act, 2016",
            [("real-sea-regulation-and-use-act-2016", "18")],
        ),
        ("in the 21 sections of this report of 2005", []),
        ("under Article 51−A (e) of the Constitution", [("constitution-of-india", "51A")]),
        ("a notice under Section 41- A CrPC is owed", [("code-of-criminal-procedure-1973", "41A")]),
        ("Section 302 - A person IPC", [("indian-penal-code-1860", "302")]),
        ("Sections 14(1) to (10) of the Wick Act, 1999", [("wick-act-1999", "14")]),
        ("what Section 70 | P a g e 14 of the Wick Act, 1999 says", []),
        (
            "Gazette of India, Extra., Pt.II, Sec.3(ii), under Section 5 of the Wick Act, 1999",
            [("wick-act-1999", "5")],
        ),
        (
            "under Section 125 Cr.P.C., the Wick Act, 1999 and others",
            [("code-of-criminal-procedure-1973", "125")],
        ),
        (
            "The Lamp (Prevention and Control of Smoke) Act, 1981 binds. Section 21 of the Lamp Smoke Act too.",
            [("lamp-prevention-and-control-of-smoke-act-1981", "21")],
        ),
        (
            "The Tide Rules, 2020 and the Tide Regulations, 2021 differ: rule 4 does, and regulation 5.",
            [("tide-rules-2020", "4"), ("tide-regulations-2021", "5")],
        ),
    ],
)
def test_a_provision_has_its_act(text: str, expected: list[tuple[str | None, str]]) -> None:
    assert cited(text) == expected


def test_a_name_that_was_given_stands_for_the_act() -> None:
    given = "The Prevention of Tides Act, 2002 (hereinafter, ‘the Act of 2002’) is attacked."
    assert cited(given, "Section 19 of the Act of 2002 is valid.")[-1] == (
        "prevention-of-tides-act-2002",
        "19",
    )
    assert cited(given, "Section 19 of the PTA binds.")[-1] == ("prevention-of-tides-act-2002", "19")
    assert cited(given, "Section 19 of the 2002 Act binds.")[-1] == ("prevention-of-tides-act-2002", "19")
    assert cited(given, "Section 19 of the Act, 2002 binds.")[-1] == ("prevention-of-tides-act-2002", "19")


def test_the_year_that_the_judgment_prints_comes_before_the_registry() -> None:
    first = "Section 23 of the Consumer Protection Act, 1986 gives an appeal."
    assert cited(first, "Section 14 of the Consumer Protection Act does not.") == [
        ("consumer-protection-act-1986", "23"),
        ("consumer-protection-act-1986", "14"),
    ]


def test_a_bare_section_is_of_the_act_cited_last() -> None:
    assert cited("Section 302 IPC was charged.", "Section 304 was not.") == [
        ("indian-penal-code-1860", "302"),
        ("indian-penal-code-1860", "304"),
    ]


def test_the_code_is_the_code_that_was_cited_last() -> None:
    first = (
        "Section 439 of the Code of Criminal Procedure, 1973 and Section 37 of the Wick Act, 1985 are read."
    )
    assert cited(first, "Section 437 of the Code and Section 36 of the Act.")[2:] == [
        ("code-of-criminal-procedure-1973", "437"),
        ("wick-act-1985", "36"),
    ]


def test_the_code_is_the_one_that_is_named_anywhere() -> None:
    assert cited(
        "They moved under the Code of Criminal Procedure, 1973.", "Section 173 of the Code was met."
    ) == [("code-of-criminal-procedure-1973", "173")]


def test_an_article_of_a_treaty_that_was_named_is_not_of_the_constitution() -> None:
    text = "The Universal Declaration of Human Rights says in Article 5 that no one shall suffer. The Constitution in Article 21 too."
    assert cited(text) == [(None, "5"), ("constitution-of-india", "21")]


def test_an_id_is_that_of_the_provision() -> None:
    statutes = Statutes("", ACTS, slug)
    hits = statutes.find(["Article 21A and Section 120-B IPC"])[0]
    assert [c.target_id for c in hits] == ["constitution-of-india/art_21A", "indian-penal-code-1860/sec_120B"]
