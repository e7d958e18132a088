"""A model without any law: its answers scored by hand, and the recorded ones found by the prompts of today."""

from __future__ import annotations

import json
import random

from citegrain.tasks.core.endpoint import Endpoint, ask_model
from citegrain.tasks.core.store.files import hash_file
from citegrain.tasks.evaluation.benchmark import Citation, Record
from tests.conftest import ROOT
from tests.data.test_in_force import IN_FORCE
from tools import closed

REPLIES = ROOT / "data" / "replies" / "closed.jsonl"
OLD, NEW = Citation("lamp-act-1900", "3"), Citation("lamp-code-2020", "9")
RECORD = Record(
    id="q", text="And?", applicable=(OLD,), primary=OLD, instead=(NEW,), must="ten rupees", must_not="fifty"
)


def test_an_answer_from_memory_is_scored_by_section_version_and_words() -> None:
    def scores(act: str, section: str, words: str) -> dict[str, float]:
        return closed.closed_scores(RECORD, closed.Recalled(act=act, section=section, words=words))

    assert scores("The Lamp Act, 1900", "3", "Ten  rupees") == {"primary": 1, "nugget": 1, "version": 1}
    assert scores("The Lamp Act, 1900", "3", "ten rupees or fifty") == {
        "primary": 1,
        "nugget": 0,
        "version": 0,
    }
    assert scores("Lamp Code 2020", "9", "ten rupees") == {"primary": 0, "nugget": 0, "version": 0}
    assert scores("The Lamp Act, 1900", "4", "ten rupees") == {"primary": 0, "nugget": 0}


def test_every_question_of_the_sample_has_its_recorded_reply() -> None:
    drawn, prompts = random.Random(closed._SEED), {}  # noqa: S311
    for name, split in zip(closed.SPLITS, ("dev", "test"), strict=True):
        for record in closed.sample(IN_FORCE.records[split][: closed.ASKED_OF.get(name)], drawn):
            prompts[record.id] = closed.closed_messages(record, str(record.incident_date or "2026-11-28"))
    endpoint = Endpoint("", "claude", "", "closed", "recorded", REPLIES)
    replies = ask_model(prompts, endpoint, closed.ClosedConfig(), closed.Recalled)
    assert len(replies) == 60 and not any(reply.error for reply in replies.values())
    card = json.loads(REPLIES.with_name(REPLIES.name + ".card.json").read_text(encoding="utf-8"))
    assert card["sha256"] == hash_file(REPLIES) and card["replies"] == 60
