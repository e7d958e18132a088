"""The one builder of answers, to a question just asked or to one of a study."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from citegrain.tasks.core.runs import make_run
from citegrain.tasks.law.asof import AsOf, is_procedural, saved_line
from citegrain.tasks.law.citations import eli_of, legislation_of
from citegrain.tasks.law.counterparts import changes_of, replacement
from citegrain.tasks.online.answer import notices, wording
from citegrain.tasks.online.answer.deciding import alternatives, falling, names_only_what_is_gone
from citegrain.tasks.online.answer.schema import Answer, ModelCalls
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.cascade import Cascade, CascadeResult
from citegrain.tasks.online.estimate import DECLINE, Judgement, act_names, judgements
from citegrain.tasks.online.generate import answer_schema, extract
from citegrain.tasks.online.gloss import Glosses
from citegrain.tasks.online.graph import CaseLaw, case_law
from citegrain.tasks.online.hits import carried_by_the_law, make_hits
from citegrain.tasks.online.query import cut_wish, without_days
from citegrain.tasks.online.verify import verify

_COUNTERPART = ("section", "heading", "provision_id", "relation", "source")
QUESTION = "q"
"""Id of the one question."""
_Charge = Mapping[str, Any]


def answer_of(cascade: Cascade, text: str, as_of: AsOf, result: CascadeResult, full: bool = False) -> Answer:
    """The answer to the one question of a result (:meth:`~CascadeResult.by_query`)."""
    build, danger = cascade.build, cascade.config.generate.danger
    (row,) = result.answers.to_pylist()
    (query,) = result.queries.to_pylist()
    carried = carried_by_the_law(build, result.queries).get(query["query_id"], set())
    judged = judgements(result.scope, result.estimates)
    absent = act_names(build).absent(text, query["text"])
    gone = notices.no_longer_law(build, query["mentions"], as_of.day)
    instead_of = names_only_what_is_gone(build, query, absent, as_of.day)
    landmarks, others = cascade.config.generate.landmarks, _others(cascade, result, judged, carried)
    answer = make_answer(build, text, as_of, row, full, landmarks, others, instead_of)
    rest = cut_wish(text)
    read_as = "" if query["text"] in (text, without_days(rest or text)) else query["text"]
    words = answer.words.model_copy(update={"read_as": read_as})
    said = [*answer.remarks, *wording.open_numbers(build, query)]
    if as_of.step:
        codes = [act for act in build.acts if is_procedural(act["title"])]
        said += filter(None, [saved_line(as_of.day, as_of.step, changes_of(codes))])
    said += [*wording.remarks(result.tables), *([*absent, *gone] if answer.reason != wording.NOT_LAW else [])]
    titles = [title for act, title, _ in build.names() if act in query["acts"]]
    said += [f"{t} was not law yet on {as_of.day}." for t in titles if f"{as_of.day:%Y}" < t[-4:] < "3"]
    said += notices.dated_before(build, Glosses.over(build).read(text)[0], as_of, answer.charges)
    typed = " ".join(part["text"] for part in query["texts"] if part.get("words_only"))  # मारता है: marta hai
    spoken = " ".join(dict.fromkeys((text, query["text"], typed)))
    urgent = wording.called(danger if rest != text or notices.in_danger(spoken) else "", text)
    answer = answer.model_copy(update={"words": words, "remarks": said, "urgent": urgent})
    if answer.reason == wording.DESPAIR:
        return answer.declining(wording.DESPAIR, wording.declined(text, wording.DESPAIR, "", (), ""))
    return named_instead(answer, absent)


def named_instead(answer: Answer, absent: Sequence[str]) -> Answer:
    """The answer, which says which named Acts are not indexed in place of what is near, a guess."""
    if not absent or answer.reason != "not_indexed":
        return answer
    remarks = [remark for remark in answer.remarks if remark not in absent]
    return answer.model_copy(update={"message": " ".join(absent), "elsewhere": "", "remarks": remarks})


def _others(
    cascade: Cascade, result: CascadeResult, judged: Mapping[str, Judgement], carried: Collection[str]
) -> list[dict[str, Any]]:
    """Charges for what else may apply; none where the question is out of scope, or nothing was estimated."""
    (query,) = result.hits
    selected = [hit.provision_id for hit in result.hits[query]]
    rest = alternatives(selected, judged.get(query, Judgement()), carried)
    if not rest or result.estimates is None:
        return []
    rows = {row["provision_id"]: row for row in result.estimates.to_pylist()}
    run = make_run({query: [(rows[p]["chunk_id"], rows[p]["applies"]) for p in rest]}, "selected")
    hits, config = make_hits(cascade.build, run, result.queries), cascade.config
    schema = answer_schema(config.roles, config.attributes)
    generated = {query: extract(hits[query], schema)}
    row = verify(cascade.build, result.queries, generated, hits, schema, config.verify, judged=judged)[0]
    charges: list[dict[str, Any]] = json.loads(row["answer"])["charges"]
    return charges


def make_answer(
    build: PublishedBuild,
    text: str,
    as_of: AsOf,
    row: Mapping[str, Any],
    full: bool = False,
    landmarks: int = 0,
    others: Sequence[_Charge] = (),
    gone: Sequence[str] = (),
) -> Answer:
    """What was asked and read, the charges, and how they were checked.

    ``full``: whether each charge has the whole text of its provision. ``landmarks``: how many judgments are
    suggested at most; 0 also leaves out which were overruled. ``gone``: what is said where nothing that a
    question names is law here.
    """
    # answers that were stored before extracts stood for those that fail may be empty
    answer: dict[str, Any] = json.loads(row["answer"] or '{"charges": [], "note": ""}')
    last = max(filter(None, (as_of.day, as_of.step)))
    listed = falling([_charge(build, charge, full, text, last) for charge in (*answer["charges"], *others)])
    answer["charges"], rest = listed[: len(answer["charges"])], listed[len(answer["charges"]) :]
    if answer.get("decision") == DECLINE or not answer["charges"]:
        reason = answer.get("reason") or wording.NONE_IN_FORCE
        answer |= {"charges": [], "decision": DECLINE, "reason": reason}
        rest = listed
    if answer.get("reason") == wording.NOT_LAW:
        answer["probability"] = None
    answer |= with_judgments(build, answer["charges"], as_of.day, landmarks)
    amended = notices.amendments(build, [str(charge["provision_id"]) for charge in answer["charges"]])
    read, day = build.encoder.encoded_part(text), as_of.as_dict()
    editions = later_editions(build, (*answer["charges"], *rest), as_of.day, as_of.step)
    content = {
        "query": text,
        "words": {"asked": len(text.split()), "encoded": len(read.split()), "cut": text[len(read) :].strip()},
        "as_of": day,
        "build": f"{build.folder.parent.name}/{build.folder.name}",
        **answer,
        "charges": [dict(c) | {"amendment": amended.get(c["provision_id"], "")} for c in answer["charges"]],
        "message": _message(build, text, answer, gone, day["day"]),
        "others": [charge | {"falls": []} for charge in rest],
        "confidence": notices.confidence(build, text, answer),
        "conflicts": notices.conflicts(build, answer["charges"]),
        "later_editions": editions,
        "remarks": [wording.later_edition(edition, day["day"]) for edition in editions]
        + [
            f"{charge['law']}: {note}"
            for charge in answer["charges"]
            for row_of in ([provision_of(build, charge)] if charge["chunk_id"] else [])
            for note in (*notices.court_notes(row_of), *notices.commencement(build, row_of, last))
        ],
        "abstained": row["abstained"],
        "error": row["error"],
        "checked": {name: row[name] for name in row if name.startswith("n_")},
        "reply": {name: row[name] for name in ModelCalls.model_fields},
        "advice": wording.called(wording.NO_ADVICE, text),
    }
    return Answer.model_validate(content)


def _message(
    build: PublishedBuild, text: str, answer: Mapping[str, Any], gone: Sequence[str], day: str
) -> str:
    reason, elsewhere = answer.get("reason", ""), answer.get("elsewhere", "")
    if answer["charges"]:
        return wording.instead(elsewhere, text)
    kinds = list({act["act_id"]: act["kind"] for act in build.searched_acts}.values())
    return " ".join(gone) or wording.declined(text, reason, elsewhere, kinds, day)


def with_judgments(
    build: PublishedBuild, charges: Sequence[dict[str, Any]], day: date, most: int
) -> dict[str, Any]:
    """Charges, each with who overruled it, and the judgments that are suggested."""
    if not most or all(act["kind"] != "judgment" for act in build.acts):
        return {"charges": [charge | {"falls": []} for charge in charges], "landmarks": []}
    judged = case_law(build, day)
    suggested = judged.landmarks([charge["provision_id"] for charge in charges], most)
    return {
        "charges": [c | {"falls": _overrulings(judged, c["provision_id"])} for c in charges],
        "landmarks": [
            {"act": case, "law": judged.titles[case], "falls": _overrulings(judged, case)}
            for case in suggested
        ],
    }


def _overrulings(judged: CaseLaw, node: str) -> list[dict[str, str]]:
    rows = []
    for fall in judged.falls(node):
        source, page = fall["source_id"], f", page {fall['page']}" if fall["page"] else ""
        law = f"{judged.titles[fall['case']]}, paragraph {source.rpartition('para_')[2]}{page}"
        rows.append({"relation": fall["kind"], "law": law, "words": fall["words"], "provision_id": source})
    return rows


def full_text(build: PublishedBuild, charge: _Charge) -> str:
    """The whole text of a charge's provision in the version searched; empty where none was selected."""
    return str(provision_of(build, charge)["text"]) if charge["chunk_id"] else ""


def provision_of(build: PublishedBuild, charge: _Charge) -> dict[str, Any]:
    """The provision of a charge in the version searched."""
    version = date.fromisoformat(charge["version"]) if charge["version"] else None
    return build.provision_row(charge["provision_id"], version)


def later_editions(
    build: PublishedBuild, charges: Iterable[_Charge], day: date, step: date | None = None
) -> list[dict[str, str]]:
    """Acts of charges whose version is newer than a day, each once: ``act``, ``title`` and ``version``.

    ``step``: the day that counts for an Act of procedure; None: the same.
    """
    newer = {c["act"]: c["version"] for c in charges if c["version"] > day.isoformat()}
    editions = [
        {"act": act, "title": build.act(act, date.fromisoformat(version))["title"], "version": version}
        for act, version in newer.items()
    ]
    counts = (step.isoformat() if step and is_procedural(e["title"]) else "" for e in editions)
    return [edition for edition, last in zip(editions, counts, strict=True) if edition["version"] > last]


def _charge(build: PublishedBuild, charge: _Charge, full: bool, question: str, day: date) -> dict[str, Any]:
    """A charge with its address, what replaced its Act, and what amends it and is not in its text."""
    chunk = charge["chunk_id"]
    document, page = build.place(chunk)[1] if chunk else ("", 0)
    file = build.file(document) if chunk else None
    return with_counterparts(build, charge) | {
        "likelihood": wording.likelihood(charge.get("probability")),
        "text": full_text(build, charge) if full else "",
        "url": file.resolve().as_uri() + build.anchor(document, page) if file else "",
        **(_origin(build, charge) if chunk else {}),
        **(pending_in(build, provision_of(build, charge), day, question) if chunk else {}),
    }


def pending_in(
    build: PublishedBuild, row: Mapping[str, Any], day: date, question: str = ""
) -> dict[str, str]:
    """``may_have_changed_since`` and ``may_have_changed`` of a row of ``provisions``; both may be empty."""
    pending = build.pending(row["provision_id"], row["version_date"], day)
    if pending is None:
        return {"may_have_changed_since": "", "may_have_changed": ""}
    by = notices.called_by(build, pending.amended_by, pending.place)
    return {
        "may_have_changed_since": pending.since,
        "may_have_changed": wording.may_have_changed(
            pending.since, by, pending.is_whole, question, pending.inserted
        ),
    }


def _origin(build: PublishedBuild, charge: _Charge) -> dict[str, Any]:
    """Whose law a charge is, by which id, since when, and where it was printed."""
    row = provision_of(build, charge)
    act = build.act(row["act_id"], row["version_date"])
    since = act["effective_date"] or act["in_force_from"]
    is_law = charge["verification"] != "not_in_force"
    return {
        "eli": eli_of(act, row["provision_id"]),
        "legislation": legislation_of(act, row, str(charge["law"]), is_law),
        "jurisdiction": act["jurisdiction"],
        "effective_date": since.isoformat() if since else "",
        "source_url": act["source_url"],
    }


def with_counterparts(build: PublishedBuild, charge: Mapping[str, Any]) -> dict[str, Any]:
    """A charge with ``replacement`` of its Act and ``counterparts`` there, as ``Charge`` has them."""
    act = str(charge["provision_id"]).partition("/")[0]
    nearest_first = build.counterparts(str(charge["provision_id"]))
    rows = [{"act": c.act_id} | {name: getattr(c, name) for name in _COUNTERPART} for c in nearest_first]
    other = replacement(build.acts, act, nearest_first[0] if nearest_first else None)
    return dict(charge) | {"replacement": other, "counterparts": rows}
