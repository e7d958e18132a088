"""Whether a new build may take the place of the old one, and the page that says so."""

from tasks.promotion.report import verdict_html, verdict_lines
from tasks.promotion.verdict import Changed, Verdict, judge, moved, plain

__all__ = ["Changed", "Verdict", "judge", "moved", "plain", "verdict_html", "verdict_lines"]
