"""How each row of a report is made again: the command, what it reads, what must come out."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

# what a study is told beyond a configuration: its sweep or design, and a name that another has already
_OF_THE_STUDY = re.compile(r"^[+~]*((sweep|study|ablate)\b|bench\.name=)")


def command_of(study: str, overrides: Sequence[str]) -> str:
    """The ``citegrain bench`` that measures one configuration of a study by itself.

    Parameters
    ----------
    study
        Command of the study: ``citegrain sweep sweep=baselines corpus=demo``.
    overrides
        What the study adds for this configuration.
    """
    try:
        told = shlex.split(study)[2:]
    except ValueError:  # an open quote: it was not written by us
        told = []
    overrides_told = [w for w in told if re.match(r"~|[+\w.@/]+=", w)]  # neither options nor their values
    shared = [w for w in overrides_told if not _OF_THE_STUDY.match(w)]
    own = [o for o in overrides if o not in shared]
    return shlex.join(["citegrain", "bench", *shared, *own])


def commit_of(environment: Mapping[str, Any]) -> tuple[str, bool | None]:
    """(git commit, whether it had changes that were not committed); None where that is not known."""
    told = str(environment.get("git_commit") or "")
    return told.removesuffix("-dirty"), told.endswith("-dirty") if told else None


def differing(configs: Mapping[str, Mapping[str, Any]]) -> tuple[list[str], dict[str, dict[str, str]]]:
    """Parameters by which configurations differ, and every configuration's parameters as text.

    Returns
    -------
    tuple
        Names of the parameters that differ, in the order of the stages; parameters by configuration.
    """
    flat = {name: dict(_flat(config)) for name, config in configs.items()}
    names = list(dict.fromkeys(key for held in flat.values() for key in held))
    differ = [key for key in names if len({held.get(key) for held in flat.values()}) > 1]
    return differ, flat


def _flat(config: Mapping[str, Any]) -> list[tuple[str, str]]:
    out = []
    for stage, values in config.items():
        told = values.items() if isinstance(values, Mapping) else [("", values)]
        out += [(f"{stage}.{key}".rstrip("."), _told(value)) for key, value in told]
    return out


def _told(value: Any) -> str:
    """A value as an override would tell it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(_told(v) for v in value) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{k}: {_told(v)}" for k, v in value.items()) + "}"
    return str(value) if value not in ("", None) else "none"
