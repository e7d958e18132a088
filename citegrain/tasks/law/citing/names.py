"""The names of the Acts of a build, as people call them."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Protocol

from rapidfuzz import fuzz, process

from citegrain.tasks.law.instruments import ACT_NOUNS, slug

_SAME_TITLE = 90.0
_SMALL = frozenset({"of", "the", "and", "for", "from", "in", "to", "on", "by", "a", "an", "with"})
_CITED_BEFORE = re.compile(r"(?:\b(?:under|of|per|vide|in)\s+(?:the\s+)?|\d[\w()]*[\s,]+)$", re.IGNORECASE)
_CITED_BEHIND = re.compile(r"[\s,]*(?:\d|s\.|ss\.|sec\b|sections?\b|u/s)", re.IGNORECASE)
_NUMBERED_BEFORE = re.compile(
    r"(?<![\w.])\d{1,3}(?:\s?-?\s?[a-z]{1,2})?(?:\s?\(\w{1,3}\))*,?\s+(?:of\s+(?:the\s+)?)?$", re.IGNORECASE
)
_NUMBERED_BEHIND = re.compile(r"[\s,:-]*(?:u/)?s(?:s|ec|ections?)?\b\.?\s*\d", re.IGNORECASE)  # dv act sec 12
BEHIND_NUMBER = r"(?:(?<=[\d)]\s)|(?<=\d[A-Z]\s))"
_EVERYDAY = frozenset({"ITA", "PITA"})
_CALLED = {  # how the id of an Act begins, and well-known names that its title does not tell
    "armed-forces-special-powers-act": ("AFSPA",),
    "cigarettes-and-other": ("COTPA", "Tobacco Act"),
    "conservation-of-foreign-exchange": ("COFEPOSA",),
    "employees-provident-funds-and": ("EPF Act",),
    "employees-state-insurance-act": ("ESI Act",),
    "foreign-contribution-regulation-act": ("FCRA",),
    "foreign-exchange-management-act": ("FEMA",),
    "mahatma-gandhi-national-rural-employment": ("MNREGA", "MGNREGA", "NREGA"),
    "payment-of-bonus-act": ("Bonus Act",),
    "payment-of-gratuity-act": ("Gratuity Act",),
    "pre-conception": ("PCPNDT",),
    "prohibition-of-child-marriage-act": ("Child Marriage Act",),
    "right-of-children-to-free": ("RTE", "RTE Act", "Right to Education Act"),
    "rights-of-persons-with-disabilities": ("RPwD Act", "PwD Act", "Disability Act", "Disabilities Act"),
    "scheduled-castes-and-the-scheduled-tribes-prevention":
        ("Sc St Act", "SC/ST Act", "Sc St Atrocities Act", "Atrocities Act", "Atrocity Act"),
    "scheduled-tribes-and-other-traditional-forest": ("Forest Rights Act",),
    "securitisation-and-reconstruction": ("SARFAESI", "SARFAESI Act"),
    "unlawful-activities-prevention-act": ("UAPA",),
    "wild-life-protection-act": ("Wildlife Act", "Wildlife Protection Act"),
}  # fmt: skip
_YEAR = re.compile(r",?\s*\(?\b(?P<year>(?:18|19|20)\d\d)\)?\s*$")
_CAPITAL = re.compile(r"[A-Z](?<![\w.].)")  # the set first: it is scanned for the fastest
_BEHIND_YEAR = re.compile(r",?\s*(?:of\s+)?\(?((?:18|19|20)\d\d)\)?")


@dataclass(frozen=True, slots=True)
class Place:
    """A place at which a text names Acts: several where the name leaves it open.

    ``absent``: a sentence that the Act is not in the build; empty where it is. ``namesakes``: Acts of the
    build that are called the same, and are of another year.
    """

    start: int
    end: int
    act_ids: tuple[str, ...]
    absent: str = ""
    namesakes: tuple[str, ...] = ()

    @property
    def indexed(self) -> tuple[str, ...]:
        """The Acts of the build that a question is about which names this one."""
        return self.namesakes if self.absent else self.act_ids


class ActFinder(Protocol):
    """What finds the names of Acts in a text."""

    def find(self, text: str) -> list[Place]:
        """Every place at which a text names an Act, in order."""


class Lexicon:
    """Names of Acts, as one pattern.

    ``acts``: (act_id, short title with year, other names) of each Act. ``initials``: whether the initials of
    titles are names too, ``FSS Act``, ``SMA``, and what else people call them. Statutes do not print these.
    """

    def __init__(self, acts: Iterable[tuple[str, str, Sequence[str]]], initials: bool = False) -> None:
        self._acts: dict[str, dict[tuple[str, str], None]] = {}  # name in lower case to (year, act_id)
        exact: dict[str, str] = {}
        short: list[tuple[str, str, str]] = []
        for act_id, title, aliases in acts:
            dated = _YEAR.search(title)
            year = dated["year"] if dated else ""
            stem = _YEAR.sub("", title)
            stem = re.sub(r"^The\s+", "", stem, flags=re.IGNORECASE).strip()
            plain = re.sub(r"\s*\([^)]*\)", "", stem).strip()
            more = (*called_of(act_id), plain.removeprefix("Indian ")) if initials else ()
            for name in {stem, plain, *aliases, *more}:
                self._add(name, year, act_id)
                # in small letters it is an everyday word, of English or of Hindi in Latin letters
                if name in _EVERYDAY or any(re.fullmatch(r"[A-Z]{2}", word) for word in name.split()):
                    exact[_key(name)] = name
            short += [(name, year, act_id) for name in (initialisms(plain) if initials else ())]
        full_names = set(self._acts)
        self._alone = {_key(name) for name, _, _ in short if " " not in name} - full_names
        for name, year, act_id in short:
            if _key(name) not in full_names:  # what is a name already stays one
                self._add(name, year, act_id)
                letters = name.partition(" ")[0]  # with a vowel, or alone, it may be a word in small letters
                if letters == name or len(letters) < 3 or set(letters) & set("AEIOUY"):
                    exact[_key(name)] = name
        self._pattern = _alternatives(n for n in self._acts if n not in exact)
        # "IT Act" is not "it act", nor PITA a father: such names count as they are written
        self._written = set(map(_letters, exact.values()))
        self._exact = _alternatives(exact.values())
        self._by_letters = {_letters(name): name for name in self._acts}

    @cached_property
    def letters(self) -> re.Pattern[str]:
        """Initials behind a number that are a name where Act follows, too: 138 NI, but not 20 IT firms."""
        short = sorted(name[:-4].upper() for name in self._acts if re.fullmatch(r"[a-z]{2,5} act", name))
        names = "|".join(short) or r"(?!)"
        of_words = r"\.?\s+(?:[A-Z]|(?!(?:is|was|has)\b)[a-z]{2,}s\b)"
        return re.compile(rf"{BEHIND_NUMBER}(?:{names})\b(?!{of_words})")

    def _add(self, name: str, year: str, act_id: str) -> None:
        self._acts.setdefault(_key(name), {})[year, act_id] = None

    def find(self, text: str, capital: bool = False) -> list[Place]:
        """Every place at which ``text`` names an Act, in order; a year behind the name settles which.

        With ``capital`` only names that begin with a capital, as statutes print them, which are looked for
        nowhere else; one in small letters does not hide them.
        """
        out: list[Place] = []
        for start, end, name in sorted(self._matches(text, capital)):
            if out and start < out[-1].end:
                continue
            entries, year = self._acts[name], _BEHIND_YEAR.match(text, end)
            if year and (dated := tuple(act for y, act in entries if y == year[1])):
                out.append(Place(start, year.end(), dated))
            else:
                out.append(Place(start, end, tuple(act for _, act in entries)))
        return out

    @cache  # noqa: B019 - a lexicon lives as long as its build
    def of_first(self, name: str) -> str | None:
        """The only Act whose name has a noun and a word that begins so: ``Arb. Act``."""
        first, _, noun = _key(name).partition(" ")
        acts = {
            act
            for words, entries in self._acts.items()
            for _, act in entries
            if re.fullmatch(rf"{re.escape(first)}\w* {re.escape(noun)}", words)
        }
        return acts.pop() if len(acts) == 1 and len(first) > 2 else None

    def _matches(self, text: str, capital: bool) -> Iterator[tuple[int, int, str]]:
        for pattern in (self._pattern, self._exact):
            if pattern is not None:
                for match in _at_capitals(pattern, text) if capital else pattern.finditer(text):
                    name = _key(match[0])
                    if name not in self._acts:  # an acronym with spaces behind its dots
                        keys = (_letters(name), _letters(name.replace("&", "and")))
                        name = next((self._by_letters[key] for key in keys if key in self._by_letters), "")
                    before = text[max(0, match.start() - 24) : match.start()]
                    cited = _CITED_BEFORE.search(before) or _CITED_BEHIND.match(text, match.end())
                    if not name or (name in self._alone and not cited):  # "ı" and "ſ" match i and s
                        continue
                    # what may be a word stands as Acts write it, or behind a number: 67c it act
                    is_written = pattern is self._pattern or _letters(match[0]) in self._written
                    numbered = _NUMBERED_BEFORE.search(before) or _NUMBERED_BEHIND.match(text, match.end())
                    if is_written or (numbered and not capital and " " in match[0]):
                        yield match.start(), match.end(), name


def initialisms(title: str) -> list[str]:
    """Names made of the initials of a title without its year: ``Food Safety and Standards Act`` is FSS Act.

    All initials, with that of "Act", are a name by themselves if they are three or more: ``SMA``.
    """
    words = [word for word in re.findall(r"[\w’'-]+", title) if word.lower() not in _SMALL]
    if title.startswith("Code on "):
        words = [*words[1:], words[0]]  # SS Code
    letters = "".join(word[0] for word in words[:-1]).upper()
    are_names = re.fullmatch(r"[A-Z]{2,}", letters) and re.fullmatch(ACT_NOUNS, words[-1])
    return [f"{letters} {words[-1]}", f"{letters}{words[-1][0]}"] if are_names else []


def called_of(act_id: str) -> list[str]:
    """Well-known names of an Act, that its title does not tell: ``COTPA``."""
    return [name for begins, names in _CALLED.items() if act_id.startswith(begins) for name in names]


def _at_capitals(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """As ``finditer``, of the places that begin with a capital."""
    end = 0
    for capital in _CAPITAL.finditer(text):
        match = pattern.match(text, capital.start()) if capital.start() >= end else None
        if match:
            end = match.end()
            yield match


def _key(name: str) -> str:
    """A name in lower case, without dots, single spaces: ``I.P.C.`` is ``ipc``."""
    return re.sub(r"\s+", " ", name.lower().replace(".", "").replace(",", "")).strip()


def _letters(name: str) -> str:
    return re.sub(r"[\s.,]", "", name)


def _alternatives(names: Iterable[str]) -> re.Pattern[str] | None:
    """Any of some names, the longest first.

    Names that begin alike are tried only where a text does: of many Acts most words begin no name.
    """
    firsts: dict[str, dict[str, list[str]]] = {}  # first letter to first word to what follows it
    for name in sorted(names, key=lambda n: (-len(n), n)):
        words = name.split()
        if not words:
            continue
        escaped = ("(?:and|&)" if word == "and" else re.escape(word) for word in words[1:])
        head, rest = words[0].lower(), "".join(rf"[,.]?\s+{word}" for word in escaped)
        letter = re.escape(head[0])
        if len(head) <= (6 if head.isascii() else 9):  # an acronym may be dotted
            head = r"(?:\.\s?)?".join(map(re.escape, head)) + r"\.?"
            rest = rest.replace("+", "*", 1)  # I.T.Act
        else:
            head = re.escape(head)
        head = head.replace(r"\&", r"\s?&\s?")
        firsts.setdefault(letter, {}).setdefault(head, []).append(rest)
    if not firsts:
        return None
    bodies = []
    for letter, heads in firsts.items():
        any_of = "|".join(f"{head}(?:{'|'.join(dict.fromkeys(rests))})" for head, rests in heads.items())
        bodies.append(f"(?={letter})(?:{any_of})")
    return re.compile(r"(?<![\w.])(?:" + "|".join(bodies) + r")(?!\w|\.\w\.)", re.IGNORECASE)  # B.N.S.S.


def identifier(acts: Sequence[tuple[str, str, Sequence[str]]]) -> Callable[[str], str]:
    """From a title with its year to an id: small differences of spelling do not count."""
    by_title = {slug(title): act for act, title, _ in acts}
    # Evidence Act, 1872: a name that the registry has beside the title, with the title's year
    by_alias = {slug(f"{alias}, {title[-4:]}"): act for act, title, aliases in acts for alias in aliases}
    ids = by_alias | by_title

    def identify(title: str) -> str:
        name = slug(title)
        year = re.search(r"\d{4}$", name)
        if name in ids or not year:
            return ids.get(name, name)
        alike = [other for other in by_title if other.endswith(year[0])]
        best = process.extractOne(name, alike, scorer=fuzz.token_sort_ratio, score_cutoff=_SAME_TITLE)
        return by_title[best[0]] if best else name

    return identify
