"""Everyday words and what statutes call them."""

from __future__ import annotations

from pathlib import Path

import pytest

from citegrain.tasks.law.lexicon import Lexicon
from citegrain.tasks.online.query import QueryConfig, make_queries
from citegrain.tasks.online.query.glossary import Glossary, GlossaryError

ROOT = Path(__file__).parents[4]
GLOSSARY = Glossary(
    {"theft": ["stole", "took away my"], "dishonour of cheque": ["cheque bounced"], "dowry": ["dahej"]}
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("He STOLE my cycle", ["theft"]),
        ("they took away my cycle, and stole more", ["theft"]),
        ("the cheques bounced; then dahej", ["dishonour of cheque", "dowry"]),
        ("the cheque has bounced", []),  # side by side or not at all
        ("stolen", []),  # another stem
        ("took away", []),
        ("", []),
    ],
)
def test_phrases_match_whole_words_by_stem(text: str, found: list[str]) -> None:
    assert GLOSSARY.find(text) == found


@pytest.mark.parametrize("content", ["- a\n- b\n", "theft: stole\n", "{", "12\n"])
def test_something_else_is_no_glossary(tmp_path: Path, content: str) -> None:
    path = tmp_path / "g.yaml"
    path.write_text(content, "utf-8")
    with pytest.raises(GlossaryError, match=r"query\.glossary"):
        Glossary.load(path)
    with pytest.raises(GlossaryError, match=r"none\.yaml"):
        Glossary.load(tmp_path / "none.yaml")


def test_legal_words_are_searched_besides_with_their_weight(tmp_path: Path) -> None:
    path = tmp_path / "g.yaml"
    path.write_text("theft dishonestly: [stole]\n", "utf-8")
    config = QueryConfig(glossary=str(path), glossary_weight=0.25)
    table = make_queries({"a": "He stole it.", "b": "Nothing."}, Lexicon([]), config)
    texts = table.column("texts").to_pylist()
    assert texts[0] == [
        {"text": "He stole it.", "weight": 1.0},
        {"text": "theft dishonestly", "weight": 0.25},
    ]
    assert texts[1] == [{"text": "Nothing.", "weight": 1.0}]


def test_the_key_goes_by_what_the_file_says_and_not_by_where_it_is(tmp_path: Path) -> None:
    for name in ("one.yaml", "two.yaml"):
        (tmp_path / name).write_text("theft: [stole]\n", "utf-8")
    (tmp_path / "three.yaml").write_text("theft: [stolen]\n", "utf-8")
    keys = [QueryConfig(glossary=str(tmp_path / f"{n}.yaml")).parameters() for n in ("one", "two", "three")]
    assert keys[0] == keys[1] != keys[2]
    assert QueryConfig().parameters() == {"rewrites": "none"}


def test_the_glossary_of_the_repository_is_sound() -> None:
    import yaml

    entries = yaml.safe_load((ROOT / "data" / "glossary" / "complaints.yaml").read_text("utf-8"))
    phrases = [str(p) for phrases in entries.values() for p in phrases]
    assert len(entries) >= 150 and len(phrases) >= 600
    assert all(isinstance(p, str) for phrases in entries.values() for p in phrases)  # no bare no, 12 or yes
    glossary = Glossary(entries)
    missed = [p for terms, phrases_of in entries.items() for p in phrases_of if terms not in glossary.find(p)]
    assert not missed
