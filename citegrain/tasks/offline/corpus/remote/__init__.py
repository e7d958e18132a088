"""Sources over HTTP: a list of URLs becomes files of a folder, fetched again only where they changed."""

from citegrain.tasks.offline.corpus.remote.fetching import Secret
from citegrain.tasks.offline.corpus.remote.listing import ListedDocument, read_list
from citegrain.tasks.offline.corpus.remote.refreshing import STATE, FetchedDocument, listed_sources, refresh
from citegrain.tasks.offline.http import HttpConfig
