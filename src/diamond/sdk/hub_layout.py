"""What the Hugging Face hub expects beside the files of a model. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_LARGE = (
    "safetensors",
    "bin",
    "pt",
    "pth",
    "ckpt",
    "onnx",
    "h5",
    "msgpack",
    "gguf",
    "npz",
    "parquet",
)


def hub_files(version: Mapping[str, Any], card: str) -> dict[str, str]:
    """By name: the card as README.md, which files go to large-file storage, and where the version comes from."""
    lines = [f"*.{ending} filter=lfs diff=lfs merge=lfs -text" for ending in _LARGE]
    names = ("model", "number", "digest", "task", "format", "signature", "metrics")
    origin = {name: version[name] for name in names}
    return {
        "README.md": card,
        ".gitattributes": "\n".join(lines) + "\n",
        "diamond.json": json.dumps(origin, indent=2, ensure_ascii=False) + "\n",
    }
