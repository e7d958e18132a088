"""Which Act a document contains: its id, its version, its pages."""

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

    The first pages name the Act. The file name counts only where they name none.

    Parameters
    ----------
    document
        Its row of the ``documents`` table.
    registry
        Acts known beyond their text.
    file_name
        Name of the file.
    """
    if document["status"] != "text":
        return Refusal(str(document["reason"]))
    titled: list[Mapping[str, Any]] = document["acts"]
    acts = [act for act in titled if act["kind"] != "bill"]
    if titled and not acts:
        return Refusal(f"a Bill, not an Act: {titled[0]['title']}")
    pages = int(document["n_pages"])
    if not acts:
        return [_from_file_name(document, registry, file_name, pages)]
    ends = [int(act["page_start"]) - 1 for act in acts[1:]] + [pages]
    return [_from_first_pages(document, act, registry, end) for act, end in zip(acts, ends, strict=True)]


def _from_first_pages(
    document: Mapping[str, Any], act: Mapping[str, Any], registry: Registry, end: int
) -> ActIdentity:
    entry = registry.match(act["title"], act["number"])
    evidence = "registry" if entry else "first_pages"
    return _identity(document, act, entry or _unregistered(str(act["title"])), evidence, end)


def _from_file_name(
    document: Mapping[str, Any], registry: Registry, file_name: str, pages: int
) -> ActIdentity:
    stem = re.split(r"__|\bv\d{4}", PurePath(file_name).stem)[0]
    words = re.sub(r"[\s_\-.]+", " ", stem).strip() or "unnamed"
    title = re.sub(r"(?<=\D) ((?:1[6-9]|20)\d\d)$", r", \1", words.title())
    entry = registry.by_alias(words) or registry.match(title) or _unregistered(title)
    return _identity(document, {"number": "", "page_start": 1}, entry, "file_name", pages)


def _unregistered(title: str) -> ActEntry:
    """What is known of an Act that is not in the registry."""
    return ActEntry(slug(title), title, unit="article" if _CONSTITUTION.match(title) else "section")


def _identity(
    document: Mapping[str, Any], act: Mapping[str, Any], entry: ActEntry, title_evidence: str, end: int
) -> ActIdentity:
    version, version_evidence = _version(document, act)
    start = int(act["page_start"])
    return ActIdentity(
        act_id=entry.act_id,
        title=entry.title,
        number=str(act["number"]) or entry.number,
        version_date=version,
        version_evidence=version_evidence,
        title_evidence=title_evidence,
        page_start=start,
        page_end=max(start, end),
        unit=entry.unit,
        entry_prefix=entry.entry_prefix,
    )


def _version(document: Mapping[str, Any], act: Mapping[str, Any]) -> tuple[date | None, str]:
    """Date of this version of the Act and what says so."""
    for row, evidence in ((act, "as_on"), (act, "published"), (document, "pdf_date")):
        if row.get(evidence):
            return row[evidence], evidence
    return None, "none"
