"""Whether a page in Hindi was read: letters may be missing, and the font may draw it for Latin letters."""

from __future__ import annotations

import re

from citegrain.tasks.core.script import LETTERS, devanagari_share
from citegrain.tasks.kinds.hindi.devanagari import broken_words
from citegrain.tasks.offline.pages import PageStatus

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
_MIN_WORDS = 25


def page_status(text: str, status: str) -> PageStatus | None:
    """Status of a page, ``status`` where it was read; None: it is not in Hindi.

    Parameters
    ----------
    text
        All of the page.
    status
        ``ocr`` or ``text``.
    """
    if devanagari_share(text) > 0.5:
        return _hindi_status(text, status)
    legacy = _legacy_font(text)
    return PageStatus("unreadable", legacy, "hi") if legacy else None


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
