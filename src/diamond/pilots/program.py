"""The program of a pilot: reads requests, packs them, claims, has the engine start them, and keeps the journal."""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Dict, List, Mapping, Optional, Set, Tuple

from diamond.core.decoding import encode
from diamond.pilots.engine import (
    Begun,
    Engine,
    EngineFailed,
    Event,
    GivenBack,
    Launch,
    NodeDown,
    NodeUp,
    Over,
    inherited,
)
from diamond.pilots.engines import make_engine
from diamond.pilots.journal import (
    CANCELLED,
    ENGINE,
    EXIT,
    NO_ROOM,
    NODE_LOST,
    TIME_LIMIT,
    WALL_TIME,
    Claimed,
    Closed,
    Closing,
    Ended,
    Entry,
    History,
    Node,
    Opened,
    Returned,
    Share,
    Started,
    entry_line,
    read_entry,
)
from diamond.pilots.json_lines import Appender, Tail
from diamond.pilots.packing import Packing, Waiting, ask_of
from diamond.pilots.processes import adopt_orphans
from diamond.pilots.requests import Cancel, Close, Execution, Run, read_request
from diamond.pilots.settings import PilotSettings, read_settings
from diamond.pilots.surroundings import launch_environment

CONTINUE, DONE, FAILED = 75, 0, 70
QUICK_SECONDS, QUIET_SECONDS = 0.05, 0.5
"""Between two looks for requests, while something happens and otherwise."""
LIVELY_SECONDS = 10.0
MARGIN_SECONDS = 15.0
"""Before the allocation's end the programs are ended, so that they still say how."""
OPEN_SECONDS = 120.0
"""How long the first node may take."""
LATE_NODE_SECONDS = 15.0
"""How long the others wait for a node that does not come."""
ENDING_SECONDS = 6.0
"""Asked to end by its batch system, a pilot still hears how its programs end."""
AHEAD_SECONDS, MOST_AHEAD = 0.25, 32
"""How much work may be claimed ahead on the same cores, and how many executions at most."""
LEAST_RUN = 10
"""From so few nothing is concluded about how long others take."""
MOST_ENGINES = 3
"""So often an engine is started again in one allocation."""


def run_pilot(settings_file: str) -> int:
    settings = read_settings(settings_file)
    folder = Path(settings.folder)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    base = inherited(os.environ)
    adopt_orphans()
    pilot = PilotProgram(settings, Surroundings.of(settings, os.environ), base)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, pilot.asked_to_end)
    return pilot.run()


@dataclass(frozen=True)
class Surroundings:
    """What the batch script of the pilot's own job says."""

    allocation: str
    deadline: Optional[float]
    """On the clock of this node."""
    stop_file: Path

    @classmethod
    def of(cls, settings: PilotSettings, given: Mapping[str, str]) -> Surroundings:
        owner = Path(settings.attempt, "claim", "owner").read_text(encoding="utf-8").split()
        deadline = given.get("DIAMOND_DEADLINE", "")
        return cls(
            allocation=owner[0],
            deadline=float(deadline) if deadline.isdigit() else None,
            stop_file=Path(given.get("DIAMOND_STOP_FILE", str(Path(settings.attempt, "stop")))),
        )


@dataclass
class Running:
    execution: Execution
    shares: List[Share]
    seconds: float
    is_cut: bool
    """The allocation ends before its own time limit."""
    after: str = ""
    """It takes the place of this one."""
    place: int = 0
    """How many are before it on its cores."""
    seen_at: float = 0.0
    """When it was heard that it began, on our own clock."""
    follower: str = ""
    began_at: float = 0.0
    is_called_back: bool = False
    is_bereft: bool = False
    """It has lost one of its nodes, and is being ended on the others."""


@dataclass
class PilotProgram:
    settings: PilotSettings
    surroundings: Surroundings
    environment: Mapping[str, str]
    packing: Packing = field(default_factory=Packing)
    waiting: Waiting = field(default_factory=Waiting)
    asked: Dict[str, Execution] = field(default_factory=dict)
    """Those that wait."""
    running: Dict[str, Running] = field(default_factory=dict)
    known: Set[str] = field(default_factory=set)
    """Every id that was ever claimed or ended: none is started again."""
    entries: List[Entry] = field(default_factory=list)
    """To be written with the next group."""

    def __post_init__(self) -> None:
        folder = Path(self.settings.folder)
        self._requests = Tail(str(folder / "requests.jsonl"))
        self._journal = Appender(str(folder / "journal.jsonl"))
        self._is_closing = self._is_asked_to_end = self._is_open = False
        self._busy_at = self._looked_at = time.monotonic()
        self._recent, self._ran = 0.0, 0
        self._first_node_at = self._node_at = self._stuck_at = 0.0
        self._seen: Dict[str, Node] = {}
        self._was_cut = self._is_asked_to_close = False
        self._engines = 0

    def asked_to_end(self, number: int, frame: Optional[FrameType]) -> None:
        self._is_asked_to_end = True

    def run(self) -> int:
        self._replay()
        engine = self._open_engine()
        try:
            while not self._is_over():
                try:
                    self._step(engine)
                except EngineFailed as error:
                    _say(f"the engine ended: {error}")
                    engine.close()
                    self._lose_all(ENGINE)
                    engine = self._open_engine()
            return self._leave(engine)
        finally:
            engine.close()

    def _replay(self) -> None:
        history = History()
        journal = Tail(self._journal.path)
        while lines := journal.read():
            for _, line in lines:
                entry = read_entry(line)
                if entry is not None:
                    history.add(entry)
        for name, state in history.executions.items():
            if state.is_claimed or state.started_at or state.ended is not None:
                self.known.add(name)  # one that was only returned waits again

    def _open_engine(self) -> Engine:
        self._engines += 1
        if self._engines > MOST_ENGINES:
            raise SystemExit(FAILED)
        self.packing = Packing()
        engine = make_engine(self.settings, self.environment)
        engine.open()
        return engine

    def _step(self, engine: Engine) -> None:
        now = time.monotonic()
        is_lively = now - self._busy_at < LIVELY_SECONDS
        if now - self._looked_at >= (QUICK_SECONDS if is_lively else QUIET_SECONDS):
            self._looked_at = now
            self._read_requests(engine)
            self._look_at_the_time()
            self._open_if_ready()
        launches = self._claim(now)
        self._write()
        if launches:
            engine.start(launches)
        self._take_back_late_ones(engine, now)
        for event in engine.events(QUICK_SECONDS):
            self._take(event, engine)

    def _is_over(self) -> bool:
        if self._is_asked_to_end:
            return True
        if self.running:
            return False
        now = time.monotonic()
        self._node_at = now if self.packing.nodes or not self._node_at else self._node_at
        if now - self._node_at > OPEN_SECONDS:
            _say("no node of the allocation can be reached")
            return True
        if self._is_closing:
            return True
        if self.asked and self._stuck_at and now - self._stuck_at > OPEN_SECONDS:
            _say("what waits needs nodes that were lost and do not come back")
            return True
        is_idle = now - self._busy_at > self.settings.idle_seconds
        return self._is_open and not self.asked and is_idle

    # what is asked for

    def _read_requests(self, engine: Engine) -> None:
        for _, line in self._requests.read():
            self._busy_at = time.monotonic()
            request = read_request(line)
            if isinstance(request, Run):
                self._ask(request.execution)
            elif isinstance(request, Cancel):
                self._cancel(request, engine)
            elif isinstance(request, Close):
                self._is_asked_to_close = True
                self._begin_closing("asked to close")

    def _ask(self, execution: Execution) -> None:
        if execution.id in self.known or execution.id in self.asked:
            return
        self.asked[execution.id] = execution
        self.waiting.add(execution.id, ask_of(execution), now=time.monotonic())

    def _cancel(self, request: Cancel, engine: Engine) -> None:
        if request.id in self.running:
            node = self.running[request.id].shares[0].node
            engine.kill(request.id, node, at_once=request.kill)
        elif request.id not in self.known:
            self.asked.pop(request.id, None)
            self.waiting.remove(request.id)
            self.known.add(request.id)
            self.entries.append(Ended(request.id, CANCELLED, at=time.time()))

    def _look_at_the_time(self) -> None:
        if not self._is_closing and self.surroundings.stop_file.exists():
            self._begin_closing("the allocation ends soon")

    def _begin_closing(self, why: str) -> None:
        if not self._is_closing:
            self._is_closing = True
            self.entries.append(Closing(why, at=time.time()))

    # what begins

    def _claim(self, now: float) -> List[Launch]:
        if self._is_closing or not self.asked or not self._is_open:
            self._stuck_at = 0.0
            return []
        begun = self.waiting.start(self.packing, now=now, patience=self._patience())
        launches = [self._claim_one(name, shares) for name, shares in begun]
        if not self.running:
            self._refuse_impossible()
        is_stuck = bool(self.asked) and not self.running
        self._stuck_at = (self._stuck_at or now) if is_stuck else 0.0
        return launches + self._claim_ahead()

    def _refuse_impossible(self) -> None:
        """By all nodes that were ever there: one that is lost may come back, and a late one may still come."""
        is_whole = len(self._seen) >= self.settings.nodes
        if not is_whole and time.monotonic() - self._first_node_at < OPEN_SECONDS:
            return
        for name in self.waiting.impossible(Packing(list(self._seen.values()))):
            self.waiting.remove(name)
            del self.asked[name]
            self.known.add(name)
            self.entries.append(Ended(name, NO_ROOM, at=time.time()))

    def _claim_ahead(self) -> List[Launch]:
        """Where executions are so short that writing a claim takes as long: each gets followers, on the same cores."""
        depth = min(MOST_AHEAD, int(AHEAD_SECONDS / max(self._usual, 1e-3)))
        depth = depth if self._ran >= LEAST_RUN and len(self.asked) > depth else 0
        launches: List[Launch] = []
        if not depth or not self.asked:
            return launches
        for last in [name for name, each in self.running.items() if not each.follower]:
            while self.running[last].place < depth:
                name = self.waiting.next_like(ask_of(self.running[last].execution))
                if name is None:
                    break
                launches.append(self._claim_one(name, self.running[last].shares, after=last))
                self.running[last].follower, last = name, name
        return launches

    def _claim_one(self, name: str, shares: List[Share], *, after: str = "") -> Launch:
        execution = self.asked.pop(name)
        seconds, is_cut = self._seconds_of(execution)
        place = self.running[after].place + 1 if after else 0
        self.running[name] = Running(execution, shares, seconds, is_cut, after, place)
        self.known.add(name)
        self.entries.append(Claimed(name, self.surroundings.allocation, shares, at=time.time()))
        return self._launch(self.running[name])

    def _take_back_late_ones(self, engine: Engine, now: float) -> None:
        """Those behind one that takes longer than those before did: they may begin on other cores."""
        for head in list(self.running.values()):
            is_long = not head.after and head.seen_at and now - head.seen_at > 2 * AHEAD_SECONDS
            follower = head.follower if is_long else ""
            while follower in self.running:
                running = self.running[follower]
                if not running.is_called_back:
                    running.is_called_back = True
                    engine.take_back(follower, running.shares[0].node)
                follower = running.follower

    def _given_back(self, name: str) -> None:
        running = self.running.pop(name)
        self._hand_over(running)
        self.known.discard(name)
        self.entries.append(Returned(name, at=time.time()))
        self._recent = 1.0  # they are not short any more
        self._ask(running.execution)

    @property
    def _usual(self) -> float:
        """Seconds that the last executions took."""
        return self._recent or 1.0

    def _patience(self) -> float:
        """Twice what an execution takes here: after that nodes are kept free for a wide one."""
        return min(3600.0, max(1.0, 2 * self._usual))

    def _seconds_of(self, execution: Execution) -> Tuple[float, bool]:
        deadline = self.surroundings.deadline
        if deadline is None:
            return float(execution.seconds), False
        left = max(1.0, deadline - time.time() - MARGIN_SECONDS)
        return min(float(execution.seconds), left), left < execution.seconds

    def _launch(self, running: Running) -> Launch:
        execution, first = running.execution, running.shares[0]
        node = self.packing.nodes[first.node]
        return Launch(
            id=execution.id,
            node=first.node,
            words=["/bin/bash", execution.script],
            folder=execution.folder,
            environment=launch_environment(
                execution,
                running.shares,
                task=self.settings.task,
                seconds=running.seconds,
                starter=self.settings.starter,
            ),
            seconds=running.seconds,
            after=running.after,
            cores=list(first.cores) if node.is_bound else [],
            lean=encode(execution.lean) if execution.lean is not None else None,
        )

    # what happens

    def _take(self, event: Event, engine: Engine) -> None:
        self._busy_at = time.monotonic()
        if isinstance(event, NodeUp):
            self._node_is_up(event.node)
        elif isinstance(event, NodeDown):
            self._node_is_down(event, engine)
        elif isinstance(event, Begun) and event.id in self.running:
            self.running[event.id].began_at = event.at
            self.running[event.id].seen_at = time.monotonic()
            self.entries.append(Started(event.id, at=event.at))
        elif isinstance(event, GivenBack) and event.id in self.running:
            self._given_back(event.id)
        elif isinstance(event, Over) and event.id in self.running:
            self._is_over_now(event)

    def _node_is_up(self, node: Node) -> None:
        self.packing.add(node)
        self._seen[node.name] = node
        self._first_node_at = self._first_node_at or time.monotonic()
        self._open_if_ready()

    def _open_if_ready(self) -> None:
        """With all nodes, or after a while with those there are."""
        if self._is_open or not self.packing.nodes:
            return
        is_whole = len(self.packing.nodes) >= self.settings.nodes
        if is_whole or time.monotonic() - self._first_node_at > LATE_NODE_SECONDS:
            self._is_open, self._busy_at = True, time.monotonic()
            self.entries.append(self._opened())

    def _opened(self) -> Opened:
        deadline = self.surroundings.deadline
        left = None if deadline is None else max(0, int(deadline - time.time()))
        nodes = list(self.packing.nodes.values())
        return Opened(self.surroundings.allocation, nodes, left, at=time.time())

    def _node_is_down(self, event: NodeDown, engine: Engine) -> None:
        """A program that was started there is gone with it; one that has it as a further node is ended where it was started."""
        _say(f"node {event.name} is gone: {event.why}")
        self.packing.remove(event.name)
        for name, running in list(self.running.items()):
            shares = [share for share in running.shares if share.node != event.name]
            if len(shares) == len(running.shares):
                continue
            is_gone = running.shares[0].node == event.name
            engine.kill(name, running.shares[0].node, at_once=is_gone)
            if is_gone:
                self._finish(name, Ended(name, NODE_LOST, at=time.time()))
            else:
                running.shares, running.is_bereft = shares, True

    def _is_over_now(self, event: Over) -> None:
        running, reason = self.running[event.id], event.reason
        if reason == TIME_LIMIT and running.is_cut:
            reason, self._was_cut = WALL_TIME, True
        code = event.code if event.code >= 0 else None
        number = -event.code if event.code < 0 else None
        if running.is_bereft and (reason, code) != (EXIT, 0):
            self._finish(event.id, Ended(event.id, NODE_LOST, at=event.at))
            return
        if (
            self._is_asked_to_end
            and reason in (EXIT, CANCELLED)
            and event.code not in (0, CONTINUE)
        ):
            return  # its allocation ended it: claimed and never ended says so
        self._finish(event.id, Ended(event.id, reason, code, number, at=event.at))

    def _finish(self, name: str, ended: Ended) -> None:
        running = self.running.pop(name)
        self._hand_over(running)
        took = max(0.0, ended.at - running.began_at) if running.began_at else 0.0
        self._ran += 1
        self._recent += (took - self._recent) / min(self._ran, 20)
        self.entries.append(ended)

    def _hand_over(self, running: Running) -> None:
        """To its follower, who is next on its cores; else they are free."""
        before = self.running.get(running.after)
        if before is not None and before.follower:
            before.follower = running.follower
        elif not running.follower:
            self.packing.release(running.shares)
        follower = self.running.get(running.follower)
        if follower is not None:
            follower.after = running.after if before is not None else ""
            while follower is not None:
                follower.place -= 1
                follower = self.running.get(follower.follower)

    def _lose_all(self, reason: str) -> None:
        for name in list(self.running):
            self._finish(name, Ended(name, reason, at=time.time()))
        self._write()

    def _write(self) -> None:
        """One write and one fsync for all that happened in a step: a claim is on disk before its program starts."""
        if self.entries:
            entries, self.entries = self.entries, []
            self._journal.write([entry_line(each) for each in entries], durable=True)

    # the end

    def _leave(self, engine: Engine) -> int:
        self._begin_closing("asked to end" if self._is_asked_to_end else "nothing left to do")
        self._write()
        if self.running:
            for name, running in self.running.items():
                engine.kill(name, running.shares[0].node, at_once=False)
            until = time.monotonic() + ENDING_SECONDS
            while self.running and time.monotonic() < until:
                for event in engine.events(0.1):
                    self._take(event, engine)
                self._write()
        is_out_of_time = self.surroundings.stop_file.exists()
        is_ended = self._is_asked_to_end and not is_out_of_time
        is_left = bool(self.asked or self.running) or self._was_cut
        continues = is_ended or (is_out_of_time and is_left and not self._is_asked_to_close)
        self.entries.append(Closed(self._requests.position, continues, at=time.time()))
        self._write()
        if is_ended:
            return 128 + signal.SIGTERM
        return CONTINUE if continues else DONE


def _say(message: str) -> None:
    print(f"diamond: {message}", file=sys.stderr, flush=True)
