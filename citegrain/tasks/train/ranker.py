"""Learning to order candidates: LambdaMART by LightGBM.

What it learns from was not learned by what gives the scores that it sees: the reader learned from no
question, and a classifier that did without a text reads it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from citegrain.tasks.core.runs import Ranked, rankings
from citegrain.tasks.law.citing import Lexicon
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.cascade import Cascade, CascadeConfig
from citegrain.tasks.online.estimate import POOL, SCORES, Catalogue, ScopeQuestion
from citegrain.tasks.online.features import FEATURES, Candidates, Priors, matrix
from citegrain.tasks.online.fuse import Trees
from citegrain.tasks.online.steps import run_steps
from citegrain.tasks.train import estimates
from citegrain.tasks.train.boosting import BOOSTING, flat_trees
from citegrain.tasks.train.config import PARTS, RankerConfig
from citegrain.tasks.train.examples import LEFT_OUT, UNSEEN, learned_row, part_of
from citegrain.tasks.train.readings import Reading, TrainingText
from citegrain.tasks.train.texts import ASKED, FORUM, QUESTION, SHORT, STORY

Matrix = npt.NDArray[np.float32]

# in the priors: neither stories nor short questions are a sample of what people ask
_WEIGHTS = {ASKED: 3.0, QUESTION: 1.0, FORUM: 1.0, SHORT: 0.3, STORY: 0.3}
_TIMES = {ASKED: 3.0}
_GONE = (0.3, 0.6, 0.9, 0.97)  # shares of the Acts that a corpus may lack; the last leaves one or two
_TREES = BOOSTING | {
    "objective": "lambdarank",
    "label_gain": [0, 1, 3],
    "lambdarank_truncation_level": 20,
    "num_leaves": 15,
    "max_depth": 6,
    "min_data_in_leaf": 40,
}


@dataclass(frozen=True)
class Rows:
    """Features and grades of the candidates of one text.

    ``vector``: of the text, shape (dimension,). ``gone``: Acts that were taken away.
    """

    text: TrainingText
    candidates: Candidates
    values: Matrix
    grades: npt.NDArray[np.int64]
    vector: Matrix
    gone: frozenset[str] = frozenset()


def priors_of(texts: Iterable[TrainingText]) -> Priors:
    """How often each provision applied, by weight of the kind of text."""
    counts: dict[str, float] = {}
    for text in texts:
        for provision in sorted(set().union(*text.golds)):
            counts[provision] = counts.get(provision, 0.0) + _WEIGHTS[text.kind]
    return Priors(counts)


@dataclass(frozen=True)
class Searched:
    """What the channels find for some texts.

    Attributes
    ----------
    queries
        Rows of ``queries``, one a text, in the order of the texts.
    vectors
        Of the texts: shape (texts, dimension).
    lists
        What each channel found, by text.
    """

    build: PublishedBuild
    texts: Sequence[TrainingText]
    queries: Sequence[Mapping[str, Any]]
    vectors: Matrix
    lists: Mapping[str, Mapping[str, Ranked]]
    weights: Mapping[str, float]


def search(build: PublishedBuild, texts: Sequence[TrainingText], store: Path | None = None) -> Searched:
    """Ask a build for texts through every channel of the default.

    ``store``: where the vectors of texts are kept; None keeps none.
    """
    config = CascadeConfig.chosen()
    retrieve = replace(config.retrieve, questions="", classifier="", glossed="")
    changed = replace(config, retrieve=retrieve, fuse=replace(config.fuse, method="rrf"))
    cascade = Cascade(build, changed, store)
    steps = cascade.steps({a.id: a.text for a in texts}, {a.id: a.day for a in texts})
    channels = config.retrieve.channels
    tables = run_steps(step for step in steps if step.name in ("query", *channels))
    lists = {channel: rankings(tables[channel]) for channel in channels}
    queries = tables["query"]
    return Searched(build, texts, queries.to_pylist(), cascade.vectors(queries), lists, config.fuse.weights)


def gather(
    searched: Searched,
    priors: Callable[[TrainingText], Priors],
    new: Callable[[TrainingText], Collection[str]] = lambda text: (),
    gone: Callable[[TrainingText], Collection[str]] = lambda text: (),
) -> list[Rows]:
    """Candidates of texts with features and grades.

    ``new``: Acts that are to be taken for new: without lay texts and without priors. ``gone``: Acts that are
    to be taken for absent.
    """
    build, out = searched.build, []
    for text, query, vector in zip(searched.texts, searched.queries, searched.vectors, strict=True):
        away = frozenset(gone(text))
        without = set(new(text))
        prior = {p: n for p, n in priors(text).provisions.items() if p.partition("/")[0] not in without}
        lists = {channel: ranked.get(text.id, []) for channel, ranked in searched.lists.items()}
        if away:
            lists = {
                channel: [c for c in ranked if _act(build, c[0]) not in away]
                for channel, ranked in lists.items()
            }
        candidates = Candidates.gather(build, query, lists, Priors(prior), searched.weights, without)
        grades = np.array([_grade(p, text) for p in candidates.provisions], dtype=np.int64)
        out.append(Rows(text, candidates, matrix(candidates, tuple(FEATURES)), grades, vector, away))
    return out


def _act(build: PublishedBuild, chunk: str) -> str:
    return (build.citations[chunk] or "").partition("/")[0]


def _grade(provision: str, text: TrainingText) -> int:
    """2 of the primary, 1 of another that applies, 0 of the rest."""
    return max((1 + (n == 0) for n, gold in enumerate(text.golds) if provision in gold), default=0)


def learn(
    reading: Reading,
    texts: Sequence[TrainingText],
    unlearned: Sequence[TrainingText],
    config: RankerConfig,
    store: Path | None = None,
    measured: Sequence[TrainingText] = (),
    abroad: Iterable[tuple[Collection[str], Reading]] = (),
) -> tuple[dict[str, Any], list[dict[str, Any]], tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Train a ranker, and measure others of its kind on the texts that they did without.

    Parameters
    ----------
    reading
        By a reader that learned from none of the questions.
    texts
        Of kind ``forum`` they count for the priors alone.
    unlearned
        Texts for the estimates alone: to which nothing applies, or of whose law nothing is learned.
    store
        Where the vectors of texts are kept.
    measured
        Texts of benchmarks, of which none is learned from.
    abroad
        Acts by fold, with what read them without having learned anything of them. Instead of with half of the
        Acts taken for new the ranker sees each text a second time so.

    Returns
    -------
    tuple
        What the file of the ranker holds; the rows of ``learned``: places by fusion of ranks, and as ranked;
        and what :func:`estimates.fit` gives beside it.
    """
    build, catalogue = reading.build, Catalogue.read_by(reading.build.encoder)
    acts = sorted(set(build.act_ids))
    by_part = [
        priors_of(t for t in texts if part_of(f"priors/{t.id}", PARTS) != part) for part in range(PARTS)
    ]

    def priors(text: TrainingText) -> Priors:
        return by_part[part_of(f"priors/{text.id}", PARTS)]

    ranked = [text for text in texts if text.kind != FORUM]
    within, beyond = search(build, ranked, store), search(build, unlearned, store)
    rows = gather(within, priors)
    unknown = [] if config.folds else gather(within, priors, partial(_new_acts, acts))
    lacking = partial(_lacking_acts, acts)
    fewer = [*gather(within, priors, gone=lacking), *gather(beyond, priors, gone=lacking)]
    others = [row for row in (*rows, *gather(beyond, priors), *fewer) if len(row.grades)]
    away = list(_read_abroad(abroad, texts, [*ranked, *measured], store))
    benchmarks = {text.kind for text in measured}
    unknown += [row for _, of_fold in away for row in of_fold if row.text.kind not in benchmarks]
    every, all_priors = [*rows, *unknown], priors_of(texts)
    learned, samples = _cross_fitted(every, rows, others, catalogue, build.lexicon, config)
    trees = _fit(every, config)
    learned += _learned(_read(reading, measured, all_priors, store), trees, LEFT_OUT)
    learned += _learned_abroad(away, every, config)
    described = {"features": list(FEATURES), "priors": all_priors.provisions, "trees": trees}
    return described, learned, estimates.fit(samples, catalogue.other)


def _new_acts(acts: Sequence[str], text: TrainingText) -> set[str]:
    """The half of some Acts that is taken for new before a text."""
    return {act for act in acts if part_of(f"new/{text.id}/{act}", 2)}


def _lacking_acts(acts: Sequence[str], text: TrainingText) -> set[str]:
    """Those of some Acts that are taken away from a text, which may be those that apply to it."""
    share = _GONE[part_of(f"share/{text.id}", len(_GONE))]
    lacking = {act for act in acts if part_of(f"gone/{text.id}/{act}", 100) < 100 * share}
    # else hardly a question that is asked of a small corpus would be one that it answers
    return lacking - text.acts if part_of(f"stays/{text.id}", 2) else lacking


def about(text: TrainingText, acts: Collection[str]) -> bool:
    """Whether a provision of one of some Acts applies to a text."""
    return any(act in acts for act, _ in text.labels)


def _read(reading: Reading, texts: Sequence[TrainingText], priors: Priors, store: Path | None) -> list[Rows]:
    """Candidates of texts of which the reading has learned nothing."""
    return gather(search(reading.build, texts, store), lambda text: priors) if texts else []


def _read_abroad(
    abroad: Iterable[tuple[Collection[str], Reading]],
    texts: Sequence[TrainingText],
    asked_of: Sequence[TrainingText],
    store: Path | None,
) -> Iterator[tuple[Collection[str], list[Rows]]]:
    """Acts by fold, with the candidates of what is asked of them, priors without what is about them."""
    for unseen, reading in abroad:
        prior = priors_of(text for text in texts if not about(text, unseen))
        of_fold = [text for text in asked_of if text.labels[0][0] in unseen]
        yield unseen, _read(reading, of_fold, prior, store)


def _learned_abroad(
    away: Iterable[tuple[Collection[str], list[Rows]]], every: Sequence[Rows], config: RankerConfig
) -> Iterator[dict[str, Any]]:
    """Rows of ``learned`` by rankers that learned nothing of the Acts of a fold."""
    for unseen, rows in away:
        trees = _fit([row for row in every if not about(row.text, unseen)], config)
        yield from _learned(rows, trees, UNSEEN)


def _learned(rows: Iterable[Rows], trees: list[dict[str, Any]], split: str) -> list[dict[str, Any]]:
    """Rows of ``learned``."""
    model = Trees(trees)
    return [_places(row, model.scores(row.values), split) for row in rows]


def _cross_fitted(
    every: Sequence[Rows],
    measured: Sequence[Rows],
    others: Sequence[Rows],
    catalogue: Catalogue,
    lexicon: Lexicon,
    config: RankerConfig,
) -> tuple[list[dict[str, Any]], list[estimates.Sample]]:
    """Rows of ``learned`` and samples for the estimates, each by a ranker that did without its text.

    ``every``: what rankers learn from. ``measured``, ``others``: what rows are of, and what samples are of.
    """
    learned, samples = [], []
    indexed = catalogue.acts(lexicon)
    for fold in range(PARTS):
        model = Trees(_fit([row for row in every if _fold(row) != fold], config))
        learned += [_places(row, model.scores(row.values)) for row in measured if _fold(row) == fold]
        samples += [_sample(row, model, catalogue, indexed) for row in others if _fold(row) == fold]
    return learned, samples


def _fold(row: Rows) -> int:
    """Of the parts for cross-fitting; a text is in one of them with all that was taken away from it."""
    return part_of(f"ranker/{row.text.id}", PARTS)


def _sample(row: Rows, model: Trees, catalogue: Catalogue, catalogued: Sequence[str]) -> estimates.Sample:
    """What estimates are learned from: the first candidates."""
    scores = model.scores(row.values)
    first = np.argsort(-scores, kind="stable")[:POOL]
    columns = {name: row.values[:, list(FEATURES).index(name)] for name in SCORES}
    near, _ = catalogue.near(row.vector, row.candidates.query["text"])
    here = [gold for gold in row.text.golds if any(p.partition("/")[0] not in row.gone for p in gold)]
    return estimates.Sample(
        id=row.text.id,
        kind=row.text.kind,
        question=ScopeQuestion(row.candidates.query, row.vector, columns, scores[first], near, near, near),
        grades=row.grades[first],
        present=np.array([bool(act) and act not in row.gone for act in catalogued]),
        applicable=len(here),
        once=row.text.once,
        chunks=tuple(row.candidates.chunks[i] for i in first),
    )


def _places(row: Rows, scores: npt.NDArray[np.float64], split: str = LEFT_OUT) -> dict[str, Any]:
    """A row of ``learned``: what was not found stands behind the last candidate."""
    golds = [gold for gold in row.text.golds if gold]

    def ranks(scores: npt.NDArray[Any]) -> list[int]:
        order = np.argsort(-scores, kind="stable")
        place = {row.candidates.provisions[i]: n + 1 for n, i in enumerate(order)}
        return [min(place.get(p, len(place) + 1) for p in gold) for gold in golds]

    return learned_row(row.text.id, row.text.kind, split, ranks(row.candidates.fused), ranks(scores))


def _fit(rows: Sequence[Rows], config: RankerConfig) -> list[dict[str, Any]]:
    """The trees that order the candidates of some texts."""
    values = np.concatenate([row.values for row in rows])
    grades = np.concatenate([row.grades for row in rows])
    weights = np.concatenate([np.full(len(row.grades), _TIMES.get(row.text.kind, 1.0)) for row in rows])
    import lightgbm

    data = lightgbm.Dataset(values, grades, group=[len(row.grades) for row in rows], weight=weights)
    booster = lightgbm.train({**_TREES, "seed": config.seed}, data, config.rounds)
    return flat_trees(booster)


def write(described: dict[str, Any], path: Path) -> None:
    """Write the file of a ranker."""
    path.write_text(json.dumps(described, sort_keys=True) + "\n", encoding="utf-8")
