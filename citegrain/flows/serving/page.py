"""The page: one document, its style, its modules and words, all of this package and of no other host.

What people say there of answers becomes lines of a benchmark: three fields, as docs/benchmarks.md has them.
"""

from __future__ import annotations

import json
import os
import uuid
from pathlib import Path
from threading import Lock
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.responses import FileResponse, JSONResponse
from pydantic import ValidationError
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from citegrain.flows.serving import messages as m
from citegrain.flows.serving.jobs import FileRefused, Jobs
from citegrain.flows.serving.service import Service, addressed
from citegrain.flows.shared.answering import today
from citegrain.flows.shared.library import Build
from citegrain.tasks.core.errors import Expected
from citegrain.tasks.core.personal import Masks
from citegrain.tasks.online.answer import Answer

_FOLDER = Path(__file__).with_name("static")
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'",
    "Permissions-Policy": "microphone=(self), camera=(), geolocation=()",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",  # what is here is asked for each time, and not sent again
}
_MOST_BYTES = 16 << 20  # of judgements
router = APIRouter(prefix="/v1")


class FeedbackError(OSError, Expected):
    """The file that judgements are to go to cannot be written."""


class Feedback:
    """A file to which judgements are added, each whole or not at all. ``path``: None refuses them all."""

    def __init__(self, path: Path | None = None) -> None:
        self._path, self._lock = path, Lock()
        try:
            if path is not None:
                path.open("ab").close()
        except OSError as error:
            raise FeedbackError(f"--feedback {path}: cannot be written: {error.strerror}") from None

    @property
    def on(self) -> bool:
        """Whether judgements are taken."""
        return self._path is not None

    def add(self, build: Build, judgement: m.Judgement) -> m.Noted:
        """Add a judgement; what is personal in its question is masked. Raises FileRefused."""
        if self._path is None:
            raise FileRefused(409, "no file for judgements: citegrain api --feedback FILE names one")
        from citegrain.tasks.evaluation.benchmark import Citation, Record  # a question needs none of it

        text, noted = Masks().mask(judgement.question), m.Noted(id=f"page-{uuid.uuid4().hex}")
        try:
            cited = tuple(dict.fromkeys(Citation(c.act, c.section) for c in judgement.applicable))
            Record(id=noted.id, text=text, applicable=cited, primary=cited[0] if cited else None)
        except ValidationError as error:  # it could not be read again
            raise FileRefused(422, m.sentence(m.faults(error.errors()))) from None
        if absent := [c.label for c in cited if not build.labelled(c.act, c.section)]:
            raise FileRefused(422, f"{', '.join(absent)}: not in this build")
        record = {"id": noted.id, "text": text, "applicable": [c.label for c in cited]}
        line = json.dumps(record, ensure_ascii=False).encode() + b"\n"
        with self._lock, self._path.open("ab+") as file:
            size = file.seek(0, os.SEEK_END)
            if size + len(line) > _MOST_BYTES:
                raise FileRefused(409, "the file for judgements is full")
            file.seek(max(0, size - 1))
            file.write(line if file.read(1) in (b"", b"\n") else b"\n" + line)  # a line may have been cut
        return noted


@router.post("/ask/file", response_model=Answer, operation_id="ask_with_file")
async def ask_with_file(question: m.FileRequest, request: Request) -> Response:
    """The same with the passages of a file that meet the question, as `citegrain ask --with` gives them."""
    service: Service = request.app.state.service
    jobs: Jobs = request.app.state.jobs
    _, answer = await service.ask(question)
    passages = await service.work(question.build, lambda build: jobs.uploads.passages(build, question))
    return JSONResponse(addressed(answer).model_copy(update={"uploads": passages}).to_dict())


@router.post("/feedback", status_code=201, operation_id="feedback")
async def feedback(judgement: m.Judgement, request: Request) -> m.Noted:
    """Note which provisions apply to a question, as a line of a benchmark."""
    service: Service = request.app.state.service
    file: Feedback = request.app.state.feedback
    return await service.work(judgement.build, lambda build: file.add(build, judgement))


class _Files(StaticFiles):
    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers.update(_HEADERS)
        return response


def add_page(app: FastAPI, feedback: Feedback, **options: Any) -> None:
    """Serve the page at ``/``, its files below ``/page``, and its routes, with these ``options``."""
    app.state.feedback = feedback
    app.include_router(router, **options)

    @app.get("/", include_in_schema=False)
    async def document() -> Response:
        return FileResponse(_FOLDER / "index.html", headers=_HEADERS)

    @app.get("/page/settings.json", include_in_schema=False)
    async def settings() -> Response:
        usual, day = app.state.service.builds.usual, today().isoformat()
        return JSONResponse({"build": usual, "today": day, "feedback": feedback.on}, headers=_HEADERS)

    app.mount("/page", _Files(directory=_FOLDER))
