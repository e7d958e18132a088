"""The classifier of provisions against another implementation, and what each text is scored by."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge

from citegrain.tasks.online.retrieve import Learned
from citegrain.tasks.train.classifier import LabelledText, cross_fitted

LABELS = [("a", "1"), ("a", "2"), ("b", "9")]
NEAR = ["my landlord keeps the deposit", "deposit kept by the landlord for a year"]
WRITTEN = [
    LabelledText("plain", NEAR[0], (LABELS[0],)),
    LabelledText("story", NEAR[1], (LABELS[0], LABELS[1]), 0),
    LabelledText("question", "stolen phone and the police do nothing", (LABELS[2],), 1),
    LabelledText("short", "police do nothing", (LABELS[1],), 2),
    LabelledText("question", "landlord and police keep my phone", (LABELS[1], LABELS[0]), 1),
]
REAL = LabelledText("asked", "police do nothing about my landlord", (LABELS[2], LABELS[0]), 2)
rng = np.random.default_rng(1)
VECTORS = rng.normal(size=(6, 8)).astype(np.float32)
VECTORS /= np.linalg.norm(VECTORS, axis=1, keepdims=True)
OTHER = (["the landlord has my phone", "nothing"], VECTORS[[4, 0]])


def test_as_scikit_learn_solves_it() -> None:
    targets = np.array([[1, 0, 0], [1, 0.6, 0], [0, 0, 1], [0, 1, 0], [0.6, 1, 0]])
    weights = np.array([0.1, 1, 1, 0.5, 1])
    learned = Learned.from_texts([k.text for k in WRITTEN], VECTORS[:5])
    likeness = learned.likeness([k.text for k in WRITTEN], VECTORS[:5]).astype(np.float64)
    model = KernelRidge(alpha=2.0, kernel="precomputed").fit(likeness, targets, sample_weight=weights)
    full = cross_fitted(WRITTEN, VECTORS[:5]).full
    assert full.labels == LABELS
    assert np.allclose(full.scores(*OTHER), model.predict(learned.likeness(*OTHER)), atol=1e-4)


@pytest.mark.parametrize("row", [1, 2, 4, 5])
@pytest.mark.parametrize("lacking", [None, 0, 1])
def test_a_text_is_scored_by_what_was_learned_without_it(row: int, lacking: int | None) -> None:
    """Also where a part has no texts."""
    every = [replace(k, part=3) if k.part == lacking else k for k in (*WRITTEN, REAL)]
    other = replace(every[row], labels=(LABELS[2], LABELS[1]))
    changed = [*every[:row], other, *every[row + 1 :]]
    text, vector = [every[row].text], VECTORS[row : row + 1]
    before, after = (cross_fitted(texts, VECTORS) for texts in (every, changed))
    assert np.array_equal(before.scores(text, vector), after.scores(text, vector))
    assert not np.allclose(before.full.scores(text, vector), after.full.scores(text, vector))
    assert np.array_equal(before.scores(*OTHER), before.full.scores(*OTHER)), "an unknown text: by the whole"


def test_what_people_asked_is_learned_from_and_does_not_ship() -> None:
    full = cross_fitted([*WRITTEN, REAL], VECTORS).full
    assert len(full.label_numbers) == len(full.weights) == len(full.learned.vectors) == len(WRITTEN)
    without = cross_fitted(WRITTEN, VECTORS[:5]).full
    near = [REAL.text], VECTORS[5:] + VECTORS[2:3]
    label = LABELS.index(REAL.labels[0])
    assert full.scores(*near)[0, label] > without.scores(*near)[0, label]
