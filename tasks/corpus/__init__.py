"""The corpus: where documents come from and which Acts they are."""

from tasks.corpus.changes import SourceChanges, compare_sources
from tasks.corpus.identity import ActIdentity, Refusal, identify
from tasks.corpus.registry import ActEntry, Registry, RegistryError, load_registry, slug
from tasks.corpus.sources import CorpusError, Source, find_sources

__all__ = [
    "ActEntry",
    "ActIdentity",
    "CorpusError",
    "Refusal",
    "Registry",
    "RegistryError",
    "Source",
    "SourceChanges",
    "compare_sources",
    "find_sources",
    "identify",
    "load_registry",
    "slug",
]
