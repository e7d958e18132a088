"""What all figures share: size, type, colours, and how they become files whose bytes do not change."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

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


def new_figure(height: float) -> Figure:
    """An empty figure of the common width; ``height`` in inches."""
    return Figure(figsize=(WIDTH, height), layout="constrained")


def settled(figure: Figure) -> Figure:
    """The figure with its parts placed once and for all: to place them takes longer than to draw them."""
    for _ in range(3):  # what stands beside the axes moves with them: a few rounds until all of it fits
        figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return figure


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
