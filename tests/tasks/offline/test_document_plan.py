"""What a user should know of one document."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from citegrain.tasks.core.schemas import TableSchema
from citegrain.tasks.offline.chain import DOCUMENT_STAGES
from citegrain.tasks.offline.corpus import Source
from citegrain.tasks.offline.document import CorpusDocument
from citegrain.tasks.offline.document_plan import DocumentPlan
from citegrain.tasks.offline.plan import _without_repeats, new_plan

SETUP: Any = None  # nothing here asks for it
JUDGMENT: Any = SimpleNamespace(kind="judgment")


@dataclass(frozen=True)
class Tables:
    """An artefact whose tables are at hand."""

    rows: dict[str, list[dict[str, Any]]]

    def table(self, schema: TableSchema, columns: list[str]) -> pa.Table:
        return pa.Table.from_pylist(self.rows[schema.name]).select(columns)


@pytest.mark.parametrize(
    ("layout", "kind", "words"),
    [
        ("other", "paragraph", "cited by paragraph and page"),
        ("docx", "paragraph", "cited by paragraph"),
        ("plain", "paragraph", "cited by paragraph"),
        ("pptx", "paragraph", "cited by paragraph and page"),
        ("docx", "section", ""),
    ],
)
def test_the_warning_names_pages_only_where_there_are_any(layout: str, kind: str, words: str) -> None:
    path = Path("circular")
    rows = {
        "provisions": [{"act_id": "a", "kind": kind, "number": "1"}],
        "reports": [{"verdict": "", "reason": "", "model_note": note} for note in ("", "asked about 2")],
    }
    done: Any = {"structure": Tables(rows)}
    row = {"layout": layout, "warnings": ["first"]}
    plan = DocumentPlan(Source(path, "circular", "d"), (), CorpusDocument("d", path), SETUP, done, row=row)
    first, *more, last = plan.warnings
    assert (first, last) == ("first", "asked about 2")
    assert [line.partition(": ")[2] for line in more] == ([words] if words else [])


@pytest.mark.parametrize(("lost", "said"), [(101, "351 characters: 250 provision, 101 unclaimed"), (100, "")])
def test_a_document_says_where_its_text_went_where_not_all_is_claimed(lost: int, said: str) -> None:
    path = Path("judgment")
    counts = (("provision", 200), ("provision", 50), ("unclaimed", lost))
    rows = {"coverage": [{"place": place, "n_chars": n} for place, n in counts]}
    done: Any = {"structure": Tables(rows)}
    plan = DocumentPlan(Source(path, "judgment", "d"), (), CorpusDocument("d", path), SETUP, done)
    assert plan.account == said


def read(name: str, kinds: dict[str, list[str]], verdict: str) -> DocumentPlan:
    """A document of an Act with numbers by the kind of their provision."""
    act: Any = SimpleNamespace(
        act_id="a", version_date=None, unit="section", title="The Act", language="en", kind="act"
    )
    rows = [{"act_id": "a", "kind": k, "number": n} for k, numbers in kinds.items() for n in numbers]
    report = {"verdict": verdict, "reason": "", "model_note": ""}
    done: Any = {"structure": Tables({"provisions": rows, "reports": [report]})}
    document = CorpusDocument(name, Path(name), (act,))
    return DocumentPlan(Source(Path(name), name, name), (), document, SETUP, done)


@pytest.mark.parametrize(
    ("kinds", "verdict"),
    [
        ({"section": ["1", "2"], "clause": ["a"] * 40}, "sound"),
        ({"paragraph": list(map(str, range(40)))}, "doubtful"),
        ({"section": ["1", "2", "3", "3", "3", "2", "2"], "clause": ["a"]}, "doubtful"),
        ({"section": ["1", "2", "3"]}, "sound"),
    ],
    ids=["cut short", "read by paragraphs", "parts twice", "without clauses"],
)
def test_a_damaged_copy_does_not_stand_for_an_intact_one(kinds: dict[str, list[str]], verdict: str) -> None:
    intact, damaged = (
        read("z", {"section": ["1", "2", "3"], "clause": ["a", "b"]}, "sound"),
        read("b", kinds, verdict),
    )
    for plans in ([intact, damaged], [damaged, intact]):
        refusals = {p.source.relative: p.refusal for p in _without_repeats(plans)}
        assert refusals == {"z": None, "b": "the same Act and version as z: The Act"}


@pytest.mark.parametrize("stage", DOCUMENT_STAGES, ids=lambda stage: stage.name)
def test_a_declaration_goes_to_a_worker_process(stage: Any) -> None:
    assert pickle.dumps(stage)  # fails of a lambda


def test_parts_of_an_act_are_to_be_joined() -> None:
    first, second = (
        read(n, {"section": ks}, "sound") for n, ks in (("a", ["1", "2", "3"]), ("b", ["3", "4"]))
    )
    (refusal,) = (p.refusal for p in _without_repeats([first, second]) if p.refusal)
    assert "though its sections are others; join the parts of an Act to one PDF" in refusal
    act: Any = SimpleNamespace(
        act_id="a", version_evidence="", unit="section", kind="other", title_evidence="file_name"
    )
    part = replace(second, document=replace(second.document, acts=(act,)))
    assert part.warnings == ["section 1 is not there, and no page names the Act: join its parts to one PDF"]


@pytest.mark.parametrize(
    ("by_act", "effective", "stale"), [("9 of 2019", None, True), ("9 of 2018", "2019-04-01", False)]
)
def test_a_printed_day_before_the_amendments_of_the_notes_is_stale(
    by_act: str, effective: str | None, stale: bool
) -> None:
    plan = read("a", {"section": ["1"]}, "sound")
    note = {"action": "inserted", "by_act": by_act, "effective": effective and date.fromisoformat(effective)}
    act: Any = SimpleNamespace(
        act_id="a", kind="act", unit="section", title_evidence="", version_evidence="as_on",
        version_date=date(2018, 12, 3),
    )  # fmt: skip
    plan.done["structure"].rows["provisions"][0]["notes"] = [note]  # type: ignore[attr-defined]
    warnings = replace(plan, document=replace(plan.document, acts=(act,))).warnings
    assert warnings == ["“As on” 2018-12-03 is stale: its notes tell of an Act of 2019"] * stale


def test_of_equal_copies_the_first_by_name_stays() -> None:
    first, second = (read(name, {"section": ["1"]}, "sound") for name in ("a", "b"))
    assert [p.refusal is None for p in _without_repeats([first, second])] == [True, False]


@pytest.mark.parametrize(("data", "first"), [(b"a note", "note.txt"), (b"%PDF-1.7", "fake.pdf")])
def test_copies_are_read_as_what_their_bytes_are(tmp_path: Path, data: bytes, first: str) -> None:
    names = ("fake.pdf", "note.txt")
    for name in names:
        (tmp_path / name).write_bytes(data)
    (plan,) = new_plan([Source(tmp_path / name, name, "d") for name in names], SETUP).documents
    assert plan.source.relative == first and {source.relative for source in plan.files} == set(names)
    (absent,) = new_plan([Source(Path("gone") / name, name, "d") for name in names], SETUP).documents
    assert absent.source.relative == "fake.pdf"


def test_a_link_names_no_document_that_has_a_file_here(tmp_path: Path) -> None:
    names = ("a link.pdf", "folder/act.pdf", "good.pdf")
    (tmp_path / "good.pdf").write_bytes(b"%PDF-1.7")
    (tmp_path / "a link.pdf").symlink_to("good.pdf")
    (tmp_path / "folder").symlink_to(tmp_path)
    (tmp_path / "act.pdf").hardlink_to(tmp_path / "good.pdf")
    for order in (names, names[1:]):
        (plan,) = new_plan([Source(tmp_path / name, name, "d") for name in order], SETUP).documents
        assert plan.source.relative == "good.pdf"
    (plan,) = new_plan([Source(tmp_path / name, name, "d") for name in names[:2]], SETUP).documents
    assert plan.source.relative == "a link.pdf"
