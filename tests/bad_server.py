"""An OpenAI-compatible server on loopback that misbehaves on purpose."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CHARGE = {"description": "wages", "bailable": "Yes", "cognizable": "No"}
GOOD: dict[str, Any] = {"victim": "the keeper", "culprit": "the owner", "note": ""}
MOODS = (
    "good", "fenced", "prose", "around", "duplicate", "types", "invented", "empty", "no choices", "not json",
    "429", "500", "slow", "hang", "cut", "401 once", "poisoned", "no end",
)  # fmt: skip

BYTES = {
    "bytes": b'{"choices": [{"message": {"content": "\xff\xfe\x81"}}]}',
    "null": b"null",
    "no message": b'{"choices": [null], "usage": "much"}',
    "choices by name": b'{"choices": {"a": 1}}',
    "deep": b"[" * 100_000,
    "nothing": b"",
}
"""What is no reply, sent with status 200."""

Script = Callable[[dict[str, Any]], str]
"""From what a prompt says, as data, to what the model replies."""


class Server(ThreadingHTTPServer):
    """Answers by the mood that the prompt's hash and the number of the attempt pick."""

    daemon_threads = True

    def __init__(self, moods: tuple[str, ...] = MOODS, script: Script | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.moods = moods
        self.script = script
        self.calls: Counter[str] = Counter()
        self.seen: Counter[str] = Counter()
        self.bodies: list[dict[str, Any]] = []
        self.keys: set[str] = set()
        self.paths: list[str] = []
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        user = body["messages"][-1]["content"]
        first = next(m["content"] for m in body["messages"] if m["role"] == "user")  # others ask once more
        number = int(hashlib.sha256(user.encode()).hexdigest(), 16)
        with self.server.lock:
            self.server.bodies.append(body)
            self.server.keys.add(self.headers.get("Authorization", "") or self.headers.get("api-key", ""))
            self.server.paths.append(self.path)
            attempt = self.server.seen[user]
            self.server.seen[user] += 1
            mood = self.server.moods[(number + 7 * attempt) % len(self.server.moods)]
            self.server.calls[mood] += 1
        with suppress(BrokenPipeError, ConnectionResetError):
            self._answer(mood, json.loads(first), attempt)

    def _answer(self, mood: str, data: dict[str, Any], attempt: int) -> None:
        provisions = [] if self.server.script else data.get("provisions", [])
        charge = CHARGE | {"law": provisions[0]["law"] if provisions else "Section 1 of nothing"}
        answer = GOOD | {"charges": [charge]}
        text = self.server.script(data) if self.server.script else json.dumps(answer)
        if mood in ("429", "500"):
            self._send(int(mood), json.dumps({"error": {"message": "try again"}}))
            return
        if mood in ("429 then", "429 for long") and not attempt:
            wait = "1" if mood == "429 then" else "600"
            self._send(429, json.dumps({"error": {"message": "too many"}}), wait=wait)
            return
        if mood == "quota":
            self._send(429, json.dumps({"error": {"message": "no quota", "code": "insufficient_quota"}}))
            return
        if mood in BYTES:
            self._send(200, BYTES[mood])
            return
        if mood == "detail":
            self._send(403, json.dumps({"detail": "Invalid API key"}))
            return
        if mood == "401 once":
            self._send(500 if attempt else 401, json.dumps({"error": {"message": "who are you? sk-secret"}}))
            return
        if mood == "hang":
            time.sleep(3)
        if mood == "slow":
            time.sleep(0.2)
        if mood == "not json":
            self._send(200, "<html>proxy error</html>")
            return
        if mood == "no choices":
            self._send(200, json.dumps({"id": "x", "object": "chat.completion", "choices": []}))
            return
        content = {
            "fenced": f"Here you are:\n```json\n{text}\n```\nGood luck.",
            "prose": "I am sorry, I can only say that the keeper should be paid.",
            "around": f"Sure! {{not this}} {text} Anything else?",
            "duplicate": text[:-1] + ', "note": "again"}',
            "types": json.dumps(answer | {"charges": "none"}),
            "invented": json.dumps(
                answer | {"charges": [charge | {"law": "Section 999 of the Moon Act, 1999"}]}
            ),
            "empty": "",
            "no end": text[:40],
            "poisoned": json.dumps(answer | {"charges": [charge | {"law": "PWNED"}]}),
        }.get(mood, text)
        reply = {
            "id": "x", "object": "chat.completion", "created": 1, "model": "bad",
            "choices": [{"index": 0, "finish_reason": "length" if mood == "no end" else "stop", "message": {"role": "assistant", "content": content}}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
        }  # fmt: skip
        if self.path == "/api/chat":
            reply = {
                "message": {"role": "assistant", "content": content},
                "done_reason": "length" if mood == "no end" else "stop",
                "eval_count": 10,
            }
        self._send(200, json.dumps(reply), cut=mood == "cut")

    def _send(self, status: int, text: str | bytes, cut: bool = False, wait: str = "") -> None:
        data = text.encode() if isinstance(text, str) else text
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if wait:
            self.send_header("Retry-After", wait)
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if cut else data)
        if cut:
            self.close_connection = True


@contextmanager
def misbehaving(*moods: str, script: Script | None = None) -> Iterator[Server]:
    """A server on a free port, until the block ends; with a ``script`` its good replies are that one's."""
    server = Server(moods or MOODS, script)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
