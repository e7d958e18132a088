"""Learn which short questions are in scope: ``python -m tools.short_scope``.

Asks ``data/training/short_scope.jsonl`` of a build of the 51 Acts and of four with fewer, so that it is not
learned what these Acts are about. There a question is out of scope if no Act that answers it among the 51 is
here, and is left out if its own is not, but another is. The file is ``estimate.short``; printed are its digest,
and for each build by what the other questions taught how many are declined. Needs the shared folder.
"""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from citegrain import Build
from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.core.paths import located
from citegrain.tasks.online.estimate import EstimateConfig, Estimates, Logistic, estimates_of
from citegrain.tasks.online.estimate.model import sigmoid
from citegrain.tasks.online.fuse import FuseConfig
from citegrain.tasks.train.estimates import fit_logistic
from citegrain.tasks.train.examples import part_of
from tests.builds import built, planned
from tests.conftest import shared_folder

QUESTIONS = located("data:training") / "short_scope.jsonl"
FEWER = ((6, 1), (12, 2), (25, 3), (25, 4))
"""How many of the Acts a smaller build has, and the seed by which they are drawn."""
_STRENGTH, _SHIFT, _ALL_ACTS, _FOLDS = 0.1, 0.9, 2.0, 5
"""``C`` of scikit-learn; what is added to the odds, since more questions are in scope than not, chosen on 274
others; weight of the whole build; parts of the questions."""
Rows = npt.NDArray[Any]


class _Recorded(Logistic):
    """Keeps what it is asked, and declines nothing."""

    seen: ClassVar[list[Rows]] = []

    def logits(self, rows: Rows) -> npt.NDArray[np.float64]:
        self.seen.append(rows[0])
        return np.zeros((len(rows), 1))


def _recording(*arguments: Any) -> Estimates | None:
    learned = estimates_of(*arguments)
    return learned and replace(learned, short=_Recorded([], [], [], []))


def answers_of(build: Build, rows: list[dict[str, Any]]) -> list[tuple[Rows | None, list[str]]]:
    """Of each question what ``short`` reads, None for one in another way, and the Acts of the first answers."""
    out = list[tuple[Rows | None, list[str]]]()
    with patch("citegrain.tasks.online.makers.estimate.estimates_of", _recording):
        for row in rows:
            _Recorded.seen.clear()
            charges = build.ask(row["text"]).charges[:3]
            out.append((_Recorded.seen[-1] if _Recorded.seen else None, [c.act for c in charges]))
    return out


def label(row: Mapping[str, Any], answering: list[str], acts: set[str]) -> bool | None:
    """Whether a question is in scope of a build with some Acts; None where that is not clear."""
    if row["scope"] == "out" or row["act"] in acts:
        return bool(row["scope"] == "in")
    return None if not answering or set(answering) & acts else False


class Sample(NamedTuple):
    """A question to a build: what is read of it, whether it is in scope, its weight and its part."""

    build: str
    read: Rows
    inside: bool
    weight: float
    part: int


def samples_of(rows: list[dict[str, Any]], files: list[Path], folder: Path) -> Iterator[Sample]:
    """Each question to each build, but those of which it is not clear whether they are in scope."""
    answering: list[list[str]] = []
    for some, seed in ((len(files), 0), *FEWER):
        acts = folder / f"{some}_{seed}"
        acts.mkdir()
        for file in random.Random(seed).sample(files, some):
            shutil.copy(file, acts)
        where = ["corpus=folder", f"corpus.path={acts}", f"corpus.name=short_{acts.name}"]
        build = Build.open(built(*planned(load_settings(where))).folder)
        answers = answers_of(build, rows)
        answering = answering or [of_question for _, of_question in answers]
        here = {act["act_id"] for act in build.acts}
        labels = [label(row, given, here) for row, given in zip(rows, answering, strict=True)]
        taken = [
            (row, read, inside)
            for row, (read, _), inside in zip(rows, answers, labels, strict=True)
            if read is not None and inside is not None
        ]
        n_in = sum(inside for *_, inside in taken)
        least = min(1.0, n_in / max(1, len(taken) - n_in))
        for row, read, inside in taken:
            weight = (1.0 if seed else _ALL_ACTS) * (1.0 if inside else least)
            yield Sample(acts.name, read, inside, weight, part_of(f"short/{row['text']}", _FOLDS))


def main() -> None:
    """Learn, write and print."""
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    shared = shared_folder()
    assert shared, "the shared folder is needed"
    with tempfile.TemporaryDirectory() as folder:
        samples = list(samples_of(rows, sorted((shared / "corpus" / "acts").glob("*.pdf")), Path(folder)))
    names, table, inside, weights, parts = map(np.array, zip(*samples, strict=True))
    odds = np.zeros(len(samples))
    for fold in range(_FOLDS):
        rest = parts != fold
        model = fit_logistic(table[rest], inside[rest], weights[rest], C=_STRENGTH)
        odds[~rest] = model.logits(table[~rest])[:, 0]
    declined = sigmoid(odds + _SHIFT) < EstimateConfig().decline_below
    for name in dict.fromkeys(names):
        counts = [(names == name) & (inside == side) for side in (True, False)]
        of_in, of_out = (f"{(declined & some).sum()} of {some.sum()}" for some in counts)
        print(f"{name}: declined {of_in} in scope, {of_out} out of it")
    model = fit_logistic(table, inside, weights, C=_STRENGTH)
    model = replace(model, bias=[model.bias[0] + _SHIFT])
    content = json.dumps({"ranker": FuseConfig().ranker_sha256, "scope": asdict(model)}).encode()
    (located("data:models") / "short_scope.json").write_bytes(content)
    print(hashlib.sha256(content).hexdigest())


if __name__ == "__main__":
    main()
