"""Web pages: blocks by their tags, simple styles and what style sheets say of tags and classes.

Pages of pdf2htmlEX are a PDF as HTML, in which each line of a page is placed by its classes. What a PDF has,
they have: position and size of type. So they are read as a PDF's pages are. Widths and bold type are in the
embedded fonts; a width is estimated, and nothing is bold.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from citegrain.tasks.core.errors import TOO_DEEP
from citegrain.tasks.kinds.office.blocks import GLOSS, HIDDEN, STRUCK, Block, Inline, LeftOut, row_blocks
from citegrain.tasks.kinds.office.forms import FORMS, decode, integer
from citegrain.tasks.offline.pages import Document, Page, PageStatus, RefusedError, Segment
from citegrain.tasks.offline.parse import assign_roles, in_rows, page_status

_SELECTOR = re.compile(r"(?:[a-z][a-z0-9]*)?(?:[.#][A-Za-z_][\w-]*)?$")
_CHANGES_TEXT = re.compile(
    r"\bnone\b|hidden|line-through|counters?\(|(?:opacity|font-size):\s*0", re.IGNORECASE
)
_NOTHING = re.compile(r"0(?:\.0*)?(?:[a-z]+|%)?")
_REMARK = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_MOST_RULES, _MOST_PATHS = 100_000, 1_000
_NAMES = """
bottom break-before content display font-size font-style font-weight height left list-style list-style-type
opacity page-break-before text-align text-decoration text-decoration-line transform
vertical-align visibility white-space width
"""
_READ = frozenset(_NAMES.split())
"""The properties that a reader asks for: each selector keeps no more, whatever a sheet sets."""

Properties = dict[str, str]

_CHARSET = re.compile(
    rb"""<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE
)
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_INVISIBLE = re.compile(
    "head|script|style|template|noscript|nav|button|select|textarea|iframe|object|svg|math|canvas|audio|video|rp"
)
_BLOCK = re.compile(
    "address|article|aside|blockquote|body|caption|center|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|"
    "form|h[1-6]|header|hr|html|legend|li|main|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul"
)
_BOLD, _ITALIC = frozenset(("b", "strong", "th")), frozenset(("i", "em", "cite"))
_FORMATS = {"a": "lower-alpha", "A": "upper-alpha", "i": "lowerRoman", "I": "upperRoman"} | {
    "lower-alpha": "lower-alpha", "lower-latin": "lower-alpha", "lower-roman": "lowerRoman", "decimal": "",
    "upper-alpha": "upper-alpha", "upper-latin": "upper-alpha", "upper-roman": "upperRoman",
    "decimal-leading-zero": "decimalZero",
}  # fmt: skip
_STRUCK = frozenset(("del", "s", "strike"))
_LOST = frozenset(("iframe", "frame", "embed", "object", "svg", "math", "img"))  # what is shown and not read
_MARKER = re.compile(r"^\W*\(?(?:\d{1,3}[A-Z]{0,2}|[A-Za-z]{1,2}|[ivxlc]{1,5}|[IVXLC]{1,5})[.)]")
_NOTES = re.compile(r"\b(?:foot|end)-?notes?\b")
_LABEL = re.compile(r"\W?(?:\d{1,3}|[*†‡])\]?\)?")  # of a note, as it stands before it
_LABELLED = re.compile(r"^(?:[\[(](\d{1,3})[\])]|(\d{1,3})(?=[A-Z“\[]))\s*")
_PAGE = frozenset(("always", "page", "left", "right"))

_LETTER = 0.45  # width of a letter, sizes of type
_POINTS = 0.75  # a pixel
_RAISED = 0.1  # sizes of type


def declarations(text: str) -> Properties:
    """Properties of a ``style`` attribute or of the braces of a rule that are read, in small letters."""
    pairs = (part.partition(":") for part in text.lower().split(";"))
    return {
        name: value.replace("!important", "").strip()
        for key, colon, value in pairs
        if colon and (name := key.strip()) in _READ
    }


def read_rules(sheets: Iterable[str]) -> Mapping[str, Properties]:
    """Properties by selector: ``p``, ``.x``, ``#x`` or ``p.x``; of others what hides or strikes out text."""
    rules: dict[str, Properties] = {}
    for sheet in sheets:
        printing = False
        for rule in _REMARK.sub("", sheet).split("}")[:_MOST_RULES]:
            head, brace, body = rule.rpartition("{")
            printing = bool(brace) and (printing or "@media print" in head)  # to the brace that ends it
            if printing or not brace:
                continue
            properties = declarations(body)
            for selector in re.split(r"[{;]|<!--|-->", head)[-1].split(","):
                name = selector.strip()
                if "counter" in (content := properties.get("content", "")):
                    name, properties = re.sub("::?before$", "", name), {"content": content}
                if name and len(name) < 80 and (_SELECTOR.fullmatch(name) or _CHANGES_TEXT.search(body)):
                    rules.setdefault(name, {}).update(properties)
    return rules


def _path(selector: str) -> str:
    """A selector of tags, classes, ids and attributes, one within or right within another, as XPath."""
    path = re.sub(r"\s+", "//", re.sub(r"\s*>\s*", "/", selector))
    path = re.sub(r"\[(?=[\w-])", "[@", re.sub(r"(^|/)(?=[.#\[])", r"\1*", path))
    path = re.sub(r"\.([A-Za-z_][\w-]*)", r"[contains(concat(' ', @class, ' '), ' \1 ')]", path)
    return "//" + re.sub(r"#([\w-]+)", r"[@id='\1']", path)


def length(value: str) -> float:
    """A length as points; one of other units than px and pt as 0."""
    match = re.match(r"(-?\d{1,7}(?:\.\d{0,6})?)(px|pt)?", value)
    return float(match[1]) if match else 0.0


@dataclass(frozen=True)
class _Set:
    """How text is set within an element."""

    bold: bool = False
    italic: bool = False
    centred: bool = False
    raised: bool = False
    breaks_count: bool = False  # line breaks are, as in <pre>
    hidden: bool = False
    left_out: str = ""  # why the text is none of the document
    level: int = 0
    indent: int = 0
    role: str = "body"


@dataclass
class _List:
    """An open list, and the number of its last item."""

    count: int
    form: str


def parse_html(data: bytes) -> Any:
    """The root of a web page. Raises RefusedError if it has no text, or is too deep for any browser."""
    import lxml.etree
    import lxml.html  # as in sheets

    declared = _CHARSET.search(_COMMENT.sub(b"", data[:4096]))
    text = decode(data, declared[1].decode("ascii", "replace") if declared else "")
    parser = lxml.html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True)
    try:
        root = lxml.html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (lxml.etree.LxmlError, ValueError) as error:
        raise RefusedError("not a web page: no element in it") from error
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" or "depth" in entry.message for entry in parser.error_log):
        raise RefusedError(TOO_DEEP)
    return root


def read_web(root: Any, left_out: LeftOut) -> Iterator[Block]:
    """The blocks of a web page, as a reader without its scripts sees them."""
    return _Reader(read_rules(node.text or "" for node in root.iter("style")), left_out).read(root)


class _Reader:
    """Reads a page element by element, without recursion: pages may be deep."""

    def __init__(self, rules: Mapping[str, Properties], left_out: LeftOut) -> None:
        self._rules = rules
        self._set: dict[Any, Properties] = {}  # by selectors that are not looked up by tag, class or id
        self._seen: set[str | None] = set()  # ids so far
        self._noted = False  # the block begins with a link back to the mark of a note
        self._left_out = left_out
        self._inline = Inline(left_out)
        self._sinks: list[list[Block]] = [[]]
        self._lists: list[_List] = []
        self._tables: list[list[list[Block]]] = []  # of each that is open the cells of the row that is read
        self._prefix = ""
        self._opens_page = False

    def read(self, root: Any) -> Iterator[Block]:
        import lxml.etree

        for selector in [name for name in self._rules if not _SELECTOR.fullmatch(name)][:_MOST_PATHS]:
            with suppress(lxml.etree.XPathError, TypeError):
                for node in root.xpath(_path(selector)):
                    self._set.setdefault(node, {}).update(self._rules[selector])
        styles = [_Set()]
        for event, node in lxml.etree.iterwalk(root, events=("start", "end")):
            tag = node.tag if isinstance(node.tag, str) else ""
            if event == "start":
                styles.append(self._style(node, tag, styles[-1]))
                self._start(node, tag, styles)
                self._add(node.text, styles[-1])
            else:
                self._end(tag, styles.pop())
                self._add(node.tail, styles[-1])
            if len(self._sinks) == 1:
                yield from self._sinks[0]
                self._sinks[0].clear()
        self._flush(_Set())
        for sink in self._sinks:
            yield from sink

    def _style(self, node: Any, tag: str, outer: _Set) -> _Set:
        if outer.hidden:
            return outer
        if _INVISIBLE.fullmatch(tag):
            return replace(outer, hidden=True, left_out="")
        properties = self._properties(node, tag)
        hidden = (
            properties.get("display") == "none"
            or properties.get("visibility") in ("hidden", "collapse")
            or _NOTHING.fullmatch(properties.get("opacity", "1")) is not None
            or (len(node) == 0 and _NOTHING.fullmatch(properties.get("font-size", "1")) is not None)
            or node.get("hidden") is not None
        )
        decoration = properties.get("text-decoration", "") + properties.get("text-decoration-line", "")
        struck = "line-through" in decoration or tag in _STRUCK
        weight = properties.get("font-weight", "")
        align = properties.get("text-align") or (node.get("align") or "").lower()
        heading = int(tag[1]) if re.fullmatch("h[1-6]", tag) else 0
        bold = outer.bold or tag in _BOLD or bool(heading)
        if weight:
            bold = weight in ("bold", "bolder") or (weight.isdecimal() and int(weight[:5]) >= 600)
        if "counter" in properties.get("content", "") and tag != "li":
            self._left_out.words("numbers set by a style sheet (content: counter), not read", tag)
        noted = node.get("role") in ("doc-footnote", "doc-endnotes") or _NOTES.search(node.get("class") or "")
        return _Set(
            bold,
            outer.italic or tag in _ITALIC or properties.get("font-style") == "italic",
            align == "center" if align else outer.centred or tag == "center",
            outer.raised or tag == "sup" or properties.get("vertical-align") == "super",
            outer.breaks_count or tag == "pre" or properties.get("white-space", "").startswith("pre"),
            hidden,
            HIDDEN if hidden else outer.left_out or (STRUCK if struck else GLOSS if tag == "rt" else ""),
            heading or outer.level,
            outer.indent + (tag in ("ol", "ul", "blockquote", "dd")),
            "footnote" if noted and tag not in ("a", "sup", "span") else outer.role,
        )

    def _properties(self, node: Any, tag: str) -> Properties:
        """What style sheets and the element itself say, the nearer winning."""
        properties: Properties = dict(self._rules.get(tag, {}))
        for name in (node.get("class") or "").split()[:20]:
            properties |= self._rules.get(f".{name}", {}) | self._rules.get(f"{tag}.{name}", {})
        properties |= self._rules.get(f"#{node.get('id') or ''}", {}) | self._set.get(node, {})
        return properties | declarations(node.get("style") or "")

    def _start(self, node: Any, tag: str, styles: list[_Set]) -> None:
        style = styles[-1]
        if tag in _LOST and not styles[-2].hidden:
            places = filter(None, map(node.get, ("alt", "srcdoc", "src", "data")))
            self._left_out.words(f"{tag} elements, not read", next(places, "".join(node.itertext())))
        if style.hidden:
            return
        if _BLOCK.fullmatch(tag) or tag == "br":
            self._flush(styles[-2])
        if (
            tag == "a"
            and not (self._inline.length or self._inline.marks)
            and (node.get("href") or "-")[1:] in self._seen
        ):
            self._noted = bool(_LABEL.fullmatch("".join(node.itertext()).strip()))
        self._seen |= {node.get("id"), node.get("name")}
        if _BLOCK.fullmatch(tag):
            properties = self._properties(node, tag)
            begins = properties.get("page-break-before") in _PAGE or properties.get("break-before") in _PAGE
            self._opens_page = self._opens_page or begins
        if tag in ("ol", "ul"):
            form = self._form(node, tag, "" if tag == "ul" else node.get("type") or "1")
            self._lists.append(_List(integer(node.get("start"), 1) - 1, form))
        elif tag == "li" and self._lists:
            items = self._lists[-1]
            items.count = integer(node.get("value"), items.count + 1)
            form = self._form(node, tag, items.form)
            self._prefix = f"{FORMS.get(_FORMATS.get(form, ''), str)(items.count)}." if form else ""
        elif tag == "table":
            self._tables.append([])
        elif tag in ("td", "th") and self._tables:
            self._sinks.append([])

    def _form(self, node: Any, tag: str, form: str) -> str:
        """How the items of a list count, where style sheets say so; empty: they have no numbers."""
        properties = self._properties(node, tag)
        if "counter" in properties.get("content", ""):
            return form or "1"
        said = f"{properties.get('list-style-type', '')} {properties.get('list-style', '')}".split()
        return next((word for word in said if word in _FORMATS), "" if "none" in said else form)

    def _end(self, tag: str, style: _Set) -> None:
        if style.hidden:
            return
        if _BLOCK.fullmatch(tag):
            self._flush(style)
        if tag == "li":
            self._prefix = ""
        elif tag in ("ol", "ul") and self._lists:
            self._lists.pop()
        elif tag in ("td", "th") and self._tables:
            self._tables[-1].append(self._sinks.pop())
        elif tag in ("tr", "table") and self._tables:
            cells, self._tables[-1] = self._tables[-1], []
            self._sinks[-1].extend(row_blocks(cells))
            if tag == "table":
                self._tables.pop()

    def _add(self, text: str | None, style: _Set) -> None:
        if not text or (style.hidden and not style.left_out):
            return
        lines = text.split("\n") if style.breaks_count and not style.left_out else [text]
        for at, line in enumerate(lines):
            if at:
                self._flush(style)
            self._inline.add(
                line, bold=style.bold, italic=style.italic, raised=style.raised, left_out=style.left_out
            )

    def _flush(self, style: _Set) -> None:
        """End the block that is read."""
        block, self._inline = self._inline.block(), Inline(self._left_out)
        if block is None:
            return
        if self._prefix and not _MARKER.match(block.text):
            block = block.numbered(self._prefix)
        self._prefix = ""
        block.level, block.centred = style.level, style.centred
        block.indent, block.role = style.indent, "footnote" if self._noted else style.role
        self._noted = False
        block.opens_page, self._opens_page = self._opens_page, False
        if block.role == "footnote" and block.marks and block.marks[0][0] == 0:
            block.text, block.marks = f"{block.marks[0][1]}. {block.text}", []
        if block.role == "footnote":
            block.text = _LABELLED.sub(lambda m: f"{m[1] or m[2]}. ", block.text)
        self._sinks[-1].append(block)


def is_placed(root: Any) -> bool:
    """Whether pdf2htmlEX wrote a page."""
    return any("pdf2htmlex" in (meta.get("content") or "").lower() for meta in root.iter("meta"))


def read_placed(root: Any) -> Document:
    """The pages of a document that pdf2htmlEX wrote."""
    rules = read_rules(node.text or "" for node in root.iter("style"))
    sheets = [node for node in root.iter("div") if "pf" in _classes(node)]
    pages = [_page(number, sheet, rules) for number, sheet in enumerate(sheets, 1)]
    size = assign_roles([p.segments for p in pages], [(p.width, p.height) for p in pages])
    for page in pages:
        has_image = any(True for _ in sheets[page.number - 1].iter("img"))
        page.status = page_status(page.segments, has_image=has_image, by_ocr=False)
    return Document(pages, size, None, [], "pdf2htmlex")


def _classes(node: Any) -> list[str]:
    return (node.get("class") or "").split()[:20]


def _measure(node: Any, name: str, rules: Mapping[str, Properties]) -> float:
    """A length that the classes of an element set, points."""
    pixels = 0.0
    for each in _classes(node):
        if value := rules.get(f".{each}", {}).get(name):
            pixels = length(value)
    return pixels * _POINTS


def _page(number: int, sheet: Any, rules: Mapping[str, Properties]) -> Page:
    width, height = _measure(sheet, "width", rules), _measure(sheet, "height", rules)
    nodes = (node for node in sheet.iter("div") if "t" in _classes(node))
    segments = [segment for node in nodes if (segment := _segment(node, sheet, height, rules))]
    return Page(number, width, height, in_rows(segments), PageStatus("text"))


def _segment(node: Any, sheet: Any, height: float, rules: Mapping[str, Properties]) -> Segment | None:
    """A line of a page; None if it is blank."""
    inline = Inline()
    size = _measure(node, "font-size", rules) * _scale(node, rules)
    _add(node, inline, size, False, rules)
    block = inline.block()
    if block is None or not block.text:
        return None
    x0, bottom = _measure(node, "left", rules), _measure(node, "bottom", rules)
    for outer in node.iterancestors():
        if outer is sheet:
            break
        x0, bottom = x0 + _measure(outer, "left", rules), bottom + _measure(outer, "bottom", rules)
    x1, y1 = x0 + _LETTER * size * len(block.text), height - bottom
    return Segment(x0, y1 - size, x1, y1, y1, size, 0, False, block.text, block.marks)


def _scale(node: Any, rules: Mapping[str, Properties]) -> float:
    """By how much the type of a line is scaled: the first number of its matrix."""
    for name in _classes(node):
        matrix = rules.get(f".{name}", {}).get("transform", "")
        if matrix.startswith("matrix("):
            return length(matrix.removeprefix("matrix(").strip()) or 1.0
    return 1.0


def _add(node: Any, inline: Inline, size: float, raised: bool, rules: Mapping[str, Properties]) -> None:
    """Add the text of a line and of the spans in it, which are nested as deep as a page may be."""
    inline.add(node.text or "", raised=raised)
    for child in node:
        lifted = _measure(child, "vertical-align", rules)
        smaller = 0 < _measure(child, "font-size", rules) * _scale(node, rules) < size
        _add(child, inline, size, raised or (lifted > _RAISED * size and smaller), rules)
        inline.add(child.tail or "", raised=raised)
