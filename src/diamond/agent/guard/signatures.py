"""Whether one of the listed keys signed an order, checked with OpenSSH, which every login node has."""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Dict, List

from diamond.agent.disk import read_json, write_json
from diamond.core.errors import BadRequest
from diamond.core.protocol import Signature, TaskRequest, read_task_request
from diamond.core.signing import NAMESPACE, VERSION, signed_words
from diamond.runtimes.below import below

SECONDS = 30.0
PERSON = "diamond"


def signature_fault(request: TaskRequest, signers: List[str]) -> str:
    """Why a signature does not count; '' when it does."""
    given = request.signature
    if given is None:
        return "only signed specs are taken, and this one bears no signature"
    if not signers:
        return "only signed specs are taken, and no key is listed (signers)"
    if given.version != VERSION:
        return f"its signature has version {given.version}, not {VERSION}: sign and submit it again"
    if time.time() > given.until:
        return "its signature has expired: sign and submit it again"
    return _verify(_signed_bytes(request, given), given.signature, signers)


class UsedSignatures:
    """Which task each signature was used for, until it expires: a service cannot have the same order run again.

    Kept apart from the run directories, since these are removed.
    """

    def __init__(self, keep: Path, tasks: Path) -> None:
        self._file, self._tasks = keep / "signatures.json", tasks
        self._known: Dict[str, Dict[str, Any]] = {}
        self._is_read = False

    def fault(self, request: TaskRequest, task: str, number: int) -> str:
        """Why a valid signature cannot be used for this attempt; '' when it can."""
        order, used = request.order, self._uses().get(_signed_id(request))
        if used is None:
            return ""
        if used["task"] != task or not below(self._tasks, task, "task.json").exists():
            return "its signature was used before: sign and submit it again"
        if number > order.resume.max_attempts:
            return f"{order.resume.max_attempts} attempts were signed, and this is number {number}"
        return ""

    def add(self, request: TaskRequest, task: str) -> None:
        """To be called once the intent is on disk: after a crash, the signature is found there."""
        now, known = time.time(), self._uses()
        if request.signature is not None:
            known[_signed_id(request)] = {"task": task, "until": request.signature.until}
        self._known = {each: used for each, used in known.items() if used["until"] > now}
        write_json(self._file, self._known, durable=True)

    def _uses(self) -> Dict[str, Dict[str, Any]]:
        if not self._is_read:
            self._known = {**self._on_disk(), **(read_json(self._file) or {})}
            self._is_read = True
        return self._known

    def _on_disk(self) -> Dict[str, Dict[str, Any]]:
        """Those of the tasks that have a run directory."""
        uses = {}
        for file in self._tasks.glob("*/task.json"):
            try:
                request = read_task_request(read_json(file))
            except BadRequest:
                continue
            if request.signature is not None:
                about = {"task": file.parent.name, "until": request.signature.until}
                uses[_signed_id(request)] = about
        return uses


def _signed_id(request: TaskRequest) -> str:
    """Of what was signed: the signature's own text can be written in several ways."""
    given = request.signature
    return hashlib.sha256(_signed_bytes(request, given)).hexdigest() if given is not None else ""


def _signed_bytes(request: TaskRequest, given: Signature) -> bytes:
    return signed_words(request.order.digest, given.until, continues=request.continues)


def _verify(content: bytes, signature: str, signers: List[str]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        keys, sealed = Path(folder, "signers"), Path(folder, "signature")
        keys.write_text("".join(f"{PERSON} {key}\n" for key in signers))
        sealed.write_text(signature)
        command = ["ssh-keygen", "-Y", "verify", "-f", str(keys), "-I", PERSON]
        command += ["-n", NAMESPACE, "-s", str(sealed)]
        try:
            done = subprocess.run(
                command, input=content, capture_output=True, timeout=SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"its signature could not be checked: {error}"
    return "" if done.returncode == 0 else "its signature is not one of a listed key for this order"
