"""Judge whether a page was read: text, image only, blank or unreadable."""

from __future__ import annotations

import re

from citegrain.tasks.offline.kinds import scripts
from citegrain.tasks.offline.pages import PageStatus, Segment

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
    for script in scripts():
        if verdict := script.status(text, status):
            return verdict
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
