"""The library answers as the command does, and answers have every key of their schema and no other."""

from __future__ import annotations

import html
import json
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from citegrain import Answer, Build, BuildError, CascadeConfig, NotInBuild, Question, QuestionError, index
from citegrain.flows.cli.terminal import json_text
from citegrain.flows.shared import answering
from citegrain.flows.shared.answering import one_thread
from citegrain.flows.shared.asking import Asker
from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.law.amending_acts import PendingAmendments
from citegrain.tasks.offline.index import read_build
from citegrain.tasks.online.answer import answer_sheet
from citegrain.tasks.online.cascade import Cascade
from tests import typeset
from tests.builds import built, planned
from tests.conftest import ROOT
from tests.flows.conftest import Done
from tests.golden_outputs import golden_build
from tests.tasks.law.amending_acts.amenders import amending_act
from tests.tasks.online.test_cascade import LAY

SCHEMA = ROOT / "docs/answer.schema.json"
QUESTIONS = [
    "My wages were not paid for three months",
    "Who supplies the oil? Section 3A of the Lantern Keepers (Welfare) Act says so",
    "section 3 of the Bell Ringers (Welfare) Act",
    "What is a lantern, and what is a keeper?",
    "The bell rope broke and nobody mends it",
    "Can a keeper be dismissed without notice?",
    "My wages of 98765 43210 days were not paid, write to ramesh@example.org",
    "how do I bake bread",
    "मुझे वेतन नहीं मिला",
    "zzz",
    "?",
    "I want to kill myself",
]


def same(command: Asker, library: Build) -> list[Answer]:
    """The answers of the library, after each was compared with that of the command."""
    answers = []
    for question in QUESTIONS:
        answer = library.ask(question)
        assert answer.query == question  # what is personal in it is put back
        assert answer.to_dict() == command.ask(question, "").answer.to_dict()
        shown = [] if answer.decision == "decline" else answer.charges
        hits = library.search(question)
        assert (hits.reason, hits.message) == (answer.reason, answer.message)
        assert [(h.provision_id, h.probability) for h in hits] == [
            (c.provision_id, c.probability) for c in shown
        ]
        answers.append(answer)
    return answers


@pytest.mark.prefect
@pytest.mark.xdist_group("prefect")
def test_the_library_answers_as_the_command_over_a_build_without_the_trained_reader(indexed: Path) -> None:
    settings = load_settings(["corpus=published", "corpus.name=mine", f"artifacts='{indexed}'"], online=True)
    folder = read_build(settings.builds_folder / "mine")[0]
    answers = same(Asker(folder, settings), Build.open(folder, settings.models_folder))
    assert [bool(a.charges) for a in answers].count(True) >= 5
    assert all(c.probability is None for a in answers for c in a.charges)
    past = Build.open(folder, settings.models_folder).ask(QUESTIONS[0], k=2, as_of="1900-01-01")
    assert past.abstained and past.as_of.day == "1900-01-01"
    with pytest.raises(ValueError, match="empty"):
        Build.open(folder, settings.models_folder).ask("  ")


@pytest.mark.model
@pytest.mark.xdist_group("golden")
def test_the_library_answers_as_the_command_over_another_build(tmp_path: Path) -> None:
    build = golden_build(LAY)
    corpus = ["corpus.name=golden", "corpus.attributes=[]"]  # it has no offences: nothing is said of bail
    settings = load_settings(["corpus=published", *corpus], online=True)
    answers = same(Asker(build.folder, settings), build)
    assert any(a.charges for a in answers)


@pytest.mark.model
def test_a_newcomers_build_is_declined_alike_and_says_why(tmp_path: Path) -> None:
    (tmp_path / "acts").mkdir()
    (tmp_path / "acts" / "lantern.pdf").write_bytes(typeset.india_code(typeset.LANTERN))
    where = ["corpus=folder", f"corpus.path={tmp_path / 'acts'}", f"artifacts={tmp_path / 'artifacts'}"]
    settings = load_settings([*where, "corpus.name=mine"])
    folder = built(*planned(settings)).folder
    library = Build.open(folder, settings.models_folder)
    answers = same(Asker(folder, settings), library)
    assert all(c.probability is not None for a in answers for c in a.charges)
    hits = library.search("how do I bake bread")
    assert not hits and hits.reason == "nothing_like_this" and "none of them is about" in hits.message
    assert [library.ask(text).reason for text in ("hello", "good morning sir", "नमस्ते")] == ["too_vague"] * 3
    lost = library.ask("I am so tired and want to kill myself")
    assert (lost.reason, lost.charges, lost.others) == ("despair", [], []) and "112" in lost.urgent
    absent = library.ask("section 99 of the Lantern Keepers (Welfare) Act")
    assert (absent.charges, absent.reason) == ([], "not_law") and absent.others
    assert absent.message == "The Lantern Keepers (Welfare) Act, 2011 has no section 99 in the text at hand."
    other = library.ask("section 12 of the Passports Act")
    assert (other.charges, other.message) == ([], "The Passports Act, 1967 is not indexed here.")
    refused = library.ask("my wife and I were refused papers under the Passports Act for two years")
    assert (refused.charges, refused.reason, refused.message) == ([], "not_indexed", other.message)
    asker = Asker(folder, settings)
    texts = [reply.query for reply in (lost, absent, other, refused)]
    for text in (*texts, "how do I bake bread"):  # as a study counts it
        assert asker.ask(text, "auto").result.answers.column("abstained").to_pylist() == [True], text
    both = library.ask("section 3 of the Lantern Keepers (Welfare) Act and section 12 of the Passports Act")
    assert both.charges and "The Passports Act, 1967 is not indexed here." in both.remarks


@contextmanager
def threads_of_torch(n: int) -> Iterator[Callable[[], int]]:
    """So many threads for a while, and what counts them: a process of the tests has one."""
    import torch  # here: else every process waits for it

    torch.set_num_threads(n)
    try:
        yield torch.get_num_threads
    finally:
        torch.set_num_threads(1)


def test_the_day_of_a_step_is_no_earlier_than_that_of_the_act() -> None:
    assert Question("theft", as_of="2024-05-03/2024-09-01").as_of == "2024-05-03/2024-09-01"
    assert Question("theft", as_of="auto/2024-09-01").as_of == "auto/2024-09-01"
    with pytest.raises(ValueError, match="the step no earlier"):
        Question("theft", as_of="2024-09-01/2024-05-03")


def test_what_is_read_ahead_is_made_once_and_waited_for() -> None:
    build, calls = golden_build(), list[int]()

    def make() -> int:
        time.sleep(0.05)
        calls.append(1)
        return len(calls)

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda n: build.shared("slow", make), range(4))) == [1] * 4


@pytest.mark.prefect
@pytest.mark.xdist_group("prefect")
def test_questions_asked_at_once_or_by_many_threads_get_the_answers_they_get_alone(indexed: Path) -> None:
    build = Build.open(indexed / "builds" / "mine")
    some = [Question(text, k, day) for text in QUESTIONS for k in (0, 2) for day in ("", "1900-01-01")]
    alone = [build.ask(q.text, q.k, q.as_of).to_dict() for q in some]
    assert {bool(a["charges"]) for a in alone} == {True, False}
    assert [answer.to_dict() for answer in build.ask_all(some)] == alone
    assert build.ask_all([QUESTIONS[0]]) == [build.ask(QUESTIONS[0])] and str(build.folder) in repr(build)
    fresh = Build.open(indexed / "builds" / "mine")
    with threads_of_torch(2) as threads, ThreadPoolExecutor(8) as pool:
        replies = pool.map(lambda q: fresh.ask(q.text, q.k, q.as_of).to_dict(), some)
        checked = pool.map(fresh.check, ["Section 3 of the Lantern Keepers (Welfare) Act"] * 8)
        assert list(replies) == alone and len({len(c) for c in checked}) == 1
        assert threads() == 2


@pytest.mark.prefect
@pytest.mark.xdist_group("prefect")
def test_a_provision_is_shown_with_its_text_on_a_day(indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build = Build.open(indexed / "builds" / "mine")
    shown = build.provision("section 3 of the Lantern Keepers (Welfare) Act")
    assert (shown.number, shown.in_force, shown.page > 0) == ("3", True, True) and shown.text
    assert shown == build.provision(shown.provision_id) and shown.eli.endswith("/sec_3")
    assert shown.url.endswith(f"#page={shown.page}") and shown.link in shown.url
    past = build.provision(shown.provision_id, as_of="1900-01-01")
    assert not past.in_force and "is not law on 1900-01-01" in past.remarks[0] and past.text == shown.text
    with pytest.raises(NotInBuild, match="not in this build"):
        build.provision("section 999 of the Lantern Keepers (Welfare) Act")
    with pytest.raises(NotInBuild, match=r"Act, 1899 is not indexed here; the Lantern .* Act, 2011 is"):
        build.provision("section 3 of the Lantern Keepers (Welfare) Act, 1899")
    with pytest.raises(NotInBuild, match=r"Act, 2011 is in this build: add the number"):
        build.provision("the Lantern Keepers (Welfare) Act")
    for words in ("section 3A", "under section 3-A"):
        with pytest.raises(QuestionError, match="which is meant") as raised:
            build.provision(words)
        choices = raised.value.choices
        assert len(choices) > 1 and choices == {one: build.provision(one).law for one in choices}
    for words in ("section 3A of the Moon Act, 2019", "Moon Code section 3A", "3A of the moon rules"):
        with pytest.raises(NotInBuild, match=r"not in this build; .*it may be law"):
            build.provision(words)
    with pytest.raises(QuestionError, match="a list of questions"):
        build.ask_all("My wages were not paid")
    with pytest.raises(ValueError, match="which is meant"):
        build.provision("sections 3 and 4 of the Lantern Keepers (Welfare) Act")
    inserts = {
        "kind": "insert_after",
        "target_act": shown.act,
        "target_id": shown.provision_id,
        "path": [{"kind": "section", "number": "3"}],
        "new": ["3B. No keeper shall be made to climb."],
        "amended_by": "9 of 2031",
        "provision_id": "wicks-act-2031/sec_2",
    }
    monkeypatch.setitem(vars(build), "_amended", {shown.act})
    monkeypatch.setitem(vars(build), "_pending", PendingAmendments([inserts]))
    for words in ("section 3B of the Lantern Keepers (Welfare) Act", f"{shown.act}/sec_3B"):
        with pytest.raises(NotInBuild, match="not in this build; inserted by Act 9 of 2031, section 2"):
            build.provision(words)
    for wrong in ("2020-02-30", "auto", "tomorrow", "2020-1-1"):
        with pytest.raises(ValueError, match=r"no such day|must be a day"):
            build.provision(shown.provision_id, as_of=wrong)
    assert list(build.graph(shown.provision_id)) == [shown.provision_id] and not build.graph("nothing")


@pytest.mark.prefect
@pytest.mark.xdist_group("prefect")
def test_only_the_acts_that_are_chosen_are_searched(indexed: Path) -> None:
    build = Build.open(indexed / "builds" / "mine")
    everywhere = {c.act for q in QUESTIONS for c in build.ask(q, k=20).charges}
    assert len(everywhere) > 1
    for act in everywhere:
        answers = build.ask_all([Question(q, 20, acts=frozenset([act])) for q in QUESTIONS])
        assert {c.act for a in answers for c in (*a.charges, *a.others)} == {act}
        assert {hit.act for hit in build.search("wages of a keeper", k=20, acts=[act])} <= {act}
    for acts in ("Lantern Keepers (Welfare) Act", ["Lantern Keepers (Welfare) Act"]):
        assert {hit.act for hit in build.search("wages of a keeper", k=20, acts=acts)} == {
            "lantern-keepers-welfare-act-2011"
        }
    with pytest.raises(QuestionError, match="Moon Act: no Act of this build"):
        build.search("wages of a keeper", acts=["Moon Act"])
    none = build.ask_all([Question("wages of a keeper", acts=frozenset())])[0]
    assert none.abstained and "No provision in force" in none.message and none.decision == "decline"
    assert none.reason == "none_in_force" == build.search("wages", as_of="1850-01-01").reason


@pytest.mark.parametrize("wrong", [{"text": " "}, {"k": 101}, {"k": 1, "confidence": 0.9}, {"as_of": "x"}])
def test_a_question_that_cannot_be_asked_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"empty|k must|give one of them|must be a day"):
        Question(**{"text": "wages", **wrong})


@pytest.mark.parametrize(
    "wrong", [{"text": None}, {"text": 123}, {"k": "5"}, {"k": None}, {"confidence": "x"}, {"as_of": 5}]
)
def test_what_is_no_text_and_no_number_is_refused_in_words(wrong: dict[str, Any]) -> None:
    with pytest.raises(QuestionError, match=r"a text is needed, not |are numbers"):
        Question(**{"text": "what may he do", **wrong})
    build: Any = object.__new__(Build)
    for ask in (build.check_text, build.provision, build.check_answer):
        with pytest.raises(QuestionError, match="a text is needed, not int"):
            ask(5)
    with pytest.raises(QuestionError, match="k must be 1 to 100"):
        build.search("wages", k=0)
    assert Question("wages", as_of=datetime(2015, 6, 1, 9)).as_of == "2015-06-01"


def test_the_default_of_the_library_is_that_of_the_command() -> None:
    for options, override in (
        ({}, []),
        ({"exactly": 3}, ["select=top", "select.k=3"]),
        ({"confidence": 0.9}, ["select=conformal", "select.coverage=0.9"]),
    ):
        settings = load_settings(["corpus=published", "corpus.name=mine", *override], online=True)
        assert CascadeConfig.chosen(**options).select == settings.cascade.select


@pytest.mark.prefect
@pytest.mark.xdist_group("prefect")
def test_a_folder_is_indexed_in_one_line(
    indexed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "acts").mkdir()
    (tmp_path / "acts" / "it's.pdf").write_bytes(typeset.india_code(typeset.LANTERN))
    (tmp_path / "acts" / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    monkeypatch.setenv("CITEGRAIN_ARTIFACTS", str(tmp_path / "artifacts"))
    stages: dict[str, tuple[int, int]] = {}
    with pytest.warns(UserWarning, match="broken.pdf: not indexed"):
        build = index(
            tmp_path / "acts", "mine", lambda stage, done, total: stages.update({stage: (done, total)})
        )
    assert stages and all(done == total for done, total in stages.values())
    assert Build.open("mine").folder == build.folder and build.ask("wages of a keeper").build == build.label
    for other, words in (("nothing", "no build in it;"), ("mien", "no build in it, did you mean mine?;")):
        with pytest.raises(BuildError, match=re.escape(words)):
            Build.open(other)


def test_one_question_is_computed_on_one_thread_and_the_next_on_as_many_as_before() -> None:
    with threads_of_torch(2) as threads:
        with pytest.raises(ZeroDivisionError), one_thread():
            assert threads() == 1
            _ = 1 / 0
        assert threads() == 2


@pytest.mark.slow
@pytest.mark.parametrize("name", ["acts", "mine", "demo"])
def test_the_library_answers_200_questions_as_the_command(name: str) -> None:
    """Over the builds of ``CITEGRAIN_ARTIFACTS``; each side in a process of its own."""
    settings = load_settings(["corpus=published", f"corpus.name={name}"], online=True)
    if not (settings.builds_folder / name / "current").is_file():
        pytest.skip(f"no build {name}: set CITEGRAIN_ARTIFACTS to a folder that has it")
    folder = read_build(settings.builds_folder / name)[0]
    lines = (ROOT / "citegrain/data/training/short_questions.jsonl").read_text("utf-8").splitlines()
    with ProcessPoolExecutor(1, get_context("spawn")) as other:
        questions = [json.loads(line)["text"] for line in lines[:200]]
        library = other.submit(_answers, folder, settings.models_folder, questions)
        command = Asker(folder, settings)
        expected = [json_text(command.ask(q, "").answer.to_dict()) for q in questions]
        assert library.result() == expected


@pytest.mark.slow
def test_short_questions_are_declined_where_nothing_applies_and_seldom_elsewhere() -> None:
    """801 questions over the 51 Acts: declined were 8 of 533 in scope and 235 of 268 others."""
    settings = load_settings(["corpus=published", "corpus.name=acts"], online=True)
    if not (settings.builds_folder / "acts" / "current").is_file():
        pytest.skip("no build acts: set CITEGRAIN_ARTIFACTS to a folder that has it")
    build = Build.open(settings.builds_folder / "acts", settings.models_folder)
    lines = Path(__file__).with_name("short_questions.jsonl").read_text("utf-8").splitlines()
    declined: dict[bool, list[bool]] = {True: [], False: []}
    for question in map(json.loads, lines):
        declined[question["in_scope"]].append(build.ask(question["text"]).decision == "decline")
    assert sum(declined[True]) <= 0.03 * len(declined[True])
    assert sum(declined[False]) >= 0.85 * len(declined[False])


def _answers(folder: Path, models: Path, questions: list[str]) -> list[str]:
    build = Build.open(folder, models)
    return [json_text(build.ask(question).to_dict()) for question in questions]


@pytest.mark.prefect
@pytest.mark.xdist_group("prefect")
def test_answers_validate_and_have_every_key(call: Callable[..., Done], indexed: Path) -> None:
    schema = json.loads(SCHEMA.read_text())

    def answer_of(*words: str) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(call("ask", *words, "--json", f"artifacts='{indexed}'").stdout)
        jsonschema.validate(answer, schema)
        return answer

    answer = answer_of("wages of a keeper", "--full", "--explain", "--k", "2", "--trace", "controller=rules")
    assert set(schema["properties"]) == set(answer) - {"victim", "culprit"}
    charge = answer["charges"][0]
    assert set(schema["$defs"]["Charge"]["properties"]) == set(charge) - {"bailable", "cognizable"}
    assert charge["text"] and charge["evidence"].strip("… ") in " ".join(charge["text"].split())
    assert charge["url"].startswith("file:///") and charge["url"].endswith(f"#page={charge['page']}")
    silent = answer_of("wages", "--as-of", "1900-01-01")
    assert silent["abstained"] and "1900-01-01" in silent["message"] and not silent["charges"]
    assert "explanation" not in silent
    early = answer_of("wages under the Lantern Keepers Act", "--as-of", "2001-01-01")
    assert "The Lantern Keepers (Welfare) Act, 2011 was not law yet on 2001-01-01." in early["remarks"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(answer | {"words": {}}, schema)


@pytest.mark.model
def test_an_amendment_that_the_text_does_not_show_is_said_wherever_the_provision_is(tmp_path: Path) -> None:
    changes = amending_act(
        (
            "Amendment of section 3",
            [
                "In section 3 of the Lantern Keepers (Welfare) Act, 2011, for the words “seventh day”, the words "
                "“fifth day” shall be substituted."
            ],
        ),
        (
            "Insertion of new section 4A",
            [
                "After section 4 of the Lantern Keepers (Welfare) Act, 2011, the following section shall be inserted, "
                "namely:—",
                "“4A. Whoever withholds the oil allowance shall be punished with fine.”.",
            ],
        ),
    )
    (tmp_path / "acts").mkdir()
    (tmp_path / "acts" / "lantern.pdf").write_bytes(typeset.india_code(as_on="1st March, 2016"))
    later = typeset.india_code(changes, contents=False, as_on="9th August, 2018")
    (tmp_path / "acts" / "changes.pdf").write_bytes(later)
    where = ["corpus=folder", f"corpus.path={tmp_path / 'acts'}", f"artifacts={tmp_path / 'artifacts'}"]
    settings = load_settings([*where, "corpus.name=mine", "index.background=[]"])
    build = Build.open(built(*planned(settings)).folder, settings.models_folder)
    shown = build.provision("section 3 of the Lantern Keepers (Welfare) Act", as_of="2019-01-01")
    assert shown.may_have_changed_since == "2018-08-09"
    assert "Lantern Keepers (Welfare) Amendment Act, 2018, section 2 amends it" in shown.remarks[-1]
    for day, since in (("2019-01-01", "2018-08-09"), ("2017-01-01", "")):
        answer = build.ask("section 3 of the Lantern Keepers (Welfare) Act, 2011: wages", as_of=day)
        first = next(c for c in answer.charges if c.provision_id.endswith("welfare-act-2011/sec_3"))
        assert (first.may_have_changed_since, bool(first.may_have_changed)) == (since, bool(since))
    assert build.provision("section 2 of the Lantern Keepers (Welfare) Act").may_have_changed_since == ""
    inserted = build.ask("What does section 4A of the Lantern Keepers (Welfare) Act say?", as_of="2019-01-01")
    assert inserted.charges[0].provision_id.endswith("welfare-amendment-act-2018/sec_3")


@pytest.mark.model
@pytest.mark.xdist_group("golden")
def test_matters_are_asked_each_by_itself_by_the_law_of_the_same_day(monkeypatch: pytest.MonkeyPatch) -> None:
    build, questions_asked = golden_build(LAY), list[tuple[str, str]]()
    question = "The bell rope broke, call 98765 43210. A keeper of lanterns had no wages for three months."
    plain, encoded, encode = build.ask(question, as_of="2020-01-01"), list[str](), build.encode_queries

    def recorded(texts: list[str]) -> Any:
        encoded.extend(texts)
        return encode(texts)

    monkeypatch.setattr(build, "encode_queries", recorded)

    def answered(cascade: Any, questions: list[tuple[str, str]], full: bool = False) -> list[Any]:
        questions_asked.extend(questions)
        chosen = [
            {"act": "bell" if "bell" in text else "lantern", "probability": 0.9} for text, _ in questions
        ]
        charges = [plain.charges[0].model_copy(update=some) for some in chosen]
        return [(plain.model_copy(update={"charges": [charge]}), None) for charge in charges]

    monkeypatch.setattr(answering, "answered_all", answered)
    answer = answering.with_matters(Cascade(build, CascadeConfig.chosen()), plain)
    assert answer.model_copy(update={"matters": []}) == plain and plain.matters == []
    assert " ".join(matter.words for matter in answer.matters) == question
    assert [[charge.act for charge in matter.charges] for matter in answer.matters] == [["bell"], ["lantern"]]
    assert {day for _, day in questions_asked} == {"2020-01-01"}
    read = [*encoded, *(text for text, _ in questions_asked)]
    assert encoded and not any("98765" in text for text in read)
    assert "98765 43210" in answer.matters[0].words
    sheet = answer_sheet(build, answer, {})
    assert all(html.escape(matter.words) in sheet for matter in answer.matters)
