"""Where things are: the data that ships with citegrain, and the paths that a user gives."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2]
"""The installed package: configuration and data are in it."""

DATA = PACKAGE / "data"
"""Registry, benchmarks, training texts and trained models that ship with citegrain."""

_SHIPPED = "data:"


def located(path: str) -> Path:
    """The absolute path that a configuration means.

    ``data:registry.yaml`` is a file that ships with citegrain; any other relative path counts from the
    working directory.
    """
    if path.startswith(_SHIPPED):
        return DATA / path.removeprefix(_SHIPPED)
    return Path.cwd() / path
