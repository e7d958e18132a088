"""Stage ``retrieve``: queries and a build to runs."""

from tasks.retrieve.config import RetrieveConfig
from tasks.retrieve.stage import STAGE, Searchable, dense, sparse

__all__ = ["STAGE", "RetrieveConfig", "Searchable", "dense", "sparse"]
