"""The step that reads what a complaint names."""

from collections.abc import Mapping
from datetime import date
from functools import partial
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.stage import digest
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.cascade import Chain, types_of
from citegrain.tasks.online.gloss import Glosses
from citegrain.tasks.online.query import STAGE, QueryConfig, make_queries
from citegrain.tasks.online.spelling import Spelling
from citegrain.tasks.online.steps import Progress, Step


def steps(chain: Chain) -> Chain:
    """``query``."""
    config, words = chain.config.query, dict(chain.differences.get("words", {}))
    work = partial(_queries, chain.build, config, chain.texts, chain.as_of, chain.types, words)
    given = {q: [text, chain.as_of.get(q)] for q, text in chain.texts.items()}
    sources: dict[str, Any] = {"queries": digest(given), "names": chain.names}
    sources |= chain.source if config.spelling else {}  # its words are those that are known
    return chain.then(
        Step("query", STAGE, config.parameters(words), chain.reads_types("words"), sources, work)
    )


def _queries(
    build: PublishedBuild,
    config: QueryConfig,
    texts: Mapping[str, str],
    as_of: Mapping[str, date | None],
    types: str,
    words: Mapping[str, Any],
    tables: Mapping[str, pa.Table],
    progress: Progress,
) -> pa.Table:
    more = {q: words[name] for q, name in types_of(tables, types).items() if name in words}
    typed, originals = dict[str, tuple[str, ...]](), dict[str, str]()
    if config.spelling:
        spelling, glosses = Spelling.over(build), Glosses.over(build)
        read = {q: glosses.read(text) for q, text in texts.items()}
        typed = {q: words for q, (_, words) in read.items() if words}
        originals = {q: texts[q] for q in typed}
        texts = {q: spelling.read(text) for q, (text, _) in read.items()}
    return make_queries(texts, build.lexicon, config, as_of, more, typed, originals)
