"""Learn how far a judge of candidates is right: `make judge-weights`.

`python -m tools.judge_weights` fits the probabilities of ``rerank=judge`` to ``data/replies/judged.jsonl`` and
writes ``data/replies/estimates.json``. With settings it makes the first file anew before: the candidate lists
of learning questions, by a training of the ranker in the store that did without each of them, and the verdicts
of a model on these, by an endpoint, a batch or recorded replies:

    citegrain train train=ranker_statutes corpus.name=acts --no-keep
    python -m tools.judge_weights corpus.name=acts endpoint=batch endpoint.model=NAME

Each line of ``judged.jsonl`` is one question: its id and kind, whether anything applies to it, and numbers of
its candidates, in their order. It holds no text. Six in ten are questions that people asked; their texts are
not in this repository, and without them the lists cannot be made anew, though the fit can be.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from citegrain.flows.shared.asking import endpoint_of
from citegrain.flows.shared.settings import load_settings
from citegrain.flows.train.training import plan_training
from citegrain.tasks.core.endpoint import BatchPending, Endpoint
from citegrain.tasks.core.paths import located
from citegrain.tasks.core.runs import make_run
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.judge import JudgeConfig, candidate_signs, judge, scope_signs
from citegrain.tasks.online.query import QueryConfig, make_queries
from citegrain.tasks.online.spelling import Spelling
from citegrain.tasks.train import ASKED, LISTS, QUESTION
from citegrain.tasks.train.estimates import fit_logistic
from citegrain.tasks.train.texts import STORY

JUDGED, WEIGHTS = "data:replies/judged.jsonl", "data:replies/estimates.json"
MOST = {ASKED: 200, QUESTION: 60, STORY: 30}
"""How many questions of a kind are judged, those whose names have the least digests."""
_STRENGTH = 0.3
"""``C`` of the regressions: a few hundred questions, and signs that say much the same."""
_OUTSIDE = 0.5  # weight of the candidates of a question to which nothing applies


def chosen(lists: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The lists that are judged: of what people asked only those that two annotators labelled."""
    drawn = sorted(lists, key=lambda one: hashlib.sha256(one["id"].encode()).digest())
    of_kind = {kind: [one for one in drawn if one["kind"] == kind and not one["once"]] for kind in MOST}
    return [one for kind, most in MOST.items() for one in of_kind[kind][:most]]


def judged(
    build: PublishedBuild,
    texts: Mapping[str, str],
    lists: Sequence[Mapping[str, Any]],
    endpoint: Endpoint | None,
    config: JudgeConfig,
) -> list[dict[str, Any]]:
    """Rows of ``judged.jsonl``: verdicts as numbers of candidates. What has no verdict is left out.

    ``lists``: of ``LISTS``, with the chunks of the candidates. Raises BatchPending as :func:`judge`.
    """
    spelling = Spelling.over(build)
    read = {one["id"]: spelling.read(texts[one["id"]]) for one in lists}
    queries = make_queries(read, build.lexicon, QueryConfig())
    run = make_run(
        {one["id"]: [(c, 1 / n) for n, c in enumerate(one["chunks"], 1)] for one in lists}, "fused"
    )
    verdicts = {row["query_id"]: row for row in judge(build, queries, run, config, endpoint).to_pylist()}
    out = []
    for one in lists:
        verdict = verdicts[one["id"]]
        if verdict["error"]:
            continue
        place = {provision: n for n, provision in enumerate(verdict["candidates"], 1)}
        rounded = {name: [float(f"{p:.5g}") for p in one[name]] for name in ("all", "primary")}
        out.append(
            {name: one[name] for name in ("id", "kind", "inside", "grades")}
            | {"scope": float(f"{one['scope']:.5g}"), **rounded, "p": verdict["p"]}
            | {"first": place.get(verdict["primary"], 0)}
            | {name: [place[p] for p in verdict[name]] for name in ("applicable", "order")}
        )
    return out


def fitted(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What ``rerank=judge`` reads: regressions on what the judge and the ranker say of each candidate."""
    tables, questions = [], []
    for row in rows:
        numbers = [str(n) for n in range(1, len(row["grades"]) + 1)]
        verdict = {"primary": str(row["first"] or ""), "p": row["p"]}
        verdict |= {name: [str(n) for n in row[name]] for name in ("applicable", "order")}
        applies, primary = np.array(row["all"]), np.array(row["primary"])
        tables.append(candidate_signs(verdict, numbers, np.maximum(applies, primary), primary))
        questions.append(scope_signs(verdict, row["scope"]))
    inside = np.array([row["inside"] for row in rows])
    table, grades = np.concatenate(tables), np.concatenate([row["grades"] for row in rows])
    weights = np.repeat(np.where(inside, 1.0, _OUTSIDE), [len(t) for t in tables])
    models = {
        "applies": fit_logistic(table, grades > 0, weights, C=_STRENGTH),
        "primary": fit_logistic(table, grades == 2, weights, C=_STRENGTH),
        "scope": fit_logistic(np.concatenate(questions), inside, np.ones(len(rows)), C=_STRENGTH),
    }
    return {name: asdict(model) for name, model in models.items()}


def read_judged(path: Path) -> list[dict[str, Any]]:
    """The rows of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def make_judged(overrides: Sequence[str]) -> list[dict[str, Any]]:
    """Judge the lists of the ranker's training that settings name."""
    settings = load_settings(["train=ranker_statutes", "corpus=published", *overrides, "rerank=judge"])
    folder = settings.builds_folder / settings.corpus.name
    plan = plan_training(settings, folder)
    if plan.present is None or not (plan.present.path / LISTS).is_file():
        sys.exit("the training of the ranker is not in the store: run citegrain train train=ranker_statutes")
    lists = chosen(json.loads((plan.present.path / LISTS).read_text(encoding="utf-8")))
    texts = {q.id: q.text for records in plan.inputs.questions.values() for q in records}
    endpoint = endpoint_of(settings, "rerank=judge", True)
    return judged(plan.inputs.build, texts, lists, endpoint, settings.cascade.rerank.judge)


def main(overrides: Sequence[str]) -> None:
    """Judge if there are settings; fit, write and print the digest."""
    if overrides:
        try:
            lines = "".join(json.dumps(row) + "\n" for row in make_judged(overrides))
        except BatchPending as pending:
            print(pending)
            sys.exit(pending.exit_code)
        located(JUDGED).write_text(lines, encoding="utf-8")
    rows = read_judged(located(JUDGED))
    text = json.dumps(fitted(rows), sort_keys=True, indent=1) + "\n"
    located(WEIGHTS).write_text(text, encoding="utf-8")
    print(f"{len(rows)} questions, {sum(row['inside'] for row in rows)} with provisions that apply")
    print("rerank.judge.model_sha256:", hashlib.sha256(text.encode()).hexdigest())


if __name__ == "__main__":
    main(sys.argv[1:])
