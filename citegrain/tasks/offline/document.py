"""What a stage is that is run for each document by itself, and one that is run over all of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from citegrain.tasks.core.endpoint import Endpoint
from citegrain.tasks.core.schemas import TableSchema
from citegrain.tasks.core.stage import Key, Stage, Tables
from citegrain.tasks.core.store import Artefact, Store
from citegrain.tasks.offline.corpus import FORMS, ActIdentity, Registry
from citegrain.tasks.offline.models import ModelFiles


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
