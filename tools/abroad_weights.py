"""Learn how sure to be of Acts of which nothing was learned: `python -m tools.abroad_weights corpus.name=acts`.

The Acts of the first fold (``conf/train/ranker_statutes.yaml``), of which the default's reader has learned
nothing, are searched as a newcomer's corpus: without lay texts, answered questions, classifier and priors; all
of them, three, and one. On the questions and stories about them regressions learn how probable a candidate is.
Their file is ``estimate.abroad``. Printed is, for each Act by what was learned of the others, what is said of
the first candidate and how often it is right.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from citegrain.flows.shared.settings import load_settings
from citegrain.flows.train.training import plan_training
from citegrain.tasks.core.paths import located
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.estimate import (
    HEAD,
    Catalogue,
    Logistic,
    abroad_features,
    candidate_features,
    estimates_of,
    length_of,
    scope_features,
)
from citegrain.tasks.online.features import FEATURES, Priors
from citegrain.tasks.online.fuse import ranker_of
from citegrain.tasks.train import FORUM
from citegrain.tasks.train.estimates import fit_logistic
from citegrain.tasks.train.examples import part_of
from citegrain.tasks.train.ranker import Rows, _sample, gather, search, write
from citegrain.tasks.train.readings import TrainingText, texts_of

_SIZES = (99, 3, 1)  # Acts of a newcomer's corpus, that of the question among them
One = tuple[str, npt.NDArray[np.float64], npt.NDArray[np.int64]]
"""Act of a question, what regressions read of its first candidates, and the grades of these."""


def alone(build: PublishedBuild, acts: Sequence[str]) -> PublishedBuild:
    """A build that has some Acts alone, as one of which nobody wrote."""
    part = build.within(acts)
    if build.expansion is not None:
        part.expansion = build.expansion.without(acts)
    part._shared = {**build._shared, ("answered", ""): None, ("classifier", ""): None}
    return part


def gone(acts: Sequence[str], size: int, text: TrainingText) -> set[str]:
    """Acts that a corpus of some size lacks; it has what the text is about."""
    drawn = sorted(
        acts, key=lambda act: (act != text.labels[0][0], part_of(f"{size}/{text.id}/{act}", 10**9))
    )
    return set(drawn[size:])


def lists(inputs: Any, acts: Sequence[str], store: Path) -> list[One]:
    """The candidates of what people ask about some Acts, in corpora of these."""
    build, chosen, day = inputs.build, load_settings([]).cascade, inputs.config.day
    ranker, learned = ranker_of(chosen.fuse), estimates_of(chosen.estimate, chosen.fuse, build.query_space)
    if ranker is None or learned is None or list(ranker.names) != list(FEATURES):
        sys.exit("the configured ranker is not that of this build and this code")
    law = build.eligible(day) & build.citable
    lawful = {p for p, here in zip(build.citations.values(), law, strict=True) if p is not None and here}
    written = {kind: records for kind, records in inputs.questions.items() if kind != FORUM}
    texts = [t for t in texts_of(build, written, day) if t.labels[0][0] in acts and t.golds[0] & lawful]
    catalogue = Catalogue.from_build(build, chosen.estimate.vectors, learned.catalogue)
    entries, searched = catalogue.acts(build.lexicon), search(alone(build, acts), texts, store)

    def one(row: Rows) -> One:
        here = {*acts} - row.gone
        sample, scores = _sample(row, ranker.model, catalogue, entries), ranker.model.scores(row.values)
        present = np.array([act in here for act in entries])
        read = np.array([scope_features(sample.question, present, catalogue.other, learned.kinds)])
        scope = float(1 / (1 + np.exp(-learned.scope.scores(read)[0])))
        order = np.argsort(-scores, kind="stable")[:HEAD]
        signs = candidate_features(scores[order], scope, length_of(row.text.text))
        provisions = {p for p in build.citations.values() if p is not None and p.partition("/")[0] in here}
        return row.text.labels[0][0], abroad_features(signs, len(provisions)), row.grades[order]

    corpora = [gather(searched, lambda t: Priors({}), gone=partial(gone, acts, n)) for n in _SIZES]
    return [one(row) for rows in corpora for row in rows if len(row.grades)]


def regressions(some: Sequence[One]) -> dict[str, Logistic]:
    """Probabilities to apply, and to be the primary provision."""
    table, grades = np.concatenate([one[1] for one in some]), np.concatenate([one[2] for one in some])
    return {"applies": fit_logistic(table, grades > 0), "primary": fit_logistic(table, grades == 2)}


def main(overrides: Sequence[str]) -> None:
    """Learn, show, write, and print the digest."""
    settings = load_settings(["train=ranker_statutes", "corpus=published", *overrides])
    inputs: Any = plan_training(settings, settings.builds_folder / settings.corpus.name).inputs
    every = lists(inputs, inputs.config.folds[0], settings.store_folder)
    said, right = [], []
    for act in sorted({act for act, _, _ in every}):
        model = regressions([one for one in every if one[0] != act])["applies"]
        said += [float(model.probability(table[:1])[0]) for about, table, _ in every if about == act]
        right += [bool(grades[0]) for about, _, grades in every if about == act]
    for third in np.array_split(np.argsort(said, kind="stable"), 3):
        print(
            f"n {len(third)}: said {np.take(said, third).mean():.3f}, right {np.take(right, third).mean():.3f}"
        )
    chosen = load_settings([]).cascade
    models = {name: asdict(model) for name, model in regressions(every).items()}
    write(models | {"ranker": chosen.fuse.ranker_sha256}, located(chosen.estimate.abroad))
    sha256 = hashlib.sha256(located(chosen.estimate.abroad).read_bytes()).hexdigest()
    print(f"{len(every)} lists; ABROAD_SHA256 in tasks/online/estimate/model.py: {sha256}")


if __name__ == "__main__":
    main(sys.argv[1:])
