"""The lexicon of everyday legal trouble: Hindi in Latin letters, with the English of each word and phrase.

``data/hindi/lexicon.tsv`` has a row an entry: its kind, its spellings (``|`` between them) and its English.
A long vowel is doubled and ``R`` is the sound of ड़; other spellings, and Devanagari, are led to an entry by
sound (``sound``). The kinds:

- ``word`` and ``noun``; ``loan``: English in the sound of Hindi; ``post``: stands behind what it governs;
- ``verb``: a stem; its English has ``i`` behind it if it takes no object; ``past``: that of an English verb;
- ``form``: an irregular form, with its verb and what form it is;
- ``phrase``: of several words; ``~`` behind the last makes that a verb, in whatever form.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files

from rapidfuzz.distance import OSA

AUX, LOAN, NOUN, PHRASE, POST, VERB, WORD = "aux", "loan", "noun", "phrase", "post", "verb", "word"
STEM, INFINITIVE, HABIT, PAST, FUTURE, HAVING = "stem", "inf", "impf", "perf", "fut", "conj"
_VERB_ENDINGS = {
    INFINITIVE: ("na", "ne", "ni"),
    HABIT: ("ta", "te", "ti", "tin", "ata", "ate", "ati"),
    FUTURE: ("unga", "ungi", "oge", "ega", "egi", "enge", "engi", "ein", "en", "un", "u", "aen", "aun", "au"),
    HAVING: ("kar", "ke", "akar"),
    PAST: ("a", "e", "i", "ya", "ie", "in"),
    STEM: ("", "o", "ie", "iega", "ae"),
}
_NOUN_ENDINGS = (
    ("ion", "i"), ("iyon", "i"), ("io", "i"), ("ian", "i"), ("iyan", "i"), ("ia", "i"), ("uon", "u"),
    ("on", "a"), ("on", ""), ("e", "a"), ("e", "ya"), ("i", "a"), ("en", ""), ("ein", ""), ("o", "a"),
    ("o", ""),
)  # fmt: skip
_LAST_A = re.compile(r"[aeiou][^aeiou]+a[^aeiou]$")
_NO_VOWEL = re.compile(r"([cgkjtdbps]h|[b-df-hj-np-tv-z])(?=[b-df-hj-np-tv-z])")
_WHO_HAS = re.compile("(.{3,}?)[vw]aa?l(?:aa?|ee?|i|on?)$")  # written as one with what it is of: gharwale
_LONG = 3  # consonants of a word from which it is looked for by its rough sound
_TYPED = 5  # letters of a shorter one that is, too, if it differs but in breath: dhoka


@dataclass(frozen=True, slots=True)
class Sense:
    """What a word may be.

    ``kind``: of its entry; ``aux`` of a form that only helps a verb. ``english``: of a verb: with `` i``
    behind if it takes no object. ``form``: of a verb: which. ``grade``: how it was found: 0 as it is written,
    1 but for the length of vowels, 2 by sound, 3 by a rough sound.
    """

    lemma: str
    kind: str
    english: str
    form: str = ""
    grade: int = 0


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that are one together: ``kind`` says what."""

    words: tuple[str, ...]
    english: str
    kind: str


class Lexicon:
    """The entries, by the sounds of their words."""

    def __init__(self, rows: list[tuple[str, str, str]]) -> None:
        self._by_key: tuple[dict[str, list[Sense]], ...] = ({}, {}, {}, {})
        self._verbs: tuple[dict[str, Sense], ...] = ({}, {}, {}, {})
        self.phrases: dict[str, list[Phrase]] = {}
        self.english_of_verb: dict[str, str] = {}
        self.pasts = {forms: english for kind, forms, english in rows if kind == "past"}
        rows = [row for row in rows if row[0] != "past"]
        for kind, forms, english in rows:
            first, *_ = spellings = forms.split("|")
            for spelling in spellings:
                if " " not in spelling and "~" not in spelling:
                    self._add(kind, first, spelling, english)
        for by_key in self._by_key:  # nouns lose a short a before an ending: aurat, aurton
            for key, senses in list(by_key.items()):
                if _LAST_A.search(key) and any(sense.kind in (NOUN, LOAN) for sense in senses):
                    by_key.setdefault(f"{key[:-2]}{key[-1]}", senses)
        self.senses = lru_cache(maxsize=20_000)(self._senses_of_typed)
        self.norm = lru_cache(maxsize=20_000)(self._norm)
        for kind, forms, english in rows:
            for spelling in forms.split("|"):
                if " " in spelling or "~" in spelling:
                    *words, last = spelling.split()
                    ending = f"{spoken(last[:-1])}~" if last.endswith("~") else self.norm(last)
                    phrase = Phrase((*map(self.norm, words), ending), english, VERB if "~" in last else kind)
                    self.phrases.setdefault(phrase.words[0], []).append(phrase)
        for some in self.phrases.values():
            some.sort(key=lambda phrase: -len(phrase.words))

    def _add(self, kind: str, first: str, spelling: str, english: str) -> None:
        if kind == "form":
            lemma, form = english.split()
            sense = Sense(lemma, AUX if lemma in ("hai", "tha", "chahiye", "vaala") else VERB, "", form)
        else:
            sense = Sense(first, NOUN if kind == PHRASE else kind, english)
        for index, key in enumerate(_keys(spelling)):
            if kind == VERB:
                self._verbs[index].setdefault(key, sense)
                self.english_of_verb.setdefault(first, english)
            else:
                some = self._by_key[index].setdefault(key, [])
                if all(other.lemma != sense.lemma for other in some):
                    some.append(sense)

    def _norm(self, word: str) -> str:
        """The word by which a phrase is found: that of the entry it is led to, else its sound."""
        for sense in self.senses(word):
            if sense.kind in (POST, WORD, NOUN, LOAN):
                return spoken(sense.lemma)
            if sense.kind == VERB:
                return f"{spoken(sense.lemma)} {sense.form}"
        return spoken(word)

    def _senses_of_typed(self, word: str) -> tuple[Sense, ...]:
        """What a word may be; if it is none, with the short a that is left out in haste: ``bdh`` is badh."""
        senses = self._senses(word)
        if not senses and (who := _WHO_HAS.match(word)):
            senses = tuple(s for s in self._senses(who[1]) if s.kind == NOUN and s.grade < _LONG)
        if senses or not (start := _NO_VOWEL.match(word)):
            return senses
        return tuple(
            replace(s, grade=3) for s in self._senses(f"{start[0]}a{word[start.end() :]}") if s.grade < 2
        )

    def _senses(self, word: str) -> tuple[Sense, ...]:
        grades = list(enumerate(_keys(word)))
        uninflected = [[replace(s, grade=i) for s in self._by_key[i].get(key, ())] for i, key in grades[:2]]
        exact = grades[0][1]
        stem = self._verbs[0].get(exact)  # daal is put before it is dal, a party; mila is got before mix
        stems = [replace(stem, form=STEM)] if stem and not exact.endswith("a") else []
        short = len(bones(word)) < _LONG
        for index, key in grades:
            senses = [replace(sense, grade=index) for sense in self._at(key, index)]
            if index == len(grades) - 1 and short:
                senses = [s for s in senses if len(word) >= _TYPED and _but_for_breath(word, s.lemma)]
            if senses:
                shorter = [] if index == 0 else uninflected[1]
                return tuple(dict.fromkeys([*uninflected[0], *stems, *shorter, *senses, *uninflected[1]]))
        return ()

    def _at(self, key: str, index: int) -> Iterator[Sense]:
        """What a key may be at one grade of likeness, the surest first."""
        entries, verbs = self._by_key[index], self._verbs[index]
        yield from entries.get(key, ())
        for ending, instead in _NOUN_ENDINGS:
            if key.endswith(ending) and (base := key.removesuffix(ending) + instead) != key:
                inflected = (WORD,) if ending == "i" else (WORD, NOUN, LOAN)
                yield from (s for s in entries.get(base, ()) if s.english and s.kind in inflected)
        for form, endings in _VERB_ENDINGS.items():
            for ending in endings:
                stem = key.removesuffix(ending)
                if (stem != key or not ending) and stem in verbs:
                    verb = verbs[stem]
                    yield Sense(verb.lemma, VERB, verb.english, form)


def _but_for_breath(word: str, lemma: str) -> bool:
    """Whether a word is another, or its form in e, but for the breath of a consonant behind the first."""
    one, two = spoken(word), spoken(lemma)
    plain = two.translate(PLAIN)
    return one.translate(PLAIN) in (plain, re.sub("a$", "e", plain)) and one[0] == two[0]


def _keys(word: str) -> tuple[str, str, str, str]:
    """The keys of a word, the strictest first."""
    sound = spoken(word)
    return written(word), spelled(word), sound, rough(sound)


@cache
def lexicon() -> Lexicon:
    """The lexicon that ships, read once."""
    file = files("citegrain") / "data" / "hindi" / "lexicon.tsv"
    with file.open(encoding="utf-8") as lines:
        rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(rows)
        return Lexicon([(kind, forms, english) for kind, forms, english in rows])


_Rules = Sequence[tuple[re.Pattern[str], str]]


def _rules(*pairs: tuple[str, str]) -> _Rules:
    return [(re.compile(pattern), to) for pattern, to in pairs]


_WRITTEN = _rules(
    ("ii", "ee"), ("uu", "oo"), ("aa$", "a"), ("ee$", "i"), ("oo$", "u"), (r"(?<=[aeiou])y(?=[ei])", "")
)
_LENGTH = _rules(("aa+", "a"), ("ee+", "i"), ("oo+", "u"))
_LETTERS = _rules(
    ("ehe(?=[a-z])", "aha"), ("eh(?=[a-z])", "ah"),
    ("ph", "f"), ("q|ck", "k"), ("x", "ks"), ("w", "v"), ("z", "j"), ("c+hh?", "ch"), ("c(?!h)", "k"),
    ("m(?=[pbf])", "n"), (r"([bcdfgjklmnprstv])\1", r"\1"), ("(?<=[aeiou])h$", ""),
    ("kh", "K"), ("gh", "G"), ("ch", "C"), ("jh", "J"), ("th", "T"), ("dh", "D"), ("bh", "B"), ("sh", "S"),
    (r"([KGCJTDBS])\1", r"\1"),
)  # fmt: skip
_ROUGH = _rules(
    ("ai|ae|ei|ie", "i"), ("au|ao|ou", "u"), ("e", "i"), ("o", "u"), ("n(?=[^aiu])|(?<=[aiu])n$", ""),
    ("y", "i"), (r"(?<=.)a(?=.)", ""), (r"(.)\1+", r"\1"),
)  # fmt: skip
PLAIN = str.maketrans("KGCJTDBSR", "kgcjtdbsd")
_ENGLISH = _rules(
    ("[^a-z]", ""), ("[ts]ion", "shan"), ("[ct]ia", "sh"), ("ture", "chr"), ("igh", "aI"), ("^kn", "n"),
    ("(?:(?<=^[^aeiou])|(?<=^[^aeiou]{2}))i(?=[b-df-hj-np-tvz]e$)|i(?=le$)|(?<=l)i(?=ne$)", "aI"),
    ("^wr", "r"), ("mb$", "m"), ("dge", "j"), ("g(?=[ei])", "j"), ("c(?=[eiy])", "s"), ("tch", "ch"),
    ("qu", "kv"), ("ou?gh", "u"), ("ou", "au"), ("oa", "o"), ("ea", "ee"), ("er", "ar"),
    ("a([bdfgklmnprstvz])e$", r"e\1"), ("a[iy](?!r)", "e"), ("y$", "ee"), ("wh", "v"),
    ("th", "t"), ("(?<=..)e$", ""),
)  # fmt: skip
_BONES = _rules(("(?<=.)n|[aiuEO]", ""), (r"(.)\1+", r"\1"))


def _applied(word: str, rules: _Rules) -> str:
    for pattern, to in rules:
        word = pattern.sub(to, word)
    return word


def written(word: str) -> str:
    """The key of words that differ in the ways to write one vowel alone: ``saal`` is not ``sal``."""
    return _applied(word.replace("R", "d").lower(), _WRITTEN)


def spelled(word: str) -> str:
    """The key of words that differ in the length of vowels alone: ``saal`` and ``sal``."""
    return _applied(written(word), _LENGTH)


def spoken(word: str) -> str:
    """The key of words that differ in letters for one sound: ``zamaanat`` and ``jamanat``."""
    return _applied(spelled(word), _LETTERS)


def rough(word: str) -> str:
    """The key of words that differ in breath, nasals and the colour of vowels; of a key by ``spoken``."""
    return _applied(word.translate(PLAIN), _ROUGH)


def bones(word: str) -> str:
    """The consonants of a word as they sound."""
    return _applied(rough(spoken(word)), _BONES)


def english_sound(word: str) -> str:
    """An English word as its letters would write it in Hindi: ``counter`` is kauntar."""
    return _applied(word.lower(), _ENGLISH)


def likeness(word: str, other: str) -> float:
    """How like two words sound, from 0 to 1."""
    one, two = (spoken(w).replace("e", "a") for w in (word, other))
    return float(OSA.normalized_similarity(one, two))
