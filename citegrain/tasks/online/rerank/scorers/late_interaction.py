"""Scorer ``late_interaction``: MaxSim over token vectors."""

from collections import OrderedDict
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from citegrain.tasks.offline.index import max_similarity
from citegrain.tasks.offline.models import Encoder, TwoEncoders
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.rerank.config import Passage, Scorer, Scores

AnyEncoder = Encoder | TwoEncoders
Tokens = npt.NDArray[np.float16]
_KEPT_BYTES = 512 * 2**20


def late_interaction(build: PublishedBuild) -> Scorer:
    """MaxSim by the build's encoder, and by its token vectors of passages if it keeps any."""
    return LateInteraction(lambda: build.encoder, build.query_space, build.token_vectors())


class _Recent:
    """Token vectors of the passages used last, ``limit`` bytes: the queries of a batch share many."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._matrices: OrderedDict[str, Tokens] = OrderedDict()
        self._bytes = 0

    def matrices(self, passages: Sequence[Passage], encoder: AnyEncoder) -> list[Tokens]:
        """Token vectors of each passage, encoded where they are not at hand."""
        missing = [p for p in passages if p.text_hash not in self._matrices]
        fresh = dict(
            zip(
                (p.text_hash for p in missing),
                encoder.token_vectors([p.text for p in missing]) if missing else [],
                strict=True,
            )
        )
        out = [fresh[p.text_hash] if p.text_hash in fresh else self._matrices[p.text_hash] for p in passages]
        for passage, matrix in zip(passages, out, strict=True):
            if passage.text_hash not in self._matrices:
                self._bytes += matrix.nbytes
            self._matrices[passage.text_hash] = matrix
            self._matrices.move_to_end(passage.text_hash)
        while self._bytes > self._limit and self._matrices:
            self._bytes -= self._matrices.popitem(last=False)[1].nbytes
        return out


class LateInteraction:
    """MaxSim: mean over the query's tokens of the best cosine among the passage's tokens.

    Khattab and Zaharia 2020, divided by the number of query tokens so that queries compare.

    ``encoder``: gives what makes token vectors of queries, and of passages where the build keeps none; called
    when the first pair is scored. ``stored``: token vectors of a chunk by row; None if the build keeps none.
    """

    def __init__(
        self,
        encoder: Callable[[], AnyEncoder],
        identity: str,
        stored: Callable[[int], Tokens] | None = None,
    ) -> None:
        self.identity = f"late_interaction-{identity}"
        self._encoder = encoder
        self._stored = stored
        self._recent = _Recent(_KEPT_BYTES)

    def forget(self) -> None:
        """Let go of the token vectors of passages."""
        self._recent = _Recent(_KEPT_BYTES)

    def score(self, query: str, passages: Sequence[Passage]) -> Scores:
        """One score a passage, -1..1; 0 for an empty passage or query."""
        encoder = self._encoder()
        tokens = encoder.token_vectors([query], query=True)[0].astype(np.float32)
        if self._stored is not None:
            documents = [self._stored(p.row) for p in passages]
        else:
            documents = self._recent.matrices(passages, encoder)
        out = np.zeros(len(passages), dtype=np.float32)
        full = [i for i, d in enumerate(documents) if len(d)]
        if not full or not len(tokens):
            return out
        flat = np.concatenate([documents[i] for i in full]).astype(np.float32)
        starts = np.cumsum([0, *(len(documents[i]) for i in full[:-1])])
        out[full] = max_similarity(flat, starts, tokens).mean(axis=1)
        return out
