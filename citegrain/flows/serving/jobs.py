"""Documents that are taken in, and re-indexes in processes of their own: one at a time, others wait."""

import asyncio
import re
import sys
import tempfile
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import chdir, suppress
from pathlib import Path
from threading import Lock
from typing import Any

from pebble import ProcessPool

from citegrain.flows.serving.messages import FileRequest, Job
from citegrain.flows.serving.service import Busy, NoBuild, OpenBuilds
from citegrain.flows.shared.composing import written
from citegrain.flows.shared.configs import RunnerConfig
from citegrain.flows.shared.library import Build
from citegrain.flows.shared.pool import Failed, WorkerPool, start_pool
from citegrain.tasks.core.errors import Expected
from citegrain.tasks.core.store.files import write_atomically
from citegrain.tasks.law.citations import TEXTS_SUFFIX
from citegrain.tasks.offline.corpus import FORMS, CorpusError
from citegrain.tasks.offline.index import Origin, read_origin
from citegrain.tasks.online.answer import UploadedPassage

_FILE = re.compile(r"\w[\w .()-]{0,119}")  # no separator, no leading point
_MOST_JOBS = 100  # jobs that are remembered
_SAID = 4_000  # characters of output
_SECONDS, _AT_ONCE = 90, 30  # for one file, and for a look at one that is to be indexed
_MEMORY = "runner.memory_gib="
_STATES = {0: "promoted or unchanged", 5: "refused", 4: "busy"}


class FileRefused(ValueError, Expected):
    """A file is not taken in; ``status`` of HTTP and the message say why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def plain_name(file: str) -> str:
    """The name of a file, if it leads nowhere and its form is read. Raises FileRefused."""
    endings = sorted(FORMS.keys() - {TEXTS_SUFFIX})  # a file of texts is a corpus, and none of its documents
    if not _FILE.fullmatch(file) or Path(file).suffix.lower() not in endings:
        raise FileRefused(422, f"file: a plain name that ends in {', '.join(endings)}")
    return file


def _check_place(target: Path, replace: bool) -> None:
    if (target.exists() and not replace) or target.is_symlink():
        raise FileRefused(409, f"{target.name}: is there already; replace=true takes its place")


class Uploads:
    """Reads one file at a time; the process that reads is started with the first, and for another limit."""

    def __init__(self) -> None:
        self._pool: ProcessPool | None = None
        self._gib = 0.0
        self._one = Lock()

    def passages(self, build: Build, request: FileRequest) -> list[UploadedPassage]:
        """The passages of a file that meet a question. Raises FileRefused, Busy."""
        if not self._one.acquire(blocking=False):
            raise Busy
        try:
            how = (build.models, build.embed_config, request.question)
            read = self._read(
                read_origin(build.folder), _passages, request.file, request.content, _SECONDS, *how
            )
            return list(read or ())
        finally:
            self._one.release()

    def check(self, file: str, content: bytes, origin: Origin, artifacts: str) -> None:
        """Read a file as an index run does. Raises FileRefused if that would not index it.

        One that is still read after a while passes: the run will say what it is.
        """
        with self._one:
            self._read(origin, _refused, file, content, _AT_ONCE, origin, artifacts)

    def _read(
        self, origin: Origin | None, function: Callable[..., Any], file: str, content: bytes, seconds: int,
        *arguments: Any,
    ) -> Any:  # fmt: skip
        """What a function makes of a file; None if that takes too long. Raises FileRefused, RuntimeError."""
        name = plain_name(file)
        limits = [
            o.removeprefix(_MEMORY) for o in (origin.overrides if origin else ()) if o.startswith(_MEMORY)
        ]
        gib = float(limits[-1]) if limits else RunnerConfig.memory_gib
        if self._pool and gib != self._gib:
            WorkerPool(self._pool, seconds).end()
        if gib != self._gib:
            self._pool, self._gib = start_pool(1, gib), gib
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(content)
            job = {name: (function, path, *arguments)}
            result = WorkerPool(self._pool, seconds).run("upload", _in_its_folder, job)[name]
        if isinstance(result, Failed) and (result.broken or result.fatal):
            raise RuntimeError(result.reason)
        if isinstance(result, Failed) and not (result.late and seconds == _AT_ONCE):
            result = f"{name}: {result.reason}"
        if isinstance(result, str):
            raise FileRefused(422, result.replace(f"{folder}/", ""))
        return result


def _in_its_folder(function: Callable[..., Any], file: Path, *arguments: Any) -> Any:
    """What a function makes of a file, or why it does not; what it writes goes with the file's folder."""
    tempfile.tempdir = str(file.parent)
    try:
        return function(file, *arguments)
    except CorpusError as error:
        return str(error)


def _passages(file: Path, *how: Any) -> list[UploadedPassage]:
    from citegrain.flows.index.folder import uploaded_passages

    return uploaded_passages(file, *how)


def _refused(file: Path, origin: Origin, artifacts: str) -> str | None:
    from citegrain.flows.index.folder import refusal

    # relative paths begin in the folder; what is wrong with the settings, the run will say
    with suppress(Expected), chdir(origin.folder):
        if why := refusal(file, [*origin.overrides, artifacts]):
            return f"{file}: {why}"
    return None


class Jobs:
    """Re-indexes of published builds from the folders they were made of."""

    def __init__(self, builds: OpenBuilds, artifacts: Path) -> None:
        self.uploads, self._builds, self._artifacts = Uploads(), builds, artifacts
        self._jobs: dict[str, Job] = {}
        self._work: set[asyncio.Task[None]] = set()
        self._one = asyncio.Lock()

    def get(self, job: str) -> Job:
        """A job by its id. Raises NoBuild."""
        if job not in self._jobs:
            raise NoBuild(f"{job}: no such job")
        return self._jobs[job]

    def origin(self, name: str) -> tuple[str, Origin]:
        """Name of a build and what it was made of, and with. Raises NoBuild, FileRefused."""
        build = self._builds.get(name).folder
        origin = read_origin(build)
        if origin is None:
            raise FileRefused(409, f"{build.parent.name}: how it was indexed is not noted: index it again")
        if not (Path(origin.corpus).is_dir() and Path(origin.folder).is_dir()):
            raise FileRefused(409, f"{build.parent.name}: a folder it was indexed from is not at hand")
        return build.parent.name, origin

    async def save(self, name: str, file: str, parts: AsyncIterator[bytes], replace: bool) -> str:
        """Put a file that can be indexed into a build's folder. Raises NoBuild, FileRefused."""
        build, origin = await asyncio.to_thread(self.origin, name)
        if written("corpus.kind", "http") in origin.overrides:
            raise FileRefused(409, f"{build}: its documents are those of a list of addresses")
        target = Path(origin.corpus) / plain_name(file)
        _check_place(target, replace)
        data = bytearray()
        async for part in parts:
            data += part
        if not data:
            raise FileRefused(422, "the body is empty: it must be the file")
        where = written("artifacts", str(self._artifacts))
        await asyncio.to_thread(self.uploads.check, file, bytes(data), origin, where)
        _check_place(target, replace)  # another may have come meanwhile
        try:
            await asyncio.to_thread(write_atomically, target, bytes(data))
        except OSError as error:  # a folder that may only be read
            raise FileRefused(409, f"{file}: cannot be written there: {error.strerror}") from None
        return build

    async def start(self, name: str) -> Job:
        """Re-index a build. Raises NoBuild, FileRefused."""
        build, origin = await asyncio.to_thread(self.origin, name)
        job = Job(job=uuid.uuid4().hex, build=build, state="running", output="")
        while len(self._jobs) >= _MOST_JOBS:
            self._jobs.pop(next(iter(self._jobs)))
        self._jobs[job.job] = job
        task = asyncio.create_task(self._run(job, origin))
        self._work.add(task)
        task.add_done_callback(self._work.discard)
        return job

    async def _run(self, job: Job, origin: Origin) -> None:
        given = [*origin.overrides, written("artifacts", str(self._artifacts))]
        async with self._one:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "citegrain", "reindex", *given, cwd=origin.folder,
                stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
            )  # fmt: skip
            said, _ = await process.communicate()
        state = _STATES.get(process.returncode or 0, "failed")
        if job.job in self._jobs:
            output = said.decode("utf-8", "replace")[-_SAID:]
            self._jobs[job.job] = job.model_copy(update={"state": state, "output": output})
