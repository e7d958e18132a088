"""Acts as Akoma Ntoso 3.0 (OASIS LegalDocML), and back.

An edition of an Act is one document. What is cited like a section is a hierarchical element with the id that
it has here; its sub-sections and clauses stand within it, and the words between them too, so that the texts
read back are equal to the character. FRBR ids are ``/akn/in/act/2023/45/eng@2024-07-01/!main~sec_64``.
"""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from lxml import etree

from citegrain.tasks.core.errors import Expected
from citegrain.tasks.core.tables import grouped

NAMESPACE = "http://docs.oasis-open.org/legaldocml/ns/akn/3.0"
_LANGUAGES = {"en": "eng", "hi": "hin"}
_ELEMENTS = {"part", "chapter", "section", "article", "subsection", "clause", "rule", "proviso"}
_BY, _MAKER, _BETWEEN = "#parliament", "#citegrain", "between"
_NUMBER = re.compile(r"\d+[A-Z]*(?:\(\w+\))*|[IVXLC]+\b|\w+ Schedule\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_UNDATED = date(1, 1, 1)
Row = Mapping[str, Any]


class AknError(ValueError, Expected):
    """A file is no Akoma Ntoso document as :func:`to_akn` writes it."""


@dataclass(frozen=True)
class AknProvision:
    """A provision as a document has it; the names are those of table ``provisions``."""

    eid: str
    kind: str
    number: str
    heading: str
    text: str
    status: str
    valid_from: date | None
    valid_to: date | None


def work_of(act: Row) -> str:
    """FRBR id of an Act: ``/akn/in/act/2023/45``; by its own id where its number is not known."""
    number, _, year = act["number"].partition(" of ")
    return f"/akn/in/act/{year}/{number}" if year else f"/akn/in/act/{act['act_id']}"


def expression_of(act: Row, eid: str = "") -> str:
    """FRBR id of an edition of an Act, or of a provision in it."""
    version = f"@{act['version_date']}" if act["version_date"] else ""
    place = f"~{eid}" if eid else ""
    return f"{work_of(act)}/{_LANGUAGES.get(act['language'], 'und')}{version}/!main{place}"


def to_akn(act: Row, provisions: Sequence[Row], references: Sequence[Row], acts: Mapping[str, Row]) -> bytes:
    """An edition of an Act as XML.

    ``act``: row of ``acts``. ``provisions``: its rows of ``provisions``, in reading order. ``references``:
    edges ``cites`` of these provisions. ``acts``: by id the Acts that these lead to; others are left as
    words.
    """
    root = etree.Element(_tag("akomaNtoso"), nsmap={None: NAMESPACE})
    document = _add(root, "act", name="act", contains="singleVersion")
    periods = dict.fromkeys((row["valid_from"], row["valid_to"]) for row in provisions)
    periods.pop((None, None), None)
    names = {period: f"tg_{n}" for n, period in enumerate(periods, 1)}
    _meta(_add(document, "meta"), act, provisions, names)
    body = _add(document, "body")
    ids = {row["provision_id"] for row in provisions}
    children = grouped((row["parent_id"] if row["parent_id"] in ids else None, row) for row in provisions)
    cited = {edge["offset"]: (edge["words"], edge["target_id"] or "") for edge in references}
    links = sorted(
        (offset, (words, f"{work_of(acts[act_id])}/!main{'~' * bool(eid)}{eid}"))
        for offset, (words, target) in cited.items()
        for act_id, _, eid in [target.partition("/")]
        if act_id in acts
    )
    writer = _Writer(children, names, links)
    for row in children.get(None, ()):
        writer.element(body, row, None)
    if not len(body):
        _paragraph(_add(_add(body, "hcontainer", name="empty", eId="empty"), "content"), "")
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8"))


def read_akn(xml: bytes) -> list[AknProvision]:
    """The provisions of a document, in its order.

    Raises AknError if it is no XML, or no Act in Akoma Ntoso 3.0.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    try:
        root = etree.fromstring(xml, parser)
    except etree.XMLSyntaxError as error:
        raise AknError(f"not XML: {error}") from error
    body = root.find(f"{_tag('act')}/{_tag('body')}")
    if body is None:
        raise AknError(f"not an Act in Akoma Ntoso 3.0: no {_tag('body')}")
    days = {event.get("eId"): date.fromisoformat(event.get("date")) for event in root.iter(_tag("eventRef"))}
    periods = {}
    for group in root.iter(_tag("temporalGroup")):
        interval = group[0]
        start, end = (days.get((interval.get(side) or "").lstrip("#")) for side in ("start", "end"))
        periods["#" + group.get("eId")] = start, end
    elements = (e for e in body.iter() if e.get("title") is not None)
    return [_read(element, periods.get(element.get("period", ""), (None, None))) for element in elements]


def _read(element: Any, period: tuple[date | None, date | None]) -> AknProvision:
    heading, name = element.find(_tag("heading")), etree.QName(element).localname
    return AknProvision(
        element.get("eId"),
        element.get("name") if name == "hcontainer" else name,
        element.get("title"),
        "" if heading is None else "".join(heading.itertext()),
        _text_of(element),
        element.get("class"),
        *period,
    )


def _text_of(element: Any) -> str:
    """What stands in an element behind its number and heading."""
    flat_words = element.find(f"{_tag('hcontainer')}[@name='words']")
    if flat_words is not None:  # its words are not those of its parts, which stand beside them
        return "".join(flat_words.find(_tag("content")).itertext())
    out = []
    for part in element:
        if etree.QName(part).localname in ("intro", "wrapUp", "content"):
            out.append("".join(part.itertext()))
        elif part.get("name") == _BETWEEN:
            out.append("".join(part.find(_tag("content")).itertext()))
        elif etree.QName(part).localname not in ("num", "heading"):
            out += ["".join(part.find(_tag("num")).itertext()), _text_of(part)]
    return "".join(out)


@dataclass(frozen=True)
class _Writer:
    """Writes provisions as elements, each within what encloses it."""

    children: Mapping[str | None, Sequence[Row]]
    names: Mapping[tuple[date | None, date | None], str]
    links: Sequence[tuple[int, tuple[str, str]]]

    def element(self, above: Any, row: Row, head: str | None) -> None:
        """Add a provision; ``head``: its number as it is printed within the words of ``above``."""
        eid = row["provision_id"].partition("/")[2]
        tag = row["kind"] if row["kind"] in _ELEMENTS else "hcontainer"
        attributes = {"eId": eid, "title": row["number"], "class": row["status"]}
        if tag == "hcontainer":
            attributes["name"] = row["kind"]
        if row["status"] != "in_force":
            attributes["status"] = "removed"
        if (row["valid_from"], row["valid_to"]) in self.names:
            attributes["period"] = "#" + self.names[row["valid_from"], row["valid_to"]]
        out = _add(above, tag, **attributes)
        _add(out, "num").text = row["number"] if head is None else head
        if row["heading"]:
            _add(out, "heading").text = row["heading"]
        parts = self.children.get(row["provision_id"], ())
        if not parts:
            self._words(_add(out, "content"), row["text"], row["text_start"])
        elif not _nested(row, parts):
            words = _add(out, "hcontainer", name="words", eId=f"{eid}__words")
            _paragraph(_add(words, "content"), row["text"])
            for part in parts:
                self.element(out, part, None)
        else:
            self._with_parts(out, row, parts)

    def _with_parts(self, out: Any, row: Row, parts: Sequence[Row]) -> None:
        """The parts of a provision, and its words before, between and behind them."""
        at, base = 0, row["text_start"]
        for number, part in enumerate(parts):
            words = row["text"][at : part["char_start"] - base]
            head = row["text"][part["char_start"] - base : part["text_start"] - base]
            if number == 0 and words:
                self._words(_add(out, "intro"), words, base + at)
            elif words.strip():
                eid = f"{row['provision_id'].partition('/')[2]}__between_{number}"
                between = _add(out, "hcontainer", name=_BETWEEN, eId=eid)
                self._words(_add(between, "content"), words, base + at)
            else:
                head = words + head
            self.element(out, part, head)
            at = part["char_end"] - base
        if row["text"][at:]:
            self._words(_add(out, "wrapUp"), row["text"][at:], base + at)

    def _words(self, above: Any, text: str, start: int) -> None:
        """Words that begin at an offset of the running text, with what they refer to."""
        first, last = (bisect_left(self.links, (place,)) for place in (start, start + len(text)))
        links: list[tuple[int, str, str]] = []
        at = 0
        for offset, (words, href) in self.links[first:last]:
            place = offset - start
            number = _NUMBER.match(text, place)  # "section 302" is meant by the number alone
            same = number and number[0].partition("(")[0] in _WORD.findall(words)
            printed = words if text.startswith(words, place) else number[0] if number and same else ""
            if printed and place >= at:
                links.append((place, printed, href))
                at = place + len(printed)
        _paragraph(above, text, links)


def _nested(row: Row, parts: Sequence[Row]) -> bool:
    """Whether the parts stand in the words of a provision, one behind the other, each with its own."""
    if len(row["text"]) != row["char_end"] - row["text_start"]:
        return False
    at = row["text_start"]
    for part in parts:
        words = row["text"][part["text_start"] - row["text_start"] : part["char_end"] - row["text_start"]]
        if part["char_start"] < at or part["char_end"] > row["char_end"] or words != part["text"]:
            return False
        if part["heading"]:
            return False
        at = part["char_end"]
    return True


def _paragraph(above: Any, text: str, links: Sequence[tuple[int, str, str]] = ()) -> None:
    """Words as one paragraph; ``links``: (offset, words, href) of what they refer to, in order."""
    out = _add(above, "p")
    out.text = text[: links[0][0] if links else None]
    ends = [offset for offset, *_ in links[1:]] + [len(text)] if links else []
    for (offset, words, href), end in zip(links, ends, strict=True):
        reference = _add(out, "ref", href=href)
        reference.text, reference.tail = words, text[offset + len(words) : end]


def _meta(
    meta: Any, act: Row, provisions: Sequence[Row], names: Mapping[tuple[date | None, date | None], str]
) -> None:
    """Who says what this is, since when each part is law, and the notes of the print."""
    identification = _add(meta, "identification", source=_MAKER)
    version = act["version_date"] or _UNDATED
    begun = act["in_force_from"] or version
    work, expression = work_of(act), expression_of(act)
    for level, uri, day, name in (
        ("FRBRWork", f"{work}/!main", begun, "commencement"),
        ("FRBRExpression", expression, version, "edition"),
        ("FRBRManifestation", f"{expression}.xml", version, "edition"),
    ):
        part = _add(identification, level)
        _add(part, "FRBRthis", value=uri)
        _add(part, "FRBRuri", value=uri.replace("/!main", ""))
        _add(part, "FRBRdate", date=str(day), name=name)
        _add(part, "FRBRauthor", href=_BY if level == "FRBRWork" else _MAKER)
        if level == "FRBRWork":
            _add(part, "FRBRcountry", value="in")
        if level == "FRBRExpression":
            _add(part, "FRBRlanguage", language=_LANGUAGES.get(act["language"], "und"))
    days = sorted({day for period in names for day in period if day} | {begun})
    events = {day: f"e_{n}" for n, day in enumerate(days, 1)}
    lifecycle = _add(meta, "lifecycle", source=_MAKER)
    for day, name in events.items():
        kind = "generation" if day == begun else "amendment"
        _add(lifecycle, "eventRef", eId=name, date=str(day), source=_MAKER, type=kind)
    if names:
        temporal = _add(meta, "temporalData", source=_MAKER)
        for (first, last), name in names.items():
            sides = {"start": first, "end": last}
            interval = {side: "#" + events[day] for side, day in sides.items() if day}
            _add(_add(temporal, "temporalGroup", eId=name), "timeInterval", refersTo=_MAKER, **interval)
    references = _add(meta, "references", source=_MAKER)
    _add(references, "TLCOrganization", eId="parliament", href="/akn/ontology/organization/in/parliament",
         showAs="Parliament of India")  # fmt: skip
    _add(references, "TLCOrganization", eId="citegrain", href="/akn/ontology/organization/citegrain",
         showAs="citegrain")  # fmt: skip
    if printed := {(n["page"], n["label"]): n["text"] for row in provisions for n in row["notes"]}:
        notes = _add(meta, "notes", source=_MAKER)
        for number, ((_, label), text) in enumerate(printed.items(), 1):
            note = _add(notes, "note", eId=f"note_{number}", marker=label)
            _paragraph(note, text)


def _tag(name: str) -> str:
    return f"{{{NAMESPACE}}}{name}"


def _add(above: Any, tag: str, /, **attributes: str) -> Any:
    return etree.SubElement(above, _tag(tag), attributes)
