"""One document from one server, which may be down, broken or hostile.

Nothing that a server says of itself is repeated in a message.
"""

import asyncio
import base64
import hashlib
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from socket import inet_aton

import httpx
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception_type,
    stop_after_attempt,
    wait_random_exponential,
)

from citegrain.tasks.offline.corpus.remote.listing import ListedDocument
from citegrain.tasks.offline.http import HttpConfig
from citegrain.tasks.offline.pages import RefusedError as UnreadableError
from citegrain.tasks.offline.pages import ending_of

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_TAIL = 2048
_ZIP_END = b"pk\x05\x06"
_ENDS = {".pdf": b"%%eof", ".docx": _ZIP_END, ".pptx": _ZIP_END, ".xlsx": _ZIP_END, ".html": b"</html>"}
TEXTS = {".html": "HTML", ".htm": "HTML", ".txt": "a text"}
"""Endings of what a server may send in place of a document, and how it looks."""
_LONGEST_VALIDATOR = 1024
_PASSING = (408, 425, 429)
_GONE = (404, 410)


class NotReachedError(Exception):
    """The server does not answer properly; another attempt may help.

    ``after``: seconds the server asks us to wait; None where it names none.
    """

    def __init__(self, reason: str, after: float | None = None) -> None:
        super().__init__(reason)
        self.after = after


class RefusedError(Exception):
    """The server sends something else than the document; another attempt would not help."""


@dataclass(frozen=True)
class Secret:
    """The secret that one host asks for. It is never shown."""

    kind: str
    host: str
    value: str = field(repr=False)

    @property
    def header(self) -> str:
        if self.kind == "bearer":
            return f"Bearer {self.value}"
        return f"Basic {base64.b64encode(self.value.encode()).decode()}"


@dataclass(frozen=True)
class Validators:
    """What a server sent to compare versions of a document by; empty where it sent nothing."""

    etag: str = ""
    last_modified: str = ""

    @property
    def headers(self) -> dict[str, str]:
        """The headers of a conditional request (RFC 9110, 13.1)."""
        headers = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in headers.items() if value}


@dataclass(frozen=True)
class ServerReply:
    """The result of a request: ``same``, ``gone``, or ``body`` with its SHA-256 and ending."""

    status: str
    sha256: str = ""
    validators: Validators = Validators()
    ending: str = ""


def new_client(config: HttpConfig) -> httpx.AsyncClient:
    """A client that follows no redirect by itself and asks for uncompressed bytes."""
    return httpx.AsyncClient(
        follow_redirects=False,
        timeout=config.timeout,
        headers={"Accept": "*/*", "Accept-Encoding": "identity", "User-Agent": "citegrain"},
    )


async def fetch(
    client: httpx.AsyncClient,
    listed: ListedDocument,
    validators: Validators,
    part: Path,
    config: HttpConfig,
    secret: Secret | None,
) -> ServerReply:
    """Ask for a document, again if that may help; its bytes go to ``part``.

    Raises NotReachedError if the server did not send it in any attempt; RefusedError if it sends no document,
    one that is too large, or another than the list names or promises; OSError if ``part`` cannot be written.
    """
    headers = validators.headers | _authorisation(listed, secret)
    retrying = AsyncRetrying(
        stop=stop_after_attempt(config.attempts),
        wait=lambda state: _pause(state, config.longest_wait),
        retry=retry_if_exception_type(NotReachedError),
        reraise=True,
    )
    return await retrying(_attempt, client, listed, headers, part, config)


def _pause(state: RetryCallState, longest: float) -> float:
    """Seconds to the next attempt: what the server asks for, else growing with jitter."""
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, NotReachedError) and error.after is not None:
        return min(error.after, longest)
    return wait_random_exponential(multiplier=0.5, max=longest)(state)


def _authorisation(listed: ListedDocument, secret: Secret | None) -> dict[str, str]:
    """The header with the secret, for its host only. No secret, even in a URL, is sent in the clear."""
    url = httpx.URL(listed.url)
    meant = secret is not None and url.netloc.decode().lower() == secret.host.lower()
    if (meant or url.userinfo) and url.scheme != "https" and url.host not in _LOOPBACK:
        raise RefusedError("a secret is sent over https only")
    return {"Authorization": secret.header} if secret is not None and meant else {}


async def _attempt(
    client: httpx.AsyncClient, listed: ListedDocument, headers: dict[str, str], part: Path, config: HttpConfig
) -> ServerReply:
    """One attempt within its time limit, which also cuts off a server that drips."""
    try:
        async with (
            asyncio.timeout(config.timeout),
            _opened(client, listed.url, headers, config.redirects) as response,
        ):
            return await _read(response, listed, part, config)
    except (TimeoutError, httpx.TimeoutException):
        raise NotReachedError(f"not complete within corpus.http.timeout={config.timeout:g} s") from None
    except httpx.ConnectError as error:
        raise NotReachedError(_connecting(error)) from None
    except httpx.RemoteProtocolError:
        raise NotReachedError("the reply broke off or is not HTTP") from None
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:  # a host's bad punycode is a ValueError
        raise NotReachedError(f"the server could not be reached ({type(error).__name__})") from None


def _connecting(error: BaseException) -> str:
    """Why there is no connection, in our words and not in the server's."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"the server's certificate was not accepted: {cause.verify_message}"
        cause = cause.__cause__ or cause.__context__
    return "no connection to the server"


@asynccontextmanager
async def _opened(
    client: httpx.AsyncClient, url: str, headers: dict[str, str], redirects: int
) -> AsyncIterator[httpx.Response]:
    """The reply behind all redirects, its body not yet read.

    httpx leaves the secret out where a redirect leads to another host.
    """
    request = client.build_request("GET", url, headers=headers)
    within = _is_internal(request.url.host)
    for _ in range(redirects + 1):
        response = await client.send(request, stream=True)
        try:
            if response.next_request is None:
                yield response
                return
            request = _followed(response, within)
        finally:
            await response.aclose()
    raise RefusedError(f"more than corpus.http.redirects={redirects} redirects")


def _followed(response: httpx.Response, within: bool) -> httpx.Request:
    """The request of a redirect, if it may be made; ``within``: the list itself names an internal host."""
    following = response.next_request
    if following is None or following.url.scheme not in ("http", "https"):
        raise RefusedError("a redirect leads to a scheme other than http and https")
    if following.url.port is not None and not 0 < following.url.port < 65536:
        raise RefusedError("a redirect leads to an impossible port")
    if response.request.url.scheme == "https" and following.url.scheme == "http":
        raise RefusedError("a redirect leads from https to http")
    if not within and _is_internal(following.url.host):
        raise RefusedError("a redirect leads from the internet to an internal address")
    return following


def _is_internal(host: str) -> bool:
    """Whether a host is this machine or an address outside the internet. No name is resolved."""
    host = host.lower().rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    address = _address(host)
    return address is not None and not address.is_global


def _address(host: str) -> IPv4Address | IPv6Address | None:
    """The address that a host spells, as resolvers read it: ``127.1`` and ``0x7f000001`` too."""
    try:
        address = ip_address(host)
    except ValueError:
        try:
            return IPv4Address(inet_aton(host))
        except (OSError, ValueError):
            return None
    return address.ipv4_mapped or address if isinstance(address, IPv6Address) else address


async def _read(
    response: httpx.Response, listed: ListedDocument, part: Path, config: HttpConfig
) -> ServerReply:
    """The meaning of a reply; a document is written to ``part`` as it arrives."""
    status = response.status_code
    if status in _GONE:
        return ServerReply("gone")
    if status == 304 and response.request.headers.keys() & {"if-none-match", "if-modified-since"}:
        return ServerReply("same", validators=_validators(response))
    if status >= 500 or status in _PASSING:
        raise NotReachedError(f"HTTP {status}", _retry_after(response))
    if status != 200:
        raise RefusedError(f"HTTP {status}")
    if response.headers.get("Content-Encoding", "identity").strip().lower() not in ("", "identity"):
        raise RefusedError("the server compresses the document although it was asked not to")
    digest, ending = await _save(response, listed, part, config)
    if not listed.accepts(digest):
        raise RefusedError(listed.mismatch(digest))
    return ServerReply("body", digest, _validators(response), ending)


async def _save(
    response: httpx.Response, listed: ListedDocument, part: Path, config: HttpConfig
) -> tuple[str, str]:
    """Write the body to ``part``; its SHA-256, and the ending of what it is by its content.

    A body with neither a length nor chunks could have been cut off: it must end as such a file does.
    """
    length = response.headers.get("Content-Length", "")
    if length.isdigit() and int(length) > config.max_bytes:
        raise RefusedError(f"{int(length)} bytes are more than corpus.http.max_mib={config.max_mib:g}")
    digest, size = hashlib.sha256(), 0
    with part.open("wb") as file:
        async for data in response.aiter_raw():
            size += len(data)
            if size > config.max_bytes:
                raise RefusedError(f"more bytes arrive than corpus.http.max_mib={config.max_mib:g}")
            digest.update(data)
            file.write(data)
    content = part.read_bytes()
    try:
        ending = ending_of(content)
    except UnreadableError as error:
        raise RefusedError(f"no document: {error}") from None
    if ending in TEXTS and listed.promised not in ("", *TEXTS):  # as the pages look that say "not found"
        raise RefusedError(f"not a {listed.promised} file: it looks like {TEXTS[ending]}")
    if not length and "Transfer-Encoding" not in response.headers:
        end = _ENDS.get(ending)
        if end is None or end not in content[-_TAIL:].lower():
            raise NotReachedError(f"the reply has no length and does not end as {ending} does: it may be cut")
    return digest.hexdigest(), ending


def _validators(response: httpx.Response) -> Validators:
    """ETag and date of a reply; empty where they cannot be sent back."""
    sent = [response.headers.get(name, "") for name in ("ETag", "Last-Modified")]
    fit = [v if v.isascii() and v.isprintable() and len(v) <= _LONGEST_VALIDATOR else "" for v in sent]
    return Validators(*fit)


def _retry_after(response: httpx.Response) -> float | None:
    """Seconds the server asks us to wait, where it says so in seconds."""
    seconds = response.headers.get("Retry-After", "").strip()
    return float(seconds) if seconds.isdecimal() and seconds.isascii() and len(seconds) < 7 else None
