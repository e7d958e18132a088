"""The work of an index run: plan, then each stage over the documents that need it.

``index.flow`` draws it as a Prefect flow, ``index.run`` starts that where something is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from citegrain.flows.index.plan import (
    Context,
    DocumentPlan,
    IndexPlan,
    act_rows,
    advance,
    ordered,
    page_problems,
    passages,
    settle_duplicates,
)
from citegrain.flows.shared.settings import Settings
from citegrain.tasks.core.paths import located
from citegrain.tasks.core.schemas import (
    CHUNKS,
    CLASSIFICATION,
    DOCUMENTS,
    PAGES,
    PROVISIONS,
    REFERENCES,
    TAGS,
)
from citegrain.tasks.core.stage import digest
from citegrain.tasks.core.store import StoreError
from citegrain.tasks.offline import documents as chain
from citegrain.tasks.offline import embed, index
from citegrain.tasks.offline.corpus import load_registry
from citegrain.tasks.offline.models import Encoder, Matrix


@dataclass
class IndexResult:
    """What became of a run.

    Attributes
    ----------
    made
        Stage runs that were made, by stage.
    build
        The published build; None if there is none.
    """

    plan: IndexPlan
    line: str
    build: Path | None = None
    started_flow: bool = False
    made: dict[str, int] = field(default_factory=dict)
    long_texts: int = 0


# The work of each Prefect task --------------------------------------------------


def document_jobs(stage: str, plans: list[DocumentPlan], context: Context) -> dict[str, tuple[Any, ...]]:
    """Arguments of a stage's maker for the documents that need it and are ready for it."""
    settings = context.settings
    store = settings.store_folder
    before = {"structure": "parse", "chunk": "structure", "tag": "chunk"}.get(stage)
    jobs: dict[str, tuple[Any, ...]] = {}
    for plan in sorted(plans, key=_size, reverse=True):
        if stage not in plan.missing or (before and before not in plan.done):
            continue
        made = {name: chain.Made(a.path, dict(a.files), a.content) for name, a in plan.done.items()}
        if stage == "parse":
            arguments: tuple[Any, ...] = (store, plan.source.path, plan.source.document_id, settings.parse)
        elif stage == "structure":
            spans = chain.act_spans(plan.identities)
            arguments = (store, made["parse"], spans, settings.structure)
        elif stage == "chunk":
            arguments = (store, made["structure"], plan.titles, context.model, settings.chunk)
        else:
            arguments = (store, made["structure"], made["chunk"], plan.titles, context.known, settings.tag)
        jobs[plan.source.document_id] = arguments
    return jobs


def _size(plan: DocumentPlan) -> int:
    """Size of a document, so that the longest is begun first."""
    try:
        return plan.source.path.stat().st_size
    except OSError:
        return 0


MAKERS: Mapping[str, Callable[..., chain.Made]] = {
    "parse": chain.make_parse,
    "structure": chain.make_structure,
    "chunk": chain.make_chunks,
    "tag": chain.make_tags,
}


def run_documents(
    stage: str,
    plan: IndexPlan,
    context: Context,
    pool: Any,
    progress: Callable[[int], None],
) -> int:
    """Make a stage for every document that needs it; returns how many were made.

    Raises
    ------
    StoreError
        If the store cannot be written: no other document could be written either.
    """
    from citegrain.flows.index.pool import Failed

    jobs = document_jobs(stage, plan.documents, context)
    by_id = {d.source.document_id: d for d in plan.documents if d.source.document_id}
    results = pool.run(MAKERS[stage], jobs, lambda key: progress(1))
    made = 0
    for document_id, outcome in results.items():
        document = by_id[document_id]
        if isinstance(outcome, Failed):
            if outcome.fatal:
                raise StoreError(outcome.reason)
            document.refusal = f"{stage}: {outcome.reason}"
            continue
        document.done[stage] = outcome.artefact()
        made += 1
    for document in plan.documents:
        advance(document, context)
    if stage == "structure":
        settle_duplicates(plan.documents)
    return made


def run_embed(plan: IndexPlan, context: Context, progress: Callable[[int], None]) -> embed.Embedded:
    """Encode what has no vector yet."""
    settings = context.settings
    texts = passages(plan)
    store = settings.store_folder
    rows = embed.vector_rows(store, context.space, context.model.dimension)
    tokens = embed.token_rows(store, context.space)
    missing = embed.missing_passages(rows, texts)
    missing_tokens = embed.missing_passages(tokens, texts) if settings.embed.tokens else {}
    if not missing and not missing_tokens:
        return embed.Embedded()
    encoder = Encoder(context.model, settings.embed.settings(), settings.runner.threads)
    done = embed.embed_passages(rows, missing, encoder, context.tokenizer, settings.embed.long, progress)
    if missing_tokens:
        embed.embed_tokens(tokens, missing_tokens, encoder, progress)
    return done


def run_build(plan: IndexPlan, context: Context) -> Path:
    """Write and publish the build."""
    settings = context.settings
    documents = ordered(plan)
    acts = act_rows(plan, context.registry)
    sources = [
        {"document_id": d.source.document_id, "file": d.source.path.name, "path": d.source.relative}
        for d in documents
    ]
    tables = index.merge_tables([_tables(d) for d in documents], acts, sources, context.stories)
    rows = index.searched_rows(tables[CHUNKS])
    texts = [embed.Passage(r["header"], r["text"]).joined for r in rows]
    hashes = [r["text_hash"] for r in rows]
    store = settings.store_folder
    dimension = context.model.dimension
    vectors = embed.read_vectors(embed.vector_rows(store, context.space, dimension), hashes, dimension)
    tokens = None
    if settings.embed.tokens:
        tokens = embed.iterate_tokens(embed.token_rows(store, context.space), hashes, dimension)
    lay, unknown = index.expansion_table(context.lay, tables[PROVISIONS])
    facts = {
        "name": settings.corpus.name,
        "uses": sorted(f"{s}/{d.done[s].path.name}" for d in documents for s in d.done),
        "embed": asdict(settings.embed),
        "weights": context.model.sha256,
        "space": context.space.digest,
        "query_space": context.query_space,
        "query_weights": context.reader.sha256 if context.reader else context.model.sha256,
        "dimension": dimension,
        "counts": {name: table.num_rows for name, table in tables.tables.items()},
    }
    if context.lay_files:
        facts["expansion"] = {
            "files": list(context.lay_files),
            "texts": lay.num_rows,
            "provisions": pc.count_distinct(lay.column("provision_id")).as_py(),
            "unknown_labels": unknown,
        }

    def write(folder: Path) -> None:
        stories = _query_vectors(context, context.stories)
        expansion = lay, _query_vectors(context, lay.column("text").to_pylist())
        index.write_files(folder, tables, texts, vectors, settings.index, tokens, stories, expansion)

    if plan.key is None:
        raise StoreError("the build has no key yet: a stage before it is missing")
    folder = index.write_build(settings.builds_folder, settings.corpus.name, plan.key, write, facts)
    publish(folder, context)
    return folder


def _query_vectors(context: Context, texts: Sequence[str]) -> Matrix:
    """Vectors of texts that are told as queries are, encoded where they neither ship nor are kept."""
    settings = context.settings
    prefix = settings.embed.query_prefix
    rows = embed.query_rows(settings.store_folder, context.query_space, prefix, context.model.dimension)

    @cache
    def encoder() -> Encoder:
        model = context.reader or context.model
        return Encoder(model, settings.embed.settings(), settings.runner.threads)

    def encode(missing: Sequence[str]) -> Any:
        return encoder().encode(missing, query=True)

    held = embed.shipped_vectors(context.shipped, [prefix + text for text in texts])
    return embed.cached_vectors(encode, texts, rows, held)


def publish(folder: Path, context: Context) -> None:
    """Make a build current, where the run is meant to."""
    if context.publish:
        index.publish(folder)


def _tables(document: DocumentPlan) -> dict[str, Any]:
    schemas = {
        "parse": (DOCUMENTS, PAGES),
        "structure": (PROVISIONS, CLASSIFICATION),
        "chunk": (CHUNKS,),
        "tag": (TAGS, REFERENCES),
    }
    return {
        schema.name: document.done[stage].table(schema)
        for stage, tables in schemas.items()
        for schema in tables
    }


def batch_name(stage: str, keys: list[str]) -> str:
    """Name of a Prefect task run: the stage and eight digits of what it makes."""
    return f"{stage} {digest(sorted(keys))[:8]}"


def report(result: IndexResult, settings: Settings) -> dict[str, Any]:
    """The report of a run as plain data: what was indexed, what was not and why."""
    plan = result.plan
    indexed = []
    for document in plan.indexed:
        rows = act_rows(IndexPlan([document]), load_registry(located(settings.corpus.registry)))
        indexed += [
            {
                "file": document.source.relative,
                "act_id": row["act_id"],
                "title": row["title"],
                "version_date": row["version_date"],
                "pages": document.row["n_pages"] if document.row else 0,
                "sections": row["n_sections"],
                "warnings": list(document.row["warnings"]) if document.row else [],
                "pages_not_read": [{"pages": p, "reason": r} for p, r in page_problems(document)],
                "same_bytes": [s.relative for s in document.files[1:]],
            }
            for row in rows
        ]
    refused = [
        {"file": source.relative, "reason": document.refusal}
        for document in plan.documents
        if document.refusal
        for source in document.files
    ]
    return {
        "corpus": settings.corpus.name,
        "plan": result.line,
        "made": result.made,
        "build": str(result.build) if result.build else None,
        "texts_longer_than_encoder": result.long_texts,
        "indexed": indexed,
        "refused": refused,
    }
