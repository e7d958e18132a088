"""Parts, chapters, cross-headings, schedules and State amendments: rows that frame sections."""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass

from citegrain.tasks.core.words import LETTERS, is_devanagari
from citegrain.tasks.law.instruments import STATES
from citegrain.tasks.law.numbers import HYPHENS, ORDINALS, normal, roman, to_roman
from citegrain.tasks.offline.structure import hindi
from citegrain.tasks.offline.structure.candidates import Candidate, plain_titles
from citegrain.tasks.offline.structure.notes import STATE_AMENDMENT
from citegrain.tasks.offline.structure.rows import Row

_CONTAINER = re.compile(
    r"^\W*(?P<kind>PART|CHAPTER|Part|Chapter|HINDI)\s*[-HYPHENS—.:]?\s*"
    r"(?P<num>[IVXLC]+(?:\s?[-HYPHENS]\s?[A-Z]{1,2}|[A-Z]{1,2}|\s[A-Z])?|\d{1,3}[A-Zक-ह]?|[A-Z]{1,2})(?![A-Za-z])(?P<rest>.*)$".replace(
        "HYPHENS", HYPHENS
    ).replace("HINDI", "|".join(hindi.CONTAINERS))
)
_GONE_CONTAINER = re.compile(
    r"^\W*\[\s*(?:PART|CHAPTER|Part|Chapter)\b[^\]]{1,160}\]\W*(?:Omitted|Repealed|Rep\.|Om\.)"
)
_ORDINAL = "|".join(ORDINALS)
_SCHEDULE = re.compile(
    rf"^\W*(?:THE\s+)?(?:(?P<ordinal>{_ORDINAL}|[IVX]+|\d{{1,2}}(?:ST|ND|RD|TH))\s+)?(?P<word>SCHEDULES?)\b"
    rf"(?:\s*[-{HYPHENS}—.:]?\s*(?P<num>[IVX]+|\d{{1,2}}|[A-Z])(?![A-Za-z]))?(?P<rest>.*)$",
    re.IGNORECASE,
)
_GONE_SCHEDULE = re.compile(
    rf"^\W*\[\s*(?:THE\s+)?(?:(?P<ordinal>(?i:{_ORDINAL})|[IVX]+)\s+)?SCHEDULE\b(?P<rest>[^\]]{{0,300}})\]\W*"
    r"(?:Omitted|Repealed|Rep\.|Om\.)"
)
_APPENDIX = re.compile(
    rf"^\W*(?:THE\s+)?(?P<word>APPENDIX|ANNEXURE|ANNEX)(?:\s*[-{HYPHENS}—.:]?\s*(?P<num>[IVX]+|\d{{1,2}}|[A-Z]))?\W*$"
)
_SEE = re.compile(r"^\W*[(\[]?(?:See\b|(?:Section|Article)s?\s+\d)", re.IGNORECASE)
_GONE = re.compile(r"\b(?:Omitted|Repealed|Rep\.|Om\.)", re.IGNORECASE)
_ORDER = re.compile(rf"^\W*ORDER\s+(?P<num>[IVXLC]+(?:[-{HYPHENS}]?[A-Z])?)\b\W*(?P<rest>.*)$")
_STATES = f"{STATES}|andaman and nicobar|bombay|madhya bharat|madras|mysore|union territor"
_STATE_NAME = re.compile(rf"^\W*(?P<name>(?:{_STATES})[\w\s,()&]*?)\W*$", re.IGNORECASE)
_FAR_IN = 5.2  # sizes of type
_LOST = 3  # sections
_TEXT_HEADS = re.compile(
    r"^\W*(?:Illustrations?|Explanations?|Exceptions?|Provided|Note|Proviso)\b"
    rf"|^\W*{hindi.PART_WORD}",
    re.IGNORECASE,
)
_STARS = re.compile(r"^(?=[^*]*\*)\W*$")


@dataclass(frozen=True, slots=True)
class Frame:
    """Rows that open a Part, a Chapter, a Schedule or an Order: ``first`` to ``last``, both in."""

    kind: str
    number: str
    heading: str
    first: int
    last: int
    gone: bool = False


def is_capitals(text: str) -> bool:
    """Whether most letters are capitals (small capitals are stored as capitals)."""
    letters = [c for c in text if c.isalpha()]
    return len(letters) >= 2 and sum(c.isupper() for c in letters) > 0.75 * len(letters)


def set_apart(row: Row) -> str:
    """What sets a row apart; empty: nothing does."""
    bold = row.bold >= len(row.text.rstrip()) - 1
    signs = {"bold": bold, "capitals": is_capitals(row.text), "italic": row.italic, "centred": row.centred}
    return next((sign for sign, has in signs.items() if has), "")


def heading_like(row: Row) -> bool:
    """A short centred row that is set apart: capitals, italics, bold, or no full stop."""
    text = row.text.strip()
    if not row.centred or not text or len(text) > 130 or text[-1] in ";:,":
        return False
    if _TEXT_HEADS.match(text) or _STARS.match(text) or STATE_AMENDMENT.match(text):
        return False
    if is_capitals(text) or row.italic or row.bold >= len(text) - 2:
        return True
    if is_devanagari(text[0]):
        return len(text) < 90 and text[-1] not in "।."
    return len(text) < 90 and text[0].isupper() and text[-1] != "."


def _end_of_sentence(rows: Sequence[Row], at: int, starts: Set[int]) -> int:
    """Last row of the sentence that begins at row ``at``, at most three rows on."""
    near = range(at, min(len(rows), at + 4))
    return next((i for i in near if i + 1 in starts or rows[i].text.rstrip().endswith((".", "]"))), at)


def _tidy(parts: Sequence[str]) -> str:
    """Rows of a heading as one line, without the brackets and stars of amendments."""
    return re.sub(r"\s+", " ", re.sub(r"[\[\]]|_{2,}|\*+", " ", " ".join(parts))).strip(" .–—-")


def container_at(rows: Sequence[Row], at: int, starts: Set[int]) -> Frame | None:
    """The Part or Chapter that opens at row ``at``; ``starts`` are rows that begin sections."""
    row = rows[at]
    match = _CONTAINER.match(row.text)
    if match and at not in starts and _GONE_CONTAINER.match(row.text):
        # [CHAPTER X.—FINES.] Omitted by ...: one sentence, set like the text
        end = _end_of_sentence(rows, at, starts)
        heading = _tidy([match["rest"].split("]")[0].strip(" .:—–-⎯―[]")])
        return Frame(match["kind"].lower(), normal(match["num"]), heading, at, end, gone=True)
    running_head = row.text.lstrip().startswith("(")  # (Part II.—Citizenship)
    if not match or running_head or len(row.text) > 140:
        return None
    marked = match["kind"].isupper() and (row.indent > _FAR_IN * row.size or row.bold > 4)
    if at in starts or not (row.centred or marked):
        return None
    rest = match["rest"].strip(" .:—–-⎯―[]")
    if rest and not (is_capitals(rest) or re.match(rf"^\W*[A-Z{LETTERS}]", rest)):
        return None
    parts = [rest] if rest else []
    last = at
    for i in range(at + 1, min(len(rows), at + 7)):
        follower = rows[i]
        if i in starts or _CONTAINER.match(follower.text) or _TEXT_HEADS.match(follower.text):
            break
        capitals = is_capitals(follower.text) and len(follower.text) < 140
        if not (capitals or (heading_like(follower) and not parts)):
            break
        parts.append(follower.text.strip())
        last = i
    heading = _tidy(parts)
    gone = bool(_GONE.search(heading))
    kind = hindi.CONTAINERS.get(match["kind"], match["kind"].lower())
    return Frame(kind, normal(match["num"]), heading, at, last, gone)


def find_containers(
    rows: Sequence[Row], starts: Set[int], end: int, skipped: Set[int] = frozenset()
) -> list[Frame]:
    """Parts and Chapters before row ``end``; ``starts`` as of :func:`container_at`."""
    frames: list[Frame] = []
    for i in range(min(end, len(rows))):
        if i in skipped or (frames and i <= frames[-1].last):
            continue
        if frame := container_at(rows, i, starts):
            frames.append(frame)
    return frames


def schedule_at(rows: Sequence[Row], at: int) -> Frame | None:
    """The Schedule, Appendix or Annexure that opens at row ``at``."""
    row = rows[at]
    text = row.text.strip()
    gone = _gone_schedule(rows, at) if text.startswith("[") else None
    if gone or len(text) > 160 or not text:
        return gone
    opened = _schedule_title(row, text)
    if opened is None and (row.centred or row.bold):
        titled, match = hindi.schedule_title(text), _APPENDIX.match(text)
        if titled:
            opened = "schedule", *titled
        elif match:
            opened = match["word"].lower(), (match["num"] or "").strip(), ""
    if opened is None:
        return None
    kind, number, tail = opened
    parts = [tail] if tail else []
    last = at
    for i in range(at + 1, min(len(rows), at + 5)):
        follower = rows[i]
        if _ORDER.match(follower.text) or schedule_word(follower.text):
            break
        see = _SEE.match(follower.text)
        if not (see or heading_like(follower)):
            break
        if not see:
            parts.append(follower.text.strip())
        last = i
    heading = _tidy(parts)
    return Frame(kind, number, heading, at, last, bool(_GONE.search(heading)))


def _gone_schedule(rows: Sequence[Row], at: int) -> Frame | None:
    """``[THE SECOND SCHEDULE.—[Rates.] Omitted by ...]``: one sentence, set like the text."""
    last = _end_of_sentence(rows, at, frozenset())
    match = _GONE_SCHEDULE.match(" ".join(r.text for r in rows[at : last + 1]))
    if match is None:
        return None
    heading = _tidy([match["rest"].strip(" .:—–-⎯―[]")])
    return Frame("schedule", _schedule_number(match["ordinal"], None), heading, at, last, gone=True)


def _schedule_title(row: Row, text: str) -> tuple[str, str, str] | None:
    """Kind, number and heading of a row such as ``THE FIRST SCHEDULE``, ``SCHEDULE II.—[Repealed.]``."""
    match = _SCHEDULE.match(text)
    if not match:
        return None
    capital = match["word"][0].isupper() and match["word"].isupper()
    set_apart = row.centred or row.indent > _FAR_IN * row.size or row.bold >= len(text) - 3
    titled = row.centred and text[:1].isupper() and row.bold > 0
    if not (capital or titled) or not set_apart:
        return None
    rest = match["rest"].strip()
    tail = rest.strip(" .:—–-⎯―[]")
    if tail and not (rest[:1] in ".:—–-⎯―[(" or is_capitals(tail)):
        return None
    return "schedule", _schedule_number(match["ordinal"], match["num"]), tail


def schedule_word(text: str) -> bool:
    """Whether a row is nothing but the title of a Schedule or Appendix."""
    match = _SCHEDULE.match(text)
    return bool(match and not match["rest"].strip(" .")) or bool(_APPENDIX.match(text))


def _schedule_number(ordinal: str | None, number: str | None) -> str:
    if ordinal:
        lower = ordinal.lower()
        if lower in ORDINALS:
            return str(ORDINALS.index(lower) + 1)
        if roman(ordinal):
            return str(roman(ordinal))
        return re.sub(r"\D", "", ordinal)
    if number:
        return str(roman(number)) if roman(number) and number.isupper() and number not in "CDLM" else number
    return ""


def order_at(rows: Sequence[Row], at: int) -> Frame | None:
    """The Order (Code of Civil Procedure) that opens at row ``at``."""
    row = rows[at]
    match = _ORDER.match(row.text)
    if not match or not (row.centred or row.bold) or len(row.text) > 120:
        return None
    parts = [match["rest"].strip(" .—–-[]")] if match["rest"].strip(" .—–-[]") else []
    last = at
    for i in range(at + 1, min(len(rows), at + 5)):
        if not heading_like(rows[i]) or _ORDER.match(rows[i].text):
            break
        parts.append(rows[i].text.strip())
        last = i
    heading = _tidy(parts)
    number = normal(match["num"])
    return Frame("order", number, heading, at, last, "Omitted" in heading or "Repealed" in heading)


def state_blocks(rows: Sequence[Row], candidates: Sequence[Candidate], contents: dict[str, str]) -> set[int]:
    """Rows of State amendments: from the words STATE AMENDMENT to the next section of the Act.

    The next section is known by its heading in the table of contents or by being the next
    whole number, not quoted, with a heading or behind a ``[Vide ...]``.
    """
    by_row = {c.row: c for c in candidates}
    titles = plain_titles(rows, candidates)
    inside: set[int] = set()
    open_block, cited, base = False, False, 0
    for i, row in enumerate(rows):
        if STATE_AMENDMENT.match(row.text):
            open_block, cited = True, False
        candidate = by_row.get(i)
        plain = False
        if candidate and not candidate.quoted:
            above = rows[i - 1] if i else None
            headed = i in titles or (above and set_apart(above))
            plain = bool(candidate.bold or candidate.has_dash or headed)
        if open_block and candidate and plain:
            following = candidate.order == (base + 1, "") and (cited or candidate.has_dash)
            if i in titles:
                following = (base, "") < candidate.order <= (base + _LOST, "")
            if _is_listed(candidate, row, rows, contents) or following:
                open_block = False
                inside -= _lead_in(rows, i)
        elif open_block and row.centred and cited and schedule_at(rows, i):
            open_block = False
        if open_block:
            inside.add(i)
            cited = cited or bool(re.search(r"\bvide\b", row.text, re.IGNORECASE))
        elif candidate and plain and base <= candidate.order[0] <= base + 3:
            base = candidate.order[0]
    return inside


def _lead_in(rows: Sequence[Row], at: int) -> set[int]:
    """Rows set apart just above row ``at``: the Chapter that the section there opens, and its heading."""
    first = at - (at > 0 and bool(set_apart(rows[at - 1])))
    for row in reversed(rows[:first]):
        if STATE_AMENDMENT.match(row.text) or not (heading_like(row) or _CONTAINER.match(row.text)):
            break
        first -= 1
    return set(range(first, at))


def _is_listed(c: Candidate, row: Row, rows: Sequence[Row], contents: dict[str, str]) -> bool:
    heading = contents.get(c.number)
    if heading is None:
        return False
    words = set(re.findall(r"[a-z]{3,}", heading.lower()))
    if not words:
        return True
    text = row.text[c.rest :] + (" " + rows[c.row + 1].text if c.row + 1 < len(rows) else "")
    return len(words & set(re.findall(r"[a-z]{3,}", text.lower()))) >= 0.7 * len(words)


def state_name(row: Row) -> str:
    """The State a row names, when it names nothing else; else empty."""
    match = _STATE_NAME.match(row.text) if len(row.text) < 60 else None
    return re.sub(r"\s+", " ", match["name"]).strip() if match else ""


def schedule_label(frame: Frame) -> str:
    """How a Schedule is cited: ``First Schedule``, ``Schedule``, ``Appendix A``."""
    if frame.kind != "schedule":
        return f"{frame.kind.capitalize()} {frame.number}".strip()
    if not frame.number:
        return "Schedule"
    if frame.number.isdigit() and 0 < int(frame.number) <= len(ORDINALS):
        return f"{ORDINALS[int(frame.number) - 1].capitalize()} Schedule"
    return f"Schedule {to_roman(int(frame.number)) if frame.number.isdigit() else frame.number}"
