"""Answers that cite provisions by name: their claims against the build, their citations on a day."""

from __future__ import annotations

from datetime import date

import pytest

from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.claims import CheckedAnswer, ClaimContext, check_answer, claims_section
from tests.data.check.law import law_build

DAY = date(2026, 11, 28)
LIFE = "Under article 21 of the Constitution no person is deprived of his life or personal liberty "


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> PublishedBuild:
    return law_build(tmp_path_factory.mktemp("law"))


def checked(build: PublishedBuild, text: str, *contexts: ClaimContext, day: date = DAY) -> CheckedAnswer:
    return check_answer(build, text, contexts or None, day)


def test_a_provision_that_is_named_is_looked_up(build: PublishedBuild) -> None:
    right = checked(build, LIFE + "except according to procedure established by law.")
    assert [c.verdict for c in right.claims] == ["supported"]
    assert not right.wrong and {c.verdict for c in right.claims} == {"supported"}
    assert [p.law for p in right.passages] == ["The Constitution of India, article 21"]
    wrong = checked(build, "Article 21 of the Constitution gives every village a weaving mill.")
    assert [c.verdict for c in wrong.claims] == ["not"] and wrong.wrong


def test_what_is_no_longer_law_is_wrong_unless_the_sentence_says_so(build: PublishedBuild) -> None:
    assert checked(build, "Murder is punished under section 302 of the Indian Penal Code.").wrong
    past = "Murder was punished under section 302 of the Indian Penal Code until it was replaced."
    assert not any(c.wrong for c in checked(build, past).citations)
    assert not any(c.wrong for c in checked(build, past, day=date(2020, 1, 1)).citations)
    text = "This Act may be called the Indian Penal Code. Murder is punished with death."  # names itself
    context = ClaimContext(text, provision_id="indian-penal-code-1860/sec_302")
    assert checked(build, "Murder is punished with death by section 302 of the IPC [1].", context).wrong


def test_a_section_that_does_not_exist_is_wrong(build: PublishedBuild) -> None:
    answer = checked(build, "Stalking is punished under section 354Z of the Indian Penal Code.")
    assert answer.wrong and answer.citations[0].status == "no_such_provision"
    assert answer.claims == []


def test_a_bare_number_that_a_passage_prints_is_of_no_other_act(build: PublishedBuild) -> None:
    said = "The Information Technology Act, 2000 applies to the forms specified under section 398"
    given = ClaimContext(f"{said}.", "The Companies Act, 2013, section 400")
    assert not any(c.wrong for c in checked(build, f"{said} [1].", given).citations)
    assert any(c.wrong for c in checked(build, f"{said} of the IT Act [1].", given).citations)


def test_a_passage_that_is_given_and_no_law_is_listed(build: PublishedBuild) -> None:
    old = ClaimContext("Whoever commits murder shall be punished with death.", "IPC, section 302", provision_id="indian-penal-code-1860/sec_302")  # fmt: skip
    answer = checked(build, "Whoever commits murder is punished with death [1].", old)
    assert (answer.not_law, answer.claims[0].verdict) == ([1], "supported")
    assert checked(build, "Whoever commits murder is punished with death [1].", old, day=date(2020, 1, 1)).not_law == []  # fmt: skip


def test_a_passage_of_a_provision_that_the_build_lacks_is_compared_all_the_same(
    build: PublishedBuild,
) -> None:
    text, other = "A bell may be rung within ten days.", "bells/sec_9"
    answer = checked(build, f"{text[:-1]} [1].", ClaimContext(text, provision_id=other, pages=(3, 3)))
    assert answer.claims[0].verdict == "supported" and answer.passages[0].pages == (3, 3)


def test_the_words_that_decide_are_marked_and_what_others_wrote_is_escaped(build: PublishedBuild) -> None:
    text = "A bell may be rung <b>within</b> ten days [1]."
    bells = ClaimContext("A bell <i>may</i> be rung within ten days of its casting.", "The <Bells> Act")
    section = claims_section(checked(build, text, bells))
    assert "<mark>bell &lt;i&gt;may&lt;/i&gt; be rung within</mark> ten days" in section
    assert "<b>within" not in section and "The &lt;Bells&gt; Act" in section


def test_a_sentence_that_only_names_provisions_says_nothing_that_may_be_missing(
    build: PublishedBuild,
) -> None:
    answer = checked(build, "See Article 21 of the Constitution. This is an offence u/s 138 NI Act.")
    assert [claim.verdict for claim in answer.claims] == ["supported", "supported"]
