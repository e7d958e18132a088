"""The text of a file that is checked, and the page of each place in it."""

import re
import zipfile
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from io import BytesIO
from itertools import chain, groupby, zip_longest
from pathlib import Path

from citegrain.tasks.core.errors import Expected, UsageFault
from citegrain.tasks.core.schemas import WITHOUT_PAGES
from citegrain.tasks.core.stage import Tables
from citegrain.tasks.core.store.files import decoded
from citegrain.tasks.law.citing import Lexicon, Texts
from citegrain.tasks.law.instruments import ACT_NOUNS, TITLE_YEAR, slug
from citegrain.tasks.law.numbers import LONG_DATE, SHORT_DATE, US_DATE, find_dates
from citegrain.tasks.offline.corpus import FORMS
from citegrain.tasks.offline.parse import ParseConfig, parse_document

_DATES = (LONG_DATE, US_DATE, SHORT_DATE)
_DAY = "|".join(f"(?:{re.sub('[?]P<[a-z]+>', '?:', form.pattern)})" for form in _DATES)
_ORDER = r"(?:the\s+)?(?:judge?ment|order|award|decision)"
_LABEL = (  # anywhere in a row: CC No. 4 of 2025, Date of order: 14.08.2025
    rf"\bdate\s+of\s+(?:(?:pronouncement|announcement|delivery|passing)(?:\s+of\s+{_ORDER})?|{_ORDER})|"
    r"\b(?:announced|pronounced|delivered|decided|disposed\s+of)\s+on\s*:"
)
_OPENING = (  # of a row or a sentence
    rf"(?:date|dated|(?:{_ORDER}\s+)?(?:announced|pronounced|delivered)(?:\s+(?:and\s+)?\w+)?"
    r"(?:\s+in\s+(?:the\s+)?open\s+court)?(?:\s+today)?(?:\s+on)?)"
)
_DATED = re.compile(
    rf"^\(?(?:[A-H]\s+)?(?:[A-Z][\w.]*[,;:]?\s+){{0,3}}?(?:the\s+)?(?P<alone>{_DAY})\W*$|"
    rf"(?:(?:^|[.;]\s+|\s{{3,}}){_OPENING}|{_LABEL})\W{{0,5}}(?:this\s+)?(?:the\s+)?(?P<cued>{_DAY})|"
    rf"(?:^(?:\S+\s+){{0,3}}|\s{{3,}})(?:दिना(?:ं|ँ)क|तारीख़?)\W{{0,5}}(?P<hindi>{_DAY})(?:\W*$|\s+को\s+(?:घोषित|पारित))|"
    rf"^.{{0,90}}\bvs?\.?\s.{{0,60}}\bon\s+(?P<titled>{_DAY})\W*$",
    re.IGNORECASE,
)
_PRINTED_YEAR = re.compile(
    rf"(?P<title>\b(?:(?:{ACT_NOUNS})(?:\s+o[fn](?:\s+[A-Z]\w+){{1,3}})?|Rules|Regulations|Constitution),?\s+(?:of\s+)?\(?|\(\d{{1,3}}\s+of\s+)?"
    rf"\b(?P<year>{TITLE_YEAR})\b(?!\s+(?:{ACT_NOUNS}|Rules)\b)"
)
_CALLED = re.compile(  # of an Act itself, at its head
    rf"^\W*1\W[^\n]{{0,90}}\b[Tt]h(?:is|ese)\s+(?:{ACT_NOUNS}|[Rr]ules|[Rr]egulations)\s+(?:may|shall)\s+be\s+called\s+(?:the\s+)?"
    rf"(?P<title>[^.;]{{5,200}}?,?\s{TITLE_YEAR})\b",
    re.MULTILINE,
)
_SHORT_YEAR = re.compile(r"\b\d{1,2}[./-]\d{1,2}[./-](\d\d)\b(?!\d)")
_HEAD = 3000  # characters
_ENDS = 60  # rows at the head and at the end of a text in which its day may stand
PLAIN = (".txt", ".md", ".markdown", ".text", "")
"""Endings of texts that are read as they are."""
MARKS = re.compile(r"[\r\t\f\v*_`#>|]")
"""Signs of Markdown, and blanks."""
_TABLE = re.compile(r"(?:^(?:[ \t]*\||[^|\n]+\|[^|\n]*\|)[^\n]*(?:\n|\Z)){3,}", re.MULTILINE)
_CELL = re.compile(r"(?:\A(?=\s*[^|\s])|(?<=\|))[^|\n]*")
_LETTERS = re.compile(r"\W*[A-Z]{2,7}A\W*")
_ARROW = re.compile(r"[ \t]*(?:[→⇒⟶➔➜➡]\uFE0F?|[-=]+>)[ \t]*")
_NUMBERS = r"\d{1,3}[A-Z]{0,2}(?:\(\w{1,4}\))*(?:\s?[/,&]\s?\d{1,3}[A-Z]{0,2}(?:\(\w{1,4}\))*)*"
_MAPPED = re.compile(
    rf"(?<![\w.])(?P<old>{_NUMBERS})(?:[ \t]*\W?[^\W\d][^\d\n]{{0,60}})?"
    rf"{_ARROW.pattern}(?P<new>{_NUMBERS})(?!\w)"
)
_OF_ACTS = re.compile(
    r"\W*(?:name\s+of\s+)?(?:the\s+)?(?:acts?|laws?|statutes?|enactments?|codes?)\W*", re.IGNORECASE
)
_OF_NUMBERS = re.compile(r"\W*(?:relevant\s+)?(?:s|secs?|sections?|provisions?|articles?)\b", re.IGNORECASE)
_HEADING = re.compile(r"^(#{1,6})[ \t]+([^\n]*)", re.MULTILINE)
_LISTED = re.compile(  # - 17: compulsory registration
    r"^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+\**(\d{1,3}[A-Z]{0,2}(?:\(\w{1,4}\))*)\**(?=\s*[:–—(-]\s*[A-Za-z])",
    re.MULTILINE,
)
_OF_ACT = re.compile(rf"\b(?:{ACT_NOUNS})\b", re.IGNORECASE)
_COLUMN = r"(?:[ \t]{2,}|\t[ \t]*)"
_ROW_OF_ACT = re.compile(  # 1    BNS 2023    115(2), 333
    rf"^[ \t]*\d{{1,2}}\.?{_COLUMN}(?P<act>[^\n]*?[A-Za-z][^\n]*?){_COLUMN}(?P<numbers>\d[\w(),/& -]*)$",
    re.MULTILINE,
)
_OF_A_ROW = rf"[ \t]*(?:(?:\||#{{1,6}}[ \t])[^\n]*|[^\n]*\w{_ARROW.pattern}\w[^\n]*(?=\n(?![a-z])|\Z))"
_ROW = re.compile(rf"^({_OF_A_ROW})\n|\n(?={_OF_A_ROW})", re.MULTILINE)
_STAR = re.compile(r"^([ \t]*)\*(?=[ \t])", re.MULTILINE)
_IN_LIST = re.compile(r"\s*(?:[-*•]|(?P<number>\(?\d{1,2}[.)]))\s")
_LEAD, _SHORT_LEAD = 30, 8  # words before a list in which an Act is that of the list, and of a numbered one
_ROW_NUMBER = re.compile(r"^([ \t]*\|[ \t]*)(\d{1,2})(?=[ \t]*\|)", re.MULTILINE)
_BREAK = re.compile(  # a numbered row begins a paragraph where a sentence ended: "Section" may end a row
    r"\u2029|\n[ \t]*\n|\n(?=\s*[-*•]\s)|(?<=[.;:!?”\"’)\]—-])\n(?=\s*\(?[0-9ivx]{1,4}[.)]\s)"
)
_HYPHENATED = re.compile(  # Crimi- nal Procedure, of two rows, but no Forty- second
    r"(?<=[a-z])(?<!ty)-\n\s*(?!(?:article|section|rule|regulation|clause)s?\b)([a-z]+)"
)
_READ = ("pdf", "docx", "pptx", "xlsx", "html")
_UNREAD = ("image_only", "unreadable")
_MARGIN = re.compile(r"(?:header|footer)\d*\.xml$")


def home_of(text: str) -> str:
    """The id of the Act or rules that a text says at its head that it is; empty if it says so of none."""
    called = _CALLED.search(text, 0, _HEAD)
    return slug(called["title"]) if called else ""


class FileError(ValueError, UsageFault, Expected):
    """The file cannot be read; the message says why."""


@dataclass(frozen=True)
class ReadText:
    """A text to check.

    ``starts``: (offset, page) of each stretch of a page, by offset. ``home``: id of the Act or rules that
    it is, if it is one. ``unread``: pages of which no text could be read.
    """

    text: str
    starts: list[tuple[int, int]] = field(default_factory=list)
    home: str = ""
    unread: list[int] = field(default_factory=list)

    def page(self, at: int) -> int:
        """The page of a place, from 1; 0 where there are none."""
        place = bisect_right(self.starts, (at, 1 << 30))
        return self.starts[place - 1][1] if place else 0


@dataclass
class TextState:
    """What is known of a text while its citations are checked.

    ``dated``: whether ``day`` is its own. ``latest``: the latest year that it prints; ``years``: all of them.
    ``cited``: what it cites with the Act stated_of the number; ``count``: how often so of each Act.
    ``bound``: Acts of the citations so far, ``here``: of those of the paragraph. ``older``: Act and number of
    what it cites of an earlier Act of the same name. ``quoted``: where the quotations of a paragraph begin,
    as far as they were compared. ``above``: the Act of the heading. ``articles``: that of the last
    article. ``order``: the Act and number of the last Order of the paragraph.
    """

    reader: Texts
    day: date
    dated: bool
    latest: int
    years: frozenset[int]
    cited: set[tuple[str | None, str, str]] = field(default_factory=set)
    count: Counter[str] = field(default_factory=Counter)
    here: set[str] = field(default_factory=set)
    bound: list[str] = field(default_factory=list)
    older: set[tuple[str, str]] = field(default_factory=set)
    quoted: set[int] = field(default_factory=set)
    above: str = ""
    articles: str = ""
    order: tuple[str, str] = ("", "")


def day_of(text: str, today: date) -> date | None:
    """The day that a text bears: on a row of its own or as its date, at its head or its end; else None.

    A text that prints a later year is younger.
    """
    rows = [row.strip() for row in text.split("\n") if row.strip()]
    ends = rows if len(rows) <= 2 * _ENDS else rows[:_ENDS] + rows[-_ENDS:]
    days = [day for row in ends for match in _DATED.finditer(row) for day in find_dates(match[0])]
    latest = max((year for year in printed_years(text) if year <= today.year), default=0)
    return max((day for day in days if day <= today and day.year >= latest), default=None)


def latest_year(text: str, reported: Counter[int]) -> int:
    """The latest year that a text prints, but in a title of an Act or a reporter; 9999 where it prints none.

    ``reported``: how often it prints each year as that of a reporter.
    """
    return max(Counter(printed_years(text)) - reported, default=9999)


def printed_years(text: str) -> list[int]:
    """The years that a text prints, but in titles of Acts."""
    years = [int(match["year"]) for match in _PRINTED_YEAR.finditer(text) if not match["title"]]
    return [*years, *(2000 + int(year) for year in _SHORT_YEAR.findall(text))]


def read_file(path: Path) -> ReadText:
    """The text of a file: .txt, .md, .pdf, .docx, .pptx, .xlsx or .html.

    Raises FileError if it is missing, of another form, or no text can be read.
    """
    ending = path.suffix.lower()
    form = FORMS.get(ending, "")
    try:
        data = path.read_bytes()
        if ending in PLAIN:
            return ReadText(decoded(data))
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: is not UTF-8: save it as UTF-8") from error
    if form not in _READ:
        raise FileError(f"{path}: {ending} files are not read: save it as .txt, .md, .docx, .pdf or .html")
    read = read_tables(path, parse_document(data, path.name, ParseConfig(), form))
    return replace(read, text=f"{read.text}{_margins(data)}") if form == "docx" else read


def _margins(data: bytes) -> str:
    """Headers and footers of a Word document, each paragraph once: no law stands there, but citations do."""
    from lxml import etree  # who checks no Word document does not need it

    out: dict[str, None] = {}
    with zipfile.ZipFile(BytesIO(data)) as archive:
        for name in filter(_MARGIN.search, archive.namelist()):
            parser = etree.XMLParser(resolve_entities=False, no_network=True)
            root = etree.fromstring(archive.read(name), parser)
            for paragraph in root.iter("{*}p"):
                words = (node.text or " " for node in paragraph.iter("{*}t", "{*}tab", "{*}br"))
                out["".join(words)] = None
    return "\n\n".join(line for line in out if line.strip())


def read_tables(path: Path, tables: Tables) -> ReadText:
    """The text of a file as the stage ``parse`` read it: the body of all pages, then their footnotes."""
    (document,) = tables["documents"].to_pylist()
    if document["status"] == "refused":
        raise FileError(f"{path}: {document['reason']}")
    lines = [line for line in tables["lines"].to_pylist() if line["text"].strip()]
    text, starts = "", []
    for role, between in (("body", ""), ("footnote", "\n")):
        chosen = [line for line in lines if line["role"] == role]
        for page, on_page in groupby(chosen, key=lambda line: line["page"]):
            starts.append((len(text), page))
            rows = groupby(on_page, key=lambda line: line["row"])
            text += "\n".join(" ".join(part["text"] for part in row) for _, row in rows) + "\n" + between
        text += "\n"
    if not text.strip():
        raise FileError(f"{path}: no text in it that can be read: {document['reason'] or 'it is empty'}")
    titled = re.compile(rf"{TITLE_YEAR}|Constitution")  # "In the Court of ..., Order" is no Act
    kinds = ("rules", "act", "ordinance")
    acts = [a for a in document["acts"] if a["kind"] in kinds and titled.search(a["title"])]
    unread = [p["page"] for p in tables["pages"].to_pylist() if p["status"] in _UNREAD]
    pages = [] if document["layout"] in WITHOUT_PAGES else starts
    return ReadText(text, pages, slug(acts[0]["title"]) if len(acts) == 1 else "", unread)


def paragraphs_of(text: str, lexicon: Lexicon) -> list[tuple[int, str, int]]:
    """Each paragraph of a text: where it begins, what it says, and how much of that stands there.

    Ends of lines are blanks in it, words that they break are whole. A cell of a table in the column of an
    Act, and numbers in the row of one, below its heading or at an arrow between two of them, are one that
    ends with this Act: ``302 IPC``.
    """
    readers = (_cells, _rows_of_acts, _numbers_listed, _numbers_mapped)
    cells = dict(chain.from_iterable(read(text, lexicon) for read in readers))
    out, start = [(at, f"{words} {act}", len(words)) for at, (words, act) in cells.items()], 0
    letters = list(text)
    for at, _, length in out:
        letters[at : at + length] = " " * length
    text = "".join(letters)
    text = _STAR.sub(r"\1-", _ROW.sub("\\1\u2029", _ROW_NUMBER.sub(lambda m: m[1] + " " * len(m[2]), text)))
    plain = MARKS.sub(" ", text)
    for match in [*_BREAK.finditer(plain), None]:
        end = match.start() if match else len(plain)
        if plain[start:end].strip():
            joined = _HYPHENATED.sub(lambda m: f"{m[1]:<{len(m[0])}}", plain[start:end])
            out.append((start, joined.replace("\n", " "), end - start))
        start = match.end() if match else end
    return sorted(out)


def acts_above(
    text: str, paragraphs: Sequence[tuple[int, str, int]], in_each: Sequence[Collection[str]]
) -> list[str]:
    """The Act of each paragraph's heading, or of the line that leads to its list; empty for none.

    ``in_each``: the Acts that each paragraph names: a heading or a line is of one if it names no other.
    """
    out, level, above, lead = [], 0, "", ("", 0)
    for (start, words, _), acts in zip(paragraphs, in_each, strict=True):
        only, heading, item = next(iter(acts)) if len(acts) == 1 else "", _HEADING.match(text, start), None
        if heading and (only or len(heading[1]) <= level):
            level, above, lead = len(heading[1]), only, ("", 0)
        elif not heading and not (item := _IN_LIST.match(text, start)):
            lead = only, len(words.split())
        leads = item and lead[1] <= (_SHORT_LEAD if item["number"] else _LEAD)
        out.append(lead[0] if leads and lead[0] else above)
    return out


def _cells(text: str, lexicon: Lexicon) -> Iterator[tuple[int, tuple[str, str]]]:
    for table in _TABLE.finditer(text):
        heads: list[str] = []
        of_numbers: set[int] = set()
        of_acts, act = -1, ""
        for row in re.finditer(r"[^\n]+", table[0]):
            cells = [*_CELL.finditer(row[0])]
            if not heads:
                heads = [_only_name(cell[0], lexicon) for cell in cells]
                if any(heads):  # then letters are an Act, too, of which nothing is known: SMA
                    letters = ((_LETTERS.fullmatch(cell[0]) or [""])[0].strip() for cell in cells)
                    others = (f"{letter} Act" if letter else "" for letter in letters)
                    heads = [head or other for head, other in zip(heads, others, strict=True)]
                of_acts = next((i for i, cell in enumerate(cells) if _OF_ACTS.fullmatch(cell[0])), -1)
                of_numbers = {i for i, cell in enumerate(cells) if _OF_NUMBERS.match(cell[0])}
            elif 0 <= of_acts < len(cells):
                act = MARKS.sub(" ", cells[of_acts][0]).strip() or act
            for i, (cell, head) in enumerate(zip(cells, heads, strict=False)):
                law = head or (act if i in of_numbers and not _only_name(cell[0], lexicon) else "")
                if law and re.search(r"\d", cell[0]):
                    yield (
                        table.start() + row.start() + cell.start(),
                        (MARKS.sub(" ", cell[0]).rstrip(), law),
                    )


def _rows_of_acts(text: str, lexicon: Lexicon) -> Iterator[tuple[int, tuple[str, str]]]:
    """Numbers behind the Act of their row, as the form of a first information report has them in columns."""
    for row in _ROW_OF_ACT.finditer(text):
        if _only_name(row["act"], lexicon) or _OF_ACT.search(row["act"]):
            yield row.start(), (" " * (row.start("numbers") - row.start()) + row["numbers"], row["act"])


def _numbers_listed(text: str, lexicon: Lexicon) -> Iterator[tuple[int, tuple[str, str]]]:
    """Numbers with which the rows of a list begin, below a heading that names an Act."""
    headings = [*_HEADING.finditer(text)]
    for heading, following in zip_longest(headings, headings[1:]):
        act = _only_name(heading[2], lexicon)
        rows = [*_LISTED.finditer(text, heading.end(), following.start() if following else len(text))]
        for row in rows if act and len(rows) > 1 else ():
            yield row.start(1), (row[1], act)


def _numbers_mapped(text: str, lexicon: Lexicon) -> Iterator[tuple[int, tuple[str, str]]]:
    """Numbers at both ends of an arrow, below a line with an Act at each: ``302 -> 103``, ``IPC -> BNS``."""
    acts: list[str] = []
    for line in re.finditer(r"[^\n]+", text):
        sides = _ARROW.split(line[0])
        names = [_only_name(side, lexicon) for side in sides]
        if len(sides) == 2 and all(names) and not re.search(r"(?<!\d)\d{1,3}(?!\d)", line[0]):
            acts = names
        elif acts and not any(names) and (row := _MAPPED.search(line[0])):
            yield from ((line.start() + row.start(n), (row[n], acts[n - 1])) for n in (1, 2))


def _only_name(words: str, lexicon: Lexicon) -> str:
    places = lexicon.find(words)
    return words[places[0].start : places[0].end] if len(places) == 1 else ""
