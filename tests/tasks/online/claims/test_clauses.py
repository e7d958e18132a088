"""Clauses and their signs, and claims that affirm what a passage denies; worked by hand."""

from __future__ import annotations

import pytest

from citegrain.tasks.online.claims.agreeing import contradicted
from citegrain.tasks.online.claims.clauses import clauses
from citegrain.tasks.online.claims.passages import tokens_of

LAW = (
    "(1) No person shall ring a bell in a market unless the warden has signed a permit. "
    "(2) The warden may, if he sees cause, refuse a permit to a trader who does not live in the town: "
    "Provided that no such permit shall be refused to a widow. "
    "(3) A trader shall not— (a) sell lamps after midnight; or (b) lend his stall without the consent of the council. "
    "(4) A sale in breach of this section is void, and the buyer is not bound to pay the price. "
    "(5) The warden may, without hearing the trader, close a stall if the rent has not been paid in time; a member "
    "of the council may attend the hearing but shall not have the right to vote. "
    "(6) A licence covers all towns except the port of Arl. "
    "(7) The council consists of officers not below the rank of captain. "
    "(8) No appeal to the mayor lies against a refusal; no second appeal shall lie at all. "
    "(9) A minor is incompetent to hold a stall. "
    "(10) No hearing shall be opened or, if it is open, shall be proceeded with, except with the leave of the mayor."
)


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("No judge shall buy a claim", [("main", -1)]),
        ("Judges may buy a claim unless the court forbids it", [("main", 1), ("exception", 1)]),
        ("A claim is not void", [("main", 1)]),
        ("A trader who does not pay shall leave", [("main", 1), ("relative", -1)]),
        ("If the fee is not paid, the warden may sell the goods", [("main", 1), ("condition", -1)]),
        ("He shall not sell goods and may not lend money", [("main", -1), ("main", -1)]),
        ("A fine of not less than ten rupees is due", [("main", 1)]),
        ("He may sell goods without a permit", [("main", 1), ("exception", -1)]),
        ("Nobody may sell goods, nor may he lend money", [("main", -1), ("main", -1)]),
        ("The offence is non-bailable", [("main", 1), ("relative", -1)]),
        ("He takes the land free of the debt", [("main", 1), ("exception", -1)]),
        ("Once a single judge has decided, he may not sit again", [("main", -1), ("condition", 1)]),
        ("A charter so that no town is burdened", [("main", 1), ("main", -1)]),
        ("He holds it unless and until it is sold", [("main", 1), ("exception", -1)]),
        ("A cause for not filing it in time is shown", [("main", 1), ("exception", -1)]),
    ],
)
def test_the_scope_of_a_negation(text: str, signs: list[tuple[str, int]]) -> None:
    assert [(c.kind, c.sign) for c in sorted(clauses(text), key=lambda c: c.kind != "main")] == signs


@pytest.mark.parametrize(
    ("claim", "wrong"),
    [
        ("Bells may be rung in a market only if the warden has signed a permit", False),
        ("Nobody may ring a bell in the market before the warden signs a permit", False),
        ("Bells may be rung in a market even if the warden has not signed a permit", True),
        ("Anybody may ring bells in the market", True),
        ("The warden can turn away a trader who lives elsewhere", False),
        ("A widow cannot be refused such a permit by the warden", False),
        ("Traders are forbidden to sell lamps after midnight", False),
        ("Traders are free to sell their lamps after midnight", True),
        ("A trader must not lend out his stall without the council's consent", False),
        ("A trader may lend out his stall without the consent of the council", True),
        ("The buyer need not pay the price", False),
        ("The buyer must pay the price and is bound by the sale", True),
        ("Bells are rung in towns at noon", False),
        ("Only if the trader has been heard may the warden close his stall", True),
        ("The warden may close a stall without having heard the trader", False),
        ("The warden may close a stall even when the rent was paid in time", True),
        ("Members of the council may attend the hearing and have the right to vote", True),
        ("Members of the council attend the hearing, but have no vote", False),
        ("A licence covers all the towns, even the port of Arl", True),
        ("A licence covers all the towns, but not the port of Arl", False),
        ("Nobody but a trader whose stall the council let may sell lamps", False),
        ("A second appeal to the mayor is possible", True),
        ("Anybody may appeal to the mayor against a refusal", True),
        ("A minor is competent to hold a stall", True),
        ("Nobody may open a hearing or, once it is open, go on with it without leave of the mayor", False),
    ],
)  # fmt: skip
def test_a_claim_affirms_what_the_passage_denies(claim: str, wrong: bool) -> None:
    terms = {token.term for token in tokens_of(claim)} - {""}
    assert (contradicted(claim, terms, LAW) is not None) is wrong
