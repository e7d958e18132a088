"""Object storage that several machines share, through fsspec: S3 and whatever else it speaks.

A store that is connected looks there for what it lacks and puts there what it makes. Each file is an object
named by the SHA-256 of its bytes. A folder is one more object, its manifest. That is written after its files,
and only where none stands (a conditional put), so that of two writers one has the name, and the other takes
what that one made. No rename is needed: a process that is killed leaves files without a name.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from citegrain.tasks.core.store.files import (
    StoreError,
    hash_file,
    read_pointer,
    temporary_name,
    write_atomically,
)

MANIFEST = "manifest.json"
_ADDRESS = "remote"  # file of the store


class Remote:
    """Files and folders under an address, ``s3://bucket/prefix``. Raises StoreError if nothing speaks it."""

    def __init__(self, address: str) -> None:
        import fsspec

        self.address = address
        with self._errors():
            self._files, self._base = fsspec.url_to_fs(address, use_listings_cache=False)

    def put_folder(self, name: str, folder: Path) -> bool:
        """Put a whole folder under a name; False if another stands there."""
        manifest = (folder / MANIFEST).read_bytes()
        for file, sha256 in _listed(manifest).items():
            self.put_file(_blob(sha256), folder / file)
        if self._put(f"{name}.json", manifest, new=True):
            return True
        there = self.read(f"{name}.json")
        return there is not None and _listed(there) == _listed(manifest)

    def get_folder(self, name: str, folder: Path) -> bool:
        """Write the folder of a name to an empty one; False if there is none, or not whole."""
        manifest = self.read(f"{name}.json")
        if manifest is None:
            return False
        for file, sha256 in _listed(manifest).items():
            target = folder / file
            if not target.resolve().is_relative_to(folder.resolve()):
                raise StoreError(f"{self.address}: {name} has a file outside its folder: {file}")
            target.parent.mkdir(parents=True, exist_ok=True)
            if not self.get_file(_blob(sha256), target) or hash_file(target) != sha256:
                return False
        (folder / MANIFEST).write_bytes(manifest)
        return True

    def put_file(self, name: str, path: Path) -> None:
        """Put a file whose name follows from its bytes, unless it is there."""
        with self._errors():
            there = f"{self._base}/{name}"
            if not self._files.exists(there) or self._files.size(there) != path.stat().st_size:
                self._files.put_file(str(path), there)

    def get_file(self, name: str, path: Path) -> bool:
        """Write a file; False if there is none."""
        with self._errors():
            try:
                self._files.get_file(f"{self._base}/{name}", str(path))
            except FileNotFoundError:
                return False
        return True

    def names(self, prefix: str) -> list[str]:
        """Names of the files under a prefix, without it, sorted."""
        with self._errors():
            try:
                paths = self._files.ls(f"{self._base}/{prefix}", detail=False)
            except FileNotFoundError:
                return []
        return sorted(path.rpartition("/")[2] for path in paths)

    def read(self, name: str) -> bytes | None:
        """A small file; None if there is none."""
        with self._errors():
            try:
                return bytes(self._files.cat_file(f"{self._base}/{name}"))
            except FileNotFoundError:
                return None

    def point(self, name: str, line: str) -> None:
        """Write a small file, whatever stands there."""
        self._put(name, f"{line}\n".encode(), new=False)

    def check(self) -> None:
        """Write, try to write again, delete. Raises StoreError if a conditional put is no condition."""
        name = temporary_name("check-")
        refused = self._put(name, b"1\n", new=True) and not self._put(name, b"2\n", new=True)
        with self._errors():
            self._files.rm_file(f"{self._base}/{name}")
        if not refused:
            raise StoreError(f"{self.address}: writes over what stands there though asked not to")

    def _put(self, name: str, data: bytes, *, new: bool) -> bool:
        with self._errors():
            try:
                self._files.pipe_file(f"{self._base}/{name}", data, mode="create" if new else "overwrite")
            except FileExistsError:
                return False
        return True

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # each of fsspec's file systems has errors of its own
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise StoreError(f"{self.address}: {reason}") from error


def connect(store: Path, address: str) -> None:
    """Let a store share what it makes; an empty address ends that. Raises StoreError if it is not fit."""
    parts = urlsplit(address)
    if parts.username or parts.password:
        raise StoreError("the address has credentials in it: set them in the environment")
    if address and parts.scheme in ("", "file", "local"):
        raise StoreError(f"{address}: a folder that all machines see needs no remote: set artifacts= to it")
    if address:
        Remote(address).check()
    write_atomically(store / _ADDRESS, f"{address}\n")


def remote_of(store: Path) -> Remote | None:
    """What a store is connected to; None for nothing. Raises StoreError if nothing installed speaks it."""
    address = read_pointer(store / _ADDRESS)
    return _remote(address) if address else None


@lru_cache(maxsize=4)
def _remote(address: str) -> Remote:
    return Remote(address)


def _listed(manifest: bytes) -> dict[str, str]:
    """SHA-256 of each file that a manifest lists."""
    try:
        return {str(name): str(facts["sha256"]) for name, facts in json.loads(manifest)["files"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreError("a manifest that is none") from error


def _blob(sha256: str) -> str:
    return f"files/{sha256[:2]}/{sha256}"
