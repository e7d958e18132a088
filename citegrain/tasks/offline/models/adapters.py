"""Adapters: what training adds to the weights of a base model, in a few megabytes.

An adapter is a folder with ``adapter.json`` (the base model and its digest) and ``adapter.safetensors``: for
a weight either the two factors of a matrix of low rank (``.up`` times ``.down``, as in LoRA; Hu et al. 2022)
or the whole of what is added (``.whole``), and each weight that the base has not (``.new``). It is merged
into the base once, below the folder of unpacked weights; from then on it is a model like any other.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from citegrain.tasks.core.errors import Expected, printable
from citegrain.tasks.core.store.artefacts import explain, replaced_folder
from citegrain.tasks.core.store.files import hash_file

ADAPTER = "adapter.safetensors"
DESCRIPTION = "adapter.json"
WEIGHTS = "model.safetensors"
UP, DOWN, FULL, NEW = ".up", ".down", ".whole", ".new"
CONFIG = "config.json"
_MERGED = "merged.sha256"
Learned = TypeVar("Learned")


class ModelError(RuntimeError, Expected):
    """A model cannot be found, or is not the one that was asked for; the message says what to do."""


def read_learned(path: Path, sha256: str, parameter: str, make: Callable[[Any], Learned]) -> Learned:
    """What ``make`` gives of the content of a JSON file.

    ``parameter``: as :func:`checked_bytes` has it. Raises ModelError as that does, or if it is none such.
    """
    data = checked_bytes(path, sha256, parameter)
    try:
        return make(json.loads(data))
    except (ValueError, TypeError, KeyError) as error:
        raise ModelError(f"{printable(path)}: is not what citegrain train writes: {error}") from error


def checked_bytes(path: Path, sha256: str, parameter: str) -> bytes:
    """The bytes of a file that was learned.

    ``parameter``: name of the parameter that gives the digest, for the error. Raises ModelError if it is not
    there or has another digest.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelError(f"{printable(path)}: {error.strerror}") from error
    digest = hashlib.sha256(data).hexdigest()
    if digest != sha256:
        raise ModelError(f"{printable(path)}: SHA-256 {digest}, but {parameter} is {sha256}")
    return data


@dataclass(frozen=True)
class Adapter:
    """What is needed to merge an adapter.

    ``base``, ``base_sha256``: name of the base model, and digest of its weights. ``prefix``: what stands
    before the names of the base's weights in the merged model. ``config``: what its ``config.json`` sets
    differently from the base's.
    """

    base: str
    base_sha256: str
    prefix: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)

    def write(self, folder: Path) -> None:
        """Write the description beside the factors."""
        fields = {name: value for name, value in asdict(self).items() if value or name.startswith("base")}
        text = json.dumps(fields, indent=1, sort_keys=True)
        (folder / DESCRIPTION).write_text(text + "\n", encoding="utf-8")


def is_adapter(folder: Path) -> bool:
    """Whether a folder holds an adapter."""
    return (folder / DESCRIPTION).is_file()


def read_adapter(folder: Path) -> Adapter:
    """The description of an adapter."""
    try:
        fields = dict(json.loads((folder / DESCRIPTION).read_text(encoding="utf-8")))
        adapter = Adapter(
            str(fields["base"]),
            str(fields["base_sha256"]),
            fields.get("prefix", ""),
            fields.get("config", {}),
        )
        if not isinstance(adapter.prefix, str) or not isinstance(adapter.config, dict):
            raise ValueError("prefix must be a text, and config a mapping")
        if not adapter.base_sha256:
            raise ValueError("no digest of the base model")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{folder / DESCRIPTION}: not a description of an adapter ({error})") from error
    if not (folder / ADAPTER).is_file():
        raise ModelError(f"{folder}: no {ADAPTER} in it; weights in other formats (pickles) are never loaded")
    return adapter


def merged(
    name: str, folder: Path, adapter: Adapter, base: Callable[[], Path], cache: Path, identity: str
) -> Path:
    """Folder of the base model with an adapter merged into it, made once.

    Raises ModelError if the adapter does not fit the base, or the disk cannot be written.

    ``base``: gives the folder of the base model, its digest checked. ``cache``: folder of unpacked weights.
    ``identity``: digest of base and adapter, which names the folder.
    """
    target = cache / f"{folder.name}-{identity[:12]}"
    if _is_intact(target):
        return target
    below = base()
    try:
        with replaced_folder(target, keep=_is_intact) as part:
            ignored = shutil.ignore_patterns(WEIGHTS, "complete")
            shutil.copytree(below, part, ignore=ignored, dirs_exist_ok=True)
            _merge(name, below / WEIGHTS, folder / ADAPTER, part / WEIGHTS, adapter.prefix)
            if adapter.config:
                path = part / CONFIG
                config = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
                text = json.dumps(config | dict(adapter.config), indent=1, sort_keys=True)
                path.write_text(text + "\n", encoding="utf-8")
            (part / _MERGED).write_text(hash_file(part / WEIGHTS), encoding="utf-8")
    except OSError as error:
        raise ModelError(f"{name} cannot be merged: {explain(error, cache)}") from error
    return target


def _is_intact(folder: Path) -> bool:
    """Whether a merged model is there and as it was written."""
    try:
        wanted = (folder / _MERGED).read_text(encoding="utf-8")
        return hash_file(folder / WEIGHTS) == wanted
    except OSError:
        return False


def _merge(name: str, base: Path, adapter: Path, target: Path, prefix: str) -> None:
    """The weights with what was learned added to them, in float32."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file, save_file

    try:
        weights: dict[str, Any] = {prefix + key: weight for key, weight in load_file(base).items()}
        learned: dict[str, Any] = load_file(adapter)
    except (SafetensorError, ValueError) as error:
        raise ModelError(f"{name}: cannot be read as safetensors: {error}") from error
    new = {key.removesuffix(NEW): learned.pop(key) for key in list(learned) if key.endswith(NEW)}
    if not new.keys().isdisjoint(weights):
        raise ModelError(
            f"{name}: the base model already has the weight it calls new: {min(new.keys() & weights.keys())}"
        )
    weights |= {key: weight.float().contiguous() for key, weight in new.items()}
    for key in sorted({key.rpartition(".")[0] for key in learned}):
        weight, added = weights.get(key), _added(learned, key)
        if weight is None or added is None or added.shape != weight.shape:
            raise ModelError(f"{name}: what it adds to {key} does not fit the base model")
        weights[key] = (weight.float() + added).to(weight.dtype).contiguous()
    save_file(weights, target, metadata={"format": "pt"})


def _added(learned: dict[str, Any], key: str) -> Any:
    """What is added to one weight, in float32; None where it is not whole."""
    if key + FULL in learned:
        return learned[key + FULL].float()
    up, down = learned.get(key + UP), learned.get(key + DOWN)
    if up is None or down is None or up.ndim != 2 or down.ndim != 2 or up.shape[1] != down.shape[0]:
        return None
    return up.float() @ down.float()
