"""What questions call Acts: those of a build, those that it does not have, and names that were mistyped."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from rapidfuzz.distance import OSA

from citegrain.tasks.law.citing.names import Lexicon, Place, called_of, initialisms
from citegrain.tasks.law.instruments import ACT_NOUNS, STATES, TITLE_LINKS, TITLE_YEAR, slug, title_of

_WORD = re.compile(r"[^\W_]+|&")
_NOUN = re.compile(rf"(?:{ACT_NOUNS})", re.IGNORECASE)
_YEAR = re.compile(rf",?\s*(?:of\s+)?\(?({TITLE_YEAR})\b\)?")
_TITLE_YEAR = re.compile(rf",?\s*\(?{TITLE_YEAR}\)?\s*$")
_POSSESSIVE = re.compile(r"[’'](s?)\b")
_STATE = re.compile(rf"(?:{STATES}|bombay|calcutta|madras|mysore)\b", re.IGNORECASE)
_NUMBER_BEHIND = re.compile(r"[\s,]*(?:(?:u/)?s(?:s|ec|ections?)?\b\.?\s*)?\d", re.IGNORECASE)
_NUMBER_BEFORE = re.compile(r"(?:\d[\w()]*,?\s+(?:of\s+)?(?:the\s+)?|\bunder\s+(?:the\s+)?)$", re.IGNORECASE)
_SECTION_BEHIND = re.compile(r"(?i:[\s,]*(?:u/)?s(?:ec|ections?)?\b\.?\s*\d)")
_SECTION_BEFORE = re.compile(r"(?i:\bs(?:ec|ections?)?\b\.?\s*\d[\w()]*,?\s+(?:of\s+)?(?:the\s+)?)$")
_NO_TITLE = frozenset(  # words that no title has, so that none begins before one
    "a an any are as can case did do does file filed fir has have he her his how i if is it its me my new "  # noqa: SIM905
    "not old our sec section sections she that their they this under was we what when where which who why "
    "will with you your".split()
)
_LINKS = frozenset(TITLE_LINKS.split("|"))
_INDIAN = ("indian", "the", "central")  # before a name, they make no other
_SIDE = re.compile(r"\b(?:amendment|validation|extension|repeal|continuation)\b", re.IGNORECASE)
_BEGINS = 3  # words with which a long title begins that are a name: Building and Other Construction Workers
_LONGEST = 16  # words of a title before its noun
_SHORT_WORD, _LONG_WORD, _LONG_OF_NAME = 5, 9, 7
"""Letters from which a word may have one error, and two; fewer beside another word."""
_MOST_ERRORS = 2
_LAST = 64  # texts whose places are remembered: each of a batch is read several times
_NO_NAME = frozenset(  # words before "Act" that are the name of none
    "above act amended amending amendment another applicable central code concerned "  # noqa: SIM905
    "criminal each every existing labour law local main other parent present principal "
    "related relevant repealed respective said same special state such various".split()
)
UNKNOWN = ""
"""Id of what is named beside a section as an Act is and is known to nobody: the Foo Act."""
_BEFORE = ("and", "of", "the")  # an unknown name, behind the last of which it begins
_FEW = 2  # words of a name in small letters
_LETTERS = 4  # of initials that are a name by themselves
_Name = tuple[str, ...]
_Token = tuple[int, int, str]  # where it begins and ends, and what it is


@dataclass
class ActNames:
    """The names by which a question may mean an Act.

    ``acts``: (act_id, title with year, other names) of those of the build, ``lexicon`` their names.
    ``titles``: titles with year of other Acts.
    """

    acts: Sequence[tuple[str, str, Sequence[str]]]
    lexicon: Lexicon
    titles: Iterable[str]
    _by_name: dict[_Name, list[str]] = field(default_factory=dict)  # to titles
    _initials: dict[_Name, list[str]] = field(default_factory=dict)
    _alone: dict[_Name, list[str]] = field(default_factory=dict)  # names without a noun
    _indexed: dict[_Name, str] = field(default_factory=dict)  # to how the name is written
    _short: dict[str, str] = field(default_factory=dict)  # DPDP, of DPDP Act

    def __post_init__(self) -> None:
        for _, title, aliases in self.acts:
            stem = _TITLE_YEAR.sub("", title).removeprefix("The ")
            for called in (stem, stem.removeprefix("Indian "), re.sub(r"\s*\([^)]*\)", "", stem), *aliases):
                if _NOUN.fullmatch(called.split()[-1]):
                    self._indexed.setdefault(_name(called), called)
                if re.fullmatch(r"[A-Z]{3,} Act", called):
                    self._short[called[:-4]] = called
        begins: dict[_Name, list[str]] = {}
        for title in self.titles:
            stem = _TITLE_YEAR.sub("", title).removeprefix("The ")
            words, plain = stem.replace("(", "").replace(")", ""), re.sub(r"\s*\([^)]*\)", "", stem)
            name, act_id = _key(words), slug(title)
            self._by_name.setdefault(name, []).append(title)
            for called in called_of(act_id):
                table = self._by_name if " " in called else self._alone
                table[_key(called)] = [title]
            if _SIDE.search(stem):
                continue
            short = {name[:n] + name[-1:] for n in range(_BEGINS, len(name) - 1)}
            for beginning in short | ({_key(plain)} if len(plain.split()) > 2 else set()):
                begins.setdefault(beginning, []).append(title)
            for letters in {*initialisms(words), *initialisms(plain)}:
                titles = self._initials.setdefault(_key(letters), [])
                titles += [title] if title not in titles else []
        ends = {tuple(map(_singular, name[n:])) for name in self._indexed for n in range(len(name))}
        self._by_name = {k: v for k, v in (begins | self._by_name).items() if k not in ends}
        self._initials = {k: v for k, v in self._initials.items() if k not in self._indexed}

        self._cached_find = lru_cache(_LAST)(self._find)

    def find(self, text: str) -> list[Place]:
        """Every place at which a text names an Act, in order, as those of :class:`Lexicon`.

        Of an Act that is not in the build, ``absent`` says so; its id is the one that it would have, or
        :data:`UNKNOWN`.
        """
        return [*self._cached_find(text)]

    def _find(self, text: str) -> list[Place]:
        indexed = [self._dated(text, place) for place in self.lexicon.find(text)]
        others = [
            other
            for other in self._others(text)
            if not any(_overlap(other, place) and not self._is_other(text, other, place) for place in indexed)
        ]
        ours = [place for place in indexed if not any(_overlap(place, other) for other in others)]
        return sorted([*ours, *others], key=lambda place: place.start)

    def read(self, text: str) -> str:
        """A text with the mistyped names and years of Acts of the build as they are."""
        places, out = self.find(text), text
        words, changes = _words(text), [*self._years(text)]
        for i, (start, end, word) in enumerate(words):
            if any(place.start < end and start < place.end for place in places):
                continue
            if _NOUN.fullmatch(word):
                changes += self._mended(text, words, i)
            elif name := self._short.get(word.upper()):  # beside a section: no "LLP 2 years"
                before = _SECTION_BEFORE.search(text[max(0, start - 40) : start])
                changes += [(start, end, name)] if before or _SECTION_BEHIND.match(text, end) else []
        for start, end, name in sorted(changes, reverse=True):
            out = out[:start] + name + out[end:]
        return out

    def absent(self, *texts: str) -> list[str]:
        """A sentence on each Act that texts name and that is not here; if it is unknown, the last of them."""
        places = [place for text in texts[:-1] for place in self.find(text) if place.act_ids[0] != UNKNOWN]
        places += [place for text in texts[-1:] for place in self.find(text)]
        by_act = {place.act_ids[0] or place.absent: place.absent for place in places if place.absent}
        return list(dict.fromkeys(by_act.values()))

    def _others(self, text: str) -> Iterator[Place]:
        words = _words(text)
        for i, (start, end, word) in enumerate(words):
            titles = self._alone.get(_key(word), ())
            if not titles and word.isupper() and len(word) >= _LETTERS and not text.isupper():
                titles = self._initials.get(_key(word), ())
            if _NOUN.fullmatch(word):
                if place := self._ending(text, words, i):
                    yield self._dated(text, place)
                elif not [*self._mended(text, words, i)] and (place := self._unknown(text, words, i)):
                    yield place
            elif titles and _is_cited(text, start, end):
                has_noun = i + 1 < len(words) and _NOUN.fullmatch(words[i + 1][2])
                until = words[i + 1][1] if has_noun else end
                yield self._dated(text, _other(text[start:until], start, until, titles))

    def _ending(self, text: str, words: Sequence[_Token], i: int) -> Place | None:
        """The other Act whose name ends at a word, the longest; one of a State by its name."""
        end = words[i][1]
        for j in range(_first(text, words, i), i):
            start, name = words[j][0], _key(text[words[j][0] : end])
            titles = self._by_name.get(name, ())
            if len(name) == 2 and words[j][2].isupper() and not text.isupper():
                titles = titles or self._initials.get(name, ())
            is_title = all(w[2][0].isupper() or w[2] in _LINKS for w in words[j:i])
            of_state = is_title and _STATE.match(text, start) and "," not in text[start:end] and len(name) > 2
            if titles or of_state:
                return _other(text[start:end], start, end, titles)
        return None

    def _unknown(self, text: str, words: Sequence[_Token], i: int) -> Place | None:
        """What stands where the name of an Act does, beside a section, and is short for none of the build."""
        year, begins = _YEAR.match(text, words[i][1]), range(_first(text, words, i), i)
        end = year.end() if year else words[i][1]
        behind = [j for j in begins if words[j - 1][2].lower() in _BEFORE or j == begins[0]]
        starts = [words[j][0] for j in behind if words[j][2].lower() not in _BEFORE]
        numbered = [s for s in starts if _SECTION_BEFORE.search(text[max(0, s - 40) : s])]
        start = [*numbered[:1], *starts[-1:], end][0]
        name = _key(text[start : words[i][0]])
        cited = numbered or _SECTION_BEHIND.match(text, end)
        if not (name and cited and _NO_NAME.isdisjoint(name)):
            return None
        if len(name) > _FEW and text[start:end].islower():
            return None  # where it begins nobody can tell
        if any(set(name) <= {*map(_singular, other)} for other in self._indexed):
            return None
        titles = self._initials.get((*name, "act"), ())
        place = _other(text[start:end], start, end, titles)
        return place if titles else replace(place, act_ids=(UNKNOWN,))

    def _dated(self, text: str, place: Place) -> Place:
        """A place with the year behind its name: one that its Act does not have is that of another Act."""
        year, words = _YEAR.match(text, place.end), text[place.start : place.end]
        if not year or re.search(TITLE_YEAR, words):
            return place
        end, years = year.end(), [int(act[-4:]) for act in place.act_ids if act[-4:].isdigit()]
        if place.absent:
            same = place.act_ids[0].endswith(year[1])
            return replace(place, end=end) if same else _other(f"{words}, {year[1]}", place.start, end, ())
        if not years:
            return replace(place, end=end)
        is_named = re.search(rf"\b(?:{ACT_NOUNS})\b", words, re.IGNORECASE)
        if _is_slip(int(year[1]), years) or (int(year[1]) > max(years) and not is_named):  # NDPS 2021: a case
            return replace(place, end=end)
        titles = [title for act, title, _ in self.acts if act in place.act_ids]
        if not re.search(r"[^\W\d_]{5}", words) or not is_named:
            words = _TITLE_YEAR.sub("", titles[0])
        other = _other(f"{words}, {year[1]}", place.start, end, ())
        also = " and ".join("the " + title.removeprefix("The ") for title in titles)
        return replace(other, absent=f"{other.absent[:-1]}; {also} is.", namesakes=place.act_ids)

    def _years(self, text: str) -> Iterator[_Token]:
        """Where a text gives an Act a year that is one off, and the right one."""
        for place in self.lexicon.find(text):
            year, right = _YEAR.match(text, place.end), place.act_ids[0][-4:]
            is_dated = re.search(TITLE_YEAR, text[place.start : place.end])
            if year and right.isdigit() and not is_dated and _is_slip(int(year[1]), [int(right)]):
                yield year.start(1), year.end(1), right

    def _mended(self, text: str, words: Sequence[_Token], i: int) -> Iterator[_Token]:
        """The name of an Act of the build that words up to a noun were meant to be."""
        end = words[i][1]
        for j in range(_first(text, words, i), i):
            typed = _name(text[words[j][0] : end])
            near = [(e, right) for right in self._indexed if (e := _errors(typed, right)) is not None]
            if near:
                yield words[j][0], end, self._indexed[min(near)[1]]
                return

    def _is_other(self, text: str, other: Place, place: Place) -> bool:
        """Whether a longer name is another Act's than the one in it: the Societies Registration Act."""
        outside = not (other.start <= place.start and place.end <= other.end)
        if outside or place.absent or other.act_ids == (UNKNOWN,):
            return False
        longer = text[other.start : place.start].lower().split()
        of_year = re.search(TITLE_YEAR, text[place.end : other.end])
        of_state = _STATE.match(text, other.start)  # in Delhi Consumer Protection Act
        return bool(of_year) or (bool(longer) and not of_state and any(w not in _INDIAN for w in longer))


def _other(words: str, start: int, end: int, titles: Sequence[str]) -> Place:
    """A place of an Act that is not in the build, by the title that it has, else by the words of the text."""
    title = titles[0] if len(titles) == 1 else re.sub(r"\s+", " ", words).strip()
    if title.islower() and len(titles) != 1:
        title = " ".join(w if w in _LINKS else w.capitalize() for w in title.split(" "))
    said = f"The {title}" if re.search(rf"(?i:\b(?:{ACT_NOUNS})\b)", title) and title[:4] != "The " else title
    return Place(start, end, (slug(title),), f"{said} is not indexed here.")


def _first(text: str, words: Sequence[_Token], i: int) -> int:
    """The first word of which a title may be made that ends at another."""
    j, plain = i, _plain(text)
    while j > 0 and i - j < _LONGEST and words[j - 1][2].lower() not in _NO_TITLE:
        gap = plain[words[j - 1][1] : words[j][0]]
        if "\n" in gap or not re.fullmatch(r"[\s,()’'/-]{1,4}", gap) or words[j - 1][2].isdigit():
            break
        j -= 1
    return j


def _plain(text: str) -> str:
    """A text without the apostrophes of its possessives, character for character."""
    return _POSSESSIVE.sub(lambda m: f"{m[1]} ", text)


def _words(text: str) -> list[_Token]:
    return [(m.start(), m.end(), m[0]) for m in _WORD.finditer(_plain(text))]


def _name(words: str) -> _Name:
    return tuple("and" if w == "&" else w.lower() for w in _WORD.findall(_plain(words)))


@lru_cache(10_000)  # of the titles that are listed, for each build that is opened
def _key(words: str) -> _Name:
    """A name whose words are in the singular: the Customs Act is the custom act, too."""
    return tuple(map(_singular, _name(words)))


def _is_cited(text: str, start: int, end: int) -> bool:
    """Whether a number stands beside a name, or "under" before it."""
    behind = _NUMBER_BEHIND.match(text, end) or re.match(r"\s+act\b", text[end:], re.IGNORECASE)
    return bool(behind or _NUMBER_BEFORE.search(text[max(0, start - 24) : start]))


def _is_slip(year: int, years: Sequence[int]) -> bool:
    alike = (abs(year - other) == 1 or sorted(str(year)) == sorted(str(other)) for other in years)
    return year not in years and any(alike)


def _overlap(one: Place, other: Place) -> bool:
    return one.start < other.end and other.start < one.end


def _errors(typed: _Name, right: _Name) -> int | None:
    """Slips that make one name of another, plurals aside; None where there are too many, or none."""
    noun = typed[-1] != right[-1]
    if typed == right or len(typed) != len(right) or len(right) < 2 + noun:
        return None
    total, two = int(noun), _LONG_OF_NAME if len(right) > 2 else _LONG_WORD
    for word, meant in zip(map(_singular, typed[:-1]), map(_singular, right[:-1]), strict=True):
        errors = OSA.distance(word, meant, score_cutoff=2)
        if errors > 1 and sorted(word) == sorted(meant):
            errors = 1  # panel
        if errors > (len(meant) >= _SHORT_WORD) + (len(meant) >= two):
            return None
        total += errors
    return total if total <= _MOST_ERRORS else None


def _singular(word: str) -> str:
    return word[:-3] + "y" if word.endswith("ies") else word.removesuffix("s")


def titles_of(cited: Mapping[str, int], indexed: Iterable[str]) -> list[str]:
    """Titles of Acts from the ids by which statutes cite them, without what is no name: ``central-act-1974``.

    ``cited``: how often each is cited. ``indexed``: ids of the Acts of the build.
    """
    words = {word for act in indexed for word in act.split("-")}
    out = []
    for act, count in cited.items():
        match = re.fullmatch(rf"(?P<stem>[a-z-]+)-(?:act|code|adhiniyam|sanhita)-{TITLE_YEAR}", act)
        if match is None or re.search(r"\b(?:amendments?|amending|repealing|constitution)\b", match["stem"]):
            continue
        if "-" not in match["stem"] and (count < 2 or match["stem"] in words):
            continue
        out.append(title_of(act))
    return out
