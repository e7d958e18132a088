"""Learning probabilities: from what rankers make of texts that they did without.

Of candidates by logistic regression (scikit-learn): Platt's sigmoid on the few numbers that say how sure a
ranker is. Whether anything applies by boosted trees (LightGBM).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from citegrain.tasks.online.estimate import (
    HEAD,
    KINDS,
    MANNERS,
    Logistic,
    ScopeQuestion,
    abroad_features,
    candidate_features,
    length_of,
    scope_features,
)
from citegrain.tasks.online.select import BEYOND
from citegrain.tasks.train.examples import part_of
from citegrain.tasks.train.texts import ASKED, STORY

BOOSTING: dict[str, Any] = {
    "learning_rate": 0.05,
    "feature_fraction": 0.6,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "verbose": -1,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "seed": 1,
}


def flat_trees(booster: Any) -> list[dict[str, list[Any]]]:
    """The trees of a booster as ``online.fuse.Trees`` reads them."""
    return [_flat(tree["tree_structure"]) for tree in booster.dump_model()["tree_info"]]


def _flat(root: dict[str, Any]) -> dict[str, list[Any]]:
    """A tree as ``online.fuse.ranker.Trees`` reads it."""
    names = ("feature", "threshold", "missing_left", "left", "right", "value", "leaves")
    out: dict[str, list[Any]] = {name: [] for name in names}

    def add(node: dict[str, Any]) -> int:
        if "leaf_value" in node:
            out["leaves"].append(node["leaf_value"])
            return ~(len(out["leaves"]) - 1)
        at = len(out["feature"])
        missing = node["default_left"] if node["missing_type"] == "NaN" else node["threshold"] >= 0
        numbers = (node["split_feature"], node["threshold"], bool(missing), 0, 0, node["internal_value"])
        for name, value in zip(out, numbers, strict=False):
            out[name].append(value)
        out["left"][at], out["right"][at] = add(node["left_child"]), add(node["right_child"])
        return at

    if "leaf_value" in root:  # nothing to split by: both sides are the one leaf
        root = {
            "split_feature": 0,
            "threshold": 0.0,
            "default_left": True,
            "missing_type": "NaN",
            "internal_value": root["leaf_value"],
            "left_child": root,
            "right_child": root,
        }
    add(root)
    return out


Vector = npt.NDArray[np.float64]
Rows = npt.NDArray[Any]
Labels = npt.NDArray[np.bool_]
Predict = Callable[[Rows], Vector]

_FOLDS = 5
_WEIGHTS = {ASKED: 3.0, STORY: 0.3}
_OUTSIDE = 2.0  # weight of a text to which nothing applies: there are fewer of them
_SMALL = 1.0  # power of the share of the Acts that a corpus has, as weight of what is out of scope
_STRANGE = 0.2  # share of the questions to which nothing applies, for the probabilities of candidates
_SCOPE = BOOSTING | {"objective": "binary", "num_leaves": 8, "min_data_in_leaf": 30}
_SCOPE_TREES = 200
_KIND_OF = {"everyday": "everyday", "foreign": "foreign", "vague": "vague"} | dict.fromkeys(
    ("nonsense", "abuse", "instruct"), "nonsense"
)
"""Kind of a text out of scope, of ``KINDS``; the others ask about law."""
_NEVER = -30.0  # odds of a kind of which there is no text
_RATHER = 2.0  # odds that are given to what people asked: its sets are the longest, and cover others too


@dataclass(frozen=True)
class Sample:
    """A text with what a ranker that did without it makes of its candidates.

    Attributes
    ----------
    grades
        Of the first ``POOL`` candidates, in their order: 2 the primary provision, 1 another that applies.
    present
        Whether each entry of the catalogue is here.
    applicable
        How many provisions that are here apply.
    once
        Whether one annotator alone has labelled it: by such texts no sets are calibrated.
    chunks
        Of these candidates.
    of_new, new_provisions, written
        Whether each is of an Act of which nothing was learned; how many provisions such Acts have in the
        corpus; and whether they have lay texts.
    """

    id: str
    kind: str
    question: ScopeQuestion
    grades: npt.NDArray[np.int64]
    present: npt.NDArray[np.bool_]
    applicable: int
    once: bool = False
    chunks: tuple[str, ...] = ()
    of_new: Labels = field(default_factory=lambda: np.zeros(0, dtype=bool))
    new_provisions: int = 0
    written: bool = False

    @property
    def weight(self) -> float:
        """How much it counts."""
        return _WEIGHTS.get(self.kind, 1.0) * (1.0 if self.applicable else _OUTSIDE)

    def as_list(self) -> dict[str, Any]:
        """Its first candidates, as JSON holds them."""
        described = {"id": self.id, "kind": self.kind, "once": self.once, "inside": self.applicable > 0}
        return described | {"chunks": self.chunks[:HEAD], "grades": self.grades[:HEAD].tolist()}


def fit(samples: Sequence[Sample], other: Labels) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What ``online.estimate.Estimates`` reads, but for the digests, as JSON holds it.

    And of each text, as the whole corpus has it, its first candidates with what estimates say that did
    without it: from these is learned how far a judge of candidates is right (``tools/judge_weights.py``).

    ``samples``: a text may occur twice: in the whole corpus, and in one that lacks some Acts. ``other``:
    whether each entry of the catalogue is no law of India.
    """
    folds = np.array([part_of(f"estimates/{s.id}", _FOLDS) for s in samples])
    vectors = np.array([s.question.vector for s in samples])
    kinds = np.array([KINDS.index(_KIND_OF.get(s.kind, KINDS[0])) for s in samples])
    home = np.array([not s.new_provisions for s in samples])
    by_fold = [
        _classes(vectors[home & (folds != fold)], kinds[home & (folds != fold)], len(KINDS))
        for fold in range(_FOLDS)
    ]
    each = list(zip(samples, folds, strict=True))
    read = np.array([scope_features(s.question, s.present, other, by_fold[f]) for s, f in each])
    inside, weights = np.array([s.applicable > 0 for s in samples]), np.array([s.weight for s in samples])
    here = np.array([s.present.sum() for s in samples])
    weights[~inside] *= np.maximum(here / max(1, here.max()), 0.02)[~inside] ** _SMALL
    probability = _cross_fitted(_scope, read, inside, weights, folds)

    rows = [
        candidate_features(s.question.scores, p, length_of(s.question.query["text"]))
        for s, p in zip(samples, probability, strict=True)
    ]
    lengths = [len(r) for r in rows]
    table, grades = np.concatenate(rows), np.concatenate([s.grades for s in samples])
    at, head = np.repeat(folds, lengths), np.concatenate([np.arange(n) < HEAD for n in lengths])
    of_rows = np.repeat(_balanced(weights * home, inside), lengths) * head
    probabilities = {
        name: _cross_fitted(_candidates, table, right, of_rows, at)
        for name, right in (("primary", grades == 2), ("all", grades > 0))
    }
    models = {
        "kinds": _classes(vectors[home], kinds[home], len(KINDS)),
        "manners": _manners(samples),
        "applies": fit_logistic(table, grades > 0, of_rows),
        "primary": fit_logistic(table, grades == 2, of_rows),
    }
    split = {name: np.split(each, np.cumsum(lengths)[:-1]) for name, each in probabilities.items()}
    described = {name: asdict(model) for name, model in models.items()} | {
        "scope": flat_trees(_boosted(read, inside, weights)),
        "conformal": {
            name: _conformal(samples, split[name], least) for name, least in (("primary", 2), ("all", 1))
        },
        "bare": _of_new(samples, rows, weights, written=False),
        "written": _of_new(samples, rows, weights, written=True),
    }
    lists: dict[str, dict[str, Any]] = {}
    for n, s in enumerate(samples):
        said = {name: each[n][:HEAD].tolist() for name, each in split.items()}
        lists.setdefault(s.id, s.as_list() | {"scope": float(probability[n])} | said)
    return described, list(lists.values())


def _balanced(weights: Vector, inside: Labels) -> Vector:
    """Weights by which a share ``_STRANGE`` of the texts is out of scope."""
    fewer = _STRANGE / (1 - _STRANGE) * weights[inside].sum() / max(weights[~inside].sum(), 1e-9)
    return np.where(inside, 1, fewer) * weights


def _of_new(
    samples: Sequence[Sample], rows: Sequence[Rows], weights: Vector, *, written: bool
) -> list[dict[str, Any]]:
    """Regressions for candidates of new Acts, to apply and to be the primary; empty if no sample has any.

    ``rows``: of the candidates of each sample. ``weights``: of the samples.
    """
    mine = np.array([s.written == written and bool(s.of_new[:HEAD].any()) for s in samples])
    if not mine.any():
        return []
    texts = _balanced(weights * mine, np.array([s.applicable > 0 for s in samples]))
    new = [s.of_new[:HEAD] & this for s, this in zip(samples, mine, strict=True)]
    table = np.concatenate(
        [
            abroad_features(r[: len(n)][n], s.new_provisions)
            for s, r, n in zip(samples, rows, new, strict=True)
        ]
    )
    grades = np.concatenate([s.grades[: len(n)][n] for s, n in zip(samples, new, strict=True)])
    of_rows = np.repeat(texts, [n.sum() for n in new])
    return [asdict(fit_logistic(table, right, of_rows)) for right in (grades > 0, grades == 2)]


def _classes(vectors: Rows, classes: npt.NDArray[np.int64], n: int, strength: float = 3.0) -> Logistic:
    """A regression over ``n`` classes, though the texts may lack some.

    ``strength``: ``C`` of scikit-learn: the less, the more alike the odds.
    """
    present = np.unique(classes)
    weights, bias = np.zeros((n, vectors.shape[1])), np.full(n, _NEVER)
    if len(present) == 1:
        bias[present] = 0
        return Logistic([0.0] * vectors.shape[1], [1.0] * vectors.shape[1], weights.tolist(), bias.tolist())
    model = fit_logistic(vectors, classes, C=strength, class_weight="balanced")
    if len(present) == 2:  # one row for both: the odds of the second
        weights[present], bias[present] = np.outer([0, 1], model.weights[0]), np.array([0, model.bias[0]])
    else:
        weights[present], bias[present] = model.weights, model.bias
    return replace(model, weights=weights.tolist(), bias=bias.tolist())


def _manners(samples: Sequence[Sample]) -> Logistic:
    """From vectors of the texts in scope to ``MANNERS``."""
    inside = [samples[at] for at in _firsts(samples)]
    manners = np.array([MANNERS.index(s.kind) for s in inside])
    model = _classes(np.array([s.question.vector for s in inside]), manners, len(MANNERS), strength=0.1)
    return replace(model, bias=[model.bias[0] + _RATHER, *model.bias[1:]])


def fit_logistic(
    rows: Rows, labels: npt.NDArray[Any], weights: Vector | None = None, **options: Any
) -> Logistic:
    """A logistic regression over standardised columns; ``options`` are those of scikit-learn."""
    from sklearn.linear_model import LogisticRegression

    if weights is not None:  # what does not count is not looked at
        rows, labels, weights = rows[weights > 0], labels[weights > 0], weights[weights > 0]
    n = np.maximum((~np.isnan(rows)).sum(axis=0), 1)
    mean = np.nansum(rows, axis=0) / n
    scale = np.sqrt(np.nansum((rows - mean) ** 2, axis=0) / n)
    scale[scale == 0] = 1.0
    model = LogisticRegression(max_iter=3000, **options)
    model.fit(np.nan_to_num((rows - mean) / scale), labels, sample_weight=weights)
    return Logistic(mean.tolist(), scale.tolist(), model.coef_.tolist(), model.intercept_.tolist())


def _boosted(rows: Rows, labels: Labels, weights: Vector) -> Any:
    import lightgbm

    return lightgbm.train(_SCOPE, lightgbm.Dataset(rows, labels, weight=weights), _SCOPE_TREES)


def _scope(rows: Rows, labels: Labels, weights: Vector) -> Predict:
    booster = _boosted(rows, labels, weights)
    return lambda others: np.asarray(booster.predict(others))


def _candidates(rows: Rows, labels: Labels, weights: Vector) -> Predict:
    return fit_logistic(rows, labels, weights).probability


def _cross_fitted(
    fitted: Callable[[Rows, Labels, Vector], Predict],
    rows: Rows,
    labels: Labels,
    weights: Vector,
    folds: npt.NDArray[np.int64],
) -> Vector:
    """Probability of each row by what was fitted to the other parts."""
    out = np.zeros(len(rows))
    for fold in range(_FOLDS):
        others = folds != fold
        if not others.all():
            out[~others] = fitted(rows[others], labels[others], weights[others])(rows[~others])
    return out


def _firsts(samples: Sequence[Sample]) -> list[int]:
    """Positions of the texts in scope as the whole corpus has them: of each its first."""
    first: dict[str, int] = {}
    for at, sample in enumerate(samples):
        if not sample.new_provisions:
            first.setdefault(sample.id, at)
    return [at for at in first.values() if samples[at].applicable]


def _conformal(
    samples: Sequence[Sample], probabilities: Sequence[Vector], least: int
) -> dict[str, list[float]]:
    """By manner the scores of the texts in scope: one less the least probability of what is to be held.

    ``least``: grade of it: 2 of the primary provision, 1 of all.
    """
    scores: dict[str, list[float]] = {}
    samples_of_sets = _firsts(samples)
    twice = {samples[at].kind for at in samples_of_sets if not samples[at].once}
    for at in samples_of_sets:
        if samples[at].once and samples[at].kind in twice:
            continue  # what one annotator labelled is easier to rank: docs/asking.md
        right = samples[at].grades >= least
        there = right.sum() >= (1 if least == 2 else samples[at].applicable)
        score = 1 - float(probabilities[at][right].min()) if there else BEYOND
        scores.setdefault(samples[at].kind, []).append(score)
    return {manner: sorted(of_manner) for manner, of_manner in scores.items()}
