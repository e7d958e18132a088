"""Whether a question is answered: decided once, for who asks, who measures, and who compares builds.

And of how many matters it tells. A question about a beating and about unpaid wages is near neither. So it is
cut where the words before and behind are least alike, and each part is asked by itself. Parts are matters of
their own where something probably applies to each, and no Act to both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from itertools import pairwise
from math import prod
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from citegrain.tasks.core.stage import canonical_json
from citegrain.tasks.law.citing import UNKNOWN
from citegrain.tasks.online.answer.notices import no_longer_law
from citegrain.tasks.online.answer.schema import Charge
from citegrain.tasks.online.answer.wording import DESPAIR, LEAST, NOT_LAW, UNLIKELY, likelihood
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.estimate import DECLINE, Judgement, act_names, names_provision, repealed_acts
from citegrain.tasks.online.query import SHORT, cut_wish

_SURE, _FEWEST, _MOST, _SHARE = 0.7, 3, 10, 0.9
"""A set whose best is less probable than the first is shown with others: at least so many in all, at most so
many, until they hold the main provision with so great a share of the probability of all candidates."""
_FEW_WORDS = 4  # ipc, section, punishment
_INSTEAD = 0.3  # instead of LEAST in a short question that another law clearly fits
Vectors = npt.NDArray[np.float32]
Charges = Sequence[Charge]
Encode = Callable[[Sequence[str]], Vectors]
Ask = Callable[[Sequence[str]], Sequence[Charges]]
_CUT = re.compile(
    r"(?<=[.!?।])\s+|\s*\n\s*|,?\s+(?=(?:also|another|besides|moreover|plus|secondly)\b)", re.IGNORECASE
)
_JOINING = re.compile(
    r"^\W*(?:(?:and|also|besides|moreover|plus|secondly|another (?:thing|matter|problem)(?: is)?)\b\W*)+",
    re.IGNORECASE,
)
_PIECE = 6  # words of a part
_TRIED = 2  # places where a text may be cut, the clearest first
_LIKELY = 0.6  # that something applies; chosen, as the two above, on joined complaints and 40 questions
_MATTERS = 4  # at most


def decided(
    build: PublishedBuild,
    text: str,
    query: Mapping[str, Any],
    selected: Sequence[str],
    judgement: Judgement,
    carried: Collection[str],
    row: Mapping[str, Any],
) -> dict[str, Any]:
    """A row of ``answers``, declined where the best of its charges is no answer. The charges stay in it.

    ``text``, ``query``: what was asked, as it was typed and as a row of ``queries``. ``carried``: those of
    amendments that the law carries already.
    """
    answer = json.loads(row["answer"])
    chances, day = judgement.candidates, query["as_of"] or date.max
    # who names one is given it, who would have been given an amendment the law that it made
    near = any(chances[p]["probability"] >= LEAST for p in [*chances][: len(selected)] if p in carried)
    least = 0.0 if near or names_provision(build, query) else LEAST
    absent = act_names(build).absent(text, query["text"])
    gone = names_only_what_is_gone(build, query, absent, day)
    if gone:
        least = 1.0 if _asks_of_these(build, query, absent) else LEAST
    others = [chances[p] for p in alternatives(selected, judgement, carried)]
    listed = falling([*answer["charges"], *others])[: len(answer["charges"])]
    rows = (build.on_day(charge["provision_id"], day)[0] for charge in listed if charge.get("chunk_id"))
    speaks = _speaks_of(build, answer.get("elsewhere", ""), rows)
    unlikely = why_unlikely(text, answer | {"charges": listed}, least, speaks)
    reason = unlikely or answer.get("reason", "")
    if gone and (unlikely or not listed):
        reason = NOT_LAW if set(gone) - set(absent) else "not_indexed"
    rest = cut_wish(text)
    if rest != text and (not rest or reason in ("nothing_like_this", "too_vague", UNLIKELY)):
        reason = DESPAIR
    if listed and not reason:
        return dict(row)
    declined = answer | {"decision": DECLINE, "reason": reason}
    return {**row, "answer": canonical_json(declined), "abstained": True}


def _speaks_of(build: PublishedBuild, title: str, rows: Iterable[Mapping[str, Any]]) -> bool:
    """Whether a provision has all words of a title, as Provident Funds: then the title says little."""
    words = {term for term in build.terms(title) if term.isalpha()}.difference(build.terms("Act Code"))
    return bool(words) and any(words <= {*build.terms(f"{row['heading']} {row['text']}")} for row in rows)


def why_unlikely(text: str, answer: Mapping[str, Any], least: float, speaks: bool = False) -> str:
    """Why the charges are no answer: none is probable enough, or another law fits clearly; else empty.

    ``speaks``: whether a charge has all words of the title of that law.
    """
    chances = [charge.get("probability") for charge in answer["charges"]]
    elsewhere = answer.get("elsewhere")
    if least == LEAST and elsewhere and not speaks and len(text.split()) <= SHORT:
        least = _INSTEAD
    if not chances or None in chances or max(chances) >= least:
        return ""
    return "not_indexed" if elsewhere else UNLIKELY


def names_only_what_is_gone(
    build: PublishedBuild, query: Mapping[str, Any], absent: Sequence[str], day: date
) -> list[str]:
    """What is said where a question names nothing that is law here, by number or by its Act; else nothing.

    ``absent``: what is said of the Acts that it names and that are not here.
    """
    gone = no_longer_law(build, query["mentions"], day)
    acts = {None, *(act for act, _, _ in build.names())}
    here = [m for m in query["mentions"] if m["act_id"] in acts]
    meant = (p for m in here for p in build.meant(m["kind"], m["number"], m["act_id"]))
    if len(gone) != len(here) or any(build.in_force(p, day) for p in meant):
        return []
    if not query["mentions"] and (query["acts"] or not _asks_of_these(build, query, absent)):
        return []
    return [*absent, *gone]


def _asks_of_these(build: PublishedBuild, query: Mapping[str, Any], absent: Sequence[str]) -> bool:
    """Whether a question asks of what it names: it has few other words, or is short and names absent Acts.

    Of an Act that one of the build repealed, what stands in its place may be asked.
    """
    absent_places = [place for place in act_names(build).find(query["text"]) if place.absent]
    others = {act for place in absent_places for act in place.act_ids} - {UNKNOWN}
    if others and not query["acts"] and len(query["text"].split()) <= SHORT:
        return repealed_acts(build).isdisjoint(others)
    titles = [title for act, title, _ in build.names() if act in query["acts"]]
    of_titles = {term for title in (*titles, *absent) for term in build.terms(title)}
    return len({t for t in build.terms(query["text"]) if t.isalpha()} - of_titles) <= _FEW_WORDS


def alternatives(selected: Sequence[str], judgement: Judgement, carried: Collection[str] = ()) -> list[str]:
    """Provisions that are shown behind those selected, the likeliest first; none where these are sure enough.

    None is shown of a question that is out of scope, nor of those ``carried``, as :func:`decided` has them.
    """
    candidates = {p: row for p, row in judgement.candidates.items() if p not in carried}
    chances = [candidates[p]["probability"] for p in selected if p in candidates]
    if judgement.declined or not chances or max(chances) >= _SURE:
        return []
    shown, wanted = list(selected), _SHARE * sum(row["primary"] for row in candidates.values())
    for provision in sorted(candidates, key=lambda p: -candidates[p]["primary"]):
        covered = sum(candidates[p]["primary"] for p in shown if p in candidates)
        if len(shown) >= _MOST or (len(shown) >= _FEWEST and covered >= wanted):
            break
        shown += [provision] if provision not in shown else []
    return sorted(shown[len(selected) :], key=lambda p: -candidates[p]["probability"])


def falling(charges: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Charges with probabilities that never rise: those that would, share the mean with their neighbours."""
    chances: list[Any] = [charge.get("probability") for charge in charges]
    if None in chances or all(a >= b for a, b in pairwise(chances)):
        return list(charges)
    return [
        charge | {"probability": p, "likelihood": likelihood(p)}
        for charge, p in zip(charges, never_rising(chances), strict=True)
    ]


def never_rising(values: Sequence[float]) -> list[float]:
    """The nearest numbers that never rise, by least squares; bit for bit those of SciPy.

    SciPy's takes a third of a second to import. Source: Busing 2022, algorithm 1.
    """
    rest, blocks = list(values), list[tuple[float, int]]()  # of the rest the last is next
    while rest:
        mean, count = rest.pop(), 1
        if blocks and blocks[-1][0] >= mean:
            before, n = blocks.pop()
            total, count = n * before + mean, 1 + n
            mean = total / count
            while rest and mean >= rest[-1]:
                total, count = total + rest.pop(), count + 1
                mean = total / count
            while blocks and blocks[-1][0] >= mean:
                before, n = blocks.pop()
                total, count = total + n * before, count + n
                mean = total / count
        blocks.append((mean, count))
    return [mean for mean, count in reversed(blocks) for _ in range(count)]


def sentences(text: str) -> list[str]:
    """A text in pieces of some words or more: at ends of sentences and of lines, and before ``also``."""
    pieces: list[str] = []
    for piece in filter(None, map(str.strip, _CUT.split(text))):
        if pieces and min(len(piece.split()), len(pieces[-1].split())) < _PIECE:
            pieces[-1] += f" {piece}"
        else:
            pieces.append(piece)
    return pieces


def places(pieces: Sequence[str], vectors: Vectors) -> list[int]:
    """Where a text may be cut: numbers of pieces with which a part may begin, the clearest first.

    ``vectors``: of the pieces, of length 1, shape (pieces, dimension).
    """
    sizes = np.array([len(piece.split()) for piece in pieces], dtype=np.float32)[:, None]
    before = np.cumsum(vectors * sizes, axis=0)[:-1]
    behind = (vectors * sizes).sum(axis=0) - before
    lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(behind, axis=1)
    alike = (before * behind).sum(axis=1) / np.maximum(lengths, 1e-9)
    return [int(at) + 1 for at in np.argsort(alike, kind="stable")[:_TRIED]]


def find_matters(text: str, encode: Encode, ask: Ask) -> list[tuple[str, Charges]]:
    """The matters of a question in their order, words and charges of each; none where it is only one.

    ``encode``: vectors of texts, of length 1, shape (texts, dimension). ``ask``: the charges of each of some
    questions, the likeliest first.
    """
    done = list[tuple[str, Charges]]()
    todo: list[tuple[list[str], Charges]] = [(sentences(text), [])]
    while todo:
        pieces, charges = todo.pop(0)
        parts = _parts(pieces, encode, ask) if len(done) + len(todo) + 2 <= _MATTERS else []
        todo = parts + todo
        if not parts:
            done.append((" ".join(pieces), charges))
    return done if len(done) > 1 else []


def _parts(pieces: list[str], encode: Encode, ask: Ask) -> list[tuple[list[str], Charges]]:
    """The two parts of a text of two matters at least; none where it is one."""
    if len(pieces) < 2:
        return []
    halves = [half for at in places(pieces, encode(pieces)) for half in (pieces[:at], pieces[at:])]
    given = list(zip(halves, ask([_JOINING.sub("", " ".join(half)) for half in halves]), strict=True))
    pairs = [given[n : n + 2] for n in range(0, len(given), 2)]
    sure, parts = max(((_sure(pair), pair) for pair in pairs), key=itemgetter(0))
    return parts if sure >= _LIKELY else []


def _sure(parts: Sequence[tuple[list[str], Charges]]) -> float:
    """How probable it is that something applies to the less probable of two parts; 0 if an Act is of both."""
    first, second = ({charge.act for charge in charges} for _, charges in parts)
    if not first or not second or first & second:
        return 0.0
    return min(1 - prod(1 - (charge.probability or 0) for charge in charges) for _, charges in parts)
