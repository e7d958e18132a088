"""What a person is told of an answer: how probable a provision is, and why a question was declined."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

import pyarrow as pa

from citegrain.tasks.law.asof import TODAY, AsOf
from citegrain.tasks.law.counterparts import SUCCESSOR, TABLE
from citegrain.tasks.law.in_force import UNKNOWN, absence
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.generate import GenerateConfig
from citegrain.tasks.online.gloss import ENGLISH, HINDI, HINGLISH, language_of
from citegrain.tasks.online.judge import NOTHING_FITS

UNLIKELY = "unlikely"
"""Why a question is not answered though something was found: the best of it is hardly probable."""
NOT_LAW = "not_law"
"""The same where all that it names by number is no longer law, or not here."""
NONE_IN_FORCE = "none_in_force"
"""The same where no law of the day asked for was found at all."""
DESPAIR = "despair"
"""The same of who wishes to die and tells of nothing that law would help against."""
LEAST = 0.1
"""What is less probable is shown, but is no answer."""
PROBABLE, POSSIBLE = 0.5, 0.2
"""Least probability of a provision that is called so; below it is weak."""
NO_ADVICE = "A pointer to the law, no advice: nobody checked that it applies to the facts."
VAGUE = "Say what happened, to whom and when, and what you want: money back, a complaint, an order, a right."

_IN_ENGLISH = {
    "act": "Act", "document": "document", "these": "these {n} {what}s", "this": "this one {what}",
    "not_readable": "This question cannot be read: {said}. Ask in English or Hindi.",
    "in_script": "it is written in {script}",
    "not_english": "most of its words are neither English nor Hindi",
    "too_vague": f"Too little to go on. {VAGUE}",
    "elsewhere": "Nothing in {searched} applies: this looks like {title}, which is not indexed.",
    "not_indexed": "Nothing in {searched} seems to apply: another law may, but which one is not clear.",
    NOTHING_FITS: "Nothing in {searched} seems to apply: the language model that read it says so.",
    UNLIKELY: "Nothing in {searched} is likely to apply: what comes nearest has less than {least}.",
    "nothing_like_this": "Nothing in {searched} applies: none of them is about anything like this.",
    DESPAIR: "You are not alone: please talk to someone now. If somebody has wronged you, say what happened: "
    "the law on that will be shown.",
    NONE_IN_FORCE: "No provision in force on {day} fits: ask by the law of the day on which it happened.",
    "instead": "It may be a matter of {title} instead, which is not indexed.",
    "changed": "It may have changed since {day}: {by} amends it, and the text at hand does not show that.",
    "act_changed": "Its Act may have changed since {day}: {by} amends it, which of its provisions is not "
    "known, and the text at hand does not show that.",
    "beside": "Beside it {by} inserts {numbers} ({day}), which the text at hand does not have.",
}  # fmt: skip
_IN_HINDI = {
    "act": "अधिनियमों", "document": "दस्तावेज़ों", "these": "इन {n} {what}", "this": "इस एक दस्तावेज़",
    "not_readable": "यह प्रश्न पढ़ा नहीं जा सका: {said}। हिंदी या अंग्रेज़ी में पूछें।",
    "in_script": "यह {script} में लिखा है",
    "not_english": "इसके अधिकतर शब्द न हिंदी के हैं न अंग्रेज़ी के",
    "too_vague": "इतने से कुछ नहीं कहा जा सकता। लिखें कि क्या हुआ, किसके साथ और कब, और आप क्या चाहते हैं: "
    "पैसे वापस, शिकायत, आदेश या कोई अधिकार।",
    "elsewhere": "{searched} में से कुछ लागू नहीं होता: यह {title} का मामला लगता है, जो यहाँ नहीं है।",
    "not_indexed": "{searched} में से कुछ लागू नहीं लगता: कोई और कानून हो सकता है, पर कौन सा, यह साफ़ नहीं।",
    NOTHING_FITS: "{searched} में से कुछ लागू नहीं लगता: जिस भाषा मॉडल ने मिले प्रावधान पढ़े, वह ऐसा कहता है।",
    UNLIKELY: "{searched} में से कुछ लागू होने की संभावना नहीं: जो सबसे पास है, उसकी संभावना {least} से कम है।",
    "nothing_like_this": "{searched} में से कुछ लागू नहीं होता: इनमें से कोई भी ऐसी किसी बात के बारे में नहीं है।",
    DESPAIR: "आप अकेले नहीं हैं: कृपया अभी किसी से बात करें। अगर किसी ने आपके साथ गलत किया है "
    "तो लिखें कि क्या हुआ, उस पर कानून दिखाया जाएगा।",
    NONE_IN_FORCE: "{day} को लागू कोई प्रावधान इस पर नहीं बैठता: जिस दिन बात हुई, उस दिन के कानून से पूछें।",
    "instead": "यह {title} का मामला भी हो सकता है, जो यहाँ नहीं है।",
    "changed": "यह {day} से बदल गया हो सकता है: {by} इसमें संशोधन करता है, जो यहाँ के पाठ में नहीं दिखता।",
    "act_changed": "यह अधिनियम {day} से बदल गया हो सकता है: {by} इसमें संशोधन करता है, किन प्रावधानों में यह ज्ञात नहीं, "
    "और यहाँ के पाठ में वह नहीं दिखता।",
    "beside": "{by} इसके साथ {numbers} जोड़ता है ({day}), जो यहाँ के पाठ में नहीं है।",
}  # fmt: skip
_LABELS_IN_HINDI = {
    "probable": "बहुत संभव", "possible": "संभव", "weak": "कम संभव", "read as": "इस तरह पढ़ा गया",
    "What may apply": "क्या लागू हो सकता है", "Matter": "मामला", "What else may apply": "और क्या लागू हो सकता है",
    "What comes nearest": "जो सबसे पास है", "No provision": "कोई प्रावधान नहीं", "Provision": "प्रावधान",
    "Heading": "शीर्षक", "likely": "संभावना", "stands in": "यहाँ लिखा है", "law as of": "इस दिन का पाठ:",
    "The whole provision": "पूरा प्रावधान", "amended": "संशोधन", "that it applies": "कि यह लागू होता है",
    "bailable": "ज़मानती", "cognizable": "संज्ञेय", "Yes": "हाँ", "No": "नहीं", "Varies": "अलग-अलग",
    "since {day}": "{day} से", "before {day}": "{day} से पहले", "replaced by": "इसकी जगह", "replaced": "इससे पहले",
    "not in this build": "यहाँ नहीं है", "no similar section found": "ऐसी कोई धारा नहीं मिली",
    "other law": "दूसरा कानून", "section": "धारा", "sections": "धाराएँ", "by your table": "आपकी सूची से",
    "matched by heading and text": "शीर्षक और पाठ से मिलाई",
    GenerateConfig.danger: "अभी खतरे में हैं? 112 पर फ़ोन करें। महिलाएँ: 181। बच्चे: 1098। निराशा में: 14416 (टेली-मानस)।",
    NO_ADVICE: "यह कानून की ओर इशारा है, सलाह नहीं: किसी ने नहीं जाँचा कि यह इन तथ्यों पर लागू होता है।",
}  # fmt: skip

INSTEAD = {
    "judgements": "The language model did not judge the candidates, and they stand as the ranker has them",
    "answers": "The language model gave no answer, and sentences of the provisions stand instead",
    "rewritten": "The language model did not word the question anew, and it is searched as it is",
}
"""By the step of a model that may fail, what stands instead."""


def likelihood(probability: float | None) -> str:
    """``probable``, ``possible`` or ``weak``; empty where nothing was estimated."""
    if probability is None:
        return ""
    return "probable" if probability >= PROBABLE else "possible" if probability >= POSSIBLE else "weak"


def percent(probability: float) -> str:
    """A probability in percent; none that is not certain is called so."""
    if 0 < probability < 0.01:
        return "<1%"
    return ">99%" if 0.99 < probability < 1 else f"{probability:.0%}"


def called(label: str, question: str) -> str:
    """A label of an answer, such as a word of likelihood, in the language of the question."""
    return _LABELS_IN_HINDI.get(label, label) if language_of(question) == HINDI else label


def day_line(as_of: AsOf, question: str) -> str:
    """The day whose law was searched on one line, in the language of the question."""
    if language_of(question) != HINDI:
        return as_of.line()
    if as_of.source == TODAY:  # though a time is named: the law changed within it
        return f"आज का कानून, {as_of.day}" + (f" (“{as_of.evidence}” में कानून बदला)" if as_of.evidence else "")
    return f"{as_of.day} का कानून" + (f", “{as_of.evidence}” से" if as_of.evidence else "")


def instead(elsewhere: str, question: str) -> str:
    """One sentence on what else an answered question may be a matter of; empty where that is nothing."""
    title = _alternatives(elsewhere, question)
    return _messages(question)["instead"].format(title=title) if elsewhere else ""


def declined(question: str, reason: str, elsewhere: str, kinds: Sequence[str], day: str) -> str:
    """One sentence on why a question has no provisions, in Hindi if the question is, in Devanagari.

    ``elsewhere``: Act or subject that it looks like; empty if none. ``kinds``: of each document that was
    searched: Act, rules, judgment or other.
    """
    messages = _messages(question)
    what = messages["act" if set(kinds) <= {"act"} else "document"]
    searched = messages["these" if len(kinds) != 1 else "this"].format(n=len(kinds), what=what)
    if reason == "not_readable":
        language, script = language_of(question), _script(question)
        written = language if language not in (ENGLISH, HINDI, HINGLISH) else script
        said = "in_script" if written and language != HINDI else "not_english"
        return messages[reason].format(said=messages[said].format(script=written))
    if reason in ("not_indexed", "nothing_like_this") and elsewhere:
        return messages["elsewhere"].format(searched=searched, title=_alternatives(elsewhere, question))
    return messages.get(reason, messages[NONE_IN_FORCE]).format(
        searched=searched, day=day, least=percent(LEAST)
    )


def _alternatives(elsewhere: str, question: str) -> str:
    """The law, or the two, that a question may be about, within a sentence of its language."""
    if language_of(question) != HINDI:
        return within(elsewhere)
    return " या ".join(re.sub("^[Tt]he ", "", title) for title in elsewhere.split(", or "))


def _messages(question: str) -> Mapping[str, str]:
    return _IN_HINDI if language_of(question) == HINDI else _IN_ENGLISH


def later_edition(edition: Mapping[str, str], day: str) -> str:
    """One sentence on an Act whose text at hand is newer than the day whose law was searched."""
    title, version = edition["title"], edition["version"]
    return f"The text at hand of {within(title)} is of {version}: what was law on {day} may differ."


def may_have_changed(
    since: str, amended_by: str, act_only: bool, question: str = "", inserted: Sequence[str] = ()
) -> str:
    """One sentence on an amendment that a text does not show.

    ``act_only``: no more than its Act is known; ``inserted``: numbers of what comes beside it.
    """
    said = _messages(question)["beside" if inserted else "act_changed" if act_only else "changed"]
    by = amended_by.removeprefix("The ") if language_of(question) == HINDI else within(amended_by)
    return said.format(day=since, by=by, numbers=", ".join(inserted))


def not_law(place: str, row: Mapping[str, Any], act: Mapping[str, Any], day: date, last: date | None) -> str:
    """One sentence on a provision that is not law on a day, or unknown; ``last``: the last day of its Act."""
    if last and last < day:
        return f"{place} is not law on {day}. Its Act was law until {last}: ask for the law of that day."
    kind, words = absence(row, act, day)
    said = f"{place}, on {day}" if kind == UNKNOWN else f"{place} is not law on {day}"
    return f"{said}: {words.rstrip('.')}." if words else f"{said}."


def absent(title: str, kind: str, number: str) -> str:
    """One sentence on a number that an Act has not; without a title, that none has."""
    if kind == "rule" and title and not title.endswith("Rules"):
        more = "rules of an Act stand in Orders: say which Order, as Order 39 rule 1"
        return f"{title} has no rule {number} in the text at hand; {more}."
    order, _, entry = (
        number.removeprefix("O").partition("E") if kind in ("order", "schedule") else (number, "", "")
    )
    what = f"entry {entry} in Schedule {order}" if entry else f"{kind} {order}"
    return f"{title or 'None of the Acts here'} has {'a' if not title else 'no'} {what} in the text at hand."


def open_numbers(build: PublishedBuild, query: Mapping[str, Any]) -> list[str]:
    """A sentence on each number beside which a question names no known Act, and what it is read as."""
    titles, acts = {act: title for act, title, _ in build.names()}, dict[tuple[str, str], list[str]]()
    for mention in query["mentions"] if not query["acts"] else ():
        kind, number, act = mention["kind"], mention["number"], mention["act_id"]
        meant = {act} if act is not None else {p.partition("/")[0] for p in build.cited(kind, number, None)}
        acts.setdefault((kind, number), []).extend(meant & set(titles) if len(meant) == 1 else ())
    out = []
    for (kind, number), several in acts.items():
        if not several or (kind == "article" and len(several) < 2):
            continue  # there is one Constitution
        said = []
        for act in several:
            others = build.counterparts((build.cited(kind, number, act) or [""])[0])
            later = [c for c in others if c.relation == SUCCESSOR][:1]
            now = "".join(f" (now {titles[c.act_id]}, {kind} {c.section})" for c in later)
            said.append(f"{titles[act]}{now}")
        out.append(f"No known Act is named beside {kind} {number}. It is read as that of: {'; '.join(said)}.")
    return out


def remarks(tables: Mapping[str, pa.Table]) -> Iterator[str]:
    """A sentence on each step in which a language model failed, and what stands instead."""
    for name, stands in INSTEAD.items():
        errors = tables[name].column("error").to_pylist() if name in tables else []
        yield from (f"{stands} ({error})." for error in dict.fromkeys(filter(None, errors)))


def within(title: str) -> str:
    """A title within a sentence."""
    return title[:1].lower() + title[1:] if title.startswith("The ") else title


def counterpart_line(charge: Mapping[str, Any], question: str = "") -> str:
    """The counterparts of a charge on one line; empty where its Act was not replaced and replaced none."""
    other = charge["replacement"]
    if other is None:
        return ""
    old, since = other["relation"] == SUCCESSOR, other["since"]
    dated = called(f"{'since' if old else 'before'} {{day}}", question).format(day=since)
    lead = dated if since else called("replaced by" if old else "replaced", question)
    rows = [c for c in charge["counterparts"] if c["act"] == other["act"]]
    if not rows:
        why = "no similar section found" if other["in_build"] else "not in this build"
        return f"{lead}: {other['title']}, {called(why, question)}"
    numbers = ", ".join(c["section"] for c in rows)
    how = "by your table" if all(c["source"] == TABLE for c in rows) else "matched by heading and text"
    unit = called("sections" if len(rows) > 1 else "section", question)
    return f"{lead}: {other['title']}, {unit} {numbers} ({called(how, question)})"


def _script(text: str) -> str:
    """The script of most letters, if it is not Latin: ``Devanagari``."""
    names = Counter(unicodedata.name(c, "").split(" ")[0] for c in text if c.isalpha())
    most = names.most_common(1)[0][0].title() if names else ""
    return {"Latin": "", "Cjk": "Chinese characters"}.get(most, most)
