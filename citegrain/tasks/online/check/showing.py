"""A checked text as a table and as a page."""

from datetime import date

from citegrain.tasks.core.pages import Table, encodable, templates
from citegrain.tasks.law.citing import ACT
from citegrain.tasks.online.answer import Picture, PictureError, embedded, picture_of
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.check.schema import CheckedCitation, CheckedText

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
