"""How a language model is called: what shapes its reply, and what a run may spend on it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict

from citegrain.tasks.core.errors import Expected

RESPONSE_FORMATS = ("text", "json_object", "json_schema", "json_object_schema")
Messages = list[dict[str, str]]
LIVE, BATCH, RECORDED = MODES = ("live", "batch", "recorded")
OPENAI, OLLAMA, AZURE = BACKENDS = ("openai", "ollama", "azure")
_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


class EndpointError(RuntimeError, Expected):
    """The endpoint is missing or cannot be used; the message says what is missing."""


@dataclass(frozen=True)
class Endpoint:
    """Where a model is, or where its replies are.

    The key is never shown: not in a repr, not in an error, not in an artefact.

    Attributes
    ----------
    setting
        The setting that asks for it, such as ``generate=llm``.
    mode
        ``live`` asks the model; ``batch`` writes what would be asked to a file, and reads the replies from
        another; ``recorded`` reads replies that were recorded, and asks nobody.
    replies
        The file of the replies, in the Batch format of OpenAI's API; of ``batch`` the requests stand in
        ``requests.jsonl`` of the same folder.
    price_in, price_out
        Of a million tokens of prompts and of replies, in any currency.
    backend
        Whose requests it takes: ``openai`` and whoever is compatible, ``ollama`` its own, which know
        ``num_ctx``, ``azure`` of an ``api_version``, with the deployment in the path.
    second
        What is asked where this one fails or has no quota left.
    variables
        How the variables of the environment begin that give its address, name and key, for messages.

    Raises EndpointError if something is missing.
    """

    base_url: str
    model: str
    key: str = field(default="", repr=False)
    setting: str = "a language model"
    mode: str = LIVE
    replies: Path = Path()
    price_in: float = 0.0
    price_out: float = 0.0
    backend: str = OPENAI
    api_version: str = ""
    second: Endpoint | None = None
    variables: str = "CITEGRAIN_LLM"

    def __post_init__(self) -> None:
        if self.mode != LIVE:
            if not self.model:
                raise EndpointError(f"endpoint={self.mode} needs the model's name: add endpoint.model=NAME")
            return
        if not self.base_url or not self.model:
            names = f"{self.variables}_BASE_URL and {self.variables}_MODEL"
            raise EndpointError(f"{self.setting} needs an endpoint: set {names}")
        if not self.key and not self.is_local:
            raise EndpointError(f"{self.setting} needs a key for this endpoint: set {self.variables}_KEY")

    @property
    def identity(self) -> list[str]:
        """What tells models apart whose replies may differ: where it is, if it is asked, and its name."""
        second = self.second.identity if self.second else []
        return [self.base_url if self.mode == LIVE else "", self.model, *second]

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine."""
        return urlsplit(self.base_url).hostname in _LOOPBACK

    def price(self, tokens_in: float, tokens_out: float) -> float:
        """What so many tokens cost."""
        return (tokens_in * self.price_in + tokens_out * self.price_out) / 1_000_000

    def hide(self, text: str) -> str:
        """``text`` without the key."""
        return text.replace(self.key, "***") if self.key else text


@dataclass
class Usage:
    """Tokens of prompts and of replies, whether a model was asked now or its replies were there.

    ``scored_tokens``: those of ``tokens_in`` that encoders and rerankers behind an API read now, and ``cost``
    what these took. ``questions``: tokens of prompts and of replies by question. ``errors``: why a prompt
    got no reply, one each.
    """

    tokens_in: int = 0
    tokens_out: int = 0
    scored_tokens: int = 0
    cost: float = 0.0
    questions: dict[str, tuple[int, int]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)


_METERS: ContextVar[tuple[Usage, ...]] = ContextVar("meters", default=())


@contextmanager
def metered() -> Iterator[Usage]:
    """Count the tokens of all replies that are given within, in this thread."""
    usage = Usage()
    token = _METERS.set((*_METERS.get(), usage))
    try:
        yield usage
    finally:
        _METERS.reset(token)


def count(
    questions: Mapping[str, tuple[int, int]], errors: Sequence[str], scored: int = 0, cost: float = 0.0
) -> None:
    """Add to every meter that runs: tokens of prompts and of replies by question, what an encoder read."""
    for usage in _METERS.get():
        for question, (sent, received) in questions.items():
            before = usage.questions.get(question, (0, 0))
            usage.questions[question] = (before[0] + sent, before[1] + received)
            usage.tokens_in += sent
            usage.tokens_out += received
        usage.errors += errors
        usage.tokens_in += scored
        usage.scored_tokens += scored
        usage.cost += cost


def messages_of(instruction: str, data: Mapping[str, Any], indent: int | None = None) -> Messages:
    """A prompt: what is to be done, and beside it the data as JSON.

    Every text that is not ours is a JSON string, so that nothing in it can pass for our own words.
    """
    shown = json.dumps(data, ensure_ascii=False, indent=indent)
    return [{"role": "system", "content": instruction}, {"role": "user", "content": shown}]


@dataclass(frozen=True, kw_only=True)
class CallLimits:
    """What calls may take, wherever an endpoint is called.

    Attributes
    ----------
    concurrency, per_minute
        Calls at once, and at most in a minute (0: no limit).
    timeout
        Seconds after which a call is given up, answered or not.
    attempts
        Calls for one reply; between them the wait grows exponentially, with jitter, or is as long as the
        endpoint's ``Retry-After`` says.
    longest_wait
        Most seconds between two attempts; a call is given up where the endpoint wants a longer wait.
    max_calls, max_seconds
        What all calls that are made together may take; 0: no limit.
    """

    group: ClassVar[str] = ""
    """What stands before its keys in a message."""

    concurrency: int = 4
    per_minute: int = 0
    timeout: float = 120.0
    attempts: int = 5
    longest_wait: float = 60.0
    max_calls: int = 0
    max_seconds: float = 0.0

    def __post_init__(self) -> None:
        if min(self.concurrency, self.attempts) < 1:
            raise ValueError(f"{self.group}: concurrency and attempts must be positive")
        if min(self.per_minute, self.longest_wait, self.max_calls, self.max_seconds) < 0:
            raise ValueError(f"{self.group}: limits must not be negative")
        if self.timeout <= 0:
            raise ValueError(f"{self.group}.timeout must be positive")


@dataclass(frozen=True, kw_only=True)
class CallConfig(CallLimits):
    """How a language model is called; a group of settings that asks one adds its own.

    Attributes
    ----------
    temperature, max_tokens
        Of the model's reply.
    response_format
        What the endpoint is asked to hold the reply to: ``text`` nothing; ``json_object`` any JSON object;
        ``json_schema`` the schema of the reply; ``json_object_schema`` the same in another form, which a few
        servers (llama-cpp-python) take. Which of them an endpoint knows, its makers say.
    top_p, top_k
        How the next word is drawn; 0: as the endpoint does it unless told otherwise.
    seed
        Of drawing; None: none is sent.
    num_ctx
        Tokens of the window of the model, of ``endpoint.backend=ollama``; 0: the model's.
    """

    unreadable: ClassVar[int] = 0
    """Replies to one prompt that may break the schema before it is given up; 0: as many as ``attempts``."""

    temperature: float = 0.0
    max_tokens: int = 8192
    response_format: str = "text"
    top_p: float = 0.0
    top_k: int = 0
    num_ctx: int = 0
    seed: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.response_format not in RESPONSE_FORMATS:
            raise ValueError(
                f"{self.group}.response_format={self.response_format}: one of {', '.join(RESPONSE_FORMATS)}"
            )
        if self.max_tokens < 1 or self.temperature < 0:
            raise ValueError(f"{self.group}: max_tokens must be positive, temperature not negative")
        if not 0 <= self.top_p <= 1 or min(self.top_k, self.num_ctx, self.seed or 0) < 0:
            raise ValueError(
                f"{self.group}: top_p must lie in 0 to 1; top_k, num_ctx, seed must not be negative"
            )

    @property
    def asks(self) -> str:
        """The setting by which a model is asked; empty where none is."""
        return ""

    def without_model(self) -> Self:
        """The same as far as no model is asked."""
        return type(self)()

    @property
    def sampling(self) -> dict[str, Any]:
        """How words are drawn, and from how much, as far as it is set."""
        names = ("top_p", "top_k", "num_ctx")
        drawn = {name: value for name in names if (value := getattr(self, name))}
        return drawn if self.seed is None else drawn | {"seed": self.seed}

    def of_reply(self) -> dict[str, Any]:
        """What shapes a reply; how often and how fast a model is called does not."""
        names = ("temperature", "max_tokens", "response_format")
        return {name: getattr(self, name) for name in names} | self.sampling


class ReplySchema(Protocol):
    """What a reply must be."""

    def conform(self, value: Any) -> dict[str, Any]:
        """A reply, validated; nothing else is kept. Raises ValueError if it does not fit."""
        ...

    def json_schema(self) -> Mapping[str, Any]:
        """The shape as a JSON Schema."""
        ...


class ReplyModel(BaseModel):
    """A reply of which every field is known beforehand: a subclass is its own schema."""

    model_config = ConfigDict(strict=True, extra="forbid")

    @classmethod
    def conform(cls, value: Any) -> dict[str, Any]:
        """A reply, validated."""
        return cls.model_validate(value).model_dump()

    @classmethod
    def json_schema(cls) -> Mapping[str, Any]:
        """The shape as a JSON Schema."""
        return cls.model_json_schema()


class PlainText:
    """A reply in words: anything but nothing. What a model thinks aloud before it is left out."""

    def conform(self, value: Any) -> dict[str, Any]:
        """``{"text": ...}``. Raises ValueError if there is none."""
        text = _THOUGHTS.sub("", str(value)).strip()
        if not text:
            raise ValueError("the reply is empty")
        return {"text": text}

    def json_schema(self) -> Mapping[str, Any]:
        """Words have no shape."""
        return {}
