"""The fields of a record: how days, Acts and sections are written, and what text every format can carry."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, StrictStr, ValidationError, ValidationInfo
from pydantic.dataclasses import dataclass

from citegrain.tasks.evaluation.benchmark.errors import faults, shown
from citegrain.tasks.law.citations import TEXT_CORPUS
from citegrain.tasks.law.numbers import normal

Register = Literal["formal", "informal"]
Domain = Literal[
    "criminal",
    "family",
    "civil",
    "commercial",
    "consumer",
    "property",
    "labour",
    "environment",
    "constitutional",
    "information",
    "transport",
    "tax",
    "health",
]

_ACT = re.compile(r"[a-z0-9-]+")
_SECTION = re.compile(r"[0-9]+[A-Z]*|Art[0-9]+[A-Z]*|O[0-9]+[A-Z]*R[0-9]+[A-Z]*")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
STRICT = ConfigDict(extra="forbid")


def iso_day(text: str) -> date:
    """The day of a text ``YYYY-MM-DD``; no other notation is accepted.

    Raises
    ------
    ValueError
        If ``text`` is written otherwise or names no day of the calendar.
    """
    if not _DAY.fullmatch(text):  # date.fromisoformat also takes 20240701 and 2024-W27-1
        raise ValueError(f"must be a day as YYYY-MM-DD, not {shown(text)}")
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"{text} is not a day of the calendar") from error


def _day(value: Any) -> Any:
    if value is None or (isinstance(value, date) and not isinstance(value, datetime)):
        return value
    if not isinstance(value, str):
        raise ValueError(f"must be a day as YYYY-MM-DD, not {shown(value)}")
    return iso_day(value)


def _act(act: str) -> str:
    if not _ACT.fullmatch(act):
        raise ValueError(f"must be in lower case with hyphens (limitation-act-1963), not {shown(act)}")
    return act


def _section(section: str, info: ValidationInfo) -> str:
    if info.data.get("act") == TEXT_CORPUS:  # the id of a text, whatever it looks like
        if " " in section:
            raise ValueError(f"the id of a text must be without spaces, not {shown(section)}")
        return _identifier(section)
    if _SECTION.fullmatch(section):
        return section
    whole = section.partition("(")[0].strip()
    if _SECTION.fullmatch(whole):
        raise ValueError(f"a label names a whole section: write {whole}, not {shown(section)}")
    meant = normal(section).upper()
    hint = f"; did you mean {meant}?" if _SECTION.fullmatch(meant) else ""
    raise ValueError(f"must be a number such as 303, 66C, Art65, O39R1, not {shown(section)}{hint}")


def _writable(text: str) -> str:
    """Text that every format can carry: JSON can escape what UTF-8 and TREC files cannot."""
    if "\0" in text:
        raise ValueError("contains a NUL character")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("contains half of a surrogate pair") from None
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("is blank")
    return text


def _identifier(text: str) -> str:
    if not text.isprintable() or text != text.strip():
        raise ValueError(f"has white space at an end, or an unprintable character: {shown(text)}")
    return text


ActId = Annotated[StrictStr, AfterValidator(_act)]
Section = Annotated[StrictStr, AfterValidator(_section)]
Text = Annotated[StrictStr, AfterValidator(_writable)]
NonBlank = Annotated[Text, AfterValidator(_not_blank)]
Identifier = Annotated[NonBlank, AfterValidator(_identifier)]
Day = Annotated[date | None, BeforeValidator(_day)]


@dataclass(frozen=True, order=True, config=STRICT)
class Citation:
    """A provision as the guide labels it: an Act in lower case with hyphens, a number without sub-section."""

    act: ActId
    section: Section

    @property
    def label(self) -> str:
        """``act/section``: the document id of TREC and BEIR files."""
        return f"{self.act}/{self.section}"

    @classmethod
    def parse(cls, label: str) -> Citation:
        """The citation of a label.

        Raises
        ------
        ValueError
            If it is not of the form ``act/section``; the message is one line.
        """
        act, slash, section = label.partition("/")
        if not slash:
            raise ValueError(f"must be act/section, not {shown(label)}")
        try:
            return cls(act=act, section=section)
        except ValidationError as error:
            raise ValueError("; ".join(f"{field}: {wrong}" for field, wrong in faults(error))) from error


def _each_once(values: tuple[Any, ...]) -> tuple[Any, ...]:
    seen = set()
    for value in values:
        if value in seen:
            raise ValueError(f"{value.label if isinstance(value, Citation) else value} appears twice")
        seen.add(value)
    return values


def _first(primary: Citation | None, info: ValidationInfo) -> Citation | None:
    applicable = info.data.get("applicable")
    if applicable is None:  # itself at fault
        return primary
    if primary is not None and not applicable:
        raise ValueError(f"must be null where nothing is applicable, not {primary.label}")
    if applicable and primary != applicable[0]:
        instead = primary.label if primary else "null"
        raise ValueError(f"must be {applicable[0].label}, the first of applicable, not {instead}")
    return primary


Domains = Annotated[tuple[Domain, ...], AfterValidator(_each_once)]
Applicable = Annotated[tuple[Citation, ...], AfterValidator(_each_once)]
Primary = Annotated[Citation | None, AfterValidator(_first)]
"""The first of a field ``applicable`` that stands before it; None where that is empty."""
