"""The one builder of answers, to a question just asked or to one of a study."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from citegrain.tasks.core.schemas import JUDGMENTS
from citegrain.tasks.law.asof import AsOf
from citegrain.tasks.law.counterparts import replacement
from citegrain.tasks.online.answer.schema import Answer, ModelCalls
from citegrain.tasks.online.answer.wording import NO_ADVICE, declined, instead, likelihood, remarks
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.cascade import Cascade, CascadeResult
from citegrain.tasks.online.graph import CaseLaw

_COUNTERPART = ("section", "heading", "provision_id", "relation", "source")
QUESTION = "q"
"""Id of the one question."""
_Charge = Mapping[str, Any]


def answer_of(cascade: Cascade, text: str, as_of: AsOf, result: CascadeResult, full: bool = False) -> Answer:
    """The answer to one question, from what the cascade gave for it."""
    (row,) = result.answers.to_pylist()
    answer = make_answer(cascade.build, text, as_of, row, full, cascade.config.generate.landmarks)
    return answer.model_copy(update={"remarks": list(remarks(result.tables))})


def make_answer(
    build: PublishedBuild,
    text: str,
    as_of: AsOf,
    row: Mapping[str, Any],
    full: bool = False,
    landmarks: int = 0,
) -> Answer:
    """What was asked and read, the charges, and how they were checked.

    Parameters
    ----------
    full
        Whether each charge has the whole text of its provision.
    landmarks
        How many judgments are suggested at most; 0 also leaves out which were overruled.
    """
    answer: dict[str, Any] = json.loads(row["answer"]) if row["answer"] else {"charges": [], "note": ""}
    answer["charges"] = [_charge(build, charge, full) for charge in answer["charges"]]
    answer |= with_judgments(build, answer["charges"], as_of.day, landmarks)
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
        "reply": {name: row[name] for name in ModelCalls.model_fields},
        "advice": NO_ADVICE,
    }
    return Answer.model_validate(content)


def with_judgments(
    build: PublishedBuild, charges: Sequence[dict[str, Any]], day: date, most: int
) -> dict[str, Any]:
    """Charges, each with who overruled it, and the judgments that are suggested."""
    given = {act["document_id"]: act["act_id"] for act in build.acts if act["kind"] == "judgment"}
    if not most or not given:
        return {"charges": [charge | {"falls": []} for charge in charges], "landmarks": []}
    decided = {given[row["document_id"]]: row["date"] for row in build.table(JUDGMENTS).to_pylist()}
    judged = CaseLaw(build.graph_tables, decided, day)
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
        case, _, paragraph = fall.source.partition("/")
        page = f", page {fall.page}" if fall.page else ""
        law = f"{judged.titles[case]}, paragraph {paragraph.rpartition('para_')[2]}{page}"
        rows.append({"relation": fall.relation, "law": law, "words": fall.words, "provision_id": fall.source})
    return rows


def full_text(build: PublishedBuild, charge: _Charge) -> str:
    """The whole text of a charge's provision in the version searched; empty where none was selected."""
    return str(provision_of(build, charge)["text"]) if charge["chunk_id"] else ""


def provision_of(build: PublishedBuild, charge: _Charge) -> dict[str, Any]:
    """The provision of a charge in the version searched."""
    version = date.fromisoformat(charge["version"]) if charge["version"] else None
    return build.provision(charge["provision_id"], version)


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

    Returns the charge with ``replacement``, as :func:`law.counterparts.replacement` gives it, and with
    ``counterparts``, a list of {act, section, heading, provision_id, relation, source}, nearest first.
    """
    act = str(charge["provision_id"]).partition("/")[0]
    nearest_first = build.counterparts(str(charge["provision_id"]))
    rows = [{"act": c.act_id} | {name: getattr(c, name) for name in _COUNTERPART} for c in nearest_first]
    other = replacement(build.acts, act, nearest_first[0] if nearest_first else None)
    return dict(charge) | {"replacement": other, "counterparts": rows}
