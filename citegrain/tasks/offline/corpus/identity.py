"""Which Act a document holds: its id, its version, its pages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import PurePath
from typing import Any

from citegrain.tasks.offline.corpus.registry import ActEntry, Registry, slug

_CONSTITUTION = re.compile(
    r"^(?:The\s+)?Constitution\s+of\s+(?!.*\b(?:Amendment|Order|Act)\b)", re.IGNORECASE
)


@dataclass(frozen=True)
class ActIdentity:
    """An Act in a document.

    ``title_evidence`` is ``registry``, ``first_pages`` or ``file_name``; ``version_evidence`` is
    ``as_on``, ``published``, ``pdf_date`` or ``none``.
    """

    act_id: str
    title: str
    number: str
    version_date: date | None
    version_evidence: str
    title_evidence: str
    page_start: int
    page_end: int
    unit: str = "section"
    entry_prefix: str = ""


@dataclass(frozen=True)
class Refusal:
    """Why a document is not indexed, in one line."""

    reason: str


def identify(document: Mapping[str, Any], registry: Registry, file_name: str) -> list[ActIdentity] | Refusal:
    """The Acts of a document, or why it is refused.

    The Act is recognised from the document's own first pages; its file name is asked only
    where these name none.

    Parameters
    ----------
    document
        Its row of the ``documents`` table.
    registry
        Acts known by more than their text.
    file_name
        Name of the file, the last resort.
    """
    if document["status"] != "text":
        return Refusal(str(document["reason"]))
    found: list[Mapping[str, Any]] = document["acts"]
    if found and all(act["kind"] == "bill" for act in found):
        return Refusal(f"a Bill, not an Act: {found[0]['title']}")
    acts = [act for act in found if act["kind"] != "bill"]
    pages = int(document["n_pages"])
    if not acts:
        return [_from_file_name(document, registry, file_name, pages)]
    ends = [int(act["page_start"]) - 1 for act in acts[1:]] + [pages]
    return [
        _identity(
            document, act, registry.match(act["title"], act["number"]), max(end, int(act["page_start"]))
        )
        for act, end in zip(acts, ends, strict=True)
    ]


def _identity(
    document: Mapping[str, Any], act: Mapping[str, Any], entry: ActEntry | None, page_end: int
) -> ActIdentity:
    version, evidence = _version(document, act)
    title = entry.title if entry else str(act["title"])
    return ActIdentity(
        act_id=entry.act_id if entry else slug(title),
        title=title,
        number=str(act["number"]) or (entry.number if entry else ""),
        version_date=version,
        version_evidence=evidence,
        title_evidence="registry" if entry else "first_pages",
        page_start=int(act["page_start"]),
        page_end=page_end,
        unit=entry.unit if entry else ("article" if _CONSTITUTION.match(title) else "section"),
        entry_prefix=entry.entry_prefix if entry else "",
    )


def _version(document: Mapping[str, Any], act: Mapping[str, Any]) -> tuple[date | None, str]:
    """Date of this version of the Act and what says so."""
    if act.get("as_on"):
        return act["as_on"], "as_on"
    if act.get("published"):
        return act["published"], "published"
    if document.get("pdf_date"):
        return document["pdf_date"], "pdf_date"
    return None, "none"


def _from_file_name(
    document: Mapping[str, Any], registry: Registry, file_name: str, pages: int
) -> ActIdentity:
    stem = PurePath(file_name).stem
    stem = re.split(r"__|\bv\d{4}", stem)[0]
    words = re.sub(r"[\s_\-.]+", " ", stem).strip() or "unnamed"
    title = re.sub(r"(?<=\D) ((?:1[6-9]|20)\d\d)$", r", \1", words.title())
    entry = registry.by_alias(words) or registry.match(title)
    version, evidence = _version(document, {})
    return ActIdentity(
        act_id=entry.act_id if entry else slug(title),
        title=entry.title if entry else title,
        number=entry.number if entry else "",
        version_date=version,
        version_evidence=evidence,
        title_evidence="file_name",
        page_start=1,
        page_end=pages,
        unit=entry.unit if entry else "section",
        entry_prefix=entry.entry_prefix if entry else "",
    )
