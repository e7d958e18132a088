"""A published build, opened for reading."""

from citegrain.tasks.offline.index import BuildError, Matrix, by_columns, in_bytes, products, unit
from citegrain.tasks.online.builds.classified import ATTRIBUTES
from citegrain.tasks.online.builds.published import PublishedBuild
