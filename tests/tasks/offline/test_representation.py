"""The keys of vectors: those under which stores of today hold them, byte for byte."""

from __future__ import annotations

import hashlib
from types import SimpleNamespace
from typing import Any

import pytest

from citegrain.tasks.core.stage import digest
from citegrain.tasks.offline.chunk import text_hash
from citegrain.tasks.offline.document_plan import Representation, vector_key

ROWS: list[dict[str, Any]] = [
    {
        "chunk_id": f"c{i}", "header": "The Lamps Act", "text": text, "text_hash": text_hash("The Lamps Act", text),
        "act_id": "lamps", "citation": "lamps/sec_1", "unit_id": "u", "char_start": 20 * i, "char_end": 20 * i + 9,
    }
    for i, text in enumerate(("lights it", "pays oil."))
]  # fmt: skip
FIRST, SECOND = (row["text_hash"] for row in ROWS)
BEFORE = {"c0": "What lamps are.", "c1": ""}


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def keys(late: str = "", tokens: bool = False, english: dict[str, str] | None = None) -> dict[str, str]:
    document: Any = SimpleNamespace(searched_chunks=ROWS, before=BEFORE, layers={"act": {"c0": "Of lamps."}})
    encoding: Any = SimpleNamespace(config=SimpleNamespace(late=late))
    return Representation(encoding, english or {}, tokens).vector_keys([document])


def test_a_key_is_the_hash_of_the_text_and_of_each_thing_added() -> None:
    assert vector_key("h") == vector_key("h", "", "", "") == "h"
    assert vector_key("h", "a", "", "b") == sha(f"{sha('h' + chr(0) + 'a')}\0b")
    assert vector_key("h", "english") == "04e2c10b62a0a196967433e8dc8d3111cb49bad2be8a1ee6c321574552a58e7d"


def test_a_prefix_a_translation_and_a_context_are_each_in_the_key() -> None:
    prefixed = sha(f"{FIRST}\0What lamps are.")
    assert keys() == {"c0": prefixed, "c1": SECOND}
    assert keys(english={FIRST: "English"})["c0"] == sha(
        f"{sha(FIRST + chr(0) + 'English')}\0What lamps are."
    )
    context = digest("lights it\npays oil.")
    assert keys(late="section") == {
        "c0": sha(f"{prefixed}\0{context} 0"),
        "c1": sha(f"{SECOND}\0{context} 10"),
    }
    # a passage that is embedded by its translation has no context
    assert keys(late="section", english={SECOND: "English"})["c1"] == sha(f"{SECOND}\0English")


@pytest.mark.parametrize("late", ["", "section", "document"])
def test_token_vectors_are_those_of_bare_passages(late: str) -> None:
    assert keys(late, tokens=True) == {"c0": FIRST, "c1": SECOND}
    assert keys(late, tokens=True, english={SECOND: "English"})["c1"] == sha(f"{SECOND}\0English")


def test_layers_are_embedded_beside_the_chunks_and_have_no_token_vectors() -> None:
    document: Any = SimpleNamespace(searched_chunks=ROWS, before={}, layers={"act": {"c0": "Of lamps."}})
    encoding: Any = SimpleNamespace(config=SimpleNamespace(late=""))
    passages = Representation(encoding).passages([document])
    assert set(passages) == {FIRST, SECOND, text_hash("", "Of lamps.")}
    assert set(Representation(encoding, tokens=True).passages([document])) == {FIRST, SECOND}
    assert passages[FIRST].joined == "The Lamps Act\nlights it"
    assert passages[text_hash("", "Of lamps.")].joined == "Of lamps."
