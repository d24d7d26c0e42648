"""What a build may tell where a machine's policy lets only states leave: that the image is there, and what it is called."""

from __future__ import annotations

import json
from typing import Any

SAID = ("identity", "sha256", "format", "platform", "size", "runtime")


def veil_steps(content: bytes) -> bytes:
    """Whole lines of the same length, so that offsets hold: all are blank but those that tell of an image."""
    whole = content[: content.rfind(b"\n") + 1]
    return b"".join(_veiled(line) for line in whole.splitlines(keepends=True))


def _veiled(line: bytes) -> bytes:
    width = len(line) - 1
    said = json.dumps(_image(line), separators=(",", ":")).encode() if _image(line) else b""
    return (said if len(said) <= width else b"").ljust(width) + b"\n"


def _image(line: bytes) -> dict[str, Any]:
    try:
        told = json.loads(line)
        record = {name: told["record"][name] for name in SAID if name in told["record"]}
        return {"event": "image", "record": record} if told["event"] == "image" else {}
    except (ValueError, KeyError, TypeError):
        return {}
