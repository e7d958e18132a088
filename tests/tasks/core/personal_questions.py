"""Synthetic questions with personal numbers in them, and with numbers that are not personal.

Each way of writing stands in one of two halves: rules were made by the first, and the second was looked at
when they were done.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle

Rng = random.Random
# Verhoeff's tables by their definition: the dihedral group of the pentagon, and a permutation
_INVERSE = (0, 4, 3, 2, 1, 5, 6, 7, 8, 9)
_PERMUTED = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)


def _product(a: int, b: int) -> int:
    if a < 5:
        return (a + b) % 5 if b < 5 else (a + b - 5) % 5 + 5
    return (a - 5 - b) % 5 + 5 if b < 5 else (a - b) % 5


def verhoeff_digit(digits: str) -> str:
    """The digit that makes a number of Verhoeff's scheme of some digits."""
    check = 0
    for place, sign in enumerate(reversed(digits), 1):
        digit = int(sign)
        for _ in range(place % 8):
            digit = _PERMUTED[digit]
        check = _product(check, digit)
    return str(_INVERSE[check])


def _digits(rng: Rng, n: int, first: str = "123456789") -> str:
    return rng.choice(first) + "".join(rng.choice("0123456789") for _ in range(n - 1))


def aadhaar(rng: Rng) -> str:
    body = _digits(rng, 11, "23456789")
    return body + verhoeff_digit(body)


def mobile(rng: Rng) -> str:
    return _digits(rng, 10, "6789")


def pan(rng: Rng) -> str:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    head = "".join(rng.choice(letters) for _ in range(3)) + rng.choice("PPPCHF") + rng.choice(letters)
    return head + f"{rng.randint(1, 9999):04}" + rng.choice(letters)


def plate(rng: Rng) -> tuple[str, str, str, str]:
    state = rng.choice("MH DL KA TN UP GJ RJ HR PB WB AP TS KL MP BR OD AS CG JH UK GA CH".split())
    series = rng.choice("ABCDEFGHJKLMNPQRSTUVWXYZ") + rng.choice("ABCDEFGHJKLMNPQRSTUVWXYZ")
    return state, f"{rng.randint(1, 99):02}", series, f"{rng.randint(1, 9999):04}"


def name(rng: Rng) -> str:
    return rng.choice("ramesh.k sunita_1987 a.khan priya-n vikram99 s.patil deepa lakshmi.r".split())


def host(rng: Rng) -> str:
    return rng.choice("gmail.com yahoo.co.in rediffmail.com outlook.com example.org mail.nic.in".split())


def _phone(form: str) -> Callable[[Rng], str]:
    def write(rng: Rng) -> str:
        m = mobile(rng)
        return form.format(
            m=m, a=m[:5], b=m[5:], c=m[:3], d=m[3:6], e=m[6:], f=m[:4], g=m[4:7], h=m[7:], i=m[:2], j=m[2:6]
        )

    return write


_WORDS = "zero one two three four five six seven eight nine".split()
_NAGARI = str.maketrans("0123456789", "०१२३४५६७८९")


def _spoken(rng: Rng) -> str:
    return " ".join(_WORDS[int(d)] for d in mobile(rng))


@dataclass(frozen=True)
class Writing:
    """A way to write something: the words around it, ``{}`` for the number."""

    kind: str
    number: Callable[[Rng], str]
    around: str


def _account(rng: Rng, n: int | None = None) -> str:
    return _digits(rng, n or rng.choice([9, 11, 12, 13, 14, 15, 16, 18]))


def _in_fours(number: str, sign: str) -> str:
    return sign.join([number[:4], number[4:8], number[8:]])


SEEN = [
    Writing("PHONE", _phone("{m}"), "my number is {} please call"),
    Writing("PHONE", _phone("+91 {a} {b}"), "He rang me from {} and threatened me."),
    Writing("PHONE", _phone("+91-{m}"), "(mob: {})"),
    Writing("PHONE", _phone("0{m}"), "they keep calling from {}, daily"),
    Writing("PHONE", _phone("{c}-{d}-{e}"), "Contact:{}."),
    Writing("PHONE", lambda r: f"0{r.choice(['11', '22', '44'])}-{_digits(r, 8, '23456')}", "the office at {} is shut"),
    Writing("EMAIL", lambda r: f"{name(r)}@{host(r)}", "I wrote to {}."),
    Writing("EMAIL", lambda r: f"{name(r)}@{host(r)}".upper(), "Email-{},no reply"),
    Writing("EMAIL", lambda r: f"{name(r)}[at]gmail[dot]com", "reach me: {}"),
    Writing("AADHAAR", aadhaar, "my aadhaar {} was used"),
    Writing("AADHAAR", lambda r: _in_fours(aadhaar(r), " "), "someone took a loan on {} of mine"),
    Writing("AADHAAR", lambda r: _in_fours(aadhaar(r), "-"), "UID no. {} is wrong"),
    Writing("PAN", pan, "my PAN is {} and I got a notice"),
    Writing("PAN", lambda r: pan(r).lower(), "pan card {} misused by an agent"),
    Writing("VEHICLE", lambda r: "".join(plate(r)), "the car {} hit my father"),
    Writing("VEHICLE", lambda r: " ".join(plate(r)), "truck no. {} ran away after the accident"),
    Writing("VEHICLE", lambda r: "-".join(plate(r)), "challan for {}, which I sold"),
    Writing("ACCOUNT", _account, "money was debited from my account {} without asking"),
    Writing("ACCOUNT", _account, "A/c No. {} of SBI is frozen"),
    Writing("ACCOUNT", _account, "my bank account number is {}."),
]  # fmt: skip
UNSEEN = [
    Writing("PHONE", _phone("{f} {g} {h}"), "his whatsapp {} sends me dirty pictures"),
    Writing("PHONE", _phone("91{m}"), "OTP calls from {} again and again"),
    Writing("PHONE", _phone("(+91) {a}-{b}"), "landlord's phone:\n{}\nwhat can I do"),
    Writing("PHONE", _phone("{i} {j} {e}"), "call kiya {} pe, koi jawab nahi"),
    Writing("PHONE", lambda r: f"(0{r.choice(['120', '172', '265'])}) {_digits(r, 7, '23456')}", "dial {} for the builder"),
    Writing("PHONE", lambda r: mobile(r).translate(_NAGARI), "mera number {} hai"),
    Writing("PHONE", _spoken, "my number is {}"),
    Writing("EMAIL", lambda r: f"{name(r)} @ {host(r)}", "mail id {} pls"),
    Writing("EMAIL", lambda r: f"{name(r)} at gmail dot com", "kindly write to {}"),
    Writing("EMAIL", lambda r: f"{name(r)}@{r.choice(['okhdfcbank', 'ybl', 'paytm', 'upi'])}", "I paid {} by UPI and got nothing"),
    Writing("AADHAAR", lambda r: _in_fours(aadhaar(r), "."), "Adhar card number {} linked to a stranger's SIM"),
    Writing("AADHAAR", lambda r: _in_fours(aadhaar(r), "  "), "they want {} for a SIM, must I give it?"),
    Writing("PAN", lambda r: f"{(p := pan(r))[:5]} {p[5:9]} {p[9]}", "Permanent account number {}"),
    Writing("PAN", pan, "({}) salary not paid for 3 months"),
    Writing("VEHICLE", lambda r: "{} {}{} {}".format(*plate(r)), "my scooty ({}) was stolen"),
    Writing("VEHICLE", lambda r: "{}{} {} {}".format(*plate(r)).lower(), "bike number {} towed by police"),
    Writing("VEHICLE", lambda r: f"{r.randint(21, 25)} BH {r.randint(1, 9999):04} AA", "Registration {} accident"),
    Writing("ACCOUNT", _account, "they froze my savings a/c : {} (IFSC SBIN0001234)"),
    Writing("ACCOUNT", lambda r: _in_fours(_account(r, 14), " "), "loan acct {} closed but they harass me"),
    Writing("ACCOUNT", lambda r: _account(r, 11), "maine khata sankhya {} me paise bheje"),
]  # fmt: skip
PLAIN_SEEN = [
    lambda r: f"The builder took Rs {r.randint(1, 99)},{r.randint(10, 99)},000 in {r.randint(2005, 2024)}.",
    lambda r: (
        f"I was charged under sections {r.randint(100, 500)} and {r.randint(100, 500)} IPC read with 34."
    ),
    lambda r: (
        f"FIR No. {r.randint(1, 999)}/{r.randint(2010, 2024)} dated {r.randint(1, 28):02}.{r.randint(1, 12):02}.{r.randint(2010, 2024)} was not given to me."
    ),
    lambda r: f"The cheque of Rs. {_digits(r, 7)} bounced on {r.randint(1, 28)}-{r.randint(1, 12)}-2023.",
    lambda r: f"My pin code is {_digits(r, 6)} and the plot has {r.randint(100, 5000)} square feet.",
    lambda r: f"Transaction ID {_digits(r, 12)} failed and the money was not refunded.",
    lambda r: "Act 45 of 1860, section 10 or 12 to 14, up to 7 years.",
    lambda r: f"Order number {_digits(r, 3)}-{_digits(r, 7)}-{_digits(r, 7)} never came.",
]
PLAIN_UNSEEN = [
    lambda r: f"Company turnover is {_digits(r, 10)} rupees; tax of INR {_digits(r, 9)} was paid.",
    lambda r: (
        f"W.P.(C) No. {r.randint(100, 99999)} of {r.randint(1990, 2024)}, AIR {r.randint(1950, 2020)} SC {r.randint(1, 3000)}, (2018) 10 SCC {r.randint(1, 900)}"
    ),
    lambda r: (
        f"My PNR {_digits(r, 10)} ticket was cancelled at {r.randint(1, 23)}:{r.randint(10, 59)} on 12/0{r.randint(1, 9)}/2024."
    ),
    lambda r: (
        f"Complaint reference {_digits(r, 11)} with the consumer forum is pending since {r.randint(2, 40)} months."
    ),
    lambda r: (
        f"Khasra {r.randint(1, 999)}/{r.randint(1, 9)}, survey no. {r.randint(1, 999)}, {r.randint(1, 9)} acres, sold in 19{r.randint(60, 99)}."
    ),
    lambda r: "They look at section 5 dot points; I work at a shop in MP, aged 45, 2 children.",
    lambda r: f"Electricity consumer no. {_digits(r, 10)} got a bill of Rs{_digits(r, 5)}/-.",
    lambda r: (
        f"CNR MHAU01-{_digits(r, 6)}-2021, case {r.randint(1, 900)}/2021 adjourned 2022-0{r.randint(1, 9)}-1{r.randint(0, 9)}."
    ),
]


@dataclass(frozen=True)
class Question:
    """A text, and where in it personal numbers stand: (start, end, kind)."""

    text: str
    personal: tuple[tuple[int, int, str], ...]


def questions(
    n: int, writings: list[Writing], plain: list[Callable[[Rng], str]], seed: int
) -> list[Question]:
    """``n`` questions: each has a number of the writings in turn, and every second another sentence."""
    rng, out = random.Random(seed), []  # noqa: S311
    ways, others = cycle(writings), cycle(plain)
    for i in range(n):
        text, places = ("My neighbour does not give back what I lent him. " if i % 3 else ""), []
        chosen = [next(ways)] if i % 5 else []
        for way in chosen:
            number = way.number(rng)
            before, after = way.around.split("{}")
            places.append((len(text) + len(before), len(text) + len(before) + len(number), way.kind))
            text += before + number + after + " "
        if i % 2 or not chosen:
            text += next(others)(rng)
        out.append(Question(text.strip(), tuple(places)))
    return out
