"""Replies of a model: from the store, from a file of recorded ones, or by calls with limits and retries."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pyarrow as pa

from citegrain.tasks.core.endpoint import batch
from citegrain.tasks.core.endpoint.backends import client_of, complete, read_completion, request_body
from citegrain.tasks.core.endpoint.batch import ModelReply
from citegrain.tasks.core.endpoint.config import (
    BATCH,
    LIVE,
    CallConfig,
    Endpoint,
    Messages,
    PlainText,
    ReplySchema,
    count,
)
from citegrain.tasks.core.endpoint.parser import Unparsable, parse_reply
from citegrain.tasks.core.personal import Masks
from citegrain.tasks.core.stage import digest
from citegrain.tasks.core.store import RowStore

if TYPE_CHECKING:
    from tenacity import RetryCallState

ABOUT = "about.json"
_REPLIES = pa.schema(
    [
        ("prompt", pa.string()),
        ("reply", pa.string()),
        ("attempts", pa.int32()),
        ("tokens_in", pa.int64()),
        ("tokens_out", pa.int64()),
    ]
)


def reply_rows(store: Path, stage: str, endpoint: Endpoint, config: CallConfig) -> RowStore:
    """Where the replies of a model to a stage are kept, by prompt."""
    return RowStore(
        store, stage, digest([endpoint.identity[0], *_manner(endpoint, config)])[:32], _REPLIES, "prompt"
    )


def _manner(endpoint: Endpoint, config: CallConfig) -> list[Any]:
    """What shapes a reply beside its prompt."""
    response_format = [config.response_format] if config.response_format != "text" else []
    sampling = [config.sampling] if config.sampling else []
    return [endpoint.model, config.temperature, config.max_tokens, *response_format, *sampling]


def prompt_hash(messages: Messages) -> str:
    """Key of a prompt."""
    return hashlib.sha256(json.dumps(messages, ensure_ascii=False).encode()).hexdigest()


def _prefix(endpoint: Endpoint, config: CallConfig) -> str:
    """What the names of all requests to a model begin with that are made alike."""
    return digest(_manner(endpoint, config))[:16]


def cached_replies(prompts: Mapping[str, Messages], rows: RowStore) -> dict[str, ModelReply]:
    """The replies that are kept, by the ids of their prompts."""
    masks = {query: Masks() for query in prompts}
    prompts = {query: _masked(messages, masks[query]) for query, messages in prompts.items()}
    keys = {query: prompt_hash(messages) for query, messages in prompts.items()}
    replies = {r["prompt"]: r for r in rows.read(list(dict.fromkeys(keys.values()))).to_pylist()}
    return {
        query: ModelReply(masks[query].unmask(row["reply"]), "", 0, row["tokens_in"], row["tokens_out"])
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

    What the first model does not answer the second is asked, where the endpoint has one. What is personal in
    a prompt leaves masked, is kept masked, and stands in the reply again.

    ``rows``: kept replies: read first, and added to as replies come in, so that a run that is stopped goes on
    from there. Only replies that the parser can read are kept.
    """
    masks = {query: Masks() for query in prompts}
    prompts = {query: _masked(messages, masks[query]) for query, messages in prompts.items()}
    keys = {query: prompt_hash(messages) for query, messages in prompts.items()}
    out: dict[str, ModelReply] = {}
    if rows is not None:
        out = cached_replies(prompts, rows)
        progress(len(out))
    todo = {query: messages for query, messages in prompts.items() if query not in out}
    if todo and endpoint.mode != LIVE:
        out |= _recorded(todo, keys, endpoint, config, schema, rows)
        progress(len(todo))
    elif todo:
        import asyncio  # who asks no model need not wait for it

        run = _Run(endpoint, config, schema, rows)
        out |= asyncio.run(run.all(todo, keys, progress))
    count(sum(r.tokens_in for r in out.values()), sum(r.tokens_out for r in out.values()))
    failed = {query: messages for query, messages in prompts.items() if out[query].error}
    if endpoint.second and failed:
        stage = rows.name.partition("/")[0] if rows else ""
        others = reply_rows(rows.root, stage, endpoint.second, config) if rows else None
        for query, reply in ask_model(failed, endpoint.second, config, schema, others).items():
            error = f"{out[query].error}; the second model: {reply.error}" if reply.error else ""
            out[query] = replace(reply.after(out[query]), error=error)
    return {query: replace(out[query], text=masks[query].unmask(out[query].text)) for query in prompts}


def _masked(messages: Messages, masks: Masks) -> Messages:
    return [message | {"content": masks.mask(message["content"])} for message in messages]


def _recorded(
    prompts: Mapping[str, Messages],
    keys: Mapping[str, str],
    endpoint: Endpoint,
    config: CallConfig,
    schema: ReplySchema,
    rows: RowStore | None,
) -> dict[str, ModelReply]:
    """The replies that a file has. What it has not is an error of its own, or in a batch asked for.

    Raises BatchPending if a batch has prompts without a reply.
    """
    recorded = batch.read_replies(endpoint.replies)
    out: dict[str, ModelReply] = {}
    missing: dict[str, Any] = {}
    for query, messages in prompts.items():
        name = f"{_prefix(endpoint, config)}-{keys[query]}"
        given = recorded.get(name, [])
        errors = [_reason(reply, schema, config) for reply in given]
        if "" in errors:
            out[query] = given[errors.index("")]
        elif endpoint.mode == BATCH and len(given) < (config.unreadable or 2):
            missing[name] = request_body(messages, endpoint.model, config, schema)
        else:
            out[query] = ModelReply(error=errors[-1] if errors else "no reply to this prompt was recorded")
    if rows is not None:
        _keep(rows, {keys[query]: reply for query, reply in out.items() if not reply.error}, endpoint, config)
    if missing:
        raise batch.write_requests(endpoint.replies, missing)
    return out


def _reason(reply: ModelReply, schema: ReplySchema, config: CallConfig) -> str:
    """Why a recorded reply is none; empty where it can be read."""
    if reply.error:
        return reply.error
    try:
        parse_reply(reply.text, schema)
    except Unparsable as error:
        return str(error)
    return ""


def _keep(
    rows: RowStore, replies: Mapping[str, ModelReply], endpoint: Endpoint, config: CallConfig
) -> Path | None:
    """Keep replies by the hashes of their prompts, and beside them what model gave them."""
    table = [asdict(reply) | {"prompt": key, "reply": reply.text} for key, reply in replies.items()]
    segment = rows.append(pa.Table.from_pylist(table, schema=_REPLIES))
    if segment and not (about := rows.folder / ABOUT).exists():
        facts = {"model": endpoint.model, "prefix": _prefix(endpoint, config)}
        about.write_text(json.dumps(facts), encoding="utf-8")
    return segment


def kept_replies(store: Path, model: str = "") -> Iterator[dict[str, Any]]:
    """All replies that are kept, or those of one model, as lines of a file; in the order of their names.

    Replies that were kept before 2026-11-28 do not say of what model they are, and are left out.
    """
    lines = {}
    for about in store.glob(f"*/rows/*/{ABOUT}"):
        facts = json.loads(about.read_text(encoding="utf-8"))
        if model in ("", facts["model"]):
            stage, space = about.parts[-4], about.parts[-2]
            rows = RowStore(store, stage, space, _REPLIES, "prompt")
            for row in rows.read(sorted(rows.keys())).to_pylist():
                reply = ModelReply(row["reply"], tokens_in=row["tokens_in"], tokens_out=row["tokens_out"])
                name = f"{facts['prefix']}-{row['prompt']}"
                lines[name] = batch.reply_line(name, reply, facts["model"])
    yield from (lines[name] for name in sorted(lines))


class FinalReplyError(Exception):
    """A reply that no parser could read, and that was the last to be asked for."""


class _Run:
    """The calls of one batch."""

    def __init__(
        self, endpoint: Endpoint, config: CallConfig, schema: ReplySchema, rows: RowStore | None
    ) -> None:
        from asyncio import Semaphore

        from aiolimiter import AsyncLimiter

        self.endpoint, self.config, self.schema, self.rows = endpoint, config, schema, rows
        self.slots = Semaphore(config.concurrency)
        self.limiter = AsyncLimiter(config.per_minute, 60) if config.per_minute else None
        self.segments: list[Path] = []
        self.calls = 0
        self.answered = False
        self.unreachable = ""

    async def all(
        self, prompts: Mapping[str, Messages], keys: Mapping[str, str], progress: Callable[[int], None]
    ) -> dict[str, ModelReply]:
        """Every reply, kept as it comes."""
        out: dict[str, ModelReply] = {}

        async def one(client: Any, query: str, messages: Messages) -> None:
            async with self.slots:
                out[query] = await self._reply(client, messages)
            if self.rows is not None and not out[query].error:
                # at once: a kill loses no reply
                segment = _keep(self.rows, {keys[query]: out[query]}, self.endpoint, self.config)
                self.segments += [segment] if segment else []
            progress(1)

        from asyncio import TaskGroup, timeout

        client = client_of(self.endpoint, self.config.timeout)
        async with client:
            try:
                async with timeout(self.config.max_seconds or None), TaskGroup() as group:
                    for query, messages in prompts.items():
                        group.create_task(one(client, query, messages))
            except TimeoutError:
                spent = f"{self.config.group}.max_seconds={self.config.max_seconds:g} were spent"
                out = dict.fromkeys(prompts, ModelReply(error=spent)) | out
            finally:
                if self.rows is not None and len(self.segments) > 1:
                    self.rows.compact({keys[query] for query in prompts}, self.segments)
        return out

    async def _reply(self, client: Any, messages: Messages) -> ModelReply:
        """The first reply that the parser can read, or the last error."""
        import openai
        from tenacity import AsyncRetrying, RetryError, retry_if_exception, stop_after_attempt
        from tenacity.wait import wait_random_exponential

        attempts = tokens_in = tokens_out = unreadable = 0
        grown = wait_random_exponential(multiplier=0.5, max=self.config.longest_wait)
        try:
            async for attempt in AsyncRetrying(
                stop=stop_after_attempt(self.config.attempts),
                wait=lambda state: max(grown(state), _wanted_wait(state)),
                retry=retry_if_exception(self._worth_another),
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
                    unreadable += 1
                    self._check(text, complete, final=unreadable == self.config.unreadable)
        except RetryError as error:
            last = error.last_attempt.exception()
            if isinstance(last, openai.APIConnectionError) and not self.answered:
                self.unreachable = self._line(last)
            return ModelReply("", self._line(last), attempts, tokens_in, tokens_out)
        except (openai.OpenAIError, ValueError, RecursionError, FinalReplyError) as error:
            return ModelReply("", self._line(error), attempts, tokens_in, tokens_out)
        return ModelReply(text, "", attempts, tokens_in, tokens_out)

    def _worth_another(self, error: BaseException) -> bool:
        """Whether another attempt may help, and the endpoint does not want a longer wait than is allowed."""
        return _passing(error) and _retry_after(error) <= self.config.longest_wait

    def _check(self, text: str, complete: bool, final: bool) -> None:
        """Raise Unparsable, with the likely cause, if the parser cannot read a reply.

        ``final``: it is the last that is tried.
        """
        try:
            parse_reply(text, self.schema)
            if not complete and isinstance(self.schema, PlainText):
                raise Unparsable("it has no end")  # half a text can be read, half an object cannot
        except Unparsable as error:
            if final:
                raise FinalReplyError(str(error)) from error
            if complete:
                raise
            limit = f"{self.config.group}.max_tokens={self.config.max_tokens}"
            raise Unparsable(f"the reply was cut off ({limit}, or the model's context): {error}") from error

    async def _call(self, client: Any, messages: Messages) -> tuple[str, int, int, bool]:
        """(text, tokens of the prompt, tokens of the reply, whether it came to its end) of one call."""
        from asyncio import timeout

        body = request_body(messages, self.endpoint.model, self.config, self.schema)
        async with self._paced(), timeout(self.config.timeout):
            done = await complete(client, self.endpoint, body)
        self.answered = True
        try:
            return read_completion(done)
        except (LookupError, TypeError, AttributeError) as error:
            raise Unparsable("the endpoint's reply holds no message") from error

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


def _passing(error: BaseException) -> bool:
    """Whether another attempt may help."""
    import openai

    if isinstance(error, openai.APIStatusError):
        if error.code == "insufficient_quota":
            return False
        return error.status_code in (408, 409, 425, 429) or error.status_code >= 500
    return isinstance(
        error, openai.APIConnectionError | openai.APIResponseValidationError | ValueError | TimeoutError
    )


def _wanted_wait(state: RetryCallState) -> float:
    return _retry_after(state.outcome.exception() if state.outcome else None)


def _retry_after(error: BaseException | None) -> float:
    """Seconds that the endpoint wants to be left alone; 0 where it does not say."""
    import openai

    value = error.response.headers.get("retry-after", "") if isinstance(error, openai.APIStatusError) else ""
    return float(value) if value.isdigit() else 0.0


def _first_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[0][:300]
