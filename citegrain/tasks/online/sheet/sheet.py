"""An answer as one HTML page that needs nothing beside it."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from citegrain.tasks.core.pages import source_of, templates
from citegrain.tasks.law.asof import AsOf
from citegrain.tasks.online.builds import ATTRIBUTES
from citegrain.tasks.online.sheet.picture import Picture
from citegrain.tasks.online.wording import counterpart_line, likelihood


def make_sheet(
    answer: Mapping[str, Any],
    explanation: Sequence[Mapping[str, Any]],
    pictures: Mapping[str, Picture | str],
    seconds: Mapping[str, float],
) -> str:
    """The page; everything in it that others wrote is escaped.

    Parameters
    ----------
    answer
        As ``ask --json`` has it, with the whole text of each charge.
    explanation
        As ``ask --explain --json`` has it.
    pictures
        By provision id the page on which it stands, or why there is none; none for texts without PDFs.
    seconds
        Time of each step.
    """
    environment = templates("citegrain.tasks.online.sheet")
    environment.filters |= {"counterparts": counterpart_line, "likelihood": likelihood, "embedded": _embedded}
    amendments = templates("citegrain.tasks.law.amend")
    page = environment.get_template("sheet.html.j2").render(
        answer=answer,
        day=AsOf(**answer["as_of"]).line(),
        explained={row["provision_id"]: row for row in explanation},
        rows=explanation,
        stages=list(explanation[0]["stages"]) if explanation else [],
        pictures=pictures,
        attributes=ATTRIBUTES,
        seconds=seconds,
        style=source_of(amendments, "amendments.css") + source_of(environment, "sheet.css"),
    )
    # half a surrogate pair cannot be encoded
    return page.encode("utf-8", "replace").decode("utf-8")


def _embedded(png: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"
