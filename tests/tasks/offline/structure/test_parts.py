"""Headings, subdivisions, notes, tables and frames of an Act."""

from __future__ import annotations

import re
from datetime import date

import pytest

from citegrain.tasks.offline.structure.blocks import (
    container_at,
    order_at,
    schedule_at,
    schedule_label,
)
from citegrain.tasks.offline.structure.body import Body, tail_frames
from citegrain.tasks.offline.structure.candidates import split_heading
from citegrain.tasks.offline.structure.notes import read_grids, read_notes
from citegrain.tasks.offline.structure.rows import MarginLine, Row, _margin_lines, join_rows
from citegrain.tasks.offline.structure.sections import SectionReader
from citegrain.tasks.offline.structure.sequence import end_matter
from citegrain.tasks.offline.structure.subdivide import subdivide
from citegrain.tasks.offline.structure.tree import status_of


def row(text: str, *, page: int = 1, x0: float = 72, x1: float = 520, y0: float = 100, **more: object) -> Row:
    return Row(page, x0, x1, y0, 11.0, 0, False, text, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "options", "heading", "rest"),
    [
        (" Theft.—Whoever takes", {}, "Theft", "Whoever takes"),
        (" Theft.--Whoever takes", {}, "Theft", "Whoever takes"),
        (" Theft. -(1) Whoever takes", {}, "Theft", "(1) Whoever takes"),
        (" “Man”. “Woman”.—The word", {"bold": 18}, "“Man”. “Woman”", "The word"),
        (" [Definition of “Queen”.] Omitted by the A. O. 1950.", {}, "Definition of “Queen”", "[Definition"),
        (
            " [Salary [and other terms] of Members.] Omitted by s. 9.",
            {"listed": "Salary"},
            "Salary",
            "[Salary",
        ),
        (" (1) This Act may be called,—", {"inline": True}, "", "(1) This Act"),
        (
            " In this Act, unless the context otherwise requires,—",
            {"margin": "Definitions."},
            "Definitions",
            "In this Act",
        ),
        (
            " Oath of office. Every keeper shall swear",
            {"listed": "Oath of office"},
            "Oath of office",
            "Every keeper",
        ),
        (" Proof of [electronic signature].—Where", {}, "Proof of electronic signature", "Where"),
    ],
)
def test_headings(text: str, options: dict[str, object], heading: str, rest: str) -> None:
    defaults: dict[str, object] = {"bold": 0, "listed": "", "margin": "", "inline": True}
    title, at = split_heading(text, **(defaults | options))  # type: ignore[arg-type]
    assert title == heading
    assert text[at:].startswith(rest)


def paths(lines: list[str], *, article: bool = False) -> list[str]:
    rows, at = [], 0
    for line in lines:
        rows.append((at, at + len(line), line, 0.0))
        at += len(line) + 1
    parts = subdivide(rows, 0, at - 1, article=article)
    return ["/".join(f"{name}{number}" for name, number in part.path) for part in parts]


def test_levels_follow_from_how_they_count() -> None:
    assert paths(
        [
            "(1) A keeper may—", "(a) ask;", "(b) refuse, if—", "(i) it rains; or", "(ii) it snows;", "(c) go.",
            "(2) Nothing here—", "(a) counts.",
        ]
    ) == [
        "subsec1", "subsec1/paraa", "subsec1/parab", "subsec1/parab/subparai", "subsec1/parab/subparaii",
        "subsec1/parac", "subsec2", "subsec2/paraa",
    ]  # fmt: skip


def test_the_letter_i_after_h_is_a_letter() -> None:
    lines = [f"({c}) one;" for c in "abcdefghij"]
    assert paths(lines)[-2:] == ["parai", "paraj"]


def test_inserted_levels() -> None:
    assert paths(["(1) one.", "[(1A) more.", "(2) two:—", "(a) x;", "(aa) y;", "(b) z."]) == [
        "subsec1", "subsec1A", "subsec2", "subsec2/paraa", "subsec2/paraaa", "subsec2/parab",
    ]  # fmt: skip


def test_a_reference_at_the_start_of_a_line_is_no_level() -> None:
    assert paths(
        ["(1) as is said in sub-section", "(2) of section 5, or clause", "(b) of that section."]
    ) == ["subsec1"]


GOES_ON = [
    # clauses within clauses, a proviso within them, and the clauses of before
    (["(a) he asks;", "(b) he is told, if—", "(i) it rains;", "(ii) it is needed—", "(a) see;", "(b) hear; or", "(c) smell:",
      "Provided that he writes;", "(ba) he sings;", "(c) he goes."],
     "a b b/i b/ii b/ii/a b/ii/b b/ii/c b/proviso1 ba c"),
    (["(1) In this Act—", "(a) one;", "(g) two;", "(h) “lamp” means a lamp;", "Explanation.—Oil is no lamp;", "(i) “keeper” means—",
      "(i) a man; or", "(ii) a woman;", "(j) “oil” means oil.", "(2) More."],
     "1 1/a 1/g 1/h 1/h/explanation1 1/i 1/i/i 1/i/ii 1/j 2"),
    # of a proviso, off which another breaks
    (["Pay:", "Provided that none is due of—", "(a) bread;", "(b) wages:", "Provided that much is much;", "(c) oil.",
      "Explanation.—(a) Oil is oil;", "(b) bread is bread."],
     "proviso1 proviso1/a proviso1/b proviso1/b/proviso1 proviso1/c explanation1 explanation1/a explanation1/b"),
    (["(i) one;", "[(ia) more;", "(ii) two—", "(I) x;", "(II) y;", "(iii) three."], "i ia ii ii/I ii/II iii"),
    (["(a) one, namely:—", "(zf) two;", "(zfa) three;", "(zfb) four;", "(zg) five."], "a a/zf a/zfa a/zfb a/zg"),
    (["3 [(1)One.", "* * * * *", "(b) two;", "(2) See clauses (a) and", "(b) of section 3, or", "(c), as it is."], "1 1/b 2"),
    (["(/) One.", "(a) x.", "(2) Two."], "1 1/a 2"),
    (["One.", "(2) Two."], "2"),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "read"), GOES_ON)
def test_a_list_goes_on_behind_what_breaks_it_off(lines: list[str], read: str) -> None:
    assert [re.sub("(sub)?(sec|para)(?!n)|item", "", path) for path in paths(lines)] == read.split()


def test_provisos_explanations_and_illustrations() -> None:
    assert paths(
        ["(1) Pay.", "Provided that he works:", "Provided further that he sleeps.", "Explanation.—Pay is money.",
         "(2) Stay.", "Illustrations", "(a) A stays.", "(b) B goes."]
    ) == ["subsec1", "subsec1/proviso1", "subsec1/proviso2", "subsec1/explanation1", "subsec2", "subsec2/illustration1"]  # fmt: skip


def test_in_an_article_the_first_level_is_a_clause() -> None:
    assert paths(["(1) All citizens—", "(a) speak;"], article=True) == ["clause1", "clause1/subclausea"]


def test_footnotes_become_notes() -> None:
    notes = read_notes(
        [
            row("1. Ins. by Act 10 of 2009, s. 32 (w.e.f. 27-10-2009)."),
            row("2. Subs. by s. 33, ibid., for certain words"),
            row("(w.e.f. 1-11-2009)."),
            row("* The words were never printed."),
        ]
    )
    first, second = notes[1, "1"], notes[1, "2"]
    assert (first.action, first.by_act, first.effective) == ("inserted", "10 of 2009", date(2009, 10, 27))
    assert (second.action, second.by_act, second.effective) == (
        "substituted",
        "10 of 2009",
        date(2009, 11, 1),
    )
    assert notes[1, "*"].action == ""


@pytest.mark.parametrize(
    ("text", "kind", "number", "heading"),
    [
        ("CHAPTER II", "chapter", "II", "GENERAL"),
        ("CHAPTER XXI-A", "chapter", "XXIA", "GENERAL"),
        ("PART IV.—OF KEEPERS", "part", "IV", "OF KEEPERS GENERAL"),
    ],
)
def test_containers(text: str, kind: str, number: str, heading: str) -> None:
    rows = [row(text, centred=True), row("GENERAL", centred=True), row("1. Text.—Words")]
    frame = container_at(rows, 0, {2})
    assert frame is not None
    assert (frame.kind, frame.number, frame.heading, frame.last) == (kind, number, heading, 1)


def test_a_chapter_named_in_a_sentence_is_no_container() -> None:
    assert container_at([row("Chapter II shall apply to every keeper of a lantern")], 0, set()) is None
    assert container_at([row("(Part II.—Keepers)", centred=True)], 0, set()) is None


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("THE SCHEDULE", "Schedule"),
        ("THE FIRST SCHEDULE", "First Schedule"),
        ("SCHEDULE II.—[Repealed.]", "Second Schedule"),
        ("[THE SCHEDULE", "Schedule"),
        ("APPENDIX A", "Appendix A"),
    ],
)
def test_schedules(text: str, label: str) -> None:
    frame = schedule_at([row(text, centred=True), row("(See section 3)", centred=True)], 0)
    assert frame is not None and schedule_label(frame) == label


def test_a_schedule_named_in_a_sentence_is_none() -> None:
    assert schedule_at([row("Schedule shall be deemed to have been amended accordingly.")], 0) is None


def test_orders() -> None:
    frame = order_at(
        [row("ORDER XXXIX", centred=True), row("Temporary injunctions", centred=True, indent=90)], 0
    )
    assert frame is not None and frame.number == "XXXIX" and frame.heading == "Temporary injunctions"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("[Sedition.] Rep. by Act 3 of 1951, s. 2.", "repealed"),
        ("[Repealed.]", "repealed"),
        ("[Value of suits.] omitted by the Code (Amendment) Act, 1999.", "omitted"),
        ("Wages.—Omitted by Act 3 of 1951.", "in_force"),  # the heading is cut off before
        ("[Wages of keepers.—Omitted by Act 3 of 1951", "omitted"),
        ("* * * * *", "omitted"),
        ("[(1) A keeper may appeal from any order of the owner. (2) No fee is payable.]", "in_force"),
        ("[Every agreement from which a keeper is omitted, is void.", "in_force"),
        ("[(1) The Lantern Ordinance, 1998 is hereby repealed.", "in_force"),
        ("Omitted or repealed entries shall be kept.", "in_force"),
        ("Whoever omits to pay wages shall be punished.", "in_force"),
    ],
)
def test_what_is_gone_says_so_at_its_beginning(text: str, status: str) -> None:
    assert status_of(text, text) == status


def test_an_order_that_falls_back_is_a_mention() -> None:
    orders = ("ORDER XI", "ORDER XI", "ORDER XVIA", "ORDER LI", "ORDER XXI")
    rows = [row(text, centred=True) for order in orders for text in (order, "Heading")]
    _, frames = tail_frames(Body(rows, [], [], 0, set()))
    assert [f.number for f in frames] == ["XI", "XI", "XVIA", "LI"]


def test_a_table_is_read_record_by_record() -> None:
    def cells(y: float, *parts: tuple[float, str]) -> Row:
        spans = tuple((x, x + 90.0, text) for x, text in parts)
        return row(" ".join(t for _, t in parts), x0=parts[0][0], x1=parts[-1][0] + 90, y0=y, cells=spans)

    rows = [
        cells(1, (72, "1. For wages of a"), (260, "Three years."), (380, "When they are")),
        cells(2, (100, "keeper"), (380, "payable.")),
        cells(3, (72, "2. For oil"), (260, "One year."), (380, "When it is")),
        cells(4, (100, "supplied"), (380, "burnt.")),
    ]
    assert [r.text for r in read_grids(rows, 450)] == [
        "1. For wages of a keeper | Three years. | When they are payable.",
        "2. For oil supplied | One year. | When it is burnt.",
    ]


def test_rows_are_joined_to_running_text() -> None:
    rows = [
        row("The main-", x1=520),
        row("tenance of the sub-", x1=520),
        row("section is a maintenance of sub-section duty."),
    ]
    running = join_rows(rows, set(), 520)
    assert running.text == "The maintenance of the sub-section is a maintenance of sub-section duty."
    assert [running.text[a:b] for a, b in zip(running.starts, running.ends, strict=True)][-1].startswith(
        "section is"
    )


def test_a_chapter_that_is_gone_is_one_sentence() -> None:
    rows = [
        row("(ii) to any conductor of a lantern cart."),
        row("[CHAPTER X.—LIABILITY WITHOUT FAULT] Omitted by the Lantern (Amendment)"),
        row("Act, 2019 (32 of 2019), s. 50 (w.e.f. 1-4-2022)."),
        row("140. [Liability.] Omitted by s. 50, ibid."),
    ]
    frame = container_at(rows, 1, {3})
    assert frame is not None and (frame.kind, frame.number, frame.first, frame.last) == ("chapter", "X", 1, 2)
    assert frame.gone and frame.heading == "LIABILITY WITHOUT FAULT"
    chapters = [
        row("[Chapter X of the Code is omitted] by this section, and what"),
        row("stands there is void."),
    ]
    assert container_at(chapters, 0, set()) is None


def test_a_schedule_that_is_gone_is_one_sentence() -> None:
    rows = [
        row("[THE SECOND SCHEDULE.—[Schedule of rates for oil and"),
        row("wicks] Omitted by the Lantern (Amendment) Act, 2019, s. 93 (w.e.f. 1-4-2022).]"),
    ]
    frame = schedule_at(rows, 0)
    assert frame is not None and (frame.number, frame.last, frame.gone) == ("2", 1, True)
    assert schedule_at([row("[the Second Schedule] Omitted by s. 3 is read as one.")], 0) is None


def test_the_signature_under_an_act_is_no_part_of_it() -> None:
    text = [row(f"line {i} of a section.") for i in range(25)]
    signed = [
        row("————"),
        row("DR. K. LAMP,"),
        row("Joint Secretary & Legislative Counsel to the Govt. of India."),
    ]
    assert end_matter([*text, *signed], 20) == 25
    officer = [row("(a) a person of or above the rank of"), row("Joint Secretary to the Government of India")]
    assert end_matter([*text, *officer], 20) == 27


def test_a_printers_line_at_the_foot_of_a_page_ends_no_act() -> None:
    text = [row(f"line {i} of a section.", page=1) for i in range(25)]
    printer = [row("MGIPMRND—312GI(S3)—25-12-2023.", page=1)]
    assert end_matter([*text, *printer], 20) == 25
    assert (
        end_matter([*text, *printer, row("51. The keeper shall", page=2), row("light the lamp.", page=2)], 20)
        == 28
    )
    assert end_matter([*text, *printer, row("UPLOADED BY THE MANAGER", page=2)], 20) == 25


def test_the_last_line_of_a_marginal_note_beside_the_next_section() -> None:
    reader = object.__new__(SectionReader)
    lines = [("use it as", 470.0), ("genuine.", 480.0), ("Forged", 489.0)]
    reader.margin_lines = {1: [MarginLine(1, y, False, text) for text, y in lines]}
    assert reader._margin_top(row("340. A false lamp", y0=488.0)) == 489.0
    reader.margin_lines[1][1].text = "Commission."
    assert reader._margin_top(row("340. A false lamp", y0=488.0)) == 489.0
    reader.margin_lines[1][0].text = "of the Commission."
    assert reader._margin_top(row("340. A false lamp", y0=488.0)) < 480.0


def test_the_small_print_of_a_signature_is_no_marginal_note() -> None:
    notes = [row("Repeal and", x0=58, x1=96, y0=228), row("savings.", x0=58, x1=85, y0=238)]
    seal = [row(f"serial {i}", x0=527, x1=540, y0=750.0 + i) for i in range(5)]
    for line in seal:
        line.size = 0.8
    assert [m.text for m in _margin_lines(notes + seal, 300, 10.0)] == ["Repeal and", "savings."]
