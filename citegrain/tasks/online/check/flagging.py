"""Citations in the words of a model: a flag beside each that is wrong, and a report of them all."""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Any

from citegrain.tasks.core.schemas import JUDGMENTS, NODES
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.check.checking import EARLIER, Checker
from citegrain.tasks.online.check.schema import NOT_IN_FORCE, UNTRUE, CheckedCitation
from citegrain.tasks.online.graph import case_law

_MAY_CITE = re.compile(r"\d|\bv(?:s|ersus)?\b|\bActs?\b|\bCode\b|\bConstitution\b")
_UNKNOWN = ("not_indexed", "act_not_named")
_VERDICTS = {"hallucinated": UNTRUE, "not_in_force": NOT_IN_FORCE, "unknown": _UNKNOWN}
_FLAGS = {"hallucinated": "UNVERIFIED", "overruled": "OVERRULED", "not_in_force": "NOT IN FORCE"}
_REASONS = {"hallucinated": "no such case is indexed", "overruled": "other judgments say so"}


def flag_citations(
    build: PublishedBuild, texts: Sequence[str], day: date | None
) -> tuple[list[str], dict[str, Any]]:
    """Texts with a flag such as `` [UNVERIFIED: ...]`` behind each wrong citation, and the report.

    The report (section 9.6.1 of the KG-CiteRAG system): ``total``, ``valid``, ``hallucinated``,
    ``overruled``, ``not_in_force``, ``unknown`` and ``rate``, the share of the valid among those that can be
    looked up, null without one; ``details`` of all that are not valid. A case is unknown where the build has
    no judgments. ``day``: whose law counts; None: the latest.
    """
    counts: Counter[str] = Counter()
    checker = build.shared("checker", lambda: Checker(build))
    details, out = [], []
    for text in texts:
        parts, end = [], 0
        for citation in checker.check(text, day or date.max) if _MAY_CITE.search(text) else ():
            verdict = _verdict(build, citation, text, day or date.max)
            counts[verdict] += 1
            if verdict == "valid":
                continue
            details.append({"words": citation.words, "verdict": verdict, "message": citation.message})
            if verdict in _FLAGS:
                last = citation.end + (text[citation.end : citation.end + 1] == "]")
                parts += [text[end:last], f" [{_FLAGS[verdict]}: {citation.message or _REASONS[verdict]}]"]
                end = last
        out.append("".join([*parts, text[end:]]))
    looked_up = counts.total() - counts["unknown"]
    report = {"total": counts.total(), "valid": counts["valid"]}
    report |= {name: counts[name] for name in ("hallucinated", "overruled", "not_in_force", "unknown")}
    return out, report | {"rate": counts["valid"] / looked_up if looked_up else None, "details": details}


def _verdict(build: PublishedBuild, citation: CheckedCitation, text: str, day: date) -> str:
    """``valid``, or why not. What is said of law that is gone is right where the sentence says so."""
    verdict = next((v for v, statuses in _VERDICTS.items() if citation.status in statuses), "valid")
    sentence = text[text.rfind(". ", 0, citation.start) + 1 : citation.end + 120].split(". ")[0]
    if verdict == "not_in_force" and EARLIER.search(sentence):
        return "valid"
    if citation.kind != "case" or not build.has(JUDGMENTS):
        return verdict
    if not citation.act:
        cases = any(act["kind"] == "judgment" for act in build.acts)
        return "hallucinated" if cases else "unknown"
    falls = build.has(NODES) and case_law(build, day).falls(citation.act)
    return "overruled" if falls else verdict
