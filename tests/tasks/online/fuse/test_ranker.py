"""The trees of a ranker against LightGBM, a linear one by hand, and files that are not as they should be."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import lightgbm
import numpy as np
import numpy.typing as npt
import pytest

from citegrain.tasks.core.runs import rankings
from citegrain.tasks.core.schemas import FEATURES
from citegrain.tasks.offline.models import ModelError
from citegrain.tasks.online.features import Priors
from citegrain.tasks.online.fuse import FuseConfig, Ranker, Trees, fuse_learned, ranker_of, read_ranker
from citegrain.tasks.train.estimates import _flat, flat_trees

Matrix = npt.NDArray[np.float32]


def booster(seed: int, rows: int = 400, rounds: int = 20) -> tuple[Any, Matrix]:
    """A model of chance features, of which some values are missing."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(rows, 6)).astype(np.float32)
    values[rng.random(values.shape) < 0.2] = np.nan
    values[:, 5] = rng.integers(0, 3, rows)
    grades = (np.nan_to_num(values[:, 0]) + values[:, 5] > 1).astype(int)
    data = lightgbm.Dataset(values, grades, group=[20] * (rows // 20))
    parameters = {"objective": "lambdarank", "num_leaves": 7, "verbose": -1, "seed": seed, "num_threads": 1}
    return lightgbm.train(parameters, data, rounds), values


@pytest.mark.parametrize("seed", range(3))
def test_the_trees_score_as_lightgbm_does_missing_values_included(seed: int) -> None:
    model, values = booster(seed)
    assert np.allclose(Trees(flat_trees(model)).scores(values), model.predict(values), atol=1e-9)


def test_a_value_at_a_threshold_goes_left_and_scores_are_those_of_the_leaves_walked_to() -> None:
    model, values = booster(7)
    trees = flat_trees(model)
    ours = Trees(trees)
    values[:200, 0] = np.resize([t for tree in trees for t in tree["threshold"]], 200)
    assert (ours.scores(values) == ours._value.take(ours._walk(values)[-1]).sum(axis=1)).all()


def test_contributions_sum_to_the_score_less_what_is_expected() -> None:
    model, values = booster(5)
    trees = flat_trees(model)
    ours = Trees(trees)
    expected = sum(tree["value"][0] for tree in trees)
    assert np.allclose(ours.contributions(values).sum(axis=1) + expected, ours.scores(values))


def test_a_tree_that_splits_nothing_gives_its_value() -> None:
    assert Trees([_flat({"leaf_value": 0.25})]).scores(np.array([[np.nan], [3.0]], np.float32)).tolist() == [
        0.25,
        0.25,
    ]


class _ByPrior:
    """A model that scores by the third feature alone."""

    def scores(self, rows: Any) -> Any:
        return rows[:, 2].astype(float)


BY_PRIOR: Any = _ByPrior()


def written(folder: Path, **changes: Any) -> tuple[Path, str]:
    content = {
        "features": ["fused"],
        "priors": {},
        "trees": [_flat({"leaf_value": 1.0})],
    } | changes
    path = folder / "ranker.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path, hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_ranker_is_read_and_its_digest_checked(tmp_path: Path) -> None:
    path, sha256 = written(tmp_path)
    assert read_ranker(path, sha256).names == ("fused",) and not read_ranker(path, sha256).priors.every
    path, sha256 = written(tmp_path, provisions={"a": ["sec_1", "sec_2"]})
    assert read_ranker(path, sha256).priors.every == {"a/sec_1", "a/sec_2"}
    with pytest.raises(ModelError, match="SHA-256"):
        read_ranker(path, "0" * 64)
    with pytest.raises(ModelError, match=r"none\.json"):
        read_ranker(tmp_path / "none.json", sha256)


def test_a_ranker_of_features_that_are_unknown_is_refused(tmp_path: Path) -> None:
    path, sha256 = written(tmp_path, features=["fused", "phase_of_the_moon"])
    with pytest.raises(ModelError, match="phase_of_the_moon"):
        read_ranker(path, sha256)


@pytest.mark.parametrize(("words", "first"), [(8, "named"), (40, "liked")])
def test_a_short_question_that_names_a_provision_asks_for_it(words: int, first: str) -> None:
    names = ("provision_score", "words", "prior")
    ranker = Ranker(names, Priors({}), BY_PRIOR, "")
    rows = {"named": [1.0, np.log1p(words), 0.0], "liked": [np.nan, np.log1p(words), 5.0]}
    features = FEATURES.rows(
        [{"query_id": "q", "provision_id": c, "chunk_id": c, "values": v} for c, v in rows.items()]
    )
    ranked = rankings(fuse_learned(features, ranker, FuseConfig("learned")))["q"]
    assert ranked[0][0] == first and ranked[0][1] > ranked[1][1]


@pytest.mark.parametrize(("act_prior", "order"), [(2.0, ["a", "new", "b"]), (np.nan, ["new", "a", "b"])])
def test_a_candidate_of_a_new_act_must_score_more_than_one_that_was_learned_of(
    act_prior: float, order: list[str]
) -> None:
    ranker = Ranker(("act_prior", "words", "prior"), Priors({}), BY_PRIOR, "")
    rows = {"new": [np.nan, 5.0, 3.25], "a": [act_prior, 5.0, 3.0], "b": [act_prior, 5.0, 1.0]}
    features = FEATURES.rows(
        [{"query_id": "q", "provision_id": c, "chunk_id": c, "values": v} for c, v in rows.items()]
    )
    ranked = rankings(fuse_learned(features, ranker, FuseConfig("learned")))["q"]
    assert ranked == list(zip(order, (3.25, 3.0, 1.0), strict=True))


@pytest.mark.parametrize(
    ("words", "share", "order"),
    [
        (8, 0.0, ["rule", "other", "title"]),
        (8, 0.5, ["title", "rule", "other"]),
        (40, 0.0, ["other", "title"]),
    ],
)
def test_a_new_act_that_a_short_question_names_goes_before_others_but_for_its_title(
    words: int, share: float, order: list[str]
) -> None:
    names = ("act_prior", "words", "prior", "act_named", "heading_title", "heading_share")
    rows = {"other": [5.0, 0, 0, 0], "title": [4.0, 1, 1, share], "rule": [1.0, 1, 0, 0]}
    features = FEATURES.rows(
        [
            {"query_id": "q", "provision_id": c, "chunk_id": c, "values": [np.nan, np.log1p(words), *v]}
            for c, v in rows.items()
        ]
    )
    ranked = rankings(fuse_learned(features, Ranker(names, Priors({}), BY_PRIOR, ""), FuseConfig("learned")))
    assert [chunk for chunk, _ in ranked["q"]][: len(order)] == order


def test_the_scores_of_a_question_do_not_depend_on_what_else_is_asked() -> None:
    names = ("provision_score", "words", "prior")
    ranker = Ranker(names, Priors({}), BY_PRIOR, "")
    alone = {"named": [1.0, np.log1p(8), 0.0], "liked": [np.nan, np.log1p(8), 5.0]}
    other = {"far": [np.nan, np.log1p(40), 500.0]}
    rows: list[dict[str, Any]] = [
        {"query_id": query, "provision_id": c, "chunk_id": c, "values": v}
        for query, candidates in (("q", alone), ("other", other))
        for c, v in candidates.items()
    ]
    config = FuseConfig("learned")
    scores = [rankings(fuse_learned(FEATURES.rows(some), ranker, config))["q"] for some in (rows[:2], rows)]
    assert scores[0] == scores[1]


@pytest.mark.parametrize(
    ("weight", "order"), [(0.0, ["a", "b", "c"]), (0.02, ["a", "c", "b"]), (1.0, ["c", "a", "b"])]
)
def test_a_channel_that_the_ranker_never_saw_moves_candidates_by_its_ranks_and_weight(
    weight: float, order: list[str]
) -> None:
    """The scores stay with the places: probabilities are estimated from them."""
    ranker = Ranker(("provision_score", "words", "prior"), Priors({}), BY_PRIOR, "")
    learned = {"a": 3.0, "b": 2.0, "c": 1.0}
    features = FEATURES.rows(
        [
            {"query_id": "q", "provision_id": f"p{c}", "chunk_id": c, "values": [np.nan, 5.0, prior]}
            for c, prior in learned.items()
        ]
    )
    config = FuseConfig("learned", weights={"recent": weight})
    others = {"my_lab:recent": {"q": [("c2", 9.0), ("c", 1.0), ("cites nothing", 0.5)]}}
    citations = {c: f"p{c[0]}" for c in ("a", "b", "c", "c2")}
    ranked = rankings(fuse_learned(features, ranker, config, others, citations))["q"]
    assert ranked == list(zip(order, (3.0, 2.0, 1.0), strict=True))


def test_provisions_of_an_act_of_which_nothing_was_learned_are_new_and_those_inserted_since() -> None:
    citations = dict(enumerate(["a/1", "a/2", "b/1", "c/1", "d/1", None]))
    build: Any = SimpleNamespace(
        searched_acts=[{"act_id": name} for name in ("a", "b", "c")],
        citations=citations,
        expansion=SimpleNamespace(provisions=["a/1", "c/1"]),
    )
    every = frozenset(["a/1", "b/1"])
    assert Ranker((), Priors({"a/1": 1.0}, every), BY_PRIOR, "").new(build) == ({"a/2", "b/1"}, {"c/1"})
    assert Ranker((), Priors({"a/1": 1.0}), BY_PRIOR, "").new(build) == ({"b/1"}, {"c/1"}), "not known"


def test_the_ranker_that_ships_knows_by_which_provisions_it_was_learned() -> None:
    ranker = ranker_of(FuseConfig("learned"))
    assert ranker is not None
    of_act = {
        name: ranker.priors.act_of(f"indian-penal-code-1860/{name}") for name in ("sec_302", "sec_302ZZ")
    }
    assert of_act == {"sec_302": "indian-penal-code-1860", "sec_302ZZ": "indian-penal-code-1860+"}
