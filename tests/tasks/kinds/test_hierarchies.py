"""A guideline and a standard, read by the levels of their option, from their pages to what is cited."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from citegrain.flows.shared.settings import SettingsError, load_settings
from citegrain.tasks.core.schemas import CHUNKS, TAGS
from citegrain.tasks.kinds.hierarchies import read_levels
from citegrain.tasks.offline.structure import Level
from citegrain.tasks.online.hits import cite
from tests.builds import built, planned
from tests.flows.conftest import common, write_corpus

GUIDELINE = [
    "Management of Lantern Burns", "Contents", "Chapter 1 First aid", "Recommendation 1.1", "Recommendation 1.2",
    "Chapter 2 Hospital care", "Recommendation 2.1", "",
    "This guideline is for keepers and for the nurses who treat them. It was agreed by a panel in 2019.",
    "Chapter 1 First aid",
    "Most burns of keepers are small, and are treated where they happen.",
    "Recommendation 1.1 Cool the burn under running water for twenty minutes.",
    "The panel found six trials. As Recommendation 1.2 says, no ice is used.",
    "Recommendation 1.2 Do not put ice, oil or butter on the burn.",
    "Chapter 2 Hospital care",
    "Recommendation 2.1 Refer a burn of the face or the hands to a hospital the same day.",
    "3 nurses and 2 doctors are enough for a ward of ten beds.",
]  # fmt: skip
STANDARD = [
    "Lanterns for Lighthouses Specification",
    "1 Scope",
    "This standard covers lanterns of brass that burn oil.",
    "2 Materials",
    "2.1 Brass",
    "Brass shall have not less than 60 percent of copper.",
    "2.2 Glass",
    "Panes shall bear a pressure of wind as in 4.2.",
    "2.2.1 Thickness",
    "A pane shall be at least 6 mm thick.",
    "3 Tests",
    "Each lantern shall burn for",
    "12 Hours without a pause, and then for",
    "3.1 Wind",
    "The lantern shall stand a wind of 40 metres a second.",
]


def levels(option: str) -> list[Level]:
    overrides = ["corpus=folder", "corpus.path=.", "corpus.name=mine", f"structure={option}"]
    chosen: list[Level] = load_settings(overrides).documents["structure"].hierarchy
    return chosen


def parts(lines: list[str], option: str) -> dict[str, str]:
    """The text of each part by its id."""
    text = "\n".join(lines)
    tree = read_levels(text, levels(option))
    assert tree is not None
    return {node.eid: " ".join(text[node.text_start : node.end].split()) for node in tree.nodes}


def test_a_guideline_has_chapters_and_recommendations_and_its_contents_are_none() -> None:
    read = parts(GUIDELINE, "guideline")
    assert [name for name in read if not name.startswith("par_")] == [
        "chapter_1", "chapter_1__recommendation_1_1", "chapter_1__recommendation_1_2",
        "chapter_2", "chapter_2__recommendation_2_1",
    ]  # fmt: skip
    assert read["chapter_1__recommendation_1_1"].endswith("no ice is used.")  # no mention opens a part
    assert read["chapter_2__recommendation_2_1"].endswith("ten beds.")
    paragraphs = " ".join(text for name, text in read.items() if name.startswith("par_"))
    assert "agreed by a panel" in paragraphs and "treated where they happen" in paragraphs


def test_a_standard_has_clauses_and_subclauses_of_any_depth_and_a_number_that_leaps_is_none() -> None:
    read = parts(STANDARD, "standard")
    assert [name for name in read if not name.startswith("par_")] == [
        "clause_1", "clause_2", "clause_2__subclause_2_1", "clause_2__subclause_2_2",
        "clause_2__subclause_2_2__subclause_2_2_1", "clause_3", "clause_3__subclause_3_1",
    ]  # fmt: skip
    assert "burn for 12 Hours without a pause" in read["clause_3"]
    assert read["clause_2__subclause_2_2__subclause_2_2_1"] == "A pane shall be at least 6 mm thick."
    assert read["clause_1"] == "This standard covers lanterns of brass that burn oil."


def pdf_of(lines: list[str]) -> bytes:
    document = pymupdf.open()
    page = document.new_page()
    for number, line in enumerate(lines):
        page.insert_text((60, 80 + 22 * number), line, fontsize=11)
    return bytes(document.tobytes())


@pytest.mark.parametrize(
    ("option", "lines", "file", "expected"),
    [
        ("guideline", GUIDELINE[8:], "lantern burns.pdf", {
            "Lantern Burns, recommendation 1.1": "Chapter 1, First aid > Recommendation 1.1",
            "Lantern Burns, recommendation 1.2": "Chapter 1, First aid > Recommendation 1.2",
            "Lantern Burns, recommendation 2.1": "Chapter 2, Hospital care > Recommendation 2.1",
        }),
        ("standard", STANDARD, "lanterns.pdf", {
            "Lanterns, clause 1": "Clause 1",
            "Lanterns, subclause 2.1": "Clause 2, Materials > Subclause 2.1",
            "Lanterns, subclause 2.2": "Clause 2, Materials > Subclause 2.2",
            "Lanterns, subclause 2.2.1": "Clause 2, Materials > Subclause 2.2, Glass > Subclause 2.2.1",
            "Lanterns, clause 3": "Clause 3", "Lanterns, subclause 3.1": "Clause 3, Tests > Subclause 3.1",
        }),
    ],
)  # fmt: skip
def test_each_is_chunked_tagged_and_cited_by_its_grain_while_an_act_beside_it_stays_an_act(
    option: str, lines: list[str], file: str, expected: dict[str, str],
    tiny_model: Path, lantern_pdf: bytes, tmp_path: Path,
) -> None:  # fmt: skip
    (write_corpus(tmp_path, lantern_pdf) / file).write_bytes(pdf_of(lines))
    chosen = [f"structure={option}", "index=flat", "index.background=[]", "chunk.size=60"]
    build = built(*planned(load_settings([*common(tmp_path, tiny_model), *chosen])))
    (mine,) = [act["act_id"] for act in build.acts if "welfare" not in act["act_id"]]
    laws = {}
    for chunk in build.table(CHUNKS).to_pylist():
        if chunk["act_id"] == mine and chunk["indexed"]:
            hit, tag = cite(build, chunk["chunk_id"]), build.tag(chunk["chunk_id"])
            assert "section" not in hit.law
            if tag["kind"] == "division":
                laws[hit.law] = tag["path"]
                assert tag["section"] == hit.section and len(chunk["overlaps"]) == 1
    assert laws == expected  # clause 2 is a heading alone
    welfare = {row["kind"] for row in build.table(TAGS).to_pylist() if row["act_id"] != mine}
    assert "section" in welfare and "division" not in welfare


def test_a_level_that_cannot_be_read_ends_in_one_line() -> None:
    where = ["corpus=folder", "corpus.path=.", "corpus.name=mine"]
    for level, message in (
        ("{name: part, opens: '('}", "unterminated"),
        ("{name: part, opens: 'Part'}", "needs a name and a pattern"),
        ("{name: 'a b', opens: '(?P<n>x)'}", "needs a name and a pattern"),
        ("{name: part, opens: '(?P<n>x)', cited: false}", "no level is cited"),
    ):
        with pytest.raises(SettingsError, match=message):
            load_settings([*where, f"structure.hierarchy=[{level}]"])


def test_recommendations_may_be_numbered_without_the_word() -> None:
    recommended = ["1.1 Cooling", "1.1.1 Cool the burn.", "1.1.2 Use no ice."]
    lines = ["Chapter 1 Recommendations", *recommended, "Give 2.5 ml.", "2.5 ml is enough."]
    read = parts(lines, "guideline")
    assert [name.rpartition("__")[2] for name in read] == [
        "chapter_1", "recommendation_1_1", "recommendation_1_1_1", "recommendation_1_1_2"
    ]  # fmt: skip
    assert list(read.values())[-1].endswith("2.5 ml is enough.")
