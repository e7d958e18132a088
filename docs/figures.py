"""Bring the figures of README.md and docs/*.md up to date: ``make figures``.

A block ``<!-- figures: TABLE STUDY -->`` ... ``<!-- end -->`` holds a table of a study, or of several. What
the docs need of a study is written from ``artifacts/reports/STUDY`` to ``docs/results/STUDY.json``, which is
tracked; a study that is not there keeps its tracked file. Then each block is rendered from its JSON.
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from citegrain.tasks.evaluation.studies import StudyFolder, StudyReadError, read_study

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "docs" / "results"
BLOCK = re.compile(r"(<!-- figures: (\w+) ([\w. -]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
_METRICS = (
    "primary_accuracy", "complete_accuracy", "set_f1", "hit_1", "primary_5", "primary_20", "fused_primary_20",
    "fused_set_20", "ndcg_10", "ece", "calibration_error", "brier", "abstained_in_scope",
    "abstained_out_of_scope", "recall_1", "recall_5", "recall_100", "mrr_10",
)  # fmt: skip
_NUMBERS = ("value", "difference", "effect", "lo", "hi", "p", "p_holm", "mde")
_BENCHMARK = ("name", "split", "queries", "in_scope", "as_of", "sha256")
_EFFECTS = ("contrast", "factor", "level", "against", "metric", "effect", "lo", "hi", "n", "p_holm")
_COMPARISONS = ("baseline", "configuration", "metric", "difference", "lo", "hi", "n", "p_holm")
# the order in which a provision meets them
_LOSSES = ("found", "wrong_order", "cut_by_selection", "cut_by_rerank", "cut_by_fusion", "not_retrieved",
           "not_in_force", "not_indexed", "cut_by_generator", "failed")  # fmt: skip

Facts = Mapping[str, Any]


def pages() -> list[Path]:
    """The pages that may hold blocks."""
    cards = sorted((ROOT / "citegrain" / "data" / "benchmarks").glob("*/README.md"))
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *cards]


def studies_of(text: str) -> set[str]:
    """Names of the studies of a page's blocks."""
    return {name for match in BLOCK.finditer(text) for name in match[3].split()}


def extract(study: StudyFolder) -> dict[str, Any]:
    """What the docs need of a study: rounded, in a fixed order, without its questions."""
    facts, benchmark = study.facts, study.facts["benchmark"]
    funnel = Counter((r["configuration"], r["lost_at"]) for r in study.rows("funnel") if r["primary"])
    effects = _rounded(study.rows("effects"))
    times = {r["configuration"]: r["ms"] for r in study.rows("timings") if r["step"] == "single_p50"}
    return {
        "study": facts["study"],
        "command": _command(facts["command"]),
        "date": facts["made_at"][:10],
        "commit": facts["environment"].get("git_commit", ""),
        "plan": facts["plan"],
        "benchmark": {key: benchmark[key] for key in _BENCHMARK},
        "configurations": study.configurations,
        "builds": {name: given["build"] for name, given in facts["configurations"].items()},
        "baseline": study.baseline,
        "summary": _rounded([r for r in study.rows("summary") if r["metric"] in _METRICS]),
        "comparisons": [{k: r[k] for k in _COMPARISONS} for r in _rounded(study.rows("comparisons"))],
        "effects": [{k: r[k] for k in _EFFECTS} for r in effects if r["confirmatory"]],
        "funnel": [[*key, n] for key, n in sorted(funnel.items())],
        "ms": {name: round(ms) for name, ms in sorted(times.items())},
    }  # fmt: skip


def _command(command: str) -> str:
    """A command without what belongs to one machine alone."""
    return " ".join(w for w in command.split() if not w.startswith(("artifacts=", "bench.mlflow=")))


def _rounded(rows: Sequence[Facts]) -> list[dict[str, Any]]:
    """Rows in a fixed order, their numbers to six digits; what is not a number is null."""

    def value(key: str, given: Any) -> Any:
        if key not in _NUMBERS:
            return given
        return round(given, 6) if given is not None and math.isfinite(given) else None

    rounded = [{key: value(key, given) for key, given in row.items()} for row in rows]
    return sorted(rounded, key=lambda row: [str(given) for given in row.values()])


def percent(row: Facts | None, key: str = "value") -> str:
    """A share as ``37.2 [30.5, 44.5]`` percent; a difference or effect with its sign."""
    return _with_interval(row, key, lambda x, sign: f"{100 * x:{sign}.1f}")


def decimal(row: Facts | None, key: str = "value") -> str:
    """A number within -1..1 as ``.557 [.505, .608]``; a difference or effect with its sign."""
    return _with_interval(row, key, lambda x, sign: f"{x:{sign}.3f}".replace("0.", ".", 1))


def _with_interval(row: Facts | None, key: str, form: Callable[[float, str], str]) -> str:
    if row is None or row[key] is None:
        return "–"
    sign = "" if key == "value" else "+"
    value, lo, hi = ("–" if row[k] is None else form(row[k], sign) for k in (key, "lo", "hi"))
    return f"{value} [{lo}, {hi}]"


def _p(value: float | None) -> str:
    if value is None:
        return "–"
    return "<.001" if value < 0.001 else f"{value:.3f}".replace("0.", ".", 1)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _origin(facts: Facts) -> str:
    given = facts["benchmark"]
    return (
        f"Study `{facts['study']}` of {facts['date']}: benchmark `{given['name']}` ({given['split']}), "
        f"{given['in_scope']} complaints in scope and {given['queries'] - given['in_scope']} out of scope. "
        f"Made by `{facts['command']}`."
    )


def results(facts: Facts) -> str:
    """A row a configuration: first provision, the set, what fusion kept, nDCG, time of a question."""
    cells = {(r["configuration"], r["metric"]): r for r in facts["summary"]}
    head = ["configuration", "primary provision first, %", "primary in the fused 20, %",
            "whole set in the fused 20, %", "nDCG@10", "n", "ms a question"]  # fmt: skip
    rows = []
    for name in facts["configurations"]:
        first = cells.get((name, "primary_accuracy"))
        shares = [
            percent(cells.get((name, m))) for m in ("primary_accuracy", "fused_primary_20", "fused_set_20")
        ]
        n, ms = str(first["n"]) if first else "–", str(facts["ms"].get(name, "–"))
        rows.append([f"`{name}`", *shares, decimal(cells.get((name, "ndcg_10"))), n, ms])
    return f"{table(head, rows)}\n\n{_origin(facts)}"


def comparisons(facts: Facts) -> str:
    """A row a declared comparison: the difference, its interval and its adjusted p."""
    rows = []
    for r in sorted(facts["comparisons"], key=lambda r: facts["configurations"].index(r["configuration"])):
        shown = decimal(r, "difference") if r["metric"] == "ndcg_10" else percent(r, "difference")
        p = _p(r["p_holm"])
        rows.append([f"`{r['configuration']}`", f"`{r['metric']}`", shown, str(r["n"]), p])
    head = [f"against `{facts['baseline']}`", "metric", "difference, 95% interval", "n", "p (Holm)"]
    return f"{table(head, rows)}\n\n{_origin(facts)}"


def paired(facts: Facts) -> str:
    """A row a configuration: its shares, each with its difference to the baseline on the same complaints."""
    cells = {(r["configuration"], r["metric"]): r for r in facts["summary"]}
    differences = {(r["configuration"], r["metric"]): r for r in facts["comparisons"]}
    columns = {
        "primary first": "primary_accuracy",
        "primary in 5": "primary_5",
        "primary in the fused 20": "fused_primary_20",
        "declined in scope": "abstained_in_scope",
    }
    rows = []
    for name in facts["configurations"]:
        shown = [percent(cells.get((name, m))) for m in columns.values()]
        against = [differences.get((name, m)) for m in columns.values()]
        both = [f"{a}; {percent(d, 'difference')}" if d else a for a, d in zip(shown, against, strict=True)]
        rows.append([f"`{name}`", *both, str(cells[name, "primary_accuracy"]["n"])])
    return f"{table(['configuration', *columns, 'n'], rows)}\n\n{_origin(facts)}"


def funnel(facts: Facts) -> str:
    """Where the primary provisions of each configuration were lost, as counts."""
    counts = {(name, lost): n for name, lost, n in facts["funnel"]}
    places = [lost for lost in _LOSSES if any(key[1] == lost for key in counts)]
    rows = [
        [f"`{name}`", *(str(counts.get((name, p), 0)) for p in places)] for name in facts["configurations"]
    ]
    return f"{table(['configuration', *(p.replace('_', ' ') for p in places)], rows)}\n\n{_origin(facts)}"


def effects(facts: Facts) -> str:
    """A row a declared contrast; bold where the interval excludes 0 and the adjusted p is below .05."""
    metrics = list(dict.fromkeys(r["metric"] for r in facts["effects"]))
    cells = {(r["factor"], r["level"], r["against"], r["metric"]): r for r in facts["effects"]}

    def shown(row: Facts | None) -> str:
        text = decimal(row, "effect") if row and row["metric"] == "ndcg_10" else percent(row, "effect")
        sure = row and row["p_holm"] is not None and row["p_holm"] < 0.05 and row["lo"] * row["hi"] > 0
        return f"**{text}**" if sure else text

    contrasts = dict.fromkeys(key[:3] for key in cells)
    rows = [
        [
            f"{factor}: {level} against {other}",
            *(shown(cells.get((factor, level, other, m))) for m in metrics),
        ]
        for factor, level, other in contrasts
    ]
    return f"{table(['effect', *(f'`{m}`' for m in metrics)], rows)}\n\n{_origin(facts)}"


def headline(*studies: Facts) -> str:
    """A row a study: where its last configuration has the primary provision, and any that applies."""
    columns = {
        "primary first": "primary_accuracy",
        "any applicable first": "hit_1",
        "primary in 5": "primary_5",
        "primary in 20": "primary_20",
        "exact set": "complete_accuracy",
    }
    rows = []
    for facts in studies:
        cells = _last(facts)
        shares = [percent(cells.get(metric)) for metric in columns.values()]
        n = str(cells["primary_accuracy"]["n"])
        rows.append([_benchmark(facts), *shares, decimal(cells.get("ndcg_10")), n])
    return f"{table(['benchmark', *columns, 'nDCG@10', 'n'], rows)}\n\n{_origins(studies)}"


def sure(*studies: Facts) -> str:
    """A row a study: the set that its last configuration gives, calibration, and what is declined."""
    head = [
        "benchmark",
        "F1 of the set",
        "ECE of the first",
        "Brier",
        "declined in scope",
        "declined out of scope",
    ]
    rows = []
    for facts in studies:
        cells = _last(facts)
        means = [decimal(cells.get(metric)) for metric in ("set_f1", "ece", "brier")]
        sides = [cells.get(f"abstained_{side}") for side in ("in_scope", "out_of_scope")]
        rows.append([_benchmark(facts), *means, *(f"{percent(r)}, n {r['n']}" if r else "–" for r in sides)])
    return f"{table(head, rows)}\n\n{_origins(studies)}"


def judged(*studies: Facts) -> str:
    """A row a configuration of each study: what comes first, the set, how true its probabilities are."""
    columns = {
        "primary first": "primary_accuracy",
        "any applicable first": "hit_1",
        "F1 of the set": "set_f1",
        "exact set": "complete_accuracy",
        "ECE of the first": "ece",
        "squared calibration error": "calibration_error",
        "declined out of scope": "abstained_out_of_scope",
    }
    rows = []
    for facts in studies:
        cells = {(r["configuration"], r["metric"]): r for r in facts["summary"]}
        for name in facts["configurations"]:
            row = [
                (decimal if metric in ("set_f1", "ece", "calibration_error") else percent)(
                    cells.get((name, metric))
                )
                for metric in columns.values()
            ]
            n = str(cells[name, "primary_accuracy"]["n"])
            rows.append([_benchmark(facts), f"`{name}`", *row, n])
    return f"{table(['benchmark', 'configuration', *columns, 'n'], rows)}\n\n{_origins(studies)}"


def shared(*studies: Facts) -> str:
    """A row a study: the metrics by which BSARD and Housing Statute QA compare, each a mean over queries."""
    columns = {"recall@1": "recall_1", "recall@5": "recall_5", "recall@100": "recall_100"}
    rows = []
    for facts in studies:
        cells = _last(facts)
        shares = [percent(cells.get(metric)) for metric in columns.values()]
        means = [decimal(cells.get(metric)) for metric in ("mrr_10", "ndcg_10")]
        rows.append([_benchmark(facts), *shares, *means, str(cells["ndcg_10"]["n"])])
    return f"{table(['benchmark', *columns, 'MRR@10', 'nDCG@10', 'n'], rows)}\n\n{_origins(studies)}"


def in_force(facts: Facts) -> str:
    """A row a column of the law of a day: a model without any law, one version, the version of the day."""
    columns = {"right section": "primary", "in the words of the day": "nugget", "right version": "version"}
    rows = []
    for name, cells in facts["columns"].items():
        shown = [f"{percent(r)}, n {r['n']}" if (r := cells.get(m)) else "–" for m in columns.values()]
        rows.append([name, *shown])
    made = f"Made by `make closed`, with recorded replies of {facts['model']}."
    return f"{table(['law at hand', *columns], rows)}\n\n{made}"


def _last(facts: Facts) -> dict[str, Facts]:
    """Metrics of the last configuration of a study; of a bench it is the only one."""
    return {r["metric"]: r for r in facts["summary"] if r["configuration"] == facts["configurations"][-1]}


def _benchmark(facts: Facts) -> str:
    name, split = facts["benchmark"]["name"], facts["benchmark"]["split"]
    return f"`{name}`" if split in name else f"`{name}` ({split})"


def _origins(studies: Sequence[Facts]) -> str:
    commands = ", ".join(f"`{facts['command']}` ({facts['date']})" for facts in studies)
    return f"Made by {commands}."


TABLES: Mapping[str, Callable[..., str]] = {
    "results": results, "comparisons": comparisons, "funnel": funnel, "effects": effects,
    "headline": headline, "paired": paired, "sure": sure, "judged": judged, "in_force": in_force,
    "shared": shared,
}  # fmt: skip


def render(text: str, folder: Path = RESULTS) -> str:
    """A page with its blocks rendered from the JSON in ``folder``."""

    def block(match: re.Match[str]) -> str:
        studies = [
            json.loads((folder / f"{name}.json").read_text(encoding="utf-8")) for name in match[3].split()
        ]
        return f"{match[1]}{TABLES[match[2]](*studies)}\n{match[5]}"

    return BLOCK.sub(block, text)


def refresh(reports: Path, names: set[str], folder: Path = RESULTS) -> list[str]:
    """Write the JSON of those studies that are below ``reports``; returns their names."""
    there = sorted(name for name in names if (reports / name / "study.json").is_file())
    folder.mkdir(parents=True, exist_ok=True)
    for name in there:
        text = json.dumps(extract(read_study(reports / name)), indent=1, ensure_ascii=False)
        (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    return there


def draw_vectors() -> None:
    """``vectors.png`` from ``vectors.json``."""
    from matplotlib.figure import Figure

    measured = json.loads((ROOT / "docs" / "vectors.json").read_text(encoding="utf-8"))
    figure = Figure(figsize=(10, 3.2), layout="constrained")
    kinds = {"flat 0": "flat", "sq8 1": "SQ8, re-scored", "hnsw 0": "HNSW",
             "hnsw_sq8 1": "HNSW-SQ8, re-scored", "ivf_sq8 1": "IVF-SQ8, re-scored (ivf)",
             "ivf_pq4 5": "IVF-PQ at 4 bits, re-scored"}  # fmt: skip
    sizes = {"10k": "10,000 passages", "100k": "100,000", "1m": "1,000,000"}
    for axes, (name, title) in zip(figure.subplots(1, 3, sharey=True), sizes.items(), strict=True):
        for kind, label in kinds.items():
            rows = measured[name][kind].values()
            shown = [r["p50_1"] for r in rows], [r["recall20_unseen"] for r in rows]
            axes.plot(*shown, "o-", label=label, markersize=3)
        axes.set(
            title=title, xscale="log", xlabel="ms a question (median)", ylim=(0.84, 1.005), xlim=(0.03, 300)
        )
    figure.axes[0].set_ylabel("recall@20")
    figure.axes[2].legend(loc="lower right", fontsize=7)
    figure.savefig(ROOT / "docs" / "vectors.png", dpi=110, metadata={"Software": None})


def main() -> int:
    """Refresh the JSON, then the pages."""
    names = set().union(*(studies_of(page.read_text(encoding="utf-8")) for page in pages()))
    reports = Path(os.environ.get("CITEGRAIN_ARTIFACTS", "artifacts")) / "reports"
    try:
        fresh = refresh(reports, names)
    except StudyReadError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    draw_vectors()
    for page in pages():
        before = page.read_text(encoding="utf-8")
        if (after := render(before)) != before:
            page.write_text(after, encoding="utf-8")
    for name in sorted(names):
        kept = "kept as tracked" if (RESULTS / f"{name}.json").is_file() else "not measured yet"
        sys.stdout.write(f"{name}: {f'read from {reports}' if name in fresh else kept}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
