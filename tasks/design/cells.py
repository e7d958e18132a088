"""Which cells a study has: every combination of the levels of its factors, or a fraction of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from string import ascii_lowercase

import numpy as np
import numpy.typing as npt

Cell = Mapping[str, str]
"""Level by factor."""

_SWITCH = ("on", "off")
_SEARCHED = 8  # columns up to which the smallest fraction is searched for


class DesignError(ValueError):
    """A design that cannot be made; the message says why."""


@dataclass(frozen=True)
class Design:
    """The cells of a study.

    Attributes
    ----------
    factors
        Levels by factor.
    cells
        Level of each factor, by name of cell.
    aliases
        Of a fraction: effects that it cannot tell apart, up to those of two factors, as ``a = b x c``.
        ``retrieval.1`` and ``retrieval.2`` are the pseudo-factors of a factor of four levels; the third
        part of its effect is their product.
    """

    factors: Mapping[str, Sequence[str]]
    cells: Mapping[str, Cell]
    aliases: Sequence[str] = ()

    @property
    def full(self) -> bool:
        """Whether every combination of levels has a cell."""
        return len(self.cells) == int(np.prod([len(levels) for levels in self.factors.values()]))


def cell_name(levels: Cell) -> str:
    """Name of a cell: its levels; of a switch the factor too, such as ``rrf-statutory-reranker_on``."""
    return "-".join(f"{f}_{level}" if level in _SWITCH else level for f, level in levels.items())


def full(factors: Mapping[str, Sequence[str]]) -> Design:
    """Every combination of levels, the last factor changing fastest.

    Raises
    ------
    DesignError
        If a factor has fewer than two levels, one twice, or two cells would have the same name.
    """
    for name, levels in factors.items():
        if len(set(levels)) < 2 or len(set(levels)) < len(levels):
            raise DesignError(f"factor {name}: two levels or more are wanted, each once")
    cells = [dict(zip(factors, levels, strict=True)) for levels in product(*factors.values())]
    named = {cell_name(cell): cell for cell in cells}
    if len(named) < len(cells):
        raise DesignError(
            "two cells have the same name: give the levels of different factors different names"
        )
    return Design(dict(factors), named)


def fraction(factors: Mapping[str, Sequence[str]], resolution: int = 4) -> Design:
    """The smallest regular fraction of a resolution, by pyDOE3; four levels are two pseudo-factors.

    At resolution IV no effect of a two-level factor is mixed up with that of another factor, nor with an
    interaction of two. The product of a factor's pseudo-factors, a third of what tells its
    four levels apart, is itself an interaction of two columns and may be mixed up with another:
    ``aliases`` tells with which. Source: Box, Hunter and Hunter 2005, chapter 6; Addelman 1962 for
    pseudo-factors.

    Raises
    ------
    DesignError
        If the levels of a factor are not 2, 4, 8, ..., or no fraction of this resolution has fewer
        cells than all of them.
    """
    whole = full(factors)
    columns = _pseudo_factors(factors)
    runs = _smallest(len(columns), resolution)
    if runs is None:
        raise DesignError(f"no fraction of resolution {resolution} of these factors: study the whole")
    wanted = {tuple(_levels(run, factors).items()) for run in runs}
    cells = {name: cell for name, cell in whole.cells.items() if tuple(cell.items()) in wanted}
    return Design(whole.factors, cells, _aliases(runs, columns))


def _smallest(columns: int, resolution: int) -> npt.NDArray[np.float64] | None:
    """Runs of the smallest fraction of a resolution, as -1 and 1; None where there is none."""
    from pyDOE3 import fracfact, fracfact_by_res, fracfact_opt  # .7 s, which every command would wait for

    if columns > _SEARCHED:  # to try all generators would take minutes: one that serves, if not the smallest
        try:
            return np.unique(fracfact_by_res(columns, resolution), axis=0)
        except ValueError:
            return None
    for erased in range(columns - 1, 0, -1):
        try:
            generators, aliases, _ = fracfact_opt(columns, erased)
        except ValueError:  # too few runs for so many columns
            continue
        # a chain of a column names the words that it stands in, itself left out
        words = [len(term) + 1 for chain in aliases for term in chain.split(" = ")[1:] if chain[1] == " "]
        if min(words, default=0) >= resolution:
            return np.unique(fracfact(generators), axis=0)
    return None


def _pseudo_factors(factors: Mapping[str, Sequence[str]]) -> list[str]:
    """Names of the two-level columns: one of a factor of two levels, more of one of more."""
    out: list[str] = []
    for name, levels in factors.items():
        bits = len(levels).bit_length() - 1
        if len(levels) != 2**bits:
            raise DesignError(f"factor {name}: a fraction wants 2, 4 or 8 levels, and it has {len(levels)}")
        out += [name] if bits == 1 else [f"{name}.{n + 1}" for n in range(bits)]
    return out


def _levels(run: npt.NDArray[np.float64], factors: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Level of each factor in a run of -1 and 1."""
    out: dict[str, str] = {}
    at = 0
    for name, levels in factors.items():
        bits = len(levels).bit_length() - 1
        number = sum(int(run[at + n] > 0) << (bits - 1 - n) for n in range(bits))
        out[name] = levels[number]
        at += bits
    return out


def _aliases(runs: npt.NDArray[np.float64], columns: Sequence[str]) -> list[str]:
    """Chains of effects that a fraction cannot tell apart, those of more than two factors left out."""
    from pyDOE3 import fracfact_aliasing

    out = []
    for chain in fracfact_aliasing(runs)[0]:
        effects = [term for term in re.split(r"\s*=\s*", chain) if len(term) <= 2]
        told = [" x ".join(columns[ascii_lowercase.index(letter)] for letter in term) for term in effects]
        if len(told) > 1:
            out.append(" = ".join(told))
    return out
