"""Cases, judges and years that a question names, and the best of what was picked by them."""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from citegrain.tasks.core.runs import Ranked
from citegrain.tasks.core.schemas import JUDGMENTS
from citegrain.tasks.kinds.judgments import read_name, same_judge
from citegrain.tasks.law.citations import find_citations, name_key
from citegrain.tasks.law.instruments import ACT_NOUNS
from citegrain.tasks.online.builds import PublishedBuild

_YEAR = re.compile(r"(?<![\w/.,-])(?:1[89]|20)\d\d(?![\w/-]|[.,]\d)")
_OF_TITLE = re.compile(rf"(?:{ACT_NOUNS}|Rules|Regulations),?\s*(?:of\s+)?$", re.IGNORECASE)
_WITHIN = 0.2  # below the distance of two levels
_CASE = re.compile(r"\b[A-Z][\w.'’&-]*\s+(?:v|vs|versus)\.?\s+(?:the\s+)?[A-Z]")
_JUDGE = re.compile(
    r"(?:\bJustice|\bHon['’]?ble\s+(?:Mr\.?\s+)?Justice|\bJudge)\s+(?P<name>(?:[A-Z][\w.’'-]*\s*){1,4})|"
    r"\b(?P<before>(?:[A-Z][\w.’'-]*\s+){0,3}[A-Z][\w’'-]+),?\s+(?:CJI|C\.J\.|JJ?\.)"
)


def years_named(query: Mapping[str, Any]) -> list[int]:
    """Years that a question names, and is not only the year of an Act's title."""
    text = query["text"]
    years = [int(m[0]) for m in _YEAR.finditer(text) if not _OF_TITLE.search(text[: m.start()])]
    return list(dict.fromkeys([*years, *(day.year for day in query["dates"])]))


def judgments(build: PublishedBuild) -> dict[str, dict[str, Any]]:
    """Rows of ``judgments`` by act_id, which the build keeps."""
    return build.shared("judgments by act", lambda: _judgments(build))


def _judgments(build: PublishedBuild) -> dict[str, dict[str, Any]]:
    acts = {act["document_id"]: act["act_id"] for act in build.acts}
    rows = build.table(JUDGMENTS).to_pylist()
    return {acts[row["document_id"]]: row for row in rows if row["document_id"] in acts}


def judges_named(build: PublishedBuild, text: str) -> list[str]:
    """The judges of the build whom a question names, by a title beside the name or by the full name."""
    names = [name for m in _JUDGE.finditer(text) if (name := read_name(m["name"] or m["before"]))]
    bench = dict.fromkeys(judge for row in judgments(build).values() for judge in row["bench"])
    plain = f" {_plain(text)} "
    return [
        judge
        for judge in bench
        if any(same_judge(name, judge) for name in names)
        or (len(_plain(judge).split()) > 1 and f" {_plain(judge)} " in plain)
    ]


def cases_named(build: PublishedBuild, text: str) -> list[str]:
    """Judgments of the build that a question names: by both parties, or by a citation."""
    plain, cited = f" {_plain(text)} ", {hit.key for hit in find_citations(text)}
    out = []
    for act_id, row in judgments(build).items():
        keys = {hit.key for one in row["citations"] for hit in find_citations(one)}
        if keys & cited or _names(row["case_name"], plain):
            out.append(act_id)
    return out


def what_is_named(build: PublishedBuild, query: Mapping[str, Any]) -> set[str]:
    """Which of ``provision``, ``year``, ``judge`` and ``case`` a query names."""
    evidence = {
        "provision": query["mentions"],
        "year": years_named(query),
        "judge": judges_named(build, query["text"]),
        "case": _CASE.search(query["text"]) or cases_named(build, query["text"]),
    }
    return {what for what, hits in evidence.items() if hits}


def _names(case: str, plain: str) -> bool:
    """Whether a text has both parties of a case by the first words of each, and a "v" between."""
    sides: Sequence[str] = [
        " ".join(side.split()[:2]) for side in re.split(r"\bv\b", name_key(case), maxsplit=1)
    ]
    if len(sides) != 2 or not all(sides):
        return False
    return bool(re.search(rf" {re.escape(sides[0])}.*? (?:v|vs|versus) .*?{re.escape(sides[1])}", plain))


def _plain(text: str) -> str:
    return re.sub(r"[^a-z]+", " ", text.lower()).strip()


def on_days(days: Sequence[date], years: Sequence[int], day: date | None) -> float:
    """1 where a day is one of some days, a half where it is of one of some years, else 0."""
    if day is None:
        return 0.0
    return 1.0 if day in days else 0.5 if day.year in years else 0.0


def best_among(
    build: PublishedBuild, query: Mapping[str, Any], levels: Mapping[int, float], k: int
) -> Ranked:
    """The ``k`` rows of the highest level, those of one level by BM25; the score is both.

    ``levels``: level by row, in steps of a quarter or more.
    """
    if not levels:
        return []
    words = build.sparse_scores(query["text"])
    most = max(float(words[list(levels)].max()), 1e-9)
    scores = {row: level + _WITHIN * float(words[row]) / most for row, level in levels.items()}
    best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:k]
    return [(build.chunk_ids[row], score) for row, score in best]
