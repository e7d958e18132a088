"""Personal numbers: found in many ways of writing, masked before anything leaves, and put back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citegrain.tasks.core.endpoint import (
    BATCH,
    BatchPending,
    CallConfig,
    Endpoint,
    PlainText,
    ask_model,
    messages_of,
    reply_rows,
)
from citegrain.tasks.core.personal import Masks, find_personal, follows_verhoeff
from tests.bad_server import misbehaving
from tests.tasks.core.personal_questions import (
    PLAIN_SEEN,
    PLAIN_UNSEEN,
    SEEN,
    UNSEEN,
    Question,
    questions,
    verhoeff_digit,
)

ALL = questions(250, SEEN, PLAIN_SEEN, 7) + questions(250, UNSEEN, PLAIN_UNSEEN, 8)


@pytest.mark.parametrize("half", ["seen", "unseen"])
def test_of_500_questions_what_is_personal_is_found_and_nothing_else(half: str) -> None:
    chosen = ALL[:250] if half == "seen" else ALL[250:]
    there = {(q.text, *place) for q in chosen for place in q.personal}
    hits = {(q.text, *place) for q in chosen for place in find_personal(q.text)}
    assert len(there & hits) >= 0.98 * max(len(there), len(hits)), sorted(there ^ hits)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("call 98765 43210 or 9876543210", "call [PHONE-1] or [PHONE-2]"),
        ("9876543210, again 9876543210", "[PHONE-1], again [PHONE-1]"),
        ("a.b@c.in and a@ybl", "[EMAIL-1] and [EMAIL-2]"),
        ("aadhaar 234123412346", "aadhaar [AADHAAR-1]"),
        ("UIDAI sent no reply on 234123412346", "UIDAI sent no reply on [AADHAAR-1]"),
        ("paid 65000 70000, then 80000 90000", "paid 65000 70000, then 80000 90000"),
        ("PAN ABCPE1234F, GST 27ABCPE1234F1Z5", "PAN [PAN-1], GST [PAN-2]"),
        ("my car MH 12 AB 1234", "my car [VEHICLE-1]"),
        ("WhatsApp 098765 43210, 9 8 7 6 5 4 3 2 1 0", "WhatsApp [PHONE-1], [PHONE-2]"),
        ("card 4111 1111 1111 1111", "card [ACCOUNT-1]"),
        ("sections 63 64 65 66 67; loan, u/s 420 406 468", "sections 63 64 65 66 67; loan, u/s 420 406 468"),
        ("Crime No. 9876543210, section 420, 9876543210", "Crime No. 9876543210, section 420, [PHONE-1]"),
        ("2011 2015 2019 2023", "2011 2015 2019 2023"),
        ("rates 60 00 68 00 67 50 76", "rates 60 00 68 00 67 50 76"),
        ("47 50 62 50\n57 00 75 00\n9876 5432\n10", "47 50 62 50\n57 00 75 00\n9876 5432\n10"),
        ("at 98 76 54 32 10 now", "at [PHONE-1] now"),
        (r"a\n9876543210\n9876543211\n", r"a\n[PHONE-1]\n[PHONE-2]\n"),
        ("a/c no. 123456789", "a/c no. [ACCOUNT-1]"),
        ("account 50100123456789 with HDFC", "account [ACCOUNT-1] with HDFC"),
        ("[PHONE-1] is mine: 9876543210", "[PHONE-1] is mine: [PHONE-2]"),
        # what is none
        ("cement @ 315 and @18%, Rs 9876543210", "cement @ 315 and @18%, Rs 9876543210"),
        ("section 10 or 12 to 14 of Act 45 of 1860", "section 10 or 12 to 14 of Act 45 of 1860"),
        ("PNR 9876543210 of 12.10.2020", "PNR 9876543210 of 12.10.2020"),
        ("call 112 or 1098", "call 112 or 1098"),
        ("", ""),
    ],
)
def test_what_is_masked(text: str, masked: str) -> None:
    assert Masks().mask(text) == masked


def test_verhoeff_finds_each_wrong_digit_and_each_swap() -> None:
    number = "23412341234" + verhoeff_digit("23412341234")
    assert follows_verhoeff(number) and follows_verhoeff("2363")  # 236 and its digit 3: Verhoeff's example
    for at in range(12):
        for digit in "0123456789":
            assert follows_verhoeff(number[:at] + digit + number[at + 1 :]) == (digit == number[at])
    for at in range(11):
        swapped = number[:at] + number[at + 1] + number[at] + number[at + 2 :]
        assert follows_verhoeff(swapped) == (number[at] == number[at + 1])


@given(st.lists(st.sampled_from([q.text for q in ALL]) | st.text(max_size=40), max_size=4).map("\n".join))
def test_what_is_masked_is_put_back_and_nothing_personal_is_left(text: str) -> None:
    masks = Masks()
    masked = masks.mask(text)
    assert masks.mask(masked) == masked
    assert masks.unmask(masked).split() == text.split()


def test_a_placeholder_that_lost_its_brackets_is_put_back_in_json_too() -> None:
    masks = Masks()
    masks.mask('9876543210 "x\ty"@example.org')
    unmasked = masks.unmask("call phone-1 or [Phone-1], not PHONE-2")
    assert unmasked == "call 9876543210 or 9876543210, not PHONE-2"
    assert masks.unmask_json({"a": ["[PHONE-1]", 3], "b": None}) == {"a": ["9876543210", 3], "b": None}


def values_of(chosen: list[Question]) -> set[str]:
    """What must be nowhere: the numbers as they were typed, and their digits or letters alone."""
    typed = {q.text[start:end] for q in chosen for start, end, _ in find_personal(q.text)}
    return typed | {"".join(c for c in value if c.isalnum()) for value in typed}


class Calls(CallConfig):
    group = "generate"


def test_nothing_personal_is_sent_or_kept_and_the_reply_has_it_again(tmp_path: Path) -> None:
    prompts = {str(i): messages_of("Answer.", {"question": f"Q:\n{q.text}\n"}) for i, q in enumerate(ALL)}
    config = Calls(concurrency=32)
    with misbehaving("good", script=lambda data: f"You said: {data['question']}") as server:
        endpoint = Endpoint(server.url, "m")
        rows = reply_rows(tmp_path / "store", "generate", endpoint, config)
        for _ in range(2):  # then from what was kept
            replies = ask_model(prompts, endpoint, config, PlainText(), rows)
            for i, question in enumerate(ALL):
                assert replies[str(i)].text.split() == f"You said: Q: {question.text}".split()
        assert len(server.bodies) == len(ALL)
        sent = json.dumps(server.bodies, ensure_ascii=False)
    with pytest.raises(BatchPending):
        waiting = Endpoint("", "m", mode=BATCH, replies=tmp_path / "batch/replies.jsonl")
        ask_model(prompts, waiting, config, PlainText())
    stored = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()).decode("utf-8", "replace")
    leaked = {value for value in values_of(ALL) if value in sent or value in stored}
    assert not leaked and len(values_of(ALL)) > 400
