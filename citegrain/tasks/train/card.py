"""The card of a trained model: what it is, what it was made from, what it does where it learned nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citegrain.tasks.offline.models import ModelFiles
from citegrain.tasks.train.config import RANKER, READER, RERANKER, TrainConfig
from citegrain.tasks.train.examples import HELD_OUT, LEFT_OUT, UNSEEN, WRITTEN

if TYPE_CHECKING:  # brings SciPy, and this package is loaded to read settings
    from citegrain.tasks.evaluation.compare import Interval, Paired

_SPLITS = {
    HELD_OUT: "provisions kept back",
    UNSEEN: "Acts kept back",
    WRITTEN: "Acts kept back, lay texts",
    LEFT_OUT: "texts left out",
}
_METRICS = {"first": "first", "in_5": "among 5", "in_20": "among 20", "any": "any that applies first"}
_OF_BENCHMARKS = {LEFT_OUT: "at home", UNSEEN: "abroad", WRITTEN: "abroad, lay texts"}
SIDES = {READER: ("base", "reader"), RERANKER: ("by vectors", "reranked"), RANKER: ("by ranks", "ranked")}
"""What is compared."""


@dataclass(frozen=True)
class Gain:
    """A measure of what was kept back: by the base model and the reader, or by vectors and reranked.

    ``split``, ``metric``: ``held_out``, ``unseen``, ``written`` or ``left_out``; ``first``, ``in_5`` or
    ``in_20``, of the primary provision, or ``any`` that applies first. ``n``: texts; the ``n`` of the
    intervals are provisions and stories, which are what is drawn. ``before``, ``after``, ``gained``: mean
    over them of the share of texts, before and after, and the paired difference. ``benchmark``: whose texts
    they are; empty for those that are learned from.
    """

    split: str
    metric: str
    n: int
    before: Interval
    after: Interval
    gained: Paired
    benchmark: str = ""

    @property
    def label(self) -> str:
        """What is measured."""
        of_benchmark = f"{self.benchmark} {_OF_BENCHMARKS[self.split]}" if self.benchmark else ""
        return f"{of_benchmark or _SPLITS[self.split]}, {_METRICS[self.metric]}"

    @property
    def cells(self) -> tuple[str, str, str]:
        """Before, after and difference in percent with their intervals."""
        gained = self.gained
        difference = f"{100 * gained.difference:+.1f} [{100 * gained.lo:.1f}, {100 * gained.hi:.1f}]"
        return _percent(self.before), _percent(self.after), difference


def _percent(share: Interval) -> str:
    return f"{100 * share.value:.1f} [{100 * share.lo:.1f}, {100 * share.hi:.1f}]"


def model_card(
    config: TrainConfig,
    base: ModelFiles,
    sha256: Mapping[str, str],
    size: int,
    counts: Mapping[str, int],
    gains: Sequence[Gain],
) -> str:
    """The card as Markdown.

    ``sha256``, ``size``: digest of each file that a configuration names, and bytes of them all. ``counts``:
    texts by split.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("citegrain.tasks.train"),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 Markdown, of our own values
    )
    return environment.get_template("card.md").render(
        config=config,
        base=base,
        sha256=sha256,
        megabytes=size / 1e6,
        counts=counts,
        gains=gains,
        sides=SIDES[config.kind],
    )
