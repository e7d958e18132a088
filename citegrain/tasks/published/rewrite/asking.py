"""Rewrites by a language model: sub-questions, other wordings, one in place of the question, a provision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from pydantic import field_validator

from citegrain.tasks.core.endpoint import ReplyModel
from citegrain.tasks.online.rewrite import Request, cut, first_texts


class Texts(ReplyModel):
    """Texts to search; of those that say something the first three, each once."""

    texts: list[str]

    @field_validator("texts")
    @classmethod
    def _first(cls, texts: list[str]) -> list[str]:
        return first_texts(texts, "text")


class SingleText(ReplyModel):
    """One text to search: a wording, or a passage of a statute as it might be."""

    text: str

    @field_validator("text")
    @classmethod
    def _said(cls, text: str) -> str:
        if not text.strip():
            raise ValueError("it has no text")
        return cut(text)


def _texts(reply: Mapping[str, Any]) -> list[str]:
    return list(reply["texts"])


def _single(reply: Mapping[str, Any]) -> list[str]:
    return [str(reply["text"])]


_DECOMPOSED = Request(
    "Break it down into one to three simpler questions, one for each legal matter in it. Each must "
    "be understood without the others.",
    '{"texts": ["a question", "another question"]}',
    Texts,
    _texts,
    shortest=20,
)

REQUESTS: Mapping[str, Request] = MappingProxyType(
    {
        "decompose_llm": _DECOMPOSED,
        "decompose_document": replace(_DECOMPOSED, collection="legal documents", about="question"),
        "expand_llm": Request(
            "Word it in three other ways, each with the same meaning in other words: one in the words of "
            "statutes, one as a short question, one as a list of key terms.",
            '{"texts": ["one wording", "a second one", "a third one"]}',
            Texts,
            _texts,
        ),
        "hyde": Request(
            "Write one passage of 150 to 200 words as it might stand in the statute that answers it: "
            "general, without names of persons, in the words of statutes.",
            '{"text": "the passage"}',
            SingleText,
            _single,
        ),
        "hyde_document": Request(
            "Write one detailed, factual paragraph of 150 to 200 words that would answer it perfectly, as if "
            "it were taken from an actual legal document.",
            '{"text": "the paragraph"}',
            SingleText,
            _single,
            collection="legal documents",
            about="question",
        ),
        "reword_llm": Request(
            "Word it as one question that can be understood by itself, in the words of statutes. Keep every "
            "number of a section or rule, every Act, State, date and sum as it stands, and add none.",
            '{"text": "the question"}',
            SingleText,
            _single,
        ),
    }
)
"""By the name of the rewrite; ``hyde``: Gao and others 2023, as a statute has it or any document (the guide);
``reword_llm``: CivicSetu 4."""
