"""What a build says of an Act, a provision or a case that a text cites, on a day."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from functools import cached_property
from itertools import pairwise
from math import log1p
from typing import Any, NamedTuple

from citegrain.tasks.core.schemas import JUDGMENTS, PROVISIONS
from citegrain.tasks.law import citing
from citegrain.tasks.law.citations import find_citations, name_key
from citegrain.tasks.law.citing import FOREIGN, CitedProvision, part_marks
from citegrain.tasks.law.in_force import GONE, STRUCK_DOWN, UNKNOWN, absence, struck_note, to_come
from citegrain.tasks.law.instruments import ACT_NOUNS, CONSTITUTION, TITLE_YEAR
from citegrain.tasks.law.numbers import normal, order_of, roman
from citegrain.tasks.online.answer import commencement, counterpart_line, with_counterparts
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.check.quoting import stems
from citegrain.tasks.online.check.reading import TextState
from citegrain.tasks.online.check.schema import CheckedCitation

_KINDS = {
    "section": ("section", "article"),
    "article": ("article", "entry"),
    "rule": ("rule", "order"),
    "regulation": ("regulation", "rule"),
}  # what a citation of a kind may mean
_CITED = frozenset(kind for kinds in _KINDS.values() for kind in kinds)
_PARTS = ("subsection", "clause")
_CLAUSE = re.compile(r"[.;]\s")
_IBID = re.compile(r"\b(?:[Ii]bid\b[\s,.;]*|(?:[Ii]ts|whose)\s+)(?:[A-Za-z./]+\s*)?$")
_ERA = re.compile(  # now section 80; the old section 302
    r"\b(?:(?P<new>now|new|today)|old|earlier|formerly|previously|erstwhile|purana|pehle)\W+(?:[\w./]+\W+){0,3}?$",
    re.IGNORECASE,
)
IN_SCHEDULE = re.compile(r"[\s,]*of\s+(?:the\s+)?(?:\w+\s+)?Sch")
_OF_OTHER = re.compile(  # of an Act that the reader does not know
    rf"(?:\s?\(\w+\))*\s+(?:of|under)\s+(?:the\s+)?(?!(?:{ACT_NOUNS})\b)[A-Z][\w.&]*(?:\s+[\w&()]+){{0,6}}?\s+(?:{ACT_NOUNS})\b"
)
_OF_ERA = re.compile(  # section 397 of the old Act
    r"(?:\(\w+\))*\s+of\s+(?:the\s+)?(?:(?P<new>new|present)|old|earlier|former|erstwhile|repealed)\s"
)
_OF_ANOTHER = re.compile(r"\s+of\b(?!\s+(?:(?:the|that|said|same)\s+)+Order\b)")  # rule 4 of the society
_LISTED = re.compile(r"(?:(?:[\s,/&-]|\b(?:and|or|to)\b)+\d{1,3}[A-Z]{0,2}(?:\(\w{1,4}\))*)*")
_LEAST, _AHEAD = -1.0, 0.4  # what the score of an Act has at least, and more than the next one
_RECENT = 25  # citations of which an Act is no news
NEAR = 200
"""Characters in which the name of the Act of a number ends."""


class Row(NamedTuple):
    """A provision that can be cited."""

    provision_id: str
    kind: str
    number: str
    status: str
    heading: str
    version: date | None


class Lookup:
    """The Acts, provisions and cases of one build, by what a text says of them."""

    def __init__(self, build: PublishedBuild) -> None:
        self.build = build
        self.acts = {act["act_id"]: act for act in build.acts}

    def title(self, act: str) -> str:
        """Title of an Act of the build."""
        return str(self.acts[act]["title"])

    def row(self, act: str, kind: str, number: str) -> Row | None:
        """The provision that a citation means, of the latest version; None where there is none."""
        keys = [number.upper(), f"ART{number.upper()}"] if kind == "article" else [number.upper()]
        rows = [row for key in keys for row in self._rows.get((act, key), ()) if row.kind in _KINDS[kind]]
        return max(rows, key=lambda row: (row.status == "in_force", row.version or date.min), default=None)

    def printed(self, row: Row) -> dict[str, Any]:
        """The row of ``provisions``."""
        return self.build.provision_row(row.provision_id, row.version)

    def headings(self, act: str) -> dict[str, str]:
        """Heading of each provision of an Act, by number."""
        return {row.number: row.heading for row in self._by_act[act]}

    def status(self, act: str, row: Row, day: date, dated: bool) -> dict[str, str]:
        """``status`` and ``message`` of a provision on a day; ``dated``: which is that of the text.

        What the edition at hand no longer has may have been law before it: of that nothing is known. A text
        cites what is to come before its first day, never by mistake.
        """
        last, printed = self.build.last_day(act), self.printed(row)
        if last is not None and last < day and row.status == "in_force":
            return self._replaced({"provision_id": row.provision_id}, last)
        is_struck = struck_note(printed) and not printed["valid_to"]  # on a day that is not told
        if self.build.in_force(row.provision_id, day) and not is_struck:
            return {"status": "in_force", "message": " ".join(commencement(self.build, printed, day))}
        kind, message = absence(printed, self.acts[act], day)
        if kind == STRUCK_DOWN:
            return {"status": kind, "message": "the edition at hand notes that a court struck it down"}
        if kind == UNKNOWN:
            return {"status": "not_indexed", "message": message}
        if kind == GONE:
            gone = row.status != "in_force"
            message = f"{row.status} before the edition at hand" if gone else f"not law on {day}"
            return {"status": "repealed", "message": message}
        return {"status": "in_force" if dated else "not_yet_in_force", "message": message}

    def act_status(self, act: str, day: date, dated: bool) -> dict[str, str]:
        """``status`` and ``message`` of an Act, as :meth:`status` has those of a provision."""
        last = self.build.last_day(act)
        if last is not None and last < day:
            return self._replaced({"provision_id": act}, last)
        begins = self.acts[act]["in_force_from"]
        if begins and begins > day:
            status = "in_force" if dated else "not_yet_in_force"
            return {"status": status, "message": f"law since {begins}"}
        return {"status": "in_force"}

    def _replaced(self, charge: dict[str, str], last: date) -> dict[str, str]:
        replaced = with_counterparts(self.build, charge)
        line, other = counterpart_line(replaced), replaced["replacement"]
        if line and "/" not in charge["provision_id"]:  # an Act has no similar section
            line = f"since {other['since']}: {other['title']}"
        return {"status": "replaced" if line else "repealed", "message": line or f"law until {last}"}

    def amended_since(self, row: Row, day: date) -> bool:
        """Whether the words of a provision may have been others on a day than in the edition at hand."""
        if row.version is None or day >= row.version:
            return bool(to_come(self.printed(row), day))
        notes = self.printed(row)["notes"]
        years = (int((re.findall(TITLE_YEAR, note["by_act"] or "") or ["9999"])[-1]) for note in notes)
        return any((n["effective"] or date(year, 12, 31)) > day for n, year in zip(notes, years, strict=True))

    def likely(
        self, state: TextState, hit: CitedProvision, paragraph: str, start: int, until: int
    ) -> CitedProvision:
        """A number that stands without an Act, with the likeliest of those that the text names.

        ``start``, ``until``: where the citation before it ends and the next begins. The weights are fitted.
        """
        end, act = hit.offset + len(hit.printed), hit.act
        if elsewhere := self._elsewhere(state, hit, paragraph, end):
            return elsewhere
        ahead = paragraph[max(start, hit.offset - NEAR) : hit.offset]
        era = _ERA.search(ahead) or _OF_ERA.match(paragraph, end)
        rest, recent = _LISTED.match(paragraph, end), state.bound[-_RECENT:]
        noun = state.reader.noun(paragraph, rest.end() if rest else end)
        kind = "section" if hit.number[0] == "O" or hit.kind == "article" else hit.kind
        eras = self._of_era(state, era)
        acts = dict.fromkeys(a for a in (*state.reader.called, act, *eras) if a)
        possible = [a for a in acts if a not in (CONSTITUTION, FOREIGN) and citing.has_kind(a, kind)]
        called_so = ([act for act in possible if noun in citing.nouns_of(act)[:n]] for n in (1, 2))
        possible = next(filter(None, called_so), possible)
        rows = {a: self.row(a, hit.kind, hit.number) for a in possible if a in self.acts}
        said = citing.said_act(paragraph[hit.offset : end + NEAR], hit) or _IBID.search(ahead)
        last = next((a for a in reversed(recent) if a in possible or not (said and (noun or possible))), "")
        if said and not era and last and (rows.get(last, last) or (noun and hit.kind != "article")):
            return replace(hit, act=last, stated=bool(noun), cued=False)
        if (state.reader.home and act) or act == FOREIGN or hit.kind == "article":
            return hit
        behind = paragraph[end : min(until, end + NEAR)]
        words = stems(f"{_CLAUSE.split(ahead)[-1]} {_CLAUSE.split(behind)[0]}")
        marks = part_marks(paragraph[max(0, hit.offset - NEAR) : hit.offset], hit.sub, paragraph[end:until])
        defined = state.reader.defined.get(noun) if noun else None
        stated_of = [act for act in possible if (act, hit.kind, hit.number) in state.cited]

        def score(act: str) -> float:
            total = 0.85 * log1p(2 * state.count[act]) + 0.7 * (act == hit.act) + 1.4 * (act in state.here)
            total += 4.0 * (act == state.above) + 2.0 * (act == defined) + 1.5 * (state.here == {act})
            total += (1.2 + 0.8 * (act in state.here)) * (act == last)
            total += (3 + (len(stated_of) == 1)) * (act in stated_of) - 2.3 * (act not in recent)
            if era:
                later = any(a[:-4] == act[:-4] and a > act and act[-4:].isdigit() for a in possible)
                gone = later or self.acts.get(act, {}).get("in_force_to")
                total += 4 * (act in eras) + 6 * ((era["new"] is None) == bool(gone))
            row = rows.get(act)
            if row is None or row.status != "in_force":
                return total - (3 if act in rows else 2.2)
            near = _nearness(words, row.heading, str(self.printed(row)["text"]))
            return total + near - 2.2 * bool(self.absent(row, marks))

        if len(possible) < 2:
            only = next((a for a in possible if state.bound or rows.get(a) or a not in rows), None)
            cued = hit.cued and not (noun and only)
            return replace(hit, act=only, stated=bool(only and state.bound), cued=cued)
        scores = {act: score(act) for act in possible}
        best = max(scores, key=scores.__getitem__)
        others = [n for a, n in scores.items() if a != best and not (rows.get(best) and not rows.get(a, a))]
        sure = (best in rows or scores[best] > _LEAST) and scores[best] - max(others, default=-9.0) > _AHEAD
        likeliest = best if (noun or sure) and rows.get(best, best) else None
        certain = likeliest and (noun or likeliest in eras)
        return replace(hit, act=likeliest, cued=hit.cued and not certain)

    def _of_era(self, state: TextState, era: re.Match[str] | None) -> list[str]:
        """The Act that replaced the last one of the text, or those that it replaced, as ``era`` says."""
        act = state.bound[-1] if era and state.bound else ""
        replaced_by = self.acts.get(act, {}).get("replaced_by")
        if era and era["new"]:
            return [replaced_by] if replaced_by else []
        return [other for other, facts in self.acts.items() if act and facts["replaced_by"] == act]

    def _elsewhere(
        self, state: TextState, hit: CitedProvision, paragraph: str, end: int
    ) -> CitedProvision | None:
        """A number as the text cites it elsewhere, of the Constitution, of a treaty or of a Schedule."""
        elsewhere = CONSTITUTION if hit.kind == "article" else FOREIGN
        if {a for a in (CONSTITUTION, FOREIGN) if (a, hit.kind, hit.number) in state.cited} == {elsewhere}:
            return replace(hit, act=elsewhere)
        as_article = {k for a, k, n in state.cited if n == hit.number and k != "rule"} == {"article"}
        if hit.cued and (as_article or state.here == {CONSTITUTION}):
            text = hit.text.replace("section", "article", 1)
            return replace(hit, act=CONSTITUTION, kind="article", text=text)
        if hit.kind == "article" and hit.act != FOREIGN and IN_SCHEDULE.match(paragraph, end):
            recent = reversed(state.bound[-_RECENT:])
            return replace(hit, act=next((a for a in recent if self.row(a, "article", hit.number)), None))
        if not (state.reader.home or hit.act == FOREIGN):  # article 113, R. 2: of what was last named
            (act, order), kind = (state.articles, ""), "article"
            if hit.kind == "rule" and not _OF_ANOTHER.match(paragraph, end):
                (act, order), kind = state.order, "rule"
            number = f"{order}R{hit.number}" if order else hit.number
            if hit.kind == kind and self.row(act, kind, number):
                return replace(hit, act=act, number=number, stated=kind == "rule")
        unread = hit.kind != "article" and not state.reader.home and _OF_OTHER.match(paragraph, end)
        return replace(hit, act=None) if unread else None

    def meant(self, state: TextState, hit: CitedProvision, cited: CheckedCitation) -> bool:
        """Whether a number to which a preposition alone leads is a citation.

        It is of an Act that is spoken of near it, with parts also of any that the text cites and that has
        them; a whole number only where one Act alone may be meant.
        """
        near = {*state.here, state.above} - {""}
        if hit.sub or not hit.number.isdigit():
            near |= {*state.bound[-1:]}
            near |= {cited.act} if cited.provision_id and state.count[cited.act] else set()
        elif not hit.stated:
            near = {a for a in near if a not in self.acts or self.row(a, cited.kind, hit.number)}
            near = near if len(near) == 1 else set()
        return hit.stated or (cited.act in near and cited.status != "no_such_provision")

    def absent(self, row: Row, marks: Sequence[Sequence[str]]) -> str:
        """Which of some parts of a provision does not exist, and which do; empty where all may."""
        return next(filter(None, (self.absent_part(row, groups) for groups in marks)), "")

    def absent_part(self, row: Row, groups: Sequence[str]) -> str:
        """Which of a provision's parts does not exist, and which do; empty where all may.

        ``groups``: marks from the outside in, as 2 and b of ``(2)(b)``. A mark that stands anywhere in the
        text is one that exists; of parts that are not numbered from the first on, nothing is known.
        """
        at, place, text = row.provision_id, "", str(self.printed(row)["text"])
        for group in groups if text.strip() else ():
            parts = self._parts.get((at, row.version), {})
            if group in parts:
                at, place = parts[group], f"{place}({group})"
                text = str(self.build.provision_row(at, row.version)["text"])
                continue
            if _has(text, group):
                continue
            digit, within = group[0].isdigit(), at != row.provision_id
            numeral = roman(group) if len(group) > 1 else within and group in "ivxIVX"
            if not digit and numeral:  # i may be the ninth clause; no law has 100 clauses, (c)
                return ""
            alike = [mark for mark in parts if mark[0].isdigit() == digit]
            first, *others = (
                ("1", "2") if digit else ("a", "b", "i")
            )  # the first may be lost behind a heading
            if group in ("i", "I") and not alike:
                return ""  # 506(i) is what 506 says in its first part
            if group == first and not alike:
                continue
            begins = alike[:1] == [first] or (not digit and within and alike[:1] == ["i"])
            while begins and (following := _next(alike[-1])) and _has(text, following):
                alike.append(following)
            if (alike and not begins) or alike == [first] or (not alike and _has(text, first, *others)):
                return ""
            name = "sub-" + row.kind if digit and not within and row.kind != "article" else "clause"
            there = f"{name}s {_ranges(alike)}" if alike else _ranges([*parts]) or f"no {name}s"
            return f"no such {name}: {row.kind} {row.number}{place} has {there}"
        return ""

    @cached_property
    def _parts(self) -> dict[tuple[str, date | None], dict[str, str]]:
        """Ids of the parts of a provision or part by mark, in order."""
        table = self.build.table(PROVISIONS)
        columns = table.select(["parent_id", "version_date", "kind", "number", "provision_id"]).to_pydict()
        out: dict[tuple[str, date | None], dict[str, str]] = {}
        for parent, version, kind, number, part in zip(*columns.values(), strict=True):
            if kind in _PARTS:
                out.setdefault((parent, version), {}).setdefault(number.rpartition("(")[2].rstrip(")"), part)
        return out

    @cached_property
    def cases(self) -> dict[str, str]:
        """Judgments of the build by the key of each of their citations, and of their names."""
        acts = {act["document_id"]: act["act_id"] for act in self.acts.values() if act["kind"] == "judgment"}
        rows = self.build.table(JUDGMENTS).to_pylist() if acts else []
        reported = {
            case.key: acts[row["document_id"]]
            for row in rows
            for words in (*row["citations"], *row["also_reported"])
            for case in find_citations(words)
        }
        names = {name_key(row["case_name"]): acts[row["document_id"]] for row in rows}
        return names | reported

    def case_named(self, name: str) -> str:
        """The judgment of a name, which may leave out words of its cause title; empty for none."""
        words = set(name_key(name).split())
        near = (act for key, act in self.cases.items() if "/" not in key and words <= set(key.split()))
        return next(near, "") if len(words) > 3 else self.cases.get(name_key(name), "")

    @cached_property
    def _rows(self) -> dict[tuple[str, str], list[Row]]:
        columns = ["provision_id", "kind", "number", "status", "heading", "version_date"]
        table = self.build.table(PROVISIONS).select([*columns, "act_id"])
        out: dict[tuple[str, str], list[Row]] = {}
        for row in table.to_pylist():
            if row["kind"] in _CITED:
                key = (row["act_id"], normal(row["number"]).upper())
                out.setdefault(key, []).append(Row._make([row[name] for name in columns]))
        return out

    @cached_property
    def _by_act(self) -> dict[str, list[Row]]:
        out: dict[str, list[Row]] = {}
        for (act, _), rows in self._rows.items():
            out.setdefault(act, []).extend(rows)
        return out

    def numbers(self, act: str, kind: str, number: str) -> str:
        """Which provisions of this kind an Act has, for one that it has not."""
        rows = self._by_act.get(act, [])
        if order := re.match(r"O\d+[A-D]*(?=R|$)", number):
            rows = [r for r in rows if r.number.upper().startswith(f"{order[0]}R")]
            rules = sorted({r.number[order.end() + 1 :] for r in rows}, key=order_of)
            there = f"Order has rules {rules[0]} to {rules[-1]}" if rules else ""
            return there or f"{self.title(act)} has no such Order"
        numbered = [
            r._replace(number=plain)
            for r in rows
            if r.kind in _KINDS[kind]
            and (plain := r.number.upper().removeprefix("ART"))[:1].isdigit()
            and (r.kind != "entry" or plain != r.number)
        ]
        numbers = sorted({normal(r.number) for r in numbered}, key=order_of)
        if not numbers:
            return f"{self.title(act)} has no {kind}s"
        alike = [n for n in numbers if order_of(n)[0] == order_of(number)[0]]
        near = f"; of {order_of(number)[0]} there are {', '.join(alike)}" if len(alike) > 1 else ""
        return f"{self.title(act)} has {kind}s {numbers[0]} to {numbers[-1]}{near}"

    def older_years(self, act: str) -> frozenset[int]:
        """Years of earlier Acts of the same name that an Act itself names: it repealed them."""
        return self.build.shared(("older years", act), lambda: frozenset(self._named_years(act)))

    def _named_years(self, act: str) -> list[int]:
        year = int((re.findall(TITLE_YEAR, self.title(act)) or ["0"])[-1])
        stem = re.sub(rf"^The\s+|,?\s*{TITLE_YEAR}$", "", self.title(act))
        pattern = re.compile(rf"{re.escape(stem)},?\s*(?P<year>{TITLE_YEAR})")
        texts = (str(self.printed(row)["text"]) for row in self._by_act.get(act, []))
        years = (int(match["year"]) for text in texts for match in pattern.finditer(text))
        return [other for other in years if other < year]


def _nearness(words: frozenset[str], heading: str, text: str) -> float:
    """How much the words around a number have in common with a provision; the weights are fitted."""
    headed = stems(heading)
    both = len(words & headed)
    share = len(words & (headed | stems(text))) / max(2, len(words))
    return 0.6 * min(3, both) + both / max(1, len(headed)) + 2.4 * share


def _has(text: str, *marks: str) -> bool:
    """Whether one of some marks of parts stands in a text."""
    return any(re.search(rf"\(\s*{re.escape(mark)}\s*\)", text, re.IGNORECASE) for mark in marks)


def _next(mark: str) -> str:
    """The mark that follows another, as 2 follows 1; empty behind one of several letters."""
    return str(int(mark) + 1) if mark.isdigit() else chr(ord(mark) + 1) if len(mark) == 1 else ""


def _ranges(marks: Sequence[str]) -> str:
    """Marks in words: ``(1) to (12), (14)``."""
    begin = [n for n, mark in enumerate(marks) if not n or mark != _next(marks[n - 1])]
    runs = (marks[first:end] for first, end in pairwise([*begin, len(marks)]))
    return ", ".join(" to ".join(f"({mark})" for mark in dict.fromkeys((run[0], run[-1]))) for run in runs)
