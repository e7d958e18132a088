"""Provisions and Acts that any text cites: a notice, an order, a police report, an assistant's answer.

Such texts cite as judgments do, and in shorter ways: ``IPC 302``, ``302/34 IPC``, ``u/s 138``,
``O. VII R. 11``.
"""

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from operator import attrgetter, itemgetter

from citegrain.tasks.core.words import LETTERS
from citegrain.tasks.law.citing import grammar, judgments
from citegrain.tasks.law.citing.acts import CODE, nouns_of
from citegrain.tasks.law.citing.grammar import KIND, LISTED, NUMBER, ROMAN, SUB, within
from citegrain.tasks.law.citing.judgments import AFTER, DATED_NOUN, FOREIGN, TITLE, CitedProvision, Statutes
from citegrain.tasks.law.citing.names import BEHIND_NUMBER, Lexicon
from citegrain.tasks.law.instruments import ACT_NOUNS, CONSTITUTION, TITLE_YEAR, slug
from citegrain.tasks.law.numbers import normal, order_number

ACT = "act"  # kind of a citation of an Act as such; its number is empty
_CITED = re.compile(rf"(?<![\w/.])(?<![Ss]ub[ -]){KIND}\s*(?i:nos?\.?\s*)?(?:[-:]\s?)?{LISTED}")
_ITEM = re.compile(rf"(?<![\w(])(?P<number>{NUMBER})(?P<sub>{SUB})")
_BEFORE_NAME = re.compile(rf"(?<![\w.-])(?<![\d)]/)(?P<kind>)(?!\d{{4}}){LISTED}(?=\s+(?:of\s+)?(?:the\s+)?)")
_SECTION = re.compile(rf"(?:\s+|:\s*)(?:[Ss]ections?|[Ss]{{1,2}}\.|[Ss]ecs?\b\.?)\s*\d|,\s{TITLE_YEAR}\b")
_LETTERED = re.compile(rf"(?<![A-Z]\s)\b[A-Z]{{2,8}}A(?={_SECTION.pattern})|{BEHIND_NUMBER}[A-Z]{{2,8}}A\b")
_DRAFTED = re.compile(r"[\s\w(),]{0,24}?\s(?:of|in)\s+(?:the\s+)?(?:[Dd]raft|[Pp]roposed)\s")
_DRAFT = re.compile(
    r"\b(?:[Dd]raft|[Pp]roposed|[Nn]ew|[Ii]nsertion\s+of)\s+(?:new\s+)?(?:[Ss]ections?|[Aa]rticles?)\s+[\w\s,()]{0,30}$"
)
_BEHIND_NAME = re.compile(
    rf"(?P<kind>)(?:,?\s*{TITLE_YEAR})?(?:\s+(?:k[aei]|me(?:in)?)\b)?\s*[:-]?\s*(?:ss?\s+)?(?!\d{{4}}){LISTED}(?!\s*{grammar.UNITS}|\s+(?:dha+ra|saal|din|mahin|tarah|log|logo|hazar|sections?)\b)(?!(?<=\D\d)\.\s)"
)
_LED = re.compile(r"(?i)(?:\b(?:under|by|of|with|per|see)|u/s\.?|r/w|/|\bss?\.|\bsec(?:tion)?s?\.?)\s*$")
_OF_INITIALS = re.compile(r"(?:[A-Z]{2,}|(?:[A-Z][a-z]?\.?\s?){2,})(?!\w|\s+(?!(?:is|was|has)\b)[a-z]+s\b)")
_RULE_OF_ORDER = re.compile(
    rf"(?<![\w/.])(?:[Uu]/(?=O))?(?:(?i:order|ord?\.|o\.)|Or?(?=\s?[\dIVXL]))\s*{ROMAN}[\s,]*(?i:rules?|rr?(?![A-Za-z])\.?)\s*{LISTED}"
)
_ORDER = re.compile(rf"(?<![\w/.])(?<!of )(?:Order|ORDER)\s+{ROMAN}(?P<list>)(?!\w|[\s,]*[Rr](?i:ules?)?\b)")
_OF_ORDER = re.compile(rf"\b[Rr]ules?\s+{LISTED}\s+of\s+(?i:order)\s+{ROMAN}")
_NAME = (  # no sentence ends in it
    r"(?:(?:(?:[A-Z][\w&/’'-]*|[A-Z][a-z]{0,2}\.|(?:[A-Z]\.)+|\([A-Z][A-Za-z ]{1,40}\))\s+"
    r"(?:(?:of|and|for|the|&)\s+)*){1,8}"
)
_HINDI_ACT = re.compile(
    rf"(?!(?:के|का|की|में|से|व|और|एवं|या|तथा)\s)(?:[{LETTERS}]+\s+){{1,3}}(?:अधिनियम|एक्ट)(?![{LETTERS}])"
)
_UNKNOWN = re.compile(
    rf"(?P<letters>(?![IVX]+\b)[A-Z]{{3,8}})\b(?!\s+(?:[A-Z]{{2}}|Rules\b|Regulations\b)|-\d)|{_NAME}(?:{ACT_NOUNS}|Rules|Regulations)\b)|"
    + _HINDI_ACT.pattern
)
_UNDATED = re.compile(
    rf"(?<![\w.-])(?!(?:The|This|That|Compare|Cf|See|Unlike|Said|Such|Principal|Parent|Original|Impugned|Amending|Amendment|New|Old|"
    rf"Any|An?|In|Under|By|And|Of|Sections?|Chapter|Part|Sch|Schedule|Order|Whether|As|For|If|On|To|With|"
    rf"(?:[A-Z]{{1,3}}|[IVXLC]+)(?=\s+of\b))\b){_NAME}(?:{ACT_NOUNS})\b)"  # section 120-B of the
)
_BEHIND = re.compile(  # section 62 (deductions for loans) of the
    r"(?i)(?:\s*\([a-z][^()]{2,70}\))?[\s,)’”\"]*(?:\d{1,2}\s+|Schedule\s+[IVX]+,\s*)?"
    r"(?:of\s+(?:the\s+)?(?:\w+\s+)?Sch(?:edule\b|\.)\s*(?:[IVX]+(?:-?[A-Z])?\s+)?(?:to|of)\s+)?(?:(?:of|under|in)\s+)?(?:the\s+)?"
    rf"(?:(?:old|new|former|erstwhile|earlier|repealed|present)\s+|(?:said|same|aforesaid)\s+(?={DATED_NOUN.pattern}))?"
)
_OF_ONE = re.compile(r"[\d)]\s*(?:of\s+)?(?:the\s+)?$")
_MARGIN = re.compile(r"(?<=\bof )[A-H](?= the\b)")  # of a page of the Supreme Court Reports
_PART = re.compile(  # between a number and its Act: 506 Part II of the Penal Code, 190, sub-section (1) CrPC
    r"(?<=[\dA-Z)])(?:\s*,?\s*[Pp]art[\s-]*(?:I{1,3}|IV|[1-4])|\s+(?:(?:first|second|third)\s+)?proviso|"
    r"\s*,?\s*(?:[Ii]ll(?:us)?(?:trations?)?\b\.?\s*\(\w{1,2}\),?|[Ee]xpl(?:n|anation)?\b\.?\s*(?:[IVX]+|\d)?)|"
    rf"(?:(?:\s+of|\s*,)?\s+{grammar.PARTS},?)+)"
    r"(?=\s+(?:of\s+|to\s+)?(?:the\s+)?(?!Sections?\b|Articles?\b|Rules?\b|Order\b)[A-Z])"
)
_CASE_NUMBER = re.compile(r"\s+Nos?\.?\s*\d")  # ITA No. 12/2017
_HINDI = re.compile(rf"[{LETTERS}]")
_NUMBER_BEHIND = re.compile(  # ipc 420, dv act sec 12
    r"(?:\s+k[aei]\b)?[\s,:-]*(?:(?:u/)?s(?:s|ecs?|ections?)?\b\.?|dhara\b)?\s*\d{1,3}(?!\d)", re.IGNORECASE
)
_OF_IT = r"\s+(?:ki|ke|ka|की|के|का)\s+"  # IPC ki dhara 420
_BETWEEN = rf"[\s,:;(\[*-]*|{_OF_IT}|,?\s+it\s+(?:is|was)\s+"
_INITIALS = re.compile(rf"([A-Z]{{2,6}})\s+(?:{ACT_NOUNS})\b")
_NOUN_BEHIND = re.compile(rf"\s+(?:{ACT_NOUNS})\b")
_NO_ACT = frozenset(  # and courts, whose orders and rules are no Acts
    "AND FIR FOR NOT ACT THE WITH READ UNDER ALSO ANY THAT SCC AIR "  # noqa: SIM905
    "NCLT NCLAT DRT DRAT ITAT CBI RBI SEBI CCI NGT".split()
)
_YEAR = re.compile(rf",?\s*(?:of\s+)?\(?{TITLE_YEAR}\b\)?")
_THAT = re.compile(
    rf"[\s,]*(?:(?P<it>thereof\b|ibid\b|of\s+the\s+latter\b|(?:of|under)\s+the\s+same(?=\s*(?:[.,;:)]|$)))|"
    rf"(?:of|in|to|under)\s+(?:the\s+)?(?:said|that|same|new|present|old|former|earlier|erstwhile|repealed)\s+(?:said\s+)?(?P<noun>{ACT_NOUNS})\b)"
)
_ATTACHED = re.compile(
    r"[\s,)”\"]*(?:\([a-z][^()]*\)\s*)?(?:(?:of|in|to)\s+the\s+(?:\w+\s+)?Schedule\s+)?(?:(?:of|under|in|to)\s+)?(?:the\s+)?(?:(?:said|old|former|erstwhile|repealed)\s+)?"
)
_ONLY_NOUN = re.compile(rf"(?:{ACT_NOUNS}|Rules|Regulations)?\W*|[a-z].*")
_OF_ANOTHER = re.compile(  # section 4 of the hall, Section 1 to Section 3 of this document
    r"(?:\s*(?:,|and|or|to)\s*(?:[Ss]ections?\s+)?\d+)*\s+(?:of|in)\s+(?:(?P<other>this|our|my|your)|the|that|an?)\s+"
    rf"(?!(?:[\w-]+\s+){{0,3}}(?i:{ACT_NOUNS})\b|(?:act|code|enactment|statute|said|same|principal|parent|aforesaid|above|law|"
    r"constitution|schedule|rules|regulations|ordinance|indian|penal|criminal|civil|evidence|first|second|draft|present|existing|original|unamended|amended|old|new|"
    r"former|latter|erstwhile|repealed)\b)(?:[a-z]|(?:Terms|Policy|Agreement|Rulebook|Handbook|Manual)\b)"
)
_TITLE = re.compile(  # Constitution (42nd Amendment) Act, 1976, but not: Under the Act of 1986
    rf"(?!\(|[A-Z][a-z]+\s+the\s+(?:{ACT_NOUNS})\b|(?:Compare|See|Cf|Contrast|Unlike|Similarly|Thus|Hence)\s)"
    + TITLE.pattern.replace(ACT_NOUNS, f"{ACT_NOUNS}|{ACT_NOUNS.upper()}").replace(
        r"\([A-Z][^()]", r"\((?:[A-Z]|\d{1,3}(?:st|nd|rd|th)\s)[^()]"
    )
)
_GIVEN = re.compile(
    r"[^.\n]{0,60}?\b(?:herein\s?after|for\s+(?:short|brevity))[^.\n]{0,60}?(?:referred\s+to\s+as|called)\s+(?:as\s+)?(?:the\s+)?"
    rf"(?P<name>[A-Z][\w.&-]*(?:\s+(?:of|and|[A-Z][\w.&-]*)){{0,5}}\s+(?:{ACT_NOUNS}))\b"
)
_OTHER_CONSTITUTION = re.compile(r"Constitution\s+of\s+(?!India\b)(?:the\s+)?[A-Z][a-z]+")
_NEXT = re.compile(
    r",?\s+(?:(?:(?:and|or|by|under|in|vide|with)\s+)?the\s|(?:and|or)\s+(?:Order|Section|Article|Rule)\b)"
)
_ABROAD = re.compile(  # 47 U.S.C., Directive 2000/31/EC
    r"\b(?:\d{1,2}\s+(?:U\.?\s?S\.?\s?C|C\.?\s?F\.?\s?R)\b\.?|(?:Directive|Regulation)\s+(?:\(E[CU]\)\s+)?(?:No\.?\s+)?\d{2,4}/\d+(?:/E?E[CU])?|(?:CISG|GATT|GDPR|ECHR|ICCPR|UDHR|CEDAW|TRIPS|TFEU)\b)"
)
_INTERNATIONAL = re.compile(rf"(?:International|European|American|Universal)\b|{_ABROAD.pattern}")
_COUNTRY = re.compile(r"\s*[(\[](?:U\.?[KS]\.?A?|E\.?U|Eng(?:land)?|Singapore|Canada|Australia)\.?[)\]]")
_GAZETTE = re.compile(r"\bP(?:art|ART|t)\b\.?\W{0,3}[IVX1l]{1,3}\W{1,4}$")  # of scans, too
_CONSTITUTED = re.compile(r"Constitution\s+Bench")
_MEANS = re.compile(rf"[“\"‘'](?:the\s+)?(?P<name>[\w ]{{0,30}}(?:{ACT_NOUNS}))[”\"’']\s+means\s+(?:the\s+)?")
_GAP = 60  # characters behind an Act in which a name given to it is no citation, or a form has its number
_end, _offset = itemgetter(1), attrgetter("offset")


class Texts(Statutes):
    """The Acts that one text names, and by what.

    ``lexicon``: names of the Acts that are known. ``home``: id of the Act or rules that the text itself is,
    to which its bare numbers belong; empty for others. ``called``: what the text calls each Act by its id.
    ``drafts``: kind and number of what it cites of drafts.
    """

    item, title, gap, foreign = _ITEM, _TITLE, _BEHIND, FOREIGN

    def __init__(self, text: str, identify: Callable[[str], str], lexicon: Lexicon, home: str = "") -> None:
        super().__init__(text, (), identify)
        self.lexicon, self.home = lexicon, home
        self.drafts: set[tuple[str, str]] = set()
        self.called: dict[str, str] = {}
        self._stated: set[tuple[str, str]] = set()
        for code in CODE.finditer(self._text):
            behind = self._text[code.end() : code.end() + AFTER]
            self._define(behind, self.identify(f"{code['stem']}, {code['year']}"))
        for means in _MEANS.finditer(self._text):
            if act := self.act_at(self._text, means.end())[0]:
                self.defined.setdefault(means["name"].lower(), act)
        self.shorts = self._pattern()
        self._parent = self.defined.get("act") if home else None

    def find(self, paragraphs: Sequence[str]) -> list[list[CitedProvision]]:
        """The provisions and Acts that each paragraph cites, in order."""
        texts = [grammar.with_latin_letters(_MARGIN.sub(" ", grammar.normalise(text))) for text in paragraphs]
        texts = [_PART.sub(lambda match: " " * len(match[0]), text) for text in texts]  # all places remain
        for _ in range(2):  # what stands beside its Act elsewhere is of no other text
            last: dict[str, tuple[int, str]] = {}
            out = [list(self._all(text, i, last)) for i, text in enumerate(texts)]
            self._stated = {(c.kind, c.number.upper()) for cited in out for c in cited if c.stated and c.act}
        return out

    def _all(self, text: str, at: int, last: dict[str, tuple[int, str]]) -> Iterator[CitedProvision]:
        self._names = self._names_in(text)
        rules = list(self._rules_of_orders(text))
        spans = sorted((start, end) for start, end, _ in rules)
        cited = [c for _, _, items in rules for c in items]
        for c in self._of_paragraph(text, at, last):
            another = _OF_ANOTHER.match(text, c.offset + len(c.printed))
            of_another = another and (another["other"] or (c.kind, c.number.upper()) not in self._stated)
            if not of_another and not within(c.offset, spans):
                cued = within(c.offset, self._cues)  # 173 BNSS (old 154): not of the Act before it
                former = cued and grammar.FORMER.search(text, max(0, c.offset - 12), c.offset)
                one = replace(c, act=None, stated=False) if former else c
                cited.append(replace(self._placed(text, one), cued=cued and not one.stated))
        cited.sort(key=_offset)
        alone = self._acts_alone(text, sorted([*spans, *self._spans]), cited)
        yield from sorted([*cited, *alone], key=_offset)

    def _placed(self, text: str, cited: CitedProvision) -> CitedProvision:
        """A bare number of a text that is law itself is its own; a draft is of no Act."""
        end = cited.offset + len(cited.printed)
        drafted = _DRAFT.search(text, max(0, cited.offset - 60), cited.offset)
        if drafted or _DRAFTED.match(text, end):
            self.drafts.add((cited.kind, cited.number))
            if not (drafted and cited.stated and drafted[0].startswith("nsertion", 1)):  # may be made by now
                return replace(cited, act=None, stated=True)
        noun = self.noun(text, end)
        if not self.home or cited.stated or _THAT.match(text, end) or noun not in ("", *nouns_of(self.home)):
            return cited
        if judgments.has_kind(self.home, cited.kind):
            return replace(cited, act=self.home, stated=True)
        parent = (self._parent or self._usual("section", "act")) if cited.kind == "section" else None
        return replace(cited, act=parent) if parent else cited  # of rules: the Act under which they are made

    def _names_in(self, text: str) -> list[tuple[int, int, str]]:
        """(start, end, id) of each name of an Act in a paragraph."""
        names = {m.start() + _lead(m["stem"]) for m in self.title.finditer(text)}
        places = self.lexicon.find(text)
        cited = {p.start for p in places if self._before(text, p.start) or _NUMBER_BEHIND.match(text, p.end)}
        names |= {p.start for p in (places if _HINDI.search(text) else self.lexicon.find(text, capital=True))}
        unknown = [m.span() for m in _HINDI_ACT.finditer(text)]
        names |= {start for start, end in unknown if not any(start <= p.start < end for p in places)}
        names |= {m.start() for m in self.shorts.finditer(text)} if self.shorts else set()
        names |= {m.start() for pattern in (_UNDATED, DATED_NOUN, _ABROAD) for m in pattern.finditer(text)}
        names |= set(self._initials_in(text))
        out: list[tuple[int, int, str]] = []
        for start in sorted(names | cited):
            inside = text[max(0, start - 1) : start].isalnum()  # 66E, IT Act
            if not inside and (not out or start >= out[-1][1]):
                act, end = self.act_at(text, start)
                act = None if _CASE_NUMBER.match(text, end) else act
                numbered = start in cited and act != CONSTITUTION
                if act and (numbered or not _ONLY_NOUN.fullmatch(text, start, end)):
                    year = _YEAR.match(text, end)
                    out.append((start, year.end() if year else end, act))
        return out

    def _initials_in(self, text: str) -> Iterator[int]:
        """Where letters stand for an Act beside a number that a word leads to: ``under 138 NI``."""
        for match in chain(_LETTERED.finditer(text), self.lexicon.letters.finditer(text)):
            before = self._before(text, match.start())
            led = before and _LED.search(text, max(0, before.start() - 12), before.start())
            if led or _SECTION.match(text, match.end()):
                yield match.start()

    def _named_in(self, text: str) -> list[tuple[int, str]]:
        inside = [(start + 1, end) for start, end, _ in self._names]  # "the Act" ends many a title
        others = [(at, act) for at, act in super()._named_in(text) if not within(at, inside)]
        return sorted({*others, *((start, act) for start, _, act in self._names)})

    def _cited(self, text: str) -> Sequence[re.Match[str]]:
        """Numbers with a word such as section, and those directly before or behind an Act's name."""
        matches = [
            m
            for m in _CITED.finditer(text)
            if not _GAZETTE.search(text[max(0, m.start() - 16) : m.start()])
            # but for article no. 4711
            and (judgments.kind_of(m["kind"]) == "section" or not re.match(r"\d{4}", m["list"]))
        ]
        taken = [match.span() for match in matches]
        for start, end, act in self._names:
            # of a number before it a name is the Act, and one behind it is another's
            of_one = _OF_ONE.search(text, max(0, start - 16), start)
            behind = None if of_one else _BEHIND_NAME.match(text, end)
            for match in (self._before(text, start), behind):
                if match is None or act == CONSTITUTION or within(match.start("list"), taken):
                    continue
                if not grammar.beginning(match.start("list"), match.end(), taken):
                    matches.append(match)
                    insort(taken, match.span())
        self._spans, self._cues = taken, []
        for match in () if self.home else grammar.cued_numbers(text):
            first = match.start("list")
            if not (within(first, taken) or grammar.beginning(first, match.end(), taken)):
                matches.append(match)
                insort(taken, match.span())
                self._cues.append(match.span())
        return sorted(matches, key=lambda match: match.start())

    @staticmethod
    def _before(text: str, start: int) -> re.Match[str] | None:
        """A list of numbers that ends before a name, ``302/34`` of ``302/34 IPC``, but no count."""
        first = max(0, start - 60)
        for match in _BEFORE_NAME.finditer(text, first, start):
            gap = text[match.end() : start]
            counted = grammar.COUNTED.search(text[first : match.start()])
            of_law = (
                counted and counted[0].strip() == "of" and gap.isspace() and _OF_INITIALS.match(text, start)
            )
            if (of_law or not counted) and re.fullmatch(r"\s+(?:of\s+)?(?:the\s+)?", gap):
                return match
        return None

    def act_at(self, text: str, at: int) -> tuple[str | None, int]:
        """The Act named at a place, as judgments have it; of an unknown name the id it would have."""
        other = _OTHER_CONSTITUTION.match(text, at)
        other = other or _INTERNATIONAL.match(text, at)
        if other or _CONSTITUTED.match(text, at):
            return (FOREIGN, other.end()) if other else (None, at)
        letters = _INITIALS.match(text, at)  # of a title in the text, rather than of one that is known
        act, end = (self._by_initials(letters[1]), letters.end()) if letters else (None, at)
        if act is None:
            act, end = super().act_at(text, at)
        year = _YEAR.match(text, end)
        if act and year and act[-4:].isdigit() and act[-4:] not in text[at : year.end()]:
            act, end = slug(text[at : year.end()]), year.end()  # another of the same name
        unknown = None if act else _UNKNOWN.match(text, at)
        noun = unknown and unknown["letters"] and _NOUN_BEHIND.match(text, unknown.end())
        if unknown and (noun or unknown["letters"] not in _NO_ACT):
            plain = self._begins(unknown[0].replace(".", ""))  # N.I. Act
            short = self.lexicon.of_first(unknown[0])
            act, end = plain.act_ids[0] if plain else short or slug(unknown[0]), (noun or unknown).end()
        if not act and (bare := self.lexicon.letters.match(text, at)):
            act, end = self.lexicon.find(f"{bare[0]} Act")[0].act_ids[0], bare.end()
        if act and (country := _COUNTRY.match(text, end)):
            return FOREIGN, country.end()
        if (
            act
            and re.search(r"\b(?:Rules|Regulations)\b", text[at:end])
            and judgments.has_kind(act, "section")
        ):
            act = slug(text[at:end])  # the rules under an Act, by its short name
        if act:
            self.called.setdefault(act, re.sub(r"\s+", " ", text[at:end]))
        return act, end if act else at

    def _by_year(self, words: str) -> str | None:
        """The Act of a year, of those that the text names; else the id of one not known: Code of 1898."""
        year = re.search(TITLE_YEAR, words)
        acts = (act for act in self._often() if year and act.endswith(year[0]))
        return super()._by_year(words) or (next(acts, slug(words)) if year else None)

    def _define(self, behind: str, act: str) -> None:
        behind = behind.partition("\n")[0]  # of a paragraph
        super()._define(behind, act)
        given, other = _GIVEN.match(behind), self.title.search(behind)
        if given and not (other and other.start() < given.start("name")):
            self.defined.setdefault(given["name"].lower().replace(".", ""), act)

    def _by_initials(self, letters: str) -> str | None:
        """As judgments have it, but NCLT is a tribunal and not its rules."""
        act = super()._by_initials(letters)
        rules = act and not judgments.has_kind(act, "section") and not letters.rstrip(".").endswith("R")
        return None if rules else act

    def _ends_before(self, stem: str) -> bool:
        name = self._begins(stem)
        return bool(name and (stem.find(".") in (name.end - 1, name.end) or _NEXT.match(stem, name.end)))

    @staticmethod
    def _with_kind(act: str | None, kind: str) -> str | None:
        return act  # "section 21 of the Constitution" is what the text says

    @staticmethod
    def _share(kind: str, following: str, act: str) -> bool:
        """Section 5 and Article 137 may be of one Act; before "Article 226 and section 482" none is meant."""
        return kind == following or ((kind, following) == ("section", "article") and act != CONSTITUTION)

    def _act_before(self, text: str, at: int) -> str | None:
        """The Act whose name ends just before a number: ``BNS s. 103``, ``Wage Code, section 17``."""
        first, until = (bisect_left(self._names, place, key=_end) for place in (at - _GAP, at + 1))
        for start, end, act in self._names[first:until]:
            ends = text.find(".", start, end) == end - 1  # a sentence: 302 IPC. Section 9
            if not ends and re.fullmatch(_BETWEEN, text[end:at]):
                # section 48 BNSS, Art. 22: of no code
                return None if text[at] in "Aa" and _OF_ONE.search(text, max(0, start - 16), start) else act
        return super()._act_before(text, at)

    def noun(self, text: str, at: int) -> str:
        match = _THAT.match(text, at)
        return (match["noun"] or "").lower() if match else super().noun(text, at)

    def _rules_of_orders(self, text: str) -> Iterator[tuple[int, int, list[CitedProvision]]]:
        """Where Orders and rules of them are cited, and which: their number is ``O39`` or ``O39R1``."""
        for pattern in (_RULE_OF_ORDER, _OF_ORDER, _ORDER):
            for match in pattern.finditer(text):
                order = order_number(f"{match['order']}{match['letter'] or ''}")
                act = self._acts_behind(text, [match])[0] or self._act_before(text, match.start())
                if pattern is _ORDER and not act:
                    continue
                order_alone = CitedProvision(match.start("order"), match[0], "rule", f"O{order}", "", act)
                items = [order_alone] if pattern is _ORDER else []
                for item in _ITEM.finditer(match["list"]):
                    number = f"O{order}R{normal(item['number']).upper()}"
                    offset = match.start("list") + item.start()
                    words = f"Order {order} rule {item[0]}"
                    items.append(CitedProvision(offset, words, "rule", number, item["sub"], act, bool(act)))
                yield match.start(), match.end(), items

    def _acts_alone(
        self, text: str, spans: Sequence[tuple[int, int]], cited: Sequence[CitedProvision]
    ) -> Iterator[CitedProvision]:
        """Acts that are named, but not as that of a number beside them, nor to give them another name."""
        ends = sorted(end for _, end in spans)
        last: tuple[int, str] = (-_GAP, "")
        for start, end, act in self._names:
            nearest = ends[bisect_right(ends, start) - 1] if ends else start + 1
            attached = start - 70 <= nearest <= start and bool(_ATTACHED.fullmatch(text, nearest, start))
            attached |= any(
                re.fullmatch(_BETWEEN, text[end:first])
                and any(c.act == act for c in grammar.beginning(first, until, cited, _offset))
                for first, until in grammar.beginning(end, end + 13, spans)
            )
            again = act == last[1] and start - last[0] <= _GAP
            is_word = act == FOREIGN or text[start:end].endswith("Constitution")  # of a committee
            if not DATED_NOUN.fullmatch(text, start, end):
                if not (attached or again or is_word):
                    yield CitedProvision(start, text[start:end], ACT, "", "", act, True)
                last = (end, act)


def said_act(text: str, cited: CitedProvision) -> bool:
    """Whether a text, from a number on, says that the last Act is meant: ``of that Act``, ``thereof``."""
    return _THAT.match(text, len(cited.printed)) is not None


def _lead(stem: str) -> int:
    """Characters before the title itself: ``Under the`` of ``Under the Arms Act``."""
    title = judgments.stem_of(stem)
    at = 0 if stem.startswith(title) else stem.find(title.split(" ")[0], stem.rfind(" the ") + 1)
    return max(0, at)
