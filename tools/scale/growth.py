"""What an index, a repeat, one changed Act and a question cost by the number of Acts.

``python -m tools.scale.growth PDFS WORK``, where PDFS is what ``tools.scale.acts`` wrote; a corpus of each size is its first Acts. Memory is the sum
of the proportional set sizes of all processes, so what they share counts once. With ``--vectors`` the vectors
are taken from an artefact folder that has them, and the seconds are those without the encoder. Of ``--studies``
sizes the 64 cells of ``conf/study/structural.yaml`` are run too, on complaints_dev; their builds are made before.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import faiss
import numpy as np
import psutil
import pyarrow.parquet as pq
import pymupdf
import torch
from scipy import stats

from citegrain.flows.shared.library import Build
from tests.conftest import ROOT, shared_folder
from tests.typeset import india_code
from tools.perf_cascade import DAY, complaints
from tools.small_acts import gold_acts

_EVERY = 0.2
_RUNS = re.compile(r"(\d+) stage runs, (\d+) already present")
_ASK = "import sys; from tools.scale.growth import ask; ask(sys.argv[1])"
_COMPLAINTS = ROOT / "data" / "benchmarks" / "complaints" / "dev.jsonl"


def exponent(sizes: Sequence[float], values: Sequence[float]) -> dict[str, float]:
    """Slope of log value by log size with its 95% interval by Student's t; 1 is linear."""
    fit = stats.linregress(np.log(sizes), np.log(values))
    half = float(stats.t.ppf(0.975, len(sizes) - 2)) * fit.stderr
    return {
        "exponent": round(fit.slope, 2),
        "lo": round(fit.slope - half, 2),
        "hi": round(fit.slope + half, 2),
    }


def _memory(process: psutil.Process) -> int:
    """Bytes of a process and all below it that are in memory, each shared page once."""
    total = 0
    try:
        family = [process, *process.children(recursive=True)]
    except psutil.Error:
        return 0
    for one in family:
        try:
            total += one.memory_full_info().pss
        except psutil.Error:  # it ended
            continue
    return total


def measured(command: Sequence[str], **facts: Any) -> dict[str, Any]:
    """Run a command; its seconds, CPU seconds, peak memory and the load it met, and what it printed."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    peak, load = 0, [os.getloadavg()[0]]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with tempfile.TemporaryFile("w+") as output:  # a pipe is full after some hundred Acts
        child = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT)
        process = psutil.Process(child.pid)
        while child.poll() is None:
            peak = max(peak, _memory(process))
            load.append(os.getloadavg()[0])
            time.sleep(_EVERY)
        output.seek(0)
        printed = output.read()
    if child.returncode:
        sys.exit(printed)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    runs = _RUNS.search(printed)
    row = facts | {
        "seconds": round(time.perf_counter() - begun, 1),
        "cpu_seconds": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1),
        "peak_gb": round(peak / 1e9, 2),
        "load": round(median(load), 1),
        "made": int(runs[1]) - int(runs[2]) if runs else 0,
        "runs": int(runs[1]) if runs else 0,
    }
    print(row, flush=True)
    return row | {"printed": printed}


def ask(build: str) -> None:
    """Print the median milliseconds, of the clock and of CPU, of single questions on a build, models loaded."""
    torch.set_num_threads(1)  # as a question is asked: batches of one
    faiss.omp_set_num_threads(1)
    opened, times = Build.open(build), []
    texts = list(complaints().values())[:60]
    for text in [*texts[:3], *texts]:
        begun, used = time.perf_counter(), time.process_time()
        opened.search(text, as_of=DAY)
        times.append((time.perf_counter() - begun, time.process_time() - used))
    print(*(f"{1000 * median(column):.1f}" for column in zip(*times[3:], strict=True)))


def sections(build: Path, gold: Path) -> dict[str, float]:
    """Precision and recall of the sections of a build, by Act and number."""
    wanted, got = defaultdict(set), defaultdict(set)
    stems = {
        r["document_id"]: Path(r["file"]).stem for r in pq.read_table(build / "sources.parquet").to_pylist()
    }
    acts = set(stems.values())
    for row in map(json.loads, gold.read_text(encoding="utf-8").splitlines()):
        if row["act"] in acts:
            wanted[row["act"]].add(row["section"])
    for row in pq.read_table(build / "provisions.parquet").to_pylist():
        if row["kind"] == "section":
            got[stems[row["document_id"]]].add(row["number"])
    right = sum(len(got[act] & wanted[act]) for act in got)
    return {
        "precision": round(right / sum(map(len, got.values())), 4),
        "recall": round(right / sum(map(len, wanted.values())), 4),
    }


def changed(corpus: Path) -> None:
    """Print the Act of median length anew, with a word more in its first section."""
    shared = shared_folder()
    if shared is None:
        sys.exit("CITEGRAIN_SHARED names no folder")
    by_size = sorted(corpus.glob("*.pdf"), key=lambda path: (path.stat().st_size, path.name))
    path = by_size[len(by_size) // 2]
    act = gold_acts(shared)[path.stem]
    first, *rest = act.sections
    more = replace(first, paragraphs=[f"{first.paragraphs[0]} Lanterns", *first.paragraphs[1:]])
    path.unlink()  # a link to the PDF that other sizes share
    path.write_bytes(india_code(replace(act, chapters=[("I", "PRELIMINARY", [more, *rest])])))


def studied(work: Path, size: int, where: Sequence[str]) -> dict[str, Any]:
    """What 64 cells cost on 90 complaints in scope, with the builds that they need at hand."""
    few = work / "few.jsonl"
    few.write_text("".join(_COMPLAINTS.read_text(encoding="utf-8").splitlines(keepends=True)[:3]))
    command = [sys.executable, "-m", "citegrain", "ablate", "study=structural", "benchmark=file", *where]
    measured([*command, f"benchmark.path='{few}'", "study.name=few"], acts=size, step="builds of the study")
    return measured([*command, f"benchmark.path='{_COMPLAINTS}'"], acts=size, step="study")


def grown(pdfs: Path, work: Path, size: int, vectors: Path | None, study: bool = False) -> dict[str, Any]:
    """The costs of the first ``size`` Acts, with how their sections are read."""
    lines = (pdfs / "gold.jsonl").read_text(encoding="utf-8").splitlines()
    names = list(dict.fromkeys(json.loads(line)["act"] for line in lines))[:size]
    corpus, artifacts = work / f"pdfs{size}", work / f"artifacts{size}"
    corpus.mkdir(parents=True)
    for name in names:
        os.link(pdfs / f"{name}.pdf", corpus / f"{name}.pdf")
    if vectors:
        rows = Path("store") / "embed" / "rows"
        shutil.copytree(vectors / rows, artifacts / rows, copy_function=os.link)
    where = ["corpus=folder", f"corpus.path='{corpus}'", "corpus.name=scale", f"artifacts='{artifacts}'"]
    command = [sys.executable, "-m", "citegrain", "index", *where]
    rows_of = {"index": measured(command, acts=size, step="index")}
    rows_of["no_op"] = measured(command, acts=size, step="no_op")
    build = artifacts / "builds" / "scale" / (artifacts / "builds" / "scale" / "current").read_text().strip()
    question = measured([sys.executable, "-c", _ASK, str(build)], acts=size, step="ask")
    clock, used = map(float, question["printed"].split()[-2:])
    rows_of["ask"] = question | {"p50_ms": clock, "p50_cpu_ms": used}
    facts = {
        "acts": size,
        "pages": sum(pymupdf.open(path).page_count for path in corpus.glob("*.pdf")),
        "passages": json.loads((build / "manifest.json").read_text())["counts"]["chunks"],
        "build_mb": round(sum(f.stat().st_size for f in build.rglob("*") if f.is_file()) / 1e6, 1),
        **sections(build, pdfs / "gold.jsonl"),
    }
    changed(corpus)
    rows_of["one_changed"] = measured(command, acts=size, step="one_changed")
    if study:
        rows_of["study"] = studied(work, size, where)
    for row in rows_of.values():
        del row["printed"], row["acts"], row["step"]
    return facts | rows_of


def curves(points: Sequence[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """The exponent, by passages, of every cost."""
    points = sorted(points, key=lambda p: p["acts"])
    costs = [
        *((step, what) for step in ("index", "no_op", "one_changed") for what in ("cpu_seconds", "peak_gb")),
        ("ask", "p50_cpu_ms"),
        ("study", "cpu_seconds"),
        ("study", "peak_gb"),
    ]
    out = {}
    for step, what in costs:
        at = [(p["passages"], p[step][what]) for p in points if step in p]
        if len(at) > 2:
            out[f"{step} {what}"] = exponent(*zip(*at, strict=True))
    return out


def draw(facts: dict[str, Any], path: Path) -> None:
    """Seconds and memory by passages, both axes logarithmic."""
    import matplotlib.pyplot as plt

    sizes = [p["passages"] for p in facts["points"]]
    figure, (times, memory) = plt.subplots(1, 2, figsize=(9, 3.7), layout="constrained")
    for step, text in (
        ("study", "study of 64 cells"),
        ("index", "index, no encoder"),
        ("one_changed", "one Act changed"),
        ("no_op", "no change"),
    ):
        at = [p for p in facts["points"] if step in p]
        times.plot([p["passages"] for p in at], [p[step]["cpu_seconds"] for p in at], "o-", label=text)
        memory.plot([p["passages"] for p in at], [p[step]["peak_gb"] for p in at], "o-", label=text)
    for axes, text in ((times, "CPU seconds"), (memory, "peak memory, GB")):
        axes.set(xscale="log", yscale="log", xlabel="passages (Acts)", ylabel=text)
        axes.set_xticks(
            sizes, [f"{size:,}\n({p['acts']})" for size, p in zip(sizes, facts["points"], strict=True)]
        )
        axes.minorticks_off()
    times.set_yticks([3, 10, 30, 100, 300], ["3", "10", "30", "100", "300"])
    memory.set_yticks([0.25, 0.5, 1, 2, 4], ["0.25", "0.5", "1", "2", "4"])
    figure.legend(*times.get_legend_handles_labels(), loc="outside upper center", ncols=4, fontsize=8)
    figure.savefig(path, dpi=120)


def main() -> None:
    """Measure, and write ``growth.json`` into WORK."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pdfs", type=Path)
    parser.add_argument("work", type=Path, help="a folder on the same disk, which is filled")
    parser.add_argument("--sizes", type=int, nargs="+", default=[51, 100, 200, 400, 775])
    parser.add_argument("--studies", type=int, nargs="*", default=[51, 200, 775])
    parser.add_argument("--vectors", type=Path, default=None)
    given = parser.parse_args()
    points: list[dict[str, Any]] = []
    for size in given.sizes:
        points.append(grown(given.pdfs, given.work, size, given.vectors, size in given.studies))
        facts = {
            "encoder": given.vectors is None,
            "cores": os.cpu_count(),
            "points": sorted(points, key=lambda p: p["acts"]),
            "exponents": curves(points) if len(points) > 2 else {},
        }
        (given.work / "growth.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    draw(facts, given.work / "growth.png")


if __name__ == "__main__":
    main()
