"""Office files are ZIP archives of XML: what they are, and what must be right before a library opens one."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO

from citegrain.tasks.offline.pages import RefusedError

MAX_UNPACKED_MIB = 512
_MAX_PARTS = 20_000
_PARTS = {"word/": "docx", "ppt/": "pptx", "xl/": "xlsx"}
_DTD = re.compile(rb"<\x00?!\x00?(?:D\x00?O\x00?C\x00?T\x00?Y|E\x00?N\x00?T\x00?I)")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_MARKUP = re.compile(
    rb"^(?:<\?xml[^>]*>|<!--(?:(?!-->).)*-->|\s)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S
)


def form_of(data: bytes) -> str:
    """What a file is by its content: ``pdf``, ``docx``, ``pptx``, ``xlsx``, ``html``; empty if unknown.

    Raises
    ------
    RefusedError
        If it is an Office file that cannot be read: encrypted, or of the formats before 2007.
    """
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data.startswith(b"PK\x03\x04"):
        return _office_form(data)
    if data.startswith(_OLE):
        if _ENCRYPTED in data:
            raise RefusedError("encrypted: a password is needed to open it")
        raise RefusedError(
            "an Office file of the format before 2007: save it as .docx, .pptx or .xlsx, or as PDF"
        )
    if data.startswith(b"{\\rtf"):
        raise RefusedError("an RTF file: save it as .docx or as PDF")
    return "html" if _MARKUP.match(data[:4096].removeprefix(b"\xef\xbb\xbf")) else ""


def _office_form(data: bytes) -> str:
    names = _archive(data).namelist()
    if "[Content_Types].xml" not in names:
        return "zip"
    return next((form for folder, form in _PARTS.items() if any(n.startswith(folder) for n in names)), "zip")


def _archive(data: bytes) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(BytesIO(data))
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise RefusedError(
            "damaged or truncated: its ZIP archive cannot be opened; get a whole copy"
        ) from error


def check_package(data: bytes) -> None:
    """Refuse an archive that is encrypted, unpacks to too much, has macros or declares XML entities.

    Raises
    ------
    RefusedError
        With the reason.
    """
    archive = _archive(data)
    parts = archive.infolist()
    if len(parts) > _MAX_PARTS:
        raise RefusedError(f"{len(parts)} parts in its archive, more than {_MAX_PARTS}")
    unpacked = sum(part.file_size for part in parts)
    if unpacked > MAX_UNPACKED_MIB * 2**20:
        raise RefusedError(
            f"unpacks to {unpacked / 2**20:.0f} MiB, more than {MAX_UNPACKED_MIB}: a ZIP bomb?"
        )
    if any(part.flag_bits & 1 for part in parts):
        raise RefusedError("encrypted: a password is needed to open it")
    if any(part.filename.lower().endswith("vbaproject.bin") for part in parts):
        raise RefusedError("contains macros: save it without them, as .docx, .pptx or .xlsx")
    for part in parts:
        if part.filename.lower().endswith((".xml", ".rels")) and _declares(archive, part):
            raise RefusedError(f"declares XML entities, as no Office program does ({part.filename[:60]!a})")


def _declares(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> bool:
    """Whether a part has a document type, which may stand only before its first element."""
    with archive.open(part) as stream:
        return bool(_DTD.search(stream.read(65536)))
