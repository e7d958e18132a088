"""The files of a corpus: the documents of a folder, or one file of texts; and how they changed."""

import re
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from citegrain.tasks.core.errors import Expected, UsageFault
from citegrain.tasks.core.store.files import hash_file
from citegrain.tasks.law.citations import TEXTS_SUFFIX

FORMS = {
    ".pdf": "pdf",
    ".docx": "docx",
    ".pptx": "pptx",
    ".xlsx": "xlsx",
    ".html": "html",
    ".htm": "html",
    ".txt": "plain",
    TEXTS_SUFFIX: "texts",
}
"""What a file is, by the ending of its name."""
_OFFICE = (".doc", ".docm", ".ppt", ".pptm", ".xls", ".xlsm", ".xlsb", ".rtf", ".odt", ".odp", ".ods")
_LOCK = "~$"  # begins the name of a file that Office keeps beside one that is open
_PASSED_OVER = re.compile(
    r"\.|(?:registry\.yaml|lay_texts(?:_not_needed)?\.jsonl|thumbs\.db|desktop\.ini)$", re.IGNORECASE
)
"""Names of what nobody takes for a document, if its ending is not that of one."""


class CorpusError(ValueError, Expected):
    """The corpus folder is missing or contains no document."""


class NoFolderError(CorpusError, UsageFault):
    """The folder or file of texts that is named is not there."""


@dataclass(frozen=True)
class Source:
    """A file of the corpus.

    ``document_id``: the SHA-256 of its bytes. ``error``: why it cannot be read. ``is_document``: false of a
    file whose format has no documents of law, such as a picture.
    """

    path: Path
    relative: str
    document_id: str
    error: str = ""
    is_document: bool = True


def read_source(path: Path, relative: str) -> Source:
    """A file with the digest of its bytes, or the reason why it cannot be read."""
    try:
        return Source(path, relative, hash_file(path))
    except OSError as error:
        return Source(path, relative, "", f"cannot be read: {error.strerror}")


def text_source(path: Path) -> Source:
    """The file of a corpus of texts. Raises NoFolderError if it is none."""
    if path.suffix != TEXTS_SUFFIX or not path.is_file():
        raise NoFolderError(f"{path}: must be a file of texts, as FOLDER/corpus{TEXTS_SUFFIX}")
    return read_source(path, path.name)


def find_sources(folder: Path) -> list[Source]:
    """Every document below ``folder``, by relative path; hidden folders are passed over, links followed.

    What is not read is among them, with the reason; the files of :data:`_PASSED_OVER` are not. Raises
    NoFolderError if the folder does not exist, CorpusError if it holds no document.
    """
    if not folder.is_dir():
        raise NoFolderError(f"{folder}: no such folder")
    files, unread_folders = _files(folder)
    sources = [
        Source(path, str(path.relative_to(folder)), "", f"cannot be read: {why}")
        for path, why in unread_folders
    ]
    for path in sorted(files):
        relative = path.relative_to(folder)
        ending = path.suffix.lower()
        readable = ending in FORMS and ending != TEXTS_SUFFIX
        if path.name.startswith(_LOCK) or (not readable and _PASSED_OVER.match(path.name)):
            continue
        try:
            str(relative).encode()
        except UnicodeEncodeError:  # no table can store such a name
            shown = str(relative).encode("utf-8", "replace").decode()
            sources.append(Source(path, shown, "", "the name of the file is not UTF-8"))
        else:
            why = f"{ending} files are not read" if ending else "files without an ending are not read"
            if is_office := ending in _OFFICE:
                why += ": save it as .docx, .pptx, .xlsx or .pdf"
            if path.exists() and not path.is_file():
                readable, why = False, "a pipe, a socket or a device, and no file"
            unread = Source(path, str(relative), "", why, is_office)
            sources.append(read_source(path, str(relative)) if readable else unread)
    if not any(source.is_document for source in sources):
        raise CorpusError(f"{folder}: no documents in it (.pdf, .docx, .pptx, .xlsx, .html, .txt)")
    return sources


def _files(folder: Path) -> tuple[list[Path], list[tuple[Path, str]]]:
    """What is no folder below ``folder``, and the folders that may not be read with the reason.

    A folder to which several links lead is read once, by its name if it lies here; one that holds ``folder``
    is not read again.
    """
    files: list[Path] = []
    unread: list[tuple[Path, str]] = []
    seen = {_place(above) for above in folder.resolve().parents}
    waiting = deque([folder])
    while waiting:
        at = waiting.popleft()
        try:
            entries = [] if _place(at) in seen else sorted(at.iterdir())
            seen.add(_place(at))
        except OSError as error:
            unread.append((at, error.strerror or str(error)))
            continue
        for entry in entries:
            if not entry.is_dir():
                files.append(entry)
            elif not entry.name.startswith("."):
                (waiting.append if entry.is_symlink() else waiting.appendleft)(entry)
    return files, unread


def _place(folder: Path) -> tuple[int, int]:
    status = folder.stat()
    return status.st_dev, status.st_ino


@dataclass(frozen=True)
class SourceChanges:
    """The documents of a build compared with those of its corpus now. A renamed file is the same document.

    ``added``, ``removed``, ``unchanged``: documents that are new, no longer there, or in both. ``changed``:
    pairs of an old and a new document under the same path. ``unreadable``: files of the corpus that cannot be
    read or were not fetched. A document of the build that is one of them is not counted as removed.
    """

    added: list[Source] = field(default_factory=list)
    removed: list[Source] = field(default_factory=list)
    changed: list[tuple[Source, Source]] = field(default_factory=list)
    unchanged: list[Source] = field(default_factory=list)
    unreadable: list[Source] = field(default_factory=list)

    @property
    def line(self) -> str:
        counts = {f.name: len(getattr(self, f.name)) for f in fields(self)}
        parts = [f"{count} {name}" for name, count in counts.items() if count]
        return f"sources: {', '.join(parts) or 'none'}"


def compare_sources(
    before: Sequence[Source], now: Sequence[Source], passed_over: Collection[str] = ()
) -> SourceChanges:
    """What was added, removed and changed between two states of a corpus, by the bytes of its files.

    ``before``: the documents of the build: its table ``sources``, which holds what was indexed.
    ``passed_over``: ids of documents that were refused when the build was made, such as a Bill. They are not
    added as long as they are refused.
    """
    old = {source.document_id: source for source in before}
    new: dict[str, Source] = {}
    for source in now:
        if source.document_id:
            new.setdefault(source.document_id, source)  # files with the same bytes are one document
    unreadable = [source for source in now if not source.document_id]
    lost = {s.relative for s in unreadable}
    left = {s.relative: s for key, s in old.items() if key not in new and s.relative not in lost}
    fresh = [s for key, s in new.items() if key not in old]
    changed = [(left.pop(s.relative), s) for s in fresh if s.relative in left]
    replacing = {s.document_id for _, s in changed}
    return SourceChanges(
        added=[s for s in fresh if s.document_id not in replacing and s.document_id not in passed_over],
        removed=list(left.values()),
        changed=changed,
        unchanged=[s for key, s in new.items() if key in old],
        unreadable=unreadable,
    )
