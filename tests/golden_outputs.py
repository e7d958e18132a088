"""What each stage makes of two small PDFs, kept in ``tests/golden`` beside the stage's version.

A key names a stage by its version constant, not by its source. So whoever changes what a
stage writes must raise its version, else an old store would serve old results.
``tests/test_golden.py`` holds that; after a change that is meant, and with the version raised::

    python -m tests.golden_outputs
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from citegrain.flows.shared.library import Build
from citegrain.flows.shared.settings import Settings, load_settings
from citegrain.tasks.core.endpoint import parse_reply
from citegrain.tasks.core.schemas import DOCUMENTS, LINES, PAGES, PROVISIONS, REFERENCES, TAGS, TEXTS
from citegrain.tasks.core.stage import Stage, Tables, digest
from citegrain.tasks.core.store.files import hash_file
from citegrain.tasks.evaluation import score
from citegrain.tasks.evaluation.benchmark import Citation
from citegrain.tasks.offline import chunk, embed, graph, index, merge, parse, structure, tag
from citegrain.tasks.offline.chunk import STRATEGIES, ChunkConfig
from citegrain.tasks.offline.corpus import Registry, identify
from citegrain.tasks.offline.models import Encoder, Tokenizer, find_model
from citegrain.tasks.online import fuse, generate, query, rerank, retrieve, select, verify
from citegrain.tasks.online.cascade import Cascade, CascadeResult
from citegrain.tasks.online.generate.stage import make_messages

FOLDER = Path(__file__).parent / "golden"
WORDS = {"wages": "my wages were not paid for three months", "oil": "who supplies the oil of the lamp"}
QUERIES = {
    "wages": "my wages were not paid for three months",
    "oil": "who supplies the oil of the lamp, is it section 3A of the Lantern Keepers (Welfare) Act, 2011?",
}
_OVERRIDES = ["corpus=folder", "corpus.path=.", "corpus.name=golden", "embed=minilm", "embed.precision=fp32"]
Rows = dict[str, list[Any]]


def _rows(tables: Mapping[str, Any]) -> Rows:
    rows = {name: table.to_pylist() for name, table in tables.items()}
    plain: Rows = json.loads(json.dumps(rows, ensure_ascii=False, default=str))
    return plain


@cache
def _temporary() -> tempfile.TemporaryDirectory[str]:
    """A folder that goes when the process does."""
    return tempfile.TemporaryDirectory(prefix="citegrain-golden-")


@cache
def _settings() -> Settings:
    return load_settings(_OVERRIDES)


@cache
def _tokenizer() -> Tokenizer:
    return Tokenizer(find_model(_settings().embed.model, _settings().models_folder))


@cache
def _encoder() -> Encoder:
    model = find_model(_settings().embed.model, _settings().models_folder)
    return Encoder(model, _settings().embed.settings())


@cache
def _parsed() -> list[Tables]:
    pdfs = sorted(FOLDER.glob("*.pdf"))
    return [parse.parse_document(p.read_bytes(), hash_file(p), _settings().documents["parse"]) for p in pdfs]


def _identities(tables: Tables) -> list[Any]:
    identities = identify(tables[DOCUMENTS.name].to_pylist()[0], Registry({}), "unnamed.pdf")
    assert isinstance(identities, list), identities
    return identities


@cache
def _structured() -> list[Tables]:
    return [
        structure.structure_document(t[DOCUMENTS.name], t[LINES.name], structure.act_spans(_identities(t)))
        for t in _parsed()
    ]


def _titles(tables: Tables) -> dict[str, str]:
    return {i.act_id: i.title for i in _identities(tables)}


def _cut(config: ChunkConfig) -> list[Tables]:
    return [
        chunk.chunk_document(s[TEXTS.name], s[PROVISIONS.name], _titles(p), _tokenizer(), config)
        for p, s in zip(_parsed(), _structured(), strict=True)
    ]


@cache
def _tagged() -> list[Tables]:
    acts = tag.known_acts(Registry({}))
    stages = zip(_parsed(), _structured(), _cut(_settings().documents["chunk"]), strict=True)
    return [
        tag.tag_document(s[TEXTS.name], s[PROVISIONS.name], c["chunks"], _titles(p), acts)
        for p, s, c in stages
    ]


@cache
def golden_build(lay: tuple[tuple[str, str, str], ...] = ()) -> Build:
    """The build of both documents, in a temporary folder; ``lay`` texts as (act, section, text)."""
    folder = Path(_temporary().name)
    documents, acts = [], []
    for p, s, c, t in zip(
        _parsed(), _structured(), _cut(_settings().documents["chunk"]), _tagged(), strict=True
    ):
        sources = {DOCUMENTS.name: p, PAGES.name: p, PROVISIONS.name: s, "chunks": c, TAGS.name: t}
        sources |= {"classification": s, "reports": s, "coverage": s, "judgments": p, "precedents": t}
        documents.append(
            {name: d[name] for name, d in sources.items()} | {REFERENCES.name: t[REFERENCES.name]}
        )
        acts += [_act(p, identity) for identity in _identities(p)]
    published = {name: pa.concat_tables([d[name] for d in documents]) for name in documents[0]}
    tables = merge.merge_tables(published, acts, [])
    rows = index.searched_rows(tables["chunks"])
    texts = [embed.ChunkText(r["header"], r["text"]).joined for r in rows]
    vectors = _encoder().encode(texts, query=False)
    settings = _settings()

    def write(target: Path) -> None:
        expansion, _ = index.expansion_table(lay, tables[PROVISIONS.name])
        lay_vectors = _encoder().encode(expansion.column("text").to_pylist(), query=True)
        index.write_files(
            target, tables, texts, [vectors], vectors[:0], settings.index, None, (expansion, lay_vectors)
        )

    facts = {
        "embed": {name: value for name, value in vars(settings.embed).items() if name != "api"},
        "weights": find_model(settings.embed.model, settings.models_folder).sha256,
        "dimension": vectors.shape[1],
        "counts": {name: table.num_rows for name, table in tables.items()},
    }
    return Build.open(
        index.write_build(folder, "golden", index.STAGE.key({"lay": lay} if lay else {}, {}), write, facts),
        models=settings.models_folder,
    )


def _act(parsed: Tables, identity: Any) -> dict[str, Any]:
    return {
        "act_id": identity.act_id,
        "version_date": identity.version_date,
        "version_evidence": identity.version_evidence,
        "document_id": parsed[DOCUMENTS.name].column("document_id")[0].as_py(),
        "title": identity.title,
        "number": identity.number,
        "title_evidence": identity.title_evidence,
        "aliases": [],
        "in_force_from": None,
        "in_force_to": None,
        "replaced_by": None,
        "page_start": identity.page_start,
        "n_sections": 1,
    }


def _parse_rows() -> Rows:
    return {f"{i} {name}": rows for i, t in enumerate(_parsed()) for name, rows in _rows(t).items()}


def _structure_rows() -> Rows:
    return {f"{i} {name}": rows for i, t in enumerate(_structured()) for name, rows in _rows(t).items()}


def _chunk_rows() -> Rows:
    default = _settings().documents["chunk"]
    cut = {
        "default": default,
        **{s: replace(default, strategy=s, size=60, overlap=12, header="none") for s in STRATEGIES},
    }
    return {
        f"{name} {i}": _rows(t)["chunks"] for name, config in cut.items() for i, t in enumerate(_cut(config))
    }


def _tag_rows() -> Rows:
    return {f"{i} {name}": rows for i, t in enumerate(_tagged()) for name, rows in _rows(t).items()}


def _embed_rows() -> Rows:
    rows = [r for t in _cut(_settings().documents["chunk"]) for r in t["chunks"].to_pylist() if r["indexed"]]
    texts = {r["text_hash"]: embed.ChunkText(r["header"], r["text"]) for r in rows[:5]}
    texts["longer than the encoder reads"] = embed.ChunkText("Header", " ".join(r["text"] for r in rows))
    model = find_model(_settings().embed.model, _settings().models_folder)
    space = embed.vector_space(model, _tokenizer().sha256, _settings().embed)
    stored = embed.vector_rows(Path(_temporary().name), space, model.dimension)
    embed.embed_passages(stored, texts, _encoder(), _settings().embed.long, lambda n: None)
    vectors = embed.read_vectors(stored, list(texts), model.dimension)
    return {"vectors": [[round(float(x), 6) for x in v] for v in vectors]}


def _index_rows() -> Rows:
    build = golden_build()
    tables = {s.name: build.table(s) for s in index.STAGE.outputs}
    sparse = {p.name: hash_file(p) for p in sorted((build.folder / index.SPARSE).iterdir())}
    scores = {q: [round(float(x), 5) for x in build.sparse_scores(text)] for q, text in WORDS.items()}
    contents = [[name, digest(rows)] for name, rows in _rows(tables).items()]
    return {"tables": contents, "sparse": [list(p) for p in sparse.items()], "bm25": [scores]}


@cache
def _cascaded() -> CascadeResult:
    """Every online stage over the golden queries: three channels, late interaction, MMR, so that all have work."""
    plain = ["retrieve.centre=0", "retrieve.rarity=false", "retrieve.schedules=true"]
    stages = ["retrieve=hybrid", "fuse=rrf", "rerank=late_interaction", "select=mmr"]
    settings = load_settings([*_OVERRIDES, *plain, *stages])
    return Cascade(golden_build(), settings.cascade).run(QUERIES)


def _run_rows(*names: str) -> Rows:
    runs = {name: _cascaded().runs[name].to_pylist() for name in names}
    return {name: [r | {"score": round(r["score"], 3)} for r in rows] for name, rows in runs.items()}


def _query_rows() -> Rows:
    return _rows({"queries": _cascaded().queries})


def _answer_rows() -> Rows:
    """Answers without the scores, which the last bits of a vector move."""
    rows = _rows({"answers": _cascaded().answers})["answers"]
    for row in rows:
        answer = json.loads(row["answer"])
        row["answer"] = answer | {"charges": [c | {"score": 0.0} for c in answer["charges"]]}
    return {"answers": rows}


def _generate_rows() -> Rows:
    result, schema = _cascaded(), generate.AnswerSchema(("victim", "culprit"), ("bailable",))
    generated = generate.generate(result.queries, result.hits, generate.GenerateConfig(), schema)
    read, number = parse_reply('Sure: {"charges": [{"law": "x"}], "note": "a", "note": "b"}', schema)
    return {
        "extractive": [m.answer for m in generated.values()],
        "parsed": [read, number],
        "prompt": make_messages(QUERIES["oil"], result.hits["oil"], schema, 200),
    }


def _score_rows() -> Rows:
    """Scores of the golden queries: one whose provision is found, one that cites what is not indexed."""
    result, act = _cascaded(), "lantern-keepers-welfare-act-2011"
    gold = [
        score.GoldQuery(query, tuple(_gold_item(act, section, 2 - i) for i, section in enumerate(sections)))
        for query, sections in (("oil", ["3A", "99"]), ("wages", ["3"]))
    ]
    scored = score.score(golden_build(), gold, result.runs, result.answers)
    return {
        name: [{k: round(v, 6) if isinstance(v, float) else v for k, v in r.items()} for r in rows]
        for name, rows in _rows(scored).items()
    }


def _gold_item(act: str, section: str, grade: int) -> score.GoldItem:
    provisions = tuple(golden_build().labelled(act, section))
    return score.GoldItem(Citation(act, section), grade, provisions, bool(provisions))


def _graph_rows() -> Rows:
    return _rows(golden_build().graph_tables)


STAGES: dict[str, tuple[Stage, Callable[[], Rows]]] = {
    "parse": (parse.STAGE, _parse_rows),
    "structure": (structure.STAGE, _structure_rows),
    "chunk": (chunk.STAGE, _chunk_rows),
    "tag": (tag.STAGE, _tag_rows),
    "embed": (embed.STAGE, _embed_rows),
    "index": (index.STAGE, _index_rows),
    "graph": (graph.STAGE, _graph_rows),
    "query": (query.STAGE, _query_rows),
    "retrieve": (retrieve.STAGE, lambda: _run_rows("dense", "sparse", "provision")),
    "fuse": (fuse.STAGE, lambda: _run_rows("fused")),
    "rerank": (rerank.STAGE, lambda: _run_rows("reranked")),
    "select": (select.STAGE, lambda: _run_rows("selected")),
    "generate": (generate.STAGE, _generate_rows),
    "verify": (verify.STAGE, _answer_rows),
    "score": (score.STAGE, _score_rows),
}


def output(stage: str) -> Rows:
    """What the stage makes of the golden PDFs now."""
    return STAGES[stage][1]()


def last_accepted(stage: str) -> tuple[int, Rows]:
    """(version, output) that were accepted last."""
    path = FOLDER / f"{stage}.json"
    if not path.is_file():
        return 0, {}
    golden = json.loads(path.read_text(encoding="utf-8"))
    return int(golden["version"]), golden["output"]


def same(stage: str, one: Rows, other: Rows) -> bool:
    """Whether two outputs are equal; vectors, which no processor repeats to the last bit, by cosine."""
    if stage != "embed":
        return one == other
    a, b = (np.asarray(rows.get("vectors", [])) for rows in (one, other))
    return a.shape == b.shape and bool((np.sum(a * b, axis=1) >= 0.9999).all())


def complaint(stage: str) -> str | None:
    """What is wrong between a stage's output, its version and what is kept; None if nothing is."""
    now, version = output(stage), STAGES[stage][0].version
    golden_version, golden = last_accepted(stage)
    if not same(stage, now, golden) and version <= golden_version:
        return f"the output of {stage} moved: raise its STAGE version above {golden_version}"
    if version != golden_version:
        return f"{stage} is at version {version}, kept is {golden_version}: python -m tests.golden_outputs"
    return None


def accept() -> int:
    """Write the outputs whose stage's version was raised; the exit code."""
    failed = 0
    for stage, (declared, _) in STAGES.items():
        now, (golden_version, golden) = output(stage), last_accepted(stage)
        if declared.version == golden_version:
            if not same(stage, now, golden):
                print(f"refused: {complaint(stage)}")
                failed = 1
            continue
        body = ",\n".join(
            f"  {json.dumps(name)}: [\n"
            + ",\n".join("   " + json.dumps(row, ensure_ascii=False) for row in rows)
            + "\n  ]"
            for name, rows in now.items()
        )
        text = f'{{\n "version": {declared.version},\n "output": {{\n{body}\n }}\n}}\n'
        (FOLDER / f"{stage}.json").write_text(text, encoding="utf-8")
        print(f"accepted: {stage} at version {declared.version}")
    return failed


if __name__ == "__main__":
    sys.exit(accept())
