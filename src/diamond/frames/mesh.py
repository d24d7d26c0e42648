"""Frames of bytes between all ranks: one thread sends and receives, so that no rank waits for another one to read.

A frame has a kind, the number of the operation it belongs to, and a length. Nothing received is executed or unpickled:
data are Arrow IPC messages, notes are JSON.
"""

from __future__ import annotations

import collections
import contextlib
import os
import selectors
import socket
import struct
import threading
import time
from dataclasses import dataclass, field
from typing import Any, Deque, Dict, List, Optional, Sequence, Tuple

from diamond.frames.errors import FramesError, RankLost

DATA, END, NOTE, FAIL, BEAT, BYE = range(1, 7)
FAULT, LOST = b"f", b"l"
"""How the payload of FAIL begins."""
_HEADER = struct.Struct("!BQQ")
LONGEST_FRAME = 1 << 31
QUEUED_BYTES = 64 << 20
"""What may wait to be sent, and what may wait to be taken, each summed over all other ranks."""
BEAT_SECONDS = 5.0
LOST_SECONDS = 60.0
_LATE_SECONDS = 15.0
"""A thread that wakes this much too late was suspended; so was what it waited for, perhaps."""


@dataclass(frozen=True)
class Frame:
    rank: int
    kind: int
    payload: memoryview


@dataclass
class _Peer:
    rank: int
    socket: socket.socket
    out: Deque[memoryview] = field(default_factory=collections.deque)
    header: bytearray = field(default_factory=lambda: bytearray(_HEADER.size))
    body: Optional[bytearray] = None
    kind: int = 0
    operation: int = 0
    filled: int = 0
    waiting_bytes: int = 0
    """Received and not yet taken."""
    paused: bool = False
    left: bool = False
    heard: float = field(default_factory=time.monotonic)
    spoke: float = field(default_factory=time.monotonic)


class Mesh:
    """`send` and `receive` are for one thread; frames of later operations wait until they are asked for."""

    def __init__(self, connections: Dict[int, socket.socket]) -> None:
        self._peers = {rank: _Peer(rank, opened) for rank, opened in connections.items()}
        self._change = threading.Condition()
        self._inbox: Dict[int, Deque[Frame]] = collections.defaultdict(collections.deque)
        self._queued = 0
        self._problem: Optional[FramesError] = None
        self._closing = False
        self._most_waiting = QUEUED_BYTES // max(1, len(self._peers))
        self._wake_from, self._wake_to = socket.socketpair()
        self._wake_from.setblocking(False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._wake_from, selectors.EVENT_READ, None)
        for peer in self._peers.values():
            peer.socket.setblocking(False)
            self._selector.register(peer.socket, selectors.EVENT_READ, peer)
        self._thread = threading.Thread(target=self._run, name="diamond-frames", daemon=True)
        self._thread.start()

    @property
    def ranks(self) -> List[int]:
        return sorted(self._peers)

    def has_room(self) -> bool:
        """Whether more may be sent now. Whoever must wait takes what has arrived meanwhile."""
        with self._change:
            return self._queued < QUEUED_BYTES

    def send(self, rank: int, kind: int, operation: int, payload: Any = b"") -> None:
        """Queue a frame. The payload must not be changed afterwards."""
        with self._change:
            self._raise_problem()
            self._enqueue(self._peers[rank], kind, operation, payload)
        self._wake()

    def receive(self, operation: int, *, seconds: float, or_room: bool = False) -> Optional[Frame]:
        """The next frame of this operation; None when the time is over, or as soon as there is room to send."""
        until = time.monotonic() + seconds
        with self._change:
            while not self._inbox[operation]:
                self._raise_problem()
                left = until - time.monotonic()
                if left <= 0 or (or_room and self._queued < QUEUED_BYTES):
                    return None
                self._change.wait(left)
            frame = self._inbox[operation].popleft()
            peer = self._peers[frame.rank]
            peer.waiting_bytes -= len(frame.payload)
            resume = peer.paused and peer.waiting_bytes < self._most_waiting
        if resume:
            self._wake()
        return frame

    def forget(self, operation: int) -> None:
        with self._change:
            self._inbox.pop(operation, None)

    def require(self, ranks: Sequence[int]) -> None:
        """Raise if one of them has said goodbye."""
        with self._change:
            self._raise_problem()
            gone = [rank for rank in ranks if self._peers[rank].left]
        if gone:
            raise RankLost(
                f"ranks {gone} have ended, or called frames.finish(), while others continue"
            )

    def close(self, farewell: Optional[Tuple[int, bytes]] = None, *, seconds: float = 5.0) -> None:
        """Say goodbye, or why this rank fails (a mark, then a text), and close."""
        kind, payload = farewell or (BYE, b"")
        with self._change:
            if self._closing:
                return
            for peer in self._peers.values():
                self._enqueue(peer, kind, 0, payload)
            self._closing = True
        self._wake()
        self._thread.join(seconds)

    def abandon(self) -> None:
        """In a child process: the connections are the parent's."""
        for peer in self._peers.values():
            with contextlib.suppress(OSError):
                os.close(peer.socket.detach())

    def _enqueue(self, peer: _Peer, kind: int, operation: int, payload: Any = b"") -> None:
        """While holding the lock. To a peer that is gone, nothing is sent."""
        if peer.socket.fileno() < 0:
            return
        body = memoryview(payload).cast("B")
        for part in (memoryview(_HEADER.pack(kind, operation, len(body))), body):
            if len(part):
                peer.out.append(part)
                self._queued += len(part)

    def _raise_problem(self) -> None:
        if self._problem is not None:
            raise type(self._problem)(str(self._problem))

    def _wake(self) -> None:
        with contextlib.suppress(OSError):
            self._wake_to.send(b"\0")

    def _fail(self, problem: FramesError) -> None:
        with self._change:
            self._problem = self._problem or problem
            self._change.notify_all()

    # What follows runs in the thread.

    def _run(self) -> None:
        woke = time.monotonic()
        give_up = float("inf")
        try:
            while True:
                late = time.monotonic() - woke > _LATE_SECONDS
                woke = time.monotonic()
                self._attend(late)
                if self._closing:
                    give_up = min(give_up, woke + 5)
                    if woke > give_up or not any(p.out for p in self._peers.values()):
                        break
                for key, events in self._selector.select(1.0):
                    self._serve(key.data, events)
        except Exception as error:
            self._fail(FramesError(f"frames cannot continue: {error!r}"))
        finally:
            for peer in self._peers.values():
                peer.socket.close()

    def _serve(self, peer: Optional[_Peer], events: int) -> None:
        if peer is None:
            with contextlib.suppress(OSError):
                self._wake_from.recv(4096)
            return
        try:
            if events & selectors.EVENT_WRITE:
                self._write(peer)
            if events & selectors.EVENT_READ:
                self._read(peer)
        except (OSError, ValueError) as error:
            self._drop(peer, str(error))

    def _attend(self, late: bool) -> None:
        """Set what each connection waits for, send signs of life, and notice a peer without any."""
        now = time.monotonic()
        for peer in list(self._peers.values()):
            if peer.socket.fileno() < 0:
                continue
            with self._change:
                if late:
                    peer.heard = now
                peer.paused = peer.waiting_bytes >= self._most_waiting
                if not peer.out and now - peer.spoke > BEAT_SECONDS:
                    self._enqueue(peer, BEAT, 0)
                events = (0 if peer.paused else selectors.EVENT_READ) | (
                    selectors.EVENT_WRITE if peer.out else 0
                )
                if peer.paused:
                    peer.heard = now
            self._listen(peer, events)
            if now - peer.heard > LOST_SECONDS and not peer.left:
                self._drop(peer, f"no sign of life for {LOST_SECONDS:.0f} s")

    def _listen(self, peer: _Peer, events: int) -> None:
        registered = self._selector.get_map().get(peer.socket)
        if registered is None:
            if events:
                self._selector.register(peer.socket, events, peer)
        elif not events:
            self._selector.unregister(peer.socket)
        elif registered.events != events:
            self._selector.modify(peer.socket, events, peer)

    def _write(self, peer: _Peer) -> None:
        with self._change:
            parts = [peer.out[at] for at in range(min(len(peer.out), 16))]
        if not parts:
            return
        try:
            sent = peer.socket.sendmsg(parts)
        except BlockingIOError:
            return
        peer.spoke = time.monotonic()
        with self._change:
            self._queued -= sent
            while sent:
                part = peer.out.popleft()
                if sent < len(part):
                    peer.out.appendleft(part[sent:])
                sent = max(0, sent - len(part))
            self._change.notify_all()

    def _read(self, peer: _Peer) -> None:
        while not peer.paused:
            target = memoryview(peer.header if peer.body is None else peer.body)[peer.filled :]
            try:
                count = peer.socket.recv_into(target) if len(target) else 0
            except BlockingIOError:
                return
            if not count and len(target):
                self._drop(peer, "it ended, or its connection broke")
                return
            peer.heard = time.monotonic()
            peer.filled += count
            if count == len(target):
                self._advance(peer)

    def _advance(self, peer: _Peer) -> None:
        """A header or a body is complete."""
        if peer.body is None:
            peer.kind, peer.operation, length = _HEADER.unpack(bytes(peer.header))
            if length > LONGEST_FRAME or not DATA <= peer.kind <= BYE:
                raise ValueError("it sent something that is not a frame")
            peer.body, peer.filled = bytearray(length), 0
            if length:
                return
        body, peer.body, peer.filled = peer.body, None, 0
        self._take(peer, memoryview(body))

    def _take(self, peer: _Peer, payload: memoryview) -> None:
        if peer.kind == FAIL:
            text = bytes(payload[1:]).decode(errors="replace")
            self._fail(RankLost(text) if payload[:1] == LOST else FramesError(text))
        elif peer.kind == BYE:
            peer.left = True
            with self._change:
                self._change.notify_all()
        elif peer.kind != BEAT:
            with self._change:
                self._inbox[peer.operation].append(Frame(peer.rank, peer.kind, payload))
                peer.waiting_bytes += len(payload)
                peer.paused = peer.waiting_bytes >= self._most_waiting
                self._change.notify_all()

    def _drop(self, peer: _Peer, why: str) -> None:
        if peer.socket.fileno() >= 0:
            with contextlib.suppress(KeyError, ValueError):
                self._selector.unregister(peer.socket)
            peer.socket.close()
        with self._change:
            self._queued -= sum(len(part) for part in peer.out)
            peer.out.clear()
        if not peer.left:
            self._fail(RankLost(f"rank {peer.rank} is lost: {why}"))
