"""Results that a program names: noted with the facts of the run.

Everything below `artifacts/` is a result without any call.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any, Dict, Mapping, Optional, Union

from diamond.training.context import run_dir
from diamond.training.facts import note
from diamond.training.metrics import rank

FOLDER = "artifacts"
KINDS = ("files", "model", "dataset")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
_LONGEST = 60_000
"""Bytes of one result: longer ones are not for a record."""


def artifact(
    path: Union[str, os.PathLike[str]],
    name: str = "",
    *,
    kind: str = "files",
    format: str = "",
    signature: Optional[Mapping[str, Any]] = None,
) -> Path:
    """Name a file or folder of the run directory as a result: `artifact("out/model", "digits", kind="model")`.

    It is hashed where it is when the run has ended; nothing is copied. `kind` is files, model or dataset. `format` says
    what loads it (safetensors, transformers, lightning, torch …), `signature` what goes in and comes out.
    Only rank 0 names results. Raises `ValueError` for a path outside of the run directory: put it below `artifacts/`.
    """
    root = Path(os.path.realpath(run_dir()))
    place = Path(os.path.realpath(root / path))
    if root not in place.parents:
        raise ValueError(f"{path} is not below {root}: save it there, for example in {FOLDER}/")
    if not place.exists():
        raise ValueError(f"{place} does not exist: save it first, then name it as a result")
    if kind not in KINDS:
        raise ValueError(f"kind is {kind!r}, but must be one of: {', '.join(KINDS)}")
    name = name or place.stem
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not a name: use letters, digits, ., _ and - (63 at most)")
    line = {
        "name": name,
        "path": str(place.relative_to(root)),
        "kind": kind,
        "format": format,
        "signature": dict(signature or {}),
    }
    if not rank():
        if len(json.dumps(line)) > _LONGEST:
            raise ValueError(f"the signature of {name!r} is larger than {_LONGEST} bytes")
        note({"results": [line]})
    return place


def save_model(
    module: Any,
    name: str = "model",
    *,
    signature: Optional[Mapping[str, Any]] = None,
    metadata: Optional[Mapping[str, str]] = None,
) -> Path:
    """Save the weights of a torch module below `artifacts/NAME` and name them as a model.

    As safetensors where that package is installed and no weights share memory in a way it cannot store; else by
    `torch.save`, which `torch.load(weights_only=True)` reads. Call it on every rank; rank 0 writes.
    """
    folder = run_dir() / FOLDER / name
    if rank():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    format = _save_weights(module, folder, dict(metadata or {}))
    return artifact(folder, name, kind="model", format=format, signature=signature)


def _save_weights(module: Any, folder: Path, metadata: Dict[str, str]) -> str:
    """Under a temporary name first: a result is whole or not there."""
    try:
        from safetensors.torch import save_model as save_safetensors
    except ImportError:
        import torch

        part = folder / ".model.pt.part"
        torch.save(module.state_dict(), part)
        part.replace(folder / "model.pt")
        return "torch"
    part = folder / ".model.safetensors.part"
    save_safetensors(module, str(part), metadata={"format": "pt", **metadata})
    part.replace(folder / "model.safetensors")
    return "safetensors"
