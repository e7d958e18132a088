"""What the card of the questions that need a second hop says of its files is so. No build is needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from statistics import median

import pytest

from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.evaluation.benchmark import Record, pass_of
from citegrain.tasks.evaluation.compare import agree, contradicted, differing, unlabelled
from citegrain.tasks.law.citing import Lexicon, find_mentions
from tests.data.complaints import ACTS
from tests.data.duplicates import shared_runs
from tests.data.hop import HOP, HOPS, links
from tests.data.test_complaints_card import figure
from tests.data.training import TRAINING

LEXICON = Lexicon((act_id, entry.title, entry.aliases) for act_id, entry in ACTS.items())
Records = Sequence[Record]


def what_it_names(record: Record) -> str:
    """What the text names, as the reader of queries sees it: a provision of the set, an Act of it, or none."""
    acts = LEXICON.find(record.text)
    mentions = find_mentions(record.text, acts)
    labels = {(citation.act, citation.section) for citation in record.applicable}
    if any((mention.act_id, mention.number) in labels for mention in mentions):
        return "provision"
    of_the_set = {act for act, _ in labels} & {act for place in acts for act in place.act_ids}
    return "act" if of_the_set and not mentions else "none" if not (acts or mentions) else "other"


def test_forty_and_forty_split_by_a_hash_of_the_text() -> None:
    by_hash = sorted(HOP.every, key=lambda r: sha256(f"hop-2026-11-23:{r.text}".encode()).hexdigest())
    ids = [f"{split}-{n:03}" for split in "dt" for n in range(1, 41)]
    assert [r.id for r in by_hash] == ids == list(HOPS)
    assert [[r.id for r in HOP.records[split]] for split in ("dev", "test")] == [ids[:40], ids[40:]]


def test_each_names_what_it_is_said_to_name() -> None:
    wrong = {r.id: what_it_names(r) for r in HOP.every if what_it_names(r) != HOPS[r.id]["names"]}
    assert wrong == {}
    assert [r.id for r in HOP.every if r.cites_statute != (HOPS[r.id]["names"] != "none")] == []


def test_references_hold_each_set_together() -> None:
    for record in HOP.every:
        assert len(record.applicable) >= 2, record.id
        reached, waiting = {record.primary}, links(record.id)
        while near := [link for link in waiting if reached & {*link[:2]}]:
            reached |= {end for link in near for end in link[:2]}
            waiting = [link for link in waiting if link not in near]
        assert (reached, waiting) == ({*record.applicable}, []), record.id


def test_domains_follow_from_the_acts() -> None:
    for record in HOP.every:
        domains = tuple(dict.fromkeys(ACTS[citation.act].domain for citation in record.applicable))
        assert (record.domain, record.cross_domain) == (domains, len(domains) > 1), record.id


def test_no_eight_words_are_shared_with_each_other_or_with_another_benchmark() -> None:
    others = {name: text for name, text in TRAINING.benchmarks.items() if not name.startswith("hop/")}
    assert shared_runs(HOP.texts) == [] and shared_runs(HOP.texts, others) == []


def test_each_pass_labels_each_question_and_no_other() -> None:
    assert [labelled.name for labelled in HOP.passes] == ["pass-1", "pass-2"]
    for labelled in HOP.passes:
        assert (
            labelled.dates
            and not unlabelled(labelled, [*HOP.texts])
            and labelled.labels.keys() == HOP.texts.keys()
        )
        assert all(labels.reason for labels in labelled.labels.values())


def test_what_differs_was_settled_and_the_records_hold_it() -> None:
    differ = differing(HOP.passes, HOP.texts)
    assert sorted(HOP.settled) == differ == sorted(r.id for r in HOP.every if r.annotator == "settled")
    assert contradicted(HOP.passes, HOP.settled, pass_of(HOP.every)) == []
    assert all('"' in settled.reason for settled in HOP.settled.values()), "the statute is quoted"


@pytest.mark.parametrize(("name", "split"), [("hop", "test"), ("hop_dev", "dev")])
def test_both_splits_are_chosen_by_name(name: str, split: str) -> None:
    config = load_settings([f"benchmark={name}"]).benchmark
    assert (config.label, config.split) == (name, split)
    assert config.path == f"data:benchmarks/hop/{split}.jsonl"


def count_of(field: str, value: str) -> Callable[[Records], str]:
    return lambda records: str(sum(HOPS[r.id][field] == value for r in records))


def words(records: Records) -> str:
    counts = [len(r.text.split()) for r in records]
    return f"{median(counts):g} ({min(counts)} to {max(counts)})"


@pytest.mark.parametrize(
    ("begins", "cell"),
    [
        ("questions", lambda records: str(len(records))),
        ("name a provision", count_of("names", "provision")),
        ("name the Act only", count_of("names", "act")),
        ("name nothing", count_of("names", "none")),
        ("penalty", count_of("kind", "penalty")),
        ("appeal", count_of("kind", "appeal")),
        ("exception", count_of("kind", "exception")),
        ("definition", count_of("kind", "definition")),
        ("procedure", count_of("kind", "procedure")),
        ("limitation", count_of("kind", "limitation")),
        ("dated", lambda records: str(sum(r.dated for r in records))),
        ("the second hop", lambda rs: str(sum(len({c.act for c in r.applicable}) > 1 for r in rs))),
        ("sets of 2; 3", lambda rs: "; ".join(str(sum(len(r.applicable) == n for r in rs)) for n in (2, 3))),
        ("Acts in a set", lambda rs: str(len({c.act for r in rs for c in r.applicable}))),
        ("informal / formal", lambda rs: " / ".join(str(sum(r.register == k for r in rs)) for k in ("informal", "formal"))),
        ("words", words),
    ],
)  # fmt: skip
def test_rows_of_the_card(begins: str, cell: Callable[[Records], str]) -> None:
    assert HOP.card_row(begins) == [cell(HOP.records[split]) for split in ("test", "dev")]


@pytest.mark.parametrize(
    ("begins", "field"),
    [("Cohen", "kappa"), ("same primary", "primary"), ("Jaccard", "jaccard"), ("equal sets", "equal")],
)
def test_agreement_of_the_passes(begins: str, field: str) -> None:
    agreements = [
        agree(HOP.passes[0], HOP.passes[1], [r.id for r in records], seed=1)
        for records in (HOP.records["test"], HOP.records["dev"], HOP.every)
    ]
    assert HOP.card_row(begins) == [figure(getattr(each, field)) for each in agreements]
