"""Personal numbers in a text: phone, e-mail, Aadhaar, PAN, vehicle, account. They are masked and put back.

Forms and checksums find what has them (Aadhaar: Verhoeff, "Error detecting decimal codes", 1969). An account
has neither: the words before a number say what it is, and a long number without such words counts as one.
"""

import json
import re
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

_JOIN = r"(?:[^\S\n]{1,2}|[^\S\n]?[-.–][^\S\n]?)"  # between the groups of a number, on one line
_LEFT = r"(?<![\d+])(?<!\d[-.–])(?<![^\W\d_])(?<!_)"
_RIGHT = r"(?!\d)(?![-.–]\d)(?![^\W\d_])"
_TEN = ("10", "5 5", "3 3 4", "4 3 3", "2 4 4", "3 4 3", "4 2 4", "2 8", "4 6")
# where no other number stands beside them: columns of a table are like them
_SPREAD = ("2 2 2 2 2", "1 " * 10)


def _grouped(sizes: str) -> str:
    return _JOIN.join(rf"\d{{{size}}}" for size in sizes.split())


_DIGIT = (
    r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|shunya|ek|do|teen|ch?aar|char|pa+nch|che+h?|saat|sat"
    r"|aath|nau)"
)
_DIGITS = rf"\b(?:(?:(?:double|triple)\s+)?{_DIGIT}[\s,-]+){{7,}}(?:(?:double|triple)\s+)?{_DIGIT}\b"
_IN_WORDS = re.compile(_DIGITS, re.IGNORECASE)
_STATES = (
    "AN|AP|AR|AS|BR|CG|CH|DD|DL|DN|GA|GJ|HP|HR|JH|JK|KA|KL|LA|LD|MH|ML|MN|MP|MZ|NL|OD|OR|PB|PY|RJ|SK|TN|TR|TS|TG"
    "|UA|UK|UP|WB"
)
_FORMS = {
    "EMAIL": re.compile(
        r"(?:(?<![\w.+-])|(?<=mail-)|(?<=\bid-))(?!(?:e-?)?mail-|id-)[\w.+-]*\w(?:@(?!rs\b)[a-z]"
        r"|\s?(?:@|\(at\)|\[at\]|\{at\})\s?(?!rs\b)(?=[a-z][\w-]*\s?[.(\[{]))[\w-]+"
        r"(?:(?:\.|\s?(?:\(dot\)|\[dot\]|\{dot\})\s?)[\w-]+)*"
        r"|(?<![\w.+-])(?!(?:me|him|her|us|them|it|mail|email|id|work)\b)[\w.+-]*\w\s+at(?: the rate)?\s+"
        r"(?:[\w-]+(?:\s+dot\s+[a-z]{2,6}\b)+|(?:gmail|yahoo|rediffmail|hotmail|outlook)\.co(?:m|\.in)\b)",
        re.IGNORECASE,
    ),
    "PAN": re.compile(
        r"(?<!\w)(?:\d\d)?[A-Z]{3}[ABCEFGHJKLPT][A-Z](?P<split>[\s-]?)\d{4}[\s-]?[A-Z](?:\dZ\w)?(?!\w)",
        re.IGNORECASE,
    ),
    "VEHICLE": re.compile(
        rf"(?<!\w)(?:(?P<state>{_STATES})[\s.-]{{0,2}}\d{{1,2}}[\s.-]{{0,2}}[A-HJ-NP-Z](?:[\s.-]?[A-HJ-NP-Z]){{0,2}}"
        r"[\s.-]{0,2}(?P<last>\d{1,4})|\d{2}[\s.-]?BH[\s.-]?\d{4}[\s.-]?[A-HJ-NP-Z]{1,2})(?!\w)",
        re.IGNORECASE,
    ),
    "AADHAAR": re.compile(rf"{_LEFT}(?=[2-9२-९])(?:{_grouped('12')}|{_grouped('4 4 4')}){_RIGHT}"),
    "LABELLED": re.compile(rf"{_LEFT}(?:\d{{9,18}}|\d{{3,6}}(?:{_JOIN}\d{{2,6}}){{1,5}}){_RIGHT}"),
    "PHONE": re.compile(
        r"(?<![\d+])(?<!\d[-.–])(?:(?:\(?(?:\+|00)\s?91\)?|(?<!\d\s)91|0)[\s.–-]{0,2})?"
        rf"(?=[6-9६-९])(?:{'|'.join(map(_grouped, _TEN))}"
        rf"|(?<!\d\s)(?:{'|'.join(map(_grouped, _SPREAD))})(?!\s\d)){_RIGHT}"
        rf"|{_LEFT}\(?0[1-9]\d{{1,3}}\)?(?:{_JOIN})?(?=[2-7])(?:\d{{6,8}}|\d{{3,4}}{_JOIN}\d{{4}}){_RIGHT}"
        rf"|(?<![\w+])\+\d[\d\s().-]{{6,16}}\d(?!\w)"
        rf"|{_DIGITS}",
        re.IGNORECASE,
    ),
    "ACCOUNT": re.compile(rf"{_LEFT}(?:\d{{11,18}}|(?=[2-9]){_grouped('4 4 4 4')}){_RIGHT}"),
}
_AADHAAR = re.compile(r"\b(?:a+dh?a+r|uid|uidai)\b|आधार", re.IGNORECASE)
_BANK = re.compile(
    r"\b(?:a/?c|acc|acct|accounts?|khata|khate|savings?|bank|deposit(?:ed)?|loan|sbi|hdfc|icici|pnb|axis|canara|kotak|idbi|credited|debited|transfer\w*|sent)\b|खात",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"\b(?:transaction|txn|utr|ref|reference|order|complaint|fir|crime|case|consignment|petition|consumer|pnr|imei|invoice|bill|ticket"
    r"|docket|application|cnr|receipt|token|tracking|awb|meter|challan|request|grievance|policy|serial|roll|employee"
    r"|ack\w*|crn|folio|gazette|demand draft|dd|cheque)\b",
    re.IGNORECASE,
)
_VEHICLE = re.compile(
    r"\b(?:car|cab|taxi|auto|bike|scooty|scooter|motor\w*|vehicle|truck|lorry|bus|van|tempo|tractor|jeep|registration|"
    r"challan|plate|rc)\b",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"(?:[\s:#./-]|\b(?:no|nos|num|number|id|code|ref|reference|is|was|the|my|slip)\b)*$", re.IGNORECASE
)
_MONEY_BEFORE = re.compile(r"(?:\brs\.?|₹|\binr|\brupees)\s*$", re.IGNORECASE)
_LAW_BEFORE = re.compile(r"(?:\b(?:sections?|secs?|articles?|arts?|rules?)|u/s)\.?\s*$", re.IGNORECASE)
_MONEY_AFTER = re.compile(r"\s*(?:rupees\b|rs\b|/-|lakhs?\b|crores?\b|cr\b|%|per ?cent)", re.IGNORECASE)
_ESCAPE = re.compile(r"\\[nrtbf\"/]")  # of a text within JSON: no letter of a number
_BEFORE, _AFTER = 40, 30  # characters in which a number is said to be something
_WORDY_STATES = ("an", "as", "or", "up")
_PLACEHOLDER = re.compile(r"\[?\b([A-Z]+)-(\d+)\b\]?", re.IGNORECASE)
_PERMUTED = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)


class PersonalNumber(NamedTuple):
    """Where something personal stands in a text, in characters, and what it is."""

    start: int
    end: int
    kind: str


def find_personal(text: str) -> list[PersonalNumber]:
    """What is personal in a text, in order; none lies in another."""
    plain = _ESCAPE.sub("\n\n", text)
    taken: list[PersonalNumber] = []
    # most questions have no digit: then a number can only be said in words
    forms = _FORMS if re.search(r"\d", plain) else {"EMAIL": _FORMS["EMAIL"], "PHONE": _IN_WORDS}
    for form, pattern in forms.items():
        for match in pattern.finditer(plain):
            start, end = match.start() + len(match[0]) - len(match[0].lstrip(" -.–")), match.end()
            kind = _kind(form, match, plain)
            if kind and all(end <= other.start or other.end <= start for other in taken):
                taken.append(PersonalNumber(start, end, kind))
    return sorted(taken)


def _kind(form: str, match: re.Match[str], text: str) -> str:
    """What a match is by what stands around it; empty where it is nothing personal."""
    matched, before = match[0], text[max(0, match.start() - _BEFORE) : match.start()]
    digits = "".join(sign for sign in matched if sign.isdigit())
    if form == "EMAIL":
        return form
    if form == "PAN":
        return form if not match["split"] or re.search(r"\bpan\b|permanent", before, re.IGNORECASE) else ""
    if form == "VEHICLE":
        return form if _is_plate(match, text) else ""
    if any(p.search(before) for p in (_MONEY_BEFORE, _LAW_BEFORE)) or _MONEY_AFTER.match(text, match.end()):
        return ""
    groups = re.findall(r"\d+", matched)
    if len(groups) > 1 and all(group.endswith("00") for group in groups):  # a row of round amounts
        return ""
    label = _label(before, text[match.end() : match.end() + _AFTER])
    if form == "AADHAAR":
        account = label == "ACCOUNT" and matched.isdigit() and not _AADHAAR.search(before)
        checked = label != "OTHER" and not account and follows_verhoeff(digits)
        return form if label == form or checked else ""
    if form == "LABELLED":
        return "ACCOUNT" if label == "ACCOUNT" and 9 <= len(digits) <= 18 else ""
    if form == "ACCOUNT" and not matched.isdigit() and not (follows_luhn(digits) or follows_verhoeff(digits)):
        return ""  # four years, and no card
    return "" if label == "OTHER" else form


def _label(before: str, after: str) -> str:
    """What the words around a number say that it is: the nearest before it decides, else those behind it."""
    before = re.split(r"(?<!\bno)[.;?!]\s", before, flags=re.IGNORECASE)[-1]
    kinds = {"AADHAAR": _AADHAAR, "ACCOUNT": _BANK}
    places = {kind: max((m.end() for m in p.finditer(before)), default=0) for kind, p in kinds.items()}
    said = _SAYS.search(before)
    places["OTHER"] = max(
        (m.end() for m in _OTHER.finditer(before) if said and said.start() <= m.end()), default=0
    )
    nearest = max(places, key=lambda kind: places[kind])
    if places[nearest]:
        return nearest
    behind = re.split(r"[.;?!,](?:\s|$)", after)[0]
    return next((kind for kind, pattern in kinds.items() if pattern.search(behind)), "")


def _is_plate(match: re.Match[str], text: str) -> bool:
    state, number = match["state"], match[0]
    if state is None or _VEHICLE.search(text):
        return True
    if len(match["last"]) < 4 and " " in number:
        return False
    return number.isupper() or " " not in number or state.casefold() not in _WORDY_STATES


def follows_verhoeff(digits: str) -> bool:
    """Whether the last digit of a number is the one that Verhoeff's scheme gives."""
    check = 0
    for place, sign in enumerate(reversed(digits)):
        digit = int(sign)
        for _ in range(place % 8):
            digit = _PERMUTED[digit]
        check = _product(check, digit)
    return check == 0


def follows_luhn(digits: str) -> bool:
    """Whether the last digit of a card's number is the one that ISO/IEC 7812 gives."""
    doubled = [int(sign) * (1 + place % 2) for place, sign in enumerate(reversed(digits))]
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def _product(a: int, b: int) -> int:
    """Of the group of the symmetries of a pentagon: turns are 0 to 4, reflections 5 to 9."""
    if a < 5:
        return (a + b) % 5 if b < 5 else (a + b - 5) % 5 + 5
    return (a - 5 - b) % 5 + 5 if b < 5 else (a - b) % 5


@dataclass
class Masks:
    """What was masked in some texts, by placeholder: ``[PHONE-1]``; the same value has the same."""

    values: dict[str, str] = field(default_factory=dict)

    def mask(self, text: str) -> str:
        """``text`` with placeholders for what is personal."""
        out, end = [], 0
        for place in find_personal(text):
            value = " ".join(_ESCAPE.sub(" ", text[place.start : place.end]).split())
            out += [text[end : place.start], self._placeholder(place.kind, value, text)]
            end = place.end
        return "".join([*out, text[end:]])

    def _placeholder(self, kind: str, value: str, text: str) -> str:
        for name, other in self.values.items():
            if other == value:
                return name
        used = {*self.values, *(f"[{m[1]}-{m[2]}]".upper() for m in _PLACEHOLDER.finditer(text))}
        name = next(name for n in count(1) if (name := f"[{kind}-{n}]") not in used)
        self.values[name] = value
        return name

    def unmask(self, text: str) -> str:
        """``text`` with the values in the place of their placeholders, with or without brackets."""

        def value(match: re.Match[str]) -> str:
            return self.values.get(f"[{match[1]}-{match[2]}]".upper(), match[0])

        return _PLACEHOLDER.sub(value, text) if self.values else text

    def unmask_json(self, value: dict[str, object]) -> dict[str, object]:
        """The same in every string of a value that JSON has."""
        if not self.values:
            return value
        escaped = Masks({name: json.dumps(v, ensure_ascii=False)[1:-1] for name, v in self.values.items()})
        out: dict[str, object] = json.loads(escaped.unmask(json.dumps(value, ensure_ascii=False)))
        return out
