"""What a person is told: how likely, and why there is nothing."""

from __future__ import annotations

from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest

from citegrain.tasks.core.words import devanagari_share
from citegrain.tasks.law.asof import AsOf
from citegrain.tasks.law.counterparts import replacement
from citegrain.tasks.online.answer import (
    called,
    counterpart_line,
    court_notes,
    day_line,
    declined,
    likelihood,
)
from citegrain.tasks.online.answer.building import later_editions
from citegrain.tasks.online.answer.notices import commencement, no_longer_law
from citegrain.tasks.online.answer.wording import absent, instead, later_edition, open_numbers
from citegrain.tasks.online.check.lookup import Lookup
from citegrain.tasks.online.generate import GenerateConfig
from tests.tasks.law.counterparts.test_replaced import ACTS


def test_how_likely() -> None:
    assert [likelihood(p) for p in (None, 0.9, 0.5, 0.49, 0.2, 0.19, 0.0)] == [
        "", "probable", "probable", "possible", "possible", "weak", "weak",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("reason", "elsewhere", "said"),
    [
        ("not_indexed", "The Easements Act, 1882", "this looks like the Easements Act, 1882, which is not indexed."),
        ("not_indexed", "Excise", "Nothing in these 51 Acts applies: this looks like Excise, which is not indexed."),
        ("not_indexed", "", "seems to apply: another law may, but which one is not clear."),
        ("nothing_like_this", "", "none of them is about anything like this."),
        ("too_vague", "", "Say what happened, to whom and when, and what you want"),
        ("not_readable", "", "most of its words are neither English nor Hindi. Ask in English or Hindi."),
        (
            "none_in_force",
            "",
            "No provision in force on 2026-11-23 fits: ask by the law of the day on which it happened.",
        ),
    ],
)  # fmt: skip
def test_one_sentence_for_each_reason(reason: str, elsewhere: str, said: str) -> None:
    line = declined("how do I bake bread", reason, elsewhere, ["act"] * 51, "2026-11-23")
    assert said in line and "\n" not in line


def test_two_laws_are_joined_by_a_word_of_the_language() -> None:
    two = "The Passports Act, 1967, or the Haj Committee Act, 2002"
    for line in (
        declined("मुझे पासपोर्ट नहीं मिला", "not_indexed", two, ["act"], ""),
        instead(two, "मुझे पासपोर्ट नहीं मिला"),
    ):
        assert "यह Passports Act, 1967 या Haj Committee Act, 2002 का मामला" in line
    assert "matter of the Passports Act, 1967, or the Haj" in instead(two, "my passport")


def test_the_script_that_is_not_read_is_named() -> None:
    assert "written in Tamil. Ask in English or Hindi" in declined(
        "என் சம்பளம் தரவில்லை", "not_readable", "", ["act"], "2026-11-23"
    )
    assert "in Chinese characters" in declined("我的工资没有发", "not_readable", "", ["act"], "2026-11-23")
    assert "most of its words" in declined("1234", "not_readable", "", ["act"], "2026-11-23")


def test_a_question_in_devanagari_is_answered_in_hindi() -> None:
    question = "मेरी मजदूरी नहीं दी"
    for reason in (
        "not_readable",
        "too_vague",
        "not_indexed",
        "nothing_fits",
        "unlikely",
        "nothing_like_this",
    ):
        line = declined(question, reason, "", ["act"] * 51, "2026-11-23")
        assert devanagari_share(line) > 0.9 and "{" not in line
    assert "The Easements" not in declined(
        question, "not_indexed", "The Easements Act", ["act"], "2026-11-23"
    )
    assert "यह Easements Act" in declined(question, "not_indexed", "The Easements Act", ["act"], "2026-11-23")
    assert called("probable", question) != "probable" == called("probable", "mazdoori nahi di")


def test_one_line_a_charge() -> None:
    def line(act: str, *rows: tuple[str, str]) -> str:
        other = replacement(ACTS, act)
        counterparts = [{"act": other["act"], "section": n, "source": s} for n, s in rows] if other else []
        return counterpart_line({"replacement": other, "counterparts": counterparts})

    assert (
        line("ipc", ("303", "matched"))
        == "since 2024-07-01: The Sanhita, section 303 (matched by heading and text)"
    )
    assert (
        line("bns", ("379", "table"), ("378", "table"))
        == "before 2024-07-01: The Penal Code, sections 379, 378 (by your table)"
    )
    assert line("bns") == "before 2024-07-01: The Penal Code, no similar section found"
    assert line("fa") == "replaced by: osh, not in this build" and line("mv") == ""
    charge: dict[str, Any] = {"replacement": replacement(ACTS, "bns"), "counterparts": []}
    said = "2024-07-01 से पहले: The Penal Code, ऐसी कोई धारा नहीं मिली"
    assert counterpart_line(charge, "घर में चोरी हुई") == said


def test_the_day_is_said_in_the_language_of_the_question() -> None:
    today, by_words = AsOf(date(2026, 11, 29), "today"), AsOf(date(2019, 5, 3), "words", "two years ago")
    assert day_line(today, "घर में चोरी हुई") == "आज का कानून, 2026-11-29"
    assert day_line(by_words, "घर में चोरी हुई") == "2019-05-03 का कानून, “two years ago” से"
    assert day_line(today, "ghar me chori hui") == day_line(today, "theft") == "law of today, 2026-11-29"
    assert "112" in called(GenerateConfig.danger, "चोरी") and called(GenerateConfig.danger, "चोरी")[0] == "अ"
    assert called("read as", "चोरी") == "इस तरह पढ़ा गया" and called("read as", "theft") == "read as"


def test_what_was_searched_is_named_by_its_kind() -> None:
    said = [
        declined("bread", "not_indexed", "", kinds, "2026-11-23") for kinds in (["act"], ["act", "judgment"])
    ]
    assert "this one Act " in said[0] and "these 2 documents " in said[1]


def test_an_edition_that_is_newer_than_the_day_is_named_once() -> None:
    titles = {("lamp", date(2019, 4, 8)): "The Lamp Act, 1901", ("bell", date(1950, 1, 1)): "The Bell Act"}
    build: Any = SimpleNamespace(act=lambda act, version: {"title": titles[act, version]})
    charges = [
        {"act": "lamp", "version": "2019-04-08"},
        {"act": "lamp", "version": "2019-04-08"},
        {"act": "bell", "version": "1950-01-01"},
        {"act": "rope", "version": ""},  # its day is not known
    ]
    (edition,) = later_editions(build, charges, date(1960, 1, 1))
    assert edition == {"act": "lamp", "title": "The Lamp Act, 1901", "version": "2019-04-08"}
    said = later_edition(edition, "1960-01-01")
    assert (
        said
        == "The text at hand of the Lamp Act, 1901 is of 2019-04-08: what was law on 1960-01-01 may differ."
    )
    assert later_editions(build, charges, date(2019, 4, 8)) == []


LAMP_ROW: dict[str, Any] = {
    "number": "3A", "status": "in_force", "version_date": date(2019, 4, 8), "valid_from": None, "valid_to": None,
    "validity_evidence": "", "notes": [], "char_start": 0,
}  # fmt: skip


def test_a_provision_that_is_named_and_no_longer_law_is_said() -> None:
    build: Any = SimpleNamespace(
        cited=lambda kind, number, act: (
            [f"{act or 'lamp'}/sec_{number}"] if number not in ("98", "99") else []
        ),
        inserting={"lamp/sec_98": {"amended_by": "9 of 2031", "provision_id": "wick/sec_2"}}.get,
        in_force=lambda provision, day: provision == "lamp/sec_2",
        counterparts=lambda provision: (
            [SimpleNamespace(provision_id="lamp/sec_2")] if provision == "lamp/sec_4" else []
        ),
        on_day=lambda provision, day: (LAMP_ROW, False),
        act=lambda act, version: {"in_force_from": date(1901, 5, 1)},
        names=lambda: [("lamp", "The Lamp Act, 1901", [])],
        last_day=lambda act: date(2024, 6, 30),
    )
    mentions: list[dict[str, Any]] = [
        {"kind": "section", "number": n, "act_id": "lamp"} for n in ("2", "3A", "4", "99")
    ]
    bare = [{"kind": "section", "number": "3A", "act_id": None}]  # of one Act alone
    new = [{"kind": "section", "number": "98", "act_id": "lamp"}]
    assert no_longer_law(build, new, date(2026, 1, 2)) == [
        "Act 9 of 2031, section 2 inserts section 98, which the text at hand does not have."
    ]
    assert no_longer_law(build, mentions, date(2026, 1, 2)) == [
        "The Lamp Act, 1901, section 3A is not law on 2026-01-02. "
        "Its Act was law until 2024-06-30: ask for the law of that day.",
        "The Lamp Act, 1901 has no section 99 in the text at hand.",
    ]
    before, _ = no_longer_law(build, mentions, date(1900, 1, 1))
    assert before == "The Lamp Act, 1901, section 3A is not law on 1900-01-01: law since 1901-05-01."
    assert no_longer_law(build, bare, date(2026, 1, 2)) == no_longer_law(
        build, mentions[1:2], date(2026, 1, 2)
    )


def test_a_note_that_a_court_struck_a_provision_down_is_quoted_once() -> None:
    texts = ("Section 66A has been struck down by an order.", "Ins. by Act 10 of 2009.")
    assert court_notes({"notes": [{"text": text} for text in (*texts, *texts)]}) == [texts[0]]


def test_what_an_act_has_not_and_of_which_acts_a_number_may_be() -> None:
    assert (
        absent("The Oil Act, 2011", "section", "9")
        == "The Oil Act, 2011 has no section 9 in the text at hand."
    )
    assert "say which Order" in absent("The Code of Suits, 1908", "rule", "3")
    assert absent("", "section", "9999").startswith("None of the Acts here has a section 9999")
    assert "entry 5 in Schedule 1" in absent("The Oil Act, 2011", "schedule", "1E5")
    assert "no order 60" in absent("The Oil Act, 2011", "order", "O60")
    later = SimpleNamespace(relation="successor", act_id="new", section="318")
    build: Any = SimpleNamespace(
        names=lambda: [("old", "Old Code", ""), ("new", "New Code", "")],
        cited=lambda kind, number, act: [f"{act or 'new'}/sec_{number}"],
        counterparts=lambda p: [later] if p.startswith("old") else [],
    )
    mentions = [{"kind": "section", "number": "420", "act_id": act} for act in ("old", "new")]
    (said,) = open_numbers(build, {"mentions": mentions, "acts": []})
    assert said.endswith("It is read as that of: Old Code (now New Code, section 318); New Code.")
    for mention in (mentions[1], mentions[1] | {"act_id": None}):  # section 420 of the Foo Act
        (said,) = open_numbers(build, {"mentions": [mention], "acts": []})
        assert said == "No known Act is named beside section 420. It is read as that of: New Code."
    assert open_numbers(build, {"mentions": [mentions[0] | {"kind": "article"}], "acts": []}) == []
    build.cited = lambda kind, number, act: [f"{one}/sec_{number}" for one in ("old", "new")]
    assert open_numbers(build, {"mentions": [mentions[0] | {"act_id": None}], "acts": []}) == [], (
        "of all Acts"
    )
    assert open_numbers(build, {"mentions": mentions, "acts": ["old", "new"]}) == []


def test_words_that_are_printed_before_they_are_law_are_said() -> None:
    note = {"action": "substituted", "text": "Subs. for “three months” (w.e.f. 1-1-2027).", "offset": 40}
    row = {
        "act_id": "lamp", "number": "9", "version_date": date(2026, 7, 1), "validity_evidence": "",
        "notes": [note | {"effective": date(2027, 1, 1)}, note | {"effective": None}],
    }  # fmt: skip
    build: Any = SimpleNamespace(provision_row=lambda provision_id, version: {"notes": []})
    (said,) = commencement(build, row, date(2026, 12, 31))
    assert said == f"its text has what is law only later: {note['text']}"
    assert commencement(build, row, date(2027, 1, 1)) == []
    assert commencement(build, row, date(2020, 1, 1)) == [], "the whole edition is newer"
    law: Any = SimpleNamespace(printed=lambda hit: row)
    hit: Any = SimpleNamespace(version=date(2026, 7, 1))
    assert Lookup.amended_since(law, hit, date(2026, 12, 31)), "words of the old law are not called wrong"
    assert not Lookup.amended_since(law, hit, date(2027, 1, 1))
