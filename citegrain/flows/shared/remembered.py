"""Settings of questions, composed once: Hydra takes half a second; and a running server that answers too."""

from __future__ import annotations

import http.client
import json
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from typing import Any, get_type_hints

from citegrain.flows.shared.composing import group_classes, search_path
from citegrain.flows.shared.settings import NotRead, Settings, load_settings
from citegrain.tasks.core.paths import PACKAGE
from citegrain.tasks.core.stage import digest
from citegrain.tasks.core.store.files import read_pointer, write_atomically

READ = "CITEGRAIN_ARTIFACTS", "CITEGRAIN_SHARED"
"""Variables of the environment that options in ``conf/`` read."""

_GROUPS = tuple(f.name for f in fields(Settings) if f.name not in ("artifacts", "documents", "online"))
_UNREADABLE = OSError, RuntimeError, ValueError, TypeError, KeyError, AttributeError
_MOST = 50  # files: one for each list of overrides


def asking_settings(overrides: Sequence[str]) -> Settings:
    """As ``load_settings(overrides, online=True)``, whose result is remembered in the user's cache folder.

    They are composed anew where an option, the code, an override or a variable that options read is another,
    and where what is remembered cannot be read. With options in the working directory nothing is remembered.
    """
    if search_path() or any("${" in override for override in overrides):
        return load_settings(overrides, online=True)
    with suppress(*_UNREADABLE):
        path = _folder() / f"{_key(overrides)}.json"
        return _settings(json.loads(path.read_text(encoding="utf-8")))
    settings = load_settings(overrides, online=True)
    if isinstance(settings.benchmark, NotRead):
        with suppress(*_UNREADABLE):
            _remember(_folder() / f"{_key(overrides)}.json", settings)
    return settings


def _folder() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "citegrain"


def _key(overrides: Sequence[str]) -> str:
    """Digest of all that settings depend on."""
    return digest([list(overrides), [os.environ.get(name) for name in READ], code_digest()])


def code_digest() -> str:
    """Digest of the code and its options: files by their size and the time at which they were changed."""
    files = []
    for folder, below, names in os.walk(PACKAGE):
        below[:] = [name for name in below if name not in ("__pycache__", "data")]
        for name in names:
            status = (Path(folder) / name).stat()
            files.append([folder, name, status.st_size, status.st_mtime_ns])
    return digest(sorted(files))


def _remember(path: Path, settings: Settings) -> None:
    """Write settings, unless they would be read as others."""
    groups = {name: asdict(getattr(settings, name)) for name in group_classes(online=True) if name in _GROUPS}
    online = {name: asdict(config) for name, config in settings.online.items()}
    text = json.dumps({"artifacts": settings.artifacts, "groups": groups, "online": online})
    if repr(_settings(json.loads(text))) != repr(settings):
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(path, text)
    for old in sorted(path.parent.glob("*.json"), key=lambda file: file.stat().st_mtime)[:-_MOST]:
        old.unlink(missing_ok=True)


def _settings(values: Mapping[str, Any]) -> Settings:
    classes = group_classes(online=True)
    groups: dict[str, Any] = {name: NotRead(name) for name in _GROUPS}
    groups |= {name: _dataclass_of(classes[name], group) for name, group in values["groups"].items()}
    online = {name: _dataclass_of(classes[name], group) for name, group in values["online"].items()}
    return Settings(**groups, artifacts=values["artifacts"], documents={}, online=online)


def _dataclass_of(cls: Any, values: Mapping[str, Any]) -> Any:
    """A dataclass with these values, those in it made likewise."""
    inside = [name for name, value in values.items() if isinstance(value, dict)]
    hints = get_type_hints(cls) if inside else {}
    parts = {name: _dataclass_of(hints[name], values[name]) for name in inside if is_dataclass(hints[name])}
    return cls(**{**values, **parts})


BUILD_HEADER = "x-citegrain-build"
"""Header of a reply: key of the build that gave it."""

_PATIENCE = 30.0  # seconds for an answer


def socket_of(artifacts: Path) -> Path:
    """Where the API listens for commands of the same code: others might answer otherwise."""
    return artifacts / f"api-{code_digest()[:12]}.sock"


@contextmanager
def local_sockets(artifacts: Path) -> Iterator[list[socket.socket]]:
    """The bound socket of this user until the block ends; none where its path is too long, or it is taken."""
    for path in artifacts.glob("api-*.sock"):
        if not _is_served(path):
            path.unlink(missing_ok=True)  # of an API that was killed
    path = socket_of(artifacts)
    bound = None if path.exists() else _bound(path)
    try:
        yield [bound] if bound else []
    finally:
        if bound:
            bound.close()
            path.unlink(missing_ok=True)


def answer_of_api(
    artifacts: Path, folder: Path, question: str, k: int, as_of: str, full: bool
) -> dict[str, Any] | None:
    """The answer of the API that runs here, as JSON; None where none gives that of the current build."""
    path = socket_of(artifacts)
    body = {"question": question, "k": k, "as_of": as_of, "full": full, "build": folder.name}
    connection = http.client.HTTPConnection("localhost", timeout=_PATIENCE)
    with suppress(OSError, http.client.HTTPException, ValueError):
        if path.stat().st_uid != os.getuid():
            return None
        with socket.socket(socket.AF_UNIX) as connection.sock:
            connection.sock.settimeout(_PATIENCE)
            connection.sock.connect(str(path))
            connection.request("POST", "/v1/ask", json.dumps(body), {"Content-Type": "application/json"})
            reply = connection.getresponse()
            content = json.loads(reply.read())
        if reply.status == http.client.OK and reply.headers[BUILD_HEADER] == read_pointer(folder / "current"):
            return dict(content)
    return None


def _is_served(path: Path) -> bool:
    with suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(1.0)
        probe.connect(str(path))
        return True
    return False


def _bound(path: Path) -> socket.socket | None:
    bound = socket.socket(socket.AF_UNIX)
    mask = os.umask(0o177)
    try:
        bound.bind(str(path))
        bound.listen()
    except OSError:
        bound.close()
        return None
    finally:
        os.umask(mask)
    return bound
