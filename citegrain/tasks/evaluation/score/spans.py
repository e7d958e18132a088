"""Gold as spans of characters: where they stand in a build, and what was found of them.

Characters are counted as sets: one that two chunks share counts once. Where no two chunks overlap, precision
and recall are those of LegalBench-RAG (Pipitone and Alami 2024), which adds lengths.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from citegrain.tasks.evaluation.benchmark import Benchmark, Span
from citegrain.tasks.online.builds import PublishedBuild

CUTS = (1, 2, 4, 8, 16, 32, 64)
"""After how many chunks precision, recall and mismatch are measured, as LegalBench-RAG does."""


@dataclass(frozen=True, order=True)
class Stretch:
    """Characters ``start`` to ``end``, exclusive, of a document."""

    document: str
    start: int
    end: int


def merged(stretches: Iterable[Stretch]) -> list[Stretch]:
    """The same characters as stretches that are in order and apart."""
    out: list[Stretch] = []
    for one in sorted(s for s in stretches if s.start < s.end):
        if out and out[-1].document == one.document and one.start <= out[-1].end:
            out[-1] = Stretch(one.document, out[-1].start, max(out[-1].end, one.end))
        else:
            out.append(one)
    return out


def length(stretches: Iterable[Stretch]) -> int:
    """How many different characters they have."""
    return sum(s.end - s.start for s in merged(stretches))


def common(first: Iterable[Stretch], second: Iterable[Stretch]) -> list[Stretch]:
    """The characters of both."""
    others: dict[str, list[Stretch]] = {}
    for two in merged(second):
        others.setdefault(two.document, []).append(two)
    return [
        Stretch(one.document, max(one.start, two.start), min(one.end, two.end))
        for one in merged(first)
        for two in others.get(one.document, [])
        if max(one.start, two.start) < min(one.end, two.end)
    ]


def place_spans(benchmark: Benchmark, build: PublishedBuild) -> tuple[dict[str, list[Stretch]], list[str]]:
    """The spans of each record in the documents of a build, and what of them is not there.

    A file is the document whose path ends alike, by whole folders. A span whose file is not indexed, or whose
    characters in the build are not those that the benchmark quotes, stays gold that nothing finds.
    """
    files = {span.file for record in benchmark for span in record.spans}
    documents = _documents(files, build.paths)
    warnings = [f"{file}: no document of this path in the build" for file in sorted(files - documents.keys())]
    out: dict[str, list[Stretch]] = {}
    moved: dict[str, int] = {}
    for record in benchmark:
        out[record.id] = []
        for span in record.spans:
            document = documents.get(span.file, "")
            if document and not _is_there(span, document, build):
                moved[span.file] = moved.get(span.file, 0) + 1
                document = ""
            out[record.id].append(Stretch(document or f"?{span.file}", span.start, span.end))
    warnings += [f"{file}: {n} spans quote other characters than the build has" for file, n in moved.items()]
    return {query: merged(stretches) for query, stretches in out.items() if stretches}, warnings


def _documents(files: Iterable[str], paths: Mapping[str, str]) -> dict[str, str]:
    """The document of each file whose path has the longest end in common with it, where there is one such."""
    out = {}
    for file in files:
        shared = {document: _shared_end(file, path) for document, path in paths.items()}
        best = max(shared.values(), default=0)
        documents = [document for document, n in shared.items() if n == best]
        if best and len(documents) == 1:
            out[file] = documents[0]
    return out


def _shared_end(one: str, other: str) -> int:
    """How many names two paths share at their ends; 0 unless one of them ends with all of the other."""
    a, b = one.strip("/").split("/")[::-1], other.strip("/").split("/")[::-1]
    n = next((i for i, pair in enumerate(zip(a, b, strict=False)) if pair[0] != pair[1]), min(len(a), len(b)))
    return n if n == min(len(a), len(b)) else 0


def _is_there(span: Span, document: str, build: PublishedBuild) -> bool:
    """Whether every chunk that has characters of a span has those that the benchmark quotes."""
    if not span.answer:
        return True
    return all(
        text[max(0, span.start - start) : span.end - start]
        == span.answer[max(0, start - span.start) : start + len(text) - span.start]
        for start, text in build.texts_by_document.get(document, ())
        if start < span.end and span.start < start + len(text)
    )


def span_scores(
    gold: Sequence[Stretch],
    ranking: Sequence[Stretch],
    selected: Sequence[Stretch],
    parts: Sequence[Stretch] = (),
) -> dict[str, float]:
    """Metrics of one question.

    ``selected``: those that were given to the generator. ``parts``: the provision in which each of them
    stands.
    """
    documents = {g.document for g in gold}
    out: dict[str, float] = {}
    for k in CUTS:
        first = ranking[:k]
        precision, recall = _shares(gold, first)
        out |= {f"char_precision_{k}": precision, f"char_recall_{k}": recall}
        if first:
            out[f"mismatch_{k}"] = sum(s.document not in documents for s in first) / len(first)
    out["text_precision"], out["text_recall"] = _shares(gold, selected)
    if selected:
        essential = [bool(common([s], gold)) for s in selected]
        near = [bool(common([p], gold)) for p in parts]
        out["mismatch"] = sum(s.document not in documents for s in selected) / len(selected)
        out["essential"] = sum(essential) / len(selected)
        out["unnecessary"] = sum(not e and not n for e, n in zip(essential, near, strict=True)) / len(
            selected
        )
    return out


def _shares(gold: Sequence[Stretch], given: Sequence[Stretch]) -> tuple[float, float]:
    """Share of the given characters that are gold, and of the gold that is given."""
    both = length(common(gold, given))
    return both / all_given if (all_given := length(given)) else 0.0, both / length(gold)
