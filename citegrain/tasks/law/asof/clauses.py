"""What a text says of a time: the cue of the same clause, else of the clause that goes with it."""

import re
from collections.abc import Iterator, Sequence
from enum import Enum

Span = tuple[int, int]
"""Where a time stands: its first character and the one after its last."""

_SHORT = ("rs", "mr", "mrs", "ms", "dr", "no", "st", "sh", "smt", "dt", "sec", r"p\.m", r"a\.m")
_ABBREVIATED = "".join(rf"(?<!\b{word})" for word in _SHORT)
_STOP = re.compile(rf"{_ABBREVIATED}[.!?;](?=\s)|[!?;]|\n\s*\n|(?<=\d)\.(?=[A-Z])", re.IGNORECASE)
_BREAK = re.compile(
    r"[,:\n](?=\s)|\s[-–—]+\s|[()\[\]]|(?<![a-z])(?:and|but|then|so|while|for|regarding|which|that|about|who|whose|when|where|"
    r"because|as|after|whereas|although|though|if|against|saying|stating)(?=\s)",
    re.IGNORECASE,
)
_HANGING = re.compile("for|regarding|that|which|about|saying|stating", re.IGNORECASE)
_BARE = re.compile(
    r"(?:\W|\b(?:and|but|then|on|in|at|the|that|it|was|is|since|from|again|also|last|lastly|finally|first|firstly|once|"
    r"around|about|of|to|till|night|day|month|year|next|later|during|between|after|before|time)\b)*",
    re.IGNORECASE,
)
_JOINED = re.compile(
    r"\s*+(?:to|till|until|up\s?to|upto|and|&|-|or|/)\s*+(?:(?:the|again|also|then)\s*+)*|\s*+,\s*+(?:in|again|also)?\s*+|"
    r"\s*+,?\s*+(?:and\s+)?(?:again|also|then)\s++(?:on|in)\s*+",
    re.IGNORECASE,
)
_REACH = 400
"""Characters on each side beyond which the text does not speak of a time."""
_BEHIND = 12
"""Characters by which a cue behind a time counts as farther than one before it: ``stolen on 3 May``."""


class Kind(Enum):
    """What the clause of a time speaks of."""

    ACT = "act"
    DONE = "done"
    """Something done to the one who complains, by a verb that is none of our cues."""
    PLAIN = "plain"
    """Nothing known."""
    OURS = "ours"
    """A step of the one who complains, no payment: of two days of which no more is known the worse."""
    BOUGHT = "bought"
    """A purchase: of a thing bad from the first the day of the wrong, of a thing stolen later not."""
    OFFICE = "office"
    """The police, a court, a doctor: what followed, unless they did the wrong."""
    PAPER = "paper"
    """What is written, done or found out afterwards, and what follows from the act."""
    GROUND = "ground"
    """How things stood before: marriage, employment, residence, a loan."""
    BIRTH = "birth"


def _words(*parts: str, then: str = "") -> re.Pattern[str]:
    """Of alternatives parted by blanks; an underscore is a blank of the text."""
    alternatives = "|".join(" ".join(parts).split()).replace("_", r"\s+")
    return re.compile(rf"(?<![a-z])(?:{alternatives})(?![a-z]){then}", re.IGNORECASE)


# an act that names a proceeding is none: "the cheating case was closed"
_OF_A_CASE = r"(?!\s+(?:cases?|complaints?|f\.?i\.?r|matters?|charges?|trial|reports?)\b)"
_HURT = r"""
    beat(?:s|en|ings?)? hit(?:s|ting)? slap(?:s|ped|ping)? punch(?:ed|ing)? kick(?:ed|s|ing)?
    thrash(?:ed|ing)? assault(?:ed|ing|s) attack(?:ed|ing|s) stab(?:bed|bing)? hack(?:ed|ing) shot fired
    injur(?:ed|ing) hurt(?:s|ing)? wounded strangl(?:ed|ing) throttled burn(?:t|ed|ing)
    set_(?:\w+_){0,3}(?:on_fire|ablaze) poisoned kill(?:ed|ing) murder(?:ed|ing) rap(?:ed|ing)
    molest(?:ed|ing|s) grop(?:ed|ing) touch(?:ed|ing) outrag(?:ed|ing) drugged caned whipped
    push(?:ed|ing) dragg(?:ed|ing) pull(?:ed|ing) poured spat bit_(?:me|my|him|her|his|our|us) bitten
    gored mauled acid forced forcibly trampled lynched drown(?:ed|ing) dowry electrocuted maar[ai] peeta
    (?:physical|sexual)_relations? made_relations? intercourse sexually last_time lastly
"""
_HARASS = r"""
    harass(?:ed|es|ing|ment) tortur(?:ed|es|ing) stalk(?:ed|s|ing) followed(?!\sup) abus(?:ed|es|ing)
    insult(?:ed|ing|s) humiliat(?:ed|ing) threaten(?:ed|s|ing) threats? intimidat(?:ed|ing)
    blackmail(?:ed|s|ing)? extort(?:ed|s|ing|ion) misbehav(?:ed|es|ing|iour) peep(?:ed|s|ing)
    defam(?:ed|ing) morph(?:ed|ing) leaked circulated kidnap(?:ped|ping)? abduct(?:ed|ing)
    confin(?:ed|ing) detained missing
    (?:made|took|taken|recorded|shot)_(?:a_|my_|her_|our_|obscene_|secret_)*(?:videos?|photos?) dhamki
"""
_TAKE = r"""
    stole stolen steal(?:s|ing)? snatch(?:ed|ing) rob(?:bed|bing) loot(?:ed|ing)? burgled pick-?pocketed
    grab(?:bed|bing) cheat(?:ed|ing|s) dup(?:ed|ing) defraud(?:ed|ing) trick(?:ed|ing) siphon(?:ed|ing)
    debited withdr(?:ew|awn) deducted forg(?:ed|ery|ing) misappropriated embezzled demand(?:ed|s|ing)
    brib(?:e|es|ed|ing) auctioned bounced dishonou?red ran_(?:away|off) fled chori chheen[ai] by_fraud
    posing_as digital.arrest(?:ed)? took_(?:rs\.?\s?|₹\s?|inr\s?)?\d[\d,.]*
    (?:took|taken|carried|sold)_(?:away|off) fake impersonat(?:ed|ing)
"""
_HARM = r"""
    br(?:oke|oken|eaking) trespass(?:ed|ing) encroach(?:ed|ing) dispossessed demolish(?:ed|ing)
    damag(?:ed|es|ing) destroy(?:ed|ing) vandali[sz]ed ransacked thr(?:ew|own|owing) evict(?:ed|ing)
    locked_\w+_out disconnected terminat(?:ed|ing) retrenched sacked fell collided collision
    (?:ran|run)_over knocked crash(?:ed)? dashed overturned rammed crush(?:ed|ing)
    met_with_(?:an?_)?(?:\w+_)?accident happen(?:ed|s) occurr(?:ed|ence) took_place tore torn
    cut(?:s|ting)? pelted burst explo(?:ded|sion) collaps(?:ed|ing) caught_fire entered barged
    uproot(?:ed|ing) scratch(?:ed|es) gone wrong(?:ly)? negligen(?:t|tly|ce)
"""
_MORE = r"""
    smash(?:ed|ing) strip(?:ped|ping) fondl(?:ed|ing) kiss(?:ed|ing)? lur(?:ed|ing) vanish(?:ed|ing)
    abscond(?:ed|ing) torched bulldoz(?:ed|ing) flattened plunged opened_fire expos(?:ed|ing)
    ogl(?:ed|ing) eve-?teas(?:ed|ing) yank(?:ed|ing) hurl(?:ed|ing) smear(?:ed|ing) gagged tied chained
    starved boycotted ostraci[sz]ed excommunicated tamper(?:ed|ing) adulterated counterfeit
    swindl(?:ed|ing) conned fleeced overcharg(?:ed|ing) withheld expelled ousted obstruct(?:ed|ing)
    smuggl(?:ed|ing) traffick(?:ed|ing) barricaded lathi-?charged? manhandled heckled catcall(?:ed|ing)
    spied stripped caste_name unpaid
"""
_NOUNS = (
    r"(?:incident|accident|theft|fraud|robbery|dacoity|burglary|offence|crime|murder|rape|assault|attack|snatching|"
    r"cheating|mishap|scuffle|fight|episode|blast|fire|collision|occurrence)s?"
)
_PAPERS = r"""
    f\.?i\.?r complain(?:t|ts|ed|ing) notices? letters? repl(?:y|ied|ies) agreements? deeds? affidavits?
    petitions? applications? applied charge\s?-?sheet\w* judge?ment decree summons(?:ed)? summoned
    report(?:ed|s)? lodged filed registered receipt invoice memo hearing bail mediation counsell?ing
    certificates? statements? insur(?:er|ance) claims? cases? enquiry inquiry investigat(?:ed|ion|or) i\.o
    challan(?:s|ed)? (?:was|were|is|be|been|being|court|judge|magistrate)_heard
    rti appeal(?:ed)? writ lok_adalat compromised? apolog(?:y|ised|ized) orders? mutation duplicate
    surveyor panchnama remand custody jail convict(?:ed|ion) acquitted sentenced
"""
_STEPS = r"""
    (?<!digital.)arrest(?:ed|s)? released
    (?:police|pcr)_(?:\w+_)?(?:came|reached|arrived|visited|station|post|traced|recovered) thana chowki
    (?:women['’]?s|woman|mahila|cyber)_(?:cell|thana|crime|commission|helpline) 161 164 hospitali[sz]ed
    admitted discharged? (?:called|dialled|rang)_(?:the_)?(?:police|\d{3,4}|helpline)
    (?:blocked|froze)_(?:my|the|our|his|her)_(?:\w+_)?(?:cards?|accounts?|sim) inform(?:ed|ing)
    intimat(?:ed|ion) wrote_to written_to sent_(?:an_|a_|the_)?e-?mail e-?mailed tweeted approached
    s\.?p\.?_office cognizance refund(?:ed)? repaired replaced
    returned_(?:me_)?(?:(?:only|just|some|part|half)_)*(?:rs|inr|₹|money|amount|\d) recovered seized
    traced closed died deaths? expired passed_away succumbed (?:his|her|the|dead|whose)_(?:dead_)?body
    cremat(?:ed|ion) post-?mortem pregnan(?:t|cy) gave_birth (?:came|come|got|get)_to_know
    found_(?:out|that) (?:learnt|learned)(?:_that)? came_to_light discovered noticed reali[sz]ed
    told_(?:my|the)_(?:mother|father|parents|police|family|husband|wife) due_(?:on|by) enclosed annexed
    breathed_(?:his|her|their)_last left_(?:us|for_heavenly_abode) examined hospitali[sz]ed treated
    inspected (?:got|brought|given|handed)_back answered parade conducted samples?
"""
_BOUGHT = "bought purchas(?:ed?|ing) ordered booked"
_GROUNDS = r"""
    married wed solemni[sz]ed engaged nikah tenant_(?:\w+_){0,4}since resid(?:e|es|ed|ing)
    (?:living|staying|working|employed|posted) stay_(?:here|there) joined appointed promoted
    came_(?:back_)?(?:to|in)_(?-i:[A-Z])\w+ shifted moved_(?:to|into|in) renewed retire(?:d|ment) relieved
    retiring opened_(?:an?|my)_account took_admission pledged rented leased let_out
"""
_BIRTH = r"born (?<!gave\s)(?<!give\s)birth d\.?o\.?b"

# people and places of what follows, where the clause names no act ("the inspector slapped me")
_OFFICES = r"""
    police media press meeting dharna protest strike sub-?inspector inspector constables? s\.?h\.?o
    d\.?s\.?p s\.?p a\.?c\.?p s\.?d\.?m collector tahsildar tehsildar patwari commission(?:er)? department
    minister ministry m\.?l\.?a magistrate judge courts? tribunal panchayat cid cbi ombudsman committee
    lawyer advocate vakil medical doctors? psychiatrist x-?ray scan lab laboratory bills? hospital clinic
    icu aiims nursing_home results? viscera forensic f\.?s\.?l surgery operation operated treatment
    dialysis stitches injections?
"""
_STATES = "marriage wedding engagement loans? salary pension licen[cs]e"
# done to the one who complains, by whatever verb
_TO_US = r"""
    (?!(?:paid|helped|advised|promised|assured|visited|reached|supported|asked)_)
    (?:[a-z]+ed|took|put|made|sold|let|shut|drove|hid|held|kept|led)_(?:\w+_){0,2}(?:me|my|us|our)
"""

STRONG: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (Kind.ACT, _words(_HURT, _HARASS, _TAKE, _HARM, _MORE, then=_OF_A_CASE)),
    (Kind.BOUGHT, _words(_BOUGHT)),
    (Kind.PAPER, _words(_PAPERS, _STEPS)),
    (Kind.GROUND, _words(_GROUNDS)),
    (Kind.BIRTH, _words(_BIRTH)),
)
"""Cues of a clause; of several the nearest to the time counts."""

WEAK: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (Kind.ACT, _words(_NOUNS)),
    (Kind.PAPER, _words("dated")),
    (Kind.OFFICE, _words(_OFFICES)),
    (Kind.GROUND, _words(_STATES)),
)
"""Cues where there is no strong one: the theft may be what was reported that day."""

FAINT: tuple[tuple[Kind, re.Pattern[str]], ...] = ((Kind.DONE, _words("".join(_TO_US.split()))),)
"""Cues where there is no other."""

OURS = _words(
    r"(?:i|we)_(?!(?:paid|gave|sent|transferred|deposited|invested|was|were|am|are|had|have)(?![a-z]))[a-z]+"
)
"""A clause of one's own doing."""

BEFORE: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        Kind.ACT,
        re.compile(
            rf"\b{_NOUNS}(?:[\s:-]*|[\s:-]+(?:(?:is|was)\s+(?:of|on)?|of|dated|dt\.?|date)[\s:-]*)(?:the\s+)?$",
            re.IGNORECASE,
        ),
    ),
    (
        Kind.ACT,
        re.compile(r"\b(?:went on|continued|lasted|kept on|carried on)\s+(?:un)?till?\s*$", re.IGNORECASE),
    ),
    (Kind.PAPER, re.compile(r"(?:^|\W)date\s*[:-]+\s*$", re.IGNORECASE)),
    (Kind.PAPER, re.compile(r"\b(?:by|until|till|before|upto|up to)\s*(?:the\s*)?$", re.IGNORECASE)),
)
"""What decides, directly before a time, whatever else its clause speaks of."""


def kind_of(text: str, span: Span, spans: Sequence[Span]) -> Kind:
    """What the clause of a time speaks of.

    ``spans``: of every time of the text, in order: a cue beyond another time is that one's.
    """
    start, end = _group(text, span, spans)
    first, last = _sentence(text, start, end)
    floor = max([first, *(e for _, e in spans if e <= start)])
    ceiling = min([last, *(s for s, _ in spans if s >= end)])
    left, right = text[floor:start], text[end:ceiling]
    for kind, cue in BEFORE:
        if cue.search(left):
            return kind
    (left_clause, head), (right_clause, rest) = _left_clause(left), _right_clause(right, ceiling < last)
    bare = bool(_BARE.fullmatch(left_clause))
    back = text[first:start] if bare and _BARE.fullmatch(right_clause) else head
    for before, after in ((left_clause, right_clause), ("", rest), (back, "")):
        for cues in (STRONG, WEAK, FAINT):
            near = min(_cues(before, after, bare, cues), key=lambda c: c[0], default=None)
            if near is not None:
                return near[1]
    return Kind.OURS if OURS.search(left_clause) or OURS.search(right_clause) else Kind.PLAIN


def same_sentence(text: str, one: int, other: int) -> bool:
    """Whether no sentence ends between two places."""
    return _STOP.search(text, min(one, other), max(one, other)) is None


def _cues(
    before: str, after: str, bare: bool, cues: Sequence[tuple[Kind, re.Pattern[str]]]
) -> Iterator[tuple[int, Kind]]:
    """Cues with their distance from the time."""
    for kind, cue in cues:
        yield from ((len(before) - m.end(), kind) for m in cue.finditer(before))
        yield from ((m.start() + (0 if bare else _BEHIND), kind) for m in cue.finditer(after))


def _group(text: str, span: Span, spans: Sequence[Span]) -> Span:
    """A time with those it is joined to: ``from 3 May to 5 June`` has one clause."""
    start, end = span
    for s, e in reversed([one for one in spans if one[1] <= start]):
        if not _JOINED.fullmatch(text[e:start]):
            break
        start = s
    for s, e in (one for one in spans if one[0] >= end):
        if not _JOINED.fullmatch(text[end:s]):
            break
        end = e
    return start, end


def _sentence(text: str, start: int, end: int) -> Span:
    """Where the sentence of a time begins and ends, within reach."""
    first, last = max(start - _REACH, 0), min(end + _REACH, len(text))
    stop = _STOP.search(text, end, last)
    return max(
        (m.end() for m in _STOP.finditer(text, first, start)), default=first
    ), stop.start() if stop else last


def _left_clause(left: str) -> tuple[str, str]:
    """What stands before a time in its clause, and all where that hangs on another: ``a letter that``.

    A break directly before the time is none.
    """
    breaks = [m for m in _BREAK.finditer(left) if left[m.end() :].strip()]
    hangs = breaks and _HANGING.fullmatch(breaks[-1][0])
    return left[breaks[-1].end() if breaks else 0 :], left if hangs else ""


def _right_clause(right: str, bounded: bool) -> tuple[str, str]:
    """What stands behind a time in its clause, and in the clauses up to that of the next time."""
    breaks = list(_BREAK.finditer(right))
    if not breaks:
        return right, ""
    rest = right[breaks[0].end() : breaks[-1].start() if bounded else len(right)]
    return right[: breaks[0].start()], rest
