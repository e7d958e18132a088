"""Pairs of a passage and a claim made by rule from sections of Acts outside the registry, to learn from first."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import yaml

from citegrain.tasks.core.paths import DATA
from tests.conftest import shared_folder

Forms = dict[str, tuple[list[str], list[str]]]
rng = random.Random(1)
# words of the law, and what a lay person says for them
LAY = [
    (re.compile(rf"\b{re.escape(word)}\b"), plain)
    for word, *others in (
        line.split("|")
        for line in Path(__file__).with_name("claims_words.txt").read_text(encoding="utf-8").splitlines()
    )
    if (plain := [other for other in others if "@" not in other])
]
ACT = "the Central Government|the State Government|the Board|the Commission|the Authority|the Court|the High Court|the Supreme Court|the Magistrate|the Collector|the Tribunal|the Registrar|the Director|the Chairperson|the Chairman|the Council|the Corporation|the Committee|the Commissioner|the President|the Governor|the Visitor|the Chancellor|the Vice-Chancellor|the Executive Council|the Secretary|the Controller|the Inspector|the owner|the occupier|the tenant|the landlord|the employer|the employee|the buyer|the seller|the plaintiff|the defendant|the accused|the complainant|the applicant|the respondent|the appellant|the licensee|the company|the husband|the wife|the father|the mother|the guardian|the trustee|the agent|the principal|the debtor|the creditor|the insurer|the insured|the master|the carrier|the police officer|the District Magistrate|the Reserve Bank|the Administrator|the Municipality|the Speaker".split(
    "|"
)
ACT_RE = re.compile("|".join(sorted(map(re.escape, ACT), key=len, reverse=True)), re.IGNORECASE)
NUM = "one two three four five six seven eight nine ten twelve fifteen twenty twenty-one thirty forty fifty sixty ninety".split()
NUM_RE = re.compile(
    r"\b(two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty-one|twenty|thirty|forty|fifty|sixty|ninety|hundred|thousand)\b(?=\s+(?:\w+\s+)?(?:days?|months?|years?|weeks?|hours?|thousand|lakh|crore|rupees|per cent|members?|persons?))|\b(one)\b(?=\s+(?:month|year|week|thousand|lakh|crore)\b)"
)
EXTRA = "within thirty days|within three months|in the prescribed form|by registered post|in writing|after giving him a hearing|with interest at six per cent|on payment of a fee|with the approval of the High Court|for a period of two years|in two newspapers|in the presence of two witnesses|free of charge|on stamped paper|by a majority of two thirds|before the end of the year|with costs|in the local language|on a working day|and his name is published|and a copy is sent to him|and he loses his licence|and this can be appealed within sixty days|and he has to give security|and the amount is doubled the second time|if he is above eighteen|after a medical examination|up to ten thousand rupees|only once in five years".split(
    "|"
)
MODAL = re.compile(r"\b(shall|may|must|can|is|are|has|have|will)\b")
SHALL = ["must", "has to", "is required to", "is bound to", "is obliged to", "shall", "will have to"]
MAY = ["may", "can", "is allowed to", "is free to", "has power to", "is able to", "may, but need not,"]


def _squash(text: str) -> str:
    """Its letters and digits alone."""
    return re.sub(r"\W+", "", text.lower())


def lay(text: str, share: float) -> str:
    """A text with a share of the law's words in a lay person's."""
    for pattern, plain in LAY:
        if rng.random() < share:
            text = pattern.sub(partial(_one_of, plain), text)
    return re.sub(r"\s+", " ", text).strip(" ,")


def _one_of(words: list[str], _: re.Match[str]) -> str:
    return rng.choice(words)


MODALS = {
    "shall not": ["must not", "may not", "cannot", "is not to", "is not allowed to"],
    "may not": ["may not", "cannot", "is not allowed to"],
    "shall be": ["must be", "has to be", "is to be", "is", "will be"],
    "may be": ["may be", "can be", "could be"],
    "shall": SHALL,
    "may": MAY,
}


def modal(text: str) -> str:
    """A text whose duties and permissions are worded in other ways, seven times in ten."""
    if rng.random() > 0.7:
        return text
    return re.sub(rf"\b({'|'.join(MODALS)})\b", lambda m: rng.choice(MODALS[m[0]]), text)


def clean(text: str) -> str:
    """A text without marks of footnotes."""
    text = re.sub(r"\^?\d*\[|\]|\^\d+|\*+", "", " ".join(text.split()))
    return re.sub(r"\s+", " ", text)


SPLIT = re.compile(r"(?<=[.;])\s+(?=[A-Z(])|:\s*(?=Provided)|\s+(?=\(\w{1,3}\)\s+[A-Z])")
FRONT = re.compile(r"^(\(\w{1,4}\)\s*)+|^Provided (further |also )?that\s*|^\d+\w*\.\s.{0,120}?[—-]{1,2}\s*")
NO_SENTENCE = re.compile(
    r"—|--|\bnamely\b|following|\b(?:and|or|the|of|to|a|by|in)$|, ,|short title|may be called"
)


def sentences(text: str) -> list[str]:
    """The sentences of a section that can be told by themselves."""
    out = []
    for piece in SPLIT.split(text):
        said = FRONT.sub("", piece.strip()).strip(" .;:,")
        said = re.sub(r"\s+", " ", re.sub(r"\s*\([^()]{0,60}\)", "", said))
        told = 40 < len(said) < 330 and said[0].isupper() and MODAL.search(said)
        if told and not NO_SENTENCE.search(said) and said.count("(") == said.count(")"):
            out.append(said)
    return out


# a sentence's pattern, and by the word that joins its parts what is supported and what is contradicted
PATTERNS: list[tuple[str, Forms]] = [
    (
        r"^(?:No|no) (.{3,80}?) shall (.{10,160}?)(?:,)? (unless|except with|except on|except in accordance with|without|save with|until) (.{5,160})$",
        {
            "unless": (
                [
                    "A {a} may {b} only if {d}",
                    "Any {a} may {b}, but only if {d}",
                    "Only if {d} may a {a} {b}",
                    "Unless {d}, a {a} may not {b}",
                    "A {a} cannot {b} unless {d}",
                    "Nobody may {b} as a {a} unless {d}",
                ],
                [
                    "A {a} may {b} even if it is not so that {d}",
                    "A {a} may {b} whether or not {d}",
                    "Any {a} may {b} at any time",
                    "A {a} may not {b}, even if {d}",
                    "Unless {d}, a {a} may {b}",
                    "If {d}, a {a} may not {b}",
                ],
            ),
            "*": (
                [
                    "A {a} may {b} only {w} {d}",
                    "A {a} needs {d} to {b}",
                    "To {b}, a {a} must have {d}",
                    "A {a} cannot {b} without {d}",
                    "{d} is needed before a {a} may {b}",
                ],
                [
                    "A {a} may {b} without {d}",
                    "A {a} may {b} even without {d}",
                    "A {a} may not {b}, even with {d}",
                    "A {a} does not need {d} to {b}",
                    "{d} is not needed for a {a} to {b}",
                ],
            ),
        },
    ),
    (
        r"^(?:No|no) (.{3,80}?) shall (.{10,200})$",
        {
            "*": (
                [
                    "A {a} may not {b}",
                    "A {a} must not {b}",
                    "It is forbidden for a {a} to {b}",
                    "A {a} is not allowed to {b}",
                    "Nobody who is a {a} may {b}",
                ],
                [
                    "A {a} may {b}",
                    "A {a} is allowed to {b}",
                    "A {a} can {b}",
                    "Every {a} has to {b}",
                    "It is not forbidden for a {a} to {b}",
                    "Some {a} may {b}",
                ],
            )
        },
    ),
    (
        r"^(.{5,140}?) shall not (.{10,200}?)(?:,)? (unless|until) (.{5,160})$",
        {
            "*": (
                [
                    "{a} may {b} only if {d}",
                    "{a} shall {b} only if {d}",
                    "Unless {d}, {a} shall not {b}",
                    "{a} cannot {b} as long as it is not so that {d}",
                ],
                [
                    "{a} shall {b} even if it is not so that {d}",
                    "{a} shall {b} whether or not {d}",
                    "{a} shall not {b}, even if {d}",
                    "{a} shall {b} in any case",
                    "Unless {d}, {a} shall {b}",
                ],
            )
        },
    ),
    (
        r"^(.{5,140}?) (shall|may) (.{10,200}?)(?:,)? (unless) (.{5,160})$",
        {
            "*": (
                [
                    "Unless {e}, {a} {c} {d}",
                    "{a} {c} {d}, except where {e}",
                    "If it is not so that {e}, {a} {c} {d}",
                ],
                [
                    "{a} {c} {d}, even if {e}",
                    "{a} {c} {d} whether or not {e}",
                    "{a} {c} {d} in every case",
                    "If {e}, {a} {c} {d}",
                    "{a} {c} {d} only if {e}",
                ],
            )
        },
    ),
    (
        r"^(?:If|Where|When|if|where|when) (.{10,180}?), (?:then )?(the .{5,200}? (?:shall|may) .{8,200})$",
        {
            "*": (
                ["{b} if {a}", "{b} once {a}", "{b} where {a}"],
                [
                    "{b} even if it is not so that {a}",
                    "{b} whether or not {a}",
                    "{b} unless {a}",
                    "{b} in every case",
                ],
            )
        },
    ),
]
STRUCTURES = [(re.compile(pattern), forms) for pattern, forms in PATTERNS]
JOINED = {
    "without": "with",
    "except with": "with",
    "save with": "with",
    "except on": "on",
    "except in accordance with": "in accordance with",
}


def structural(s: str) -> tuple[list[str], list[str]] | None:
    """Claims that a sentence supports and contradicts by its structure; None if it has none of the known ones."""
    for pattern, forms in STRUCTURES:
        if m := pattern.match(s):
            parts, key = m.groups(), "*"
            filled = dict(zip("abcd", parts, strict=False))
            if len(parts) == 4:
                filled = {"a": parts[0], "b": parts[1], "d": parts[3], "w": JOINED.get(parts[2], "")}
                if "unless" in forms and parts[2] in ("unless", "until"):
                    key = "unless"
            elif len(parts) == 5:
                filled = {"a": parts[0], "c": parts[1], "d": parts[2], "e": parts[4]}
            supported, contradicted = forms[key]
            return [x.format(**filled) for x in supported], [x.format(**filled) for x in contradicted]
    return None


def negate(s: str) -> str | None:
    """A sentence turned into its opposite by a negation lost or added; None if it cannot be."""
    c = []
    m: re.Match[str] | None
    for m in re.finditer(r"\b(shall|may|is|are|does|do|can|must|was|were|has|have|had) not\b", s):
        c.append(s[: m.start()] + m[1] + s[m.end() :])
    if m := re.match(r"^(No|no) ", s):
        c.append(rng.choice(["Any ", "Every ", "A "]) + s[3:])
    if m := re.search(r"\bwithout\b", s):
        c.append(s[: m.start()] + "with" + s[m.end() :])
    if m := re.search(r"\bunless\b", s):
        c.append(s[: m.start()] + rng.choice(["even if", "if", "whether or not"]) + s[m.end() :])
    if m := re.search(r"\bexcept\b", s):
        c.append(s[: m.start()] + rng.choice(["including", "even"]) + s[m.end() :])
    if m := re.search(r"\bneither (.*?) nor\b", s):
        c.append(s[: m.start()] + f"both {m[1]} and" + s[m.end() :])
    if not c:
        m = re.search(r"\b(shall|may|must|can)\b(?! not)", s)
        if m and not re.match(r"\s*(?:No|no|Nothing|Neither)\b", s):
            c.append(
                s[: m.start()]
                + {"may": "may not", "shall": "shall not", "must": "must not", "can": "cannot"}[m[1]]
                + s[m.end() :]
            )
            if m[1] == "shall":
                c.append(s[: m.start()] + "need not" + s[m.end() :])
    return rng.choice(c) if c else None


def swap(s: str, sec: str) -> tuple[str, str] | None:
    """A kind of fault and a sentence of a section with it: another number, party, duty or word; None if it has none."""
    c: list[tuple[str, str]] = []
    m: re.Match[str] | None
    for m in NUM_RE.finditer(s):
        w = rng.choice(
            [n for n in NUM if n != m[0] and n != "one" and not re.search(rf"\b{n}\b", sec)] or ["eleven"]
        )
        c.append(("amount", s[: m.start()] + w + s[m.end() :]))
    acts = list(ACT_RE.finditer(s))
    if acts:
        m = rng.choice(acts)
        w = rng.choice([a for a in ACT if a.lower() not in sec.lower()])
        if m[0][0] == "T":
            w = "T" + w[1:]
        c.append(("actor", s[: m.start()] + w + s[m.end() :]))
        if len({a[0].lower() for a in acts}) > 1:
            a, b = rng.sample(sorted({x[0] for x in acts}), 2)
            c.append(("actor", s.replace(a, "\0").replace(b, a).replace("\0", b)))
    if (m := re.search(r"\bmay\b(?! not| be| extend| have)", s)) and not re.match("No ", s):
        c.append(
            ("modal", s[: m.start()] + rng.choice(["must", "shall", "has to", "is bound to"]) + s[m.end() :])
        )
    if (m := re.search(r"\bshall\b(?! not| be| have)", s)) and not re.match("No |Nothing ", s):
        c.append(
            (
                "modal",
                s[: m.start()]
                + rng.choice(["may", "may choose to", "is free to", "can, but need not,"])
                + s[m.end() :],
            )
        )
    for a, b in (
        ("before", "after"),
        ("after", "before"),
        ("not less than", "not exceeding"),
        ("not exceeding", "not less than"),
        ("at least", "at most"),
        ("more than", "less than"),
        ("less than", "more than"),
        ("higher", "lower"),
        ("earlier", "later"),
        ("majority", "minority"),
        ("increase", "reduce"),
        ("whole", "half"),
        ("oral", "written"),
        ("valid", "invalid"),
        ("all", "none of the"),
        ("void", "valid"),
        ("any", "only one"),
        ("exempt", "not exempt"),
        ("commencement", "end"),
        ("or with both", "and not with both"),
        ("admissible", "inadmissible"),
        ("lawful", "unlawful"),
    ):
        if m := re.search(rf"\b{a}\b", s):
            c.append(("opposite", s[: m.start()] + b + s[m.end() :]))
    if m := re.search(r", or with (fine|imprisonment)", s):
        c.append(("conj", s[: m.start()] + " and with " + m[1] + s[m.end() :].replace(", or with both", "")))
    if m := re.search(r"\b(only|solely)\b", s):
        c.append(("only", re.sub(r"\b(only|solely)\b", "also in other cases", s, count=1)))
    return rng.choice(c) if c else None


LEADS = [
    "",
    "",
    "",
    "",
    "",
    "Under this section, ",
    "The law says that ",
    "According to this provision, ",
    "Here ",
    "In such a case ",
    "Note that ",
]


def finish(s: str, share: float) -> str:
    """A sentence as an assistant would say it."""
    s = re.sub(r"\s+", " ", modal(lay(s, share))).strip(" ,;")
    lead = rng.choice(LEADS)
    s = lead + (s[0].lower() + s[1:] if lead and s[:2] != "A " and not s[:2].isupper() else s)
    return s[0].upper() + s[1:] + "."


def shorten(s: str) -> str:
    """A sentence without what limits it to no purpose."""
    if rng.random() < 0.4:
        s = re.sub(r"^(?:Subject to|Notwithstanding|Without prejudice to|Save as)[^,]*, ?", "", s)
    if rng.random() < 0.3:
        s = re.sub(
            r", (?:as the case may be|if any|from time to time|by order|by notification[^,]*),", " ", s
        )
    return s[0].upper() + s[1:] if s else s


DENY = re.compile(r"\b(not|no|No|nothing|Nothing|unless|without|except|neither|only)\b")


Section = tuple[str, str, str, list[str]]
"""Number, heading, text, sentences."""


def sections_by_act() -> dict[str, list[Section]]:
    """Sections of the Acts outside the registry, without those whose text an Act of the registry has, too."""
    folder = shared_folder()
    assert folder is not None, "needs the shared gold sections"
    registry = yaml.safe_load((DATA / "registry.yaml").read_text(encoding="utf-8"))
    registered: set[str] = set()
    for line in (folder / "gold/sections.jsonl").read_text(encoding="utf-8").splitlines():
        law = _squash(json.loads(line)["text"])
        registered.update(law[i : i + 60] for i in range(0, max(1, len(law) - 60), 20))
    out = defaultdict(list)
    with gzip.open(folder / "gold/central_acts_sections.jsonl.gz", "rt", encoding="utf-8") as file:
        for row in map(json.loads, file):
            law = _squash(row["text"])
            runs = (law[i : i + 60] for i in range(0, max(1, len(law) - 60), 20)[:400:7])
            if row["act"] in registry or any(run in registered for run in runs):
                continue
            text = clean(row["text"])
            if len(text) > 80 and (told := sentences(text)):
                out[row["act"]].append((row["section"], clean(row["heading"]), text, told))
    return {act: sections for act, sections in out.items() if len(sections) > 3}


def passage_of(heading: str, text: str, sentence: str) -> str:
    """Heading and text of a section, cut around a sentence if it is long."""
    at, room = text.find(sentence[:40]), 1100 - len(heading)
    if len(text) > room:
        first = max(0, min(at - rng.randint(0, room // 2), len(text) - room))
        first = text.find(" ", first) + 1 if first else 0
        text = text[first : first + room]
    return f"{heading.rstrip('.')}. {text}"


def extended(said: str, text: str, others: Sequence[Section], number: str) -> str | None:
    """A sentence with something that its section does not say; None if it says that."""
    extra = rng.choice(EXTRA)
    if _squash(extra) in _squash(text):
        return None
    elsewhere = [y for o in others if o[0] != number for y in o[3]] if rng.random() < 0.3 else []
    if elsewhere:
        return f"{said}, and {rng.choice(elsewhere)}"
    return f"{said}, {extra}" if extra.startswith("and") else f"{said} {extra}"


def claims_about(
    sentence: str,
    passage: str,
    section: Section,
    others: Sequence[Section],
    pool: Sequence[tuple[str, Section]],
) -> Iterator[tuple[str, str, str]]:
    """Claims about a sentence, each with verdict and kind: mostly a supported one and its fault, of the same words.

    ``others``: sections of its Act; ``pool``: of all Acts.
    """
    number, _, text, told = section
    if forms := structural(sentence) if rng.random() < 0.75 else None:
        yield rng.choice(forms[0]), "supported", "struct"
        yield rng.choice(forms[1]), "contradicted", "struct"
        if rng.random() < 0.3:
            yield shorten(sentence), "supported", "same"
        return
    chance, said = rng.random(), shorten(sentence)
    if chance < 0.5:
        turned = negate(said) if DENY.search(said) or rng.random() < 0.5 else None
        if turned:
            yield said, "supported", "same"
            yield turned, "contradicted", "neg"
    elif chance < 0.75:
        if fault := swap(said, text):
            if rng.random() < 0.7:
                yield said, "supported", "same"
            yield fault[1], "contradicted", fault[0]
    elif chance < 0.9:
        if more := extended(said, text, others, number):
            yield more, "partly", "add"
            if rng.random() < 0.4 and len(told) > 1:
                also = [y for y in told if y != sentence and y[:40] in passage] or [said]
                yield f"{said}, and {rng.choice(also)}", "supported", "merge"
    else:
        other = rng.choice(others if rng.random() < 0.7 else rng.choice(pool)[1:])
        if other[0] != number:
            yield shorten(rng.choice(other[3])), "not", "off"


def pairs_by_rule(count: int) -> list[tuple[str, str, str, str, str]]:
    """So many of (act, passage, claim, verdict, kind)."""
    by_act = sections_by_act()
    pool = [(act, section) for act, sections in by_act.items() for section in sections]
    out: list[tuple[str, str, str, str, str]] = []
    while len(out) < count:
        act, section = rng.choice(pool)
        _, heading, text, told = section
        denying = [s for s in told if DENY.search(s)]
        sentence = rng.choice(denying) if denying and rng.random() < 0.6 else rng.choice(told)
        passage = passage_of(heading, text, sentence)
        share = rng.choice([0, 0.2, 0.5, 0.8, 0.8])
        for claim, verdict, kind in claims_about(sentence, passage, section, by_act[act], pool):
            out.append((act, passage, finish(claim, share), verdict, kind))
    rng.shuffle(out)
    return out[:count]
