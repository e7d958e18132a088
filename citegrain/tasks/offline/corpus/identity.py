"""Which Act a document contains: its id, version, pages; the registry, which says what these do not."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path, PurePath
from typing import Annotated, Any, Final, Literal
from urllib.parse import unquote

import yaml
from pydantic import AfterValidator, ConfigDict, Strict, TypeAdapter, ValidationError
from rapidfuzz import fuzz

from citegrain.tasks.core.errors import TOO_DEEP, Expected, faults
from citegrain.tasks.core.store.files import decoded
from citegrain.tasks.core.words import is_devanagari
from citegrain.tasks.law.citations import short_name
from citegrain.tasks.law.instruments import KINDS_BY_TITLE, classified, slug, unit_of

REGISTRY = "registry.yaml"
"""File of a corpus folder with entries for its documents; they come before those that ship."""
_SAME_TITLE = 90.0
_SAME_NUMBER_TITLE = 55.0
Day = Annotated[date, Strict()] | None


def _page_range(text: str) -> str:
    first, _, last = text.partition("-")
    numbers = [first, last] if last else [first]
    if text and not (all(n.isdecimal() for n in numbers) and 0 < int(first) <= int(last or first)):
        raise ValueError("must be the first and the last page, as 1-24")
    return text


Pages = Annotated[str, AfterValidator(_page_range)]


class RegistryError(ValueError, Expected):
    """The registry file is wrong; one line a fault, with entry and field."""


@dataclass(frozen=True)
class ActEntry:
    """One Act, set of rules or other document of the registry.

    What it is: ``kind``, or None where its first pages say it; ``document_type``, a finer word, as ``code``;
    ``domain``, the branch of law that complaints under it belong to; ``jurisdiction``: ``central``, or the
    State or Union Territory; ``language``: ``en`` or ``hi``. ``aliases`` are other names that people use,
    also its title in Hindi, by which a Hindi edition is known.

    How it is cited: ``unit``: what its numbered provisions are called; ``entry_prefix``: how entries of its
    Schedules are, as ``Art`` in the Limitation Act.

    When it is law: ``in_force_from`` (the file may say ``effective_date``) and ``in_force_to``, its first and
    last day; ``staged``: its provisions came into force on several dates; ``replaced_by``: the id of the Act
    that replaced it; ``amended_by``: Acts that are not in its print yet, ``Act 23 of 2025, section 5,
    2025-08-01``.

    What is read: ``pages``, the first and the last, as ``1-24``; empty: all; ``files``: names of files whose
    first pages do not name it; ``active``: whether it is searched. If not, its rows stay in the tables.
    """

    __pydantic_config__ = ConfigDict(extra="forbid", coerce_numbers_to_str=True)

    act_id: str
    title: str
    number: str = ""
    aliases: tuple[str, ...] = ()
    kind: Literal["act", "rules", "judgment", "contract", "other"] | None = None
    document_type: str = ""
    jurisdiction: str = ""
    unit: Literal["section", "article", "rule", "regulation"] | None = None
    entry_prefix: str = ""
    in_force_from: Day = None
    in_force_to: Day = None
    staged: bool = False
    replaced_by: str = ""
    amended_by: tuple[str, ...] = ()
    domain: str = ""
    gazette_number: str = ""
    source_url: str = ""
    active: bool = True
    pages: Pages = ""
    files: tuple[str, ...] = ()
    language: Literal["en", "hi"] | None = None

    @property
    def page_range(self) -> tuple[int, int | None]:
        """First and last page that are read; None: to the end."""
        first, _, last = self.pages.partition("-")
        return int(first or 1), int(last or first) if first else None


@dataclass(frozen=True)
class Registry:
    """Acts by id, with look-up by number, title and alias."""

    acts: Mapping[str, ActEntry] = field(default_factory=dict)

    def match(self, title: str, number: str = "") -> ActEntry | None:
        """The entry for an Act as its first pages name it; None if it is not in the registry."""
        if number:
            for entry in self.acts.values():
                alike = is_devanagari(title) or _likeness(title, entry.title) >= _SAME_NUMBER_TITLE
                if entry.number == number and alike:
                    return entry
        name_slug = slug(title)
        for entry in self.acts.values():
            if name_slug in (entry.act_id, slug(entry.title)):
                return entry
        if is_devanagari(title):
            return self._by_hindi_name(title)
        scored = [
            (_likeness(title, e.title), e) for e in self.acts.values() if _year(title) == _year(e.title)
        ]
        best = max(scored, key=lambda pair: pair[0], default=None)
        return best[1] if best and best[0] >= _SAME_TITLE and not number else None

    def _by_hindi_name(self, title: str) -> ActEntry | None:
        """The entry of the same year with a name in Hindi that ``title`` is."""
        year, names = _year(title), {slug(title), slug(re.sub(r",?\s*\d{4}$", "", title))}
        entries = [e for e in self.acts.values() if names & {slug(n) for n in e.aliases}]
        return next((e for e in entries if not year or year == _year(e.title)), None)

    def by_alias(self, name: str) -> ActEntry | None:
        """The entry that goes by ``name`` (id, title or alias), case and punctuation ignored."""
        name_slug = slug(name)
        names = ((e, (e.act_id, *map(slug, (e.title, *e.aliases)))) for e in self.acts.values())
        return next((entry for entry, slugs in names if name_slug in slugs), None)


def _year(title: str) -> str:
    match = re.search(r"(1[6-9]|20)\d\d\W*$", title)
    return match[0].strip(" .") if match else ""


def _likeness(a: str, b: str) -> float:
    return float(fuzz.token_sort_ratio(slug(a), slug(b)))


_ENTRY = TypeAdapter(ActEntry)
_DEEPEST = 50  # mappings and lists within each other
_HIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")  # they steer a terminal
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's reads the same three times as fast


def read_yaml(text: str) -> Any:
    """What a YAML text says.

    Raises YAMLError if it is none, or nested deeper than libyaml's reader could follow: it has no bound.
    """
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise yaml.YAMLError(TOO_DEEP)
    return yaml.load(text, Loader=_LOADER)  # noqa: S506


def load_registry(path: Path) -> Registry:
    """Read the registry. Raises RegistryError if the file or one of its entries is wrong."""
    try:
        raw = read_yaml(decoded(path.read_bytes()))
    except OSError as error:
        raise RegistryError(f"{path}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise RegistryError(f"{path}: not YAML: {error}") from error
    if not isinstance(raw, dict):
        raise RegistryError(f"{path}: must be a mapping of act_id to entry")
    return Registry({str(act_id): _entry(path, str(act_id), value) for act_id, value in raw.items()})


def _entry(path: Path, act_id: str, value: Any) -> ActEntry:
    where = f"{path}: {act_id}"
    if not isinstance(value, dict) or "act_id" in value:
        raise RegistryError(f"{where}: must be a mapping of fields; its key is the act_id")
    if slug(act_id) != act_id:
        raise RegistryError(f"{where}: an act_id must be lower case words joined by hyphens")
    if "effective_date" in value:
        if "in_force_from" in value:
            raise RegistryError(f"{where}: effective_date and in_force_from are the same: give one")
        value = {"in_force_from" if k == "effective_date" else k: v for k, v in value.items()}
    try:
        return _ENTRY.validate_python({"act_id": act_id, **value})
    except ValidationError as error:
        wrong = [f"{where}: {name}: {what}" for name, what in faults(error)]
        raise RegistryError("\n".join(wrong)) from error


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
    """
    if document["status"] != "text":
        return Refusal(str(document["reason"]))
    entry = next((entry for entry in registry.acts.values() if file_name in entry.files), None)
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
    words = " ".join(_HIDDEN.sub(" ", unquote(PurePath(file_name).stem)).replace("_", " ").split())
    return ActEntry(slug(words) or f"contract-{document['document_id'][:8]}", words, kind=CONTRACT)


def _from_file_name(
    document: Mapping[str, Any], registry: Registry, file_name: str, pages: int
) -> ActIdentity:
    stem = re.split(r"__|\bv\d{4}", _HIDDEN.sub(" ", PurePath(file_name).stem))[0]
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
