"""Which cells a study has: every combination of the levels of its factors, or a fraction of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product
from string import ascii_lowercase

import numpy as np
import numpy.typing as npt

Cell = Mapping[str, str]
"""Level by factor."""

_SWITCH = ("on", "off")
_COMPARED = 8  # columns up to which fractions of one size are compared: to try all takes minutes beyond
_TRIED = 50_000  # products tried before a size is taken to have no fraction; certain up to 15 columns
_INSTEAD = "study the whole (study.cells=all), or ask for a lower resolution (study.resolution)"


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
    """The smallest regular fraction of a resolution; four levels are two pseudo-factors.

    Of the fractions of that size up to 8 columns are those of pyDOE3 that mix up the least; of more columns
    it is the first that is found. Beyond 15 columns a smaller one may have been missed.

    At resolution IV no effect of a two-level factor is mixed up with that of another factor of two or four
    levels, nor with an interaction of two factors of two levels. The product of a four-level factor's
    pseudo-factors, a third of what tells its levels apart, is itself an interaction of two columns and may be
    mixed up with another: ``aliases`` tells with which. Multiplied by a third factor it is a part
    of an interaction of three columns, which may be mixed up with a factor. Source: Box, Hunter and Hunter
    2005, chapter 6; Addelman 1962 for pseudo-factors.

    Raises
    ------
    DesignError
        If the levels of a factor are not 2, 4, 8, ..., no fraction of this resolution has fewer
        cells than all of them, or pyDOE3 gives one of a lower resolution.
    """
    whole = full(factors)
    columns = _pseudo_factors(factors)
    runs = _smallest(len(columns), resolution)
    if runs is None:
        raise DesignError(f"no fraction of resolution {resolution} of these factors: {_INSTEAD}")
    wanted = {tuple(_levels(run, factors).items()) for run in runs}
    cells = {name: cell for name, cell in whole.cells.items() if tuple(cell.items()) in wanted}
    return Design(whole.factors, cells, _aliases(runs, columns))


def _smallest(columns: int, resolution: int) -> npt.NDArray[np.float64] | None:
    """Runs of the smallest fraction of a resolution, as -1 and 1; None where there is none."""
    from pyDOE3 import fracfact, fracfact_opt  # .7 s, which every command would wait for

    for base in range(1, columns):
        words = _generators(columns, base, resolution)
        if words is None:
            continue
        generators = " ".join([*ascii_lowercase[:base], *words])
        # pyDOE3 refuses the fraction that has every product for a column, which has no other of its size
        if columns <= _COMPARED and columns < 2**base - 1:
            generators = fracfact_opt(columns, columns - base)[0]
        runs = np.unique(fracfact(generators), axis=0)
        if not _resolves(runs, resolution):
            raise DesignError(f"the fraction that was found is not of resolution {resolution}: {_INSTEAD}")
        return runs
    return None


def _generators(columns: int, base: int, resolution: int) -> list[str] | None:
    """The products of ``base`` columns that are the others, so that no word is shorter than the resolution.

    A product serves if it is none of at most ``resolution`` - 2 columns that are there already. Products of
    few columns are tried first; None where none are found, or not within ``_TRIED`` trials.
    """
    # columns are sets of base columns, as bits: the product of two is their exclusive or
    made = [{0}] * (resolution - 1)  # products of at most 0, 1, ... of the columns
    for column in range(base):
        made = _with(made, 1 << column)
    sizes = range(resolution - 1, base + 1)
    products = [sum(1 << c for c in own) for size in sizes for own in combinations(range(base), size)]
    tried = 0

    def further(made: list[set[int]], products: list[int], wanted: int) -> list[int] | None:
        nonlocal tried
        if not wanted:
            return []
        for at, tested in enumerate(products[: len(products) - wanted + 1]):
            tried += 1
            if tried > _TRIED:
                return None
            more = _with(made, tested)
            rest = further(more, [p for p in products[at + 1 :] if p not in more[-1]], wanted - 1)
            if rest is not None:
                return [tested, *rest]
        return None

    found = further(made, products, columns - base)
    if found is None:
        return None
    return ["".join(ascii_lowercase[c] for c in range(base) if word >> c & 1) for word in found]


def _with(made: list[set[int]], column: int) -> list[set[int]]:
    """The products of at most 0, 1, ... columns when there is one column more."""
    return [made[0], *(more | {column ^ other for other in fewer} for fewer, more in pairwise(made))]


def _resolves(runs: npt.NDArray[np.float64], resolution: int) -> bool:
    """Whether no product of fewer columns than the resolution is the same in all runs: no word is shorter."""
    shorter = (
        list(word) for size in range(1, resolution) for word in combinations(range(runs.shape[1]), size)
    )
    return not any(abs(runs[:, word].prod(axis=1).sum()) == len(runs) for word in shorter)


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
