"""Provisions by the numbers they are cited by."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from citegrain.tasks.law.instruments import CONSTITUTION
from citegrain.tasks.law.numbers import normal

TEXT = "text"
"""Kind of a provision that is a record of a corpus of texts; its number is the record's id."""
TEXT_CORPUS = "text-corpus"
"""The Act that every such record counts to, for it belongs to none that is known."""
TEXTS_SUFFIX = ".jsonl"
"""How the name of a file of such records ends."""
PARAGRAPH = "paragraph"
"""Kind of a provision that is a paragraph: of a judgment, or of a document without numbered provisions."""
JUDGMENT = "judgment"
"""What a label of a benchmark has in place of a number where a whole judgment is meant."""
DIVISION = "division"
"""Kind of a provision of a hierarchy that ``structure.hierarchy`` describes; see :func:`called`."""
CITABLE = ("section", "article", "rule", "regulation", "entry", TEXT, PARAGRAPH, DIVISION)
_RULES, _SECTIONS = ("rule", "regulation"), ("section", "article")
_BRACKETED = re.compile(r"(\d+)\(([A-Z]{1,2}|[a-h])\)")
_ARTICLE = "ART"  # how the entries of a Schedule are numbered that their Act calls Articles (Limitation Act)


def called(provision: Mapping[str, Any]) -> str:
    """What a provision is called before its number: its kind, of a division the name of its level."""
    kind = str(provision["kind"])
    identifier = provision.get("provision_id") or provision.get("node_id", "")  # of a row of the graph
    last = identifier.rpartition("/")[2].rpartition("__")[2]
    return str(last.partition("_")[0]).replace("-", " ") if kind == DIVISION else kind


def ancestors(row: Mapping[str, Any], by_id: Mapping[str, Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Provisions that enclose one, the innermost first."""
    seen = {row["provision_id"]}
    while (parent := row["parent_id"] or "") in by_id and parent not in seen:
        seen.add(parent)
        row = by_id[parent]
        yield row


def stands_alone(kind: str, number: str) -> bool:
    """Whether a provision is cited like a section: not so most entries and forms of Schedules."""
    return kind in CITABLE and (kind != "entry" or number.upper().startswith(_ARTICLE))


class Citations:
    """Look-up of provisions, given as (kind, act_id, provision_id, number) of all of a build."""

    def __init__(self, provisions: Iterable[tuple[str, str, str, str]]) -> None:
        # (kind, act_id, provision_id) of the citable ones by number as cited, in capitals
        self._by_number: dict[str, list[tuple[str, str, str]]] = {}
        self._acts: set[str] = set()
        self._texts: set[str] = set()
        self._ids: dict[str, None] = {}  # in reading order
        for kind, act_id, provision_id, number in provisions:
            self._acts.add(act_id)
            self._ids[provision_id] = None
            if kind == TEXT:
                self._texts.add(provision_id)
            if kind in CITABLE:
                same_number = self._by_number.setdefault(normal(number).upper(), [])
                if (kind, act_id, provision_id) not in same_number:
                    same_number.append((kind, act_id, provision_id))

    def cited(self, kind: str, number: str, act_id: str | None) -> list[str]:
        """Ids of the provisions that are cited so, in this build; without an Act in all of it.

        ``kind``: as cited. "Section" also finds the Articles and entries of the Act named; without an Act
        only provisions of this kind are meant, and of Articles those of the Constitution where it has them.
        ``order``: its rules. ``schedule``: one by its number, or its entry: ``1E23``.

        ``number``: as cited: ``302``, ``66C``, ``O39R1``; spaces, dots and hyphens do not count. ``66(a)`` is
        66A where there is one and section 66 has no clause (a), else 66.
        """
        if bracketed := _BRACKETED.fullmatch(number):
            number, letter = bracketed.groups()
            plain_ids = self.cited(kind, number, act_id)
            if not any(f"{p}__clause_{letter.lower()}" in self._ids for p in plain_ids):
                return self.cited(kind, number + letter, act_id) or plain_ids
        plain = normal(number).upper()
        if kind in ("order", "schedule"):
            return self._under(kind, plain, act_id)
        keys = [plain, _ARTICLE + plain] if kind == "article" else [plain]
        if kind == "article" and act_id is None and (one := self.cited(kind, number, CONSTITUTION)):
            return one
        return [
            provision_id
            for key in keys
            for have, act, provision_id in self._by_number.get(key, [])
            if (act_id is not None and act == act_id and not (kind in _RULES and have in _SECTIONS))
            or (act_id is None and (have == kind or key.startswith(_ARTICLE)))
        ]

    def _under(self, kind: str, number: str, act_id: str | None) -> list[str]:
        """The rules of an Order; a Schedule, or the first of its entries that has a number."""
        if kind == "order":
            same = (e for key, rows in self._by_number.items() if key.startswith(f"{number}R") for e in rows)
            return [p for have, act, p in same if have == "rule" and act_id in (act, None)]
        schedule, _, entry = number.partition("E")
        name = f"{act_id}/sched_{schedule}"
        if not entry:
            return [name] if name in self._ids else []
        ending = f"__entry_{entry}"
        return [p for p in self._ids if p.startswith(name + "__") and p.endswith(ending)][:1]

    def labelled(self, act_id: str, section: str) -> list[str]:
        """Ids of the provisions that a label of a benchmark means.

        An Act may number its sections and the entries of its Schedule alike: the section is meant. A text
        is meant by its id as it is written, which may itself look like a label.
        """
        label = f"{act_id}/{section}"
        texts = self._texts & {label, f"{TEXT_CORPUS}/{label}"}
        if texts or act_id == TEXT_CORPUS or act_id not in self._acts:
            return sorted(texts)
        if section == JUDGMENT:
            every = (entry for same_number in self._by_number.values() for entry in same_number)
            return [p for kind, act, p in every if act == act_id and kind == PARAGRAPH]
        cited = self.cited("section", section, act_id)
        kinds = {p: k for k, a, p in self._by_number.get(normal(section).upper(), []) if a == act_id}
        return [p for p in cited if kinds.get(p) in ("section", "article")] or cited


def eli_of(act: Mapping[str, Any], provision_id: str) -> str:
    """An id after the European Legislation Identifier: place, kind, year, number, version, part.

    ``act``: its row. Where its number is unknown its id stands. Source: Council conclusions 2012/C 325/02.
    """
    number, _, year = act["number"].partition(" of ")
    which = f"{year}/{number}" if year else act["act_id"]
    state = act["jurisdiction"]
    place = "in" if state in ("", "central") else f"in-{state}"
    version, part = str(act["version_date"] or "undated"), provision_id.partition("/")[2]
    return "/".join(filter(None, ("eli", place, act["kind"], which, version, part)))


def legislation_of(
    act: Mapping[str, Any], provision: Mapping[str, Any], law: str, in_force: bool
) -> dict[str, Any]:
    """A provision as JSON-LD, a ``Legislation`` of schema.org; what is unknown is left out.

    ``act``, ``provision``: their rows; ``law``: how a person cites it.
    """
    eli, version = eli_of(act, provision["provision_id"]), act["version_date"]
    begins, ends = provision["valid_from"] or act["in_force_from"], provision["valid_to"]
    node = {
        "@context": "https://schema.org",
        "@type": "Legislation",
        "@id": eli,
        "legislationIdentifier": eli,
        "name": law,
        "headline": provision["heading"],
        "legislationType": act["kind"],
        "legislationJurisdiction": "IN" if act["jurisdiction"] == "central" else act["jurisdiction"],
        "legislationDateVersion": version and str(version),
        "legislationLegalForce": f"https://schema.org/{'' if in_force else 'Not'}InForce",
        "temporalCoverage": f"{begins or '..'}/{ends or '..'}",
        "inLanguage": act["language"],
        "isPartOf": {"@type": "Legislation", "@id": eli_of(act, ""), "name": act["title"]},
    }
    return {name: value for name, value in node.items() if value}
