"""The corpus: where documents come from and which Acts they are."""

from citegrain.tasks.offline.corpus.identity import (
    REGISTRY,
    ActEntry,
    ActIdentity,
    Refusal,
    Registry,
    RegistryError,
    identify,
    load_registry,
)
from citegrain.tasks.offline.corpus.sources import (
    FORMS,
    CorpusError,
    DemoError,
    NoFolderError,
    Source,
    compare_sources,
    find_sources,
    read_source,
    text_source,
    typeset_demo,
)
