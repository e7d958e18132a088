"""Parameters of the online chain."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from citegrain.tasks.online.controller import MODEL, ControllerConfig
from citegrain.tasks.online.estimate import POOL, EstimateConfig
from citegrain.tasks.online.expand import ExpandConfig
from citegrain.tasks.online.fuse import DEPTH, FuseConfig
from citegrain.tasks.online.generate import GenerateConfig
from citegrain.tasks.online.query import BY_MODEL, QueryConfig
from citegrain.tasks.online.rerank import RerankConfig
from citegrain.tasks.online.retrieve import RetrieveConfig
from citegrain.tasks.online.route import RouteConfig
from citegrain.tasks.online.select import SelectConfig
from citegrain.tasks.online.verify import VerifyConfig


@dataclass(frozen=True)
class CascadeConfig:
    """Parameters of the online stages.

    Attributes
    ----------
    roles, attributes
        Keys of an answer that the corpus fixes: its parties, and what its law says of a charge.
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
    route: RouteConfig = field(default_factory=RouteConfig)
    expand: ExpandConfig = field(default_factory=ExpandConfig)
    controller: ControllerConfig = field(default_factory=ControllerConfig)

    @classmethod
    def chosen(cls, k: int = 5, *, trained: bool, expanded: bool) -> CascadeConfig:
        """What conf/experiment sets: ``default``, or ``untrained`` without its glossary; ``k`` provisions.

        Parameters
        ----------
        trained
            Whether a reader that was trained encodes the queries; else what all stories share is taken off.
        expanded
            Whether there are lay texts to search.
        """
        learned = trained and expanded
        every = ["dense", "sparse", "provision", "lay_dense", "lay_sparse", "questions", "classifier"]
        some = ["dense", "provision", *(["lay_dense", "lay_sparse"] if expanded else [])]
        return cls(
            retrieve=RetrieveConfig(
                every if learned else some,
                k=DEPTH if learned else 20,
                schedules=False,
                counterparts=True,
                others=not learned,
                centre=0.0 if trained else 0.75,
                rarity=True,
            ),
            fuse=FuseConfig(
                "learned" if learned else "rrf",
                weights={"dense": 2.0, "sparse": 1.0, "provision": 1.0, "lay_dense": 2.0, "lay_sparse": 1.0},
                weights_named={"provision": 3.0},
            ),
            estimate=EstimateConfig("learned"),
            rerank=RerankConfig("none", scale="raw", provenance=0.0),
            select=SelectConfig(k=k),
        )

    @property
    def fusion(self) -> FuseConfig:
        """Fusion with the weights of the routes among its rules."""
        weights = self.route.differences("weights")
        rules = [{"when": name, "weights": of_type} for name, of_type in weights.items()]
        return replace(self.fuse, rules=[*self.fuse.rules, *rules])

    def expansions(self) -> dict[str, ExpandConfig]:
        """What joins the candidates of a query, by its type; ``""`` for every other."""
        routes = self.route.differences("expand")
        return {"": self.expand} | {name: replace(self.expand, **of) for name, of in routes.items()}

    @property
    def asking(self) -> str:
        """The first setting by which a language model is asked, as an override; empty where none is."""
        asks = {
            "route=llm": self.route.method == "llm",
            f"query.rewrites=[{','.join(self.query.rewrites)}]": self.query.asks_model,
            f"controller={self.controller.kind}": self.controller.kind in MODEL,
            "generate=llm": self.generate.kind == "llm",
        }
        return next((name for name, chosen in asks.items() if chosen), "")

    def without_model(self) -> CascadeConfig:
        """The same as far as no language model is asked."""
        rewrites = [name for name in self.query.rewrites if name not in BY_MODEL]
        return replace(
            self,
            query=replace(self.query, rewrites=rewrites),
            route=RouteConfig() if self.route.method == "llm" else self.route,
            controller=ControllerConfig() if self.controller.kind in MODEL else self.controller,
            generate=GenerateConfig() if self.generate.kind == "llm" else self.generate,
        )

    def deep_enough(self) -> CascadeConfig:
        """With a fused list long enough for conformal sets: many primary provisions stand behind rank 20."""
        if self.select.method != "conformal":
            return self
        return replace(self, fuse=replace(self.fuse, depth=max(self.fuse.depth, POOL)))
