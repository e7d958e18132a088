"""What the pages of a judgment carry beside its text: letters in the margin, stamps, footnotes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import pyarrow as pa

_STAMP = re.compile(
    r"^\W*(?:Signature Not Verified|Digitally signed by.*|Date:\s*\d{4}\.\d\d\.\d\d|\d\d:\d\d:\d\d\s+IST|"
    r"Reason:|Indian Kanoon - http\S*+|SCC Online Web Edition.*|MANU/\S++|Page \d+(?: of \d+)?|"
    r"\d{1,4}(?: ?\| ?P ?a ?g ?e)?)\W*$|"
    r"^(?=[^\^\ufffd]*[\^\ufffd])\W*$",
    re.IGNORECASE,
)
_RUN_IN = re.compile(r"^Signature Not Verified(?=\s*\S)\s*")
_FOOT = re.compile(r"\s*\b\d{1,4} ?\| ?P ?a ?g ?e\b\s*")  # of the court's page, in a reprint's text
_SIGNED = re.compile(r"Signature Not Verified|Digitally signed by", re.IGNORECASE)
_SIGNED_END = re.compile(r"^\W*Reason:", re.IGNORECASE)
_SIGNER = re.compile(r"[A-Z][A-Za-z. ]{2,40}")
_SMALL, _TINY, _STAMPED = 0.9, 0.55, 1.8  # of the size of running text
_LABEL = re.compile(r"^\W*\d{1,3}(?=\D)")
_HEAD_ROWS, _REPEATED = 1, 4  # the first rows of a page; pages on which they say the same
Line = Mapping[str, Any]


def without_furniture(lines: pa.Table, body_size: float, *, footnotes: bool) -> pa.Table:
    """Lines of a judgment with only its text as ``body``, and its footnotes as ``footnote``.

    Parameters
    ----------
    footnotes
        Whether small type at the foot of a page is a footnote: a publisher's print has none there.
    """
    rows = [_unstamped(row, body_size) for row in lines.to_pylist()]
    stamps = _repeated_stamps(rows, body_size)
    roles: list[str] = []
    for _, group in groupby(rows, key=lambda r: r["page"]):
        roles += _page_roles(list(group), body_size, stamps, footnotes=footnotes)
    return pa.Table.from_pylist(
        [{**r, "role": role} for r, role in zip(rows, roles, strict=True)], lines.schema
    )


def _unstamped(row: Line, body_size: float) -> Line:
    """A line without the stamp of the digital signature, or the foot of a page, that runs into it."""
    text = _RUN_IN.sub("", row["text"])
    if text != row["text"]:
        return {**row, "text": text, "size": body_size}
    rest = _FOOT.sub(" ", text).strip()  # of a row that is a foot alone nothing: that is a stamp
    return {**row, "text": rest} if rest not in ("", text) and not row["marks"] else row


def _repeated_stamps(rows: Sequence[Line], body_size: float) -> set[str]:
    """Words printed large across many pages, as a stamp below the text is, and at the head of many pages."""
    large = Counter(r["text"] for r in rows if r["size"] > _STAMPED * body_size)
    heads = Counter(
        r["text"] for r in rows if r["page"] > 1 and r["row"] <= _HEAD_ROWS and len(r["text"]) > 3
    )
    return {text for counts in (large, heads) for text, n in counts.items() if n >= _REPEATED}


def _page_roles(page: Sequence[Line], body_size: float, stamps: set[str], *, footnotes: bool) -> list[str]:
    body = [r for r in page if r["role"] in ("body", "footnote", "margin_note") and len(r["text"]) > 30]
    left = min((r["x0"] for r in body), default=0.0)
    right = max((r["x1"] for r in body), default=1e9)
    notes = _footnote_rows(page, body_size) if footnotes else set()
    words_at: dict[int, float] = {}  # by row, where the last of its words begins, points
    for line in page:
        if len(line["text"]) > 3:
            words_at[line["row"]] = max(line["x0"], words_at.get(line["row"], 0.0))
    roles, signing = [], False
    for line in page:
        role, text = line["role"], line["text"]
        signing = bool(_SIGNED.search(text)) or (signing and not _SIGNED_END.match(text))
        lettered = re.fullmatch(r"[A-H]", text) and (line["x1"] < left or line["x0"] > right)
        numbers = words_at.get(line["row"], 0.0) > line["x0"]  # a bare number that opens a row of text
        stamped = text in stamps or (_STAMP.match(text) and not line["marks"] and not numbers)
        signer = signing and line["size"] <= body_size and _SIGNER.fullmatch(text) and len(text) < 30
        if role in ("header", "footer", "page_number", "rule"):
            roles.append(role)
        elif lettered or stamped or signer or line["size"] < _TINY * body_size:
            roles.append("rule")
        else:
            roles.append("footnote" if line["row"] in notes else "body")
    return roles


def _footnote_rows(page: Sequence[Line], body_size: float) -> set[int]:
    """Rows in small type at the foot of a page, from the first that opens with a label."""
    rows = [list(g) for _, g in groupby(page, key=lambda r: r["row"])]
    rows = [r for r in rows if any(s["role"] in ("body", "footnote") for s in r)]
    small: list[int] = []
    labelled: set[int] = set()
    for row in reversed(rows):
        texts = [s for s in row if not re.fullmatch(r"[A-H]|\d{1,4}", s["text"])]
        if not texts:
            continue
        biggest = max(texts, key=lambda s: len(s["text"]))
        if biggest["size"] > _SMALL * body_size:
            break
        small.append(row[0]["row"])
        first = texts[0]
        if any(m["offset"] == 0 for m in first["marks"]) or _LABEL.match(first["text"]):
            labelled.add(row[0]["row"])
    if not labelled:
        return set()
    return {number for number in small if number >= min(labelled)}


def footnote_texts(footnotes: Sequence[Any]) -> Iterator[tuple[int, str, str]]:
    """(page, label, text) of each footnote, from rows in order; rows without a label go on the last."""
    current: list[Any] = []
    for row in footnotes:
        label = next((m for o, m in row.marks if o == 0), "")
        text = row.text
        if not label and (match := re.match(r"^\W*(\d{1,3})[.)]?\s+(?=\D)", text)):
            label, text = match[1], text[match.end() :]
        if label:
            if current:
                yield current[0], current[1], " ".join(current[2])
            current = [row.page, label, [text]]
        elif current:
            current[2].append(text)
    if current:
        yield current[0], current[1], " ".join(current[2])
