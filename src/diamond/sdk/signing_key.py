"""The user's signing key, created and kept on their own machine by OpenSSH."""

from __future__ import annotations

import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from diamond.core.errors import BadRequest, Conflict, NotFound
from diamond.core.order import order_from
from diamond.core.signing import GOOD_DAYS, NAMESPACE, VERSION, signed_words
from diamond.sdk.client_config import diamond_home

NAME = "signing_key"


def key_file() -> Path:
    return diamond_home() / NAME


def has_key() -> bool:
    return key_file().exists()


def make_key(*, passphrase: bool = False) -> str:
    """Create an Ed25519 key; returns the public key for a machine's policy. OpenSSH asks for the passphrase."""
    file = key_file()
    if file.exists():
        raise Conflict(
            f"There is already a key in {file}", "`diamond key show` prints its public part."
        )
    file.parent.mkdir(parents=True, exist_ok=True)
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-C", "diamond", "-f", str(file)]
    _run(command if passphrase else [*command, "-N", ""])
    return public_key()


def public_key() -> str:
    file = key_file().with_name(NAME + ".pub")
    if not file.exists():
        raise NotFound("There is no signing key on this machine", "Create one: diamond key create")
    return file.read_text().strip()


def sign_order(order: dict[str, Any], days: float = GOOD_DAYS) -> dict[str, Any]:
    """The signature sent with an order; the digest is computed here, never the service's."""
    digest, until = order_from(order).digest, round(time.time() + 86400 * days, 3)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "order")
        file.write_bytes(signed_words(digest, until))
        _run(["ssh-keygen", "-q", "-Y", "sign", "-f", str(key_file()), "-n", NAMESPACE, str(file)])
        signature = file.with_name("order.sig").read_text()
    return {"version": VERSION, "digest": digest, "until": until, "signature": signature}


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False
        )
    except FileNotFoundError:
        raise BadRequest("ssh-keygen was not found on this machine", "Install OpenSSH.") from None
    if done.returncode:
        message = done.stderr.decode(errors="replace").strip()
        raise BadRequest(f"ssh-keygen failed: {message or done.returncode}")
