"""The artefact store: results named by the digest of everything that made them."""

from citegrain.tasks.core.store.artefacts import Artefact, Store
from citegrain.tasks.core.store.errors import StoreError
from citegrain.tasks.core.store.files import content_hash, hash_file
from citegrain.tasks.core.store.gc import Collected, collect_garbage
from citegrain.tasks.core.store.locks import ReindexBusy, reindexing
from citegrain.tasks.core.store.remote import connect
from citegrain.tasks.core.store.rows import RowStore
