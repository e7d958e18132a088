"""What stands before every route: ids, limits of bodies and of patience, counts, a line of log."""

import asyncio
import ipaddress
import json
import logging
import re
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

import h11
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

LOG = logging.getLogger("citegrain.requests")
MOST_BYTES, MOST_UPLOADED = 1 << 20, 64 << 20
PATIENCE = 15.0
"""Seconds for the head of a request, and for each part of its body."""
SLOWEST = 16_384
"""Bytes a second, beyond the first :data:`PATIENCE`, below which a body comes too slowly."""
_ID = re.compile(r"[\w.-]{1,64}", re.ASCII)
_UPLOADS = ("/v1/ingest", "/v1/ask/file")
_BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 10.0)


class OnlyHosts:
    """ASGI middleware: a request must be for this service by its name, and of a page that may ask.

    A page elsewhere whose name was made to lead here (DNS rebinding) sends its own name. An address and
    ``localhost`` cannot be made to lead elsewhere.

    ``names``: by which the service is called from elsewhere. ``origins``: pages elsewhere that may ask.
    ``refuse``: makes the reply to a request that is refused.
    """

    def __init__(
        self,
        app: ASGIApp,
        names: Sequence[str],
        origins: Sequence[str],
        refuse: Callable[[Request, HTTPException], Awaitable[Response]],
    ) -> None:
        self._app, self._origins, self._refuse = app, frozenset(origins), refuse
        self._names = frozenset(name.lower() for name in names) | {"localhost"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "http" and (fault := self._fault(Request(scope))):
            await (await self._refuse(Request(scope), fault))(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _fault(self, request: Request) -> HTTPException | None:
        hosts, origin = request.headers.getlist("host"), request.headers.get("origin")
        if len(hosts) != 1 or not self._here(f"//{hosts[0]}"):
            return HTTPException(421, "this service is not called so: --allow-host NAME lets a name in")
        if origin is not None and origin not in self._origins and not self._here(origin):
            return HTTPException(403, "no page of this origin may ask: --cors ORIGIN lets one in")
        return None

    def _here(self, address: str) -> bool:
        try:
            host = urlsplit(address).hostname or ""
            return host in self._names or bool(ipaddress.ip_address(host))
        except ValueError:
            return False


class Counts:
    """What ``/metrics`` shows."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        self.requests = Counter("citegrain_requests", "Requests", ("route", "status"), registry=registry)
        self.seconds = Histogram(
            "citegrain_request_seconds", "Time of a request", ("route",), registry=registry, buckets=_BUCKETS
        )
        self.batches = Histogram(
            "citegrain_batch_questions",
            "Questions answered at once",
            registry=registry,
            buckets=(1, 2, 4, 8, 16),
        )
        self.waiting = Gauge("citegrain_waiting", "Requests at work or waiting", registry=registry)


class Guard:
    """ASGI middleware that counts and logs requests, and limits their bodies.

    The id of a request is that of its ``X-Request-ID`` if it has a sound one; the reply bears it.
    """

    def __init__(self, app: ASGIApp, counts: Counts) -> None:
        self._app, self._counts = app, counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.perf_counter(), 500
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        given = headers.get(b"x-request-id", "")
        request_id = given if _ID.fullmatch(given) else uuid.uuid4().hex
        scope.setdefault("state", {})["request_id"] = request_id

        body = _Body(scope["path"], headers, receive)

        async def answered(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                added = [(b"x-request-id", request_id.encode())]
                if body.more:  # nobody waits for it: it might come for ever
                    added.append((b"connection", b"close"))
                message["headers"] = [*message.get("headers", ()), *added]
            await send(message)

        try:
            await self._app(scope, body.part, answered)
        finally:
            route = getattr(scope.get("route"), "path", "none")
            seconds = time.perf_counter() - begun
            self._counts.requests.labels(route, str(status)).inc()
            self._counts.seconds.labels(route).observe(seconds)
            line: dict[str, Any] = {"id": request_id, "method": scope["method"], "route": route}
            line |= {"status": status, "ms": round(1000 * seconds, 1)} | scope["state"].get("log", {})
            LOG.info(json.dumps(line, ensure_ascii=False))


class _Body:
    """The body of a request; ``more``: whether some of it has not come yet."""

    def __init__(self, path: str, headers: dict[bytes, str], receive: Receive) -> None:
        self._most = MOST_UPLOADED if path in _UPLOADS else MOST_BYTES
        declared = headers.get(b"content-length", "0")
        self._declared, self._came = int(declared) if declared.isdigit() else 0, 0
        self.more = self._declared > 0 or b"transfer-encoding" in headers
        self._receive, self._begun = receive, time.monotonic()

    async def part(self) -> Message:
        """Its next part; without more whether the client is still there. Raises HTTPException."""
        if not self.more:
            return await self._receive()
        if self._declared > self._most:
            raise HTTPException(413, f"the body is larger than {self._most:,} bytes")
        try:
            message = await asyncio.wait_for(self._receive(), PATIENCE)
        except TimeoutError:
            raise HTTPException(408, f"no more of the body came within {PATIENCE:.0f} seconds") from None
        self.more = message.get("more_body", False)
        self._came += len(message.get("body", b""))
        if self.more and time.monotonic() - self._begun > PATIENCE + self._came / SLOWEST:
            raise HTTPException(408, f"the body came slower than {SLOWEST:,} bytes a second")
        if self._came > self._most:
            raise HTTPException(413, f"the body is larger than {self._most:,} bytes")
        return message


class PatientProtocol(H11Protocol):
    """HTTP of which the head must come in time: uvicorn itself waits for ever."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Wait on where a head is not complete."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._wait()
        elif self._late is not None:
            self._late.cancel()
            self._late = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        if self._late is not None:
            self._late.cancel()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(PATIENCE, self._close)

    def _close(self) -> None:
        self._late = None
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.transport.close()
