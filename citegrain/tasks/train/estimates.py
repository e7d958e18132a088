"""Learning probabilities: from what rankers make of texts that they did without.

Of candidates by logistic regression (scikit-learn): Platt's sigmoid on the few numbers that say how sure a
ranker is. Whether anything applies by boosted trees (LightGBM).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from citegrain.tasks.online.estimate import (
    HEAD,
    KINDS,
    Asked,
    Logistic,
    candidate_features,
    scope_features,
)
from citegrain.tasks.online.select import BEYOND
from citegrain.tasks.train.boosting import BOOSTING, flat_trees
from citegrain.tasks.train.examples import part_of
from citegrain.tasks.train.texts import ASKED, STORY

Vector = npt.NDArray[np.float64]
Rows = npt.NDArray[Any]
Labels = npt.NDArray[np.bool_]
Predict = Callable[[Rows], Vector]

_FOLDS = 5
_WEIGHTS = {ASKED: 3.0, STORY: 0.3}
_OUTSIDE = 2.0  # weight of a text to which nothing applies: there are fewer of them
_SMALL = 1.5  # power of the share of the Acts that a corpus has: of a small one people ask what it is for
_SCOPE = BOOSTING | {"objective": "binary", "num_leaves": 8, "min_data_in_leaf": 30}
_SCOPE_TREES = 200
_KIND_OF = {"everyday": "everyday", "foreign": "foreign", "vague": "vague"} | dict.fromkeys(
    ("nonsense", "abuse", "instruct"), "nonsense"
)
"""Kind of a text out of scope, of ``KINDS``; the others ask about law."""
_NEVER = -30.0  # odds of a kind of which there is no text


@dataclass(frozen=True)
class Sample:
    """A text with what a ranker that did without it makes of its candidates.

    Attributes
    ----------
    id, kind
        Of the text; of one out of scope its kind there.
    asked
        The text as ``scope`` sees it.
    grades
        Of the first ``POOL`` candidates, in their order: 2 the primary provision, 1 another that applies.
    present
        Whether each entry of the catalogue is here.
    applicable
        How many provisions that are here apply.
    """

    id: str
    kind: str
    asked: Asked
    grades: npt.NDArray[np.int64]
    present: npt.NDArray[np.bool_]
    applicable: int

    @property
    def weight(self) -> float:
        """How much it counts."""
        return _WEIGHTS.get(self.kind, 1.0) * (1.0 if self.applicable else _OUTSIDE)


def fit(samples: Sequence[Sample], other: Labels) -> dict[str, Any]:
    """What ``online.estimate.Estimates`` reads, but for the digests, as JSON holds it.

    Parameters
    ----------
    samples
        A text may occur twice: in the whole corpus, and in one that lacks some Acts.
    other
        Whether each entry of the catalogue is no law of India.
    """
    folds = np.array([part_of(f"estimates/{s.id}", _FOLDS) for s in samples])
    vectors = np.array([s.asked.vector for s in samples])
    kinds = np.array([KINDS.index(_KIND_OF.get(s.kind, KINDS[0])) for s in samples])
    apart = [_kinds(vectors[folds != fold], kinds[folds != fold]) for fold in range(_FOLDS)]
    each = list(zip(samples, folds, strict=True))
    read = np.array([scope_features(s.asked, s.present, other, apart[f]) for s, f in each])
    inside, weights = np.array([s.applicable > 0 for s in samples]), np.array([s.weight for s in samples])
    here = np.array([s.present.sum() for s in samples])
    weights[~inside] *= np.maximum(here / max(1, here.max()), 0.02)[~inside] ** _SMALL
    probability = _apart(_scope, read, inside, weights, folds)

    rows = [candidate_features(s.asked.scores, p) for s, p in zip(samples, probability, strict=True)]
    lengths = [len(r) for r in rows]
    table, grades = np.concatenate(rows), np.concatenate([s.grades for s in samples])
    at, head = np.repeat(folds, lengths), np.concatenate([np.arange(n) < HEAD for n in lengths])
    of_rows = np.repeat(weights, lengths) * head
    targets = {"primary": grades == 2, "all": grades > 0}
    apart_by = {name: _apart(_candidates, table, right, of_rows, at) for name, right in targets.items()}
    models = {
        "kinds": _kinds(vectors, kinds),
        "applies": _logistic(table, grades > 0, of_rows),
        "primary": _logistic(table, grades == 2, of_rows),
    }
    return {name: asdict(model) for name, model in models.items()} | {
        "scope": flat_trees(_boosted(read, inside, weights)),
        "conformal": {
            name: _conformal(samples, np.split(apart_by[name], np.cumsum(lengths)[:-1]), least)
            for name, least in (("primary", 2), ("all", 1))
        },
    }


def _kinds(vectors: Rows, kinds: npt.NDArray[np.int64]) -> Logistic:
    """A regression over all ``KINDS``, though the texts may lack some."""
    known = np.unique(kinds)
    model = _logistic(vectors, kinds, C=3.0, class_weight="balanced")
    weights, bias = np.zeros((len(KINDS), vectors.shape[1])), np.full(len(KINDS), _NEVER)
    if len(known) == 2:  # one row for both: the odds of the second
        weights[known], bias[known] = np.outer([0, 1], model.weights[0]), np.array([0, model.bias[0]])
    elif len(known) > 2:
        weights[known], bias[known] = model.weights, model.bias
    return replace(model, weights=weights.tolist(), bias=bias.tolist())


def _logistic(
    rows: Rows, labels: npt.NDArray[Any], weights: Vector | None = None, **options: Any
) -> Logistic:
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
    return _logistic(rows, labels, weights).probability


def _apart(
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


def _of_people(samples: Sequence[Sample]) -> list[bool]:
    """Which samples conformal scores are of: of the whole corpus, what people asked where there is any."""
    first = {s.id: i for i, s in reversed(list(enumerate(samples)))}
    whole = [first[s.id] == i and s.applicable > 0 for i, s in enumerate(samples)]
    asked = [w and s.kind == ASKED for w, s in zip(whole, samples, strict=True)]
    return asked if any(asked) else whole


def _conformal(samples: Sequence[Sample], probabilities: Sequence[Vector], least: int) -> list[float]:
    """Scores of the questions in scope, ascending: one less the least probability of what is to be held.

    Parameters
    ----------
    least
        Grade of it: 2 of the primary provision, 1 of all.
    """
    scores = []
    for sample, probability, kept in zip(samples, probabilities, _of_people(samples), strict=True):
        right = sample.grades >= least
        whole = right.sum() >= (1 if least == 2 else sample.applicable)
        if kept:
            scores.append(1 - float(probability[right].min()) if whole else BEYOND)
    return sorted(scores)
