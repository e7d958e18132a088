"""Rewrites of the guide to LegalBench-RAG, by rules and by a model; ``online.rewrite`` finds them by name.

Rules read the complaint and what it found when it was searched as it is. A model is asked for sub-questions,
other wordings, one in place of the question, or a provision.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from types import MappingProxyType
from typing import Any

import numpy as np
from pydantic import field_validator

from citegrain.tasks.core.endpoint import ReplyModel
from citegrain.tasks.online.rewrite import (
    HINTED,
    MOST,
    Encode,
    Hint,
    Request,
    Rule,
    Weighted,
    cut,
    first_texts,
)

_END = re.compile(r"(?<=[.!?])\s+|\n|\.{2,}")
_SHORT, _LONG = 25, 40  # characters of a sentence that joins the one before; words of one that is cut
_LEAST = 4  # sentences of a complaint that may run several matters together
_FED, _FED_WEIGHT, _FED_CHARS = 3, 0.15, 400  # first hits that are fed back, and how much of each


def feedback(text: str, hints: Sequence[Hint], encode: Encode) -> list[Weighted]:
    """The complaint with a little of the passages that it found first (pseudo-relevance feedback)."""
    passages = [(hint.text[:_FED_CHARS], _FED_WEIGHT) for hint in hints[:_FED]]
    return [[(text, 1.0), *passages]] if passages else []


def expand(text: str, hints: Sequence[Hint], encode: Encode) -> list[Weighted]:
    """Three variants: with the headings of the first hits, with their lay texts, and both without it."""
    headings = "; ".join(hint.heading for hint in hints[:HINTED] if hint.heading)
    lay_texts = " ".join(hint.lay_text for hint in hints[:HINTED] if hint.lay_text)
    said = [(words, 0.5) for words in (headings, lay_texts) if words]
    return [*([(text, 1.0), one] for one in said), said] if said else []


def decompose(text: str, hints: Sequence[Hint], encode: Encode) -> list[Weighted]:
    """The matters of a long complaint: stretches of sentences that are alike, at most :data:`MOST`.

    Each is searched with half of the whole: what was told before says who and where.
    """
    said = sentences(text)
    if len(said) < _LEAST:
        return []
    from scipy.sparse import diags_array
    from sklearn.cluster import AgglomerativeClustering

    neighbours = diags_array([1.0, 1.0], offsets=[1, -1], shape=(len(said), len(said)))
    clusters = AgglomerativeClustering(min(MOST, len(said) // 2), connectivity=neighbours)
    labels = clusters.fit_predict(encode(said)).tolist()
    stretches = groupby(zip(labels, said, strict=True), key=lambda pair: pair[0])
    matters = (" ".join(sentence for _, sentence in stretch) for _, stretch in stretches)
    return [[(matter, 1.0), (text, 0.5)] for matter in matters]


def sentences(text: str) -> list[str]:
    """Sentences of a text as people type it: short ones join the one before, run-on ones are cut."""
    out: list[str] = []
    for sentence in filter(None, map(str.strip, _END.split(text))):
        if out and len(sentence) < _SHORT:
            out[-1] += f" {sentence}"
        else:
            words = sentence.split()
            parts = max(1, round(len(words) / _LONG))
            out += [" ".join(part) for part in np.array_split(words, parts)]
    return out


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

REWRITES: Mapping[str, Request | Rule] = MappingProxyType(
    {
        "decompose": decompose,
        "expand": expand,
        "feedback": feedback,
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
