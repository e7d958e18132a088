"""What a provision of a statute cites, resolved with what stands around the words."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from citegrain.tasks.law.citations import ancestors
from citegrain.tasks.law.citing import grammar
from citegrain.tasks.law.citing.acts import Acts, NamedAct, Usage, at_place, said_at
from citegrain.tasks.law.citing.grammar import CITED, PREPOSITION, SAME, along_chain, normalise
from citegrain.tasks.law.instruments import CONSTITUTION, PREFIXES
from citegrain.tasks.law.numbers import normal, order_of, to_roman

NOT_INDEXED, ABSENT = "act_not_indexed", "provision_absent"
UNNAMED, SCHEDULE = "act_not_named", "in_a_schedule"
_LONGEST_RANGE = 60
_IN_VIDE = re.compile(r"\bVide\s+[\w.&\s-]{0,40}$")
Where = tuple[str | None, str, str]
"""Act, Order and what kind of place: ``named``, ``said``, ``order``, ``chained``, ``foreign`` ..."""


@dataclass(frozen=True, slots=True)
class Citation:
    """Words of a provision that cite another: ``cited_id`` is the id that it has or would have.

    ``act`` is the Act, if it is known which; ``target`` the provision or Act of the build that is meant.
    """

    offset: int
    words: str
    kind: str
    act: str | None
    cited_id: str
    target: str | None = None
    reason: str = ""


class Citing:
    """The citations of the provisions of a build.

    ``provisions``: rows of ``provisions`` that can cite or be cited, in reading order. ``acts_by_text``: the
    Acts that each text names.
    """

    def __init__(
        self, acts: Acts, provisions: Sequence[Mapping[str, Any]], acts_by_text: Mapping[str, list[NamedAct]]
    ) -> None:
        self.acts = acts
        plain = {text: normalise(text) for text in {*(row["text"] for row in provisions), *acts_by_text}}
        provisions = [{**row, "text": plain[row["text"]]} for row in provisions]
        self.rows = {row["provision_id"]: row for row in provisions}
        self._entries = {
            (r["act_id"], normal(r["number"])): r["provision_id"] for r in provisions if r["kind"] == "entry"
        }
        self._acts_with_orders = {row["act_id"] for row in provisions if row["kind"] == "order"}
        self._numbers: dict[tuple[str, str], list[str]] = {}
        for row in provisions:
            if row["kind"] in PREFIXES and "order_" not in row["provision_id"]:
                self._numbers.setdefault((row["act_id"], row["kind"]), []).append(row["number"])
        self._acts_by_text = {plain[text]: places for text, places in acts_by_text.items()}
        self._context: dict[str, str] = {}  # of a Schedule: the Act whose offences it came to list last
        self._usage: dict[str, Usage] = {}

    def acts_in(self, row: Mapping[str, Any]) -> list[NamedAct]:
        """The Acts that a provision names."""
        return self._acts_by_text[self.rows[row["provision_id"]]["text"]]

    @cached_property
    def _by_act(self) -> dict[str, list[Mapping[str, Any]]]:
        out: dict[str, list[Mapping[str, Any]]] = {}
        for row in self.rows.values():
            out.setdefault(row["act_id"], []).append(row)
        return out

    def usage(self, act_id: str) -> Usage:
        """What an Act calls other Acts."""
        if act_id not in self._usage:
            rows = self._by_act.get(act_id, ())
            home = self.acts.rows.get(act_id) or {"act_id": act_id, "kind": "other", "title": ""}
            self._usage[act_id] = Usage(home, [(r["text"], self.acts_in(r)) for r in rows])
        return self._usage[act_id]

    @cached_property
    def _most_cited(self) -> dict[str, list[str]]:
        """Other indexed Acts by how often the provisions of an Act name them, the first the most often."""
        out = {}
        for act, rows in self._by_act.items():
            counts = Counter(n.act_id for r in rows for n in self.acts_in(r) if n.act_id in self.acts.rows)
            out[act] = [other for other, _ in counts.most_common() if other != act]
        return out

    def find(self, row: Mapping[str, Any]) -> list[Citation]:
        """What a provision cites, in order. Provisions are to be asked for in reading order."""
        row = self.rows[row["provision_id"]]
        return sorted([*self._numbered(row), *self._named_acts(row)], key=lambda c: c.offset)

    def conflicts(self, row: Mapping[str, Any], citation: Citation) -> bool:
        """Whether the provision holds notwithstanding what it cites."""
        return bool(grammar.DESPITE.search(row["text"][max(0, citation.offset - 160) : citation.offset]))

    def _default(self, row: Mapping[str, Any], at: int) -> str:
        """The Act of a number without one: that of the heading or of the Schedule's list, else its own."""
        schedule = row["parent_id"] or ""
        for match in grammar.IN_TEXT.finditer(row["text"], 0, at):
            if titles := self.acts.find(match["title"].title() + " ") or self.acts.find(match["title"]):
                self._context[schedule] = titles[-1].act_id
        if schedule in self._context:
            return self._context[schedule]
        headings = (above["heading"] for above in ancestors(row, self.rows))
        for heading in filter(grammar.HEADING_OF.search, headings):
            titles = self.acts.find(heading) or self.acts.find(heading.title())
            if titles and titles[0].act_id != row["act_id"]:
                return titles[0].act_id
        return str(row["act_id"])

    def _numbered(self, row: Mapping[str, Any]) -> Iterator[Citation]:
        text = row["text"]
        matches = list(CITED.finditer(text))

        def chained(match: re.Match[str], following: re.Match[str], place: Where) -> Where | None:
            same = match["kind"][0].lower() == following["kind"][0].lower()
            linked = same and grammar.CHAIN.fullmatch(text, match.end(), following.start())
            return (place[0], place[1], "chained") if linked else None

        places = along_chain(matches, lambda match: self._behind(row, match), chained)
        for match, place in zip(matches, places, strict=True):
            yield from self._items(row, match, place or self._before(row, match.start()))

    def _behind(self, row: Mapping[str, Any], match: re.Match[str]) -> Where | None:
        """(Act, Order, how) of what stands behind a list of numbers; None where nothing names an Act."""
        text, act_id = row["text"], row["act_id"]
        usage, match_of = self.usage(act_id), PREPOSITION.match(text, match.end())
        if not match_of:
            return None
        at, order = match_of.end(), ""
        if in_order := grammar.ORDER.match(text, at):
            order = f"{in_order['order']}{in_order['letter'] or ''}"
            further = grammar.BEHIND_ORDER.match(text, in_order.end())
            act = self._act_at(row, usage, further.end())[0] if further else None
            return act or self._with_orders(act_id), order, "order"
        cited_act, how = self._act_at(row, usage, at)
        if how:
            return cited_act, "", how
        if grammar.FOREIGN.match(text, at):
            return None, "", "foreign"
        if grammar.IN_SCHEDULE.match(text, at) and match["kind"][0].lower() != "s":
            return None, "", "schedule"
        return None

    def _before(self, row: Mapping[str, Any], at: int) -> Where | None:
        """The Order or Act named just before a number: ``Order XXI, rule 5``, ``Act, 1876, section 99``."""
        if order := grammar.ORDER_BEFORE.search(row["text"], max(0, at - 30), at):
            return self._with_orders(row["act_id"]), f"{order['order']}{order['letter'] or ''}", "order"
        ended = [place for place in self.acts_in(row) if place.end <= at]
        if ended and grammar.COMMA.fullmatch(row["text"], ended[-1].end, at):
            return ended[-1].act_id, "", "named"
        return None

    def _act_at(self, row: Mapping[str, Any], usage: Usage, at: int) -> tuple[str | None, str]:
        """The Act named at a place, and whether one is: ``named``, ``said`` or nothing."""
        text, places = row["text"], self.acts_in(row)
        if SAME.match(text, at):
            return None, ""
        the = grammar.THE.match(text, at)
        start = the.end() if the else at
        if place := at_place(places, start) or at_place(places, at):
            return place.act_id, "named"
        if short := usage.short_name(text, start):
            return short, "named"
        if said := said_at(text, at):
            return usage.said(said, [place for place in places if place.start < at]), "said"
        return None, ""

    def _with_orders(self, act_id: str) -> str | None:
        """The Act whose rules stand in Orders: its own, if it has any, else the one of the build that has."""
        acts = self._acts_with_orders
        return act_id if act_id in acts else next(iter(acts)) if len(acts) == 1 else None

    def _items(self, row: Mapping[str, Any], match: re.Match[str], place: Where | None) -> Iterator[Citation]:
        how = place[2] if place else ""
        if how == "foreign":
            return
        kind = re.sub(r"s$", "", match["kind"].lower())
        previous = ""
        for item in grammar.ITEM.finditer(match["list"]):
            number, offset = normal(item["number"]), match.start("list") + item.start("number")
            words = re.sub(r"\s+", " ", f"{kind} {item['number']}{item['sub']}").strip()
            citation = self._resolved(row, kind, number, offset, words, place)
            if item["to"] and previous and citation.target:
                yield from self._between(citation, kind, previous, number)
            yield citation
            previous = number

    def _between(self, last: Citation, kind: str, first: str, end: str) -> Iterator[Citation]:
        """The provisions between the two ends of a range."""
        numbers = [n for n in self._numbers.get((str(last.act), kind), ()) if n[:1].isdigit()]
        least, most = _ordered(first), _ordered(end)
        inside = [n for n in dict.fromkeys(map(normal, numbers)) if least < _ordered(n) < most]
        if len(inside) <= _LONGEST_RANGE:
            for number in inside:
                target = f"{last.act}/{PREFIXES[kind]}_{number}"
                if target in self.rows:
                    yield replace(last, words=f"{kind}s {first} to {end}", cited_id=target, target=target)

    def _resolved(
        self,
        row: Mapping[str, Any],
        kind: str,
        number: str,
        offset: int,
        words: str,
        place: Where | None,
    ) -> Citation:
        home, usage = row["act_id"], self.usage(row["act_id"])
        act, order, how = place or (None, "", "")
        base = Citation(offset, words, kind, act, "")
        if how == "schedule":
            return replace(base, act=home, target=home, reason=SCHEDULE)
        if kind == "rule" and not usage.rules and not (how == "named" and not order):
            order = order or (row["parent_id"] or "").partition("order_")[2].partition("~")[0]
            return self._of_order(base, act or self._with_orders(home) if order else None, order, number)
        if kind == "article" and not act and home != CONSTITUTION:
            return self._article(row, base, number)
        if not act:
            if how == "said":
                return replace(base, reason=UNNAMED)
            bare = usage.parent if usage.rules and kind == "section" else self._default(row, offset)
            if bare is None:
                return replace(base, reason=UNNAMED)
            return self._bare(row, base, bare, number)
        if how == "chained" and not self._there(act, kind, number) and self._there(home, kind, number):
            act = home
        return self._in_act(row, base, act, number)

    def _bare(self, row: Mapping[str, Any], base: Citation, act: str, number: str) -> Citation:
        """A number without an Act: of ``act``, unless it has no such number and one that it names has."""
        if base.kind == "section" and act in self.acts.rows and not self._there(act, base.kind, number):
            places = self.acts_in(row)
            near = [place.act_id for place in reversed(places) if place.start < base.offset]
            near += [place.act_id for place in places if place.start > base.offset]
            others = [other for other in [*near, *self._most_cited.get(act, ())[:1]] if other != act]
            digits = re.sub(r"\D+$", "", number)  # 509A, which a State has put in, is of the Act that has 509
            for sought in dict.fromkeys((number, number if self._there(act, base.kind, digits) else digits)):
                for other in others:
                    if self._there(other, base.kind, sought):
                        return self._in_act(row, base, other, number)
        return self._in_act(row, base, act, number)

    def _there(self, act: str, kind: str, number: str) -> bool:
        return f"{act}/{PREFIXES[kind]}_{number}" in self.rows

    def _in_act(self, row: Mapping[str, Any], base: Citation, act: str, number: str) -> Citation:
        target = f"{act}/{PREFIXES[base.kind]}_{number}"
        base = replace(base, act=act, cited_id=target)
        if act not in self.acts.rows:
            return replace(base, target=act, reason=NOT_INDEXED)
        of_state = f"{target}__state_{row['provision_id'].partition('__state_')[2].partition('~')[0]}"
        there = next((candidate for candidate in (target, of_state) if candidate in self.rows), None)
        return replace(base, target=there) if there else replace(base, target=act, reason=ABSENT)

    def _of_order(self, base: Citation, act: str | None, order: str, number: str) -> Citation:
        if act is None:
            return replace(base, reason=UNNAMED)
        if order[:1].isdigit():
            order = to_roman(int(re.sub(r"\D", "", order))) + re.sub(r"\d", "", order)
        target = f"{act}/order_{order}__rule_{number}"
        base = replace(base, act=act, cited_id=target)
        if target in self.rows:
            return replace(base, target=target)
        return replace(base, target=act, reason=ABSENT if act in self.acts.rows else NOT_INDEXED)

    def _article(self, row: Mapping[str, Any], base: Citation, number: str) -> Citation:
        """An Article without an Act: of the Constitution where that is named, else of a Schedule."""
        home = row["act_id"]
        if any(place.act_id == CONSTITUTION for place in self.acts_in(row)):
            return self._in_act(row, base, CONSTITUTION, number)
        if entry := self._entries.get((home, f"ART{number}")):
            return replace(base, act=home, cited_id=entry, target=entry)
        if any(act == home for act, _ in self._entries):
            return replace(base, act=home, target=home, reason=SCHEDULE)
        return replace(base, reason=UNNAMED)

    def _named_acts(self, row: Mapping[str, Any]) -> Iterator[Citation]:
        """Other Acts that are named, and not as that of a number."""
        spans = [m.span() for m in CITED.finditer(row["text"])]
        home, usage = row["act_id"], self.usage(row["act_id"])
        for place in self.acts_in(row):
            close = any(
                grammar.ITS_ACT.fullmatch(row["text"], end, place.start)
                if end <= place.start
                else grammar.COMMA.fullmatch(row["text"], place.end, start)
                for start, end in spans
            )
            vide = _IN_VIDE.search(row["text"], max(0, place.start - 60), place.start)
            if place.act_id in (home, usage.parent) or close or vide:
                continue
            words = re.sub(r"\s+", " ", row["text"][place.start : place.end]).strip(" (")
            reason = "" if place.act_id in self.acts.rows else NOT_INDEXED
            yield Citation(place.start, words, "act", place.act_id, place.act_id, place.act_id, reason)

    def title(self, act_id: str) -> str:
        """Title of an Act that is named, but not indexed, as it was first printed."""
        return self._titles.get(act_id, act_id)

    @cached_property
    def _titles(self) -> dict[str, str]:
        out: dict[str, str] = {}
        for row in self.rows.values():
            for place in self.acts_in(row):
                out.setdefault(place.act_id, place.title)
        return out


def _ordered(number: str) -> tuple[int, str]:
    return order_of(number) if number[:1].isdigit() else (10**6, number)
