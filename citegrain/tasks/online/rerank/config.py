"""Stage ``rerank``: its parameters, its scorers, and the run that it orders anew."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from citegrain.tasks.core import plugins
from citegrain.tasks.core.plugins import Plugins, source
from citegrain.tasks.core.runs import make_run, min_max, rankings
from citegrain.tasks.core.schemas import RUNS
from citegrain.tasks.core.stage import Stage, canonical_json
from citegrain.tasks.core.store import RowStore
from citegrain.tasks.offline import embed
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.judge import JudgeConfig

NONE, JUDGE = "none", "judge"
SCORERS = Plugins("rerank.scorer", ("citegrain.tasks.online.rerank.scorers",))
SCALES = ("raw", "min_max", "logistic")
Scores = npt.NDArray[np.float32]


@dataclass(frozen=True)
class RerankConfig:
    """How the fused candidates are scored.

    Attributes
    ----------
    scorer
        ``none`` keeps the score of fusion, ``late_interaction`` is MaxSim over the token vectors of the
        build's encoder, ``cross_encoder`` a model that reads query and passage together; ``judge`` a language
        model that reads all candidates at once; or any other file of ``rerank/scorers``.
    model, sha256
        Of a cross-encoder: name on the hub or folder, and digest that its weights must have, if any.
    batch_size, max_tokens
        Of a cross-encoder: pairs a batch; tokens it reads of a pair, 0 for all it can.
    precision
        Of a cross-encoder: ``fp32``, ``bf16``, or ``auto``: one of both, as of ``embed.precision``.
    parents
        Whether of a chunk that is a part (``chunk=parent_child``) the whole provision is read.
    lay_texts
        Whether a passage is read with the first lay text of its provision before it, where it has any.
    fused
        Share of fusion's score in the scorer's, both on the scale of ``scale``.
    scale
        On which scale provenance is added: ``raw`` (the thesis), ``min_max``, 0..1 a query, or ``logistic``,
        0..1 of a logit by itself (what ``select.threshold`` and ``select.raw_gap`` of CivicSetu are about).
    provenance
        Weight lambda of Eq. 3.4; 0 leaves it out.
    section, act, consistent
        What a match of section number and of Act adds to phi; whether a section number counts only where the
        Act named with it is the chunk's.
    options
        Parameters of the scorer that are no fields here, by name.
    """

    scorer: str = "late_interaction"
    model: str = "cross-encoder/ms-marco-MiniLM-L6-v2"
    sha256: str = ""
    batch_size: int = 32
    max_tokens: int = 0
    precision: str = "fp32"
    parents: bool = False
    lay_texts: bool = False
    fused: float = 0.0
    scale: str = "min_max"
    provenance: float = 0.15
    section: float = 1.0
    act: float = 0.5
    consistent: bool = True
    options: dict[str, Any] = field(default_factory=dict)
    judge: JudgeConfig = field(default_factory=JudgeConfig)

    def __post_init__(self) -> None:
        if self.scorer not in (NONE, JUDGE):
            SCORERS.check([self.scorer], self.options)
        if self.scale not in SCALES:
            raise ValueError(f"rerank.scale={self.scale}: one of {', '.join(SCALES)}")
        if min(self.provenance, self.section, self.act, self.max_tokens) < 0 or self.batch_size < 1:
            raise ValueError("rerank: weights and max_tokens must not be negative, batch_size positive")
        if self.precision not in ("auto", "fp32", "bf16"):
            raise ValueError(f"rerank.precision={self.precision}: auto, fp32 or bf16")
        if not 0 <= self.fused <= 1:
            raise ValueError(f"rerank.fused={self.fused}: it must lie in 0 to 1")

    @property
    def asks(self) -> str:
        """The setting by which a model is asked; empty where none is."""
        return "rerank=judge" if self.scorer == JUDGE else ""

    def without_model(self) -> RerankConfig:
        """The same as far as no model is asked."""
        return replace(self, scorer=NONE)

    def parameters(self) -> dict[str, Any]:
        """The parameters that shape the order of the candidates; the scorer's identity stands for its own."""
        bonus = ("provenance", "section", "act", "consistent") if self.provenance else ("provenance",)
        scored = tuple(
            name for name in ("lay_texts", "parents", "fused") if self.scorer != NONE and getattr(self, name)
        )
        read = {name: getattr(self, name) for name in ("scorer", "scale", *scored, *bonus)}
        return read | SCORERS.source(self.scorer)


@dataclass(frozen=True, slots=True)
class Passage:
    """A candidate: its row in the build, the text that is read and that text's hash."""

    row: int
    text: str
    text_hash: str


class Scorer(Protocol):
    """Scores pairs. ``identity`` tells two scorers apart whose scores may differ."""

    identity: str

    def score(self, query: str, passages: Sequence[Passage]) -> Scores:
        """One score a passage, higher is better."""
        ...

    def forget(self) -> None:
        """Drop what is cached of passages scored before, so that times can be measured."""
        ...


def make_scorer(build: PublishedBuild, config: RerankConfig) -> Scorer | None:
    """The scorer that ``config`` names, one for a build; None where none scores."""
    if config.scorer in (NONE, JUDGE):
        return None
    make = SCORERS.function(config.scorer)
    values = plugins.parameters(make, config)
    scorer: Scorer = build.shared((config.scorer, canonical_json(values)), partial(make, build, **values))
    return scorer


STAGE = Stage("rerank", 1, (RUNS,))
_SEGMENT = 400  # pairs that a kill loses at most, with those of one query
_PAIRS = pa.schema([("pair", pa.string()), ("score", pa.float32())])


def rerank(
    build: PublishedBuild,
    queries: pa.Table,
    run: pa.Table,
    scorer: Scorer | None,
    config: RerankConfig,
    pairs: RowStore | None = None,
    progress: Callable[[int], None] = lambda n: None,
) -> pa.Table:
    """Score the candidates of a run anew: s = scale(scorer) + lambda phi (Eq. 3.4).

    ``scorer``: None keeps the scores of ``run``. ``pairs``: scores by pair, read before and added to after
    scoring: a pair is scored once, ever. None keeps none.
    """
    by_id = {q["query_id"]: q for q in queries.to_pylist()}
    ranked = rankings(run)
    if scorer is None:
        scores = {q: [s for _, s in items] for q, items in ranked.items()}
    else:
        passages = {q: [_passage(build, c, config) for c, _ in items] for q, items in ranked.items()}
        texts = {q: by_id[q]["text"] for q in ranked}
        scores = _pair_scores(texts, passages, scorer, pairs, progress)
    out = {}
    for query, items in ranked.items():
        values = _scaled(scores[query], config)
        if scorer is not None and config.fused:
            before = _scaled([score for _, score in items], config)
            values = [(1 - config.fused) * a + config.fused * b for a, b in zip(values, before, strict=True)]
        if config.provenance:
            phi = [provenance(by_id[query], build.tag(c), config) for c, _ in items]
            values = [s + config.provenance * f for s, f in zip(values, phi, strict=True)]
        order = sorted(range(len(items)), key=lambda i: -values[i])
        out[query] = [(items[i][0], values[i]) for i in order]
    return make_run(out, "reranked")


def provenance(query: Mapping[str, Any], tag: Mapping[str, Any], config: RerankConfig) -> float:
    """phi(q, m) of Eq. 3.4: what a row of ``queries`` names that the chunk's row of ``tags`` carries."""
    section = (tag["section"] or "").upper()
    matches = [m for m in query["mentions"] if section and m["number"].partition("(")[0].upper() == section]
    if config.consistent:
        matches = [m for m in matches if m["act_id"] in (None, tag["act_id"])]
    return config.section * bool(matches) + config.act * (tag["act_id"] in query["acts"])


def _scaled(scores: Sequence[float], config: RerankConfig) -> list[float]:
    if config.scale == "logistic":
        return [float(p) for p in 1 / (1 + np.exp(-np.asarray(scores, dtype=np.float64)))]
    return min_max(scores) if config.scale == "min_max" else list(scores)


def read(build: PublishedBuild, row: int, lay: int = -1, passage: Mapping[str, Any] | None = None) -> str:
    """What a scorer reads of a chunk: header and text, and before them a lay text of its provision.

    ``lay``: number of the lay text; -1, or one that the provision has not, reads none. ``passage``: header
    and text that are read instead of the chunk's.
    """
    passage = passage or build.passage(row)
    text = embed.ChunkText(passage["header"], passage["text"]).joined
    lay_texts = build.lay_texts(row) if lay >= 0 else ()
    return f"{lay_texts[lay]}\n{text}" if 0 <= lay < len(lay_texts) else text


def _passage(build: PublishedBuild, chunk_id: str, config: RerankConfig) -> Passage:
    row = build.rows[chunk_id]
    lay = 0 if config.lay_texts else -1
    text = read(build, row, lay, build.parent(chunk_id) if config.parents else None)
    changed = config.parents or config.lay_texts
    key = hashlib.sha256(text.encode()).hexdigest() if changed else build.passage(row)["text_hash"]
    return Passage(row, text, key)


def pair_rows(store: Path, scorer: Scorer) -> RowStore:
    """Where the scores of a scorer's pairs are kept: of one that stands elsewhere, as it is written now."""
    name = "-".join(filter(None, (scorer.identity, source(type(scorer)))))
    return RowStore(store, STAGE.name, name, _PAIRS, "pair")


def _keep(pairs: RowStore, scores: Mapping[str, float]) -> None:
    pairs.append(pa.table({"pair": list(scores), "score": list(scores.values())}, schema=_PAIRS))


def _pair_scores(
    texts: Mapping[str, str],
    passages: Mapping[str, Sequence[Passage]],
    scorer: Scorer,
    pairs: RowStore | None,
    progress: Callable[[int], None],
) -> dict[str, list[float]]:
    """Scores of each query's passages, in their order; kept as they come, so that a kill loses few."""
    if pairs is None:
        scores = {}
        for query, candidates in passages.items():
            scores[query] = [float(s) for s in scorer.score(texts[query], candidates)]
            progress(1)
        return scores
    keys = {
        q: [hashlib.sha256(f"{texts[q]}\0{p.text_hash}".encode()).hexdigest() for p in candidates]
        for q, candidates in passages.items()
    }
    rows = pairs.read(list(dict.fromkeys(k for of_query in keys.values() for k in of_query))).to_pydict()
    cached: dict[str, float] = dict(zip(rows["pair"], rows["score"], strict=True))
    fresh: dict[str, float] = {}
    for query, candidates in passages.items():
        missing = [(k, p) for k, p in zip(keys[query], candidates, strict=True) if k not in cached]
        if missing:
            values = scorer.score(texts[query], [p for _, p in missing])
            fresh |= {k: float(np.float32(s)) for (k, _), s in zip(missing, values, strict=True)}
            cached |= fresh
        progress(1)
        if len(fresh) >= _SEGMENT:
            _keep(pairs, fresh)
            fresh = {}
    _keep(pairs, fresh)
    return {q: [float(cached[k]) for k in of_query] for q, of_query in keys.items()}
