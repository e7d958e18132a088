"""Documents in Hindi: the order of their letters, and the titles of Acts and rules."""

from __future__ import annotations

from typing import Any

from citegrain.tasks.core.script import is_devanagari
from citegrain.tasks.kinds.hindi.devanagari import page_status, spoken_order
from citegrain.tasks.kinds.hindi.titles import hindi_title
from citegrain.tasks.offline.kinds import DocumentKind, Recognition
from citegrain.tasks.offline.pages import DocumentText, PageStatus


class _Devanagari:
    def covers(self, text: str) -> bool:
        return is_devanagari(text)

    def in_order(self, lines: list[dict[str, Any]], page: Any) -> list[dict[str, Any]]:
        return spoken_order(lines, page)

    def status(self, text: str, status: str) -> PageStatus | None:
        return page_status(text, status)


def _recognise(text: DocumentText) -> Recognition | None:
    """The Act or the rules; of a document in Hindi that names none nothing else is looked for."""
    if text.language != "hi":
        return None
    title = hindi_title(text.rows)
    return Recognition([title] if title else [])


KIND = DocumentKind("hindi", 30, _recognise, script=_Devanagari())
