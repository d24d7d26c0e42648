"""Transfers of images from and to this endpoint. An intent is on disk before its command is acknowledged."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from diamond.agent.disk import read_json, write_json
from diamond.agent.folders import Folders
from diamond.agent.images.arrivals import Arriving
from diamond.agent.images.enter import Images
from diamond.agent.link.carriers import Declined, Link, LinkDown, answer_data, ask, message_bytes
from diamond.core.agent_messages import (
    FetchImagePart,
    ImageInventory,
    TransferReport,
    TransferReports,
)
from diamond.core.decoding import decode
from diamond.core.errors import (
    BadRequest,
    Cancelled,
    DiamondError,
    EnvironmentFailed,
    ImageChanged,
    NotFound,
)
from diamond.core.protocol import (
    IMAGE_COMMANDS,
    CancelMove,
    DeleteImage,
    FetchImage,
    ImageBytesTaken,
    ImageCommand,
    PullImage,
    PushImage,
    SendImage,
    image_act,
    read_command,
)
from diamond.runtimes.below import below
from diamond.runtimes.calls import Call
from diamond.runtimes.image_folders import ImageFolders
from diamond.runtimes.manifests import (
    ImageManifest,
    manifest_data,
    manifest_from,
    public_manifest_data,
)
from diamond.runtimes.registries import pull, push
from diamond.runtimes.store import find, find_file, receive_image, remove, stored_images, verify

log = logging.getLogger(__name__)

RETRY_SECONDS = 3.0
INVENTORY_SECONDS = 3600.0
KEPT_HERE = "the message stays on the machine, as its policy requires"


@dataclass
class Transfers:
    """Two queues, so that a file that waits for another endpoint never holds up one that others wait for."""

    folders: Folders
    link: Link
    images: Callable[[], Images]
    stopping: threading.Event
    tells_all: Callable[[], bool] = lambda: True
    """Whether more than states may leave this machine."""
    _sending: queue.Queue[ImageCommand] = field(default_factory=queue.Queue)
    _others: queue.Queue[ImageCommand] = field(default_factory=queue.Queue)
    _cancelled: set[str] = field(default_factory=set)

    def start(self) -> None:
        for file in sorted(self._intents.glob("*.json")):
            command = _saved(file)
            if command is not None:
                self._put(command)
        for name, waiting in (("send", self._sending), ("fetch", self._others)):
            threading.Thread(target=self._run, args=[waiting], name=name, daemon=True).start()
        threading.Thread(target=self._keep_inventory_current, name="inventory", daemon=True).start()

    def handle(self, command: ImageCommand) -> None:
        """Save a command and queue it; repeating it is fine."""
        if isinstance(command, CancelMove):
            self._cancel(command)
            return
        file = self._file(command)
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            written = {"type": "image", "act": image_act(command), **asdict(command)}
            write_json(file, written, durable=True)
            self._put(command)

    def _cancel(self, command: CancelMove) -> None:
        """A running transfer sees it and ends; a waiting one is skipped."""
        self._cancelled.add(command.move)
        file = self._file(command)
        if file.exists():
            file.unlink()
        else:
            self._clear(command.sha256)

    def _clear(self, sha256: str) -> None:
        """Remove the part of a file that has arrived, unless another transfer needs it too."""
        others = [_saved(path) for path in self._intents.glob("*.json")]
        wanted = {intent.file.sha256 for intent in others if isinstance(intent, FetchImage)}
        if sha256 and sha256 not in wanted:
            self._part(sha256).unlink(missing_ok=True)

    def send_inventory(self) -> None:
        """What is here now, so that nobody is sent to an image that no longer exists."""
        looked = time.monotonic()
        items = [
            self._reportable(manifest)
            for manifest in stored_images(self._image_folders)
            if Path(manifest.file).exists()
        ]
        age = time.monotonic() - looked
        ask(self.link, "images", ImageInventory(items, age), timeout=120)

    @property
    def _intents(self) -> Path:
        return self.folders.work / "images" / "moves"

    @property
    def _image_folders(self) -> ImageFolders:
        image_folders = ImageFolders(self.folders.work / "images", self.folders.tmp)
        image_folders.make()
        return image_folders

    def _file(self, command: ImageCommand) -> Path:
        return below(self._intents, f"{_name(command)}.json")

    def _put(self, command: ImageCommand) -> None:
        (self._sending if isinstance(command, SendImage) else self._others).put(command)

    def _run(self, waiting: queue.Queue[ImageCommand]) -> None:
        while not self.stopping.is_set():
            command = waiting.get()
            if self._is_cancelled(command):
                self._clear(_arriving(command))
                continue
            try:
                self._act(command)
                self._file(command).unlink(missing_ok=True)
            except LinkDown as error:
                log.info("%s waits for the service: %s", _name(command), error)
                threading.Timer(RETRY_SECONDS, waiting.put, [command]).start()
            except Cancelled:
                self._clear(_arriving(command))
            except Exception as error:
                if self._is_cancelled(command):
                    self._clear(_arriving(command))
                    continue
                log.info("%s failed: %s", _name(command), error, exc_info=not _is_expected(error))
                self._fail(command, error)

    def _act(self, command: ImageCommand) -> None:
        if isinstance(command, SendImage):
            self._send(command)
        elif isinstance(command, FetchImage):
            self._fetch(command)
        elif isinstance(command, PushImage):
            self._push(command)
        elif isinstance(command, PullImage):
            self._pull(command)
        elif isinstance(command, DeleteImage):
            self._delete(command)

    def _fail(self, command: ImageCommand, error: Exception) -> None:
        self._file(command).unlink(missing_ok=True)
        message = f"{error.message} {error.hint}" if isinstance(error, DiamondError) else str(error)
        try:
            if command.move and not isinstance(command, DeleteImage):
                self._report(TransferReport(command.move, "failed", message=message.strip()))
            if isinstance(command, SendImage):
                self.send_inventory()
        except (LinkDown, Declined) as lost:
            log.warning("the end of %s could not be reported: %s", command.move, lost)

    def _send(self, command: SendImage) -> None:
        """From the offset that the service has to the end; it answers each piece with its new offset."""
        manifest = self._own(command.record.hex)
        call, size = f"image-bytes/{manifest.sha256}", manifest.size
        try:
            have = self._send_piece(call, b"", 0, size)
            with Path(manifest.file).open("rb") as source:
                while have < size:
                    source.seek(have)
                    have = self._send_piece(call, source.read(self.link.piece), have, size)
        except Declined as error:
            if error.status != 404:
                raise
            log.info("%s is no longer needed: %s", manifest.sha256[:12], error)

    def _send_piece(self, call: str, data: bytes, offset: int, size: int) -> int:
        answer = self.link.call(call, data, query=f"offset={offset}&size={size}", timeout=120)
        return decode(ImageBytesTaken, answer_data(call, answer)).have

    def _fetch(self, command: FetchImage) -> None:
        manifest = manifest_from({**command.record, "file": "", "stat": {}, "shared": False})
        here = self._local_copy(manifest)
        if here is None:
            part = self._part(manifest.sha256)
            part.parent.mkdir(exist_ok=True, mode=0o700)
            part.touch()
            with Arriving(part, partial(self._report_progress, command)) as arriving:
                self._receive(command, manifest, part)
                here = receive_image(self._image_folders, manifest, part, sha256=arriving.sha256())
        done = TransferReport(command.move, "done", bytes=here.size, record=self._reportable(here))
        self._report(done)

    def _local_copy(self, manifest: ImageManifest) -> ImageManifest | None:
        """Here already, or in the group's folder."""
        own = find_file(self._image_folders, manifest.sha256)
        if own is not None:
            try:
                return verify(self._image_folders, own)
            except (ImageChanged, NotFound):
                remove(self._image_folders, own)
        return self.images().shared_file(manifest.sha256)

    def _receive(self, command: FetchImage, manifest: ImageManifest, part: Path) -> None:
        """Continue where an earlier try ended; nothing arrives for a while when the other endpoint is offline."""
        with part.open("ab", buffering=0) as sink:
            while (have := sink.tell()) < manifest.size:
                most = self.link.piece
                wanted = message_bytes(FetchImagePart(manifest.sha256, have, most))
                with self.link.fetch("image-part", wanted) as stream:
                    while data := stream.read(1 << 20):
                        if self._is_cancelled(command):
                            raise Cancelled(f"{command.move} was cancelled")
                        sink.write(data)

    def _report_progress(self, command: FetchImage, count: int) -> None:
        try:
            self._report(TransferReport(command.move, "running", bytes=count))
        except (LinkDown, Declined) as error:
            log.info("the progress of %s could not be reported: %s", command.move, error)

    def _part(self, sha256: str) -> Path:
        return below(self._image_folders.root, "arriving", f"{sha256}.part")

    def _is_cancelled(self, command: ImageCommand) -> bool:
        return _name(command) in self._cancelled

    def _push(self, command: PushImage) -> None:
        manifest = self._own(command.record.hex)
        reference, recipe = command.reference, command.recipe
        push(manifest, recipe, reference, image_folders=self._image_folders, **self._with(command))
        self._report(TransferReport(command.move, "done", bytes=manifest.size, size=manifest.size))

    def _pull(self, command: PullImage) -> None:
        manifest, recipe = pull(
            command.reference, image_folders=self._image_folders, **self._with(command)
        )
        done = TransferReport(
            command.move,
            "done",
            bytes=manifest.size,
            size=manifest.size,
            record=self._reportable(manifest),
            recipe=recipe,
        )
        self._report(done)

    def _with(self, command: ImageCommand) -> dict[str, Any]:
        call = Call(
            lambda line: log.info("%s", line.decode(errors="replace").rstrip()),
            cancelled=lambda: self._is_cancelled(command),
        )
        return {"insecure": self.images().insecure, "call": call}

    def _delete(self, command: DeleteImage) -> None:
        """A file by its digest; a virtual environment, which has none, by its recipe."""
        if command.format == "venv":
            manifest = find(self._image_folders, command.identity, ["venv"])
        else:
            manifest = find_file(self._image_folders, command.sha256)
        if manifest is not None:
            remove(self._image_folders, manifest)
        self.send_inventory()

    def _own(self, sha256: str) -> ImageManifest:
        manifest = find_file(self._image_folders, sha256)
        if manifest is None:
            raise EnvironmentFailed(f"The image {sha256[:12]} is no longer here")
        return verify(self._image_folders, manifest)

    def _reportable(self, manifest: ImageManifest) -> dict[str, Any]:
        return manifest_data(manifest) if self.tells_all() else public_manifest_data(manifest)

    def _report(self, transfer: TransferReport) -> None:
        if not self.tells_all():
            message = KEPT_HERE if transfer.message else ""
            transfer = replace(transfer, message=message, recipe=None)
        ask(self.link, "moves", TransferReports([transfer]), timeout=60)

    def _keep_inventory_current(self) -> None:
        pause = 0.0
        while not self.stopping.wait(pause):
            try:
                self.send_inventory()
                pause = INVENTORY_SECONDS
            except (LinkDown, Declined) as error:
                log.info("the list of images could not be sent: %s", error)
                pause = 30.0


def _name(command: ImageCommand) -> str:
    """Of its intent: the transfer's id, or the command's own where it belongs to none."""
    return command.move or command.id


def _arriving(command: ImageCommand) -> str:
    """The digest of the file that it fetches, or ''."""
    return command.file.sha256 if isinstance(command, FetchImage) else ""


def _saved(file: Path) -> ImageCommand | None:
    """A saved intent; None for one that is incomplete or invalid (an older agent checked less)."""
    try:
        command = read_command(read_json(file))
    except BadRequest as error:
        log.warning("%s is ignored: %s", file.name, error)
        return None
    return command if isinstance(command, IMAGE_COMMANDS) else None


def _is_expected(error: Exception) -> bool:
    return isinstance(error, (DiamondError, OSError, Declined))
