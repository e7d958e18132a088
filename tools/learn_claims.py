"""Learn the weights of the signals of claims: ``python -m tools.learn_claims ARTIFACTS/builds/acts``

Reads ``data/training/claims.jsonl.gz``, in which each claim has the logarithms of the probabilities that a
cross-encoder gave it that had learned from other writers (``tools.train_claims``), and writes
``data/models/claims.json``. Prints kappa for each writer by what the others taught. Of claims about provisions
of a test nothing is learned. One core takes 20 minutes.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from citegrain.flows.shared.library import Build
from citegrain.tasks.core.paths import DATA
from citegrain.tasks.core.schemas import PROVISIONS
from citegrain.tasks.core.store.files import hash_file
from citegrain.tasks.evaluation.compare import kappa
from citegrain.tasks.online.claims import ClaimContext, judge_claims
from citegrain.tasks.online.claims.learned import VERDICTS, Readers
from tests.conftest import shared_folder

CLAIMS = DATA / "training" / "claims.jsonl.gz"
_NOTE = re.compile(r"\^\d+|\*+")
Row = dict[str, Any]


def claims() -> list[Row]:
    """The labelled claims."""
    return [json.loads(line) for line in gzip.decompress(CLAIMS.read_bytes()).decode().splitlines()]


def law_of(build: Build) -> dict[str, str]:
    """Heading and text of provisions by id: of the build, and of the public collection of other Acts."""
    law = {}
    shared = shared_folder()
    assert shared, "the shared folder is needed"
    with gzip.open(shared / "gold" / "central_acts_sections.jsonl.gz", "rt", encoding="utf-8") as file:
        for row in map(json.loads, file):
            text = _NOTE.sub("", " ".join(row["text"].split()))
            law[f"{row['act']}/sec_{row['section']}"] = f"{row['heading'].rstrip('.')}. {text}"
    return law | {
        row["provision_id"]: ClaimContext(row["text"], heading=row["heading"]).passage
        for row in build.table(PROVISIONS).to_pylist()
    }


def passages_of(row: Row, law: dict[str, str]) -> list[str]:
    """The passages of a claim; ``at``: where in the provision it stands."""
    return [law[id_][slice(*row.get("at", (None,)))] for id_ in row["passages"]]


def signals_of(row: Row, build: Build, law: dict[str, str]) -> dict[str, float]:
    """The signals of a claim; none of one that says nothing."""
    read = {f"read_{verdict}": value for verdict, value in zip(VERDICTS, row["read"], strict=True)}
    readers = Readers(build.encoder.span_vectors, lambda *_: read)
    contexts = [ClaimContext(text) for text in passages_of(row, law)]
    judged = judge_claims(row["text"], contexts, encode=build.encode_queries, readers=readers)
    return judged[0].signals if judged else {}


def main(folder: str) -> None:
    """Judge the claims, fit, and write."""
    build = Build.open(Path(folder))
    law = law_of(build)
    rows = [row for row in claims() if not row.get("tested")]
    labelled = [(row, signals) for row in rows if (signals := signals_of(row, build, law))]
    names = list(labelled[0][1])
    x = np.array([[signals.get(name, 0.0) for name in names] for _, signals in labelled])
    y = np.array([row["label"] for row, _ in labelled])
    writer = np.array([row["writer"] for row, _ in labelled])
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.3, max_iter=3000))
    for name in sorted({*writer}):
        said = model.fit(x[writer != name], y[writer != name]).predict(x[writer == name])
        print(name, (writer == name).sum(), kappa([*y[writer == name]], [*said], seed=1))
    scaler, line = model.fit(x, y)
    weights = line.coef_ / scaler.scale_
    bias = line.intercept_ - weights @ scaler.mean_
    verdicts = [str(verdict) for verdict in line.classes_]
    out = {
        "encoder": build.manifest["weights"],
        "bias": dict(zip(verdicts, bias.round(4).tolist(), strict=True)),
        "weights": {
            name: dict(zip(verdicts, column.round(4).tolist(), strict=True))
            for name, column in zip(names, weights.T, strict=True)
        },
    }
    path = DATA / "models" / "claims.json"
    path.write_text(json.dumps(out, indent=1) + "\n", encoding="utf-8")
    print("MODEL_SHA256", hash_file(path))


if __name__ == "__main__":
    main(sys.argv[1])
