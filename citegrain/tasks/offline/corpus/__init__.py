"""The corpus: where documents come from and which Acts they are."""

from citegrain.tasks.offline.corpus.demo import DemoError, typeset_demo
from citegrain.tasks.offline.corpus.identity import ActIdentity, Refusal, identify
from citegrain.tasks.offline.corpus.registry import REGISTRY, ActEntry, Registry, RegistryError, load_registry
from citegrain.tasks.offline.corpus.sources import (
    FORMS,
    CorpusError,
    Source,
    compare_sources,
    find_sources,
    text_source,
)
