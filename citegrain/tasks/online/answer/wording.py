"""What a person is told of an answer: how probable a provision is, and why a question was declined."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

import pyarrow as pa

from citegrain.tasks.law.counterparts import SUCCESSOR, TABLE
from citegrain.tasks.online.judge import NOTHING_FITS

UNLIKELY = "unlikely"
"""Why a question is not answered though something was found: the best of it is hardly probable."""
LEAST = 0.1
"""What is less probable is shown, but is no answer."""
PROBABLE, POSSIBLE = 0.5, 0.2
"""Least probability of a provision that is called so; below it is weak."""
NO_ADVICE = "A pointer to the law, no advice: nobody checked that it applies to the facts."
VAGUE = "Say what happened, to whom and when, and what you want: money back, a complaint, an order, a right."

INSTEAD = {
    "judgements": "The language model did not judge the candidates, and they stand as the ranker has them",
    "answers": "The language model gave no answer, and sentences of the provisions stand instead",
    "rewritten": "The language model did not word the question anew, and it is searched as it is",
}
"""By the step of a model that may fail, what stands instead."""


def likelihood(probability: float | None) -> str:
    """``probable``, ``possible`` or ``weak``; empty where nothing was estimated."""
    if probability is None:
        return ""
    return "probable" if probability >= PROBABLE else "possible" if probability >= POSSIBLE else "weak"


def percent(probability: float) -> str:
    """A probability in percent; none that is not certain is called so."""
    if 0 < probability < 0.01:
        return "<1%"
    return ">99%" if 0.99 < probability < 1 else f"{probability:.0%}"


def instead(elsewhere: str) -> str:
    """One sentence on what else an answered question may be a matter of; empty where that is nothing."""
    return f"It may be a matter of {_within(elsewhere)} instead, which is not indexed." if elsewhere else ""


def declined(question: str, reason: str, elsewhere: str, kinds: Sequence[str], day: str) -> str:
    """One sentence on why a question has no provisions.

    Parameters
    ----------
    elsewhere
        Act or subject that it looks like; empty if none.
    kinds
        Of each document that was searched: Act, rules, judgment or other.
    """
    what = "Act" if set(kinds) <= {"act"} else "document"
    searched = f"these {len(kinds)} {what}s" if len(kinds) != 1 else f"this one {what}"
    if reason == "not_readable":
        script = _script(question)
        said = f"it is written in {script}" if script else "most of its words are not English"
        return f"This question cannot be read: {said}. Ask in English."
    if reason == "too_vague":
        return f"Too little to go on. {VAGUE}"
    if elsewhere:
        return f"Nothing in {searched} applies: this looks like {_within(elsewhere)}, which is not indexed."
    if reason == "not_indexed":
        return f"Nothing in {searched} applies: the law that governs this is not indexed."
    if reason == NOTHING_FITS:
        return f"Nothing in {searched} seems to apply: the language model that read what was found says so."
    if reason == UNLIKELY:
        return f"Nothing in {searched} is likely to apply: what comes nearest has less than {percent(LEAST)}."
    if reason == "nothing_like_this":
        return f"Nothing in {searched} applies: none of them is about anything like this."
    return f"no provision in force on {day} fits"


def later_edition(edition: Mapping[str, str], day: str) -> str:
    """One sentence on an Act whose text at hand is newer than the day whose law was searched."""
    title, version = edition["title"], edition["version"]
    return f"The text at hand of {_within(title)} is of {version}: what was law on {day} may differ."


def not_law(place: str, day: date, last: date | None) -> str:
    """One sentence on a provision that is not law on a day; ``last``: the last day of its Act."""
    ended = f": --as-of {last} asks for the law of its last day" if last and last < day else ""
    return f"{place} is not law on {day}{ended}."


def remarks(tables: Mapping[str, pa.Table]) -> Iterator[str]:
    """A sentence on each step in which a language model failed, and what stands instead."""
    for name, stands in INSTEAD.items():
        errors = tables[name].column("error").to_pylist() if name in tables else []
        yield from (f"{stands} ({error})." for error in dict.fromkeys(filter(None, errors)))


def _within(title: str) -> str:
    """A title within a sentence."""
    return title[:1].lower() + title[1:] if title.startswith("The ") else title


def counterpart_line(charge: Mapping[str, Any]) -> str:
    """The counterparts of a charge on one line; empty where its Act was not replaced and replaced none."""
    other = charge["replacement"]
    if other is None:
        return ""
    old, since = other["relation"] == SUCCESSOR, other["since"]
    lead = f"{'since' if old else 'before'} {since}" if since else f"{'replaced by' if old else 'replaced'}"
    rows = [c for c in charge["counterparts"] if c["act"] == other["act"]]
    if not rows:
        why = "no similar section found" if other["in_build"] else "not in this build"
        return f"{lead}: {other['title']}, {why}"
    numbers = ", ".join(c["section"] for c in rows)
    by_table = all(c["source"] == TABLE for c in rows)
    how = "by your table" if by_table else "matched by heading and text"
    return f"{lead}: {other['title']}, section{'s' if len(rows) > 1 else ''} {numbers} ({how})"


def _script(text: str) -> str:
    """The script of most letters, if it is not Latin: ``Devanagari``."""
    names = Counter(unicodedata.name(c, "").split(" ")[0] for c in text if c.isalpha())
    most = names.most_common(1)[0][0].title() if names else ""
    return {"Latin": "", "Cjk": "Chinese characters"}.get(most, most)
