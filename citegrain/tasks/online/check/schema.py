"""The value of a check: JSON, the terminal's table and the page are renderings of it."""

from __future__ import annotations

from datetime import date
from typing import Literal

from pydantic import Field

from citegrain.tasks.core.pages import Table, encodable, templates
from citegrain.tasks.law.citing import ACT
from citegrain.tasks.online.answer import Part, Picture, PictureError, embedded, picture_of
from citegrain.tasks.online.builds import PublishedBuild

Status = Literal[
    "in_force", "indexed", "replaced", "repealed", "struck_down", "not_yet_in_force", "no_such_provision",
    "heading_differs", "quotation_differs", "not_indexed", "act_not_named",
]  # fmt: skip
NOT_IN_FORCE: tuple[Status, ...] = ("replaced", "repealed", "struck_down", "not_yet_in_force")
UNTRUE: tuple[Status, ...] = ("no_such_provision", "heading_differs", "quotation_differs")
"""What is wrong on the day, and on any. Of ``not_indexed`` and ``act_not_named`` nothing is known."""


class CheckedCitation(Part):
    """A citation of a provision, an Act or a case, and what the build says of it."""

    start: int = Field(description="where it begins in the text, in characters")
    end: int = Field(description="where it ends")
    page: int = Field(default=0, description="page of the file, from 1; 0 where it has none")
    words: str = Field(description="the citation as it was read")
    kind: str = Field(description="section, article, rule, regulation, act or case")
    number: str = Field(description="number without sub-sections, O39R1 of a rule of an Order; else empty")
    act: str = Field(description="id of the Act, or that it would have; empty if no Act is named")
    title: str = Field(description="its title, or as the text names it")
    status: Status = Field(description="what is right or wrong with it on the day")
    provision_id: str = Field(default="", description="id of the provision; empty if the build has none")
    heading: str = Field(default="", description="its heading")
    message: str = Field(default="", description="what is wrong: what replaced it, which sections exist ...")
    link: str = Field(default="", description="file and page of the provision, as file.pdf#page=3")

    @property
    def wrong(self) -> bool:
        """Whether the citation is wrong on the day."""
        return self.status in (*NOT_IN_FORCE, *UNTRUE)


def cited_case(start: int, end: int, words: str, act: str, title: str) -> CheckedCitation:
    """A citation of a case; ``act``: id of the judgment; empty where it is not indexed."""
    status: Status = "indexed" if act else "not_indexed"
    return CheckedCitation(
        start=start, end=end, words=words, kind="case", number="", act=act, title=title, status=status
    )


class CheckedText(Part):
    """All citations of a text."""

    file: str = Field(description="name of the file")
    as_of: str = Field(description="the day whose law counts, ISO")
    dated: bool = Field(default=False, description="whether that is the day that the text itself bears")
    build: str = Field(description="name and key of the build")
    words: int = Field(description="words of the text")
    unread_pages: list[int] = Field(default=[], description="pages of which no text could be read")
    citations: list[CheckedCitation] = Field(description="in the order of the text")

    @property
    def hint(self) -> str:
        """What to mind of law that is gone; empty if the text cites none."""
        said = "For what happened before a law was replaced, check by the law of that day: --as-of."
        return said if any(c.status in ("replaced", "repealed") for c in self.citations) else ""


_PICTURED = 20
HEADS = ("citation", "status", "of", "what is wrong", "times", "page")


def check_table(checked: CheckedText) -> Table:
    """A line a citation and status: those that are wrong first, then as the text has them."""
    rows: dict[tuple[str, ...], list[CheckedCitation]] = {}
    for citation in checked.citations:
        name = ACT if citation.kind == ACT else citation.words
        key = (name, citation.status.replace("_", " "), citation.title, citation.message)
        rows.setdefault(key, []).append(citation)
    lines = [
        (*key, str(len(same)), ", ".join(dict.fromkeys(str(c.page) for c in same if c.page)))
        for key, same in sorted(rows.items(), key=lambda item: not item[1][0].wrong)
    ]
    return Table.of_texts(f"{checked.file}: {len(checked.citations)} citations", HEADS, lines, HEADS[1:4])


def check_page(checked: CheckedText, section: str = "", build: PublishedBuild | None = None) -> str:
    """The table as one HTML page; everything in it that others wrote is escaped.

    ``section``: HTML that stands behind it. ``build``: of whose PDFs the pages are shown, the provisions
    marked: of those that are wrong first, and of 20 at most; None for no pages.
    """
    environment = templates("citegrain.tasks.online.check")
    environment.filters["embedded"] = embedded
    page = environment.get_template("check.html.j2")
    cited: dict[str, CheckedCitation] = {}
    for citation in sorted(checked.citations, key=lambda c: -c.wrong):
        if citation.link.partition("#")[0].lower().endswith(".pdf"):
            cited.setdefault(citation.provision_id, citation)
    chosen = list(cited.values())[:_PICTURED]
    day = date.fromisoformat(checked.as_of)
    pictures = [(c, _picture(build, c, day)) for c in chosen] if build else []
    table = check_table(checked)
    return encodable(page.render(checked=checked, table=table, section=section, pictures=pictures))


def _picture(build: PublishedBuild, citation: CheckedCitation, day: date) -> Picture | str:
    """The page of a provision on a day, or why it is not shown."""
    try:
        return picture_of(build, build.on_day(citation.provision_id, day)[0], marked=True)
    except PictureError as error:
        return str(error)
