"""From agent to agent by the person's own ssh: the goal opens a session on the source's machine and reads pieces from it.

Nothing is stored: ssh finds the host, the key and the agent as it does for the person, and never asks. The far side is the
same one-file agent (`agent.pyz serve-data`), which reads what is there and checks its own policy.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shlex
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from diamond.agent.data.archives import unpacked
from diamond.agent.data.carriers import WayFailed
from diamond.agent.data.places import TreePlaces
from diamond.agent.data.setup import DataSetup
from diamond.agent.folders import Folders
from diamond.agent.guard.policy import Policy
from diamond.agent.site.profile import load_profile
from diamond.core.data_messages import Introduction
from diamond.core.errors import BadRequest, DiamondError, Forbidden
from diamond.data.manifest import FileEntry, files_of
from diamond.data.packing import Source, ends_round, plan_pieces
from diamond.data.rate import RateCap
from diamond.data.wants import decode_wants

PIECE = 8 << 20
MOST_PIECE = 64 << 20
MOST_WANTS = 256 << 20
GREETING = b"\x00DIAMOND-DATA-1\n"
"""Start-up files of shells print things; the stream begins behind this."""
MOST_NOISE = 64 << 10
_LENGTH = struct.Struct("<Q")
_FAILED = 2**64 - 1
OPTIONS = (
    *("-T", "-oBatchMode=yes", "-oConnectTimeout=15", "-oServerAliveInterval=30"),
    *("-oServerAliveCountMax=4", "-oClearAllForwardings=yes", "-oEscapeChar=none"),
)


def ssh_command(host: str) -> list[str]:
    """`$DIAMOND_SSH`, as everywhere, or plain ssh. A host that begins with - would be an option."""
    if not host or host.startswith("-"):
        raise WayFailed(f"{host!r} is not an ssh host", "Set it: data.hosts of the endpoint.")
    return [*shlex.split(os.environ.get("DIAMOND_SSH", "ssh")), *OPTIONS, "--", host]


class BySsh:
    """One session for all rounds of a transfer."""

    def __init__(self, host: str, introduction: Introduction, tree: str) -> None:
        if not introduction.program or not introduction.python:
            raise WayFailed("the agent there has no file of its own that ssh could start")
        far = [introduction.python, introduction.program, "serve-data", tree]
        far += ["--keep", introduction.keep, "--work", introduction.work]
        self._host = host
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            self._child = subprocess.Popen(
                [*ssh_command(host), shlex.join(far)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                start_new_session=True,
            )
        except OSError as error:
            raise WayFailed(f"ssh cannot be started: {error}") from None
        assert self._child.stdin is not None and self._child.stdout is not None
        self._to: BinaryIO = self._child.stdin  # type: ignore[assignment]
        self._from: BinaryIO = self._child.stdout  # type: ignore[assignment]
        try:
            self._pass_noise()
        except BaseException:
            self.close()
            raise

    def round(self, wants: bytes) -> Iterator[bytes]:
        try:
            self._to.write(_LENGTH.pack(len(wants)) + wants)
            self._to.flush()
        except OSError:
            raise self._broken() from None
        while True:
            piece = self._read_piece()
            yield piece
            if ends_round(piece):
                return

    def close(self) -> None:
        for stream in (self._to, self._from):
            with contextlib.suppress(OSError):
                stream.close()
        try:
            self._child.wait(2)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._errors.close()

    def _pass_noise(self) -> None:
        seen = b""
        while not seen.endswith(GREETING):
            byte = self._from.read(1)
            if not byte or len(seen) > MOST_NOISE:
                raise self._broken()
            seen += byte

    def _read_piece(self) -> bytes:
        length = _LENGTH.unpack(self._exactly(_LENGTH.size))[0]
        if length == _FAILED:
            size = _LENGTH.unpack(self._exactly(_LENGTH.size))[0]
            raise _far_error(self._exactly(min(size, MOST_NOISE)))
        if length > MOST_PIECE:
            raise WayFailed(f"{self._host} answered in an unknown form")
        return self._exactly(length)

    def _exactly(self, count: int) -> bytes:
        data = self._from.read(count)
        if len(data) != count:
            raise self._broken()
        return data

    def _broken(self) -> WayFailed:
        self._errors.seek(0)
        said = self._errors.read(MOST_NOISE).decode(errors="replace").strip().splitlines()
        why = said[-1] if said else "the connection ended"
        return WayFailed(f"ssh {self._host}: {why[:300]}")


def main(given: list[str]) -> int:
    """`agent.pyz serve-data TREE --keep FOLDER --work FOLDER`, started by the other agent's ssh."""
    parser = argparse.ArgumentParser(prog="serve-data")
    parser.add_argument("tree")
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    arguments = parser.parse_args(given)
    folders = Folders(arguments.keep, arguments.work, Path(tempfile.gettempdir()))
    setup = DataSetup(folders, Policy(folders.keep), lambda: load_profile(folders))
    return serve(folders, arguments.tree, sys.stdin.buffer, sys.stdout.buffer, setup.cap)


def serve(folders: Folders, tree: str, source: BinaryIO, target: BinaryIO, cap: RateCap) -> int:
    """The far side: answers rounds of wants with pieces until standard input ends."""
    target.write(GREETING)
    target.flush()
    try:
        _serve(folders, tree, source, target, cap)
    except (DiamondError, OSError) as error:
        message = error.message if isinstance(error, DiamondError) else str(error)
        code = error.code if isinstance(error, DiamondError) else "internal"
        body = json.dumps({"code": code, "message": message}).encode()
        target.write(_LENGTH.pack(_FAILED) + _LENGTH.pack(len(body)) + body)
        target.flush()
        return 1
    return 0


def _serve(folders: Folders, tree: str, source: BinaryIO, target: BinaryIO, cap: RateCap) -> None:
    if not Policy(folders.keep).allows_files:
        raise Forbidden("The policy of that machine keeps data there", code="egress")
    places = TreePlaces(folders)
    with unpacked(places, tree) as place:
        files = files_of(places.entries(tree))
        reading = Source(place.path, files, is_file=Path(place.path).is_file())
        try:
            while wants := _read_wants(source):
                _answer(reading, files, wants, lambda piece: _write(target, piece, cap))
        finally:
            reading.close()


def _answer(
    reading: Source, files: list[FileEntry], wants: bytes, write: Callable[[list[bytes]], None]
) -> None:
    wanted = decode_wants(wants, files)
    for frames in plan_pieces(files, wanted, piece=PIECE, extents=reading.extents):
        write(reading.fill(frames))


def _write(target: BinaryIO, parts: list[bytes], cap: RateCap) -> None:
    length = sum(map(len, parts))
    cap.take(length)
    target.write(_LENGTH.pack(length))
    for part in parts:
        target.write(part)
    target.flush()


def _read_wants(source: BinaryIO) -> bytes:
    head = source.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return b""
    length = _LENGTH.unpack(head)[0]
    if length > MOST_WANTS:
        raise BadRequest("What the goal wants is too large")
    return source.read(length)


def _far_error(body: bytes) -> DiamondError:
    try:
        said = json.loads(body)
        message = str(said["message"])[:500]
    except (ValueError, KeyError, TypeError):
        message = "it failed without a reason"
    return WayFailed(message)
