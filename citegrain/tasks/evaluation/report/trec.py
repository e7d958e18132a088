"""Runs as ``trec_eval`` reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence


def trec_lines(rankings: Mapping[str, Sequence[str]], tag: str) -> Iterator[str]:
    """Lines ``query Q0 document rank score tag``; the score falls with the rank, so that ties cannot arise.

    Parameters
    ----------
    rankings
        Labels of provisions by query id, best first.
    """
    for query, listed in rankings.items():
        for rank, label in enumerate(listed, 1):
            yield f"{query} Q0 {label} {rank} {1 / rank:.6f} {tag}"
