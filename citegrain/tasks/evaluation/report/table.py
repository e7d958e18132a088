"""Cells of tables of figures: every renderer shows the same ones."""

from __future__ import annotations

from dataclasses import replace

from citegrain.tasks.core.pages import TableCell
from citegrain.tasks.evaluation.compare import POOLED, PROPORTION
from citegrain.tasks.evaluation.report.wording import DASH, interval, is_number, number, p_value, significant
from citegrain.tasks.evaluation.score import KINDS
from citegrain.tasks.evaluation.studies import Row, StudyFolder


def name_cell(study: StudyFolder, configuration: str) -> TableCell:
    """The name of a configuration, and what marks it out."""
    marks = ["baseline"] if configuration == study.baseline else []
    if study.facts["configurations"].get(configuration, {}).get("failure"):
        marks.append("failed")
    return TableCell(configuration, ", ".join(marks), sort=configuration)


def text_cell(text: str) -> TableCell:
    """A text by which its column is sorted."""
    return TableCell(text, sort=text)


def count_cell(count: int) -> TableCell:
    """A number of something."""
    return TableCell(str(count), sort=count)


def spent_cell(value: float | None) -> TableCell:
    """What a query takes: milliseconds, tokens, a price."""
    return TableCell(significant(value), sort=value)


def measured_cell(row: Row | None, metric: str, shared_n: int) -> TableCell:
    """A value with its interval; with n where it is not the same for the whole column.

    Parameters
    ----------
    row
        Of ``SUMMARY`` or ``BREAKDOWN``; None where nothing was measured.
    shared_n
        n of the column, 0 where it has several.
    """
    if row is None or not is_number(row["value"]):
        return TableCell(DASH)
    bounds = interval(metric, row["lo"], row["hi"])
    if KINDS.get(metric) != PROPORTION and row["lo"] == row["hi"]:
        bounds = "all alike"  # every resample is the same; it is not certainty
    return TableCell(number(metric, row["value"]), bounds, _n(row, shared_n), row["value"])


def difference_cell(metric: str, difference: float | None, lo: float, hi: float) -> TableCell:
    """A difference with its sign and its interval."""
    return TableCell(
        number(metric, difference, sign=True), interval(metric, lo, hi, sign=True), sort=difference
    )


def effect_cell(row: Row | None, shared_n: int) -> TableCell:
    """An effect with its interval; with n where it is not the same for the whole column."""
    if row is None or not is_number(row["effect"]):
        return TableCell(DASH)
    cell = difference_cell(row["metric"], row["effect"], row["lo"], row["hi"])
    return replace(cell, n=_n(row, shared_n), sort=None)


def _n(row: Row, shared_n: int) -> str:
    return "" if shared_n else f"n = {row['n']}"


def tested_cells(row: Row, strong: bool = False) -> dict[str, TableCell]:
    """The cells of a comparison or an effect, by what they say.

    Parameters
    ----------
    row
        Of ``COMPARISONS`` or ``EFFECTS``.
    strong
        Whether the difference and its adjusted p are set in bold.
    """
    metric = row["metric"]
    difference = row["difference"] if "difference" in row else row["effect"]
    won_lost = DASH if KINDS.get(metric) == POOLED else f"{row['wins']}{DASH}{row['losses']}"
    return {
        "difference": replace(difference_cell(metric, difference, row["lo"], row["hi"]), strong=strong),
        "n": count_cell(row["n"]),
        "won_lost": TableCell(won_lost, sort=row["wins"] - row["losses"]),
        "p": TableCell(p_value(row["p"]), sort=row["p"]),
        "p_holm": TableCell(p_value(row["p_holm"]), sort=row["p_holm"], strong=strong),
        "detectable": TableCell(number(metric, row["mde"]), sort=row["mde"]),
    }


def n_in_head(shared_n: int) -> str:
    """``n = 54`` where a whole column has the same n."""
    return f"n = {shared_n}" if shared_n else ""


def one_of(numbers: set[int]) -> int:
    """The only number; 0 where there are several."""
    return numbers.pop() if len(numbers) == 1 else 0
