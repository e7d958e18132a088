"""The HTTP interface: routes that hand over to the service, and problems as RFC 9457 has them."""

from __future__ import annotations

import hmac
import importlib.metadata
import logging
from collections.abc import Sequence
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware

from citegrain.flows.serving import messages as m
from citegrain.flows.serving.guard import Counts, Guard, OnlyHosts
from citegrain.flows.serving.jobs import FileRefused, Jobs
from citegrain.flows.serving.page import Feedback, add_page
from citegrain.flows.serving.service import Busy, NoBuild, Service, act_row, addressed
from citegrain.flows.shared.library import QuestionError
from citegrain.flows.shared.remembered import BUILD_HEADER
from citegrain.tasks.core.errors import Expected
from citegrain.tasks.core.personal import Masks
from citegrain.tasks.online.answer import Answer, PictureError
from citegrain.tasks.online.check import CheckedText
from citegrain.tasks.online.provision import NotInBuild, Provision

LOG = logging.getLogger("citegrain.service")
_PROBLEM = "application/problem+json"
_MEANINGS = {
    400: "the body cannot be read",
    401: "no token, or a wrong one",
    403: "no token is set for administration, or the page that asks is of an origin that may not",
    404: "not in this build, which is not to say that it is no law",
    408: "the body came too slowly",
    409: "not possible as things stand",
    413: "the body is too large",
    415: "the body is of another media type: send it as Content-Type: application/json",
    421: "the service is not called so",
    422: "the request is wrong",
    503: "too many requests wait: come again after the seconds of Retry-After",
}
_UNROUTED = {
    404: "there is no such route: /openapi.json lists them all",
    405: "this route takes another method: the header Allow names it",
}


def _problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    content = {_PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": _MEANINGS[status], "content": content} for status in statuses}


_BYTES = {"schema": {"type": "string", "format": "binary"}}
MARK_HEADER = "x-citegrain-mark"
_MARKED = {
    MARK_HEADER: {
        "description": "left, top, right and bottom of what is marked, as shares of the page; or absent",
        "schema": {"type": "string", "examples": ["0.12 0.4 0.88 0.61"]},
    }
}
_COMMON = _problems(400, 403, 404, 408, 413, 415, 421, 422, 503)
Act = Annotated[str, Path(max_length=300, examples=["indian-penal-code-1860"])]
PartOfAct = Annotated[str, Path(max_length=300, examples=["sec_302"])]
AsOf = Annotated[m.DayText, Query()]
InBuild = Annotated[m.BuildName, Query()]
Start = Annotated[int, Query(ge=0, le=1_000_000, description="rows to pass over")]
Most = Annotated[int, Query(ge=1, le=1000, description="rows at most")]


def only_known(request: Request) -> None:
    """Refuse a parameter that the route does not have: as-of, misspelt, would give the law of today."""
    there = {field.alias for field in request.scope["route"].dependant.query_params}
    if wrong := set(request.query_params) - there:
        has = f"which has {', '.join(sorted(there))}" if there else "which has none"
        raise QuestionError(f"{', '.join(sorted(wrong))}: no parameter of this route, {has}")


router = APIRouter(prefix="/v1", responses=_COMMON)


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


def _jobs(
    request: Request,
    given: Annotated[HTTPAuthorizationCredentials | None, Depends(HTTPBearer(auto_error=False))],
) -> Jobs:
    """What takes documents in, for who has the token. Raises HTTPException."""
    token: str = request.app.state.token
    if not token:
        raise HTTPException(403, "set CITEGRAIN_ADMIN_TOKEN to take documents in")
    if not (given and hmac.compare_digest(given.credentials.encode(), token.encode())):
        raise HTTPException(401, "Authorization: Bearer TOKEN", {"WWW-Authenticate": "Bearer"})
    jobs: Jobs = request.app.state.jobs
    return jobs


TheService = Annotated[Service, Depends(_service)]
TheJobs = Annotated[Jobs, Depends(_jobs)]


@router.post("/ask", response_model=Answer, operation_id="ask")
async def ask(question: m.AskRequest, service: TheService, request: Request) -> Response:
    """The provisions that apply to a complaint, as `citegrain ask --json` gives them."""
    if request.app.state.log_questions:
        request.state.log = {"question": Masks().mask(question.question)}
    build, answer = await service.ask(question)
    if request.client:  # else the command of this user asks, by a socket: it has the files
        answer = addressed(answer)
    return JSONResponse(answer.to_dict(), headers={BUILD_HEADER: build.folder.name})


@router.post("/search", operation_id="search")
async def search(text: m.SearchRequest, service: TheService, request: Request) -> m.SearchHits:
    """The provisions that fit a text best."""
    if request.app.state.log_questions:
        request.state.log = {"question": Masks().mask(text.text)}
    return await service.search(text)


@router.post("/check", operation_id="check")
async def check(text: m.CheckRequest, service: TheService) -> CheckedText:
    """Every citation of a text, and whether it is right on a day."""
    return await service.work(text.build, lambda build: build.check_text(text.text, text.as_of))


@router.get("/provisions", operation_id="provision_by_words")
async def provision_by_words(
    service: TheService,
    cite: Annotated[str, Query(min_length=1, max_length=300, examples=["IPC 302"])],
    as_of: AsOf = "",
    build: InBuild = "",
) -> Provision:
    """A provision as people cite it, with its text on a day."""
    return await service.provision(cite, as_of, build)


@router.get("/provisions/{act}/{part}", operation_id="provision")
async def provision(
    act: Act, part: PartOfAct, service: TheService, as_of: AsOf = "", build: InBuild = ""
) -> Provision:
    """A provision by its id, with its text on a day."""
    return await service.provision(f"{act}/{part}", as_of, build)


@router.get(
    "/provisions/{act}/{part}/page",
    operation_id="page",
    response_class=Response,
    responses={200: {"content": {"image/png": _BYTES}, "description": "the page", "headers": _MARKED}},
)
async def page(
    act: Act,
    part: PartOfAct,
    service: TheService,
    as_of: AsOf = "",
    build: InBuild = "",
    passage: Annotated[str, Query(max_length=2000, description="the page that has most of it")] = "",
) -> Response:
    """The page of the document on which a provision stands, with the provision marked."""
    picture = await service.page(f"{act}/{part}", as_of, build, passage)
    place = {MARK_HEADER: " ".join(map(str, picture.mark))} if picture.mark else {}
    return Response(picture.png, headers=place, media_type="image/png")


@router.get("/provisions/{act}/{part}/neighbours", operation_id="neighbours")
async def neighbours(act: Act, part: PartOfAct, service: TheService, build: InBuild = "") -> m.Neighbours:
    """What a provision cites, and what cites it."""
    return await service.neighbours(f"{act}/{part}", build)


@router.get("/builds", operation_id="builds")
async def builds(service: TheService) -> list[m.BuildRow]:
    """The published builds."""
    return await service.published()


@router.get("/acts", operation_id="acts")
async def acts(service: TheService, build: InBuild = "") -> list[m.ActRow]:
    """The documents of a build: what can be asked about."""
    return await service.work(build, lambda opened: [act_row(row) for row in opened.acts])


@router.get("/acts/{act}/provisions", operation_id="contents")
async def contents(
    act: Act,
    service: TheService,
    as_of: AsOf = "",
    build: InBuild = "",
    start: Start = 0,
    most: Most = 100,
) -> m.Contents:
    """The sections, articles, rules and Schedules of an Act, by its id or name, without their texts."""
    return await service.contents(act, as_of, start, most, build)


@router.get("/changes", operation_id="changes")
async def changes(
    service: TheService,
    build: InBuild = "",
    old: Annotated[m.EarlierKey, Query()] = "",
    act: Annotated[str, Query(max_length=300, description="id of an Act; empty: all")] = "",
    start: Start = 0,
    most: Most = 100,
) -> m.Changes:
    """What was amended between two builds."""
    return await service.changes(build, old, act, start, most)


@router.post(
    "/ingest",
    status_code=202,
    operation_id="ingest",
    responses=_problems(401, 403, 409),
    openapi_extra={"requestBody": {"content": {"application/octet-stream": _BYTES}, "required": True}},
)
async def ingest(
    jobs: TheJobs,
    request: Request,
    file: Annotated[str, Query(max_length=120, description="name of the file", examples=["act.pdf"])],
    build: InBuild = "",
    replace: Annotated[bool, Query(description="whether a file of this name is replaced")] = False,
) -> m.Job:
    """Take a document in, which is the body, and re-index."""
    if request.headers.get("content-type", "").lower().startswith("multipart/"):
        raise HTTPException(415, "the body is a form: send the file alone, as application/octet-stream")
    return await jobs.start(await jobs.save(build, file, request.stream(), replace))


@router.post("/reindex", status_code=202, operation_id="reindex", responses=_problems(401, 403, 409))
async def reindex(jobs: TheJobs, build: InBuild = "") -> m.Job:
    """Index what changed, and promote or refuse."""
    return await jobs.start(build)


@router.get("/jobs/{job}", operation_id="job", responses=_problems(401, 403))
async def job(jobs: TheJobs, job: Annotated[str, Path(max_length=64)]) -> m.Job:
    """How a re-index went."""
    return jobs.get(job)


class _Described(FastAPI):
    """Describes problems, too, which no route names as what it returns."""

    def openapi(self) -> dict[str, Any]:
        schema = super().openapi()
        problem = m.Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        schema["components"]["schemas"] |= {**problem.pop("$defs", {}), "Problem": problem}
        return schema


def create_app(
    service: Service,
    jobs: Jobs,
    counts: Counts,
    token: str = "",
    origins: Sequence[str] = (),
    log_questions: bool = False,
    feedback: Feedback | None = None,
    names: Sequence[str] = (),
) -> FastAPI:
    """The application, with its page.

    ``token``: of administration; empty: none is possible. ``origins``: of pages elsewhere that may ask.
    ``log_questions``: whether the log has the texts of questions. ``feedback``: what takes the judgements of
    people; None: nothing does. ``names``: by which the service is called from elsewhere.
    """
    app = _Described(
        title="citegrain",
        version=importlib.metadata.version("citegrain"),
        description="Provisions of law that apply to a complaint. A pointer to the law, no advice.",
        docs_url=None,  # its scripts would come from another host
        redoc_url=None,
        separate_input_output_schemas=False,
    )
    state = app.state
    state.service, state.jobs, state.token, state.log_questions = service, jobs, token, log_questions
    strict = [Depends(only_known)]
    app.include_router(router, dependencies=strict)
    add_page(app, feedback or Feedback(), responses={**_COMMON, **_problems(409)}, dependencies=strict)

    @app.get("/health", operation_id="health")
    async def health() -> m.Health:
        """Whether the service answers; degraded says why."""
        return service.health()

    @app.get("/metrics", operation_id="metrics", response_class=Response)
    async def metrics() -> Response:
        """Counts for Prometheus."""
        counts.waiting.set(service.waiting)
        return Response(generate_latest(counts.registry), media_type=CONTENT_TYPE_LATEST)

    for kind in (Exception, Expected, Busy, HTTPException, RequestValidationError):
        app.add_exception_handler(kind, _answer_problem)
    if origins:
        app.add_middleware(CORSMiddleware, allow_origins=list(origins), allow_methods=["GET", "POST"],
                           allow_headers=["content-type"], expose_headers=[MARK_HEADER])  # fmt: skip
    app.add_middleware(OnlyHosts, names=names, origins=origins, refuse=_answer_problem)
    app.add_middleware(Guard, counts=counts)
    return app


async def _answer_problem(request: Request, error: Exception) -> Response:
    """The reply that says what went wrong; nothing of the request is repeated."""
    status, faults, headers = 500, [], {}
    detail = "something went wrong inside; the log has it under this id"
    match error:
        case RequestValidationError():
            kind = request.headers.get("content-type", "")
            faults = m.faults(error.errors())
            status, detail = 422, m.sentence(faults)
            if any(e["type"] == "json_invalid" for e in error.errors()):
                status, detail = 400, "the body is no JSON"
            elif kind and "json" not in kind and any(e["loc"] == ("body",) for e in error.errors()):
                status, detail = 415, _MEANINGS[415]
        case HTTPException():
            status, detail, headers = error.status_code, str(error.detail), dict(error.headers or {})
            detail = _UNROUTED.get(status, detail) if detail == HTTPStatus(status).phrase else detail
        case Busy():
            status, detail, headers = 503, _MEANINGS[503], {"Retry-After": "1"}
        case FileRefused():
            status, detail = error.status, str(error)
        case NotInBuild() | NoBuild() | PictureError():
            status, detail = 404, str(error)
        case QuestionError():
            status, detail = 422, str(error)
        case Expected():
            service: Service = request.app.state.service
            status, detail, headers = 503, service.builds.without_path(error), {"Retry-After": "60"}
        case _:
            LOG.error("request %s", request.state.request_id, exc_info=error)
            headers = {"x-request-id": request.state.request_id}  # this reply does not pass the guard
    problem = m.Problem(
        type="about:blank",
        title=HTTPStatus(status).phrase,
        status=status,
        detail=detail,
        instance=getattr(request.state, "request_id", ""),
        errors=faults,
        choices=getattr(error, "choices", {}),
    )
    return JSONResponse(problem.model_dump(), status, headers, _PROBLEM)
