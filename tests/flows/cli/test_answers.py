"""What replaced the law of a charge, as a line of text."""

from __future__ import annotations

from citegrain.flows.cli.answers import counterpart_line
from citegrain.tasks.law.counterparts import replacement
from tests.tasks.law.counterparts.test_replaced import ACTS


def test_one_line_a_charge() -> None:
    def line(act: str, *rows: tuple[str, str]) -> str:
        other = replacement(ACTS, act)
        counterparts = [{"act": other["act"], "section": n, "source": s} for n, s in rows] if other else []
        return counterpart_line({"replacement": other, "counterparts": counterparts})

    assert (
        line("ipc", ("303", "matched"))
        == "since 2024-07-01: The Sanhita, section 303 (matched by heading and text)"
    )
    assert (
        line("bns", ("379", "table"), ("378", "table"))
        == "before 2024-07-01: The Penal Code, sections 379, 378 (by your table)"
    )
    assert line("bns") == "before 2024-07-01: The Penal Code, no similar section found"
    assert line("fa") == "replaced by: osh, not in this build" and line("mv") == ""
