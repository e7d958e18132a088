"""Sentences of amending Acts, of the Union and of States, of the fifties and of today, as instructions."""

from __future__ import annotations

import pytest

from citegrain.tasks.core.schemas import ACTS, PROVISIONS
from citegrain.tasks.law.amending_acts import instruction_rows
from citegrain.tasks.law.amending_acts.instructions import amends, read_instructions
from citegrain.tasks.law.amending_acts.places import in_words, paths
from tests.tasks.law.amending_acts.amenders import (
    AMENDING,
    ENACTED,
    PRINCIPAL,
    act_row,
    amending_act,
    amending_row,
    build_tables,
    instructions_of,
    principal_row,
)

Read = tuple[str, str, tuple[str, ...], tuple[str, ...], str]

CASES: list[tuple[str, list[Read]]] = [
    (
        "In section 7 of the principal Act, in sub-section (2), in clause (b), for the words “two lamps”, the words "
        "“three lamps” shall be substituted.",
        [("section 7, sub-section (2), clause (b)", "words_substituted", ("two lamps",), ("three lamps",), "")],
    ),
    (
        'In section 5 of the said Act for the words "one hundred" the words "two hundred" shall be substituted.',
        [("section 5", "words_substituted", ("one hundred",), ("two hundred",), "")],
    ),
    (
        "In section 8,—\n(i) in sub-section (3),—\n(a) after the word “oil”, the words “or gas” shall be inserted;\n"
        "(b) the proviso shall be omitted;\n(ii) in sub-section (4), for the second proviso, the following proviso "
        "shall be substituted, namely:—\n“Provided further that a keeper, if he asks for it, is paid.”; and\n"
        "(iii) the words “at night”, wherever they occur, shall be omitted.",
        [
            ("section 8, sub-section (3)", "words_inserted", ("oil",), ("or gas",), ""),
            ("section 8, sub-section (3), proviso", "omit", (), (), ""),
            (
                "section 8, sub-section (4), second proviso", "substitute", (),
                ("Provided further that a keeper, if he asks for it, is paid.",), "",
            ),
            ("section 8", "words_omitted", ("at night",), (), "all"),
        ],
    ),
    (
        "After section 12 of the principal Act, there shall be inserted the following section, namely:—\n"
        '‘12A. In this section, "Board" means the Board.’',
        [("section 12", "insert_after", (), ('12A. In this section, "Board" means the Board.',), "")],
    ),
    (
        "For sections 3 and 4 of the principal Act, the following sections shall be substituted, namely:—\n"
        "“3. One.\n4. Two.”.",
        [
            ("section 3", "substitute", (), ("3. One.\n4. Two.",), ""),
            ("section 4", "substitute", (), ("3. One.\n4. Two.",), ""),
        ],
    ),
    (
        "In the First Schedule to the principal Act, in entry 5, for the words ‘five rupees’, the words ‘ten rupees’ "
        "shall be substituted, and entry 9 shall be omitted.",
        [
            ("first schedule, entry 5", "words_substituted", ("five rupees",), ("ten rupees",), ""),
            ("first schedule, entry 9", "omit", (), (), ""),
        ],
    ),
    (
        "Section 12 of the principal Act shall be re-numbered as sub-section (1) thereof, and after sub-section (1) "
        'as so re-numbered, the following sub-section shall be inserted, namely :—\n"(2) Rules shall be laid.".',
        [
            ("section 12", "renumber", (), ("sub-section (1) thereof",), ""),
            ("section 12, sub-section (1)", "insert_after", (), ("(2) Rules shall be laid.",), ""),
        ],
    ),
    (
        "In section 14, for the portion beginning with the words “one year” and ending with the words “the course”, "
        "the words “three years” shall be substituted.",
        [("section 14", "words_substituted", ("one year", "the course"), ("three years",), "from")],
    ),
    (
        "In the principal Act, for the word “Collector”, wherever it occurs, there shall be substituted the words "
        "“Deputy Commissioner”.",
        [("", "words_substituted", ("Collector",), ("Deputy Commissioner",), "all")],
    ),
    (
        'In section 4, for "two years" substitute "three years".\nSection 9: omit sub-section (3).\n'
        'In section 10, after sub-section (2), insert—\n"(3) A new one.".',
        [
            ("section 4", "words_substituted", ("two years",), ("three years",), ""),
            ("section 9, sub-section (3)", "omit", (), (), ""),
            ("section 10, sub-section (2)", "insert_after", (), ("(3) A new one.",), ""),
        ],
    ),
    (
        "In clause (1) of article 341 of the Constitution, for the words “may, after consultation,”, the words “may” "
        "shall be substituted.",
        [("article 341, clause (1)", "words_substituted", ("may, after consultation,",), ("may",), "")],
    ),
    (
        "In section 2, in clause (b), the definition of “family” shall be omitted and for the marginal heading, the "
        "following marginal heading shall be substituted, namely:—\n“Meanings.”.",
        [
            ("section 2, clause (b), definition family", "omit", (), (), ""),
            ("section 2, heading", "substitute", (), ("Meanings.",), ""),
        ],
    ),
    (
        "In section 186, for the words “two” and “five”, the words “one” and “nine” shall respectively be substituted.",
        [
            ("section 186", "words_substituted", ("two",), ("one",), ""),
            ("section 186", "words_substituted", ("five",), ("nine",), ""),
        ],
    ),
    (
        'Article 101.-In clause (2), omit "of a State", and for "such a State" substitute "a State".\nOmit article 242.\n'
        'Article 214.-Omit "(1)" and clauses (2) and (3).\nArticle 280.-In clause (3), omit sub-clause (c) and re-letter '
        'sub-clause (d) as sub-clause (c).',
        [
            ("article 101, clause (2)", "words_omitted", ("of a State",), (), ""),
            ("article 101, clause (2)", "words_substituted", ("such a State",), ("a State",), ""),
            ("article 242", "omit", (), (), ""),
            ("article 214", "words_omitted", ("(1)",), (), ""),
            ("article 214, clause (2)", "omit", (), (), ""),
            ("article 214, clause (3)", "omit", (), (), ""),
            ("article 280, clause (3), sub-clause (c)", "omit", (), (), ""),
            ("article 280, clause (3), sub-clause (d)", "renumber", (), ("sub-clause (c)",), ""),
        ],
    ),
    (
        "(1) In clause (1) of article 168 of the Constitution, in sub-clause (a), after the word “Madras”, the word "
        "“Mysore” shall be inserted.\n(2) In the said sub-clause, after the word “Bombay”, the word “Goa” shall be "
        "inserted.",
        [
            ("article 168, clause (1), sub-clause (a)", "words_inserted", ("Madras",), ("Mysore",), ""),
            ("article 168, clause (1), sub-clause (a)", "words_inserted", ("Bombay",), ("Goa",), ""),
        ],
    ),
    (
        "In the Seventh Schedule, entry 33 of the Union List and entry 36 of the State List shall be omitted.",
        [
            ("seventh schedule, list union, entry 33", "omit", (), (), ""),
            ("seventh schedule, list state, entry 36", "omit", (), (), ""),
        ],
    ),
    (
        "In section 5, the words “two years” shall be substituted by the words “three years”, and the word “Board” shall be "
        "substituted for the word “State”.",
        [
            ("section 5", "words_substituted", ("two years",), ("three years",), ""),
            ("section 5", "words_substituted", ("State",), ("Board",), ""),
        ],
    ),
    (
        "In section 5, in clause (c), for the full stop, a semi-colon shall be substituted and thereafter the following "
        "clause shall be added, namely:—\n“(d) oil.”.",
        [
            ("section 5, clause (c)", "words_substituted", (".",), (";",), ""),
            ("section 5, clause (c)", "insert_after", (), ("(d) oil.",), ""),
        ],
    ),
    (
        "The following new sub-section (5) shall be added after sub-section (4) of section 66, namely:-\n\"(5) Rules.\"",
        [("section 66, sub-section (4)", "insert_after", (), ("(5) Rules.",), "")],
    ),
    (
        "In section 30, the words \"by order\" shall be deleted and in place thereof the words \"by rule\" shall be substituted.",
        [("section 30", "words_substituted", ("by order",), ("by rule",), "")],
    ),
    (
        "In the First Schedule, under the heading “I. THE STATES”,—\n(a) for the entry against “13. Goa”, the following shall be "
        "substituted, namely:—\n“All of it.”;\n(b) entry 2 relating to Diu shall be omitted.",
        [
            ("first schedule, entry 13", "substitute", (), ("All of it.",), ""),
            ("first schedule, entry 2", "omit", (), (), ""),
        ],
    ),
    (
        "In sub-section (1) of section 3, clause (a) of section 10, and sub-section (2) of section 11, for the word “a”, the "
        "word “b” shall be substituted.",
        [
            ("section 3, sub-section (1)", "words_substituted", ("a",), ("b",), ""),
            ("section 10, clause (a)", "words_substituted", ("a",), ("b",), ""),
            ("section 11, sub-section (2)", "words_substituted", ("a",), ("b",), ""),
        ],
    ),
    (
        "(h) in section 113,—\n(i) in sub-section (1), the word “a” shall be omitted;\n(ii) in sub-section (3), the word “b” "
        "shall be omitted;\n(i) in section 116, the proviso shall be omitted.",
        [
            ("section 113, sub-section (1)", "words_omitted", ("a",), (), ""),
            ("section 113, sub-section (3)", "words_omitted", ("b",), (), ""),
            ("section 116, proviso", "omit", (), (), ""),
        ],
    ),
    (
        "In section 4, between the words “two” and “the”, the word “old” shall be inserted; for the words \" oil\" the words "
        "\" gas\" shall be substituted.",
        [
            ("section 4", "words_inserted", ("two",), ("old",), ""),
            ("section 4", "words_substituted", ("oil",), ("gas",), ""),
        ],
    ),
    (  # signs that the print has lost
        "In section 6, for the words two lamps, the words three lamps shall be substituted, the words and oil shall be "
        "omitted, and for the figures 126, the figures \"114\" shall be substituted.",
        [
            ("section 6", "words_substituted", ("two lamps",), ("three lamps",), ""),
            ("section 6", "words_omitted", ("and oil",), (), ""),
            ("section 6", "words_substituted", ("126",), ("114",), ""),
        ],
    ),
    (
        "In the First Schedule, in column 2, against entry 3, for the words ten the words fifty shall be and shall always be "
        "deemed to have been substituted; and after entry 5 the following entry shall be added, namely:—\n“6. Oil, sixty.”",
        [
            ("first schedule, column 2, entry 3", "words_substituted", ("ten",), ("fifty",), ""),
            ("first schedule, entry 5", "insert_after", (), ("6. Oil, sixty.",), ""),
        ],
    ),
    (
        "Section 9 shall be renumbered as sub-section (1) thereof, and after the sub-section so renumbered, the following shall "
        "be inserted, namely:—\n“(2) Oil.”",
        [
            ("section 9", "renumber", (), ("sub-section (1) thereof",), ""),
            ("section 9, sub-section (1)", "insert_after", (), ("(2) Oil.",), ""),
        ],
    ),
    (
        "To section 9 of the principal Act, the following proviso shall be added, namely:—\n“Provided that he asks.”",
        [("section 9", "insert", (), ("Provided that he asks.",), "")],
    ),
    (
        "In section 6, after the words the keeper, the words or his deputy shall be inserted; for the words Board of Oil "
        "wherever they occur, the words Board shall be substituted; the words and figures or the Oil Act, 1897 shall be "
        "omitted; for the portion beginning with the words shall be fined and ending with the words or both, the words is "
        "fined shall be substituted.",
        [
            ("section 6", "words_inserted", ("the keeper",), ("or his deputy",), ""),
            ("section 6", "words_substituted", ("Board of Oil",), ("Board",), "all"),
            ("section 6", "words_omitted", ("or the Oil Act, 1897",), (), ""),
            ("section 6", "words_substituted", ("shall be fined", "or both"), ("is fined",), "from"),
        ],
    ),
    (
        "In section 7,—\n(a) in clause (c), for the words section 43, the words section 43; or shall be substituted;\n(b) the words "
        "so, however, that he shall be told of it shall be omitted;\n(c) for sub-section (3), the following sub-section shall be "
        "substituted, namely:—\n(3) The Board shall consist of the following, namely:—\n(a) a chairman; and\n(b) four other "
        "members;\n(d) in sub-section (4), the word oil shall be omitted.",
        [
            ("section 7, clause (c)", "words_substituted", ("section 43",), ("section 43; or",), ""),
            ("section 7", "words_omitted", ("so, however, that he shall be told of it",), (), ""),
            (
                "section 7, sub-section (3)",
                "substitute",
                (),
                ("(3) The Board shall consist of the following, namely:—\n(a) a chairman; and\n(b) four other members;",),
                "",
            ),
            ("section 7, sub-section (4)", "words_omitted", ("oil",), (), ""),
        ],
    ),
    (
        "In section 8, for the word Collector the words Deputy Collector, for the words fine of one rupee as occurring between "
        "the words be liable to a and the words or both, the words fine of ten rupees and for the words figures and letters "
        "section 8A, the words, figures and letters section 8B shall be substituted; between the word Provided and the words "
        "that no the word also shall be inserted, and the word or shall be added at the end.",
        [
            ("section 8", "words_substituted", ("Collector",), ("Deputy Collector",), ""),
            ("section 8", "words_substituted", ("fine of one rupee",), ("fine of ten rupees",), ""),
            ("section 8", "words_substituted", ("section 8A",), ("section 8B",), ""),
            ("section 8", "words_inserted", ("Provided",), ("also",), ""),
            ("section 8", "words_inserted", (), ("or",), "end"),
        ],
    ),
    (
        "In section 7,—\n(i) the brackets and figure (1) and sub-section (2) shall be omitted;\n(ii) the expression of five "
        "miles shall be omitted;\n(iii) after the words a month's notice, the words in writing shall be inserted;\n(iv) for "
        "the words with prison, the following shall be substituted, namely:—\n“with a fine”.",
        [
            ("section 7", "words_omitted", ("(1)",), (), ""),
            ("section 7, sub-section (2)", "omit", (), (), ""),
            ("section 7", "words_omitted", ("of five miles",), (), ""),
            ("section 7", "words_inserted", ("a month's notice",), ("in writing",), ""),
            ("section 7", "words_substituted", ("with prison",), ("with a fine",), ""),
        ],
    ),
    (
        "In section 9,—\n(i) in sub-section (1), in clause (c), for the word “and” occurring at the end, the word “or” shall "
        "be substituted;\n(ii) after clause (c) so amended, the following clause shall be inserted, namely:—\n“(ca) oil.”\n"
        "(iii) the proviso to sub-section (4) shall be omitted.",
        [
            ("section 9, sub-section (1), clause (c)", "words_substituted", ("and",), ("or",), "last"),
            ("section 9, sub-section (1), clause (c)", "insert_after", (), ("(ca) oil.",), ""),
            ("section 9, sub-section (4), proviso", "omit", (), (), ""),
        ],
    ),
    (  # no signs at all, and forms that States use
        "In section 5,—\n(i) for the existing words, lamp of oil the words and mark lamp, or wick shall be substituted;\n(ii) the "
        "word and occurring at the end shall be omitted;\n(iii) the words by night and the words by day shall be omitted;\n(iv) "
        "the words Subject to section 6 shall be inserted at the beginning;\n(v) for the words ten and five the words twenty and "
        "ten shall, respectively, be substituted and shall be deemed to have been substituted;\n(vi) the words a lamp, the words "
        "two lamps shall be substituted;\n(vii) for the word or occurring after the words paid by him, the word and shall be "
        "substituted;\n(viii) for the words beginning with on oath and ending with or both the following shall be substituted, "
        "namely:—\nin writing.",
        [
            ("section 5", "words_substituted", ("lamp of oil",), ("lamp, or wick",), ""),
            ("section 5", "words_omitted", ("and",), (), "last"),
            ("section 5", "words_omitted", ("by night",), (), ""),
            ("section 5", "words_omitted", ("by day",), (), ""),
            ("section 5", "words_inserted", (), ("Subject to section 6",), "beginning"),
            ("section 5", "words_substituted", ("ten",), ("twenty",), ""),
            ("section 5", "words_substituted", ("five",), ("ten",), ""),
            ("section 5", "words_substituted", ("a lamp",), ("two lamps",), ""),
            ("section 5", "words_substituted", ("or",), ("and",), ""),
            ("section 5", "words_substituted", ("on oath", "or both"), ("in writing.",), "from"),
        ],
    ),
    (
        "4. In section 8, after sub-section (1), the following shall be inserted, namely:—\n(1A) He pays by the Code. 5. In "
        "section 9, for the words one hundred rupees and ten rupees, the words one thousand and five hundred rupees and fifty "
        "rupees shall respectively be substituted.",
        [
            ("section 8, sub-section (1)", "insert_after", (), ("(1A) He pays by the Code.",), ""),
            ("section 9", "words_substituted", ("one hundred rupees",), ("one thousand and five hundred rupees",), ""),
            ("section 9", "words_substituted", ("ten rupees",), ("fifty rupees",), ""),
        ],
    ),
    (  # of the signs those that close are lost
        "In section 55,—\n(a) for the words “wages entered”, the words “wages filed shall be substituted;\n(b) in sub-section (5), "
        "after the words “oil entered the following words shall be inserted, namely:—\n“and wax”.",
        [
            ("section 55", "words_substituted", ("wages entered",), ("wages filed",), ""),
            ("section 55, sub-section (5)", "words_inserted", ("oil entered",), ("and wax",), ""),
        ],
    ),
    (
        "In the Fourth Schedule in Part B,—\n(a) before entry 2, the entry 1. Oil shall be inserted;\n(b) for the figures 17 "
        "against Madras, the figures 18 shall be substituted;\n(c) after entry 7, the following shall be added as a new entry;\n"
        "8. Wicks; and\n(d) entries 8 and 9 shall be renumbered as entries 9 and 10 respectively.",
        [
            ("fourth schedule, part B, entry 2", "insert_before", (), ("1. Oil",), ""),
            ("fourth schedule, part B", "words_substituted", ("17",), ("18",), ""),
            ("fourth schedule, part B, entry 7", "insert_after", (), ("8. Wicks",), ""),
            ("fourth schedule, part B, entry 8", "renumber", (), ("entries 9 and 10 respectively",), ""),
            ("fourth schedule, part B, entry 9", "renumber", (), ("entries 9 and 10 respectively",), ""),
        ],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_a_sentence(text: str, expected: list[Read]) -> None:
    assert amends(text)
    read = [one for one, _ in read_instructions(text)]
    assert [(in_words(one.path), one.kind, one.old, one.new, one.where) for one in read] == expected


@pytest.mark.parametrize("done", ["omitted", "substituted by “wax”"])
def test_a_part_does_not_go_where_its_words_were_not_read(done: str) -> None:
    (one,) = read_instructions(f"In section 6, for the words—\nand oil,\nthe following shall be {done}.")
    assert (one[0].kind, one[0].uncertain[:14]) == ("unreadable", "the words that")


@pytest.mark.parametrize("opening", ['"', "“", "‘", "``", "''"])
def test_any_sign_of_quotation(opening: str) -> None:
    closing = {"“": "”", "‘": "’", "``": "''"}.get(opening, opening)
    text = f"In section 4, for the words {opening}a keeper’s oil{closing}, the word {opening}oil{closing} shall be substituted."
    (one,) = [read for read, _ in read_instructions(text)]
    assert (one.old, one.new) == (("a keeper’s oil",), ("oil",))


@pytest.mark.parametrize(
    ("words", "path"),
    [
        ("in the proviso to clause (b) of sub-section (3) of section 74", ["section 74, sub-section (3), clause (b), proviso"]),
        ("section 7(2)(b)", ["section 7, sub-section (2), clause (b)"]),
        ("Sections 12 to 14", ["section 12", "section 13", "section 14"]),
        ("the second and third provisos", ["second proviso", "third proviso"]),
        ("for the entries relating to section 376, the following entries", ["entry relating to section 376"]),
        ("in Part II of the Second Schedule", ["second schedule, part II"]),
        ("of the Constitution as amended by section 4", []),
        ("Amendment of section 15.—In section 18, in clause (a)", ["section 18, clause (a)"]),
        ("in the Fourth Schedule in Part B", ["fourth schedule, part B"]),
    ],
)  # fmt: skip
def test_a_place(words: str, path: list[str]) -> None:
    assert [in_words(p) for p in paths(words)] == path


def test_what_says_nothing_of_an_amendment_is_none() -> None:
    assert not amends("A keeper shall be paid, and the rules shall be laid before Parliament.")
    assert read_instructions("The enactments in the Schedule are hereby repealed.") == []
    (one,) = read_instructions("Such terms shall be added as he thinks fit. Section 8 shall be omitted.")
    assert (in_words(one[0].path), one[0].kind) == ("section 8", "omit")


TWO = amending_act(
    (
        "Amendment of section 3",
        [
            "In the Lantern Keepers (Welfare) Act, 2011 (hereinafter referred to as the principal Act), in section 3, "
            "for the words “seventh day”, the words “fifth day” shall be substituted."
        ],
    ),
    (
        "Insertion of new section 4A",
        [
            "After section 4 of the principal Act, the following section shall be inserted, namely:—",
            "“4A. Whoever withholds the oil allowance shall be punished with fine.”.",
        ],
    ),
    commencement="It shall come into force on the 1st day of October, 2018.",
)


@pytest.mark.parametrize("printed", [True, False])
def test_an_amending_act_in_print(printed: bool) -> None:
    first, second = instructions_of(build_tables(TWO, printed))
    assert (first["target_id"], first["place"]) == (f"{PRINCIPAL}/sec_3", "section 3")
    assert (first["provision_id"], first["status"]) == (f"{AMENDING}/sec_2", "found")
    assert (first["amended_by"], str(first["since"])) == ("71 of 2018", "2018-10-01")
    assert (second["kind"], second["target_id"]) == ("insert_after", f"{PRINCIPAL}/sec_4")
    assert second["new"][0].startswith("4A. Whoever")


def test_a_print_of_a_page_and_sections_that_are_quoted() -> None:
    quoted = ["“3. Wages.—They are paid at once.", "4. Penalty.—It is a fine.", "5. Fines.—They are due.”."]
    lead = "For sections 3, 4 and 5 of the Lantern Keepers (Welfare) Act, 2011, the following sections shall be substituted, namely:—"
    rows = instructions_of(
        build_tables(amending_act(("Substitution of sections 3, 4 and 5", [lead, *quoted])))
    )
    assert [row["place"] for row in rows] == ["section 3", "section 4", "section 5"]
    assert {row["provision_id"] for row in rows} == {f"{AMENDING}/sec_2"}
    assert all(row["new"][0].endswith("5. Fines.—They are due.") for row in rows)


def test_words_that_go_everywhere_in_several_acts() -> None:
    lead = "In the Estate Duty Act, 1953 (34 of 1953), the Gift-tax Act, 1958, and the Code of Civil Procedure, 1908, for the word "
    text = lead + "“Board”, wherever it occurs, the word “Office” shall be substituted."
    section = {
        "kind": "section",
        "number": "5",
        "heading": "Amendment of certain Acts",
        "text": text,
        "parent_id": None,
    }
    row = section | {
        "provision_id": f"{AMENDING}/sec_5",
        "act_id": AMENDING,
        "document_id": AMENDING,
        "page_start": 2,
    }
    targets = [r["target_act"] for r in instruction_rows([amending_row()], [row])]
    assert targets == ["estate-duty-act-1953", "gift-tax-act-1958", "code-of-civil-procedure-1908"]


@pytest.mark.parametrize(
    ("heading", "text", "places"),
    [
        (
            "Amendment of section 37 of Act IX of 1894",
            "(1) In sub-section (1), the words “or both” shall be deleted.\n(2) In sub-section (2), for the words “a "
            "lamp” the words “two lamps” shall be substituted.",
            ["section 37, sub-section (1)", "section 37, sub-section (2)"],
        ),
        ("Amendment of section 18(C)", "In para 2, omit “or both”.", ["paragraph (2)"]),
        (
            "Amendment of section 18(C)",
            "In sub-section (1), omit “or both”.",
            ["section 18C, sub-section (1)"],
        ),
        ("Amendment of section 9", "The words “or both” shall be omitted.", ["section 9"]),
        (
            "Amendment of section 12 of 1887",
            "In the said Act, the word “Munsif” wherever used shall be substituted by the word “Judge”.",
            [""],
        ),
        ("Amendment of sections 3 and 4", "In sub-section (1), omit “or both”.", ["sub-section (1)"]),
    ],
)
def test_the_section_that_only_a_heading_names(heading: str, text: str, places: list[str]) -> None:
    section = {"kind": "section", "number": "5", "heading": heading, "text": text, "parent_id": None}
    source = {
        "act_id": AMENDING,
        "document_id": AMENDING,
        "provision_id": f"{AMENDING}/sec_5",
        "page_start": 2,
    }
    rows = instruction_rows([principal_row(), amending_row()], [section | source])
    assert [row["place"] for row in rows] == places


def test_an_act_of_a_state_has_its_number_behind_its_title() -> None:
    lead = "In section 3 of the Lantern Keepers (Welfare) Act, 2011 (Goa Act 17 of 2011) (hereinafter referred to as the "
    state = amending_act(
        ("Amendment of section 3", [lead + "principal Act), the Explanation shall be omitted."]),
        (
            "Amendment of section 4",
            ["In section 4 of the principal Act, the words “or with both” shall be deleted."],
        ),
    )
    rows = instructions_of(build_tables(state, printed=False))
    assert [row["target_id"] for row in rows] == [f"{PRINCIPAL}/sec_3", f"{PRINCIPAL}/sec_4"]


def test_a_table_of_several_acts_and_acts_that_amended_before() -> None:
    schedule = (
        "Sl. No. Year No. Short title Amendments\n1. 1898 6 The Indian Post Office Act, 1898 In section 7, for the words "
        "“ten rupees”, the words “fifty rupees” shall be substituted.\n2. 1952 37 The Cinematograph Act, 1952 as amended "
        "by the Lamps Act, 1960 and the Bells Act, 1961 (A) In section 6A,—\n(i) the proviso shall be omitted."
    )
    table = {"kind": "schedule", "number": "Schedule", "heading": "", "text": schedule, "parent_id": None}
    row = table | {
        "provision_id": f"{AMENDING}/sched_1",
        "act_id": AMENDING,
        "document_id": AMENDING,
        "page_start": 2,
    }
    rows = instruction_rows([amending_row()], [row])
    assert [(r["target_act"], r["place"]) for r in rows] == [
        ("indian-post-office-act-1898", "section 7"),
        ("cinematograph-act-1952", "section 6A, proviso"),
    ]


@pytest.mark.parametrize("printed", [True, False])
def test_an_act_may_be_named_in_signs_of_quotation(printed: bool) -> None:
    lead = "In section 3 of the Lantern Keepers (Welfare) Act, 2011 (Bom. LVII of 2011), hereinafter called “the principal "
    state = amending_act(
        (
            "Amendment of section 3",
            [f"{lead}Act”, in the proviso, for “5” substitute “six”, and omit the Explanation."],
        ),
        (
            "Amendment of section 4",
            ["In section 4 of the principal Act, the words “or with both” shall be deleted."],
        ),
    )
    rows = instructions_of(build_tables(state, printed))
    assert [(row["target_id"], row["kind"], row["old"]) for row in rows] == [
        (f"{PRINCIPAL}/sec_3", "words_substituted", ["5"]),
        (f"{PRINCIPAL}/sec_3", "omit", []),
        (f"{PRINCIPAL}/sec_4", "words_omitted", ["or with both"]),
    ]


def test_the_act_of_a_heading_within_is_not_the_one_that_is_amended() -> None:
    words = (
        "In the First Schedule to the Lantern Keepers (Welfare) Act, 2011, under the heading “Of the Bell Act, 2019”, "
        "for the entry relating to section 4, the following entry shall be substituted, namely:—"
    )
    tables = build_tables(amending_act(("Amendment", [words, "“4 | Fine.”."])))
    other = act_row("bell-act-2019", "The Bell Act, 2019", "3 of 2019", ENACTED)
    acts = [*tables[ACTS.name].to_pylist(), {n: other[n] for n in ACTS.arrow.names}]
    rows = instruction_rows(acts, tables[PROVISIONS.name].to_pylist())
    assert {row["target_id"] for row in rows} == {f"{PRINCIPAL}/sched_1"}
