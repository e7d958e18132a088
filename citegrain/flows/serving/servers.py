"""Child processes: servers on loopback that end with this process."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from citegrain.tasks.core.errors import Expected

HOST = "127.0.0.1"
_DEADLINE = 120.0
_GRACE = 10.0
_ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class ServerError(RuntimeError, Expected):
    """A server did not start or was lost; the message says which and where its log is."""


def prefect_server(port: int) -> tuple[list[str], dict[str, str]]:
    """The command that starts Prefect's server, and its environment: its pages must ask this port, too."""
    command = [sys.executable, "-m", "prefect", "server", "start", "--host", HOST, "--port", str(port)]
    return command, {"PREFECT_UI_API_URL": f"http://{HOST}:{port}/api"}


def check_port(port: int) -> None:
    """Raise ServerError if the port is taken: another program on it would answer in a server's place."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise ServerError(f"port {port} cannot be used: {error.strerror}; name another port") from error


def start(
    stack: ExitStack, command: Sequence[str], log: Path | None, environment: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start a process that the stack will end, with all that it started; without ``log`` it prints."""
    variables = (
        os.environ | {"MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "1"} | dict(environment or {})
    )
    output = None
    if log is not None:
        log.parent.mkdir(parents=True, exist_ok=True)
        output = stack.enter_context(log.open("wb"))
    # in a separate session: Ctrl-C reaches this process alone, and _stop ends all that the other started
    process = subprocess.Popen(command, stdout=output, stderr=output, env=variables, start_new_session=True)
    stack.callback(_stop, process)
    return process


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    _wait_for_group(process.pid)


def _wait_for_group(group: int) -> None:
    """Return when the processes of a group are gone: one that is killed has memory and ports for a moment."""
    import psutil

    def runs(process: psutil.Process) -> bool:
        with suppress(ProcessLookupError, psutil.NoSuchProcess):
            return os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE
        return False

    until = time.monotonic() + _GRACE
    with suppress(ProcessLookupError):
        while time.monotonic() < until:
            os.killpg(group, 0)  # raises where none is left; one that ended counts until it is reaped
            if not any(runs(process) for process in psutil.process_iter()):
                return
            time.sleep(0.05)


def wait_until_ready(
    name: str,
    process: subprocess.Popen[bytes],
    address: str,
    log: Path,
    stopped: threading.Event | None = None,
) -> None:
    """Return when a server answers or ``stopped`` is set. Raises ServerError after two minutes."""
    import httpx  # the API, which needs the rest of this module, starts without it

    until = time.monotonic() + _DEADLINE
    while time.monotonic() < until and process.poll() is None:
        if stopped is not None and stopped.is_set():
            return
        try:
            # the server is on this machine: no proxy stands between
            if httpx.get(address, timeout=2.0, trust_env=False).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.3)
    raise ServerError(f"{name} did not start: see {log}; is its port taken?")


@contextmanager
def stopped_by_signals() -> Iterator[threading.Event]:
    """An event that signals set. No exception is raised: a server could be lost between two lines."""
    stopped = threading.Event()
    before = {number: signal.signal(number, lambda *_: stopped.set()) for number in _ENDING}
    try:
        yield stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
