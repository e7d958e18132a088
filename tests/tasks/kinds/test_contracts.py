"""Contracts: what is one, and its parts over the characters of its file."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citegrain.tasks.kinds.contracts import is_contract, read_contract
from citegrain.tasks.kinds.office import verbatim

SUPPLY = """LAMP OIL SUPPLY AGREEMENT
This agreement is made on the first of May between the Lantern Company (the Buyer) and the Oil Mill (the Seller), both of Fort Kochi.
WHEREAS the Buyer keeps forty lanterns at the harbour and wants oil for each of them through all nights of the year;
(A) the Seller presses oil from sesame and has a mill at Kochi which is able to supply forty lanterns;
NOW THEREFORE the parties agree as follows:
1. Supply. The Seller shall deliver oil.
(a) Each Monday.
(i) before noon; or
(ii) before the lamps are lit.
(b) On holidays, the day before.
2 Price
2.1 The price is four coins a jar.
2.2 It is due within 30 days:
1. in coin; or
2. in kind.
IN WITNESS WHEREOF the parties have set their hands to this agreement at Kochi on the day and year first written above.
EXHIBIT A
1. Jars are of clay.
"""


def parts(text: str) -> list[tuple[str, str, str]]:
    tree = read_contract(text)
    assert tree is not None
    return [(n.kind, n.number, n.heading) for n in tree.nodes]


def test_the_parts_of_a_contract() -> None:
    assert parts(SUPPLY) == [
        ("paragraph", "1", "LAMP OIL SUPPLY AGREEMENT"), ("paragraph", "2", "Recitals"), ("paragraph", "3", "Recitals"),
        ("section", "1", "Supply"),
        ("clause", "1(a)", ""), ("clause", "1(a)(i)", ""), ("clause", "1(a)(ii)", ""), ("clause", "1(b)", ""),
        ("section", "2", "Price"), ("subsection", "2.1", ""), ("subsection", "2.2", ""),
        ("clause", "2.2(1)", ""), ("clause", "2.2(2)", ""),
        ("paragraph", "4", ""),
        ("schedule", "EXHIBIT A", ""), ("section", "1", "")
    ]  # fmt: skip
    tree = read_contract(SUPPLY)
    assert tree is not None
    first = next(n for n in tree.nodes if n.number == "1(a)")
    assert SUPPLY[first.start : first.end].endswith("lit.")
    assert SUPPLY[first.text_start :].startswith("Each Monday")


def test_articles_hold_sections_and_their_table_of_contents_holds_none() -> None:
    body = "".join(
        f"ARTICLE {roman}\n{name}\n"
        + "".join(f"Section {n}.{m} Part {m}. {'It is so. ' * 20}\n" for m in (1, 2))
        for n, (roman, name) in enumerate([("I", "THE MERGER"), ("II", "CLOSING")], 1)
    )
    contents = "ARTICLE I THE MERGER 1\nSection 1.1 Part 1 1\nSection 1.2 Part 2 3\nARTICLE II CLOSING 4\n"
    expected = [
        ("article", "I", "THE MERGER"), ("section", "1.1", "Part 1"), ("section", "1.2", "Part 2"),
        ("article", "II", "CLOSING"), ("section", "2.1", "Part 1"), ("section", "2.2", "Part 2"),
    ]  # fmt: skip
    assert parts(body) == expected
    assert [p for p in parts(contents + body) if p[0] != "paragraph"] == expected


LINE = st.sampled_from(
    [
        "1. One.", "2. Two shall be", "1.1 nested", "(a) a clause", "(i) a roman", "b. another", "ARTICLE I", "Exhibit B",
        "WHEREAS it is", "IN WITNESS WHEREOF", "words that go on", "", "  ", "Section 3. Three", "(h) eighth", "12 May",
    ]
)  # fmt: skip


@given(st.lists(LINE, max_size=30))
def test_parts_lie_in_their_parents_and_have_ids_of_their_own(lines: list[str]) -> None:
    text = "\n".join(lines)
    tree = read_contract(text)
    assert (tree is None) == (not text.strip())
    nodes = tree.nodes if tree else []
    assert len({n.eid for n in nodes}) == len(nodes)
    for node in nodes:
        assert 0 <= node.start <= node.text_start <= node.end <= len(text) and node.start < node.end
        if node.parent:
            assert node.parent.start <= node.start and node.end <= node.parent.end
            assert node.depth == node.parent.depth + 1
    covered = {i for n in nodes for i in range(n.start, n.end)}
    assert all(i in covered for i, c in enumerate(text) if not c.isspace())


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_file_is_read_character_by_character(end: str) -> None:
    lines = ["\ufeffa\u00a0b ", "", "c\u200bd\tﬁ e\x01f"]
    text = verbatim(end.join(lines).encode())
    assert text == " a\u00a0b \n\nc\u200bd\tﬁ e f"
    assert len(text) == len("\n".join(lines))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SUPPLY * 3, True),
        (SUPPLY * 3 + "filed under the Securities Act of 1933. " * 2, True),
        ("Privacy policy. We keep what you tell us about you and your lamps. " * 4, True),
        ("This agreement. " * 3, False),
        ("AGREEMENT FOR SALE RULES. These rules apply. Under this Act the parties and this agreement. " * 9, False),
        ("The Lantern Keepers Act. This Act extends to the whole of India. Section 2. In this Act. " * 9, False),
    ],
)  # fmt: skip
def test_what_is_a_contract(text: str, expected: bool) -> None:
    line = SimpleNamespace(role="body", text=text)
    assert is_contract([[], [line]]) is expected  # type: ignore[list-item]


def test_a_long_list_of_numbers_costs_no_square_of_its_length() -> None:
    """Every number twice, as a table of contents has it."""
    numbers = [f"{a}.{b}.{c}" for a in range(1, 50) for b in range(1, 50) for c in range(1, 10)]
    text, start = "".join(f"{number} Oil\n" for number in numbers * 2), time.process_time()
    assert read_contract(text)
    assert time.process_time() - start < 2  # a quarter of a second; compared each with each, four
