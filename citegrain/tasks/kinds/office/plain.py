"""Plain text: its encoding, and its lines as paragraphs."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from citegrain.tasks.kinds.office.blocks import Block, Inline
from citegrain.tasks.offline.pages import RefusedError

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f\ufffd]")
_BINARY = 0.01  # share of characters that no text has
_MARKER = re.compile(r"^[\[“\"]*(?:\(\w{1,5}\)|\d{1,3}[A-Z]{0,2}[.)]|[*•–-])\s*")
_HEADING = re.compile(r"^[^a-z]*[A-Z][^a-z]*$")
_WIDEST_WRAPPED = 120


def decode(data: bytes, declared: str = "") -> str:
    """Bytes as text: by their byte order mark, as declared, as UTF-8, else as Windows-1252.

    Raises
    ------
    RefusedError
        If they are no text.
    """
    text = _decoded(data, declared).removeprefix("\ufeff")
    if len(_CONTROL.findall(text)) > _BINARY * len(text):
        raise RefusedError("not a text: most likely the file is binary or damaged")
    return _CONTROL.sub("", text)


def _decoded(data: bytes, declared: str) -> str:
    encoding = next((name for bom, name in _BOMS if data.startswith(bom)), declared)
    for name in filter(None, (encoding, "utf-8", "cp1252")):
        try:
            return data.decode(name)
        except (UnicodeDecodeError, LookupError, ValueError):
            continue
    return data.decode("cp1252", "replace")


def verbatim(data: bytes) -> str:
    """A text character by character, so that an offset into it is one into the file as Python reads it.

    As there a line end is one character, whatever bytes it is; what no text has is a blank.
    """
    text = _decoded(data, "").replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub(" ", text.replace("\ufeff", " "))


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
