"""A server of documents on loopback: well-behaved, or broken and hostile by the path that is asked for."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PDF = b"%PDF-1.7 the first\n%%EOF\n"
NEWER = b"%PDF-1.7 the second\n%%EOF\n"


class Server(ThreadingHTTPServer):
    """Serves ``documents`` by path, with an ETag and a date; ``answers`` by path come first.

    Attributes
    ----------
    asked
        (path, headers in lower case) of each request.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.documents: dict[str, bytes] = {}
        self.etags: dict[str, str] = {}
        self.answers: dict[str, Callable[[_Handler], None]] = {}
        self.requests: list[tuple[str, dict[str, str]]] = []

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}{path}"

    def etag(self, path: str) -> str:
        return self.etags.get(path) or f'"{hashlib.sha256(self.documents[path]).hexdigest()[:8]}"'

    def handle_error(self, *arguments: Any) -> None:
        pass


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments: Any) -> None:
        pass

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        self.server.requests.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
        with suppress(BrokenPipeError, ConnectionResetError):
            if path in self.server.answers:
                self.server.answers[path](self)
            elif path not in self.server.documents:
                send(404, b"no")(self)
            elif self.headers.get("If-None-Match") == self.server.etag(path):
                send(304)(self)
            else:
                send(200, self.server.documents[path], ETag=self.server.etag(path))(self)


Answer = Callable[[_Handler], None]


def send(status: int, body: bytes = b"", **headers: str) -> Answer:
    """An answer with its right length."""

    def answer(handler: _Handler) -> None:
        handler.send_response(status)
        for name, value in ({"Content_Length": str(len(body))} | headers).items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def raw(*pieces: bytes, pause: float = 0.0, forever: bool = False) -> Answer:
    """Bytes as they are, then the end of the connection; the last of them for ever, if asked to."""

    def answer(handler: _Handler) -> None:
        handler.close_connection = True
        for piece in pieces:
            handler.wfile.write(piece)
            time.sleep(pause)
        while forever:
            handler.wfile.write(pieces[-1])
            time.sleep(pause)

    return answer


def in_turn(*answers: Answer) -> Answer:
    """One answer after the other; the last for all that follow."""
    left = list(answers)

    def answer(handler: _Handler) -> None:
        (left.pop(0) if len(left) > 1 else left[0])(handler)

    return answer


@contextmanager
def serving() -> Iterator[Server]:
    """A server on a free port, until the block ends."""
    server = Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
