"""What vector indexes and BM25 cost and find as a corpus grows: ``python -m tools.perf_vectors BUILD SECTIONS FOLDER``.

BUILD is a published build, SECTIONS the gold sections of further Acts; FOLDER keeps vectors, indexes and measurements,
and a run goes on where one stopped. Up to the number of real passages every vector is real. Beyond that, copies are
added: a real vector moved by the difference of two near-duplicate provisions of different Acts, so that both the
length and the direction of the noise are such as two real texts have. All that was measured is gathered in ``docs/vectors.json``.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import psutil

from citegrain.tasks.core.schemas import ACTS, CHUNKS
from citegrain.tasks.core.words import Analyser
from citegrain.tasks.offline.index import SparseIndex
from citegrain.tasks.online.builds import PublishedBuild
from tests.conftest import ROOT

K = 100  # what retrieval asks of a channel
SIZES = {"10k": 10_000, "real": 0, "grown": 0, "100k": 100_000, "1m": 1_000_000}
"""``real``: all that is real; ``grown``: as many, but from the first 10,000, to see what copies change."""
FURTHER = 24_000  # pieces of sections that are encoded
CHOOSE, UNSEEN = 250, 500
ALIKE = 0.9  # inner product from which two provisions of different Acts count as near-duplicates
FACTORIES = {
    "flat": "Flat",
    "sq8": "SQ8",
    "hnsw": "HNSW32",
    "hnsw_sq8": "HNSW32_SQ8",
    "ivf_sq8": "IVF{lists},SQ8",
    "ivf_pq": "IVF{lists},PQ96",
    "ivf_pq4": "IVF{lists},PQ192x4fs",
}
EFFORTS = {
    "flat": [0],
    "sq8": [0],
    "hnsw": [100, 200, 400],
    "hnsw_sq8": [100, 200, 400],
    "ivf_sq8": [8, 16, 32, 64, 128],
    "ivf_pq": [16, 32, 64, 128],
    "ivf_pq4": [16, 32, 64, 128],
}
"""``efSearch`` of a graph, ``nprobe`` of lists."""
RESCORED = {"flat": [0], "hnsw": [0], "sq8": [0, 1, 2], "hnsw_sq8": [0, 1], "ivf_sq8": [0, 1, 2],
            "ivf_pq": [0, 2, 5], "ivf_pq4": [0, 2, 5]}  # fmt: skip
"""How many times k candidates are scored again by the vectors themselves; 0: none."""

Matrix = np.ndarray[Any, np.dtype[np.float32]]


def unit(vectors: Matrix) -> Matrix:
    """Rows of length 1."""
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def section_texts(build: PublishedBuild, sections: Path) -> list[tuple[str, str]]:
    """Act and text of pieces of about a chunk's length, of the Acts that the build has not, in a random order."""
    titles = {_title(t) for t in build.table(ACTS).column("title").to_pylist()}
    out = []
    with gzip.open(sections, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if _title(row["title"]) not in titles:
                head = f"{row['title']}. Section {row['section']}. {row['heading']}"
                out += [(row["act"], f"{head}\n{piece}") for piece in _pieces(row["text"]) if len(piece) > 80]
    random.Random(0).shuffle(out)
    return out[:FURTHER]


def _title(title: str) -> str:
    return title.casefold().removeprefix("the ").strip()


def _pieces(text: str, most: int = 1000) -> Iterator[str]:
    while text:
        cut = max(text.rfind(space, most // 2, most) for space in " \n")
        cut = len(text) if len(text) <= 1.1 * most else cut if cut > 0 else most
        yield text[:cut]
        text = text[cut:].strip()


def real_vectors(build: PublishedBuild, sections: Path, folder: Path) -> tuple[Matrix, list[str], list[str]]:
    """Vectors, Acts and texts of all real passages, in a random order; encoded once, in blocks."""
    chunks = [r for r in build.table(CHUNKS).to_pylist() if r["indexed"]]
    further = section_texts(build, sections)
    (folder / "blocks").mkdir(parents=True, exist_ok=True)
    blocks = [build.vectors(range(len(chunks)))]
    for at in range(0, len(further), 2000):
        path = folder / "blocks" / f"{at:06d}.npy"
        if not path.is_file():
            np.save(path, build.encoder.encode([text for _, text in further[at : at + 2000]]))
        blocks.append(np.load(path))
    vectors = np.concatenate(blocks)
    acts = [r["act_id"] for r in chunks] + [act for act, _ in further]
    texts = [f"{r['header']}\n{r['text']}" for r in chunks] + [text for _, text in further]
    order = np.random.default_rng(0).permutation(len(vectors))
    return vectors[order], [acts[i] for i in order], [texts[i] for i in order]


def near_duplicates(vectors: Matrix, acts: Sequence[str]) -> tuple[Matrix, Matrix]:
    """Differences of near-duplicates of different Acts, and the inner products of such pairs."""
    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(vectors)
    scores, rows = index.search(vectors, 5)
    act_of = np.array(acts)
    pairs = [
        (i, int(j), s)
        for i in range(len(vectors))
        for j, s in zip(rows[i], scores[i], strict=True)
        if ALIKE <= s < 0.9999 and act_of[i] != act_of[j]
    ]
    a, b, alike = (np.array(x) for x in zip(*pairs, strict=True))
    return vectors[b] - vectors[a], alike


def grow(vectors: Matrix, moves: Matrix, size: int, path: Path) -> None:
    """Write ``size`` vectors: the real ones first, then copies moved at random."""
    rng = np.random.default_rng(size)
    out = np.lib.format.open_memmap(path, "w+", np.float32, (size, vectors.shape[1]))
    out[: len(vectors)] = vectors[:size]
    for at in range(len(vectors), size, 10_000):
        n = min(10_000, size - at)
        out[at : at + n] = unit(
            vectors[rng.integers(len(vectors), size=n)] + moves[rng.integers(len(moves), size=n)]
        )
    out.flush()


def questions(build: PublishedBuild, folder: Path) -> Matrix:
    """Vectors of lay questions as retrieval asks them, a random order: the first choose, the others judge."""
    path = folder / "questions.npy"
    if not path.is_file():
        data = ROOT / "citegrain" / "data"
        files = [("training/lay_queries", "plain"), ("training/questions", "text"),
                 ("training/short_questions", "text"), ("benchmarks/complaints/dev", "text")]  # fmt: skip
        read = {name: (data / f"{name}.jsonl").read_text(encoding="utf-8").splitlines() for name, _ in files}
        texts = sorted({json.loads(line)[key] for name, key in files for line in read[name]})
        questions_drawn = random.Random(0).sample(texts, CHOOSE + UNSEEN)
        (folder / "asked.json").write_text(json.dumps(questions_drawn), encoding="utf-8")
        vectors = build.encode_queries(questions_drawn)
        np.save(path, unit(vectors - np.asarray(0.75 * np.asarray(build.story_mean), np.float32)))
    return np.asarray(np.load(path))


def truth(folder: Path, name: str) -> Matrix:
    """Of each question the inner products of its K nearest vectors."""
    path = folder / f"truth_{name}.npy"
    if not path.is_file():
        vectors, queries = np.load(folder / f"{name}.npy", mmap_mode="r"), np.load(folder / "questions.npy")
        best = np.full((len(queries), 0), 0, np.float32)
        for at in range(0, len(vectors), 50_000):
            best = np.sort(np.hstack([best, queries @ vectors[at : at + 50_000].T]), axis=1)[:, -K:]
        np.save(path, best[:, ::-1])
    return np.asarray(np.load(path))


def build_index(folder: Path, name: str, kind: str) -> dict[str, Any]:
    """Train, fill and write an index on one thread."""
    faiss.omp_set_num_threads(1)
    vectors = np.load(folder / f"{name}.npy", mmap_mode="r")
    lists = 2 ** round(np.log2(4 * np.sqrt(len(vectors))))
    index: Any = faiss.index_factory(
        vectors.shape[1], FACTORIES[kind].format(lists=lists), faiss.METRIC_INNER_PRODUCT
    )
    if "hnsw" in kind:
        index.hnsw.efConstruction = 200
    if "pq" in kind:
        index.pq.cp.max_points_per_centroid = 64  # or the training takes longer than all else
    begun = time.process_time()
    if not index.is_trained:
        step = max(1, len(vectors) // (64 * lists if "ivf" in kind else 100_000))
        index.train(np.ascontiguousarray(vectors[::step]))
    for at in range(0, len(vectors), 50_000):
        index.add(np.ascontiguousarray(vectors[at : at + 50_000]))
    seconds = time.process_time() - begun
    path = folder / f"{name}_{kind}.faiss"
    faiss.write_index(index, str(path))
    peak = psutil.Process().memory_info().rss
    return {"cpu_s": round(seconds, 1), "bytes": path.stat().st_size, "lists": lists, "build_rss": peak}


def _parameters(kind: str, effort: int, rescored: int) -> Any:
    """How hard an index looks."""
    library: Any = faiss
    base = None
    if "ivf" in kind:
        base = library.SearchParametersIVF(nprobe=effort)
    elif "hnsw" in kind:
        base = library.SearchParametersHNSW(efSearch=max(effort, rescored * K))
    return (
        library.IndexRefineSearchParameters(k_factor=rescored, base_index_params=base) if rescored else base
    )


def search_index(folder: Path, name: str, kind: str, rescored: int) -> dict[str, Any]:
    """Recall, memory and times of single questions, by effort."""
    before = psutil.Process().memory_info().rss
    library: Any = faiss
    index = library.read_index(str(folder / f"{name}_{kind}.faiss"), faiss.IO_FLAG_MMAP_IFC)
    if rescored:
        flat = library.read_index(str(folder / f"{name}_flat.faiss"), faiss.IO_FLAG_MMAP_IFC)
        index, base_index = library.IndexRefine(index, flat), index  # noqa: F841
    queries = np.load(folder / "questions.npy")
    out = {}
    index.search(queries, K, params=_parameters(kind, EFFORTS[kind][-1], rescored))  # reads what lies on disk
    for effort in EFFORTS[kind]:
        search = partial(_asked_one_by_one, index, queries, _parameters(kind, effort, rescored))
        row, rows = search(1)
        row |= search(2)[0] | {"rss": psutil.Process().memory_info().rss - before, "anonymous": _anonymous()}
        out[str(effort)] = row | _recall(folder, name, queries, rows)
    return out


def _asked_one_by_one(
    index: Any, queries: Matrix, parameters: Any, threads: int
) -> tuple[dict[str, float], Any]:
    """Milliseconds of single questions, and what each gave."""
    faiss.omp_set_num_threads(threads)
    milliseconds, rows = [], []
    for question in queries if threads == 1 else queries[:250]:
        begun = time.perf_counter()
        rows.append(index.search(question[None], K, params=parameters)[1][0])
        milliseconds.append(1000 * (time.perf_counter() - begun))
    p50, p99 = np.quantile(milliseconds, [0.5, 0.99])
    return {f"p50_{threads}": float(p50), f"p99_{threads}": float(p99)}, np.array(rows)


def _anonymous() -> int:
    """Bytes of this process that no file stands behind."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return 1024 * int(status.partition("RssAnon:")[2].split()[0])


def _recall(folder: Path, name: str, queries: Matrix, rows: Any) -> dict[str, Any]:
    """Share of the rows given that are as near as the k-th nearest, so that equal vectors count alike."""
    vectors, best = np.load(folder / f"{name}.npy", mmap_mode="r"), truth(folder, name)
    out = {}
    for k in (20, K):
        hits = np.array([
            np.mean(np.where(r[:k] >= 0, vectors[r[:k]] @ q, -2) >= b[k - 1] - 1e-5)
            for q, r, b in zip(queries, rows, best, strict=True)
        ])  # fmt: skip
        for part, part_hits in (("choose", hits[:CHOOSE]), ("unseen", hits[CHOOSE:])):
            out[f"recall{k}_{part}"] = float(part_hits.mean())
            out[f"half{k}_{part}"] = float(1.96 * part_hits.std() / np.sqrt(len(part_hits)))
    return out


def measure_bm25(folder: Path, size: int) -> dict[str, Any]:
    """BM25 as the product has it, over the real texts, repeated as often as it takes."""
    texts = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
    begun = time.process_time()
    index = SparseIndex.build(
        [texts[i % len(texts)] for i in range(size)], Analyser("english", "en"), 1.5, 0.75
    )
    seconds = time.process_time() - begun
    target = folder / f"bm25_{size}"
    target.mkdir(exist_ok=True)
    index.save(target)
    written = sum(path.stat().st_size for path in target.iterdir())
    return {"cpu_s": round(seconds, 1), "bytes": written, "build_rss": psutil.Process().memory_info().rss}


def ask_bm25(folder: Path, size: int) -> dict[str, Any]:
    """Times of single questions: the scores of every row, and the best of them."""
    before = psutil.Process().memory_info().rss
    index = SparseIndex.load(folder / f"bm25_{size}")
    milliseconds = []
    for question in json.loads((folder / "asked.json").read_text(encoding="utf-8"))[:250]:
        begun = time.perf_counter()
        np.argpartition(index.scores(question), -K)
        milliseconds.append(1000 * (time.perf_counter() - begun))
    rss = psutil.Process().memory_info().rss - before
    return {
        "p50_1": float(np.median(milliseconds)),
        "p99_1": float(np.quantile(milliseconds, 0.99)),
        "rss": rss,
    }


def alone(function: Any, *arguments: Any) -> dict[str, Any]:
    """What a function gives in a process of its own, so that its memory is its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return dict(pool.submit(function, *arguments).result())


class Measured:
    """Measurements by what was measured, written after each."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}

    def once(self, what: str, function: Any, *arguments: Any) -> None:
        """Measure what was not measured yet."""
        if what not in self.rows:
            self.rows[what] = alone(function, *arguments)
            self.path.write_text(json.dumps(self.rows, indent=1) + "\n", encoding="utf-8")
            print(what, self.rows[what], flush=True)


def prepare(build: PublishedBuild, sections: Path, folder: Path) -> dict[str, Any]:
    """Write the vectors of every size, and say what the copies are made from."""
    vectors, acts, texts = real_vectors(build, sections, folder)
    questions(build, folder)
    (folder / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
    moves, alike = near_duplicates(vectors, acts)
    few, _ = near_duplicates(vectors[:10_000], acts[:10_000])
    grow(vectors[:10_000], few, len(vectors), folder / "grown.npy")
    for name, size in SIZES.items():
        if name != "grown":
            grow(vectors, moves, size or len(vectors), folder / f"{name}.npy")
    alike_at = np.quantile(alike, [0.05, 0.5, 0.95]).round(4).tolist()
    return {"real": len(vectors), "pairs": len(alike), "alike": alike_at, "few_pairs": len(few)}


def gathered(folder: Path) -> dict[str, Any]:
    """All measurements in one, to four digits."""
    paths = {name: folder / f"{name}.json" for name in ("vectors", *SIZES)}
    return {
        name: _rounded(json.loads(path.read_text(encoding="utf-8")))
        for name, path in paths.items()
        if path.is_file()
    }


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(inner) for name, inner in value.items()}
    return round(value, 4) if isinstance(value, float) else value


def main() -> None:
    """Measure every kind at every size; what was measured is not measured again."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(":")[0])
    for name in ("build", "sections", "folder"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--sizes", nargs="+", default=list(SIZES))
    parser.add_argument("--kinds", nargs="+", default=list(FACTORIES))
    arguments = parser.parse_args()
    folder = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    build = PublishedBuild.open(arguments.build)
    Measured(folder / "vectors.json").once("vectors", prepare, build, arguments.sections, folder)
    for name, kind in product(arguments.sizes, arguments.kinds):
        measured = Measured(folder / f"{name}.json")
        if kind == "bm25":
            size = len(np.load(folder / f"{name}.npy", mmap_mode="r"))
            measured.once("bm25", measure_bm25, folder, size)
            measured.once("bm25 asked", ask_bm25, folder, size)
            continue
        truth(folder, name)
        measured.once(kind, build_index, folder, name, kind)
        for rescored in RESCORED[kind]:
            measured.once(f"{kind} {rescored}", search_index, folder, name, kind, rescored)
    text = json.dumps(gathered(folder), separators=(",", ":")).replace('},"', '},\n"')
    (ROOT / "docs" / "vectors.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
