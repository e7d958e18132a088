"""What an answer says beside its provisions: whom to call, which of them disagree, what amended them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from citegrain.tasks.core.schemas import NODES
from citegrain.tasks.law.asof import TODAY, AsOf, find_incident, is_procedural
from citegrain.tasks.law.counterparts import PREDECESSOR, changes_of
from citegrain.tasks.law.in_force import STRUCK, commencement_doubt, struck_note, to_come
from citegrain.tasks.law.instruments import PREFIXES
from citegrain.tasks.online.answer.schema import Charge
from citegrain.tasks.online.answer.wording import absent, not_law, within
from citegrain.tasks.online.builds import PublishedBuild

_PERSON = (
    r"(?:(?:my|our|his|her|the)\s+(?:\w+\s+)?)?(?:(?:step|grand|god)?-?(?:mother|father|son|daughter|brother|sister)s?"
    r"|husband|wife|parents?|child|children|kids?|baby|girls?|boys?|uncle|aunt|cousin|niece|nephew|maid|friend"
    r"|wom[ae]n|m[ae]n|students?|in[\s-]laws?|family|neighbour|colleague|employee|worker|driver|tenant|servant"
    r"|teacher|boss|partner|fianc\w+|girl\s?friend|boy\s?friend|relatives?|m[ou]m|dad|papa|bhai|guard)"
)
_SOMEONE = rf"(?:me|us|her|him|them|myself|{_PERSON})"
_VICTIM = rf"{_SOMEONE}\b(?!'s?\s)(?!\s+(?:hard|badly|out|in\s+the\s+back\s+by)\b)"
_BODY = r"(?:breasts?|body|private\s+parts?|thighs?|chest|face|stomach|head)\b"
_WAS = r"(?<!never )(?:am|is|are|was|were|been|being|get|gets|got|getting)\s+(?:\w+(?:ly)?\s+(?:and\s+)?)?"
_DENIED = "".join(rf"(?<!{word} )" for word in ("to", "not", "nt", "n't", "never", "before"))
_DANGER = re.compile(
    rf"\b(?:suicid\w*\b(?!\s+squad)|(?:kill|hurt|hang|harm)(?:ing)?\s+{_SOMEONE}\b|end(?:ing)?\s+(?:my|her|his)\s+life\b"
    r"|(?:want|wish)(?:s|ed)?\s+to\s+die\b|khud\s?kushi\b|atmahatya\b|jaan\s+se\s+ma+r\w*"
    r"|(?:threat\w*|going|wants?|trying|tried|try|will)\s+(?:\w+\s+)?(?:to\s+)?(?:kill|murder|burn|rape)\b"
    r"(?!\s+(?:the|this)\s+(?:deal|case|plan|project|idea|bill)\b)"
    rf"|(?:beat|beats|beating|hits|hitting|thrash\w*|strangl\w+|tortur\w+|stalk\w*|molest\w*|rap(?:ed|es|ing)|stabb?\w*)"
    rf"\s+{_VICTIM}|(?:sexually|physically)\s+(?:abus|assault)\w+|acid\s+attack\b|domestic\s+violence\b"
    rf"|(?:locked|chained|confined|imprisoned|kidnapp?ed|abducted|trafficked)\s+(?:{_SOMEONE}\s+)?(?:up|in|inside|at|for|by|from)\b"
    rf"|(?:kidnapp|abduct|traffick)\w+\s+{_SOMEONE}\b|maa?r(?:a?t[aei]|[aei])\s+(?:h(?:ai|ain|e|u)|pit\w*)\b"
    rf"|(?:i|we|he|she|they|{_PERSON})\s+(?:\w+\s+)?{_WAS}(?:beaten|slapped|kicked|punched|burn(?:t|ed)|attacked"
    r"|assaulted|tortured|choked|thrashed|drugged|hit(?=\s+(?:with|on)))\b"
    r"(?!\s+(?:out|off|in\s+the|in\s+auction|at\s+the|to|with\s+a\s+(?:\w+\s+)?(?:notice|fine|bill|case))\b)"
    rf"|(?:beat|beats|beating|thrash\w*)\s+my\s+\w+|{_WAS}(?:(?:gang[\s-]?)?raped|molested|strangled|kidnapp?ed|abducted|groped|stalked)\b"
    rf"|(?:i|he|she|{_PERSON}|somebody|someone)\s+{_WAS}stabbed\b"
    rf"|{_DENIED}(?:slap(?:s|ped|ping)?|kick(?:s|ed|ing)?|punch(?:es|ed|ing)?|hits?|chok(?:es?|ed|ing)|burn(?:s|t|ed|ing)?"
    rf"|beats?|grop(?:es?|ed|ing)|fondl(?:es?|ed|ing)|touch(?:es|ed|ing)?)\s+(?:and\s+\w+\s+)?(?:{_VICTIM}|(?:my|her|his)\s+{_BODY})"
    rf"|{_DENIED}touch(?:es|ed|ing)\s+(?:(?:[\w']+\s+){{0,5}}?{_PERSON}\s+)?(?:[\w']+\s+){{1,4}}?{_BODY}|rap(?:ed|es)\s+my\b|forced?\s+(?:himself|sex)\b|thr(?:ew|ow\w*)\s+acid\b"
    r"|(?:do|does)(?:\s+not|n.?t)\s+want\s+to\s+live\b(?!\s+(?:with|in|at|here|there|to))"
    rf"|{_PERSON}\s+(?:is|are|has\s+been|went|has\s+gone)\s+missing\b"
    r"|zehar\s+(?:kha|pi)\w*|farewell\s+(?:letter|note)\b"
    r"|(?:took|take|taken|drank|drunk|ate|eaten|swallow\w*)\s+(?:\w+\s+){0,3}(?:poison|sleeping\s+(?:pill|tablet)s?)\b"
    r"|jump\w*\s+(?:\w+\s+){0,2}(?:under|before|off|from|in\s+front\s+of)\s+(?:\w+\s+){0,2}(?:train|bridge|roof"
    r"|building|terrace|balcony)\b"
    r"|maa?r\s?(?:pit|peet)\w*|jala\s+d(?:iya|enge|unga)\b|mar(?:na\s+chaht|\s+ja(?:u|una))\w*)"
    r"|(?<![ऀ-ॿ])(?:मेर[ाीे]|मुझ|हम[ेा]?)[^।?]{0,60}(?<![ऀ-ॿ])(?<!नहीं )(?<!न )"
    r"(?:बलात्कार|मार-?\s?पीट|मारत|पीटत|छे[डड़]|अपहरण)"
    r"|आत्महत्या कर|मरना चाह|जान से मार",
)
_YEAR = re.compile(r"\b(?:18|19|20)\d\d\b")
HIGH, MEDIUM, LOW = LEVELS = ("high", "medium", "low")
_SURE, _FAIR = (0.7, 0.8), (0.4, 0.5)
"""Least probability of the first provision, and least support of an answer in words, for high and medium."""


def confidence(build: PublishedBuild, question: str, answer: Mapping[str, Any]) -> str:
    """How far an answer can be relied upon: high, medium or low, the worst of what is known of it.

    By the probability of its first provision; where none was estimated by how much of the question, each
    term by its rarity, stands in the passage shown, and then never high. Of words by their support: those
    that nothing was held against, as extracts in place of a model's answer, are low.
    """
    charges = answer["charges"]
    if not charges or charges[0]["verification"] != "verified":
        return LOW
    row, _ = build.on_day(charges[0]["provision_id"], date.max)
    if struck_note(row) and not row["valid_to"]:  # on a day that its note does not tell
        return LOW
    probability = charges[0]["probability"]
    if probability is None:
        weights = build.term_weights([{"text": question, "weight": 1.0}])
        shown = set(build.terms(charges[0]["evidence"]))
        met = sum(weight for term, weight in weights.items() if term in shown)
        levels = [MEDIUM if met >= _FAIR[1] * sum(weights.values()) > 0 else LOW]
    else:
        levels = [_level(probability, _SURE[0], _FAIR[0])]
    if answer.get("prose"):
        claims = answer.get("claims", [])
        wrong = any(c["message"] or c["verdict"] in ("not", "contradicted") for c in claims)
        levels.append(LOW if wrong else _level(answer.get("support") or 0.0, _SURE[1], _FAIR[1]))
    return max(levels, key=LEVELS.index)


def _level(value: float, high: float, medium: float) -> str:
    return HIGH if value >= high else MEDIUM if value >= medium else LOW


def in_danger(text: str) -> bool:
    """Whether a question speaks of violence to a person, or of a wish to die."""
    return bool(_DANGER.search(text.lower()))  # to leave cases aside takes sre four times as long


def conflicts(build: PublishedBuild, charges: Sequence[Mapping[str, Any]]) -> list[str]:
    """A sentence on each provision that says that it holds in spite of another law, where both are given.

    Which of them prevails is not said: that takes more than the two.
    """
    laws = {str(charge["provision_id"]): str(charge["law"]) for charge in charges if charge["provision_id"]}
    acts = {provision.partition("/")[0]: law.partition(", section")[0] for provision, law in laws.items()}
    out = []
    for edge in _edges(build, "conflicts", list(laws)):
        source, target = edge["source_id"], edge["target_id"]
        other = laws.get(target) or ("" if "/" in target else acts.get(target, ""))
        if other and target.partition("/")[0] != source.partition("/")[0]:
            page = f" (page {edge['page']})" if edge["page"] else ""
            places = [build.jurisdictions.get(end.partition("/")[0], "") for end in (source, target)]
            tell = len(set(places)) > 1
            one, two = (
                f"{law} ({place})" if place and tell else law
                for law, place in zip((laws[source], other), places, strict=True)
            )
            out.append(f"{one} says that it holds in spite of {two}{page}.")
    return list(dict.fromkeys(out))


def amendments(build: PublishedBuild, provisions: Sequence[str]) -> dict[str, str]:
    """The note of each provision that names the newest Act that amended it; of none that has no such note."""
    newest: dict[str, tuple[int, str]] = {}
    for edge in _edges(build, "amended_by", provisions):
        note = edge["source_id"], max(map(int, _YEAR.findall(edge["words"])), default=0), edge["words"]
        if note[1] and note[1:] > newest.get(note[0], (0, "")):
            newest[note[0]] = note[1:]
    return {provision: words for provision, (_, words) in newest.items()}


def court_notes(row: Mapping[str, Any]) -> list[str]:
    """The notes of a row of ``provisions`` that say that a court struck down what they are about."""
    return list(dict.fromkeys(note["text"] for note in row["notes"] if STRUCK.search(note["text"])))


def no_longer_law(build: PublishedBuild, mentions: Iterable[Mapping[str, Any]], day: date) -> list[str]:
    """A sentence on each provision that a question names and that is not law on a day, nor one in its place.

    Also on one that its Act has not in this build, and which Act inserts it, if one is known.
    """
    titles, out = _titles(build), []
    for mention in mentions:
        act, kind, number = mention["act_id"], mention["kind"], mention["number"]
        ids = build.cited(kind, number, act)
        if act is None:  # a number that one Act alone has, as article 21A
            acts = {p.partition("/")[0] for p in ids}
            act, ids = (next(iter(acts)), ids) if len(acts) == 1 else (None, [])
        others = (c.provision_id for p in ids for c in build.counterparts(p))
        if ids and not any(build.in_force(p, day) for p in (*ids, *others)):
            row, _ = build.on_day(ids[0], day)
            kind = "article" if "/art_" in ids[0] else kind  # 31D Constitution
            place, edition = f"{titles[act]}, {kind} {number}", build.act(act, row["version_date"])
            out.append(not_law(place, row, edition, day, build.last_day(act)))
        elif not ids and (one := build.inserting(f"{act}/{PREFIXES.get(kind)}_{number}")):
            by = called_by(build, one["amended_by"], one["provision_id"])
            out.append(f"{by} inserts {kind} {number}, which the text at hand does not have.")
        elif not ids and (act in titles or (act is None and not build.cited(kind, number, None))):
            out.append(absent(titles.get(act, ""), kind, number))
    return out


def called_by(build: PublishedBuild, amended_by: str, place: str) -> str:
    """How a person cites the section that amends: its Act by title where that is indexed, else by number."""
    act_id, _, part = place.partition("/")
    titles = _titles(build)
    number = re.sub(r"^sec_", "section ", part) if part.startswith("sec_") else ""
    title = titles.get(act_id) or (f"Act {amended_by}" if amended_by[:1].isdigit() else amended_by)
    return f"{title}, {number}" if number else title


def _titles(build: PublishedBuild) -> dict[str, str]:
    return {act: title for act, title, _ in build.names()}


def commencement(build: PublishedBuild, row: Mapping[str, Any], day: date) -> list[str]:
    """What the note at section 1, and notes on amendments to come, leave open of a row of ``provisions``."""
    shown_early = [f"its text has what is law only later: {note}" for note in to_come(row, day)]
    if row["version_date"] and row["version_date"] > day:
        shown_early = []  # the whole edition is newer, which is said of it
    try:
        first = build.provision_row(f"{row['act_id']}/sec_1", row["version_date"])
    except KeyError:
        return shown_early
    return [*filter(None, [commencement_doubt(first, row, day)]), *shown_early]


def dated_before(build: PublishedBuild, text: str, as_of: AsOf, charges: Iterable[Charge]) -> list[str]:
    """A sentence on a time that a question names, where not today's law applied; none where a day is given.

    Not of procedure, for which the day of the step counts.
    """
    newer = [c for c in charges if c.replacement and c.replacement.relation == PREDECESSOR]
    titles = _titles(build)
    newer = [c for c in newer if not is_procedural(titles[c.act])]
    if as_of.source != TODAY or as_of.why or not newer:
        return []
    incident = find_incident(text, as_of.day, changes_of(build.acts))
    for charge in newer:
        other = charge.replacement
        if other and incident.day and not incident.uncertain and incident.day.isoformat() < other.since:
            return [
                f"“{incident.words}” is before {other.since}, when {within(titles[charge.act])} replaced "
                f"{within(other.title)}: ask with the day {incident.day}, or auto, for the law of that day."
            ]
    return []


def _edges(build: PublishedBuild, kind: str, provisions: Sequence[str]) -> list[dict[str, Any]]:
    """Edges of a kind from some provisions, where the build has a graph."""
    if not build.has(NODES) or not provisions:
        return []
    edges = build.graph_tables["edges"]
    rows = build.shared(("edges", kind), lambda: _rows_by_source(edges, kind))
    some = sorted(row for provision in set(provisions) for row in rows.get(provision, ()))
    return [edges.slice(row, 1).to_pylist()[0] for row in some]  # to take some rows copies whole columns


def _rows_by_source(edges: pa.Table, kind: str) -> dict[str, list[int]]:
    rows, out = pc.indices_nonzero(pc.equal(edges.column("kind"), kind)), dict[str, list[int]]()
    for row, source in zip(rows.to_pylist(), edges.column("source_id").take(rows).to_pylist(), strict=True):
        out.setdefault(source, []).append(row)
    return out
