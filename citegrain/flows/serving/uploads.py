"""Files that are asked beside a build: each is read in a process that may be stopped, and forgotten."""

from __future__ import annotations

import tempfile
from pathlib import Path
from threading import Lock

from pebble import ProcessPool

from citegrain.flows.serving.jobs import FileRefused, plain_name
from citegrain.flows.serving.messages import FileRequest
from citegrain.flows.serving.service import Busy
from citegrain.flows.shared.library import Build
from citegrain.flows.shared.pool import Failed, WorkerPool, start_pool
from citegrain.tasks.core.errors import Expected
from citegrain.tasks.offline.embed import EmbedConfig
from citegrain.tasks.online.answer import UploadedPassage

_SECONDS, _GIB = 90, 4.0  # for one file


class Uploads:
    """Reads one file at a time; the process that reads is started with the first."""

    def __init__(self) -> None:
        self._pool: ProcessPool | None = None
        self._one = Lock()

    def passages(self, build: Build, request: FileRequest) -> list[UploadedPassage]:
        """The passages of a file that meet a question. Raises FileRefused, Busy."""
        name = plain_name(request.file)
        if not self._one.acquire(blocking=False):
            raise Busy
        try:
            self._pool = self._pool or start_pool(1, _GIB)
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / name
                file.write_bytes(request.content)
                job = (file, build.models, build.embed_config, request.question)
                result = WorkerPool(self._pool, _SECONDS).run("upload", _read, {name: job})[name]
        finally:
            self._one.release()
        if isinstance(result, Failed):
            raise FileRefused(422, f"{name}: {result.reason}")
        if isinstance(result, str):
            raise FileRefused(422, result.replace(f"{folder}/", ""))
        return list(result)


def _read(file: Path, models: Path, embed: EmbedConfig, question: str) -> list[UploadedPassage] | str:
    """The passages, or why there are none; what is written goes with the folder of the file."""
    from citegrain.flows.index.upload import indexed_upload, uploaded_passages

    tempfile.tempdir = str(file.parent)
    try:
        with indexed_upload(file, models, embed) as build:
            return uploaded_passages(build, question)
    except Expected as error:
        return str(error)
