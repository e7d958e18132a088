"""The claims of an answer against the passages that they cite, without a language model.

A claim is compared by what can be counted: its amounts, negations, opposites, quoted words and pages, then by
the share of its words that the passages have and, where an encoder is given, by the nearest window.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from citegrain.tasks.core.errors import printable
from citegrain.tasks.online.check import Claim, quotation_difference
from citegrain.tasks.online.claims.agreeing import contradicted
from citegrain.tasks.online.claims.facts import Quantity, alike, quantities, same_amount
from citegrain.tasks.online.claims.passages import (
    Passage,
    Sentence,
    Window,
    find_sentences,
    passage_of,
    tokens_of,
    without_references,
)
from citegrain.tasks.online.claims.polarity import VERBATIM, differences, share_in_order
from citegrain.tasks.online.claims.schema import AGAINST, ClaimContext, Evidence, Fault, JudgedClaim, Verdict

if TYPE_CHECKING:
    from citegrain.tasks.online.claims.learned import Readers

Encode = Callable[[Sequence[str]], npt.NDArray[np.float32]]
Nearest = Callable[[str], Sequence[ClaimContext]]
SUPPORTED, PARTLY = 0.6, 0.34  # scores from which a claim is supported, and partly
_BETTER = 0.25  # by which another passage has more of a claim that its own lack
_FEWEST = 4  # terms of a claim for which another provision is looked for
_MANY = 60  # passages among which one is looked for that has what the cited ones lack
_POINTS = frozenset({"appli", "attract", "invok", "offenc", "refer", "see"})  # of what only names provisions
_IDLE = 0.1  # share of a claim's words below which a cited passage gives it nothing
_SURE = 0.6  # probability of support from which clauses that differ do not count
_AGAINST = 0.7  # probability of contradiction from which a claim is wrong though nothing in it can be named
_SHOWN = 160  # characters of a sentence in a message
_CLAUSE = 0.45  # share of the terms of each clause, below which a claim is supported in part
_CLAUSES = re.compile(r"[;,]\s+(?:and|but|while)\s+|;\s+")
_QUOTED = re.compile(r"[“\"]([^”\"]{12,})[”\"]")
_CITATION = re.compile(
    r"\b(?i:(?:sub-?\s?)?sections?|secs?\.?|ss?\.|u/s|articles?|arts?\.?|rules?|clauses?|§+)"
    r"\s*\d+\w*(?:\s?\(\w{1,4}\))*"
    r"(?:\s*(?:,|and|or|to|read with|r/w|&|/)\s*(?:sections?\s*)?\d+\w*(?:\s?\(\w{1,4}\))*)*"
    r"(?!\s*(?:days?|months?|years?|per))(?:\s+(?:of\s+(?:the\s+)?)?[A-Z]{2,5}\b)?"
    r"|\(\d{4}\)\s+\d+\s+SCC\s+\d+|\bAIR\s+\d{4}\s+SC\s+\d+"
    r"|\b(?:[Tt]he\s+)?"
    r"(?:[A-Z][\w’'-]*(?:\s+\([A-Z][^()]*\))?,?\s+(?:(?:and|of|for|to|in|from|on|the|with|at)\s+)*){1,12}"
    r"(?:Act|Code|Sanhita|Adhiniyam)\b(?:,?\s*\d{4})?|\bConstitution(?:\s+of\s+India)?\b"
)


def judge_claims(
    text: str,
    contexts: Sequence[ClaimContext],
    cited: Mapping[int, Sequence[int]] | None = None,
    question: str = "",
    encode: Encode | None = None,
    nearest: Nearest | None = None,
    readers: Readers | None = None,
) -> list[JudgedClaim]:
    """Whether the passages say what the sentences of an answer say, sentence by sentence.

    A sentence without a reference is compared with what its neighbours cite, or with all passages.

    ``text``: with references as ``[1]`` or ``[1, 3]``. ``cited``: further references that were resolved:
    numbers of passages by the place in the text where the citation begins. ``question``: amounts that stand
    in it are no claims. ``encode``: from texts to vectors of length 1, (texts, dimension). ``nearest``: from
    a claim to passages of the law that are like it: whether another one has what the cited lack.
    ``readers``: the verdict is that of a model over all signals, theirs too, not of thresholds.
    """
    passages = [passage_of(context.passage) for context in contexts]
    excused = quantities(question)
    sentences = find_sentences(text)
    references: list[list[int]] = [_resolved(sentence, contexts, cited or {}) for sentence in sentences]
    out = []
    for at, sentence in enumerate(sentences):
        judge = _Judge(sentence, contexts, passages, excused, encode, nearest, readers)
        out.append(judge.judge(references[at], references[at] or _around(text, sentences, references, at)))
    return out


def words_of(text: str) -> str:
    """A sentence without its references and names of laws; other characters keep their places."""
    return _CITATION.sub(lambda m: " " * len(m[0]), without_references(text))


def _around(text: str, sentences: Sequence[Sentence], references: Sequence[list[int]], at: int) -> list[int]:
    """What the next sentence of the paragraph cites, or else the one before, for one without reference."""
    for other in [*range(at + 1, len(sentences)), *range(at - 1, -1, -1)]:
        first, last = sorted((at, other))
        if references[other] and "\n\n" not in text[sentences[first].end : sentences[last].start]:
            return list(references[other])
    return []


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
        nearest: Nearest | None,
        readers: Readers | None,
    ) -> None:
        self.sentence, self.contexts, self.passages = sentence, contexts, passages
        self.encode, self.nearest, self.readers = encode, nearest, readers
        self.words = words_of(sentence.text)
        self.said = _QUOTED.sub(lambda m: " " * len(m[0]), self.words)  # words quoted are compared as such
        self.tokens = tokens_of(self.words)
        self.amounts = [q for q in quantities(self.words) if not any(same_amount(q, e) for e in excused)]
        inside = {t.term for q in self.amounts for t in self.tokens if q.start <= t.start < q.end}
        self.terms = {t.term for t in self.tokens} - {""} - inside
        if self.terms <= _POINTS:
            self.terms = set()
        self.findings: list[tuple[Fault, str]] = []  # what speaks against it, and in words
        self.by_clauses: list[tuple[Fault, str]] = []  # of them what clauses in other words say
        self.evidence: list[Evidence] = []
        self.signals: dict[str, float] = {}
        self.likely: dict[Verdict, float] = {}

    def judge(self, references: list[int], compared: Sequence[int]) -> JudgedClaim:
        """The verdict. ``compared``: the passages it is compared with, those that it cites if it does."""
        given = [n for n in compared if 1 <= n <= len(self.passages)]
        if unknown := [n for n in references if n not in given]:
            self.findings.append(("no_such_context", f"there is no passage {', '.join(map(str, unknown))}"))
        every = range(1, len(self.passages) + 1)  # in a long text only what a sentence cites
        covers = {n: self._cover([n]) for n in (every if len(every) <= _MANY else given)}
        used = given or ([max(covers, key=lambda n: covers[n])] if covers and not compared else [])
        windows = {n: self.passages[n - 1].best(self.terms) for n in used}
        score = self._score(used, windows)
        idle = [n for n in given if covers[n] <= _IDLE] if len(given) > 1 else []
        better, law = self._better(used, covers, score)
        if used:
            self._compare(used, windows)
        self._quotations(used)
        self._pages(given if references else [])
        if law is not None:
            self.findings.append(("reference", f"{law or f'passage {better}'} has it"))
        if self.readers and self.terms and used:
            from citegrain.tasks.online.claims.learned import probabilities, signals  # not for who asks

            faults = {fault for fault, _ in self.findings}
            passages = [self.passages[n - 1] for n in used]
            self.signals = signals(self.words, passages, faults, score, self.readers)
            self.likely = probabilities(self.signals)
            self._weighed()
        return JudgedClaim(
            start=self.sentence.start,
            end=self.sentence.end,
            text=self.sentence.text,
            references=references,
            score=round(score, 3),
            faults=list(dict.fromkeys(fault for fault, _ in self.findings)),
            message="; ".join(dict.fromkeys(message for _, message in self.findings)),
            idle=idle,
            better=better,
            evidence=self.evidence or self._evidence(windows),
            verdict=self._verdict(score, used),
            signals=self.signals,
        )

    def _weighed(self) -> None:
        """Clauses in other words than the law's are no reason against what all signals together support.

        What they together contradict is wrong also where none of the rules says why.
        """
        if self.likely["supported"] > _SURE:
            self.findings = [finding for finding in self.findings if finding not in self.by_clauses]
        elif self.likely["contradicted"] > _AGAINST and not AGAINST & {fault for fault, _ in self.findings}:
            self.findings.append(("meaning", "read together, the passage says otherwise"))

    def _verdict(self, score: float, used: Sequence[int]) -> Verdict:
        faults = {fault for fault, _ in self.findings}
        if faults & {"quotation", "page", "no_such_context", "reference"} or not used:
            return "not"
        if self.likely:
            verdict = max(self.likely, key=lambda verdict: self.likely[verdict])
            return "contradicted" if verdict == "supported" and faults & AGAINST else verdict
        if score < PARTLY:
            return "not"
        if faults & AGAINST:
            return "contradicted"
        return "partly" if score < SUPPORTED or faults or self._weakest(used) < _CLAUSE else "supported"

    def _better(
        self, used: Sequence[int], covers: Mapping[int, float], score: float
    ) -> tuple[int, str | None]:
        """Number and law of a passage that has much more of the claim than those cited; None if none."""
        least = max(score, self._cover(used)) + _BETTER
        others = {n: cover for n, cover in covers.items() if n not in used}
        best = max(others, key=lambda n: others[n], default=0)
        if best and others[best] >= least and len(self.terms) > 1:
            return best, self.contexts[best - 1].law
        if self.nearest is None or least > 1 or not used or len(self.terms) < _FEWEST:
            return 0, None
        for context in self.nearest(" ".join(self.words.split())):
            if self._share([passage_of(context.passage)]) >= least:
                return 0, context.law
        return 0, None

    def _cover(self, numbers: Iterable[int]) -> float:
        return self._share([self.passages[n - 1] for n in numbers])

    def _weakest(self, used: Sequence[int]) -> float:
        """The least share that the passages have of the terms of a clause, of clauses with enough of them."""
        shares = [1.0]
        for clause in _CLAUSES.split(self.words):
            terms = {t.term for t in tokens_of(clause)} & self.terms
            if len(terms) >= _FEWEST:
                has = {t for n in used for _, _, some in self.passages[n - 1].best(terms) for t in some}
                shares.append(len(has) / len(terms))
        return min(shares)

    def _share(self, passages: Sequence[Passage]) -> float:
        """Share of the claim's terms that the best windows of some passages have."""
        if not self.terms:
            return 0.0
        has: set[str] = set()
        for passage in passages:
            for _, _, terms in passage.best(self.terms):
                has |= terms
        return len(has) / len(self.terms)

    def _score(self, used: Sequence[int], windows: Mapping[int, Sequence[Window]]) -> float:
        if not self.terms:  # amounts alone, or a reference alone
            return 1.0 if used else 0.0
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
        most = max((len(chosen[0][2]) for chosen in windows.values() if chosen), default=0)
        for n in used:
            if windows[n] and len(windows[n][0][2]) >= max(2, 0.9 * most, 0.3 * len(self.terms)):
                for start, end, _ in windows[n]:
                    self._small_words(n, start, end)
                self._denials(n, *windows[n][0][:2])

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
                bound = "least" if "least" in bounds else "most"
                self.findings.append(("amount", f"“{words}” is the {bound} there"))
            elif kin:
                n, q = kin[0]
                law = ", ".join(dict.fromkeys(self.passages[m - 1].text[k.start : k.end] for m, k in kin[:3]))
                self.findings.append(("amount", f"“{words}” is not there; it has {law}"))
                self.evidence.append(self._words(n, q.start, q.end))
            else:
                self.findings.append(("unfounded_amount", f"“{words}” is not there"))

    def _small_words(self, number: int, start: int, end: int) -> None:
        """Negations, opposites and modal verbs, against the window that has most of the claim."""
        for fault, message, first, last in differences(
            self.said, tokens_of(self.said), self.passages[number - 1], start, end
        ):
            self.findings.append((fault, message))
            if last:
                self.evidence.append(self._words(number, first, last))

    def _denials(self, number: int, start: int, end: int) -> None:
        """What the passage denies and the claim affirms, or the other way round.

        Of words that are those of the window from ``start`` to ``end`` the small ones have decided.
        """
        text = self.contexts[number - 1].text  # a heading affirms nothing
        offset = len(self.passages[number - 1].text) - len(text)
        there = [t for t in self.passages[number - 1].tokens if start <= t.start < end]
        if share_in_order(self.tokens, there) >= VERBATIM:
            return
        sentence = contradicted(self.said, self.terms, text)
        if sentence and not any(fault == "negation" for fault, _ in self.findings):
            said = " ".join(text[sentence.start : sentence.end].split())
            self.by_clauses.append(("negation", f"the passage says “{said[:_SHOWN]}”"))
            self.findings += self.by_clauses
            self.evidence.append(self._words(number, offset + sentence.start, offset + sentence.end))

    def _quotations(self, used: Sequence[int]) -> None:
        for match in _QUOTED.finditer(self.sentence.text):
            claim = Claim("quotation", match[1])
            differences = [quotation_difference(claim, "", self.passages[n - 1].text) for n in used]
            if differences and all(differences):
                self.findings.append(("quotation", min(differences, key=len)))

    def _pages(self, given: Sequence[int]) -> None:
        """Pages that a claim names beside another reference."""
        for file, first, last in self.sentence.pages:
            printed = [self.contexts[n - 1] for n in given if self.contexts[n - 1].pages[0]]
            if printed and not any(_on_page(c, file, first, last) for c in printed):
                where = "; ".join(f"{printable(c.file)} page {c.pages[0]}".strip() for c in printed[:3])
                self.findings.append(("page", f"page {first}: it stands in {where}"))
