"""Word documents: paragraphs with their styles, list numbers, tables, footnotes and endnotes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any

from citegrain.tasks.kinds.office.blocks import HIDDEN, STRUCK, Block, Inline, LeftOut, row_blocks
from citegrain.tasks.kinds.office.forms import read_plain
from citegrain.tasks.kinds.office.web import parse_html, read_web
from citegrain.tasks.law.numbers import to_roman
from citegrain.tasks.offline.pages import RefusedError

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_LEVEL = re.compile(r"%([1-9])")
_MOST_LETTERS = 26 * 5
_MOST_ROMAN = 4000
_DEEPEST = 9  # of the levels of a list

_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_GONE = {
    W + name for name in ("del", "moveFrom", "pPr", "rPr", "sdtPr", "sectPr", "delText", "instrText")
} | {
    _MC + "Fallback"  # the same again, for old programs
}
_ROOTS = frozenset(("styles", "numbering", "footnotes", "endnotes"))
_UNREAD = {
    "header": "page headers, not read",
    "footer": "page footers, not read",
    "comments": "comments, not read",
}
_DRAWN = {
    "blip": "pictures",
    "imagedata": "pictures",
    "chart": "charts",
    "relIds": "diagrams",
    "OLEObject": "embedded objects",
}
_HEADING = re.compile(r"heading (\d)$|(title)$|(subtitle)$", re.IGNORECASE)
_LONGEST_CHAIN = 12  # of styles that are based on styles
_OFF = ("0", "false", "off", "none")


@dataclass(frozen=True)
class _Level:
    """How a level of a list counts.

    Attributes
    ----------
    form
        Format of the number, as ``lowerLetter``.
    pattern
        What is shown, as ``(%1)``.
    restart
        The deepest level after which it begins anew, the highest being 1; it always runs on after 0.
    legal
        Whether all numbers in the pattern are decimal.
    """

    start: int
    form: str
    pattern: str
    style: str
    restart: int
    legal: bool


def _attribute(parent: Any, name: str, default: str = "") -> str:
    child = parent.find(W + name) if parent is not None else None
    return str(child.get(W + "val", default)) if child is not None else default


def _integer(text: str, default: int) -> int:
    return int(text) if text.isdecimal() and len(text) < 7 else default


def _letters(n: int) -> str:
    """Word goes on after z with aa, bb, cc."""
    return chr(97 + (n - 1) % 26) * ((n - 1) // 26 + 1) if 0 < n <= _MOST_LETTERS else str(n)


def _roman(n: int) -> str:
    return to_roman(n) if 0 < n < _MOST_ROMAN else str(n)


_FORMS: Mapping[str, Callable[[int], str]] = {
    "lowerLetter": _letters,
    "upperLetter": lambda n: _letters(n).upper(),
    "lowerRoman": lambda n: _roman(n).lower(),
    "upperRoman": _roman,
    "decimalZero": lambda n: f"{n:02}",
}


class Numbering:
    """Counts the lists of a document.

    ``root``: root of ``numbering.xml``; None if the document has no lists.
    """

    def __init__(self, root: Any) -> None:
        nodes = [] if root is None else list(root.iter(W + "abstractNum"))
        styled = {_attribute(node, "styleLink"): self._levels(node) for node in nodes}
        self._abstract = {
            node.get(W + "abstractNumId"): self._levels(node)
            or styled.get(_attribute(node, "numStyleLink", "none"), {})
            for node in nodes
        }
        self._lists: dict[str, tuple[str, dict[int, _Level]]] = {}
        for node in [] if root is None else root.iter(W + "num"):
            abstract = _attribute(node, "abstractNumId")
            levels = dict(self._abstract.get(abstract, {}))
            starts = {}
            for change in node.iter(W + "lvlOverride"):
                at = _integer(change.get(W + "ilvl", ""), 0)
                levels |= self._levels(change)
                if at in levels and (start := _attribute(change, "startOverride")):
                    starts[at] = start
                    levels[at] = replace(levels[at], start=_integer(start, 1))
            # lists of one abstract list count on, unless they begin anew
            counted = f"{abstract}/{node.get(W + 'numId')}" if starts else abstract
            self._lists[str(node.get(W + "numId"))] = counted, levels
        self._counts: dict[str, dict[int, int]] = {}

    @staticmethod
    def _levels(node: Any) -> dict[int, _Level]:
        return {
            _integer(level.get(W + "ilvl", ""), 0): _Level(
                _integer(_attribute(level, "start"), 1),
                _attribute(level, "numFmt", "decimal"),
                _attribute(level, "lvlText"),
                _attribute(level, "pStyle"),
                _integer(_attribute(level, "lvlRestart"), _DEEPEST),
                bool(_switch(_value(level, "isLgl"))),
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
            form = "decimal" if levels[at].legal else level.form
            return _FORMS.get(form, str)(counts.get(int(match[1]) - 1, level.start))

        return _LEVEL.sub(count, levels[at].pattern).strip()


@dataclass(frozen=True)
class _Style:
    """What a style says, with the styles it is based on; empty and None where they say nothing."""

    level: int = 0
    centred: bool = False
    bold: bool | None = None
    italic: bool | None = None
    struck: bool | None = None
    hidden: bool | None = None
    list: str = ""
    list_level: str = ""
    opens_page: bool = False


def read_word(data: bytes, left_out: LeftOut) -> Iterator[Block]:
    """The blocks of a document, without what tracked changes delete.

    Headers, footers, comments, pictures and files of other kinds are not read.
    """
    import docx  # who opens no Word document does not need it

    document = docx.Document(BytesIO(data))
    links = [link for link in document.part.rels.values() if not link.is_external]
    parts = {link.rId: link.target_part for link in links}
    roots = {}
    for link in links:
        kind = link.reltype.rpartition("/")[2]
        if kind in _ROOTS:
            roots[kind] = _root(link.target_part)
        elif kind in _UNREAD:
            words = (node.text or "" for node in _root(link.target_part).iter(W + "t"))
            left_out.words(_UNREAD[kind], " ".join(words))
    return _Reader(roots, parts, left_out).blocks(document.element.body)


def _root(part: Any) -> Any:
    """Root of the XML of a part."""
    from docx.oxml import parse_xml

    return getattr(part, "element", None) if hasattr(part, "element") else parse_xml(part.blob)


def _value(parent: Any, *path: str) -> str | None:
    """Value of a property; None where it is not there."""
    for name in path:
        parent = parent.find(W + name) if parent is not None else None
    return None if parent is None else str(parent.get(W + "val", ""))


def _switch(value: str | None) -> bool | None:
    return None if value is None else value not in _OFF


class _Reader:
    """Reads the elements of a document in their order."""

    def __init__(self, roots: Mapping[str, Any], parts: Mapping[str, Any], left_out: LeftOut) -> None:
        self.left_out = left_out
        self._parts = parts
        styles = roots.get("styles")
        nodes = [] if styles is None else list(styles.iter(W + "style"))
        self._nodes = {node.get(W + "styleId"): node for node in nodes}
        self._default = next((n.get(W + "styleId") for n in nodes if _is_default(n)), "")
        self._styles: dict[str, _Style] = {}
        self._numbering = Numbering(roots.get("numbering"))
        self._note_texts: dict[tuple[str, str], str] = {}
        self._labels: dict[tuple[str, str], str] = {}
        self._notes: dict[str, str] = {}
        self._opens_page = False
        for kind in ("footnote", "endnote"):
            for node in roots[kind + "s"].iter(W + kind) if kind + "s" in roots else ():
                texts = (" ".join((block.text, *block.cells)).strip() for block in self.blocks(node))
                self._note_texts[kind, str(node.get(W + "id"))] = " ".join(filter(None, texts))

    def _style(self, name: str, chain: int = 0) -> _Style:
        """A style by its id, with what it inherits."""
        if name in self._styles:
            return self._styles[name]
        node = self._nodes.get(name)
        if node is None or chain > _LONGEST_CHAIN:
            return _Style()
        base = self._style(_value(node, "basedOn") or "", chain + 1)
        heading = _HEADING.match(_value(node, "name") or "")
        level = int(heading[1] or (2 if heading[3] else 1)) if heading else base.level
        style = self._with(replace(base, level=level), node)
        self._styles[name] = style
        return style

    @staticmethod
    def _with(style: _Style, node: Any) -> _Style:
        """A style with what the properties of a style or of a paragraph change."""
        outline = _value(node, "pPr", "outlineLvl") or ""
        bold, italic, struck, hidden = _toggles(node)
        align = _value(node, "pPr", "jc")
        return _Style(
            int(outline) + 1 if outline in set("012345678") else style.level,
            align == "center" if align is not None else style.centred,
            style.bold if bold is None else bold,
            style.italic if italic is None else italic,
            style.struck if struck is None else struck,
            style.hidden if hidden is None else hidden,
            _value(node, "pPr", "numPr", "numId") or style.list,
            _value(node, "pPr", "numPr", "ilvl") or style.list_level,
            bool(_switch(_value(node, "pPr", "pageBreakBefore"))),
        )

    def blocks(self, parent: Any) -> Iterator[Block]:
        """The blocks of an element: body, cell, text box or note."""
        for child in parent:
            if child.tag == W + "p":
                yield from self._paragraph(child)
            elif child.tag == W + "tbl":
                for row in _children(child, "tr"):
                    if row.find(f"{W}trPr/{W}del") is not None:
                        self.left_out.words(STRUCK, "".join(row.itertext()))
                    else:
                        yield from row_blocks([list(self.blocks(cell)) for cell in _children(row, "tc")])
            elif child.tag in (W + "altChunk", W + "subDoc"):
                yield from self._inserted(child.get(_LINK))
            elif child.tag not in _GONE:
                yield from self.blocks(child)

    def _paragraph(self, node: Any) -> Iterator[Block]:
        """A paragraph, one block a line; then the text boxes anchored in it."""
        name = _value(node, "pPr", "pStyle") or self._default
        style = self._with(self._style(name), node)
        run = _Runs(self, self._style(name))
        run.read(node)
        lines = run.lines()
        opens, self._opens_page = self._opens_page or style.opens_page, run.opens_page
        number, at = self._number(style, name, bool(lines) or run.struck)
        if lines and number:
            lines[0] = _numbered(lines[0], number)
        for block in lines:
            block.level, block.centred, block.indent = style.level, style.centred, at
            block.opens_page, opens = opens or block.opens_page, False
            block.notes = [f"{label}. {note}" for _, label in block.marks if (note := self._notes.get(label))]
            yield block
        self._opens_page = self._opens_page or opens or _section_ends(node)
        for box in run.boxes:
            yield from self.blocks(box)

    def _number(self, style: _Style, name: str, filled: bool) -> tuple[str, int]:
        """Number before a paragraph and its level in the list."""
        if not style.list or style.list == "0":
            return "", 0
        level = int(style.list_level) if style.list_level in set("012345678") else None
        level = self._numbering.level_of(style.list, name) if level is None else level
        return (self._numbering.next(style.list, level) if filled else ""), level

    def _inserted(self, link: str | None) -> Iterator[Block]:
        """The blocks of a file of another kind that stands in the document."""
        part = self._parts.get(link or "")
        if part is None:
            self.left_out.add("files within the document, not read", "one that is not in the file")
            return
        name, kind = part.partname.rpartition("/")[2], part.content_type
        try:
            if "html" in kind:
                yield from read_web(parse_html(part.blob, self.left_out), self.left_out)
            elif kind == "text/plain":
                yield from read_plain(part.blob, self.left_out)
            else:
                self.left_out.add("files within the document, not read", f"{name} ({kind})")
        except RefusedError as error:
            self.left_out.add("files within the document, not read", f"{name} ({error})")

    def label(self, kind: str, number: str) -> str:
        """The number of a footnote or endnote, in the order in which they are referred to."""
        label = self._labels.setdefault((kind, number), str(len(self._labels) + 1))
        self._notes[label] = self._note_texts.get((kind, number), "")
        return label

    def character_style(self, node: Any) -> _Style:
        """The style of a run."""
        return self._style(_value(node, "rPr", "rStyle") or "")


class _Runs:
    """The runs of a paragraph as lines."""

    def __init__(self, reader: _Reader, style: _Style) -> None:
        self._reader = reader
        self._style = style
        self._lines = [Inline(reader.left_out)]
        self.struck = False
        self._broken: set[int] = set()
        self.boxes: list[Any] = []
        self.opens_page = False

    def read(self, node: Any) -> None:
        """Read what a paragraph, a link or an insertion contains."""
        for child in node:
            if child.tag == W + "r":
                self._run(child)
            elif child.tag == _MATH + "t":
                self._lines[-1].add(child.text or "")
            elif child.tag == W + "del":
                self._lines[-1].add("".join(child.itertext()), left_out=STRUCK)
            elif child.tag not in _GONE:
                self.read(child)

    def _run(self, run: Any) -> None:
        style, outer = self._reader.character_style(run), self._style
        bold, italic, struck, hidden = (
            next((v for v in values if v is not None), False)
            for values in zip(
                _toggles(run),
                (style.bold, style.italic, style.struck, style.hidden),
                (outer.bold, outer.italic, outer.struck, outer.hidden),
                strict=True,
            )
        )
        raised = _value(run, "rPr", "vertAlign") == "superscript"
        self.struck = self.struck or bool(struck)
        left_out = HIDDEN if hidden else STRUCK if struck else ""
        self._pieces(run, bool(bold), bool(italic), raised, left_out)

    def _pieces(self, node: Any, bold: bool, italic: bool, raised: bool, left_out: str) -> None:
        for piece in node:
            name = piece.tag.removeprefix(W) if isinstance(piece.tag, str) else ""
            line = self._lines[-1]
            if name == "t":
                line.add(piece.text or "", bold=bold, italic=italic, raised=raised, left_out=left_out)
            elif name in ("tab", "ptab"):
                line.add(" ", left_out=left_out)
            elif name == "noBreakHyphen":
                line.add("-", bold=bold, italic=italic, left_out=left_out)
            elif name in ("br", "cr"):
                self._break(piece.get(W + "type") == "page")
            elif name in ("footnoteReference", "endnoteReference"):
                label = self._reader.label(name.removesuffix("Reference"), str(piece.get(W + "id")))
                line.add(label, raised=True, left_out=left_out)
            elif name == "txbxContent":
                self.boxes.append(piece)
            elif piece.tag not in _GONE:
                self._drawn(piece)
                self._pieces(piece, bold, italic, raised, left_out)

    def _drawn(self, node: Any) -> None:
        """Report what is no text, by the name it has in the document."""
        what = _DRAWN.get(str(node.tag).rpartition("}")[2])
        if what:
            names = (outer.find(".//{*}docPr") for outer in node.iterancestors(f"{W}drawing"))
            name = next((found.get("name") for found in names if found is not None), "one")
            self._reader.left_out.add(f"{what}, not read", name)

    def _break(self, page: bool) -> None:
        self._lines.append(Inline(self._reader.left_out))
        if page:
            self._broken.add(len(self._lines) - 1)

    def lines(self) -> list[Block]:
        """A block a line that is not empty; sets ``opens_page`` if a page break ends the paragraph."""
        out: list[Block] = []
        opens = False
        for at, inline in enumerate(self._lines):
            opens = opens or at in self._broken
            block = inline.block()
            if block:
                block.opens_page, opens = opens, False
                out.append(block)
        self.opens_page = opens
        return out


def _toggles(node: Any) -> tuple[bool | None, ...]:
    """Whether properties make text bold, italic, struck out and hidden; None where they do not say."""
    bold, italic, struck, twice, hidden = (
        _switch(_value(node, "rPr", name)) for name in ("b", "i", "strike", "dstrike", "vanish")
    )
    return bold, italic, twice if struck is None else struck or twice, hidden


def _is_default(style: Any) -> bool:
    return style.get(W + "type") == "paragraph" and bool(_switch(style.get(W + "default", "0")))


def _children(node: Any, name: str) -> Iterator[Any]:
    """Rows or cells, also those inside content controls and insertions."""
    for child in node:
        if child.tag == W + name:
            yield child
        elif child.tag not in _GONE and child.tag not in (W + "tblPr", W + "trPr", W + "tblGrid"):
            yield from _children(child, name)


def _numbered(block: Block, number: str) -> Block:
    """A block with its number before it, as bold as its first word."""
    lead = len(number) + 1
    marks = [(at + lead, label) for at, label in block.marks]
    return replace(block, text=f"{number} {block.text}", bold=block.bold and lead + block.bold, marks=marks)


def _section_ends(node: Any) -> bool:
    """Whether a paragraph is the last of a section of the document that does not go on on its page."""
    section = node.find(f"{W}pPr/{W}sectPr")
    return section is not None and _value(section, "type") not in ("continuous",)
