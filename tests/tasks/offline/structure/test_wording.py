"""The language of the law: words that are none, words that never stand together, parts that break off."""

from __future__ import annotations

import pytest

from citegrain.tasks.offline.structure.rows import Row
from citegrain.tasks.offline.structure.wording import language, tokens, wording_doubts

TEXT = """Whoever contravenes any of the provisions of this section shall be punishable with
imprisonment for a term which may extend to three years or with fine or with both and
where the offence is committed by a company every person who was in charge of the conduct
of its business at the time when the offence was committed shall be deemed to be guilty"""


def page(text: str) -> list[Row]:
    rows = (line.strip() for line in text.splitlines())
    return [Row(1, 72, 500, 100 + 14 * i, 10, 0, False, row) for i, row in enumerate(rows)]


def doubts(text: str) -> str:
    return "; ".join(wording_doubts({1: page(text)}, [1], is_statute=True))


@pytest.mark.parametrize("word", ["sball", "tbe", "subsectlon", "provi"])
def test_what_is_no_word_is_odd(word: str) -> None:
    assert language().is_odd(word)


@pytest.mark.parametrize("word", ["whoever", "mortgagor", "zamindar", "unfair"])
def test_a_word_of_the_law_is_not(word: str) -> None:
    assert not language().is_odd(word)


def test_pairs_that_never_stand_together_are_known_by_their_chance() -> None:
    assert language().expected("the", "shall") > 100
    assert language().expected("in", "the") == 0


def test_numbers_marks_and_rare_words_are_of_one_kind_each() -> None:
    common = language().common
    assert tokens("(1) Whoever, under section 12A—zebras", common)[-3:] == ["<number>", "-", "<word>"]
    assert tokens("(aa) Zanzibar", common) == ["<mark>", "<name>"]


def test_a_page_that_is_there_is_not_doubted() -> None:
    assert doubts(TEXT) == ""


def test_misread_words_are_doubted() -> None:
    assert "words are none on page 1" in doubts(TEXT.replace("h", "b").replace("ce", "ee"))


def test_words_in_another_order_are_doubted() -> None:
    backwards = "\n".join(" ".join(line.split()[::-1]) for line in TEXT.splitlines())
    assert "do not go on with those before them on page 1" in doubts(backwards)


def test_the_head_of_a_gazette_in_hindi_is_no_sign_of_misread_words() -> None:
    head = "bl hkkx esa fhkuu i la[;k nh tkrh gs ftlls fd ;g vyx ladyu ds :i esa j[kk tk lds\n" * 3
    assert doubts(head + TEXT) == ""


@pytest.mark.parametrize("word", ["ocer", "speci", "offi", "theprovisions", "imprisonmentfor"])
def test_words_that_have_lost_a_ligature_or_a_blank(word: str) -> None:
    law = language()
    assert law.is_joined(word) == (len(word) > 6)
    assert law.lacks_ligature(word) == (word == "ocer")


@pytest.mark.parametrize(
    "slips",
    [
        {"offence": "o\ufffdence", "deemed": "dee?ed", "charge": "cha?ge", "guilty": "gui?ty"},
        {"offence": "oence"},
        {"charge of": "charge â€” of", "of its": "of Â§ its", "deemed": "deÃ©med"},
        {"imprisonment": "imprison- ment", "business": "busi- ness", "committed": "com- mitted"},
        {
            "of its business": "ofits business",
            "with fine": "withfine",
            "who was": "whowas",
            "at the": "atthe",
        },
        {"committed": "com mitted", "extend": "ex tend", "deemed": "dee med", "charge": "cha rge"},
        {"this section": "?this section?"},
    ],
)
def test_broken_words_are_doubted(slips: dict[str, str]) -> None:
    text = TEXT
    for right, wrong in slips.items():
        text = text.replace(right, wrong)
    assert "words are broken on page 1" in doubts("\n".join([text] * 3))
    assert "broken" not in doubts("\n".join([TEXT] * 3))


def test_small_words_that_lack_are_doubted() -> None:
    assert ("shall", "given") in language().gaps and ("the", "Act") not in language().gaps
    pairs = [" ".join(p) for p in sorted(language().gaps) if min(map(len, p)) > 5][::150]
    text = "\n".join("; ".join(pairs[i : i + 5]) for i in range(0, len(pairs), 5))
    assert "words are missing on page 1" in doubts(text)
    assert "missing" not in doubts(text.replace(" ", " the "))


@pytest.mark.parametrize("lost", ["e", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", ".,;:"])
def test_a_page_that_lacks_a_letter_or_sign_is_doubted(lost: str) -> None:
    text = "\n".join([TEXT] * 8).replace("of", "of; the States of")
    pages = {n: page(text) for n in (1, 2, 3)}
    pages[2] = page(text.translate(dict.fromkeys(map(ord, lost))))
    said = "; ".join(wording_doubts(pages, [1, 2, 3], is_statute=True))
    assert "letters or signs are missing on page 2" in said
