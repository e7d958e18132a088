"""What goes wrong in a store, in a line."""

from __future__ import annotations

import errno
from pathlib import Path

from citegrain.tasks.core.errors import Expected


class StoreError(RuntimeError, Expected):
    """The store cannot be read or written; the message says what and why."""


def explain(error: OSError, root: Path) -> str:
    """One line a user can act on, for an error of the file system."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"no space left on the device that holds {root}: free some, then run again"
    if error.errno in (errno.EACCES, errno.EROFS, errno.EPERM):
        return f"{error.filename or root} cannot be written: {error.strerror}"
    return f"{error.filename or root}: {error.strerror or error}"
