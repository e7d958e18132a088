"""Run what README, docs and ``make help`` show, in a fresh clone: ``make docs-check``.

Commands run as they stand, with two Acts of the tests for ``/path/to/pdfs`` and a few complaints for
``my.jsonl``. What takes hours or changes the machine is only planned: ``--dry-run``, ``--cfg``, ``make -n``.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.conftest import ROOT
from tests.docs.test_commands import COMMANDS, EXAMPLE
from tests.flows.study.test_bench import write_stories
from tests.tasks.evaluation.benchmark.samples import write_folder
from tests.tasks.kinds.test_contracts import SUPPLY

HELP = re.compile(r"^([a-z0-9-]+):.*## (.*)", re.MULTILINE)
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = dict(HELP.findall(MAKEFILE))
"""What ``make help`` lists, with its text."""

LONG = ("ablate", "calibrate", "train")
SERVERS = ("schedule", "ui", "api", "mcp")
UNTOUCHED = {
    "setup", "setup-dev", "test", "test-slow", "test-wheel", "test-corpus", "lint", "train", "lock", "clean", "mpnet",
    "smollm2", "ablate", "calibrate", "figures", "notebooks", "bench-perf", "as-of", "cluster", "docs-check", "fuzz",
    "image",
}  # fmt: skip
"""Targets that are printed by ``make -n``: other checks run them, or they change the machine or take hours."""
SKIPPED = {
    "--install-completion": "writes to the shell's start file",
    "runner.address=tcp://10.0.0.1:8786": "of a network that is not there",
    "s3://bucket/lab": "of storage that is not there",
    "fetch": "of storage that is not there",
    EXAMPLE: "an exercise, whose scorer the reader writes first",
}
ARGUMENTS = {
    "index": ["CORPUS=/path/to/pdfs"],
    "ask": ["Q=They did not pay my wages"],
    "reindex": ["CORPUS=/path/to/pdfs", "ARGS=benchmark=file benchmark.path=my.jsonl"],
    "reproduce": ["CORPUS=/path/to/pdfs", "ARGS=benchmark=file benchmark.path=my.jsonl"],
    "compare": ["ARGS=baselines-demo-constitution/naive_rag baselines-demo-constitution/default"],
    "report": ["STUDY=baselines-demo-constitution"],
    "schedule": [
        "ARGS=corpus=http corpus.sources=acts.yaml corpus.name=mine benchmark=file benchmark.path=my.jsonl"
    ],
    "bench-cascade": ["NAME=demo"],
}
"""Of targets whose text has no example, or one with blanks."""
BLANKS: dict[tuple[str, ...], list[str]] = {
    ("RUN", "RUN"): ARGUMENTS["compare"][0].removeprefix("ARGS=").split(),
    ("STUDY", "STUDY"): ["default-acts-real_choose", "default-acts-complaints"],
}
"""What stands for blanks."""
Step = tuple[list[str], bool]
"""Words of a command, and whether it serves until it is interrupted."""


def reason_to_skip(words: tuple[str, ...]) -> str:
    """Why a command of the docs is not run; empty if it is."""
    return next((reason for mark, reason in SKIPPED.items() if mark in words), "")


def step_of(words: tuple[str, ...]) -> Step:
    """What is run for a command of the docs; one that is only named shows its help."""
    if len(words) == 2:
        return [*words, "--help"], False
    filled = [
        "They did not pay my wages"
        if word == "..."
        else word.replace("NAME", "mine").replace("FOLDER", "aila")
        for word in words
    ]
    if words[2:] in BLANKS:
        filled[2:] = BLANKS[words[2:]]
    if words[1] == "graph" and words[2] != "export":
        filled[2] = "section 3 of the Bell Ringers (Welfare) Act"  # stands in the two Acts
    heavy = (words[1] in LONG or "sweep=complaints" in words) and "--dry-run" not in words
    # a plan of cells times all their steps, and one of the ranker reads the reader trained before it
    unread = {"train=ranker_statutes"}
    unplanned = words[1] == "ablate" or unread & set(words)
    planned = ["--cfg" if unplanned else "--dry-run"] * heavy
    return [*filled, *planned], words[1] in SERVERS and "--crontab" not in words


def target_step(target: str) -> Step:
    """What is run for a target of ``make help``, with the arguments that its text shows."""
    if target in UNTOUCHED:
        return ["make", "-n", target], False
    arguments = ARGUMENTS.get(target, [])
    shown = re.search(rf"make {target} (.*)", TARGETS[target])
    if shown and not arguments:
        given = re.findall(r'(\w+)=(?:"([^"]*)"|(\S+))', shown[1])
        arguments = [f"{name}={quoted or plain}" for name, quoted, plain in given]
    return ["make", "-s", target, *arguments], target in SERVERS


def steps() -> Iterator[Step]:
    """Everything, in an order in which each finds what it needs."""
    yield ["make", "-s", "demo"], False
    for name in ("mine", "acts"):
        yield (
            ["citegrain", "index", "corpus=folder", "corpus.path=/path/to/pdfs/old", f"corpus.name={name}"],
            False,
        )
        yield (
            ["citegrain", "index", "corpus=folder", "corpus.path=/path/to/pdfs", f"corpus.name={name}"],
            False,
        )
    mine = ["benchmark=file", "benchmark.path=my.jsonl", "corpus.name=mine", "bench.name=mine"]
    yield ["citegrain", "bench", *mine], False
    real = [*mine[:2], "corpus.name=acts", "benchmark.name=real_choose"]
    yield ["citegrain", "bench", *real], False
    yield ["citegrain", "index", "corpus=texts", "corpus.path=aila/corpus.jsonl", "corpus.name=aila"], False
    contracts = ["corpus=folder", "corpus.path=legalbenchrag/corpus", "corpus.name=contracts"]
    yield ["citegrain", "index", "experiment=guide", *contracts], False
    yield ["citegrain", "sweep", "fuse=learned,rrf", "corpus=demo", "benchmark=constitution"], False
    yield from (step_of(words) for words in COMMANDS if not reason_to_skip(words))
    yield from (target_step(target) for target in TARGETS if target != "demo")


def prepare(clone: Path, port: int) -> None:
    """A clone with two Acts, complaints and a list of URLs."""
    subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
    (clone / "pdfs" / "old").mkdir(parents=True)
    for name in ("bell", "lantern"):
        shutil.copy(ROOT / "tests" / "golden" / f"{name}.pdf", clone / "pdfs")
    shutil.copy(ROOT / "tests" / "golden" / "bell.pdf", clone / "pdfs" / "old")
    stories = write_stories(clone)
    (clone / "my").mkdir()
    for name in ("my.jsonl", "frozen.jsonl", "my/test.jsonl"):
        shutil.copy(stories, clone / name)
    records = [json.loads(line) for line in stories.read_text(encoding="utf-8").splitlines()]
    keys = ("id", "primary", "applicable", "incident_date")
    passed = [json.dumps({key: r[key] for key in keys} | {"reason": r["rationale"]}) for r in records]
    (clone / "my" / "pass-1.jsonl").write_text("\n".join(passed), encoding="utf-8")
    texts = [
        {"_id": "wages", "text": "Wages are paid each month."},
        {"_id": "oil", "text": "Oil is supplied."},
    ]
    queries = [{"_id": "q", "text": "They did not pay my wages"}]
    qrels = "query-id\tcorpus-id\tscore\nq\twages\t1\n"
    write_folder(clone / "aila", {"corpus.jsonl": texts, "queries.jsonl": queries, "qrels/test.tsv": qrels})
    supply = clone / "legalbenchrag" / "corpus" / "part" / "supply.txt"
    supply.parent.mkdir(parents=True)
    supply.write_text(SUPPLY * 3, encoding="utf-8")
    snippet = {"file_path": "part/supply.txt", "span": [0, 25], "answer": SUPPLY[:25]}
    tests = {"tests": [{"query": "Who supplies oil?", "snippets": [snippet]}]}
    (clone / "legalbenchrag" / "contractnli.json").write_text(json.dumps(tests), encoding="utf-8")
    (clone / "questions.txt").write_text("They did not pay my wages\n", encoding="utf-8")
    (clone / "acts.yaml").write_text(f"- http://127.0.0.1:{port}/bell.pdf\n", encoding="utf-8")


def run(step: Step, clone: Path, environment: dict[str, str]) -> int:
    """Exit code of a step; one that serves is interrupted after its first line and must end well."""
    words, serves = step
    words = [
        word.replace("/path/to/pdfs", str(clone / "pdfs")).replace("/srv/acts", str(clone / "pdfs"))
        for word in words
    ]
    if words[0] == "citegrain":
        words[:1] = [sys.executable, "-m", "citegrain"]
    else:  # the environment of this checkout, the code of the clone
        words[1:1] = ["-o", ".venv/.runtime", "-o", ".venv/.dev", f"BIN={Path(sys.executable).parent}"]
    process = subprocess.Popen(
        words, cwd=clone, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, start_new_session=True,
    )  # fmt: skip
    if serves and process.stdout is not None:
        said = next((said for said in process.stdout if "http" in said or "re-index" in said), "")
        time.sleep(5)
        os.killpg(process.pid, signal.SIGINT)
    rest, _ = process.communicate(timeout=1800)
    if serves:
        return 0 if said else process.returncode or 1
    if process.returncode:
        print(rest[-2000:])
    return process.returncode


def main() -> int:
    """Run every step and print how it went; 1 where one failed."""
    failed = 0
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # a job in the background ignores it, and so would servers
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "citegrain"
        handler = partial(SimpleHTTPRequestHandler, directory=str(ROOT / "tests" / "golden"))
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        prepare(clone, server.server_port)
        environment = os.environ | {
            "PYTHONPATH": str(clone),
            "HOME": folder,
            "CORPUS_TOKEN": "token",
            "CITEGRAIN_CORPUS": "mine",
            "COLUMNS": "100",
        }
        environment.pop("CITEGRAIN_ARTIFACTS", None)
        for step in steps():
            begun = time.monotonic()
            code = run(step, clone, environment)
            failed += bool(code)
            print(
                f"{'FAILED ' + str(code) if code else 'ok':<9} {time.monotonic() - begun:6.1f} s  {' '.join(step[0])}",
                flush=True,
            )
        server.shutdown()
    print(f"{failed} commands failed" if failed else "every command ran")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
