"""A question in Hindi as English: phrases before words, verbs before their objects, what is denied denied."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from citegrain.tasks.core.words import LETTERS, ascii_digits, is_devanagari, romanised
from citegrain.tasks.online.estimate import HINDI_WORDS
from citegrain.tasks.online.gloss.lexicon import (
    AUX,
    HABIT,
    HAVING,
    INFINITIVE,
    LOAN,
    NOUN,
    PAST,
    POST,
    STEM,
    VERB,
    WORD,
    Sense,
    english_sound,
    lexicon,
    likeness,
    spelled,
    spoken,
)
from citegrain.tasks.online.gloss.verbs import MAKING, NOT, PARTICLES, Item, with_verbs

_TOKEN = re.compile(
    rf"[A-Za-z]+\d[A-Za-z\d]*|[A-Za-z{LETTERS}]+(?:['’][A-Za-z]+)?|\d+[A-Za-z]+|\d[\d,./-]*\d|\d+|[^\w\s]"
)
_TOKEN_OF_HINDI = re.compile(f"[{LETTERS}]+")
_LETTER_NAMES = {
    "ए": "A", "बी": "B", "सी": "C", "डी": "D", "ई": "E", "एफ": "F", "जी": "G", "एच": "H", "आई": "I", "जे": "J",
    "के": "K", "एल": "L", "एम": "M", "एन": "N", "ओ": "O", "पी": "P", "क्यू": "Q", "आर": "R", "एस": "S",
    "टी": "T", "यू": "U", "वी": "V", "डब्ल्यू": "W", "एक्स": "X", "वाई": "Y", "जेड": "Z",
}  # fmt: skip
_LETTER_NAME = re.compile("|".join(sorted(_LETTER_NAMES, key=len, reverse=True)))
_INITIALS = re.compile(f"(?:{_LETTER_NAME.pattern}){{2,}}")
_HYPHEN = re.compile(f"(?<=[{LETTERS}])-(?=[{LETTERS}])")
_NUMBERED = re.compile(rf"(?<=\d)(?:{_LETTER_NAME.pattern})(?![{LETTERS}])")  # 498ए
_STOPS = frozenset(".,;:!?।")
_HAVING = frozenset({"ke", "kar"})
_MAIN = frozenset({"main", "mai"})
_FIRST = _MAIN | {"mein", "me", "men", "mei"}
_AFTER_STEMS = frozenset({"rah", "de", "le", "sak", "chuk", "paa", "daal", "rakh"})
_AFTER_NOUNS = frozenset({"rah", "sak", "chuk", "paa", "ja"})  # maan raha, but jaan li
_AFTER_HABITS = PARTICLES.union(["rah", "ja", "aa", "ho", "waqt", "samay", "taaim", "kyon", "par", "aur"])
_ALWAYS_HINDI = frozenset({POST, WORD, AUX})
_OFTEN = frozenset({"kar", "de", "le", "ja", "ho", "rah", "aa", "mil", "maar", "mar", "lag"})
_NOUNS = frozenset({NOUN, LOAN, "name"})
_WHOSE = frozenset({"my", "his", "our", "your"})
_WHOM = frozenset({"me", "him", "us"})
_DOES = {"mar": "maar", "pit": "peet", "chhooT": "chhoo"}
"""What one suffers, and what is done to another, in spelling alike: marta hai, chhoota hai."""
_BODY = re.compile(r"\b(?:part|body|place|shoulder|chest|breast|hand|thigh|waist|leg|cheek|hair|back)s?$")
_FAR = 6  # words between "me" and what is done to me: more are of another matter
_WHO = re.compile(
    r"\b(?:(?:grand)?(?:mother|father|son|daughter)|parents?|husband|wife|brothers?|sisters?|uncle|aunt|in-laws?|family"
    r"|m[ae]n|wom[ae]n|boys?|girls?|people|friend|neighbour|tenant|landlord|owner|employer|boss|manager|contractor"
    r"|builder|police|company|bank|agent|shopkeeper|partner|goons?)\b"
)
"""Who does a thing: as an object they stand with ``ko``."""
_TIME = re.compile(r"(?:hour|day|week|month|year)s?$|time$")
_NUMBER = re.compile(
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|fou?rty|fifty|sixty|seventy"
    r"|eighty|ninety|hundred|thousand|lakh|crore|\d[\d,.]*)\b"
)
_CLOSELY, _ROUGHLY, _VERY_LIKE, _LIKE = 1, 3, 0.8, 0.62
"""Grades of a word found but for the length of vowels, and by its rough sound; how like it an English word
must be, then and else."""

English = Callable[[str], bool]
"""Whether a word is English."""
Loan = Callable[[str, float], str]
"""The English word that a word of Hindi sounds like, at least so much; empty if none does."""


@dataclass
class _Reader:
    words: list[str]
    sounds: list[str]
    hindi: list[bool]
    loan: Loan
    strange: list[bool] = field(default_factory=list)
    """Whether each word is in neither language by itself: it may be part of a phrase."""
    items: list[Item] = field(default_factory=list)


def gloss(text: str, in_law: English, is_english: English, loan: Loan) -> str:
    """The English of a question in Hindi, or in Hindi and English, by the lexicon.

    ``in_law``: whether a word is one of English law; ``is_english``: whether it is English at all.

    Words that no entry fits stay: in Latin letters as they are, in Devanagari as English that sounds alike,
    else in Latin letters.
    """
    text = _HYPHEN.sub(" ", text)
    text = _NUMBERED.sub(lambda name: _LETTER_NAMES[name[0]], ascii_digits(text))
    words = _TOKEN.findall(text)
    as_typed = [not is_devanagari(word) or bool(lexicon().senses(word)) for word in words]  # दाल is no डाल
    sounds = [w.lower() if typed else romanised(w) for w, typed in zip(words, as_typed, strict=True)]
    reader = _Reader(words, sounds, _hindi(words, sounds, in_law, is_english), loan)
    reader.strange = [not h and not is_english(s) for h, s in zip(reader.hindi, sounds, strict=True)]
    at = 0
    while at < len(words):
        at = _phrase(reader, at) or _word(reader, at)
    return _written(_ordered(with_verbs(reader.items)))


def in_latin(text: str, loan: Loan) -> str:
    """A question in Hindi as people type it in Latin letters, its English words as English is spelled."""
    return _TOKEN_OF_HINDI.sub(lambda match: _typed(romanised(match.group()), loan), ascii_digits(text))


def _typed(sound: str, loan: Loan) -> str:
    senses = lexicon().senses(sound)
    english = senses[0].english if senses else loan(sound, _LIKE)
    if english.isalpha() and (not senses or likeness(sound, english_sound(english)) >= _LIKE):
        return english
    return spelled(sound).replace("ph", "f")


def _hindi(words: Sequence[str], sounds: Sequence[str], in_law: English, is_english: English) -> list[bool]:
    """Whether each word is to be read as Hindi; one of both languages is what its neighbours are."""
    sure: list[bool | None] = []
    weights: list[int] = []
    for word, sound in zip(words, sounds, strict=True):
        senses = lexicon().senses(sound) if sound.isalpha() else ()
        english = sound.isalpha() and in_law(sound)
        if is_devanagari(word) or word.lower() in HINDI_WORDS:
            sure.append(True)
        elif not senses or (word.isupper() and len(word) > 1):
            sure.append(False)
        elif not english:
            sure.append(senses[0].grade <= _CLOSELY or not is_english(sound))  # hack, american
        else:
            either = any(s.grade < 2 and (s.kind in _ALWAYS_HINDI or s.lemma in _OFTEN) for s in senses)
            sure.append(None if either else False)
        weights.append(1 if sure[-1] else -1 if english and sure[-1] is not None else 0)
    out: list[bool] = []
    for at, is_hindi in enumerate(sure):
        near = [
            (weights[o], step) for step in (1, 2, 3) for o in (at - step, at + step) if 0 <= o < len(sure)
        ]
        out.append(sum(weight / step for weight, step in near) >= 0 if is_hindi is None else is_hindi)
    return out


def _phrase(reader: _Reader, at: int) -> int:
    """The place behind the longest phrase that begins at a word; 0 if none does."""
    if reader.words[at] in _STOPS:
        return 0
    terms = lexicon()
    for phrase in terms.phrases.get(terms.norm(reader.sounds[at]), ()):
        end, denied = at, False
        for place, word in enumerate(phrase.words):
            last = phrase.kind == VERB and place == len(phrase.words) - 1
            while last and end < len(reader.words) and reader.sounds[end] and _particle(reader, end):
                denied = denied or _particle(reader, end) in NOT
                end += 1
            if end >= len(reader.words) or reader.words[end] in _STOPS:
                break
            if last:
                senses = terms.senses(reader.sounds[end])
                forms = [s for s in senses if s.kind == VERB and f"{spoken(s.lemma)}~" == word]
                if not forms:
                    break
                first = terms.senses(reader.sounds[at])[:1]
                alone = first and first[0].kind in _NOUNS and (place > 1 or forms[0].lemma not in MAKING)
                english = f"{phrase.english.removesuffix(' i')} i" if alone else phrase.english
                verb = Item(VERB, english, phrase.english, forms[0].form, denied)
                verb.takes_me = not terms.english_of_verb.get(forms[0].lemma, " i").endswith(" i")
                reader.items.append(verb)
                return end + 1
            if terms.norm(reader.sounds[end]) != word:
                break
            end += 1
        else:
            if any(reader.hindi[at:end]) or all(reader.strange[at:end]):
                kind = POST if phrase.kind == POST else NOUN if phrase.english else WORD
                reader.items.append(Item(kind, phrase.english, " ".join(phrase.words)))
                return end
    return 0


def _particle(reader: _Reader, at: int) -> str:
    """The particle that a word is; empty if none."""
    lemmas = [s.lemma for s in lexicon().senses(reader.sounds[at]) if s.kind == WORD]
    return lemmas[0] if lemmas and lemmas[0] in PARTICLES else ""


def _word(reader: _Reader, at: int) -> int:
    word, sound = reader.words[at], reader.sounds[at]
    if not reader.hindi[at]:
        kind = "stop" if word in _STOPS else "name"
        reader.items.append(Item(kind, "." if word == "।" else word))
        return at + 1
    sense = _chosen(reader, at)
    if _INITIALS.fullmatch(word) and (sense is None or sense.grade > 1):
        reader.items.append(Item("name", _LETTER_NAME.sub(lambda name: _LETTER_NAMES[name[0]], word)))
    elif sense is None:
        reader.items.append(Item("name", reader.loan(sound, _LIKE) or sound))
    elif sense.kind in (VERB, AUX):
        onto = sense.kind == VERB and not sense.english.endswith(" i")
        reader.items.append(Item(sense.kind, sense.english, sense.lemma, sense.form, takes_me=onto))
    else:
        reader.items.append(Item(sense.kind, sense.english, sense.lemma))
    return at + 1


def _chosen(reader: _Reader, at: int) -> Sense | None:
    """What a word is, of what it may be."""
    sound, before = reader.sounds[at], reader.items[-1] if reader.items else Item("", "")
    senses = lexicon().senses(sound)
    if not senses:
        return None
    in_devanagari = is_devanagari(reader.words[at])
    if sound == "kaha" and any(s.kind == VERB for s in _after(reader, at)):
        return Sense("kahaan", WORD, "where")  # kaha jau
    if sound in _HAVING and before.kind == VERB and before.form == STEM:
        before.form = HAVING  # taala tod ke
        return Sense("kar", WORD, "")
    if sound == "do" and not _ends(reader, at):
        return Sense("do", NOUN, "two")
    if sound in _FIRST:
        main = sound in _MAIN
        first = main if in_devanagari else not reader.items or (main and before.kind not in _NOUNS)
        return next((s for s in senses if s.kind == (WORD if first else POST)), senses[0])
    if sound in ("bas", "bus") and any(s.kind in (POST, AUX) for s in _after(reader, at)):
        return Sense("bas", NOUN, "bus")
    if senses[0].form in (HABIT, PAST) and (noun := _noun_for_verb(reader, at, senses)):
        return noun
    if senses[0].lemma == "nikl" and senses[0].form == PAST and before.lemma == "ka":
        return Sense("nikl", VERB, "turn out i", PAST)
    if before.text.isdigit() and (may := next((s for s in senses if s.english == "may"), None)):
        return may
    if senses[0].lemma == "let" and _TIME.search(before.text):
        return senses[0]  # two years late
    does = _DOES.get(senses[0].lemma, "") if senses[0].kind == VERB else ""
    whom = _to_someone(reader.items)
    if does == "chhoo":  # my hand chhoota hai; chhoot gaya
        whom = bool(whom or _BODY.search(before.text)) and senses[0].form != STEM
    if does and whom:
        return Sense(does, VERB, lexicon().english_of_verb[does], senses[0].form)
    if stem := _stem(reader, at, senses):
        return stem
    if senses[0].lemma == "pehle" and _TIME.search(before.text):
        return Sense("pehle", WORD, "ago")
    if sound in ("par", "pr") and before.kind in ("", VERB, AUX, "stop"):
        return Sense("par", WORD, "but")
    if in_devanagari and senses[0].grade == _ROUGHLY and (loan := reader.loan(sound, _VERY_LIKE)):
        return Sense(loan, NOUN, loan)
    return senses[0]


def _noun_for_verb(reader: _Reader, at: int, senses: Sequence[Sense]) -> Sense | None:
    """The noun that a word is where nothing follows that helps a verb: ``khata band``, ``jaati ka``."""
    after = _after(reader, at)
    helped = not after or any(s.kind == AUX or s.lemma in _AFTER_HABITS for s in after)
    helped |= senses[0].form == PAST and not any(s.lemma in ("ne", "ko") for s in after)
    nouns = (s for s in senses if s.kind == NOUN and s.grade <= _CLOSELY)
    return None if helped or _ends(reader, at) else next(nouns, None)


def _stem(reader: _Reader, at: int, senses: Sequence[Sense]) -> Sense | None:
    """The verb whose stem a word is, where a verb that stands behind stems follows: ``bata raha``."""
    after = _after(reader, at)
    put = any(s.lemma == "daal" for s in senses)  # dal diya: no party
    behind = _AFTER_STEMS if put or senses[0].form == PAST else _AFTER_NOUNS if senses[0].kind == NOUN else ()
    helped = any(s.kind == VERB and s.lemma in behind and (s.lemma, s.form) != ("rah", HABIT) for s in after)
    helped |= at + 1 < len(reader.sounds) and reader.sounds[at + 1] in _HAVING and senses[0].form == PAST
    form = STEM if helped else HABIT if any(s.kind == AUX for s in after) else ""  # janta hai: knows
    return next((s for s in senses if form and s.form == form and s.grade == senses[0].grade), None)


def _after(reader: _Reader, at: int) -> Sequence[Sense]:
    """What the word behind a word most probably is."""
    return lexicon().senses(reader.sounds[at + 1])[:1] if at + 1 < len(reader.sounds) else ()


def _ends(reader: _Reader, at: int) -> bool:
    """Whether a word is the last before a stop."""
    return at + 1 == len(reader.words) or reader.words[at + 1] in _STOPS


# order ----------------------------------------------------------------------------


def _ordered(items: Sequence[Item]) -> list[Item]:
    """Items in the order of English: prepositions before their nouns, verbs before their objects."""
    out: list[Item] = []
    for item in items:
        if item.kind == POST:
            if (
                item.text
                and item.lemma != "ka"
                and out
                and out[-1].kind == VERB
                and out[-1].form in (INFINITIVE, PAST)
            ):
                done = len(out) > 1 and out[-2].kind in _NOUNS  # who does it stands before the verb
                out.insert(_start(out[:-1]) if done else len(out) - 1, Item(WORD, item.text))  # after sunset
            elif item.text and item.lemma != "ka":
                length = item.lemma == "se" and any(_TIME.search(i.text) for i in out[-1:])
                out.insert(_start(out), Item(WORD, "for" if length else item.text))
            out.append(Item("of" if item.lemma == "ka" else "end", ""))
        elif item.kind == VERB and (item.object_first or item.takes_me):
            whom = _whom(out, item)
            me = [out.pop(whom)] if whom is not None and item.takes_me else []
            has_object = out and out[-1].kind in _NOUNS and not _WHO.search(out[-1].text)
            at = _start(out) if item.object_first and has_object else len(out)
            out[at:at] = [item, *me]
        else:
            out.append(item)
    return out


def _to_someone(items: Sequence[Item]) -> bool:
    """Whether the last sentence so far has one to whom something is done."""
    for item in reversed(items):
        if item.kind in (VERB, "stop"):
            return False
        if item.lemma == "ko" or item.text in _WHOM:
            return True
    return False


def _whom(out: Sequence[Item], verb: Item) -> int | None:
    """Where "me" stands in the sentence of a verb that ends it; None where it does not, or must do it."""
    for at in range(len(out) - 1, max(-1, len(out) - 1 - _FAR), -1):
        if out[at].kind in (VERB, "stop") or verb.form == INFINITIVE:
            return None
        if out[at].kind == WORD and out[at].text in _WHOM:
            return at
    return None


def _start(out: Sequence[Item]) -> int:
    """Where the noun at the end begins, with names before it and whose it is."""
    at = len(out)
    while at > 0 and out[at - 1].kind == "end":
        at -= 1
    last = at
    while at > 0:
        before, after = out[at - 1], out[at] if at < last else Item("of", "")
        names = before.kind == "name" == after.kind or bool(_NUMBER.fullmatch(before.text))  # 3 years
        names = names or after.text[:1].isdigit()  # section 4
        if not (names or "of" in (before.kind, after.kind)) or before.kind not in (*_NOUNS, "of"):
            break
        at -= 1
    return at - 1 if at and out[at - 1].text in _WHOSE else at


def _written(items: Sequence[Item]) -> str:
    text = " ".join(item.text for item in items if item.text)
    text = re.sub(r"\s+([.,;:!?)])", r"\1", text)
    return re.sub(r"\s+", " ", text).strip()
