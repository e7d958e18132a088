"""Learn which questions are in scope: ``python -m tools.scope_weights [scope] [new_acts]``, both unless named.

``short`` learns from ``data/training/short_scope.jsonl``, asked of a build of the 51 Acts and of four with
fewer, so that it is not learned what these Acts are about. ``new_acts`` learns from these, ``others_dev``,
``out_of_scope.jsonl`` and some of ``questions.jsonl``, asked of builds with typeset Acts of which nothing was
learned, with their lay texts or without. A question is out of scope if neither its own Act nor one that answers
it among the 51 is here, and is left out if its own is not, but another is. The file is ``estimate.short``, where
``short`` is called scope; printed are its digest, and for each build by what the other questions taught how many
are declined. Needs the shared folder.
"""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from citegrain import Build
from citegrain.flows.shared.settings import load_settings
from citegrain.tasks.core.paths import located
from citegrain.tasks.online.estimate import EstimateConfig, Logistic, stage
from citegrain.tasks.online.estimate.model import sigmoid
from citegrain.tasks.online.estimate.scope import ScopeQuestion, scope_features
from citegrain.tasks.online.fuse import FuseConfig
from citegrain.tasks.train.estimates import fit_logistic
from citegrain.tasks.train.examples import part_of
from tests.builds import built, planned
from tests.conftest import shared_folder
from tools.scale.acts import typeset
from tools.small_acts import gold_acts

TEXTS, OTHERS = located("data:training"), located("data:benchmarks/others")
LAY_TEXTS = [f"data:training/lay_queries{which}.jsonl" for which in ("", "_others")]
FEWER = ((51, 0), (6, 1), (12, 2), (25, 3), (25, 4))
"""How many of the 51 Acts a build has, and the seed by which they are drawn."""
NEW = ((51, 70, 5), (25, 35, 6), (0, 70, 7), (0, 6, 9), (0, 6, 12), (0, 15, 10), (0, 30, 11))
"""The same, with how many new Acts between the two; the first and the third are asked without lay texts, too."""
_STRENGTH, _FOLDS = 0.1, 5  # ``C`` of scikit-learn; parts of the questions
_SHIFT = {"scope": 0.9, "new_acts": 0.3}
"""What is added to the odds, since more questions are in scope than not; the first chosen on 274 others."""
_ALL_ACTS = 2.0  # weight of the build with all 51 Acts
Row = Mapping[str, Any]


class Read(NamedTuple):
    """What is read of a question, by which regression it is judged, and the Acts of the first answers."""

    features: npt.NDArray[Any] | None
    by: str
    acts: list[str]


class Sample(NamedTuple):
    """A question to a build: what is read of it, whether it is in scope, its weight and its part."""

    build: str
    features: npt.NDArray[Any]
    inside: bool
    weight: float
    part: int


def lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def acts_of(name: str) -> set[str]:
    """The Acts that a part of ``others`` is about."""
    return {p.partition("/")[0] for row in lines(OTHERS / name) for p in row["applicable"]}


def questions() -> tuple[list[Row], list[Row]]:
    """Those by which ``short`` learns; and all, these first."""
    short: list[Row] = [*lines(TEXTS / "short_scope.jsonl")]
    others = [(r["text"], r["applicable"][0].partition("/")[0]) for r in lines(OTHERS / "dev.jsonl")]
    long = [
        (r["text"], r["applicable"][0]["act"])
        for r in lines(TEXTS / "questions.jsonl")[::6]
        if r["applicable"]
    ]
    inside = [{"text": text, "act": act, "scope": "in"} for text, act in others + long]
    outside = [{**row, "scope": "out"} for row in lines(TEXTS / "out_of_scope.jsonl")]
    return short, [*short, *inside, *outside]


def new_acts(shared: Path, folder: Path) -> list[Path]:
    """PDFs of central Acts with lay texts, those of ``others_dev`` first; none of those of its test."""
    acts, dev = gold_acts(shared), acts_of("dev.jsonl")
    rest = {row["act"] for row in lines(TEXTS / "lay_queries_others.jsonl")} - dev - acts_of("test.jsonl")
    chosen = [name for name in (*sorted(dev), *sorted(rest)) if name in acts]
    for name in chosen:
        typeset(folder, (name, acts[name]))
    return [folder / f"{name}.pdf" for name in chosen]


def read(build: Build, rows: Sequence[Row]) -> list[Read]:
    """What is read of each question, whatever it says; nothing of one that is judged without features."""
    seen: list[tuple[npt.NDArray[Any], str]] = []

    def estimated(judge: stage._Judge, question: ScopeQuestion) -> tuple[float, str, str]:
        features = scope_features(question, judge.present, judge.catalogue.other, judge.learned.kinds)
        odds = judge.learned.scope.scores(np.array([features]))
        short = "scope" if judge.is_short(question.query) else ""
        by = "new_acts" if judge.is_about_new(question) else short
        seen.append((np.concatenate([odds, features, question.new]), by))
        return 1.0, "", ""

    out = []
    with patch.object(stage._Judge, "_estimated", estimated):
        for row in rows:
            seen.clear()
            acts = [charge.act for charge in build.ask(row["text"]).charges[:3]]
            features, by = seen[-1] if seen else (None, "")
            out.append(Read(features, by, acts))
    return out


def label(row: Row, answering: list[str], build: Build) -> bool | None:
    """Whether a question is in scope of a build; None where that is not clear."""
    acts, places = {act["act_id"] for act in build.acts}, build.lexicon.find(row["act"])
    if row["act"] in acts or any(act in acts for place in places for act in place.act_ids):
        return True
    if row["scope"] == "out":
        return False
    return None if not answering or set(answering) & acts else False


def samples_of(
    name: str, of_build: Sequence[tuple[Row, Read, bool | None]], by: str, weight: float
) -> Iterator[Sample]:
    """The questions to a build that are judged by a regression, but those of which their scope is not clear."""
    taken = [
        (row, some.features, inside) for row, some, inside in of_build if some.by == by and inside is not None
    ]
    n_in = sum(inside for *_, inside in taken)
    least = min(1.0, n_in / max(1, len(taken) - n_in))
    for row, features, inside in taken:
        assert features is not None
        part = part_of(f"short/{row['text']}", _FOLDS)
        yield Sample(name, features, inside, weight * (1.0 if inside else least), part)


def all_samples(shared: Path, folder: Path) -> dict[str, list[Sample]]:
    """The samples of every build, by regression."""
    home = sorted((shared / "corpus" / "acts").glob("*.pdf"))
    (written := folder / "new").mkdir()
    new, (short, every) = new_acts(shared, written), questions()
    n_dev, answering = len(acts_of("dev.jsonl")), list[list[str]]()
    out: dict[str, list[Sample]] = {name: [] for name in _SHIFT}
    builds = [(some, 0, seed, True) for some, seed in FEWER] + [(*one, True) for one in NEW]
    for some, more, seed, lay in [*builds, (*NEW[0], False), (*NEW[2], False)]:
        acts, chance = folder / f"{some}_{more}_{seed}_{lay}", random.Random(seed)
        acts.mkdir()
        of_dev = min(more // 2, 20)
        files = (
            [*chance.sample(new[:n_dev], of_dev), *chance.sample(new[n_dev:], more - of_dev)] if more else []
        )
        for file in [*chance.sample(home, some), *files]:
            shutil.copy(file, acts)
        where = ["corpus=folder", f"corpus.path={acts}", f"corpus.name={acts.name}"]
        setup = load_settings([*where, f"index.expansion=[{','.join(LAY_TEXTS[: 1 + lay])}]"])
        build = Build.open(built(*planned(setup)).folder)
        rows_asked = every if more or not answering else short
        of_build = read(build, rows_asked)
        answering = answering or [one.acts for one in of_build]
        labels = [label(row, given, build) for row, given in zip(rows_asked, answering, strict=False)]
        rows = list(zip(rows_asked, of_build, labels, strict=True))
        by, weight = ("new_acts", 1.0) if more else ("scope", _ALL_ACTS if some == len(home) else 1.0)
        out[by] += samples_of(acts.name, rows if more else rows[: len(short)], by, weight)
    return out


def learned(samples: Sequence[Sample], shift: float) -> Logistic:
    """A regression of samples; printed is how many of each build are declined by what the others taught."""
    names, table, inside, weights, parts = map(np.array, zip(*samples, strict=True))
    odds = np.zeros(len(samples))
    for fold in range(_FOLDS):
        rest = parts != fold
        model = fit_logistic(table[rest], inside[rest], weights[rest], C=_STRENGTH)
        odds[~rest] = model.logits(table[~rest])[:, 0]
    declined = sigmoid(odds + shift) < EstimateConfig().decline_below
    for name in dict.fromkeys(names):
        counts = [(names == name) & (inside == side) for side in (True, False)]
        of_in, of_out = (f"{(declined & some).sum()} of {some.sum()}" for some in counts)
        print(f"{name}: declined {of_in} in scope, {of_out} out of it")
    model = fit_logistic(table, inside, weights, C=_STRENGTH)
    return replace(model, bias=[model.bias[0] + shift])


def main(names: Sequence[str]) -> None:
    """Learn, write and print; what is not named stays as it is."""
    shared, file = shared_folder(), located("data:models") / "short_scope.json"
    assert shared, "the shared folder is needed"
    with tempfile.TemporaryDirectory() as folder:
        samples = all_samples(shared, Path(folder))
    samples["scope"] = [one._replace(features=one.features[:-2]) for one in samples["scope"]]
    models = {name: asdict(learned(samples[name], _SHIFT[name])) for name in names or _SHIFT}
    before = json.loads(file.read_text(encoding="utf-8"))
    content = json.dumps({**before, "ranker": FuseConfig().ranker_sha256, **models}).encode()
    file.write_bytes(content)
    print(hashlib.sha256(content).hexdigest())


if __name__ == "__main__":
    main(sys.argv[1:])
