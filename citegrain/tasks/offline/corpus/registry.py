"""The registry: what the PDF of an Act does not say (``data/registry.yaml``)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, ConfigDict, Strict, TypeAdapter, ValidationError
from rapidfuzz import fuzz

from citegrain.tasks.core.errors import Expected, faults
from citegrain.tasks.core.script import is_devanagari
from citegrain.tasks.core.store.files import decoded
from citegrain.tasks.law.instruments import slug

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

    Attributes
    ----------
    act_id, title, number
        ``indian-penal-code-1860``, ``The Indian Penal Code, 1860``, ``45 of 1860``.
    domain
        Branch of law that complaints under it belong to: ``criminal``; empty if unknown.
    aliases
        Other names people use: ``IPC``, ``Penal Code``; also its title in Hindi, by which
        a Hindi edition is known.
    kind
        ``act``, ``rules``, ``judgment``, ``contract`` or ``other``; None: as the document's first pages say.
    document_type
        A finer word: ``code``, ``regulations``, ``circular``; empty: as the title says.
    jurisdiction
        ``central``, or the State or Union Territory: ``maharashtra``; empty: as the first pages say.
    unit
        ``section``, ``article``, ``rule`` or ``regulation``; None: as the kind says.
    entry_prefix
        How entries of its Schedules are cited, e.g. ``Art`` for the Limitation Act.
    in_force_from, in_force_to
        First and last day in force; None where not known or still in force. The file may call the first
        ``effective_date``.
    staged
        Whether its provisions came into force on several dates.
    replaced_by
        act_id of the Act that replaced it.
    amended_by
        Acts that amend it and are not in its print yet: ``Act 23 of 2025, sections 5 and 7, 2025-08-01``.
    gazette_number, source_url
        Number of the notification, ``G.S.R. 757(E)``, and where the document comes from.
    active
        Whether it is searched. Its rows stay in the tables of a build if not.
    pages
        First and last page that are read, ``1-24``: forms behind them are left out. Empty: all.
    files
        Names of the files that contain it, where their first pages do not name it.
    language
        ``en`` or ``hi``; None: that of the document.
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

    def by_file(self, name: str) -> ActEntry | None:
        """The entry that names a file as its document."""
        return next((entry for entry in self.acts.values() if name in entry.files), None)

    def by_alias(self, name: str) -> ActEntry | None:
        """The entry that goes by ``name`` (id, title or alias), case and punctuation ignored."""
        name_slug = slug(name)
        for entry in self.acts.values():
            if name_slug == entry.act_id or name_slug in {slug(n) for n in (entry.title, *entry.aliases)}:
                return entry
        return None


def _year(title: str) -> str:
    match = re.search(r"(1[6-9]|20)\d\d\W*$", title)
    return match[0].strip(" .") if match else ""


def _likeness(a: str, b: str) -> float:
    return float(fuzz.token_sort_ratio(slug(a), slug(b)))


_ENTRY = TypeAdapter(ActEntry)
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's reads the same three times as fast


def load_registry(path: Path) -> Registry:
    """Read the registry.

    Raises RegistryError if the file is missing, no YAML, or an entry has an unknown or ill-typed field.
    """
    try:
        raw = yaml.load(decoded(path.read_bytes()), Loader=_LOADER)  # noqa: S506
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
