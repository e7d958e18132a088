"""Designs of studies: factors, the cells in which their levels meet, and contrasts of levels."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations, product
from math import comb
from string import ascii_lowercase

import numpy as np
import numpy.typing as npt

Levels = Mapping[str, str]
"""Level by factor: what defines a cell."""

Signs = npt.NDArray[np.float64]
"""Cells of a fraction by its two-level columns: -1 and 1, shape (cells, columns)."""

_SWITCH = ("on", "off")
_COMPARED = 8  # columns up to which all fractions of a size are compared: with more that takes minutes


class DesignError(ValueError):
    """A design that does not exist; the message says why."""


@dataclass(frozen=True)
class Design:
    """The cells of a study.

    ``cells``: level of each factor, by name of cell. ``aliases``: of a fraction: effects that it cannot tell
    apart, up to those of two factors, as ``a = b x c``. ``retrieval.1`` and ``retrieval.2`` are the
    pseudo-factors of a factor of four levels; the third part of its effect is their product.
    """

    factors: Mapping[str, Sequence[str]]
    cells: Mapping[str, Levels]
    aliases: Sequence[str] = ()

    @property
    def full(self) -> bool:
        """Whether every combination of levels has a cell."""
        return len(self.cells) == int(np.prod([len(levels) for levels in self.factors.values()]))


def cell_name(levels: Levels) -> str:
    """Name of a cell: its levels; of a switch the factor too, such as ``rrf-statutory-reranker_on``."""
    return "-".join(f"{f}_{level}" if level in _SWITCH else level for f, level in levels.items())


def full(factors: Mapping[str, Sequence[str]]) -> Design:
    """Every combination of levels, the last factor changing fastest.

    Raises DesignError if a factor has fewer than two levels, one twice, or two cells would have the same
    name.
    """
    for name, levels in factors.items():
        if len(set(levels)) < 2 or len(set(levels)) < len(levels):
            raise DesignError(f"factor {name}: must have at least two levels, all different")
    cells = [dict(zip(factors, levels, strict=True)) for levels in product(*factors.values())]
    by_name = {cell_name(cell): cell for cell in cells}
    if len(by_name) < len(cells):
        raise DesignError(
            "two cells have the same name: give the levels of different factors different names"
        )
    return Design(dict(factors), by_name)


def fraction(factors: Mapping[str, Sequence[str]], resolution: int = 4) -> Design:
    """The smallest regular fraction of a resolution; four levels are two pseudo-factors.

    Up to 8 two-level columns it is the one that pyDOE3 finds to mix up the least, of all of its size. With
    more columns it is the one that pyDOE3 gives without a search, if it has the resolution.

    At resolution IV no effect of a two-level factor is mixed up with that of another factor of two or four
    levels, nor with an interaction of two factors of two levels. A four-level factor has a part that is: the
    product of its pseudo-factors, one of the three columns that tell its levels apart, is an interaction of
    two columns. ``aliases`` says with which other one it is mixed up. Multiplied by a third factor it is part
    of an interaction of three columns, which may be mixed up with a factor. Source: Box, Hunter and Hunter
    2005, chapter 6; Addelman 1962 for pseudo-factors. Raises DesignError if a factor does not have 2, 4, 8,
    ... levels, or pyDOE3 gives no fraction of this resolution.
    """
    every_cell = full(factors)
    columns = _pseudo_factors(factors)
    fractions = _fractions(len(columns), resolution)
    signs = next((signs for signs in fractions if _resolves(signs, resolution)), None)
    if signs is None:
        raise DesignError(
            f"these factors have no fraction of resolution {resolution}: take all cells (study.cells=all), "
            "or a lower resolution (study.resolution)"
        )
    signs = np.unique(signs, axis=0)
    taken = {tuple(_levels(row, factors).items()) for row in signs}
    cells = {name: cell for name, cell in every_cell.cells.items() if tuple(cell.items()) in taken}
    return Design(every_cell.factors, cells, _aliases(signs, columns))


def _fractions(columns: int, resolution: int) -> Iterator[Signs]:
    """The fractions of pyDOE3 that may be of a resolution, the smallest first.

    Its ``fracfact_opt`` tries every fraction of a size. Its ``fracfact_by_res`` does not search: what it
    gives may be of a lower resolution than asked for.
    """
    from pyDOE3 import fracfact, fracfact_by_res, fracfact_opt  # .7 s, which every command would wait for

    if columns > _COMPARED:
        with suppress(ValueError):  # it has none
            yield fracfact_by_res(columns, resolution)
        return
    distinct = sum(comb(columns, size) for size in range((resolution - 1) // 2 + 1))
    for base in range(1, columns):
        letters = ascii_lowercase[:base]
        if columns == 2**base - 1:  # every product is a column; fracfact_opt refuses this size
            words = ["".join(word) for size in range(1, base + 1) for word in combinations(letters, size)]
            yield fracfact(" ".join(words))
        elif distinct <= 2**base:  # these products must differ from each other (Rao's bound)
            yield fracfact(fracfact_opt(columns, columns - base)[0])


def _resolves(signs: Signs, resolution: int) -> bool:
    """Whether no product of fewer columns than the resolution is the same in all cells."""
    shorter = (
        list(word) for size in range(1, resolution) for word in combinations(range(signs.shape[1]), size)
    )
    return not any(abs(signs[:, word].prod(axis=1).sum()) == len(signs) for word in shorter)


def _pseudo_factors(factors: Mapping[str, Sequence[str]]) -> list[str]:
    """Names of the two-level columns: one of a factor of two levels, more of one of more."""
    out: list[str] = []
    for name, levels in factors.items():
        bits = len(levels).bit_length() - 1
        if len(levels) != 2**bits:
            raise DesignError(f"factor {name}: a fraction needs 2, 4 or 8 levels, not {len(levels)}")
        out += [name] if bits == 1 else [f"{name}.{n + 1}" for n in range(bits)]
    return out


def _levels(row: Signs, factors: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Level of each factor in a row of -1 and 1."""
    out: dict[str, str] = {}
    at = 0
    for name, levels in factors.items():
        bits = len(levels).bit_length() - 1
        number = sum(int(row[at + n] > 0) << (bits - 1 - n) for n in range(bits))
        out[name] = levels[number]
        at += bits
    return out


def _aliases(signs: Signs, columns: Sequence[str]) -> list[str]:
    """Chains of effects that a fraction cannot tell apart, those of more than two factors left out."""
    from pyDOE3 import fracfact_aliasing

    out = []
    for chain in fracfact_aliasing(signs)[0]:
        effects = [term for term in re.split(r"\s*=\s*", chain) if len(term) <= 2]
        if len(effects) > 1:
            names = [
                " x ".join(columns[ascii_lowercase.index(letter)] for letter in term) for term in effects
            ]
            out.append(" = ".join(names))
    return out


Weights = Mapping[str, float]
"""Weight by name of cell; they sum to 0, and those above 0 to 1 for an effect of one factor."""


@dataclass(frozen=True)
class Contrast:
    """One level of a factor against another."""

    factor: str
    level: str
    against: str

    @property
    def label(self) -> str:
        """How it is written: ``retrieval: rrf - dense``."""
        return f"{self.factor}: {self.level} - {self.against}"


def main(design: Design, contrast: Contrast, present: Collection[str]) -> tuple[Weights, int]:
    """Weights of a main effect, and the matched pairs of cells (of a fraction: cells) that it rests on.

    In a full design each cell with the level is matched with the one that differs in this factor
    alone, and a pair of which one is missing is left out. In a fraction cells have no such partner: there
    the weights are those of least squares with the effects of all factors, which for whole fractions are
    the plain difference of the two levels' means.

    ``present``: cells that have scores. Returns no weights and 0 where the effect cannot be estimated.
    """
    if not design.full:
        return _by_least_squares(design, contrast, present)
    matched = [
        (high, low) for high, low in _partners(design, contrast).items() if high in present and low in present
    ]
    weights: dict[str, float] = {}
    for high, low in matched:
        weights[high], weights[low] = 1 / len(matched), -1 / len(matched)
    return weights, len(matched)


def interaction(design: Design, a: Contrast, b: Contrast, present: Collection[str]) -> tuple[Weights, int]:
    """Weights of an interaction of two factors, and the matched fours of cells that it rests on.

    It is the effect of ``a`` under ``b.level`` minus that under ``b.against``: a difference of differences,
    not halved. A fraction of resolution IV mixes interactions up with each other: it has none here.
    """
    if not design.full:
        return {}, 0
    of_a, of_b = _partners(design, a), _partners(design, b)
    fours = []
    for both, without_a in of_a.items():
        if both in of_b:  # its cell has both levels
            four = both, without_a, of_b[both], of_b[without_a]
            if all(cell in present for cell in four):
                fours.append(four)
    weights: dict[str, float] = {}
    for four in fours:
        for cell, sign in zip(four, (1, -1, -1, 1), strict=True):
            weights[cell] = sign / len(fours)
    return weights, len(fours)


def interactions(contrasts: Sequence[Contrast]) -> list[tuple[Contrast, Contrast]]:
    """Every two contrasts of different factors."""
    return [(a, b) for a, b in combinations(contrasts, 2) if a.factor != b.factor]


def _partners(design: Design, contrast: Contrast) -> dict[str, str]:
    """The cell that differs in the factor alone, by each cell with the contrast's level."""
    names = {tuple(sorted(cell.items())): name for name, cell in design.cells.items()}
    out: dict[str, str] = {}
    for name, cell in design.cells.items():
        if cell[contrast.factor] == contrast.level:
            other = {**cell, contrast.factor: contrast.against}
            out[name] = names[tuple(sorted(other.items()))]
    return out


def _by_least_squares(design: Design, contrast: Contrast, present: Collection[str]) -> tuple[Weights, int]:
    used = [name for name in design.cells if name in present]
    if not used:
        return {}, 0
    columns = np.array([dummies(design.factors, design.cells[name]) for name in used])
    cell = next(iter(design.cells.values()))
    high, low = (
        np.array(dummies(design.factors, {**cell, contrast.factor: level}))
        for level in (contrast.level, contrast.against)
    )
    weights = np.linalg.pinv(columns).T @ (high - low)
    if not np.allclose(weights @ columns, high - low):  # the cells present cannot separate the levels
        return {}, 0
    weighted = {name: float(w) for name, w in zip(used, np.round(weights, 12), strict=True) if w}
    return weighted, len(weighted)


def dummies(factors: Mapping[str, Sequence[str]], cell: Levels) -> list[float]:
    """1, and for each level but the first of each factor whether the cell has it: a row of a linear model."""
    return [1.0] + [
        float(cell[factor] == level) for factor, levels in factors.items() for level in levels[1:]
    ]
