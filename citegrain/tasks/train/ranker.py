"""Learning to order candidates: LambdaMART by LightGBM.

What it learns from was not learned by what gives the scores that it sees: the reader learned from no
question, and a classifier that did without a text reads it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from citegrain.tasks.core.runs import Ranked, rankings
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.cascade import Cascade, CascadeConfig
from citegrain.tasks.online.estimate import POOL, SCORES, Catalogue, ScopeQuestion
from citegrain.tasks.online.features import FEATURES, Candidates, Priors, matrix
from citegrain.tasks.online.fuse import Trees, provisions_by_act
from citegrain.tasks.online.steps import run_steps
from citegrain.tasks.train import estimates
from citegrain.tasks.train.config import PARTS, RankerConfig
from citegrain.tasks.train.estimates import BOOSTING, flat_trees
from citegrain.tasks.train.examples import LEFT_OUT, UNSEEN, WRITTEN, learned_row, part_of
from citegrain.tasks.train.readings import Reading, TrainingText
from citegrain.tasks.train.texts import ASKED, FORUM, QUESTION, SHORT, STORY

Matrix = npt.NDArray[np.float32]

# in the priors: neither stories nor short questions are a sample of what people ask
_WEIGHTS = {ASKED: 3.0, QUESTION: 1.0, FORUM: 1.0, SHORT: 0.3, STORY: 0.3}
_TIMES = {ASKED: 3.0}
_GONE = (0.3, 0.6, 0.9, 0.97)  # shares of the Acts that a corpus may lack; the last leaves one or two
_AT_ONCE = 2  # rankers that are trained side by side: each holds the features of all candidates
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

    ``fused``: their scores by fusion of ranks. ``vector``: of the text, shape (dimension,). ``gone``: Acts
    that were taken away. ``new``: Acts of which nothing was learned, and ``written`` whether they have lay
    texts all the same.
    """

    text: TrainingText
    query: Mapping[str, Any]
    provisions: Sequence[str]
    chunks: Sequence[str]
    fused: Matrix
    values: Matrix
    grades: npt.NDArray[np.int64]
    vector: Matrix
    gone: frozenset[str] = frozenset()
    new: frozenset[str] = frozenset()
    written: bool = False


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

    ``queries``: rows of ``queries``, one a text, in the order of the texts. ``vectors``: of the texts: shape
    (texts, dimension). ``lists``: what each channel found, by text.
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
    written: Callable[[TrainingText], bool] = lambda text: False,
) -> list[Rows]:
    """Candidates of texts with features and grades.

    ``new``: Acts that are to be taken for new: without priors, and unless ``written`` without lay texts.
    ``gone``: Acts that are to be taken for absent.
    """
    build, out = searched.build, []
    for text, query, vector in zip(searched.texts, searched.queries, searched.vectors, strict=True):
        away, without = frozenset(gone(text)), frozenset(new(text))
        prior = {p: n for p, n in priors(text).provisions.items() if p.partition("/")[0] not in without}
        lists = {channel: ranked.get(text.id, []) for channel, ranked in searched.lists.items()}
        if away:
            lists = {c: [r for r in some if _act(build, r[0]) not in away] for c, some in lists.items()}
        pool = Candidates.gather(
            build, query, lists, Priors(prior), searched.weights, () if written(text) else without
        )
        grades = np.array([_grade(p, text) for p in pool.provisions], dtype=np.int64)
        of_each = pool.provisions, pool.chunks, pool.fused, matrix(pool, tuple(FEATURES)), grades
        out.append(Rows(text, query, *of_each, vector, away, without, written(text)))
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
        Acts taken for new the ranker sees each text twice more so: without lay texts of these, and with them.

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
    in_fewer = partial(gather, priors=priors, gone=partial(_lacking_acts, acts))
    away = list(_read_abroad(abroad, texts, [*ranked, *measured], [*ranked, *unlearned], config, store))
    others = [*rows, *gather(beyond, priors), *in_fewer(within), *in_fewer(beyond)]
    others = [row for row in (*others, *(r for fold in away for r in fold.corpora)) if len(row.grades)]
    benchmarks = {text.kind for text in measured}
    unknown += [row for fold in away for row in fold.rows if row.text.kind not in benchmarks]
    every, all_priors = [*rows, *unknown], priors_of(texts)
    learned, samples = _cross_fitted(every, rows, others, catalogue, build, config)
    trees = _fit(every, config)
    learned += _learned(gather(search(build, measured, store), lambda text: all_priors), trees, LEFT_OUT)
    learned += _learned_abroad(away, every, config)
    learned_of = {"priors": all_priors.provisions, "provisions": provisions_by_act(build)}
    described = {"features": list(FEATURES), **learned_of, "trees": trees}
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


@dataclass(frozen=True)
class _Abroad:
    """What was read without having learned anything of some Acts.

    ``rows``: candidates of what is asked of these, in the whole corpus. ``corpora``: of the same, and of what
    none of them answers, in corpora that lack some Acts, each with their lay texts or without them.
    """

    unseen: Collection[str]
    rows: list[Rows]
    corpora: list[Rows]


def _read_abroad(
    abroad: Iterable[tuple[Collection[str], Reading]],
    texts: Sequence[TrainingText],
    asked_of: Sequence[TrainingText],
    others: Sequence[TrainingText],
    config: RankerConfig,
    store: Path | None,
) -> Iterator[_Abroad]:
    """What was read of each fold, priors without what is about its Acts.

    ``asked_of``: of the whole corpus. ``others``: of smaller ones; those about none of the Acts of one fold.
    """
    for number, (unseen, reading) in enumerate(abroad):
        prior = priors_of(t for t in texts if not about(t, unseen))
        of_fold = [t for t in asked_of if t.labels[0][0] in unseen]
        smaller = [
            t for t in others if about(t, unseen) or part_of(f"abroad/{t.id}", len(config.folds)) == number
        ]
        yield _read_fold(unseen, reading, prior, of_fold, smaller, store)


def _read_fold(
    unseen: Collection[str],
    reading: Reading,
    prior: Priors,
    asked_of: Sequence[TrainingText],
    others: Sequence[TrainingText],
    store: Path | None,
) -> _Abroad:
    """Candidates of texts about new Acts in the whole corpus, and of what is asked of smaller ones."""
    lacking = partial(_lacking_abroad, sorted(set(reading.build.act_ids)), unseen)
    within, beyond = (search(reading.build, some, store) for some in (asked_of, others))
    of_fold = partial(gather, priors=lambda text: prior, new=lambda text: unseen)
    rows = [*of_fold(within), *of_fold(within, written=lambda text: True)]
    corpora = of_fold(beyond, gone=lacking, written=lambda text: part_of(f"written/{text.id}", 2) == 1)
    return _Abroad(unseen, rows, corpora)


def _lacking_abroad(acts: Sequence[str], new: Collection[str], text: TrainingText) -> set[str]:
    """Those of some Acts that are taken away from a text: often all that are not new."""
    gone = _lacking_acts(acts, text)
    alone = not about(text, new) or part_of(f"alone/{text.id}", 2)
    return gone | (set(acts) - set(new)) if alone else gone


def _learned_abroad(
    away: Iterable[_Abroad], every: Sequence[Rows], config: RankerConfig
) -> Iterator[dict[str, Any]]:
    """Rows of ``learned`` by rankers that learned nothing of the Acts of a fold."""
    folds = list(away)
    without = ([row for row in every if not about(row.text, fold.unseen)] for fold in folds)
    for fold, trees in zip(folds, _fits(without, config), strict=True):
        for split, written in ((UNSEEN, False), (WRITTEN, True)):
            yield from _learned((row for row in fold.rows if row.written == written), trees, split)


def _learned(rows: Iterable[Rows], trees: list[dict[str, Any]], split: str) -> list[dict[str, Any]]:
    """Rows of ``learned``."""
    model = Trees(trees)
    return [_places(row, model.scores(row.values), split) for row in rows]


def _cross_fitted(
    every: Sequence[Rows],
    measured: Sequence[Rows],
    others: Sequence[Rows],
    catalogue: Catalogue,
    build: PublishedBuild,
    config: RankerConfig,
) -> tuple[list[dict[str, Any]], list[estimates.Sample]]:
    """Rows of ``learned`` and samples for the estimates, each by a ranker that did without its text.

    ``every``: what rankers learn from. ``measured``, ``others``: what rows are of, and what samples are of.
    """
    learned, samples = [], []
    indexed = catalogue.acts(build.lexicon)
    provisions = Counter(p.partition("/")[0] for p in {*build.citations.values()} if p is not None)
    without = ([row for row in every if _fold(row) != fold] for fold in range(PARTS))
    for fold, trees in enumerate(_fits(without, config)):
        model = Trees(trees)
        learned += [_places(row, model.scores(row.values)) for row in measured if _fold(row) == fold]
        samples += [
            _sample(row, model, catalogue, indexed, provisions) for row in others if _fold(row) == fold
        ]
    return learned, samples


def _fold(row: Rows) -> int:
    """Of the parts for cross-fitting; a text is in one of them with all that was taken away from it."""
    return part_of(f"ranker/{row.text.id}", PARTS)


def _sample(
    row: Rows, model: Trees, catalogue: Catalogue, catalogued: Sequence[str], provisions: Mapping[str, int]
) -> estimates.Sample:
    """What estimates are learned from: the first candidates.

    ``provisions``: how many each Act has.
    """
    scores = model.scores(row.values)
    first = np.argsort(-scores, kind="stable")[:POOL]
    columns = {name: row.values[:, list(FEATURES).index(name)] for name in SCORES}
    near, _ = catalogue.near(row.vector, row.query["text"])
    here = [gold for gold in row.text.golds if any(p.partition("/")[0] not in row.gone for p in gold)]
    return estimates.Sample(
        id=row.text.id,
        kind=row.text.kind,
        question=ScopeQuestion(row.query, row.vector, columns, scores[first], near, near, near),
        grades=row.grades[first],
        present=np.array([bool(act) and act not in row.gone for act in catalogued]),
        applicable=len(here),
        once=row.text.once,
        chunks=tuple(row.chunks[i] for i in first),
        of_new=np.array([row.provisions[i].partition("/")[0] in row.new for i in first], dtype=bool),
        new_provisions=sum(provisions[act] for act in row.new - row.gone),
        written=row.written,
    )


def _places(row: Rows, scores: npt.NDArray[np.float64], split: str = LEFT_OUT) -> dict[str, Any]:
    """A row of ``learned``: what was not found stands behind the last candidate."""
    golds = [gold for gold in row.text.golds if gold]

    def ranks(scores: npt.NDArray[Any]) -> list[int]:
        order = np.argsort(-scores, kind="stable")
        place = {row.provisions[i]: n + 1 for n, i in enumerate(order)}
        return [min(place.get(p, len(place) + 1) for p in gold) for gold in golds]

    return learned_row(row.text.id, row.text.kind, split, ranks(row.fused), ranks(scores))


def _fits(some: Iterable[Sequence[Rows]], config: RankerConfig) -> Iterator[list[dict[str, Any]]]:
    """The trees of several rankers, each learned by one thread."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        yield from pool.map(partial(_fit, config=config), some)


def _fit(rows: Sequence[Rows], config: RankerConfig) -> list[dict[str, Any]]:
    """The trees that order the candidates of some texts."""
    values = np.concatenate([row.values for row in rows])
    grades = np.concatenate([row.grades for row in rows])
    weights = np.concatenate([np.full(len(row.grades), _TIMES.get(row.text.kind, 1.0)) for row in rows])
    import lightgbm

    data = lightgbm.Dataset(values, grades, group=[len(row.grades) for row in rows], weight=weights)
    booster = lightgbm.train({**_TREES, "seed": config.seed}, data, config.rounds)
    return flat_trees(booster)
