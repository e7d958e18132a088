"""Office files and web pages with one fault each: made here, and those of the shared folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.office_faults import MAKERS, Fault
from tests.tasks.kinds.office.test_formats import lines, provisions, row

FOLDER = Path(os.environ.get("CITEGRAIN_SHARED", "shared")) / "corpus/faults"
Read = tuple[list[tuple[str, str, str]], list[str], list[str]]

FERRY = [
    ("1", "Short title", "This Act may be called the {}, {}."),
    ("2", "Definitions", "In this Act, “warden” means a person who keeps a ferry for hire."),
    ("3", "Licence of ferries", "No person shall keep a ferry without a licence granted by the Collector."),
    ("4", "Life jackets", "Every warden shall keep a life jacket for each passenger of the ferry."),
    ("5", "Penalty for plying without licence",
     "Whoever keeps a ferry without a licence shall be punished with fine which may extend to five thousand rupees."),
    ("6", "Overloading",
     "Whoever carries more passengers than the licence allows shall be punished with imprisonment for three months."),
]  # fmt: skip


def ferry(title: str, year: int) -> list[tuple[str, str, str]]:
    return [(number, heading, text.format(title, year)) for number, heading, text in FERRY]


def read(data: bytes, form: str) -> Read:
    """Sections and rules, notes and warnings of a document."""
    document = row(data, form)
    assert document["status"] == "text", document["reason"]
    sections = [
        (p["number"], p["heading"], " ".join(p["text"].split()))
        for p in provisions(data, form).values()
        if p["kind"] in ("section", "rule")
    ]
    return sections, lines(data, form, "footnote"), document["warnings"]


def right(fault: Fault) -> bool:
    sections, notes, warnings = read(fault.data, fault.form)
    said = all(any(words in warning for warning in warnings) for words in fault.warnings)
    expected = [(number, heading, " ".join(text.split())) for number, heading, text in fault.sections]
    right_text = sections == expected and notes == list(fault.notes)
    return right_text and said and bool(warnings) == bool(fault.warnings)


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_a_fault_is_read_right_or_reported(make: Callable[[], Iterator[Fault]]) -> None:
    faults = list(make())
    wrong = [at for at, fault in enumerate(faults) if not right(fault)]
    assert len(faults) >= 4 and wrong == []


NOTE = "1. Subs. by Act 5 of 2019, s. 3, for “a raft” (w.e.f. 1-4-2019)."
TOLLS = [(number, heading, f"{text} 5%") for number, heading, text in ferry("Ferry Wardens Act", 2014)]


@pytest.mark.parametrize(
    ("name", "sections", "notes", "warnings"),
    [
        ("html_cp1252_control.html", ferry("Ferry Wardens Act", 2014), [], []),
        ("html_latin1_label_cp1252_bytes.html", ferry("Ferry Wardens Act", 2014), [], []),
        ("docx_lvlRestart_0_sections_through_chapters.docx", ferry("Toll Bridges Act", 2015), [], []),
        ("docx_endnotes.docx", ferry("Well Diggers Act", 2016), [NOTE], []),
        ("docx_strict_ooxml.docx", ferry("Brick Yards Act", 2019), [], []),
        ("xlsx_formula_without_cached_value_percent_merged.xlsx",
         [*TOLLS, ("7", "Evasion", ""), ("8", "Commencement", "2013-04-01")], [],
         ["formulas without a stored value, not read: save the file in Excel: sheet Rates, cell C9"]),
        ("html_section_2-A_hyphen_u2011.html", [
            ("1", "Short title", "This Act may be called the Lamp Oil Act, 2012."),
            ("2", "Definitions", "In this Act, “dealer” means one who sells."),
            ("2A", "Registers", "Every dealer shall keep a register."),
            ("3", "Licence", "No person shall sell lamp oil without a licence."),
        ], [], []),
    ],
)  # fmt: skip
def test_a_file_of_the_shared_folder(
    name: str, sections: list[tuple[str, str, str]], notes: list[str], warnings: list[str]
) -> None:
    assert read(shared(name), name.rpartition(".")[2]) == (sections, notes, warnings)


def shared(name: str) -> bytes:
    if not (FOLDER / name).is_file():
        pytest.skip(f"{name} is not in CITEGRAIN_SHARED/corpus/faults")
    return (FOLDER / name).read_bytes()


def test_deleted_words_are_no_law() -> None:
    sections, _, warnings = read(shared("html_del_ins_strike.html"), "html")
    assert [number for number, _, _ in sections] == list("123456")
    assert sections[3] == ("4", "Measures", "Every dealer shall keep a sealed measure of brass.")
    assert warnings == ["deleted or struck out, so not law: “an open”, “of wood or of clay”"]


def test_a_contract_is_read_as_before() -> None:
    text = lines(shared("docx_contract_control.docx"), "docx")
    assert text[2] == "ARTICLE I TERM" and len(text) == 11
    assert text[3].startswith("1.1. Short title.—The parties agree")
