"""Documents that are taken in, and re-indexes in processes of their own: one at a time, others wait."""

import asyncio
import re
import sys
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

from citegrain.flows.serving.messages import Job
from citegrain.flows.serving.service import NoBuild, OpenBuilds
from citegrain.flows.shared.overrides import written
from citegrain.tasks.core.errors import Expected
from citegrain.tasks.core.store.files import write_atomically
from citegrain.tasks.offline.corpus import FORMS
from citegrain.tasks.offline.index import Origin, read_origin

_FILE = re.compile(r"\w[\w .()-]{0,119}")  # no separator, no leading point
_MOST_JOBS = 100  # jobs that are remembered
_SAID = 4_000  # characters of output
_STATES = {0: "promoted or unchanged", 5: "refused", 4: "busy"}


class FileRefused(ValueError, Expected):
    """A file is not taken in; ``status`` of HTTP and the message say why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def plain_name(file: str) -> str:
    """The name of a file, if it leads nowhere and its form is read. Raises FileRefused."""
    if not _FILE.fullmatch(file) or Path(file).suffix.lower() not in FORMS:
        raise FileRefused(422, f"file: a plain name that ends in {', '.join(sorted(FORMS))}")
    return file


class Jobs:
    """Re-indexes of published builds from the folders they were made of."""

    def __init__(self, builds: OpenBuilds, artifacts: Path) -> None:
        self._builds, self._artifacts = builds, artifacts
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
        """Put a file into the folder of a build's documents, whole or not at all; the build's name.

        Raises NoBuild, FileRefused.
        """
        build, origin = await asyncio.to_thread(self.origin, name)
        if written("corpus.kind", "http") in origin.overrides:
            raise FileRefused(409, f"{build}: its documents are those of a list of addresses")
        target = Path(origin.corpus) / plain_name(file)
        if (target.exists() and not replace) or target.is_symlink():
            raise FileRefused(409, f"{file}: is there already; replace=true takes its place")
        data = bytearray()
        async for part in parts:
            data += part
        if not data:
            raise FileRefused(422, "the body is empty: it must be the file")
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
        output = said.decode("utf-8", "replace")[-_SAID:]
        done = Job.model_validate({"job": job.job, "build": job.build, "state": state, "output": output})
        if job.job in self._jobs:
            self._jobs[job.job] = done
