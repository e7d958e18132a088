"""The list of a corpus over HTTP: URLs, and the names their files get."""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

import httpx
import yaml

from citegrain.tasks.core.store.files import decoded
from citegrain.tasks.law.citations import TEXTS_SUFFIX
from citegrain.tasks.offline.corpus.identity import read_yaml
from citegrain.tasks.offline.corpus.sources import FORMS, CorpusError

_SECRET = re.compile(r"token|key|secret|sig|pass|pwd|auth|cred|session", re.IGNORECASE)
_DIGEST = re.compile(r"[0-9a-f]{64}")
_LONGEST = 150
_LONGEST_SHOWN = 200
_MASK = "***"
_ENDINGS = tuple(ending for ending in FORMS if ending != TEXTS_SUFFIX)


class ListError(CorpusError):
    """The list of URLs is wrong; the message names the entry."""


@dataclass(frozen=True)
class ListedDocument:
    """A document of the list. The URL may contain a secret: it is shown masked.

    ``name``: name of the file in the folder of the corpus; its ending gives way to that of what is sent.
    ``sha256``: digest its bytes must have; empty accepts any. ``fallback_url``: where it is fetched if
    ``url`` sends a scan.
    """

    url: str = field(repr=False)
    name: str
    sha256: str = ""
    fallback_url: str = field(default="", repr=False)

    @property
    def shown(self) -> str:
        """The URL without what is secret."""
        return masked(self.url)

    @property
    def promised(self) -> str:
        """The ending that the list gives it, or its URL has; empty where there is none."""
        return _ending(urlsplit(self.url).path if self.name == name_of(self.url) else self.name)

    def file(self, folder: Path) -> Path:
        """Its file, with the ending of what was sent; with that of its name where there is none yet."""
        path = folder / self.name
        return next((p for e in (path.suffix, *_ENDINGS) if (p := path.with_suffix(e)).is_file()), path)

    def accepts(self, digest: str) -> bool:
        return not self.sha256 or digest == self.sha256

    def mismatch(self, digest: str) -> str:
        return f"its SHA-256 is {digest}, the list names {self.sha256}"


def masked(url: str) -> str:
    """A URL without user, password and the values of parameters whose names sound secret."""
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return "(no URL)"
    if "@" in parts.netloc:
        host = f"{_MASK}@{host}"
    query = parse_qsl(parts.query, keep_blank_values=True)
    if any(_SECRET.search(name) for name, _ in query):
        shown = urlencode([(n, _MASK if _SECRET.search(n) else v) for n, v in query], safe="*")
    else:
        shown = parts.query
    return _printable(urlunsplit((parts.scheme, host, parts.path, shown, "")))


def _printable(text: str) -> str:
    """Text that cannot steer a terminal."""
    return "".join(c if c.isprintable() else "?" for c in text)


def read_list(path: Path) -> list[ListedDocument]:
    """The documents of a list: YAML, or one JSON object a line (``.jsonl``).

    An entry is a URL, or a mapping with ``url`` and optionally ``name``, and ``sha256`` or ``fallback_url``.
    Raises ListError if it cannot be read, an entry is no http or https URL, a name could lead out of the
    folder, or two entries have one URL, or one name but for the ending.
    """
    entries = _read(path)
    if not isinstance(entries, list) or not entries:
        raise ListError(f"{path}: must be a list of URLs")
    listed = []
    for number, entry in enumerate(entries, 1):
        try:
            listed.append(_entry(entry))
        except ValueError as error:
            raise ListError(f"{path}: entry {number}: {error}") from None
    _check_distinct(path, listed)
    return listed


def _read(path: Path) -> Any:
    """What the file says. An error names the place and never quotes the line, which may contain a secret."""
    try:
        text = decoded(path.read_bytes())
    except (OSError, UnicodeDecodeError) as error:
        raise ListError(f"{path}: cannot be read: {getattr(error, 'strerror', 'not UTF-8')}") from None
    if path.suffix == ".jsonl":
        return [_json(path, n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    try:
        return read_yaml(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise ListError(f"{path}: not YAML{f', line {mark.line + 1}' if mark else ''}") from None


def _json(path: Path, number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise ListError(f"{path}: line {number} is not JSON") from None


def _entry(entry: Any) -> ListedDocument:
    fields: Mapping[str, Any] = {"url": entry} if isinstance(entry, str) else entry
    if not isinstance(fields, dict) or not isinstance(fields.get("url"), str):
        raise ValueError("must be a URL, or a mapping with url and optionally name, sha256, fallback_url")
    if unknown := sorted(str(key) for key in set(fields) - {"url", "name", "sha256", "fallback_url"}):
        raise ValueError(f"unknown field {', '.join(unknown)}")
    url = fields["url"].strip()
    _check_url(url)
    digest = str(fields.get("sha256") or "").lower()
    if digest and not _DIGEST.fullmatch(digest):
        raise ValueError("sha256 must have 64 hexadecimal digits")
    fallback = str(fields.get("fallback_url") or "").strip()
    if fallback:
        _check_url(fallback)
        if digest:
            raise ValueError("sha256 and fallback_url exclude each other: give the URL of the file you know")
    name = str(fields.get("name") or "")
    composed = unicodedata.normalize("NFC", name)
    if name and (not _ending(name) or safe_name(name) != composed):
        raise ValueError(
            f"name {_printable(name)!r}: must consist of letters, digits, spaces and ._-() and end in one of "
            f"{', '.join(_ENDINGS)}"
        )
    return ListedDocument(url, composed or name_of(url), digest, fallback)


def _ending(name: str) -> str:
    """The ending of a name, if it is one of those of documents."""
    ending = Path(name).suffix.lower()
    return ending if ending in _ENDINGS else ""


def _check_url(url: str) -> None:
    """Check that it can be requested, as both the standard library and httpx read it."""
    shown = masked(url)
    if len(shown) > _LONGEST_SHOWN:
        shown = f"{shown[:_LONGEST_SHOWN]}..."
    try:
        parts = urlsplit(url)
        has_host = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        has_host = False
    if not has_host or parts.scheme not in ("http", "https") or not url.isprintable() or " " in url:
        raise ValueError(f"{shown}: must be a URL that begins with http:// or https://")
    try:
        decoded = bool(httpx.URL(url).host)  # only httpx decodes the host, which may fail
    except (httpx.InvalidURL, ValueError):
        decoded = False
    if not decoded:
        raise ValueError(f"{shown}: too long, or its host is neither a name nor an address")


def name_of(url: str) -> str:
    """The file name of a URL: the end of its path made safe, else a digest of the URL."""
    last = unquote(urlsplit(url).path.rstrip("/").rpartition("/")[2], errors="replace")
    name = safe_name(last)
    if name.startswith("."):
        return f"document-{sha256(url.encode()).hexdigest()[:12]}.pdf"
    return name


def safe_name(text: str) -> str:
    """A name without separators, control signs or a leading dot, with a document's ending, else ``.pdf``."""
    stem, end = unicodedata.normalize("NFC", text), ".pdf"
    if length := next((len(e) for e in _ENDINGS if stem.lower().endswith(e)), 0):
        stem, end = stem[:-length], stem[-length:]
    letters = {c for c in stem if c.isalnum() or unicodedata.category(c).startswith("M") or c in " ._-()"}
    stem = "".join(c if c in letters else "_" for c in stem)
    stem = re.sub(r"\.{2,}", ".", stem).lstrip(" ._-")
    while len(stem.encode()) > _LONGEST:
        stem = stem[:-1]
    return stem.rstrip(" .") + end


def _check_distinct(path: Path, listed: Sequence[ListedDocument]) -> None:
    """Check that no two entries share a URL, or a file on a disk that ignores case."""
    for what, keys in (
        ("URL", [entry.url for entry in listed]),
        ("file name", [Path(entry.name).stem.casefold() for entry in listed]),
    ):
        first: dict[str, int] = {}
        for number, key in enumerate(keys, 1):
            if key in first:
                advice = f" {listed[number - 1].name}: give one of them a name" if what == "file name" else ""
                raise ListError(f"{path}: entries {first[key]} and {number} have the same {what}{advice}")
            first[key] = number
