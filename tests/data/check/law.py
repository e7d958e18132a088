"""The build that the texts of this folder are checked against: the provisions that some Acts have, by number.

``law.json`` has of each Act its names, the numbers of its provisions, and heading and text of those that the
texts cite.
"""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from citegrain.tasks.core.schemas import ACTS, CHUNKS, DOCUMENTS, JUDGMENTS, PROVISIONS, SOURCES
from citegrain.tasks.core.tables import write_table
from citegrain.tasks.law.instruments import PREFIXES
from citegrain.tasks.law.numbers import normal
from citegrain.tasks.online.builds import PublishedBuild

HERE = Path(__file__).parent
LAW: dict[str, Any] = json.loads((HERE / "law.json").read_text(encoding="utf-8"))
SHORT = {row["short"]: act for act, row in LAW.items()}
CASES = {"maneka-gandhi-1978": "AIR 1978 SC 597", "rp-kapur-1960": "AIR 1960 SC 866"}
_DATES = ("in_force_from", "in_force_to")
_NOTE = {"offset": 0, "label": "1", "page": 1, "action": "", "by_act": "", "effective": None}
_LABEL = re.compile(r"\{([^{}|]+)\|([^{}]+) (\w+)\}")


class Label(NamedTuple):
    """A citation that a text has at an offset: act and number; empty where no Act of the build is meant."""

    start: int
    act: str
    number: str
    status: str


def labelled_texts(name: str) -> dict[str, tuple[str, list[Label]]]:
    """Texts of a file with their labels: ``{302|ipc/302 replaced}`` is ``302`` in the text."""
    out = {}
    parts = re.split(r"^=== (\w+)\n", (HERE / f"{name}.txt").read_text(encoding="utf-8"), flags=re.MULTILINE)
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        text, labels, end = "", [], 0
        for match in _LABEL.finditer(body):
            text += body[end : match.start()]
            act, _, number = match[2].partition("/")
            labels.append(Label(len(text), SHORT.get(act, ""), number, match[3]))
            text, end = text + match[1], match.end()
        out[title] = (text + body[end:], labels)
    return out


def _numbers(packed: str) -> list[str]:
    """``1-3 3A`` as 1, 2, 3, 3A."""
    out = []
    for part in packed.split():
        first, dash, last = part.partition("-")
        counted = dash and first.isdigit() and last.isdigit()
        out += [str(n) for n in range(int(first), int(last) + 1)] if counted else [part]
    return out


def _blank(schema: Any, row: dict[str, Any]) -> dict[str, Any]:
    """A row in which what is not given is empty."""
    out = {}
    for field in schema.arrow:
        kind = str(field.type)
        plain: Any = [] if kind.startswith("list") else 0 if kind.startswith("int") else ""
        plain = None if kind.startswith("date") else False if kind == "bool" else plain
        out[field.name] = row.get(field.name, plain)
    return out


def _provisions() -> list[dict[str, Any]]:
    rows = []
    for act, law in LAW.items():
        for kind, packed in law["numbers"].items():
            for number in _numbers(packed):
                detail = law["details"].get(normal(number), {})
                last = date.fromisoformat(law["in_force_to"]) if "in_force_to" in law else None
                rows.append(
                    {"act_id": act, "kind": kind, "number": number, "status": "in_force", "valid_to": last}
                    | {"provision_id": f"{act}/{PREFIXES.get(kind, kind)}_{normal(number)}"}
                    | {"notes": [_NOTE | {"text": detail["note"]}] if "note" in detail else []}
                    | {k: v for k, v in detail.items() if k in ("heading", "text", "status")}
                )
    return rows


def law_build(folder: Path) -> PublishedBuild:
    """The build, written to a folder."""
    acts = [
        {
            "act_id": act,
            "kind": "act",
            "language": "en",
            "active": True,
            "replaced_by": law.get("replaced_by"),
        }
        | {name: law[name] for name in ("title", "aliases", "number")}
        | {name: date.fromisoformat(law[name]) for name in _DATES if name in law}
        for act, law in LAW.items()
    ]
    acts += [
        {
            "act_id": case,
            "kind": "judgment",
            "language": "en",
            "active": True,
            "title": case,
            "document_id": case,
        }
        for case in CASES
    ]
    judgments = [
        {"document_id": case, "case_name": case, "citations": [words]} for case, words in CASES.items()
    ]
    for schema, rows in (
        (ACTS, acts),
        (PROVISIONS, _provisions()),
        (JUDGMENTS, judgments),
        *((schema, []) for schema in (CHUNKS, DOCUMENTS, SOURCES)),
    ):
        write_table(folder / schema.file, schema.rows([_blank(schema, row) for row in rows]), schema)
    return PublishedBuild(folder, {}, folder)
