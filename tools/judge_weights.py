"""Learn how far a judge is right: `python -m tools.judge_weights LISTS REPLIES MODEL`.

LISTS are JSON lines of questions with candidates by rankers that did without them: id, kind, text, chunks,
provisions, scores, grades, scope, applicable. The verdicts come from the file of replies of MODEL. What is
learned goes to ``data/replies/estimates.json``; its digest is printed.
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
import numpy.typing as npt

from citegrain.flows.shared.library import Build
from citegrain.tasks.core.endpoint import RECORDED, Endpoint, ask_model, parse_reply
from citegrain.tasks.core.paths import located
from citegrain.tasks.online.estimate import Estimates, candidate_features, length_of, read_estimates
from citegrain.tasks.online.estimate.model import ESTIMATES_SHA256, FOLDER
from citegrain.tasks.online.hits import cite
from citegrain.tasks.online.judge import (
    JudgeConfig,
    candidate_signs,
    judge_messages,
    scope_signs,
    verdict_schema,
)
from citegrain.tasks.train.estimates import _logistic

_STRENGTH = 0.3
"""``C`` of the regressions: a few hundred questions, and signs that say much the same."""


def verdicts(
    build: Build, rows: Sequence[Mapping[str, Any]], endpoint: Endpoint
) -> dict[str, dict[str, Any]]:
    """Verdicts by question, with ids of provisions in the place of numbers."""
    config = JudgeConfig()
    prompts = {
        row["id"]: judge_messages(row["text"], [cite(build, c) for c in row["chunks"][:20]], config.chars)
        for row in rows
    }
    out = {}
    replies = ask_model(prompts, endpoint, config, verdict_schema(config.candidates))
    for row in rows:
        reply = replies[row["id"]]
        if reply.error:
            continue
        said, ids = parse_reply(reply.text, verdict_schema(config.candidates))[0], row["provisions"][:20]
        first = [ids[said["primary"] - 1]] if said["primary"] else []
        chosen = list(dict.fromkeys([*first, *(ids[n - 1] for n in said["set"])]))
        mentioned = list(dict.fromkeys([*chosen, *(ids[n - 1] for n in said["order"])]))
        out[row["id"]] = {
            "primary": first[0] if first else "",
            "applicable": chosen,
            "order": mentioned,
            "p": said["p"] if first else 0.0,
        }
    return out


def signs(
    row: Mapping[str, Any], verdict: Mapping[str, Any], learned: Estimates
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """What the regressions read of the first candidates, and of the question."""
    read = candidate_features(np.array(row["scores"]), row["scope"], length_of(row["text"]))[:20]
    applies, primary = learned.applies.probability(read), learned.primary.probability(read)
    of_candidates = candidate_signs(verdict, row["provisions"][:20], np.maximum(applies, primary), primary)
    return of_candidates, scope_signs(verdict, row["scope"])


def main(lists: Path, replies: Path, model: str, build: Path) -> None:
    """Fit, write and print the digest."""
    rows = [json.loads(line) for line in lists.read_text(encoding="utf-8").splitlines()]
    said = verdicts(Build.open(build), rows, Endpoint("", model, mode=RECORDED, replies=replies))
    rows = [row for row in rows if row["id"] in said]
    learned = read_estimates(located(f"{FOLDER}/estimates.json"), ESTIMATES_SHA256)
    read = [signs(row, said[row["id"]], learned) for row in rows]
    inside = np.array([row["applicable"] > 0 for row in rows])
    table, questions = np.concatenate([a for a, _ in read]), np.concatenate([b for _, b in read])
    grades = np.concatenate([np.array(row["grades"][:20]) for row in rows])
    weights = np.repeat(np.where(inside, 1.0, 0.5), [len(a) for a, _ in read])
    fitted = {
        "applies": _logistic(table, grades > 0, weights, C=_STRENGTH),
        "primary": _logistic(table, grades == 2, weights, C=_STRENGTH),
        "scope": _logistic(questions, inside, np.ones(len(rows)), C=_STRENGTH),
    }
    target = located("data:replies/estimates.json")
    target.parent.mkdir(exist_ok=True)
    described = {name: asdict(model) for name, model in fitted.items()}
    target.write_text(json.dumps(described, sort_keys=True, indent=1) + "\n", encoding="utf-8")
    print(f"{len(rows)} questions, {inside.sum()} in scope")
    for name, one in fitted.items():
        print(name, np.round(np.array(one.weights[0]) / np.array(one.scale), 2), np.round(one.bias, 2))
    print("model_sha256:", hashlib.sha256(target.read_bytes()).hexdigest())


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], Path(sys.argv[4]))
