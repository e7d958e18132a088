"""The value of an answer: JSON, the terminal's text and the page are renderings of it.

Its JSON Schema stands in ``docs/answer.schema.json``; ``docs/asking.md`` explains it.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from citegrain.tasks.core.errors import printable


class Part(BaseModel):
    """A part of what is answered; every key has its description."""

    model_config = ConfigDict(extra="forbid", protected_namespaces=())


class QuestionWords(Part):
    """How much of the question was read."""

    asked: int = Field(description="words of the question")
    encoded: int = Field(description="words that the encoder read")
    cut: str = Field(description="what it did not read: the end of a question that is too long")
    read_as: str = Field(
        "", description="the question with mistyped words as meant, in English; empty if as asked"
    )


class LawDay(Part):
    """The day whose law was searched, and how it was chosen."""

    day: str = Field(description="ISO day")
    source: str = Field(description="asked, words of the question, or today")
    evidence: str = Field(description="the words that name a time")
    precision: str = Field(description="of these words: day, week, month or year")
    why: str = Field(description="how the day was chosen")
    uncertain: bool = Field(description="whether the law changed within that time")
    rule: str = Field("", description="substance, procedure, limitation or saved proceedings")
    step: str = Field("", description="ISO day whose law of procedure was searched; empty: the same")


class LaterEdition(Part):
    """An Act given of which the text at hand is newer than the day whose law was searched."""

    act: str = Field(description="its id")
    title: str = Field(description="its short title")
    version: str = Field(description="day of the text at hand, ISO")


class Replacement(Part):
    """The Act that replaced the Act of a charge, or was replaced by it."""

    relation: str = Field(description="successor or predecessor")
    act: str = Field(description="its id")
    title: str = Field(description="its short title")
    since: str = Field(description="first day of the newer law, ISO; empty if unknown")
    in_build: bool = Field(description="whether it is indexed")


class Counterpart(Part):
    """A provision of that Act that took the place of the charge's, or whose place it took."""

    act: str = Field(description="id of its Act")
    section: str = Field(description="its number")
    heading: str = Field(description="its heading")
    provision_id: str = Field(description="its id")
    relation: str = Field(description="successor or predecessor")
    source: str = Field(description="matched, or the user's table")


class Overruling(Part):
    """Another judgment says of a judgment that it is no longer law; whose view that is, the text says."""

    relation: str = Field(description="overruled or reversed")
    law: str = Field(description="paragraph that says so, as a person cites it")
    words: str = Field(description="the words that say so")
    provision_id: str = Field(description="id of that paragraph")


class Landmark(Part):
    """A judgment that much cites, and that cites what is given or is cited by it."""

    act: str = Field(description="its id")
    law: str = Field(description="name of the case")
    falls: list[Overruling] = Field(description="where others say that it was overruled or reversed")


class Charge(Part):
    """A provision that may apply. Attributes as ``bailable`` come from the law's own tables, per corpus."""

    model_config = ConfigDict(extra="allow", protected_namespaces=())
    __pydantic_extra__: dict[str, str] = Field(init=False)

    law: str = Field(description="how a person cites it")
    heading: str = Field(description="its heading")
    description: str = Field(description="what was said of it; the heading, unless a model was asked")
    probability: float | None = Field(None, description="that it applies, 0 to 1; null if not estimated")
    primary: float | None = Field(None, description="that it is the main one, 0 to 1; null if not estimated")
    likelihood: str = Field(description="probable, possible, weak; empty if not estimated")
    score: float = Field(description="of the last stage that scored; not comparable between questions")
    evidence: str = Field(description="the passage of the provision that meets the question")
    text: str = Field(description="the whole provision, with --full; else empty")
    version: str = Field(description="date of the version of the law, ISO; empty if unknown")
    act: str = Field(description="id of the Act")
    provision_id: str = Field(description="id of the provision")
    section: str = Field(description="its number")
    page: int = Field(description="page or slide, from 1; 0 where the document has no pages")
    link: str = Field(description="file and page, as file.pdf#page=3; the file alone where it has no pages")
    url: str = Field(description="address that opens it; of the API a path there; empty if there is none")
    chunk_id: str = Field(description="the chunk that was selected")
    verification: str = Field(description="verified, not_in_context, not_in_corpus or not_in_force")
    replacement: Replacement | None = Field(description="of its Act; null for most")
    counterparts: list[Counterpart] = Field(description="there, the nearest first")
    amendment: str = Field("", description="note of its newest amendment; empty if none is printed")
    may_have_changed_since: str = Field(
        "", description="first day of an amendment that the text does not show, ISO or a year; empty if none"
    )
    may_have_changed: str = Field(
        "", description="the same as a sentence: what amends it, and where that stands"
    )
    eli: str = Field("", description="id that outlives the build: eli/in/act/1860/45/2023-10-20/sec_302")
    legislation: dict[str, Any] = Field({}, description="it as JSON-LD, a Legislation of schema.org")
    jurisdiction: str = Field("", description="central or the State; empty if unknown")
    effective_date: str = Field("", description="first day in force of its Act, ISO; empty if unknown")
    source_url: str = Field("", description="where the registry says that the document comes from")
    falls: list[Overruling] = Field(
        description="of a judgment: where others say that it was overruled or reversed"
    )


class Matter(Part):
    """One of several matters that a question tells of."""

    words: str = Field(description="the part of the question that tells of it")
    charges: list[Charge] = Field(description="what probably applies to that part asked by itself")


class Reference(Part):
    """A passage that the answer in words cites."""

    number: int = Field(description="as the answer cites it: [1]")
    law: str = Field(description="how a person cites it")
    heading: str = Field(description="its heading")
    provision_id: str = Field(description="id of the provision")
    file: str = Field(description="of the document")
    page: int = Field(description="page or slide, from 1; 0 where the document has no pages")
    version: str = Field(description="date of the version of the law, ISO; empty if unknown")
    link: str = Field(description="file and page, as file.pdf#page=3")
    chunk_id: str = Field(description="the chunk that was given")


class AnswerClaim(Part):
    """A sentence of the answer in words, and whether the passages that it cites say it."""

    text: str = Field(description="the sentence")
    verdict: str = Field(description="supported, partly, not or contradicted")
    message: str = Field(description="what speaks against it; empty if nothing does")


class CitationCheck(Part):
    """Charges by what checking their citations gave."""

    n_charges: int = Field(description="charges")
    n_verified: int = Field(description="given to the answer, and in force")
    n_not_in_context: int = Field(description="not among those given")
    n_not_in_corpus: int = Field(description="not indexed")
    n_not_in_force: int = Field(description="not law on the day")


class CitationReport(Part):
    """Citations in the words of a model: in descriptions, note and prose."""

    total: int = Field(description="citations of provisions, Acts and cases")
    valid: int = Field(description="as the build has them")
    hallucinated: int = Field(
        description="not there, of cases where judgments are indexed, or other than they say"
    )
    overruled: int = Field(description="cases that others overruled or reversed")
    not_in_force: int = Field(description="not law on the day")
    unknown: int = Field(description="of what is not indexed")
    rate: float | None = Field(description="valid by all but the unknown; null if there are none")
    details: list[dict[str, str]] = Field(description="words, verdict and message of what is not valid")


class ModelCalls(Part):
    """What asking a language model took; zeros where none was asked."""

    parse_pass: int = Field(description="pass of the parser that read the reply")
    attempts: int = Field(description="calls")
    tokens_in: int = Field(description="tokens of the prompt")
    tokens_out: int = Field(description="tokens of the reply")
    cost: float = Field(description="in the currency of the prices")


class StagePlace(Part):
    """A place in the list of a stage."""

    rank: int = Field(description="from 1")
    score: float = Field(description="of the stage")


class ExplainedProvision(Part):
    """A provision that was returned or nearly was, and how each stage saw it."""

    provision_id: str = Field(description="id of the provision")
    law: str = Field(description="how a person cites it")
    heading: str = Field(description="its heading")
    returned: bool = Field(description="whether it is in the answer")
    stages: dict[str, StagePlace | None] = Field(description="place by stage; null where it has none")
    lay_text: str = Field(description="of its lay texts the nearest, if one found it")
    moved: dict[str, float] = Field(description="the features that moved it most, and by how much")
    why: str = Field(description="why it was not returned")


class Operation(Part):
    """An operation of a controller: plan, retrieve, read, reflect or decide."""

    step: int = Field(description="its place, from 1")
    round: int = Field(description="round of the loop, from 1")
    operation: str = Field(description="plan, retrieve, read, reflect or decide")
    what: str = Field(description="what it did, in a sentence")
    content: dict[str, Any] = Field(description="what came of it, by operation: docs/published-systems.md")
    pool: int = Field(description="chunks in the evidence pool after it")
    unresolved: int = Field(description="sub-questions open or contradicted after it")
    confidence: float = Field(description="h after it, 0 to 1")


class UploadedPassage(Part):
    """A passage of the file that was given with the question."""

    file: str = Field(description="its name")
    page: int = Field(description="page, from 1; 0 where the file has no pages")
    text: str = Field(description="the words that meet the question")

    @property
    def citation(self) -> str:
        """``[file, page 3]``."""
        file = printable(self.file)
        return f"[{file}, page {self.page}]" if self.page else f"[{file}]"


class Answer(Part):
    """The answer to one question. Parties, as ``victim``, are named per corpus and filled by a model only."""

    model_config = ConfigDict(extra="allow", protected_namespaces=())
    __pydantic_extra__: dict[str, str] = Field(init=False)

    query: str = Field(description="the question")
    words: QuestionWords = Field(description="how much of it was read")
    as_of: LawDay = Field(description="the day whose law was searched")
    build: str = Field(description="name and key of the build")
    decision: str = Field("answer", description="answer or decline")
    reason: str = Field(
        "",
        description="nothing_like_this, not_indexed, too_vague, not_readable, nothing_fits, unlikely, "
        "not_law, none_in_force or despair",
    )
    elsewhere: str = Field("", description="absent Act or State subject it looks like, or two; empty if none")
    probability: float | None = Field(None, description="that anything here applies; null if not estimated")
    message: str = Field(
        description="why there are no provisions, or what else it may be a matter of; else empty"
    )
    charges: list[Charge] = Field(description="the provisions, the likeliest first")
    others: list[Charge] = Field([], description="what else may apply; the charges are what is scored")
    matters: list[Matter] = Field(
        [], description="where it tells of several, and they were asked for; the charges are what is scored"
    )
    landmarks: list[Landmark] = Field(description="judgments to look at besides; none unless asked for")
    prose: str = Field(
        "", description="the answer in words with citations as [1]; empty unless a model is asked"
    )
    references: list[Reference] = Field([], description="what these cite")
    claims: list[AnswerClaim] = Field([], description="the sentences of these that were judged")
    support: float | None = Field(
        None, description="how much of them is supported, 0 to 1; null if not judged"
    )
    confidence: str = Field("low", description="high, medium or low: how far the answer can be relied upon")
    uploads: list[UploadedPassage] = Field([], description="passages of the file given with --with")
    note: str = Field(description="what the generator adds")
    urgent: str = Field("", description="whom to call, where the question speaks of danger to a person")
    conflicts: list[str] = Field([], description="charges that say that they hold in spite of another charge")
    later_editions: list[LaterEdition] = Field([], description="Acts given whose text is newer than the day")
    remarks: list[str] = Field(
        [],
        description="sentences on later editions, on what is no longer law, on failures of a language model",
    )
    unresolved: list[str] = Field([], description="parts of the question that a controller left unresolved")
    abstained: bool = Field(description="whether no provision is given")
    error: str = Field(description="why the language model gave no answer; empty if it did or none is asked")
    checked: CitationCheck = Field(description="citations by what checking gave")
    citations: CitationReport | None = Field(
        None, description="those in the words of a model; null where none wrote any"
    )
    reply: ModelCalls = Field(description="what asking a model took")
    advice: str = Field(description="what the answer is not")
    explanation: list[ExplainedProvision] | None = Field(None, description="with --explain; else absent")
    trace: list[Operation] | None = Field(None, description="with --trace and a controller; else absent")

    def declining(self, reason: str, message: str) -> Answer:
        """The answer that gives no provision, for a reason; whom to call stands on."""
        lists = ("charges", "others", "landmarks", "references", "conflicts", "later_editions", "remarks")
        texts = {"decision": "decline", "reason": reason, "message": message, "elsewhere": "", "prose": ""}
        others = {"probability": None, "confidence": "low", "abstained": True}
        return self.model_copy(update={name: [] for name in lists} | texts | others)

    def to_dict(self) -> dict[str, Any]:
        """As ``ask --json`` has it; explanation and trace only where they were asked for."""
        absent = {name for name in ("explanation", "trace") if getattr(self, name) is None}
        return self.model_dump(exclude=absent)
