"""What the ranks do together: operations that all begin, or that fail on all."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import socket
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List, NoReturn, Optional, Set

from diamond.frames import engines
from diamond.frames.errors import FramesError, RankLost
from diamond.frames.mesh import DATA, END, FAIL, FAULT, LOST, NOTE, Frame, Mesh
from diamond.frames.ranks import Ranks, meeting_file, memory_bytes, own_cores, own_ranks
from diamond.frames.rendezvous import connect_all
from diamond.frames.store import Store

_TICK_SECONDS = 0.5
_LONGEST_REASON = 2000


class Session:
    """This rank, its engine and its connections. Made by the first use of frames, on all ranks."""

    def __init__(
        self, ranks: Ranks, store: Store, mesh: Optional[Mesh], *, patience: float
    ) -> None:
        self.ranks, self.store = ranks, store
        self._mesh, self._patience = mesh, patience
        self._operation = 0
        self._doing = ""
        self._problem: Optional[FramesError] = None

    @property
    def mesh(self) -> Mesh:
        if self._mesh is None:
            raise FramesError("a single rank has nobody to talk to")
        return self._mesh

    @property
    def others(self) -> List[int]:
        return [rank for rank in range(self.ranks.world) if rank != self.ranks.rank]

    @contextlib.contextmanager
    def operation(self, name: str) -> Iterator[None]:
        """What happens inside succeeds on all ranks, or raises on all of them."""
        if self._problem is not None:
            raise type(self._problem)(f"frames ended before: {self._problem}")
        if self._doing:  # part of another operation
            yield
            return
        self._doing = self.store.spill.doing = name
        self.store.sweep()
        try:
            yield
        except Exception as error:
            self._fail(error)
        finally:
            self._doing = ""
            self.store.spill.look()

    def share(self, value: Any) -> List[Any]:
        """The values of all ranks, by rank. JSON. Also notices ranks that do something else."""
        note = json.dumps({"doing": self._doing, "value": value}).encode()
        value = json.loads(note)["value"]  # the same shape here as elsewhere
        if self.ranks.world == 1:
            return [value]
        number = self._next()
        for rank in self.others:
            self.mesh.send(rank, NOTE, number, note)
        found = {self.ranks.rank: value}
        for frame in self._frames(number, set(self.others)):
            if frame.kind != NOTE:
                raise FramesError(f"rank {frame.rank} does something else than {self._doing}")
            read = json.loads(bytes(frame.payload))
            if read["doing"] != self._doing:
                raise FramesError(
                    f"ranks differ: rank {self.ranks.rank} is at {self._doing}, rank {frame.rank} at {read['doing']}. Every rank must make the same calls in the same order"
                )
            found[frame.rank] = read["value"]
        return [found[rank] for rank in range(self.ranks.world)]

    def open_exchange(self) -> Exchange:
        return Exchange(self, self._next())

    def finish(self) -> None:
        if self._mesh is not None:
            self._mesh.close()
        self.store.close()
        self._problem = self._problem or FramesError("frames.finish() was called")

    def abandon(self) -> None:
        """In a child process."""
        if self._mesh is not None:
            self._mesh.abandon()
        self._problem = FramesError(
            "frames cannot be used in a child process, such as a worker of a DataLoader"
        )

    def _next(self) -> int:
        self._operation += 1
        return self._operation

    def _frames(self, number: int, missing: Set[int]) -> Iterator[Frame]:
        """One frame of each rank in `missing`, as they come."""
        while missing:
            frame = self.next_frame(number, missing)
            missing.discard(frame.rank)
            yield frame
        self.mesh.forget(number)

    def next_frame(self, number: int, missing: Set[int]) -> Frame:
        until = time.monotonic() + self._patience
        while time.monotonic() < until:
            frame = self.mesh.receive(number, seconds=_TICK_SECONDS)
            if frame is not None:
                return frame
            self.mesh.require(sorted(missing))
        raise FramesError(
            f"ranks {sorted(missing)} did not take part in {self._doing} for {self._patience:.0f} s. Every rank must make the same calls; for slow ones use frames.start(patience_seconds=…)"
        )

    def _fail(self, error: Exception) -> NoReturn:
        """Pass it on, also what came from another rank: that one's own message may come later than this rank's end."""
        known = isinstance(error, FramesError) and str(error).startswith("rank")
        where = f"rank {self.ranks.rank} ({socket.gethostname()}): "
        text = ("" if known else where) + (str(error) or repr(error))[:_LONGEST_REASON]
        if not known:
            text = f"{text} (in {self._doing})"
        kind = type(error) if isinstance(error, FramesError) else FramesError
        problem = kind(text)
        if self._mesh is not None:
            mark = LOST if isinstance(error, RankLost) else FAULT
            self._mesh.close((FAIL, mark + text.encode()))
            self._problem = problem  # the ranks no longer agree on what has been done
        raise problem from (None if known else error)


class Exchange:
    """Rows on their way between all ranks."""

    def __init__(self, session: Session, number: int) -> None:
        self._session, self._number = session, number
        self._missing = set(session.others)
        self._sent: Dict[int, int] = dict.fromkeys(session.others, 0)
        self._received: Dict[int, int] = dict.fromkeys(session.others, 0)

    def send(self, rank: int, payload: Any, rows: int) -> Iterator[Frame]:
        """Yields what arrives while there is no room to send."""
        mesh = self._session.mesh
        while not mesh.has_room():
            frame = mesh.receive(self._number, seconds=_TICK_SECONDS, or_room=True)
            if frame is not None:
                yield from self._take(frame)
        self._sent[rank] += rows
        mesh.send(rank, DATA, self._number, payload)

    def arrived(self) -> Iterator[Frame]:
        """What has come so far, without waiting."""
        while True:
            frame = self._session.mesh.receive(self._number, seconds=0)
            if frame is None:
                return
            yield from self._take(frame)

    def rest(self) -> Iterator[Frame]:
        """Say that this rank has sent everything, and yield what comes until all others have said so."""
        mesh = self._session.mesh
        for rank, rows in self._sent.items():
            mesh.send(rank, END, self._number, json.dumps(rows).encode())
        while self._missing:
            yield from self._take(self._session.next_frame(self._number, self._missing))
        mesh.forget(self._number)

    def count(self, rank: int, rows: int) -> None:
        self._received[rank] += rows

    def _take(self, frame: Frame) -> Iterator[Frame]:
        if frame.kind == DATA:
            yield frame
            return
        if frame.kind != END:
            raise FramesError(f"rank {frame.rank} does something else at this point")
        rows = json.loads(bytes(frame.payload))
        if rows != self._received[frame.rank]:
            raise FramesError(
                f"{self._received[frame.rank]} rows of rank {frame.rank} arrived, but it sent {rows}"
            )
        self._missing.discard(frame.rank)


def start(
    *,
    memory: int = 0,
    spill: Optional[Path] = None,
    threads: int = 0,
    patience_seconds: float = 600,
    connect_seconds: float = 300,
) -> Session:
    """Connect the ranks. Without this call, the first frame does it with these defaults.

    `memory` is in bytes per rank: by default, half of what the job may use on the node, divided among its ranks there.
    What does not fit is written to `spill`, by default `$TMPDIR`, and said in the log.
    """
    global _session
    if _session is not None and _session._problem is None:
        raise FramesError("frames have started: call frames.start() before anything else, once")
    ranks = own_ranks()
    engines.arrow(), engines.numpy()  # what is missing is said before the ranks meet
    store = Store(memory=memory or memory_bytes(ranks), threads=threads or own_cores(), spill=spill)
    try:
        mesh = None
        if ranks.world > 1:
            mesh = Mesh(connect_all(ranks, meeting_file(), seconds=connect_seconds))
            _say_connected(ranks.rank)
    except BaseException:
        store.close()
        raise
    _session = Session(ranks, store, mesh, patience=patience_seconds)
    return _session


def _say_connected(rank: int) -> None:
    """To whoever watches this rank, and sees that it has a library that never connects (`launchers/ranks`)."""
    with contextlib.suppress(OSError):
        (meeting_file().parent / "ranks" / f"{rank}.connected").touch()


def finish() -> None:
    """Leave the other ranks and free memory and disk. Happens by itself when the program ends."""
    global _session
    ended, _session = _session, None
    if ended is not None:
        ended.finish()


def current() -> Session:
    return _session if _session is not None else start()


_session: Optional[Session] = None
atexit.register(finish)


_of_parent: List[Session] = []


def _in_child() -> None:
    """Connections and files are the parent's; none may end with the child."""
    global _session
    if _session is not None:
        _session.abandon()
        _of_parent.append(_session)
        _session = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
