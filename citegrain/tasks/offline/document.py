"""What a stage is that is run for each document by itself, or over all of them; and kinds of documents.

A kind of documents that are no Act is found by name: a module or a package each in ``citegrain.tasks.kinds``.
It declares its kind as ``KIND``, and nothing lists it. What no kind recognises is an Act.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from citegrain.tasks.core.endpoint import Endpoint
from citegrain.tasks.core.schemas import TableSchema
from citegrain.tasks.core.stage import Key, Stage, Tables
from citegrain.tasks.core.store import Artefact, Store
from citegrain.tasks.offline.corpus import FORMS, ActIdentity, Registry
from citegrain.tasks.offline.models import ModelFiles
from citegrain.tasks.offline.pages import Document, DocumentText, PageStatus, TitledAct


@dataclass(frozen=True)
class BuildPart:
    """Declaration of files of a build that few configurations ask for; ``offline.chain`` lists them.

    ``parameters``: from the parameter of ``index`` that asks for it to what the key of the build says.
    ``write``: writes them into the folder of a build, from what ``offline.assemble.BuildContents`` holds and
    that parameter.
    """

    parameters: Callable[[Any], Sequence[Any]]
    write: Callable[[Path, Any, Any], None]


class Unfinished(Exception):
    """A result that another run may better, such as one for which an endpoint gave no reply; and why."""

    def __init__(self, tables: Tables, reason: str) -> None:
        super().__init__(reason)
        self.tables = tables


Artefacts = Mapping[str, Artefact]
"""Artefacts of a document by the name of the stage."""


@dataclass(frozen=True)
class CorpusDocument:
    """What a stage may know of a document beside its artefacts.

    ``document_id``: SHA-256 of its bytes. ``path``: no part of any key. ``acts``: those in it, once
    recognised.
    """

    document_id: str
    path: Path
    acts: tuple[ActIdentity, ...] = ()

    @property
    def form(self) -> str:
        """What its ending says that it is: ``pdf``, ``docx``, ``texts`` ...; a PDF where it says nothing."""
        return FORMS.get(self.path.suffix.lower(), "pdf")

    @property
    def is_texts(self) -> bool:
        """Whether it is a file of texts, one a line, and no document."""
        return self.form == "texts"

    @property
    def titles(self) -> dict[str, str]:
        """Short title of each of its Acts by act_id."""
        return {act.act_id: act.title for act in self.acts}


@dataclass(frozen=True)
class Setup:
    """What the document stages of a run share. It is small, and another process can be given it.

    ``configs``: parameters of each stage by its name. ``model``: the encoder, whose tokens chunks are
    measured in. ``endpoint``: the language model that stages ask; None where none does.
    """

    store: Path
    configs: Mapping[str, Any]
    registry: Registry
    model: ModelFiles
    endpoint: Endpoint | None = None


def _always(setup: Setup) -> bool:
    """Of a stage that every configuration has; no lambda, which goes to no other process."""
    return True


@dataclass(frozen=True)
class ChunkContext:
    """What a stage adds to chunks for search alone: it is embedded and indexed, never shown.

    Attributes
    ----------
    before
        Of a document what stands before each searched chunk, by its id.
    layers
        Of a document, by the name of a layer, the text above each searched chunk that has one, by its id.
    parameters
        What the key of a build says of it.
    facts
        What the manifest says of its tables; nothing where they are empty.
    write
        Writes the layers into the folder of a build, from its contents (``offline.assemble.BuildContents``).
    """

    before: Callable[[Artefacts, Setup], Mapping[str, str]]
    layers: Callable[[Artefacts, Setup], Mapping[str, Mapping[str, str]]]
    parameters: Callable[[Setup], Mapping[str, Any]]
    facts: Callable[[Tables, Setup], Mapping[str, Any]]
    write: Callable[[Path, Any], None]


@dataclass(frozen=True)
class DocumentStage:
    """Declaration of a stage that is run for each document; ``offline.chain`` lists them.

    Attributes
    ----------
    stage
        Name, version and the tables it writes.
    config
        Dataclass of its parameters: what ``conf/<stage>/`` may change.
    reads
        Names of the stages whose artefacts it reads.
    shape
        The parameters of its key, and what shapes its result beside the artefacts it reads.
    make
        From a document, the artefacts and the setup to its tables.
    published
        Those of its tables that go into a build.
    unit
        What one run of it yields, for people: ``documents parsed``.
    context
        What it adds to chunks for search, if it adds something.
    """

    stage: Stage
    config: type[Any]
    reads: tuple[str, ...]
    shape: Callable[[CorpusDocument, Setup], tuple[Mapping[str, Any], Mapping[str, Any]]]
    make: Callable[[CorpusDocument, Artefacts, Setup], Tables]
    published: tuple[TableSchema, ...]
    unit: str
    chosen: Callable[[Setup], bool] = _always
    context: ChunkContext | None = None

    @property
    def name(self) -> str:
        return self.stage.name

    def key(self, document: CorpusDocument, done: Artefacts, setup: Setup) -> Key:
        """The key of its run for a document whose earlier stages are done."""
        parameters, inputs = self.shape(document, setup)
        return self.stage.key(parameters, {name: done[name].content for name in self.reads} | dict(inputs))

    def run(self, document: CorpusDocument, done: Artefacts, setup: Setup) -> Artefact:
        """Its artefact for a document, made if the store has none.

        One that is unfinished gets a key of its own: this run goes on with it, and the next tries again.
        Raises StoreError if it cannot be written.
        """
        work = partial(self.make, document, done, setup)
        key, store = self.key(document, done, setup), Store(setup.store)
        try:
            return store.make(self.stage, key, work)
        except Unfinished as short:
            so_far = replace(key, params={**key.params, "unfinished": str(short)})
            return store.keep(self.stage, so_far, short.tables)


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
