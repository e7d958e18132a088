"""``citegrain``, and ``python -m citegrain``: Ctrl-C is seen to before any library is there."""

import os
import signal
import sys
import termios
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import Any

STOPPED = "stopped: what was finished is kept, and the next run continues from there"
_ENDING = threading.Lock()
_LONG = 3.0  # seconds
_SHOW_CURSOR = "\x1b[?25h"


def stop_on_interrupt() -> None:
    """From now on SIGINT and SIGTERM end this process and all that it started, or a command handles them.

    It is a thread that waits for a signal: the main thread may be in a forward pass for seconds, and
    Prefect takes a minute to stop. To end at once leaves the store whole, as any kill does. SIGINT is
    blocked, also in the processes that are started: none of them prints a traceback beside the line.

    Threads that libraries start must inherit that, and so this comes before numpy and pyarrow: one that did
    not would take the signal, and a main thread that waits for something else would sleep on.
    """
    end = partial(_end, _terminal_mode())
    signal.signal(signal.SIGINT, end)  # for a library that unblocks it
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    # multiprocessing's own process outlives the others, cleans up after them, and would complain of it
    sys.warnoptions.append("ignore:resource_tracker")
    threading.Thread(target=_wait, daemon=True).start()
    # SIGTERM is not blocked: by it libraries end the processes that they start
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    os.register_at_fork(after_in_child=lambda: signal.set_wakeup_fd(-1))  # its signals are not this one's
    signal.signal(signal.SIGTERM, end)
    threading.Thread(target=_watch, args=(reading, end), daemon=True).start()
    # on a busy machine importing it takes a while: in a command that runs for long it is there when needed
    later = threading.Timer(_LONG, import_module, ["psutil"])
    later.daemon = True
    later.start()


def _wait() -> None:
    """Call the handler whenever the signal comes: a command that ends by Ctrl-C has set its own."""
    while True:
        signal.sigwait({signal.SIGINT})
        handler: Callable[..., None] = signal.getsignal(signal.SIGINT)  # type: ignore[assignment]
        handler(signal.SIGINT, None)


def _watch(reading: int, end: Callable[..., None]) -> None:
    """End by SIGTERM also in a flow: Prefect's handler waits for the main thread, and then for its server."""
    while number := os.read(reading, 1):
        handler = signal.getsignal(signal.SIGTERM)
        is_handled = handler is not end and not getattr(handler, "__module__", "").startswith("prefect.")
        if number[0] == signal.SIGTERM and not is_handled:
            end(signal.SIGTERM)


def _end(mode: list[Any] | None, number: int, *_: object) -> None:
    """End what this process started, put the terminal back as it was, say so, and exit."""
    if not _ENDING.acquire(blocking=False):  # two threads may see one signal
        return
    import psutil

    # a pool starts a worker anew for one that is ended: it would complain that this process has gone
    terminal = os.dup(2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if "multiprocessing.resource_tracker" not in " ".join(child.cmdline()):  # workers name it in -W
                child.kill()
    if mode is not None:
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSANOW, mode)
    before = f"{_SHOW_CURSOR}\n" if os.isatty(terminal) else ""
    with suppress(OSError):
        os.write(terminal, f"{before}{STOPPED}\n".encode())
    os._exit(128 + number)


def _terminal_mode() -> list[Any] | None:
    """How the terminal is set, which a prompt changes; None where there is none."""
    try:
        return termios.tcgetattr(sys.stdin.fileno())
    except (OSError, ValueError, termios.error):
        return None


def main() -> None:
    """Entry point of the console script."""
    stop_on_interrupt()
    from citegrain.flows.cli.main import main as run

    run()


if __name__ == "__main__":
    main()
