"""What the service takes and gives: requests, replies and problems, as OpenAPI shows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import Base64Bytes, BaseModel, Field, StringConstraints

from citegrain.tasks.online.answer import Part

LONGEST_QUESTION, LONGEST_TEXT = 20_000, 200_000  # characters
_DAY = r"^\d{4}-\d{2}-\d{2}$|^$"
_DAYS = r"^(\d{4}-\d{2}-\d{2}|auto)?(/\d{4}-\d{2}-\d{2})?$"
_KEY = "^[0-9a-f]*$"
DayText = Annotated[str, Field(pattern=_DAY, description="YYYY-MM-DD; empty: today")]
BuildName = Annotated[str, Field(max_length=100, description="name of a build; empty: the usual one")]
_EARLIER = "key of an earlier build; empty: that before"
EarlierKey = Annotated[str, Field(pattern=_KEY, max_length=64, description=_EARLIER)]
_Name = Annotated[str, StringConstraints(min_length=1, max_length=300)]


class Where(BaseModel, extra="forbid"):
    """Which documents are searched; empty lists leave all."""

    build: BuildName = ""
    acts: list[_Name] = Field([], max_length=500, description="Acts by id or name, as IPC")
    kinds: list[_Name] = Field([], max_length=20, description="act, rules, judgment, contract, other")
    jurisdictions: list[_Name] = Field([], max_length=50, description="central, or States as maharashtra")


def _example(**fields: Any) -> dict[str, Any]:
    """What the schema of a request shows."""
    return {"examples": [fields]}


class AskRequest(Where, json_schema_extra=_example(question="My employer has not paid my wages", k=3)):
    """A question."""

    question: str = Field(min_length=1, max_length=LONGEST_QUESTION, description="in plain words")
    k: int = Field(0, ge=0, le=100, description="provisions; 0: as many as seem to apply")
    as_of: str = Field(
        "",
        pattern=_DAYS,
        description="YYYY-MM-DD, auto, or empty: today; behind a / the day of the step, for procedure",
    )
    confidence: float = Field(0.0, ge=0, le=0.99, description="of sets: --confidence of the command; 0: none")
    full: bool = Field(False, description="whether charges have the whole text of their provision")
    matters: bool = Field(False, description="whether several matters are answered one by one, too")


class FileRequest(
    AskRequest, json_schema_extra=_example(question="Is there a notice?", file="a.txt", content="YQ==")
):
    """A question, and a file that is asked, too."""

    file: str = Field(min_length=1, max_length=120, description="its name, as lease.pdf")
    content: Base64Bytes = Field(min_length=1, max_length=16 << 20, description="its bytes in base64")


class Label(Part):
    """A provision as benchmarks label it."""

    act: _Name = Field(description="id of the Act")
    section: _Name = Field(description="its number, as 302")


_LABELS = [{"act": "code-on-wages-2019", "section": "17"}]


class Judgement(Part, json_schema_extra=_example(question="wages", applicable=_LABELS)):
    """What a person says of a question."""

    question: str = Field(min_length=1, max_length=LONGEST_QUESTION, description="its text")
    applicable: list[Label] = Field(max_length=20, description="the first is the primary; empty: nothing is")
    build: BuildName = ""


class Noted(Part):
    """A judgement that was added."""

    id: str = Field(description="its id in the benchmark")


class SearchRequest(Where, json_schema_extra=_example(text="wages not paid", k=5)):
    """A text to search by."""

    text: str = Field(min_length=1, max_length=LONGEST_QUESTION, description="in plain words")
    k: int = Field(5, ge=1, le=100, description="provisions at most")
    as_of: DayText = ""


class CheckRequest(Part, json_schema_extra=_example(text="Section 420 of the IPC punishes cheating.")):
    """A text whose citations are checked."""

    text: str = Field(min_length=1, max_length=LONGEST_TEXT, description="paragraphs, an empty line between")
    as_of: str = Field("", pattern=_DAY, description="YYYY-MM-DD; empty: as the text says, or today")
    build: BuildName = ""


class SearchHit(Part):
    """A provision that a search found."""

    law: str = Field(description="how a person cites it")
    heading: str = Field(description="its heading")
    provision_id: str = Field(description="its id")
    act: str = Field(description="id of the Act")
    section: str = Field(description="its number")
    page: int = Field(description="page, from 1; 0 where the document has none")
    link: str = Field(description="file and page")
    version: str = Field(description="date of the version of the text; empty if unknown")
    evidence: str = Field(description="the passage that meets the text")
    score: float = Field(description="of the last stage that scored")
    probability: float | None = Field(description="that it applies; null if not estimated")
    may_have_changed_since: str = Field(description="first day of an amendment not in the text; or empty")


class SearchHits(Part):
    """What a search found."""

    build: str = Field(description="name and key of the build")
    reason: str = Field(description="why there is nothing, as an answer has it; else empty")
    message: str = Field(description="the same as a sentence")
    hits: list[SearchHit] = Field(description="the likeliest first")


class Edge(Part):
    """What a provision says of another, or another of it."""

    direction: Literal["out", "in"] = Field(description="whether it cites or is cited")
    kind: str = Field(description="cites, amended_by, replaced_by, ...")
    other: str = Field(description="id at the other end; empty if it is not in the build")
    label: str = Field(description="what that is called")
    words: str = Field(description="the words that say so")
    reason: str = Field(description="why it leads nowhere, if it does")
    page: int = Field(description="page of these words")
    times: int = Field(description="how often it is said")


class Neighbours(Part):
    """What stands around a provision in the graph of the law."""

    provision_id: str = Field(description="its id")
    edges: list[Edge] = Field(description="those that lead from it first")


class BuildRow(Part):
    """A published build."""

    name: str = Field(description="its name")
    key: str = Field(description="its key: the digest of all that made it")
    state: Literal["current", "previous"] = Field(description="only the current one answers")
    since: str = Field(description="since when, ISO")
    documents: int = Field(description="files")
    acts: int = Field(description="Acts")
    rules: int = Field(description="rules and regulations")
    judgments: int = Field(description="judgments")
    others: int = Field(description="other documents")
    doubtful: int = Field(description="documents whose sections may not have been read")
    incomplete: int = Field(description="documents that cite a Schedule which they lack")


class ActRow(Part):
    """A document of a build, in one version."""

    act: str = Field(description="its id")
    title: str = Field(description="its title")
    names: list[str] = Field(description="other names")
    kind: str = Field(description="act, rules, judgment, contract or other")
    jurisdiction: str = Field(description="central or the State; empty if unknown")
    version: str = Field(description="date of the text; empty if unknown")
    in_force_from: str = Field(description="commencement; empty if unknown")
    in_force_to: str = Field(description="last day in force; empty if none is known")
    sections: int = Field(description="sections, articles, rules or paragraphs")
    reading: str = Field(description="sound, or incomplete, doubtful or failed and why; empty: not judged")


class ListedProvision(Part):
    """A provision of an Act, without its text."""

    provision_id: str = Field(description="its id")
    provision: str = Field(description="what it is called in its Act: section 302")
    heading: str = Field(description="its heading; empty if none")
    in_force: bool = Field(description="whether the build has it as law on the day")
    page: int = Field(description="page, from 1; 0 where the document has none")


class Contents(Part):
    """The sections, articles, rules and Schedules of an Act."""

    act: str = Field(description="id of the Act")
    title: str = Field(description="its title")
    as_of: str = Field(description="the day, ISO")
    total: int = Field(description="provisions in all")
    provisions: list[ListedProvision] = Field(description="those of this part of the list, in their order")


class Change(Part):
    """What moved from one build to another."""

    act: str = Field(description="id of the Act")
    kind: str = Field(description="inserted, omitted, substituted, renumbered, ...")
    old_id: str = Field(description="id of the provision before; empty if there was none")
    new_id: str = Field(description="id of the provision now; empty if there is none")
    provision: str = Field(description="what it is called in its Act: section 302")
    heading: str = Field(description="its heading")
    old_words: list[str] = Field(description="words that went")
    new_words: list[str] = Field(description="words that came in their place")
    evidence: str = Field(description="the note that says so; empty if none does")


class Changes(Part):
    """What moved between two builds of a name."""

    old: str = Field(description="key of the earlier build")
    new: str = Field(description="key of the later one")
    rolled_back: str = Field("", description="when the earlier was made current again, ISO; else empty")
    total: int = Field(description="changes in all")
    changes: list[Change] = Field(description="those of this page")


class Job(Part):
    """A re-index at work or done."""

    job: str = Field(description="its id")
    build: str = Field(description="name of the build")
    state: Literal["running", "promoted or unchanged", "refused", "busy", "failed"] = Field(
        description="refused: the gate kept the old build; busy: another re-index was at work"
    )
    output: str = Field(description="the end of what it said")


class Health(Part):
    """Whether the service answers."""

    status: Literal["ok", "degraded"] = Field(description="degraded: it answers, but not all is well")
    reasons: list[str] = Field(description="what is not well")
    builds: list[str] = Field(description="name and key of each open build")
    waiting: int = Field(description="requests at work or waiting")


class Fault(Part):
    """A field that is wrong."""

    field: str = Field(description="where it stands in the request")
    detail: str = Field(description="what is wrong")


class Problem(Part):
    """What went wrong. Source: RFC 9457."""

    type: str = Field("about:blank", description="no page says more")
    title: str = Field(description="the status in words")
    status: int = Field(description="of HTTP")
    detail: str = Field(description="what is wrong and what to do")
    instance: str = Field(description="id of the request, as in the log")
    errors: list[Fault] = Field([], description="fields that are wrong")
    choices: dict[str, str] = Field({}, description="by id, the provisions that the words may mean")


_FORMS = {
    _DAY: "a day as 2024-07-01, or empty",
    _DAYS: "a day as 2024-07-01, auto, or two days with / between them",
    _KEY: "the key of a build: digits and letters from a to f",
}
_INTEGER, _TRUTH, _TEXT = (
    "must be a whole number, as 3",
    "must be true or false",
    "must be a string in quotation marks",
)
_SAID = {
    "missing": "is missing",
    "string_type": _TEXT,
    "string_too_short": "is empty: send words",
    "string_too_long": "is too long: send {max_length:,} characters at most",
    "bytes_too_short": "is empty: send a file",
    "bytes_type": "must be base64",
    "base64_decode": "must be base64",
    "string_pattern_mismatch": "must be {form}",
    "too_long": "has too many entries: send {max_length:,} at most",
    "less_than_equal": "is too large: send {le} at most",
    "greater_than_equal": "is too small: send {ge} or more",
    "int_type": _INTEGER,
    "int_parsing": _INTEGER,
    "int_from_float": _INTEGER,
    "float_type": "must be a number, as 0.9",
    "float_parsing": "must be a number, as 0.9",
    "bool_type": _TRUTH,
    "bool_parsing": _TRUTH,
    "list_type": 'must be a list, as ["IPC"]',
    "model_attributes_type": 'must be an object, as {{"name": "value"}}',
    "extra_forbidden": "is not known here: leave it out, or mend its name",
    "json_invalid": "is no JSON",
}
"""By the type of an error of pydantic, what is wrong with a field and what to send."""
_MOST_SAID, _LONGEST_NAME = 3, 60


def faults(errors: Iterable[Mapping[str, Any]]) -> list[Fault]:
    """What is wrong with each field, in plain words, without its value; ``errors``: as pydantic has them."""

    def said(error: Mapping[str, Any]) -> str:
        limits = error.get("ctx", {})
        form = _FORMS.get(limits.get("pattern", ""), "written otherwise")
        if error["type"] in _SAID:
            return _SAID[error["type"]].format(**limits, form=form)
        return str(error["msg"]).removeprefix("Value error, ")

    return [Fault(field=".".join(str(p)[:_LONGEST_NAME] for p in e["loc"]), detail=said(e)) for e in errors]


def sentence(wrong: Iterable[Fault]) -> str:
    """The first of some faults on one line, each by the name of its field."""
    rows = [f"{fault.field.removeprefix('body.').removeprefix('query.')} {fault.detail}" for fault in wrong]
    more = f"; and {len(rows) - _MOST_SAID} more" if len(rows) > _MOST_SAID else ""
    return "; ".join(rows[:_MOST_SAID]) + more
