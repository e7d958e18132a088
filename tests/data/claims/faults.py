"""Answers made on purpose over real provisions: right ones, and ones with one planted fault of eight kinds.

``prose.jsonl`` has sentences written by hand with what may be planted in them; :func:`template_bases` makes
others from the words of provisions. Both are put into answers by :func:`make_answers`.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from citegrain.flows.shared.library import Build
from citegrain.tasks.core.schemas import PROVISIONS
from citegrain.tasks.online.claims import ClaimContext, context_of

HERE = Path(__file__).parent
DAY = date(2026, 11, 28)
KINDS = ("no_such_section", "wrong_act", "repealed", "amount", "negation", "page", "quotation", "reference")
Pair = tuple[str, str]
Row = dict[str, Any]


@dataclass(frozen=True)
class Base:
    """A true text about a provision; ``{law}`` or ``{cite}`` is where its citation stands."""

    provision: str
    text: str
    amount: Pair | None = None
    negation: Pair | None = None
    quote: str = ""


@dataclass(frozen=True)
class MadeAnswer:
    """An answer, the passages it was given (None: it cites by name), and the kind of its fault, if any."""

    text: str
    contexts: tuple[ClaimContext, ...] | None
    fault: str


def written_bases(name: str) -> list[Base]:
    """The sentences of a file, written by hand: ``seen`` or ``prose``."""
    rows = [json.loads(line) for line in (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    return [
        Base(
            row["id"],
            row["text"],
            tuple(row["amount"]) if "amount" in row else None,
            tuple(row["negation"]) if "negation" in row else None,
            row["quote"],
        )
        for row in rows
    ]


_LEADS = (
    "{law} provides that {said}",
    "Under {law}, {said}",
    "As regards this matter, {said} {cite}.",
    "The position is that {said} ({law}).",
)
_AMOUNT = re.compile(
    r"\b(two|three|five|six|seven|ten|fifteen|thirty|sixty|ninety)\b(?= (?:days|months|years|thousand|lakh|per cent))"
)
_OTHER = ("two", "three", "five", "six", "seven", "ten", "fifteen", "thirty", "sixty", "ninety")
_NOT = re.compile(r"\b(shall|may|is|are|does|do) not\b|\b[Nn]o (?=\w+ shall)")
_INVENTED = (
    "the competent authority shall dispose of every such matter within a fortnight of its receipt",
    "any person aggrieved may lay the matter before a bench of three assessors",
    "the burden of showing the contrary lies upon the officer who took the decision",
    "no fee of any kind shall be levied upon a widow or a person with a disability",
    "a copy of the order is to be pasted on the door of the village office",
)


def template_bases(build: Build, acts: Sequence[str], seed: int, most: int) -> list[Base]:
    """Sentences of provisions in reported speech, with amounts and negations that can be changed."""
    rng = random.Random(seed)  # noqa: S311
    rows = [r for r in _citable(build) if r["act_id"] in acts and 150 < len(r["text"]) < 1500]
    rng.shuffle(rows)
    out = []
    for row in rows:
        plain = re.sub(
            r"\[|\]|\s*\(\d+[A-Z]?\)\s*", " ", row["text"].split("Provided")[0].split("Explanation")[0]
        )
        said = re.sub(r"\s+", " ", re.split(r"[:;—]|\.\s", plain)[0]).strip(" .,*’")
        if not 60 < len(said) < 420 or "*" in said or not re.search(r"\b(?:shall|may)\b", said):
            continue
        said = said[0].lower() + said[1:] if not said[:2].isupper() else said
        said = re.sub(r"shall be (?=punish|liable|deemed|entitled)", "is ", said).replace(
            " of either description", ""
        )
        amounts, denials = list(_AMOUNT.finditer(said)), list(_NOT.finditer(said))
        if not amounts and not denials and rng.random() < 0.7:
            continue
        amount = negation = None
        if amounts:
            old = amounts[-1]
            new = rng.choice([w for w in _OTHER if not re.search(rf"\b{w}\b", row["text"])] or ["eleven"])
            amount = (said[old.start() :], new + said[old.end() :])
        if denials:
            old = denials[0]
            negation = (
                said[old.start() :],
                (f"{old[1]} " if old[1] else "any ") + said[old.end() :].lstrip(),
            )
        lead = rng.choice(_LEADS)
        out.append(
            Base(row["provision_id"], lead.replace("{said}", said), amount, negation, rng.choice(_INVENTED))
        )
        if len(out) == most:
            break
    return out


def make_answers(build: Build, bases: Sequence[Base], seed: int, right: int, each: int) -> list[MadeAnswer]:
    """So many right answers, and so many of each kind of fault."""
    maker = _Maker(build, random.Random(seed))  # noqa: S311
    out = [maker.right(bases[i % len(bases)], by_name=i % 2 == 0) for i in range(right)]
    for kind in KINDS:
        chosen = [base for base in bases if maker.fits(base, kind)]
        maker.rng.shuffle(chosen)
        out += (
            []
            if not chosen
            else [maker.faulty(chosen[i % len(chosen)], kind, by_name=i % 2 == 0) for i in range(each)]
        )
    return out


def _citable(build: Build) -> list[Row]:
    rows = build.table(PROVISIONS).to_pylist()
    return [r for r in rows if r["kind"] in ("section", "article") and build.in_force(r["provision_id"], DAY)]


class _Maker:
    def __init__(self, build: Build, rng: random.Random) -> None:
        self.build, self.rng = build, rng
        self.rows = {r["provision_id"]: r for r in build.table(PROVISIONS).to_pylist()}
        self.citable = _citable(build)
        self.titles = {a["act_id"]: a["title"].removeprefix("The ") for a in build.acts}
        self.contexts: dict[str, list[ClaimContext]] = {}

    def fits(self, base: Base, kind: str) -> bool:
        if kind in ("amount", "negation"):
            return getattr(base, kind) is not None
        if kind == "repealed":
            return bool(self._old(base))
        return "Constitution" not in base.text and (kind != "quotation" or bool(base.quote))

    def right(self, base: Base, by_name: bool) -> MadeAnswer:
        text = base.text
        row = self.rows[base.provision]
        if self.rng.random() < 0.25 and (words := self._quote(row)):
            text += f" It says: “{words}” {{cite}}."
        page = self.rng.randint(row["page_start"], row["page_end"]) if self.rng.random() < 0.35 else 0
        return self._answer(base.provision, text, "", by_name, page)

    def faulty(self, base: Base, kind: str, by_name: bool) -> MadeAnswer:
        text, row = base.text, self.rows[base.provision]
        if kind in ("amount", "negation"):
            old, new = getattr(base, kind)
            assert old in text, (base, kind)
            return self._answer(base.provision, text.replace(old, new, 1), kind, by_name)
        if kind == "quotation":
            where = self.rng.choice([" It says: “{q}” {cite}.", " {Law} states that “{q}”."])
            text += where.replace("{q}", base.quote).replace("{Law}", "{law}")
            return self._answer(base.provision, text, kind, by_name)
        if kind == "page":
            pages = [p for p in range(1, 60) if not row["page_start"] - 1 <= p <= row["page_end"] + 1]
            return self._answer(base.provision, text, kind, by_name, self.rng.choice(pages))
        if kind == "reference":
            same = [
                r
                for r in self.citable
                if r["act_id"] == row["act_id"] and r is not row and len(r["text"]) > 120
            ]
            far = [r for r in same if abs(r["ordinal"] - row["ordinal"]) > 12]
            other = self.rng.choice(far or same)
            return self._answer(base.provision, text, kind, by_name, cited=other["provision_id"])
        if kind == "repealed":
            return self._answer(base.provision, text, kind, True, cited=self._old(base))
        return self._answer(
            base.provision,
            text,
            kind,
            True,
            law=self._absent(row) if kind == "no_such_section" else self._other_act(row),
        )

    def _absent(self, row: Row) -> str:
        numbers = {r["number"] for r in self.rows.values() if r["act_id"] == row["act_id"]}
        top = max(int(n) for n in numbers if n.isdigit())
        absent = [f"{row['number']}{letter}" for letter in "KQZ"] + [str(top + k) for k in (7, 31, 120)]
        return self._name(row, self.rng.choice([n for n in absent if n not in numbers]))

    def _other_act(self, row: Row) -> str:
        others = [r for r in self.citable if r["act_id"] != row["act_id"] and r["kind"] == "section"]
        same = [r for r in others if r["number"] == row["number"]] or others
        return self._name(self.rng.choice(same), row["number"])

    def _old(self, base: Base) -> str:
        gone = {a["act_id"] for a in self.build.acts if a["in_force_to"]}
        older = [
            c.provision_id for c in self.build.counterparts(base.provision) if c.relation == "predecessor"
        ]
        return next((p for p in older if p.split("/")[0] in gone), "")

    def _name(self, row: Row, number: str) -> str:
        return f"{row['kind']} {number} of the {self.titles[row['act_id']]}"

    def _quote(self, row: Row) -> str:
        runs = [r.split() for r in re.split(r"[\[\]*“”\"(){}]|\n|[.;:—]", row["text"])]
        runs = [r for r in runs if len(r) >= 10]
        return " ".join(self.rng.choice(runs)[:14]).strip(",") if runs else ""

    def _answer(
        self,
        provision: str,
        text: str,
        fault: str,
        by_name: bool,
        page: int = 0,
        cited: str = "",
        law: str = "",
    ) -> MadeAnswer:
        row = self.rows[cited or provision]
        name = law or self._name(row, row["number"])
        file = self.build.paths[row["document_id"]]
        paged = self.rng.choice([f" (page {page})", f" [{file}, page {page}]"]) if page else ""
        contexts = None
        if by_name:
            text = text.replace("{law}", name).replace("{cite}", f"({name})")
        else:
            contexts = self._given(provision, cited)
            number = next(n for n, c in enumerate(contexts, 1) if c.provision_id == (cited or provision))
            text = (
                text.replace("({law})", "{cite}")
                .replace("{law}", f"this provision [{number}]")
                .replace("{cite}", f"[{number}]")
            )
        text = re.sub(r"^(\W*)([a-z])", lambda m: m[1] + m[2].upper(), text)
        text = text if text[-1] in ".”" else text + "."
        return MadeAnswer(text[:-1] + paged + text[-1] if paged else text, contexts, fault)

    def _given(self, provision: str, cited: str) -> tuple[ClaimContext, ...]:
        """What the default gives for the heading of the provision, with what is cited among it."""
        if provision not in self.contexts:
            hits = self.build.search(self.rows[provision]["heading"] or provision, 20)
            self.contexts[provision] = [context_of(hit) for hit in hits]
        given = list(self.contexts[provision])
        for wanted in filter(None, (provision, cited)):
            if wanted not in {c.provision_id for c in given}:
                given.insert(self.rng.randint(0, len(given)), self._context(wanted))
        return tuple(given)

    def _context(self, provision: str) -> ClaimContext:
        row = self.rows[provision]
        file = self.build.paths[row["document_id"]]
        pages = (row["page_start"], row["page_end"])
        return ClaimContext(
            row["text"], self._name(row, row["number"]), row["heading"], provision, file, pages
        )


def acts_in_two(build: Build) -> tuple[list[str], list[str]]:
    """The Acts of templates and the Acts of the sentences written by hand."""
    acts = sorted({a["act_id"] for a in build.acts if a["in_force_to"] is None})
    return acts[::2], acts[1::2]


def measured(build: Build, answers: Sequence[MadeAnswer]) -> Iterator[tuple[MadeAnswer, Any]]:
    """Each answer with its check."""
    for answer in answers:
        yield answer, build.check_answer(answer.text, answer.contexts, DAY)
