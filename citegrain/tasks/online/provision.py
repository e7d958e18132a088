"""A provision by itself: its text on a day, where it stands, and what took its place."""

from datetime import date
from typing import Any

from pydantic import Field

from citegrain.tasks.core.errors import Expected
from citegrain.tasks.law.citations import eli_of, legislation_of
from citegrain.tasks.law.citing import find_mentions, names_only, spelled_out
from citegrain.tasks.law.instruments import PREFIXES
from citegrain.tasks.online.answer import (
    Counterpart,
    Part,
    Replacement,
    called_by,
    commencement,
    court_notes,
    later_edition,
    not_law,
    pending_in,
    with_counterparts,
)
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.estimate import act_names
from citegrain.tasks.online.hits import law_of
from citegrain.tasks.online.lists import in_lists, number_in_list, said_of


class NotInBuild(LookupError, Expected):
    """A provision is not in the build; the message says so. It may be law all the same."""


class Provision(Part):
    """A provision as its text stood on a day."""

    provision_id: str = Field(description="its id in the build")
    eli: str = Field(description="id that outlives the build: eli/in/act/1860/45/2023-10-20/sec_302")
    legislation: dict[str, Any] = Field(description="the same as JSON-LD, a Legislation of schema.org")
    law: str = Field(description="how a person cites it")
    act: str = Field(description="id of the Act")
    title: str = Field(description="short title of the Act")
    jurisdiction: str = Field(description="central or the State; empty if unknown")
    kind: str = Field(description="section, article, rule, ...")
    number: str = Field(description="as it is cited")
    heading: str = Field(description="its heading; empty if none")
    text: str = Field(description="the whole text, without number and heading")
    as_of: str = Field(description="the day, ISO")
    in_force: bool = Field(description="whether the build has it as law on that day")
    evidence: str = Field(description="what its dates rest on; empty if unknown, which is not false")
    status: str = Field(description="in_force, omitted or repealed, as the text says")
    version: str = Field(description="date of the version of the text, ISO; empty if unknown")
    valid_from: str = Field(description="first day in force, ISO; empty if unknown")
    valid_to: str = Field(description="last day in force, ISO; empty if none is known")
    page: int = Field(description="page or slide, from 1; 0 where the document has no pages")
    link: str = Field(description="file and page, as file.pdf#page=3")
    url: str = Field(description="address that opens it; of the API a path there; empty if there is none")
    attributes: dict[str, str] = Field(description="what the law's own tables say, such as bailable")
    notes: list[str] = Field(description="footnotes that concern it: by what it was amended")
    replacement: Replacement | None = Field(description="of its Act; null for most")
    counterparts: list[Counterpart] = Field(description="there, the nearest first")
    may_have_changed_since: str = Field(
        "", description="first day of an amendment that the text does not show, ISO or a year; empty if none"
    )
    remarks: list[str] = Field(
        description="sentences on what to mind: not law that day, a later edition, an amendment to come"
    )


def parts_in(build: PublishedBuild, words: str) -> list[str]:
    """Ids of the provisions that words such as ``IPC 302`` name; else of the Acts. Words may be an id.

    A number beside the name of an Act that is not known is no section of the Acts that are.
    """
    names = act_names(build)
    words = _of_eli(build, words)
    read = names.read(spelled_out(words, names))
    acts = names.find(read)
    mentions = find_mentions(read, acts)
    bare = not names_only(read, acts)
    ids = [p for m in mentions if m.act_id or bare for p in build.cited(m.kind, m.number, m.act_id)]
    alone = [act for place in acts if not place.absent for act in place.act_ids]
    listed = in_lists(build, read, ids, alone) if alone or not acts else []
    return [words, *(listed or (ids if mentions else alone))]


def _of_eli(build: PublishedBuild, words: str) -> str:
    """The id here of an id that outlives the build, of whatever version; other words as they are."""
    edition, _, part = words.strip().rpartition("/")
    acts = {eli_of(act, "").rpartition("/")[0]: act["act_id"] for act in build.acts}
    act = acts.get(edition.rpartition("/")[0]) if edition.startswith("eli/") else None
    return f"{act}/{part}" if act else words


def not_in_build(build: PublishedBuild, words: str) -> NotInBuild:
    """Says that words name nothing of a build, and which Act inserts what they name, if one is known."""
    if not words.strip():
        return NotInBuild("nothing is named: give a provision as IPC 302, or its id")
    acts = act_names(build).find(words)
    mentions = find_mentions(words, acts)
    ids = [words] + [f"{m.act_id}/{PREFIXES[m.kind]}_{m.number}" for m in mentions if m.kind in PREFIXES]
    one = next(filter(None, map(build.inserting, ids)), None)
    by = f"inserted by {called_by(build, one['amended_by'], one['provision_id'])}" if one else ""
    titles = {act["act_id"]: act["title"] for act in build.acts}
    lacking = [
        f"{titles[m.act_id]} is, and has no {m.kind} {m.number}" for m in mentions if m.act_id in titles
    ]
    absent = " ".join(act_names(build).absent(words)).removesuffix(".")
    alone = [titles[act] for place in acts for act in place.act_ids if act in titles and not mentions]
    if alone and not absent:
        return NotInBuild(f"{words}: {alone[0]} is in this build: add the number of a provision")
    unknown = [*filter(None, [absent]), "it may be law all the same"]
    said = by or "; ".join(unknown if absent or not lacking else lacking)
    return NotInBuild(f"{words}: not in this build; {said}")


def make_provision(build: PublishedBuild, provision_id: str, day: date, words: str = "") -> Provision:
    """A provision as it is law on a day, else as its latest version has it; ``words``: that name it.

    Raises NotInBuild if there is no provision of this id.
    """
    try:
        row, in_force = build.on_day(provision_id, day)
    except KeyError:
        raise not_in_build(build, provision_id) from None
    act = build.act(row["act_id"], row["version_date"])
    document, first = row["document_id"], row["page_start"]
    page, file = build.shown_page(document, first), build.file(document)
    number = number_in_list(build, row)
    law, version = law_of(act, row | {"number": number}, page), _iso(row["version_date"])
    remarks = [] if in_force else [not_law(law, row, act, day, build.last_day(row["act_id"]))]
    if version > day.isoformat():
        remarks.append(later_edition({"title": act["title"], "version": version}, day.isoformat()))
    changed = pending_in(build, row, day)
    courts = [note for note in court_notes(row) if not any(note in said for said in remarks)]
    begun = commencement(build, row, day) if in_force else []
    remarks += said_of(build, provision_id, words)
    remarks += [*filter(None, [changed["may_have_changed"]]), *begun, *courts]
    others = with_counterparts(build, {"provision_id": provision_id})
    return Provision(
        provision_id=provision_id,
        eli=eli_of(act, provision_id),
        legislation=legislation_of(act, row, law, in_force),
        law=law,
        act=row["act_id"],
        title=act["title"],
        jurisdiction=act["jurisdiction"],
        kind=row["kind"],
        number=number,
        heading=row["heading"],
        text=row["text"],
        status=row["status"],
        as_of=day.isoformat(),
        in_force=in_force,
        evidence=row["validity_evidence"],
        version=version,
        valid_from=_iso(row["valid_from"]),
        valid_to=_iso(row["valid_to"]),
        page=page,
        link=build.link(document, first),
        url=file.resolve().as_uri() + build.anchor(document, first) if file else "",
        attributes=build.attributes(provision_id),
        notes=[note["text"] for note in row["notes"]],
        replacement=others["replacement"],
        counterparts=others["counterparts"],
        may_have_changed_since=changed["may_have_changed_since"],
        remarks=remarks,
    )


def _iso(day: date | None) -> str:
    return day.isoformat() if day else ""
