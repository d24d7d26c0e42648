"""What a person's key signs: one order, for a time. The key never leaves her machine; the endpoint checks it against its own policy."""

from __future__ import annotations

import json
from typing import Any, Dict

NAMESPACE = "diamond-order"
"""OpenSSH's signatures are made for one use: a signature of a commit or a file is none of an order."""
GOOD_DAYS = 30.0
"""How long new work of an order may begin: the service cannot keep a signature for ever."""


def signed_words(digest: str, until: float) -> bytes:
    """The very bytes that are signed."""
    told = {"order": digest, "until": round(until, 3)}
    return json.dumps(told, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def read_signature(told: Any) -> Dict[str, Any]:
    """What came with an order; empty where that is no signature."""
    good = isinstance(told, dict) and isinstance(told.get("signature"), str)
    if not good or not isinstance(told.get("until"), (int, float)):
        return {}
    return {"signature": told["signature"], "until": float(told["until"])}
