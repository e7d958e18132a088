"""An answer in words that cites numbered contexts, by a language model; where it gives none, by extracts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from citegrain.tasks.core.endpoint import Messages, messages_of
from citegrain.tasks.online.generate.config import TEMPLATES, GenerateConfig
from citegrain.tasks.online.hits import Hit

if TYPE_CHECKING:
    from jinja2 import Environment

NOT_FOUND = "The provisions given do not answer this question."
"""What a model is to say, and nothing else, where they do not."""
EXTRACTIVE = "extractive: no answer from the model"
"""Note of an answer in which sentences of the provisions stand for the model's."""
REFUSED = "extractive: the provisions do not bear out what the model answered"
"""Note of an answer that the validator refused."""
CITATION = re.compile(
    r"\[\s*(?:(?:passages?|contexts?|sources?|refs?)\s*)?(\d{1,3}(?:\s*(?:[,;&–-]|and)\s*\d{1,3})*)\s*\]"
)
"""Numbers of contexts as an answer cites them."""
_RANGE = re.compile(r"(\d+)(?:\s*[–-]\s*(\d+))?")
_WORTH = {"supported": 1.0, "partly": 0.5, "not": 0.0, "contradicted": 0.0}
_ENOUGH = 0.5
_EXTRACTS = 3  # provisions of which sentences stand for a model's
_AGAIN = (
    "Your answer cites no context by a number of the list. Give it once more, with [n] behind each statement."
)


@dataclass(frozen=True)
class Support:
    """What a judge says of an answer: its claims, each with ``text``, ``verdict`` and ``message``."""

    claims: list[dict[str, str]] = field(default_factory=list)

    @property
    def score(self) -> float:
        """How much of the claims is supported, 0 to 1; of an answer that claims nothing one half."""
        worth = [_WORTH[claim["verdict"]] for claim in self.claims]
        return sum(worth) / len(worth) if worth else _ENOUGH

    @property
    def enough(self) -> bool:
        """Whether it may be given as it is: no claim is unsupported, and nothing speaks against one."""
        wrong = any(claim["message"] or not _WORTH[claim["verdict"]] for claim in self.claims)
        return self.score >= _ENOUGH and not wrong


@dataclass(frozen=True)
class Context:
    """A numbered passage that a model is shown; ``text`` within the budget of words."""

    number: int
    hit: Hit
    text: str

    @property
    def file(self) -> str:
        """Name of the document's file."""
        return self.hit.link.partition("#")[0]

    @property
    def source(self) -> str:
        """Law, section: heading, file, page, version, as far as they are there."""
        hit = self.hit
        place = f"page {hit.page}" if hit.page else ""
        version = f"version {hit.version}" if hit.version else ""
        law = f"{hit.law}: {hit.heading}" if hit.heading else hit.law
        return f"[{self.number}] " + ", ".join(filter(None, (law, self.file, place, version)))

    @property
    def reference(self) -> dict[str, Any]:
        """As an answer lists it."""
        names = ("law", "heading", "provision_id", "page", "version", "link", "chunk_id")
        return {"number": self.number, "file": self.file} | {name: getattr(self.hit, name) for name in names}


@dataclass(frozen=True)
class Surroundings:
    """What a model is shown of a question beside its contexts: never a source.

    ``landmarks``: names of judgments that the graph suggests. ``unresolved``: parts of the question for which
    nothing that fits was found. ``documents``: what documents are about, by act_id.
    """

    type: str = ""
    landmarks: Sequence[str] = ()
    unresolved: Sequence[str] = ()
    documents: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


def contexts_of(hits: Sequence[Hit], words: int) -> list[Context]:
    """The hits as numbered contexts, in their order, until the budget of words is spent; the last is cut.

    The text is the whole of which a chunk is a part, where it has one. None is given twice. Its lines are
    joined: a recorded reply finds its prompt by every character, and the parser says where lines end.
    """
    out: list[Context] = []
    texts: set[str] = set()
    for hit in hits:
        text = hit.parent_text or hit.text
        if text in texts or words < 1:
            continue
        texts.add(text)
        split = text.split()
        given = " ".join(split[:words]) + " …" * (len(split) > words)
        out.append(Context(len(out) + 1, hit, given))
        words -= len(split)
    return out


def prose_messages(
    question: str, contexts: Sequence[Context], config: GenerateConfig, more: Surroundings
) -> Messages:
    """Messages for a chat model: the template as our own words, everything else as data."""
    data: dict[str, Any] = {
        "question": question,
        "contexts": [{"number": c.number, "source": c.source, "text": c.text} for c in contexts],
    }
    acts = dict.fromkeys(c.hit.act for c in contexts)
    documents = [{"document": act, "summary": more.documents[act]} for act in acts if act in more.documents]
    besides = {"landmarks": list(more.landmarks), "documents": documents, "unresolved": list(more.unresolved)}
    instruction = (
        _templates()
        .get_template(f"{TEMPLATES[config.template_id - 1]}.j2")
        .render(**besides, type=more.type, open_knowledge=config.open_knowledge, not_found=NOT_FOUND)
    )
    return messages_of(instruction, data | {name: value for name, value in besides.items() if value}, 1)


@cache
def _templates() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(  # noqa: S701 - a prompt is no HTML
        loader=PackageLoader("citegrain", "data/prompts"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def cited_numbers(text: str) -> list[int]:
    """Numbers in square brackets of a text, in order, each once: ``[1, 2]``, ``[1-3]``, ``[context 1]``."""
    ends = (pair for brackets in CITATION.findall(text) for pair in _RANGE.findall(brackets))
    runs = (range(int(a), min(int(b or a), int(a) + 50) + 1) for a, b in ends)
    return list(dict.fromkeys(chain.from_iterable(runs)))


def references_of(text: str, contexts: Sequence[Context]) -> list[dict[str, Any]]:
    """The contexts that a text cites, by number."""
    cited = set(cited_numbers(text))
    return [context.reference for context in contexts if context.number in cited]


def says_nothing_fits(text: str) -> bool:
    """Whether a reply is that the contexts do not answer the question."""
    return NOT_FOUND[:-1].casefold() in text.casefold() and not cited_numbers(text)


def lacks_citations(text: str, contexts: Sequence[Context]) -> bool:
    """Whether a reply that claims something cites no context that was given."""
    return not says_nothing_fits(text) and not references_of(text, contexts)


def once_more(messages: Messages, reply: str) -> Messages:
    """A prompt, the reply that it was given, and that its citations are missing."""
    return [*messages, {"role": "assistant", "content": reply}, {"role": "user", "content": _AGAIN}]


def extracts(contexts: Sequence[Context]) -> str:
    """The sentences of the first contexts that meet the question best, a line each, cited."""
    best = [context for context in contexts if context.hit.evidence][:_EXTRACTS]
    return "\n".join(f"{context.hit.evidence} [{context.number}]" for context in best)
