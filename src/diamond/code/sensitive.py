"""Files that hold keys or passwords: they are never sent with code, and are named instead."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pathlib import Path

KEY_FILES = (
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.kdbx",
    "*.ppk",
    "*.keytab",
    ".env",
    ".env.*",
    "*.env",
    ".envrc",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".pypirc",
    ".npmrc",
    ".git-credentials",
    "credentials",
    "credentials.json",
    "credentials.toml",
    "service-account*.json",
    "kubeconfig",
    "*.ovpn",
    ".vault-token",
    ".htpasswd",
    "wandb_key*",
)
KEY_FOLDERS = (".ssh", ".aws", ".azure", ".gcloud", ".gnupg", ".kube", ".docker", ".globus")
HARMLESS = (".env.example", ".env.sample", ".env.template", "*.pub")
LARGEST_KEY = 256 * 2**10
"""A larger file is not a private key, and is not opened."""
_FIRST_BYTES = 200
_KEY_BEGINS = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:-{4,5} ?BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)? ?-{4,5}|PuTTY-User-Key-File-\d)"
)


def why_kept_home(path: str) -> str:
    """Why a file must not be sent; empty if it may. Judged by name alone."""
    *folders, name = path.split("/")
    for folder in folders:
        if folder in KEY_FOLDERS:
            return f"in {folder}, where keys are kept"
    low = name.lower()
    if any(fnmatchcase(low, pattern) for pattern in HARMLESS):
        return ""
    if any(fnmatchcase(low, pattern) for pattern in KEY_FILES):
        return "looks like a key or password file"
    return ""


def begins_as_key(file: Path) -> bool:
    """Whether a file is a private key whatever it is called: OpenSSH, PEM, PGP or PuTTY.

    Only the beginning counts: code that has a key in a string for its tests is code.
    """
    try:
        with file.open("rb") as source:
            return _KEY_BEGINS.match(source.read(_FIRST_BYTES)) is not None
    except OSError:
        return False
