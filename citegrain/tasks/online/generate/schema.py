"""The schema of an answer: roles and attributes come from the corpus configuration."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict, create_model


class _Strict(BaseModel):
    """Types as they are given: a number is no string, and what is unknown is left out."""

    model_config = ConfigDict(strict=True, extra="ignore")


class AnswerSchema:
    """An answer: a string a role, a list of charges, a note (4.3.4 of the thesis).

    ``roles``: names of the parties, as ``victim`` and ``culprit``. ``attributes``: what the law's own tables
    say of a charge, as ``bailable``.
    """

    def __init__(self, roles: Sequence[str], attributes: Sequence[str]) -> None:
        self.roles = tuple(roles)
        self.attributes = tuple(attributes)
        charge: dict[str, Any] = {"law": (str, ...), "description": (str, "")}
        charge |= dict.fromkeys(attributes, (str, ""))
        machine: dict[str, Any] = {
            "act": (str, ""),
            "provision_id": (str, ""),
            "section": (str, ""),
            "heading": (str, ""),
            "page": (int, 0),
            "chunk_id": (str, ""),
            "score": (float, 0.0),
            "evidence": (str, ""),
            "version": (str, ""),
            "link": (str, ""),
            "verification": (str, ""),
            "probability": (float | None, None),
            "primary": (float | None, None),
        }
        judged: dict[str, Any] = {
            "decision": (str, "answer"),
            "reason": (str, ""),
            "elsewhere": (str, ""),
            "probability": (float | None, None),
        }
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
