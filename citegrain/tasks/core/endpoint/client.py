"""Calls to a model behind an OpenAI-compatible endpoint: limits, retries, kept replies."""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa

from citegrain.tasks.core.endpoint.config import CallConfig, Endpoint, Messages, ReplySchema
from citegrain.tasks.core.endpoint.parser import Unparsable, parse_reply
from citegrain.tasks.core.stage import digest
from citegrain.tasks.core.store import RowStore

_REPLIES = pa.schema(
    [
        ("prompt", pa.string()),
        ("reply", pa.string()),
        ("attempts", pa.int32()),
        ("tokens_in", pa.int64()),
        ("tokens_out", pa.int64()),
    ]
)
_CHECKPOINT = 20


@dataclass(frozen=True)
class ModelReply:
    """What came of a prompt: a text, or the error that ended the last attempt.

    ``attempts`` counts the calls made now; 0 for a reply that was kept.
    """

    text: str = ""
    error: str = ""
    attempts: int = 0
    tokens_in: int = 0
    tokens_out: int = 0


def reply_rows(store: Path, stage: str, endpoint: Endpoint, config: CallConfig) -> RowStore:
    """Where the replies of a model to a stage are kept, by prompt."""
    parts: list[Any] = [endpoint.base_url, endpoint.model, config.temperature, config.max_tokens]
    if config.response_format != "text":
        parts.append(config.response_format)
    return RowStore(store, stage, digest(parts)[:32], _REPLIES, "prompt")


def prompt_hash(messages: Messages) -> str:
    """Key of a prompt."""
    return hashlib.sha256(json.dumps(messages, ensure_ascii=False).encode()).hexdigest()


def cached_replies(prompts: Mapping[str, Messages], rows: RowStore) -> dict[str, ModelReply]:
    """The replies that are kept, by the ids of their prompts."""
    keys = {query: prompt_hash(messages) for query, messages in prompts.items()}
    replies = {r["prompt"]: r for r in rows.read(list(dict.fromkeys(keys.values()))).to_pylist()}
    return {
        query: ModelReply(row["reply"], "", 0, row["tokens_in"], row["tokens_out"])
        for query, key in keys.items()
        if (row := replies.get(key))
    }


def ask_model(
    prompts: Mapping[str, Messages],
    endpoint: Endpoint,
    config: CallConfig,
    schema: ReplySchema,
    rows: RowStore | None = None,
    progress: Callable[[int], None] = lambda n: None,
) -> dict[str, ModelReply]:
    """A reply for each prompt, by its id. None is lost: what fails carries its error.

    Parameters
    ----------
    rows
        Kept replies: read first, and added to as replies come in, so that a run that is stopped goes on
        from there. Only replies that the parser can read are kept.
    """
    keys = {query: prompt_hash(messages) for query, messages in prompts.items()}
    out: dict[str, ModelReply] = {}
    if rows is not None:
        out = cached_replies(prompts, rows)
        progress(len(out))
    todo = {query: messages for query, messages in prompts.items() if query not in out}
    if todo:
        run = _Run(endpoint, config, schema, rows)
        out |= asyncio.run(run.all(todo, keys, progress))
    return {query: out[query] for query in prompts}


class _Run:
    """The calls of one batch."""

    def __init__(
        self, endpoint: Endpoint, config: CallConfig, schema: ReplySchema, rows: RowStore | None
    ) -> None:
        from aiolimiter import AsyncLimiter

        self.endpoint, self.config, self.schema, self.rows = endpoint, config, schema, rows
        self.slots = asyncio.Semaphore(config.concurrency)
        self.limiter = AsyncLimiter(config.per_minute, 60) if config.per_minute else None
        self.waiting: dict[str, ModelReply] = {}
        self.calls = 0
        self.answered = False
        self.unreachable = ""

    async def all(
        self, prompts: Mapping[str, Messages], keys: Mapping[str, str], progress: Callable[[int], None]
    ) -> dict[str, ModelReply]:
        """Every reply, kept as it comes."""
        import openai

        out: dict[str, ModelReply] = {}

        async def one(client: Any, query: str, messages: Messages) -> None:
            async with self.slots:
                out[query] = await self._reply(client, messages)
            if not out[query].error:
                self.waiting[keys[query]] = out[query]
            if len(self.waiting) >= _CHECKPOINT:
                self._keep()
            progress(1)

        client = openai.AsyncOpenAI(
            base_url=self.endpoint.base_url,
            api_key=self.endpoint.key or "none",
            max_retries=0,
            timeout=self.config.timeout,
            # what is for this machine goes through no proxy, whatever the environment says
            http_client=openai.DefaultAsyncHttpxClient(trust_env=False) if self.endpoint.is_local else None,
        )
        async with client:
            try:
                async with asyncio.timeout(self.config.max_seconds or None), asyncio.TaskGroup() as group:
                    for query, messages in prompts.items():
                        group.create_task(one(client, query, messages))
            except TimeoutError:
                spent = f"{self.config.group}.max_seconds={self.config.max_seconds:g} were spent"
                out = dict.fromkeys(prompts, ModelReply(error=spent)) | out
            finally:
                self._keep()
        return out

    def _keep(self) -> None:
        if self.rows is None or not self.waiting:
            return
        done, self.waiting = self.waiting, {}
        table = {
            "prompt": list(done),
            "reply": [r.text for r in done.values()],
            "attempts": [r.attempts for r in done.values()],
            "tokens_in": [r.tokens_in for r in done.values()],
            "tokens_out": [r.tokens_out for r in done.values()],
        }
        self.rows.append(pa.table(table, schema=_REPLIES))

    async def _reply(self, client: Any, messages: Messages) -> ModelReply:
        """The first reply that the parser can read, or the last error."""
        import openai
        from tenacity import AsyncRetrying, RetryError, retry_if_exception, stop_after_attempt
        from tenacity.wait import wait_random_exponential

        attempts = tokens_in = tokens_out = 0
        try:
            async for attempt in AsyncRetrying(
                stop=stop_after_attempt(self.config.attempts),
                wait=wait_random_exponential(multiplier=0.5, max=self.config.longest_wait),
                retry=retry_if_exception(_passing),
            ):
                with attempt:
                    if self.unreachable:
                        return ModelReply(error=self.unreachable, attempts=attempts)
                    if self.calls >= (self.config.max_calls or math.inf):
                        spent = f"{self.config.group}.max_calls={self.config.max_calls} were spent"
                        return ModelReply("", spent, attempts, tokens_in, tokens_out)
                    self.calls += 1
                    attempts += 1
                    text, used_in, used_out, complete = await self._call(client, messages)
                    tokens_in, tokens_out = tokens_in + used_in, tokens_out + used_out
                    self._check(text, complete)
        except RetryError as error:
            last = error.last_attempt.exception()
            if isinstance(last, openai.APIConnectionError) and not self.answered:
                self.unreachable = self._line(last)
            return ModelReply("", self._line(last), attempts, tokens_in, tokens_out)
        except (openai.OpenAIError, ValueError) as error:
            return ModelReply("", self._line(error), attempts, tokens_in, tokens_out)
        return ModelReply(text, "", attempts, tokens_in, tokens_out)

    def _check(self, text: str, complete: bool) -> None:
        """Raise Unparsable, with the likely cause, if the parser cannot read a reply."""
        try:
            parse_reply(text, self.schema)
        except Unparsable as error:
            if complete:
                raise
            limit = f"{self.config.group}.max_tokens={self.config.max_tokens}"
            raise Unparsable(f"the reply was cut off ({limit}, or the model's context): {error}") from error

    async def _call(self, client: Any, messages: Messages) -> tuple[str, int, int, bool]:
        """(text, tokens of the prompt, tokens of the reply, whether it came to its end) of one call."""
        wanted = _response_format(self.config.response_format, self.schema)
        async with self._paced(), asyncio.timeout(self.config.timeout):
            done = await client.chat.completions.create(
                model=self.endpoint.model,
                messages=messages,
                temperature=self.config.temperature,
                max_tokens=self.config.max_tokens,
                **wanted,
            )
        self.answered = True
        usage = getattr(done, "usage", None)
        used = (getattr(usage, "prompt_tokens", 0) or 0, getattr(usage, "completion_tokens", 0) or 0)
        choices = getattr(done, "choices", None)
        if not choices or not getattr(choices[0], "message", None):
            raise Unparsable("the endpoint's reply holds no message")
        complete = getattr(choices[0], "finish_reason", None) != "length"
        return str(choices[0].message.content or ""), int(used[0]), int(used[1]), complete

    @asynccontextmanager
    async def _paced(self) -> AsyncIterator[None]:
        if self.limiter is not None:
            await self.limiter.acquire()
        yield

    def _line(self, error: BaseException | None) -> str:
        """An error on one line, without the key."""
        import openai

        if isinstance(error, TimeoutError | openai.APITimeoutError):
            return f"no reply within {self.config.group}.timeout={self.config.timeout:g} s"
        if isinstance(error, openai.APIConnectionError):
            cause = error.__cause__
            reason = f": {type(cause).__name__}" if cause else ""
            return f"the endpoint {urlsplit(self.endpoint.base_url).netloc} could not be reached{reason}"
        if isinstance(error, openai.APIStatusError):
            body = error.body if isinstance(error.body, dict) else {}
            reason = _first_line(str(body.get("message") or body.get("detail") or error.message))
            return self.endpoint.hide(f"HTTP {error.status_code}: {reason}")
        return self.endpoint.hide(_first_line(str(error)) or type(error).__name__)


def _response_format(name: str, schema: ReplySchema) -> dict[str, Any]:
    """What a call says of the format of its reply; nothing for ``text``."""
    if name == "json_object":
        return {"response_format": {"type": name}}
    if name == "json_schema":
        shape = {"name": "answer", "schema": schema.json_schema(), "strict": True}
        return {"response_format": {"type": name, "json_schema": shape}}
    if name == "json_object_schema":
        return {"response_format": {"type": "json_object", "schema": schema.json_schema()}}
    return {}


def _passing(error: BaseException) -> bool:
    """Whether another attempt may help."""
    import openai

    if isinstance(error, openai.APIStatusError):
        return error.status_code in (408, 409, 425, 429) or error.status_code >= 500
    return isinstance(
        error, openai.APIConnectionError | openai.APIResponseValidationError | ValueError | TimeoutError
    )


def _first_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[0][:300]
