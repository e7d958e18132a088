"""Judge whether a page was read: text, image only, blank or unreadable."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citegrain.tasks.core.script import LETTERS, devanagari_share
from citegrain.tasks.offline.parse.devanagari import broken_words
from citegrain.tasks.offline.parse.layout import Segment

# The commonest words of English statutes. Half the words of a section are among them; of Hindi in a
# legacy font or of failed OCR hardly any are.
_COMMON_WORDS = """
the of and in to or be shall any a by for as is such this that under section which on may act with it
not an from has been person other where are if who at his he no government made order court sub time
provided central state
"""
_COMMON = frozenset(_COMMON_WORDS.split())
_WORD = re.compile(r"[A-Za-z]{2,}|a\b|A\b")
_PUNCTUATION = ".,;:()[]\"'“”‘’—–-"
_MIN_WORDS = 25
_MIN_SHARE = 0.10
# A list of villages or chemicals has no common words either, but it has few tiny ones; garbage has many.
_TINY_SHARE = 0.18


_HINDI = """
के की में से है को और का या पर कि इस जो किसी कोई द्वारा लिए किया करने अधीन धारा उपधारा नियम अनुच्छेद अधिनियम ऐसे ऐसी
जाए जाएगा होगा गया अन्य नहीं हो यदि तथा उस यह वह एक भी था तक
"""
_COMMON_HINDI = frozenset(_HINDI.split())
_HINDI_WORD = re.compile(f"[{LETTERS}]+")
_MIN_HINDI = 0.15  # of clean text every third word is among them
_BROKEN, _DOUBTFUL = 0.05, 0.01  # share of words with a letter missing: not read, and read with a warning
# के का की में से है पर कि को और in the letters of Kruti Dev, DevLys and their kin
_KRUTI = "ds dk dh esa ls gS gSA ij fd dks vkSj ;k }kjk fy, fd;k djus /kkjk vf/kfu;e"
_KRUTI_DEV = frozenset(_KRUTI.split())
_MIN_KRUTI_DEV = 0.08
_ACCENTED = 0.2  # share of letters beyond ASCII in Chanakya's kin; of French it is a twentieth


@dataclass(frozen=True, slots=True)
class PageStatus:
    """Status of a page: ``text``, ``ocr``, ``image_only``, ``blank`` or ``unreadable``.

    ``language`` is ``hi`` where most letters are Devanagari, else ``en``. ``doubtful`` says that some words
    of a page that was read cannot be whole.
    """

    status: str
    reason: str = ""
    language: str = "en"
    doubtful: bool = False


def english_share(text: str) -> tuple[float, int]:
    """Share of words that are common in English statutes, and the number of words."""
    words = _WORD.findall(text)
    if not words:
        return 0.0, 0
    return sum(w.lower() in _COMMON for w in words) / len(words), len(words)


def _tiny_share(text: str) -> float:
    """Share of words of one or two letters."""
    words = [w for w in text.split() if any(c.isalpha() for c in w)]
    return sum(len(w.strip(_PUNCTUATION)) <= 2 for w in words) / max(1, len(words))


def page_status(segments: list[Segment], *, has_image: bool, by_ocr: bool) -> PageStatus:
    """Status of a page from its text and whether it shows an image or a drawing.

    Parameters
    ----------
    segments
        All text on the page.
    has_image
        Whether a picture or a drawing is on the page.
    by_ocr
        Whether the text was read by OCR in this run.
    """
    inked = [s for s in segments if s.role != "rule"]
    text = " ".join(s.text for s in inked)
    only_furniture = all(s.role in ("header", "footer", "page_number") for s in inked)
    if only_furniture:
        if has_image:
            return PageStatus("image_only", "no text layer: the page is an image")
        return PageStatus("blank", "" if inked else "no text and no image")
    share, words = english_share(text)
    status = "ocr" if by_ocr else "text"
    if share >= _MIN_SHARE and words >= _MIN_WORDS:
        return PageStatus(status)
    if devanagari_share(text) > 0.5:
        return _hindi_status(text, status)
    if legacy := _legacy_font(text):
        return PageStatus("unreadable", legacy, "hi")
    foreign = len(text) - len(text.encode("ascii", "ignore"))
    if foreign > 60 and 2 * foreign > len(text.replace(" ", "")):
        return PageStatus("unreadable", "the text is not in English or Hindi")
    if words >= _MIN_WORDS and _tiny_share(text) >= _TINY_SHARE:
        return PageStatus(
            "unreadable",
            f"the text layer does not read as English ({share:.0%} common words of {words}): "
            "a legacy font or failed OCR",
        )
    return PageStatus(status)


def _hindi_status(text: str, status: str) -> PageStatus:
    """Status of a page in Devanagari: letters may be missing, and the language another."""
    broken, written = broken_words(text)
    if broken > max(1, _BROKEN * written):
        reason = f"letters are missing from its Hindi text layer ({broken} of {written} words are broken)"
        return PageStatus("unreadable", reason, "hi")
    words = _HINDI_WORD.findall(text)
    common = sum(word in _COMMON_HINDI for word in words)
    if len(words) >= _MIN_WORDS and common < _MIN_HINDI * len(words):
        reason = (
            f"its Devanagari text layer does not read as Hindi ({common} common words of {len(words)}): "
            "letters are missing, or the language is another"
        )
        return PageStatus("unreadable", reason, "hi")
    return PageStatus(status, "", "hi", doubtful=broken > _DOUBTFUL * written)


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
