"""What a judgment cites: provisions as rows of ``references``, other cases as rows of ``precedents``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rapidfuzz import fuzz, process

from citegrain.tasks.kinds.judgments.precedents import Precedent, Precedents
from citegrain.tasks.law.cases import Statutes
from citegrain.tasks.law.citations import PARAGRAPH
from citegrain.tasks.offline.corpus import Registry, slug
from citegrain.tasks.offline.tag import KnownActs, known_acts

_SOURCES = (PARAGRAPH, "headnote")
_SAME_TITLE = 90.0
Row = Mapping[str, Any]


def tag(rows: Sequence[Row], registry: Registry) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What a judgment cites, of Acts that the registry knows."""
    return cited_by_judgment(rows, known_acts(registry))


def cited_by_judgment(
    rows: Sequence[Row], known: KnownActs
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows of ``references`` and of ``precedents`` of one judgment.

    Parameters
    ----------
    rows
        Its rows of ``provisions``, in reading order.
    known
        Acts that it may name.
    """
    sources = [row for row in rows if row["kind"] in _SOURCES]
    whole = [row["text"] for row in sources] + [note["text"] for row in sources for note in row["notes"]]
    statutes = Statutes("\n".join(whole), known.names, _identify(known))
    references = [
        {
            "source_id": row["provision_id"],
            "act_id": row["act_id"],
            "text": cited.text,
            "offset": row["text_start"] + cited.offset,
            "target_act": cited.act,
            "target_id": cited.target_id,
            "resolved": "no",
        }
        for row, hits in zip(sources, statutes.find([row["text"] for row in sources]), strict=True)
        for cited in hits
    ]
    return references, _precedents(sources)


def _precedents(sources: Sequence[Row]) -> list[dict[str, Any]]:
    """Cases named in the text, and those that only a footnote names; these stand where it is marked."""
    cases = Precedents()
    return [
        {
            "source_id": row["provision_id"],
            "act_id": row["act_id"],
            "offset": offset,
            "name": case.name,
            "citations": [citation.text for citation in case.citations],
            "relation": case.relation,
            "words": case.words,
            "target_act": None,
        }
        for row in sources
        for offset, case in _cases(cases, row)
    ]


def _cases(cases: Precedents, row: Row) -> Iterator[tuple[int, Precedent]]:
    start = row["text_start"]
    for case in cases.find(row["text"], [(note["offset"] - start, note["text"]) for note in row["notes"]]):
        yield start + case.start, case
    for note in row["notes"]:
        for case in cases.find(note["text"]):
            if case.name:
                yield note["offset"], case


def _identify(known: KnownActs) -> Callable[[str], str]:
    """From a title with its year to an id: small differences of spelling do not count."""
    # Evidence Act, 1872: a name that the registry has beside the title, with the title's year
    named = {
        slug(f"{alias}, {title[-4:]}"): act for act, title, aliases in known.names for alias in aliases
    } | dict(known.by_title)

    def identify(title: str) -> str:
        name = slug(title)
        year = re.search(r"\d{4}$", name)
        if name in named or not year:
            return named.get(name, name)
        alike = [other for other in known.by_title if other.endswith(year[0])]
        best = process.extractOne(name, alike, scorer=fuzz.token_sort_ratio, score_cutoff=_SAME_TITLE)
        return known.by_title[best[0]] if best else name

    return identify
