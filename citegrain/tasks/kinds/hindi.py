"""Documents in Hindi: their letters in spoken order, whether a page was read, titles of Acts and rules.

A text layer should give letters in the order in which they are spoken. Many PDFs give glyphs from left to
right instead: the sign of a short i stands before its consonant (``िवषय`` for ``विषय``), a reph behind its
syllable (``कायर्`` for ``कार्य``), the parts of a conjunct with ra are swapped (``पर्`` for ``प्र``). What a
glyph is, not only which code points it is given, tells the last two apart: so glyphs are put in order.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from citegrain.tasks.core.words import LETTERS, ascii_digits, devanagari_share, is_devanagari
from citegrain.tasks.law.instruments import state_in
from citegrain.tasks.offline.document import DocumentKind, Recognition, Script
from citegrain.tasks.offline.pages import DocumentText, PageStatus, TextRow, TitledAct

if TYPE_CHECKING:
    import pymupdf

_LETTER = r"[\u0915-\u0939\u0958-\u095f]"
_CONSONANT = rf"{_LETTER}\u093c?"
_VOWEL_SIGN = r"\u093e-\u094c"
_SHORT_I = "\u093f"
_VIRAMA = "\u094d"
_REPH = "\u0930\u094d"
_JOINER = 0.5  # of its width: a space that the next glyph overlaps so far stands for an invisible joiner
_VISUAL = 0.1  # share of the short i that stand where no i can; of spoken order it is nil
_RAKAR = re.compile(rf"({_CONSONANT}){_REPH}")
_CONSONANTS = re.compile(rf"(?:{_CONSONANT}\u094d)*{_CONSONANT}[{_VOWEL_SIGN}]?")
_HALF = re.compile(rf"(?:{_CONSONANT}\u094d)+")
_SYLLABLE = re.compile(rf"(?:{_CONSONANT}\u094d)*{_CONSONANT}[{_VOWEL_SIGN}\u0900-\u0903]*$")
_LONGEST = 48  # code points of a syllable, with room to spare
_STRAY_I = re.compile(rf"(?<!{_LETTER})(?<!\u093c){_SHORT_I}")
_LATIN = r"A-Za-z\u00c0-\u036f"
_BROKEN = re.compile(
    rf"[\ufffd\ue000-\uf8ff]|[{_LATIN}][{LETTERS}]|[{LETTERS}][{_LATIN}]|[{_VOWEL_SIGN}]{{2}}"
    rf"|(?<![{LETTERS}])[\u0900-\u0903\u093c{_VOWEL_SIGN}\u094d]"
)

# Glyphs that Acrobat gives no code points, or too few, by number in the font. In Arial Unicode MS they
# stand in rows: a vowel sign, with a dot, with a reph, with both.
_GLYPHS = {
    "ArialUnicodeMS": {
        7023: "क्ष्", 7275: "त्त", 7277: "ीं", 7278: "र्ी", 7279: "र्ीं", 7286: "ें", 7287: "र्े", 7288: "र्ें",
        7289: "ैं", 7290: "र्ै", 7291: "र्ैं", 7298: "ों", 7299: "र्ो", 7300: "र्ों", 7301: "ौं", 7302: "र्ौ",
        7303: "र्ौं", 7312: "ओं", 7349: "ट्ट", 7351: "ट्य", 7367: "द्व", 7373: "द्ध", 7374: "द्द", 7378: "द्य",
        7412: "िं", 7414: "र्ि", 7416: "र्ि",
    }
}  # fmt: skip

Place = tuple[int, int, int]
Glyph = tuple[int, int]  # number in the font, code points that it is given

_HINDI = """
के की में से है को और का या पर कि इस जो किसी कोई द्वारा लिए किया करने अधीन धारा उपधारा नियम अनुच्छेद अधिनियम ऐसे ऐसी
जाए जाएगा होगा गया अन्य नहीं हो यदि तथा उस यह वह एक भी था तक
"""
_COMMON_HINDI = frozenset(_HINDI.split())
_HINDI_WORD = re.compile(f"[{LETTERS}]+")
_MIN_HINDI = 0.15  # of clean text every third word is among them
_TOO_BROKEN, _DOUBTFUL = 0.05, 0.01  # share of words with a letter missing: not read, and read with a warning
# के का की में से है पर कि को और in the letters of Kruti Dev, DevLys and their kin
_KRUTI = "ds dk dh esa ls gS gSA ij fd dks vkSj ;k }kjk fy, fd;k djus /kkjk vf/kfu;e"
_KRUTI_DEV = frozenset(_KRUTI.split())
_MIN_KRUTI_DEV = 0.08
_ACCENTED = 0.2  # share of letters beyond ASCII in Chanakya's kin; of French it is a twentieth
_MIN_WORDS = 25

_YEAR = r"(?:1[6-9]|20)\d\d"
_NUMBER = re.compile(
    rf"(?P<year>{_YEAR})\s*का\s*(?:अधिनियम|अध्यादेश)\s*(?:संख्यांक|संख्या|सं[.०]?)\s*(?P<number>\d{{1,3}})"
)
_NOUN = r"(?:अधिनियम|संहिता|संविधान|अध्यादेश|विधेयक|नियमावली|विनियमावली|विनियम|नियम)"
_CALLED = re.compile(
    rf"(?:का|की)\s+(?:संक्षिप्त\s+)?नाम\s+(?P<title>[^।;]{{4,200}}?{_NOUN}(?:\s*,?\s*{_YEAR})?)\s*(?:है|होगा|कहा)"
)
_TITLE = re.compile(rf"{_NOUN}(?:\s*,?\s*{_YEAR})?\W*$")
_ABOVE = 6  # rows that a title may break over
_FRONT = 400  # rows in which an Act says what it is called


def glyphs_of(page: pymupdf.Page) -> dict[Place, Glyph]:
    """The glyphs of a page that stand for Devanagari or for nothing known, by first code point and place."""
    glyphs: dict[Place, Glyph] = {}
    for span in page.get_texttrace():
        first, number, length = None, 0, 0
        for code, glyph, origin, _ in (*span["chars"], (0, 0, (0.0, 0.0), None)):
            if glyph == -1:
                length += 1
                continue
            if first is not None:
                glyphs[first] = (number, length)
            is_read = 0x900 <= code <= 0x97F or code == 0xFFFD
            first, number, length = (_place(code, origin) if is_read else None), glyph, 1
    return glyphs


def _place(code: int, origin: Sequence[float]) -> Place:
    return code, round(origin[0]), round(origin[1])


def spoken_order(lines: list[dict[str, Any]], page: pymupdf.Page) -> list[dict[str, Any]]:
    """Lines of a page with their Devanagari in spoken order; other text is left as it is.

    ``lines``: of its raw dictionary: spans with their characters. Each span is given its ``text``. ``page``:
    for its glyphs.
    """
    glyphs = glyphs_of(page)
    runs = [(span, _glyphs(span, glyphs)) for line in lines for span in line["spans"]]
    text = " ".join("".join(texts) for _, texts in runs)
    # whether the short i often stands where spoken order never has it
    visual = len(_STRAY_I.findall(text)) >= max(_VISUAL * text.count(_SHORT_I), 1)
    for span, texts in runs:
        span["text"] = unicodedata.normalize("NFC", ordered(texts) if visual else "".join(texts))
    return lines


def _glyphs(span: dict[str, Any], by_place: dict[Place, Glyph]) -> list[str]:
    """The text of each glyph of a span, without the spaces that stand for joiners."""
    table = next((t for font, t in _GLYPHS.items() if font in span["font"]), {})
    chars, out, at = span["chars"], [], 0
    while at < len(chars):
        char, last = chars[at], at + 1 == len(chars)
        number, length = by_place.get(_place(ord(char["c"]), char["origin"]), (0, 1))
        text = table.get(number) or "".join(c["c"] for c in chars[at : at + length])
        at += length
        width = char["bbox"][2] - char["bbox"][0]
        if text == " " and not last and chars[at]["origin"][0] < char["origin"][0] + _JOINER * width:
            continue
        out.append(text)
    return out


def ordered(glyphs: Sequence[str]) -> str:
    """Glyphs in the order in which they are seen, as text in spoken order."""
    text, half = "", ""
    waiting, placed = "", ""  # the short i that waits for its consonants, and one that has them
    for seen in glyphs:
        glyph = _RAKAR.sub("\\1\u094d\u0930", seen) if _RAKAR.fullmatch(seen) else seen
        if placed and glyph.startswith(_VIRAMA):  # its conjunct goes on
            text, waiting, half, placed = text.removesuffix(placed) + _VIRAMA, placed, glyph[1:], ""
        elif waiting and _HALF.fullmatch(glyph) and glyph != _REPH:
            half += glyph
        elif waiting and _CONSONANTS.fullmatch(glyph):
            reph, placed = (_REPH if waiting.startswith(_REPH) else ""), waiting.removeprefix(_REPH)
            text += reph + half + glyph + placed
            waiting = half = ""
        elif glyph.removeprefix(_REPH).startswith(_SHORT_I):
            text, waiting, half, placed = text + waiting + half, glyph, "", ""
        else:
            text, waiting, half, placed = text + waiting + half, "", "", ""
            text = _with_reph(text, glyph) if glyph.startswith(_REPH) else text + glyph
    return text + waiting + half


def _with_reph(text: str, glyph: str) -> str:
    """``text`` with the reph that ``glyph`` begins with before its last syllable, and the rest behind it."""
    tail = text[-_LONGEST:]
    syllable = _SYLLABLE.search(tail)
    at = len(text) - len(tail) + (syllable.start() if syllable else len(tail))
    return text[:at] + _REPH + text[at:] + glyph.removeprefix(_REPH)


def broken_words(text: str) -> tuple[int, int]:
    """Words with Devanagari that cannot be whole (a letter is missing or foreign), and all such words."""
    words = [bool(_BROKEN.search(word)) for word in text.split() if is_devanagari(word)]
    return sum(words), len(words)


def page_status(text: str, status: str) -> PageStatus | None:
    """Status of a page by all of its text, ``status`` where it was read; None: it is not in Hindi."""
    if devanagari_share(text) <= 0.5:
        reason = _legacy_font(text)
        return PageStatus("unreadable", reason, "hi") if reason else None
    broken, written = broken_words(text)
    words = _HINDI_WORD.findall(text)
    common = sum(word in _COMMON_HINDI for word in words)
    if broken > max(1, _TOO_BROKEN * written):
        reason = f"letters are missing from its Hindi text layer ({broken} of {written} words are broken)"
    elif len(words) >= _MIN_WORDS and common < _MIN_HINDI * len(words):
        reason = (
            f"its Devanagari text layer does not read as Hindi ({common} common words of {len(words)}): "
            "letters are missing, or the language is another"
        )
    else:
        return PageStatus(status, "", "hi", doubtful=broken > _DOUBTFUL * written)
    return PageStatus("unreadable", reason, "hi")


def _legacy_font(text: str) -> str:
    """Why a page is Hindi in a font that draws it for Latin code points; empty where it is not.

    Judged by letters alone, for names of fonts are dropped or changed when files are made.
    """
    words = text.split()
    if len(words) < _MIN_WORDS:
        return ""
    kruti_dev = sum(word in _KRUTI_DEV for word in words)
    if kruti_dev >= _MIN_KRUTI_DEV * len(words):
        return (
            f"Hindi in a legacy font (Kruti Dev or its kin; {kruti_dev} of {len(words)} words): the text "
            "layer is Latin letters; get an edition in Unicode"
        )
    letters = [c for c in text if c.isalpha()]
    accented = sum("\u0080" <= c <= "\u02ff" for c in letters)
    if accented > _ACCENTED * len(letters):
        return (
            f"a legacy font (Chanakya or its kin; {accented} of {len(letters)} letters are accented): the "
            "text layer is not what the page shows; get an edition in Unicode"
        )
    return ""


def hindi_title(rows: Sequence[TextRow]) -> TitledAct | None:
    """What a document in Hindi calls itself: in its first section, else on its front page."""
    rows = [row._replace(text=ascii_digits(row.text)) for row in rows[:_FRONT]]
    called = _CALLED.search(re.sub(r"\s+", " ", " ".join(row.text for row in rows)))
    title = _tidy(called["title"]) if called else _front_title(rows)
    if not title:
        return None
    state = state_in(title)
    numbered = next((m for row in rows if len(row.text) < 60 and (m := _NUMBER.search(row.text))), None)
    number = f"{numbered['number']} of {numbered['year']}" if numbered and not state else ""
    return TitledAct(title, number, _kind(title), 1, jurisdiction=state)


def _front_title(rows: Sequence[TextRow]) -> str:
    """Rows on the first page that end in the noun of a title, from the first in their type."""
    front = [row for row in rows if row.page == rows[0].page]
    for i, row in enumerate(front):
        if len(row.text) < 100 and _TITLE.search(row.text):
            first = i
            while first > max(0, i - _ABOVE) and abs(front[first - 1].size - row.size) < 0.5:
                first -= 1
            return _tidy(" ".join(r.text for r in front[first : i + 1]))
    return ""


def _tidy(title: str) -> str:
    title = re.sub(r"\s+", " ", title).strip(" .,:;()-–—“”\"'")
    return re.sub(rf",?\s*({_YEAR})$", r", \1", title)


def _kind(title: str) -> str:
    noun = re.findall(_NOUN, re.sub(r"\([^()]*\)", "", title))[-1:]
    kinds = {"विधेयक": "bill", "अध्यादेश": "ordinance"}
    return next((kinds.get(n, "rules" if "नियम" in n and n != "अधिनियम" else "act") for n in noun), "act")


def _recognise(text: DocumentText) -> Recognition | None:
    """The Act or the rules; of a document in Hindi that names none nothing else is looked for."""
    if text.language != "hi":
        return None
    title = hindi_title(text.rows)
    return Recognition([title] if title else [])


KIND = DocumentKind("hindi", 30, _recognise, script=Script(is_devanagari, spoken_order, page_status))
