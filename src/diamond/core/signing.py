"""What a person's key signs: one order and what stands beside it, for a time. The key never leaves their machine; the endpoint checks the signature against its own policy."""

from __future__ import annotations

import json

NAMESPACE = "diamond-order"
"""OpenSSH's signatures are made for one use: a signature of a commit or a file is none of an order."""
GOOD_DAYS = 30.0
"""How long an order may start new work: a service cannot keep a signature forever."""
VERSION = 2
"""Of the signed statement. 2: the order names its image by the digest of the file, with its variables and folders of PATH,
and `continues` is part of what is signed."""


def signed_words(digest: str, until: float, *, continues: str = "") -> bytes:
    """The very bytes that are signed. `continues`: the task whose run directory is taken over."""
    said = {
        "version": VERSION,
        "order": digest,
        "until": round(until, 3),
        "continues": continues,
    }
    return json.dumps(said, sort_keys=True, separators=(",", ":")).encode() + b"\n"
