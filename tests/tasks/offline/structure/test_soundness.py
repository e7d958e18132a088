"""The report on how an Act was read: sound, doubtful or failed, and why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

import pyarrow as pa
import pymupdf
import pytest

from citegrain.tasks.core.schemas import DOCUMENTS, LINES, REPORTS
from citegrain.tasks.law.instruments import slug
from citegrain.tasks.offline.corpus import ActIdentity
from citegrain.tasks.offline.merge import fill_verdicts
from citegrain.tasks.offline.parse import ParseConfig, parse_document
from citegrain.tasks.offline.structure import ActSpan, structure_document
from citegrain.tasks.offline.structure.rows import MarginLine, Row
from citegrain.tasks.offline.structure.seams import _broken_off, _faint, _gaping, _unexplained
from citegrain.tasks.offline.structure.signs import _bracketless, missing_pages
from citegrain.tasks.offline.structure.soundness import _lacks
from citegrain.tasks.offline.structure.stage import act_spans
from citegrain.tasks.offline.structure.tree import Node
from tests import typeset
from tests.damages import FIRST, Paper, chance_of
from tests.tasks.offline import editions
from tests.tasks.offline.situations import SITUATIONS, print_act
from tests.tasks.offline.structure.test_structure import LAYOUTS
from tests.typeset import Act, Section

Rewrite = Callable[[int, Section], Section]


def report(data: bytes, unit: str = "section", last: int = 0) -> dict[str, Any]:
    parsed = parse_document(data, "d" * 64, ParseConfig(ocr="off"))
    span = ActSpan("act", None, 1, 999, unit, last_section=last)
    tables = structure_document(parsed["documents"], parsed["lines"], [span])
    (row,) = tables["reports"].to_pylist()
    return dict(row)


def rewritten(rewrite: Rewrite, *, contents: bool, sections: int = 40, schedule: Sequence[str] = ()) -> bytes:
    """Pages of an Act whose sections are printed otherwise than its contents list them."""
    act = editions.constitution(sections)
    chapters = [(n, h, [rewrite(int(s.number), s) for s in sections]) for n, h, sections in act.chapters]
    front = typeset._front(act) if contents else ""
    printed = Act(act.title, act.number, chapters)
    markup = front + typeset._opening(act) + typeset._body(printed, bold=True, inline=True)
    if schedule:
        markup += "<h1>THE SCHEDULE</h1>" + "".join(f"<p>{entry}</p>" for entry in schedule)
    return typeset.saved(typeset.story(markup))


def lost(share: int) -> Rewrite:
    """Every ``share``-th section without number and heading: as the scan of a print may lose them."""
    return lambda n, s: s if n % share else replace(s, number="", heading="—")


def tail_lost(n: int, section: Section) -> Section:
    return section if n <= 24 else replace(section, number="", heading="—")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_act_that_was_read_is_sound(layout: str) -> None:
    assert (row := report(LAYOUTS[layout]()))["verdict"] == "sound", row


@pytest.mark.parametrize("contents", [True, False])
def test_a_whole_act_is_sound_with_contents_and_without(contents: bool) -> None:
    row = report(rewritten(lambda n, s: s, contents=contents))
    assert (row["verdict"], row["reason"]) == ("sound", "")
    assert (row["n_sections"], row["n_listed"]) == (40, 40 * contents)


@pytest.mark.parametrize(
    ("rewrite", "contents", "words"),
    [
        (lost(4), True, "30 of 40 sections of its contents were read"),
        (lost(4), False, "9 of the numbers from 1 to 39 are missing"),
        (lost(6), True, "34 of 40 sections of its contents were read"),
        (tail_lost, True, "24 of 40 sections of its contents were read"),
        (tail_lost, False, "one section has"),
    ],
)
def test_an_act_of_which_sections_are_lost_is_doubtful(rewrite: Rewrite, contents: bool, words: str) -> None:
    row = report(rewritten(rewrite, contents=contents))
    assert row["verdict"] == "doubtful"
    assert words in row["reason"]


@pytest.mark.parametrize(
    ("contents", "last", "reason"),
    [
        (False, 0, ""),
        (
            False,
            12,
            "3 of the numbers from 1 to 12 are missing among its sections; sections 10, 11, 12 are not there",
        ),
        (True, 12, ""),  # its contents say that this edition has no more
        (False, 9, ""),
    ],
)
def test_a_tail_that_is_not_there_is_missed_where_the_last_section_is_known(
    contents: bool, last: int, reason: str
) -> None:
    row = report(rewritten(lambda n, s: s, contents=contents, sections=9), last=last)
    assert (row["verdict"], row["reason"]) == ("doubtful" if reason else "sound", reason)


def test_the_last_section_is_known_of_a_central_act_by_its_title_and_of_nothing_else() -> None:
    titles = ("The Sale of Goods Act, 1930", "The Lantern Act, 2020")
    identities = [ActIdentity(slug(t), t, "", None, "none", "first_pages", 1, 9) for t in titles]
    rules = replace(identities[0], kind="rules")
    assert [span.last_section for span in act_spans([*identities, rules])] == [66, 0, 0]


@pytest.mark.parametrize(
    ("lost_numbers", "words"),
    [
        ({12}, "the heading of section 12 is in the text, but not read as one"),
        ({20, 21}, "sections 20, 21 of its contents are not there"),
        ({40}, "section 40 of its contents is not there"),
    ],
)
def test_of_what_the_contents_list_a_few_sections_may_not_be_missing(
    lost_numbers: set[int], words: str
) -> None:
    def rewrite(n: int, s: Section) -> Section:
        return replace(s, number="") if n in lost_numbers else s

    row = report(rewritten(rewrite, contents=True))
    assert row["verdict"] == "doubtful" and words in row["reason"], row


def test_an_act_without_its_first_section_is_doubted() -> None:
    row = report(rewritten(lambda n, s: replace(s, number="", heading="—") if n == 1 else s, contents=False))
    assert row["verdict"] == "doubtful" and "its section 1 is not there" in row["reason"]


def test_a_judgment_that_is_read_as_an_act_is_doubted() -> None:
    said = "Learned counsel relied on AIR 1978 SC 597 and on (2017) 10 SCC 1; the learned judge disagreed."
    row = report(rewritten(lambda n, s: replace(s, paragraphs=[said]), contents=True))
    assert row["verdict"] == "doubtful" and "cites cases and counsel" in row["reason"]


def printed_numbers(*numbers: int) -> str:
    rows = [
        dict.fromkeys(LINES.arrow.names)
        | {"document_id": "d", "page": page, "role": "page_number", "text": f"- {number} -", "marks": []}
        | {"row": 0, "bold": 0, "italic": False, "column": 0}
        | dict.fromkeys(("x0", "y0", "x1", "y1", "size"), 0.0)
        for page, number in enumerate(numbers, 1)
    ]
    return missing_pages(LINES.rows(rows))


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((7, 8, 9, 10), ""),
        ((1, 2, 88, 4, 5), ""),  # misread
        ((1, 2, 3, 1, 2, 3), ""),  # a part that counts anew
        ((1, 2, 5, 6), "from 2 to 5 (page 3 of the file): pages are missing"),
        ((1, 5, 2, 4, 3), "from 1 to 5 (page 2 of the file), and do so 3 times more"),
        ((), ""),
    ],
)
def test_printed_page_numbers_tell_of_pages_that_are_missing(numbers: tuple[int, ...], words: str) -> None:
    said = printed_numbers(*numbers)
    assert words in said and bool(words) == bool(said)


def test_an_act_of_which_most_is_lost_has_failed() -> None:
    row = report(rewritten(lambda n, s: s if n in (1, 2, 30) else lost(1)(n, s), contents=True))
    assert row["verdict"] == "failed" and "3 of 40 sections" in row["reason"]


def longer(number: int, times: int) -> Rewrite:
    """One section many times as long as it is."""
    return lambda n, s: repeated(s, s.paragraphs, times) if n == number else s


def repeated(section: Section, paragraphs: Sequence[str], times: int) -> Section:
    """Paragraphs again and again, none the same."""
    return replace(section, paragraphs=[f"{p} It is case {i}." for i in range(times) for p in paragraphs])


@pytest.mark.parametrize("contents", [True, False])
def test_a_small_act_may_have_a_long_section_but_not_a_last_one_that_swallowed_others(contents: bool) -> None:
    middle = report(rewritten(longer(3, 20), contents=contents, sections=9))
    last = report(rewritten(longer(9, 20), contents=contents, sections=9))
    assert middle["verdict"] == "sound" and (last["verdict"] == "sound") == contents


@pytest.mark.parametrize(("times", "verdict"), [(3, "sound"), (30, "doubtful")])
def test_of_few_sections_the_last_may_be_most_of_the_act_unless_it_is_long(times: int, verdict: str) -> None:
    def rewrite(n: int, s: Section) -> Section:
        return repeated(s, s.paragraphs, times) if n == 4 else replace(s, paragraphs=s.paragraphs[:1])

    row = report(rewritten(rewrite, contents=False, sections=4))
    assert row["verdict"] == verdict and row["longest"] > 0.7, row


def test_contents_are_not_taken_for_sections_where_the_first_section_is_lost() -> None:
    row = report(rewritten(lambda n, s: lost(1)(n, s) if n in (1, 5) else s, contents=True, sections=6))
    assert (row["n_listed"], row["n_sections"]) == (6, 4)
    assert row["verdict"] == "doubtful" and "4 of 6 sections of its contents" in row["reason"]


def test_sections_that_are_those_of_a_schedule_alone_leave_the_text_outside() -> None:
    entries = [f"{n}. A lamp of class {n}, as it is described in the rules." for n in range(1, 6)]
    complete = report(rewritten(lambda n, s: s, contents=False, schedule=entries))
    assert (complete["verdict"], complete["n_sections"]) == ("sound", 40)
    row = report(rewritten(lost(1), contents=False, schedule=entries))
    assert row["verdict"] == "failed" and row["outside"] > 0.5, row


def test_what_runs_is_counted_and_what_is_left_of_it() -> None:
    row = report(editions.edition("two_lines"))
    pages = len(
        {line["page"] for line in parse_document(editions.edition(), "d", ParseConfig())["lines"].to_pylist()}
    )
    assert row["heads"] == 2 * (pages - 1) and row["heads_left"] == 0


def test_a_document_is_judged_by_the_worst_of_its_acts() -> None:
    documents = DOCUMENTS.rows([dict.fromkeys(DOCUMENTS.arrow.names) | _document(name) for name in "ab"])
    verdicts = [("a", "sound", ""), ("a", "failed", "few"), ("a", "doubtful", "some")]
    reports = REPORTS.rows(
        [
            dict.fromkeys(REPORTS.arrow.names) | {"document_id": d, "verdict": v, "reason": r}
            for d, v, r in verdicts
        ]
    )
    rows = fill_verdicts(documents, reports).to_pylist()
    assert [(r["verdict"], r["verdict_reason"]) for r in rows] == [("failed", "few"), ("", "")]


def _document(name: str) -> dict[str, Any]:
    texts = dict.fromkeys(("status", "reason", "kind", "language", "layout", "verdict", "verdict_reason"), "")
    return texts | {"document_id": name, "n_pages": 1, "body_size": 10.0, "acts": [], "warnings": []}


@pytest.mark.parametrize(
    ("sheets", "doubted"),
    [
        ([[1], [2], [3], [4]], False),
        ([[1], [2], [6], [7]], True),
        ([[1, 2], [3, 4], [5, 6]], False),
        ([[2, 3], [4, 5], [6]], False),
        ([[1, 2], [3, 4], [9, 10], [11, 12]], True),
    ],
)
def test_printed_page_numbers_follow_each_other_also_two_on_a_sheet(
    sheets: list[list[int]], doubted: bool
) -> None:
    rows = [(page, str(n)) for page, printed in enumerate(sheets, 1) for n in printed]
    pages, texts = zip(*rows, strict=True)
    columns = {"page": pages, "role": ["page_number"] * len(rows), "text": texts, "row": [0] * len(rows)}
    assert bool(missing_pages(pa.table(columns))) == doubted


def edges(role: str, texts: Sequence[str]) -> str:
    """What the first rows of pages say, each above a row of law."""
    rows = [
        {"page": page, "row": row, "role": kind, "text": text}
        for page, head in enumerate(texts, 1)
        for row, (kind, text) in enumerate([(role, head), ("body", "A wick burns.")])
    ]
    return missing_pages(pa.Table.from_pylist(rows))


HEADS = [f"{n} THE GAZETTE OF GOA" if n % 2 else f"[Part II THE GAZETTE OF GOA {n}" for n in range(40, 60)]
FEET = [f"Page {n} of 20" for n in range(1, 21)]


@pytest.mark.parametrize(
    ("role", "texts", "words"),
    [
        ("header", HEADS, ""),
        ("header", [*HEADS[:9], *HEADS[12:]], "from 48 to 52 (page 10 of the file)"),
        ("header", [*HEADS[:9], HEADS[10], HEADS[9], *HEADS[11:]], "from 48 to 50 (page 10 of the file)"),
        ("footer", FEET, ""),
        ("footer", [*FEET[:5], *FEET[7:]], "from 5 to 8 (page 6 of the file)"),
        ("footer", ["The Lamps Act, 1950"] * 8, ""),
        # a scan has lost its heads: what several agree with is a number, and a section is none
        ("body", [*HEADS[:3], "12 of 1950 shall", *HEADS[4:9], *HEADS[12:]], "from 48 to 52"),
        ("body", ["as in 1950"] * 2 + ["A wick burns."] * 18, ""),
    ],
)
def test_numbers_of_pages_stand_in_running_heads_too(role: str, texts: list[str], words: str) -> None:
    said = edges(role, texts)
    assert words in said and bool(words) == bool(said)


def test_numbers_that_few_pages_have_are_not_those_of_pages() -> None:
    rows = [{"page": page, "row": 0, "role": "body", "text": "A wick burns."} for page in range(1, 10)]
    rows += [
        {"page": n, "row": 1, "role": "page_number", "text": str(100 + k)} for k, n in enumerate([1, 5, 7])
    ]
    table = pa.Table.from_pylist(rows)
    assert missing_pages(table) == ""


def test_a_section_without_text_and_one_that_continues_none_are_doubted() -> None:
    bare = report(rewritten(lambda n, s: replace(s, paragraphs=[""]) if n == 7 else s, contents=True))
    assert bare["verdict"] == "doubtful" and "section 7 has no text" in bare["reason"], bare
    rows = editions.constitution(24)
    chapters = [
        (n, h, [replace(s, paragraphs=[""]) if s.number == "6" else s for s in ss])
        for n, h, ss in rows.chapters
    ]
    heading = report(print_act(Act(rows.title, rows.number, chapters), SITUATIONS["heading: row, capitals"]))
    assert "section 6 has no text" in heading["reason"], heading
    alone = report(rewritten(lambda n, s: replace(s, number="7A") if n == 7 else s, contents=False))
    assert "section 7A is there, but not section 7" in alone["reason"], alone


@pytest.mark.parametrize(
    ("paragraphs", "words"),
    [
        (["(1) A wick burns.", "(2) It is trimmed."], ""),
        (["(1) A wick burns.", "(3) It is trimmed."], "subsection (2) is not there before 7(3)"),
        (["(1) A wick burns.", "* * * * *", "(3) It is trimmed."], ""),
        (["(1) A wick burns, and (2) it smokes.", "(3) It is trimmed."], ""),
        (["A keeper—", "(a) trims;", "(d) lights;", "(e) rests."], "clause (b) is not there before 7(d)"),
        (["A keeper—", "(a) trims;", "(b) lights;", "([c) rows;", "(d) rests."], ""),
        (["A keeper—", "(a) trims;", "(c) rows;", "(d) rests."], "clause (b) is not there before 7(c)"),
        (["A keeper—", "(a) trims;", "(c) rows;", "(c) rests."], ""),
        (["A keeper—", "(a) trims;", "(c) rows;", "(b) rests."], ""),
        (
            ["A keeper—", "(a) trims;", "(h) rows;", "(e) rests;", "(d) dips; or", "(z) is idle."],
            "follow none",
        ),
        (
            ["The lamps in the First Schedule burn."],
            "7 cites the First Schedule, which is not in this document",
        ),
        (["The lamps in the Schedule to the Lamp Act, 1950, burn."], ""),
        (["A lamp --- if any --- and a wick --- if dry --- are lit."], ""),
        (
            ["(1) A wick burns.", "It is trimmed."],
            "section 7 has a (1), and behind it a paragraph without a mark",
        ),
        (
            ["The keeper shall—", *(f"trim the wick on {day}day;" for day in ("Mon", "Tues", "Fri", "Sun"))],
            "no marks on page",
        ),
        (["The keeper shall—", *(f"({mark}) trim the wick by {mark};" for mark in "abcd")], ""),
    ],
)
def test_parts_that_have_lost_their_marks_are_doubted(paragraphs: Sequence[str], words: str) -> None:
    row = report(rewritten(lambda n, s: replace(s, paragraphs=paragraphs) if n == 7 else s, contents=True))
    assert words in row["reason"] and bool(words) == bool(row["reason"]), row
    assert row["verdict"] == ("incomplete" if "cites" in words else "doubtful" if words else "sound"), row


@pytest.mark.parametrize(
    ("bare", "words"),
    [
        ({7}, ""),
        ({7, 12}, "the headings of sections 7 and 12 stand in its contents alone"),
        ({*range(3, 40)}, ""),  # which a print without headings does not have either
    ],
)
def test_headings_that_only_the_contents_have_are_doubted(bare: set[int], words: str) -> None:
    data = rewritten(lambda n, s: replace(s, heading="") if n in bare else s, contents=True)
    reason = report(data)["reason"]
    assert words in reason and ("alone" in reason) == bool(words), reason


@pytest.mark.parametrize(
    ("dates", "words"),
    [
        ("On 38-12-1985, 12-19-1973 and 1.1.7984 it burnt.", "3 dates and years cannot be: '38-12-1985'"),
        ("The Wicks Act, 1362 (9 of 9162) burnt in May, 9102.", "3 dates and years cannot be"),
        ("The Wicks Act, 1962 (9 of 1962) burnt on 28-12-1985, 1.1.1984 and in May, 2012.", ""),
    ],
)
def test_dates_that_cannot_be_are_doubted(dates: str, words: str) -> None:
    row = report(rewritten(lambda n, s: replace(s, paragraphs=[dates]) if n == 7 else s, contents=True))
    assert words in row["reason"] and bool(words) == bool(row["reason"]), row


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["1 A wick burns.", "b any lamp;", "it burns."], "brackets are missing on page 3"),
        (["1 A wick burns.", "b any lamp (lit);", "it burns."], ""),
        (["A wick burns.", "b any lamp;", "it burns."], ""),
        (["7 Lamps", "8 Wicks", "it burns."], ""),
    ],
)
def test_a_page_whose_brackets_are_lost_is_doubted(texts: Sequence[str], words: str) -> None:
    rows = {3: [replace(_rows_of(3, {})[0], text=text) for text in texts]}
    assert _bracketless(rows, range(1, 9)) == words


def test_figures_with_letters_and_words_that_are_lost_are_doubted() -> None:
    misread = report(
        rewritten(
            lambda n, s: replace(s, paragraphs=["In 2Ol6 and l95O it burnt."]) if n == 7 else s,
            contents=True,
        )
    )
    assert "letters stand for digits on page" in misread["reason"], misread
    data = rewritten(lambda n, s: s, contents=True)
    with pymupdf.open(stream=data, filetype="pdf") as document:
        FIRST["faint"](Paper(document, range(3, len(document)), b"", chance_of("a")))
        row = report(typeset.saved(document))
    assert "words may be missing within the rows" in row["reason"], row


@pytest.mark.parametrize(
    ("holes", "pages"), [({3: 2}, ""), ({3: 3}, "page 3"), ({3: 1, 4: 1, 5: 2}, "pages 3-5"), ({3: 9}, "")]
)
def test_holes_within_rows_are_doubted_but_no_table(holes: dict[int, int], pages: str) -> None:
    by_page = {page: _rows_of(page, {}) for page in range(1, 8)}
    for page, n in holes.items():
        for i, row in enumerate(by_page[page][:n]):
            at = 150.0 + 7 * i
            behind = "302 Such goods" if n == 9 and i % 3 else ", as a wick, such goods"
            before = "of “lamp” means [" if i else "of “lamp” means,"
            row.cells = ((72.0, at, before), (at + 60, 500.0, f"]{behind}" if i and n != 9 else behind))
    assert _faint(by_page, range(1, 8)) == (pages and f"words may be missing within the rows of {pages}")


@pytest.mark.parametrize(("note", "doubted"), [(None, True), (260.0, False), (500.0, True)])
def test_a_gap_beside_a_long_marginal_note_is_no_loss(note: float | None, doubted: bool) -> None:
    by_page = {page: _rows_of(page, {10: 60.0} if page == 3 else {}) for page in range(1, 8)}
    margins = [MarginLine(3, note, False, "which.")] if note else []
    assert bool(_gaping(by_page, range(1, 8), margins, 523.0)) is doubted


@pytest.mark.parametrize(
    ("above", "below", "doubted"),
    [
        ("the Chairperson and Members of the Tribunal who", "Member of the Tribunal.", True),
        ("the Chairperson and Members of the Tribunal who.", "Member of the Tribunal.", False),
        ("the Chairperson and Members of the Tribunal who", "FORM A", False),
    ],
)
def test_a_gap_within_a_sentence_is_a_loss_however_the_next_row_stands(
    above: str, below: str, doubted: bool
) -> None:
    by_page = {page: _rows_of(page, {10: 60.0} if page == 3 else {}) for page in range(1, 8)}
    by_page[3][9].text, by_page[3][10].text, by_page[3][10].centred = above, below, True
    assert bool(_gaping(by_page, range(1, 8), [], by_page[3][9].x1)) is doubted


@pytest.mark.parametrize(
    ("above", "below", "words"),
    [
        ("The Board shall keep a register of the", "(b) maintain a lamp at night.", "within a sentence"),
        ("The Board shall keep a register of the", "12. Lamps are lit.", "within a sentence"),
        ("He shall, as is provided in clause", "(b) of section 2, light it.", ""),
        ("He shall, under sub-sections (2) to", "(4) of section 2, light it.", ""),
        ("The Board shall keep a register; and", "(b) maintain a lamp at night.", ""),
        ("|~^.-_:;'lij ftv/|~^.-_:;'lij ftv/|~^.-_:;'lij", "A lamp is lit.", "no words"),
        ("Name ______________________________ (in full), ______________", "A lamp is lit.", ""),
    ],
)
def test_a_sentence_that_breaks_off_and_rows_of_signs_are_doubted(above: str, below: str, words: str) -> None:
    first, second = (replace(_rows_of(3, {})[0], text=text) for text in (above, below))
    assert words in (said := _broken_off({3: [first, second]}, [3])) and bool(words) == bool(said)


def test_a_heading_that_stands_above_its_number_is_not_in_the_contents_alone() -> None:
    text = "Of oil.\n\nWAGES OF KEEPERS\n\n3. Each shall be paid by the seventh day of a month."
    section = Node(
        "section", "3", "sec_3", "WAGES OF KEEPERS", text.index("3."), text.index("Each"), len(text)
    )
    assert not _lacks(section, text, "Wages of keepers") and _lacks(section, text, "Quorum, XYZ")


@pytest.mark.parametrize(
    ("marked", "noted", "words"),
    [
        ({2: 1, 3: 1, 5: 1}, {2, 3, 5}, ""),
        ({2: 1, 3: 1, 5: 1}, {2, 3}, ""),
        ({2: 1, 3: 3, 5: 1}, {2, 5}, "on page 3"),
        ({2: 1, 3: 1, 5: 1}, {2}, "on pages 3, 5"),
    ],
)
def test_marks_of_footnotes_without_their_notes_are_missed(
    marked: dict[int, int], noted: set[int], words: str
) -> None:
    by_page = {page: _rows_of(page, {}) for page in range(1, 8)}
    for page, count in marked.items():
        for row in by_page[page][:count]:
            row.marks.append((3, "1"))
    reason = _unexplained(by_page, range(1, 8), noted)
    assert words in reason and bool(words) == bool(reason)


def _rows_of(page: int, more: dict[int, float]) -> list[Row]:
    """Forty rows of prose, 12 points apart, further where it is said."""
    tops = accumulate((12.0 + more.get(n, 0.0) for n in range(1, 41)), initial=100.0)
    text = "of such goods as may be supplied by any person to the Central Government under this"
    return [Row(page, 90.0, 500.0, y, 10.0, 0, False, text) for y in tops]
