"""Files of requests and replies, in the Batch format of OpenAI's API.

A model that is reached in some other way, and later, answers them; and recorded replies are run again
without any model. A reply finds its request by a name that all that shapes it gives.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from citegrain.tasks.core.endpoint.config import BATCH, Endpoint, EndpointError
from citegrain.tasks.core.errors import Expected, printable

REQUESTS, REPLIES = "requests.jsonl", "replies.jsonl"
_URL = "/v1/chat/completions"


class BatchPending(RuntimeError, Expected):
    """Requests were written, and their replies are not there; the message says what to do."""

    exit_code = 3


@dataclass(frozen=True)
class ModelReply:
    """What came of a prompt: a text, or the error that ended the last attempt.

    ``attempts`` counts the calls made now; 0 for a reply that was kept. ``items``: what it is about, where
    that is not what the prompt shows (``Shown.items``).
    """

    text: str = ""
    error: str = ""
    attempts: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    items: tuple[str, ...] = ()

    def after(self, first: ModelReply) -> ModelReply:
        """This reply, with the calls and tokens of the one before it counted too."""
        names = ("attempts", "tokens_in", "tokens_out")
        return replace(self, **{name: getattr(first, name) + getattr(self, name) for name in names})


def write_requests(replies: Path, bodies: Mapping[str, Mapping[str, Any]]) -> BatchPending:
    """Add requests to those that wait beside a file of replies; gives what is to be raised."""
    lines = _waiting(replies)
    for name, body in bodies.items():
        lines[name] = {"custom_id": name, "method": "POST", "url": _URL, "body": body}
    file = replies.parent / REQUESTS
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines.values())
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise EndpointError(f"{printable(file)}: {error.strerror}") from error
    return BatchPending(
        f"{len(lines)} {'request is' if len(lines) == 1 else 'requests are'} in {printable(file)}: "
        f"put their replies into {printable(replies.name)} in the same folder, then run this command again"
    )


def pending_requests(endpoints: Iterable[Endpoint]) -> BatchPending | None:
    """What is to be raised where a batch of these has requests without replies; else None."""
    files = {endpoint.replies for endpoint in endpoints if endpoint.mode == BATCH}
    return next((write_requests(file, {}) for file in files if _waiting(file)), None)


def _waiting(replies: Path) -> dict[str, Any]:
    """The requests that were written and have no reply, by name."""
    file, answered = replies.parent / REQUESTS, read_replies(replies)
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    lines = [json.loads(line) for line in text.splitlines() if line.strip()]
    return {line["custom_id"]: line for line in lines if line["custom_id"] not in answered}


def read_replies(file: Path) -> Mapping[str, list[ModelReply]]:
    """The replies of a file, if it is there, by the name of their request, in order. Raises EndpointError."""
    if not file.is_file():
        return {}
    state = file.stat()
    return _read(file, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=8)
def _read(file: Path, changed: int, size: int) -> Mapping[str, list[ModelReply]]:
    out: dict[str, list[ModelReply]] = {}
    with file.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                try:
                    value = json.loads(line)
                    name, reply = str(value["custom_id"]), _reply(value)
                except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
                    message = "it is no reply in the Batch format"
                    raise EndpointError(f"{printable(file)}:{number}: {message}") from error
                out.setdefault(name, []).append(reply)
    return out


def _reply(line: Mapping[str, Any]) -> ModelReply:
    """One line: the text of the first choice, or why there is none."""
    response = line.get("response") or {}
    if line.get("error") or response.get("status_code", 200) != 200:
        error = line.get("error") or (response.get("body") or {}).get("error") or {}
        return ModelReply(error=str(error.get("message") or f"HTTP {response.get('status_code')}")[:300])
    body = response["body"]
    usage = body.get("usage") or {}
    return ModelReply(
        str(body["choices"][0]["message"]["content"] or ""),
        tokens_in=int(usage.get("prompt_tokens") or 0),
        tokens_out=int(usage.get("completion_tokens") or 0),
    )


def reply_line(name: str, reply: ModelReply, model: str) -> dict[str, Any]:
    """A reply as a line of a file."""
    choice = {"index": 0, "message": {"role": "assistant", "content": reply.text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": reply.tokens_in, "completion_tokens": reply.tokens_out}
    body = {"model": model, "choices": [choice], "usage": usage}
    return {"custom_id": name, "response": {"status_code": 200, "body": body}, "error": None}
