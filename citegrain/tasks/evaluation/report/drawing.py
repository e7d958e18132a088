"""The parts that figures are made of: style and files, points with intervals, bars, panels, scales, names."""

import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

from citegrain.tasks.evaluation.report.cells import (
    dimension,
    interval,
    is_number,
    number,
    scale,
    span,
    title,
    unit,
)
from citegrain.tasks.evaluation.report.declared import undominated
from citegrain.tasks.evaluation.studies import Row

WIDTH = 9.0  # inches; at 96 dots an inch it fits a page of 900 px
ROW = 0.26  # inches of one line of text with its air
PNG_DPI = 200

INK, SOFT, FAINT = "#1f1f1f", "#6b6b6b", "#c9c9c9"
ACCENT = "#0b5a99"

STYLE = {
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same on every machine
    "font.size": 9,
    # widths that are measured are those that are drawn, at any resolution
    "figure.dpi": PNG_DPI,
    "text.hinting": "none",
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "axes.labelcolor": INK,
    "axes.edgecolor": SOFT,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": INK,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    # text as outlines: a reader without the font sees the same page
    "svg.fonttype": "path",
    "svg.hashsalt": "citegrain",
    # names are data: a dollar sign in one is no formula
    "text.parse_math": False,
}
_NO_METADATA = {"Creator": None, "Date": None, "Format": None, "Type": None}


@contextmanager
def house_style() -> Iterator[None]:
    """Matplotlib's defaults and the style above, whatever the user's own settings are; then back."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        yield


@contextmanager
def drawn(height: float) -> Iterator[Figure]:
    """A figure of the common width to draw on, ``height`` in inches; its parts are then placed for good.

    To place them takes longer than to draw them. What stands beside the axes moves with them: a few rounds
    until all of it fits.
    """
    with house_style():
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        yield figure
        engine: Any = figure.get_layout_engine()
        for _ in range(3):
            engine.execute(figure)  # all that drawing does to places
        figure.set_layout_engine("none")


def to_svg(figure: Figure) -> str:
    """The figure as SVG, the same text whenever it is drawn from the same table."""
    file = io.StringIO()
    with house_style():
        figure.savefig(file, format="svg", metadata=_NO_METADATA, transparent=True)
    return file.getvalue()


def to_png(figure: Figure) -> bytes:
    """The figure as PNG, the same bytes whenever it is drawn from the same table."""
    file = io.BytesIO()
    with house_style():
        figure.savefig(file, format="png", dpi=PNG_DPI, metadata={"Software": None})
    return file.getvalue()


def inline(svg: str, prefix: str, label: str) -> str:
    """An SVG as a part of a page.

    Its ids get a prefix, since those of two figures would collide; prolog, comments and name
    spaces go, since HTML needs none of them and each names an address on the web.
    """
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<!--.*?-->\s*", "", body, flags=re.DOTALL)
    body = re.sub(r'\sxmlns(:xlink)?="[^"]*"', "", body)
    body = body.replace("xlink:href=", "href=")
    body = re.sub(r'\bid="', f'id="{prefix}-', body)
    body = re.sub(r'href="#', f'href="#{prefix}-', body)
    body = body.replace("url(#", f"url(#{prefix}-")
    escaped = label.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    return body.replace("<svg", f'<svg role="img" aria-label="{escaped}"', 1)


def keep_spines(axes: Any, *names: str) -> None:
    """Leave only the named spines."""
    for name, spine in axes.spines.items():
        spine.set_visible(name in names)


def broken(name: str, width: int = 36) -> str:
    """A name on as many lines as it needs, broken behind ``-``, within too long a part behind ``_``."""
    lines = [""]
    for part in re.findall(r"[^-]*-+|[^-]+$", name) or [name]:
        for piece in [part] if len(part) <= width else re.findall(r"[^_]*_+|[^_]+$", part):
            if lines[-1] and len(lines[-1]) + len(piece) > width:
                lines.append("")
            lines[-1] += piece
    return "\n".join(lines)


COLUMNS = 3  # panels side by side
COUNTED = 24  # configurations up to which bars show their counts; a table does in any case
# colour, marker and line of lines in one panel: they differ in lightness and shape too
LEVELS = (
    ("#0b5a99", "o", "-"),
    ("#d9731f", "s", (0, (4, 1.5))),
    ("#2f2f2f", "^", (0, (1.2, 1.2))),
    ("#8fb9d9", "D", (0, (6, 1.5, 1.2, 1.5))),
)

# what the law at hand lacks is grey; what stages lose goes from dark to light in their order
LOSS_COLOURS: Mapping[str, str] = {
    "not_indexed": "#3d3d3d",
    "not_in_force": "#7d7d7d",
    "not_retrieved": "#7f2704",
    "cut_by_fusion": "#b5480f",
    "cut_by_rerank": "#e07b2c",
    "cut_by_selection": "#f5ab66",
    "cut_by_generator": "#fbd7ac",
    "wrong_order": "#9cc7e2",
    "failed": "#e3e3e3",
    "found": "#0b5a99",
}
_DARK = ("not_indexed", "not_in_force", "not_retrieved", "cut_by_fusion", "found")


def draw_interval(
    axes: Any, y: float, row: Row, metric: str, key: str = "value", fill: str = ACCENT, width: float = 1.5
) -> None:
    """The point of a row, which is its ``key``, and its interval."""
    factor = scale(metric)
    if is_number(row["lo"]) and is_number(row["hi"]):
        axes.hlines(y, row["lo"] * factor, row["hi"] * factor, color=ACCENT, lw=width, zorder=2)
    axes.plot([row[key] * factor], [y], "o", ms=5.5, mfc=fill, mec=ACCENT, mew=1.2, zorder=3)


def draw_numbers(
    axes: Any,
    rows: Sequence[Row],
    metric: str,
    key: str = "value",
    bold: Callable[[Row], bool] | None = None,
) -> None:
    """The numbers themselves, right of the points: values end, and intervals begin, below each other."""
    sign = key != "value"
    for y, row in enumerate(rows):
        look: dict[str, Any] = {
            "xycoords": axes.get_yaxis_transform(), "textcoords": "offset points", "va": "center",
            "fontsize": 8.5, "weight": "bold" if bold and bold(row) else "normal",
        }  # fmt: skip
        axes.annotate(number(metric, row[key], sign), (1, y), (44, 0), ha="right", **look)
        axes.annotate(interval(metric, row["lo"], row["hi"], sign), (1, y), (50, 0), ha="left", **look)


def draw_bars(axes: Any, loss: str, counts: Sequence[int], left: Sequence[int], most: int) -> Any:
    """One category of stacked bars with its counts; returns what a legend shows of it."""
    colours = {"color": LOSS_COLOURS[loss], "edgecolor": "white", "lw": 0.8}
    hatch = "////" if loss == "failed" else None
    bars = axes.barh(range(len(counts)), counts, left=left, height=0.72, hatch=hatch, **colours)
    for y, (count, start) in enumerate(zip(counts, left, strict=True)):
        if len(counts) <= COUNTED and count >= 0.018 * most * len(str(count)) > 0:  # where the digits fit
            colour = "white" if loss in _DARK else INK
            axes.text(start + count / 2, y, str(count), ha="center", va="center", color=colour, fontsize=8)
    return bars


def draw_legend(figure: Figure, handles: Mapping[str, Any]) -> None:
    """Above the axes, to be read line by line, though matplotlib fills column by column."""
    items = list(handles.items())
    half = -(-len(items) // 2)
    if len(items) > 6:
        items = [item for pair in zip_longest(items[:half], items[half:]) for item in pair if item]
    figure.legend(
        [handle for _, handle in items], [name for name, _ in items], loc="outside upper left",
        ncols=half if len(items) > 6 else max(1, len(items)),
        handlelength=1.1, handleheight=1.0, columnspacing=1.5, borderaxespad=0.2,
    )  # fmt: skip


def set_names(axes: Any, names: Sequence[str]) -> None:
    """Names of the rows, the first on top."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.45, -0.55)
    axes.tick_params(axis="y", length=0)
    keep_spines(axes, "bottom")


def height_of(names: Sequence[str]) -> float:
    """Inches that rows of these names take."""
    lines = max((name.count("\n") + 1 for name in names), default=1)
    return max(1, len(names)) * (ROW + 0.15 * (lines - 1))


def set_scale(axes: Any, rows: Sequence[Row], metric: str, steps: int = 8) -> None:
    """The x axis from 0, or from the least bound where that is far from 0; never beyond what can be."""
    bounds = [row[end] for row in rows for end in ("lo", "value", "hi") if is_number(row[end])]
    low, high = min(bounds, default=0.0), max(bounds, default=1.0)
    low = 0.0 if low < 0.3 * high else low
    air = 0.04 * (high - low) or 0.02
    axes.set_xlim(max(low - air, -0.015) * scale(metric), min(high + air, 1.015) * scale(metric))
    set_grid(axes, steps)


def set_grid(axes: Any, steps: int) -> None:
    """Round ticks along x, at most so many, with a light line at each."""
    axes.xaxis.set_major_locator(MaxNLocator(nbins=steps, steps=[1, 2, 5, 10]))
    axes.grid(axis="x", color="#ececec", lw=0.7)
    axes.set_axisbelow(True)


def draw_panels(
    panels: Mapping[tuple[str, str], Sequence[Row]],
    names: Sequence[str],
    label: str,
    draw: Callable[[Any, Sequence[Row]], None],
) -> Figure:
    """A panel for each group of queries, up to three side by side, with the same rows on one scale.

    ``panels``: rows by dimension and group. ``names``: of the lines of a panel, from its top.
    """
    columns = max(1, min(COLUMNS, len(panels)))
    lines = max(1, -(-len(panels) // columns))
    with drawn(0.6 + lines * (0.5 + height_of(names))) as figure:
        grid = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False).ravel()
        for axes, ((name, group), rows) in zip(grid, panels.items(), strict=False):
            draw(axes, rows)
            axes.set_title(f"{dimension(name)}: {group} (n = {span([r['n'] for r in rows])})", loc="left")
            set_names(axes, names)
        for place, axes in enumerate(grid):
            axes.set_visible(place < len(panels))
            # the last line may have fewer panels: the scale stands below the last one of each column
            axes.tick_params(labelbottom=place + columns >= len(panels))
        figure.supxlabel(label, fontsize=9, color=INK)
        return figure


def set_times(axes: Any, rows: Sequence[Row], metric: str) -> None:
    """Axes of a metric against ``x`` on a log scale: ticks at 1, 2 and 5 times each power of ten."""
    axes.set_xscale("log")
    axes.set_xlabel("Median time of a query asked by itself, ms (log scale)")
    axes.set_ylabel(measured(metric, rows))
    times = [row["x"] for row in rows]
    low, high = min(times, default=1.0) / 1.35, max(times, default=10.0) * 1.35
    while high / low < 6:  # at least two ticks
        low, high = low / 1.2, high * 1.2
    axes.set_xlim(low, high)
    ticks = [step * 10.0**power for power in range(-3, 8) for step in (1, 2, 5)]
    inside = [tick for tick in ticks if low <= tick <= high]
    axes.xaxis.set_major_locator(FixedLocator(inside[:: max(1, -(-len(inside) // 9))]))
    axes.xaxis.set_minor_locator(FixedLocator([]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))


def draw_front(axes: Any, front: Sequence[Row], rows: Sequence[Row], factor: int) -> None:
    """Steps along the undominated rows, and the intervals of some rows."""
    spent, values = [r["x"] for r in front], [r["value"] * factor for r in front]
    axes.step(spent, values, where="post", color=SOFT, lw=0.9, ls=(0, (3, 2)), zorder=1)
    for row in rows:
        if is_number(row["lo"]) and is_number(row["hi"]):
            axes.vlines(row["x"], row["lo"] * factor, row["hi"] * factor, color=ACCENT, lw=1.1, alpha=0.55)


def line_look(place: int) -> dict[str, Any]:
    """Colour, marker and dashes of one of the lines of a panel."""
    colour, marker, dashes = LEVELS[place % len(LEVELS)]
    return {"color": colour, "marker": marker, "ls": dashes}


def measured(metric: str, rows: Sequence[Row]) -> str:
    """``primary accuracy, % (n = 54)``."""
    return f"{title(metric)}{in_unit(metric)} (n = {span([r['n'] for r in rows])})"


def in_unit(metric: str) -> str:
    """``, %`` of a share, nothing of a plain number."""
    return f", {unit(metric)}" if unit(metric) else ""


# Labels in the right margin, each joined to its point by a thin line: none can cover another ------------

LINES = 18  # lines of text that a figure of the usual height can hold
WIDE = 44  # characters of a line


def label_in_margin(axes: Any, rows: Sequence[Row], factor: int, marked: Sequence[str]) -> None:
    """Name the points of a scatter plot of ``value`` (times ``factor``) against ``x``.

    Where there is no room for all names, only those of ``chosen`` are shown.
    """
    lines = max((broken(r["configuration"], WIDE).count("\n") + 1 for r in rows), default=1)
    room = LINES // lines
    labelled = rows if len(rows) <= room else chosen(rows, marked)[:room]
    labelled = sorted(labelled, key=lambda r: (-r["value"], r["x"]))
    low, high = axes.get_ylim()
    places = [(r["value"] * factor - low) / (high - low) for r in labelled]
    for row, y in zip(labelled, spread(places, lines / LINES), strict=True):
        axes.annotate(
            broken(row["configuration"], WIDE),
            xy=(row["x"], row["value"] * factor),
            xytext=(1.04, y),
            textcoords="axes fraction",
            va="center",
            fontsize=8.5 if lines == 1 else 7.5,
            linespacing=1.0,
            arrowprops={
                "arrowstyle": "-",
                "color": FAINT,
                "lw": 0.7,
                "shrinkA": 2,
                "shrinkB": 4,
                "relpos": (0, 0.5),
            },
        )
    axes.set_ylim(low, high)


def chosen(rows: Sequence[Row], marked: Sequence[str]) -> list[Row]:
    """Those that are marked, then those that none beats in both time and value, best first."""
    first = [r for r in rows if r["configuration"] in marked]
    return first + [r for r in reversed(undominated(rows)) if r not in first]


def spread(places: Sequence[float], gap: float) -> list[float]:
    """Places from 0 to 1 near the given ones, falling, at least ``gap`` apart.

    ``places``: falling; at most 1 + 1 / ``gap`` of them.
    """
    out: list[float] = []
    for place in places:
        out.append(min(place, out[-1] - gap) if out else min(place, 1.0))
    floor = 0.0
    for i in reversed(range(len(out))):  # push back what fell below the axis
        out[i] = max(out[i], floor)
        floor = out[i] + gap
    return out
