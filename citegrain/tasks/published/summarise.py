"""Declaration of ``summarise``: summaries of documents and sections, contexts of chunks.

They serve search alone, and stand in no chunk: what is embedded and indexed by words has them before it, what
is reranked and answered from has not. Of a document found the generator is told the summary.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.endpoint import Endpoint
from citegrain.tasks.core.schemas import CHUNKS, PROVISIONS, SUMMARIES, TEXTS
from citegrain.tasks.core.stage import Stage, Tables
from citegrain.tasks.law.citations import CITABLE
from citegrain.tasks.offline.document import (
    Artefacts,
    ChunkContext,
    CorpusDocument,
    DocumentStage,
    Setup,
    Unfinished,
)
from citegrain.tasks.published.summaries import (
    SummariseConfig,
    Summariser,
    SummaryText,
    context,
    extract,
    write_layers,
)

STAGE = Stage("summarise", 1, (SUMMARIES,))


def summarise_document(
    texts: pa.Table,
    provisions: pa.Table,
    chunks: pa.Table,
    config: SummariseConfig,
    model: Summariser | None = None,
) -> Tables:
    """Summaries of a document's Acts, of their sections and of the searched chunks, as far as configured.

    ``model``: who summarises; None: sentences of the text do.
    """
    wholes = {row["act_id"]: row["text"][: config.first] for row in texts.to_pylist()}
    documents = _summaries(wholes, config.document_chars, config, model)
    by_level = {"document": documents}
    columns = ["provision_id", "kind", "number", "heading", "text"]
    sections = [row for row in provisions.select(columns).to_pylist() if row["kind"] in CITABLE]
    if "section" in config.levels:
        bodies = {row["provision_id"]: f"{row['heading']}\n{row['text']}" for row in sections}
        by_level["section"] = _summaries(bodies, config.section_chars, config, model)
    if "context" in config.levels:
        about = {act: summary.text for act, summary in documents.items()}
        titles = {
            row["provision_id"]: f"{row['kind']} {row['number']} {row['heading']}".strip() for row in sections
        }
        by_level["context"] = _contexts(_placed(chunks.to_pylist(), about, titles), config, model)
    rows = [
        {"level": level, "target_id": target} | vars(summary)
        for level, of_level in by_level.items()
        for target, summary in of_level.items()
        if summary.text or summary.tokens_in
    ]
    return {SUMMARIES.name: SUMMARIES.rows(rows)}


def _summaries(
    texts: Mapping[str, str], chars: int, config: SummariseConfig, model: Summariser | None
) -> Mapping[str, SummaryText]:
    texts = {key: text for key, text in texts.items() if text.strip()}
    if model:
        return model.summaries(texts, chars)
    return {key: SummaryText(extract(text, chars, config.tolerance)) for key, text in texts.items()}


def _placed(
    chunks: Sequence[Mapping[str, Any]], about: Mapping[str, str], titles: Mapping[str, str]
) -> dict[str, dict[str, str]]:
    """What is known of each searched chunk, by its id; its neighbours are those in its section."""
    searched = [chunk for chunk in chunks if chunk["indexed"]]
    out = {}
    for before, chunk, after in zip([None, *searched], searched, [*searched[1:], None], strict=False):
        neighbours = [other["text"] if other and _together(other, chunk) else "" for other in (before, after)]
        out[chunk["chunk_id"]] = {
            "summary": about.get(chunk["act_id"], ""),
            "section": titles.get(chunk["citation"] or "", ""),
            "before": neighbours[0],
            "chunk": chunk["text"],
            "after": neighbours[1],
        }
    return out


def _together(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return (one["act_id"], one["citation"]) == (other["act_id"], other["citation"])


def _contexts(
    placed: Mapping[str, Mapping[str, str]], config: SummariseConfig, model: Summariser | None
) -> Mapping[str, SummaryText]:
    if model:
        return model.contexts(placed)
    limits = config.fewest_words, config.most_words
    return {
        key: SummaryText(context(unit["summary"], unit["section"], unit["before"], unit["after"], *limits))
        for key, unit in placed.items()
    }


def prefixes(summaries: pa.Table, chunks: pa.Table, prepend: Sequence[str]) -> dict[str, str]:
    """What stands before the text of each searched chunk, by its id."""
    rows = summaries.select(["level", "target_id", "text"]).to_pylist()
    texts = {(row["level"], row["target_id"]): row["text"] for row in rows}
    names = {"document": "act_id", "section": "citation", "context": "chunk_id"}
    columns = chunks.select(["chunk_id", "act_id", "citation", "indexed"]).to_pylist()
    parts = {
        chunk["chunk_id"]: [texts.get((level, chunk[names[level]] or ""), "") for level in prepend]
        for chunk in columns
        if chunk["indexed"]
    }
    return {chunk: "\n".join(filter(None, lines)) for chunk, lines in parts.items()}


def cost(summaries: pa.Table, endpoint: Endpoint | None) -> dict[str, float]:
    """Tokens that the summaries took, and what they cost."""
    tokens_in, tokens_out = (sum(summaries.column(c).to_pylist()) for c in ("tokens_in", "tokens_out"))
    spent = endpoint.price(tokens_in, tokens_out) if endpoint else 0.0
    return {"tokens_in": tokens_in, "tokens_out": tokens_out, "cost": spent}


def _shape(document: CorpusDocument, setup: Setup) -> tuple[dict[str, Any], dict[str, Any]]:
    config: SummariseConfig = setup.configs[STAGE.name]
    model = setup.endpoint.identity if config.method == "llm" and setup.endpoint else []
    return config.parameters() | {"model": model}, {}


def _make(document: CorpusDocument, artefacts: Artefacts, setup: Setup) -> Tables:
    config: SummariseConfig = setup.configs[STAGE.name]
    model = (
        Summariser(setup.endpoint, config, setup.store) if config.method == "llm" and setup.endpoint else None
    )
    structured, chunks = artefacts["structure"], artefacts["chunk"].table(CHUNKS)
    tables = structured.table(TEXTS), structured.table(PROVISIONS), chunks
    result = summarise_document(*tables, config, model)
    if model and model.errors:
        raise Unfinished(result, model.errors[0])
    return result


def _before(artefacts: Artefacts, setup: Setup) -> dict[str, str]:
    return _above(artefacts, setup.configs[STAGE.name].prepend)


def _layers(artefacts: Artefacts, setup: Setup) -> dict[str, dict[str, str]]:
    levels = setup.configs[STAGE.name].layers
    above = {level: _above(artefacts, [level]) for level in levels}
    return {level: {chunk: text for chunk, text in texts.items() if text} for level, texts in above.items()}


def _above(artefacts: Artefacts, levels: Sequence[str]) -> dict[str, str]:
    if not levels:
        return {}
    return prefixes(artefacts[STAGE.name].table(SUMMARIES), artefacts["chunk"].table(CHUNKS), levels)


def _of_build(setup: Setup) -> dict[str, list[str]]:
    config: SummariseConfig = setup.configs[STAGE.name]
    put = {"prepend": list(config.prepend), "layers": list(config.layers)}
    return {where: levels for where, levels in put.items() if levels}


def _facts(tables: Tables, setup: Setup) -> dict[str, Any]:
    summaries = tables.get(SUMMARIES.name, SUMMARIES.empty())
    if not summaries.num_rows:
        return {}
    return {"summaries": {"texts": summaries.num_rows} | cost(summaries, setup.endpoint)}


def _chosen(setup: Setup) -> bool:
    return bool(setup.configs[STAGE.name].method != "none")


DOCUMENT_STAGE = DocumentStage(
    STAGE,
    SummariseConfig,
    ("structure", "chunk"),
    _shape,
    _make,
    (SUMMARIES,),
    "summarised",
    _chosen,
    ChunkContext(_before, _layers, _of_build, _facts, write_layers),
)
