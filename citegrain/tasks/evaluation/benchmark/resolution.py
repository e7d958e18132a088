"""Labels against the law: which provisions of a build they are, and which words complaints share."""

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import median

from rapidfuzz import fuzz, process

from citegrain.tasks.core.words import Analyser
from citegrain.tasks.evaluation.benchmark.records import Benchmark, Citation, Record
from citegrain.tasks.law.citations import TEXT_CORPUS

_ALIKE = 85.0


@dataclass(frozen=True)
class Resolution:
    """Which citations of a benchmark are in a build.

    ``provisions``: ids of the provisions of each citation; empty where it is not indexed. ``warnings``: one
    line for each Act and each section that is not in the build.
    """

    provisions: Mapping[Citation, tuple[str, ...]]
    warnings: list[str]


def resolve(
    benchmark: Benchmark, cited: Callable[[str, str], Sequence[str]], acts: Collection[str]
) -> Resolution:
    """Find every citation of a benchmark in a build.

    ``cited``: ids of the provisions that the build knows by (act, section). ``acts``: ids of its Acts.
    """
    queries: dict[Citation, list[str]] = {}
    for record in benchmark:
        for citation in record.applicable:
            queries.setdefault(citation, []).append(record.id)
    provisions: dict[Citation, tuple[str, ...]] = {}
    unknown: dict[str, list[Citation]] = {}
    sections: list[str] = []
    for citation in sorted(queries):
        is_indexed = citation.act in acts
        # the id of a text may look like the label of another Act
        may_be_text = is_indexed or TEXT_CORPUS in acts
        provisions[citation] = tuple(cited(citation.act, citation.section)) if may_be_text else ()
        if provisions[citation]:
            continue
        if not is_indexed:
            unknown.setdefault(citation.act, []).append(citation)
        else:
            concerned = _count(len(queries[citation]), "query", "queries")
            sections.append(
                f"{citation.label}: the Act is in the build, but this section is not ({concerned})"
            )
    warnings = [_unknown_act(act, citations, queries, acts) for act, citations in unknown.items()]
    return Resolution(provisions, warnings + sections)


def _unknown_act(
    act: str, citations: Sequence[Citation], queries: Mapping[Citation, Sequence[str]], acts: Collection[str]
) -> str:
    concerned = {query for citation in citations for query in queries[citation]}
    counts = f"{_count(len(citations), 'citation')}, {_count(len(concerned), 'query', 'queries')}"
    near = _nearest(act, acts)
    hint = f"; did you mean {near}?" if near else ""
    return f"{act}: this Act is not in the build ({counts}){hint}"


def _nearest(act: str, acts: Collection[str]) -> str | None:
    """An Act whose id is written almost so; Acts of two years are two Acts, however alike their titles."""
    same = sorted(a for a in acts if "" in (_year(act), _year(a)) or _year(act) == _year(a))
    best = process.extractOne(act, same, scorer=fuzz.token_sort_ratio, processor=_words, score_cutoff=_ALIKE)
    return best[0] if best else None


def _words(act: str) -> str:
    return act.replace("-", " ")


def _year(act: str) -> str:
    match = re.search(r"(?:^|-)((?:1[6-9]|20)\d\d)$", act)
    return match[1] if match else ""


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


@lru_cache(maxsize=1)
def _analyser() -> Analyser:
    return Analyser("english", "en_plus")


def content_words(text: str) -> frozenset[str]:
    """Distinct words of letters in lower case, without English stop words, as Snowball stems."""
    return frozenset(term for term in _analyser().terms(text) if term.isalpha())


def overlap(complaint: str, provision: str) -> float:
    """Share of the content words of a complaint that occur in a provision; NaN where it has none."""
    words = content_words(complaint)
    return len(words & content_words(provision)) / len(words) if words else math.nan


def overlap_by_register(
    records: Iterable[Record], text_of: Callable[[Citation], str | None]
) -> Mapping[str, tuple[float, int]]:
    """(median overlap with the primary provision, number of complaints) by register.

    Left out are complaints out of scope or of no register, and those whose primary has no text.

    ``text_of``: text of a provision; None or empty where it is not at hand.
    """
    shares: dict[str, list[float]] = {}
    for record in records:
        provision = text_of(record.primary) if record.primary else None
        if record.register and provision:
            share = overlap(record.text, provision)
            if not math.isnan(share):
                shares.setdefault(record.register, []).append(share)
    return {
        register: (median(values), len(values)) for register, values in sorted(shares.items(), reverse=True)
    }
