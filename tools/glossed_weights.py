"""Learn provisions from questions in Hindi and Hinglish: `python -m tools.glossed_weights acts`.

As the build reads them in English, by kernel ridge regression on what the classifier that ships lacks of their
labels. The file is ``retrieve.glossed``; its digest is printed.
"""

from __future__ import annotations

import sys

import numpy as np

from citegrain import Build
from citegrain.tasks.core.paths import located
from citegrain.tasks.core.store import hash_file
from citegrain.tasks.online.gloss import Glosses
from citegrain.tasks.online.retrieve import Classifier, Learned
from citegrain.tasks.online.retrieve.channels.classifier import read_classifier
from citegrain.tasks.online.retrieve.stage import CLASSIFIER_SHA256, shipped
from citegrain.tasks.online.spelling import Spelling
from citegrain.tasks.train import read_questions
from citegrain.tasks.train.classifier import _LARGEST, _RIDGE, _solved

_FILES = ("hinglish_questions.jsonl", "hindi_questions.jsonl")


def main(name: str) -> str:
    """Write the file; returns its digest."""
    build = Build.open(name)
    first = read_classifier(shipped("classifier.safetensors", CLASSIFIER_SHA256), build.query_space)
    if first is None:
        sys.exit("the classifier that ships is not that of this build")
    questions = [q for file in _FILES for q in read_questions(located(f"data:training/{file}"))]
    spelling, glosses = Spelling.over(build), Glosses.over(build)
    texts = [spelling.read(glosses.read(question.text)[0]) for question in questions]
    vectors = np.concatenate([build.encode_queries([text]) for text in texts])
    answers = [[(c.act, c.section) for c in question.applicable] for question in questions]
    labels = list(dict.fromkeys([*first.labels, *(label for some in answers for label in some)]))
    number = {label: n for n, label in enumerate(labels)}
    targets = np.zeros((len(texts), len(labels)), dtype=np.float32)
    targets[:, : len(first.labels)] -= first.scores(texts, vectors)
    for row, some in enumerate(answers):
        targets[row, [number[label] for label in some]] += 1
    learned, every = Learned.from_texts(texts, vectors), np.ones(len(texts), dtype=bool)
    likeness = learned.likeness(texts, vectors)
    solved = _solved(likeness, targets, np.full(len(texts), _RIDGE, dtype=np.float32), every)
    order = np.sort(np.argsort(-np.abs(solved), axis=1, kind="stable")[:, :_LARGEST], axis=1)
    weights = np.take_along_axis(solved, order, axis=1)
    path = located("data:models") / "glossed.safetensors"
    Classifier(learned, labels, order, weights).write(path, build.query_space)
    return hash_file(path)


if __name__ == "__main__":
    print(main(sys.argv[1]))
