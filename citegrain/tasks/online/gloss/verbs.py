"""Verbs of Hindi with what helps and what denies them, as one in English."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from citegrain.tasks.online.gloss.lexicon import (
    AUX,
    FUTURE,
    HABIT,
    HAVING,
    INFINITIVE,
    LOAN,
    PAST,
    STEM,
    VERB,
    WORD,
    lexicon,
)  # fmt: skip

NOT = frozenset({"nahi", "na", "mat"})
PARTICLES = NOT | {"bhi", "hi", "to"}
_HELPING = frozenset(
    {"de", "le", "ja", "daal", "baith", "paR", "rakh", "uth", "chuk", "sak", "paa", "rah", "hai", "aa"}
)
MAKING = frozenset({"kar", "ho"})
"""With a noun they are one verb that may have an object; with any other verb the noun is its object."""


_SHORT = re.compile(r"^([^aeiou]+[aeiou])([bdgmnprt])$")  # what doubles its last letter: slapped
_FEW = 3  # words behind kya without a verb: is it so, and not what is it


@dataclass(slots=True)
class Item:
    """A piece of the gloss: ``kind`` as in the lexicon, ``name`` of what is left as it is, or ``stop``."""

    kind: str
    text: str
    lemma: str = ""
    form: str = ""
    denied: bool = False
    object_first: bool = False
    takes_me: bool = False


def with_verbs(items: Sequence[Item]) -> list[Item]:
    """Items with each verb, what denies it and what helps it as one."""
    out: list[Item] = []
    at = 0
    while at < len(items):
        item, at = items[at], at + 1
        ahead = [i.kind for i in items[at : at + _FEW]]
        begins = item.lemma == "kya" and (not out or out[-1].kind == "stop")
        if begins and len(ahead) == _FEW and {VERB, AUX, "stop"}.isdisjoint(ahead):
            item = Item(WORD, "whether")
        if item.kind == WORD and item.lemma in NOT and at < len(items) and items[at].kind in (VERB, AUX):
            items[at].denied = True
            continue
        if item.kind not in (VERB, AUX):
            asks = item.lemma == "kya" and out and out[-1].kind == VERB  # yes or no: kya behind the verb
            if not asks or (at < len(items) and items[at].kind != "stop"):
                out.append(item)
            continue
        group = [item]
        while at < len(items):
            other = items[at]
            if (
                other.kind == WORD
                and other.lemma in PARTICLES
                and ((at + 1 < len(items) and _helps(group, items[at + 1])) or other.lemma in NOT)
            ):
                tag = other.lemma == "na" and not (at + 1 < len(items) and _helps(group, items[at + 1]))
                group[0].denied |= other.lemma in NOT and not tag  # hai na: is it not so
            elif _helps(group, other):
                group.append(other)
            else:
                break
            at += 1
        out.append(_verb(group, out))
    return out


def _helps(group: Sequence[Item], item: Item) -> bool:
    """Whether a verb helps that of a group."""
    if item.kind == AUX:
        return item.lemma != "vaala"
    if item.kind != VERB or item.lemma not in _HELPING | {"lag", "chaah"}:
        return False
    last = group[-1].form
    if last in (STEM, HAVING):
        return item.lemma in _HELPING
    if last == PAST and group[-1].lemma in ("chuk", "sak", "rah"):
        return False
    if last == PAST:
        return item.lemma in ("ja", "rakh", "kar")
    return last in (INFINITIVE, HABIT) and item.lemma in ("de", "lag", "chaah", "paR", "rah", "ja", "paa")


def _verb(group: Sequence[Item], before: list[Item]) -> Item:
    """A group of verbs as one, with its English."""
    main = group[0]
    denied = any(item.denied for item in group)
    helpers = {item.lemma: item.form for item in group[1:]}
    if main.kind == AUX:
        word = {"tha": "was", "chahiye": "want", "vaala": ""}.get(main.lemma, "is")
        return Item(VERB, f"{word} not" if denied else word, main.lemma)
    english = main.text or lexicon().english_of_verb.get(main.lemma, "")
    objectless = english.endswith(" i")
    denied |= english.startswith("not ")
    base = english.removesuffix(" i").removeprefix("not ")
    past = _past(base)
    if main.lemma in MAKING and before and before[-1].kind in ("name", LOAN):
        base = past = before.pop().text  # harass kar raha hai
    form = next((i.form for i in reversed(group) if i.kind == VERB), main.form)
    if "sak" in helpers:
        text = f"can{' not' if denied else ''} {base}"
    elif "chahiye" in helpers:
        text = f"should {'not ' if denied else ''}{base}"
    elif "chaah" in helpers:
        text = f"{'not ' if denied else ''}want to {base}"
    elif main.form == INFINITIVE and helpers.get("de"):
        text = f"not allow to {base}" if denied else f"allow to {base}"
    elif main.form == PAST and "ja" in helpers and not objectless:
        text = f"{'not ' if denied else ''}been {past}"
    elif helpers.get("rah") == PAST:
        text = f"{'not ' if denied else ''}{_ing(base)}"
    elif form == PAST:
        text = f"did not {base}" if denied else past
    elif form == HAVING or main.form == HAVING:
        text = f"without {_ing(base)}" if denied else past
    elif form == FUTURE:
        text = f"will not {base}" if denied else f"will {base}"
    else:
        text = f"not {base}" if denied else base
    return Item(VERB, text, main.lemma, form, denied, not objectless, main.takes_me)


def _past(base: str) -> str:
    first, *rest = base.split() or [""]
    regular = re.sub("(?<=[^aeiou])y$", "i", _SHORT.sub(r"\1\2\2", first)).removesuffix("e") + "ed"
    return " ".join([lexicon().pasts.get(first, regular), *rest])


def _ing(base: str) -> str:
    first, *rest = base.split() or [""]
    stem = re.sub(r"(?<=[a-z][^e])e$", "", first)
    if stem == first:
        stem = _SHORT.sub(r"\1\2\2", first)
    return " ".join([f"{stem}ing", *rest])
