"""A published build, opened for reading."""

from tasks.builds.build import Build
from tasks.builds.indexes import Matrix
from tasks.index import BuildError

__all__ = ["Build", "BuildError", "Matrix"]
