"""The guide's format: what is read, and every refusal with its line and field."""

from __future__ import annotations

import json
import os
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf

import citegrain
from citegrain.tasks.evaluation.benchmark import (
    Benchmark,
    BenchmarkConfig,
    BenchmarkError,
    Citation,
    groups,
    open_benchmark,
)
from tests.tasks.evaluation.benchmark.samples import (
    IPC,
    NIA,
    OUT_OF_SCOPE,
    benchmarks,
    guide_form,
    guide_record,
    load,
    refusal,
    write_lines,
)

_ANY_FOLDER = settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])


def refused(folder: Path, *values: Any) -> str:
    """The refusal of a file of these lines, without its path."""
    path = write_lines(folder / "my.jsonl", *values)
    return refusal(load, path).removeprefix(f"{path}:")


def test_a_record(tmp_path: Path) -> None:
    benchmark = load(write_lines(tmp_path / "my.jsonl", guide_record()))
    (record,) = benchmark.records
    assert (benchmark.name, benchmark.split, len(benchmark)) == ("mine", "test", 1)
    assert record.incident_date == date(2024, 3, 5) and record.dated and record.in_scope
    assert record.primary == Citation(NIA, "138") == record.applicable[0]
    assert [c.label for c in record.applicable] == [f"{NIA}/138", f"{IPC}/420"]
    assert record.grades == (2, 1)
    assert (record.register, record.cites_statute, record.cross_domain) == ("informal", False, True)
    assert record.domain == ("commercial", "criminal")


def test_out_of_scope_is_a_null_primary_and_nothing_applicable(tmp_path: Path) -> None:
    (record,) = load(write_lines(tmp_path / "my.jsonl", guide_record(**OUT_OF_SCOPE, domain=[]))).records
    assert not record.in_scope and record.primary is None and record.grades == ()


@pytest.mark.parametrize(
    "section", ["303", "66C", "498A", "21A", "378ZA", "Art65", "O39R1", "O20AR3", "O39R2A"]
)
def test_sections_of_the_guide(tmp_path: Path, section: str) -> None:
    label = {"act": "constitution-of-india", "section": section}
    path = write_lines(tmp_path / "my.jsonl", guide_record(primary=label, applicable=[label]))
    (record,) = load(path).records
    assert record.primary == Citation("constitution-of-india", section)


_P = {"act": NIA, "section": "138"}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"id": ...}, "id: is missing"),
        ({"id": 1}, "id: must be a string, not 1"),
        ({"id": " "}, "id: is blank"),
        ({"id": "a\tb"}, "id: has white space at an end, or an unprintable character: 'a\\tb'"),
        ({"id": "a "}, "id: has white space at an end, or an unprintable character: 'a '"),
        ({"text": ...}, "text: is missing"),
        ({"text": None}, "text: must be a string, not null"),
        ({"text": ["x"]}, "text: must be a string, not a list"),
        ({"text": "\n \u00a0"}, "text: is blank"),
        ({"text": "a\0b"}, "text: contains a NUL character"),
        ({"incident_date": ...}, "incident_date: is missing"),
        ({"incident_date": "2023-02-29"}, "incident_date: day is out of range for month"),
        ({"incident_date": "0000-01-01"}, "incident_date: year 0 is out of range"),
        ({"incident_date": "20240305"}, "incident_date: must be a day as YYYY-MM-DD, not '20240305'"),
        ({"incident_date": "2024-3-5"}, "incident_date: must be a day as YYYY-MM-DD, not '2024-3-5'"),
        ({"incident_date": "2024-W10-2"}, "incident_date: must be a day as YYYY-MM-DD, not '2024-W10-2'"),
        ({"incident_date": "2024-03-05\n"}, "incident_date: must be a day as YYYY-MM-DD, not '2024-03-05\\n'"),
        ({"incident_date": "२०२४-03-05"}, "incident_date: must be a day as YYYY-MM-DD, not '२०२४-03-05'"),
        ({"incident_date": ""}, "incident_date: must be a day as YYYY-MM-DD, not ''"),
        ({"incident_date": 20240305}, "incident_date: must be a date (YYYY-MM-DD), not 20240305"),
        ({"register": ...}, "register: is missing"),
        ({"register": None}, "register: must be one of formal, informal, not null"),
        ({"register": "Formal"}, "register: must be one of formal, informal, not 'Formal'"),
        ({"cites_statute": ...}, "cites_statute: is missing"),
        ({"cites_statute": 0}, "cites_statute: must be true or false, not 0"),
        ({"cites_statute": "no"}, "cites_statute: must be true or false, not 'no'"),
        ({"domain": ...}, "domain: is missing"),
        ({"domain": "criminal"}, "domain: must be a list, not 'criminal'"),
        ({"domain": None}, "domain: must be a list, not null"),
        ({"domain": ["criminal", "criminal"]}, "domain: criminal appears twice"),
        ({"cross_domain": ...}, "cross_domain: is missing"),
        ({"cross_domain": 1}, "cross_domain: must be true or false, not 1"),
        ({"primary": ...}, "primary: is missing"),
        ({"primary": "138"}, "primary: must be an object, not '138'"),
        ({"primary": {"act": NIA, "section": 303}}, "primary.section: must be a string, not 303"),
        ({"primary": {"act": NIA}}, "primary.section: is missing"),
        ({"primary": _P | {"part": "1"}}, "primary.part: unknown field"),
        ({"primary": {"act": IPC, "section": "420"}},
         f"primary: must be {NIA}/138, the first of applicable, not {IPC}/420"),
        ({"primary": None}, f"primary: must be {NIA}/138, the first of applicable, not null"),
        ({"applicable": []}, f"primary: must be null where nothing is applicable, not {NIA}/138"),
        ({"applicable": ...}, "applicable: is missing"),
        ({"applicable": None}, "applicable: must be a list, not null"),
        ({"applicable": _P}, "applicable: must be a list, not an object"),
        ({"applicable": [_P, "x"]}, "applicable.1: must be an object, not 'x'"),
        ({"applicable": [_P, {"act": IPC}]}, "applicable.1.section: is missing"),
        ({"applicable": [_P, _P]}, f"applicable: {NIA}/138 appears twice"),
        ({"rationale": ...}, "rationale: is missing"),
        ({"rationale": None}, "rationale: must be a string, not null"),
        ({"annotator": ...}, "annotator: is missing"),
        ({"annotator": 7}, "annotator: must be a string, not 7"),
        ({"grades": [2, 1]}, "grades: unknown field"),
        ({"colour": {"deep": []}}, "colour: unknown field"),
        ({"a\nb": 1}, "'a\\nb': unknown field"),
        ({"x" * 5000: 1}, f"{'x' * 60}...: unknown field"),
    ],
)  # fmt: skip
def test_what_the_guide_does_not_allow(tmp_path: Path, changes: dict[str, Any], expected: str) -> None:
    assert refused(tmp_path, guide_record(id="q0"), guide_record(**changes)) == f"2: {expected}"


def test_domains_are_the_guides(tmp_path: Path) -> None:
    line = refused(tmp_path, guide_record(domain=["criminal", "law"]))
    assert line.startswith("1: domain.1: must be one of criminal, family, civil, ")
    assert line.endswith("not 'law'")


@pytest.mark.parametrize(
    "act", ["Indian-penal-code-1860", "indian penal code", "ipc_1860", "", "ipc/1860", "a\n"]
)
def test_acts_are_lower_case_with_hyphens(tmp_path: Path, act: str) -> None:
    label = {"act": act, "section": "1"}
    line = refused(tmp_path, guide_record(primary=label, applicable=[label]))
    wrong = f"must be in lower case with hyphens (limitation-act-1963), not {act!r}"
    path = tmp_path / "my.jsonl"
    assert line == f"1: applicable.0.act: {wrong}\n{path}:1: primary.act: {wrong}"


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ("302(1)", "a label names a whole section: write 302, not '302(1)'"),
        ("21 (a)", "a label names a whole section: write 21, not '21 (a)'"),
        ("O39R1(2)", "a label names a whole section: write O39R1, not 'O39R1(2)'"),
        ("498a", "must be a number such as 303, 66C, Art65, O39R1, not '498a'; did you mean 498A?"),
        ("66-C", "must be a number such as 303, 66C, Art65, O39R1, not '66-C'; did you mean 66C?"),
        ("", "must be a number such as 303, 66C, Art65, O39R1, not ''"),
        ("Article 21", "must be a number such as 303, 66C, Art65, O39R1, not 'Article 21'"),
        ("3, 4", "must be a number such as 303, 66C, Art65, O39R1, not '3, 4'"),
        ("३०३", "must be a number such as 303, 66C, Art65, O39R1, not '३०३'; did you mean 303?"),
    ],
)
def test_sections_have_section_grain(tmp_path: Path, section: str, words: str) -> None:
    second = [_P, {"act": NIA, "section": section}]
    assert refused(tmp_path, guide_record(applicable=second)) == f"1: applicable.1.section: {words}"


def test_an_id_that_stands_twice_names_both_lines(tmp_path: Path) -> None:
    lines = refused(tmp_path, guide_record(), guide_record(id="q2"), guide_record())
    assert lines == "3: id: 'q1' is already on line 1"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"{", "record: not JSON: EOF while parsing an object at character 1"),
        (b"[1]", "record: must be an object, not a list"),
        (b'"x"', "record: must be an object, not 'x'"),
        (b"null", "record: must be an object, not null"),
        (b'{"id": "\xff"}', "record: not UTF-8: 0xff at byte 9"),
        (b'{"id": "a\0b"}',
         "record: not JSON: control character (\\u0000-\\u001F) found while parsing a string at character 10"),
        (b"\0", "record: not JSON: expected value at character 1"),
        (b"[" * 100_000, "record: not JSON: recursion limit exceeded at character 202"),
        (b'{"a": ' * 100_000, "record: not JSON: recursion limit exceeded at character 1207"),
        (b'{"id": ' + b"9" * 5000 + b"}", "record: not JSON: number out of range at character 4309"),
        (b'{"id": "a", "id": "b"}', "id: appears twice in its object"),
        (b'{"primary": {"act": "a", "act": "a"}}', "act: appears twice in its object"),
        (b'{"applicable": [{}, {"act": 1, "act": 2}]}', "act: appears twice in its object"),
        (b'{"%b": 1, "%b": 2}' % (b"k" * 5000, b"k" * 5000), f"{'k' * 60}...: appears twice in its object"),
        ("﻿{}".encode(), "record: not JSON: expected value at character 1"),
        (b"{} {}", "record: not JSON: trailing characters at character 4"),
    ],
)  # fmt: skip
def test_lines_that_hold_no_record(tmp_path: Path, line: bytes, expected: str) -> None:
    assert refused(tmp_path, guide_record(), line) == f"2: {expected}"


def test_half_a_surrogate_pair_is_refused_wherever_it_stands(tmp_path: Path) -> None:
    half = json.dumps("\ud800").encode()
    valid = json.dumps(guide_record()).encode()
    for value in (b'"My cheque bounced and he laughs at me."', b'"pass-a"', b'"q1"', b'"id"', b'"act"'):
        line = refused(tmp_path, valid.replace(value, half, 1))
        assert line.startswith("1: record: not JSON: ") and "hex escape at character" in line


def test_a_value_nested_deeply_is_refused_in_one_line(tmp_path: Path) -> None:
    for depth in (100, 190, 200, 900):
        deep = b"[" * depth + b"]" * depth
        line = refused(tmp_path, json.dumps(guide_record()).encode().replace(b'"q1"', deep))
        refusals = ("1: id: must be a string, not a list", "1: record: not JSON: recursion limit exceeded")
        assert line.startswith(refusals)


def test_ten_faults_are_listed_and_the_others_counted(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "my.jsonl", *[b"{"] * 7, *[guide_record(id="", text="")] * 3)
    lines = refusal(load, path).splitlines()
    assert len(lines) == 11 and lines[-1] == "... and 3 more"
    assert lines[7:9] == [f"{path}:8: id: is blank", f"{path}:8: text: is blank"]
    assert refusal(load, write_lines(path, *[b"{"] * 10)).count("\n") == 9


def test_files_that_are_none(tmp_path: Path) -> None:
    empty, folder, fifo = tmp_path / "e.jsonl", tmp_path / "f.jsonl", tmp_path / "p.jsonl"
    empty.touch()
    folder.mkdir()
    os.mkfifo(fifo)
    assert refusal(load, empty) == f"{empty}: contains no record"
    assert refusal(load, write_lines(tmp_path / "b.jsonl", b"", b" ")).endswith("b.jsonl: contains no record")
    assert refusal(load, folder, "test", "jsonl").endswith("f.jsonl: not a file")
    assert "f.jsonl: must be .jsonl, .csv or .json, or a folder" in refusal(load, folder)
    assert "p.jsonl: must be .jsonl, .csv or .json" in refusal(load, fifo)
    missing = tmp_path / "no.jsonl"
    assert refusal(load, missing) == f"{missing}: no such file or folder"
    assert refusal(load, missing, "test", "jsonl") == f"{missing}: no such file"
    assert refusal(load, tmp_path / ("x" * 300)).endswith("File name too long")
    assert refusal(load, tmp_path / "a\nb") == f"'{tmp_path}/a\\nb': no such file or folder"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "my.jsonl", guide_record())
    path.chmod(0)
    assert refusal(load, path) == f"{path}: Permission denied"


def test_marks_ends_and_blank_lines_do_not_count(tmp_path: Path) -> None:
    plain = load(write_lines(tmp_path / "a.jsonl", guide_record(), guide_record(id="q2")))
    marked = json.dumps(guide_record()).encode()
    windows = write_lines(tmp_path / "b.jsonl", "﻿".encode() + marked, b"", guide_record(id="q2"), end="\r\n")
    assert load(windows) == plain
    notepad = tmp_path / "notepad.jsonl"
    notepad.write_bytes((tmp_path / "b.jsonl").read_bytes().decode("utf-8-sig").encode("utf-16"))
    assert load(notepad) == plain
    notepad.write_bytes(notepad.read_bytes()[:-1])
    assert refusal(load, notepad).endswith("notepad.jsonl: record: not UTF-16, though it begins so")
    lines = refused(tmp_path, guide_record(), b"", b"{")
    assert lines.startswith("3: record: not JSON")


def test_a_text_may_hold_any_separator(tmp_path: Path) -> None:
    text = "one\u2028two\u0085three\nfour\r\n\tfive \u0939\u093f\u0928\u094d\u0926\u0940"
    assert load(write_lines(tmp_path / "my.jsonl", guide_record(text=text))).records[0].text == text


def test_the_digest_is_of_the_records_alone(tmp_path: Path) -> None:
    one = load(write_lines(tmp_path / "a.jsonl", guide_record(), guide_record(id="q2")))
    turned = dict(reversed(guide_record().items()))
    same = load(write_lines(tmp_path / "b.jsonl", turned, guide_record(id="q2"), end="\r\n"), "dev")
    assert one.sha256 == same.sha256 and len(one.sha256) == 64
    for changed in ({"annotator": "b"}, {"incident_date": None}, {"id": "q3"}, OUT_OF_SCOPE):
        other = load(write_lines(tmp_path / "c.jsonl", guide_record(**changed), guide_record(id="q2")))
        assert other.sha256 != one.sha256


@_ANY_FOLDER
@given(benchmarks(graded=False))
def test_round_trip(tmp_path: Path, benchmark: Benchmark) -> None:
    path = write_lines(tmp_path / "my.jsonl", *[guide_form(r) for r in benchmark])
    again = load(path, "dev")
    assert again == benchmark and again.sha256 == benchmark.sha256


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@_ANY_FOLDER
@given(st.dictionaries(st.sampled_from(list(guide_record())) | st.text(max_size=3), _JSON, max_size=4))
def test_any_object_is_read_or_refused_line_by_line(tmp_path: Path, changes: dict[str, Any]) -> None:
    path = write_lines(tmp_path / "my.jsonl", json.dumps(guide_record(**changes)).encode())
    try:
        load(path)
    except BenchmarkError as error:
        for line in str(error).split("\n"):
            assert line.startswith((f"{path}:1: ", "... and ")) and line.isprintable()


@_ANY_FOLDER
@given(st.binary(max_size=200))
def test_any_bytes_are_refused(tmp_path: Path, content: bytes) -> None:
    path = write_lines(tmp_path / "my.jsonl", content, end="")
    assert str(path) in refusal(load, path)


# Texts to which nothing applies -----------------------------------------------------


BREAD = {"id": "t-1", "text": "how do I bake bread", "kind": "everyday", "act": ""}
PATH = {"id": "t-2", "text": "my way is closed", "kind": "absent", "act": "The Indian Easements Act, 1882"}


def test_texts_to_which_nothing_applies_are_a_benchmark_by_kind(tmp_path: Path) -> None:
    first, second = load(write_lines(tmp_path / "x.jsonl", BREAD, PATH), form="out_of_scope").records
    assert (first.kind, first.elsewhere, first.in_scope) == ("everyday", "", False)
    assert (second.kind, second.elsewhere, second.in_scope) == ("absent", PATH["act"], False)
    assert ("kind", "absent") in groups(second)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"kind": " "}, "kind: is blank"),
        ({"applicable": "x"}, "applicable"),
        ({"id": "t-1"}, "already on line 1"),
    ],
)
def test_what_is_wrong_with_one_is_named(tmp_path: Path, changed: dict[str, str], message: str) -> None:
    path = write_lines(tmp_path / "x.jsonl", BREAD, PATH | changed)
    assert message in refusal(load, path, "test", "out_of_scope")


def test_the_texts_of_the_package_are_one() -> None:
    option: Any = OmegaConf.load(Path(citegrain.__file__).parent / "conf" / "benchmark" / "out_of_scope.yaml")
    benchmark = open_benchmark(BenchmarkConfig(**option))
    assert len(benchmark) == 100 and not any(r.in_scope for r in benchmark)
    kinds = {r.kind for r in benchmark if r.elsewhere}
    assert kinds == {"absent", "state"}


def test_three_fields_or_three_columns_are_enough_and_what_is_missing_is_known(tmp_path: Path) -> None:
    applicable = [f"{NIA}/138", {"act": IPC, "section": "420"}]
    short = {"id": "a", "text": "It bounced; he laughs.", "applicable": applicable}
    other = {"id": "b", "text": 'He said "no".', "applicable": []}
    lines = load(write_lines(tmp_path / "my.jsonl", short, other))
    table = tmp_path / "my.csv"
    table.write_text(
        f'\ufeffid,text,applicable\r\na,It bounced; he laughs.,"{NIA}/138; {IPC}/420"\r\nb,"He said ""no"".",\r\n',
        encoding="utf-8",
    )
    columns = load(table)
    assert columns.records == lines.records and columns.sha256 == lines.sha256
    first, second = lines.records
    assert first.primary == Citation(NIA, "138") and first.grades == (2, 1) and second.primary is None
    assert lines.unknown == ["register", "cites_statute", "domain", "cross_domain"]
    assert not load(write_lines(tmp_path / "full.jsonl", guide_record())).unknown


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"id,text\na,b\n", ": has no column applicable"),
        (b"", ": has no column applicable, id, text"),
        (b"id,text,applicable\n", ": contains no record"),
        (b"id,text,applicable\na,,\n", ":2: text: is blank"),
        (b"id,text,applicable\na\n", ":2: text: is blank"),
        (b"id,text,applicable\na,x,\na,y,\n", ":3: id: 'a' is already on line 2"),
        (b"id,text,applicable\na,x,302\n", ":2: applicable.0: must be an object, not '302'"),
        (b"id,text,applicable\na,x,ipc/302(1)\n", ":2: applicable.0: section: a label names a whole section"),
        (b'id,text,applicable\na,"x', ": not CSV in UTF-8: unexpected end of data"),
        (b"id,text,applicable\na,\xff,\n", ": not CSV in UTF-8: 'utf-8' codec"),
    ],
)
def test_a_table_that_is_wrong(tmp_path: Path, content: bytes, expected: str) -> None:
    path = write_lines(tmp_path / "my.csv", content, end="")
    assert refusal(load, path).startswith(f"{path}{expected}")


def test_a_nugget_is_a_regular_expression_and_its_editions_are_days(tmp_path: Path) -> None:
    question = {"id": "a", "text": "What is the fine?", "applicable": ["bell-act-1900/1"]}
    path = write_lines(tmp_path / "mine.jsonl", question | {"must": "ten", "editions": ["2019-09-01"]})
    (record,) = load(path).records
    assert record.must == "ten" and record.editions == (date(2019, 9, 1),) and record.instead == ()
    wrong = refused(tmp_path, question | {"must": "(ten", "editions": ["1.9.2019"]})
    assert "must: is no regular expression" in wrong and "editions.0: must be a day" in wrong
