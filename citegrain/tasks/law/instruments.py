"""What a title says of an instrument of law: its kind, its State, and how its provisions are called."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from rapidfuzz import fuzz

from citegrain.tasks.core.words import LETTERS

ACT_NOUNS = "Act|Code|Sanhita|Adhiniyam|Ordinance"
"""What Acts call themselves at the end of their title, as alternatives of a pattern."""
TITLE_LINKS = "of|their|and|the|for|in|to|on|from|with|by|at|against|other|certain|as|&"
"""Words in small letters that stand inside of titles, as alternatives of a pattern."""
TITLE_YEAR = r"(?:1[789]|20)\d\d"
CONSTITUTION = "constitution-of-india"
PREFIXES = {"section": "sec", "article": "art", "rule": "rule", "regulation": "reg"}
"""How the id of a provision begins behind its Act, by its kind."""
KINDS_BY_TITLE = ("act", "bill", "ordinance")
"""Kinds that the first pages do not show: the title says what the instrument is."""
_TYPES = (  # the last of these nouns in a title decides
    ("rules", "rules", r"rules|niyam(?:a|avali)?|नियम(?:ावली)?"),
    ("rules", "regulations", r"regulations|विनियम(?:ावली)?"),
    ("rules", "bye_laws", r"bye-?\s?laws"),
    ("other", "order", r"orders?"),
    ("other", "notification", r"notifications?"),
    ("other", "circular", r"circulars?"),
    ("other", "guidelines", r"guidelines"),
    ("other", "scheme", r"scheme"),
    ("act", "constitution", r"constitution|संविधान"),
    ("act", "ordinance", r"ordinance|अध्यादेश"),
    ("act", "code", r"code|sanhita|संहिता"),
    ("act", "act", r"act|adhiniyam|अधिनियम"),
)
_NOUN = re.compile(
    "|".join(
        rf"(?<![\w\u0900-\u0963])(?P<t{i}>{words})(?![\w\u0900-\u0963])"
        for i, (_, _, words) in enumerate(_TYPES)
    ),
    re.IGNORECASE,
)
_NOT_SLUG = re.compile(rf"[^a-z0-9{LETTERS}]+")
_BRACKETED = re.compile(r"\([^()]*\)")
STATES = (
    "andaman and nicobar islands|andhra pradesh|arunachal pradesh|assam|bihar|chandigarh|chhattisgarh|"
    "dadra and nagar haveli|daman and diu|delhi|goa|gujarat|haryana|himachal pradesh|jammu and kashmir|"
    "jharkhand|karnataka|kerala|ladakh|lakshadweep|madhya pradesh|maharashtra|manipur|meghalaya|mizoram|"
    "nagaland|odisha|orissa|puducherry|pondicherry|punjab|rajasthan|sikkim|tamil nadu|telangana|tripura|"
    "uttar pradesh|uttarakhand|uttaranchal|west bengal"
)
"""States and Union Territories of India, with names that some had before."""
_STATE = re.compile(rf"\b({STATES})\b", re.IGNORECASE)
CENTRAL = "central"
_HINDI_NAMES = """
andhra-pradesh=आंध्र प्रदेश, arunachal-pradesh=अरुणाचल प्रदेश, assam=असम, bihar=बिहार,
chandigarh=चंडीगढ़, chhattisgarh=छत्तीसगढ़, delhi=दिल्ली, goa=गोवा, gujarat=गुजरात, haryana=हरियाणा,
himachal-pradesh=हिमाचल प्रदेश, jammu-and-kashmir=जम्मू और कश्मीर, jharkhand=झारखंड,
karnataka=कर्नाटक, kerala=केरल, ladakh=लद्दाख, madhya-pradesh=मध्य प्रदेश, maharashtra=महाराष्ट्र,
odisha=ओडिशा, punjab=पंजाब, rajasthan=राजस्थान, tamil-nadu=तमिलनाडु, telangana=तेलंगाना,
tripura=त्रिपुरा, uttar-pradesh=उत्तर प्रदेश, uttarakhand=उत्तराखंड, west-bengal=पश्चिमी बंगाल
"""
_HINDI_STATES = [pair.strip().split("=") for pair in _HINDI_NAMES.split(",")]
_YEAR = r"(?:1[89]|2[0O])[\dOoIl]{2}"
_THESE = re.compile(r"\bth\w{1,3}\s+(?:ru[l1i]es?|regu[l1i]ations?|bye-?\s?laws?)\b", re.IGNORECASE)
_CALLED = re.compile(  # of scans, too: Thcse rules may be caIled
    rf"{_THESE.pattern}\s+(?:may|shall)\s+be\s+(?:ca\w{{3,4}}|cited|known)\s+(?:as\s+)?[\"“‘']{{0,2}}(?:th[ec]\s+)?"
    rf"(?P<title>[^.;]{{5,300}}?[.,]?\s*{_YEAR}|[^.;]{{5,200}}?(?=\.|;))",
    re.IGNORECASE,
)
_MISREAD = re.compile(r"\b[bh]\w\s+c\w{5}\b", re.IGNORECASE)  # be called
_PHRASES = ("these rules may be called the", "these regulations may be called the")
_LIKE = 82.0
_DIGITS = str.maketrans("OoIl", "0011")
_TITLE = re.compile(rf"(?P<title>[^.;]{{5,300}}?[.,]?\s*{_YEAR})")
_NAMES_RULES = re.compile(r"\b(?:ru[l1I][ecoa]s|regu[l1I]ations|bye-?\s?laws)\b", re.IGNORECASE)
_WINDOW = 6  # rows in which a title may break


def slug(title: str) -> str:
    """Id for an Act from its short title: lower case, words joined by hyphens, no leading "the"."""
    words = _NOT_SLUG.sub("-", title.lower().replace("’", "").replace("'", "")).strip("-")
    return words.removeprefix("the-")


def title_of(act_id: str) -> str:
    """The short title of an Act that is not at hand, as far as its id tells it: what ``slug`` was made of."""
    if not act_id[-4:].isdigit():
        return act_id
    words = " ".join(w if w in TITLE_LINKS.split("|") else w.capitalize() for w in act_id.split("-"))
    return words if re.search(r"Act \d+ of \d{4}$", words) else re.sub(r" (?=\d{4}$)", ", ", f"The {words}")


class Worded(Protocol):
    """A visual row of a page."""

    @property
    def text(self) -> str:
        """Its words."""


def _misread_start(text: str) -> int:
    """Where the title begins on a row that resembles "These rules may be called the"; else 0."""
    lower = text.lower()
    alignments = [fuzz.partial_ratio_alignment(phrase, lower, score_cutoff=_LIKE) for phrase in _PHRASES]
    return max((alignment.dest_end for alignment in alignments if alignment), default=0)


def title_called(rows: Sequence[Worded], at: int) -> tuple[str, str]:
    """Title that rules give themselves on row ``at``, and the text from there on; else empty."""
    first = rows[at].text
    misread = _MISREAD.search(first)
    if not misread and not _THESE.search(first):
        return "", ""
    text = "\n".join(row.text for row in rows[at : at + _WINDOW])
    match = _CALLED.search(text)
    if match is None and misread and (start := _misread_start(first)):
        match = _TITLE.search(text, start)
    if match is None or match.start() > len(first) or not _NAMES_RULES.search(match["title"]):
        return "", ""
    title = re.sub(r"\s+", " ", match["title"]).strip(" .,:;'\"“”‘’–—-")
    title = re.sub(rf"[.,]?\s*({_YEAR})$", lambda year: f", {year[1].translate(_DIGITS)}", title)
    return f"The {title}", text[match.start() :]


def classified(title: str) -> tuple[str, str]:
    """(kind, document type) that a title names; both empty where it names none."""
    bare = title
    while (shorter := _BRACKETED.sub(" ", bare)) != bare:
        bare = shorter
    nouns = [match.lastgroup for match in _NOUN.finditer(bare)]
    kind, document_type, _ = _TYPES[int(str(nouns[-1])[1:])] if nouns else ("", "", "")
    return kind, document_type


def state_in(text: str) -> str:
    """The first State or Union Territory that is named, as ``tamil-nadu``; empty if none is."""
    match = _STATE.search(re.sub(r"\s+", " ", text.replace("&", "and")))
    if match:
        return match[1].lower().replace(" ", "-")
    return next((state for state, name in _HINDI_STATES if name in text), "")


def jurisdiction_of(act: Mapping[str, Any]) -> str:
    """What a row of ``acts`` says; of an Act that says nothing the State in its title, else ``central``.

    Acts of Parliament are numbered ``16 of 2016``. Empty if unknown.
    """
    if act["jurisdiction"] or act["kind"] != "act":
        return str(act["jurisdiction"])
    return state_in(act["title"]) or (CENTRAL if " of " in act["number"] else "")


def unit_of(kind: str, document_type: str) -> str:
    """What numbered provisions are called, by kind and type of their document."""
    if kind == "judgment":
        return "paragraph"
    if kind == "rules":
        return "regulation" if document_type in ("regulations", "bye_laws") else "rule"
    return "article" if document_type == "constitution" else "section"
