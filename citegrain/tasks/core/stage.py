"""What a stage is: a name, a version and the tables it writes."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from citegrain.tasks.core.schemas import TableSchema

Tables = dict[str, pa.Table]
"""Tables by name: what a stage function returns."""


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no white space: equal values, equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)


def digest(value: Any) -> str:
    """SHA-256 of ``value`` as canonical JSON, hex."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


@dataclass(frozen=True)
class Key:
    """Everything that made a result. Its digest names the artefact.

    ``stage``, ``version``: name and version constant of the stage. ``params``: those that the stage reads,
    and no others. ``inputs``: content hash of each input by its role. Never a path, a file name or a time.
    """

    stage: str
    version: int
    params: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, Any] = field(default_factory=dict)

    @property
    def parts(self) -> dict[str, Any]:
        """The key as plain data, for the manifest."""
        return {
            "stage": self.stage,
            "version": self.version,
            "params": dict(self.params),
            "inputs": dict(self.inputs),
        }

    @property
    def digest(self) -> str:
        """Name of the artefact: 32 hex digits of the SHA-256 of the parts."""
        return digest(self.parts)[:32]


@dataclass(frozen=True)
class Stage:
    """Declaration of a stage; ``version`` is raised whenever its output for the same input changes."""

    name: str
    version: int
    outputs: tuple[TableSchema, ...]

    def key(self, params: Mapping[str, Any], inputs: Mapping[str, Any]) -> Key:
        """The key of one run of this stage."""
        return Key(self.name, self.version, params, inputs)


@dataclass(frozen=True)
class CorpusStage:
    """Declaration of a stage that is run once over the joined tables; ``offline.chain`` lists them.

    It has no parameters: the build's key names its version. ``make``: from the tables of a build by name, and
    the folder of the store, to its tables.
    """

    stage: Stage
    make: Callable[[Mapping[str, pa.Table], Path], Tables]
