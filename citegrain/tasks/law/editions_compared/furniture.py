"""What an edition prints around the law, among words that the other edition has not.

Running heads, page numbers, printer's codes, footnotes and their marks, titles, the heading of the next
section, what States have made of a provision.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from citegrain.tasks.law.editions_compared.units import Words, word_set

_ACTS = word_set("act acts code ordinance regulation regulations order rules sanhita adhiniyam")
_YEAR = re.compile(r"(?:1[789]|20)\d\d")
_DIGIT = re.compile(r"\d")
_GLUED = re.compile(
    r"(?<![^\W\d_])\d{1,2}(?=(?!st|nd|rd|th)[a-z]{2,})|(?<=[a-z]{2})\d{1,2}\b|(?<=\b(?:1[789]|20)\d\d)\d\b"
)
# what a number belongs to that stands before it or behind it: it is no page and no mark
_COUNTED = word_set(
    """
    year years month months day days week weeks hour hours minutes rupees rupee paise per percent lakh lakhs
    crore crores hundred thousand kilometres kilometre metres metre kilograms grams times
    """
)
_COUNTING = word_set(
    """
    section sections s ss sec article articles clause clauses sub rule rules order orders chapter part
    schedule paragraph form entry item items list act no nos number rs rupees regulation explanation proviso
    exception step class grade category illustration
    """
)
_RANGE = word_set("and or to")
_LONGEST_NUMBER = 3  # digits of a page or of a section
_LONGEST_TITLE = 30  # words
_VERBS = word_set(
    "shall may is are was were be means includes apply applies provided namely has have does do"
)
_PART = re.compile(r"(?:Provided|Explanation|Illustration|Exception|Note)")
_ENDS = (".", ":", ";", "—", "–", "-", "]", "”", '"')
_DEED = r"(?:omitted|rep\.|repealed|ins\.|inserted|subs\.|substituted|added|renumbered)"
# openings of footnotes on amendments, with or without their number
_FOOTNOTE = re.compile(
    r"(?:^|(?<=[.;:)\]] )|(?<=\s)|(?<=\d\.))(?:\d{1,2}\s*[.*]?\s*|\*+\s*)?(?:"
    r"(?:Subs|Ins|Added|Amended|Renumbered|Re-numbered|Re-lettered|Om|Rep|Repealed|Omitted|Substituted|Inserted)"
    r"(?:\.|\b),? (?:and \w+\.? )?(?:by|for|vide|ibid)\b|"
    rf"(?:The|Certain|Original) [^.;]{{0,120}}?\b{_DEED} (?:by|as)\b[^.;]{{0,20}}?"
    r"(?:Act\b|A\.\s?O|s\.|ibid|the)|"
    rf"(?:Chapter|Section|Clause|Part|Proviso|Explanation)\b[^.;]{{0,30}} {_DEED} by (?:Act|s\.)|"
    r"\d{1,2}(?:st|nd|rd|th) [A-Z][a-z]+,? \d{4}, (?:vide|see)\b|"
    r"(?<=\d\. )(?=[A-Z])(?=.*(?:w\.\s?e\.\s?f\.|\bomitted by|\bsubs(?:tituted|\.) by|\bA\.\s?O\.))|"
    r"(?:Vide|See) (?:Gazette|[Nn]otification|S\.O|G\.S\.R)|w\.\s?e\.\s?f\.)"
)
_COMMAND = re.compile(r"\.\s+(?:[A-Z]|\()[^.“”\"]*\b(?:shall|may|means)\b")
_LAW_AGAIN = re.compile(r"[.)\]]\s+(?=(?:Explanation|Provided|Illustration|\([0-9a-z]{1,4}\)\s))")
_CODE = re.compile(
    r"G?MGIP|GIPM|\bP\.?L\.?D\.?-?\d|\bL\.?D\.? \d|\bM\.? of Law|[—–-]\s?Law/|/ND[/-]|\d\s?GI\b|GI\(|Law/\d|"
    r"UPLOADED BY|\bSECS?\.?\s*\d|REGD\. NO|DL-\d|CG-DL"
)
_REFERENCE = re.compile(r"\d\s?[—–]\s?\d|^[\dA-Z.]{1,4}\s?[—–]\s?\w|/\d{2}")  # 2—5 M. of Law/19
_JOINS = ("of", "and", "the")
_STATE_LAW = re.compile(
    r"\bVide [A-Z][\w. ]*?Act\b|\b(?:STATE|HIGH COURT) AMENDMENT|"
    r"^\W*(?:[A-Z][a-z]+ (?:and )?){0,3}[A-Z][a-z]+(?: ?\([\w ]+\))?\W*[—–-]+\s*"
    r"In (?:its application|section|sub-section|clause)"
)


@dataclass(frozen=True)
class Surroundings:
    """What is known beside the words of a provision: how often the two versions have each word.

    ``titles``: words of what both versions print over the law: titles of the Act, headings of Chapters and
    sections. ``table``: whether it is a Schedule: its words may be columns and forms.
    """

    old_words: Mapping[str, int]
    new_words: Mapping[str, int]
    titles: Mapping[str, Sequence[tuple[str, ...]]]
    table: bool = False


def by_first_word(titles: Sequence[tuple[str, ...]]) -> dict[str, list[tuple[str, ...]]]:
    """Titles by their first word, the longest first, to be looked for in a text."""
    out: dict[str, list[tuple[str, ...]]] = {}
    for title in sorted({t for t in titles if t}, key=len, reverse=True):
        out.setdefault(title[0], []).append(title)
    return out


class Side:
    """The words of one edition where two differ, and what of them is law."""

    def __init__(self, words: Words, first: int, last: int, around: Surroundings) -> None:
        self.words, self.first, self.last, self.around = words, first, last, around
        self.keys = words.keys[first:last]
        self.digits = any(map(_DIGIT.search, self.keys))

    def law(self, numbers: bool) -> tuple[str, ...]:
        """Its words without what the edition prints around the law.

        ``numbers``: whether numbers may be pages and marks: not where the other edition has some too.
        """
        keep = [True] * len(self.keys)
        for start, end in self._furniture():
            keep[start:end] = [False] * (end - start)
        out = []
        for k, key in enumerate(self.keys):
            before = self.words.keys[self.first + k - 1 : self.first + k]
            of_act = _YEAR.fullmatch(key) and before and before[0] in _ACTS
            if keep[k] and not (numbers and (of_act or self._loose_number(k, keep))):
                out.append(_GLUED.sub("", key) if numbers else key)
        return tuple(out)

    def again(self, bare: tuple[str, ...]) -> bool:
        """Whether words of it stand beside it once more."""
        n, keys = len(bare), self.words.keys
        return bare in (keys[self.last : self.last + n], keys[max(0, self.first - n) : self.first])

    def _furniture(self) -> Iterator[tuple[int, int]]:
        """Runs of words, counted from the first, that are no law."""
        yield from self._pattern(_FOOTNOTE)
        yield from self._pattern(_STATE_LAW)
        yield from self._titles()
        yield from self._capitals()
        shown = map(self._printed, range(len(self.keys)))
        small = any(word[0].islower() and word not in _JOINS for word in shown)
        is_reference = not small and _REFERENCE.search(self.words.shown(self.first, self.last))
        if is_reference or self._next_heading():
            yield 0, len(self.keys)

    def _next_heading(self) -> bool:
        """Whether it is a title behind the last sentence, with no verb and no number of a clause."""
        if self.around.table or self.last < len(self.words.keys) or not 0 < len(self.keys) <= _LONGEST_TITLE:
            return False
        begin = self.words.spans[self.first][0]
        opening = self.words.text[begin : begin + 12]
        ended = self.words.text[:begin].rstrip()[-1:] in _ENDS
        begins = opening[:1].isupper() or opening[:1].isdigit()
        return ended and begins and not _VERBS & set(self.keys) and not _PART.match(opening)

    def _printed(self, k: int) -> str:
        start, end = self.words.spans[self.first + k]
        return self.words.text[start:end]

    def _pattern(self, pattern: re.Pattern[str]) -> Iterator[tuple[int, int]]:
        """From where a footnote opens to the end, unless a sentence of law follows."""
        if not self.keys:
            return
        begin = self.words.spans[self.first][0]
        while begin and self.words.text[begin - 1] in "[(*":
            begin -= 1
        text = self.words.text[begin : self.words.spans[self.last - 1][1] + 2]
        match = pattern.search(text)
        if match is None or (pattern is _FOOTNOTE and _COMMAND.search(text, match.end())):
            return
        law = _LAW_AGAIN.search(text, match.end()) if pattern is _FOOTNOTE else None
        at = begin + match.start() if pattern is _FOOTNOTE else begin
        to = begin + law.end() if law else len(self.words.text)
        starts = [self.words.spans[self.first + k][0] for k in range(len(self.keys))]
        yield sum(s < at for s in starts), sum(s < to for s in starts)

    def _titles(self) -> Iterator[tuple[int, int]]:
        k = 0
        while k < len(self.keys):
            for title in self.around.titles.get(self.keys[k], ()):
                end = k + len(title)
                if self.keys[k:end] != title:
                    continue
                if len(title) > 2 or (
                    len(title) == 2 and all(self._printed(i).isupper() for i in (k, k + 1))
                ):
                    yield k, end
                    k += len(title) - 1
                    break
            k += 1

    def _capitals(self) -> Iterator[tuple[int, int]]:
        """Runs in capitals, and printer's codes."""
        first = 0
        shown = [self._printed(k) for k in range(len(self.keys))]
        for k in range(len(shown) + 1):
            if k < len(shown) and (shown[k].isupper() or shown[k].isdigit() or shown[k] in ("of", "Law")):
                continue
            if run := shown[first:k]:
                title = not self.around.table and sum(w.isalpha() and len(w) > 2 for w in run) > 1
                start, end = self.words.spans[self.first + first][0], self.words.spans[self.first + k - 1][1]
                if title or _CODE.search(self.words.text[max(0, start - 1) : end + 1]):
                    yield first, k
            first = k + 1

    def _loose_number(self, k: int, keep: Sequence[bool]) -> bool:
        """Whether a number is that of a page, of a footnote, or of the section that follows."""
        key, at = self.keys[k], self.first + k
        last = at + 1 == len(self.words.keys)
        if not (key.isdigit() and len(key) <= _LONGEST_NUMBER) and not (
            last and re.fullmatch(r"\d{1,3}[a-z]{0,2}", key)
        ):
            return False
        start, end = self.words.spans[at]
        in_parentheses = self.words.text[start - 1 : start] == "(" and self.words.text[end : end + 1] == ")"
        if in_parentheses and key != "1":  # a first sub-section that is the only one may have its number
            return False
        before, after = self._neighbours(at, -1, keep), self._neighbours(at, 1, keep)
        counted = (before[:1] and before[0] in _COUNTING) or (after[:1] and after[0] in _COUNTED)
        joined_to = counted or any(
            words[:1]
            and (
                (words[0][0].isdigit() and parted)
                or (words[0] in _RANGE and words[1:2] and words[1][0].isdigit())
            )
            for words, parted in ((before, self._parted(at)), (after, self._parted(at + 1)))
        )
        ended = self.words.text[:start].rstrip()[-1:] in _ENDS
        opens = self.words.text[end : end + 2].strip()[:1]
        return not joined_to or (ended and (last or not opens or not opens.islower()))

    def _neighbours(self, at: int, step: int, keep: Sequence[bool]) -> list[str]:
        """The two words before or behind one, of those that are law."""
        places = range(at + step, -1 if step < 0 else len(self.words.keys), step)
        law = (self.words.keys[i] for i in places if not self.first <= i < self.last or keep[i - self.first])
        return list(islice(law, 2))

    def _parted(self, at: int) -> bool:
        """Whether a sign stands between a word and the one before."""
        if not 0 < at < len(self.words.spans):
            return False
        return bool(self.words.text[self.words.spans[at - 1][1] : self.words.spans[at][0]].strip())
