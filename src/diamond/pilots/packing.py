"""Shares out the cores, GPUs and memory of nodes among executions. Pure: no clock, no disk."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import (
    AbstractSet,
    Deque,
    Dict,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
)

from diamond.pilots.journal import Node, Share
from diamond.pilots.requests import Execution

TURN = 10
"""After so many times its patience nothing goes before it any more."""


class Ask(NamedTuple):
    """What an execution needs: of each of its nodes."""

    nodes: int = 1
    cores: int = 1
    gpus: int = 0
    memory_mb: int = 0


def ask_of(execution: Execution) -> Ask:
    return Ask(execution.nodes, execution.cores, execution.gpus_per_node, execution.memory_mb)


@dataclass
class _Free:
    cores: List[int]
    gpus: List[int]
    memory_mb: int
    has_memory: bool
    """Whether the node says how much it has; else memory is not counted."""

    def fits(self, ask: Ask) -> bool:
        return (
            len(self.cores) >= ask.cores
            and len(self.gpus) >= ask.gpus
            and (not self.has_memory or self.memory_mb >= ask.memory_mb)
        )


class Packing:
    """What is free on each node."""

    def __init__(self, nodes: Sequence[Node] = ()) -> None:
        self.nodes: Dict[str, Node] = {}
        self._free: Dict[str, _Free] = {}
        for node in nodes:
            self.add(node)

    def add(self, node: Node) -> None:
        self.nodes[node.name] = node
        self._free[node.name] = _Free(
            sorted(node.cores), sorted(node.gpus), node.memory_mb, node.memory_mb > 0
        )

    def remove(self, name: str) -> None:
        self.nodes.pop(name, None)
        self._free.pop(name, None)

    def could_ever_fit(self, ask: Ask) -> bool:
        """On these nodes while nothing else runs."""
        return _fit_on(self.nodes.values(), ask) >= ask.nodes

    def place(self, ask: Ask, *, without: AbstractSet[str] = frozenset()) -> Optional[List[Share]]:
        """Its shares, taken; None while they are not free. The fullest nodes first: whole ones stay for wide executions."""
        fitting = [
            name for name, free in self._free.items() if name not in without and free.fits(ask)
        ]
        if len(fitting) < ask.nodes:
            return None
        chosen = sorted(fitting, key=self._fullness)[: ask.nodes]
        return [self._take(name, ask) for name in sorted(chosen)]

    def release(self, shares: Sequence[Share]) -> None:
        """Of a node that is gone nothing comes back."""
        for share in shares:
            free = self._free.get(share.node)
            if free is not None:
                free.cores = sorted({*free.cores, *share.cores})
                free.gpus = sorted({*free.gpus, *share.gpus})
                free.memory_mb += share.memory_mb

    def nearly_free(self, ask: Ask) -> Set[str]:
        """The nodes that will be able to take `ask` first: those with the most cores free now, of those large enough."""
        able = [name for name, node in self.nodes.items() if _fit_on([node], ask)]
        able.sort(key=lambda name: (-len(self._free[name].cores), name))
        return set(able[: ask.nodes])

    def _fullness(self, name: str) -> Tuple[int, int, str]:
        free = self._free[name]
        return len(free.gpus), len(free.cores), name

    def _take(self, name: str, ask: Ask) -> Share:
        free = self._free[name]
        cores, free.cores = free.cores[: ask.cores], free.cores[ask.cores :]
        gpus, free.gpus = free.gpus[: ask.gpus], free.gpus[ask.gpus :]
        memory = ask.memory_mb if free.has_memory else 0
        free.memory_mb -= memory
        return Share(name, cores, gpus, memory)


class Waiting:
    """Executions that were asked for and not begun. The widest goes first, which leaves the fewest holes; once it has waited for
    longer than `patience`, the nodes that it needs are kept free for it. Whatever has waited ten times as long goes in its turn.
    """

    def __init__(self) -> None:
        self._by_ask: Dict[Ask, Deque[Tuple[float, str]]] = {}
        self._asks: Dict[str, Ask] = {}

    def __len__(self) -> int:
        return len(self._asks)

    def add(self, name: str, ask: Ask, *, now: float) -> None:
        self._asks[name] = ask
        self._by_ask.setdefault(ask, deque()).append((now, name))

    def remove(self, name: str) -> bool:
        """False if it is not waiting."""
        return self._asks.pop(name, None) is not None

    def start(
        self, packing: Packing, *, now: float, patience: float
    ) -> Iterator[Tuple[str, List[Share]]]:
        """Those that can begin now, with what they take."""
        kept: Set[str] = set()
        for ask in self._in_turn(now, patience):
            line = self._by_ask[ask]
            while self._has_waiting(line):
                shares = packing.place(ask, without=kept)
                if shares is None:
                    break
                _, name = line.popleft()
                del self._asks[name]
                yield name, shares
            if line and not kept and now - line[0][0] >= patience:
                kept = packing.nearly_free(ask)

    def next_like(self, ask: Ask) -> Optional[str]:
        """The one that waits longest of those that need the same."""
        line = self._by_ask.get(ask)
        if line is None or not self._has_waiting(line):
            return None
        _, name = line.popleft()
        del self._asks[name]
        return name

    def impossible(self, packing: Packing) -> List[str]:
        """Those that fit none of the nodes there are."""
        asks = [ask for ask in self._by_ask if not packing.could_ever_fit(ask)]
        return [name for ask in asks for _, name in self._by_ask[ask] if name in self._asks]

    def _has_waiting(self, line: Deque[Tuple[float, str]]) -> bool:
        """Drops what was removed meanwhile."""
        while line and line[0][1] not in self._asks:
            line.popleft()
        return bool(line)

    def _in_turn(self, now: float, patience: float) -> List[Ask]:
        lines = [(ask, line[0][0]) for ask, line in self._by_ask.items() if self._has_waiting(line)]
        self._by_ask = {ask: self._by_ask[ask] for ask, _ in lines}
        turn = TURN * patience
        old = [(since, ask) for ask, since in lines if now - since >= turn]
        young = [
            (-ask.nodes, -ask.gpus, -ask.cores, since, ask)
            for ask, since in lines
            if now - since < turn
        ]
        return [each[-1] for each in sorted(old)] + [each[-1] for each in sorted(young)]


def _fit_on(nodes: Iterable[Node], ask: Ask) -> int:
    return sum(
        len(node.cores) >= ask.cores
        and len(node.gpus) >= ask.gpus
        and (not node.memory_mb or node.memory_mb >= ask.memory_mb)
        for node in nodes
    )
