"""Kinds of documents that are no Act, found by name: a module or a package each in ``citegrain.tasks.kinds``.

It declares its kind as ``KIND``, and nothing lists it. What no kind recognises is an Act.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from citegrain.tasks.core.stage import Tables
from citegrain.tasks.core.store import Artefact
from citegrain.tasks.offline.corpus import Registry
from citegrain.tasks.offline.document import CorpusDocument, Setup
from citegrain.tasks.offline.pages import Document, DocumentText, PageStatus, TitledAct

PACKAGE = "citegrain.tasks.kinds"
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Recognition:
    """What a document says that it is.

    ``titles``: the instruments of law in it, in order. ``kind``: its kind, where no title tells it.
    ``warning``: what a user should know of it, or empty. ``judgment``: its row of ``judgments``, without the
    id of the document; None of any other kind.
    """

    titles: Sequence[TitledAct] = ()
    kind: str = ""
    warning: str = ""
    judgment: Row | None = None


@dataclass(frozen=True)
class Script:
    """A script beside Latin letters: how its text layers go wrong, and whether a page was read.

    ``covers``: whether any letter of a text is of this script. ``in_order``: lines of a page (MuPDF's raw
    dictionaries) with their letters in spoken order, as ``text``; from the lines and the page. ``status``:
    status of a page that is not in English, from its text and the status where it was read; None: it is not
    of this script.
    """

    covers: Callable[[str], bool]
    in_order: Callable[[list[dict[str, Any]], Any], list[dict[str, Any]]]
    status: Callable[[str, str], PageStatus | None]


def _unrecognised(text: DocumentText) -> Recognition | None:
    return None


@dataclass(frozen=True)
class DocumentKind:
    """Declaration of a kind; what it leaves out is done as for an Act.

    Attributes
    ----------
    name
        As ``documents.kind`` and ``acts.kind`` have it.
    order
        Kinds are asked in this order whether a document is theirs; the first that says so has it.
    recognise
        What a document of this kind says of itself; None: it is of another.
    structure
        The tables of the stage ``structure``, of a document whose first instrument is of this kind.
    tag
        Rows of ``references`` and of ``precedents``, from the rows of ``provisions`` in reading order.
    forms
        Forms of files that it reads, such as ``docx``; see ``offline.corpus.FORMS``.
    read
        The pages of such a file, from its bytes, its form and the most pages that are allowed. It is also
        asked of a PDF that is none, and raises ``RefusedError`` for what cannot be read.
    script
        The script that it is written in.
    """

    name: str
    order: int
    recognise: Callable[[DocumentText], Recognition | None] = _unrecognised
    structure: Callable[[CorpusDocument, Artefact, Setup], Tables] | None = None
    tag: Callable[[Sequence[Row], Registry], tuple[list[dict[str, Any]], list[dict[str, Any]]]] | None = None
    forms: tuple[str, ...] = ()
    read: Callable[[bytes, str, int], Document] | None = None
    script: Script | None = None


@cache
def document_kinds() -> tuple[DocumentKind, ...]:
    """Every kind, in the order in which they are asked."""
    names = [module.name for module in iter_modules(import_module(PACKAGE).__path__)]
    kinds: list[DocumentKind] = [import_module(f"{PACKAGE}.{name}").KIND for name in names]
    return tuple(sorted(kinds, key=lambda kind: kind.order))


def kind_named(name: str) -> DocumentKind | None:
    """The kind of this name; None: it is read as an Act."""
    return next((kind for kind in document_kinds() if kind.name == name), None)


def recognised(text: DocumentText) -> Recognition | None:
    """What the first kind says that recognises a document; None: it is an Act."""
    return next((recognition for kind in document_kinds() if (recognition := kind.recognise(text))), None)


@cache
def scripts() -> tuple[Script, ...]:
    """Every script beside Latin letters."""
    return tuple(kind.script for kind in document_kinds() if kind.script is not None)


def reader_of(form: str) -> Callable[[bytes, str, int], Document] | None:
    """What reads the files of a form; None where nothing does."""
    return next((kind.read for kind in document_kinds() if form in kind.forms), None)
