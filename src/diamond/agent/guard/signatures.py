"""Whether one of the listed keys signed an order: asked of OpenSSH, which is on every login node."""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Dict, List

from diamond.agent.disk import read_json, write_json
from diamond.agent.tasks.folders import TaskFolders
from diamond.core.order import Order, order_from
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


class UsedSignatures:
    """Which task each signature was used for, until it runs out: a service cannot have the same order run again.

    Kept aside of the run directories, since these are removed.
    """

    def __init__(self, keep: Path, tasks: TaskFolders) -> None:
        self._file, self._tasks = keep / "signatures.json", tasks
        self._known: Dict[str, Dict[str, Any]] = {}
        self._is_read = False

    def fault(self, order: Order, told: Any, task: str, number: int) -> str:
        """Why a good signature is not good for this attempt; '' when it is."""
        used = self._uses().get(_signed_id(order, told))
        if used is None:
            return ""
        if used["task"] != task or not self._tasks.has(task):
            return "its signature was used before: sign and submit it anew"
        if number > order.resume.max_attempts:
            return f"{order.resume.max_attempts} attempts were signed, and this is number {number}"
        return ""

    def add(self, order: Order, told: Any, task: str) -> None:
        """Once the intent is on disk: had the agent died before, it would be found there."""
        now, known = time.time(), self._uses()
        known[_signed_id(order, told)] = {"task": task, "until": read_signature(told)["until"]}
        self._known = {one: used for one, used in known.items() if used["until"] > now}
        write_json(self._file, self._known, durable=True)

    def _uses(self) -> Dict[str, Dict[str, Any]]:
        if not self._is_read:
            self._known = {**self._on_disk(), **(read_json(self._file) or {})}
            self._is_read = True
        return self._known

    def _on_disk(self) -> Dict[str, Dict[str, Any]]:
        """Of the run directories that are there."""
        found = {}
        for file in self._tasks.root.glob("*/task.json"):
            asked = read_json(file) or {}
            given = read_signature(asked.get("signature"))
            if given and asked.get("order"):
                about = {"task": file.parent.name, "until": given["until"]}
                found[_signed_id(order_from(asked["order"]), given)] = about
        return found


def _signed_id(order: Order, told: Any) -> str:
    """Of what was signed: the signature's own text can be written in several ways."""
    words = signed_words(order.digest, read_signature(told)["until"])
    return hashlib.sha256(words).hexdigest()


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
