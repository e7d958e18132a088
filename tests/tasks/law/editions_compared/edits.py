"""What is done to editions of an Act on purpose: changes of the law, and of print alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from tests.typeset import Section

STATES = ("Uttar Pradesh", "Gujarat", "Karnataka", "Punjab", "Rajasthan", "Kerala", "Assam", "Pondicherry")
NUMBER = r"\b(one|two|three|four|five|six|seven|ten|fifteen|twenty|thirty|fifty)\b"
AMOUNT = re.compile(NUMBER + r" (hundred|thousand|lakhs?) rupees")
PERIOD = re.compile(NUMBER + r" (years?|months?|days|weeks)")
CITED = re.compile(
    r"((?:[A-Z][\w-]+|of|and|the|\([A-Z]\w+\)) ){1,6}(Act|Code), (1[789]\d\d|20\d\d)( \(\d+ of \d{4}\))?"
)
OTHER = {"one": "two", "two": "five", "three": "seven", "four": "six", "five": "ten", "six": "nine", "seven": "eight"}  # fmt: skip
WORDS = {"Central Government": "State Government", "State Government": "Central Government", "High Court": "District Court", "Magistrate": "Sessions Judge", "Chairman": "Secretary", "Board": "Council", "prescribed": "notified"}  # fmt: skip
SPELLED = {"connection": "connexion", "show": "shew", "shown": "shewn", "judgment": "judgement", "enquiry": "inquiry", "organization": "organisation", "recognized": "recognised", "authorized": "authorised", "wilfully": "willfully"}  # fmt: skip
FUNCTION = ("the", "of", "to", "in", "a", "any", "by")


@dataclass
class Pair:
    """Two editions while they are made. ``truth``: number and kind of each change of the law."""

    title: str
    old: dict[str, Section]
    new: dict[str, Section]
    rng: Random
    noted: float
    free: list[str]
    old_schedule: list[str] = field(default_factory=list)
    new_schedule: list[str] = field(default_factory=list)
    old_notes: dict[str, str] = field(default_factory=dict)
    new_notes: dict[str, str] = field(default_factory=dict)
    glued: set[str] = field(default_factory=set)
    misread: tuple[dict[str, str], dict[str, str]] = field(default_factory=lambda: ({}, {}))
    codes: list[str] = field(default_factory=list)
    last: list[str] = field(default_factory=list)
    truth: dict[str, str] = field(default_factory=dict)
    printed: dict[str, str] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)

    def note(self, text: str) -> str:
        """The mark of a new note of the new edition; empty where this change is not noted."""
        if self.rng.random() >= self.noted:
            return ""
        key = f"n{len(self.new_notes)}"
        self.new_notes[key] = text
        return f"\x01{key}\x02"

    def sides(self) -> tuple[dict[str, Section], dict[str, Section]]:
        """The two editions in either order."""
        return (self.old, self.new) if self.rng.random() < 0.5 else (self.new, self.old)

    def plan(self) -> Sequence[str]:
        """Sections that nothing was done to, in an order by chance."""
        return self.rng.sample(self.free, len(self.free))


Edit = Callable[[Pair, str], bool]


def with_text(section: Section, paragraphs: Sequence[str]) -> Section:
    return replace(section, paragraphs=list(paragraphs))


def substitute(
    pair: Pair, number: str, pattern: str | re.Pattern[str], new: Callable[[re.Match[str]], str]
) -> bool:
    """Replace one match in the new edition, in brackets and with a note where the change is noted."""
    section = pair.new[number]
    places = [(k, m) for k, p in enumerate(section.paragraphs) for m in re.finditer(pattern, p)]
    if not places:
        return False
    k, match = pair.rng.choice(places)
    now, text = new(match), section.paragraphs[k]
    how = f"Subs. by Act 9 of 2019, s. 4, for “{match[0]}” (w.e.f. 1-9-2019)."
    if not now:
        how = f"The words “{match[0]}” omitted by Act 9 of 2019, s. 4 (w.e.f. 1-9-2019)."
    mark = pair.note(how)
    shown = f"{mark}[{now}]" if mark and now else mark + now if not mark else f"{mark}* * *"
    text = " ".join(f"{text[: match.start()]}{shown}{text[match.end() :]}".split())
    pair.new[number] = with_text(section, [*section.paragraphs[:k], text, *section.paragraphs[k + 1 :]])
    return True


def added(pair: Pair, number: str, text: str, last: bool = True) -> bool:
    section = pair.new[number]
    mark = pair.note("Ins. by Act 9 of 2019, s. 6 (w.e.f. 1-9-2019).")
    text = f"{mark}[{text}]" if mark else text
    place = len(section.paragraphs) if last else 1
    paragraphs = [*section.paragraphs[:place], text, *section.paragraphs[place:]]
    pair.new[number] = with_text(section, paragraphs)
    return True


# the law changes -------------------------------------------------------------------------------------------


def amount(pair: Pair, number: str) -> bool:
    return substitute(pair, number, AMOUNT, lambda m: f"{OTHER.get(m[1], 'twenty-five')} {m[2]} rupees")


def years(pair: Pair, number: str) -> bool:
    return substitute(pair, number, PERIOD, lambda m: f"{OTHER.get(m[1], 'ninety')} {m[2].rstrip('s')}s")


def and_or(pair: Pair, number: str) -> bool:
    return substitute(pair, number, r"(?<= )(and|or)(?= [a-z])", lambda m: "or" if m[1] == "and" else "and")


def not_dropped(pair: Pair, number: str) -> bool:
    return substitute(pair, number, r"(?<=shall) not(?= )|(?<=is) not(?= )", lambda m: "")


def word(pair: Pair, number: str) -> bool:
    return substitute(pair, number, "|".join(rf"\b{w}\b" for w in WORDS), lambda m: WORDS[m[0]])


def may_shall(pair: Pair, number: str) -> bool:
    return substitute(pair, number, r"\bmay\b(?= [a-z]+)", lambda m: "shall")


def proviso(pair: Pair, number: str) -> bool:
    texts = ("Provided that no such order shall be made unless the person concerned has been heard.", "Provided further that nothing in this section shall apply to a small establishment.")  # fmt: skip
    return added(pair, number, pair.rng.choice(texts))


def subsection_omitted(pair: Pair, number: str) -> bool:
    section = pair.new[number]
    marked = [k for k, p in enumerate(section.paragraphs) if re.match(r"\((?:[2-9]|[b-h])\)", p)]
    if not marked:
        return False
    k = pair.rng.choice(marked)
    mark = pair.note("Omitted by Act 9 of 2019, s. 7 (w.e.f. 1-9-2019).")
    left = [f"{mark}* * * * *"] if mark else []
    pair.new[number] = with_text(section, [*section.paragraphs[:k], *left, *section.paragraphs[k + 1 :]])
    return True


def section_inserted(pair: Pair, number: str) -> bool:
    fresh = f"{number}A"
    if not number.isdigit() or fresh in pair.new:
        return False
    text = "The authorised officer may, at all reasonable times, enter any place and examine any record that is maintained under this Act"
    mark = pair.note("Ins. by Act 9 of 2019, s. 8 (w.e.f. 1-9-2019).")
    key = mark.strip("\x01\x02")
    pair.new = insert(pair.new, number, Section(fresh, "Power to examine records", [text + (".]" if mark else ".")], key))  # fmt: skip
    pair.truth[fresh] = "inserted"
    return True


def insert(sections: dict[str, Section], after: str, section: Section) -> dict[str, Section]:
    out: dict[str, Section] = {}
    for key, value in sections.items():
        out[key] = value
        if key == after:
            out[section.number] = section
    return out


def definition(pair: Pair, number: str) -> bool:
    section = pair.new[number]
    if (
        not section.heading.lower().startswith(("definition", "interpretation"))
        or len(section.paragraphs) < 3
    ):
        return False
    return added(pair, number, "(aa) “electronic record” means data recorded or stored in an electronic form;", last=False)  # fmt: skip


def repealed(pair: Pair, number: str) -> bool:
    if not number.isdigit() or int(number) < 4:
        return False
    mark = pair.note("Omitted by Act 9 of 2019, s. 9 (w.e.f. 1-9-2019).")
    if mark:
        how = (
            f"{mark}[Omitted.]"
            if pair.rng.random() < 0.5
            else "[Omitted by Act 9 of 2019, s. 9 (w.e.f. 1-9-2019).]"
        )
        pair.new[number] = with_text(pair.new[number], [how])
    else:
        del pair.new[number]
    pair.truth[number] = "omitted"
    return True


def entry(pair: Pair, number: str) -> bool:
    if "schedule" in pair.truth or "schedule" in pair.printed:
        return False
    k = pair.rng.randrange(1, len(pair.new_schedule))
    mark = pair.note("Ins. by Act 9 of 2019, s. 11 (w.e.f. 1-9-2019).")
    pair.new_schedule[k] = re.sub(r"\w+ (hundred|thousand) rupees", f"{mark}[ninety thousand rupees]" if mark else "ninety thousand rupees", pair.new_schedule[k])  # fmt: skip
    pair.truth["schedule"] = "substituted"
    return True


REAL: dict[str, Edit] = {
    "amount": amount, "proviso": proviso, "subsection omitted": subsection_omitted, "section inserted": section_inserted,
    "years": years, "and or": and_or, "not dropped": not_dropped, "definition": definition, "repealed": repealed,
    "entry": entry, "word": word, "may shall": may_shall,
}  # fmt: skip


def cross_reference(pair: Pair, number: str) -> bool:
    return substitute(pair, number, r"(?<=section )\d+", lambda m: str(int(m[0]) + 1))


def two_words(pair: Pair, number: str) -> bool:
    pattern = r"\b(notice|order|application|complaint|permission|reasonable |wilful |grievous )\b"
    return substitute(pair, number, pattern, lambda m: "" if m[0].endswith(" ") else f"{m[0]} in writing")


def explanation(pair: Pair, number: str) -> bool:
    return added(pair, number, "Explanation.—For the purposes of this section, a firm is a person.")


def clause(pair: Pair, number: str) -> bool:
    marked = [p for p in pair.new[number].paragraphs if re.match(r"\([a-f]\)", p)]
    return len(marked) > 1 and added(pair, number, "(za) any other vessel;")


def rewritten(pair: Pair, number: str) -> bool:
    section = pair.new[number]
    mark = pair.note("Subs. by Act 9 of 2019, s. 12, for the section (w.e.f. 1-9-2019).")
    text = "Every appeal from an order of the authorised officer shall lie to the Appellate Tribunal within sixty days of its receipt."
    pair.new[number] = Section(number, "Appeals", [text + ("]" if mark else "")], mark.strip("\x01\x02"))
    return len(" ".join(section.paragraphs)) > 150


def renumbered(pair: Pair, number: str) -> bool:
    fresh, section = f"{number}A", pair.new[number]
    if not number.isdigit() or fresh in pair.new or len(" ".join(section.paragraphs)) < 150:
        return False
    key = pair.note(
        f"Section {number} renumbered as section {fresh} by Act 9 of 2019, s. 13 (w.e.f. 1-9-2019)."
    )
    first, *rest = section.paragraphs
    moved = Section(fresh, section.heading, [key + first, *rest])
    pair.new = {k: v for k, v in insert(pair.new, number, moved).items() if k != number}
    pair.truth[fresh] = "renumbered"
    return True


def day(pair: Pair, number: str) -> bool:
    return substitute(
        pair,
        number,
        r"\b(\d+)(st|nd|rd|th) day of [A-Z]\w+",
        lambda m: f"{int(m[1]) % 28 + 1}th day of October",
    )


REAL_UNSEEN: dict[str, Edit] = {
    "cross reference": cross_reference, "two words": two_words, "explanation": explanation, "clause": clause,
    "rewritten": rewritten, "renumbered": renumbered, "day": day,
}  # fmt: skip


# the print changes -----------------------------------------------------------------------------------------


def printed(
    pair: Pair, number: str, pattern: str | re.Pattern[str], new: Callable[[re.Match[str]], str]
) -> bool:
    """Replace one match in one of the editions."""
    side, _ = pair.sides()
    section = side[number]
    places = [(k, m) for k, p in enumerate(section.paragraphs) for m in re.finditer(pattern, p)]
    if not places:
        return False
    k, match = pair.rng.choice(places)
    text = section.paragraphs[k]
    text = " ".join(f"{text[: match.start()]}{new(match)}{text[match.end() :]}".split())
    side[number] = with_text(section, [*section.paragraphs[:k], text, *section.paragraphs[k + 1 :]])
    return True


def broken(pair: Pair, number: str, line: str, side: dict[str, Section] | None = None) -> bool:
    """Set a line of its own into the text of one edition, between two words of it."""
    chosen = pair.sides()[0] if side is None else side
    section = chosen[number]
    long = [k for k, p in enumerate(section.paragraphs) if len(p.split()) > 20]
    if not long:
        return False
    k = pair.rng.choice(long)
    parts = section.paragraphs[k].split()
    at = pair.rng.randrange(8, len(parts) - 6)
    place = line if line.startswith("~") else f"^{line}"
    text = [" ".join(parts[:at]), place, f"^{' '.join(parts[at:])}"]
    chosen[number] = with_text(section, [*section.paragraphs[:k], *text, *section.paragraphs[k + 1 :]])
    return True


def penal_code(pair: Pair, number: str) -> bool:
    return printed(pair, number, CITED, lambda m: m[0].rpartition(f", {m[3]}")[0])


def codes(pair: Pair, number: str) -> bool:
    pair.codes = ["GMGIPMRND—2104GI(S3)—12-08-2019", "3—Law/2019", "2—1 M of Law/ND/2018"]
    return broken(
        pair,
        number,
        "~" + pair.rng.choice(["S—12 Law & Justice/83", "2—5 M. of Law/19", "LD 22-I/86 (4) PLD-3"]),
    )


def footnote(pair: Pair, number: str) -> bool:
    texts = ("1. Subs. by Act 31 of 1984, s. 3, for “the said officer” (w.e.f. 1-1-1985).", "2. The words “and the Deputy” omitted by the A.O. 1950.", "1. Ins. by s. 4, ibid. (w.e.f. 15-8-1978).")  # fmt: skip
    return broken(pair, number, "~" + pair.rng.choice(texts))


def misprint(pair: Pair, number: str) -> bool:
    def spoilt(match: re.Match[str]) -> str:
        text, at = match[0], pair.rng.randrange(2, len(match[0]) - 2)
        way = pair.rng.choice(["swap", "drop", "double"])
        if way == "swap" and text[at] != text[at + 1]:
            return text[:at] + text[at + 1] + text[at] + text[at + 2 :]
        return text[:at] + text[at + 1 :] if way == "drop" else text[:at] + text[at] + text[at:]

    return printed(
        pair, number, r"(?<= )(?!hundred|thousand|fifteen|without|another)[a-z]{7,14}(?= )", spoilt
    )


def doubled(pair: Pair, number: str) -> bool:
    return printed(pair, number, r"(?<= )(of the|to the|such|under|or|the)(?= )", lambda m: f"{m[0]} {m[0]}")


def joined(pair: Pair, number: str) -> bool:
    return printed(pair, number, r"(?<= )[a-z]{3,} [a-z]{3,}(?= )", lambda m: m[0].replace(" ", pair.rng.choice(["", "-"])))  # fmt: skip


def article(pair: Pair, number: str) -> bool:
    return printed(pair, number, r"(?<= )the (?=[a-z])", lambda m: "")


def head(pair: Pair, number: str) -> bool:
    page = pair.rng.randrange(10, 90)
    return broken(pair, number, pair.rng.choice([f"{page} {pair.title}", f"{pair.title} {page}", f"{pair.title.title()}", f"[SEC. {number}"]))  # fmt: skip


def glued(pair: Pair, number: str) -> bool:
    digit = pair.rng.randrange(1, 5)
    return printed(
        pair, number, r"(?<= )[a-z]{5,}(?= )", lambda m: f"{m[0]}{digit}" if digit % 2 else f"{digit}{m[0]}"
    )


def misread(pair: Pair, number: str) -> bool:
    wrong = number.translate(str.maketrans("1350", "7866"))
    if not number.isdigit() or wrong == number or int(number) < 5:
        return False
    pair.misread[pair.rng.randrange(2)][number] = (
        wrong if pair.rng.random() < 0.7 else number.replace("1", "l")
    )
    return True


def state_amendment(pair: Pair, number: str) -> bool:
    side, state = pair.sides()[0], pair.rng.choice(STATES)
    text = f"In section {number}, after sub-section (1), the following sub-section shall be inserted, namely:— “(1A) The State Government may, by order, exempt any village from the provisions of this section.”"
    lines = [
        "=STATE AMENDMENT",
        f"={state}",
        text,
        f"[Vide {state} Act {pair.rng.randrange(2, 40)} of 1976, s. 3 (w.e.f. 1-4-1976).]",
    ]
    side[number] = with_text(side[number], [*side[number].paragraphs, *lines])
    return True


PRINT: dict[str, Edit] = {
    "penal code": penal_code, "codes": codes, "footnote": footnote, "misprint": misprint, "doubled": doubled,
    "joined": joined, "article": article, "head": head, "glued": glued, "misread": misread,
    "state amendment": state_amendment,
}  # fmt: skip


def figures(pair: Pair, number: str) -> bool:
    for side, text in ((pair.old, "1,00,000"), (pair.new, "100000")):
        side[number] = with_text(
            side[number], [*side[number].paragraphs, f"A fee of Rs. {text} shall be paid."]
        )
    return True


def spelled(pair: Pair, number: str) -> bool:
    return printed(pair, number, "|".join(rf"\b{w}\b" for w in SPELLED), lambda m: SPELLED[m[0]])


def short_word(pair: Pair, number: str) -> bool:
    return printed(pair, number, rf"(?<= )({'|'.join(FUNCTION)})(?= )", lambda m: "")


def abbreviated(pair: Pair, number: str) -> bool:
    return printed(pair, number, r"\bsection (?=\d)", lambda m: pair.rng.choice(["s. ", "sec. "]))


def state_inline(pair: Pair, number: str) -> bool:
    side, state = pair.sides()[0], pair.rng.choice(STATES)
    text = f"STATE AMENDMENTS: {state}.—In its application to the State of {state}, in section {number}, for the words “six months”, the words “one year” shall be substituted. [Vide {state} Act 7 of 1981, s. 2.]"
    side[number] = with_text(side[number], [*side[number].paragraphs, text])
    return True


def looks_alike(pair: Pair, number: str) -> bool:
    return printed(pair, number, r"(?<= )[a-z]{2,}l[a-z]{2,}(?= )", lambda m: m[0].replace("l", "1", 1))


def roman(pair: Pair, number: str) -> bool:
    both = "Nothing in this section affects the Indian Penal Code ({} of 1860)."
    for side, text in ((pair.old, "XLV"), (pair.new, "45")):
        side[number] = with_text(side[number], [*side[number].paragraphs, both.format(text)])
    return True


def heading_again(pair: Pair, number: str) -> bool:
    return broken(pair, number, f"{pair.new[number].heading}.", pair.old)


def ampersand(pair: Pair, number: str) -> bool:
    return printed(pair, number, r"(?<= )and(?= )", lambda m: "&")


PRINT_UNSEEN: dict[str, Edit] = {
    "figures": figures, "spelled": spelled, "short word": short_word, "abbreviated": abbreviated,
    "state inline": state_inline, "looks alike": looks_alike, "roman": roman, "heading again": heading_again,
    "ampersand": ampersand,
}  # fmt: skip


# of the third set of pairs -----------------------------------------------------------------------------------


def words_omitted(pair: Pair, number: str) -> bool:
    return substitute(pair, number, r" or (?:any|other|such) [a-z]+(?: [a-z]+)?(?=[ ,;])", lambda m: "")


def approval(pair: Pair, number: str) -> bool:
    return substitute(
        pair, number, r"\bshall (?=be [a-z]+ed\b)", lambda m: "shall, with the approval of the High Court, "
    )


def clause_substituted(pair: Pair, number: str) -> bool:
    section = pair.new[number]
    marked = [k for k, p in enumerate(section.paragraphs) if re.match(r"\([a-h]\) .{30}", p)]
    if not marked:
        return False
    k = pair.rng.choice(marked)
    letter = section.paragraphs[k][:3]
    mark = pair.note("Subs. by Act 9 of 2019, s. 14, for the clause (w.e.f. 1-9-2019).")
    text = f"{letter} every vessel that is registered in a port of India;"
    fresh = f"{mark}[{text}]" if mark else text
    pair.new[number] = with_text(section, [*section.paragraphs[:k], fresh, *section.paragraphs[k + 1 :]])
    return True


def day_fixed(pair: Pair, number: str) -> bool:
    return substitute(pair, number, r"\bthe commencement of this Act", lambda m: "the 1st day of April, 2019")


def twice(pair: Pair, number: str) -> bool:
    """Two amendments of one section are one row."""
    return and_or(pair, number) and (may_shall(pair, number) or True)


def proviso_omitted(pair: Pair, number: str) -> bool:
    return substitute(pair, number, r" ?Provided (?:further |also )?that [^:]{20,400}\.$", lambda m: "")


REAL_LATER: dict[str, Edit] = {
    "words omitted": words_omitted, "approval": approval, "clause substituted": clause_substituted,
    "day fixed": day_fixed, "twice": twice, "proviso omitted": proviso_omitted,
}  # fmt: skip


def quotes(pair: Pair, number: str) -> bool:
    return printed(pair, number, r"[“\"][^”\"]{2,40}[”\"]", lambda m: f"‘{m[0][1:-1]}’")


def dashes(pair: Pair, number: str) -> bool:
    return printed(pair, number, r"[:.][—–-]+", lambda m: f"{m[0][0]}{pair.rng.choice(['-', '--', ' — '])}")


def lower_case(pair: Pair, number: str) -> bool:
    pattern = r"\b(?:Central Government|State Government|High Court|Government)\b"
    return printed(pair, number, pattern, lambda m: m[0].lower())


def unhyphened(pair: Pair, number: str) -> bool:
    pattern = r"\b(?:sub|twenty|thirty|vice|co|re)-[a-z]{3,}"
    return printed(pair, number, pattern, lambda m: m[0].replace("-", pair.rng.choice(["", " "])))


def spaced(pair: Pair, number: str) -> bool:
    return printed(pair, number, r"(?<=[a-z])[,;](?= )", lambda m: pair.rng.choice([f" {m[0]}", ""]))


def stars(pair: Pair, number: str) -> bool:
    """One edition shows by a row of stars what an older amendment took away."""
    side = pair.sides()[0]
    side[number] = with_text(side[number], [*side[number].paragraphs, "* * * * *"])
    return True


def per_cent(pair: Pair, number: str) -> bool:
    return printed(pair, number, r"\bper cent\.?", lambda m: pair.rng.choice(["percent", "per centum"]))


PRINT_LATER: dict[str, Edit] = {
    "quotes": quotes, "dashes": dashes, "lower case": lower_case, "unhyphened": unhyphened,
    "spaced": spaced, "stars": stars, "per cent": per_cent,
}  # fmt: skip
