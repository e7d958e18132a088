"""Ours and peers in turn on the same input. A peer that is not installed is named and left out."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import pymupdf
from pypdf import PdfReader
from rank_bm25 import BM25Okapi

from citegrain.flows.shared.library import Build
from citegrain.tasks.core.schemas import CHUNKS
from citegrain.tasks.core.words import Analyser
from citegrain.tasks.offline.index import SparseIndex, searched_rows
from citegrain.tasks.offline.parse import ParseConfig, parse_document
from citegrain.tasks.online.cascade import Cascade, CascadeConfig
from citegrain.tasks.online.fuse import FuseConfig
from citegrain.tasks.online.retrieve import RetrieveConfig
from citegrain.tasks.online.select import SelectConfig
from tools.timing import Bench, in_turn

K = 100  # what retrieval asks of a channel
QUESTIONS = 40
Matrix = np.ndarray[Any, np.dtype[np.float32]]


def installed(bench: Bench, *packages: str) -> bool:
    """Whether all are there; a row says which is not."""
    missing = [name for name in packages if not find_spec(name)]
    for name in missing:
        bench.add(f"{name}: not installed", "")
    return not missing


def parse_beside_peers(bench: Bench, files: Sequence[Path], repeat: int) -> None:
    """Text with layout by ours, plain text by the others, of the same pages in one process."""
    sample = sorted(files, key=lambda p: p.stat().st_size)[:: max(1, len(files) // 5)]
    pages = sum(pymupdf.open(p).page_count for p in sample)

    def ours() -> None:
        for path in sample:
            parse_document(path.read_bytes(), path.stem, ParseConfig(ocr="off"))

    def by_pypdf() -> None:
        for path in sample:
            for page in PdfReader(path).pages:
                page.extract_text()

    def by_pdfplumber() -> None:
        import pdfplumber  # type: ignore[import-not-found]

        for path in sample:
            with pdfplumber.open(path) as document:
                for page in document.pages:
                    page.extract_text()

    works: dict[str, Callable[[], object]] = {"ours": ours, "pypdf": by_pypdf}
    if installed(bench, "pdfplumber"):
        works["pdfplumber"] = by_pdfplumber
    what = f"parse, one process, {pages} pages of {len(sample)} Acts"
    compare(bench, what, in_turn(works, repeat), lambda s: f"{pages / s:.0f} pages/s")


def sparse_beside_peers(bench: Bench, build: Build, repeat: int) -> None:
    """Searches of all chunks for the first thirty words of some of them."""
    texts = [r["text"] for r in searched_rows(build.table(CHUNKS))]
    analyser = Analyser("english", "en")
    plain = [" ".join(t.split()[:30]) for t in spread(texts)]
    terms = [analyser.terms(q) for q in plain]
    ours = SparseIndex.build(texts, analyser, 1.5, 0.75)
    theirs = BM25Okapi([analyser.terms(t) for t in texts], k1=1.5, b=0.75)
    works: dict[str, Callable[[], object]] = {
        "bm25s (ours)": lambda: [best(ours.scores(q)) for q in plain],
        "rank_bm25": lambda: [best(theirs.get_scores(t)) for t in terms],
    }
    if installed(bench, "tantivy"):
        works["tantivy"] = by_tantivy(texts, terms, analyser)
    what = f"BM25, best {K} of {len(texts)} chunks"
    compare(bench, what, in_turn(works, repeat), lambda s: f"{1000 * s / len(plain):.2f} ms")


def by_tantivy(
    texts: Sequence[str], terms: Sequence[Sequence[str]], analyser: Analyser
) -> Callable[[], object]:
    """Searches by tantivy, of the same terms."""
    import tantivy  # type: ignore[import-not-found]

    fields = tantivy.SchemaBuilder()
    fields.add_text_field("text", tokenizer_name="whitespace")
    schema = fields.build()
    index = tantivy.Index(schema)
    writer = index.writer(50_000_000, 1)
    for text in texts:
        writer.add_document(tantivy.Document(text=" ".join(analyser.terms(text))))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher, should = index.searcher(), tantivy.Occur.Should

    def query(words: Sequence[str]) -> Any:
        parts = [(should, tantivy.Query.term_query(schema, "text", word)) for word in words]
        return tantivy.Query.boolean_query(parts)

    return lambda: [searcher.search(query(words), K).hits for words in terms]


def vectors_beside_usearch(bench: Bench, build: Build, repeat: int) -> None:
    """Flat and HNSW search for the vectors of some chunks, one by one, on one thread."""
    if not installed(bench, "usearch"):
        return
    from usearch.index import Index, search  # type: ignore[import-not-found]

    n = len(searched_rows(build.table(CHUNKS)))
    vectors: Matrix = np.ascontiguousarray(build.vectors(range(n)), np.float32)
    queries = spread(vectors)
    dimension = vectors.shape[1]
    flat, graph = faiss.IndexFlatIP(dimension), faiss.IndexHNSWFlat(dimension, 32, faiss.METRIC_INNER_PRODUCT)
    graph.hnsw.efConstruction, graph.hnsw.efSearch = 128, 100
    theirs = Index(
        ndim=dimension, metric="ip", dtype="f32", connectivity=32, expansion_add=128, expansion_search=100
    )
    flat.add(vectors)
    graph.add(vectors)
    theirs.add(np.arange(n), vectors)
    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)

    def exact(q: Matrix) -> Any:
        return search(vectors, q, K, "ip", exact=True, threads=1).keys

    searches: dict[str, tuple[Callable[[Matrix], Any], Callable[[Matrix], Any]]] = {
        f"flat search, best {K} of {n} vectors": (lambda q: flat.search(q[None], K)[1][0], exact),
        "HNSW, 32 links, 100 looked at": (
            lambda q: graph.search(q[None], K)[1][0],
            lambda q: theirs.search(q, K, threads=1).keys,
        ),
    }
    for what, (ours, peer) in searches.items():
        works = {"FAISS (ours)": partial(each, ours, queries), "usearch": partial(each, peer, queries)}
        shares = [recall(work, flat, queries) for work in (ours, peer)]
        seconds = in_turn(works, repeat)
        recalls = " and ".join(f"{share:.3f}" for share in shares)
        compare(bench, f"{what}; recall {recalls}", seconds, lambda s: f"{1000 * s / len(queries):.2f} ms")
    faiss.omp_set_num_threads(threads)


def each(search: Callable[[Matrix], Any], queries: Matrix) -> list[Any]:
    """What a search finds for each."""
    return [search(query) for query in queries]


def recall(work: Callable[[Matrix], Any], flat: Any, queries: Matrix) -> float:
    """Share of the exact best that a search finds."""
    hits = [len(set(map(int, work(q))) & set(map(int, flat.search(q[None], K)[1][0]))) for q in queries]
    return sum(hits) / (K * len(queries))


def question_beside_haystack(bench: Bench, build: Build, repeat: int) -> None:
    """A question by the same parts: one encoder, vectors and BM25 of all chunks, ranks fused."""
    os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
    if not installed(bench, "haystack"):
        return
    from haystack import Document, Pipeline  # type: ignore[import-not-found]
    from haystack.components.joiners import DocumentJoiner  # type: ignore[import-not-found]
    from haystack.components.retrievers.in_memory import (  # type: ignore[import-not-found]
        InMemoryBM25Retriever,
        InMemoryEmbeddingRetriever,
    )
    from haystack.document_stores.in_memory import InMemoryDocumentStore  # type: ignore[import-not-found]

    texts = [r["text"] for r in searched_rows(build.table(CHUNKS))]
    store = InMemoryDocumentStore(bm25_algorithm="BM25Okapi", embedding_similarity_function="dot_product")
    vectors = build.vectors(range(len(texts))).tolist()
    numbered = zip(range(len(texts)), texts, vectors, strict=True)
    store.write_documents([Document(id=str(n), content=t, embedding=v) for n, t, v in numbered])
    pipeline = Pipeline()
    pipeline.add_component("words", InMemoryBM25Retriever(store, top_k=K))
    pipeline.add_component("vectors", InMemoryEmbeddingRetriever(store, top_k=K))
    pipeline.add_component("fused", DocumentJoiner("reciprocal_rank_fusion", top_k=10))
    pipeline.connect("words", "fused")
    pipeline.connect("vectors", "fused")
    config = replace(
        CascadeConfig.chosen(),
        retrieve=RetrieveConfig(["dense", "sparse"], k=K),
        fuse=FuseConfig("rrf"),
        select=SelectConfig("top", k=10),
    )
    cascade, few = Cascade(build, config), [" ".join(t.split()[:30]) for t in spread(texts)][:10]

    def theirs(text: str) -> Any:
        vector = build.encode_queries([text])[0].tolist()
        return pipeline.run({"words": {"query": text}, "vectors": {"query_embedding": vector}})

    works: dict[str, Callable[[], object]] = {
        "ours, with its answer": lambda: [cascade.run({"q": text}) for text in few],
        "haystack": lambda: [theirs(text) for text in few],
    }
    for work in works.values():
        work()
    what = f"question, {len(texts)} chunks, vectors and BM25, ranks fused"
    compare(bench, what, in_turn(works, repeat), lambda s: f"{1000 * s / len(few):.0f} ms")


def spread(items: Any) -> Any:
    """Some of them, evenly."""
    return items[:: max(1, len(items) // QUESTIONS)][:QUESTIONS]


def best(scores: Matrix) -> Matrix:
    """The best of all scores, sorted."""
    some = np.argpartition(-scores, K)[:K] if len(scores) > K else np.arange(len(scores))
    return np.asarray(some[np.argsort(-scores[some])])


def compare(bench: Bench, what: str, seconds: dict[str, float], shown: Callable[[float], str]) -> None:
    """A row for each peer; ours is the first."""
    ours = next(iter(seconds))
    for peer in list(seconds)[1:]:
        values = shown(seconds[ours]), shown(seconds[peer]), f"{seconds[peer] / seconds[ours]:.1f}"
        bench.add(f"{what}: {ours}, {peer}", *values)
