"""What is said of an answer, to a question just asked or to one of a study: one builder for all."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from citegrain.flows.shared.answer import Answer, Reply
from citegrain.tasks.core.schemas import JUDGMENTS, NODES
from citegrain.tasks.law.asof import AsOf
from citegrain.tasks.law.counterparts import replacement
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.graph import Judged, around
from citegrain.tasks.online.sheet import (
    Picture,
    PictureError,
    draw_page,
    make_sheet,
    neighbours_picture,
    short_titles,
)
from citegrain.tasks.online.wording import NO_ADVICE, declined, instead, likelihood

_COUNTERPART = ("section", "heading", "provision_id", "relation", "source")
_PICTURED = 5  # charges whose neighbourhood is drawn
_Charge = Mapping[str, Any]


def answer_content(
    build: PublishedBuild,
    text: str,
    as_of: AsOf,
    row: Mapping[str, Any],
    full: bool = False,
    landmarks: int = 0,
) -> dict[str, Any]:
    """An answer as ``Answer`` has it: what was asked and read, the charges, and how they were checked.

    Parameters
    ----------
    row
        Of table ``answers``.
    full
        Whether each charge has the whole text of its provision.
    landmarks
        How many judgments are suggested at most; 0 also leaves out which were overruled.
    """
    answer: dict[str, Any] = json.loads(row["answer"]) if row["answer"] else {"charges": [], "note": ""}
    answer["charges"] = [_charge(build, charge, full) for charge in answer["charges"]]
    answer |= beside(build, answer["charges"], as_of.day, landmarks)
    read, day = build.encoded_part(text), as_of.as_dict()
    kinds = list({act["act_id"]: act["kind"] for act in build.acts}.values())
    why = answer.get("reason", ""), answer.get("elsewhere", "")
    silent = not answer["charges"] and not row["error"]
    content = {
        "query": text,
        "words": {
            "asked": len(text.split()),
            "encoded": len(read.split()),
            "cut": text[len(read) :].strip(),
        },
        "as_of": day,
        "build": f"{build.folder.parent.name}/{build.folder.name}",
        **answer,
        "message": declined(text, *why, kinds, day["day"]) if silent else instead(why[1]),
        "abstained": row["abstained"],
        "error": row["error"],
        "checked": {name: row[name] for name in row if name.startswith("n_")},
        "reply": {name: row[name] for name in Reply.model_fields},
        "advice": NO_ADVICE,
    }
    return Answer.model_validate(content).model_dump(exclude={"explanation", "trace"})


def beside(build: PublishedBuild, charges: Sequence[dict[str, Any]], day: date, most: int) -> dict[str, Any]:
    """Charges, each with who overruled it, and the judgments that are suggested."""
    given = {act["document_id"]: act["act_id"] for act in build.acts if act["kind"] == "judgment"}
    if not most or not given:
        return {"charges": [charge | {"falls": []} for charge in charges], "landmarks": []}
    decided = {given[row["document_id"]]: row["date"] for row in build.table(JUDGMENTS).to_pylist()}
    judged = Judged(build.graph_tables, decided, day)
    suggested = judged.landmarks([charge["provision_id"] for charge in charges], most)
    return {
        "charges": [c | {"falls": _falls(judged, c["provision_id"])} for c in charges],
        "landmarks": [
            {"act": case, "law": judged.titles[case], "falls": _falls(judged, case)} for case in suggested
        ],
    }


def _falls(judged: Judged, node: str) -> list[dict[str, str]]:
    rows = []
    for fall in judged.falls(node):
        case, _, paragraph = fall.source.partition("/")
        page = f", page {fall.page}" if fall.page else ""
        law = f"{judged.titles[case]}, paragraph {paragraph.rpartition('para_')[2]}{page}"
        rows.append({"relation": fall.relation, "law": law, "words": fall.words, "provision_id": fall.source})
    return rows


def answer_sheet(
    build: PublishedBuild,
    content: Mapping[str, Any],
    explanation: Sequence[Mapping[str, Any]] = (),
    seconds: Mapping[str, float] | None = None,
    trace: Sequence[Mapping[str, Any]] = (),
) -> str:
    """An answer as one HTML page, each provision with its page of the PDF where that is at hand."""
    charges = [charge | {"text": full_text(build, charge)} for charge in content["charges"]]
    pictures = {c["provision_id"]: _picture(build, c) for c in charges if c["chunk_id"]}
    neighbours = neighbours_of(build, [str(c["provision_id"]) for c in charges[:_PICTURED]])
    return make_sheet(
        dict(content) | {"charges": charges}, explanation, pictures, seconds or {}, neighbours, trace
    )


def neighbours_of(build: PublishedBuild, ids: Sequence[str]) -> dict[str, Any]:
    """What some provisions cite and what cites them, to be drawn; empty where the build has no graph."""
    if not build.has(NODES):
        return {}
    return neighbours_picture(around(build.graph_tables, ids), short_titles(build.acts))


def full_text(build: PublishedBuild, charge: _Charge) -> str:
    """The whole text of a charge's provision in the version searched; empty where none was selected."""
    return str(_provision(build, charge)["text"]) if charge["chunk_id"] else ""


def _provision(build: PublishedBuild, charge: _Charge) -> dict[str, Any]:
    version = date.fromisoformat(charge["version"]) if charge["version"] else None
    return build.provision(charge["provision_id"], version)


def _picture(build: PublishedBuild, charge: _Charge) -> Picture | str:
    """The page on which a charge stands, or why it is not shown; nothing for what is no PDF."""
    document = build.place(charge["chunk_id"])[1][0]
    if not charge["link"].lower().partition("#")[0].endswith(".pdf"):
        return ""
    pdf = build.file(document)
    if pdf is None:
        return "the PDF is not at hand: add corpus.path=DIR"
    row = _provision(build, charge)
    text = f"{row['number']} {row['heading']} {row['text']}"
    try:
        return draw_page(pdf, document, (row["page_start"], row["page_end"]), text, charge["evidence"])
    except PictureError as error:
        return str(error)


def _charge(build: PublishedBuild, charge: _Charge, full: bool) -> dict[str, Any]:
    """A charge with its address, and with what replaced its Act."""
    chunk = charge["chunk_id"]
    document, page = build.place(chunk)[1] if chunk else ("", 0)
    file = build.file(document) if chunk else None
    return _with_counterparts(build, charge) | {
        "likelihood": likelihood(charge.get("probability")),
        "text": full_text(build, charge) if full else "",
        "url": file.resolve().as_uri() + build.anchor(document, page) if file else "",
    }


def _with_counterparts(build: PublishedBuild, charge: Mapping[str, Any]) -> dict[str, Any]:
    """A charge with what replaced its Act, or was replaced by it, and with its counterparts there.

    Returns
    -------
    dict
        The charge with ``replacement``, as :func:`law.counterparts.replacement` gives it, and with
        ``counterparts``, a list of {act, section, heading, provision_id, relation, source}, nearest first.
    """
    act = str(charge["provision_id"]).partition("/")[0]
    nearest_first = build.counterparts(str(charge["provision_id"]))
    rows = [{"act": c.act_id} | {name: getattr(c, name) for name in _COUNTERPART} for c in nearest_first]
    other = replacement(build.acts, act, nearest_first[0] if nearest_first else None)
    return dict(charge) | {"replacement": other, "counterparts": rows}
