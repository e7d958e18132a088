"""Plain texts and presentations as blocks, and the numbers that Word and HTML show before a paragraph."""

import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any

import webencodings

from citegrain.tasks.kinds.office.blocks import STRUCK, Block, Inline, LeftOut, from_windows, row_blocks
from citegrain.tasks.law.numbers import ORDINALS, to_roman
from citegrain.tasks.offline.pages import RefusedError

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_LEVEL = re.compile(r"%([1-9])")
_MOST_LETTERS = 26 * 5
_MOST_ROMAN = 4000
_MOST_LEVELS = 9  # of the levels of a list
_OFF = ("0", "false", "off", "none")


def value(parent: Any, *path: str) -> str | None:
    """Value of a property; None where it is not there."""
    for name in path:
        parent = parent.find(W + name) if parent is not None else None
    return None if parent is None else str(parent.get(W + "val", ""))


def switch(value: str | None) -> bool | None:
    """Whether a property is on; None where it is not there."""
    return None if value is None else value not in _OFF


def integer(text: str | None, default: int) -> int:
    """A short number of digits alone, else the default."""
    return int(text) if text and text.isdecimal() and len(text) < 7 else default


def _letters(n: int) -> str:
    """Word goes on after z with aa, bb, cc."""
    return chr(97 + (n - 1) % 26) * ((n - 1) // 26 + 1) if 0 < n <= _MOST_LETTERS else str(n)


def _alphabetic(n: int) -> str:
    """HTML goes on after z with aa, ab, ac."""
    return _alphabetic((n - 1) // 26) + chr(97 + (n - 1) % 26) if n > 0 else ""


def _roman(n: int) -> str:
    return to_roman(n) if 0 < n < _MOST_ROMAN else str(n)


FORMS: Mapping[str, Callable[[int], str]] = {
    "lowerLetter": _letters,
    "upperLetter": lambda n: _letters(n).upper(),
    "lowerRoman": lambda n: _roman(n).lower(),
    "upperRoman": _roman,
    "lower-alpha": _alphabetic,
    "upper-alpha": lambda n: _alphabetic(n).upper(),
    "decimalZero": lambda n: f"{n:02}",
    "ordinalText": lambda n: ORDINALS[n - 1].capitalize() if 0 < n <= len(ORDINALS) else f"{n}th",
}


@dataclass(frozen=True)
class _Level:
    """How a level of a list counts: first number, format (``lowerLetter``), pattern (``(%1)``)."""

    start: int
    form: str
    pattern: str
    style: str
    restart: int  # the deepest level after which it begins anew, the highest being 1; 0: it runs on
    legal: bool  # all numbers of the pattern are decimal


class Numbering:
    """Counts the lists of a document, from the root of ``numbering.xml``; None: it has no lists."""

    def __init__(self, root: Any) -> None:
        nodes = [] if root is None else list(root.iter(W + "abstractNum"))
        styled = {value(node, "styleLink"): self._levels(node) for node in nodes}
        self._abstract = {
            node.get(W + "abstractNumId"): self._levels(node)
            or styled.get(value(node, "numStyleLink") or "", {})
            for node in nodes
        }
        self._lists: dict[str, tuple[str, dict[int, _Level]]] = {}
        for node in [] if root is None else root.iter(W + "num"):
            abstract = value(node, "abstractNumId") or ""
            levels = dict(self._abstract.get(abstract, {}))
            starts = {}
            for change in node.iter(W + "lvlOverride"):
                at = integer(change.get(W + "ilvl"), 0)
                levels |= self._levels(change)
                if at in levels and (start := value(change, "startOverride")):
                    starts[at] = start
                    levels[at] = replace(levels[at], start=integer(start, 1))
            # lists of one abstract list count on, unless they begin anew
            counted = f"{abstract}/{node.get(W + 'numId')}" if starts else abstract
            self._lists[str(node.get(W + "numId"))] = counted, levels
        self._counts: dict[str, dict[int, int]] = {}

    @staticmethod
    def _levels(node: Any) -> dict[int, _Level]:
        return {
            integer(level.get(W + "ilvl"), 0): _Level(
                integer(value(level, "start"), 1),
                value(level, "numFmt") or "decimal",
                value(level, "lvlText") or "",
                value(level, "pStyle") or "",
                integer(value(level, "lvlRestart"), _MOST_LEVELS),
                bool(switch(value(level, "isLgl"))),
            )
            for level in node.iter(W + "lvl")
        }

    def level_of(self, number: str, style: str) -> int:
        """The level of a list that belongs to a paragraph style."""
        _, levels = self._lists.get(number, ("", {}))
        return next((at for at, level in levels.items() if style and level.style == style), 0)

    def next(self, number: str, at: int) -> str:
        """What stands before the next paragraph of list ``number`` on level ``at``; empty for a bullet."""
        counted, levels = self._lists.get(number, ("", {}))
        if at not in levels:
            return ""
        counts = self._counts.setdefault(counted, {})
        counts[at] = counts.get(at, levels[at].start - 1) + 1
        for deeper in [level for level in counts if level > at]:
            if deeper not in levels or at < levels[deeper].restart:
                del counts[deeper]
        if levels[at].form in ("bullet", "none"):
            return ""

        def count(match: re.Match[str]) -> str:
            level = levels.get(int(match[1]) - 1)
            if level is None:
                return ""
            form = "decimal" if levels[at].legal and level.form != "decimalZero" else level.form
            return FORMS.get(form, str)(counts.get(int(match[1]) - 1, level.start))

        return _LEVEL.sub(count, levels[at].pattern).strip()


_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
_UNDECODED = re.compile("[\udc80-\udcff]")
# what is valid UTF-8 is hardly ever Windows-1252, and a page whose label could be read as bytes is not UTF-16
_BY_BYTES = frozenset(("utf-8", "windows-1252", "utf-16le", "utf-16be", "replacement"))
_BINARY = 0.01  # share of characters that no text has
_MARKER = re.compile(r"^[\[“\"]*(?:\(\w{1,5}\)|\d{1,3}[A-Z]{0,2}[.)]|[*•–-])\s*")
_HEADING = re.compile(r"^[^a-z]*[A-Z][^a-z]*$")
_WIDEST_WRAPPED = 120

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_DEEPEST = 20  # groups within groups


def decode(data: bytes, label: str = "") -> str:
    """Text by byte order mark, WHATWG label, else as UTF-8 or Windows-1252. Raises RefusedError."""
    text = _decoded(data, label).removeprefix("\ufeff")
    if len(_CONTROL.findall(text)) + text.count("\ufffd") > _BINARY * len(text):
        raise RefusedError("not a text: most likely the file is binary or damaged")
    return _CONTROL.sub("", text)


def _decoded(data: bytes, label: str) -> str:
    for bom, name in _BOMS:
        if data.startswith(bom):
            return data.decode(name, "replace")
    encoding = webencodings.lookup(label)
    if encoding is not None and encoding.name not in _BY_BYTES:
        try:
            return str(encoding.codec_info.decode(data, "strict")[0])
        except ValueError:  # the label is wrong
            pass
    text = data.decode("utf-8", "surrogateescape")
    return _UNDECODED.sub(lambda m: from_windows(chr(ord(m[0]) - 0xDC00)), text)


def verbatim(data: bytes) -> str:
    """A text character by character, so that an offset into it is one into the file as Python reads it.

    As there a line end is one character, whatever bytes it is; what no text has is a blank.
    """
    text = _decoded(data, "").replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub(" ", re.sub("[\ufeff\ufffd]", " ", text))


def read_plain(data: bytes) -> Iterator[Block]:
    """The paragraphs of a text; a form feed begins a page.

    Lines of a text that is wrapped are joined: up to a blank line, a line that is set further in, or one that
    begins with a marker such as ``(a)``. In any other text each line is a paragraph.
    """
    text = decode(data)
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    wrapped = _is_wrapped(lines)
    paragraph: list[str] = []
    opens = False
    for line in [*lines, ""]:
        if paragraph and (not wrapped or _begins(line, paragraph)):
            yield from _block(paragraph, opens, wrapped)
            paragraph, opens = [], False
        opens = opens or line.startswith("\f")
        if line.strip():
            paragraph.append(line.lstrip("\f"))


def _is_wrapped(lines: list[str]) -> bool:
    """Whether paragraphs go on over several lines: many lines begin with a small letter."""
    filled = [line.strip() for line in lines if line.strip()]
    small = sum(line[0].islower() for line in filled)
    widest = max(map(len, filled), default=0)
    return small >= 0.15 * len(filled) > 0 and widest <= 2 * _WIDEST_WRAPPED


def _begins(line: str, paragraph: list[str]) -> bool:
    bare = line.strip()
    if not bare or line.startswith("\f") or _MARKER.match(bare) or _HEADING.match(bare):
        return True
    last = paragraph[-1]
    return _HEADING.match(last.strip()) is not None or (_lead(line) > _lead(last) + 2 and len(paragraph) > 1)


def _lead(line: str) -> int:
    line = line.expandtabs(8)
    return len(line) - len(line.lstrip())


def _block(paragraph: list[str], opens: bool, wrapped: bool) -> Iterator[Block]:
    inline = Inline()
    inline.add(" ".join(paragraph))
    block = inline.block()
    if block:
        short = len(paragraph) == 1 and len(block.text) < 100
        block.centred = short and (_lead(paragraph[0]) >= 12 or bool(_HEADING.match(block.text)))
        block.indent = 0 if block.centred else min(_lead(paragraph[0]) // 4, 3)
        block.opens_page = opens
        yield block


def read_slides(data: bytes, left_out: LeftOut) -> Iterator[Block]:
    """The paragraphs of all slides."""
    import pptx  # as in sheets

    for number, slide in enumerate(pptx.Presentation(BytesIO(data)).slides, 1):
        blocks = list(_shapes(slide.shapes, slide.shapes.title, f"slide {number}", left_out))
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            blocks += _paragraphs(slide.notes_slide.notes_text_frame, 0, left_out)
        first, *rest = blocks or [Block("")]
        first.opens_page = True
        yield first
        yield from rest


def _shapes(
    shapes: Iterable[Any], title: Any, place: str, left_out: LeftOut, depth: int = 0
) -> Iterator[Block]:
    """Blocks of shapes, the title first, the others in the order of the file."""
    top = title.shape_id if title is not None else None
    for shape in sorted(shapes, key=lambda s: s.shape_id != top):
        if hasattr(shape, "shapes") and depth < _DEEPEST:
            yield from _shapes(shape.shapes, None, place, left_out, depth + 1)
        elif shape.has_text_frame:
            yield from _paragraphs(shape.text_frame, 2 if shape.shape_id == top else 0, left_out)
        elif getattr(shape, "has_table", False):
            for row in shape.table.rows:
                cells = [list(_paragraphs(cell.text_frame, 0, left_out)) for cell in row.cells]
                yield from row_blocks(cells)
        elif not hasattr(shape, "begin_x"):  # as a line has
            left_out.add("pictures and diagrams, not read", f"{place} ({shape.name})")


def _paragraphs(frame: Any, level: int, left_out: LeftOut) -> Iterator[Block]:
    for paragraph in frame.paragraphs:
        inline = Inline(left_out)
        for piece in paragraph._p:  # the library's own list of runs leaves out line breaks and fields
            if piece.get("type") == "slidenum":
                continue
            properties = getattr(piece.find(_A + "rPr"), "attrib", {})
            bold, italic = (properties.get(name) in ("1", "true") for name in "bi")
            text = " " if piece.tag == _A + "br" else piece.findtext(_A + "t") or ""
            struck = properties.get("strike", "noStrike") != "noStrike"
            inline.add(text, bold=bold, italic=italic, left_out=STRUCK if struck else "")
        block = inline.block()
        if block:
            block.level, block.indent = level, paragraph.level
            yield block
