"""Sources over HTTP: a list of URLs becomes files of a folder, asked for anew only where they changed."""

from tasks.corpus.config import HttpConfig
from tasks.corpus.remote.fetching import Secret
from tasks.corpus.remote.listing import Listed, ListError, masked, read_list
from tasks.corpus.remote.refreshing import STATE, Fetched, listed_sources, refresh

__all__ = [
    "STATE",
    "Fetched",
    "HttpConfig",
    "ListError",
    "Listed",
    "Secret",
    "listed_sources",
    "masked",
    "read_list",
    "refresh",
]
