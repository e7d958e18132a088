"""The page: one document, its style, its modules and words, all of this package and of no other host."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.responses import FileResponse, JSONResponse
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from citegrain.flows.serving import messages as m
from citegrain.flows.serving.feedback import Feedback
from citegrain.flows.serving.jobs import Jobs
from citegrain.flows.serving.service import Service
from citegrain.flows.shared.answering import today
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
router = APIRouter(prefix="/v1")


@router.post("/ask/file", response_model=Answer, operation_id="ask_with_file")
async def ask_with_file(question: m.FileRequest, request: Request) -> Response:
    """The same with the passages of a file that meet the question, as `citegrain ask --with` gives them."""
    service: Service = request.app.state.service
    jobs: Jobs = request.app.state.jobs
    answer = await service.ask(question)
    passages = await service.work(question.build, lambda build: jobs.uploads.passages(build, question))
    return JSONResponse(answer.model_copy(update={"uploads": passages}).to_dict())


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


def add_page(app: FastAPI, feedback: Feedback, responses: dict[int | str, dict[str, Any]]) -> None:
    """Serve the page at ``/``, its files below ``/page`` and what it alone needs of the API.

    ``responses``: problems that its routes may answer with.
    """
    app.state.feedback = feedback
    app.include_router(router, responses=responses)

    @app.get("/", include_in_schema=False)
    async def document() -> Response:
        return FileResponse(_FOLDER / "index.html", headers=_HEADERS)

    @app.get("/page/settings.json", include_in_schema=False)
    async def settings() -> Response:
        usual, day = app.state.service.builds.usual, today().isoformat()
        return JSONResponse({"build": usual, "today": day, "feedback": feedback.on}, headers=_HEADERS)

    app.mount("/page", _Files(directory=_FOLDER))
