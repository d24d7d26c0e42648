"""Random names for things: short enough to type, too many to guess or to meet twice."""

from __future__ import annotations

import re
import secrets

ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
LENGTH = 12
_MOST = len(ALPHABET) ** LENGTH

JOB, TASK, ATTEMPT, ENDPOINT, COMMAND, TOKEN, USER = "j", "t", "a", "e", "c", "k", "u"
IMAGE, MOVE = "i", "m"
SCALE = "s"
VIEW, IMPORTED_RUN = "v", "y"
SCAN, TRANSFER = "r", "x"
DATASET = "d"
PIPELINE = "f"
MODEL = "w"
"""Weights: `m` is taken."""
STUDY = "h"
"""Hyper-parameters: `s` is taken."""

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
"""The names that a person gives to parameters, data, variables and secrets."""


def new_id(kind: str) -> str:
    """A random id that starts with the letter of its kind (59 random bits)."""
    number, letters = secrets.randbelow(_MOST), []
    for _ in range(LENGTH):
        number, letter = divmod(number, len(ALPHABET))
        letters.append(ALPHABET[letter])
    return kind + "".join(letters)


def new_secret() -> str:
    """A URL-safe secret of 256 bits, for keys, tokens and pairing codes."""
    return secrets.token_urlsafe(32)
