"""A published build, opened for reading."""

from citegrain.tasks.offline.index import BuildError
from citegrain.tasks.online.builds.build import Build
from citegrain.tasks.online.builds.indexes import Matrix

__all__ = ["Build", "BuildError", "Matrix"]
