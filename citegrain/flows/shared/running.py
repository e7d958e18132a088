"""A running ``citegrain api`` answers ``ask``, too: over a socket of this user in the folder of artefacts."""

import http.client
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from citegrain.flows.shared.remembered import code_digest
from citegrain.tasks.core.store.files import read_pointer

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
