"""Overrides as people type them: one plain line where one cannot be read, and what it says to type works."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citegrain.flows.shared.composing import (
    SettingsError,
    _to_type,
    group_classes,
    parsed,
    quoted,
    schema_of,
    single,
)
from citegrain.flows.shared.settings import load_settings, split_values

MINE = ["corpus=folder", "corpus.name=mine"]


def refusal(override: str, *others: str) -> str:
    with pytest.raises(SettingsError) as error:
        load_settings([*others, override])
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    "path",
    [
        *(
            "it's",
            "/x/a=b",
            "/x/[a]",
            "a,b",
            "a, b",
            "(a)",
            "{a}",
            "a;b",
            "a&b",
            "#a",
            "a!b",
            "a'b'c",
            "$`!'",
        ),
        *(
            "a b (1)/it's",
            "अधिनियम",
            "/a b/c’d",
            "=a",
            "a\\'",
            "${x}",
            "a'${x}",
            'say "a"',
            "[a",
            "a|(b)\\\\'",
        ),
    ],
)
def test_what_it_says_to_type_is_the_path_that_was_meant(path: str) -> None:
    """Also in a shell, whose rules for quotes shlex has."""
    message = refusal(f"corpus.path={path}", *MINE)
    (word,) = shlex.split(message.partition("; type ")[2])
    assert load_settings([*MINE, word]).corpus.path == path


@settings(max_examples=60)
@given(
    st.text(
        st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"], max_codepoint=0x2FF), min_size=1
    ).filter(str.isprintable)
)
def test_any_text_can_be_typed(text: str) -> None:
    (word,) = shlex.split(_to_type("corpus.path", quoted(text)).removeprefix("; type "))
    assert parsed(word, schema_of(tuple(group_classes()), False)).value() == text.replace("${", "\\${")


@pytest.mark.parametrize("path", ["a b", "1e5", "007", "true", "C:\\x", "a@b", "$HOME", "2012", "'a, b'"])
def test_a_path_is_what_was_typed(path: str) -> None:
    assert load_settings([*MINE, f"corpus.path={path}"]).corpus.path == path.strip("'")


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("corpus.path='it's'", r"""' in it stands in quotes; type "corpus.path='it\'s'" """),
        ("corpus.path=“a b”", """“ in it stands in quotes; type "corpus.path='a b'" """),
        ("corpus.path=a\nb", r"'corpus.path=a\nb': a value with '\n' in it stands in quotes"),
        ("corpus.path", "corpus.path: a setting is typed KEY=VALUE, without blanks around the ="),
        ("=x", "=x: a setting is typed KEY=VALUE"),
        ("corpus.path = /a", "without blanks around the =; type corpus.path=/a"),
        ("corpus.path=null", "corpus.path=null: needs a value"),
        (
            "corpus=fold",
            "corpus=fold: must be one of demo, folder, http, papers, published, texts; did you mean folder?",
        ),
        ("rerank=lat", "did you mean late_interaction?"),
        ("corpsu=folder", "corpsu: there is no such group or key; did you mean corpus?"),
        ("fuse.depth=five", "fuse.depth=five: must be a whole number"),
        ("index.relations=perhaps", "index.relations=perhaps: must be true or false"),
        (
            "fuse.depth=5,10",
            "fuse.depth=5,10: one value at a time here; citegrain bench and sweep take several",
        ),
        ("artifacts=a,b", """a comma parts several values; type "artifacts='a,b'" """),
        ("retrieve.channels=dense", 'must be a list; type "retrieve.channels=[...]"'),
        ("retrieve.channels=dense,sparse", """in brackets; type "retrieve.channels=[dense,sparse]" """),
        ("retrieve.channels=[dense", """; type "retrieve.channels=[dense]" """),
    ],
)
def test_each_fault_in_plain_words(override: str, message: str) -> None:
    assert message.strip() in refusal(override)


def test_the_home_folder_is_named_in_full() -> None:
    assert refusal("corpus.path=~/x", *MINE).endswith(f"\"corpus.path='{Path.home()}/x'\"")


def test_a_sweep_names_its_fault_as_well() -> None:
    with pytest.raises(SettingsError, match=re.escape("type \"corpus.path='it\\'s'\"")):
        split_values(["fuse.depth=5,10", "corpus.path=it's"])
    assert single("corpus.path=1e5", schema_of(("corpus",), False)) == "corpus.path='1e5'"
