"""Learn which questions in Hindi are ones of law: `python -m tools.glossed_scope acts`.

From the vectors of such questions as the build reads them in English, and of English ones beside them, so that
it is not the language that is learned. The odds are added to those of ``scope`` for questions in Hindi; the file
is ``estimate.glossed``, and its digest is printed.
"""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from citegrain import Build
from citegrain.tasks.core.paths import located
from citegrain.tasks.online.fuse import FuseConfig
from citegrain.tasks.online.gloss import Glosses
from citegrain.tasks.online.spelling import Spelling
from citegrain.tasks.train.estimates import fit_logistic

_FOLDER = located("data:training")
_FILES = (
    ("lay_queries", "message", 2, True), ("lay_queries", "plain", 6, True), ("short_questions", "text", 1, True),
    ("hindi_questions", "text", 1, True), ("hinglish_questions", "text", 1, True),
    ("out_of_scope", "text", 1, False), ("hinglish_out_of_scope", "text", 1, False),
    ("stories_out_of_scope", "text", 1, False),
)  # fmt: skip
"""Files, with the text that is read of each so many lines, and whether it is a question of law."""
_OUTSIDE, _OUTSIDE_IN_HINDI = 2.0, 8.0  # weights: there are few
_STRENGTH, _SHIFT = 0.01, 1.0
"""``C`` of scikit-learn; what is added to the odds: chosen on 526 questions of law and 136 others."""


def main(name: str, ranker: str) -> str:
    """Write the file; returns its digest."""
    build = Build.open(name)
    spelling, glosses = Spelling.over(build), Glosses.over(build)
    texts, inside, weights = list[str](), list[bool](), list[float]()
    for file, key, step, of_law in _FILES:
        lines = (_FOLDER / f"{file}.jsonl").read_text(encoding="utf-8").splitlines()[::step]
        texts += [spelling.read(glosses.read(json.loads(line)[key])[0]) for line in lines]
        inside += [of_law] * len(lines)
        weight = 1.0 if of_law else _OUTSIDE if file == "out_of_scope" else _OUTSIDE_IN_HINDI
        weights += [weight] * len(lines)
    vectors = np.concatenate([build.encode_queries([text]) for text in texts])
    model = fit_logistic(vectors, np.array(inside), np.array(weights), C=_STRENGTH)
    model = replace(model, bias=[model.bias[0] + _SHIFT])
    content = json.dumps({"ranker": ranker, "scope": asdict(model)}).encode()
    Path(located("data:models") / "glossed_scope.json").write_bytes(content)
    return hashlib.sha256(content).hexdigest()


if __name__ == "__main__":
    print(main(sys.argv[1], FuseConfig().ranker_sha256))
