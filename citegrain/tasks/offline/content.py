"""What a file is by its content, whatever its name or a server says."""

import re
import zipfile
from io import BytesIO
from pathlib import Path

from citegrain.tasks.offline.corpus import FORMS
from citegrain.tasks.offline.pages import RefusedError

_PARTS = {"word/": "docx", "ppt/": "pptx", "xl/": "xlsx"}
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_MARKUP = re.compile(
    rb"^(?:<\?xml[^>]*>|<!--(?:(?!-->).)*-->|\s)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S
)
_CONTROL = bytes({*range(32), 127} - set(b"\t\n\f\r\x1b"))
_BINARY = 0.01  # share of bytes that no text has


def ending_of(data: bytes) -> str:
    """The ending that a file should have by its content, one of those of ``FORMS``.

    Raises RefusedError if it is of no form that is read.
    """
    if not data:
        raise RefusedError("the document is empty")
    form = form_of(data) or ("plain" if _is_text(data) else "")
    ending = next((ending for ending, read in FORMS.items() if read == form), "")
    if not ending:
        raise RefusedError("neither PDF, Word, PowerPoint, Excel, web page nor text")
    return ending


def _is_text(data: bytes) -> bool:
    """Whether bytes may be a text: in UTF-16 by their mark, else hardly any that no text has."""
    marked = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    return marked or len(data) - len(data.translate(None, _CONTROL)) <= _BINARY * len(data)


def is_scan(path: Path) -> bool:
    """Whether more pages of a PDF are images without text than have text: it needs OCR to be read."""
    from citegrain.tasks.core.mupdf import pymupdf  # takes a third of a second

    try:
        with pymupdf.open(path) as pdf:
            texts = [bool(page.get_text().strip()) for page in pdf]
            images = [not text and bool(page.get_images()) for text, page in zip(texts, pdf, strict=True)]
    except (RuntimeError, ValueError):  # damaged: whoever parses it says so
        return False
    return sum(images) > sum(texts)


def form_of(data: bytes) -> str:
    """What a file is by its content: ``pdf``, ``docx``, ``pptx``, ``xlsx``, ``html``; empty if unknown.

    Raises RefusedError if it is an Office file that cannot be read: encrypted, or of the formats before 2007.
    """
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data.startswith(b"PK\x03\x04"):
        if data[30:38] == b"mimetype":  # as the rules of these formats have it
            what = "an EPUB" if b"epub" in data[:90] else "an OpenDocument file"
            raise RefusedError(f"{what}: save it as .docx, .xlsx, .pptx or .pdf")
        names = open_archive(data).namelist()
        parts = names if "[Content_Types].xml" in names else []
        return next((form for at, form in _PARTS.items() if any(n.startswith(at) for n in parts)), "zip")
    if data.startswith(_OLE):
        if _ENCRYPTED in data:
            raise RefusedError("encrypted: a password is needed to open it")
        raise RefusedError(
            "an Office file of the format before 2007: save it as .docx, .pptx or .xlsx, or as PDF"
        )
    if data.startswith(b"{\\rtf"):
        raise RefusedError("an RTF file: save it as .docx or as PDF")
    if data[:4096].lstrip().startswith((b"From: ", b"MIME-Version:")) and b"multipart/" in data[:4096]:
        raise RefusedError("a web archive (MHTML): save it as .html or as PDF")
    return "html" if _MARKUP.match(data[:4096].removeprefix(b"\xef\xbb\xbf")) else ""


def open_archive(data: bytes) -> zipfile.ZipFile:
    """An Office file as the archive that it is.

    Raises RefusedError if it is damaged.
    """
    try:
        return zipfile.ZipFile(BytesIO(data))
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise RefusedError(
            "damaged or truncated: its ZIP archive cannot be opened; get a whole copy"
        ) from error
