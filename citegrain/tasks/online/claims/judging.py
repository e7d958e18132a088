"""The claims of an answer against the passages that they cite, without a language model.

A claim is compared by what can be counted: its amounts, negations, opposites, quoted words and pages, then by
the share of its words that the passages have and, where an encoder is given, by the nearest window.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

import numpy as np
import numpy.typing as npt

from citegrain.tasks.online.check import Claim, quotation_difference
from citegrain.tasks.online.claims.facts import (
    NEGATIVE,
    Quantity,
    alike,
    negations,
    opposite,
    quantities,
    same_amount,
)
from citegrain.tasks.online.claims.passages import Passage, Token, Window, passage_of, tokens_of
from citegrain.tasks.online.claims.schema import ClaimContext, Evidence, Fault, JudgedClaim, Verdict
from citegrain.tasks.online.claims.sentences import Sentence, find_sentences, without_references

Encode = Callable[[Sequence[str]], npt.NDArray[np.float32]]
SUPPORTED, PARTLY = 0.6, 0.34  # scores from which a claim is supported, and partly
_BETTER = 0.25  # by which another passage has more of a claim that its own lack
_IDLE = 0.1  # share of a claim's words below which a cited passage gives it nothing
_ALIGNED = 0.5  # share of a claim's words in the order of the passage from which its small words are compared
_GAP = 4  # words between which a negation may be missing; what is longer is an exception of its own
_QUOTED = re.compile(r"[“\"]([^”\"]{12,})[”\"]")
_CITATION = re.compile(
    r"\b(?:(?:sub-?\s?)?sections?|secs?\.?|ss?\.|u/s|articles?|arts?\.?|rules?|clauses?|§+)"
    r"\s*\d+\w*(?:\s?\(\w{1,4}\))*"
    r"(?:\s*(?:,|and|or|to|read with|r/w|&|/)\s*(?:sections?\s*)?\d+\w*(?:\s?\(\w{1,4}\))*)*"
    r"(?!\s*(?:days?|months?|years?|per))"
    r"|\b(?:[Tt]he\s+)?"
    r"(?:[A-Z][\w’'-]*(?:\s+\([A-Z][^()]*\))?,?\s+(?:(?:and|of|for|to|in|from|on|the|with|at)\s+)*){1,12}"
    r"(?:Act|Code|Sanhita|Adhiniyam)\b(?:,?\s*\d{4})?|\bConstitution(?:\s+of\s+India)?\b"
)
_MODAL = {"may": "may", "can": "may", "shall": "shall", "must": "shall"}


@dataclass
class _Findings:
    """What speaks against a claim, and the words on which it rests."""

    faults: list[Fault] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)

    def add(self, fault: Fault, message: str) -> None:
        self.faults.append(fault)
        self.messages.append(message)


def judge_claims(
    text: str,
    contexts: Sequence[ClaimContext],
    cited: Mapping[int, Sequence[int]] | None = None,
    question: str = "",
    encode: Encode | None = None,
) -> list[JudgedClaim]:
    """Whether the passages say what the sentences of an answer say, sentence by sentence.

    A sentence without a reference is compared with all passages.

    Parameters
    ----------
    text
        The answer, with references as ``[1]`` or ``[1, 3]``.
    contexts
        The passages that it may cite, by number from 1.
    cited
        Further references that were resolved: numbers of passages by the place in the text where the
        citation begins.
    question
        What was asked: amounts that stand in it are no claims.
    encode
        From texts to vectors of length 1, (texts, dimension).
    """
    passages = [passage_of(context.passage) for context in contexts]
    excused = quantities(question)
    return [
        _Judge(sentence, contexts, passages, excused, encode).judge(
            _resolved(sentence, contexts, cited or {})
        )
        for sentence in find_sentences(text)
    ]


def _resolved(
    sentence: Sentence, contexts: Sequence[ClaimContext], cited: Mapping[int, Sequence[int]]
) -> list[int]:
    """Numbers of the passages that a sentence cites: in brackets, by name, or by a page of a file."""
    numbers = list(sentence.numbers)
    for at, more in cited.items():
        if sentence.start <= at < sentence.end:
            numbers += more
    if not numbers:
        for file, first, last in sentence.pages:
            numbers += [n for n, c in enumerate(contexts, 1) if _on_page(c, file, first, last)]
    return list(dict.fromkeys(numbers))


def _on_page(context: ClaimContext, file: str, first: int, last: int) -> bool:
    return (
        (not file or file.lower() == context.file.lower())
        and first <= context.pages[1]
        and context.pages[0] <= last
    )


class _Judge:
    """One claim and its passages."""

    def __init__(
        self,
        sentence: Sentence,
        contexts: Sequence[ClaimContext],
        passages: Sequence[Passage],
        excused: Sequence[Quantity],
        encode: Encode | None,
    ) -> None:
        self.sentence, self.contexts, self.passages = sentence, contexts, passages
        self.encode = encode
        self.words = _CITATION.sub(lambda m: " " * len(m[0]), without_references(sentence.text))
        self.tokens = tokens_of(self.words)
        self.amounts = [q for q in quantities(self.words) if not any(same_amount(q, e) for e in excused)]
        inside = {t.term for q in self.amounts for t in self.tokens if q.start <= t.start < q.end}
        self.terms = {t.term for t in self.tokens} - {""} - inside
        self.findings = _Findings()

    def judge(self, references: list[int]) -> JudgedClaim:
        """The verdict."""
        given = [n for n in references if 1 <= n <= len(self.passages)]
        if unknown := [n for n in references if n not in given]:
            self.findings.add("no_such_context", f"there is no passage {', '.join(map(str, unknown))}")
        covers = {n: self._cover([n]) for n in range(1, len(self.passages) + 1)}
        used = given or ([max(covers, key=lambda n: covers[n])] if covers and not references else [])
        windows = {n: self.passages[n - 1].best(self.terms) for n in used}
        score = self._score(used, windows)
        idle = [n for n in given if covers[n] <= _IDLE] if len(given) > 1 else []
        others = {n: cover for n, cover in covers.items() if n not in used}
        better = max(others, key=lambda n: others[n], default=0)
        if not better or others[better] < max(score, self._cover(used)) + _BETTER:
            better = 0
        if used:
            self._compare(used, windows)
        self._quotations(used)
        self._pages(given)
        if better and score < SUPPORTED:
            name = self.contexts[better - 1].law
            self.findings.add("reference", f"passage {better} has it{f': {name}' if name else ''}")
        return JudgedClaim(
            start=self.sentence.start,
            end=self.sentence.end,
            text=self.sentence.text,
            references=references,
            score=round(score, 3),
            faults=list(dict.fromkeys(self.findings.faults)),
            message="; ".join(dict.fromkeys(self.findings.messages)),
            idle=idle,
            better=better,
            evidence=self.findings.evidence or self._evidence(windows),
            verdict=self._verdict(score, better),
        )

    def _verdict(self, score: float, better: int) -> Verdict:
        faults = set(self.findings.faults)
        if (
            faults & {"quotation", "page", "no_such_context"}
            or score < PARTLY
            or (better and score < SUPPORTED)
        ):
            return "not"
        if faults & {"amount", "negation", "opposite"}:
            return "contradicted"
        return "partly" if score < SUPPORTED or faults else "supported"

    def _cover(self, numbers: Iterable[int]) -> float:
        """Share of the claim's terms that the best windows of some passages have."""
        if not self.terms:
            return 0.0
        has: set[str] = set()
        for n in numbers:
            for _, _, terms in self.passages[n - 1].best(self.terms):
                has |= terms
        return len(has) / len(self.terms)

    def _score(self, used: Sequence[int], windows: Mapping[int, Sequence[Window]]) -> float:
        if not self.terms:  # amounts alone
            return 1.0 if used and self.amounts else 0.0
        cover = self._cover(used)
        texts = [self.passages[n - 1].text[a:b] for n in used for a, b, _ in windows[n]]
        if self.encode is None or not texts:
            return cover
        vectors = self.encode([" ".join(self.words.split()), *texts])
        near = float((vectors[1:] @ vectors[0]).max())
        return 0.6 * cover + 0.4 * min(1.0, max(0.0, (near - 0.2) / 0.5))

    def _evidence(self, windows: Mapping[int, Sequence[Window]]) -> list[Evidence]:
        out = []
        for n, chosen in windows.items():
            for start, end, terms in chosen:
                at = [t for t in self.passages[n - 1].tokens if start <= t.start < end and t.term in terms]
                out.append(self._words(n, at[0].start, at[-1].end))
        return out

    def _words(self, number: int, start: int, end: int) -> Evidence:
        return Evidence(context=number, start=start, end=end, words=self.passages[number - 1].text[start:end])

    # what can be counted --------------------------------------------------------

    def _compare(self, used: Sequence[int], windows: Mapping[int, Sequence[Window]]) -> None:
        self._amounts(used)
        for n in used:
            for start, end, terms in windows[n][:1]:
                if len(terms) >= max(2, 0.3 * len(self.terms)):
                    self._small_words(n, start, end)

    def _amounts(self, used: Sequence[int]) -> None:
        there = [(n, q) for n in used for q in self.passages[n - 1].quantities]
        for amount in self.amounts:
            same = [q for _, q in there if same_amount(amount, q)]
            bounds = {q.bound for q in same}
            words = " ".join(self.words[amount.start : amount.end].split())
            if same and not (amount.bound and "" not in bounds and amount.bound not in bounds):
                continue
            kin = [(n, q) for n, q in there if alike(amount, q)]
            if same:
                self.findings.add(
                    "amount", f"“{words}” is the {'least' if 'least' in bounds else 'most'} there"
                )
            elif kin:
                n, q = kin[0]
                law = ", ".join(dict.fromkeys(self.passages[m - 1].text[k.start : k.end] for m, k in kin[:3]))
                self.findings.add("amount", f"“{words}” is not there; it has {law}")
                self.findings.evidence.append(self._words(n, q.start, q.end))
            else:
                self.findings.add("unfounded_amount", f"“{words}” is not there")

    def _small_words(self, number: int, start: int, end: int) -> None:
        """Negations, opposites and modal verbs of a claim against those of the window that has most of it."""
        passage = self.passages[number - 1]
        there = [t for t in passage.tokens if start <= t.start < end]
        matcher = SequenceMatcher(
            None, [t.word for t in self.tokens], [t.word for t in there], autojunk=False
        )
        share = sum(block.size for block in matcher.get_matching_blocks()) / max(1, len(self.tokens))
        mine = negations(self.words)
        law = [span for span in passage.negations if start <= span[0] < end]
        if share >= _ALIGNED:
            self._aligned(number, matcher, there, mine, law)
        if not mine and law and not NEGATIVE.search(self.words):
            self._negated(number, there, law)

    def _aligned(
        self,
        number: int,
        matcher: SequenceMatcher[str],
        there: Sequence[Token],
        mine: Sequence[tuple[int, int]],
        law: Sequence[tuple[int, int]],
    ) -> None:
        for tag, a, b, c, d in matcher.get_opcodes():
            if tag == "equal" or a == 0 or b == len(self.tokens):
                continue
            said, says = self.tokens[a:b], there[c:d]
            not_said = any(_inside(t, mine) for t in self.tokens[max(0, a - _GAP) : b + _GAP])
            not_there = [t for t in says if _inside(t, law)]
            near = any(_inside(t, law) for t in there[max(0, c - _GAP) : d + _GAP])
            pair = [t.word for t in said], [t.word for t in says]
            if not_there and not not_said and not NEGATIVE.search(" ".join(pair[0])):
                if len(says) <= _GAP:
                    self.findings.add("negation", f"the passage says “{' '.join(pair[1])}”")
                    self.findings.evidence.append(self._words(number, says[0].start, says[-1].end))
                elif "unless" in pair[1] or "except" in pair[1]:
                    self.findings.add("exception", f"without “{' '.join(pair[1][:8])}”")
            elif any(_inside(t, mine) for t in said) and not near and len(said) <= _GAP:
                self.findings.add("negation", f"the passage does not say “{' '.join(pair[0])}”")
            elif opposite(*pair):
                self.findings.add("opposite", f"“{pair[0][0]}” where the passage says “{pair[1][0]}”")
                self.findings.evidence.append(self._words(number, says[0].start, says[-1].end))
            elif len(said) == len(says) == 1 and {_MODAL.get(w[0]) for w in pair} == {"may", "shall"}:
                self.findings.add("modality", f"“{pair[0][0]}” where the passage says “{pair[1][0]}”")

    def _negated(self, number: int, there: Sequence[Token], law: Sequence[tuple[int, int]]) -> None:
        """A claim without any negation about what the passage denies, and nowhere affirms."""
        for span in law:
            scope = [t for t in there if t.start >= span[1]][:6]
            denied = [t.term for t in scope if t.term][:2]
            if len(denied) < 2 or not set(denied) <= self.terms:
                continue
            free = [t for t in there if t.term == denied[0] and t not in scope]
            if not free:
                words = self.passages[number - 1].text[span[0] : scope[-1].end]
                self.findings.add("negation", f"the passage says “{' '.join(words.split())}”")
                self.findings.evidence.append(self._words(number, span[0], scope[-1].end))

    def _quotations(self, used: Sequence[int]) -> None:
        for match in _QUOTED.finditer(self.sentence.text):
            claim = Claim("quotation", match[1])
            differences = [quotation_difference(claim, "", self.passages[n - 1].text) for n in used]
            if differences and all(differences):
                self.findings.add("quotation", min(differences, key=len))

    def _pages(self, given: Sequence[int]) -> None:
        """Pages that a claim names beside another reference."""
        for file, first, last in self.sentence.pages:
            printed = [self.contexts[n - 1] for n in given if self.contexts[n - 1].pages[0]]
            if printed and not any(_on_page(c, file, first, last) for c in printed):
                where = "; ".join(f"{c.file} page {c.pages[0]}".strip() for c in printed[:3])
                self.findings.add("page", f"page {first}: it stands in {where}")


def _inside(token: Token, spans: Sequence[tuple[int, int]]) -> bool:
    return any(a <= token.start < b for a, b in spans)
