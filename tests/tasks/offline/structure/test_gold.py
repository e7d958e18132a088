"""The sections of real Acts against those of India Code's own pages. Needs the shared folder."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from citegrain.tasks.core.stage import Tables, digest
from tests.conftest import read_act

pytestmark = [pytest.mark.corpus, pytest.mark.xdist_group("gold")]


def plain(number: str) -> str:
    return re.sub(r"[\s.\-]", "", number).upper()


def tokens(text: str) -> Counter[str]:
    return Counter(re.findall(r"[a-z0-9]+", re.sub(r"\^\d+", "", text.lower())))


def similarity(a: str, b: str) -> float:
    x, y = tokens(a), tokens(b)
    return 2 * sum((x & y).values()) / max(1, sum(x.values()) + sum(y.values()))


@pytest.fixture(scope="module")
def provisions(real_acts: dict[str, Tables]) -> dict[str, list[dict[str, Any]]]:
    return {act: tables["provisions"].to_pylist() for act, tables in real_acts.items()}


@pytest.fixture(scope="module")
def gold(shared: Path) -> Iterator[dict[str, dict[str, dict[str, str]]]]:
    dropped = {
        (r["act"], plain(r["section"]))
        for r in csv.DictReader((shared / "gold" / "drift.csv").open(encoding="utf-8"))
    }
    acts: dict[str, dict[str, dict[str, str]]] = defaultdict(dict)
    for line in (shared / "gold" / "sections.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if (row["act"], plain(row["section"])) not in dropped:
            acts[row["act"]][plain(row["section"])] = row
    yield acts


def numbers(rows: list[dict[str, Any]]) -> set[str]:
    return {plain(p["number"]) for p in rows if p["kind"] in ("section", "article")}


DIGESTS = Path(__file__).resolve().parents[3] / "golden" / "real_acts.json"


def test_no_act_is_read_otherwise_than_was_accepted(provisions: dict[str, list[dict[str, Any]]]) -> None:
    """A rule for a new print must not move the Acts at hand: shares of the gold do not see a stray dash."""
    read = {
        act: digest([[p["provision_id"], p["heading"], p["text"]] for p in rows])[:16]
        for act, rows in sorted(provisions.items())
    }
    if not DIGESTS.is_file():
        DIGESTS.write_text(json.dumps(read, indent=1) + "\n", encoding="utf-8")
        pytest.fail(f"{DIGESTS.name} was written anew: look at what moved before it is kept")
    accepted = json.loads(DIGESTS.read_text(encoding="utf-8"))
    moved = [act for act in read if read[act] != accepted.get(act)]
    assert not moved, f"{moved}: look at what moved; to accept it, delete {DIGESTS} and run this test"


def test_every_act_has_the_id_of_its_file(provisions: dict[str, list[dict[str, Any]]]) -> None:
    assert len(provisions) == 51
    assert all({p["act_id"] for p in rows} == {act} for act, rows in provisions.items())


def test_recall_and_precision(
    provisions: dict[str, list[dict[str, Any]]], gold: dict[str, dict[str, dict[str, str]]]
) -> None:
    hit = read = expected = 0
    for act, sections in gold.items():
        have, want = numbers(provisions[act]), set(sections)
        both = len(have & want)
        hit, read, expected = hit + both, read + len(have), expected + len(want)
        if len(want) >= 20:
            assert both >= 0.95 * len(want) and both >= 0.95 * len(have), act
        else:
            assert len(have ^ want) <= 1, act
    assert hit / read >= 0.99 and hit / expected >= 0.99


def test_texts_and_headings_agree(
    provisions: dict[str, list[dict[str, Any]]], gold: dict[str, dict[str, dict[str, str]]]
) -> None:
    texts = []
    for act, sections in gold.items():
        by_number = {plain(p["number"]): p for p in provisions[act] if p["kind"] in ("section", "article")}
        texts += [
            similarity(row["text"], by_number[n]["text"]) for n, row in sections.items() if n in by_number
        ]
    assert median(texts) >= 0.97


def test_ids_are_unique_and_parents_exist(provisions: dict[str, list[dict[str, Any]]]) -> None:
    for rows in provisions.values():
        ids = [p["provision_id"] for p in rows]
        assert len(ids) == len(set(ids))
        assert all(p["parent_id"] is None or p["parent_id"] in set(ids) for p in rows)


@pytest.mark.parametrize(
    ("act", "ids"),
    [
        ("indian-penal-code-1860", ["sec_302", "sec_498A", "sec_376DB"]),
        ("code-of-civil-procedure-1908", ["order_XXXIX__rule_1", "sec_115"]),
        ("constitution-of-india", ["art_21A", "art_19", "part_III"]),
        ("limitation-act-1963", ["sched_1__entry_65"]),
        ("criminal-law-amendment-act-2018", ["sec_26"]),
    ],
)
def test_well_known_provisions(provisions: dict[str, list[dict[str, Any]]], act: str, ids: list[str]) -> None:
    have = {p["provision_id"] for p in provisions[act]}
    assert {f"{act}/{i}" for i in ids} <= have


def test_the_limitation_acts_articles_are_cited_as_such(provisions: dict[str, list[dict[str, Any]]]) -> None:
    cited = {p["number"] for p in provisions["limitation-act-1963"] if p["kind"] == "entry"}
    assert {"Art1", "Art65", "Art137"} <= cited
    rules = {p["number"] for p in provisions["code-of-civil-procedure-1908"] if p["kind"] == "rule"}
    assert {"O39R1", "O1R10", "O21R58"} <= rules


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("bharatiya_nyaya_sanhita_2023__v2023-12-25_gazette", "bharatiya_nyaya_sanhita_2023__v2024-06-25"),
        ("indian_penal_code_1860__v2018-06-04_old_layout", "indian_penal_code_1860__v2017-08-23"),
    ],
)
def test_two_layouts_of_one_act_agree(shared: Path, old: str, new: str) -> None:
    files = (shared / "corpus" / "versions" / f"{stem}.pdf" for stem in (old, new))
    a, b = (read_act(file)["provisions"].to_pylist() for file in files)
    have, want = numbers(a), numbers(b)
    assert len(have & want) >= 0.97 * len(have | want)
    texts = {plain(p["number"]): p["text"] for p in b if p["kind"] == "section"}
    alike = [
        similarity(p["text"], texts[plain(p["number"])])
        for p in a
        if p["kind"] == "section" and plain(p["number"]) in texts
    ]
    assert median(alike) >= 0.97
