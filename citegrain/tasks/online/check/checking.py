"""Each citation of a text, resolved against a build on a day."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from itertools import zip_longest

from citegrain.tasks.law import citing
from citegrain.tasks.law.citations import CaseCitation, find_citations
from citegrain.tasks.law.citing import ACT, FOREIGN, CitedProvision, Lexicon, Texts
from citegrain.tasks.law.instruments import PREFIXES, TITLE_YEAR
from citegrain.tasks.law.numbers import numbers_between
from citegrain.tasks.online.answer import called_by
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.check import quoting, reading
from citegrain.tasks.online.check.lookup import IN_SCHEDULE, NEAR, Lookup, Row
from citegrain.tasks.online.check.reading import MARKS, ReadText, TextState, latest_year, printed_years
from citegrain.tasks.online.check.schema import CheckedCitation, CheckedText, cited_case
from citegrain.tasks.online.estimate import act_names

EARLIER = re.compile(  # law that is gone
    r"\b(?:had|replaced|repealed|old|earlier|erstwhile|former|previous|continued"
    r"|(?:un)?till?\s+(?:\w+\s+){0,3}\d{1,4})\b",
    re.IGNORECASE,
)
_NOT_YET = re.compile(r"\b(?:before|propos|insert|includ|introduc|add)|\bnot\s+an?\s", re.IGNORECASE)
_TO = re.compile(r"\s*(?:\bto\b|\bse\b|[-\u2010-\u2015])\s*")
_LISTED = re.compile(r"\d-\w+-\d")  # 25-54-59 Arms Act
_COMMA = re.compile(r"\s*,\s*the\s")
_CHAINED = re.compile(
    r"(?:\(\w+\)|[\s,&/]|and|or|read|with|r/w|also)*(?:sections?|secs?\.?|ss?\.)\s*", re.IGNORECASE
)
_LONGEST_RANGE = 12
_REPORTER = re.compile(  # 1983 (4) SCC, 141 and 1994(5) SCC 346: what is in the way becomes a blank
    r"(?<=\bSC[CR]),(?=\s*\d)|(?<=\bS\.C\.[CR]\.),(?=\s*\d)|(?<=\b[12]\d\d\d)\((?=\d{1,3}\)\s*S)"
)

_REPORTED = re.compile(r"[\s,.([]{0,4}(?:reported\s+(?:in|as|at)\s+)?")
_SHORTENED = (
    r"(?:Ltd|Pvt|Co|Corpn|Inc|Ors?|Anr|Dr|Mr|Mrs|Mst?|Smt|Sh|Govt|Asst|Commr|Secy|Distt?|M/s)\.|(?:[A-Z]\.)+"
)
_WORD = rf"(?:{_SHORTENED}|\(?[A-Z][\w&’'/-]*+\)?)"
_PARTY = rf"{_WORD}(?:(?:,?\s+|\s+(?:of|and|the|for|&)\s+(?:the\s+)?)(?!AIR\b|SCC\b|INSC\b){_WORD}){{0,12}}"
_CASE = re.compile(rf"(?P<name>{_PARTY}\s+v(?:s|ersus)?\b\.?\s+{_PARTY})")
_LEADS = re.compile(r"^(?:(?:In|See|The|Per|As|And|But|Under|Also|By|While|However|Case|Like)\b[\s,]*)+")


class Checker:
    """Checks texts against one build."""

    def __init__(self, build: PublishedBuild) -> None:
        self.build, self.law = build, Lookup(build)
        names = [
            (a["act_id"], a["title"], [*a["aliases"], *_hyphenless(a["title"])])
            for a in self.law.acts.values()
            if a["kind"] != "judgment"
        ]
        self._lexicon, self._identify = Lexicon(names, initials=True), citing.identifier(names)

    def check(self, text: str, day: date, home: str = "", dated: bool = False) -> list[CheckedCitation]:
        """Every citation of a text, in order; signs of Markdown do not count.

        ``home``: id of the Act or rules that the text itself is. ``dated``: whether the day is that of the
        text.
        """
        plain, paragraphs = MARKS.sub(" ", text), reading.paragraphs_of(text, self._lexicon)
        reader = Texts("\n".join(p for _, p, _ in paragraphs), self._identify, self._lexicon, home)
        years = frozenset(map(int, re.findall(TITLE_YEAR, plain)))
        reports = [find_citations(_REPORTER.sub(" ", paragraph)) for _, paragraph, _ in paragraphs]
        reported = (case.text for cases in reports for case in cases)  # their years say nothing of the text's
        latest = latest_year(plain, Counter(year for text in reported for year in printed_years(text)))
        state = TextState(reader, day, dated, latest, years)
        out: list[CheckedCitation] = []
        per_paragraph = reader.find([paragraph for _, paragraph, _ in paragraphs])
        state.count.update(h.act for hits in per_paragraph for h in hits if h.stated and h.act)
        state.cited.update((h.act, h.kind, h.number) for hits in per_paragraph for h in hits if h.stated)
        acts = [{h.act for h in hits if h.stated and h.act} - {FOREIGN} for hits in per_paragraph]
        above = reading.acts_above(text, paragraphs, acts)
        rows = zip(paragraphs, reports, per_paragraph, above, strict=True)
        for (start, paragraph, length), cases, hits, act in rows:
            state.quoted.clear()
            state.here.clear()
            state.order = "", ""
            if state.above and act != state.above:
                state.bound.clear()
            state.above = act
            spans = [(case.start, case.end) for case in cases]
            cited = [h for h in hits if h.offset < length and not any(a <= h.offset < b for a, b in spans)]
            out += [self._case(start, case) for case in cases]
            out += self._cases_by_name(plain, start, paragraph, cases)
            before = 0
            for hit, following in zip_longest(cited, cited[1:]):
                until = following.offset if following else len(paragraph)
                alone = self._alone(hit, following, paragraph)
                if not alone.stated and alone.number:
                    alone = self.law.likely(state, alone, paragraph, before, until)
                before = hit.offset + len(hit.printed)
                checked = self._checked(state, alone, paragraph)
                if checked.provision_id and checked.kind != ACT:
                    checked = self._with_claims(state, checked, alone, paragraph, until)
                if alone.cued and not self.law.meant(state, alone, checked):
                    continue
                if checked.act:
                    state.bound.append(checked.act)
                    state.here.add(checked.act)
                    state.articles = checked.act if checked.kind == "article" else state.articles
                    if order := re.match(r"O\d+[A-D]*(?=R|$)", checked.number):
                        state.order = checked.act, order[0]
                further, message = self._between(state, alone, following, paragraph)
                both = "; ".join(filter(None, [checked.message, message]))
                for c in (*further, checked.model_copy(update={"message": both})):
                    out.append(c.model_copy(update={"start": start + c.start, "end": start + c.end}))
        return sorted((self._of_older(c, state) for c in out), key=lambda citation: citation.start)

    def _alone(self, hit: CitedProvision, following: CitedProvision | None, paragraph: str) -> CitedProvision:
        """A number of the Act of the next one only if that has it: section 107, and section 17 of the Act."""
        end, act = hit.offset + len(hit.printed), hit.act or ""
        if hit.kind != "section" or act not in self.law.acts or self.law.row(act, hit.kind, hit.number):
            return hit
        chained = following and following.act == act and _CHAINED.fullmatch(paragraph, end, following.offset)
        return replace(hit, stated=False) if chained or _COMMA.match(paragraph, end) else hit

    def _between(
        self, state: TextState, hit: CitedProvision, following: CitedProvision | None, paragraph: str
    ) -> tuple[list[CheckedCitation], str]:
        """Citations of what a range holds between its ends, ``378 to 382``; of a long one its count."""
        gap = paragraph[hit.offset + len(hit.printed) : following.offset] if following else ""
        if following is None or not _TO.fullmatch(gap):
            return [], ""
        end = following.offset + len(following.printed)
        if _LISTED.search(paragraph, max(0, hit.offset - 2), end + 2):
            return [], ""
        first, last, act = hit.number, following.number, hit.act or ""
        numbers, indexed = numbers_between(first, last), act in self.law.acts
        there = [n for n in (first, *numbers, last) if indexed and self.law.row(act, hit.kind, n)]
        if len(numbers) > _LONGEST_RANGE:
            count = f"{first} to {last} are {len(numbers) + 2} numbers, of which"
            return [], f"{count} {self.law.title(act)} has {len(there)}" if indexed else ""
        words = hit.text.removesuffix(hit.printed)
        inside = (
            replace(hit, number=n, text=f"{words}{n.rpartition('R')[2]}", sub="", offset=following.offset)
            for n in numbers
            if n in there or not indexed
        )
        return [self._checked(state, one, paragraph) for one in inside], ""

    def _cases_by_name(
        self, plain: str, at: int, paragraph: str, reported: Sequence[CaseCitation]
    ) -> Iterator[CheckedCitation]:
        """Cases that a sentence names without a reporter; what fills its row is a title."""
        for match in _CASE.finditer(paragraph):
            lead = _LEADS.match(match["name"])
            start = match.start() + (lead.end() if lead else 0)
            name = paragraph[start : match.end()].rstrip(" .,0123456789")
            end = start + len(name)
            row_start = plain.rfind("\n", 0, at + start) + 1
            row = plain[row_start : at + start] + plain[at + end :].split("\n", 1)[0]
            in_sentence = re.search(r"\b(?!of\b|others?\b|another\b)[a-z]{2}", row)
            if in_sentence and not any(_REPORTED.fullmatch(paragraph, end, case.start) for case in reported):
                yield cited_case(at + start, at + end, name, self.law.case_named(name), name)

    def _checked(self, state: TextState, hit: CitedProvision, paragraph: str) -> CheckedCitation:
        """A citation with its status, by its number alone; offsets are those in the paragraph."""
        law, act, reader = self.law, hit.act or "", state.reader
        letter = re.match(r"\(([A-Z])\)", hit.sub)  # 304(A) IPC
        if letter and law.row(act, hit.kind, hit.number + letter[1]):
            hit = replace(hit, number=hit.number + letter[1])
        behind = paragraph[hit.offset : hit.offset + NEAR]
        base = CheckedCitation(
            start=hit.offset,
            end=hit.offset + len(hit.printed),
            words=" ".join(hit.text.split()),
            kind=hit.kind,
            number=hit.number,
            act=act,
            title=law.title(act) if act in law.acts else reader.called.get(act, act),
            status="act_not_named",
        )
        if act == FOREIGN:
            return _unknown(base, "a treaty, or law of another country", act="", title="")
        if act in law.acts and act[-4:].isdigit() and int(act[-4:]) > state.latest and law.older_years(act):
            message = f"the text is older than {law.title(act)}: an earlier Act of this name is meant"
            return _unknown(base, message, act="")
        if act and act not in law.acts:
            return _unknown(base, self._meant(base.title))
        if hit.kind == ACT:
            return base.model_copy(update=law.act_status(act, state.day, state.dated))
        row = law.row(act, hit.kind, hit.number) if act else None
        if act and not row and hit.kind == "article" and hit.stated:
            if IN_SCHEDULE.match(behind, len(hit.printed)):
                return _unknown(base, f"articles of Schedules of {law.title(act)} are not indexed")
            row = law.row(act, "section", hit.number)
        if row and (hit.stated or row.status == "in_force"):
            return self._of_row(base, act, row, state)
        if act and not row and act[-4:] not in behind and (namesake := _older_namesake(act, reader)):
            return _unknown(base, act=namesake, title=reader.called[namesake])
        if row:
            return self._of_row(base, act, row, state)
        if not act:
            return base
        if (hit.kind, hit.number) in reader.drafts:
            return _unknown(base, "the text cites it of a draft")
        if hit.kind in ("rule", "regulation") and law.acts[act]["kind"] != "rules" and hit.number[:1] != "O":
            return _unknown(base, f"{hit.kind}s under {law.title(act)} are not indexed")
        prefix = PREFIXES.get(hit.kind)
        if prefix and (one := self.build.inserting(f"{act}/{prefix}_{hit.number}")):
            by = called_by(self.build, one["amended_by"], one["provision_id"])
            return _unknown(base, f"{by} inserts it, which the text at hand does not have")
        older, around = law.older_years(act), paragraph[max(0, hit.offset - NEAR) : hit.offset + NEAR]
        dated = re.match(rf"[^\d.;]{{0,150}}{act[-4:]}\b", behind[len(hit.printed) :])
        if older and not dated and (older & state.years or EARLIER.search(around)):
            state.older.add((act, hit.number))
        message = law.numbers(act, hit.kind, hit.number)
        return base.model_copy(update={"status": "no_such_provision", "message": message})

    def _meant(self, title: str) -> str:
        """What a title may mean that no Act here has: a mistyped one, or the name with another year."""
        if (read := act_names(self.build).read(title)) != title:
            return f"the {read} may be meant"
        name = re.sub(rf",?\s*{TITLE_YEAR}$", "", title).removeprefix("The ")
        acts = [act for p in self._lexicon.find(name) if p.end - p.start == len(name) for act in p.act_ids]
        titles = [self.law.title(act).removeprefix("The ") for act in acts]
        return f"of this name the {' and the '.join(titles)} is here" if name != title and titles else ""

    def _of_older(self, checked: CheckedCitation, state: TextState) -> CheckedCitation:
        """What an Act does not have may be of the one that it replaced, where the text speaks of that."""
        if checked.status != "no_such_provision" or (checked.act, checked.number) not in state.older:
            return checked
        return _unknown(checked, f"{checked.message}; an earlier Act of this name may be meant")

    def _of_row(self, base: CheckedCitation, act: str, row: Row, state: TextState) -> CheckedCitation:
        printed, title = self.law.printed(row), self.law.title(act)
        resolved = {
            "act": act,
            "title": title,
            "provision_id": row.provision_id,
            "heading": row.heading,
            "link": self.build.link(printed["document_id"], printed["page_start"]),
        } | self.law.status(act, row, state.day, state.dated)
        if {base.kind, row.kind} == {"section", "article"}:
            note = f"{title} has {row.kind}s: {row.kind} {row.number} is meant"
            both = "; ".join(filter(None, [note, resolved.get("message", "")]))
            resolved |= {"kind": row.kind, "message": both}
        return base.model_copy(update=resolved)

    def _with_claims(
        self, state: TextState, checked: CheckedCitation, hit: CitedProvision, paragraph: str, until: int
    ) -> CheckedCitation:
        """A citation whose parts, quoted words and heading are compared with the provision, too."""
        row = self.law.row(checked.act, checked.kind, checked.number)
        if row is None or row.status != "in_force" or self.law.amended_since(row, state.day):
            return checked
        text, before = str(self.law.printed(row)["text"]), paragraph[max(0, hit.offset - NEAR) : hit.offset]
        marks = citing.part_marks(before, hit.sub, paragraph[checked.end : until])
        absent = self.law.absent(row, marks) or quoting.absent_supplement(before, text)
        bare = not hit.stated and hit.kind == "section"
        if absent and bare:
            nothing = dict.fromkeys(("act", "title", "provision_id", "heading", "link", "message"), "")
            return checked.model_copy(update=nothing | {"status": "act_not_named"})
        around = before[-60:] + paragraph[checked.end : checked.end + 60]
        if absent and not _NOT_YET.search(around) and not EARLIER.search(around):
            return self._wrong(checked, hit, "no_such_provision", absent)
        text = f"{row.number} {row.heading} {text}"
        for claim in quoting.claims_of(paragraph, hit.offset, checked.end, until):
            if claim.kind == "quotation":
                if claim.start in state.quoted:  # the provision before it quotes it
                    continue
                state.quoted.add(claim.start)
                message = quoting.quotation_difference(claim, checked.number, text)
            else:
                words, heading = claim.words, checked.heading
                number = quoting.other_heading(words, heading, text, self.law.headings(checked.act))
                message = number and f"“{words}” is {checked.kind} {number}; this is “{heading}”"
            if message:
                return self._wrong(checked, hit, f"{claim.kind}_differs", message)
        return checked

    @staticmethod
    def _wrong(checked: CheckedCitation, hit: CitedProvision, status: str, message: str) -> CheckedCitation:
        both = "; ".join(filter(None, [message, checked.message]))
        if (checked.kind, hit.kind) == ("article", "section"):  # of a constitution that has sections, perhaps
            status = "not_indexed"
        return checked.model_copy(update={"status": status, "message": both})

    def _case(self, start: int, case: CaseCitation) -> CheckedCitation:
        act = self.law.cases.get(case.key, "")
        title = self.law.title(act) if act else ""
        return cited_case(start + case.start, start + case.end, case.text, act, title)


def check_text(build: PublishedBuild, read: ReadText, name: str, as_of: str, today: str) -> CheckedText:
    """Every citation of a text that was read, with its page; ``name``: of its file.

    ``as_of``: the day whose law counts, ISO; empty for the day of the text itself, and ``today`` where it
    bears none.
    """
    checker = build.shared("checker", lambda: Checker(build))
    dated = None if as_of else reading.day_of(read.text, date.fromisoformat(today))
    day = as_of or (dated.isoformat() if dated else today)
    home = read.home or reading.home_of(read.text)
    citations = checker.check(read.text, date.fromisoformat(day), home, dated is not None)
    return CheckedText(
        file=name,
        as_of=day,
        dated=dated is not None,
        build=f"{build.folder.parent.name}/{build.folder.name}",
        words=len(read.text.split()),
        unread_pages=read.unread,
        citations=[c.model_copy(update={"page": read.page(c.start)}) for c in citations],
    )


def _unknown(checked: CheckedCitation, message: str = "", **more: str) -> CheckedCitation:
    return checked.model_copy(update={"status": "not_indexed", "message": message} | more)


def _older_namesake(act: str, reader: Texts) -> str:
    """The id of an earlier Act of this name that the text names with its year; empty if none."""
    stem, _, year = act.rpartition("-")
    older = (other for other in reader.called if other.rpartition("-")[0] == stem and other[-4:] < year)
    return next(older, "") if year.isdigit() else ""


def _hyphenless(title: str) -> list[str]:
    """Prevention of Money Laundering Act and PML Act, of Prevention of Money-laundering Act."""
    stem = re.sub(rf",?\s*{TITLE_YEAR}$|\s*\([^)]*\)", "", title.removeprefix("The "))
    return [plain, *citing.initialisms(plain)[:1]] if (plain := stem.replace("-", " ")) != stem else []
