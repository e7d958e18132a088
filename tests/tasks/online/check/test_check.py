"""Citations of texts written by hand, of every kind and with planted faults, are found and judged right."""

from __future__ import annotations

from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from citegrain.tasks.online.check import CheckedCitation, Checker, check_file, check_page, check_table
from citegrain.tasks.online.check.reading import FileError
from tests.data.check.law import labelled_texts, law_build

DAY = date(2026, 11, 28)
NONE = "no_such_provision"


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Checker:
    return Checker(law_build(tmp_path_factory.mktemp("law")))


def one(checker: Checker, text: str, day: date = DAY) -> CheckedCitation:
    (citation,) = checker.check(text, day)
    return citation


@pytest.mark.parametrize("name", ["seen", "unseen"])
def test_written_texts_reach_the_bar(checker: Checker, name: str) -> None:
    counts: Counter[str] = Counter()
    for text, labels in labelled_texts(name).values():
        checked = {citation.start: citation for citation in checker.check(text, DAY)}
        for label in labels:
            citation = checked.pop(label.start, None)
            counts["missed"] += citation is None
            counts["hits"] += citation is not None
            if citation:
                titled = not label.act or (citation.act, citation.number) == (label.act, label.number)
                counts["right"] += citation.status == label.status and titled
                counts["absent"] += citation.status == label.status == NONE
                counts["absent wrong"] += (citation.status == NONE) != (label.status == NONE)
            else:
                counts["absent wrong"] += label.status == NONE
        counts["extra"] += len(checked)
        counts["absent wrong"] += sum(citation.status == NONE for citation in checked.values())
    hits = counts["hits"]
    assert hits > 70 and counts["absent"] > 8
    assert hits / (hits + counts["extra"]) >= 0.97, counts
    assert hits / (hits + counts["missed"]) >= 0.97, counts
    assert counts["right"] / hits >= 0.97, counts
    assert counts["absent wrong"] == 0, counts


def test_what_is_wrong_is_said(checker: Checker) -> None:
    absent = one(checker, "Section 511B of the IPC")
    assert absent.message == "The Indian Penal Code, 1860 has sections 1 to 511"
    assert one(checker, "Section 354Z IPC").message.endswith("of 354 there are 354, 354A, 354B, 354C, 354D")
    titled = one(checker, "section 302 IPC (theft)")
    assert titled.message.startswith("“theft” is section 378; this is “Punishment for murder”")
    quoted = one(
        checker, 'Article 21 of the Constitution says "No person shall be deprived of his life or liberty".'
    )
    assert quoted.status == "quotation_differs" and quoted.message == "“” for “personal”"


def test_the_day_decides(checker: Checker) -> None:
    assert one(checker, "Section 302 IPC", date(2020, 1, 1)).status == "in_force"
    replaced = one(checker, "Section 302 IPC")
    assert replaced.wrong and replaced.message.startswith(
        "since 2024-07-01: The Bharatiya Nyaya Sanhita, 2023"
    )
    assert one(checker, "Section 103 BNS", date(2020, 1, 1)).status == "not_yet_in_force"


def test_a_bare_number_is_of_the_act_that_has_it_or_of_none(checker: Checker) -> None:
    assert one(checker, "It breaks section 5.").status == "act_not_named"
    bare = checker.check(
        "Section 300 IPC and section 19 of the RTI Act were read. Section 498A was not.", DAY
    )
    assert (bare[2].act, bare[2].number) == ("indian-penal-code-1860", "498A")
    unknown = one(checker, "section 25 of the Arms Act, 1959")
    assert unknown.status == "not_indexed" and not unknown.wrong


def test_the_act_that_a_text_calls_the_act_is_not_every_act(checker: Checker) -> None:
    text = (
        'The Negotiable Instruments Act, 1881 (hereinafter "the Act") was read. '
        "Section 19 of the Consumer Protection Act, 1986 differs, as does section 17."
    )
    assert [c.act for c in checker.check(text, DAY)][-1] == "consumer-protection-act-1986"


def test_a_number_at_the_head_of_a_row_is_no_paragraph(checker: Checker) -> None:
    assert one(checker, "It was read in the context of Section\n302. Punishment is heavy.").number == "302"


def test_a_comma_behind_a_reporter_hides_no_case(checker: Checker) -> None:
    assert one(checker, "Rudal Shah v. State of Bihar [1983 (4) SCC, 141]").kind == "case"


def test_sections_of_rules_are_of_the_act_under_which_they_are_made(checker: Checker) -> None:
    text = (
        "In these rules, the Act means the Real Estate (Regulation and Development) Act, 2016.\n\n"
        "Punishable under section 59. See rule 4, and section 300 of the Code of Criminal Procedure, 1973. "
        "Section 64 is like it."
    )
    acts = [c.act for c in checker.check(text, DAY, "hill-rules-2016") if c.number]
    rera, code = "real-estate-regulation-and-development-act-2016", "code-of-criminal-procedure-1973"
    assert acts == [rera, "hill-rules-2016", code, rera]


def test_a_file_has_a_table_and_a_page_whose_text_is_data(checker: Checker, tmp_path: Path) -> None:
    file = tmp_path / "note.md"
    file.write_text("Section **511B** of the *IPC*; s. 9 of the <b>Hill</b> Act.\n", encoding="utf-8")
    checked = check_file(checker.build, file, DAY.isoformat())
    assert [c.status for c in checked.citations][:1] == [NONE]
    assert check_table(checked).rows[0][0].text == "section 511B"
    assert "<b>" not in check_page(checked) and "511B" in check_page(checked)


@pytest.mark.parametrize(
    ("name", "reason"), [("a.doc", "are not read"), ("a.pdf", "PDF|read"), ("no.txt", "cannot be read")]
)
def test_a_file_that_cannot_be_read_is_a_clear_error(
    checker: Checker, tmp_path: Path, name: str, reason: str
) -> None:
    if name != "no.txt":
        (tmp_path / name).write_bytes(b"\x00\x01 no document")
    with pytest.raises(FileError, match=reason):
        check_file(checker.build, tmp_path / name, DAY.isoformat())


def test_capitals_without_end_take_no_time(checker: Checker) -> None:
    assert len(checker.check("Section 5 " + "ACT OF A " * 5000 + "(" * 500, DAY)) >= 1
