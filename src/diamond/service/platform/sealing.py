"""Sealed bytes: what passes through the database so that a value, such as a secret, is never stored readable."""

from __future__ import annotations

import os
from pathlib import Path

NONCE_BYTES, KEY_BYTES = 12, 32


class WrongSeal(Exception):
    """Sealed with another key, for another purpose, or changed."""


class Seal:
    """AES-256-GCM under the key in a file, which all processes of one service share and the database never sees."""

    def __init__(self, key: bytes) -> None:
        # Only services on PostgreSQL need it, and it takes 5 MB.
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self._cipher, self._invalid = AESGCM(key), InvalidTag

    def close(self, content: bytes, purpose: str) -> bytes:
        nonce = os.urandom(NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, content, purpose.encode())

    def open(self, sealed: bytes, purpose: str) -> bytes:
        nonce, content = sealed[:NONCE_BYTES], sealed[NONCE_BYTES:]
        try:
            return self._cipher.decrypt(nonce, content, purpose.encode())
        except (self._invalid, ValueError):
            raise WrongSeal(purpose) from None


def load_seal(file: Path) -> Seal:
    """The key in the file; the first process that looks makes it."""
    aside = file.with_name(f".{file.name}.{os.getpid()}")
    if not file.exists():
        aside.touch(0o600)
        aside.write_bytes(os.urandom(KEY_BYTES))
        try:
            file.hardlink_to(aside)
        except FileExistsError:
            pass
        finally:
            aside.unlink()
    return Seal(file.read_bytes())
