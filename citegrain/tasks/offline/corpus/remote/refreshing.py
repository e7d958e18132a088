"""The folder of a corpus over HTTP, brought up to date. A document that cannot be fetched stays as it was."""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import httpx
from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, ValidationError

from citegrain.tasks.core.errors import printable
from citegrain.tasks.core.store.files import StoreError, explain, hash_file, temporary_name, write_atomically
from citegrain.tasks.offline.corpus.remote.fetching import (
    TEXTS,
    NotReachedError,
    RefusedError,
    Secret,
    ServerReply,
    Validators,
    fetch,
    new_client,
)
from citegrain.tasks.offline.corpus.remote.listing import ListedDocument
from citegrain.tasks.offline.corpus.sources import FORMS, CorpusError, Source, read_source
from citegrain.tasks.offline.http import HttpConfig
from citegrain.tasks.offline.pages import is_scan

STATE = ".sources.json"
"""The file beside the documents with what their servers said."""

_LOCK = ".sources.lock"
_PART = ".part-"
_PATIENCE = 5.0  # seconds after which a run says what it waits for
_STATE_PART = re.compile(rf"\.{re.escape(STATE)}\.\d+-[0-9a-f]{{12}}")  # see write_atomically


@dataclass(frozen=True)
class FetchedDocument:
    """The result of fetching a document of the list.

    ``name``, ``url``: name of its file; its URL, masked. ``status``: ``added``, ``changed``, ``unchanged``,
    ``gone`` (404 or 410), ``not_reached`` or ``refused``. ``reason``: why it is one of the last three, or
    comes from its second address. ``document_id``: SHA-256 of the file that is in use now; empty if there is
    none, or one that the list does not accept. ``before``: SHA-256 of the file that was there; empty if there
    was none.
    """

    name: str
    url: str
    status: str
    reason: str = ""
    document_id: str = ""
    before: str = ""

    @property
    def line(self) -> str:
        result = f"{self.name}: {self.status.replace('_', ' ')}"
        if not self.reason:
            return result
        if self.status in ("added", "changed", "unchanged"):
            return f"{result}: {self.reason}"
        if self.document_id:
            use = "the file fetched before stays in use"
        else:
            use = "the existing file is not used" if self.before else "there is no file of it yet"
        return f"{result}: {self.url}: {self.reason}; {use}"


@dataclass(frozen=True, kw_only=True)
class _FileState(Validators):
    """What the state file says of a document.

    ``scanned``: SHA-256 of the scan that its URL sent, whose second address is in use.
    """

    __pydantic_config__ = ConfigDict(extra="forbid", strict=True)

    url: str = ""
    sha256: str = ""
    scanned: str = ""
    checked: str = ""
    status: str = ""
    reason: str = ""


class _State(BaseModel):
    """The state file: documents by file name."""

    version: Literal[1]
    files: dict[str, _FileState]


def refresh(
    listed: Sequence[ListedDocument],
    folder: Path,
    config: HttpConfig,
    secret: Secret | None,
    now: str,
    progress: Callable[[int], None] = lambda n: None,
    say: Callable[[str], None] = lambda line: None,
) -> list[FetchedDocument]:
    """Ask for every document of a list, and keep the newest versions that were reached in ``folder``.

    A file is replaced by one rename, and only by a whole document. A document that is gone, not reached
    or refused keeps its file: the law does not end where a web page does. A file that the list
    no longer names stays on the disk and is no longer read.

    ``progress``: called with 1 for each document. ``say``: with a line for one that is long in coming.

    Raises CorpusError if another process is fetching into the folder, StoreError if the folder cannot be
    written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / _LOCK, timeout=config.timeout):
            _clear(folder)
            return asyncio.run(_Refresh(folder, config, secret, now).all(listed, progress, say))
    except Timeout:
        raise CorpusError(f"{folder}: another process is fetching into it") from None
    except OSError as error:
        raise StoreError(explain(error, folder)) from error


def _clear(folder: Path) -> None:
    """Remove what a killed process left. No other process works here while we have the lock."""
    for path in folder.iterdir():
        if path.name.startswith(_PART) or _STATE_PART.fullmatch(path.name):
            path.unlink(missing_ok=True)


def listed_sources(listed: Sequence[ListedDocument], folder: Path) -> list[Source]:
    """The documents of a list as they are in the folder.

    One without a file, or with one that the list does not accept, says why. Raises CorpusError if none of
    them has a file that can be used.
    """
    state = _read_state(folder)
    sources = []
    for entry in sorted(listed, key=lambda e: e.name):
        path = entry.file(folder)
        if not path.is_file():
            reason = state.get(entry.name, _FileState()).reason or "run citegrain index or reindex"
            sources.append(Source(path, entry.name, "", f"not fetched: {reason}"))
            continue
        source = read_source(path, path.name)
        if source.document_id and not entry.accepts(source.document_id):
            source = Source(path, entry.name, "", entry.mismatch(source.document_id))
        sources.append(source)
    if not any(source.document_id for source in sources):
        raise CorpusError(f"{folder}: none of the {len(sources)} documents can be used; {sources[0].error}")
    return sources


class _Refresh:
    """One refresh of a folder."""

    def __init__(self, folder: Path, config: HttpConfig, secret: Secret | None, now: str) -> None:
        self.folder = folder
        self.config = config
        self.secret = secret
        self.now = now
        self.state = _read_state(folder)

    async def all(
        self, listed: Sequence[ListedDocument], progress: Callable[[int], None], say: Callable[[str], None]
    ) -> list[FetchedDocument]:
        self.state = {e.name: self.state[e.name] for e in listed if e.name in self.state}
        _write_state(self.folder, self.state)
        at_once = asyncio.Semaphore(self.config.connections)
        limits = f"attempts: {self.config.attempts}, of up to {self.config.timeout:g} s each"

        async def one(client: httpx.AsyncClient, entry: ListedDocument) -> FetchedDocument:
            async with at_once:
                line = f"{printable(entry.name)}: still waiting for {entry.shown} ({limits})"
                reminder = asyncio.get_running_loop().call_later(_PATIENCE, say, line)
                try:
                    done = await self._one(client, entry)
                finally:
                    reminder.cancel()
            progress(1)
            return done

        async with new_client(self.config) as client:
            return list(await asyncio.gather(*(one(client, entry) for entry in listed)))

    async def _one(self, client: httpx.AsyncClient, entry: ListedDocument) -> FetchedDocument:
        path = entry.file(self.folder)
        before = hash_file(path) if path.is_file() else ""
        parts = [self.folder / temporary_name(_PART) for _ in range(2)]
        reply, scanned = None, ""
        try:
            validators = self._validators(entry, before)
            reply = await fetch(client, entry, validators, parts[0], self.config, self.secret)
            if entry.fallback_url and (scanned := self._scan(entry, reply, parts[0])):
                done = await self._fallback(client, entry, reply, before, parts)
            else:
                done = self._take(entry, reply, before, parts[0])
        except (NotReachedError, RefusedError) as error:
            status = "not_reached" if isinstance(error, NotReachedError) else "refused"
            done = _failed(entry, status, str(error), before)
        finally:
            for part in parts:
                part.unlink(missing_ok=True)
        self._note(entry, done, reply, scanned)
        return done

    def _scan(self, entry: ListedDocument, reply: ServerReply, part: Path) -> str:
        """SHA-256 of what its URL sends, if that is a scan; else empty."""
        last = self.state.get(entry.name, _FileState())
        if reply.status == "same":
            return last.scanned
        if reply.status == "body" and reply.ending == ".pdf" and is_scan(part):
            return reply.sha256
        return ""

    async def _fallback(
        self,
        client: httpx.AsyncClient,
        entry: ListedDocument,
        scan: ServerReply,
        before: str,
        parts: Sequence[Path],
    ) -> FetchedDocument:
        """What the second address sends; the scan if that is nothing, and there is no file."""
        other = replace(entry, url=entry.fallback_url)
        try:
            reply = await fetch(client, other, Validators(), parts[1], self.config, self.secret)
            if reply.status == "gone":
                raise NotReachedError("the server no longer has it")
            done = self._take(other, reply, before, parts[1])
            return replace(done, reason=f"the first address sends a scan; taken from {other.shown}")
        except (NotReachedError, RefusedError) as error:
            if before and before != scan.sha256:
                raise
            reason = f"a scan; the second address, {other.shown}, gives nothing: {error}"
            return replace(self._take(entry, scan, before, parts[0]), reason=reason)

    def _validators(self, entry: ListedDocument, before: str) -> Validators:
        """Headers for a conditional request; none where the file is not the one that they describe."""
        last = self.state.get(entry.name)
        if last is None or not before or last.sha256 != before or last.url != entry.shown:
            return Validators()
        if last.scanned and not entry.fallback_url:  # the file is that of an address no longer listed
            return Validators()
        return last if entry.accepts(before) else Validators()

    def _take(self, entry: ListedDocument, reply: ServerReply, before: str, part: Path) -> FetchedDocument:
        """Put what was fetched in its place."""
        if reply.status == "gone":
            return _failed(entry, "gone", "the server no longer has it", before)
        if reply.status == "same" or reply.sha256 == before:
            return FetchedDocument(entry.name, entry.shown, "unchanged", "", before, before)
        old = entry.file(self.folder)
        is_same_form = FORMS.get(old.suffix.lower()) == FORMS[reply.ending]  # as .htm and .html
        new = old if is_same_form else old.with_suffix(reply.ending)
        if before and old != new and reply.ending in TEXTS and not entry.promised:
            raise RefusedError(f"not a {old.suffix} file as before: it looks like {TEXTS[reply.ending]}")
        part.replace(new)
        if new != old:
            old.unlink(missing_ok=True)
        status = "changed" if before else "added"
        return FetchedDocument(entry.name, entry.shown, status, "", reply.sha256, before)

    def _note(
        self, entry: ListedDocument, done: FetchedDocument, reply: ServerReply | None, scanned: str
    ) -> None:
        """Write the state at once, so that a killed refresh goes on from here."""
        last = self.state.get(entry.name, _FileState())
        # validators of other bytes than the file now has would make it "unchanged" for ever
        applies = last.url == entry.shown and last.sha256 == done.document_id
        validators: Validators = last if applies else Validators()
        if reply is not None and (reply.status == "body" or reply.validators.headers):
            validators = reply.validators
        self.state[entry.name] = _FileState(
            etag=validators.etag,
            last_modified=validators.last_modified,
            url=entry.shown,
            sha256=done.document_id,
            scanned=scanned,
            checked=self.now,
            status=done.status,
            reason=done.reason,
        )
        _write_state(self.folder, self.state)


def _failed(entry: ListedDocument, status: str, reason: str, before: str) -> FetchedDocument:
    in_use = before if entry.accepts(before) else ""
    return FetchedDocument(entry.name, entry.shown, status, reason, in_use, before)


def _read_state(folder: Path) -> dict[str, _FileState]:
    """The state file by file name; empty where the file is missing or malformed."""
    try:
        return _State.model_validate_json((folder / STATE).read_bytes()).files
    except (OSError, ValidationError):
        return {}


def _write_state(folder: Path, state: Mapping[str, _FileState]) -> None:
    text = _State(version=1, files=dict(sorted(state.items()))).model_dump_json(indent=1)
    write_atomically(folder / STATE, text + "\n")
