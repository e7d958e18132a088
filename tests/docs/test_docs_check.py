"""``make docs-check`` leaves out no command of the pages and no target of ``make help``."""

from __future__ import annotations

from tests.docs.test_commands import COMMANDS, TARGETS
from tools import docs_check


def test_every_command_and_target_is_run_or_has_a_reason() -> None:
    ran = [words for words, _ in docs_check.steps()]
    for words in COMMANDS:
        assert docs_check.reason_to_skip(words) or docs_check.step_of(words)[0] in ran, words
    targets_run = {
        word for words in ran if words[0] == "make" for word in words[1:] if not word.startswith("-")
    }
    assert set(docs_check.TARGETS) <= targets_run and set(TARGETS) <= targets_run
    assert set(docs_check.TARGETS) >= docs_check.UNTOUCHED


def test_commands_are_run_as_they_stand_but_for_placeholders() -> None:
    ask = ("citegrain", "ask", "...", "corpus.name=mine", "--explain")
    assert docs_check.step_of(ask)[0] == ["citegrain", "ask", "They did not pay my wages", *ask[3:]]
    assert docs_check.step_of(("citegrain", "train"))[0][-1] == "--help"
    assert docs_check.step_of(("citegrain", "ablate", "corpus=demo"))[0][-1] == "--cfg"
    assert docs_check.target_step("rollback")[0] == ["make", "-s", "rollback", "NAME=mine"]
    assert docs_check.target_step("sweep")[0][-1] == "ARGS=sweep=operators corpus=demo benchmark=constitution"
