"""The figures of the card of the complaints benchmark are those of its files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from statistics import median

import pytest

from citegrain.tasks.evaluation.benchmark import Record
from citegrain.tasks.evaluation.compare import Agreement, Interval, agree
from citegrain.tasks.law.citing import Lexicon, find_mentions
from tests.data.complaints import ACTS, COMPLAINTS, date_decides

LEXICON = Lexicon((act_id, entry.title, entry.aliases) for act_id, entry in ACTS.items())
Records = Sequence[Record]


def registers(records: Records) -> str:
    counts = Counter(r.register for r in records)
    return f"{counts['informal']} / {counts['formal']}"


def recognised(records: Records) -> str:
    """How many name something that the reader of queries recognises; how many nothing that applies."""
    some = none = 0
    for record in records:
        places = LEXICON.find(record.text)
        acts = {act for place in places for act in place.act_ids}
        mentions = find_mentions(record.text, places)
        if record.cites_statute and (acts or mentions):
            some += 1
            applicable = {c.act for c in record.applicable}
            numbers = {c.section for c in record.applicable}
            right = any(m.number in numbers and m.act_id in (None, *applicable) for m in mentions)
            none += not (acts & applicable or right)
    return f"{some}; {none}"


def across(records: Records) -> str:
    scoped = [r for r in records if r.in_scope]
    return f"{sum(bool(r.cross_domain) for r in scoped)} of {len(scoped)}"


def sizes(records: Records) -> str:
    counts = Counter(len(r.applicable) for r in records if r.in_scope)
    return ", ".join(str(counts[size]) for size in range(1, max(counts) + 1))


def primaries(records: Records) -> str:
    by_split = [{r.primary for r in split if r.primary} for split in COMPLAINTS.records.values()]
    return f"{len({r.primary for r in records if r.primary})}; {len(by_split[0] & by_split[1])}"


def words(records: Records) -> str:
    counts = [len(r.text.split()) for r in records]
    return f"{median(counts):g} ({min(counts)} to {max(counts)})"


@pytest.mark.parametrize(
    ("begins", "cell"),
    [
        ("complaints", lambda records: str(len(records))),
        ("out of scope", lambda records: str(sum(not r.in_scope for r in records))),
        ("informal / formal", registers),
        ("name a section", lambda records: str(sum(bool(r.cites_statute) for r in records))),
        ("... in a form", recognised),
        ("with a date", lambda records: str(sum(r.dated for r in records))),
        ("the date decides", lambda records: str(sum(map(date_decides, records)))),
        ("across domains", across),
        ("sets of 1", sizes),
        ("different primary", primaries),
        ("Acts in a set", lambda records: str(len({c.act for r in records for c in r.applicable}))),
        ("words", words),
    ],
)
def test_rows_of_the_table(begins: str, cell: Callable[[Records], str]) -> None:
    assert COMPLAINTS.card_row(begins) == [cell(COMPLAINTS.records[split]) for split in ("test", "dev")]


def figure(interval: Interval) -> str:
    return f"{interval.value:.3f} [{interval.lo:.3f}, {interval.hi:.3f}]".replace("0.", ".")


@pytest.mark.parametrize(
    ("begins", "field"),
    [
        ("Cohen", "kappa"), ("same primary", "primary"), ("Jaccard", "jaccard"), ("equal sets", "equal"),
        ("same incident date", "dated"),
    ],
)  # fmt: skip
def test_agreement(begins: str, field: str) -> None:
    agreements: list[Agreement] = [
        agree(COMPLAINTS.passes[0], COMPLAINTS.passes[1], [r.id for r in records], seed=1)
        for records in (COMPLAINTS.records["test"], COMPLAINTS.records["dev"], COMPLAINTS.every)
    ]
    assert COMPLAINTS.card_row(begins) == [figure(getattr(each, field)) for each in agreements]


def test_what_was_settled_for_whom() -> None:
    follows = Counter(settled.follows for settled in COMPLAINTS.settled.values())
    assert (
        f"{follows['pass-2']} for pass 2, {follows['pass-1']} for pass 1 and {follows['neither']} for neither"
        in COMPLAINTS.card
    )
    days = [
        (*(p.labels[r.id].incident_date for p in COMPLAINTS.passes), r.incident_date)
        for r in COMPLAINTS.every
    ]
    differ = [(one, two, settled) for one, two, settled in days if one != two]
    first = sum(one == settled for one, _, settled in differ)
    assert f"incident dates differed in {len(differ)}" in COMPLAINTS.card
    assert f"{first} as pass 1 read them, {len(differ) - first} as pass 2" in COMPLAINTS.card
