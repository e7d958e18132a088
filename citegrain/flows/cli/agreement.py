"""The command that compares labelling passes: ``citegrain agreement``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING, Annotated

import typer

from citegrain.flows.cli.terminal import (
    Overrides,
    build_folder,
    fail,
    in_one_line,
    is_named,
    line,
    out,
    published,
    rendered,
    settings_of,
    shown,
)
from citegrain.tasks.core.paths import located

if TYPE_CHECKING:
    from citegrain.flows.shared.settings import Settings
    from citegrain.tasks.evaluation.benchmark import Benchmark, Labels, Pass, Settled
    from citegrain.tasks.evaluation.compare import Agreement, Interval

List = Annotated[bool, typer.Option("--list", help="Print each complaint on which passes differ.")]
_MOST_IDS = 10
_ROWS = {
    "kappa": "kappa of the primary",
    "primary": "same primary",
    "jaccard": "Jaccard of the sets, mean",
    "equal": "equal sets",
    "dated": "same date",
}


def agreement(overrides: Overrides = None, listed: List = False) -> None:
    """Compare the labelling passes (pass-*.jsonl) beside a benchmark."""
    from citegrain.tasks.evaluation.benchmark import pass_of, read_passes, read_settled
    from citegrain.tasks.evaluation.compare import contradicted, differing, unlabelled

    words = published(overrides)
    settings = settings_of(words)
    with in_one_line(settings.artifacts_folder):
        scopes = _scopes(settings)
        path = located(settings.benchmark.path)
        folder = path if path.is_dir() else path.parent
        passes = read_passes(folder)
        records = pass_of(scopes[-1].records)
        compared = passes if len(passes) > 1 else [records, *passes]
        settled = read_settled(folder, compared)
    if not passes:
        fail(f"{shown(folder)}: contains no labelling pass: add pass-NAME.jsonl (docs/benchmarks.md)", 1)
    for labelled in passes:
        if missing := unlabelled(labelled, [record.id for record in scopes[0]]):
            of_all = f"{len(missing)} of {len(scopes[0])} complaints"
            line(f"{labelled.name} lacks {of_all}: {_ids(missing)}", "red")
    _show(compared, records, scopes, settings.bench.seed)
    for scope in scopes:
        _report_differences(compared, settled, scope)
    wrong = contradicted(passes, settled, records)
    if wrong:
        line(
            f"records that contradict what was settled or what the passes agree on: {_ids(wrong)}",
            style="red",
        )
    if is_named(words):
        _show_overlap(settings, scopes[0])
    if listed:
        for query in differing(compared, [r.id for r in scopes[0]]):
            _list(query, compared, settled.get(query))


def _scopes(settings: Settings) -> list[Benchmark]:
    """The benchmark asked for, and all splits beside it together, if there is more than one."""
    from citegrain.tasks.core.paths import located
    from citegrain.tasks.evaluation.benchmark import SPLITS, Benchmark, load_benchmark, open_benchmark

    benchmark = open_benchmark(settings.benchmark)
    path = located(settings.benchmark.path)
    if path.suffix != ".jsonl" or path.stem not in SPLITS:
        return [benchmark]
    siblings = {split: path.with_name(f"{split}.jsonl") for split in SPLITS}
    splits = [load_benchmark(p, s, s) for s, p in siblings.items() if p.is_file()]
    if len(splits) < 2:
        return [benchmark]
    records = tuple(record for each in splits for record in each)
    return [benchmark, Benchmark(benchmark.name, " + ".join(each.split for each in splits), records)]


def _ids(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _MOST_IDS} more" if len(ids) > _MOST_IDS else ""
    return ", ".join(ids[:_MOST_IDS]) + more


def _show(passes: Sequence[Pass], records: Pass, scopes: Sequence[Benchmark], seed: int) -> None:
    """A table for each pair of passes, then one for each pass with the labels of the records."""
    from itertools import combinations

    from citegrain.tasks.evaluation.compare import agree

    pairs = list(combinations(passes, 2))
    if records not in passes:
        pairs += [(labelled, records) for labelled in passes]
    ids = [[record.id for record in scope] for scope in scopes]
    for first, second in pairs:
        _table([agree(first, second, each, seed) for each in ids], scopes)


def _table(agreements: Sequence[Agreement], scopes: Sequence[Benchmark]) -> None:
    from citegrain.tasks.core.pages import Table

    columns = zip(scopes, agreements, strict=True)
    heads = [f"{scope.split}\nn = {each.n}" for scope, each in columns]
    title = f"{agreements[0].first} and {agreements[0].second}, {scopes[0].name}: 95% intervals"
    figures = {heading: [getattr(each, name) for each in agreements] for name, heading in _ROWS.items()}
    rows = [[name, *map(_formatted, cells)] for name, cells in figures.items() if any(c.n for c in cells)]
    out.print(rendered(Table.of_texts(title, ["", *heads], rows)))


def _formatted(figure: Interval) -> str:
    from citegrain.tasks.evaluation.report import DASH

    if isnan(figure.value):
        return DASH
    bounds = "" if isnan(figure.lo) else f" [{figure.lo:.3f}, {figure.hi:.3f}]"
    return f"{figure.value:.3f}{bounds}"


def _report_differences(passes: Sequence[Pass], settled: Mapping[str, Settled], benchmark: Benchmark) -> None:
    """How many complaints the passes differ on, and for which pass they were settled."""
    from collections import Counter

    from citegrain.tasks.evaluation.compare import differing

    differ = differing(passes, [record.id for record in benchmark])
    primary = sum(len({p.labels[q].primary for p in passes if q in p.labels}) > 1 for q in differ)
    primaries = f", {primary} of them in the primary" if differ else ""
    line(f"{benchmark.split}: passes differ on {len(differ)} of {len(benchmark)}{primaries}")
    follows = Counter(settled[query].follows for query in differ if query in settled)
    if follows:
        line("  settled: " + ", ".join(f"{n} for {name}" for name, n in follows.most_common()))
    open_ = [query for query in differ if query not in settled]
    if open_:
        line(f"  not settled: {_ids(open_)}")


def _show_overlap(settings: Settings, benchmark: Benchmark) -> None:
    """The share of the words of complaints that their primary provision contains, by register."""
    from citegrain.flows.shared.library import Build
    from citegrain.tasks.core.schemas import PROVISIONS
    from citegrain.tasks.evaluation.benchmark import Citation, overlap_by_register

    folder = build_folder(settings, explicit=True)
    with in_one_line(settings.artifacts_folder):
        build = Build.open(folder or "", settings.models_folder)
    columns = build.table(PROVISIONS).select(["provision_id", "text"]).to_pydict()
    texts = dict(zip(columns["provision_id"], columns["text"], strict=True))

    def text_of(citation: Citation) -> str:
        return " ".join(texts[p] for p in build.labelled(citation.act, citation.section))

    overlaps = overlap_by_register(benchmark, text_of)
    medians = ", ".join(f"{register} {share:.3f} (n = {n})" for register, (share, n) in overlaps.items())
    line(f"content words of a complaint in its primary provision, median: {medians or 'none is indexed'}")


def _list(query: str, passes: Sequence[Pass], settled: Settled | None) -> None:
    """What each pass says of a complaint, and what was settled."""
    line(query, style="bold")
    for labelled in passes:
        labels = labelled.labels.get(query)
        if labels is not None:
            line(f"  {labelled.name}: {_labels(labels)}")
            if settled is None and labels.reason:
                line(f"    {labels.reason}", style="dim")
    if settled is not None:
        line(f"  settled, {settled.follows}: {_labels(settled)}")
        line(f"    {settled.reason}", style="dim")


def _labels(labels: Labels) -> str:
    return ", ".join(citation.label for citation in labels.applicable) or "out of scope"
