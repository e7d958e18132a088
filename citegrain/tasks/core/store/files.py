"""Hashes of files, atomic writes, and what the manifest records of the environment."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import platform
import subprocess
import uuid
from collections.abc import Mapping
from functools import cache
from pathlib import Path

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


def hash_file(path: Path) -> str:
    """SHA-256 of a file's bytes, hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def content_hash(files: Mapping[str, str]) -> str:
    """One hash for a set of files: over their names and their hashes, sorted by name."""
    whole = hashlib.sha256()
    for name in sorted(files):
        whole.update(f"{name}\0{files[name]}\n".encode())
    return whole.hexdigest()


def temporary_name(prefix: str = "") -> str:
    """A name no other process uses; it carries the process id for those who clean up."""
    return f"{prefix}{os.getpid()}-{uuid.uuid4().hex[:12]}"


def write_atomically(path: Path, text: str) -> None:
    """Write ``text`` to ``path`` so that a reader sees the old content or the new, nothing between."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{temporary_name()}")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


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
