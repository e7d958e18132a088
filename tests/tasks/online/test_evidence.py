"""The passage that meets a question: which window of a text is shown."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from citegrain.tasks.core.words import Analyser
from citegrain.tasks.online.hits import passage

TERMS = Analyser("english", "en").terms
SECTION = """(1) On receipt of a request under section 6 the officer shall, as expeditiously as possible, and in any case within thirty days of the receipt of the request, either provide the information on payment of such fee as may be prescribed or reject the request for any of the reasons specified in sections 8 and 9.
(2) If the officer fails to give a decision on the request, he shall be deemed to have refused the request.
(3) Where access is to be provided to a person who is sensorily disabled, the officer shall provide assistance to enable access, including such assistance as may be appropriate for the inspection of the record.
(4) Where a lantern is broken by the officer, its keeper is paid its price, whoever lit it, and no other claim shall lie against the officer or the Authority in respect of the lantern, the wick, or the oil therein.
(5) An officer who knowingly gives false information shall be punished with imprisonment for a term which may extend to one year."""


def shown(question: str, text: str = SECTION) -> str:
    return passage(text, question, dict.fromkeys(TERMS(question), 1.0), TERMS)


def test_the_words_of_the_question_choose_the_window() -> None:
    assert "its keeper is paid its price" in shown("My lantern is broken, what is the keeper paid?")
    assert "sensorily disabled" in shown("I am disabled and need access")


def test_what_is_asked_for_is_found_where_no_word_is_shared() -> None:
    assert "thirty days" in shown("how many days do they have to answer me")
    assert "imprisonment" in shown("do they go to jail")


def test_a_term_that_all_clauses_have_weighs_little() -> None:
    assert "lit" in shown("the officer lit", SECTION.replace("whoever lit it", "whoever lit"))


def test_dots_say_where_the_text_goes_on() -> None:
    first = shown("thirty days of the receipt of the request")
    assert first.startswith("(1) On receipt") and first.endswith(" …")
    last = shown("false information, one year")
    assert last.startswith("… ") and last.endswith("one year.")
    assert shown("anything", "A short text.") == "A short text."


def test_the_last_clause_is_shown_whole() -> None:
    text = f"{'A cheque that is returned is not paid, ' * 9}which is an offence, and, without prejudice to any law, "
    text += f"it shall be punished with a fine, or {'more, ' * 9}or both. It is a bailable one."
    window = shown("the cheque is returned, an offence", text)
    assert window.endswith("or both. …") and "bailable" not in window
    assert shown("the cheque is returned", text.replace("or both.", "x, " * 99)).endswith(", …"), (
        "not for ever"
    )


def test_who_waits_for_an_answer_is_shown_the_time() -> None:
    assert "thirty days" in shown("I asked 60 days ago and the officer gave no reply")


def test_a_question_that_shares_nothing_shows_the_beginning() -> None:
    assert shown("zzz").startswith("(1) On receipt") and passage("", "zzz", {}, TERMS) == ""


@settings(max_examples=100)
@given(st.text(alphabet="ab .;\n", max_size=2000), st.text(alphabet="ab ", max_size=20))
def test_a_window_is_a_part_of_the_text_and_never_too_long(text: str, question: str) -> None:
    window = passage(text, question, dict.fromkeys(question.split(), 1.0), str.split)
    inner = window.removeprefix("… ").removesuffix(" …")
    assert inner in " ".join(text.split()) and len(inner) <= 400 + 250
