"""What the card of the complaints benchmark says of its files is so. No build is needed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from itertools import combinations

import pytest

from citegrain.tasks.evaluation.benchmark import SPLITS, Record, pass_of
from citegrain.tasks.evaluation.compare import contradicted, differing, unlabelled
from citegrain.tasks.law.citing import Lexicon
from tests.data.complaints import ACTS, COMPLAINTS, date_decides

OLD_CODES = {"indian-penal-code-1860", "code-of-criminal-procedure-1973", "indian-evidence-act-1872"}
BNS = "bharatiya-nyaya-sanhita-2023"
LAST_OLD_DAY = date(2024, 6, 30)
NO_COMPLAINT = {
    "criminal-law-amendment-act-2018",  # only amends other Acts
    "digital-personal-data-protection-act-2023",  # its duties begin in May 2027
}
SIZES = {"dev": 100, "test": 200}
splits = pytest.mark.parametrize("split", SPLITS)


def scoped(split: str) -> list[Record]:
    return [record for record in COMPLAINTS.records[split] if record.in_scope]


@splits
def test_number_ids_and_a_tenth_out_of_scope(split: str) -> None:
    records = COMPLAINTS.records[split]
    assert [r.id for r in records] == [f"{split[0]}-{n:03}" for n in range(1, SIZES[split] + 1)]
    assert len(records) - len(scoped(split)) == len(records) // 10


@splits
def test_shares_that_were_asked_for(split: str) -> None:
    records, answered = COMPLAINTS.records[split], scoped(split)
    assert sum(r.register == "informal" for r in records) >= len(records) / 2
    assert sum(bool(r.cross_domain) for r in answered) >= len(answered) / 3
    assert sum(bool(r.cites_statute) for r in records) >= len(records) / 5
    assert all(r.register and r.cites_statute is not None for r in records), "both are known of each"


def test_in_at_least_60_of_the_test_complaints_the_date_decides() -> None:
    assert sum(map(date_decides, COMPLAINTS.records["test"])) >= 60


@splits
def test_domains_follow_from_the_acts(split: str) -> None:
    for record in COMPLAINTS.records[split]:
        domains = list(dict.fromkeys(ACTS[citation.act].domain for citation in record.applicable))
        assert list(record.domain) == domains, record.id
        assert record.cross_domain == (len(domains) > 1), record.id


@splits
def test_sets_and_texts_have_the_size_of_the_guide(split: str) -> None:
    for record in COMPLAINTS.records[split]:
        assert 40 <= len(record.text.split()) <= 250, record.id
        assert len(record.applicable) <= 6, record.id
        assert record.primary == (record.applicable[0] if record.applicable else None), record.id
        assert bool(record.rationale), record.id


def test_every_act_that_one_can_complain_under_appears() -> None:
    cited = {citation.act for record in COMPLAINTS.every for citation in record.applicable}
    assert cited == set(ACTS) - NO_COMPLAINT


def test_the_law_of_the_day() -> None:
    """Of the Act of an offence or right; procedure still to be taken follows the day it is asked for."""
    procedure = {"bharatiya-nagarik-suraksha-sanhita-2023"}
    for record in COMPLAINTS.every:
        for citation in record.applicable:
            act = ACTS[citation.act]
            where = f"{record.id}: {citation.label} on {record.incident_date}"
            if record.incident_date is None:
                assert act.in_force_to is None, f"{where}: must be today's law"
                continue
            assert act.in_force_to is None or record.incident_date <= act.in_force_to, where
            if citation.act not in procedure and act.in_force_from:
                assert record.incident_date >= act.in_force_from, where
            if citation.act in OLD_CODES:
                assert record.incident_date <= LAST_OLD_DAY, where
            if citation.act == BNS:
                assert record.incident_date > LAST_OLD_DAY, where


def test_some_complaints_lie_on_either_side_of_the_change() -> None:
    before = {
        c.act
        for r in COMPLAINTS.every
        if r.incident_date and r.incident_date <= LAST_OLD_DAY
        for c in r.applicable
    }
    after = {
        c.act
        for r in COMPLAINTS.every
        if r.incident_date and r.incident_date > LAST_OLD_DAY
        for c in r.applicable
    }
    assert before >= OLD_CODES
    assert after >= {ACTS[a].replaced_by for a in OLD_CODES}


def ngrams(text: str, lexicon: Lexicon, n: int) -> Iterator[tuple[str, ...]]:
    """Runs of n words; an Act that is named counts as one word of its own, for names are not style."""
    for number, place in enumerate(reversed(lexicon.find(text))):
        text = f"{text[: place.start]} act{number} {text[place.end :]}"
    words = re.findall(r"[^\W_]+", text.lower())
    return (tuple(words[i : i + n]) for i in range(len(words) - n + 1))


@pytest.mark.parametrize(("n", "most"), [(6, 4), (8, 0)])
def test_complaints_do_not_repeat_each_other(n: int, most: int) -> None:
    lexicon = Lexicon((act_id, entry.title, entry.aliases) for act_id, entry in ACTS.items())
    holders: dict[tuple[str, ...], set[str]] = {}
    for record in COMPLAINTS.every:
        for words in ngrams(record.text, lexicon, n):
            holders.setdefault(words, set()).add(record.id)
    shared = Counter(pair for ids in holders.values() for pair in combinations(sorted(ids), 2))
    assert not shared or shared.most_common(1)[0][1] <= most, shared.most_common(3)


def test_each_pass_labels_each_complaint_and_no_other() -> None:
    ids = {record.id for record in COMPLAINTS.every}
    assert [labelled.name for labelled in COMPLAINTS.passes] == ["pass-1", "pass-2"]
    for labelled in COMPLAINTS.passes:
        assert labelled.dates and not unlabelled(labelled, ids) and set(labelled.labels) == ids
        assert all(labels.reason for labels in labelled.labels.values())


def test_what_differs_was_settled_and_nothing_else() -> None:
    differ = differing(COMPLAINTS.passes, [record.id for record in COMPLAINTS.every])
    assert sorted(COMPLAINTS.settled) == differ and len(differ) == 12
    assert all('"' in settled.reason for settled in COMPLAINTS.settled.values()), "the statute is quoted"
    primary = [q for q in differ if len({labelled.labels[q].primary for labelled in COMPLAINTS.passes}) > 1]
    assert len(primary) == 5
    assert {r.id for r in COMPLAINTS.every if r.annotator == "settled"} == set(differ)


def test_records_hold_what_was_settled_and_agreed() -> None:
    assert contradicted(COMPLAINTS.passes, COMPLAINTS.settled, pass_of(COMPLAINTS.every)) == []
    for record in COMPLAINTS.every:
        days = {labelled.labels[record.id].incident_date for labelled in COMPLAINTS.passes}
        assert record.incident_date in days, f"{record.id}: a day that neither pass read"
    assert (
        sum(
            COMPLAINTS.passes[0].labels[r.id].incident_date != COMPLAINTS.passes[1].labels[r.id].incident_date
            for r in COMPLAINTS.every
        )
        == 13
    )
