"""Replies of a model: from the store, from a file of recorded ones, or by calls with limits and retries."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.endpoint import batch
from citegrain.tasks.core.endpoint.batch import ModelReply
from citegrain.tasks.core.endpoint.calling import (
    Caller,
    FinalReplyError,
    complete,
    read_completion,
    request_body,
)
from citegrain.tasks.core.endpoint.config import (
    BATCH,
    LIVE,
    RECORDED,
    CallConfig,
    Endpoint,
    Messages,
    PlainText,
    ReplySchema,
    count,
)
from citegrain.tasks.core.endpoint.parser import Shown, Unparsable, alike, keep_lists, parse_reply
from citegrain.tasks.core.personal import Masks
from citegrain.tasks.core.stage import digest
from citegrain.tasks.core.store import RowStore

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
    shown: Mapping[str, Shown] = MappingProxyType({}),
) -> dict[str, ModelReply]:
    """A reply for each prompt, by its id. None is lost: what fails carries its error.

    What the first model does not answer the second is asked, where the endpoint has one. What is personal in
    a prompt leaves masked, is kept masked, and stands in the reply again.

    ``rows``: kept replies: read first, and added to as replies come in, so that a run that is stopped goes on
    from there. Only replies that the parser can read are kept.

    ``shown``: what prompts show, by their ids. A recorded reply to nearly the same stands where there is none
    to a prompt; its ``items`` say what it is about.
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
        out |= _recorded(todo, keys, endpoint, config, schema, rows, shown)
        progress(len(todo))
    elif todo:
        import asyncio  # who asks no model need not wait for it

        run = _Run(endpoint, config, schema, rows)
        out |= asyncio.run(run.all(todo, keys, progress))
    failed = {query: messages for query, messages in prompts.items() if out[query].error}
    used = {query: (reply.tokens_in, reply.tokens_out) for query, reply in out.items()}
    count(used, [] if endpoint.second else [out[query].error for query in failed])
    if endpoint.second and failed:
        stage = rows.name.partition("/")[0] if rows else ""
        others = reply_rows(rows.root, stage, endpoint.second, config) if rows else None
        for query, reply in ask_model(failed, endpoint.second, config, schema, others).items():
            error = f"{out[query].error}; the second model: {reply.error}" if reply.error else ""
            out[query] = replace(reply.after(out[query]), error=error)
    if rows is not None and shown:
        exact = (query for query, reply in out.items() if not (reply.error or reply.items))
        keep_lists(rows.root, {f"{_prefix(endpoint, config)}-{keys[query]}": shown[query] for query in exact})
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
    shown: Mapping[str, Shown],
) -> dict[str, ModelReply]:
    """The replies of a file; what it has not is an error, or in a batch asked for. Raises BatchPending."""
    recorded = batch.read_replies(endpoint.replies)
    prefix = _prefix(endpoint, config)
    out: dict[str, ModelReply] = {}
    missing: dict[str, Any] = {}
    for query, messages in prompts.items():
        name = f"{prefix}-{keys[query]}"
        given = recorded.get(name, [])
        errors = [_reason(reply, schema, config) for reply in given]
        if "" in errors:
            out[query] = given[errors.index("")]
        elif endpoint.mode == BATCH and len(given) < (config.unreadable or 2):
            missing[name] = request_body(messages, endpoint.model, config, schema)
        else:
            out[query] = ModelReply(error=errors[-1] if errors else "no reply to this prompt was recorded")
            about_it = shown.get(query) if endpoint.mode == RECORDED else None
            for other, about in alike(endpoint.replies, about_it) if about_it else ():
                good = (r for r in recorded.get(other, []) if not _reason(r, schema, config))
                if other.startswith(prefix) and (reply := next(good, None)):
                    out[query] = replace(reply, items=about.items)
                    break
    if rows is not None:
        exact = {keys[query]: reply for query, reply in out.items() if not (reply.error or reply.items)}
        _keep(rows, exact, endpoint, config)
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


class _Run:
    """The calls of one batch of prompts."""

    def __init__(
        self, endpoint: Endpoint, config: CallConfig, schema: ReplySchema, rows: RowStore | None
    ) -> None:
        self.caller = Caller(endpoint, config)
        self.endpoint, self.config, self.schema, self.rows = endpoint, config, schema, rows
        self.segments: list[Path] = []

    async def all(
        self, prompts: Mapping[str, Messages], keys: Mapping[str, str], progress: Callable[[int], None]
    ) -> dict[str, ModelReply]:
        """Every reply, kept as it comes."""
        out: dict[str, ModelReply] = {}

        async def one(client: Any, query: str) -> None:
            out[query] = await self._reply(client, prompts[query])
            if self.rows is not None and not out[query].error:
                # at once: a kill loses no reply
                segment = _keep(self.rows, {keys[query]: out[query]}, self.endpoint, self.config)
                self.segments += [segment] if segment else []
            progress(1)

        try:
            spent = await self.caller.all(list(prompts), one)
        finally:
            if self.rows is not None and len(self.segments) > 1:
                self.rows.compact({keys[query] for query in prompts}, self.segments)
        return dict.fromkeys(prompts, ModelReply(error=spent)) | out

    async def _reply(self, client: Any, messages: Messages) -> ModelReply:
        """The first reply that the parser can read, or the last error."""
        state = ModelReply()
        unreadable = 0

        async def once() -> None:
            nonlocal state, unreadable
            state = replace(state, attempts=state.attempts + 1)
            text, used_in, used_out, complete = await self._call(client, messages)
            spent = ModelReply(text, "", 0, used_in, used_out)
            state = spent.after(state)
            unreadable += 1
            self._check(text, complete, final=unreadable == self.config.unreadable)

        error = await self.caller.tried(once)
        return replace(state, text="", error=error) if error else state

    def _check(self, text: str, complete: bool, final: bool) -> None:
        """Raise Unparsable, with the likely cause, if a reply cannot be read; of the last FinalReplyError."""
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
        body = request_body(messages, self.endpoint.model, self.config, self.schema)
        done = await self.caller.sent(partial(complete, client, self.endpoint, body))
        try:
            return read_completion(done)
        except (LookupError, TypeError, AttributeError) as error:
            raise Unparsable("the endpoint's reply holds no message") from error
