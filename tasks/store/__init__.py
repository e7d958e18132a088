"""The artefact store: results named by the digest of everything that made them."""

from tasks.store.artefacts import Artefact, Store, StoreError
from tasks.store.files import content_hash, hash_file
from tasks.store.gc import Collected, collect_garbage
from tasks.store.locks import ReindexBusy, reindexing
from tasks.store.rows import RowStore

__all__ = [
    "Artefact",
    "Collected",
    "ReindexBusy",
    "RowStore",
    "Store",
    "StoreError",
    "collect_garbage",
    "content_hash",
    "hash_file",
    "reindexing",
]
