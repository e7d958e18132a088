"""Parameters of ``generate``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

KINDS = ("extractive", "llm")
RESPONSE_FORMATS = ("text", "json_object", "json_schema", "json_object_schema")


@dataclass(frozen=True)
class GenerateConfig:
    """How an answer is made of the selected provisions.

    Attributes
    ----------
    kind
        ``extractive`` gives the provisions as charges, ``llm`` asks a model.
    temperature, max_tokens
        Of the model's reply.
    response_format
        What the endpoint is asked to hold the reply to: ``text`` nothing; ``json_object`` any JSON object;
        ``json_schema`` the schema of an answer; ``json_object_schema`` the same in another form, which a few
        servers (llama-cpp-python) take. Which of them an endpoint knows, its makers say.
    context_chars
        Characters of each provision that the model is given.
    concurrency, per_minute
        Calls at once, and at most in a minute (0: no limit).
    timeout
        Seconds after which a call is given up, answered or not.
    attempts
        Calls for one query; between them the wait grows exponentially, with jitter.
    longest_wait
        Most seconds between two attempts.
    price_in, price_out
        Price of a million tokens of prompt and reply, to count the cost; 0 where unknown.
    """

    kind: str = "extractive"
    temperature: float = 0.0
    max_tokens: int = 8192
    response_format: str = "text"
    context_chars: int = 2000
    concurrency: int = 4
    per_minute: int = 0
    timeout: float = 120.0
    attempts: int = 5
    longest_wait: float = 60.0
    price_in: float = 0.0
    price_out: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"generate.kind={self.kind}: one of {', '.join(KINDS)}")
        if self.response_format not in RESPONSE_FORMATS:
            raise ValueError(
                f"generate.response_format={self.response_format}: one of {', '.join(RESPONSE_FORMATS)}"
            )
        if min(self.max_tokens, self.context_chars, self.concurrency, self.attempts) < 1:
            raise ValueError("generate: max_tokens, context_chars, concurrency, attempts must be positive")
        if min(self.per_minute, self.longest_wait, self.price_in, self.price_out, self.temperature) < 0:
            raise ValueError("generate: limits, prices and temperature must not be negative")
        if self.timeout <= 0:
            raise ValueError("generate.timeout must be positive")

    def parameters(self) -> dict[str, Any]:
        """The parameters that shape an answer; how a model is called does not."""
        of_model = ("temperature", "max_tokens", "response_format", "context_chars", "price_in", "price_out")
        return {name: getattr(self, name) for name in ("kind", *(of_model if self.kind == "llm" else ()))}
