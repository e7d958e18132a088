"""Declaration of ``verify``: no citation leaves unchecked."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.endpoint import Endpoint
from citegrain.tasks.core.schemas import ANSWERS
from citegrain.tasks.core.stage import Stage, canonical_json
from citegrain.tasks.law.citing import find_mentions
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.estimate import DECLINE, Judgement
from citegrain.tasks.online.generate import REFUSED, AnswerSchema, Generated
from citegrain.tasks.online.hits import Hit
from citegrain.tasks.online.judge import NOTHING_FITS

Flag = Callable[[Sequence[str], date | None], tuple[list[str], dict[str, Any]]]
STAGE = Stage("verify", 9, (ANSWERS,))
STATUSES = ("verified", "not_in_context", "not_in_corpus", "not_in_force")


@dataclass(frozen=True)
class VerifyConfig:
    """What becomes of a charge that is not verified: ``flag`` says what is wrong, ``drop`` takes it out."""

    policy: str = "flag"

    def __post_init__(self) -> None:
        if self.policy not in ("flag", "drop"):
            raise ValueError(f"verify.policy={self.policy}: flag or drop")


def verify(
    build: PublishedBuild,
    queries: pa.Table,
    generated: Mapping[str, Generated],
    hits: Mapping[str, Sequence[Hit]],
    schema: AnswerSchema,
    config: VerifyConfig,
    endpoint: Endpoint | None = None,
    judged: Mapping[str, Judgement] = MappingProxyType({}),
    unresolved: Mapping[str, Sequence[str]] = MappingProxyType({}),
    flag: Flag | None = None,
) -> list[dict[str, Any]]:
    """Rows of ``answers``: each charge resolved, checked and completed from the build.

    A charge is ``verified`` if its provision was among those given and is in force on the query's
    day. Attributes such as ``bailable`` are the build's, never the model's.

    ``endpoint``: the model's, whose prices are counted; None where no model was asked. ``flag``: from texts
    and a day to the texts, wrong citations flagged, and a report: what a model wrote goes through it. None
    where no model was asked.
    """
    days = queries.select(["query_id", "as_of"]).to_pydict()
    as_of: dict[str, date | None] = dict(zip(days["query_id"], days["as_of"], strict=True))
    rows = []
    for query, generation in generated.items():
        charges = generation.answer["charges"]
        checked = [_check(build, c, hits.get(query, []), schema, as_of[query]) for c in charges]
        counts = Counter(c["verification"] for c in checked)
        if config.policy == "drop":
            checked = [c for c in checked if c["verification"] == "verified"]
        judgement = judged.get(query, Judgement())
        checked = [c | judgement.estimates_of(c.get("provision_id", "")) for c in checked]
        answer = schema.validate_answer(generation.answer | judgement.facts | {"charges": checked})
        answer |= {"unresolved": list(unresolved[query])} if query in unresolved else {}
        answer |= _in_words(generation)
        if flag and generation.reply.text and not generation.error and generation.answer["note"] != REFUSED:
            answer |= _with_flags(answer, flag, as_of[query])
        if generation.prose and generation.abstained:
            answer |= {"decision": DECLINE, "reason": NOTHING_FITS}
        rows.append(
            {"query_id": query, "answer": canonical_json(answer), "n_charges": len(answer["charges"])}
            | _cost(generation, endpoint)
            | {f"n_{status}": counts[status] for status in STATUSES}
        )
    return rows


def _in_words(generation: Generated) -> dict[str, Any]:
    """What of an answer is in words, and how far what it cites bears it out."""
    out: dict[str, Any] = {}
    if generation.prose:
        out |= {"prose": generation.prose, "references": generation.references}
    if generation.support:
        out |= {"claims": generation.support.claims, "support": generation.support.score}
    return out


def _cost(generation: Generated, endpoint: Endpoint | None) -> dict[str, Any]:
    """How a model came to its reply, and what that cost."""
    reply = generation.reply
    return {
        "abstained": generation.abstained,
        "error": generation.error,
        "parse_pass": generation.parse_pass,
        "attempts": reply.attempts,
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
        "cost": endpoint.price(reply.tokens_in, reply.tokens_out) if endpoint else 0.0,
    }


def _with_flags(answer: dict[str, Any], flag: Flag, day: date | None) -> dict[str, Any]:
    """The words of a model, with its wrong citations flagged, and the report of them."""
    charges = answer["charges"]
    texts = [answer["note"], answer.get("prose", ""), *(charge["description"] for charge in charges)]
    (note, prose, *descriptions), report = flag(texts, day)
    flagged = [c | {"description": d} for c, d in zip(charges, descriptions, strict=True)]
    return {"note": note, "charges": flagged, "citations": report} | ({"prose": prose} if prose else {})


def _check(
    build: PublishedBuild,
    charge: Mapping[str, Any],
    given: Sequence[Hit],
    schema: AnswerSchema,
    as_of: date | None,
) -> dict[str, Any]:
    out = dict(charge) | dict.fromkeys(schema.attributes, "")
    by_id = {hit.provision_id: hit for hit in reversed(given)}
    provisions = _resolve(build, str(charge["law"]), given)
    if not provisions:
        return out | {"verification": "not_in_corpus"}
    provision = next((p for p in provisions if p in by_id), provisions[0])
    attributes = build.attributes(provision)
    out |= {name: attributes.get(name, "") for name in schema.attributes} | {"provision_id": provision}
    hit = by_id.get(provision)
    if hit is not None:
        shown = ("act", "section", "heading", "page", "chunk_id", "score", "evidence", "version", "link")
        out |= {name: getattr(hit, name) for name in shown}
    if not build.in_force(provision, as_of):
        return out | {"verification": "not_in_force"}
    return out | {"verification": "verified" if hit is not None else "not_in_context"}


def _resolve(build: PublishedBuild, law: str, given: Sequence[Hit]) -> list[str]:
    """Ids of the provision that a charge names; several only where its words leave it open."""
    exact = [hit.provision_id for hit in given if hit.law == law.strip()]
    if exact:
        return exact[:1]
    acts = build.lexicon.find(law)
    mentions = [m for m in find_mentions(law, acts) if m.act_id is not None]
    return [p for m in mentions for p in build.cited(m.kind, m.number, m.act_id)]
