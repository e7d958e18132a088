"""The user's table of counterparts: both formats, names of Acts, errors by line and field."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citegrain.tasks.law.correspondence import FIELDS, Correspondence, CorrespondenceError

ROWS = [
    ("IPC", "378", "BNS", "303"),
    ("I.P.C.", "120-B", "bns", "61"),
    ("The Penal Code, 1860", "497", "BNS", ""),
]


def jsonl(path: Path, rows: list[object]) -> Path:
    path.write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in rows), encoding="utf-8")
    return path


def test_both_formats_tell_the_same(tmp_path: Path) -> None:
    objects = [dict(zip(FIELDS, row, strict=True)) | {"note": None} for row in ROWS]
    objects[2]["new_section"] = None
    one = Correspondence.load(jsonl(tmp_path / "a.jsonl", [*objects, ""]))
    (tmp_path / "a.csv").write_text(
        ",".join(FIELDS) + "\n" + "\n".join(f'"{a}",{b},{c},{d}' for a, b, c, d in ROWS) + "\n",
        encoding="utf-8-sig",
    )
    two = Correspondence.load(tmp_path / "a.csv")
    assert one.rows == two.rows and one.sha256 != two.sha256
    names = ["indian-penal-code-1860", "IPC", "Penal Code 1860"], ["Nyaya Sanhita", "BNS"]
    assert one.between(*names) == {"378": ["303"], "120B": ["61"], "497": []}
    assert one.between(names[1], names[0]) == {}


GOOD = dict(zip(FIELDS, ROWS[0], strict=True))


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([GOOD, "{"], "line 2: not JSON"),
        (["[1]"], "line 1: must be an object"),
        ([GOOD, {k: v for k, v in GOOD.items() if k != "new_act"}], "line 2: new_act is missing"),
        ([GOOD | {"old_section": ""}], "line 1: old_section is empty"),
        ([GOOD | {"old_act": None}], "line 1: old_act: must be a text, not None"),
        ([GOOD | {"new_section": True}], "line 1: new_section: must be a text, not True"),
        (
            [GOOD | {"new_section": "303(2)"}],
            "new_section: must be a section without sub-section, not '303(2)'",
        ),
        ([""], "the file has no rows"),
    ],
)
def test_what_is_wrong_is_reported_by_line_and_field(tmp_path: Path, rows: list[object], words: str) -> None:
    with pytest.raises(CorrespondenceError, match=r"table\.jsonl") as error:
        Correspondence.load(jsonl(tmp_path / "table.jsonl", rows))
    assert words in str(error.value)


def test_a_number_is_taken_for_its_digits(tmp_path: Path) -> None:
    assert Correspondence.load(jsonl(tmp_path / "n.jsonl", [GOOD | {"old_section": 378}])).rows == (ROWS[0],)


def test_a_header_without_a_field_and_a_file_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("old_act,old_section\nIPC,1\n")
    with pytest.raises(CorrespondenceError, match="line 1: the header has no new_act, new_section"):
        Correspondence.load(tmp_path / "a.csv")
    with pytest.raises(CorrespondenceError, match="No such file"):
        Correspondence.load(tmp_path / "b.csv")
