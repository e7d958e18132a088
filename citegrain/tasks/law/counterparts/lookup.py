"""Which provision of a new code took the place of an old one, and the other way round.

People name the section they have heard of, which may be of a code that was replaced, or of one that had
not begun. The user's table says what became of it, else the sections of the two Acts are matched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from citegrain.tasks.law.counterparts.matching import Section, match_sections
from citegrain.tasks.law.counterparts.table import Correspondence, plain_name

SUCCESSOR, PREDECESSOR = "successor", "predecessor"
TABLE, MATCHED = "table", "matched"
_PUNISHES = "punishment"


@dataclass(frozen=True, slots=True)
class Counterpart:
    """A provision of the other Act.

    Attributes
    ----------
    act_id, provision_id, section, heading
        Of the counterpart.
    relation
        ``successor`` of a provision that was replaced, ``predecessor`` of one that replaced it.
    source
        ``table`` if the user's table names it, ``matched`` if headings and texts were matched.
    score
        Of the match; 0 where the table names it.
    """

    act_id: str
    provision_id: str
    section: str
    heading: str
    relation: str
    source: str
    score: float = 0.0


class Counterparts:
    """Counterparts between Acts of which one replaced the other.

    Parameters
    ----------
    acts
        Rows of ``acts``; ``replaced_by`` says of which the sections are matched.
    provisions
        Rows of ``provisions`` of an Act, by its id.
    table
        The user's table, of any two Acts. It goes before what is matched, section by section of the old Act.
    """

    def __init__(
        self,
        acts: Iterable[Mapping[str, Any]],
        provisions: Callable[[str], Sequence[Mapping[str, Any]]],
        table: Correspondence | None = None,
    ) -> None:
        rows = list(acts)
        self._names = {a["act_id"]: (a["act_id"], a["title"], *a["aliases"]) for a in rows}
        pairs = ((a["act_id"], a["replaced_by"]) for a in rows if a["replaced_by"] in self._names)
        self._replaced = list(dict.fromkeys(pairs))
        self._provisions = provisions
        self._table = table
        self._pairs = list(dict.fromkeys([*self._replaced, *self._pairs_of_table()]))
        self._computed: dict[tuple[str, str], dict[str, list[Counterpart]]] = {}

    def of(self, provision_id: str) -> list[Counterpart]:
        """Counterparts of a provision: its successor first, then its predecessors, the nearest first.

        Of predecessors alike one that punishes comes before one that defines.
        """
        act = provision_id.split("/")[0]
        pairs = [pair for pair in self._pairs if act in pair]
        return [c for pair in pairs for c in self._between(*pair).get(provision_id, ())]

    def unknown(self) -> list[str]:
        """Sections of the table that are not in the build, as ``IPC 999``, each once."""
        if self._table is None:
            return []
        acts = dict.fromkeys(act for pair in self._pairs for act in pair)
        sections = {act: _sections(self._provisions(act)).keys() for act in acts}
        by_name = {plain_name(name): act for act in sections for name in self._names[act]}
        pairs = [((a, s), (b, t)) for a, s, b, t in self._table.rows]
        of_table = dict.fromkeys(n for pair in pairs for n in pair if n[1])
        return [
            f"{act} {s}" for act, s in of_table if s not in sections.get(by_name.get(plain_name(act), ""), ())
        ]

    def _pairs_of_table(self) -> Iterator[tuple[str, str]]:
        """Acts that are here and of which the table has sections, whether or not the registry pairs them."""
        by_name = {plain_name(name): act for act, names in self._names.items() for name in names}
        for old, _, new, _ in self._table.rows if self._table else ():
            first, second = by_name.get(plain_name(old)), by_name.get(plain_name(new))
            if first and second and first != second:
                yield first, second

    def _between(self, old: str, new: str) -> dict[str, list[Counterpart]]:
        """Counterparts of the provisions of two Acts, worked out once."""
        if (old, new) not in self._computed:
            out: dict[str, list[Counterpart]] = {}
            for first, second, source, score in self._links(old, new):
                there = _counterpart(new, second, SUCCESSOR, source, score)
                back = _counterpart(old, first, PREDECESSOR, source, score)
                out.setdefault(first["provision_id"], []).append(there)
                out.setdefault(second["provision_id"], []).append(back)
            self._computed[old, new] = {
                p: sorted(counterparts, key=_nearness) for p, counterparts in out.items()
            }
        return self._computed[old, new]

    def _links(self, old: str, new: str) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any], str, float]]:
        """Old section, new section, source and score."""
        olds, news = (_sections(self._provisions(act)) for act in (old, new))
        by_table: dict[str, list[str]] = {}
        if self._table is not None:
            by_table = self._table.between(self._names[old], self._names[new])
        for number, successors in by_table.items():
            for successor in successors:
                if number in olds and successor in news:
                    yield olds[number][0], news[successor][0], TABLE, 0.0
        if (old, new) not in self._replaced:
            return
        first, second = list(olds.values()), list(news.values())
        for link in match_sections([s for _, s in first], [s for _, s in second]):
            row = first[link.old][0]
            if _number(row) not in by_table:
                yield row, second[link.new][0], MATCHED, link.score


def _sections(provisions: Sequence[Mapping[str, Any]]) -> dict[str, tuple[Mapping[str, Any], Section]]:
    """Sections of an Act that are law or were it to its end, by number in capitals, in its order."""
    by_id = {p["provision_id"]: p for p in provisions}
    parts: dict[str, list[str]] = {}
    for p in provisions:
        if p["kind"] in ("subsection", "clause"):
            above: Mapping[str, Any] | None = p
            while above is not None and above["kind"] != "section":
                above = by_id.get(above["parent_id"])
            if above is not None:
                parts.setdefault(above["provision_id"], []).append(p["text"])
    return {
        _number(p): (p, Section(p["heading"], p["text"], parts.get(p["provision_id"], ())))
        for p in provisions
        if p["kind"] == "section" and p["status"] == "in_force"
    }


def _number(provision: Mapping[str, Any]) -> str:
    return str(provision["number"]).upper()


def _counterpart(act: str, row: Mapping[str, Any], relation: str, source: str, score: float) -> Counterpart:
    return Counterpart(act, row["provision_id"], row["number"], row["heading"], relation, source, score)


def _nearness(counterpart: Counterpart) -> tuple[bool, bool, float]:
    punishes = counterpart.relation == PREDECESSOR and _PUNISHES in counterpart.heading.lower()
    return counterpart.source != TABLE, not punishes, -counterpart.score


def changes_of(acts: Iterable[Mapping[str, Any]]) -> list[date]:
    """First days of the Acts that replaced others, from rows of ``acts``, in order."""
    days = (_first_day(act) for act in acts if act["replaced_by"])
    return sorted({day for day in days if day is not None})


def replacement(
    acts: Sequence[Mapping[str, Any]], act_id: str, nearest: Counterpart | None = None
) -> dict[str, Any] | None:
    """Which Act replaced one, or was replaced by it, and since when; None for most Acts.

    Parameters
    ----------
    nearest
        The nearest counterpart of a provision of it. Its Act is returned: one Act may replace several, and
        the user's table may name Acts that the registry does not pair.

    Returns
    -------
    dict or None
        ``relation`` of the other to this one, ``act`` and ``title`` of the other, ``since`` as ISO day,
        ``in_build`` whether the build has it.
    """
    titles = {act["act_id"]: act["title"] for act in acts}
    for act in acts:
        pair = (act["act_id"], act["replaced_by"])
        if not act["replaced_by"] or act_id not in pair or (nearest and nearest.act_id not in pair):
            continue
        old = act_id == act["act_id"]
        other = act["replaced_by"] if old else act["act_id"]
        since = _first_day(act)
        return {
            "relation": SUCCESSOR if old else PREDECESSOR,
            "act": other,
            "title": titles.get(other, other),
            "since": since.isoformat() if since else "",
            "in_build": other in titles,
        }
    if nearest is None:
        return None
    other = nearest.act_id
    return {"relation": nearest.relation, "act": other, "title": titles[other], "since": "", "in_build": True}


def _first_day(replaced: Mapping[str, Any]) -> date | None:
    """First day of the law that replaced an Act."""
    last: date | None = replaced["in_force_to"]
    return last + timedelta(days=1) if last is not None else None
