"""A published build, opened for reading."""

from citegrain.tasks.offline.index import BuildError, Matrix, by_columns, from_bytes, in_bytes, products, unit
from citegrain.tasks.online.builds.published import PublishedBuild
from citegrain.tasks.online.builds.tables import ATTRIBUTES
