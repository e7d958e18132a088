"""Which provision of a new code took the place of an old one, and the other way round.

People name the section they have heard of, which may be of a code that was replaced, or of one that had
not begun. The user's table says what became of it, else the sections of the two Acts are matched.

A code that replaces another keeps most sections, merges some (a definition and its punishment become two
sub-sections of one), drops some and adds some. So every old section is compared with the new sections and
their parts, by heading, by text, and by where its neighbours went; several may go to one, and some to none.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from citegrain.tasks.law.citations import ancestors
from citegrain.tasks.law.correspondence import Correspondence, plain_name
from citegrain.tasks.law.instruments import title_of

Scores = npt.NDArray[np.float32]
_WORD = re.compile(r"[a-z]+")
_PLURAL = re.compile(r"(?<=[^\Ws])s$")
_COMMON = frozenset(
    {"the", "of", "or", "and", "to", "in", "a", "any", "by", "be", "for", "an", "is", "as", "shall", "such"}
    | {"that", "which", "with", "on", "it", "not", "this", "may"}
)
_HEADING, _WITHIN, _ORDER = 0.5, 0.5, 0.1
_STRONG = 0.7  # of 2 at most, and a little for order: enough by itself
_WEAK = 0.4  # enough where each is the best of the other
_NEIGHBOURS, _SPREAD = 3, 3.0

SUCCESSOR, PREDECESSOR = "successor", "predecessor"
TABLE, MATCHED = "table", "matched"
Link = tuple[Mapping[str, Any], Mapping[str, Any], str, float]
_PUNISHES = "punishment"


@dataclass(frozen=True, slots=True)
class Section:
    """What is compared of a section: its heading, its text, and the texts of its sub-sections and clauses."""

    heading: str
    text: str
    parts: Sequence[str] = ()


def match_sections(old: Sequence[Section], new: Sequence[Section]) -> list[tuple[int, int, float]]:
    """Positions of an old section and of the new one that took its place, with the score of the match.

    Every old section is linked to the new one that is most alike, if it is much alike, or alike at
    all and the old one is most alike to it as well. A new section without a link is linked to the old
    one within which its words stand, by the same rule: one section may have been split.

    Likeness is the cosine of the texts (or of the old text and a part of the new), half the cosine of the
    headings, half the share of the old text's words that the new one has, all by TF-IDF of words and pairs
    of words, and a little for standing where the old section's neighbours went.
    """
    if not old or not new:
        return []
    there, back = _likeness(old, new)
    forth = there.argmax(axis=1)
    chosen = {}
    for i, j in enumerate(forth.tolist()):
        if there[i, j] >= _STRONG or (there[i, j] >= _WEAK and int(there[:, j].argmax()) == i):
            chosen[i, j] = float(there[i, j])
    led_to = {j for _, j in chosen}
    for j, i in enumerate(back.argmax(axis=0).tolist()):
        if j not in led_to and back[i, j] >= _STRONG:
            chosen[i, j] = float(back[i, j])
    return [(i, j, score) for (i, j), score in sorted(chosen.items())]


def _likeness(old: Sequence[Section], new: Sequence[Section]) -> tuple[Scores, Scores]:
    """Likeness of each old to each new section by what the new has of the old, and back; (old, new) each."""
    heads, _, _ = _compare([s.heading for s in old], [s.heading for s in new])
    texts = [s.text for s in new]
    owner = list(range(len(new)))
    for j, section in enumerate(new):
        texts += section.parts
        owner += [j] * len(section.parts)
    cosine, terms, whence = _compare([s.text for s in old], texts)
    everything = slice(0, len(new))
    alike = cosine[:, everything].copy()
    np.maximum.at(alike.T, owner[len(new) :], cosine[:, len(new) :].T)
    there = _HEADING * heads + alike + _WITHIN * terms[:, everything]
    back = _HEADING * heads + cosine[:, everything] + _WITHIN * whence[:, everything]
    return there + _ORDER * _order(there), back


def _order(scores: Scores) -> Scores:
    """For each pair how near the new section is to where the neighbours of the old one went."""
    best, sure = scores.argmax(axis=1), scores.max(axis=1) >= _STRONG
    places = np.arange(scores.shape[1])
    near = np.exp(-np.abs(places[None, :] - best[:, None]) / _SPREAD) * sure[:, None]
    out = np.zeros_like(scores)
    for step in range(1, _NEIGHBOURS + 1):
        out[step:] += near[:-step] / step
        out[:-step] += near[step:] / step
    return out


def _compare(left: Sequence[str], right: Sequence[str]) -> tuple[Scores, Scores, Scores]:
    """Cosines, the share of each left text that a right one has, and the other way; (left, right) each.

    Terms are words and pairs of words; weights (1 + log count) log(N / texts with it), as of TF-IDF.
    """
    from scipy import sparse  # only for who compares Acts

    ids: dict[str, int] = {}
    rows: list[int] = []
    columns: list[int] = []
    for row, text in enumerate([*left, *right]):
        words = [_PLURAL.sub("", w) for w in _WORD.findall(text.lower()) if w not in _COMMON]
        for term in words:
            columns.append(ids.setdefault(term, len(ids)))
        for first, second in pairwise(words):
            columns.append(ids.setdefault(first + " " + second, len(ids)))
        rows += [row] * max(0, 2 * len(words) - 1)
    shape = (len(left) + len(right), max(1, len(ids)))
    counts = sparse.csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), shape=shape)
    counts.sum_duplicates()
    texts_with = np.bincount(counts.indices, minlength=shape[1])
    idf = np.log((1 + shape[0]) / (1 + texts_with)).astype(np.float32)
    weights = counts.copy()
    weights.data = (1 + np.log(counts.data)) * idf[counts.indices]
    norms = np.sqrt(np.asarray(weights.multiply(weights).sum(axis=1)).ravel())
    present = counts.copy()
    present.data = np.sqrt(idf[counts.indices])
    totals = np.asarray(present.multiply(present).sum(axis=1)).ravel()
    n = len(left)
    products = (weights[:n] @ weights[n:].T).toarray()
    shared = (present[:n] @ present[n:].T).toarray()
    tiny = np.float32(1e-9)
    return (
        (products / np.maximum(norms[:n, None] * norms[None, n:], tiny)).astype(np.float32),
        (shared / np.maximum(totals[:n, None], tiny)).astype(np.float32),
        (shared / np.maximum(totals[None, n:], tiny)).astype(np.float32),
    )


@dataclass(frozen=True, slots=True)
class Counterpart:
    """A provision of the other Act.

    ``relation``: ``successor`` of a provision that was replaced, ``predecessor`` of one that replaced it.
    ``source``: ``table`` if the user's table names it, ``matched`` by headings and texts, with its ``score``.
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

    ``acts``: rows of ``acts``; ``replaced_by`` says of which the sections are matched. ``provisions``: rows
    of ``provisions`` of an Act, by its id. ``table``: the user's, of any two Acts: it goes before what is
    matched, section by section of the old Act. ``matched``: what :meth:`rows` gave of the same Acts.
    """

    def __init__(
        self,
        acts: Iterable[Mapping[str, Any]],
        provisions: Callable[[str], Sequence[Mapping[str, Any]]],
        table: Correspondence | None = None,
        matched: Iterable[Mapping[str, Any]] | None = None,
    ) -> None:
        rows = list(acts)
        self._names = {a["act_id"]: (a["act_id"], a["title"], *a["aliases"]) for a in rows}
        pairs = ((a["act_id"], a["replaced_by"]) for a in rows if a["replaced_by"] in self._names)
        self._replaced = list(dict.fromkeys(pairs))
        self._provisions = provisions
        self._table = table
        self._pairs = list(dict.fromkeys([*self._replaced, *self._pairs_of_table()]))
        self._matched = None if matched is None else _links_of(matched)
        self._computed: dict[tuple[str, str], dict[str, list[Counterpart]]] = {}

    def find(self, provision_id: str) -> list[Counterpart]:
        """Counterparts of a provision: its successor first, then its predecessors, the nearest first.

        Of predecessors alike one that punishes comes before one that defines.
        """
        act = _act_of(provision_id)
        pairs = [pair for pair in self._pairs if act in pair]
        return [c for pair in pairs for c in self._between(*pair).get(provision_id, ())]

    def rows(self) -> list[dict[str, Any]]:
        """What is matched of all Acts that were replaced, as the table ``counterparts`` has it."""
        links = (link for pair in self._replaced for link in self._links(*pair))
        return [
            {"old_id": old["provision_id"], "old_number": old["number"], "old_heading": old["heading"]}
            | {"new_id": new["provision_id"], "new_number": new["number"], "new_heading": new["heading"]}
            | {"score": score}
            for old, new, _, score in links
        ]

    def unknown(self) -> list[str]:
        """Sections of the table that are not in the build, as ``IPC 999``, each once."""
        if self._table is None:
            return []
        acts = dict.fromkeys(act for pair in self._pairs for act in pair)
        sections = {act: _sections(self._provisions(act)).keys() for act in acts}
        by_name = {plain_name(name): act for act in sections for name in self._names[act]}
        pairs = [((a, s), (b, t)) for a, s, b, t in self._table.rows]
        of_table = dict.fromkeys(n for pair in pairs for n in pair if n[1])
        there = {act: sections.get(by_name.get(plain_name(act), ""), ()) for act, _ in of_table}
        return [f"{act} {s}" for act, s in of_table if s not in there[act]]

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
            out = self._computed[old, new] = {}
            for first, second, source, score in self._links(old, new):
                ways = ((first, new, second, SUCCESSOR), (second, old, first, PREDECESSOR))
                for this, act, row, relation in ways:
                    compared = row["provision_id"], row["number"], row["heading"]
                    other = Counterpart(act, *compared, relation, source, score)
                    out.setdefault(this["provision_id"], []).append(other)
            for counterparts in out.values():
                counterparts.sort(key=_nearness)
        return self._computed[old, new]

    def _links(self, old: str, new: str) -> Iterator[Link]:
        """Old section, new section, source and score."""
        if self._matched is not None and self._table is None:
            yield from self._matched.get((old, new), ())
            return
        olds, news = (_sections(self._provisions(act)) for act in (old, new))
        by_table = self._table.between(self._names[old], self._names[new]) if self._table else {}
        for number, successors in by_table.items():
            for successor in successors:
                if number in olds and successor in news:
                    yield olds[number][0], news[successor][0], TABLE, 0.0
        if (old, new) not in self._replaced:
            return
        first, second = list(olds.values()), list(news.values())
        for i, j, score in match_sections([s for _, s in first], [s for _, s in second]):
            if _number(first[i][0]) not in by_table:
                yield first[i][0], second[j][0], MATCHED, score


def _sections(provisions: Sequence[Mapping[str, Any]]) -> dict[str, tuple[Mapping[str, Any], Section]]:
    """Sections of an Act that are law or were it to its end, by number in capitals, in its order."""
    by_id = {p["provision_id"]: p for p in provisions}
    parts: dict[str, list[str]] = {}
    for p in provisions:
        above = ancestors(p, by_id) if p["kind"] in ("subsection", "clause") else ()
        for section in islice((a for a in above if a["kind"] == "section"), 1):
            parts.setdefault(section["provision_id"], []).append(p["text"])
    return {
        _number(p): (p, Section(p["heading"], p["text"], parts.get(p["provision_id"], ())))
        for p in provisions
        if p["kind"] == "section" and p["status"] == "in_force"
    }


def latest_sections(
    acts: Iterable[Mapping[str, Any]], act_id: str, provisions: Iterable[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """Provisions of an Act as its latest version has them, in English where there is one."""
    rows = [row for row in acts if row["act_id"] == act_id]
    rows = [row for row in rows if row["language"] == "en"] or rows
    latest = max((row["version_date"] for row in rows if row["version_date"] is not None), default=None)
    return [row for row in provisions if row["act_id"] == act_id and row["version_date"] == latest]


def _links_of(rows: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], list[Link]]:
    """Links by Act and Act, from rows of ``counterparts``."""
    out: dict[tuple[str, str], list[Link]] = {}
    for row in rows:
        old, new = (
            {"provision_id": row[f"{end}_id"]}
            | {name: row[f"{end}_{name}"] for name in ("number", "heading")}
            for end in ("old", "new")
        )
        pair = _act_of(row["old_id"]), _act_of(row["new_id"])
        out.setdefault(pair, []).append((old, new, MATCHED, row["score"]))
    return out


def _act_of(provision_id: str) -> str:
    return provision_id.partition("/")[0]


def _number(provision: Mapping[str, Any]) -> str:
    return str(provision["number"]).upper()


def _nearness(counterpart: Counterpart) -> tuple[bool, bool, float]:
    punishes = counterpart.relation == PREDECESSOR and _PUNISHES in counterpart.heading.lower()
    return counterpart.source != TABLE, not punishes, -counterpart.score


def changes_of(acts: Iterable[Mapping[str, Any]]) -> dict[date, str]:
    """First days of Acts that replaced others, in order, with the titles of these, from rows of ``acts``."""
    days = [(_first_day(act), act["title"]) for act in acts if act["replaced_by"]]
    return {day: "; ".join(t for d, t in days if d == day) for day in sorted({d for d, _ in days if d})}


def replacement(
    acts: Sequence[Mapping[str, Any]], act_id: str, nearest: Counterpart | None = None
) -> dict[str, Any] | None:
    """Which Act replaced one, or was replaced by it, and since when; None for most Acts.

    ``nearest``: the nearest counterpart of a provision of it. Its Act is returned: one Act may replace
    several, and the user's table may name Acts that the registry does not pair. Returns ``relation`` of the
    other to this one, ``act`` and ``title`` of the other, ``since`` as ISO day, ``in_build`` whether the
    build has it.
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
            "title": titles.get(other) or title_of(other),
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
