"""The steps of a build where the policy lets only states leave: that there is an image, and its name."""

from __future__ import annotations

import json
from typing import Any

from diamond.runtimes.manifests import PUBLIC


def redact_steps(content: bytes) -> bytes:
    """Whole lines of the same length, so that offsets hold; only lines about an image keep some content."""
    whole = content[: content.rfind(b"\n") + 1]
    return b"".join(_redacted(line) for line in whole.splitlines(keepends=True))


def _redacted(line: bytes) -> bytes:
    width = len(line) - 1
    image = _image(line)
    shown = json.dumps(image, separators=(",", ":")).encode() if image else b""
    return (shown if len(shown) <= width else b"").ljust(width) + b"\n"


def _image(line: bytes) -> dict[str, Any]:
    try:
        step = json.loads(line)
        manifest = {name: step["record"][name] for name in PUBLIC if name in step["record"]}
        return {"event": "image", "record": manifest} if step["event"] == "image" else {}
    except (ValueError, KeyError, TypeError):
        return {}
