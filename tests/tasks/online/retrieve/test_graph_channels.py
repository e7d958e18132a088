"""The channels of the graph and of names over a little law: what each finds, worked out by hand."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from citegrain.tasks.core.words import Analyser
from citegrain.tasks.law.citations import Citations
from citegrain.tasks.law.citing import Lexicon
from citegrain.tasks.offline.graph import make_graph
from citegrain.tasks.offline.index import SparseIndex
from citegrain.tasks.online.query import QueryConfig, make_queries
from citegrain.tasks.online.retrieve import RetrieveConfig, reads_others, search_channel
from citegrain.tasks.published.channels.relation import Relations
from citegrain.tasks.published.mentions import what_is_named
from tests.fakes import as_build
from tests.tasks.offline.graph import law
from tests.tasks.offline.graph.law import CASE, LAMPS, OIL

PROVISIONS = [
    law.provision(LAMPS, "1", "A lamp shall burn, subject to section 2 and section 3."),
    law.provision(LAMPS, "2", "Oil shall be clean."),
    law.provision(LAMPS, "3", "Whoever breaks section 2 is fined as section 4 says. Section 2 is strict."),
    law.provision(LAMPS, "4", "The fine is ten rupees."),
    law.provision(LAMPS, "5", "Nothing here is near."),
    law.provision(OIL, "2", "Oil is a fuel."),
    law.provision(CASE, "1", "The lamp went out under section 2 of the Lamps Act, 2011.", "paragraph"),
]
CITED = {
    "source_id": f"{CASE}/para_1",
    "act_id": CASE,
    "text": "section 2",
    "offset": 20,
    "target_act": LAMPS,
}
ALL = np.ones(len(PROVISIONS), dtype=bool)


class Law:
    """A build of one chunk a provision."""

    def __init__(self) -> None:
        references = [CITED | {"target_id": f"{LAMPS}/sec_2", "resolved": "provision"}]
        self.tables = law.tables(PROVISIONS, references=references)
        self.graph_tables = make_graph(self.tables)
        self.chunk_ids = [p["provision_id"] + "#" for p in PROVISIONS]
        self.citations = {p["provision_id"] + "#": p["provision_id"] for p in PROVISIONS}
        self.act_ids = [p["act_id"] for p in PROVISIONS]
        self.acts, self.citable = law.usual(), ALL
        self.jurisdictions = {LAMPS: "central", OIL: "central", CASE: ""}
        self.lexicon = Lexicon(self.names())
        rows = [(p["kind"], p["act_id"], p["provision_id"], p["number"]) for p in PROVISIONS]
        self.cited = Citations(rows).cited
        self.values: dict[Hashable, Any] = {}
        self.forbidden: list[int] = []

    def eligible(self, as_of: date | None) -> np.ndarray:
        return np.array([row not in self.forbidden for row in range(len(PROVISIONS))])

    def names(self) -> list[tuple[str, str, list[str]]]:
        return [(a["act_id"], a["title"], a["aliases"]) for a in self.acts]

    def shared(self, key: Hashable, make: Callable[[], Any]) -> Any:
        if key not in self.values:
            self.values[key] = make()
        return self.values[key]

    def table(self, schema: Any) -> pa.Table:
        return self.tables[schema.name]

    def rows_of(self, provision_id: str) -> Sequence[int]:
        return [row for row, p in enumerate(PROVISIONS) if p["provision_id"] == provision_id]

    def counterparts(self, provision_id: str) -> list[Any]:
        return []

    def chunk(self, chunk_id: str) -> dict[str, Any]:
        return {"citation": chunk_id[:-1], "char_start": 0, "char_end": 1000}

    def passage(self, row: int) -> dict[str, Any]:
        text = PROVISIONS[row]["text"]
        return {"text": text, "n_tokens": len(text.split()), "act_id": self.act_ids[row]}

    def tag(self, chunk_id: str) -> dict[str, Any]:
        return {"dates": [date(2015, 7, 1)] if chunk_id == f"{LAMPS}/sec_5#" else []}

    def sparse_index(self, texts: list[str]) -> SparseIndex:
        return SparseIndex.build(texts, Analyser("english", "en"), 1.5, 0.75)

    def sparse_scores(self, text: str, rarity: bool = False) -> np.ndarray:
        return self.sparse_index([p["text"] for p in PROVISIONS]).scores(text)


def hits_of(
    channel: str, text: str, build: Law | None = None, first: Sequence[str] = (), **options: Any
) -> list[str]:
    """What a channel finds for a question, best first."""
    build = build or Law()
    queries = make_queries({"q": text}, build.lexicon, QueryConfig())
    config = RetrieveConfig([channel], options=options)
    before = {"q": [(f"{p}#", 1 / (60 + i)) for i, p in enumerate(first)]}
    run = search_channel(
        as_build(build), queries.to_pylist(), channel, config, lambda: np.empty((1, 0), np.float32), before
    )
    return [chunk[:-1] for chunk in run.column("chunk_id").to_pylist()]


def test_the_graph_starts_from_the_provision_that_is_named() -> None:
    hits = hits_of("graph", "what follows from section 4 of the Lamps Act?", graph_depth=1)
    assert hits[0] == f"{LAMPS}/sec_4" and set(hits) == {f"{LAMPS}/sec_4", f"{LAMPS}/sec_3"}
    # a second step reaches what sections 1 and 2 have to do with section 3, and never section 5
    two = hits_of("graph", "what follows from section 4 of the Lamps Act?")
    assert set(two) == {f"{LAMPS}/sec_{n}" for n in (1, 2, 3, 4)}


def test_the_graph_starts_from_the_first_pass_where_nothing_is_named_and_adds_to_it() -> None:
    hits = hits_of("graph", "is a fine due?", first=[f"{LAMPS}/sec_4", f"{LAMPS}/sec_5"])
    assert hits and f"{LAMPS}/sec_4" not in hits and f"{LAMPS}/sec_3" in hits
    assert hits_of("graph", "is a fine due?", first=[f"{LAMPS}/sec_5"]) == []
    assert hits_of("graph", "is a fine due?", first=[f"{LAMPS}/sec_5", f"{LAMPS}/sec_4"], graph_seeds=1) == []
    assert reads_others("graph") and not reads_others("dense")


def test_the_graph_by_words_and_by_jurisdiction() -> None:
    text = "whoever breaks section 2 of the Lamps Act is fined"
    options: dict[str, Any] = {"graph_score": "words", "graph_starts": "named"}
    # section 3 has most of the words; of a case and an Act in turn, what is named before all
    hits = hits_of("graph", text, graph_depth=1, **options)
    assert hits[0] == f"{LAMPS}/sec_3" and f"{LAMPS}/sec_2" in hits
    turns = hits_of("graph", text, graph_depth=1, graph_by_jurisdiction=True, **options)
    assert turns == [f"{LAMPS}/sec_2", f"{LAMPS}/sec_3", f"{CASE}/para_1", f"{LAMPS}/sec_1"]
    assert set(turns) == set(hits)
    # nothing named: no walk, whatever was found
    assert hits_of("graph", "is a fine due?", first=[f"{LAMPS}/sec_4"], **options) == []


def test_the_graph_goes_back_one_step_alone() -> None:
    # section 4 is cited by 3, which cites 2; 1, which cites 2 and 3, is two steps back
    text = "what follows from section 4 of the Lamps Act?"
    assert f"{LAMPS}/sec_1" in hits_of("graph", text)
    assert set(hits_of("graph", text, graph_back=1)) == {f"{LAMPS}/sec_{n}" for n in (2, 3, 4)}


def with_vectors() -> Law:
    """Provisions on a line, 4 behind 2 and 5 before it, each a step of 1 from the next."""
    build = Law()
    ids = [f"{LAMPS}/sec_{n}" for n in (1, 3, 5, 2, 4)]
    places = np.array([[0.0], [10], [20], [21], [22]], dtype=np.float32)
    build.values["relations"] = Relations(ids, ["cites"], places, np.array([[1.0]], dtype=np.float32))
    build.forbidden = [5, 6]  # they have no vector
    return build


def test_relations_lead_from_what_is_named_in_both_directions() -> None:
    hits = hits_of("relation", "what of section 2 of the Lamps Act?", with_vectors())
    assert hits == [f"{LAMPS}/sec_{n}" for n in (4, 5, 2, 3, 1)]  # 4 and 5 are equally near


def test_relations_lead_from_the_first_pass_and_add_to_it() -> None:
    build = with_vectors()
    hits = hits_of("relation", "is a fine due?", build, [f"{LAMPS}/sec_2"])
    assert hits == [f"{LAMPS}/sec_{n}" for n in (4, 5, 3, 1)]
    assert hits_of("relation", "is a fine due?", build) == [] and reads_others("relation")
    build.forbidden = [3, 5, 6]
    build.values = {"relations": build.values["relations"]}
    assert f"{LAMPS}/sec_4" not in hits_of("relation", "is a fine due?", build, [f"{LAMPS}/sec_2"])


def test_the_graph_walks_over_what_is_law_alone() -> None:
    build = Law()
    build.forbidden = [2]  # section 3, between 4 and the others
    assert hits_of("graph", "is a fine due?", build, [f"{LAMPS}/sec_4"]) == []


def test_a_number_that_many_provisions_have_is_no_start() -> None:
    both = {f"{LAMPS}/sec_2", f"{OIL}/sec_2"}
    assert both <= set(hits_of("graph", "section 2 of what?"))
    assert (
        hits_of("graph", "section 2 of what?", graph_seeds=1, first=[f"{LAMPS}/sec_4"])[0] == f"{LAMPS}/sec_3"
    )


def test_pagerank_orders_by_how_much_a_provision_is_cited() -> None:
    hits = hits_of("graph", "section 1 of the Lamps Act", graph_score="pagerank")
    assert hits.index(f"{LAMPS}/sec_2") < hits.index(f"{LAMPS}/sec_1")
    with pytest.raises(ValueError, match="one of personalised, pagerank"):
        hits_of("graph", "section 1", graph_score="fame")


def test_entities_are_looked_up_and_the_densest_comes_first() -> None:
    # section 3 mentions it twice in 14 words, section 1 once in 11, the judgment once in 11
    hits = hits_of("entity", "who speaks of section 2 of the Lamps Act?")
    assert hits[:2] == [f"{LAMPS}/sec_2", f"{LAMPS}/sec_3"]  # first the section itself
    assert set(hits[2:]) == {f"{LAMPS}/sec_1", f"{CASE}/para_1"}
    # section 3 is named and mentions 2; section 1 mentions both, and is neither
    both = hits_of("entity", "sections 2 and 3 of the Lamps Act")
    assert both[:2] == [f"{LAMPS}/sec_3", f"{LAMPS}/sec_1"]
    assert hits_of("entity", "my lamp is broken") == []


def test_years_lead_to_what_was_decided_or_is_named() -> None:
    assert hits_of("date", "what was decided in 2019?") == [f"{CASE}/para_1"]
    assert hits_of("date", "what came in 2015?") == [f"{LAMPS}/sec_5"]
    assert hits_of("date", "under the Lamps Act, 2019") == []


@pytest.mark.parametrize("text", ["what did Justice Bose hold?", "decided by A.B. Bose", "as Bose, J. held"])
def test_judges_lead_to_their_judgments(text: str) -> None:
    assert hits_of("bench", text) == [f"{CASE}/para_1"]


def test_a_judge_of_another_name_leads_nowhere() -> None:
    assert hits_of("bench", "what did Justice Ghosh hold?") == []


def test_names_count_ten_times() -> None:
    # by words alone section 2 of the Lamps Act says as much of clean oil; the name of the Code decides
    assert hits_of("name", "clean oil code")[0] == f"{OIL}/sec_2"
    assert hits_of("name", "clean oil code", name_weight=0)[0] == f"{LAMPS}/sec_2"
    assert hits_of("name", "Ram v. State lamp")[0] == f"{CASE}/para_1"


def test_two_synonyms_of_each_legal_term_are_searched_too(tmp_path: Path) -> None:
    file = tmp_path / "words.yaml"
    file.write_text("fuel: [strict, burn, rupees]\n", encoding="utf-8")
    assert hits_of("name", "fuel", name_weight=0) == [f"{OIL}/sec_2"]
    both = hits_of("name", "fuel", name_weight=0, name_synonyms=str(file))
    assert set(both) == {f"{OIL}/sec_2", f"{LAMPS}/sec_3", f"{LAMPS}/sec_1"}
    assert hits_of("name", "oil", name_synonyms=str(file)) == hits_of("name", "oil")


def test_what_a_question_names_is_kept_apart() -> None:
    build = Law()
    questions = {
        "section 2 of the Lamps Act, 2011": {"provision"},
        "what was decided in 2019": {"year"},
        "Justice Bose on lamps": {"judge"},
        "Ram v. State": {"case"},
        "my lamp is broken": set(),
    }
    queries = make_queries({text: text for text in questions}, build.lexicon, QueryConfig()).to_pylist()
    assert {q["query_id"]: what_is_named(as_build(build), q) for q in queries} == questions
