"""Citations of texts written by hand, of every kind and with planted faults, are found and judged right."""

from __future__ import annotations

from collections import Counter
from datetime import date
from pathlib import Path
from time import monotonic
from types import SimpleNamespace

import docx
import pytest

from citegrain.tasks.online.check import (
    CheckedCitation,
    CheckedText,
    Checker,
    Claim,
    check_page,
    check_table,
    check_text,
    flag_citations,
    quotation_difference,
    read_file,
)
from citegrain.tasks.online.check.checking import EARLIER
from citegrain.tasks.online.check.lookup import Lookup, Row
from citegrain.tasks.online.check.quoting import other_heading
from citegrain.tasks.online.check.reading import FileError, day_of
from tests.data.check.law import SHORT, labelled_texts, law_build
from tests.fakes import as_build

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


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("sec138 NI Act and s139 of the NI Act", "138 139"),
        ("Or. XXXIX R. 1 & 2 CPC", "O39R1 O39R2"),
        ("Article 21 (right to life) and 21A of the Constitution", "21 21A"),
        ("Negotiable Instruments Act, 1881 s 138", "138"),
        ("under section 304-II of the IPC", "304"),
        ("Section 66D, IT Act, 2000 and section 66A ibid", "66D 66A"),
        ("Section 506(i) of the IPC", "506"),
        ("sections 323 and 506 Part II of the Indian Penal Code", "323 506"),
        ("section 138 first proviso of the NI Act", "138"),
        ("u/s 114, illustration (g), of the Evidence Act", "114"),
        ("The insertion of article 21A in the Constitution", "21A"),
    ],
)
def test_numbers_are_read_as_people_write_them(checker: Checker, text: str, cited: str) -> None:
    citations = [c for c in checker.check(text, DAY) if c.number]
    assert " ".join(c.number for c in citations) == cited
    assert all(c.act and c.status in ("in_force", "replaced", "struck_down") for c in citations)


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
    later = checker.check("Dhara 376 (ab BNS 64) lagti hai.", DAY)
    assert [c.status for c in later] == ["act_not_named", "in_force"]
    unknown = one(checker, "section 25 of the Arms Act, 1959")
    assert unknown.status == "not_indexed" and not unknown.wrong


def test_the_act_that_a_text_calls_the_act_is_not_every_act(checker: Checker) -> None:
    text = (
        'The Negotiable Instruments Act, 1881 (hereinafter "the Act") was read. '
        "Section 19 of the Consumer Protection Act, 1986 differs, as does section 17."
    )
    assert [c.act for c in checker.check(text, DAY)][-1] == "consumer-protection-act-1986"


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("The plan is hit by 14(1)(a) of the Code: the IBC says so.", "ibc 14"),
        ("He was convicted under 138 NI and fined.", "ni 138"),
        ("The ingredients of 420 IPC are these. He was not charged under 34.", "ipc 420, ipc 34"),
        ("Section 37 NDPS Act and 167(2) CrPC. The compliance of 42 was shown.", "ndps 37, crpc 167"),
        ("Section 17 of the Registration Act: impound it under 33, ibid.", "reg 17, reg 33"),
        ("Section 14 IBC. Girls under 18 and boys under 21 paid 20 IT firms.", "ibc 14"),
        ("TADA s. 20; FEMA, 1999: s. 3; sanction under 23(2) MCOCA; PAO u/s 5.", "- 20, - 3, - 23, - 5"),
        ("Section 15A of the SEBI Act and section 7 IBC. Section 14 of the SEBI Act.", "- 15A, ibc 7, - 14"),
        ("IN RE: Section 498A of the IPC, under O VII R. 11 CPC, u/O VII R. 11 CPC", "ipc 498A, cpc O7R11, cpc O7R11"),
        ("47 U.S.C. § 230; Companies Act (UK), s 172; Directive 2000/31/EC, art 12", "- 230, - 172, - 12"),
        ("Article 64 of the Limitation Act and Art. 65 of the Schedule.", "lim Art64, lim Art65"),
        ("Companies Act 1956, s 397; Companies Act 2013, s 241. Section 398 of the old Act.", "- 397, ca 241, - 398"),
        ("Section 125 CrPC, today section 144 of the Sanhita. Section 85 BNS.", "crpc 125, bnss 144, bns 85"),
        ("Section 7 RTI Act. The Water Act, 1974 differs: its section 25 is new.", "rti 7, - 25"),
        ("IPC me 512 nahi hai, IPC me 3 saal, section 17 of the Wages Code", "ipc 512, cw 17"),
        ("Statement u/s183 BNSS. NOTICE UNDER SECTIONS 141 AND 142 OF THE NEGOTIABLE INSTRUMENTS ACT", "bnss 183, ni 141, ni 142"),
        ("the suit is late, see art.54 of the limitation act 1963", "lim Art54"),
        ("Section 6 RTI Act. It is a 7(1) breach, see paragraph 8(1), clause 7(1) and 3(2005) SCC 9.", "rti 6, rti 7"),
    ],
)  # fmt: skip
def test_short_ways_to_cite_are_read_and_counts_are_not(checker: Checker, text: str, cited: str) -> None:
    acts = {act: short for short, act in SHORT.items()}
    read = [c for c in checker.check(text, DAY) if c.number]
    numbers = ((acts.get(c.act, "-"), c.provision_id.rpartition("_")[2] or c.number) for c in read)
    assert ", ".join(f"{act} {n}".replace("entry-", "") for act, n in numbers) == cited


def test_headings_lists_and_tables_tell_the_act(checker: Checker) -> None:
    text = """# Notes

### Transfer of Property Act, 1882

* S. 106 - notice
* **107** - how made
* 53A: part performance

### Registration Act, 1908

1. Section 17 - compulsory
2. Section 49 - effect

### Easements

The Indian Easements Act, 1882 is short.

* Section 4: definition

| Act | Section | What |
|---|---|---|
| NI Act | 138 | cheques |
| | 141 | companies |
| Arms Act, 1959 | 25 | arms |

| Old law (IPC) | New law (BNS) |
|---|---|
| Section 302 | Section 103 |
| Sec. 376 | Sec. 64 |"""
    acts = {act: short for short, act in SHORT.items()}
    read = [f"{acts.get(c.act, '-')} {c.number}" for c in checker.check(text, DAY) if c.number]
    assert read == (
        "tpa 106,tpa 107,tpa 53A,reg 17,reg 49,- 4,ni 138,ni 141,- 25,ipc 302,bns 103,ipc 376,bns 64".split(
            ","
        )
    )


def test_rows_that_map_old_numbers_to_new_ones_are_of_two_acts(checker: Checker) -> None:
    text = """*OLD IPC ➡️ NEW BNS*
Murder: 302 ➡️ 103
307 attempt -> 109
Rape 376 → 64/65
The fee is 500 rupees

CrPC 438 -> BNSS 482

Relief | CrPC | BNSS | SMA
-------|------|------|----
Bail   | 437  | 480  | -
Wife   | 125  | 144  | 36

Examined u/s 52 BNSS (old 53A). Earlier it was sec 154."""
    acts = {act: short for short, act in SHORT.items()}
    read = [f"{acts.get(c.act, c.act)} {c.number}" for c in checker.check(text, DAY) if c.number]
    assert read == [
        *("ipc 302", "bns 103", "ipc 307", "bns 109", "ipc 376", "bns 64", "bns 65"),
        *("crpc 438", "bnss 482", "crpc 437", "bnss 480", "crpc 125", "bnss 144", "sma 36"),
        *("bnss 52", "crpc 53A", "crpc 154"),
    ]


def test_articles_and_rules_go_on_in_the_schedule_or_order_last_named(checker: Checker) -> None:
    text = (
        "Article 137 of the Limitation Act, 1963 applies, and Article 113 does not. Article 226 was argued. "
        "Order XXXIX Rule 1 CPC was invoked; R. 2 was not. Rule 4 of the society is no law."
    )
    acts = {act: short for short, act in SHORT.items()}
    read = [f"{acts.get(c.act, c.act)} {c.number}" for c in checker.check(text, DAY) if c.number]
    assert read == ["lim 137", "lim 113", "con 226", "cpc O39R1", "cpc O39R2"]


def test_the_rows_of_a_police_report_tell_the_act(checker: Checker) -> None:
    text = """S.No.   Acts                       Sections
    1       BNS 2023                   115(2), 333
    2.      SC/ST (POA) Act 1989       3(1)(r)
    3\tIPC\t34
    """
    rows = [(text[c.start : c.end], c.number, c.status) for c in checker.check(text, DAY)]
    assert rows == [
        ("115(2)", "115", "in_force"),
        ("333", "333", "in_force"),
        ("3(1)(r)", "3", "not_indexed"),
        ("34", "34", "replaced"),
    ]


def test_a_range_is_all_that_it_holds_and_a_long_one_is_counted(checker: Checker) -> None:
    for text in ("Sections 303 to 305 IPC", "303-305 IPC", "sections 303–305 of the Indian Penal Code"):
        cited = checker.check(text, DAY)
        assert [c.number for c in cited] == ["303", "304", "305"], text
    first, last = checker.check("Sections 500 to 600 IPC", DAY)
    assert "500 to 600 are 101 numbers, of which The Indian Penal Code, 1860 has" in first.message
    assert last.status == NONE
    assert "similar" not in one(checker, "Section 1860 of the IPC").message


def test_a_number_at_the_head_of_a_row_is_no_paragraph(checker: Checker) -> None:
    assert one(checker, "It was read in the context of Section\n302. Punishment is heavy.").number == "302"


def test_a_text_speaks_of_earlier_law_by_a_day_and_not_by_every_until() -> None:
    assert EARLIER.search("in force until 1 July 2024") and EARLIER.search("as the old Act had it")
    assert not EARLIER.search("the bus may not move until the passengers are off")


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


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("Whoever commits murder shall be punished with death", ""),
        ("whoever ... murder shall be punished with [life or] death", ""),
        ("Whoever commits murder shall be punnished with death", ""),  # a letter is no difference
        ("Whoever commits murder may be punished with death", "“may” for “shall”"),
        ("Whoever commits murder shall not be punished with death", "“not” for “”"),
        ("Every citizen shall have the internet free of charge at all times", "these words are not in it"),
    ],
)
def test_a_quotation_differs_in_words(said: str, message: str) -> None:
    law = "103 Murder Whoever commits murder shall be punished with death or imprisonment for life."
    assert quotation_difference(Claim("quotation", said), "103", law) == message


def checked_file(checker: Checker, file: Path, as_of: str = "") -> CheckedText:
    return check_text(checker.build, read_file(file), file.name, as_of, DAY.isoformat())


def test_a_file_has_a_table_and_a_page_whose_text_is_data(checker: Checker, tmp_path: Path) -> None:
    file = tmp_path / "note.md"
    file.write_text("Section **511B** of the *IPC*; s. 9 of the <b>Hill</b> Act.\n", encoding="utf-8")
    checked = checked_file(checker, file)
    assert [c.status for c in checked.citations][:1] == [NONE]
    assert check_table(checked).rows[0][0].text == "section 511B"
    page = check_page(checked)
    assert "<b>" not in page and "511B" in page and "width=device-width" in page and "color-scheme" in page


def test_a_table_names_sub_sections_and_orders_and_minds_when_law_was_replaced(
    checker: Checker, tmp_path: Path
) -> None:
    file = tmp_path / "note.txt"
    file.write_text("Section 302(1) IPC; Order XXXIX Rule 1 CPC.\n", encoding="utf-8")
    checked = checked_file(checker, file)
    assert {row[0].text for row in check_table(checked).rows} == {"section 302(1)", "Order 39 rule 1"}
    assert "--as-of" in checked.hint and checked.hint in check_page(checked)


@pytest.mark.parametrize(
    ("name", "reason"), [("a.doc", "are not read"), ("a.pdf", "PDF|read"), ("no.txt", "cannot be read")]
)
def test_a_file_that_cannot_be_read_is_a_clear_error(
    checker: Checker, tmp_path: Path, name: str, reason: str
) -> None:
    if name != "no.txt":
        (tmp_path / name).write_bytes(b"\x00\x01 no document")
    with pytest.raises(FileError, match=reason):
        checked_file(checker, tmp_path / name)


def test_capitals_without_end_take_no_time(checker: Checker) -> None:
    assert len(checker.check("Section 5 " + "ACT OF A " * 5000 + "(" * 500, DAY)) >= 1


def test_a_letter_may_stand_behind_a_blank(checker: Checker) -> None:
    text = "Section 498 A of the IPC, section 302 A person, section 138 N I Act"
    assert [c.number for c in checker.check(text, DAY)] == ["498A", "302", "138"]


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("IPC ki dhara 420. धारा 138 NI Act, और BNS की धारा 103(1)।", "ipc/420 ni/138 bns/103"),
        ("Section 482 Cr.P.C./528 BNSS and ss. 138 & 142 N.I. Act", "crpc/482 bnss/528 ni/138 ni/142"),
        (
            "u/s 420 IPC & 25/54/59 Arms Act; Sections 19 and/or 21 of the Seeds Act",
            "ipc/420 /25 /54 /59 /19 /21",
        ),
        (
            "Section 439 of the CrPC. Section 34 IPC. Bail under section 439 is asked.",
            "crpc/439 ipc/34 crpc/439",
        ),
        ("Section 9 of the IBC, 2016; s. 14 thereof; section 7 ibid.", "ibc/9 ibc/14 ibc/7"),
        ("Section 40 of the Arbitration Act, 1940 and section 20 of the Arbitration Act", "/40 /20"),
        ("Section 302 IPC. Section 6 of the Constitution of Tobago. Section 6(2) has it.", "ipc/302 /6 /6"),
        ("Article 31 of the draft Constitution became Article 14 of the present Constitution.", "/31 con/14"),
        ("the Air (Control) Act, 1981, hereinafter referred to as the Air Act. S. 2 of the Air Act.", "/ /2"),
        ("the Constitution (42nd Amendment) Act, 1976; Article 22 of F the Constitution", "/ con/22"),
        (
            "The National Company Law Tribunal Rules, 2016. Section 9 of the IBC; the section 9 NCLT order",
            "/ ibc/9 ibc/9",
        ),
        (
            "Section 420 IPC. Section 3(1)(r) SC/ST Act; S. 3(2)(v) of the SC & ST (Prevention of Atrocities) Act",
            "ipc/420 /3 /3",
        ),
        ("Section 41 IPC/CrPC, section 25 J&K Arms Act", "ipc/41 crpc/ /25"),
        ("Order 7 Rule 11 and Rule 6 of Order XII CPC. [PART 1I-SEC. 3(1)]", "cpc/O7R11 cpc/O12R6"),
        ("Order XXXVII of the Code of Civil Procedure, 1908; Order 7 Rule 11 CPC", "cpc/O37 cpc/O7R11"),
        ("(Under Section 173 B.N.S.S.), S. 279 r/w. S. 304A IPC", "bnss/173 ipc/279 ipc/304A"),
        ("Section 3 BNS. Act: ARMS ACT, 1959           Sections: 25", "bns/3 /25"),
        ("Articles 16(4-A) and 16(4-B) of the Constitution, 8a constitution bench", "con/16 con/16"),
        ("Section 302 IPC. A's 3 sons, the buyer’ s 4 acres, s 5 days, s 9 itself", "ipc/302 ipc/9"),
        ("S. 3 of the Constitution (Forty-\nsecond Amendment) Act, 1976. S. 8 of it.", "/3 /8"),
        ("Section 25(1-B)(a) Arms Act; s 10, s 27 of the Contract Act", "/25 ica/10 ica/27"),
        ("Section 12 IPC. The Arms Act, 1959 has it in section 12 thereof.", "ipc/12 / /12"),
        (
            "The Real Estate (Regulation and Development) Act, 2016. Section 35 CPA. S. 13 of the said Act of 2016.",
            "rera/ cpa/35 rera/13",
        ),
        ("S. 251 of the Code of Crimi-\n  nal Procedure, S. 25 of the Evi-\ndence Act", "crpc/251 iea/25"),
        ("The Prevention of Money Laundering Act", "pmla/"),
        ("Section 3 of the Wages Code. In Section 1 to Section 3 of this document", "cw/3"),
        ("Section 17 Registration Act. Section 49 of the last-mentioned Act", "reg/17 reg/49"),
        ("theft 303(2) bns, old 441/447 ipc", "bns/303 ipc/441 ipc/447"),
        ("Constitution of Internal Committees: presumption 113-B Evidence Act", "iea/113B"),
        ('S. 7 of the Payment of Gratuity Act, 1972.\n- "section 3 of the POSH Act"', "/7 posh/3"),
        ("S. 318 BNS. S. 354D IPC. Section 106 (causing death by negligence)", "bns/318 ipc/354D bns/106"),
        ("S. 3 BNS. S. 302 IPC. S. 9 of the Sanhita, s. 8 of the Code", "bns/3 ipc/302 bns/9 ipc/8"),
        ("धारा 323 व 504 भा.दं.सं., धारा 164 दंप्रसं", "ipc/323 ipc/504 crpc/164"),
        ("CLAIM UNDER ORDER VII RULE 1 CPC. Leave: O37 R3(5) CPC", "cpc/O7R1 cpc/O37R3"),
        ("sub-section 2(A) of Section 10 of the Seeds Act, 1966. Secs. 73-74, DPT-3", "/10 /73 /74"),
        ("Section 40(a) r.w.s. 41 of the erstwhile Indian Evidence Act, 1872", "iea/40 iea/41"),
        (
            "Regs 3 and 4 of the SEBI (Takeover) Regulations, 2011; Section 103 BNS, Art 21",
            "/3 /4 bns/103 con/21",
        ),
        ("25-54-59 Arms Act; Arms Act ki dhara 3 se 4 tak; 498(A) IPC", "/25 /54 /59 /3 /4 ipc/498A"),
        (
            "Section 304 illus. (b) IPC. Chapter IX of the Indian Penal Code: see s. 302",
            "ipc/304 ipc/302",
        ),
        ("S. 420, IPC and Order II of the Wick Rules, 2013 were read.", "ipc/420 /O2"),
        ("Section 439 CrPC. By virtue of section 439, the NI Act, 1881 applies.", "crpc/439 crpc/439"),
        (
            "Section 302 IPC and section 103 BNS. Dowry death, the old section 304, is here.",
            "ipc/302 bns/103 ipc/304",
        ),
        (
            "Section 13 of the Hindu Marriage Act. Section 125 CrPC. Maintenance pendente lite: section 24.",
            "hma/13 crpc/125 hma/24",
        ),
        ("|#|Where|\n|---|---|\n|1|Section 420 IPC|\n|2|SDF duties|\n", "ipc/420"),
        (
            "the Sanhita, 2023 [hereinafter 'BNSS'] and the Code of Criminal Procedure, 1973 [hereinafter 'CrPC']. "
            "Section 320(9) CrPC",
            "bnss/ crpc/ crpc/320",
        ),
        (
            "u/s 498ए एवं 354क भादवि, मध्यप्रदेश आबकारी अधिनियम की धारा 34; Section 302 IPC, 45 Arb. Act",
            "ipc/498A ipc/354A /34 ipc/302 arb/45",
        ),
        ("Act of 1986 replaced section 354D IPC in ITA No. 12/2017, ipc 420", "ipc/354D ipc/420"),
        (
            "| Case | IPC | BNS |\n|---|---|---|\n| Murder | 302 | 103 |\n| Theft | 378, 379 | none |\n",
            "ipc/ bns/ ipc/302 bns/103 ipc/378 ipc/379",
        ),
        (
            "Section 9 of the Hindu Marriage Act & section 26 of the Code of Criminal Procedure",
            "hma/9 crpc/26",
        ),
    ],
)
def test_acts_are_found_however_they_are_named(checker: Checker, text: str, acts: str) -> None:
    short = {act: name for name, act in SHORT.items()}
    checked = checker.check(text, DAY)
    assert " ".join(f"{short.get(c.act, '')}/{c.number}" for c in checked) == acts
    assert all(text[c.start :].startswith(c.words.split(" ")[-1][:2]) or c.kind == "act" for c in checked)


def test_a_case_is_found_by_its_name_in_a_sentence(checker: Checker) -> None:
    text = "C.C. 12  State v. Ram & 4 others\n\nHe cites Rangappa v. Sri Mohan; A v. B, reported in AIR 1978 SC 597.\n"
    cases = checker.check(text, DAY)
    assert [(c.kind, c.status, c.words) for c in cases] == [
        ("case", "not_indexed", "Rangappa v. Sri Mohan"),
        ("case", "indexed", "AIR 1978 SC 597"),
    ]


def test_what_the_only_act_named_or_one_of_a_stated_year_has_not_does_not_exist(checker: Checker) -> None:
    texts = [
        "Section 138 of the NI Act. Section 420 of the Indian Penal Code. Section 138B of the Act.",
        "Section 3 of the Arms Act, 1959. Section 138 of the NI Act. Section 138B of the Act.",
        "Section 12 of the Consumer Protection Act, 1986. S. 199 of the Consumer Protection Act, 2019.",
    ]
    assert [checker.check(text, DAY)[-1].status for text in texts] == [NONE, "act_not_named", NONE]


def test_a_chained_number_is_not_of_an_act_that_lacks_it(checker: Checker) -> None:
    chained = checker.check("Section 498A, and section 10 of the Contract Act.", DAY)
    assert [c.status for c in chained] == ["act_not_named", "in_force"]
    beside_another = checker.check("Section 302 IPC. Section 498A, and section 10 of the Contract Act.", DAY)
    assert beside_another[1].act == "indian-penal-code-1860"


def test_numbers_of_a_plain_file_that_is_an_act_are_its_own(checker: Checker, tmp_path: Path) -> None:
    file = tmp_path / "wick.txt"
    file.write_text(
        "THE WICK ACT\n1. Short title.—(1) This Act may be called the Wick Act, 1999.\n\n"
        "2. Section 302 of the IPC; as in section 4.\n"
    )
    cited = [c for c in checked_file(checker, file).citations if c.number]
    assert [(c.act, c.status) for c in cited][1] == ("wick-act-1999", "not_indexed")
    assert cited[0].act == "indian-penal-code-1860"


def test_a_part_that_does_not_exist_is_said_only_where_that_is_sure(checker: Checker) -> None:
    def parts(text: str) -> str:
        return one(checker, text).message

    assert parts("Section 138(9) of the NI Act") == "no such sub-section: section 138 has no sub-sections"
    assert parts("clause (q) of section 138 of the NI Act") == ""  # of a proviso, which has clauses
    assert parts("the third proviso to section 138 of the NI Act") == "no such proviso: it has 1"
    for behind in (
        ", sub-section (9) of the NI Act",
        " sub-section (9), NI Act",
        ", clause (b) of sub-section (9) NI Act",
    ):
        assert parts(f"Section 138{behind}").startswith("no such sub-section")
    assert (
        next(c.message for c in checker.check("Section 138, sub-section (9) of Section 5 NI Act", DAY)) == ""
    )
    assert "no such" in parts("Section 138, sub-sections (9) and (1) of the NI Act")  # each is looked at
    assert parts("proviso to section 138 of the NI Act") == parts("section 138(b) of the NI Act") == ""
    assert parts("It is proposed to add a proviso to Article 21 of the Constitution") == ""


def test_a_clause_is_absent_where_the_letters_of_those_there_end_before_it() -> None:
    texts = {"a/sec_8": "(1) x (2) y", "a/sec_8/1": "of it"}
    law = Lookup.__new__(Lookup)
    law.build = as_build(SimpleNamespace(provision_row=lambda p, day: {"text": texts[p]}))
    law.__dict__["_parts"] = {
        ("a/sec_8", None): {"1": "a/sec_8/1", "2": "", "3A": ""},
        ("a/sec_8/1", None): dict.fromkeys(("a", "b", "c"), "a/sec_8"),
    }
    row = Row("a/sec_8", "section", "8", "in_force", "", None)
    no_clause = "no such clause: section 8(1) has"
    assert law.absent_part(row, ["1", "z"]) == f"{no_clause} clauses (a) to (c)"
    assert law.absent_part(row, ["1", "zz"]) != "" and law.absent_part(row, ["1", "b"]) == ""
    assert law.absent_part(row, ["1", "ix"]) == law.absent_part(row, ["1", "i"]) == ""  # may be numbers
    assert law.absent_part(row, ["1", "d"]) != "" and law.absent_part(row, ["1", "c"]) == ""
    assert law.absent_part(row, ["9"]) == "no such sub-section: section 8 has sub-sections (1) to (2), (3A)"
    assert law.absent_part(row, ["1", "3"]) == f"{no_clause} (a) to (c)"
    law.__dict__["_parts"]["a/sec_8/1", None] = dict.fromkeys(("i", "ii"), "")
    assert law.absent_part(row, ["1", "zz"]) == f"{no_clause} clauses (i), (ii)"
    law.__dict__["_parts"]["a/sec_8/1", None] = {}
    assert law.absent_part(row, ["1", "z"]) == f"{no_clause} no clauses"
    texts["a/sec_8/1"] = "or (a) x (b) y"
    assert law.absent_part(row, ["1", "z"]) == "", "its clauses were not read"
    law.__dict__["_parts"]["a/sec_8/1", None] = {"a": ""}
    assert law.absent_part(row, ["1", "z"]) == f"{no_clause} clauses (a) to (b)", "(b) was not read"
    law.__dict__["_parts"]["a/sec_8", None], texts["a/sec_8"] = {"1": "a/sec_8/1"}, "(1) x"
    assert law.absent_part(row, ["9"]) == "", "no section has sub-section (1) alone"


def test_a_verb_phrase_behind_a_citation_is_no_heading() -> None:
    headings = {"344": "Wrongful confinement for ten or more days", "378": "Theft"}
    assert other_heading("more", "Theft in dwelling house", "", headings) == ""
    assert other_heading("theft", "Murder", "", headings) == "378"


def test_the_constitution_has_articles_and_acts_have_sections(checker: Checker) -> None:
    article = one(checker, "Section 21A of the Constitution")
    assert (article.kind, article.status) == (
        "article",
        "in_force",
    ) and "article 21A is meant" in article.message
    assert one(checker, "Article 138 of the NI Act").kind == "section"


def test_what_an_earlier_act_of_the_name_may_have_had_is_not_called_absent(checker: Checker) -> None:
    assert one(checker, "Section 491 of the Code of Criminal Procedure, 1898").status == "not_indexed"
    assert one(checker, "Section 531 CrPC").status == NONE


def test_a_mistyped_name_or_year_of_an_act_is_said(checker: Checker) -> None:
    for said, meant in (("Panel Code", "Penal Code"), ("Penal Code, 1861", "Penal Code, 1860")):
        citation = one(checker, f"Section 302 of the Indian {said}")
        assert (citation.status, citation.message) == ("not_indexed", f"the Indian {meant} may be meant")
    for said, message in (
        ("Evidence Act, 1940", "of this name the Indian Evidence Act, 1872 is here"),
        ("Lamp Act, 1901", ""),
    ):
        citation = one(checker, f"Section 5 of the Indian {said}")
        assert (citation.status, citation.message) == ("not_indexed", message)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("DATE OF JUDGMENT24/11/1983\nHe paid.\n", "1983-11-24"),
        ("A v. B on 24 August, 2017\nHe paid.\n", "2017-08-24"),
        ("He paid.\nNew Delhi;\nDecember 9, 2021.", "2021-12-09"),
        ("Dated: 14.08.2025. He paid on 1.1.2020.", "2025-08-14"),
        (
            "Dated: 3.3.2012\nThe Code of Civil Procedure, 1908 (5 of 1908) and the Wage Act, 2019.",
            "2012-03-03",
        ),
        ("- The Act received assent on 25 December 2023.", None),
        ("CC No. 4 of 2025 Date of order: 14.08.2025\nHe paid.", "2025-08-14"),
        ("Date of institution: 1.2.2021 Date of decision: 14.08.2022", "2022-08-14"),
        ("He paid.\nAnnounced in open court on 14.08.2022. CJM, Patiala.", "2022-08-14"),
        ("Judgment reserved on: 1.8.2022 Pronounced on : 14.08.2022", "2022-08-14"),
        ("थाना सदर\nदिनांक: 14.08.2022", "2022-08-14"),
        ("दिनांक 14.08.2022 को चोरी की।", None),
        ("The appeal was decided on 14.08.2012 by the Court, vide order dated 1.2.2012.", None),
        ("30.04.1936\nHe paid in 2019.", None),
        ("Date: 1.1.2030", None),
        ("P.S.: Sadar    FIR No.: 31    Date: 14/08/2022\nHe took it on 13/08/2022.", "2022-08-14"),
    ],
)
def test_a_text_bears_its_day_on_a_row_of_its_own(text: str, day: str | None) -> None:
    dated = day_of(text, DAY)
    assert (dated and dated.isoformat()) == day


def test_a_text_is_read_by_the_law_of_its_day(checker: Checker, tmp_path: Path) -> None:
    file = tmp_path / "order.txt"
    file.write_text("Dated: 3.3.2012\n\nSection 302 IPC and Section 103 BNS.\n", encoding="utf-8")
    checked = checked_file(checker, file)
    assert (checked.as_of, checked.dated) == ("2012-03-03", True)
    assert [c.wrong for c in checked.citations] == [False, False]  # what is to come is cited by no mistake
    given = checked_file(checker, file, "2012-03-03")
    assert [c.status for c in given.citations] == ["in_force", "not_yet_in_force"]


def test_the_heading_order_of_a_word_file_is_no_act(checker: Checker, tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("IN THE COURT OF THE JUDICIAL MAGISTRATE, PATIALA")
    for heading in ("ORDER", "COMMON ORDER"):
        document.add_heading(heading, 1)
    document.add_paragraph("1. By section 420 of the Indian Penal Code, and by s. 302 of the said Code.")
    document.add_paragraph("2. And section 120-B of the Indian Penal Code.")
    document.save(str(tmp_path / "order.docx"))
    checked = checked_file(checker, tmp_path / "order.docx", "2012-03-03")
    cited = {(c.act, c.number) for c in checked.citations}
    assert cited == {("indian-penal-code-1860", n) for n in ("420", "302", "120B")}


def test_wrong_citations_in_the_words_of_a_model_are_flagged_and_counted(checker: Checker) -> None:
    texts = [
        "Section 138(9) of the NI Act applies, as [Ram v. Shyam] held. Section 302 IPC was replaced by Section 103 BNS.",
        "Pay under section 420 IPC. See R.P. Kapur v. State of Punjab, AIR 1960 SC 866; s. 3 of the Arms Act.",
        "Nothing is cited.",
    ]
    flagged, report = flag_citations(checker.build, texts, DAY)
    assert flagged[0].startswith("Section 138(9) [UNVERIFIED: no such sub-section: section 138 has no")
    assert "[Ram v. Shyam] [UNVERIFIED: no such case is indexed] held. Section 302 IPC was" in flagged[0]
    assert "420 [NOT IN FORCE: since 2024-07-01" in flagged[1] and flagged[2] == texts[2]
    names = ("total", "valid", "hallucinated", "overruled", "not_in_force", "unknown")
    assert [report[name] for name in names] == [7, 3, 2, 0, 1, 1] and report["rate"] == 0.5
    assert {d["verdict"] for d in report["details"]} == {"hallucinated", "not_in_force", "unknown"}
    assert flag_citations(checker.build, ["No law."], None)[1]["rate"] is None


def test_headers_and_footers_of_a_word_file_are_checked_each_once(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("The appeal is dismissed.")
    for section in (document.sections[0], document.add_section()):
        section.header.is_linked_to_previous = False
        section.header.paragraphs[0].text = "Section 103 BNS"
    cell = document.sections[0].footer.add_table(1, 1, docx.shared.Inches(5)).cell(0, 0)
    cell.text = "Sections 302 and\t304 IPC"
    document.save(str(tmp_path / "order.docx"))
    text = read_file(tmp_path / "order.docx").text
    assert text.split("\n\n") == ["The appeal is dismissed.", "\nSection 103 BNS", "Sections 302 and 304 IPC"]


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("“No person shall be deprived of his life or liberty”, Article 21 of the Constitution.", "quotation_differs"),
        ('"No person shall be deprived of his life or liberty." See Article 21.', "quotation_differs"),
        ("“No person shall be deprived of his life or personal liberty”, Article 21.", "in_force"),
        ("He wrote “come alone and bring the whole of the money with you”, Article 21.", "in_force"),
        ("As was held, “no person shall be deprived of his life or liberty”, said the judge of Article 21.", "in_force"),
    ],
)  # fmt: skip
def test_a_quotation_may_stand_before_its_reference(checker: Checker, text: str, status: str) -> None:
    assert checker.check(text, DAY)[-1].status == status


def test_thousands_of_citations_in_one_paragraph_take_seconds(checker: Checker) -> None:
    begun = monotonic()
    assert len(checker.check("Section 302 IPC and section 9 was read. " * 4000, DAY)) == 8000
    assert monotonic() - begun < 20  # 4 s; with a loop over all others for each it was more than a minute
