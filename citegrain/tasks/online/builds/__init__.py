"""A published build, opened for reading."""

from citegrain.tasks.offline.index import BuildError, Matrix, by_columns, products
from citegrain.tasks.online.builds.classified import ATTRIBUTES
from citegrain.tasks.online.builds.published import PublishedBuild
