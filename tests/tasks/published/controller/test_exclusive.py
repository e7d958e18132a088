"""Which provisions shut each other out, by hand."""

from __future__ import annotations

from typing import Any

import pytest

from citegrain.tasks.published.controller.policies.rules import OVERRIDDEN, PERSONAL, REPLACED, Exclusions

ACTS: list[dict[str, Any]] = [
    {"act_id": "old-code", "title": "The Old Code, 1860", "replaced_by": "new-code"},
    {"act_id": "new-code", "title": "The New Code, 2023", "replaced_by": None},
    {"act_id": "hindu-a", "title": "The Hindu Succession Act, 1956", "replaced_by": None},
    {"act_id": "sikh-b", "title": "The Sikh Marriages Act, 1909", "replaced_by": None},
    {"act_id": "parsi-c", "title": "The Parsi Marriage and Divorce Act, 1936", "replaced_by": None},
    {"act_id": "rent", "title": "The Rent Act, 1999", "replaced_by": None},
]


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("old-code/sec_1", "new-code/sec_2", REPLACED),
        ("rent/sec_9", "new-code/sec_2", OVERRIDDEN),  # section 9 goes before all of the new code
        ("rent/sec_8", "new-code/sec_2", ""),
        ("hindu-a/sec_1", "parsi-c/sec_1", PERSONAL),
        ("hindu-a/sec_1", "sikh-b/sec_1", ""),  # Hindu law is for Sikhs too
        ("hindu-a/sec_1", "hindu-a/sec_2", ""),
        ("rent/sec_1", "hindu-a/sec_1", ""),
    ],
)
def test_why_two_provisions_exclude_each_other(one: str, other: str, why: str) -> None:
    exclusions = Exclusions.from_acts(ACTS, [("rent/sec_9", "new-code")])
    assert exclusions.why(one, other) == exclusions.why(other, one) == why
