"""What loads the files of a model, by their names. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

MOST_LOOKED_AT = 10_000
_BY_ENDING = {
    ".safetensors": "safetensors",
    ".ckpt": "lightning",
    ".pt": "torch",
    ".pth": "torch",
    ".onnx": "onnx",
    ".keras": "keras",
    ".gguf": "gguf",
}
"""The first that any file has."""


def format_of(paths: Iterable[str]) -> str:
    """`transformers`, `safetensors`, `torch` …; '' where nothing tells."""
    known = [PurePosixPath(path) for path, _ in zip(paths, range(MOST_LOOKED_AT), strict=False)]
    endings = {path.suffix.lower() for path in known}
    at_top = {path.name for path in known if len(path.parts) == 1}
    weights = endings & {".safetensors", ".bin", ".pt"}
    if "config.json" in at_top and weights:
        return "transformers"
    return next((name for ending, name in _BY_ENDING.items() if ending in endings), "")
