"""Builds on disk: written and published by one rename and one line, listed, opened."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from citegrain.tasks.core.errors import Expected
from citegrain.tasks.core.schemas import ACTS, COVERAGE
from citegrain.tasks.core.stage import Key
from citegrain.tasks.core.store.artefacts import (
    MANIFEST,
    MANIFEST_VERSION,
    fetch_folder,
    replaced_folder,
    write_manifest,
)
from citegrain.tasks.core.store.files import StoreError, explain, hash_file, read_pointer, write_atomically
from citegrain.tasks.core.store.remote import remote_of
from citegrain.tasks.core.tables import read_table
from citegrain.tasks.law.citations import TEXT_CORPUS
from citegrain.tasks.offline.index.stage import DENSE, STAGE, TOKENS

_CORPUS = "corpus"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")

COPIES = ".documents"
"""How the folder beside a build is called, behind its name, that holds copies of its PDFs."""
_MOST_COPIED = 2**28  # bytes of the copies of a build

_ORIGIN = ".origin"

POINTERS = ("current", "previous")


class BuildNameError(ValueError):
    """A name cannot become the name of a folder."""


def check_name(name: str, key: str = "corpus.name") -> str:
    """``name`` if it can name a folder: of a build, or of a study or configuration.

    ``key``: configuration key of the name, for the message. Raises BuildNameError if it is empty, too long,
    or could lead out of its parent folder.
    """
    if not _NAME.fullmatch(name) or ".." in name:
        raise BuildNameError(
            f"{key}={name!r}: letters, digits, '.', '_' and '-', at most 64, a letter or digit first"
        )
    return name


def complete_build(folder: Path) -> bool:
    """Whether a build has every file that its manifest lists, unchanged."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        return all(hash_file(folder / n) == f["sha256"] for n, f in manifest["files"].items())
    except (OSError, ValueError, KeyError, TypeError):
        return False


def write_build(
    builds: Path, name: str, key: Key, write: Callable[[Path], None], facts: Mapping[str, Any]
) -> Path:
    """Write the files of a build by ``write(folder)`` under ``builds/<name>/<key>/``.

    ``facts``: further entries of the manifest, such as ``uses``, the artefacts that the build was made from.
    Raises StoreError if it cannot be written; the published build stays as it is.
    """
    folder = builds / check_name(name) / key.digest
    try:
        with replaced_folder(folder, keep=complete_build) as part:
            write(part)
            write_manifest(part, key, facts)
    except OSError as error:
        raise StoreError(explain(error, builds)) from error
    return folder


def publish(folder: Path) -> None:
    """Make a build the current one of its name; the current one becomes the previous.

    Where the store is connected to one that others read, it becomes the current one there, too.
    """
    _point(folder)
    if remote := remote_of(_store(folder.parents[1])):
        name = f"builds/{folder.parent.name}"
        remote.put_folder(f"{name}/{folder.name}", folder)
        remote.point(f"{name}/current", folder.name)


def copy_documents(folder: Path, files: Mapping[str, Path]) -> None:
    """Copy the PDFs of a build beside it, so that their pages can be shown when others have replaced them.

    The smallest first, up to 256 MiB; what cannot be copied is left out. The copies go with the build.

    ``files``: by document id.
    """
    target = folder.with_name(folder.name + COPIES)
    folders = [folder.with_name(read_pointer(folder.parent / pointer) + COPIES) for pointer in POINTERS]
    room = _MOST_COPIED
    at_hand = {name: path for name, path in files.items() if path.suffix.lower() == ".pdf" and path.is_file()}
    sizes = {name: path.stat().st_size for name, path in at_hand.items()}
    for document_id, size in sorted(sizes.items(), key=lambda item: item[1]):
        name, room = f"{document_id}.pdf", room - size
        if room < 0:
            return
        with suppress(OSError):
            target.mkdir(exist_ok=True)
            if not (target / name).exists() and not any(_linked(other / name, target) for other in folders):
                data = files[document_id].read_bytes()
                if hashlib.sha256(data).hexdigest() == document_id:
                    write_atomically(target / name, data)


def _linked(file: Path, target: Path) -> bool:
    """Whether a file could be linked into a folder; where links are not known it is copied."""
    with suppress(OSError):
        (target / file.name).hardlink_to(file)
        return True
    return False


def fetch(builds: Path, name: str) -> Path:
    """Fetch the build of a name that another machine published last, and make it current here.

    Raises StoreError if the store is not connected, or there is no whole build of that name.
    """
    folder = builds / check_name(name)
    if not (remote := remote_of(_store(builds))):
        raise StoreError(f"{_store(builds)}: not connected; first: citegrain store connect ADDRESS")
    key = (remote.read(f"builds/{name}/current") or b"none").decode(errors="replace").strip()
    build = folder / check_name(key)
    if not complete_build(build) and not fetch_folder(remote, f"builds/{name}/{key}", build):
        raise StoreError(f"{remote.address}: no whole build {name}")
    _point(build)
    return build


def _store(builds: Path) -> Path:
    """The store beside the builds."""
    return builds.parent / "store"


def _point(folder: Path) -> None:
    current = folder.parent / "current"
    before = read_pointer(current)
    if before == folder.name:
        return
    try:
        if before:
            write_atomically(folder.parent / "previous", f"{before}\n")
        write_atomically(current, f"{folder.name}\n")
    except OSError as error:
        raise StoreError(explain(error, folder.parent)) from error


def note_corpus(builds: Path, folder: Path) -> None:
    """Note beside the builds of a name where their PDFs are: an answer opens them, nothing depends on it."""
    write_atomically(builds / _CORPUS, f"{folder}\n")


def read_corpus_folder(builds: Path) -> Path | None:
    """Folder of the PDFs of the builds of a name, as it was noted last; None if it was not."""
    noted = read_pointer(builds / _CORPUS)
    return Path(noted) if noted else None


@dataclass(frozen=True)
class Origin:
    """What a build was made of, and with.

    ``corpus``: folder of its documents. ``folder``: in which the command ran: relative paths start there.
    ``overrides``: of its configuration, where it was not as by default.
    """

    corpus: str
    folder: str
    overrides: list[str]


def note_origin(build: Path, origin: Origin) -> None:
    """Note beside a build where it came from; the note goes with the build."""
    write_atomically(build.with_name(build.name + _ORIGIN) / "origin.json", json.dumps(asdict(origin)))


def read_origin(build: Path) -> Origin | None:
    """Where a build came from, as it was noted last; None if it was not."""
    noted = read_pointer(build.with_name(build.name + _ORIGIN) / "origin.json")
    return Origin(**json.loads(noted)) if noted else None


def rollback(builds: Path, name: str) -> str:
    """Make the previous build current again and return its key.

    Raises StoreError if there is no previous build.
    """
    folder = builds / check_name(name)
    before = read_pointer(folder / "previous")
    if not before or before == read_pointer(folder / "current") or not (folder / before).is_dir():
        raise StoreError(f"{folder}: there is no previous build to go back to")
    publish(folder / before)
    return before


@dataclass(frozen=True)
class ListedBuild:
    """A build that is current or previous.

    ``state``, ``since``: ``current`` or ``previous``, and since when, in seconds since 1970. ``acts``,
    ``rules``, ``judgments``, ``others``: number of each; contracts, circulars and texts are among the others.
    ``versions``: of Acts, where each version counts. ``doubtful``: documents whose sections may not have been
    read; 0 in a build of before that was judged. ``incomplete``: those that cite a Schedule which they lack.
    """

    name: str
    key: str
    state: str
    since: float
    documents: int
    acts: int
    rules: int
    judgments: int
    others: int
    versions: int
    doubtful: int
    incomplete: int
    size: int


def published_names(builds: Path) -> list[str]:
    """Names under which a build is published, the one published last first."""
    pointers = sorted(builds.glob("*/current"), key=lambda p: -p.stat().st_mtime)
    return [pointer.parent.name for pointer in pointers]


def alike(builds: Path, name: str) -> str:
    """The published name that is most like one that is not, as the end of a message."""
    near = get_close_matches(name, published_names(builds), 1)
    return f", did you mean {near[0]}?" if near else ""


def list_builds(builds: Path) -> list[ListedBuild]:
    """The current and the previous build of each name, the name published last first."""
    rows = []
    for name in published_names(builds):
        for state in POINTERS:
            key = read_pointer(builds / name / state)
            if (builds / name / key / MANIFEST).is_file() and key:
                rows.append(_listed(builds / name, state, key))
    return rows


def _listed(folder: Path, state: str, key: str) -> ListedBuild:
    manifest = json.loads((folder / key / MANIFEST).read_text(encoding="utf-8"))
    acts = read_table(folder / key / ACTS.file, ACTS).select(["act_id", "kind"]).to_pylist()
    by_kind: dict[str, list[str]] = {"act": [], "rules": [], "judgment": [], "other": []}
    for act in acts:
        kind = "other" if act["act_id"] == TEXT_CORPUS else act["kind"]
        by_kind.get(kind, by_kind["other"]).append(act["act_id"])
    a, r, j, o = (len(set(ids)) for ids in by_kind.values())
    verdicts = manifest.get("verdicts", {})
    doubtful = verdicts.get("doubtful", 0) + verdicts.get("failed", 0)
    size = sum(file["bytes"] for file in manifest["files"].values())
    since, documents = (folder / state).stat().st_mtime, manifest["counts"]["documents"]
    states = len(by_kind["act"]), doubtful, verdicts.get("incomplete", 0)
    return ListedBuild(folder.name, key, state, since, documents, a, r, j, o, *states, size)


class BuildError(RuntimeError, Expected):
    """A build cannot be opened; the message says why and what to do."""


def read_build(path: Path) -> tuple[Path, dict[str, Any]]:
    """The folder of a build and its manifest; every file is as the manifest says.

    ``path``: its folder, or the folder of its name with the file ``current``. Raises BuildError if it is
    missing, older or newer than this citegrain reads, or a file does not fit the manifest.
    """
    current = read_pointer(path / "current")
    folder = path / current if current else path
    try:
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        hint = "citegrain builds lists those that there are, citegrain index makes one"
        raise BuildError(f"{path}: no build in it{alike(path.parent, path.name)}; {hint}") from error
    if manifest["manifest_version"] > MANIFEST_VERSION:
        raise BuildError(
            f"{folder}: manifest version {manifest['manifest_version']}; this citegrain reads up "
            f"to {MANIFEST_VERSION}: upgrade it or rebuild the index"
        )
    there = {Path(name).parts[0] for name in manifest["files"]}
    # an account is shown, and nothing is computed from it: a build without one is good
    if missing := sorted({DENSE, *(s.file for s in STAGE.outputs if s is not COVERAGE)} - there):
        raise BuildError(
            f"{folder}: made by an older citegrain, without {', '.join(missing)}; run citegrain index again"
        )
    for name, described in manifest["files"].items():
        if not _undamaged(folder / name, described):
            raise BuildError(f"{folder / name}: damaged or missing; run citegrain index again")
    return folder, manifest


def _undamaged(file: Path, described: dict[str, Any]) -> bool:
    if not file.is_file():
        return False
    if file.name == TOKENS:  # raw numbers are harmless, and hashing gigabytes takes long
        return bool(file.stat().st_size == described["bytes"])
    return bool(hash_file(file) == described["sha256"])
