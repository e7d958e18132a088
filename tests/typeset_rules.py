"""Rules of our own, with a form behind them, typeset in the ways in which States print them."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence

from tests.typeset import Section, saved, story

TITLE = "The Goa Lantern (Oil and Wicks) Rules, 2012"
RULES = (
    Section("1", "Short title and commencement", [
        "(1) These rules may be called the Goa Lantern (Oil and Wicks) Rules, 2012.",
        "(2) They shall come into force on the date of their publication in the Official Gazette."]),
    Section("2", "Definitions", ["(1) In these rules, unless the context otherwise requires, “Act” means the "
                                 "Lantern Keepers (Welfare) Act,", "2011. Other words have the meanings in it.",
                                 "(2) “Form” means a form appended to these rules."]),
    Section("3", "Measure of oil", ["(1) Every owner shall supply a keeper with four litres of oil a month.",
                                    "(2) The oil shall be measured in the presence of the keeper and of one other, and "
                                    "what is measured shall be written down by the owner in Form A on the same day."]),
    Section("4", "Complaints about oil that is short or of poor quality", [
        "(1) A keeper may complain to the inspector in Form A.",
        "(2) The inspector shall decide within thirty days."]),
    Section("4A", "Wicks", ["(1) Rule 3 applies to wicks.", "(2) A wick shall be a foot long."]),
    Section("5", "Means of service and register", ["(1) The owner shall keep a register of oil.", "(2) It shall be open to the keeper."]),
)  # fmt: skip


def _in_one(rule: Section) -> Section:
    """A rule without sub-rules."""
    text = " ".join(p.removeprefix("(1) ").removeprefix("(2) ") for p in rule.paragraphs)
    return Section(rule.number, rule.heading, [text])


SINGLE = tuple(map(_in_one, RULES))
PREAMBLE = (
    "<h1>GOVERNMENT OF GOA</h1><h1>NOTIFICATION</h1><p>Panaji, the 4th May, 2012</p>"
    "<p>No. 12/3/2012-LAMP.- In exercise of the powers conferred by section 9 of the Lantern Keepers (Welfare) Act, "
    "2011 (17 of 2011), the Government of Goa hereby makes the following rules, namely:—</p>"
)
FORM = (
    "<p>By order and in the name of the Governor of Goa.</p><p>A. Keeper, Secretary to Government.</p>"
    "<h1>FORM A</h1><h2>[See rule 3]</h2><h2>REGISTER OF OIL</h2>"
    "<p>1. Name of the keeper:</p><p>2. Litres supplied.—</p><p>3. Date of supply:</p><p>4. Signature:</p>"
    "<p>5. Witness:</p><p>6. Remarks.—none</p><p>7. Place:</p>"
)
Printed = Callable[[Section], Sequence[str]]


def _joined(opening: Callable[[Section], str]) -> Printed:
    """The heading, and the first paragraph behind it."""
    return lambda r: [f"{opening(r)} {html.escape(r.paragraphs[0])}", *map(html.escape, r.paragraphs[1:])]


def _in_rows(opening: Callable[[Section], Sequence[str]]) -> Printed:
    """The heading on rows of its own."""
    return lambda r: [*opening(r), *map(html.escape, r.paragraphs)]


def _hyphened(r: Section) -> list[str]:
    """``3-(1)``, then the heading, then the text of (1) without its mark."""
    first = r.paragraphs[0].removeprefix("(1) ")
    marked = first != r.paragraphs[0]
    return [f"{r.number}-{'(1)' if marked else ''}", r.heading, *map(html.escape, [first, *r.paragraphs[1:]])]


STYLES: dict[str, Printed] = {
    "N. newline title": _in_rows(lambda r: [f"{r.number}.", r.heading]),
    "N. newline title dash": lambda r: [f"{r.number}.", *_joined(lambda r: f"{r.heading}.—")(r)],
    "N. Title.—": _joined(lambda r: f"{r.number}. {r.heading}.—"),
    "N. Title.–": _joined(lambda r: f"{r.number}. {r.heading}.–"),
    "N. Title.-": _joined(lambda r: f"{r.number}. {r.heading}.-"),
    "N. Title:-": _joined(lambda r: f"{r.number}. {r.heading}:-"),
    "N. bold Title.": _joined(lambda r: f"<b>{r.number}. {r.heading}.</b>"),
    "N. Title newline": _in_rows(lambda r: [f"{r.number}. {r.heading}"]),
    "N. Title: newline": _in_rows(lambda r: [f"{r.number}. {r.heading}:"]),
    "Rule N. Title.—": _joined(lambda r: f"Rule {r.number}. {r.heading}.—"),
    "Rule N - Title": _in_rows(lambda r: [f"Rule {r.number} - {r.heading}"]),
    "Rule N newline title": _in_rows(lambda r: [f"Rule {r.number}", r.heading]),
    "N-(1) or N- newline title": _hyphened,
    "Title. above N.": lambda r: [f"<b>{r.heading}.</b>", *_joined(lambda r: f"{r.number}.")(r)],
}


def rules(
    style: str = "N. Title.—",
    printed: Sequence[Section] = RULES,
    *,
    before: str = "",
    form: str = FORM,
    chapter: str = "<h2>CHAPTER I</h2><h2>PRELIMINARY</h2>",
) -> bytes:
    """Rules in one of ``STYLES``, ``before`` them what is given, ``form`` behind them."""
    return saved(story(before + markup(printed, style, form=form, chapter=chapter)))


def markup(
    printed: Sequence[Section], style: str = "N. Title.—", *, form: str = FORM, chapter: str = ""
) -> str:
    """What :func:`rules` typesets."""
    body = "".join(f"<p>{line}</p>" for rule in printed for line in STYLES[style](rule))
    return PREAMBLE + chapter + body + form
