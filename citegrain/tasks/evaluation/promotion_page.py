"""The verdict for people, above the report of amendments: Markdown lines, and a part of its HTML page."""

from collections.abc import Collection

from markupsafe import Markup

from citegrain.tasks.core.pages import markdown_text, page_of, templates
from citegrain.tasks.evaluation.promotion import ChangedAnswer, Verdict

_SHOWN = 200  # queries a list names; the verdict beside the report has all
PAGES = 10
"""Changed answers that have pages of their own, from both builds."""


def verdict_lines(verdict: Verdict, forced: bool) -> list[str]:
    """The verdict as Markdown; names of files and of queries are data: nothing in them is read as markup.

    ``forced``: whether the build is promoted though it is refused.
    """
    lines = ["## The gate", "", f"{_decision(verdict, forced)}.", ""]
    lines += [f"- {markdown_text(reason)}" for reason in verdict.reasons]
    lines += [f"- Benchmark: {sentence}." for sentence in verdict.sentences or [verdict.nothing]] + [""]
    for cause, number, answers in _grouped(verdict):
        lines += [f"Changed answers, {markdown_text(cause)} ({number}):", ""]
        lines += [f"- {markdown_text(c.query_id)}: {markdown_text(_moved(c))}" for c in answers]
        lines += [""]
    lines += _more(len(verdict.changed))
    if verdict.excluded:
        lines += [f"{len(verdict.excluded)} left out, because a provision of their label was amended:", ""]
        lines += [
            f"- {markdown_text(query)}: {markdown_text(', '.join(labels))}"
            for query, labels in list(verdict.excluded.items())[:_SHOWN]
        ]
        lines += _more(len(verdict.excluded))
    return lines


def shown_first(verdict: Verdict) -> list[ChangedAnswer]:
    """The changed answers in the order of the report."""
    return [answer for _, _, answers in _grouped(verdict) for answer in answers]


def verdict_html(verdict: Verdict, forced: bool, pages: Collection[str] = ()) -> Markup:
    """The verdict as a section of a page; everything in it is escaped.

    ``forced``: whether the build is promoted though it is refused. ``pages``: places of the pages of answers,
    as seen from the report.
    """
    links = {
        c.query_id: [
            (side, at) for side in ("before", "after") if (at := f"{side}-{page_of(c.query_id)}") in pages
        ]
        for c in shown_first(verdict)
    }
    return Markup(  # noqa: S704 - of our template, which escapes
        templates("citegrain.tasks.evaluation")
        .get_template("verdict.html.j2")
        .render(
            verdict=verdict,
            decision=_decision(verdict, forced),
            sentences=verdict.sentences or [verdict.nothing],
            groups=_grouped(verdict),
            excluded=list(verdict.excluded.items())[:_SHOWN],
            shown=_SHOWN,
            links=links,
        )
    )


def _decision(verdict: Verdict, forced: bool) -> str:
    if verdict.promoted:
        return "Promoted"
    return "Refused, and promoted by force" if forced else "Refused"


def _grouped(verdict: Verdict) -> list[tuple[str, int, list[ChangedAnswer]]]:
    """Cause, how many answers moved by it, and those of them that are shown; those without a cause last."""
    by_cause: dict[str, list[ChangedAnswer]] = {}
    for answer in sorted(verdict.changed, key=lambda c: not c.causes):
        by_cause.setdefault(", ".join(answer.causes), []).append(answer)
    groups, left = [], _SHOWN
    for causes, answers in by_cause.items():
        cause = f"amended: {causes}" if causes else "ranks moved by new neighbours"
        groups += [(cause, len(answers), answers[:left])]
        left -= len(groups[-1][2])
    return groups


def _moved(changed: ChangedAnswer) -> str:
    """What came and what went."""
    sides = [
        f"{name} {', '.join(provisions)}"
        for name, provisions in (("added", changed.added), ("removed", changed.removed))
        if provisions
    ]
    return "; ".join(sides) or "the same in another order"


def _more(number: int) -> list[str]:
    return [f"- and {number - _SHOWN} more", ""] if number > _SHOWN else [""] * bool(number)
