"""A folder indexed in one line, ``index("acts", name="mine")``; and one file indexed for one question."""

from __future__ import annotations

import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from citegrain.flows.index.inputs import prepare
from citegrain.flows.index.run import plan_index, run_index
from citegrain.flows.shared.composing import quoted
from citegrain.flows.shared.library import Build
from citegrain.flows.shared.progress import Silent
from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.offline.assemble import embed_missing, make_build
from citegrain.tasks.offline.chain import DOCUMENT_STAGES
from citegrain.tasks.offline.corpus import CorpusError, read_source
from citegrain.tasks.offline.document import DocumentStage, Setup
from citegrain.tasks.offline.embed import EmbedConfig
from citegrain.tasks.offline.plan import IndexPlan, new_plan, resolve
from citegrain.tasks.online.answer import UploadedPassage
from citegrain.tasks.online.hits import passage

OnProgress = Callable[[str, int, int], None]
"""Called with a stage, and how many of how many are done."""


def index(
    folder: Path | str, name: str, progress: OnProgress | None = None, overrides: Sequence[str] = ()
) -> Build:
    """Index the documents of a folder, publish the build and open it; nothing that exists is made again.

    A file that cannot be indexed is named by a warning. Raises CorpusError if none can, SettingsError if an
    override cannot be.

    ``name``: of the build, below the folder of ``CITEGRAIN_ARTIFACTS``. ``progress``: called as the stages
    proceed. ``overrides``: further settings, as ``citegrain index`` takes them: ``chunk=page``.
    """
    where = [f"corpus.path={quoted(str(Path(folder).resolve()))}", f"corpus.name={quoted(name)}"]
    settings = load_settings(["corpus=folder", *where, *overrides])
    result = run_index(settings, _Calls(progress or (lambda stage, done, total: None)))
    for row in result.report()["refused"]:
        warnings.warn(f"{row['file']}: not indexed: {row['reason']}", stacklevel=2)
    if result.build is None:
        raise CorpusError(f"{folder}: nothing was published")
    return Build.open(result.build, settings.models_folder)


class _Calls(Silent):
    """Progress that calls a function."""

    def __init__(self, call: OnProgress) -> None:
        self._call = call

    @contextmanager
    def step(self, name: str, total: int) -> Iterator[Callable[[int], None]]:
        """Call with the sum of what is done."""
        done = 0

        def add(n: int) -> None:
            nonlocal done
            done += n
            self._call(name, done, total)

        yield add


_SHOWN = 3
_ALONE = "index.expansion=[]", "index.background=[]"  # of no use to one file, and ten times as long


@contextmanager
def _indexed(file: Path, models: Path, embed: EmbedConfig) -> Iterator[Build]:
    """A build of one file, in a folder that is removed afterwards; no flow is started."""
    if not file.is_file():
        raise CorpusError(f"{file}: is missing: --with needs a file")
    with tempfile.TemporaryDirectory() as name:
        where = Path(name)
        (where / "corpus").mkdir()
        shutil.copy(file, where / "corpus")
        models.mkdir(parents=True, exist_ok=True)
        (where / "models").symlink_to(os.path.abspath(models))  # noqa: PTH100 - no link is followed
        words = ["corpus=folder", "corpus.name=upload", f"corpus.path='{where / 'corpus'}'"]
        settings = load_settings([*words, f"artifacts='{where}'", *_ALONE])
        setup = prepare(replace(settings, embed=embed), publish=False)
        plan = resolve(_through(DOCUMENT_STAGES, plan_index(setup), setup.documents), setup)
        if not plan.indexed:
            raise CorpusError(f"{file}: {' '.join(d.refusal or '' for d in plan.documents)}")
        embed_missing(plan, setup, lambda n: None)
        build = Build.open(make_build(resolve(plan, setup), setup), where / "models")
        if not build.chunk_ids:
            raise CorpusError(f"{file}: no text in it that can be read")
        yield build


def _through(stages: Sequence[DocumentStage], plan: IndexPlan, setup: Setup) -> IndexPlan:
    for stage in stages:
        outcomes = {key: stage.run(*job, setup) for key, job in plan.jobs(stage).items()}
        plan = plan.with_outcomes(stage, outcomes)
    return plan


def refusal(file: Path, overrides: Sequence[str]) -> str | None:
    """Why a file would not be indexed with some settings; None if nothing in it speaks against that.

    It is read into a store of its own that is removed: of what is refused, nothing is kept or shared.
    """
    setup = prepare(load_settings([*overrides, *_ALONE]), publish=False).documents
    with tempfile.TemporaryDirectory() as store:
        setup = replace(setup, store=Path(store))
        plan = new_plan([read_source(file, file.name)], setup).advanced()
        return _through(DOCUMENT_STAGES[:2], plan, setup).documents[0].refusal  # parse and structure decide


def uploaded_passages(file: Path, models: Path, embed: EmbedConfig, question: str) -> list[UploadedPassage]:
    """The passages of a file that are nearest to a question, the nearest first.

    ``models`` and ``embed``: folder of the encoder's weights, and which it is.

    Raises CorpusError if the file is missing, or nothing of it can be read.
    """
    out = []
    with _indexed(file, models, embed) as build:
        _, rows = build.dense_search(build.encode_queries([question]), min(_SHOWN, len(build.chunk_ids)))
        weights = build.term_weights([{"text": question, "weight": 1.0}])
        for row in rows[0].tolist():
            chunk_id = build.chunk_ids[row]
            name, page = build.source(chunk_id)
            shown = build.shown_page(build.chunk(chunk_id)["document_id"], page)
            words = passage(build.chunk(chunk_id)["text"], question, weights, build.terms)
            out.append(UploadedPassage(file=name, page=shown, text=words))
    return out
