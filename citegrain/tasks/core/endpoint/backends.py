"""What is sent to a language model, and how its reply is read: by OpenAI's format, Ollama's or Azure's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citegrain.tasks.core.endpoint.config import AZURE, OLLAMA, CallConfig, Endpoint, Messages, ReplySchema

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
