"""A trace in words."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from textwrap import shorten
from typing import Any

import pyarrow as pa

from citegrain.tasks.published.controller.operations import BUDGET, RESOLVED, SILENT, SUFFICIENT
from citegrain.tasks.published.controller.records import DECIDE, PLAN, READ, REFLECT, RETRIEVE

_LONGEST = 160  # characters of a text that are shown
_WHY = {
    SUFFICIENT: "ends: confident enough",
    RESOLVED: "ends: nothing is unresolved",
    BUDGET: "ends: the rounds are spent",
    SILENT: "ends: nothing else to search for",
    "": "goes on",
}


def traced(traces: pa.Table) -> list[dict[str, Any]]:
    """The operations on one complaint, each with ``what`` it did in a sentence."""
    rows = []
    for row in traces.to_pylist():
        content = json.loads(row.pop("content"))
        del row["query_id"]
        rows.append(row | {"what": _SENTENCES[row["operation"]](content), "content": content})
    return rows


def _plan(content: Mapping[str, Any]) -> str:
    parts = [f"sub-question: {_short(s)}" for s in content["subquestions"]]
    return "; ".join([*parts, *(f"searches: {_short(q)}" for q in content["queries"])]) or "nothing new"


def _retrieve(content: Mapping[str, Any]) -> str:
    firsts = [", ".join(p["provision_id"] for p in passages[:3]) for passages in content["passages"]]
    return "; ".join(
        f"{len(p)} passages, first {f}" for p, f in zip(content["passages"], firsts, strict=True)
    )


def _read(content: Mapping[str, Any]) -> str:
    said = [f"{p['provision_id']}: {_short(p['text'])}" for p in content["propositions"]]
    return "; ".join(said) or "no proposition"


def _reflect(content: Mapping[str, Any]) -> str:
    return ", ".join(f"{n} {state}" for state, n in Counter(content["states"]).items()) or "no sub-question"


def _decide(content: Mapping[str, Any]) -> str:
    signals = f"coverage {content['coverage']:.2f}, agreement {content['agreement']:.2f}"
    return f"{signals}; {_WHY[content['stop']]}"


def _short(text: str) -> str:
    return shorten(text, _LONGEST, placeholder=" …")


_SENTENCES = {PLAN: _plan, RETRIEVE: _retrieve, READ: _read, REFLECT: _reflect, DECIDE: _decide}
