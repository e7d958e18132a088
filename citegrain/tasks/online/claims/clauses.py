"""Clauses of a text, each affirmed or denied, by the scope of its negations."""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Literal

from citegrain.tasks.online.claims.facts import BOUND, LIMIT
from citegrain.tasks.online.claims.passages import term_of

Kind = Literal["main", "condition", "relative", "exception"]
_WORD = re.compile(r"[^\W_]+(?:[’'][^\W_]+)?|[,;:.—()\n]")
_NO_DENIAL = re.compile(
    r"\bif\s+not\b|\bno\s+matter\b|\bno\.\s?\d|\bwithout\s+prejudice\s+to\b|\bsave\s+as\b"
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MODALS = _words("shall may must can cannot will could should would")
_FINITE = _MODALS | _words("is are was were has have had does do did need")
_VERBS = _FINITE | {"be"}
_FORMS_OF_BE = _words("is are was were be been being become becomes deemed held")
_CONDITIONS = _words("if where when whenever because although though while whereas whether once why")
_TIMES = {("once", next_) for next_ in ("in", "a", "every", "per", "and", ",")}  # once in three months
_ONLY_BY = _words("with after on upon by for in to")  # only with the consent
_EXCEPTIONS = _words("unless until till")  # with a verb of their own
_WITHOUT = _words("without except excepting save")
_BARE = _WITHOUT | {"before", "not", "but", "other", "otherwise"}
_OPENERS = _CONDITIONS | _EXCEPTIONS | _WITHOUT
_NOT_EVEN = _OPENERS | _VERBS | {"number", "numbers", "more", "less"}
_OF_NOUNS = _words("a an the as by in to of for on from with his her their its any merely")
_STAYS = _words("stay stays remain remains fall falls")
_BUT = _words("but whereas yet though although while")
_WHO = _words("who whoever whosoever")
_ANYONE = _words("whoever whosoever")
_RELATIVES = _WHO | _words("which whom whose")
_SUBJECTS = _words("he she it they the a an no any there such nothing nobody where if every his her you")
_SAYS = re.compile(r"provid|say|stat|mean|rule|lay|clear|make|add")
_NO = _words("no none nobody nothing")
_DENIES = re.compile(  # as a "not" does
    r"(?:prohibit|forb[ia]d|debar|void|invalid|inadmissib|preclud|prevent|hinder|refus|exempt|immun|exclud|disentitl"
    r"|disqualif|unlawful|illegal|ceas|restrain|reject|affect|prejudic|derogat|impair|inconsisten|incompeten"
    r"|unenforceab|dismiss|ineligib|avoid|incapab|conflict|contradict|omit|neglect|escap)\w*"
    r"|barr(?:ed|ing)|bars?|stop(?:s|ped)?|fails?|failed|failure|lacks?|lost|loses?|unable|outside|den(?:y|ies|ied|ying)|dispute"
)
_VOID = re.compile(r"void\b")
_PREFIX = re.compile(r"(?:in|un|il|dis)(?=\w{4})")
_ADJECTIVE = re.compile(
    r"void|invalid|inadmissib|immun|exempt|unlawful|illegal|unable|inconsist|incompet|unenforc|inelig|incap"
    r"|disqual|outside|dispute|conflict"
)
_ACT = re.compile(  # an act that other words may say: to turn down
    r"refus|reject|dismiss|stop|restrain|den[yi]|hinder|avoid|disput|contradict|conflict|affect|prejud|derog"
    r"|impair|fail|exclud"
)
_NOUN = re.compile(r"(?:refus|dismiss)als?|(?:reject|exclu)\w*ions?")
_LONG = 3  # terms that a "without" governs
_HEAD = 2  # terms behind a negation that it denies first
_SUBJECT, _OBJECT = 2, 8
"""Words of "who commits", and of "which a person", before a modal verb of the main clause."""


class Clause:
    """Terms that are affirmed (``sign`` 1) or denied (-1) together.

    ``opened``: its first word; ``within``: the clause around it. ``head``: the terms behind its negation.
    ``even``, ``only``: whether it is opened by "even if", by "only if".
    ``nobody``: it is denied of "no person".
    """

    def __init__(self, kind: Kind, sign: int = 1, opened: str = "", within: Clause | None = None) -> None:
        self.kind, self.sign, self.opened, self.within = kind, sign, opened, within
        self.terms: list[str] = []
        self.words, self.denies, self.verb = 0, sign < 0, False
        self.head: list[str] = []
        self.awaits = 0  # terms that its head lacks; of "no person shall" they stand behind the verb
        self.even = self.only = self.nobody = False

    @property
    def bare(self) -> bool:
        """Whether it is an exception without a verb: a "without" and its noun."""
        return self.kind == "exception" and self.opened in _BARE

    @property
    def weak(self) -> bool:
        """Whether it need not deny what it names."""
        return self.bare and self.opened not in ("without", "before", "not", "but")

    @property
    def unclear(self) -> bool:
        """Whether others may say it within what is denied: no court which hears it shall ..."""
        around = self.within
        return self.weak or (
            self.kind == "relative" and self.sign > 0 and around is not None and around.sign < 0
        )

    def deny(self, subject: bool = False) -> None:
        """Turn its sign; ``subject``: by a "no person", before the verb."""
        self.sign, self.denies = -self.sign, True
        self.awaits = -_HEAD if subject else _HEAD
        self.nobody |= subject

    def add(self, term: str) -> None:
        """Another term."""
        if term == "lie" and self.nobody and not self.head:  # no appeal lies: what is denied stands before
            self.head, self.awaits = self.terms[-_HEAD:], 0
        self.terms.append(term)
        if self.awaits > 0:
            self.head.append(term)
            self.awaits -= 1


def clauses(
    text: str, plain: Set[str] = frozenset(), before: bool = False, acts: bool = True, limits: bool = False
) -> list[Clause]:
    """The clauses of a sentence.

    ``plain``: stems of words of denial that do not count.
    ``before``: whether "before" denies as "until" does.
    ``limits``: whether "not have more than ten" denies nothing.
    ``acts``: whether verbs such as "refuse" deny by themselves; behind a "not" they do.
    """
    reader = _Reader(text, plain, before, acts, limits)
    return [clause for clause in reader.read() if clause.terms or clause.denies]


def denials(text: str) -> set[str]:
    """Stems of the words that deny without a "not"."""
    return {word[:5] for word in re.findall(r"[a-z]+", text.lower()) if _DENIES.fullmatch(word)}


def acts_of_denial(stems: Set[str]) -> bool:
    """Whether any of these stems is that of an act."""
    return any(_ACT.match(stem) for stem in stems)


class _Reader:
    """Walks through the words; ``open`` has the clauses that are not at their end, the innermost last."""

    def __init__(self, text: str, plain: Set[str], before: bool, acts: bool, limits: bool) -> None:
        self.plain, self.before, self.acts = plain, before, acts
        patterns = (BOUND, _NO_DENIAL, LIMIT) if limits else (BOUND, _NO_DENIAL)
        self.bounds = [m.span() for pattern in patterns for m in pattern.finditer(text.lower())]
        self.places = [match.span() for match in _WORD.finditer(text)]
        self.all = [text[a:b].lower() for a, b in self.places]
        self.out: list[Clause] = []
        self.open: list[Clause] = []
        self._main()

    def read(self) -> list[Clause]:
        """All clauses, in the order in which they begin."""
        for at, word in enumerate(self.all):
            self.last, self.next = self.all[max(0, at - 4) : at], [*self.all[at + 1 : at + 2], ""][0]
            if not word[0].isalnum():
                self._mark(word)
                continue
            bound = any(a <= self.places[at][0] < b for a, b in self.bounds)
            if self._opens(word, bound):
                continue
            if word in _VERBS and not bound:
                self._verb(word)
            if not (not bound and self._denies(word)):
                self._add(word)
        return self.out

    def _new(self, kind: Kind, sign: int = 1, opened: str = "") -> Clause:
        if opened == "until" and self.last[-2:] == ["unless", "and"]:
            self.out.pop()
            self.open.pop()
        empty = bool(self.out) and self.out[-1].kind == "exception" and not self.out[-1].terms
        if empty and kind in ("condition", "relative"):  # "except where"
            kind, sign = "exception", -1
        self.out.append(Clause(kind, sign, opened, self.open[-1] if self.open else None))
        return self.out[-1]

    def _main(self, sign: int = 1) -> None:
        self.open = [self._new("main", sign)]

    def _mark(self, mark: str) -> None:
        if mark == "(" or (
            mark == "." and self.last and (len(self.last[-1]) <= 2 or self.last[-1] == "cent")
        ):
            return
        if mark in ";:.—":
            self._main()
        elif len(self.open) > 1 and self.open[-1].terms:
            top, around = self.open[-1], self.open[-2]
            if not (top.bare and around.denies and not around.verb):  # nobody but the father, the mother
                self.open.pop()

    def _opens(self, word: str, bound: bool) -> bool:
        """Whether a word opens a clause."""
        before = self.last[-1] if self.last else ""
        count = len(self.out)
        if not self._begins(word, before, bound):
            return False
        if len(self.out) > count:
            self.out[-1].even |= before == "even"
            self.out[-1].only |= before == "only"
        return True

    def _begins(self, word: str, before: str, bound: bool) -> bool:
        if word in ("other", "otherwise") and self.next == "than":
            self.open.append(self._new("exception", -1, word))
        elif bound:
            return False
        elif (word, self.next) == ("inferior", "to") and self.open[-1].denies:
            self.open.append(self._new("exception", -1, "other"))
        elif (word, self.next) in (("free", "of"), ("free", "from"), ("absence", "of")):
            self.open.append(self._new("exception", -1, "without"))
        elif word == "including" or (word == "even" and self.next not in _NOT_EVEN):
            self.open.append(self._new("condition", 1, "even"))
            self.out[-1].even = True
        elif before == "only" and word in _ONLY_BY:
            self.open.append(self._new("condition", 1, "only"))
        elif (before, word) == ("so", "that") and self.next in _NO:
            self._main()
        elif (word in _BUT and before) or (word == "except" and self.next == "that"):
            if word == "but" and "nobody" in self.last:
                self.open.append(self._new("exception", -1, word))
            elif (word, self.next) != ("but", "not"):
                self._main()
        elif word == "without" and self.next.endswith("ing"):
            self.open.append(self._new("exception", -1, word))
            self.out[-1].awaits = _HEAD
        elif word in _WITHOUT or (word == "before" and self.before) or word in _EXCEPTIONS:
            self.open.append(self._new("exception", -1, word))
        elif (
            (word in _CONDITIONS and (not before or (word, self.next) not in _TIMES))
            or (before, word) == ("so", "far")
            or ((before, word) == ("in", "case") and self.next not in ("of", "may", ","))
            or (word, self.next) == ("provided", "that")
        ):
            self.open.append(self._new("condition", 1, word))
        elif word in _RELATIVES or (word == "that" and self._relative(before)):
            self.open.append(self._new("relative", 1, word))
        else:
            return False
        return True

    def _relative(self, before: str) -> bool:
        """Whether a "that" opens a clause: not that of "the Act says that"."""
        says = not before or _SAYS.match(before) or "rule" in self.last
        return self.next in _VERBS or (self.next in _SUBJECTS and not says)

    def _verb(self, word: str) -> None:
        """A second verb ends a subordinate clause, and begins another main one behind an "and"."""
        if set(self.last[-2:]) & _VERBS:
            self.open[-1].verb = True
            self.open[-1].awaits = abs(self.open[-1].awaits)
            return
        while len(self.open) > 1:
            top = self.open[-1]
            if top.bare:
                self.open.pop()
                continue
            few = _SUBJECT if top.opened in _WHO else _OBJECT
            ends = word in _MODALS or (top.opened in _ANYONE and top.words > few)
            complete = top.kind == "relative" and not top.verb and top.words >= few and ends
            if not complete and not (top.verb and word in _FINITE):
                break
            if not complete and self.last[-1] in ("and", "or"):
                self.open[-1] = self._new(top.kind)
                break
            self.open.pop()
        top = self.open[-1]
        top.awaits = abs(top.awaits)
        joined = (
            set(self.last) & {"and", "or", "nor", ","} if top.verb else top.words > 5 and "and" in self.last
        )
        if len(self.open) == 1 and word in _FINITE and joined:
            # no act shall be void or shall lapse; no suit shall begin or, if begun, shall go on
            goes_on = top.nobody and (
                self.last[-1] in ("or", "and", "nor") or self.out[-1].kind == "condition"
            )
            self._main(-1 if goes_on else 1)
            self.open[-1].nobody = goes_on
        self.open[-1].verb = True

    def _denies(self, word: str) -> bool:
        """Whether a word denies its clause."""
        before = self.last[-1] if self.last else ""
        if word == "nor":
            self._main(-1)
        elif word == "non":
            return True
        elif (
            word == "not"
            and self.last
            and not set(self.last[-3:]) & _VERBS
            and (self.next in _OF_NOUNS or self.next in _OPENERS or self.next.endswith("ing"))
        ):
            self.open.append(self._new("exception", -1, "without" if self.next.endswith("ing") else word))
            self.out[-1].awaits = _HEAD if self.next.endswith("ing") else 0
        elif word in _NO or word in ("not", "never", "cannot", "neither") or word.endswith(("n't", "n’t")):
            self._begin(word)
            self.open[-1].deny(word in _NO and not self.open[-1].verb)
            self.open[-1].verb |= word == "cannot"
        elif (
            ((_DENIES.fullmatch(word) and not _NOUN.fullmatch(word)) or (word == "out" and before in _STAYS))
            and word[:5] not in self.plain
            and self.last[-1:] != ["to"]
        ):
            if _ADJECTIVE.match(word) and not set(self.last[-3:]) & _FORMS_OF_BE:
                return False
            self._end_of_without()
            if (
                _ACT.match(word)
                and not self.acts
                and self.open[-1].sign > 0
                and (word[:4], self.next) != ("fail", "to")
            ):
                return False
            self.open[-1].deny()
            if _VOID.match(word) or _ADJECTIVE.match(word):  # "incompetent" denies "competent"
                self.open[-1].add(term_of("valid" if _VOID.match(word) else _PREFIX.sub("", word)))
        else:
            return False
        return True

    def _begin(self, word: str) -> None:
        """Another main clause, where "no" follows on one that is complete."""
        top = self.open[-1]
        if word not in _NO:
            return
        if len(self.open) > 1 and top.verb and "and" in self.last[-2:]:
            self._main()
        top = self.open[-1]
        if top.kind == "main" and (top.denies or top.verb) and set(self.last[-2:]) & {"and", "or", ","}:
            self._main()

    def _end_of_without(self) -> None:
        top = self.open[-1]
        if len(self.open) > 1 and top.bare and len(top.terms) >= _LONG:
            self.open.pop()

    def _add(self, word: str) -> None:
        self._end_of_without()
        top = self.open[-1]
        top.words += 1
        if word not in ("even", "only") and (term := term_of(word)):
            if self.last[-1:] == ["non"]:
                top = Clause("relative", -1, "non", top)
                top.awaits = 1
                self.out.append(top)
            top.add(term)
