"""Text layers in Devanagari: clean, out of order, with letters missing, and in legacy fonts."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from citegrain.tasks.core.words import same_spelling
from citegrain.tasks.kinds.hindi import broken_words, ordered
from tests import typeset, typeset_hindi
from tests.tasks.kinds.readings import parsed

KRUTI_DEV = """
fcgkj Hkw&lEink ¼fofu;eu ,oa fodkl½ vf/kfu;e] 2016 dh /kkjk 85 ds v/khu] iznÙk 'kfDr;ksa ds vUrxZr
bldk foLrkj lEiw.kZ fcgkj jkT; esa gksxkA ;g fofu;ekoyh rRdky izHkko ls ykxw gksxhA izkf/kdj.k ds le{k
vkosnu i= dk vFkZ gS vkSj mlds v/khu cuk, x;s fu;e rFkk izkf/kdj.k }kjk fuxZr vkns'k ds vuqlkj lHkh
"""
CHANAKYA = """
·ð¤‹Îýè ØâÚU·¤æÚU Ùð §â ¥çÏçÙØ× ·¤è ÏæÚUæ ·ð¤ ¥ÏèÙ çÙØ× ÕÙæ° ãñ´ ¥æñÚU ©U‹ãð´ ÚUæÁÂ˜æ ×ð´ Âý·¤æçàæÌ ç·¤Øæ ãñ
ÚUæ…Ø âÚU·¤æÚU ·¤è ¥Ùé×çÌ âð °ðâð çÙØ× Üæ»ê ãæð´»ð ÁÕ Ì·¤ ç·¤ ¥‹ØÍæ ©UÂÕ´çÏÌ Ù ãæð ÂÚU‹Ìé ·¤æð§ü ÃØçQ¤
"""


def parse(data: bytes) -> tuple[dict, list[str]]:  # type: ignore[type-arg]
    tables = parsed(data)
    return tables["documents"].to_pylist()[0], tables["lines"].column("text").to_pylist()


def latin(text: str) -> bytes:
    document = pymupdf.open()
    for i, line in enumerate(text.strip().splitlines()):
        page = document[0] if i else document.new_page()
        page.insert_text((30, 72 + 20 * i), line, fontsize=8, fontname="helv")
    return bytes(document.tobytes())


def test_clean_text_comes_back_as_it_was_set() -> None:
    document, lines = parse(typeset_hindi.hindi())
    assert (document["status"], document["language"]) == ("text", "hi")
    assert lines == [line.removeprefix("=") for line in typeset_hindi.ACT.strip().splitlines()]
    act = document["acts"][0]
    assert (act["number"], act["kind"]) == ("17 of 2011", "act")
    assert act["title"] == "दीप रक्षक (कल्याण) अधिनियम, 2011"


def test_short_i_set_before_its_consonant_is_put_behind_it() -> None:
    assert typeset_hindi.as_seen() != typeset_hindi.ACT
    assert parse(typeset_hindi.hindi(typeset_hindi.as_seen()))[1] == parse(typeset_hindi.hindi())[1]


@pytest.mark.parametrize(
    ("glyphs", "spoken"),
    [
        (["क", "ा", "य", "र्"], "कार्य"),
        (["पर्", "ि", "त", "ष", "े", "ध"], "प्रतिषेध"),
        (["ि", "स्", "थ", "ि", "त"], "स्थिति"),
        (["व", "ग", "र्ों"], "वर्गों"),
        (["ि", "व", "ि", "न", "र्ि", "म", "ि", "त"], "विनिर्मिति"),
        (["क्ष", "े", "तर्"], "क्षेत्र"),
        (["ि", " ", "क"], "ि क"),  # nothing to put it behind
    ],
)
def test_glyphs_as_they_are_seen_are_put_in_spoken_order(glyphs: list[str], spoken: str) -> None:
    assert ordered(glyphs) == spoken


def test_a_layer_that_lost_its_conjuncts_is_refused_with_the_reason() -> None:
    document, lines = parse(typeset_hindi.shaped())
    assert document["status"] == "unreadable" and lines == []
    assert "letters are missing from its Hindi text layer" in document["reason"]


def test_a_layer_with_few_broken_words_is_read_and_called_doubtful() -> None:
    words = typeset_hindi.ACT.split()
    broken = typeset_hindi.ACT.replace(words[40], "\ue000" + words[40], 1).replace("मास ", "म\ue001स ")
    assert 0.01 < broken_words(broken)[0] / broken_words(broken)[1] < 0.05
    document, _ = parse(typeset_hindi.hindi(broken))
    assert document["status"] == "text"
    assert document["warnings"] == ["doubtful: words of the Hindi text layer are broken on 1 pages, first 1"]


@pytest.mark.parametrize(("text", "font"), [(KRUTI_DEV, "Kruti Dev"), (CHANAKYA, "Chanakya")])
def test_hindi_in_a_legacy_font_is_known_by_its_letters(text: str, font: str) -> None:
    document, _ = parse(latin(text * 2))
    assert document["status"] == "unreadable"
    assert f"legacy font ({font} or its kin" in document["reason"]
    assert document["reason"].endswith("get an edition in Unicode")


def test_devanagari_that_is_not_hindi_is_refused() -> None:
    marathi = """
सदर कायद्याच्या तरतुदीनुसार सक्षम प्राधिकाऱ्याने अर्जदारास नोटीस बजावणे आवश्यक असून
त्याबाबत अर्जदाराचे म्हणणे ऐकून घेण्यात येईल आणि त्यानंतर आदेश काढण्यात येतील
असे आदेश राजपत्रात प्रसिद्ध करण्यात येतील व त्यांची प्रत संबंधितांना देण्यात येईल
"""
    document, _ = parse(typeset_hindi.hindi(marathi))
    assert "does not read as Hindi" in document["reason"]


def test_pages_in_hindi_of_a_bilingual_document_are_left_out() -> None:
    english = pymupdf.open(stream=typeset.india_code())
    english.insert_pdf(pymupdf.open(stream=typeset_hindi.hindi()), start_at=0)
    document, lines = parse(bytes(english.tobytes()))
    assert (document["status"], document["language"]) == ("text", "en")
    assert document["acts"][0]["title"] == "The Lantern Keepers (Welfare) Act, 2011"
    assert document["warnings"] == ["1 pages in Hindi left out: the document is read in English"]
    assert not any("अधिनियम" in line for line in lines)


def test_spellings_of_a_word_are_one_for_search() -> None:
    assert same_spelling("सम्बन्ध") == same_spelling("संबंध")
    assert same_spelling("धारा ४९८") == "धारा 498"
    assert same_spelling("गाँव") == same_spelling("गांव")


@pytest.mark.corpus
def test_an_act_set_as_seen_is_read_without_a_broken_word(shared: Path) -> None:
    path = shared / "corpus/hindi/posh_act_2013_hindi_unicode_visual_order.pdf"
    document, lines = parse(path.read_bytes())
    broken, words = broken_words(" ".join(lines))
    assert (broken, document["status"], document["acts"][0]["number"]) == (0, "text", "14 of 2013")
    assert words > 5000


@pytest.mark.corpus
def test_a_real_layer_that_cannot_be_read_is_refused(shared: Path) -> None:
    path = shared / "corpus/hindi/bihar_rera_regulations_2024_hindi_legacy_krutidev.pdf"
    document, _ = parse(path.read_bytes())
    assert document["status"] == "unreadable" and "legacy font (Kruti Dev" in document["reason"]
