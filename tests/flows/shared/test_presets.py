"""Each parameter of a published system's preset, beside the words of its document that give it.

A row is a key, its value, the section, and the words. Where they are empty the document does not give the
value, and the section says why it is set. Where the documents are at hand, the words are looked up in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from citegrain.flows.shared.settings import Settings, load_settings
from tests.conftest import ROOT, shared_folder

Rows = list[tuple[str, Any, str, str]]
CONF = ROOT / "conf"
DOCUMENTS = {"thesis": "000", "civicsetu": "001", "kg_citerag": "002", "guide": "003", "paper_qa": "004"}
MINILM, MPNET = "sentence-transformers/all-MiniLM-L6-v2", "sentence-transformers/all-mpnet-base-v2"
EVERYTHING: Rows = [
    ("retrieve.schedules", True, "all that is indexed is searched", ""),
    ("retrieve.counterparts", False, "it is for old codes", ""),
    ("retrieve.centre", 0.0, "it is for complaints", ""),
    ("retrieve.rarity", False, "it is for complaints", ""),
]
ESTIMATES = ("estimate.method", "none", "nothing in it estimates whether a law applies", "")

THESIS: Rows = [
    ("chunk.strategy", "statutory", "3.2.1", "structure-aware chunking"),
    ("chunk.size", 700, "Table 4.2", "target tokens per chunk 700"),
    ("chunk.overlap", 85, "Table 4.2", "tokens of overlap (12.1%) 85"),
    ("chunk.header", "none", "its text alone is embedded, Eq. 3.1", ""),
    ("embed.model", MPNET, "4.3.1", "`sentence-transformers/all-mpnet-base-v2`"),
    ("embed.long", "truncate", "its encoder reads what fits", ""),
    ("embed.precision", "fp32", "no other is named", ""),
    ("index.dense", "flat", "4.3.3", "the exact IndexFlatIP configuration"),
    ("query.rewrites", [], "only its controller words queries", ""),
    ("retrieve.channels", ["dense", "sparse"], "3.2.3", "The structural layer maintains two indexes"),
    ("retrieve.k", 20, "Table 4.2", "top- k from each retriever 20"),
    ("fuse.method", "rrf", "Eq. 3.3", "Fusion k (RRF)"),
    ("fuse.k", 60, "Table 4.2", "smoothing constant in Eq. 3.3 60"),
    ("fuse.depth", 20, "as many as of each retriever", ""),
    ("rerank.scorer", "cross_encoder", "4.3.1", "Cross-encoder reranker"),
    ("rerank.model", "cross-encoder/ms-marco-MiniLM-L6-v2", "4.3.1", "`cross-encoder/ms-marco-MiniLM-L6-v2`"),
    ("rerank.scale", "raw", "4.3.2", "typical spread of cross-encoder logits"),
    ("rerank.provenance", 0.15, "Table 4.2", "provenance weight in Eq. 3.4 0.15"),
    ("rerank.section", 1.0, "Table 4.2", "weight added by section-number agreement 1.0"),
    ("rerank.act", 0.5, "Table 4.2", "weight added by act-name agreement 0.5"),
    ("rerank.consistent", False, "Eq. 3.4 adds the two", ""),
    ("select.method", "mmr", "Eq. 3.5", "trades off relevance against diversity"),
    ("select.balance", 0.5, "Table 4.2", "balance in Eq. 3.5 0.5"),
    ("select.k", 5, "Table 4.2", "final contexts for generation 5"),
    ("select.unit", "chunk", "Eq. 3.5", "running set of selected** chunks"),
    ("select.scale", "raw", "Eq. 3.5 has no scaling", ""),
    ("generate.kind", "llm", "4.3.1", "An instruction-tuned decoder language model"),
    ("generate.temperature", 0.0, "Table 4.2", "sampling temperature 0.0"),
    ("generate.max_tokens", 8192, "Table 4.2", "output budget 8,192"),
    ("generate.context_chars", 2000, "Table 4.2", "characters per retrieved context 2,000"),
]

CIVICSETU: Rows = [
    ("chunk.strategy", "statutory", "5", "Section Boundary Detection"),
    ("chunk.size", 1500, "5", "MAX_CHARS = 1500"),
    ("chunk.measure", "characters", "5", "MAX_CHARS = 1500"),
    ("chunk.shortest", 100, "5", "MIN_CHARS = 100"),
    ("embed.model", MINILM, "6: its nomic-embed-text is not packaged", ""),
    ("index.dense", "hnsw", "2", "USING hnsw"),
    ("index.hnsw_m", 16, "2", "m = 16"),
    ("index.hnsw_ef_construction", 64, "2", "ef_construction = 64"),
    ("route.method", "learned", "4: its classifier is a language model", ""),
    ("route.routes.fact.weights", {"graph": 0.0}, "4", "fact_lookup | vector_retrieval"),
    ("route.routes.conflict.weights", {"graph": 0.0}, "4", "conflict_detection | hybrid_retrieval"),
    ("route.routes.cross_reference.instead", "graph", "4", "cross_reference | graph_retrieval"),
    ("route.routes.cross_reference.expand", {"cited": 0}, "8: the graph brings what is cited", ""),
    ("route.routes.penalty.instead", "graph", "4", "penalty_lookup | graph_retrieval"),
    ("route.routes.penalty.expand", {"punishing": 0}, "8: the graph brings what punishes", ""),
    ("route.routes.temporal.instead", "graph", "4", "temporal | graph_retrieval"),
    ("route.routes.temporal.words", "within days months years period from the date before expiry "
     "commencement limitation", "12, fix 8", "specific legal time-period keywords"),
    ("query.rewrites", [], "4: its classifier words the question anew; query=reworded", ""),
    ("retrieve.channels", ["dense", "sparse", "graph"], "7, 8", "1/(K + rank_in_vector) + 1/(K + rank_in_fts)"),
    ("retrieve.k", 15, "7", "vector results and `top_k"),  # top_k x 3, where 5 are given
    ("retrieve.options", {
        "graph_depth": 2, "graph_back": 1, "graph_breadth": 1000, "graph_score": "words",
        "graph_starts": "named", "graph_by_jurisdiction": True,
    }, "8", "sections source cites (depth=2)"),
    ("fuse.method", "rrf", "7", "Reciprocal Rank Fusion (RRF)"),
    ("fuse.k", 60, "7", "RRF_K = 60"),
    ("fuse.depth", 10, "7", "merges via RRF, returns top `top_k"),  # x 2
    ESTIMATES,
    ("expand.family", 3, "7", "top-3 results trigger family expansion"),
    ("expand.most", 40, "7", "_MAX_VECTOR_EXPANDED = 40"),
    ("rerank.scorer", "cross_encoder", "7b", "minimum cross-encoder score"),
    ("rerank.scale", "logistic", "7b: threshold and gap are of scores in 0 to 1", ""),
    ("rerank.provenance", 0.0, "it is the thesis' bonus", ""),
    ("select.method", "top", "7b", "gap_filtered[:max(0, 5 - len(pinned))]"),
    ("select.unit", "chunk", "7b", "max 5 chunks"),
    ("select.k", 5, "7b", "max 5 chunks"),
    ("select.pinned", 2, "8", "Max pinned chunks: 2"),
    ("select.threshold", 0.1, "7b", "reranker_score_threshold = 0.1"),
    ("select.raw_gap", 0.6, "7b", "reranker_score_gap = 0.6"),
]  # fmt: skip

KG_CITERAG: Rows = [
    ("embed.model", MINILM, "6.2.3", "(384 dims)"),
    ("index.dense", "flat", "6.2.2", "self.index.search(query_embedding, top_k)"),
    ("index.k1", 1.5, "6.3.3", "`k1 = 1.5`"),
    ("index.b", 0.75, "6.3.3", "`b = 0.75`"),
    ("query.rewrites", [], "6.3.2 adds synonyms only", ""),
    ("retrieve.channels", ["dense", "name", "graph", "entity", "date", "bench"], "7.4.1",
     "bench_results = self.bench_search(entities['judges'], top_k=20)"),
    ("retrieve.k", 20, "7.4.1", "self.vector_search(query, top_k=20)"),
    ("retrieve.options.name_weight", 10, "6.3.3", "`case_name_boost = 10x`"),
    ("retrieve.options.name_synonyms", "data:glossary/legal_synonyms.yaml", "6.3.2", "expanded.extend(synonyms[:2])"),
    ("retrieve.options.graph_seeds", 5, "6.4.2", "self._get_landmark_cases(top_n=5)"),
    ("retrieve.options.graph_breadth", 5, "6.4.2", "related_cases.update(cited[:5])"),
    ("retrieve.options.graph_depth", 1, "6.4.2", "self.graph.graph.successors(seed)"),
    ("retrieve.options.graph_score", "pagerank", "6.4.2", "float(pagerank * 1000)"),
    *EVERYTHING,
    ("fuse.method", "rrf", "7.2", "Reciprocal Rank Fusion (RRF)"),
    ("fuse.k", 60, "7.4.1", "k = 60 # RRF constant"),
    ("fuse.depth", 120, "all that six channels find", ""),
    ("fuse.weights", {"dense": 0.3, "name": 0.3, "graph": 0.2, "entity": 0.2, "date": 0.0, "bench": 0.0}, "7.3.1",
     "'vector_search': 0.30, 'bm25_search': 0.30, 'graph_search': 0.20, 'entity_search': 0.20"),
    ("fuse.rules.0", {"when": "provision", "weights": {"entity": 0.5, "dense": 0.2, "name": 0.2, "graph": 0.1}},
     "7.3.1", "weights['entity_search'] = 0.50 weights['vector_search'] = 0.20 weights['bm25_search'] = 0.20 "
     "weights['graph_search'] = 0.10"),
    ("fuse.rules.1", {"when": "year", "weights": {"date": 0.6, "dense": 0.15, "name": 0.15, "graph": 0.1}}, "7.3.1",
     "weights['date_search'] = 0.60 weights['vector_search'] = 0.15 weights['bm25_search'] = 0.15 "
     "weights['graph_search'] = 0.10"),
    ("fuse.rules.2", {"when": "judge", "weights": {"bench": 0.6, "dense": 0.15, "name": 0.15, "graph": 0.1}}, "7.3.1",
     "weights['bench_search'] = 0.60 weights['vector_search'] = 0.15 weights['bm25_search'] = 0.15 "
     "weights['graph_search'] = 0.10"),
    ("fuse.rules.3", {"when": "case", "weights": {"name": 0.5, "dense": 0.25, "graph": 0.15, "entity": 0.1}}, "7.3.1",
     "weights['bm25_search'] = 0.50 weights['vector_search'] = 0.25 weights['graph_search'] = 0.15 "
     "weights['entity_search'] = 0.10"),
    ESTIMATES,
    ("rerank.scorer", "none", "7.4.1: its boost by metadata is called and not described", ""),
    ("rerank.scale", "raw", "no score is changed", ""),
    ("rerank.provenance", 0.0, "it is the thesis' bonus", ""),
    ("select.method", "top", "7.4.1", "self._deduplicate(boosted_results)[:top_k]"),
    ("select.unit", "chunk", "7.4.1", "Remove duplicate chunks from same case"),
    ("select.k", 10, "7.4.1", "def hybrid_search(self, query: str, top_k: int = 10"),
    ("select.per_case", 2, "7.4.1", "Keep max 2 chunks per case"),
    ("generate.landmarks", 5, "8.3.1", "max_related: int = 5"),
    ("generate.temperature", 0.3, "8.4.1", "'temperature': 0.3"),
    ("generate.max_tokens", 8192, "8.4.1", "'max_output_tokens': 8192"),
    ("generate.top_p", 0.95, "8.4.1", "'top_p': 0.95"),
    ("generate.top_k", 40, "8.4.1", "'top_k': 40"),
]  # fmt: skip

BARE: Rows = [
    ("chunk.strategy", "recursive", "phase 3", "'method': 'RecursiveCharacterTextSplitter'"),
    ("chunk.size", 500, "phase 3", "'chunk_size': 500, # Characters (optimal)"),
    ("chunk.overlap", 0, "phase 3", "'chunk_overlap': 0"),
    ("chunk.separators", ["\n\n", "\n", ". ", "; ", ", ", " ", ""], "phase 3", "separators"),
    ("chunk.within", True, "phase 3: its smallest layer is cut from sections", ""),
    ("chunk.header", "none", "phase 3: contexts stand in its place", ""),
    ("summarise.method", "extractive", "phase 2: without a model; summarise=llm asks one", ""),
    ("summarise.layers", ["document", "section"], "phase 4", "'enable_multi_layer': True"),
    ("summarise.document_chars", 150, "phase 2", "'max_chars': 150"),
    ("summarise.tolerance", 20, "phase 2", "'tolerance': 20"),
    ("summarise.fewest_words", 50, "phase 3", "Words (50-100 optimal)"),
    ("summarise.most_words", 100, "phase 3", "'context_length': 100"),
    ("index.dense", "flat", "phase 4", "FAISSVectorStore"),
    ESTIMATES,
    ("generate.temperature", 0.1, "phase 7", "'temperature': 0.1"),
    ("generate.max_tokens", 1000, "phase 7", "'max_tokens': 1000"),
    ("generate.top_p", 0.95, "phase 7", "'top_p': 0.95"),
    ("select.unit", "chunk", "phase 5", "final_chunks = selected_chunks[:config['k']]"),
    ("select.k", 6, "phase 5", "'k': 6"),
    ("select.documents", 2, "phase 5", "'max_source_documents': 2"),
    ("select.margin", 0.25, "phase 5", "'similarity_threshold': 0.25"),
    ("select.fewest", 7, "phase 5", "'min_chunks': 7"),
    ("select.tokens", 2500, "phase 5", "'token_baseline': 2500"),
]
CONTEXTS: Rows = [("summarise.prepend", ["context"], "phase 3", "'enable_contextual': True")]
WITHOUT_CONTEXTS: Rows = [("summarise.prepend", [], "what contexts are worth", "")]
ONE_ENCODER: Rows = [("embed.model", MINILM, "phase 4: text-embedding-3-large needs an account", "")]
DENSE: Rows = [
    ("retrieve.channels", ["dense"], "phase 5", "RETRIEVAL_METHOD = 'dense_semantic_only'"),
    ("fuse.method", "single", "phase 5", "NO BM25, NO hybrid"),
]
WIDE: Rows = [
    ("retrieve.k", 64, "evaluation", "[1, 2, 4, 8, 16, 32, 64]"),
    ("fuse.depth", 64, "evaluation", "[1, 2, 4, 8, 16, 32, 64]"),
]
UNRANKED: Rows = [
    ("rerank.scorer", "none", "phase 5", "'reranking': False"),
    ("rerank.scale", "raw", "no score is changed", ""),
    ("rerank.provenance", 0.0, "it is the thesis' bonus", ""),
]
AS_IT_IS: Rows = [("query.rewrites", [], "phase 5: rewrites are techniques of tiers", "")]
BEST: Rows = [("select.method", "top", "phase 5", "final_chunks = selected_chunks[:config['k']]")]
DIVERSE: Rows = [
    ("select.method", "mmr", "technique 8", "'mmr': True"),
    ("select.balance", 0.5, "technique 8", "'lambda_param': 0.5"),
]
CROSS_ENCODER: Rows = [
    ("rerank.scorer", "cross_encoder", "technique 7", "'cross_encoder': True"),
    (
        "rerank.model",
        "citegrain/reranker-statutes",
        "technique 7",
        "ONLY with legal-specific fine-tuned model",
    ),
    ("rerank.max_tokens", 128, "as it was trained", ""),
    ("rerank.precision", "auto", "changes no place of the first twenty", ""),
    ("rerank.scale", "logistic", "technique 7: the least score is of 0 to 1", ""),
    ("rerank.fused", 0.0, "technique 7", "sorted(chunks, key=lambda x: x['rerank_score'], reverse=True)"),
    ("rerank.lay_texts", False, "there are none of contracts", ""),
    ("rerank.provenance", 0.0, "it is the thesis' bonus", ""),
    ("fuse.depth", 20, "technique 7", "'initial_k': 20"),
    ("select.threshold", 0.5, "technique 7", "'min_score_threshold': 0.5"),
]
HYDE_FUSION: Rows = [
    (
        "query.rewrites",
        ["hyde_document"],
        "technique 1",
        "Write as if you are extracting text from an actual legal document",
    ),
    ("query.replace", True, "technique 1", "embedder.embed_texts([hyde_query])"),
    ("query.temperature", 0.3, "technique 1", "temperature=0.3, max_tokens=300"),
    ("query.max_tokens", 300, "technique 1", "'max_tokens': 300"),
    ("query.spelling", False, "no question is mended", ""),
    ("embed.model", MINILM, "technique 4: two encoders that are at hand", ""),
    ("embed.also.mpnet.model", MPNET, "technique 4: two encoders that are at hand", ""),
    ("retrieve.channels", ["dense", "dense_mpnet"], "technique 4", "'fusion': True"),
    ("retrieve.k", 64, "evaluation", "[1, 2, 4, 8, 16, 32, 64]"),
    ("fuse.method", "rrf", "technique 4", "Weighted RRF fusion"),
    ("fuse.k", 60, "technique 4", "'rrf_k': 60"),
    ("fuse.weights.dense", 1.0, "technique 4", "'bge-m3': 1.0"),
    ("fuse.weights.dense_mpnet", 1.5, "technique 4", "'kanon-2': 1.5"),
]
LOOPS: Rows = [
    ("controller.kind", "crag_multihop", "tier 3", "'crag': True, # Self-correction 'multi_hop': True"),
    ("controller.rounds", 3, "technique 9", "'max_iterations': 3"),
    ("controller.threshold", 0.7, "technique 9", "'quality_threshold': 0.7"),
    ("controller.passages", 4, "technique 10", "self.retriever.search_layer3(query_embedding, k=4)"),
    ("controller.queries", 1, "technique 10: one query a hop", ""),
    ("controller.temperature", 0.2, "techniques 9, 10: one for all calls", "temperature=0.2, max_tokens=200"),
    ("controller.max_tokens", 200, "technique 10", "temperature=0.2, max_tokens=200"),
    ("controller.collection", "legal documents", "contracts are no statutes", ""),
    ("controller.about", "question", "contracts are no statutes", ""),
]
COLBERT: Rows = [
    *EVERYTHING,
    ("embed.model", MINILM, "technique 6: colbertv2.0 is of the hub", ""),
    ("index.colbert", 360, "technique 6: two bits a dimension of MiniLM's 384 but what is left out", ""),
    ("index.expansion", [], "there are no lay texts of contracts", ""),
    ("retrieve.channels", ["colbert"], "technique 6", "'colbert': True, # Token-level precision"),
    ("retrieve.options", {"colbert_probes": 64, "colbert_candidates": 384}, "as measured on statutes", ""),
    ("retrieve.k", 64, "evaluation", "[1, 2, 4, 8, 16, 32, 64]"),
    ("fuse.method", "single", "phase 5", "NO BM25, NO hybrid"),
]
GUIDE_SEARCH = ONE_ENCODER + DENSE + WIDE + UNRANKED
GUIDE = BARE + CONTEXTS + GUIDE_SEARCH
TIER_1: Rows = [
    ("query.rewrites", ["expand"], "technique 2: by rules; a model's is expand_llm", ""),
    ("query.weight", 1.0, "technique 2", "1.0 / (60 + rank) # k=60 standard"),
]
TIER_2 = BARE + CONTEXTS + HYDE_FUSION + CROSS_ENCODER + DIVERSE

PAPER_QA: Rows = [
    ("chunk.strategy", "page", "4.3", "chunking is performed on a per-page basis"),
    ("chunk.size", 1000, "Table 4.4", "| Chunk size | Fixed | 1000 chars |"),
    ("chunk.overlap", 200, "Table 4.4", "| Chunk overlap | Fixed | 200 chars |"),
    ("chunk.header", "none", "4.3: a page's text alone", ""),
    ("embed.model", MINILM, "Table 4.4", "`all-MiniLM-L6-v2`"),
    ("index.dense", "qdrant", "Table 4.4", "| Vector DB | Fixed | Qdrant, cosine distance |"),
    ("query.rewrites", [], "4.5.1", "The user query is embedded with the same embedding model"),
    ("retrieve.channels", ["dense"], "4.5.1", "the system performs dense retrieval over the vector index"),
    ("retrieve.k", 5, "Table 4.4", "| Top- k | Fixed | 5 |"),
    ("fuse.method", "single", "4.5.1: one channel", ""),
    ("fuse.depth", 5, "Table 4.4", "| Top- k | Fixed | 5 |"),
    ESTIMATES,
    ("rerank.scorer", "none", "4.5 has none", ""),
    ("rerank.scale", "raw", "no score is changed", ""),
    ("rerank.provenance", 0.0, "it is the thesis' bonus", ""),
    ("select.method", "top", "4.5.1", "returns the top- k most similar chunks"),
    ("select.unit", "chunk", "4.5.1", "returns the top- k most similar chunks"),
    ("select.k", 5, "Table 4.1", "Number of retrieved chunks per query"),
    ("generate.kind", "prose", "4.6", "transforms the retrieved evidence set into a natural-language answer"),
    ("generate.attempts", 3, "not said", ""),
    ("generate.template", "1", "Table 4.4", "| Prompt template | Variable | 1, 2, 3, 4, 5 |"),
    ("generate.open_knowledge", False, "Table 4.4", "| Open knowledge | Variable | No, Yes |"),
    ("generate.validate", "none", "4.6.3: nothing is asked again", ""),
    ("generate.temperature", 0.6, "Table 4.4", "| Temperature | Fixed | 0.6 |"),
    ("generate.num_ctx", 4096, "Table 4.4", "| Context window | Fixed | 4096 tokens |"),
    ("generate.seed", 0, "Table 4.4", "| Seed | Variable | 0, 1, 2 |"),
]

PRESETS: Mapping[str, tuple[str, Rows]] = {
    "thesis": ("thesis", THESIS),
    "civicsetu": ("civicsetu", CIVICSETU),
    "kg_citerag": ("kg_citerag", KG_CITERAG),
    "guide": ("guide", GUIDE + AS_IT_IS + BEST),
    "guide_bare": ("guide", BARE + WITHOUT_CONTEXTS + GUIDE_SEARCH + AS_IT_IS + BEST),
    "tier1": ("guide", GUIDE + TIER_1 + DIVERSE),
    "tier2": ("guide", TIER_2),
    "tier3": ("guide", TIER_2 + LOOPS),
    "tier4": ("guide", BARE + CONTEXTS + COLBERT + CROSS_ENCODER + AS_IT_IS + BEST),
    "paper_qa": ("paper_qa", PAPER_QA),
}  # fmt: skip
EXEMPT = {"sha256", "batch_size", "background"}  # of the last no channel here takes anything off


def value(settings: Settings, key: str) -> Any:
    """What a preset has at ``group.name``, or deeper."""
    group, *names = key.split(".")
    out = settings.group(group)
    for name in names:
        if isinstance(out, Mapping):
            out = out[name]
        else:
            out = out[int(name)] if isinstance(out, list) else getattr(out, name)
    return out


def plain(one: Any) -> Any:
    """Dataclasses of rules and routes as mappings of what is set in them."""
    return {k: v for k, v in vars(one).items() if v} if hasattr(one, "__dataclass_fields__") else one


@cache
def composed(name: str) -> Settings:
    return load_settings(["corpus=folder", "corpus.path=.", "corpus.name=x", f"experiment={name}"])


@pytest.mark.parametrize("preset", PRESETS)
def test_each_parameter_is_that_of_its_document(preset: str) -> None:
    _, rows = PRESETS[preset]
    assert len({key for key, *_ in rows}) == len(rows)
    ours = {key: plain(value(composed(preset), key)) for key, *_ in rows}
    assert ours == {key: expected for key, expected, *_ in rows}


def leaves(tree: Mapping[str, Any], before: str = "") -> Iterator[str]:
    for name, one in tree.items():
        if isinstance(one, Mapping) and one:
            yield from leaves(one, f"{before}{name}.")
        else:
            yield f"{before}{name}"


def keys_set(path: Path, group: str = "") -> dict[str, None]:
    """Keys that an option sets, by way of the options that it starts from too."""
    tree = yaml.safe_load(path.read_text(encoding="utf-8"))
    out: dict[str, None] = {}
    for default in tree.pop("defaults", []):
        if isinstance(default, str):
            name, _, below = default.partition("@")
            deeper = f"{group}.{below}" if below else group
            out |= keys_set(path.parent / f"{name}.yaml", deeper) if name != "_self_" else {}
            continue
        ((where, option),) = default.items()
        where = where.removeprefix("override /")
        # an option that replaces another takes the keys of that other with it
        out = {key: None for key in out if not key.startswith(f"{where}.")}
        out |= keys_set(CONF / where / f"{option}.yaml", where)
    return out | dict.fromkeys(f"{group}.{key}" if group else key for key in leaves(tree))


@pytest.mark.parametrize("preset", PRESETS)
def test_no_parameter_of_a_preset_is_without_a_row(preset: str) -> None:
    rows = {key for key, *_ in PRESETS[preset][1]}
    searched = composed(preset).cascade.retrieve.channels
    # weights of channels that it has not are those of an option that it starts from
    keys = [
        key
        for key in keys_set(CONF / "experiment" / f"{preset}.yaml")
        if key.rpartition(".")[2] not in EXEMPT
        and (not key.startswith("fuse.weights") or key.rpartition(".")[2] in searched)
    ]
    missing = [k for k in keys if not any(f"{k}.".startswith(f"{r}.") or r.startswith(f"{k}.") for r in rows)]
    assert len(keys) > 15 and missing == []


@pytest.mark.parametrize("preset", PRESETS)
def test_its_document_has_these_words(preset: str) -> None:
    document, rows = PRESETS[preset]
    folder = shared_folder()
    files = sorted((folder / "reference").glob(f"{DOCUMENTS[document]}_*.txt")) if folder else []
    if not files:
        pytest.skip("the documents are not at hand")
    text = spaced(files[0].read_text(encoding="utf-8"))
    assert [words for *_, words in rows if spaced(words) not in text] == []
    assert sum(bool(words) for *_, words in rows) > len(rows) / 2


def spaced(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def test_no_claim_of_the_guide_is_decided_by_how_deep_its_configuration_looks() -> None:
    sweep = load_settings(["corpus=published", "corpus.name=x", "sweep=guide"]).sweep
    depth = {name: load_settings(list(o)).cascade.fuse.depth for name, o in sweep.members().items()}
    assert sweep.claims.keys() < depth.keys() and {"tier1", "tier2", "tier3", "tier4"} < sweep.claims.keys()
    for name, claim in sweep.claims.items():
        first = re.search(r"_(\d+) ", claim)
        assert first is None or depth[name] >= int(first[1]) == min(int(first[1]), depth["guide"])


def test_the_grid_of_paper_qa_is_three_seeds_by_five_templates_by_two_modes() -> None:
    sweep = load_settings(["experiment=paper_qa", "sweep=paper_qa"]).sweep
    cells = {name: load_settings(["experiment=paper_qa", *o]) for name, o in sweep.members().items()}
    varied = {(g.seed, g.template_id, g.open_knowledge) for g in (c.cascade.generate for c in cells.values())}
    assert varied == {(s, t, o) for s in range(3) for t in range(1, 6) for o in (False, True)}  # 4.8.2
    assert len(cells) == 30 and len(sweep.members(["generate.seed", "generate.template"])) == 2
    # what is not varied is the preset's
    first = next(iter(cells.values()))
    assert all(
        c.cascade.retrieve == first.cascade.retrieve and c.embed == first.embed for c in cells.values()
    )
    one = {(c.cascade.generate.temperature, c.cascade.generate.num_ctx) for c in cells.values()}
    assert one == {(0.6, 4096)}  # Table 4.4: fixed
