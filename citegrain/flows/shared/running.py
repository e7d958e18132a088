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
    """The bound socket, which only this user may open, until the block ends.

    None where the path is too long, and where another API has it.
    """
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
    """The answer of the API that runs over these artefacts, as JSON; None where none gives it.

    ``folder``: of a build by its name. An answer of another than its current one does not count.
    ``question``, ``k``, ``as_of``, ``full``: as :class:`~citegrain.flows.shared.library.Question` has them.
    """
    path = socket_of(artifacts)
    body = {"question": question, "k": k, "as_of": as_of, "full": full, "build": folder.name}
    connection = http.client.HTTPConnection("localhost", timeout=_PATIENCE)
    with suppress(OSError, http.client.HTTPException, ValueError):
        if path.stat().st_uid != os.getuid():
            return None
        with _connected(path, _PATIENCE) as connection.sock:
            connection.request("POST", "/v1/ask", json.dumps(body), {"Content-Type": "application/json"})
            reply = connection.getresponse()
            content = json.loads(reply.read())
        if reply.status == http.client.OK and reply.headers[BUILD_HEADER] == read_pointer(folder / "current"):
            return dict(content)
    return None


def _connected(path: Path, seconds: float) -> socket.socket:
    """Raises OSError where nobody listens there."""
    connected = socket.socket(socket.AF_UNIX)
    try:
        connected.settimeout(seconds)
        connected.connect(str(path))
    except OSError:
        connected.close()
        raise
    return connected


def _is_served(path: Path) -> bool:
    with suppress(OSError), _connected(path, 1.0):
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
