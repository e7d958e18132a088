"""A published build, opened for reading."""

from citegrain.tasks.offline.index import BuildError
from citegrain.tasks.online.builds.classified import ATTRIBUTES
from citegrain.tasks.online.builds.products import Matrix, by_columns, products
from citegrain.tasks.online.builds.published import PublishedBuild
