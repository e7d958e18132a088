"""Workbooks: cells as they are shown, and rows that are provisions."""

import itertools
import re
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal
from io import BytesIO
from typing import IO, Any
from xml.parsers import expat

from lxml import etree
from openpyxl.cell.read_only import ReadOnlyCell
from openpyxl.cell.rich_text import CellRichText
from openpyxl.reader.excel import ExcelReader
from openpyxl.utils import get_column_letter
from openpyxl.worksheet._reader import FORMULA_TAG, WorkSheetParser

from citegrain.tasks.core.errors import TOO_DEEP
from citegrain.tasks.kinds.office.blocks import HIDDEN, STRUCK, Block, LeftOut, row_blocks
from citegrain.tasks.offline.pages import RefusedError

_MAX_COLUMNS = 256
_MAX_ROWS = 1_048_576  # of Excel
_LONGEST_HEADING = 100
_DEEPEST, _BLOCK = 256, 1 << 16  # elements within elements, as libxml2 has it; bytes
_ON = ("1", "true")
_UNREAD = re.compile(r"xl/(comments|threadedComments|drawings/drawing|charts/chart|media)")
_NUMBER = re.compile(
    r"(?:(?:section|rule|regulation|article|s\.|r\.)\s*)?(\d{1,3}[-‑]?[A-Z]{0,2})\.?", re.IGNORECASE
)
_LABEL = re.compile(r"\(\w{1,5}\)")
_HEADING = re.compile(r"[^a-z]*[A-Z][^a-z]*")
_SENTENCE = re.compile(r"(?:\S+\s+){4,}\S.*[.;:—”\"]", re.DOTALL)
_PATTERN = re.compile(
    r'"([^"]*)"|\\(.)|[_*].|\[(?:\$([^-\]]*))?[^\]]*\]|([#0?][#0?,]*(?:\.[#0?]+)?)|(y+|m+|d+)|(.)',
    re.IGNORECASE,
)
_LITERAL = re.compile(r'"[^"]*"|\\.|\[[^<>=\]]*\]')
_PLAIN = re.compile(r"[@hse\[]|\?/", re.IGNORECASE)  # General, a time, an exponent, a condition, a fraction
_DATES = dict(
    pair.split("=")
    for pair in ["yyyy=%Y", "yy=%y", "mmmm=%B", "mmm=%b", "mm=%m", "dddd=%A", "ddd=%a", "dd=%d"]
)
_BY_LOCALE = "mm-dd-yy"  # what Excel shows by the settings of the machine


class _Parser(WorkSheetParser):
    """Reads a sheet; a formula without a stored value is of the type ``f``."""

    def parse_cell(self, element: Any) -> dict[str, Any]:
        cell: dict[str, Any] = super().parse_cell(element)
        empty = cell["value"] is None and element.get("t", "n") == "n"
        if empty and element.find(FORMULA_TAG) is not None:
            cell["data_type"] = "f"
        return cell


def _check_depth(part: IO[bytes]) -> None:
    """Raises RefusedError of deep XML, which the library reads by a parser that has no bound."""
    parser, above = expat.ParserCreate(), list[str]()
    parser.StartElementHandler = lambda name, attributes: above.append(name)
    parser.EndElementHandler = lambda name: above.pop()
    try:
        while block := part.read(_BLOCK):
            parser.Parse(block)
            if len(above) > _DEEPEST:
                raise RefusedError(TOO_DEEP)
    except (expat.ExpatError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError):
        return  # who reads the part says what is wrong with it


def read_sheets(data: bytes, left_out: LeftOut) -> Iterator[Block]:
    """The rows of all visible sheets."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        for name in archive.namelist():
            with archive.open(name) as part:
                _check_depth(part)
    with warnings.catch_warnings(action="ignore"):  # of styles, which are not read
        opener = ExcelReader(BytesIO(data), read_only=True, data_only=True, keep_links=False, rich_text=True)
        opener.read_chartsheet = lambda sheet, relation: None  # it fails on those without a chart
        opener.read()
        book = opener.wb
    for sheet in book.worksheets:
        if sheet.sheet_state == "visible":
            yield Block(sheet.title, role="header", opens_page=True)
            yield from _blocks(list(_rows(sheet, left_out)))
        else:
            left_out.add("hidden sheets, not read", sheet.title)
    for part in book._archive.namelist():
        if _UNREAD.match(part):
            root = etree.fromstring(book._archive.read(part)) if part.endswith(".xml") else None
            texts = [] if root is None else [node.text or "" for node in root.iter("{*}t")]
            place = "" if "/drawing" in part else part  # a drawing without words places another part
            left_out.words("comments, pictures and charts, not read", " ".join(texts) or place)


def _rows(sheet: Any, left_out: LeftOut) -> Iterator[list[str]]:
    """The texts of each row, by column."""
    book = sheet.parent
    formats = book._date_formats, book._timedelta_formats
    with sheet._get_source() as source:
        parser = _Parser(source, sheet._shared_strings, True, book.epoch, *formats, rich_text=True)
        for number, cells in parser.parse():
            if number > _MAX_ROWS:  # whatever number a row claims
                raise RefusedError(f"a row beyond row {_MAX_ROWS}, the last that a sheet can have")
            texts: dict[int, str] = {}
            is_hidden = parser.row_dimensions.get(str(number), {}).get("hidden") in _ON
            folded = [c for c in parser.column_dimensions.values() if c.get("hidden") in _ON]
            for values in cells:
                place = f"sheet {sheet.title}, cell {get_column_letter(values['column'])}{values['row']}"
                text = _text(ReadOnlyCell(sheet, **values), place, left_out)
                away = any(int(c["min"]) <= values["column"] <= int(c["max"]) for c in folded)
                if text and (is_hidden or away):
                    left_out.words(HIDDEN, text, place)
                elif text and values["column"] > _MAX_COLUMNS:
                    left_out.add(f"what stands behind column {_MAX_COLUMNS}, not read", place)
                elif text:
                    texts[values["column"]] = text
            yield [texts.get(column, "") for column in range(1, max(texts, default=0) + 1)]


def _text(cell: Any, place: str, left_out: LeftOut) -> str:
    """A cell as a person reads it, without what is struck out."""
    if cell.data_type == "e":
        left_out.add("errors in cells, not read", f"{cell.value} in {place}")
        return ""
    if cell.data_type == "f":
        left_out.add("formulas without a stored value, not read: save the file in Excel", place)
    value = cell.value
    pieces = value if isinstance(value, CellRichText) else [value]
    shown = ""
    for piece in pieces:
        font = getattr(piece, "font", None) or cell.font
        text = _shown(getattr(piece, "text", piece), cell.number_format)
        if font is not None and font.strike:
            left_out.words(STRUCK, text, place)
        else:
            shown += text
    return " ".join(shown.split())


def _shown(value: Any, pattern: str) -> str:
    """A value in a number format of Excel."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime) and value.time() == value.time().min:
        value = value.date()
    parts = pattern.split(";")  # of a number above, below and of nought
    pattern = parts[0]
    if len(parts) > 1 and isinstance(value, (int, float)) and value < 0:
        pattern, value = parts[1], -value
    plain = pattern == _BY_LOCALE or _PLAIN.search(_LITERAL.sub("", pattern))
    if plain or not isinstance(value, (int, float, date)):
        return f"{value:.15g}" if isinstance(value, float) else str(value)
    out = ""
    for quoted, escaped, currency, digits, letters, other in _PATTERN.findall(pattern):
        if digits and not isinstance(value, date):
            out += _figure(value, digits, "%" in pattern)
        elif letters and isinstance(value, date):
            out += _date_part(value, letters.lower())
        else:
            out += quoted or escaped or currency or digits or letters or other
    return out


def _figure(value: float, digits: str, percent: bool) -> str:
    """A number as ``#,##0.00`` shows it."""
    before, _, decimals = digits.partition(".")
    number = Decimal(repr(value)) * (100 if percent else 1)
    rounded = number.quantize(Decimal(1).scaleb(-len(decimals)), ROUND_HALF_UP)
    text = f"{rounded:{',' if ',' in before else ''}f}"
    return text.rstrip("0").rstrip(".") if decimals.endswith("#") else text.zfill(before.count("0"))


def _date_part(day: date, letters: str) -> str:
    """What ``d``, ``mm`` or ``yyyy`` shows of a day."""
    shown = day.strftime(_DATES.get(letters if len(letters) > 1 else 2 * letters, letters))
    return shown if len(letters) > 1 else shown.removeprefix("0")


def _blocks(rows: Sequence[Sequence[str]]) -> Iterator[Block]:
    """Rows of a table; where they are provisions, each as it is printed: number, heading, dash, text."""
    column, law = _columns(rows)
    for row in rows:
        number = _NUMBER.fullmatch(row[column]) if law and column + 1 < len(row) else None
        filled = [text for text in row if text]
        if number:
            for text in row[:column]:
                if text and not _NUMBER.fullmatch(text):  # not what counts the rows
                    yield _alone(text)
            heading = " ".join(filter(None, row[column + 1 : law])).rstrip(" .:—-")
            lead = f"{number[1].upper()}. {heading}.—" if heading else f"{number[1].upper()}. "
            yield Block(lead + " ".join(filter(None, row[law:])), bold=len(lead) if heading else 0)
        elif law and len(filled) == 2 and _LABEL.fullmatch(filled[0]):
            yield Block(" ".join(filled))
        elif len(filled) == 1:
            yield _alone(filled[0])
        else:
            yield from row_blocks([[Block(text)] if text else [] for text in row])


def _alone(text: str) -> Block:
    return Block(text, centred=len(text) < _LONGEST_HEADING and bool(_HEADING.fullmatch(text)))


def _columns(rows: Sequence[Sequence[str]]) -> tuple[int, int]:
    """The columns with the number and the text of provisions; two zeros if the rows are none.

    The rows of a law are numbered upwards, and most of them hold a sentence.
    """
    most, columns = 2, (0, 0)
    for column in range(max(map(len, rows), default=0)):
        laws = [row for row in rows if column + 1 < len(row) and _NUMBER.fullmatch(row[column])]
        numbers = [_NUMBER.sub(r"\1", row[column]) for row in laws]
        order = [(int("".join(filter(str.isdecimal, number))), number) for number in numbers]
        widths = [sum(len(text) for text in texts) for texts in itertools.zip_longest(*laws, fillvalue="")]
        if len(laws) < most or order != sorted(set(order)):
            continue
        law = max(range(column + 1, len(widths)), key=widths.__getitem__)
        if 2 * sum(bool(_SENTENCE.fullmatch(row[law])) for row in laws if law < len(row)) > len(laws):
            most, columns = len(laws), (column, law)
    return columns
