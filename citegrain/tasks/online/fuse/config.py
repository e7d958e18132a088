"""Parameters of ``fuse``."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

METHODS = ("rrf", "single", "learned")
TYPES = ("fact", "cross_reference", "penalty", "temporal", "conflict")
"""What a question may ask for (CivicSetu 4); the first where nothing says otherwise."""
MENTIONS = ("provision", "year", "judge", "case")
"""What a question may name, by which ``rules`` choose weights."""
DEPTH = 100
"""Length of the lists of the channels that the ranker learned from."""

RANKER_SHA256 = "60502078c6a4644fa12fde9f805e019c4e7c8a7ed58d6cedc13b84ebc36e5a65"
"""Digest of the ranker that ships."""

_LATER = ("lay_dense", "lay_sparse", "questions", "classifier")


@dataclass(frozen=True)
class FuseConfig:
    """How ranked lists are joined.

    Attributes
    ----------
    method
        ``rrf`` joins by ranks (Eq. 3.3 of the thesis), ``single`` takes one channel as it is,
        ``learned`` orders by a trained ranker.
    k
        Smoothing constant of reciprocal rank fusion.
    depth
        Length of the fused list.
    weights
        Weight of each channel; 1 if it is not named.
    weights_named
        Weights that hold instead for a query that names a provision, where they differ.
    rules
        Weights by what a question names, over the others: each has ``when`` (one of :data:`MENTIONS`, or a
        type of question: stage ``route``) and ``weights``. Of several that hold the later goes before the
        earlier, channel by channel (KG-CiteRAG 7.3.1).
    channel
        The channel of ``single``; empty takes the first.
    ranker, ranker_sha256
        File of the ranker of ``learned``, and its digest.
    """

    method: str = "rrf"
    k: int = 60
    depth: int = 20
    weights: dict[str, float] = field(default_factory=dict)
    weights_named: dict[str, float] = field(default_factory=dict)
    rules: list[Any] = field(default_factory=list)
    channel: str = ""
    ranker: str = "data:models/ranker_statutes/ranker.json"
    ranker_sha256: str = RANKER_SHA256

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ValueError(f"fuse.method={self.method}: one of {', '.join(METHODS)}")
        if self.k < 1 or self.depth < 1:
            raise ValueError("fuse.k and fuse.depth must be positive")
        if min([0.0, *self.weights.values(), *self.weights_named.values()]) < 0:
            raise ValueError("fuse.weights must not be negative")
        for rule in self.rules:
            if (
                rule.keys() != {"when", "weights"}
                or rule["when"] not in (*MENTIONS, *TYPES)
                or min([0.0, *rule["weights"].values()]) < 0
            ):
                allowed = ", ".join((*MENTIONS, *TYPES))
                raise ValueError(f"fuse.rules: {rule}: when (one of {allowed}) and weights, none negative")

    def weights_of(self, mentioned: Collection[str]) -> dict[str, float]:
        """The weights for a question that names such things."""
        table = self.weights | (self.weights_named if "provision" in mentioned else {})
        for rule in self.rules:
            table |= rule["weights"] if rule["when"] in mentioned else {}
        return table

    def parameters(self, channels: Collection[str]) -> dict[str, Any]:
        """The parameters that the method reads.

        ``channels``: the channels that are searched. Weights of lay texts are left out where those are not:
        what was fused before there were such channels keeps its key.
        """
        idle = [c for c in _LATER if c not in channels]
        read = {
            "single": ("channel",),
            "rrf": ("k", "weights", "weights_named"),
            "learned": ("ranker_sha256", "weights"),
        }
        values = {name: getattr(self, name) for name in ("method", "depth", *read[self.method])}
        if self.rules and "weights_named" in values:
            values["rules"] = self.rules
        for name in values.keys() & {"weights", "weights_named"}:
            values[name] = {c: w for c, w in values[name].items() if c not in idle}
        return values
