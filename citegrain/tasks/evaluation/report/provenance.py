"""What each row of a report was measured with: its command, its parameters, its build, the commit."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from citegrain.tasks.evaluation.studies import StudyFolder

# overrides of the study itself, not of a configuration: its sweep or design, and its name
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
        words = shlex.split(study)[2:]
    except ValueError:  # an open quote: it was not written by us
        words = []
    given = [w for w in words if re.match(r"~|[+\w.@/]+=", w)]  # neither options nor their values
    shared = [w for w in given if not _OF_THE_STUDY.match(w)]
    replaced = {o.partition("=")[0] for o in overrides}  # of fuse.depth=5,10 the configuration has one value
    shared = [w for w in shared if w in overrides or w.partition("=")[0] not in replaced]
    return shlex.join(["citegrain", "bench", *shared, *(o for o in overrides if o not in shared)])


def commit_of(environment: Mapping[str, Any]) -> tuple[str, bool]:
    """(git commit, whether there were changes that were not committed); empty where git did not know."""
    commit = str(environment.get("git_commit") or "")
    return commit.removesuffix("-dirty"), commit.endswith("-dirty")


def differing(configs: Mapping[str, Mapping[str, Any]]) -> tuple[list[str], dict[str, dict[str, str]]]:
    """Parameters by which configurations differ, and every configuration's parameters as text.

    Returns
    -------
    tuple
        Names of the parameters that differ, in the order of the stages; parameters by configuration.
    """
    flat = {name: dict(_flat(config)) for name, config in configs.items()}
    names = list(dict.fromkeys(key for parameters in flat.values() for key in parameters))
    differ = [key for key in names if len({parameters.get(key) for parameters in flat.values()}) > 1]
    return differ, flat


def _flat(config: Mapping[str, Any]) -> list[tuple[str, str]]:
    out = []
    for stage, values in config.items():
        items = values.items() if isinstance(values, Mapping) else [("", values)]
        out += [(f"{stage}.{key}".rstrip("."), _formatted(value)) for key, value in items]
    return out


def _formatted(value: Any) -> str:
    """A value as an override writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(_formatted(v) for v in value) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{k}: {_formatted(v)}" for k, v in value.items()) + "}"
    return str(value) if value not in ("", None) else "none"


@dataclass
class BuildUsed:
    """An index that configurations were measured on."""

    key: str
    content: str
    weights: str
    configurations: list[str] = field(default_factory=list)


def builds_of(study: StudyFolder) -> list[BuildUsed]:
    """The builds that configurations were measured on, with their hashes."""
    out: dict[str, BuildUsed] = {}
    for name, facts in study.facts["configurations"].items():
        if key := facts["build"]:
            build = BuildUsed(str(key), str(facts["build_content"]), str(facts["weights"]))
            out.setdefault(build.key, build).configurations.append(name)
    return list(out.values())
