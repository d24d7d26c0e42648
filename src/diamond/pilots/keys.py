"""The keys of one allocation: whoever has them may use its engine, and nobody else. Made by the pilot's own environment."""

from __future__ import annotations

import datetime
import os
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

LIFETIME_DAYS = 60
"""Longer than any allocation."""


class Keys(NamedTuple):
    """Files. The certificate signs itself, and is the only authority that both ends believe."""

    certificate: str
    key: str


def make_keys(folder: Path) -> Keys:
    """In a folder of mode 0700, each file 0600."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "diamond-pilot")])
    now = datetime.datetime.now(datetime.timezone.utc)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=LIFETIME_DAYS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    keys = Keys(str(folder / "certificate.pem"), str(folder / "key.pem"))
    _write(keys.certificate, certificate.public_bytes(serialization.Encoding.PEM))
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    _write(keys.key, private)
    return keys


def remove_keys(folder: Path) -> None:
    for name in ("certificate.pem", "key.pem"):
        (folder / name).unlink(missing_ok=True)
    if folder.is_dir():
        folder.rmdir()


def _write(path: str, content: bytes) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(file, content)
    finally:
        os.close(file)
