"""The stages of the online chain, and their parameters.

A stage brings steps. It is one line of :data:`ONLINE_STAGES`: the group of its settings, the module whose
function ``steps`` makes its steps, and what switches it on. The chain walks the table and imports what is on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from importlib import import_module
from typing import Any

from citegrain.tasks.online.estimate import POOL, EstimateConfig
from citegrain.tasks.online.fuse import DEPTH, FuseConfig
from citegrain.tasks.online.generate import GenerateConfig
from citegrain.tasks.online.query import QueryConfig
from citegrain.tasks.online.rerank import RerankConfig
from citegrain.tasks.online.retrieve import RetrieveConfig
from citegrain.tasks.online.select import SelectConfig
from citegrain.tasks.online.verify import VerifyConfig

_MAKERS, _PUBLISHED = "citegrain.tasks.online.makers", "citegrain.tasks.published"
_CONFIGS = f"{_PUBLISHED}.configs"


@dataclass(frozen=True)
class OnlineStage:
    """What brings steps of the chain.

    ``group``: of its settings; empty where it has none of its own. ``maker``: module whose function ``steps``
    takes a ``Chain`` and returns it with the stage's steps; empty where another stage makes them. ``config``:
    module that holds the dataclass of its settings, under :attr:`class_name`; empty where ``CascadeConfig``
    has a field of the name of the group. ``switches``: settings, ``GROUP.ATTRIBUTE``, of which one must be
    true; none: the stage is always on.
    """

    group: str
    maker: str
    config: str = ""
    switches: tuple[str, ...] = ()

    @property
    def class_name(self) -> str:
        """Name of the dataclass of its settings."""
        return f"{self.group.title()}Config"


ONLINE_STAGES: tuple[OnlineStage, ...] = (
    OnlineStage("route", f"{_PUBLISHED}.route", _CONFIGS, ("route.on",)),
    OnlineStage("query", ""),
    OnlineStage("retrieve", f"{_MAKERS}.retrieve"),
    OnlineStage("fuse", f"{_MAKERS}.fuse"),
    OnlineStage("estimate", ""),
    OnlineStage("", "citegrain.tasks.online.rewrite", switches=("query.searched_separately",)),
    OnlineStage("expand", f"{_PUBLISHED}.expand", _CONFIGS, ("expand.on", "route.on")),
    OnlineStage("rerank", f"{_MAKERS}.rerank"),
    OnlineStage("controller", f"{_PUBLISHED}.controller", _CONFIGS, ("controller.on",)),
    OnlineStage("select", ""),
    OnlineStage("generate", ""),
    OnlineStage("verify", f"{_MAKERS}.answer"),
)
"""In the order of the work. A new stage is a package and a line."""


@dataclass(frozen=True)
class CascadeConfig:
    """Parameters of the online stages.

    ``roles``, ``attributes``: keys of an answer that the corpus fixes: its parties, and what its law says of
    a charge. ``added``: settings of the other stages, by group; a stage whose settings are missing is off.
    """

    query: QueryConfig = field(default_factory=QueryConfig)
    retrieve: RetrieveConfig = field(default_factory=RetrieveConfig)
    fuse: FuseConfig = field(default_factory=FuseConfig)
    estimate: EstimateConfig = field(default_factory=EstimateConfig)
    rerank: RerankConfig = field(default_factory=RerankConfig)
    select: SelectConfig = field(default_factory=SelectConfig)
    generate: GenerateConfig = field(default_factory=GenerateConfig)
    verify: VerifyConfig = field(default_factory=VerifyConfig)
    roles: tuple[str, ...] = ("victim", "culprit")
    attributes: tuple[str, ...] = ("bailable", "cognizable")
    added: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def chosen(cls, k: int = 5, exactly: int = 0, confidence: float = 0.0) -> CascadeConfig:
        """What ``experiment=default`` sets. A test compares both.

        ``k``: most provisions. ``exactly``: so many provisions, as ``ask --k`` has it; 0: as many as are
        expected to apply. ``confidence``: the fewest that hold the primary one of this share of questions, as
        ``ask --confidence`` has it.
        """
        select = SelectConfig("top", k=exactly) if exactly else SelectConfig("expected", k=k)
        if confidence:
            select = SelectConfig("conformal", coverage=confidence)
        channels = ["dense", "sparse", "provision", "lay_dense", "lay_sparse", "questions", "classifier"]
        return cls(
            query=QueryConfig(spelling=True),
            retrieve=RetrieveConfig(
                channels, k=DEPTH, schedules=False, counterparts=True, others=False, rarity=True
            ),
            fuse=FuseConfig(
                "learned",
                weights={"dense": 2.0, "sparse": 1.0, "provision": 1.0, "lay_dense": 2.0, "lay_sparse": 1.0},
                weights_named={"provision": 3.0},
            ),
            estimate=EstimateConfig("learned"),
            rerank=RerankConfig("none", scale="raw", provenance=0.0),
            select=select,
        )

    @classmethod
    def from_groups(
        cls, groups: Mapping[str, Any], roles: tuple[str, ...], attributes: tuple[str, ...]
    ) -> CascadeConfig:
        """From the settings of all stages by group."""
        added = {name: group for name, group in groups.items() if name not in _FIELDS}
        return cls(
            **{name: group for name, group in groups.items() if name in _FIELDS},
            roles=roles,
            attributes=attributes,
            added=added,
        )

    def group(self, name: str) -> Any:
        """The settings of a stage; None where it has none here."""
        return self.added.get(name) if name not in _FIELDS else getattr(self, name)

    def stages(self) -> Iterator[OnlineStage]:
        """The stages that are on and make steps, in the order of the work."""
        for stage in ONLINE_STAGES:
            switches = (switch.split(".") for switch in stage.switches)
            is_on = not stage.switches or any(getattr(self.group(g), n, False) for g, n in switches)
            if stage.maker and is_on:
                yield stage

    @property
    def asking(self) -> str:
        """The first setting by which a language model is asked, as an override; empty where none is."""
        asks = (getattr(self.group(name), "asks", "") for name in stage_groups())
        return next(filter(None, asks), "")

    def without_model(self) -> CascadeConfig:
        """The same as far as no language model is asked."""
        config = self
        for name in stage_groups():
            if getattr(group := self.group(name), "asks", ""):
                config = config.with_group(name, group.without_model())
        return config

    def with_group(self, name: str, config: Any) -> CascadeConfig:
        """The same with other settings of a stage."""
        if name in _FIELDS:
            return replace(self, **{name: config})
        return replace(self, added={**self.added, name: config})

    def deep_enough(self) -> CascadeConfig:
        """With a fused list long enough for conformal sets: many primary provisions stand behind rank 20."""
        if self.select.method != "conformal":
            return self
        return replace(self, fuse=replace(self.fuse, depth=max(self.fuse.depth, POOL)))


_FIELDS = frozenset(f.name for f in fields(CascadeConfig))


def stage_classes() -> dict[str, type[Any]]:
    """The dataclass of the settings of each stage that is no field of :class:`CascadeConfig`, by group."""
    return {
        stage.group: getattr(import_module(stage.config), stage.class_name)
        for stage in ONLINE_STAGES
        if stage.config
    }


def stage_groups() -> tuple[str, ...]:
    """Names of the groups, in the order of the work."""
    return tuple(stage.group for stage in ONLINE_STAGES if stage.group)
