"""The bench of a judgment: behind a label, in the bracket of a law report, under signatures."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from citegrain.tasks.law.cases import merged, read_name, split_names

_LABEL = re.compile(
    r"^\W*(?P<label>BENCH|CORAM|PRESENT|AUTHOR|BEFORE)(?:\s*:?\s*[-–—:]\s*|\s*$)(?P<names>.*)$", re.IGNORECASE
)
_JUSTICE = re.compile(r"^\W*(?:(?:THE\s+)?HON['’]?(?:OURA)?BLE\s+)(?P<name>.{5,80})$", re.IGNORECASE)
_OFFICE = re.compile(r"\b(?:JJ?|CJI?|C\.\s?J)\b\.?\W*$")
_BRACKETED = re.compile(
    r"^\W*[\[(](?:BEFORE\s+)?(?P<names>[^\[\]]{5,400}?\b(?:JJ|J|CJI|C\.J\.I?|C\.\s?J)\b\.?)[\])]\W*$",
    re.DOTALL,
)
_LISTED = re.compile(r"^(?P<names>[A-Z][A-Z.,'’ ]{4,160}?\b(?:JJ|J)\.?)\W*$")
AUTHOR = re.compile(
    r"^\W*(?P<name>(?:(?:Dr|Mr|Mrs|Ms)\.?\s+)?[A-Z][A-Za-z.'’\s-]{2,60}?)\s*(?:,\s*|\s+(?=C\.?J))"
    r"(?:(?:Actg?\.?\s*)?C\.?\s?J\.?\s?I?\.?|CJI|JJ?)\s?[.:*]?(?:\s*[-–—:]+|\s*\([^)]{3,60}\)\s*:?)?\s*$"
)
"""A row that names the judge whose opinion begins: ``RAJESH BINDAL, J.``"""
_FULL_ROW = 55  # characters of a row of names that goes on below


def read_bench(
    top: Sequence[str], labels: Mapping[str, Sequence[str]], block: Sequence[str], signed: Sequence[str]
) -> tuple[str, ...]:
    """Judges by what the print says of them: labels, brackets, signatures; else who wrote the opinion.

    Parameters
    ----------
    top
        Rows above the opinion.
    labels
        Rows under each label, of a print that has labels.
    block, signed
        Names that a law report has under the parties, and those under signatures.
    """
    names: list[str] = list(block)
    if "RESPONDENT" in labels:
        names += [n for row in labels.get("BENCH", ()) for n in _of_row(row) if n]
    for i, row in enumerate(top):
        match = _LABEL.match(row)
        label = match["label"].upper() if match else ""
        if match and label == "BENCH" and match["names"]:
            names += split_names(" ".join(_goes_on(match["names"], top[i + 1 :])))
        elif match and label in ("CORAM", "PRESENT", "BEFORE"):
            names += _coram([match["names"], *top[i + 1 : i + 8]])
    names += signed
    if not names:
        names = _coram([row for row in top if _JUSTICE.match(row)]) or [n for n in [read_author(top)] if n]
    return tuple(merged(names))


def _of_row(row: str) -> list[str]:
    """The judge of a row that may have the surname first, or the judges of a list."""
    name = read_name(row)
    return split_names(row) if "," in name else [name]


def _goes_on(first: str, rows: Sequence[str]) -> list[str]:
    """A list of names and the rows on which it goes on: until a row that is no list of names."""
    out = [first]
    for row in rows[:6]:
        listed = "," in row or out[-1].endswith(",") or len(out[-1]) > _FULL_ROW
        if not listed or not re.fullmatch(r"[A-Z][A-Za-z.,'’\s-]+", row) or row.isupper():
            break
        out.append(row)
    return out


def _coram(rows: Sequence[str]) -> list[str]:
    """Names of the rows below ``CORAM``, each of one judge, or lists that end with ``JJ.``"""
    names: list[str] = []
    listed: list[str] = []
    for row in rows:
        match = _JUSTICE.match(row)
        if match:
            names += split_names(match["name"])
        elif re.search(r"\b(?:AND|&)\s*$|,\s*$", row, re.IGNORECASE) or (row and _OFFICE.search(row)):
            listed.append(row)
            if _OFFICE.search(row):
                names += split_names(" ".join(listed))
                listed = []
        elif row and names:
            break
    return names


def bracketed(rows: Sequence[str]) -> tuple[int | None, list[str]]:
    """The row with which the bench of a law report begins, and its judges."""
    for i in range(min(30, len(rows))):
        for last in range(i + 1, min(i + 6, len(rows)) + 1):
            match = _BRACKETED.match(" ".join(rows[i:last]))
            if match:
                return i, split_names(match["names"])
        listed = _LISTED.match(rows[i])
        if listed and "," in rows[i]:
            return i, split_names(re.sub(r",?\s*C\.?\s?J\.?(?=,|\s)", "", listed["names"]))
    return None, []


def read_author(rows: Sequence[str]) -> str:
    """The judge who wrote the opinion; empty if no row names one."""
    for row in rows:
        match = _LABEL.match(row)
        if match and match["label"].upper() == "AUTHOR":
            return read_name(match["names"])
        named = AUTHOR.match(row)
        if named:
            return read_name(named["name"])
    return ""
