"""Calls to an endpoint, by OpenAI's format, Ollama's or Azure's: limits, further tries, errors in words."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from citegrain.tasks.core.endpoint.config import (
    AZURE,
    OLLAMA,
    CallConfig,
    CallLimits,
    Endpoint,
    Messages,
    ReplySchema,
)

if TYPE_CHECKING:
    pass


_OLLAMA = {"max_tokens": "num_predict"}
"""Names of Ollama's options where they are not those of OpenAI."""


def client_of(endpoint: Endpoint, timeout: float) -> Any:
    """A client of ``openai``, which also sends what Ollama and Azure want; seconds for a call."""
    import openai

    shared = {
        "api_key": endpoint.key or "none",
        "max_retries": 0,
        "timeout": timeout,
        # what is for this machine goes through no proxy, whatever the environment says
        "http_client": openai.DefaultAsyncHttpxClient(trust_env=False) if endpoint.is_local else None,
    }
    url = endpoint.base_url.rstrip("/")
    if endpoint.backend == AZURE:
        deployed = {"azure_endpoint": url, "azure_deployment": endpoint.model}
        return openai.AsyncAzureOpenAI(**deployed, api_version=endpoint.api_version, **shared)
    return openai.AsyncOpenAI(
        base_url=url.removesuffix("/v1") if endpoint.backend == OLLAMA else endpoint.base_url, **shared
    )


def request_body(messages: Messages, model: str, config: CallConfig, schema: ReplySchema) -> dict[str, Any]:
    """What a call sends, in OpenAI's format: the same live and in a batch."""
    return {
        "model": model,
        "messages": messages,
        "temperature": config.temperature,
        "max_tokens": config.max_tokens,
        **config.sampling,
        **_response_format(config.response_format, schema),
    }


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


async def complete(client: Any, endpoint: Endpoint, body: Mapping[str, Any]) -> Any:
    """Send a request; what the endpoint replied, in OpenAI's shape or in Ollama's."""
    if endpoint.backend == OLLAMA:
        return await client.post("/api/chat", body=_for_ollama(body), cast_to=object)
    plain = {name: value for name, value in body.items() if name not in ("top_k", "num_ctx")}
    # the library does not know it, many servers do
    extra = {"top_k": body["top_k"]} if "top_k" in body else None
    return await client.chat.completions.create(**plain, extra_body=extra)


def _for_ollama(body: Mapping[str, Any]) -> dict[str, Any]:
    rest = dict(body)
    request = {"model": rest.pop("model"), "messages": rest.pop("messages"), "stream": False}
    if wanted := rest.pop("response_format", None):
        shape = wanted.get("schema") or wanted.get("json_schema", {}).get("schema")
        request["format"] = shape or "json"
    return request | {"options": {_OLLAMA.get(name, name): value for name, value in rest.items()}}


def read_completion(reply: Any) -> tuple[str, int, int, bool]:
    """(text, tokens of the prompt, tokens of the reply, whether it came to its end) of a reply.

    Raises LookupError, TypeError, AttributeError or ValueError where it has another shape.
    """
    if isinstance(reply, Mapping):
        text, end = reply["message"]["content"], reply.get("done_reason")
        used = reply.get("prompt_eval_count"), reply.get("eval_count")
    else:
        usage, choice = getattr(reply, "usage", None), reply.choices[0]
        text, end = choice.message.content, getattr(choice, "finish_reason", None)
        used = getattr(usage, "prompt_tokens", 0), getattr(usage, "completion_tokens", 0)
    return str(text or ""), int(used[0] or 0), int(used[1] or 0), end != "length"


_T = TypeVar("_T")


class FinalReplyError(Exception):
    """A reply that nothing could read, and that was the last to be asked for."""


class Caller:
    """The calls that are made together, by one set of limits."""

    def __init__(self, endpoint: Endpoint, limits: CallLimits) -> None:
        from asyncio import Semaphore

        from aiolimiter import AsyncLimiter

        self.endpoint, self.limits = endpoint, limits
        self.slots = Semaphore(limits.concurrency)
        self.limiter = AsyncLimiter(limits.per_minute, 60) if limits.per_minute else None
        self.calls = 0
        self.answered = False
        self.unreachable = ""

    async def all(self, items: Sequence[_T], one: Callable[[Any, _T], Awaitable[None]]) -> str:
        """Do ``one``, which gets a client, for each item; why some were left out, else nothing."""
        from asyncio import TaskGroup, timeout

        async def in_turn(client: Any, item: _T) -> None:
            async with self.slots:
                await one(client, item)

        async with client_of(self.endpoint, self.limits.timeout) as client:
            try:
                async with timeout(self.limits.max_seconds or None), TaskGroup() as group:
                    for item in items:
                        group.create_task(in_turn(client, item))
            except TimeoutError:
                return f"{self.limits.group}.max_seconds={self.limits.max_seconds:g} were spent"
        return ""

    async def sent(self, call: Callable[[], Awaitable[_T]]) -> _T:
        """What the endpoint replies to one call, which waits for its turn."""
        from asyncio import timeout

        if self.limiter is not None:
            await self.limiter.acquire()
        async with timeout(self.limits.timeout):
            done = await call()
        self.answered = True
        return done

    async def tried(self, call: Callable[[], Awaitable[None]]) -> str:
        """Call until it raises nothing, or no attempt is left: the last error on one line, or nothing."""
        import openai
        from tenacity import AsyncRetrying, RetryError, retry_if_exception, stop_after_attempt
        from tenacity.wait import wait_random_exponential

        most = self.limits.longest_wait
        grown = wait_random_exponential(multiplier=0.5, max=most)
        try:
            async for attempt in AsyncRetrying(
                stop=stop_after_attempt(self.limits.attempts),
                wait=lambda state: max(
                    grown(state), _retry_after(state.outcome.exception() if state.outcome else None)
                ),
                retry=retry_if_exception(lambda error: _passing(error) and _retry_after(error) <= most),
            ):
                with attempt:
                    if self.unreachable:
                        return self.unreachable
                    if self.calls >= (self.limits.max_calls or math.inf):
                        return f"{self.limits.group}.max_calls={self.limits.max_calls} were spent"
                    self.calls += 1
                    await call()
        except RetryError as error:
            last = error.last_attempt.exception()
            if isinstance(last, openai.APIConnectionError) and not self.answered:
                self.unreachable = self._line(last)
            return self._line(last)
        except (openai.OpenAIError, ValueError, RecursionError, FinalReplyError) as error:
            return self._line(error)
        return ""

    def _line(self, error: BaseException | None) -> str:
        """An error on one line, without the key."""
        import openai

        if isinstance(error, TimeoutError | openai.APITimeoutError):
            return f"no reply within {self.limits.group}.timeout={self.limits.timeout:g} s"
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


def _retry_after(error: BaseException | None) -> float:
    """Seconds that the endpoint wants to be left alone; 0 where it does not say."""
    import openai

    value = error.response.headers.get("retry-after", "") if isinstance(error, openai.APIStatusError) else ""
    return float(value) if value.isdigit() else 0.0


def _first_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[0][:300]
