"""Boosted trees of LightGBM: what all of them share, and how they ship."""

from __future__ import annotations

from typing import Any

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
