"""Parameters of ``generate``, and the schema of its answers: a corpus names their roles and attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, create_model

from citegrain.tasks.core.endpoint import CallConfig

_PROMPT, _PROSE_PROMPT = 2, 2  # raised where another prompt may give another answer
EXTRACTS, LLM, PROSE = KINDS = ("extractive", "llm", "prose")
TEMPLATES = ("detailed", "minimal", "steps", "strict", "conversational")
"""Ways to ask for an answer in prose, as files of ``data/prompts``; each also goes by its number, from 1."""


@dataclass(frozen=True)
class GenerateConfig(CallConfig):
    """How an answer is made of the selected provisions; how a model is called, ``CallConfig`` says.

    Attributes
    ----------
    kind
        ``extractive`` gives the provisions as charges, ``llm`` asks a model for them, ``prose`` gives them
        and asks a model for an answer in words that cites them.
    context_chars, words
        Of each provision that a model is given for charges; of all together for an answer in prose.
    landmarks
        Judgments that ``ask`` suggests beside the provisions, at most; it then also says of which judgments
        another says that they were overruled. 0 for neither. A model that answers in prose is shown them.
    template
        What it is asked for: one of :data:`TEMPLATES`, or its number.
    open_knowledge
        Whether it may add what no provision says, marked as that.
    validate
        Who holds an answer in prose against the provisions: ``rules``, the ``model``, or ``none``. One that
        they do not bear out is asked for again from other provisions, twice at most.
    refuse_below
        Support, 0 to 1, below which such an answer is not given, and extracts stand instead.
    danger
        What ``ask`` says first to a question that speaks of danger to a person; empty for nothing.
    """

    group: ClassVar[str] = "generate"

    kind: str = EXTRACTS
    context_chars: int = 2000
    landmarks: int = 0
    words: int = 10_000
    template: str = TEMPLATES[0]
    open_knowledge: bool = False
    validate: str = "rules"
    refuse_below: float = 0.0
    danger: str = "In danger now? Call 112. Women: 181. Children: 1098. In despair: 14416 (Tele-MANAS)."

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind not in KINDS:
            raise ValueError(f"generate.kind={self.kind}: one of {', '.join(KINDS)}")
        if min(self.context_chars, self.words) < 1:
            raise ValueError("generate: context_chars, words must be positive")
        if self.template not in (*TEMPLATES, *map(str, range(1, len(TEMPLATES) + 1))):
            raise ValueError(f"generate.template={self.template}: 1 to 5, or one of {', '.join(TEMPLATES)}")
        if self.validate not in ("rules", "model", "none") or not 0 <= self.refuse_below <= 1:
            raise ValueError("generate: validate is rules, model or none; refuse_below lies in 0 to 1")
        if self.landmarks < 0:
            raise ValueError("generate.landmarks must not be negative")

    @property
    def asks(self) -> str:
        """The setting by which a model is asked; empty where none is."""
        return "" if self.kind == EXTRACTS else f"generate={self.kind}"

    @property
    def template_id(self) -> int:
        """Number of the template, from 1."""
        return int(self.template) if self.template.isdigit() else TEMPLATES.index(self.template) + 1

    def parameters(self) -> dict[str, Any]:
        """The parameters that shape an answer; how a model is called does not."""
        if self.kind == EXTRACTS:
            return {"kind": self.kind}
        if self.kind == PROSE:
            names = ("words", "landmarks", "template_id", "open_knowledge", "validate", "refuse_below")
            shown = {name: getattr(self, name) for name in names}
            return {"kind": self.kind, "prompt": _PROSE_PROMPT} | shown | self.of_reply()
        return {"kind": self.kind, "prompt": _PROMPT, "context_chars": self.context_chars} | self.of_reply()


class _Strict(BaseModel):
    """Types as they are given: a number is no string, and what is unknown is left out."""

    model_config = ConfigDict(strict=True, extra="ignore")


class AnswerSchema:
    """An answer: a string a role, charges with attributes as ``bailable``, a note (4.3.4 of the thesis)."""

    def __init__(self, roles: Sequence[str], attributes: Sequence[str]) -> None:
        self.roles = tuple(roles)
        self.attributes = tuple(attributes)
        charge: dict[str, Any] = {"law": (str, ...), "description": (str, "")}
        charge |= dict.fromkeys(attributes, (str, ""))
        texts = ("act", "provision_id", "section", "heading", "chunk_id", "evidence", "version", "link")
        machine: dict[str, Any] = dict.fromkeys((*texts, "verification"), (str, ""))
        machine |= {"page": (int, 0), "score": (float, 0.0)}
        machine |= dict.fromkeys(("probability", "primary"), (float | None, None))
        judged: dict[str, Any] = dict.fromkeys(("reason", "elsewhere"), (str, ""))
        judged |= {"decision": (str, "answer"), "probability": (float | None, None)}
        self._reply = self._answer("Reply", create_model("ReplyCharge", __base__=_Strict, **charge), {})
        charge_model = create_model("Charge", __base__=_Strict, **charge, **machine)
        self._answer_model = self._answer("Answer", charge_model, judged)

    def _answer(self, name: str, charge: type[BaseModel], more: dict[str, Any]) -> type[BaseModel]:
        fields: dict[str, Any] = dict.fromkeys(self.roles, (str, "")) | more
        fields |= {"charges": (list[charge], ...), "note": (str, "")}  # type: ignore[valid-type]
        return create_model(name, __base__=_Strict, **fields)

    def conform(self, value: Any) -> dict[str, Any]:
        """What a model may say, validated; nothing else is kept."""
        return self._reply.model_validate(value).model_dump()

    def validate_answer(self, value: Any) -> dict[str, Any]:
        """A whole answer with the fields that the program fills, validated."""
        return self._answer_model.model_validate(value).model_dump()

    def json_schema(self) -> dict[str, Any]:
        """The shape as a JSON Schema, for endpoints that hold a reply to one: every key, and no other."""

        def strict(properties: dict[str, Any]) -> dict[str, Any]:
            return {
                "type": "object",
                "properties": properties,
                "required": list(properties),
                "additionalProperties": False,
            }

        text = {"type": "string"}
        charge = strict(dict.fromkeys(("law", "description", *self.attributes), text))
        charges = {"charges": {"type": "array", "items": charge}}
        return strict(dict.fromkeys(self.roles, text) | charges | {"note": text})

    def example(self) -> dict[str, Any]:
        """The shape of what a model may say, as the prompt shows it."""
        charge = {"law": "string", "description": "string"} | dict.fromkeys(self.attributes, "Yes/No")
        return dict.fromkeys(self.roles, "string") | {"charges": [charge], "note": "string"}


@cache
def answer_schema(roles: tuple[str, ...], attributes: tuple[str, ...]) -> AnswerSchema:
    """The schema of a corpus, built once: Pydantic takes 4 ms for it, and each search needs one."""
    return AnswerSchema(roles, attributes)
