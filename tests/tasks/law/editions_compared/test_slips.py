"""What is printed differently against amendments of a word."""

from __future__ import annotations

import pytest

from citegrain.tasks.law.editions_compared import amendments
from tests.tasks.law.editions_compared.acts import INSERTED, NEW, note, row, table

ELSEWHERE = row("9", "An employee or employer, five lawful fine agents.", notes=[INSERTED])
LATER = note("Subs. by Act 3 of 2018, s. 4.", "substituted", "3 of 2018")


def kind(old: str, new: str, *, annotated: bool = True, noted: bool = False) -> str:
    text = "Every keeper {} the owner of the lantern for wages."
    elsewhere = ELSEWHERE if annotated else ELSEWHERE | {"notes": []}
    was = [row("1", text.format(old)), elsewhere]
    now = [row("1", text.format(new), notes=[LATER] if noted else []), elsewhere]
    (amended,) = amendments(table(was), table(now, NEW)).to_pylist()
    return str(amended["kind"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("contraventing orders", "contravening orders"),
        ("asks", "asks asks"),
        ("asks of his own will", "asks of his own asks of his own will"),
        ("asks owner", "asks the owner"),
        ("asks, Illustrations", "asks"),
        ("feeds animals or animal of", "feeds animal or animals of"),
    ],
)
@pytest.mark.parametrize("annotated", [True, False])
def test_slips_in_any_edition(old: str, new: str, annotated: bool) -> None:
    assert kind(old, new, annotated=annotated) == kind(new, old, annotated=annotated) == "printing"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "from the 14th day of May, 2003 asks",
            "from the fourteenth day of May, two thousand and three asks",
        ),
        ("from 31st March, 1955 asks", "from thirty-first March, nineteen hundred and fifty-five asks"),
        ("pays Rs. 1,50,000 to", "pays one lakh fifty thousand rupees to"),
        ("pays ₹ 500 to", "pays five hundred rupees to"),
        ("pays 6% to", "pays six per cent. to"),
        ("asks within 2 lakh days", "asks within two lakh days"),
        ("asks, Explanation II, of", "asks, Explanation 2, of"),
        ("pays six per cent. to", "pays six per centum to"),
        ("asks the Dept. i.e. of", "asks the Department that is to say of"),
    ],
)
def test_numbers_in_words_and_abbreviations_are_no_law(old: str, new: str) -> None:
    assert kind(old, new, annotated=False) == kind(new, old, annotated=False) == "printing"


@pytest.mark.parametrize(("often", "is_slip"), [(20, True), (5, False)])
def test_a_misprint_that_both_editions_have_elsewhere_is_one(often: int, is_slip: bool) -> None:
    others = [row("8", "A goverment asks."), row("9", "The government asks. " * often)]
    was, now = (
        [row("1", f"Every keeper serves the {word} of lanterns for wages."), *others]
        for word in ("government", "goverment")
    )
    (amended,) = amendments(table(was), table(now, NEW)).to_pylist()
    assert amended["kind"] == ("printing" if is_slip else "substituted")


@pytest.mark.parametrize(
    ("old", "new"), [("asks Authority", "asks"), ("asks agent", "asks agents"), ("asks out gear", "asks")]
)
def test_what_an_edition_with_notes_does_not_note(old: str, new: str) -> None:
    assert kind(old, new) == kind(new, old) == "printing"
    assert kind(old, new, annotated=False) == kind(new, old, annotated=False) == "substituted"
    assert kind(old, new, noted=True) == kind(new, old, noted=True) == "substituted"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("pays five", "pays fine"),
        ("pays 10", "pays 11"),
        ("pays 15", "pays fifty"),
        ("on the 2nd day asks", "on two days asks"),
        ("asks three and five of", "asks four and four of"),
        ("asks under sections 1, 2 of", "asks under section 3 of"),
        ("pays under section 3(1)", "pays under section 3(2)"),
        ("pays", "pays not"),
        ("may ask", "shall ask"),
        ("asks and pays", "asks or pays"),
        ("asks an employer", "asks an employee"),
        ("asks a payer", "asks a payee"),
        ("does lawful acts for", "does unlawful acts for"),
        ("asks invalid carriage", "asks adapted vehicle"),
        ("asks", "asks in writing without delay"),
        ("pays one", "pays two"),
    ],
)
@pytest.mark.parametrize("annotated", [True, False])
@pytest.mark.parametrize("noted", [True, False])
def test_never_slips(old: str, new: str, annotated: bool, noted: bool) -> None:
    assert kind(old, new, annotated=annotated, noted=noted) == "substituted"
    assert kind(new, old, annotated=annotated, noted=noted) == "substituted"


def test_a_misprint_beside_a_note_is_what_the_note_says() -> None:
    assert kind("contraventing orders", "contravening orders", noted=True) == "substituted"
    assert kind("asks", "asks asks", noted=True) == "printing"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("asks under the Penal Code", "asks under the Penal Code, 1860"),
        ("asks under the Code of 1860", "asks under the Code of 18601"),
        ("asks", "asks 17"),
        ("asks", "asks1"),
        ("asks", "12asks"),
        ("asks", "asks 17 THE LANTERN KEEPERS (WELFARE) ACT, 2011"),
        ("asks", "asks The Lantern Keepers (Welfare) Act, 2011 17"),
        ("asks", "asks 2—5 M. of Law/19"),
        ("asks", "asks GMGIPMRND—2104GI(S3)—12-08-2019"),
        ("asks", "asks 1. Subs. by Act 31 of 1984, s. 3, for “pays” (w.e.f. 1-1-1985)."),
        ("asks", "asks 3. The words “and pays” omitted by s. 4, ibid."),
        ("asks and shows", "asks & shews"),
        ("asks authorised", "asks authorized"),
        ("pays 1,00,000", "pays 100000"),
        ("asks qualifications", "asks qua1ifications"),
        ("asks under section 4", "asks under s. 4"),
        ("asks under clause (l)", "asks under clause (1)"),
        ("asks the owner or", "asks asks the owner or"),
    ],
)
@pytest.mark.parametrize("noted", [True, False])
def test_what_is_print_alone_whatever_the_notes_say(old: str, new: str, noted: bool) -> None:
    for annotated in (True, False):
        assert kind(old, new, annotated=annotated, noted=noted) == "printing"
        assert kind(new, old, annotated=annotated, noted=noted) == "printing"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("pays within 3 months", "pays within months"),
        ("pays under sections 3 and 4", "pays under sections 3, 17 and 4"),
        ("asks under the Code, 1860", "asks under the Code, 1973"),
        ("asks", "asks by order of the STATE Commission"),
        ("pays 10,000", "pays 100000"),
        ("asks from the first", "asks to the first"),
        ("asks", "asks for lamps"),
    ],
)
def test_what_looks_like_print_and_is_law(old: str, new: str) -> None:
    for annotated in (True, False):
        assert kind(old, new, annotated=annotated, noted=True) == "substituted"
    assert kind(old, new, annotated=False) == kind(new, old, annotated=False) == "substituted"


def test_the_number_of_a_cited_act_is_not_compared() -> None:
    texts = [f"Every keeper asks under the Penal Code{n}." for n in ("", " (XLV of 1860)", " (45 of 18601)")]
    for text in texts:
        assert not amendments(table([row("1", texts[0])]), table([row("1", text)], NEW)).num_rows


def test_brackets_are_evidence() -> None:
    was = [row("1", "Every keeper asks the owner of the lantern for wages of every month."), ELSEWHERE]
    text = "Every keeper asks the [registered] owner of the lantern for wages of every month."
    (amended,) = amendments(table(was), table([row("1", text), ELSEWHERE], NEW)).to_pylist()
    assert (amended["kind"], amended["evidence"]) == ("substituted", "printed in brackets")


def test_an_edition_that_notes_few_of_its_amendments_is_not_trusted() -> None:
    was = [
        row(str(n), "Every keeper shall pay five rupees to the owner of the lantern.") for n in range(1, 5)
    ]
    now = [row(str(n), "Every keeper shall pay ten rupees to the owner of the lantern.") for n in range(1, 5)]
    last = "Every keeper shall clean the lantern of the tower at night."
    was += [row("5", last), ELSEWHERE]
    now += [row("5", last.replace("shall", "shall wholly")), ELSEWHERE]
    rows = amendments(table(was), table(now, NEW)).to_pylist()
    assert [r["kind"] for r in rows] == ["substituted"] * 5
    noted = [r | {"notes": [LATER]} if r["number"] < "5" else r for r in now]
    rows = amendments(table(was), table(noted, NEW)).to_pylist()
    assert [r["kind"] for r in rows] == ["substituted"] * 4 + ["printing"]


def test_one_amendment_among_slips_counts() -> None:
    assert kind("asks asks five", "asks six") == "substituted"


def test_many_small_differences_are_no_slip() -> None:
    assert (
        kind("asks lamp, tower, lens, wick and", "asks oil lamp, red tower, big lens, old wick and")
        == "substituted"
    )


def test_a_note_speaks_of_the_words_beside_its_mark() -> None:
    text = "Every keeper asks the owner of the lantern for wages of the month that follows, and pays his {} in time."
    rows = [row("1", text.format("authorised dues")), ELSEWHERE]
    far = LATER | {"offset": 12}
    near = LATER | {"offset": text.index("{")}
    for note_of_it, expected in ((far, "printing"), (near, "substituted")):
        now = [row("1", text.format("autorised dues"), notes=[note_of_it]), ELSEWHERE]
        (amended,) = amendments(table(rows), table(now, NEW)).to_pylist()
        assert amended["kind"] == expected


def test_words_that_one_edition_prints_elsewhere_in_the_provision() -> None:
    oath = "I, A. B., do swear {}that I shall keep the lantern and {}obey the owner of the tower."
    was, now = oath.format("solemnly affirm ", ""), oath.format("", "solemnly affirm ")
    (moved,) = amendments(table([row("1", was)]), table([row("1", now)], NEW)).to_pylist()
    assert moved["kind"] == "printing"
