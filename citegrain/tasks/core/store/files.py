"""Hashes of files, atomic writes, and what the manifest records of the environment."""

import codecs
import errno
import hashlib
import importlib.metadata
import os
import platform
import subprocess
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from filelock import FileLock, Timeout

from citegrain.tasks.core.errors import Expected

_LIBRARIES = (
    "pymupdf",
    "pyarrow",
    "numpy",
    "rapidfuzz",
    "sentence-transformers",
    "transformers",
    "torch",
    "faiss-cpu",
    "bm25s",
    "PyStemmer",
)

UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""How a file begins that is UTF-16, as Notepad writes it."""

REINDEX_LOCK = ".reindex.lock"
"""Name of the lock within the folder of a corpus' builds. The file stays; what counts is who holds it."""


class StoreError(RuntimeError, Expected):
    """The store cannot be read or written; the message says what and why."""


def explain(error: OSError, root: Path) -> str:
    """One line a user can act on, for an error of the file system."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"no space left on the device that holds {root}: free some, then run again"
    if error.errno in (errno.EACCES, errno.EROFS, errno.EPERM):
        return f"{error.filename or root} cannot be written: {error.strerror}"
    return f"{error.filename or root}: {error.strerror or error}"


def check_writable(folder: Path, size: int) -> None:
    """Make a folder and see that ``size`` bytes can be written to it; StoreError says why not."""
    probe = folder / temporary_name(".room-")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with probe.open("wb", buffering=0) as file:
            if file.write(bytes(size)) < size:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(file.fileno())  # some devices say only then that they are full
    except OSError as error:
        error.filename = None  # of the probe: the folder is what a user knows
        raise StoreError(explain(error, folder)) from error
    finally:
        with suppress(OSError):
            probe.unlink(missing_ok=True)


def decoded(data: bytes) -> str:
    """A text that an editor saved, UTF-8 or UTF-16 with its mark. Raises UnicodeDecodeError."""
    return data.decode("utf-16" if data.startswith(UTF_16) else "utf-8-sig")


def hash_file(path: Path) -> str:
    """SHA-256 of a file's bytes, hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def content_hash(files: Mapping[str, str]) -> str:
    """One hash for a set of files: over their names and their hashes, sorted by name."""
    total = hashlib.sha256()
    for name in sorted(files):
        total.update(f"{name}\0{files[name]}\n".encode())
    return total.hexdigest()


def temporary_name(prefix: str = "") -> str:
    """A name no other process uses; it carries the process id for those who clean up."""
    return f"{prefix}{os.getpid()}-{uuid.uuid4().hex[:12]}"


def write_atomically(path: Path, text: str | bytes) -> None:
    """Write ``text`` to ``path`` so that a reader sees the old content or the new, nothing between."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{temporary_name()}")
    try:
        part.write_bytes(text.encode() if isinstance(text, str) else text)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def read_pointer(path: Path) -> str:
    """The line of a small file such as ``current``; empty if there is none."""
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return ""


@cache
def environment() -> dict[str, object]:
    """Python, machine, library versions, git commit and source hash. Recorded, never in a key."""
    versions = {}
    for library in _LIBRARIES:
        try:
            versions[library] = importlib.metadata.version(library)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "libraries": versions,
        "git_commit": _git_commit(),
        "source": _source_hash(),
    }


def _git_commit() -> str:
    here = Path(__file__).resolve().parent
    try:
        done = subprocess.run(
            ["git", "-C", str(here), "describe", "--always", "--dirty", "--abbrev=40"],
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _source_hash() -> str:
    """SHA-256 over the source of ``tasks``: what ran, even where there is no git."""
    root = Path(__file__).resolve().parent.parent
    files = {str(p.relative_to(root)): hash_file(p) for p in sorted(root.rglob("*.py"))}
    return content_hash(files)


class ReindexBusy(RuntimeError, Expected):
    """Another process re-indexes the same corpus; nothing was begun."""

    exit_code = 4


@contextmanager
def reindexing(folder: Path, wait: float) -> Iterator[None]:
    """Hold the lock of ``artifacts/builds/<name>/`` while the body runs; a killed process holds none.

    ``wait``: seconds to wait for another holder to end. Raises ReindexBusy if it still holds it then,
    StoreError if the lock cannot be written.
    """
    path = folder / REINDEX_LOCK
    lock = FileLock(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=max(wait, 0.0))
        path.write_text(f"{os.getpid()}\n", encoding="ascii")
    except Timeout:
        waited = f" still after {wait:g} s" if wait > 0 else ""
        message = f"another re-index{_holder(path)} is at work{waited}; nothing was begun"
        raise ReindexBusy(f"{folder.name}: {message}") from None
    except OSError as error:
        lock.release()
        raise StoreError(explain(error, folder)) from error
    try:
        yield
    finally:
        lock.release()


def _holder(path: Path) -> str:
    """Who holds the lock, for the message alone; empty where the file does not say."""
    try:
        pid = path.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
    return f" (process {pid})" if pid.isdigit() else ""
