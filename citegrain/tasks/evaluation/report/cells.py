"""Cells of tables of figures, the same for every renderer; how numbers and names are written."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeGuard

from markupsafe import Markup, escape

from citegrain.tasks.core.pages import TableCell
from citegrain.tasks.evaluation.compare import POOLED
from citegrain.tasks.evaluation.score import KINDS, PLAIN, TITLES
from citegrain.tasks.evaluation.studies import Row, Share, StudyFolder

DASH = "–"
MINUS = "−"

_DIMENSIONS = {"cross_domain": "Across domains", "cites_statute": "Cites a statute", "dated": "Names the day"}


def title(metric: str) -> str:
    """Name of a metric in words."""
    return TITLES.get(metric, words(metric))


def is_plain(metric: str) -> bool:
    """Whether values are printed as they are: those of one's own may be anything, but for a ``Share``."""
    return metric in PLAIN or (":" in metric and not isinstance(metric, Share))


def lowered(heading: str) -> str:
    """A heading within a sentence; abbreviations stay."""
    return heading if heading[1:2].isupper() or heading.isupper() else heading[:1].lower() + heading[1:]


def dimension(name: str) -> str:
    """What complaints are grouped by, as a heading names it."""
    return _DIMENSIONS.get(name, words(name))


def words(name: str) -> str:
    """A name of the program in words: ``cut_by_fusion`` is "Cut by fusion", ``my_lab:recent`` "Recent"."""
    spaced = name.rpartition(":")[2].replace("_", " ").strip()
    return spaced[:1].upper() + spaced[1:]


def scale(metric: str) -> int:
    """The factor from a value of the metric to the number shown."""
    return 1 if is_plain(metric) else 100


def unit(metric: str) -> str:
    """Unit of the number shown of a metric."""
    return "" if is_plain(metric) else "%"


def measure(metric: str) -> str:
    """In what differences of the metric are shown."""
    return "in percentage points" if unit(metric) else "in its own unit"


def heading(metric: str) -> str:
    """Title and unit of a metric: ``Primary accuracy, %``."""
    return f"{title(metric)},\N{NO-BREAK SPACE}{unit(metric)}" if unit(metric) else title(metric)


def is_number(value: float | None) -> TypeGuard[float]:
    """Whether there is a number."""
    return value is not None and math.isfinite(value)


def number(metric: str, value: float | None, sign: bool = False) -> str:
    """A value of a metric: ``20.4`` in per cent, ``0.314`` plain; with ``sign`` as a difference."""
    if not is_number(value):
        return DASH
    return decimal(value * scale(metric), 3 if is_plain(metric) else 1, sign)


def decimal(value: float, digits: int, sign: bool = False) -> str:
    """A number with so many digits behind the point; one that is rounded to 0 has no sign."""
    text = f"{abs(value):.{digits}f}"
    if float(text) == 0:
        return text
    return (MINUS if value < 0 else "+" if sign else "") + text


def interval(metric: str, lo: float | None, hi: float | None, sign: bool = False) -> str:
    """``[11.8, 32.9]``; empty where neither bound is known, ``all alike`` of equal values."""
    if not is_number(lo) and not is_number(hi):
        return ""
    if lo == hi:
        return "all alike"  # every resample is the same; it is not certainty
    return f"[{number(metric, lo, sign)}, {number(metric, hi, sign)}]"


def p_value(p: float | None) -> str:
    """Three digits; ``<0.001`` where they would be 0."""
    if not is_number(p):
        return DASH
    return "<0.001" if p < 0.0005 else f"{p:.3f}"


def significant(value: float | None) -> str:
    """What a query takes in about three digits: ``0.0008``, ``0.03``, ``2.4``, ``149``, ``2,041``."""
    if not is_number(value):
        return DASH
    if value >= 99.95:
        return f"{value:,.0f}"
    if 0 < value < 0.0095:
        return f"{value:.1g}"
    return f"{value:.1f}" if value >= 0.95 else f"{value:.2f}"


def breakable(name: str) -> Markup:
    """A name, escaped, that a page may break behind ``-``, ``_``, ``.`` and ``/``."""
    return Markup(re.sub(r"([-_/]|\.(?!\d))", r"\1<wbr>", str(escape(name))))  # noqa: S704


def counted(n: int, one: str, many: str = "") -> str:
    """``1 complaint``, ``2 complaints``."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def span(numbers: Sequence[int]) -> str:
    """A number, or the range of several."""
    if not numbers:
        return "0"
    return str(min(numbers)) if min(numbers) == max(numbers) else f"{min(numbers)}–{max(numbers)}"


def moment(stamp: str) -> str:
    """``2026-11-22T05:53:28+00:00`` as people write it; unchanged if it is no date."""
    try:
        read = datetime.fromisoformat(stamp)
    except ValueError:
        return stamp
    return f"{read.day} {read:%B %Y, %H:%M} {read.tzname() or ''}".strip()


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

    ``row``: of ``SUMMARY`` or ``BREAKDOWN``; None where nothing was measured. ``shared_n``: n of the column,
    0 where it has several.
    """
    if row is None or not is_number(row["value"]):
        return TableCell(DASH)
    bounds = interval(metric, row["lo"], row["hi"])
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

    ``row``: of ``COMPARISONS`` or ``EFFECTS``. ``strong``: whether the difference and its adjusted p are set
    in bold.
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
