"""Provisions of Acts that a judgment cites: by the Act's title, by a name that it was given, or by none.

A judgment names an Act in full once and then as it pleases: ``the 2017 Act``, ``the Act of 2002``, ``PMLA``,
``the said Act``. Which Act is meant follows, in this order, from what it was defined to be, from its year,
from its initials, and from the Act that was cited last.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

from citegrain.tasks.law.citing.acts import nouns_of
from citegrain.tasks.law.citing.grammar import SPACED, SUB, along_chain, normalise
from citegrain.tasks.law.citing.names import Lexicon, Place
from citegrain.tasks.law.instruments import ACT_NOUNS, CONSTITUTION, PREFIXES, TITLE_LINKS, TITLE_YEAR
from citegrain.tasks.law.numbers import normal

FOREIGN = "foreign"  # a treaty or the law of another country: no Act that could be indexed
_NOUN = rf"(?:{ACT_NOUNS}|Rules|Regulations)"
_WORD = r"(?:[A-Z][\w’'./&-]{0,60}|\([A-Z][^()]{2,90}\)|\[[A-Z][^\[\]]{2,90}\])"
_WORDS = rf",?\s+(?:(?:{TITLE_LINKS})|{_WORD})"
# words are counted, and one way leads through each: else a page of capitals or brackets would take hours
TITLE = re.compile(
    rf"(?P<stem>{_WORD}(?:{_WORDS}|\([A-Z][^()]{{2,90}}\)){{0,40}}?\s+(?:\([^()]{{2,90}}\)\s+)?{_NOUN}),?\s*(?:of\s+)?\(?(?P<year>{TITLE_YEAR})(?:\d{{1,2}})?\b"
)
_UNDATED = re.compile(rf"{_WORD}(?:{_WORDS}){{0,40}}?\s+{_NOUN}\b")
_SHORT = re.compile(
    r"(?:[“\"‘'―]|\bthe\s+)\s*(?:the\s+)?(?P<name>[A-Z0-9][\w.&()\s-]{1,48}?)[”\"’'‚]|"
    r"\((?:for\s+short,?\s+)?(?:the\s+)?(?P<bare>[A-Z][A-Za-z.]{1,12}(?:\s+(?:Act|Code|Rules))?)(?:,?\s+for\s+(?:short|brevity))?\)"
)
DATED_NOUN = re.compile(rf"(?:{TITLE_YEAR}\s+{_NOUN}|{_NOUN},?\s+(?:of\s+)?{TITLE_YEAR})")
_ACRONYM = re.compile(rf"(?P<letters>[A-Z][A-Za-z.]{{1,12}})\s+{_NOUN}\b|(?P<alone>[A-Z][A-Z.]{{2,9}})\b")
_GAP = re.compile(r"[\s,)’”\"]*(?:\d{1,2}\s+)?(?:(?:of|under|in)\s+)?(?:the\s+)?", re.IGNORECASE)
# a letter may stand apart, where a row ended behind its hyphen; a number before a bar is a page's (70 | Page)
_LETTERS = rf"(?:-?[A-Z]{{1,3}}(?![a-z])|-\s[A-Z]{{1,2}}(?=[,;)]|$|\s(?:[A-Z(]|of\b|and\b|or\b))|{SPACED})"
_NUMBER = rf"\d{{1,3}}{_LETTERS}?(?![\d%])(?!\.\d)(?!\s?(?:th|st|nd|rd)\b)(?!\s?\|)"
_AND = r"\s*(?:,\s*and|,\s*or|,|\band\b|\bor\b|\bto\b|&|/|-)\s*"
_KIND = (
    r"(?P<kind>[Ss]ections?|SECTIONS?|[Ss]ub-?[Ss]ections?\s*(?:\(\w+\)\s*(?:(?:and|or|,|to)\s*)?)+of\s+[Ss]ections?|"
    r"[Ss]ecs?\.|\b[Ss]{1,2}\.(?=\s?\d)|[Uu]/[Ss]s?\.?|[Aa]rticles?|ARTICLES?|[Aa]rts?\.?(?=\s?\d)|[Rr]ules?|[Rr]{1,2}\.(?=\s?\d)|"
    r"[Rr]egulations?)"
)
_CITED = re.compile(
    rf"(?<![\w/.]){_KIND}\s*(?P<list>{_NUMBER}{SUB}(?:{_AND}(?!\d{{4}})(?:{_NUMBER}{SUB}|\(\w{{1,3}}\)))*)"
)
_ITEM = re.compile(rf"(?<![\w(])(?P<number>{_NUMBER})(?P<sub>{SUB})")
_CHAIN = re.compile(
    r"[\s,]*+(?:and|or|&|/|read\s+with|r/w\.?|along\s+with|as\s+well\s+as|read)?\s*+(?:the\s+)?",
    re.IGNORECASE,
)
_GAZETTE = re.compile(r"\b(?:Pt|Part|PART)\.?\s?[-–—]?\s?[IVX]+\W{1,4}$")
_NEXT = re.compile(r",?\s+(?:and\s+)?the\s")
_LEAD = re.compile(r"[\s,:;(\[.–—-]*(?:\(?\d\)\s*)?$")
_FOREIGN = re.compile(
    r"(?:[A-Z][\w-]{0,60}\s+(?:(?:of|on|for|the|and|in|to|[A-Z][\w-]{0,60})\s+){0,8})?(?:Convention|Covenant|Declaration|Charter|Treaty|"
    r"Protocol|Directive|Model\s+Law)\b|\b(?:ICCPR|ICESCR|UDHR|ECHR|CEDAW|GDPR|TRIPS)\b|(?:US|American|Irish|German|Canadian|"
    r"South\s+African)\s+Constitution"
)
_INDIAN = re.compile(r"\bConstitution\b")
_ONLY_NOUN = re.compile(
    rf"[\s,]*of\s+(?:the|this|that)\s+(?:said\s+)?(?P<noun>{ACT_NOUNS})\b(?!\s*,?\s*(?:of\s+)?\d|\s+of\s+[A-Z])"
)
AFTER = 220  # characters behind a title in which the judgment may give it a name
_REMEMBERED = 4  # paragraphs over which the Act cited last is meant


@dataclass(frozen=True, slots=True)
class CitedProvision:
    """A provision that is cited at ``offset``; ``sub`` is what follows its number, as ``(2)(b)``.

    ``act`` is the id that the Act has or would have; ``stated`` says that its name stands beside the number,
    ``cued`` that nothing but a preposition does.
    """

    offset: int
    text: str
    kind: str
    number: str
    sub: str
    act: str | None
    stated: bool = True
    cued: bool = False

    @property
    def printed(self) -> str:
        """What stands at ``offset``."""
        before = " rule " if " rule " in self.text else " "  # Order 7 rule 11
        return self.text.partition(before)[2] if self.number else self.text

    @property
    def target_id(self) -> str | None:
        """The id that the provision has or would have."""
        return f"{self.act}/{PREFIXES[self.kind]}_{normal(self.number)}" if self.act else None


class Statutes:
    """The Acts that one judgment names, and by what.

    ``text``: the whole of it, with its footnotes. ``acts``: (act_id, title, other names) of the Acts that are
    known. ``identify``: from a title with its year to the id that the Act has or would have.
    """

    item, title, gap = _ITEM, TITLE, _GAP
    foreign: str | None = None  # act of what is cited of a treaty or of another country's law

    def __init__(
        self, text: str, acts: Iterable[tuple[str, str, Sequence[str]]], identify: Callable[[str], str]
    ) -> None:
        text = normalise(text)
        self.identify = cache(identify)
        self.lexicon = Lexicon(acts)
        self.titles: Counter[tuple[str, str]] = Counter()  # (stem, year) as often as it is named
        self.defined: dict[str, str] = {}
        for match in self.title.finditer(text):
            stem, year = stem_of(match["stem"]), match["year"]
            self.titles[stem, year] += 1
            self._define(text[match.end() : match.end() + AFTER], self._id(stem, year))
        self.shorts = self._pattern()
        self._text = text

    @cached_property
    def _by_name(self) -> Counter[str]:
        """Known Acts as often as any name of theirs stands in the text: a code's title ends like no other."""
        return Counter(n.act_ids[0] for n in self.lexicon.find(self._text) if len(n.act_ids) == 1)

    def _id(self, stem: str, year: str) -> str:
        """The id of an Act; where an acronym stands for its title, of the Act that has these initials."""
        letters = re.fullmatch(rf"([A-Z][A-Za-z.&]{{1,12}})\s+{_NOUN}", stem)
        if letters and letters[1].isupper():
            full = self._by_initials(letters[1])
            matches = [a for n in self.lexicon.find(stem) for a in n.act_ids if a.endswith(year)]
            if full or matches:
                return full or matches[0]
        return self.identify(f"{stem.replace('&', 'and')}, {year}")

    def _define(self, behind: str, act: str) -> None:
        """Note the names that stand in quotation marks behind a title, before another Act is named."""
        other = re.search(rf"{self.title.pattern}|\bCode\s+o[fn]\s+[A-Z]", behind)
        cue = re.search(r"[“\"‘'―(]|hereinafter|hereafter|for short|for brevity|referred to", behind[:60])
        if not cue:
            return
        for match in _SHORT.finditer(re.split(r"\.\s", behind[: other.start() if other else None])[0]):
            name = (match["name"] or match["bare"]).strip()
            if re.search(rf"\b{_NOUN}\b|[A-Z]{{2,}}|[A-Z]\.[A-Z]", name) and len(name.split()) <= 6:
                self.defined.setdefault(_key(name), act)

    def _pattern(self) -> re.Pattern[str] | None:
        names = sorted(self.defined, key=len, reverse=True)
        bodies = [r"\.?\s*".join(re.escape(w) for w in name.split()) for name in names]
        return (
            re.compile("(?:" + "|".join(bodies) + r")\b(?!\s+of\s(?-i:[A-Z]))", re.IGNORECASE)
            if bodies
            else None
        )

    def act_at(self, text: str, at: int) -> tuple[str | None, int]:
        """The Act that is named at a place and where its name ends; None and the place itself for no name."""
        title = self.title.match(text, at)
        if title and not self._ends_before(title["stem"]):
            return self._id(stem_of(title["stem"]), title["year"]), title.end()
        short = self.shorts.match(text, at) if self.shorts else None
        if short:
            return self.defined.get(_key(short[0])), short.end()
        foreign = _FOREIGN.match(text, at)
        if foreign:
            return FOREIGN, foreign.end()
        if text.startswith("Constitution", at):
            return CONSTITUTION, at + 12
        dated = DATED_NOUN.match(text, at)
        if dated:
            return self._by_year(dated[0]), dated.end()
        act_name = self._begins(text, at)
        if act_name:
            return self._of_stem(text[at : act_name.end], act_name.act_ids), act_name.end
        plain = _UNDATED.match(text, at)
        if plain:
            return self._of_stem(plain[0], ()), plain.end()
        letters = _ACRONYM.match(text, at)
        if letters:
            act = self._by_initials(letters["letters"] or letters["alone"])
            if act:
                return act, letters.end()
        return None, at

    def _begins(self, text: str, at: int = 0) -> Place | None:
        """The Act whose name stands at a place; a number before it says that it is one."""
        first = max(0, at - 24)
        names = self.lexicon.find(text[first : at + 120])
        return next((replace(n, start=at, end=first + n.end) for n in names if n.start == at - first), None)

    def _ends_before(self, stem: str) -> bool:
        """Whether what looks like one title is a name and the title behind it: ``Cr.P.C., the Wick Act``."""
        act_name = self._begins(stem) if _NEXT.search(stem) else None
        return bool(act_name and _NEXT.match(stem, act_name.end))

    def _of_stem(self, words: str, indexed: Sequence[str]) -> str | None:
        """An Act named without its year: the one that the judgment names in full, else one that is known."""
        stem = stem_of(words).lower()
        for (title, year), _ in self.titles.most_common():
            if title.lower() == stem or title.lower().endswith(" " + stem) or _shortens(stem, title.lower()):
                return self._id(title, year)
        full = [self._id(t, y) for t, y in self.titles]
        return next((a for a in indexed if a in full), None) or (
            indexed[0] if indexed else self._by_initials(words.split()[0])
        )

    def _by_year(self, words: str) -> str | None:
        year = re.search(TITLE_YEAR, words)
        noun = re.search(_NOUN, words)
        for (stem, year_of), _ in self.titles.most_common():
            if year and noun and year_of == year[0] and stem.lower().endswith(noun[0].lower()):
                return self._id(stem, year_of)
        return None

    def _by_initials(self, letters: str) -> str | None:
        """The Act whose title has these initials: ``PML`` or ``PMLA``."""
        wanted = re.sub(r"[^A-Z]", "", letters.upper() if letters.isupper() else letters)
        for (stem, year), _ in self.titles.most_common():
            words = re.sub(r"\([^)]*\)", " ", stem).split()
            full = "".join(w[0] for w in words if w[0].isupper())
            if len(wanted) >= 2 and len(words) > 2 and wanted in (full, full[:-1]):
                return self._id(stem, year)
        return None

    def find(self, paragraphs: Sequence[str]) -> list[list[CitedProvision]]:
        """The provisions that each of a judgment's paragraphs cites, in order."""
        last: dict[str, tuple[int, str]] = {}
        return [list(self._of_paragraph(normalise(text), i, last)) for i, text in enumerate(paragraphs)]

    def _of_paragraph(self, text: str, at: int, last: dict[str, tuple[int, str]]) -> Iterator[CitedProvision]:
        cited = self._cited(text)
        matches = [m for m in cited if not _GAZETTE.search(text[max(0, m.start() - 12) : m.start()])]
        above = sorted(self._named_in(text), reverse=True) if matches else []
        latest: dict[str, int] = {}  # where each Act stands last before a number
        for match, behind in zip(matches, self._acts_behind(text, matches), strict=True):
            kind, noun = kind_of(match["kind"]), self.noun(text, match.end())
            while above and above[-1][0] < match.start():
                name_at, name = above.pop()
                latest[name] = name_at
            direct = behind or self._act_before(text, match.start())
            act = self._with_kind(direct, kind)
            if act and (kind == "article" or act != CONSTITUTION):
                last |= dict.fromkeys([kind, *(kind + noun for noun in nouns_of(act))], (at, act))
                latest[act] = match.start()
            elif not act:
                act = _nearest(latest, kind, noun) or self._unnamed(kind, at, last, noun)
            act_id = self.foreign if act == FOREIGN else act
            for item in self.item.finditer(match["list"]):
                words = re.sub(r"\s+", " ", f"{kind} {item[0]}").strip()
                number, sub = normal(item["number"]), re.sub(r"\s", "", item["sub"])
                offset = match.start("list") + item.start()
                yield CitedProvision(offset, words, kind, number, sub, act_id, bool(direct))

    @staticmethod
    def _with_kind(act: str | None, kind: str) -> str | None:
        """An Act that is named beside a number of a kind: India's Constitution has Articles."""
        return FOREIGN if act == CONSTITUTION and kind != "article" else act

    def noun(self, text: str, at: int) -> str:
        """``code``, ``act`` ... where only that word stands behind a number: ``section 439 of the Code``."""
        match = _ONLY_NOUN.match(text, at)
        return match["noun"].lower() if match else ""

    def _cited(self, text: str) -> Sequence[re.Match[str]]:
        """Where a paragraph cites provisions: groups ``kind`` and ``list``."""
        return list(_CITED.finditer(text))

    def _named_in(self, text: str) -> list[tuple[int, str]]:
        """(offset, id) of each Act that a paragraph names by its full title or by the name it was given."""
        places = {m.start() for pattern in (self.title, _FOREIGN, _INDIAN) for m in pattern.finditer(text)}
        places |= {m.start() for m in self.shorts.finditer(text)} if self.shorts else set()
        return [(start, act) for start in sorted(places) if (act := self.act_at(text, start)[0])]

    def _unnamed(self, kind: str, at: int, last: dict[str, tuple[int, str]], noun: str) -> str | None:
        """The Act of a number without one: the last of its kind that was cited nearby, else the usual."""
        seen, recent = last.get(kind, (-99, ""))
        if kind == "article":
            return FOREIGN if recent == FOREIGN and at == seen else CONSTITUTION
        if noun and recent and noun not in nouns_of(recent):
            seen, recent = last.get(kind + noun, (-99, ""))
        return recent if recent and at - seen <= _REMEMBERED else self._usual(kind, noun)

    def _acts_behind(self, text: str, matches: Sequence[re.Match[str]]) -> list[str | None]:
        """The Act named behind each list of numbers; in a chain (``21 read with 22 of``) that of the last."""

        def behind(match: re.Match[str]) -> str | None:
            gap = self.gap.match(text, match.end())
            return self.act_at(text, gap.end() if gap else match.end())[0] or None

        def chained(match: re.Match[str], following: re.Match[str], act: str) -> str | None:
            same = self._share(kind_of(match["kind"]), kind_of(following["kind"]), act)
            return act if same and _CHAIN.fullmatch(text, match.end(), following.start()) else None

        return along_chain(matches, behind, chained)

    @staticmethod
    def _share(kind: str, following: str, act: str) -> bool:
        """Whether a number may be of the Act of the number behind it."""
        return kind == following

    def _act_before(self, text: str, at: int) -> str | None:
        """The Act named just before: ``CODE OF CRIMINAL PROCEDURE, 1973: s. 482``."""
        window = text[max(0, at - 90) : at]
        lead = _LEAD.search(window)
        if not lead or not re.search(r"[:,(–—-]", lead[0]):
            return None
        names = [n for n in self.lexicon.find(window) if n.end >= lead.start() - 1]
        titles = [m for m in self.title.finditer(window) if m.end() >= lead.start() - 1]
        if titles:
            return self._id(stem_of(titles[-1]["stem"]), titles[-1]["year"])
        return self._of_stem(window[names[-1].start : names[-1].end], names[-1].act_ids) if names else None

    def _usual(self, kind: str, noun: str) -> str | None:
        """The Act named most often, for a number that stands without one."""
        fits = (a for a in self._often() if has_kind(a, kind) and noun in ("", *nouns_of(a)))
        return next(fits, None)

    def _often(self) -> Iterator[str]:
        """Acts by how often their titles stand in the text, then those that it calls otherwise."""
        yield from (self._id(stem, year) for (stem, year), _ in self.titles.most_common())
        yield from (act for act, _ in self._by_name.most_common() if act != CONSTITUTION)


def _nearest(latest: Mapping[str, int], kind: str, noun: str) -> str | None:
    """The Act, or for a rule the rules, that the paragraph named last before a number."""

    def fits(act: str) -> bool:
        no_act = act in (CONSTITUTION, FOREIGN)
        if kind == "article":
            return no_act
        return not no_act and has_kind(act, kind) and noun in ("", *nouns_of(act))

    return max(((at, act) for act, at in latest.items() if fits(act)), default=(0, None))[1]


def has_kind(act: str, kind: str) -> bool:
    """Whether what is called so has sections, rules or regulations of this kind."""
    called = re.search(r"-(rule|regulation)s(?:-|$)", act)
    return kind == (called[1] if called else "section")


def _shortens(stem: str, title: str) -> bool:
    """Whether a name has the first of a title's words, and others in their order: ``Air Pollution Act``."""
    words, full = stem.split(), iter(re.findall(r"[\w’'-]+", title))
    return len(words) > 2 and words[0] == next(full, "") and all(word in full for word in words[1:])


def kind_of(words: str) -> str:
    """Section, article, rule or regulation, of what a text prints before a number."""
    lower = words.lower()
    if lower.startswith(("art", "anu", "अनु")):
        return "article"
    if lower.startswith("reg"):
        return "regulation"
    return "rule" if lower.startswith("r") else "section"


def stem_of(words: str) -> str:
    """Title of an Act without what leads to it: ``Section 24 of the Hindu Marriage Act``."""
    words = re.sub(r"\s+", " ", re.sub(r"(?<=\w)\(", " (", words)).strip(" ,")
    parts = re.split(r"\b(?:the|The|THE)\s+", words)
    return parts[-1] if re.search(_NOUN, parts[-1], re.IGNORECASE) and len(parts[-1].split()) > 1 else words


def _key(name: str) -> str:
    return re.sub(r"\s+", " ", name.replace(".", "").lower()).strip()
