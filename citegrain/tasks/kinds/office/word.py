"""Word documents: paragraphs with their styles, list numbers, tables, footnotes and endnotes."""

import posixpath
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any

from citegrain.tasks.kinds.office.blocks import GLOSS, HIDDEN, STRUCK, Block, Inline, LeftOut, row_blocks
from citegrain.tasks.kinds.office.forms import Numbering, W, read_plain, switch, value
from citegrain.tasks.kinds.office.web import parse_html, read_web
from citegrain.tasks.offline.pages import RefusedError

_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_GONE = {
    W + name for name in ("del", "moveFrom", "pPr", "rPr", "sdtPr", "sectPr", "delText", "instrText")
} | {
    _MC + "Fallback"  # the same again, for old programs
}
_ROOTS = frozenset(("styles", "numbering", "footnotes", "endnotes"))
_NEEDED = {"styles": "pStyle", "numbering": "numId"} | {
    f"{kind}s": f"{kind}Reference" for kind in ("footnote", "endnote")
}
"""Parts by what refers to them."""
_PLACEHOLDER = "placeholders, not read"
_UNREAD = frozenset(("header", "footer", "comments"))
_DRAWN = frozenset(("drawing", "pict", "object"))
_OF_FONT = range(0xE000, 0xF900)  # of Unicode, for private use
_HEADING = re.compile(r"heading (\d)$|(title)$|(subtitle)$", re.IGNORECASE)
_LONGEST_CHAIN = 12  # of styles that are based on styles


@dataclass(frozen=True)
class _Style:
    """What a style says, with the styles it is based on; empty and None where they say nothing."""

    level: int = 0
    centred: bool = False
    toggles: tuple[bool | None, ...] = (None,) * 4  # bold, italic, struck out, hidden
    list: str = ""
    list_level: str = ""
    opens_page: bool = False


def read_word(data: bytes, left_out: LeftOut) -> Iterator[Block]:
    """The blocks of a document, without tracked deletions; headers, comments and the like are reported."""
    archive = zipfile.ZipFile(BytesIO(data))
    main = next(path for kind, path in links_of(archive, "").values() if kind == "officeDocument")
    links = links_of(archive, main)
    roots = {}
    for kind, path in links.values():
        if kind in _ROOTS:
            roots[kind] = _parsed(archive, path)
        elif kind in _UNREAD:
            words = (node.text or "" for node in _parsed(archive, path).iter(W + "t"))
            left_out.words(f"{kind} of the document, not read", " ".join(words))
    body = _parsed(archive, main).find(W + "body")
    for kind, name in _NEEDED.items():
        if kind not in roots and next(body.iter(W + name), None) is not None:
            left_out.add("parts that the document refers to and that are missing; get a whole copy", kind)
    for node in [node for node in body.iter(W + "p") if node.find(f"{W}pPr/{W}rPr/{W}del") is not None]:
        if (following := node.getnext()) is not None and following.tag == W + "p":  # both are one now
            at = int(following.find(W + "pPr") is not None)
            following[at:at] = [child for child in node if child.tag != W + "pPr"]
            node.getparent().remove(node)
    return _Reader(archive, roots, links, left_out).blocks(body)


def _parsed(archive: zipfile.ZipFile, path: str) -> Any:
    """Root of the XML of a part."""
    from lxml import etree  # as in sheets

    return etree.fromstring(archive.read(path), etree.XMLParser(resolve_entities=False, no_network=True))


def links_of(archive: zipfile.ZipFile, path: str) -> dict[str, tuple[str, str]]:
    """Kind and path of each part that a part links to, by the id of the link; ``""`` is the package."""
    folder, name = posixpath.split(path)
    links = posixpath.join(folder, "_rels", f"{name}.rels")
    nodes = _parsed(archive, links).iter("{*}Relationship") if links in archive.NameToInfo else ()
    return {
        str(node.get("Id")): (
            str(node.get("Type")).rpartition("/")[2],
            posixpath.normpath(posixpath.join("/", folder, str(node.get("Target")))).lstrip("/"),
        )
        for node in nodes
        if node.get("TargetMode") != "External"
    }


class _Reader:
    """Reads the elements of a document in their order."""

    def __init__(
        self,
        archive: zipfile.ZipFile,
        roots: Mapping[str, Any],
        links: Mapping[str, tuple[str, str]],
        left_out: LeftOut,
    ) -> None:
        self.left_out = left_out
        self._archive, self._links = archive, links
        styles = roots.get("styles")
        nodes = [] if styles is None else list(styles.iter(W + "style"))
        self._nodes = {node.get(W + "styleId"): node for node in nodes}
        paragraphs = (node for node in nodes if node.get(W + "type") == "paragraph")
        defaults = (n for n in paragraphs if switch(n.get(W + "default", "0")))
        self._default = next((node.get(W + "styleId") for node in defaults), "")
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

    def style(self, name: str, chain: int = 0) -> _Style:
        """A style by its id, with what it inherits."""
        if name in self._styles:
            return self._styles[name]
        node = self._nodes.get(name)
        if node is None or chain > _LONGEST_CHAIN:
            return _Style()
        base = self.style(value(node, "basedOn") or "", chain + 1)
        heading = _HEADING.match(value(node, "name") or "")
        level = int(heading[1] or (2 if heading[3] else 1)) if heading else base.level
        style = self._with(replace(base, level=level), node)
        self._styles[name] = style
        return style

    @staticmethod
    def _with(style: _Style, node: Any) -> _Style:
        """A style with what the properties of a style or of a paragraph change."""
        outline = value(node, "pPr", "outlineLvl") or ""
        align = value(node, "pPr", "jc")
        return _Style(
            int(outline) + 1 if outline in set("012345678") else style.level,
            align == "center" if align is not None else style.centred,
            _over(_toggles(node), style.toggles),
            value(node, "pPr", "numPr", "numId") or style.list,
            value(node, "pPr", "numPr", "ilvl") or style.list_level,
            bool(switch(value(node, "pPr", "pageBreakBefore"))),
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
                        yield from row_blocks([list(self._cell(cell)) for cell in _children(row, "tc")])
            elif child.tag in (W + "altChunk", W + "subDoc"):
                yield from self._inserted(child.get(_LINK))
            elif child.tag not in _GONE and not self.is_placeholder(child):
                yield from self.blocks(child)

    def _cell(self, cell: Any) -> Iterator[Block]:
        if cell.find(f"{W}tcPr/{W}cellDel") is None:
            return self.blocks(cell)
        self.left_out.words(STRUCK, "".join(cell.itertext()))
        return iter(())

    def is_placeholder(self, node: Any) -> bool:
        """Whether a content control only asks for a text, which is reported."""
        empty = switch(value(node, "sdtPr", "showingPlcHdr"))
        self.left_out.words(_PLACEHOLDER, "".join(node.itertext()) if empty else "")
        return bool(empty)

    def _paragraph(self, node: Any) -> Iterator[Block]:
        """A paragraph, one block a line; then the text boxes anchored in it."""
        name = value(node, "pPr", "pStyle") or self._default
        style = self._with(self.style(name), node)
        run = _Runs(self, self.style(name))
        run.read(node)
        lines = run.lines()
        opens, self._opens_page = self._opens_page or style.opens_page, run.opens_page
        number, at = self._number(style, name, bool(lines) or run.struck)  # what is struck has its number
        if lines and number:
            lines[0] = lines[0].numbered(number)
        for block in lines:
            block.level, block.centred, block.indent = style.level, style.centred, at
            block.opens_page, opens = opens or block.opens_page, False
            block.notes = [f"{label}. {note}" for _, label in block.marks if (note := self._notes.get(label))]
            yield block
        section = node.find(f"{W}pPr/{W}sectPr")  # of which it is the last; it may go on on its page
        ends = section is not None and value(section, "type") != "continuous"
        self._opens_page = self._opens_page or opens or ends
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
        _, path = self._links.get(link or "", ("", ""))
        types = {
            node.get("PartName") or "." + node.get("Extension", ""): node.get("ContentType", "")
            for node in _parsed(self._archive, "[Content_Types].xml")
        }
        kind = types.get(f"/{path}") or types.get(posixpath.splitext(path)[1]) or "of an unknown kind"
        try:
            if "html" in kind or path.endswith((".htm", ".html")):
                yield from read_web(parse_html(self._archive.read(path)), self.left_out)
            elif kind == "text/plain":
                yield from read_plain(self._archive.read(path))
            else:
                raise RefusedError(kind)
        except (RefusedError, KeyError) as error:
            self.left_out.add("files within the document, not read", f"{path} ({error})")

    def label(self, kind: str, number: str, custom: str) -> str:
        """The mark of a footnote or endnote: its own, or its number in the order of reference."""
        label = custom or self._labels.setdefault((kind, number), str(len(self._labels) + 1))
        self._notes[label] = self._note_texts.get((kind, number), "")
        if not self._notes[label]:
            self.left_out.add("notes without a text", label)
        return label


class _Runs:
    """The runs of a paragraph as lines."""

    def __init__(self, reader: _Reader, style: _Style) -> None:
        self._reader = reader
        self._style = style
        self._lines = [Inline(reader.left_out)]
        self.struck = False
        self._fields: list[str] = []  # that are open: begin, then separate once their result is shown
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
                self.struck = True
            elif child.tag not in _GONE and not self._reader.is_placeholder(child):
                self.read(child)

    def _run(self, run: Any) -> None:
        run_style = self._reader.style(value(run, "rPr", "rStyle") or "")
        toggles = _over(_toggles(run), run_style.toggles)
        bold, italic, struck, hidden = map(bool, _over(toggles, self._style.toggles))
        raised = value(run, "rPr", "vertAlign") == "superscript"
        self.struck = self.struck or struck
        left_out = HIDDEN if hidden else STRUCK if struck else ""
        self._pieces(run, bold, italic, raised, left_out)

    def _pieces(self, node: Any, bold: bool, italic: bool, raised: bool, left_out: str) -> None:
        for piece in node:
            name = piece.tag.removeprefix(W) if isinstance(piece.tag, str) else ""
            line = self._lines[-1]
            if "begin" in self._fields:  # what only a field reads
                left_out = left_out or "instructions of fields, not read"
            if name == "t":
                line.add(piece.text or "", bold=bold, italic=italic, raised=raised, left_out=left_out)
            elif name == "sym":
                code = int(piece.get(W + "char") or "E000", 16)
                if code in _OF_FONT:
                    font = piece.get(W + "font")
                    self._reader.left_out.add("symbols of a font, not read", f"U+{code:04X} of {font}")
                else:
                    line.add(chr(code), left_out=left_out)
            elif name in ("tab", "ptab"):
                line.add(" ", left_out=left_out)
            elif name == "noBreakHyphen":
                line.add("-", bold=bold, italic=italic, left_out=left_out)
            elif name == "fldChar":
                kind = piece.get(W + "fldCharType")
                self._fields = self._fields[:-1] if kind != "begin" else self._fields
                self._fields += [kind] if kind != "end" else []
            elif name == "rt":
                line.add("".join(piece.itertext()), left_out=GLOSS)
            elif name in ("br", "cr"):
                self._lines.append(Inline(self._reader.left_out))
                if piece.get(W + "type") == "page":
                    self._broken.add(len(self._lines) - 1)
            elif name in ("footnoteReference", "endnoteReference"):
                custom = switch(piece.get(W + "customMarkFollows")) and node.findtext(W + "t")
                kind, number = name.removesuffix("Reference"), str(piece.get(W + "id"))
                label = self._reader.label(kind, number, custom or "")
                line.add("" if custom else label, raised=True, left_out=left_out)
                raised = raised or bool(custom)  # what follows is the mark
            elif name == "txbxContent":
                self.boxes.append(piece)
            elif piece.tag not in _GONE:
                if name in _DRAWN and next(piece.iter(W + "txbxContent"), None) is None:
                    drawn = piece.iter("{*}docPr", "{*}textpath")
                    names = [node.get("string") or node.get("name") for node in drawn]
                    self._reader.left_out.add("pictures and drawings, not read", *names[:1] or ["one"])
                self._pieces(piece, bold, italic, raised, left_out)

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
        switch(value(node, "rPr", name)) for name in ("b", "i", "strike", "dstrike", "vanish")
    )
    return bold, italic, twice if struck is None else struck or bool(twice), hidden


def _over(inner: tuple[bool | None, ...], outer: tuple[bool | None, ...]) -> tuple[bool | None, ...]:
    return tuple(o if i is None else i for i, o in zip(inner, outer, strict=True))


def _children(node: Any, name: str) -> Iterator[Any]:
    """Rows or cells, also those inside content controls and insertions."""
    for child in node:
        if child.tag == W + name:
            yield child
        elif child.tag not in _GONE and child.tag not in (W + "tblPr", W + "trPr", W + "tblGrid"):
            yield from _children(child, name)
