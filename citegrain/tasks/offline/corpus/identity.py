"""Which Act a document contains: its id, its version, its pages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import PurePath
from typing import Any, Final
from urllib.parse import unquote

from citegrain.tasks.law.cases import short_name
from citegrain.tasks.law.instruments import KINDS_BY_TITLE, classified, slug, unit_of
from citegrain.tasks.offline.corpus.registry import ActEntry, Registry

_LONGEST_NAME = 80  # characters of the name of a case in an id
CONTRACT: Final = "contract"


@dataclass(frozen=True)
class ActIdentity:
    """An Act, or another instrument of law, in a document.

    ``title_evidence`` is ``registry``, ``first_pages`` or ``file_name``; ``version_evidence`` is
    ``as_on``, ``published``, ``pdf_date`` or ``none``. ``kind`` is ``act``, ``other`` or
    the name of a ``DocumentKind``; it and what follows is the registry's word, else the document's.
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
    kind: str = "act"
    document_type: str = "act"
    jurisdiction: str = ""
    gazette_number: str = ""
    effective_date: date | None = None
    source_url: str = ""
    active: bool = True
    language: str = "en"


_UNTITLED: Mapping[str, Any] = {"number": "", "page_start": 1}


@dataclass(frozen=True)
class Refusal:
    """Why a document is not indexed, in one line."""

    reason: str


def identify(document: Mapping[str, Any], registry: Registry, file_name: str) -> list[ActIdentity] | Refusal:
    """The Acts of a document, or why it is refused.

    The first pages name the Act. The file name counts only where they name none.

    ``document``: its row of the ``documents`` table.
    """
    if document["status"] != "text":
        return Refusal(str(document["reason"]))
    entry = registry.by_file(file_name)
    titled: list[Mapping[str, Any]] = document["acts"]
    pages = int(document["n_pages"])
    acts = [act for act in titled if act["kind"] != "bill"]
    ends = [int(act["page_start"]) - 1 for act in acts[1:]] + [pages]
    if entry:
        identities = [_identity(document, titled[0] if titled else _UNTITLED, entry, "registry", pages)]
    elif titled and not acts:
        return Refusal(f"a Bill, not an Act: {titled[0]['title']}")
    elif document.get("kind") == CONTRACT:
        identities = [_identity(document, _UNTITLED, _contract(document, file_name), "file_name", pages)]
    elif not acts:
        identities = [_from_file_name(document, registry, file_name, pages)]
    else:
        each = zip(acts, ends, strict=True)
        identities = [_from_first_pages(document, act, registry, end) for act, end in each]
    if (first := min(act.page_start for act in identities)) > pages:
        return Refusal(f"the registry says that it begins on page {first}, but it has {pages} pages")
    return identities


def _from_first_pages(
    document: Mapping[str, Any], act: Mapping[str, Any], registry: Registry, end: int
) -> ActIdentity:
    if act["kind"] == "judgment":
        return _identity(document, act, _judgment(act), "first_pages", end)
    entry = registry.match(act["title"], act["number"])
    evidence = "registry" if entry else "first_pages"
    return _identity(document, act, entry or ActEntry(slug(act["title"]), str(act["title"])), evidence, end)


def _judgment(act: Mapping[str, Any]) -> ActEntry:
    """A judgment as an entry: its id has the day, for the same parties meet again."""
    name = str(act["title"])
    words = slug(short_name(name))[:_LONGEST_NAME].strip("-")
    return ActEntry("-".join(part for part in (words, str(act["published"] or "")) if part), name)


def _contract(document: Mapping[str, Any], file_name: str) -> ActEntry:
    """A contract as an entry: its file's name is its title, for what it calls itself a thousand others do."""
    words = " ".join(unquote(PurePath(file_name).stem).replace("_", " ").split())
    return ActEntry(slug(words) or f"contract-{document['document_id'][:8]}", words, kind=CONTRACT)


def _from_file_name(
    document: Mapping[str, Any], registry: Registry, file_name: str, pages: int
) -> ActIdentity:
    stem = re.split(r"__|\bv\d{4}", PurePath(file_name).stem)[0]
    words = re.sub(r"[\s_\-.]+", " ", stem).strip() or "unnamed"
    title = re.sub(r"(?<=\D) ((?:1[6-9]|20)\d\d)$", r", \1", words.title())
    entry = registry.by_alias(words) or registry.match(title) or ActEntry(slug(title), title)
    return _identity(document, _UNTITLED, entry, "file_name", pages)


def _identity(
    document: Mapping[str, Any], act: Mapping[str, Any], entry: ActEntry, title_evidence: str, end: int
) -> ActIdentity:
    version, version_evidence = _version(document, act)
    first, last = entry.page_range
    start, end = max(int(act["page_start"]), first), min(end, last or end)
    kind, document_type = classified(entry.title)
    printed = kind if act.get("kind", "act") in KINDS_BY_TITLE else str(act["kind"])
    kind = entry.kind or printed or document.get("kind") or "act"
    document_type = kind if kind in ("judgment", CONTRACT) else document_type
    return ActIdentity(
        act_id=entry.act_id,
        title=entry.title,
        number=str(act["number"]) or entry.number,
        version_date=version,
        version_evidence=version_evidence,
        title_evidence=title_evidence,
        page_start=start,
        page_end=max(start, end),
        unit=entry.unit or unit_of(kind, document_type),
        entry_prefix=entry.entry_prefix,
        kind=kind,
        document_type=entry.document_type or document_type,
        jurisdiction=entry.jurisdiction or act.get("jurisdiction") or "",
        gazette_number=entry.gazette_number or act.get("gazette_number") or "",
        effective_date=entry.in_force_from or act.get("effective_date"),
        source_url=entry.source_url,
        active=entry.active,
        language=entry.language or document.get("language") or "en",
    )


def _version(document: Mapping[str, Any], act: Mapping[str, Any]) -> tuple[date | None, str]:
    """Date of this version of the Act and what says so."""
    for row, evidence in ((act, "as_on"), (act, "published"), (document, "pdf_date")):
        if row.get(evidence):
            return row[evidence], evidence
    return None, "none"
