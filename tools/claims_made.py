"""Pairs of a passage and a claim made by rule from sections of Acts outside the registry, to learn from first."""

# ruff: noqa
# mypy: ignore-errors

from __future__ import annotations

import gzip
import json
import random
import re
from collections import defaultdict

import yaml

from citegrain.tasks.core.paths import DATA
from tests.conftest import shared_folder

squash = lambda t: re.sub(r"\W+", "", t.lower())
rng = random.Random(1)
LAY = """
shall be punishable with|can be punished with|faces|risks|is punished with
imprisonment for a term which may extend to|up to @ in prison|imprisonment of up to
imprisonment|jail|prison
the Central Government|the Centre|the Union government
the State Government|the State|the government of the State
the appropriate Government|the Government concerned
in the Official Gazette|in the Gazette
by notification|by a notification
appoint|name|choose
every person|everyone|each person|anybody
any person|anyone|a person|somebody
person|individual
whoever|anyone who|a person who|somebody who
notwithstanding anything contained in any other law for the time being in force|whatever other laws say|even if another law says otherwise
subject to the provisions of this Act|
subject to the provisions of this section|
for the time being in force|
for the time being|at present
commencement|start|beginning
commence|begin|start
prior to|before
subsequent to|after
previous approval|approval beforehand|prior approval|permission in advance
previous sanction|prior permission|sanction beforehand
sanction|permission|approval
consent|agreement
is of opinion|thinks|believes
is satisfied|is convinced|finds
as soon as may be|as soon as possible
forthwith|at once|immediately
not exceeding|of at most|of no more than|up to
not less than|at least|no fewer than
may extend to|can be up to|can go up to
in respect of|for|about
in relation to|about|for
in accordance with|according to|following
pursuant to|under
in pursuance of|under
for the purpose of|to allow|in order to reach
by virtue of|because of
by reason of|because of|owing to
on account of|because of
in the event of|in case of
in writing|on paper|in written form
be entitled to|have a right to
be deemed to be|count as|be treated as
deemed to be|taken to be|treated as
be liable to|face|be exposed to
be guilty of an offence|commit an offence
contravenes|breaks|violates
contravention|breach|violation
comply with|obey|follow
fails to|does not
neglects or refuses|does not
refuse|turn down
reject|turn down|refuse
grant|give
furnish|give|hand in|provide
submit|send in|hand in
forward|send|pass on
communicate|tell
inform|tell
require|ask
aggrieved by|unhappy with|hurt by
prefer an appeal|appeal
file an appeal|appeal
institute|begin|start
institution|start
suit|civil case|lawsuit
proceedings|case
proceeding|case
accused|person charged
convicted|found guilty
conviction|finding of guilt
dwelling house|home
premises|place
vehicle|car or other vehicle
land|plot
purchase|buy
sale|selling
sell|dispose of
remuneration|pay
salary|pay
wages|pay
employee|worker
workman|worker
employer|boss|person who employs
owner|person who owns it
tenant|person who rents
landlord|person who lets
creditor|person to whom money is owed
debtor|person who owes
debt|sum owed
sum|amount
amount|sum
fine|money penalty
penalty|sanction in money
fee|charge
Chairperson|chair|head
Chairman|chair|head
Members|members
resign|step down
remove|dismiss
removed|dismissed
term of office|period in office
hold office|stay in office|serve
vacancy|empty seat
decision|ruling
order|decision
inquiry|investigation
examine|look into
investigate|look into
seize|take away
search|look through
arrest|take into custody
detained|held
detention|being held
released|set free
child|minor
minor|child
death|dying
died|passed away
marriage|wedding
husband or wife|spouse
residence|home
resides|lives
reside|live
ordinarily|normally|usually
wilfully|on purpose|deliberately
knowingly|with knowledge
intentionally|on purpose
without reasonable cause|without a good reason
reasonable cause|good reason
sufficient cause|good reason
an opportunity of being heard|a chance to be heard|a hearing
opportunity|chance
publish|print
document|paper
documents|papers
record|file
certificate|certified paper
licence|permit
registered|entered in the register
authority|body in charge
officer|official
function|task
functions|tasks
duty|task|obligation
duties|tasks
power|authority
powers|authority
prohibited|forbidden|banned
prohibit|forbid|ban
permitted|allowed
permit|allow
lawful|legal
unlawful|illegal
void|of no effect
invalid|of no effect
conclusive|final
transfer|pass on
transferred|passed on
recover|get back
recovered|got back
recoverable|to be got back
repay|pay back
refund|give back
compensation|damages
injury|harm
damage|harm
destroy|do away with
manufacture|make
manufactured|made
import|bring into the country
export|send abroad
carry on business|trade
business|trade
assist|help
assistance|help
obstruct|hinder
obstructs|hinders
prevent|stop
terminate|end
terminated|ended
expiry|end
expiration|end
duration|length
annually|every year
annual|yearly
quorum|number needed to decide
majority|greater number
nominated|named
nominate|name
elected|voted in
constitute|set up
constituted|set up
establish|set up
established|set up
dissolve|wind up
maintain|keep
retain|keep
deposit|pay in
deposited|paid in
adequate|enough
sufficient|enough
necessary|needed
expedient|useful
deems fit|thinks right|sees fit
thinks fit|sees fit|considers right
thereof|of it
therein|in it
thereto|to it
thereunder|under it
hereinafter|below
aforesaid|mentioned
specified|set out|stated
prescribed|laid down in rules|set by rules
manner|way
utilised|used
utilise|use
vest in|belong to|pass to
"""
GROUPS = []
for line in LAY.strip().split("\n"):
    a, *b = line.split("|")
    b = [x for x in b if "@" not in x]
    if b:
        GROUPS.append((re.compile(rf"\b{re.escape(a)}\b"), b, a))
ACT = "the Central Government|the State Government|the Board|the Commission|the Authority|the Court|the High Court|the Supreme Court|the Magistrate|the Collector|the Tribunal|the Registrar|the Director|the Chairperson|the Chairman|the Council|the Corporation|the Committee|the Commissioner|the President|the Governor|the Visitor|the Chancellor|the Vice-Chancellor|the Executive Council|the Secretary|the Controller|the Inspector|the owner|the occupier|the tenant|the landlord|the employer|the employee|the buyer|the seller|the plaintiff|the defendant|the accused|the complainant|the applicant|the respondent|the appellant|the licensee|the company|the husband|the wife|the father|the mother|the guardian|the trustee|the agent|the principal|the debtor|the creditor|the insurer|the insured|the master|the carrier|the police officer|the District Magistrate|the Reserve Bank|the Administrator|the Municipality|the Speaker".split(
    "|"
)
ACT_RE = re.compile("|".join(sorted(map(re.escape, ACT), key=len, reverse=True)), re.I)
NUM = "one two three four five six seven eight nine ten twelve fifteen twenty twenty-one thirty forty fifty sixty ninety".split()
NUM_RE = re.compile(
    r"\b(two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty-one|twenty|thirty|forty|fifty|sixty|ninety|hundred|thousand)\b(?=\s+(?:\w+\s+)?(?:days?|months?|years?|weeks?|hours?|thousand|lakh|crore|rupees|per cent|members?|persons?))|\b(one)\b(?=\s+(?:month|year|week|thousand|lakh|crore)\b)"
)
EXTRA = "within thirty days|within three months|in the prescribed form|by registered post|in writing|after giving him a hearing|with interest at six per cent|on payment of a fee|with the approval of the High Court|for a period of two years|in two newspapers|in the presence of two witnesses|free of charge|on stamped paper|by a majority of two thirds|before the end of the year|with costs|in the local language|on a working day|and his name is published|and a copy is sent to him|and he loses his licence|and this can be appealed within sixty days|and he has to give security|and the amount is doubled the second time|if he is above eighteen|after a medical examination|up to ten thousand rupees|only once in five years".split(
    "|"
)
MODAL = re.compile(r"\b(shall|may|must|can|is|are|has|have|will)\b")
SHALL = ["must", "has to", "is required to", "is bound to", "is obliged to", "shall", "will have to"]
MAY = ["may", "can", "is allowed to", "is free to", "has power to", "is able to", "may, but need not,"]
NEG = [
    "shall not",
    "must not",
    "may not",
    "cannot",
    "is not allowed to",
    "is forbidden to",
    "is barred from {ing}",
]


def lay(t, p):
    for pat, alts, _ in GROUPS:
        if rng.random() < p:
            t = pat.sub(lambda m: rng.choice(alts), t)
    return re.sub(r"\s+", " ", t).strip(" ,")


def modal(t, p=0.7):
    if rng.random() > p:
        return t

    def f(m):
        w = m[0]
        if w == "shall not":
            return rng.choice(["must not", "may not", "cannot", "is not to", "is not allowed to"])
        if w == "may not":
            return rng.choice(["may not", "cannot", "is not allowed to"])
        if w == "shall be":
            return rng.choice(["must be", "has to be", "is to be", "is", "will be"])
        if w == "may be":
            return rng.choice(["may be", "can be", "could be"])
        if w == "shall":
            return rng.choice(SHALL)
        return rng.choice(MAY)

    return re.sub(r"\b(shall not|may not|shall be|may be|shall|may)\b", f, t)


def clean(t):
    t = " ".join(t.split())
    t = re.sub(r"\^?\d*\[|\]|\^\d+|\*+", "", t)
    return re.sub(r"\s+", " ", t)


SPLIT = re.compile(r"(?<=[.;])\s+(?=[A-Z(])|:\s*(?=Provided)|\s+(?=\(\w{1,3}\)\s+[A-Z])")


def sentences(t):
    out = []
    for s in SPLIT.split(t):
        s = re.sub(
            r"^(\(\w{1,4}\)\s*)+|^Provided (further |also )?that\s*|^\d+\w*\.\s.{0,120}?[—-]{1,2}\s*",
            "",
            s.strip(),
        ).strip(" .;:,")
        s = re.sub(r"\s*\([^()]{0,60}\)", "", s)
        s = re.sub(r"\s+", " ", s)
        if (
            40 < len(s) < 330
            and s[0].isupper()
            and MODAL.search(s)
            and not re.search(
                r"—|--|\bnamely\b|following|\b(?:and|or|the|of|to|a|by|in)$|, ,|short title|may be called", s
            )
            and s.count("(") == s.count(")")
        ):
            out.append(s)
    return out


# structural: (pattern, supported forms, contradicted forms)
S = [
    (
        r"^(?:No|no) (.{3,80}?) shall (.{10,160}?)(?:,)? (unless|except with|except on|except in accordance with|without|save with|until) (.{5,160})$",
        {
            "unless": (
                [
                    "A {a} may {b} only if {d}",
                    "Any {a} may {b}, but only if {d}",
                    "Only if {d} may a {a} {b}",
                    "Unless {d}, a {a} may not {b}",
                    "A {a} cannot {b} unless {d}",
                    "Nobody may {b} as a {a} unless {d}",
                ],
                [
                    "A {a} may {b} even if it is not so that {d}",
                    "A {a} may {b} whether or not {d}",
                    "Any {a} may {b} at any time",
                    "A {a} may not {b}, even if {d}",
                    "Unless {d}, a {a} may {b}",
                    "If {d}, a {a} may not {b}",
                ],
            ),
            "*": (
                [
                    "A {a} may {b} only {w} {d}",
                    "A {a} needs {d} to {b}",
                    "To {b}, a {a} must have {d}",
                    "A {a} cannot {b} without {d}",
                    "{d} is needed before a {a} may {b}",
                ],
                [
                    "A {a} may {b} without {d}",
                    "A {a} may {b} even without {d}",
                    "A {a} may not {b}, even with {d}",
                    "A {a} does not need {d} to {b}",
                    "{d} is not needed for a {a} to {b}",
                ],
            ),
        },
    ),
    (
        r"^(?:No|no) (.{3,80}?) shall (.{10,200})$",
        {
            "*": (
                [
                    "A {a} may not {b}",
                    "A {a} must not {b}",
                    "It is forbidden for a {a} to {b}",
                    "A {a} is not allowed to {b}",
                    "Nobody who is a {a} may {b}",
                ],
                [
                    "A {a} may {b}",
                    "A {a} is allowed to {b}",
                    "A {a} can {b}",
                    "Every {a} has to {b}",
                    "It is not forbidden for a {a} to {b}",
                    "Some {a} may {b}",
                ],
            )
        },
    ),
    (
        r"^(.{5,140}?) shall not (.{10,200}?)(?:,)? (unless|until) (.{5,160})$",
        {
            "*": (
                [
                    "{a} may {b} only if {d}",
                    "{a} shall {b} only if {d}",
                    "Unless {d}, {a} shall not {b}",
                    "{a} cannot {b} as long as it is not so that {d}",
                ],
                [
                    "{a} shall {b} even if it is not so that {d}",
                    "{a} shall {b} whether or not {d}",
                    "{a} shall not {b}, even if {d}",
                    "{a} shall {b} in any case",
                    "Unless {d}, {a} shall {b}",
                ],
            )
        },
    ),
    (
        r"^(.{5,140}?) (shall|may) (.{10,200}?)(?:,)? (unless) (.{5,160})$",
        {
            "*": (
                [
                    "Unless {e}, {a} {c} {d}",
                    "{a} {c} {d}, except where {e}",
                    "If it is not so that {e}, {a} {c} {d}",
                ],
                [
                    "{a} {c} {d}, even if {e}",
                    "{a} {c} {d} whether or not {e}",
                    "{a} {c} {d} in every case",
                    "If {e}, {a} {c} {d}",
                    "{a} {c} {d} only if {e}",
                ],
            )
        },
    ),
    (
        r"^(?:If|Where|When|if|where|when) (.{10,180}?), (?:then )?(the .{5,200}? (?:shall|may) .{8,200})$",
        {
            "*": (
                ["{b} if {a}", "{b} once {a}", "{b} where {a}"],
                [
                    "{b} even if it is not so that {a}",
                    "{b} whether or not {a}",
                    "{b} unless {a}",
                    "{b} in every case",
                ],
            )
        },
    ),
]
S = [(re.compile(p), d) for p, d in S]


def structural(s):
    """(supported, contradicted) forms or None"""
    for pat, d in S:
        m = pat.match(s)
        if m:
            g = [x for x in m.groups()]
            if (
                len(g) == 4
                and "unless" in d
                and g[2]
                in (
                    "unless",
                    "except with",
                    "except on",
                    "except in accordance with",
                    "without",
                    "save with",
                    "until",
                )
                and s[:2].lower() == "no"
            ):
                key = "unless" if g[2] in ("unless", "until") else "*"
                f = dict(
                    a=g[0],
                    b=g[1],
                    d=g[3],
                    w={
                        "without": "with",
                        "except with": "with",
                        "save with": "with",
                        "except on": "on",
                        "except in accordance with": "in accordance with",
                    }.get(g[2], ""),
                )
            elif len(g) == 4:
                key = "*"
                f = dict(a=g[0], b=g[1], d=g[3])
            elif len(g) == 5:
                key = "*"
                f = dict(a=g[0], c=g[1], d=g[2], e=g[4])
            else:
                key = "*"
                f = dict(a=g[0], b=g[1])
            pos, neg = d[key]
            return [x.format(**f) for x in pos], [x.format(**f) for x in neg]
    return None


def negate(s):
    """Other polarity, or None"""
    c = []
    for m in re.finditer(r"\b(shall|may|is|are|does|do|can|must|was|were|has|have|had) not\b", s):
        c.append(s[: m.start()] + m[1] + s[m.end() :])
    if m := re.match(r"^(No|no) ", s):
        c.append(rng.choice(["Any ", "Every ", "A "]) + s[3:])
    if m := re.search(r"\bwithout\b", s):
        c.append(s[: m.start()] + "with" + s[m.end() :])
    if m := re.search(r"\bunless\b", s):
        c.append(s[: m.start()] + rng.choice(["even if", "if", "whether or not"]) + s[m.end() :])
    if m := re.search(r"\bexcept\b", s):
        c.append(s[: m.start()] + rng.choice(["including", "even"]) + s[m.end() :])
    if m := re.search(r"\bneither (.*?) nor\b", s):
        c.append(s[: m.start()] + f"both {m[1]} and" + s[m.end() :])
    if not c:
        m = re.search(r"\b(shall|may|must|can)\b(?! not)", s)
        if m and not re.match(r"\s*(?:No|no|Nothing|Neither)\b", s):
            c.append(
                s[: m.start()]
                + {"may": "may not", "shall": "shall not", "must": "must not", "can": "cannot"}[m[1]]
                + s[m.end() :]
            )
            if m[1] == "shall":
                c.append(s[: m.start()] + "need not" + s[m.end() :])
    return rng.choice(c) if c else None


def swap(s, sec):
    c = []
    for m in NUM_RE.finditer(s):
        w = rng.choice(
            [n for n in NUM if n != m[0] and n != "one" and not re.search(rf"\b{n}\b", sec)] or ["eleven"]
        )
        c.append(("amount", s[: m.start()] + w + s[m.end() :]))
    acts = list(ACT_RE.finditer(s))
    if acts:
        m = rng.choice(acts)
        w = rng.choice([a for a in ACT if a.lower() not in sec.lower()])
        if m[0][0] == "T":
            w = "T" + w[1:]
        c.append(("actor", s[: m.start()] + w + s[m.end() :]))
        if len({a[0].lower() for a in acts}) > 1:
            a, b = (
                rng.sample(sorted({x[0] for x in acts}), 2) if len({x[0] for x in acts}) > 1 else (None, None)
            )
            if a:
                c.append(("actor", s.replace(a, "\0").replace(b, a).replace("\0", b)))
    m = re.search(r"\bmay\b(?! not| be| extend| have)", s)
    if m and not re.match("No ", s):
        c.append(
            ("modal", s[: m.start()] + rng.choice(["must", "shall", "has to", "is bound to"]) + s[m.end() :])
        )
    m = re.search(r"\bshall\b(?! not| be| have)", s)
    if m and not re.match("No |Nothing ", s):
        c.append(
            (
                "modal",
                s[: m.start()]
                + rng.choice(["may", "may choose to", "is free to", "can, but need not,"])
                + s[m.end() :],
            )
        )
    for a, b in (
        ("before", "after"),
        ("after", "before"),
        ("not less than", "not exceeding"),
        ("not exceeding", "not less than"),
        ("at least", "at most"),
        ("more than", "less than"),
        ("less than", "more than"),
        ("higher", "lower"),
        ("earlier", "later"),
        ("majority", "minority"),
        ("increase", "reduce"),
        ("whole", "half"),
        ("oral", "written"),
        ("valid", "invalid"),
        ("all", "none of the"),
        ("void", "valid"),
        ("any", "only one"),
        ("exempt", "not exempt"),
        ("commencement", "end"),
        ("or with both", "and not with both"),
        ("admissible", "inadmissible"),
        ("lawful", "unlawful"),
    ):
        if m := re.search(rf"\b{a}\b", s):
            c.append(("opposite", s[: m.start()] + b + s[m.end() :]))
    if m := re.search(r", or with (fine|imprisonment)", s):
        c.append(("conj", s[: m.start()] + " and with " + m[1] + s[m.end() :].replace(", or with both", "")))
    if m := re.search(r"\b(only|solely)\b", s):
        c.append(("only", re.sub(r"\b(only|solely)\b", "also in other cases", s, count=1)))
    return rng.choice(c) if c else None


LEADS = [
    "",
    "",
    "",
    "",
    "",
    "Under this section, ",
    "The law says that ",
    "According to this provision, ",
    "Here ",
    "In such a case ",
    "Note that ",
]


def finish(s, p):
    s = modal(lay(s, p))
    s = re.sub(r"\s+", " ", s).strip(" ,;")
    l = rng.choice(LEADS)
    s = l + (s[0].lower() + s[1:] if l and s[:2] != "A " and not s[:2].isupper() else s)
    return s[0].upper() + s[1:] + "."


def shorten(s):
    if rng.random() < 0.4:
        s = re.sub(r"^(?:Subject to|Notwithstanding|Without prejudice to|Save as)[^,]*, ?", "", s)
    if rng.random() < 0.3:
        s = re.sub(
            r", (?:as the case may be|if any|from time to time|by order|by notification[^,]*),", " ", s
        )
    return s[0].upper() + s[1:] if s else s


DENY = re.compile(r"\b(not|no|No|nothing|Nothing|unless|without|except|neither|only)\b")


def pairs_by_rule(count: int) -> list[tuple[str, str, str, str, str]]:
    """So many of (act, passage, claim, verdict, kind)."""
    gold = shared_folder() / "gold"
    reg = yaml.safe_load((DATA / "registry.yaml").read_text())
    reglaw = set()
    for l in (gold / "sections.jsonl").open():
        t = squash(json.loads(l)["text"])
        reglaw.update(t[i : i + 60] for i in range(0, max(1, len(t) - 60), 20))
    byact = defaultdict(list)
    for l in gzip.open(gold / "central_acts_sections.jsonl.gz", "rt"):
        r = json.loads(l)
        if r["act"] in reg:
            continue
        sq = squash(r["text"])
        if any(sq[i : i + 60] in reglaw for i in range(0, max(1, len(sq) - 60), 20)[:400:7]):
            continue
        t = clean(r["text"])
        ss = sentences(t)
        if len(t) > 80 and ss:
            byact[r["act"]].append((r["section"], clean(r["heading"]), t, ss))
    out = []
    acts = [a for a in byact if len(byact[a]) > 3]
    pool = [(a, s) for a in acts for s in byact[a]]
    while len(out) < count:
        a, (num, head, t, ss) = rng.choice(pool)
        denies = [x for x in ss if DENY.search(x)]
        s = rng.choice(denies) if denies and rng.random() < 0.6 else rng.choice(ss)
        at = t.find(s[:40])
        room = 1100 - len(head)
        if len(t) > room:
            first = max(0, min(at - rng.randint(0, room // 2), len(t) - room))
            first = t.find(" ", first) + 1 if first else 0
            passage = f"{head.rstrip('.')}. {t[first : first + room]}"
        else:
            passage = f"{head.rstrip('.')}. {t}"
        p = rng.choice([0, 0.2, 0.5, 0.8, 0.8])
        st = structural(s) if rng.random() < 0.75 else None
        put = lambda c, v, k: out.append((a, passage, finish(c, p), v, k))
        # a supported one and its fault, of the same words
        if st:
            put(rng.choice(st[0]), "supported", "struct")
            put(rng.choice(st[1]), "contradicted", "struct")
            if rng.random() < 0.3:
                put(shorten(s), "supported", "same")
            continue
        u = rng.random()
        b = shorten(s)
        if u < 0.5:
            n = negate(b) if DENY.search(b) or rng.random() < 0.5 else None
            if n:
                put(b, "supported", "same")
                put(n, "contradicted", "neg")
        elif u < 0.75:
            w = swap(b, t)
            if w:
                put(b, "supported", "same") if rng.random() < 0.7 else None
                put(w[1], "contradicted", w[0])
        elif u < 0.9:
            x = rng.choice(EXTRA)
            if squash(x) not in squash(t):
                c = [y for o in byact[a] if o[0] != num for y in o[3]] if rng.random() < 0.3 else []
                put(
                    f"{b}, and {rng.choice(c)}"
                    if c
                    else f"{b} {x}"
                    if not x.startswith("and")
                    else f"{b}, {x}",
                    "partly",
                    "add",
                )
                if rng.random() < 0.4 and len(ss) > 1:
                    put(
                        f"{b}, and {rng.choice([y for y in ss if y != s and y[:40] in passage] or [b])}",
                        "supported",
                        "merge",
                    )
        else:
            o = rng.choice(byact[a] if rng.random() < 0.7 else rng.choice(pool)[1:])
            if o[0] != num:
                put(shorten(rng.choice(o[3])), "not", "off")
    rng.shuffle(out)
    return out[:count]
