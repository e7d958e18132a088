"""A judgment of our own, typeset as courts, reports and publishers print them."""

from __future__ import annotations

from collections.abc import Sequence

import pymupdf

PARAGRAPHS = (
    "Leave granted. This appeal asks who must pay the keeper of a lantern that went out in a storm, and whether "
    "section 7 of the Lantern Keepers (Welfare) Act, 2011 gives him wages for the nights in which it was dark.",
    "The facts are few. The respondent dismissed the appellant on 4.3.2019. He moved the Labour Court, which "
    "allowed his claim under Section 7(2) of the said Act; the High Court reversed that order.",
    "The High Court relied upon Harbour Board v. Bell Ringers’ Union, (2003) 4 SCC 211. It overlooked that a "
    "larger Bench overruled that decision in Salt Works Ltd. v. State of Kerala, AIR 2009 SC 77. It said there:",
    "In our view Article 14 of the Constitution of India forbids such a distinction between keepers who watch the "
    "sea and keepers who watch a river. We follow Salt Works and distinguish the decision in Tide Mills v. Collector.",
    "The appeal is allowed. The order of the Labour Court is restored, and there shall be no order as to costs.",
)
QUOTED = ("“12. A keeper is paid for watching.", "13. It does not matter what he saw.”")
JUDGES = ("A.B. Lamp", "Chitra D. Wick")


FONT = pymupdf.Font("tiro").buffer  # it has dashes, dots and quotes that the fonts of PDF itself lack


class Sheet:
    """Pages on which rows are set from top to bottom."""

    def __init__(self, head: str = "", foot: str = "") -> None:
        self.document, self.head, self.foot = pymupdf.open(), head, foot
        self.page()

    def page(self) -> None:
        """Begin a page, with the head and the foot that all have."""
        self.current = self.document.new_page(width=595, height=842)
        self.current.insert_font(fontname="F0", fontbuffer=FONT)
        self.y = 72.0
        for text, y in ((self.head, 38), (self.foot, 810)):
            if text:
                self.put(text.format(page=len(self.document)), 72, y, 8)

    def put(self, text: str, x: float, y: float, size: float) -> None:
        """Set text at a place of the page."""
        self.current.insert_text((x, y), text, fontsize=size, fontname="F0")

    def row(self, text: str, x: float = 72, size: float = 12, right: str = "", gap: float = 0) -> None:
        """Set a row, with what stands at its right end."""
        self.y += 18 + gap
        if self.y > 500:
            self.page()
            self.y += 18
        self.put(text, x, self.y, size)
        if right:
            self.put(right, 400, self.y, size)

    def paragraph(self, text: str, lead: str = "", x: float = 72, width: int = 76) -> None:
        """Set running text in rows of about ``width`` characters, the number before it."""
        words, row = text.split(), lead
        for word in words:
            if len(row) + len(word) >= width:
                self.row(row, x)
                row = ""
            row = f"{row} {word}".strip()
        self.row(row, x, gap=0)
        self.y += 8

    def body(self, numbers: str = "{}.") -> None:
        """The paragraphs, with a quotation whose paragraphs have numbers too."""
        for count, text in enumerate(PARAGRAPHS, 1):
            self.paragraph(text, numbers.format(count))
            if count == 3:
                for quoted in QUOTED:
                    self.row(quoted, x=120)

    def pdf(self) -> bytes:
        """The file."""
        data: bytes = self.document.tobytes()
        return data


def court_copy(heading: str = "IN THE SUPREME COURT OF INDIA", numbers: str = "{}.") -> bytes:
    """The copy that the court signs."""
    sheet = Sheet()
    sheet.row("REPORTABLE", 400)
    sheet.row("2021 INSC 417", 40)
    for text in (heading, "CIVIL APPELLATE JURISDICTION", "CIVIL APPEAL NO. 1234 OF 2020"):
        sheet.row(text, 160)
    sheet.row("WICK KEEPERS’ ASSOCIATION & ORS.", right="…Appellant(s)")
    sheet.row("VERSUS", 270)
    sheet.row("THE STATE OF GOA", right="…Respondent(s)")
    sheet.row("J U D G M E N T", 250)
    sheet.row("CHITRA D. WICK, J.")
    sheet.body(numbers)
    for judge in JUDGES:
        sheet.row("……………………J.", 380)
        sheet.row(f"({judge.upper()})", 380)
    sheet.row("New Delhi;")
    sheet.row("March 9, 2021.")
    return sheet.pdf()


def judis(names: Sequence[str] = ("LAMP, A.B. (CJ)", "WICK, CHITRA D.")) -> bytes:
    """The older database of the Supreme Court: labels, a headnote, no numbers."""
    sheet = Sheet(head="http://JUDIS.NIC.IN    SUPREME COURT OF INDIA    Page {page} of 2")
    rows = ["PETITIONER:", "WICK KEEPERS ASSOCIATION", "Vs.", "RESPONDENT:", "STATE OF GOA"]
    rows += ["DATE OF JUDGMENT09/03/1981", "BENCH:", *names, "CITATION:", "1981 AIR 1220    1981 SCR (3) 270"]
    rows += ["1981 SCC (3) 11", "CITATOR INFO :", "F          1987 SC1422  (11,14)", "ACT:"]
    rows += ["Lantern Keepers (Welfare) Act, S. 7-Wages.", "HEADNOTE:"]
    rows += ["HELD: A keeper is paid for the dark nights."]
    for text in [*rows, "JUDGMENT:", "The Judgment of the Court was delivered by", "LAMP, C.J."]:
        sheet.row(text)
    sheet.body("")
    return sheet.pdf()


def report() -> bytes:
    """A law report: letters in the margin, the bench in brackets, a headnote, then the judgment."""
    sheet = Sheet()
    sheet.row("246        SUPREME COURT REPORTS        [2020] 2 S.C.R.", 120)
    for text in ("WICK KEEPERS’ ASSOCIATION", "v.", "STATE OF GOA & ANR.", "(Civil Appeal No. 1234 of 2020)"):
        sheet.row(text, 180)
    sheet.row("MARCH 09, 2020", 220)
    sheet.row("[A.B. LAMP AND CHITRA D. WICK, JJ.]", 180)
    sheet.paragraph(
        "Lantern Keepers (Welfare) Act, 2011: s. 7 – Wages of keepers – Held: are due for dark nights."
    )
    sheet.row("CIVIL APPELLATE JURISDICTION: Civil Appeal No. 1234 of 2020.")
    sheet.row("The Judgment of the Court was delivered by")
    sheet.row("A.B. LAMP, J.")
    for letter, y in (("A", 120), ("B", 220), ("C", 330), ("D", 450)):
        sheet.put(letter, 40, y, 11)
    sheet.body()
    return sheet.pdf()


def publisher() -> bytes:
    """A publisher's print over the court's copy; two judges write, and each counts from one."""
    head = "Wick Keepers vs State Of Goa on 9 March, 2021"
    sheet = Sheet(head, foot="Publisher - http://example.org   {page}")
    sheet.row(head, size=16)
    sheet.row("Equivalent citations: AIR 2021 SUPREME COURT 437, (2021) 6 BOM CR 78, 2021 (3) SCC 9", size=13)
    sheet.row("Author: Chitra D. Wick", size=13)
    sheet.row("Bench: Chitra D. Wick, A.B. Lamp", size=13)
    sheet.row("IN THE HIGH COURT OF GOA", 160)
    sheet.row("WICK KEEPERS’ ASSOCIATION", right="…Petitioner")
    sheet.row("VERSUS", 270)
    sheet.row("THE STATE OF GOA", right="…Respondent")
    sheet.row("JUDGMENT", 250)
    sheet.row("CHITRA D. WICK, J.")
    sheet.body()
    sheet.row("……………………………….J. [CHITRA D. WICK] NEW DELHI;")
    sheet.row("JUDGMENT", 250)
    sheet.row("A.B. LAMP, J.")
    sheet.body("{}")
    sheet.row("……………………………….J. [A.B. LAMP] PANAJI; MARCH 9, 2021")
    return sheet.pdf()
