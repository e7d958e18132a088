"""What the page of a factorial study shows beside, or instead of, the sections of every study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citegrain.tasks.evaluation.design import Contrast, Design
from citegrain.tasks.evaluation.report import claims, effects_tables
from citegrain.tasks.evaluation.report import design as designs
from citegrain.tasks.evaluation.report.cells import Table
from citegrain.tasks.evaluation.report.wording import counted, known, lowered, title
from citegrain.tasks.evaluation.studies import StudyFolder, first_seen

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Claim:
    """The declared effects on one metric: those shown, those not, those that could not be estimated."""

    metric: str
    n_effects: str
    shown: Sequence[str]
    null: Sequence[str]
    unknown: Sequence[str]


@dataclass(frozen=True)
class Factorial:
    """The parts of the page that ordinary studies have not; tables are by metric."""

    design: Design
    size: str
    base: str
    levels: Mapping[str, Sequence[designs.Level]]
    contrasts: Sequence[Contrast]
    family: str
    holes: Sequence[designs.Hole]
    tokens: Mapping[str, float]
    claims: Sequence[Claim]
    effects: Mapping[str, Table]
    compared: int
    disagreements: Sequence[str]
    interactions: Mapping[str, Table]
    by_chance: str
    groups: Mapping[str, Table]
    cells: Table
    telling: Mapping[str, str]


def factorial(study: StudyFolder) -> Factorial | None:
    """Its parts; None of an ordinary study."""
    made = designs.design_of(study)
    if made is None:
        return None
    told = study.facts["design"]
    compared, differ = claims.disagreements(study)
    return Factorial(
        design=made,
        size=designs.size(made),
        base=" ".join(told["base"]),
        levels=designs.levels_of(study),
        contrasts=designs.contrasts_of(study),
        family=designs.family_of(study),
        holes=designs.holes_of(study),
        tokens=told["tokens"],
        claims=_claims(study),
        effects=effects_tables.effect_tables(study),
        compared=compared,
        disagreements=differ,
        interactions=effects_tables.interaction_tables(study),
        by_chance=claims.by_chance(effects_tables.interaction_rows(study)),
        groups=effects_tables.group_tables(study),
        cells=effects_tables.cells_table(study),
        telling=designs.telling_cells(study),
    )


def many(study: StudyFolder) -> bool:
    """Whether a factorial study has so many cells that sections show some of them alone."""
    return bool(study.facts["design"]) and len(study.configurations) > designs.FEW


def some_cells(study: StudyFolder) -> StudyFolder:
    """The study with the cells that are looked at closely alone, where it has many; else as it is."""
    return study.only(designs.telling_cells(study)) if many(study) else study


def _claims(study: StudyFolder) -> list[Claim]:
    rows = claims.family_rows(study)
    out = []
    for metric in first_seen(rows, "metric"):
        own = [r for r in rows if r["metric"] == metric]
        shown, null, unknown = claims.divided(own)
        out.append(
            Claim(
                title(metric),
                counted(len(own), "declared effect"),
                [f"{claims.told_effect(r)}, {claims.sized(r)}" for r in shown],
                [claims.null_told(r) for r in null],
                [claims.told_effect(r) for r in unknown],
            )
        )
    return out


def draw_factorial(study: StudyFolder) -> dict[str, tuple[str, Figure, str]]:
    """Section, figure and caption of what only factorial studies draw, by the name of its file."""
    from citegrain.tasks.evaluation.report import effects_figures

    made = designs.design_of(study)
    if made is None:
        return {}
    out: dict[str, tuple[str, Figure, str]] = {}
    rows, summary = claims.family_rows(study), study.tables["summary"]
    for metric in first_seen(rows, "metric"):
        if any(r["metric"] == metric and known(r["effect"]) for r in rows):
            out[f"effects_{metric}"] = (
                "effects",
                effects_figures.effects(rows, metric),
                _effects_caption(metric),
            )
    metric = "primary_accuracy"
    several = made.full and len(made.factors) > 1  # else there are no two factors to interact
    if several and any((name, metric) in study.cells for name in study.scored):
        figure = effects_figures.interactions(made, summary, metric)
        out[f"interactions_{metric}"] = "interactions", figure, _INTERACTIONS
    if grouped := effects_tables.group_rows(study, metric):
        out["effects_by_group"] = "breakdown", effects_figures.by_group(grouped, metric), _BY_GROUP
    return out


def draw_pareto(study: StudyFolder, metric: str) -> tuple[Figure, str]:
    """Accuracy against time over the cells, and what it shows."""
    from citegrain.tasks.evaluation.report import effects_figures

    made = designs.design_of(study)
    if made is None:
        raise ValueError("an ordinary study has no cells")
    figure = effects_figures.pareto(made, study.tables["summary"], study.tables["timings"], metric)
    return figure, _PARETO


def _effects_caption(metric: str) -> str:
    return (
        f"The declared effects on {lowered(title(metric))}, with 95% intervals. Full points and bold "
        f"numbers: effects that are shown ({claims.RULE}). Hollow points: no effect is shown."
    )


_INTERACTIONS = (
    "Exploratory. Mean primary accuracy by the levels of every two factors, over the cells that have them: "
    "lines that run parallel mean that the two do not interact. The scale does not begin at 0, and means "
    "have no intervals here: the table of interactions tells how sure their differences are."
)
_BY_GROUP = (
    "Exploratory. Effects on primary accuracy by groups of complaints, with 95% intervals. Groups are not "
    "compared by tests: they show where to look next."
)
_PARETO = (
    "Primary accuracy of each cell against the median time of a query asked by itself; up and to the left is "
    "better. Full points, joined by steps, with 95% intervals and numbers: cells that no other beats in "
    "both. They are chosen by their point estimates, among many: whether two of them differ is not tested."
)
