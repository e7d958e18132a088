"""Records to test with: one by hand, and any that the guide allows."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import strategies as st

from citegrain.tasks.core.personal import Masks
from citegrain.tasks.evaluation.benchmark import (
    Benchmark,
    BenchmarkError,
    Citation,
    Record,
    load_benchmark,
)
from citegrain.tasks.evaluation.benchmark.records import Domain

IPC, BNS, NIA = "indian-penal-code-1860", "bharatiya-nyaya-sanhita-2023", "negotiable-instruments-act-1881"
OUT_OF_SCOPE: dict[str, Any] = {"primary": None, "applicable": []}


def guide_record(**changes: Any) -> dict[str, Any]:
    """A record as the guide writes it, with changes; an Ellipsis takes a field away."""
    record: dict[str, Any] = {
        "id": "q1",
        "text": "My cheque bounced and he laughs at me.",
        "incident_date": "2024-03-05",
        "register": "informal",
        "cites_statute": False,
        "domain": ["commercial", "criminal"],
        "cross_domain": True,
        "primary": {"act": NIA, "section": "138"},
        "applicable": [{"act": NIA, "section": "138"}, {"act": IPC, "section": "420"}],
        "rationale": "The cheque was returned unpaid. He meant to deceive.",
        "annotator": "pass-a",
    } | changes
    return {name: value for name, value in record.items() if value is not ...}


def guide_form(record: Record) -> dict[str, Any]:
    """The guide's form of a record with all fields."""
    applicable = [{"act": c.act, "section": c.section} for c in record.applicable]
    return {
        "id": record.id,
        "text": record.text,
        "incident_date": record.incident_date.isoformat() if record.incident_date else None,
        "register": record.register,
        "cites_statute": record.cites_statute,
        "domain": list(record.domain),
        "cross_domain": record.cross_domain,
        "primary": applicable[0] if applicable else None,
        "applicable": applicable,
        "rationale": record.rationale,
        "annotator": record.annotator,
    }


def write_lines(path: Path, *values: Any, end: str = "\n") -> Path:
    """A file of JSON lines; what is bytes already goes in as it is."""
    raw = [v if isinstance(v, bytes) else json.dumps(v, ensure_ascii=False).encode() for v in values]
    path.write_bytes(b"".join(line + end.encode() for line in raw))
    return path


def write_folder(folder: Path, files: Mapping[str, Any]) -> Path:
    """A folder of files: texts as they are, lists as JSON lines."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            path.write_bytes(content.encode())
        else:
            write_lines(path, *content)
    return folder


def load(path: Path, split: str = "test", form: str = "auto") -> Benchmark:
    return load_benchmark(path, "mine", split, form)


def refusal(read: Callable[..., object], *given: Any) -> str:
    """What is said of what cannot be read."""
    with pytest.raises(BenchmarkError) as error:
        read(*given)
    return str(error.value)


# what looks like a number of an account or the like would be masked
_TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0@"), max_size=40).filter(
    lambda text: Masks().mask(text) == text
)
_NUMBERS = st.integers(1, 999).map(str)
_LETTERS = st.text("ABZ", max_size=2)
SECTIONS = st.one_of(
    st.builds("{}{}".format, _NUMBERS, _LETTERS),
    st.builds("Art{}".format, _NUMBERS),
    st.just("judgment"),
    st.builds("O{}{}R{}{}".format, _NUMBERS, _LETTERS, _NUMBERS, _LETTERS),
)
CITATIONS = st.builds(Citation, st.sampled_from([IPC, BNS, "constitution-of-india", "1-2"]), SECTIONS)
_IDS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=6)


@st.composite
def records(draw: st.DrawFn, *, graded: bool) -> Record:
    """Any record with all fields; ``graded`` with other grades than 2 and 1."""
    applicable = tuple(draw(st.lists(CITATIONS, max_size=5, unique=True)))
    size = len(applicable)
    grades = draw(st.lists(st.integers(1, 4), min_size=size, max_size=size)) if graded else []
    return Record(
        id=draw(_IDS),
        text=draw(_TEXTS.filter(str.strip)),
        incident_date=draw(st.none() | st.dates()),
        register=draw(st.sampled_from(["formal", "informal"])),
        cites_statute=draw(st.booleans()),
        domain=tuple(draw(st.lists(st.sampled_from(get_args(Domain)), max_size=3, unique=True))),
        cross_domain=draw(st.booleans()),
        applicable=applicable,
        primary=applicable[0] if applicable else None,
        grades=tuple(sorted(grades, reverse=True)),
        rationale=draw(_TEXTS),
        annotator=draw(_TEXTS),
    )


def benchmarks(*, graded: bool) -> st.SearchStrategy[Benchmark]:
    """Any benchmark of at least one record."""
    listed = st.lists(records(graded=graded), min_size=1, max_size=5, unique_by=lambda r: r.id)
    return listed.map(lambda many: Benchmark("mine", "dev", tuple(many)))
