"""Cross-references: ``sub-section (1) of section 5 of the Limitation Act, 1963 (36 of 1963)``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from citegrain.tasks.law.instruments import ACT_NOUNS, CONSTITUTION, PREFIXES, slug
from citegrain.tasks.offline.corpus import Registry

_NUMBER = r"\d{1,3}[A-Z]{0,3}(?![\w%]|\.\d)"
_SUB = r"(?:\s?\(\s?(?:\d{1,3}[A-Z]{0,2}|[a-zA-Z]{1,4})\s?\))*"
_LIST = rf"{_NUMBER}{_SUB}(?:\s*(?:,|and|or|to|&|,\s*and|,\s*or)\s*{_NUMBER}{_SUB})*"
_ACT = (
    r"(?:the\s+)?(?P<act>(?:[A-Z][\w’'&.-]*|of|and|the|for|in|to|on|from|with|\([A-Z][\w\s,&-]*\))"
    r"(?:[\s,]+(?:[A-Z][\w’'&.-]*|of|and|the|for|in|to|on|from|with|\([A-Z][\w\s,&-]*\)))*?\s+"
    rf"(?:{ACT_NOUNS}))(?:,?\s+(?P<year>1[6-9]\d\d|20\d\d)"
    r"(?:\s*\(\s*(?P<number>\d{1,3}\s+of\s+\d{4})\s*\))?|\s*\(\s*(?P<number_only>\d{1,3}\s+of\s+\d{4})\s*\))"
)
_REFERENCE = re.compile(
    rf"\b(?P<kind>[Ss]ections?|[Aa]rticles?|[Rr]ules?)\s+(?P<list>{_LIST})"
    rf"(?P<of>\s+of\s+(?:(?:this\s+(?:Act|Code|Sanhita|Adhiniyam|Constitution|Order))|"
    rf"(?P<constitution>the\s+Constitution)|(?P<said>(?:the|that)\s+(?:said|principal|aforesaid)?\s*(?:Act|Code|Sanhita))"
    rf"(?!\s*,?\s*\d)|Order\s+(?P<order>[IVXLC]+[A-Z]?)|{_ACT}))?"
)
_ACT_ALONE = re.compile(_ACT)
_ITEM = re.compile(rf"(?P<number>{_NUMBER})(?P<sub>{_SUB})")
_LINK = re.compile(r"\s*(?:,|or|and|,\s*or|,\s*and)\s*")


@dataclass(frozen=True)
class KnownActs:
    """Acts that a reference may name: act_id by slug of title and by number; id, title, other names."""

    by_title: Mapping[str, str] = field(default_factory=dict)
    by_number: Mapping[str, str] = field(default_factory=dict)
    names: tuple[tuple[str, str, tuple[str, ...]], ...] = ()


def known_acts(registry: Registry) -> KnownActs:
    """Acts that references may name: those of the registry."""
    acts = registry.acts.values()
    return KnownActs(
        {slug(act.title): act.act_id for act in acts},
        {act.number: act.act_id for act in acts if act.number},
        tuple((act.act_id, act.title, act.aliases) for act in acts),
    )


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference in a text. ``target_id`` is the id its target would have; it may not exist."""

    offset: int
    text: str
    target_act: str | None
    target_id: str | None


def find_references(text: str, act_id: str, unit: str, order: str, known: KnownActs) -> list[Reference]:
    """References in ``text`` to sections, Articles, rules and Acts.

    Parameters
    ----------
    text
        A provision.
    act_id, unit
        Its Act, and whether that has sections, Articles, rules or regulations.
    order
        The Order a rule stands in (``XXI``), else empty: what a bare ``rule 5`` refers to.
    known
        Acts by name.
    """
    references: list[Reference] = []
    matches = list(_REFERENCE.finditer(text))
    taken = [m.span() for m in matches]
    targets = _targets(matches, text, act_id, unit, known)
    for match, target in zip(matches, targets, strict=True):
        kind = match["kind"].lower().rstrip("s")
        for item in _ITEM.finditer(match["list"]):
            target_id = _target_id(target, kind, item["number"], match["order"] or order, unit)
            offset = match.start("list") + item.start()
            references.append(Reference(offset, _words(match, item), target, target_id))
    for match in _ACT_ALONE.finditer(text):
        if any(a <= match.start() < b for a, b in taken):
            continue
        target = _named_act(match, known)
        if target != act_id:
            references.append(Reference(match.start(), _squeeze(match[0]), target, None))
    return sorted(references, key=lambda r: r.offset)


def _targets(
    matches: list[re.Match[str]], text: str, act_id: str, unit: str, known: KnownActs
) -> list[str | None]:
    """Act of each reference; in ``section 376, section 376A or section 376B of the Penal Code`` the
    Act named last counts for all."""
    out: list[str | None] = []
    following: tuple[int, str | None] | None = None
    for match in reversed(matches):
        target = _target_act(match, match["kind"].lower().rstrip("s"), act_id, unit, known)
        if match["of"] is None and following and _LINK.fullmatch(text, match.end(), following[0]):
            target = following[1]
            following = (match.start(), target)
        else:
            following = (match.start(), target) if match["of"] else None
        out.append(target)
    return out[::-1]


def _squeeze(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _words(match: re.Match[str], item: re.Match[str]) -> str:
    kind = match["kind"].lower().rstrip("s")
    return _squeeze(f"{kind} {item[0]}{match['of'] or ''}")


def _named_act(match: re.Match[str], known: KnownActs) -> str:
    number = _squeeze(match["number"] or match["number_only"] or "")
    if number in known.by_number:
        return known.by_number[number]
    title = f"{match['act']} {match['year'] or number.rpartition(' ')[2]}".lower()
    name = re.sub(r"[^a-z0-9]+", "-", title).strip("-").removeprefix("the-")
    return known.by_title.get(name, name)


def _target_act(match: re.Match[str], kind: str, act_id: str, unit: str, known: KnownActs) -> str | None:
    if match["act"]:
        return _named_act(match, known)
    if match["constitution"]:
        return CONSTITUTION
    if match["said"]:
        return None  # which Act is meant stands elsewhere
    if kind == "article" and unit != "article":
        return CONSTITUTION
    if kind == "section" and unit in ("rule", "regulation"):
        return None  # of the Act under which the rules are made
    return act_id


def _target_id(target: str | None, kind: str, number: str, order: str, unit: str) -> str | None:
    if target is None:
        return None
    if kind == "rule":
        if order:
            return f"{target}/order_{order}__rule_{number}"
        return f"{target}/rule_{number}" if unit == "rule" else None
    return f"{target}/{PREFIXES[kind]}_{number}"
