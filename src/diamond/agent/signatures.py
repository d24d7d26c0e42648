"""Whether one of the listed keys signed an order: asked of OpenSSH, which is on every login node."""

from __future__ import annotations

import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, List

from diamond.core.order import Order
from diamond.core.signing import NAMESPACE, read_signature, signed_words

SECONDS = 30.0
PERSON = "diamond"


def signature_fault(order: Order, told: Any, signers: List[str]) -> str:
    """Why a signature does not count; '' when it does."""
    given = read_signature(told)
    if not given:
        return "only signed specs are taken, and this one bears no signature"
    if not signers:
        return "only signed specs are taken, and no key is listed (signers)"
    if time.time() > given["until"]:
        return "its signature has run out: sign and submit it anew"
    return _verify(signed_words(order.digest, given["until"]), given["signature"], signers)


def _verify(words: bytes, signature: str, signers: List[str]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        keys, sealed = Path(folder, "signers"), Path(folder, "signature")
        keys.write_text("".join(f"{PERSON} {key}\n" for key in signers))
        sealed.write_text(signature)
        command = ["ssh-keygen", "-Y", "verify", "-f", str(keys), "-I", PERSON]
        command += ["-n", NAMESPACE, "-s", str(sealed)]
        try:
            done = subprocess.run(
                command, input=words, capture_output=True, timeout=SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"its signature could not be checked: {error}"
    return "" if done.returncode == 0 else "its signature is not one of a listed key for this order"
