"""Which Act or rules a document in Hindi contains, as its first pages name it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from citegrain.tasks.core.script import ascii_digits
from citegrain.tasks.law.instruments import state_in
from citegrain.tasks.offline.pages import NamedAct, TextRow

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


def hindi_title(rows: Sequence[TextRow]) -> NamedAct | None:
    """What a document in Hindi calls itself: in its first section, else on its front page."""
    rows = [row._replace(text=ascii_digits(row.text)) for row in rows[:_FRONT]]
    called = _CALLED.search(re.sub(r"\s+", " ", " ".join(row.text for row in rows)))
    title = _tidy(called["title"]) if called else _front_title(rows)
    if not title:
        return None
    state = state_in(title)
    numbered = next((m for row in rows if len(row.text) < 60 and (m := _NUMBER.search(row.text))), None)
    number = f"{numbered['number']} of {numbered['year']}" if numbered and not state else ""
    return NamedAct(title, number, _kind(title), 1, jurisdiction=state)


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
