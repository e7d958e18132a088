"""The artefact store: results named by the digest of everything that made them."""

from citegrain.tasks.core.store.artefacts import Artefact, Store
from citegrain.tasks.core.store.files import ReindexBusy, StoreError, hash_file, reindexing
from citegrain.tasks.core.store.remote import connect
from citegrain.tasks.core.store.rows import RowStore
