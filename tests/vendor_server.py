"""A server on loopback that speaks as the vendors of encoders and rerankers do, and checks what it is sent."""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

KEY = "sk-vendor-secret"
Encode = Callable[[Sequence[str], bool], Sequence[Sequence[float]]]
"""From texts, and whether they are queries, to their vectors."""

ROLES = {
    "voyage": ("input_type", "document", "query"),
    "cohere": ("input_type", "search_document", "search_query"),
    "jina": ("task", "retrieval.passage", "retrieval.query"),
}
PATHS = {
    "openai": ("/v1/embeddings", ""),
    "voyage": ("/v1/embeddings", "/v1/rerank"),
    "cohere": ("/v2/embed", "/v2/rerank"),
    "jina": ("/v1/embeddings", "/v1/rerank"),
}
MOST = {"openai": 2048, "voyage": 1000, "cohere": 96, "jina": 512}


def letters(texts: Sequence[str], query: bool) -> list[list[float]]:
    """Four numbers a text, which its letters give; those of a query are negative."""
    rows = [np.random.default_rng(zlib.crc32(text.encode())).random(4) + 0.1 for text in texts]
    return [[float(np.float32(-x if query else x)) for x in row] for row in rows]


class Vendor(ThreadingHTTPServer):
    """Replies as ``vendor``. ``moods``: what it does wrong, call by call; afterwards nothing."""

    daemon_threads = True

    def __init__(self, vendor: str, encode: Encode, moods: Sequence[str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.vendor, self.encode, self.moods = vendor, encode, list(moods)
        self.bodies: list[dict[str, Any]] = []
        self.faults: list[str] = []
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/{'v2' if self.vendor == 'cohere' else 'v1'}"


class _Handler(BaseHTTPRequestHandler):
    server: Vendor
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.bodies.append(body)
            mood = self.server.moods.pop(0) if self.server.moods else ""
        if self.headers.get("Authorization") != f"Bearer {KEY}":
            self.server.faults.append("no key")
        with suppress(BrokenPipeError, ConnectionResetError):
            if mood in ("429", "500", "401"):
                self._send(int(mood), {"error": {"message": f"no, {KEY}"}}, wait="1" if mood == "429" else "")
            elif self.path == PATHS[self.server.vendor][0]:
                self._send(200, self._vectors(body, mood))
            elif self.path == PATHS[self.server.vendor][1]:
                self._send(200, self._scores(body, mood))
            else:
                self.server.faults.append(f"path {self.path}")
                self._send(404, {"detail": "no such path"})

    def _vectors(self, body: dict[str, Any], mood: str) -> Any:
        vendor = self.server.vendor
        texts = body.pop("texts" if vendor == "cohere" else "input")
        expected = {"model"} | ({ROLES[vendor][0]} if vendor in ROLES else {"encoding_format"})
        expected |= {"embedding_types"} if vendor == "cohere" else set()
        length = "output_dimension" if vendor in ("cohere", "voyage") else "dimensions"
        if set(body) - {length} != expected:
            self.server.faults.append(f"keys {sorted(body)}")
        if not 0 < len(texts) <= MOST[vendor] or not all(isinstance(text, str) for text in texts):
            self.server.faults.append(f"{len(texts)} texts")
        query = vendor in ROLES and body[ROLES[vendor][0]] == ROLES[vendor][2]
        body["texts"] = texts
        rows: Any = [list(row) for row in self.server.encode(texts, query)]
        rows = {
            "one too few": rows[1:],
            "short": [row[1:] for row in rows],
            "ragged": [row[: len(row) - at % 2] for at, row in enumerate(rows)],
            "not a number": [[float("nan"), *row[1:]] for row in rows],
            "words": [["a" for _ in row] for row in rows],
        }.get(mood, rows)
        if mood in ("null", "list"):
            return None if mood == "null" else []
        tokens = sum(len(text.split()) for text in texts)
        if vendor == "cohere":
            return {"embeddings": {"float": rows}, "meta": {"billed_units": {"input_tokens": tokens}}}
        data = [{"object": "embedding", "index": at, "embedding": row} for at, row in enumerate(rows)]
        return {"data": data[::-1], "usage": {"prompt_tokens": tokens, "total_tokens": tokens}}

    def _scores(self, body: dict[str, Any], mood: str) -> Any:
        top = "top_k" if self.server.vendor == "voyage" else "top_n"
        if set(body) != {"model", "query", "documents", top} or body[top] != len(body["documents"]):
            self.server.faults.append(f"keys {sorted(body)}")
        rows = [
            {"index": at, "relevance_score": float(np.float32(score[0]))}
            for at, score in enumerate(letters([body["query"] + text for text in body["documents"]], False))
        ]
        rows.sort(key=lambda row: -row["relevance_score"])
        rows = rows[1:] if mood == "one too few" else rows
        reply: dict[str, Any] = {"data" if self.server.vendor == "voyage" else "results": rows}
        return reply | {"usage": {"total_tokens": 7}}

    def _send(self, status: int, content: Any, wait: str = "") -> None:
        data = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if wait:
            self.send_header("Retry-After", wait)
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def vendor_server(vendor: str, *moods: str, encode: Encode = letters) -> Iterator[Vendor]:
    """A vendor on a free port until the block ends; it must have been sent nothing wrong by then."""
    server = Vendor(vendor, encode, moods)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield server
        assert not server.faults
    finally:
        server.shutdown()
        server.server_close()
