"""A person's signing key, made and kept on her own machine by OpenSSH."""

from __future__ import annotations

import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from diamond.core.errors import BadRequest, Conflict, NotFound
from diamond.core.order import order_from
from diamond.core.signing import GOOD_DAYS, NAMESPACE, VERSION, signed_words
from diamond.sdk.where import diamond_home

NAME = "signing_key"


def key_file() -> Path:
    return diamond_home() / NAME


def has_key() -> bool:
    return key_file().exists()


def make_key(*, passphrase: bool = False) -> str:
    """A new Ed25519 key; gives the public line for a machine's policy. OpenSSH asks for the passphrase."""
    file = key_file()
    if file.exists():
        raise Conflict(f"There is a key in {file}", "`diamond key show` prints its public part.")
    file.parent.mkdir(parents=True, exist_ok=True)
    words = ["ssh-keygen", "-q", "-t", "ed25519", "-C", "diamond", "-f", str(file)]
    _run(words if passphrase else [*words, "-N", ""])
    return public_key()


def public_key() -> str:
    file = key_file().with_name(NAME + ".pub")
    if not file.exists():
        raise NotFound("There is no signing key here", "Make one: diamond key create")
    return file.read_text().strip()


def sign_order(order: dict[str, Any], days: float = GOOD_DAYS) -> dict[str, Any]:
    """The signature that travels with an order; its digest is taken here, not believed."""
    digest, until = order_from(order).digest, round(time.time() + 86400 * days, 3)
    with tempfile.TemporaryDirectory() as folder:
        words = Path(folder, "order")
        words.write_bytes(signed_words(digest, until))
        _run(["ssh-keygen", "-q", "-Y", "sign", "-f", str(key_file()), "-n", NAMESPACE, str(words)])
        signature = words.with_name("order.sig").read_text()
    return {"version": VERSION, "digest": digest, "until": until, "signature": signature}


def _run(words: list[str]) -> None:
    try:
        done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    except FileNotFoundError:
        raise BadRequest("There is no ssh-keygen on this machine", "Install OpenSSH.") from None
    if done.returncode:
        told = done.stderr.decode(errors="replace").strip()
        raise BadRequest(f"ssh-keygen failed: {told or done.returncode}")
