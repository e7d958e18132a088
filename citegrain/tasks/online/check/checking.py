"""Each citation of a text, resolved against a build on a day."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from citegrain.tasks.core.schemas import JUDGMENTS, PROVISIONS
from citegrain.tasks.law.cases import CaseCitation, find_citations
from citegrain.tasks.law.citing import ACT, CitedProvision, Lexicon, Texts, identifier, said_act
from citegrain.tasks.law.instruments import ACT_NOUNS, TITLE_YEAR
from citegrain.tasks.law.numbers import normal, order_of
from citegrain.tasks.online.answer import counterpart_line, with_counterparts
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.check.quoting import claims_of, other_heading, quotation_difference
from citegrain.tasks.online.check.reading import read_file
from citegrain.tasks.online.check.schema import CheckedCitation, CheckedText

_KINDS = {
    "section": ("section", "article"),
    "article": ("article", "entry"),
    "rule": ("rule",),
    "regulation": ("regulation", "rule"),
}  # what a citation of a kind may mean
_STRUCK = re.compile(r"\bstruck\s+down\b|\bunconstitutional\b", re.IGNORECASE)
_CITED = frozenset(kind for kinds in _KINDS.values() for kind in kinds)
_NEAR = 200  # characters in which the name of the Act of a number ends
_MARKS = re.compile(r"[\r\t\f\v*_`#>|]")  # of Markdown, and blanks
_BREAK = re.compile(  # a numbered row begins a paragraph where a sentence ended: "Section" may end a row
    r"\n[ \t]*\n|\n(?=\s*[-*•]\s)|(?<=[.;:!?”\"’)\]—-])\n(?=\s*\(?[0-9ivx]{1,4}[.)]\s)"
)
_REPORTER = re.compile(
    r"\b(S\.?\s?C\.?\s?[CR]\.?),(?=\s*\d)"
)  # a comma may stand behind it: 1983 (4) SCC, 141
_PRINTED_YEAR = re.compile(
    rf"(?P<title>\b(?:{ACT_NOUNS}|Rules|Regulations),?\s+(?:of\s+)?\(?)?\b(?P<year>{TITLE_YEAR})\b"
)
_SHORT_YEAR = re.compile(r"\b\d{1,2}[./-]\d{1,2}[./-](\d\d)\b(?!\d)")


class Row(NamedTuple):
    """A provision that can be cited."""

    provision_id: str
    kind: str
    number: str
    status: str
    heading: str
    version: date | None
    valid_from: date | None
    struck: bool


class Checker:
    """Checks texts against one build."""

    def __init__(self, build: PublishedBuild) -> None:
        self.build = build
        self._acts = {act["act_id"]: act for act in build.acts}
        names = [
            (a["act_id"], a["title"], a["aliases"]) for a in self._acts.values() if a["kind"] != "judgment"
        ]
        self._lexicon, self._identify = Lexicon(names, initials=True), identifier(names)

    def check(self, text: str, day: date, home: str = "") -> list[CheckedCitation]:
        """Every citation of a text, in order.

        Parameters
        ----------
        text
            Paragraphs, an empty line between them. Signs of Markdown do not count.
        day
            The day whose law counts.
        home
            Id of the Act or rules that the text itself is, if it is one.
        """
        plain = _MARKS.sub(" ", text)
        paragraphs = list(_paragraphs(plain))
        reader = Texts("\n".join(p for _, p in paragraphs), self._identify, self._lexicon, home)
        out: list[CheckedCitation] = []
        bound: list[str] = []
        latest = _latest_year(plain)
        for (start, paragraph), hits in zip(
            paragraphs, reader.find([paragraph for _, paragraph in paragraphs]), strict=True
        ):
            cases = find_citations(_REPORTER.sub(r"\1 ", paragraph))
            spans = [(case.start, case.end) for case in cases]
            cited = [h for h in hits if not any(a <= h.offset < b for a, b in spans)]
            out += [self._case(start, case) for case in cases]
            for hit, following in zip_longest(cited, cited[1:]):
                checked = self._checked(
                    reader, hit, paragraph[hit.offset : hit.offset + _NEAR], bound, latest, day
                )
                if checked.provision_id and checked.kind != ACT:
                    until = following.offset if following else len(paragraph)
                    checked = self._with_claims(checked, paragraph, hit.offset, until, day)
                bound += [checked.act] if checked.act else []
                moved = {"start": start + checked.start, "end": start + checked.end}
                out.append(checked.model_copy(update=moved))
        return sorted(out, key=lambda citation: citation.start)

    def _checked(
        self, reader: Texts, hit: CitedProvision, behind: str, bound: Sequence[str], latest: int, day: date
    ) -> CheckedCitation:
        """A citation with its status, by its number alone; offsets are those in the paragraph."""
        act = hit.act or ""
        end = hit.offset + len(hit.printed)
        base = CheckedCitation(
            start=hit.offset,
            end=end,
            words=" ".join(hit.text.split()),
            kind=hit.kind,
            number=hit.number,
            act=act,
            title=self._acts[act]["title"] if act in self._acts else reader.called.get(act, act),
            status="act_not_named",
        )
        if act in self._acts and self._earlier(act, latest):
            message = (
                f"the text is older than {self._acts[act]['title']}: an earlier Act of this name is meant"
            )
            return base.model_copy(update={"status": "not_indexed", "act": "", "message": message})
        if act and act not in self._acts:
            return base.model_copy(update={"status": "not_indexed"})
        if hit.kind == ACT:
            return base.model_copy(update=self._act_status(act, day))
        row = self._row(act, hit.kind, hit.number) if act else None
        if row and (hit.stated or row.status == "in_force"):
            return self._of_row(base, act, row, day)
        if act and not row and act[-4:] not in behind and (namesake := self._older_namesake(act, reader)):
            return base.model_copy(
                update={"status": "not_indexed", "act": namesake, "title": reader.called[namesake]}
            )
        if not hit.stated and not said_act(
            behind, hit
        ):  # "section 5" alone: of an Act named before that has one, the last first
            others = [
                other for other in dict.fromkeys([*reversed(bound), *reader.called]) if other in self._acts
            ]
            for other in others:
                other_row = self._row(other, hit.kind, hit.number)
                if other_row and other_row.status == "in_force":
                    return self._of_row(base, other, other_row, day)
            if row is None and len(others) != 1:
                return base.model_copy(update={"act": "", "title": ""})
        if row:
            return self._of_row(base, act, row, day)
        if not act:
            return base
        if (
            hit.kind in ("rule", "regulation")
            and self._acts[act]["kind"] != "rules"
            and hit.number[:1] != "O"
        ):
            message = f"{hit.kind}s under {self._acts[act]['title']} are not indexed"
            return base.model_copy(update={"status": "not_indexed", "message": message})
        return base.model_copy(update={"status": "no_such_provision", "message": self._range(act, hit)})

    def _of_row(self, base: CheckedCitation, act: str, row: Row, day: date) -> CheckedCitation:
        printed = self.build.provision_row(row.provision_id, row.version)
        resolved = {
            "act": act,
            "title": self._acts[act]["title"],
            "provision_id": row.provision_id,
            "heading": row.heading,
            "link": self.build.link(printed["document_id"], printed["page_start"]),
        }
        return base.model_copy(update=resolved | self._status(act, row, day))

    def _status(self, act: str, row: Row, day: date) -> dict[str, str]:
        last = self.build.last_day(act)
        if row.struck:
            return {
                "status": "struck_down",
                "message": "the edition at hand notes that a court struck it down",
            }
        if row.status != "in_force":
            return {"status": "repealed", "message": f"{row.status} before the edition at hand"}
        if last is not None and last < day:
            line = counterpart_line(with_counterparts(self.build, {"provision_id": row.provision_id}))
            return {"status": "replaced" if line else "repealed", "message": line or f"law until {last}"}
        if self.build.in_force(row.provision_id, day):
            return {"status": "in_force"}
        if row.valid_from and row.valid_from > day:
            return {"status": "not_yet_in_force", "message": f"law since {row.valid_from}"}
        begins = self._acts[act]["in_force_from"]
        later = begins and begins > day
        return {"status": "not_yet_in_force" if later else "repealed", "message": f"not law on {day}"}

    def _act_status(self, act: str, day: date) -> dict[str, str]:
        row, last = self._acts[act], self.build.last_day(act)
        if last is not None and last < day:
            line = counterpart_line(with_counterparts(self.build, {"provision_id": act}))
            return {"status": "replaced" if line else "repealed", "message": line or f"law until {last}"}
        if row["in_force_from"] and row["in_force_from"] > day:
            return {"status": "not_yet_in_force", "message": f"law since {row['in_force_from']}"}
        return {"status": "in_force"}

    def _with_claims(
        self, checked: CheckedCitation, paragraph: str, start: int, until: int, day: date
    ) -> CheckedCitation:
        """A citation whose quoted words and heading are compared with the provision, too."""
        for claim in claims_of(paragraph, start, checked.end, until):
            row = self._row(checked.act, checked.kind, checked.number)
            text = self.build.provision_row(row.provision_id, row.version)["text"] if row else ""
            text = f"{row.number} {row.heading} {text}" if row else text
            status, message = "", ""
            if claim.kind == "quotation":
                status, message = "quotation_differs", quotation_difference(claim, checked.number, text)
            elif other := other_heading(claim.words, checked.heading, text, self._headings(checked.act)):
                status = "heading_differs"
                message = f"“{claim.words}” is {checked.kind} {other}; this is “{checked.heading}”"
            if message:
                both = "; ".join(filter(None, [message, checked.message]))
                return checked.model_copy(update={"status": status, "message": both})
        return checked

    def _case(self, start: int, case: CaseCitation) -> CheckedCitation:
        act = self._cases.get(case.key, "")
        return CheckedCitation(
            start=start + case.start,
            end=start + case.end,
            words=case.text,
            kind="case",
            number="",
            act=act,
            title=self._acts[act]["title"] if act else "",
            status="indexed" if act else "not_indexed",
        )

    @cached_property
    def _cases(self) -> dict[str, str]:
        """Judgments of the build by the key of each of their citations."""
        acts = {act["document_id"]: act["act_id"] for act in self._acts.values() if act["kind"] == "judgment"}
        rows = self.build.table(JUDGMENTS).to_pylist() if acts else []
        return {
            case.key: acts[row["document_id"]]
            for row in rows
            for words in (*row["citations"], *row["also_reported"])
            for case in find_citations(words)
        }

    @cached_property
    def _rows(self) -> dict[tuple[str, str], list[Row]]:
        columns = ["provision_id", "act_id", "kind", "number", "status", "heading", "version_date"]
        table = self.build.table(PROVISIONS).select([*columns, "valid_from", "notes"])
        out: dict[tuple[str, str], list[Row]] = {}
        for row in table.to_pylist():
            if row["kind"] in _CITED:
                struck = any(
                    _STRUCK.search(n["text"]) and re.search(rf"\b{row['number']}\b", n["text"][:40])
                    for n in row["notes"]
                )
                out.setdefault((row["act_id"], normal(row["number"]).upper()), []).append(
                    Row(
                        row["provision_id"],
                        row["kind"],
                        row["number"],
                        row["status"],
                        row["heading"],
                        row["version_date"],
                        row["valid_from"],
                        struck,
                    )
                )
        return out

    def _row(self, act: str, kind: str, number: str) -> Row | None:
        """The provision that a citation means, of the latest version; None where there is none."""
        keys = [number.upper(), f"ART{number.upper()}"] if kind == "article" else [number.upper()]
        rows = [row for key in keys for row in self._rows.get((act, key), ()) if row.kind in _KINDS[kind]]
        return max(rows, key=lambda row: (row.status == "in_force", row.version or date.min), default=None)

    @cached_property
    def _by_act(self) -> dict[str, list[Row]]:
        out: dict[str, list[Row]] = {}
        for (act, _), rows in self._rows.items():
            out.setdefault(act, []).extend(rows)
        return out

    def _headings(self, act: str) -> dict[str, str]:
        return {row.number: row.heading for row in self._by_act[act]}

    def _range(self, act: str, hit: CitedProvision) -> str:
        """Which provisions of this kind an Act has."""
        title = self._acts[act]["title"]
        rows = self._by_act.get(act, [])
        if order := re.match(r"O\d+[A-D]*R", hit.number):
            rows = [r for r in rows if r.number.upper().startswith(order[0])]
            numbers = sorted({r.number[order.end() :] for r in rows}, key=order_of)
            return (
                f"Order has rules {numbers[0]} to {numbers[-1]}" if numbers else f"{title} has no such Order"
            )
        numbered = [
            r for r in rows if r.kind in _KINDS[hit.kind] and r.kind != "entry" and r.number[:1].isdigit()
        ]
        numbers = sorted({normal(r.number) for r in numbered}, key=order_of)
        if not numbers:
            return f"{title} has no {hit.kind}s"
        alike = [n for n in numbers if order_of(n)[0] == order_of(hit.number)[0]]
        near = f"; of {order_of(hit.number)[0]} there are {', '.join(alike)}" if len(alike) > 1 else ""
        return f"{title} has {hit.kind}s {numbers[0]} to {numbers[-1]}{near}"

    def _older_namesake(self, act: str, reader: Texts) -> str:
        """The id of an earlier Act of this name that the text names with its year; empty if none."""
        stem, _, year = act.rpartition("-")
        older = (other for other in reader.called if other.rpartition("-")[0] == stem and other[-4:] < year)
        return next(older, "") if year.isdigit() else ""

    def _earlier(self, act: str, latest: int) -> bool:
        """Whether a text with this latest year means an earlier Act of this name, which it repealed."""
        year = int((re.findall(TITLE_YEAR, self._acts[act]["title"]) or ["0"])[-1])
        return year > latest and self._replaced_namesake(act, year)

    def _replaced_namesake(self, act: str, year: int) -> bool:
        return self.build.shared(("namesake", act), lambda: self._names_older(act, year))

    def _names_older(self, act: str, year: int) -> bool:
        stem = re.sub(rf"^The\s+|,?\s*{TITLE_YEAR}$", "", self._acts[act]["title"])
        pattern = re.compile(rf"{re.escape(stem)},?\s*(?P<year>{TITLE_YEAR})")
        rows = self._by_act.get(act, [])
        texts = (self.build.provision_row(row.provision_id, row.version)["text"] for row in rows)
        return any(int(m["year"]) < year for text in texts for m in pattern.finditer(text))


def check_file(build: PublishedBuild, path: Path, day: str) -> CheckedText:
    """Every citation of a file, with its page. Raises FileError if the file cannot be read."""
    read = read_file(path)
    checker = build.shared("checker", lambda: Checker(build))
    citations = checker.check(read.text, date.fromisoformat(day), read.home)
    return CheckedText(
        file=path.name,
        as_of=day,
        build=f"{build.folder.parent.name}/{build.folder.name}",
        words=len(read.text.split()),
        unread_pages=read.unread,
        citations=[c.model_copy(update={"page": read.page(c.start)}) for c in citations],
    )


def _latest_year(text: str) -> int:
    """The latest year that a text prints, but in a title of an Act; 9999 where it prints none."""
    years = [int(match["year"]) for match in _PRINTED_YEAR.finditer(text) if not match["title"]]
    return max([*years, *(2000 + int(year) for year in _SHORT_YEAR.findall(text))], default=9999)


def _paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """(offset, paragraph) of a text; ends of lines are blanks in it."""
    start = 0
    for match in [*_BREAK.finditer(text), None]:
        end = match.start() if match else len(text)
        if text[start:end].strip():
            yield start, text[start:end].replace("\n", " ")
        start = match.end() if match else end
