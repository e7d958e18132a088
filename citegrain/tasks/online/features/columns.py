"""The features, one function each. To add one, write it here and train the ranker anew.

A feature is a column: float32, shape (candidates,); NaN where it has no value.
"""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from citegrain.tasks.core.runs import rankings
from citegrain.tasks.core.schemas import FEATURES as SCHEMA
from citegrain.tasks.core.stage import Stage
from citegrain.tasks.online.builds import PublishedBuild
from citegrain.tasks.online.features.candidates import CHANNELS, INSERTED, Candidates, Column, Priors, Rows
from citegrain.tasks.online.query import INTENTS

FEATURES: dict[str, Callable[[Candidates], Column]] = {}
"""Every feature by name, in the order of this file."""

_Feature = Callable[[Candidates], Column]


def _feature(function: _Feature) -> _Feature:
    FEATURES[function.__name__] = function
    return function


def _by_channel(function: Callable[..., Column]) -> Callable[..., Column]:
    for channel in CHANNELS:
        FEATURES[f"{channel}_{function.__name__}"] = partial(function, channel=channel)
    return function


def _by_pattern(prefix: str, patterns: dict[str, str], read: Callable[..., Column]) -> None:
    for name, pattern in patterns.items():
        FEATURES[f"{prefix}_{name}"] = partial(read, pattern=re.compile(pattern))


def meaning(name: str) -> str:
    """What a feature is, on one line."""
    function = FEATURES[name]
    if isinstance(function, partial):  # of a channel, or of a pattern
        function = function.func
    return inspect.cleandoc(function.__doc__ or "").partition("\n")[0]


# what the channels say -----------------------------------------------------------


@_by_channel
def closeness(c: Candidates, channel: str) -> Column:
    """One over the rank; 0 where the channel did not find it."""
    return np.asarray(np.nan_to_num(1 / c.ranks[channel]))


@_by_channel
def score(c: Candidates, channel: str) -> Column:
    """The score of the channel."""
    return c.scores[channel]


@_by_channel
def gap(c: Candidates, channel: str) -> Column:
    """How far the score is below the best of the channel."""
    scores = c.scores[channel]
    return scores if np.isnan(scores).all() else np.nanmax(scores) - scores


@_feature
def fused(c: Candidates) -> Column:
    """The score by fusion of ranks."""
    return c.fused


@_feature
def fused_rank(c: Candidates) -> Column:
    """The place by fusion of ranks, from 1."""
    return np.asarray(1 + np.argsort(np.argsort(-c.fused, kind="stable"), kind="stable"), np.float32)


@_feature
def agreeing_10(c: Candidates) -> Column:
    """Channels that put it among their ten first."""
    return _agreeing(c, 10)


@_feature
def agreeing_20(c: Candidates) -> Column:
    """Channels that put it among their twenty first."""
    return _agreeing(c, 20)


@_feature
def agreeing(c: Candidates) -> Column:
    """Channels that found it."""
    return _agreeing(c, np.inf)


def _agreeing(c: Candidates, depth: float) -> Column:
    return np.asarray(sum((c.ranks[channel] <= depth).astype(np.float32) for channel in CHANNELS))


# what is known of the Act ------------------------------------------------------------


@_feature
def act_share(c: Candidates) -> Column:
    """Share of the fused scores of the first twenty that its Act has."""
    shares: dict[str, float] = {}
    for i in c.best:
        shares[c.acts[i]] = shares.get(c.acts[i], 0.0) + float(c.fused[i])
    total = sum(shares.values()) or 1.0
    return c.of_acts({act: share / total for act, share in shares.items()})


@_feature
def act_gap(c: Candidates) -> Column:
    """How far the nearest vector of its Act is from the nearest of all."""
    best = np.full(len(c.acts), -np.inf)
    np.fmax.at(best, c.act_numbers, c.scores["dense"])
    best[np.isinf(best)] = np.nan
    nearest: Column = np.fmax.reduce(best, initial=-np.inf) - best
    return nearest[c.act_numbers]


@_feature
def act_named(c: Candidates) -> Column:
    """Whether the query names its Act."""
    return c.of_acts({act + end: 1.0 for act in c.query["acts"] for end in ("", INSERTED)})


@_feature
def act_without_lay_texts(c: Candidates) -> Column:
    """Whether none of its Act was found by lay texts."""
    return c.without_lay_texts.astype(np.float32)


# where it stands among its like ------------------------------------------------------
# of an Act about which nobody wrote these say the same as of any other


def _descending(scores: Column) -> Rows:
    """Positions by score, the highest first and those without one last."""
    return np.argsort(-np.nan_to_num(scores, nan=-np.inf), kind="stable")


@_feature
def place_in_act(c: Candidates) -> Column:
    """Its place by vectors among the candidates of its Act, as log(1 + n)."""
    order = _descending(c.scores["dense"])
    order = order[np.argsort(c.act_numbers[order], kind="stable")]  # Act by Act
    counts = np.bincount(c.act_numbers)
    out = np.zeros(len(c.acts), dtype=np.float32)
    out[order] = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.log1p(out)


def place_without_lay_texts(c: Candidates, channel: str) -> Column:
    """Its place among the candidates of Acts without lay texts, as log(1 + n)."""
    out = np.full(len(c.acts), np.nan, dtype=np.float32)
    order = _descending(c.scores[channel])
    order = order[c.without_lay_texts[order]]
    out[order] = np.log1p(np.arange(len(order)))
    return out


def gap_without_lay_texts(c: Candidates, channel: str) -> Column:
    """How far its score is below the best of the Acts without lay texts."""
    scores = np.where(c.without_lay_texts, c.scores[channel], np.nan)
    return scores if np.isnan(scores).all() else np.nanmax(scores) - scores


for _function in (place_without_lay_texts, gap_without_lay_texts):
    for _channel in ("dense", "sparse"):
        FEATURES[f"{_channel}_{_function.__name__}"] = partial(_function, channel=_channel)


# what was learned of it -----------------------------------------------------------------


@_feature
def prior(c: Candidates) -> Column:
    """How often it applied to the questions learned from, as log(1 + n); NaN of a new Act."""
    return np.log1p(c.applied)


@_feature
def act_prior(c: Candidates) -> Column:
    """How often provisions of its Act did, likewise."""
    return np.log1p(c.of_acts(c.priors.acts, np.nan))


@_feature
def prior_in_act(c: Candidates) -> Column:
    """Its share of what applied of its Act, drawn to nothing where that is little."""
    return c.applied / (c.of_acts(c.priors.acts, np.nan) + 5)


# what it says ------------------------------------------------------------------------


@_feature
def cited_by_others(c: Candidates) -> Column:
    """How many of the first twenty refer to it."""
    first = {c.provisions[i] for i in c.best}
    cited = Counter(t for p in first for t in c.facts.references.get(p, ()))
    return np.array([cited.get(p, 0) for p in c.provisions], dtype=float)


@_feature
def cites_others(c: Candidates) -> Column:
    """How many of the first twenty it refers to."""
    first = {c.provisions[i] for i in c.best}
    cited = (c.facts.references.get(p) for p in c.provisions)
    return np.array([float(len(first & some)) if some else 0.0 for some in cited])


@_feature
def length(c: Candidates) -> Column:
    """Length of its text, as log(1 + characters)."""
    return np.log1p(c.facts.lengths(c.rows))


def _says(c: Candidates, pattern: re.Pattern[str]) -> Column:
    """Whether its text has the words of this kind of provision."""
    return c.facts.say(pattern, c.rows)


# in small letters, for texts in small letters; a(?<=\ba) is \ba, but re leaps to each a: three times as fast
_by_pattern(
    "is",
    {
        "offence": r"s(?<=\bs)hall be punish|punishable with|imprisonment of either|punished with",
        "remedy": r"m(?<=\bm)ay (?:present|apply|file|make) an? |compensation|entitled to|may sue|decree"
        r"|damages",
        "procedure": r"t(?<=\bt)he (?:court|magistrate|police officer|tribunal|authority)"
        r"[^.]{0,40}(?:shall|may)",
        "definition": r"m(?<=\bm)eans\b|i(?<=\bi)s said to\b|i(?<=\bi)ncludes\b",
    },
    _says,
)


def _headed(c: Candidates, pattern: re.Pattern[str]) -> Column:
    """Whether its heading has the words of this kind of provision."""
    return c.facts.say(pattern, c.rows, headings=True)


_by_pattern(
    "heading",
    {
        "title": r"short title|commencement|^extent|application of (?:the )?act",
        "definitions": r"definition|interpretation",
        "rules": r"power.{0,30}(?:make|frame).{0,20}(?:rule|regulation|bye)|rules? to be laid|repeal|saving"
        r"|remov.{0,10}difficult|overriding|protection of action|delegation",
        "penalty": r"penalt|punishment|offence",
    },
    _headed,
)


@_feature
def heading_share(c: Candidates) -> Column:
    """Share of its heading that the query has, by the rarity of the words."""
    return c.facts.heading_shares(c.query["text"], c.rows)


# what is asked -----------------------------------------------------------------------


@_feature
def words(c: Candidates) -> Column:
    """Length of the query, as log(1 + words)."""
    return np.full(len(c.provisions), np.log1p(len(c.query["text"].split())))


def _asks(c: Candidates, pattern: re.Pattern[str]) -> Column:
    """Whether the question has words of this subject."""
    return np.full(len(c.provisions), float(bool(pattern.search(c.query["text"].lower()))))


_by_pattern(
    "asks",
    {
        **INTENTS,
        "marriage": r"wife|husband|marri|divorce|in-?laws|dowry",
        "police": r"police|f(?<=\bf)ir\b|arrest|bail|station",
        "property": r"l(?<=\bl)and\b|flat|property|plot|house|builder|tenant|r(?<=\br)ent",
        "money": r"loan|cheque|money|lakh|salary|paid|refund",
        "personal_law": r"muslim|christian|parsi|nikah|talaq|church|mehr",
    },
    _asks,
)


STAGE = Stage("features", 5, (SCHEMA,))


def matrix(candidates: Candidates, names: Sequence[str]) -> npt.NDArray[np.float32]:
    """Values of the features of these names: shape (candidates, features)."""
    columns = np.empty((len(names), len(candidates.provisions)), np.float32)
    for number, name in enumerate(names):
        columns[number] = FEATURES[name](candidates)
    return np.ascontiguousarray(columns.T)


def make_features(
    build: PublishedBuild,
    queries: pa.Table,
    runs: Mapping[str, pa.Table],
    names: Sequence[str],
    priors: Priors,
    weights: Mapping[str, float],
) -> pa.Table:
    """Table ``features``; ``names``: in the order of ``values``."""
    lists = {channel: rankings(run) for channel, run in runs.items()}
    ids: list[str] = []
    provisions: list[str] = []
    chunks: list[str] = []
    values = [np.empty((0, len(names)), np.float32)]
    for query in queries.to_pylist():
        by_channel = {channel: ranked.get(query["query_id"], []) for channel, ranked in lists.items()}
        pool = Candidates.gather(build, query, by_channel, priors, weights)
        ids += [query["query_id"]] * len(pool.provisions)
        provisions += pool.provisions
        chunks += pool.chunks
        values.append(matrix(pool, names))
    flat = pa.array(np.concatenate(values).ravel())
    of_rows = pa.ListArray.from_arrays(np.arange(len(ids) + 1, dtype=np.int32) * len(names), flat)
    columns = zip(SCHEMA.arrow.names, (ids, provisions, chunks, of_rows), strict=True)
    return pa.table(dict(columns), schema=SCHEMA.arrow)


def matrix_of(features: pa.Table, width: int) -> npt.NDArray[np.float32]:
    """``values`` of a table ``features``, of so many features: shape (rows, width)."""
    values = features.column("values").combine_chunks().flatten()
    return np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float32).reshape(-1, width)
