"""Background stories: what people's complaints have in common, whatever they are about.

A story says who, where and when before it says what happened, and every story does. Retrieval takes that
common part off (``online.retrieve``): the mean vector of the stories from a query's vector, and the
weight of words that most stories use. Only texts are read, never labels.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

from citegrain.tasks.core.words import Analyser


def rarity(stories: Sequence[str], analyser: Analyser) -> Callable[[str], float]:
    """Weight of a term by the share of stories that use it: 1 for none, near 0 for all.

    ``log((N + 1) / (n + 1/2)) / log(2 (N + 1))`` for a term of ``n`` of ``N`` stories; 1 without stories.
    """
    using = Counter(term for story in stories for term in set(analyser.terms(story)))
    whole = len(stories) + 1
    if not stories:
        return lambda term: 1.0
    return lambda term: max(0.0, math.log(whole / (using[term] + 0.5)) / math.log(2 * whole))
