"""Declaration of ``query``, and what a complaint asks for by its words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from typing import Any, ClassVar

import pyarrow as pa

from citegrain.tasks.core.endpoint import CallConfig
from citegrain.tasks.core.schemas import QUERIES
from citegrain.tasks.core.stage import Stage
from citegrain.tasks.law.asof import without_times
from citegrain.tasks.law.citing import ActFinder, find_mentions, spelled_out
from citegrain.tasks.law.numbers import find_dates

# A writer's own wish to die, which no offence answers, is cut from what is searched, clause by clause. A
# clause is such a wish if it says so and has no other words than these: what others do, a denial, a question
# about the law of it or an object ("my life savings") is another matter and stays.
_PARTS = re.compile(
    r"(\s*[,.;:!?।\n]+\s*|\s+(?:and|so|but|because|bcoz|since|aur|lekin|kyunki|और|लेकिन|क्योंकि)\s+)",
    re.IGNORECASE,
)
_DEED = re.compile(
    r"\b(?:kill?|hang|harm|hurt)(?:ing)?\s+my\s?self\b|\b(?:end|tak)(?:e|ing)?\s+my(?:\s+own)?\s+life\b"
    r"|\bend(?:ing)?\s+it\s+all\b|\bsu[is]?[cs]i[dt]al\b|\bsu[is]?[cs]i[dt]e\b|\bkms\b"
    r"|\b(?:do\s+not|don\s?['’]?t|dnt|no\s+longer)\s+(?:want|wish)\s+to\s+live\b|\bcan\s?(?:not|['’]?t)\s+live\b"
    r"|\blife\s+is\s+not\s+worth\s+living\b|\b(?:want|wish|wan+a|wanted|ready|feel|rather)\b(?:\s+\w+){0,3}?\s+"
    r"(?:die|dying|dead)\b|\bmar(?:na\s+chah\w+|na\s+hai|\s+ja\w*)\b|\bkhud\s?kh?us?hi\b|\baa?tma\s?h?at+y?a\b"
    r"|\bjaan\s+d\w+\b|\b(?:[zj]indagi|life)\s+kh?atam\b|\bjee?na\s+nah\w*|\bnah\w*\s+jee?na\b"
    r"|मरना\s+(?:चाह\S*|है)|मर\s+जा\S*|आत्महत्या|ख़?ुदकुशी|खुदकुशी|जान\s+दे\S*|ज़?िंदगी\s+ख़?त्म|जीना\s+नहीं|नहीं\s+जीना",
    re.IGNORECASE,
)
_WORDS = """
i im am me my id ive ill have had been was will would just really so very often always only also now keep
kept thinking think thought planning plan planned decided decide feel feeling felt like tired sick of to
about on the a it commit committing do doing did attempt attempted attempting considering consider that want
wanted wish going gonna try tried trying ready please help sir madam hello hi soon tonight today anymore any
more everyday every day daily last night yesterday again right sometimes maybe living this for weeks months
days years wanna once twice
main mai mein mujhe muje bhi toh ab bas hi khud apni aaj kal chahta chahti chahata hu hun hoon hai h raha
rahi rha rhi lunga lungi loonga loongi lena karna karne kar karunga karungi karu lu lun du dun dunga dungi
dena de ki ka soch sochta sochti ja jaa
मैं मै मुझे भी तो अब बस खुद अपनी आज कल चाहता चाहती हूँ हूं हु है रहा रही लूँगा लूंगा लूँगी लूंगी लेना करना
करने कर करूँगा करूंगा करूँगी करूंगी दूँगा दूंगा दूँगी दूंगी देना की का सोच"""
_AROUND = frozenset(_WORDS.split())
_SPEAKER = re.compile(r"\s*(?:i|im|main?|mein|mujhe|मैं|मै|मुझे)(?:\s|['’]|$)", re.IGNORECASE)
_FIRST = re.compile(r"\b(?:i|im|ive|main?|mein|mujhe|muje)\b|मैं|मै|मुझे", re.IGNORECASE)
_OF_IT = re.compile(
    r"\b(?:it|this|that|ye|yeh)\b[^,.]*\b(?:crime|criminal|offen[cs]e|(?:il)?legal|punish\w*|against\s+the\s+law)\b"
)


def without_wish(text: str) -> str:
    """A text without the clauses that wish to die; as it is where it asks for the law of that."""
    parts = _PARTS.split(text)
    clauses = parts[::2]
    # a clause without a subject goes on with the one before: i was beaten and want to die
    mine = [bool(_SPEAKER.match(clause)) for clause in clauses]
    wishes = [_is_wish(c) and (bool(_FIRST.search(c)) or any(mine[:n])) for n, c in enumerate(clauses)]
    if not any(wishes) or _OF_IT.search(text.lower()):
        return text
    rest = ""
    for n, clause in enumerate(clauses):
        if clause.strip() and not wishes[n]:
            rest += (parts[2 * n - 1] if rest else "") + clause
    return rest.strip()


def _is_wish(clause: str) -> bool:
    deed = _DEED.search(clause)
    if not deed:
        return False
    others = f"{clause[: deed.start()]} {clause[deed.end() :]}".lower().split()
    return all(re.sub(r"['’\"“”()]", "", word) in _AROUND for word in others)


STAGE = Stage("query", 23, (QUERIES,))
_MONEY = re.compile(
    r"(?:(?:\brs\b\.?|₹|\binr\b)\s*(?P<a>\d[\d,]*(?:\.\d+)?)|\b(?P<b>\d[\d,]*(?:\.\d+)?))"
    r"\s*(?P<unit>lakhs?|lacs?|crores?|thousand|k\b)?(?P<word>\s*(?:rupees|rs\b))?",
    re.IGNORECASE,
)
_UNITS = {"l": 1e5, "c": 1e7, "t": 1e3, "k": 1e3}
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"“])")
SHORT = 26  # words up to which a question is about what it names: a story has words about other things
_SHORTEST = 20
_DOTTED = re.compile(r"(?<![\w.])(?:[A-Za-z]\.){2,}(?:[A-Za-z](?!\w))?")
_ASKS = re.compile(
    r"\?|\b(?:can|could|how|when|what|which|who|whether|still|late|limit\w*|within|deadline|days?|law)\b",
    re.IGNORECASE,
)
"""What a question has of which its days may be a part."""
_TYPED = 0.3  # weight of a question's own words beside its English
_SENTENCES = "sentences"
BY_RULES = ("decompose", "expand", "feedback")
BY_MODEL = (
    "decompose_document",
    "decompose_llm",
    "expand_llm",
    "hyde",
    "hyde_document",
    "issues",
    "reword_llm",
    "translate",
)
INTENTS = {
    "punishment": r"punish|section|jail|case (?:file|against)|f(?<=\bf)ir\b|complaint",
    "remedy": r"compensation|refund|recover|maintenance|alimony|custody|share|claim|money back",
    "procedure": r"how (?:to|can|do|long)|process|procedure|which court|bail|quash|appeal|notice",
    "right": r"c(?<=\bc)an (?:i|we|he|she|they)\b|right|entitled|legal|valid",
}
"""Patterns of the words, whatever their case; rough: a text may ask for several of them, or for none."""


@dataclass(frozen=True)
class QueryConfig(CallConfig):
    """What is searched for a complaint; how a model is called that rewrites it, ``CallConfig`` says.

    ``rewrites``: nothing searches the complaint as it is; ``sentences`` adds each of its sentences to it. The
    others are searched by themselves, and joined with it: stage ``rewrite`` says what they are. ``weight``:
    weight of a sentence or another rewrite; the complaint itself weighs 1. ``replace``: whether what is
    searched by itself takes the place of the complaint, where there is any. ``words_weight``: weight of the
    words that are searched besides for questions of a type. ``spelling``: whether mistyped words are read as
    those that were meant, and questions in Hindi as English.
    """

    group: ClassVar[str] = "query"

    rewrites: list[str] = field(default_factory=list)
    weight: float = 0.5
    replace: bool = False
    words_weight: float = 0.3
    spelling: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        allowed = (_SENTENCES, *BY_RULES, *BY_MODEL)
        if len(set(self.rewrites)) < len(self.rewrites) or not set(self.rewrites) <= set(allowed):
            raise ValueError(f"query.rewrites={list(self.rewrites)}: of {', '.join(allowed)}, each once")
        if min(self.weight, self.words_weight) <= 0:
            raise ValueError("query.weight and query.words_weight must be positive")

    @property
    def searched_separately(self) -> list[str]:
        """The rewrites that are searched by themselves."""
        return [name for name in self.rewrites if name != _SENTENCES]

    @property
    def asks(self) -> str:
        """The setting by which a model is asked; empty where none is."""
        by_model = not set(BY_MODEL).isdisjoint(self.rewrites)
        return f"query.rewrites=[{','.join(self.rewrites)}]" if by_model else ""

    def without_model(self) -> QueryConfig:
        """The same as far as no model is asked."""
        return replace(self, rewrites=[name for name in self.rewrites if name not in BY_MODEL])

    def of_rewrites(self) -> dict[str, Any]:
        """The parameters that shape the rewrites that are searched by themselves."""
        replacing = {"replace": True} if self.replace else {}
        return {"rewrites": self.searched_separately} | replacing | (self.of_reply() if self.asks else {})

    def parameters(self, words: Mapping[str, str] | None = None) -> dict[str, Any]:
        """The parameters that are read, where words are searched besides for some types of questions."""
        read: dict[str, Any] = {"rewrites": "none"}
        if _SENTENCES in self.rewrites:
            read = {"rewrites": _SENTENCES, "weight": self.weight}
        # the key of the weight has the name that it had first: nothing is searched again for a new one
        read |= {"spelling": True} if self.spelling else {}
        return read | ({"words": dict(words), "glossary_weight": self.words_weight} if words else {})


def make_queries(
    texts: Mapping[str, str],
    lexicon: ActFinder,
    config: QueryConfig,
    as_of: Mapping[str, date | None] | None = None,
    words: Mapping[str, str] | None = None,
    typed: Mapping[str, Sequence[str]] | None = None,
    originals: Mapping[str, str] | None = None,
) -> pa.Table:
    """Table ``queries`` of complaints by id.

    ``words``: words of the law that are searched besides, by query id. ``typed``: of a question that is
    searched in another language than it was asked in, its own words: they are searched as words alone.
    ``originals``: the questions as they were asked: what they name by number is read of both.
    """
    days, more, asked_in, before = as_of or {}, words or {}, typed or {}, originals or {}
    rows = [
        _row(q, text, days.get(q), lexicon, config, more.get(q, ""), before.get(q, text))
        for q, text in texts.items()
    ]
    for row in rows:
        for text in asked_in.get(row["query_id"], ()):
            row["texts"].append({"text": text, "weight": _TYPED, "words_only": True})
    return QUERIES.rows(rows)


def _row(
    query_id: str,
    text: str,
    day: date | None,
    lexicon: ActFinder,
    config: QueryConfig,
    words: str,
    before: str,
) -> dict[str, Any]:
    plain = spelled_out(before, lexicon)
    read = plain if text == before else f"{plain}\n{text}"
    acts = lexicon.find(read)
    searched = [{"text": text, "weight": 1.0}]
    if _SENTENCES in config.rewrites:
        sentences = [s.strip() for s in _SENTENCE.split(text) if len(s.strip()) >= _SHORTEST]
        if len(sentences) > 1:
            searched += [{"text": s, "weight": config.weight} for s in sentences]
    if words:
        searched.append({"text": words, "weight": config.words_weight})
    return {
        "query_id": query_id,
        "text": text,
        "as_of": day,
        "acts": list(dict.fromkeys(act for place in acts for act in place.indexed)),
        "mentions": [asdict(m) for m in find_mentions(read, acts)],
        "dates": find_dates(read),
        "amounts": list(_amounts(text)),
        "texts": searched,
    }


def _amounts(text: str) -> list[float]:
    """Sums in rupees, in order: ``Rs. 5,000``, ``2 lakh rupees``, ``₹1.5 crore``."""
    out = []
    for match in _MONEY.finditer(text):
        unit = (match["unit"] or "").lower()
        if not (match["a"] or match["word"] or unit[:1] in ("l", "c")):  # a bare number, or 5k of anything
            continue
        digits = (match["a"] or match["b"]).replace(",", "").rstrip(".")
        out.append(float(digits) * _UNITS.get(unit[:1], 1.0))
    return out


def plain(text: str) -> str:
    """A question as it is read: a short one without dots in abbreviations, nor a wish to die beside more."""
    text = cut_wish(text) or text
    return text if len(text.split()) > SHORT else _DOTTED.sub(lambda match: match[0].replace(".", ""), text)


def cut_wish(text: str) -> str:
    """What a short question says besides its writer's wish to die; of a story such a wish is little."""
    return text if len(text.split()) > SHORT else without_wish(text)


def without_days(text: str) -> str:
    """A short complaint that asks nothing, without its days: they make it one of limitation."""
    rest = text if len(text.split()) > SHORT or _ASKS.search(text) else without_times(text)
    return text if rest == text else re.sub(r"\s+(?=[,.])|(?<=\s)\s+", "", rest).strip(" ,.") or text


def intents_of(text: str) -> list[str]:
    """What of :data:`INTENTS` a text asks for."""
    return [name for name, pattern in INTENTS.items() if re.search(pattern, text, re.IGNORECASE)]
