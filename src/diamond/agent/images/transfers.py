"""Images on their way from and to this endpoint. An intent is on disk before its command counts as done."""

from __future__ import annotations

import json
import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from diamond.agent.disk import read_json, write_json
from diamond.agent.folders import Folders, safe_id
from diamond.agent.images.arrivals import Arriving
from diamond.agent.images.enter import Images
from diamond.agent.link.carriers import Declined, Link, LinkDown, ask
from diamond.core.errors import (
    Cancelled,
    DiamondError,
    EnvironmentFailed,
    ImageChanged,
    NotFound,
)
from diamond.runtimes.calls import Call
from diamond.runtimes.places import Places
from diamond.runtimes.records import Record, record_data, record_from
from diamond.runtimes.registries import pull, push
from diamond.runtimes.store import arrived, every, find, find_file, remove, verify

log = logging.getLogger(__name__)

PIECE = 16 << 20
RETRY_SECONDS = 3.0
INVENTORY_SECONDS = 3600.0
Intent = dict[str, Any]


@dataclass
class Movers:
    """Two lines, so that a file which waits for another endpoint never holds up one that others wait for."""

    folders: Folders
    link: Link
    images: Callable[[], Images]
    stopping: threading.Event
    _sending: queue.Queue[Intent] = field(default_factory=queue.Queue)
    _others: queue.Queue[Intent] = field(default_factory=queue.Queue)
    _called_off: set[str] = field(default_factory=set)

    def start(self) -> None:
        for file in sorted(self._intents.glob("*.json")):
            intent = read_json(file)
            if intent is not None:
                self._put(intent)
        for name, line in (("send", self._sending), ("move", self._others)):
            threading.Thread(target=self._run, args=[line], name=name, daemon=True).start()
        threading.Thread(target=self._keep_told, name="inventory", daemon=True).start()

    def take(self, command: dict[str, Any]) -> None:
        """Write a command down and put it in line; repeating it is fine."""
        intent = {key: command[key] for key in _KEPT if key in command}
        intent.setdefault("move", str(command["id"]))
        _check_digests(intent)
        if intent["act"] == "cancel":
            self._call_off(intent)
            return
        file = self._file(intent)
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_json(file, intent, durable=True)
            self._put(intent)

    def _call_off(self, intent: Intent) -> None:
        """What is at work sees it and ends; what waits in line is passed over."""
        self._called_off.add(str(intent["move"]))
        file = self._file(intent)
        if file.exists():
            file.unlink()
        else:
            self._clear(intent)

    def _clear(self, intent: Intent) -> None:
        """The part of a file that has come, unless another move wants it too."""
        sha256 = str((intent.get("record") or {}).get("sha256", ""))
        others = [read_json(one) or {} for one in self._intents.glob("*.json")]
        wanted = {str((one.get("record") or {}).get("sha256", "")) for one in others}
        if sha256 and sha256 not in wanted:
            self._part(sha256).unlink(missing_ok=True)

    def tell_inventory(self) -> None:
        """What is here now, so that nobody is sent to an image that is gone."""
        looked = time.monotonic()
        items = [record_data(one) for one in every(self._places) if Path(one.file).exists()]
        age = time.monotonic() - looked
        ask(self.link, "images", {"items": items, "age": age}, timeout=120)

    @property
    def _intents(self) -> Path:
        return self.folders.work / "images" / "moves"

    @property
    def _places(self) -> Places:
        places = Places(self.folders.work / "images", self.folders.tmp)
        places.make()
        return places

    def _file(self, intent: Intent) -> Path:
        return self._intents / f"{safe_id(intent['move'])}.json"

    def _put(self, intent: Intent) -> None:
        (self._sending if intent.get("act") == "send" else self._others).put(intent)

    def _run(self, line: queue.Queue[Intent]) -> None:
        while not self.stopping.is_set():
            intent = line.get()
            if self._is_called_off(intent):
                self._clear(intent)
                continue
            try:
                self._act(intent)
                self._file(intent).unlink(missing_ok=True)
            except LinkDown as error:
                log.info("%s waits for the service: %s", intent["move"], error)
                threading.Timer(RETRY_SECONDS, line.put, [intent]).start()
            except Cancelled:
                self._clear(intent)
            except Exception as error:
                if self._is_called_off(intent):
                    self._clear(intent)
                    continue
                log.info("%s failed: %s", intent["move"], error, exc_info=not _is_expected(error))
                self._fail(intent, error)

    def _act(self, intent: Intent) -> None:
        acts = {
            "send": self._send,
            "fetch": self._fetch,
            "push": self._push,
            "pull": self._pull,
            "delete": self._delete,
        }
        acts[str(intent["act"])](intent)

    def _fail(self, intent: Intent, error: Exception) -> None:
        self._file(intent).unlink(missing_ok=True)
        words = f"{error.message} {error.hint}" if isinstance(error, DiamondError) else str(error)
        try:
            if intent["act"] not in ("send", "delete"):
                self._tell(intent, "failed", message=words.strip())
        except (LinkDown, Declined) as lost:
            log.warning("the end of %s could not be told: %s", intent["move"], lost)

    def _send(self, intent: Intent) -> None:
        """From where the service stands to the end; it says after each piece what it has."""
        record = self._own(intent)
        call, size = f"image-bytes/{record.sha256}", record.size
        try:
            have = self._give(call, b"", 0, size)
            with Path(record.file).open("rb") as source:
                while have < size:
                    source.seek(have)
                    have = self._give(call, source.read(PIECE), have, size)
        except Declined as error:
            log.info("%s is no longer wanted: %s", record.sha256[:12], error)

    def _give(self, call: str, data: bytes, offset: int, size: int) -> int:
        answer = self.link.call(call, data, query=f"offset={offset}&size={size}", timeout=120)
        return int(json.loads(answer)["have"])

    def _fetch(self, intent: Intent) -> None:
        record = record_from(intent["record"])
        found = self._found(record)
        if found is None:
            part = self._part(record.sha256)
            part.parent.mkdir(exist_ok=True, mode=0o700)
            part.touch()
            with Arriving(part, partial(self._tell_progress, intent)) as arriving:
                self._receive(intent, record, part)
                found = arrived(self._places, record, part, sha256=arriving.sha256())
        self._tell(intent, "done", bytes=found.size, record=record_data(found))

    def _found(self, record: Record) -> Record | None:
        """Here already, or in the group's folder."""
        own = find_file(self._places, record.sha256)
        if own is not None:
            try:
                return verify(self._places, own)
            except (ImageChanged, NotFound):
                remove(self._places, own)
        return self.images().shared_file(record.sha256)

    def _receive(self, intent: Intent, record: Record, part: Path) -> None:
        """Go on where an earlier try ended; nothing comes for a while when the other endpoint is away."""
        with part.open("ab", buffering=0) as sink:
            while (have := sink.tell()) < record.size:
                wanted = json.dumps({"sha256": record.sha256, "offset": have}).encode()
                with self.link.fetch("image-part", wanted) as stream:
                    while data := stream.read(1 << 20):
                        if self._is_called_off(intent):
                            raise Cancelled(f"{intent['move']} was called off")
                        sink.write(data)

    def _tell_progress(self, intent: Intent, count: int) -> None:
        try:
            self._tell(intent, "running", bytes=count)
        except (LinkDown, Declined) as error:
            log.info("how far %s is could not be told: %s", intent["move"], error)

    def _part(self, sha256: str) -> Path:
        return self._places.root / "arriving" / f"{sha256}.part"

    def _is_called_off(self, intent: Intent) -> bool:
        return str(intent["move"]) in self._called_off

    def _push(self, intent: Intent) -> None:
        record = self._own(intent)
        recipe = intent.get("recipe") or {}
        push(record, recipe, str(intent["reference"]), places=self._places, **self._with(intent))
        self._tell(intent, "done", bytes=record.size, size=record.size)

    def _pull(self, intent: Intent) -> None:
        record, recipe = pull(str(intent["reference"]), places=self._places, **self._with(intent))
        done = {"bytes": record.size, "size": record.size}
        self._tell(intent, "done", **done, record=record_data(record), recipe=recipe)

    def _with(self, intent: Intent) -> dict[str, Any]:
        call = Call(
            lambda line: log.info("%s", line.decode(errors="replace").rstrip()),
            cancelled=lambda: self._is_called_off(intent),
        )
        return {"insecure": self.images().insecure, "call": call}

    def _delete(self, intent: Intent) -> None:
        form, identity = str(intent["format"]), str(intent["identity"])
        record = find_file(self._places, str(intent["sha256"])) or find(
            self._places, identity, [form]
        )
        if record is not None:
            remove(self._places, record)
        self.tell_inventory()

    def _own(self, intent: Intent) -> Record:
        wanted = record_from(intent["record"])
        found = find_file(self._places, wanted.sha256)
        if found is None:
            raise EnvironmentFailed(f"The image {wanted.sha256[:12]} is no longer here")
        return verify(self._places, found)

    def _tell(self, intent: Intent, state: str, **facts: Any) -> None:
        item = {"move": intent["move"], "state": state, **facts}
        ask(self.link, "moves", {"items": [item]}, timeout=60)

    def _keep_told(self) -> None:
        pause = 0.0
        while not self.stopping.wait(pause):
            try:
                self.tell_inventory()
                pause = INVENTORY_SECONDS
            except (LinkDown, Declined) as error:
                log.info("what images are here could not be told: %s", error)
                pause = 30.0


_KEPT = (
    "act",
    "move",
    "record",
    "recipe",
    "reference",
    "sha256",
    "format",
    "identity",
)


def _check_digests(intent: Intent) -> None:
    """They become names of files, which must not lead elsewhere. Raises `BadRequest`."""
    record = intent.get("record")
    named = [intent.get("sha256"), record.get("sha256") if isinstance(record, dict) else ""]
    for digest in filter(None, named):
        safe_id(str(digest).rpartition(":")[2])


def _is_expected(error: Exception) -> bool:
    return isinstance(error, (DiamondError, OSError, Declined))
