"""Channel ``entity``: chunks by the provisions, Acts and cases that they mention."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from citegrain.tasks.core.runs import Ranked
from citegrain.tasks.law.in_force import Mask
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.published.mentions import cases_named

_PER = 100  # tokens


def entity(
    build: PublishedBuild, queries: Sequence[Mapping[str, Any]], eligible: Mask, *, k: int
) -> dict[str, Ranked]:
    """The ``k`` chunks that mention most of what a query names, then most densely.

    The score is the number of sections, Articles, Acts and cases mentioned of those named, and below one
    d / (1 + d) of the density d, their mentions a hundred tokens. A provision that is named comes before what
    mentions it: its density counts as 1. Source: KG-CiteRAG 6.5, which counts them.
    """
    index = build.shared("mentions of entities", lambda: _index(build))
    ranked = {}
    for query in queries:
        hits: Counter[int] = Counter()
        mentions: Counter[int] = Counter()
        itself: set[int] = set()
        for targets in _entities(build, query):
            here: Counter[int] = Counter()
            for target in targets:
                here.update(index.get(target, {}))
            itself.update(rows := {row for target in targets for row in build.rows_of(target)})
            here.update(rows)
            mentions.update(here)
            hits.update(dict.fromkeys(here, 1))
        scores = {
            row: hits[row] + (1.0 if row in itself else _density(build, row, n))
            for row, n in mentions.items()
            if eligible[row]
        }
        best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:k]
        ranked[query["query_id"]] = [(build.chunk_ids[row], score) for row, score in best]
    return ranked


def _density(build: PublishedBuild, row: int, mentions: int) -> float:
    density = mentions * _PER / max(1, build.passage(row)["n_tokens"])
    return float(density / (1 + density))


def _entities(build: PublishedBuild, query: Mapping[str, Any]) -> list[list[str]]:
    """What a query names, each as the ids of the nodes that it may be; an Act of a section named is none."""
    provisions = [build.cited(m["kind"], m["number"], m["act_id"]) for m in query["mentions"]]
    of_provisions = {m["act_id"] for m in query["mentions"]}
    acts = [[act] for act in query["acts"] if act not in of_provisions]
    return [*provisions, *acts, *([case] for case in cases_named(build, query["text"]))]


def _index(build: PublishedBuild) -> dict[str, Counter[int]]:
    """How often each chunk mentions a provision, an Act or a case, by its id."""
    places: dict[str, list[tuple[int, int, int]]] = {}
    for row, chunk_id in enumerate(build.chunk_ids):
        chunk = build.chunk(chunk_id)
        places.setdefault(chunk["citation"] or "", []).append((chunk["char_start"], chunk["char_end"], row))
    edges = build.graph_tables["edges"].select(["source_id", "target_id", "kind", "offset"]).to_pydict()
    out: dict[str, Counter[int]] = {}
    for source, target, kind, offset in zip(*edges.values(), strict=True):
        if target is None or kind in ("part_of", "amended_by", "replaced_by", "conflicts", "derived_from"):
            continue
        for start, end, row in places.get(source, ()):
            if start <= offset < end:
                out.setdefault(target, Counter())[row] += 1
                break
    return out
