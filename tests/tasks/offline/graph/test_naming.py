"""Names of Acts that are found once: the same graph, and only what is new is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from citegrain.tasks.core.stage import Tables
from citegrain.tasks.law.citing import Acts, NamedAct
from citegrain.tasks.offline.graph import make_graph
from tests.tasks.offline.graph import law
from tests.tasks.offline.graph.law import LAMPS, OIL

TEXTS = ("A lamp under the Oil Code, 1999 is free.", "A lamp is a light.", "The Wick Act, 1950 is repealed.")


def tables(*texts: str, title: str = "The Oil Code, 1999") -> Tables:
    rows = [law.provision(LAMPS, str(n), text) for n, text in enumerate(texts, 1)]
    acts = [a | ({"title": title} if a["act_id"] == OIL else {}) for a in law.usual()]
    return law.tables(rows, acts)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts in which names were looked for."""
    texts: list[str] = []
    find = Acts.find

    def reads(acts: Acts, text: str) -> list[NamedAct]:
        texts.append(text)
        return find(acts, text)

    monkeypatch.setattr(Acts, "find", reads)
    return texts


def test_the_graph_is_the_same_and_only_new_texts_are_read(tmp_path: Path, read: list[str]) -> None:
    first = make_graph(tables(*TEXTS), tmp_path)
    assert set(TEXTS) <= set(read) and first == make_graph(tables(*TEXTS))
    read.clear()
    assert make_graph(tables(*TEXTS), tmp_path) == first and not set(TEXTS) & set(read)
    changed = (TEXTS[0], "A lamp of the Oil Code, 1999 is dear.", TEXTS[2])
    read.clear()
    assert make_graph(tables(*changed), tmp_path) == make_graph(tables(*changed))
    assert (
        read.count(changed[1]) == 2 and read.count(TEXTS[2]) == 1
    )  # once of each is the graph without a store


def test_another_name_of_an_act_reads_all_anew(tmp_path: Path) -> None:
    make_graph(tables(*TEXTS), tmp_path)
    renamed = tables(*TEXTS, title="The Wick Act, 1950")
    assert make_graph(renamed, tmp_path) == make_graph(renamed) != make_graph(tables(*TEXTS))


def test_a_damaged_segment_is_made_again(tmp_path: Path) -> None:
    graph = make_graph(tables(*TEXTS), tmp_path)
    for segment in tmp_path.glob("graph/rows/*/*.parquet"):
        segment.write_bytes(segment.read_bytes()[:-9])
    assert make_graph(tables(*TEXTS), tmp_path) == graph
