"""The service started for people: over HTTP, and for assistants over MCP."""

import gc
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import uvicorn
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp

from citegrain.flows.serving.api import create_app
from citegrain.flows.serving.guard import Counts, OnlyHosts, PatientProtocol
from citegrain.flows.serving.jobs import Jobs
from citegrain.flows.serving.page import Feedback
from citegrain.flows.serving.servers import ServerError, check_port
from citegrain.flows.serving.service import NoBuild, OpenBuilds, Service
from citegrain.flows.shared.remembered import local_sockets
from citegrain.flows.shared.settings import Settings

TOKEN = "CITEGRAIN_ADMIN_TOKEN"  # noqa: S105 - the name of a variable
_CONNECTIONS, _IDLE_SECONDS = 1000, 75
"""How many at once; and for how many seconds one is kept that asks nothing: longer than clients keep it, or
a request would be lost that is sent while it is closed."""


def builds_of(settings: Settings, usual: str) -> OpenBuilds:
    """The builds of the artefacts, the usual one opened, if any is published. Raises BuildError."""
    builds = OpenBuilds(settings.builds_folder, settings.models_folder, usual)
    gc.disable()  # what is loaded now stays: to look through it takes a tenth of the start
    try:
        builds.get()
    except NoBuild:
        if usual:
            raise
    finally:
        gc.freeze()
        gc.enable()
    return builds


def run_mcp(
    settings: Settings, usual: str, address: tuple[str, int] | None, names: Sequence[str] = ()
) -> None:
    """Serve the tools of assistants: by standard input and output, or at ``/mcp`` of an address.

    ``names``: by which the service is called from elsewhere. Raises ServerError, NoBuild, BuildError.
    """
    try:
        from mcp.server.transport_security import TransportSecuritySettings

        from citegrain.flows.serving.assistants import assistants_server
    except ModuleNotFoundError as error:
        raise ServerError(f"{error.name} is missing: pip install 'citegrain[mcp]'") from error
    if address:
        check_port(address[1])
    server = assistants_server(Service(builds_of(settings, usual)))
    if not address:
        server.run("stdio")
        return
    unchecked = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # OnlyHosts does it
    app = server.streamable_http_app(transport_security=unchecked)
    app.add_middleware(OnlyHosts, names=[*names, address[0]], origins=(), refuse=_refused)
    with suppress(KeyboardInterrupt):
        uvicorn.Server(_config(app, *address)).run()


async def _refused(request: Request, fault: HTTPException) -> Response:
    return PlainTextResponse(fault.detail, fault.status_code)


def _config(app: ASGIApp, host: str, port: int) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        http=PatientProtocol,
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=_CONNECTIONS,
        timeout_keep_alive=_IDLE_SECONDS,
        timeout_graceful_shutdown=10,
    )


def run_api(
    settings: Settings,
    usual: str,
    address: tuple[str, int],
    most: int,
    origins: Sequence[str],
    log_questions: bool,
    feedback: Path | None,
    names: Sequence[str],
    say: Callable[[str], None],
) -> None:
    """Serve the API until Ctrl-C or SIGTERM; requests at work are answered before.

    ``usual``: name of the build that is asked where a request names none; empty: the only one. ``most``,
    ``origins``, ``log_questions``, ``feedback``, ``names``: as :class:`Service`, :func:`create_app`,
    :class:`Feedback` have them. Raises ServerError if the port is taken, NoBuild, BuildError, FeedbackError
    if judgements cannot be written.
    """
    host, port = address
    check_port(port)
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s %(message)s")
    logging.getLogger("citegrain").setLevel(logging.INFO)
    counts, builds = Counts(), builds_of(settings, usual)
    service = Service(builds, most, counts.batches.observe)
    jobs = Jobs(builds, settings.artifacts_folder)
    token, judgements = os.environ.get(TOKEN, ""), Feedback(feedback)
    app = create_app(service, jobs, counts, token, origins, log_questions, judgements, [*names, host])
    say(f"{', '.join(builds.labels) or 'no build yet'}: http://{host}:{port}; Ctrl-C ends it")
    config = _config(app, host, port)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # uvicorn raises it again at its end
    with local_sockets(settings.artifacts_folder) as local, suppress(KeyboardInterrupt):
        uvicorn.Server(config).run([listening_socket(config), *local])


def listening_socket(config: uvicorn.Config) -> socket.socket:
    """The socket of host and port, which sends at once: else a body waits 40 ms behind its head."""
    listening = config.bind_socket()
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening
