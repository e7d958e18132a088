"""Learn the weights of the signals of claims: python tools/learn_claims.py ARTIFACTS/builds/acts

Reads ``data/training/claims.jsonl`` and the hundred of ``tests/data/claims/labelled.jsonl`` (passages of the 51
Acts by id, text, label), and writes ``data/models/claims.json``. Prints kappa where each fold has Acts of its own.
"""

from __future__ import annotations

import json
import sys
from itertools import groupby
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from citegrain.flows.shared.library import Build
from citegrain.tasks.core.schemas import PROVISIONS
from citegrain.tasks.core.store.files import hash_file
from citegrain.tasks.evaluation.compare import kappa
from citegrain.tasks.online.claims import ClaimContext, judge_claims

ROOT = Path(__file__).parent.parent
DATA = ROOT / "citegrain" / "data"
FILES = (DATA / "training" / "claims.jsonl", ROOT / "tests" / "data" / "claims" / "labelled.jsonl")


def main(folder: str) -> None:
    """Judge the claims, fit, and write."""
    build = Build.open(Path(folder))
    law = {row["provision_id"]: row for row in build.table(PROVISIONS).to_pylist()}
    rows = [json.loads(line) for file in FILES for line in file.read_text("utf-8").splitlines()]
    judged = []
    for ids, some in groupby(rows, key=lambda row: row["passages"]):
        group = list(some)
        contexts = [ClaimContext(law[id_]["text"], heading=law[id_]["heading"]) for id_ in ids]
        text = " ".join(row["text"] for row in group)
        judged += judge_claims(
            text, contexts, encode=build.encode_queries, vectors=build.encoder.span_vectors
        )
    labelled = [(row, claim.signals) for row, claim in zip(rows, judged, strict=True) if claim.signals]
    names = list(dict.fromkeys(name for _, signals in labelled for name in signals))
    x = np.array([[signals.get(name, 0.0) for name in names] for _, signals in labelled])
    y = [row["label"] for row, _ in labelled]
    acts = [row["passages"][0].partition("/")[0] for row, _ in labelled]
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.3, max_iter=3000))
    said = cross_val_predict(model, x, y, groups=acts, cv=GroupKFold(12))
    print(len(y), "claims; of four verdicts", kappa(y, list(said), seed=1))
    print("supported or not", kappa([v == "supported" for v in y], [v == "supported" for v in said], seed=1))
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
