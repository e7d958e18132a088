"""A judgment is recognised by its print, and says what it is."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from tests import typeset
from tests.tasks.kinds.readings import identified, parsed
from tests.typeset_judgments import court_copy, judis, publisher, report


def read(data: bytes) -> tuple[str, list[dict[str, Any]]]:
    """The kind of a document, and rows of ``judgments``."""
    tables = parsed(data)
    return tables["documents"].column("kind")[0].as_py(), tables["judgments"].to_pylist()


@pytest.mark.parametrize(
    ("pdf", "expected"),
    [
        (court_copy, {
            "case_name": "Wick Keepers’ Association & Ors. v. The State of Goa", "court": "Supreme Court of India",
            "bench": ["A.B. Lamp", "Chitra D. Wick"], "date": date(2021, 3, 9), "citations": ["2021 INSC 417"],
            "docket": "CIVIL APPEAL NO. 1234 OF 2020", "print": "court",
        }),
        (judis, {
            "case_name": "Wick Keepers Association v. State of Goa", "court": "Supreme Court of India",
            "bench": ["A.B. Lamp", "Chitra D. Wick"], "date": date(1981, 3, 9),
            "citations": ["1981 AIR 1220", "1981 SCR (3) 270", "1981 SCC (3) 11"], "print": "judis",
        }),
        (report, {
            "case_name": "Wick Keepers’ Association v. State of Goa & Anr.", "court": "Supreme Court of India",
            "bench": ["A.B. Lamp", "Chitra D. Wick"], "date": date(2020, 3, 9),
            "citations": ["[2020] 2 S.C.R. 246"], "print": "report",
        }),
        (publisher, {
            "case_name": "Wick Keepers’ Association v. The State of Goa", "court": "High Court of Goa",
            "bench": ["Chitra D. Wick", "A.B. Lamp"], "date": date(2021, 3, 9),
            "citations": ["AIR 2021 SUPREME COURT 437", "2021 (3) SCC 9"],
            "also_reported": ["(2021) 6 BOM CR 78"], "print": "publisher",
        }),
    ],
)  # fmt: skip
def test_each_print_names_case_court_bench_date_and_citations(
    pdf: Callable[[], bytes], expected: dict[str, Any]
) -> None:
    kind, judgments = read(pdf())
    assert kind == "judgment"
    assert {name: judgments[0][name] for name in expected} == expected


def test_its_id_has_the_day_and_leaves_others_out() -> None:
    (act,) = identified(parsed(court_copy()))
    assert act.act_id == "wick-keepers-association-v-state-of-goa-2021-03-09"
    assert (act.kind, act.unit, act.version_date) == ("judgment", "paragraph", date(2021, 3, 9))


@pytest.mark.parametrize("pdf", [typeset.india_code, typeset.gazette])
def test_an_act_is_no_judgment(pdf: Callable[[], bytes]) -> None:
    assert read(pdf()) == ("act", [])
