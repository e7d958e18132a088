"""Count how law is worded: ``python -m tools.law_language`` writes ``data/models/language.npz``.

From the sections of the central Acts in the shared folder that are not in the registry, so that what is measured
on the Acts of the registry is measured on unseen text; and words of the lay texts that ship.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections import Counter, defaultdict
from itertools import pairwise

import numpy as np
import yaml

from citegrain.tasks.core.paths import DATA
from citegrain.tasks.offline.structure.wording import FEWEST, tokens
from tests.conftest import shared_folder

_OFTEN, _ACTS, _LAY = 100, 2, 4  # uses of a common token; Acts that have a word; uses of one in lay texts
_SELDOM = 100  # times less often than by chance: such a pair is a slip of the print
_SMALL, _BETWEEN = 40, 15  # commonest words; times one stands between two tokens, and more than none does
_WORD = re.compile(r"(?<![A-Za-z])[a-z]+(?![A-Za-z])")


def main() -> None:
    """Count, and write."""
    shared = shared_folder()
    assert shared, "the shared folder is needed"
    registry = yaml.safe_load((DATA / "registry.yaml").read_text(encoding="utf-8"))
    texts, acts_with = [], defaultdict(set)
    with gzip.open(shared / "gold" / "central_acts_sections.jsonl.gz", "rt", encoding="utf-8") as file:
        for row in map(json.loads, file):
            if row["act"] not in registry:
                texts.append(row["text"])
                for word in {*_WORD.findall(f"{row['text']} {row['heading']} {row.get('footnotes') or ''}")}:
                    acts_with[word].add(row["act"])
    lay: Counter[str] = Counter()
    for path in sorted(
        [*DATA.glob("training/*.jsonl"), *DATA.glob("benchmarks/*/*.jsonl"), DATA / "catalogue.jsonl"]
    ):
        lay.update(_WORD.findall(path.read_text(encoding="utf-8")))
    words = {w for w, acts in acts_with.items() if len(acts) >= _ACTS} | {
        w for w, n in lay.items() if n >= _LAY
    }
    uses = Counter(token for text in texts for token in tokens(text, frozenset()))
    uses.update(word for text in texts for word in re.findall(r"[^\W\d_]+", text))
    common = frozenset(token for token, n in uses.items() if n >= _OFTEN)
    pairs: Counter[tuple[str, str]] = Counter()
    between: Counter[tuple[str, str]] = Counter()
    small = set(sorted(words, key=lambda word: -uses[word])[:_SMALL])
    for text in texts:
        kinds = tokens(text, common)
        pairs.update(pairwise(kinds))
        between.update(
            (a, b) for a, word, b in zip(kinds, kinds[1:], kinds[2:], strict=False) if word in small
        )
    first, second = Counter[str](), Counter[str]()
    for (a, b), n in pairs.items():
        first[a] += n
        second[b] += n
    total = pairs.total()
    names = sorted({*first, *second})
    index = {name: i for i, name in enumerate(names)}
    codes = sorted(
        index[a] * len(names) + index[b]
        for (a, b), n in pairs.items()
        if first[a] * second[b] >= FEWEST * total and n * _SELDOM > first[a] * second[b] / total
    )
    gaps = sorted(
        index[a] * len(names) + index[b]
        for (a, b), n in between.items()
        if n >= _BETWEEN * (pairs[a, b] + 1) and a[0].isalpha() and b[0].isalpha()
    )
    out = DATA / "models" / "language.npz"
    np.savez_compressed(
        out,
        words=np.array(" ".join(sorted(words))),
        tokens=np.array(" ".join(names)),
        first=np.array([first[n] for n in names], np.uint32),
        second=np.array([second[n] for n in names], np.uint32),
        pairs=np.array(codes, np.uint32),
        gaps=np.array(gaps, np.uint32),
        n_pairs=np.array(total),
    )
    print(
        len(texts),
        "sections",
        len(words),
        "words",
        len(names),
        "tokens",
        len(codes),
        "pairs",
        len(gaps),
        "gaps",
    )
    print("MODEL_SHA256", hashlib.sha256(out.read_bytes()).hexdigest())


if __name__ == "__main__":
    main()
