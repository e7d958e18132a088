"""A published build, opened for reading."""

from tasks.build.build import Build
from tasks.build.indexes import Matrix
from tasks.index import BuildError

__all__ = ["Build", "BuildError", "Matrix"]
