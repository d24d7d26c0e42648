"""The ranks of a training, and what they have to agree on."""

from __future__ import annotations

import os
import socket
import time
from typing import Any, List, Optional, Sequence, Tuple

import torch
import torch.distributed as dist

_ASK_EVERY_SECONDS = 0.1
_MOST_CALLS_BETWEEN = 50


class Ranks:
    """This process among all ranks, with a separate gloo group for checkpoints: the training's is left alone."""

    def __init__(self) -> None:
        joined = dist.is_available() and dist.is_initialized()
        self.rank: int = dist.get_rank() if joined else 0
        self.world_size: int = dist.get_world_size() if joined else 1
        self.group: Any = dist.new_group(backend="gloo") if self.world_size > 1 else None

    @property
    def nodes(self) -> int:
        """From the launcher's variables."""
        local = os.environ.get("LOCAL_WORLD_SIZE", "")
        per_node = int(local) if local.isdigit() and int(local) else self.world_size
        return max(1, self.world_size // per_node)

    def share(self, value: Any) -> Any:
        """Rank 0's value, on all ranks."""
        if self.world_size == 1:
            return value
        box = [value]
        dist.broadcast_object_list(box, src=0, group=self.group)
        return box[0]

    def gather(self, value: Any) -> List[Any]:
        """Every rank's value, on all ranks."""
        if self.world_size == 1:
            return [value]
        gathered: List[Any] = [None] * self.world_size
        dist.all_gather_object(gathered, value, group=self.group)
        return gathered

    def any(self, *truths: bool) -> Tuple[bool, ...]:
        """For each value, whether it is true on any rank."""
        if self.world_size == 1:
            return truths
        values = torch.tensor([float(truth) for truth in truths])
        dist.all_reduce(values, dist.ReduceOp.MAX, group=self.group)
        return tuple(bool(value) for value in values.tolist())

    def open_store(self) -> Tuple[Any, Tuple[str, int]]:
        """A meeting point for the writers, hosted by rank 0 on a port that the system chooses."""
        if self.world_size == 1:
            return None, ("", 0)
        host = os.environ.get("MASTER_ADDR") or socket.gethostname()
        store: Any = None
        if self.rank == 0:
            store = dist.TCPStore(host, 0, is_master=True, wait_for_workers=False)
        address: Tuple[str, int] = self.share((host, store.port if store is not None else 0))
        return store, address


class Agreement:
    """Lets all ranks act on a wish at the same step; all must call equally often.

    If calls are frequent, a wish is exchanged while the next steps are computed and answered at a later call, so that
    nobody waits. If they are slow, waiting for the answer costs nothing, and one call later may be too late.
    """

    def __init__(self, ranks: Ranks) -> None:
        self._ranks = ranks
        self._calls, self._next_exchange = 0, 1
        self._began = time.monotonic()
        self._is_slow = True
        self._work: Any = None
        self._values: Optional[torch.Tensor] = None

    def ask(self, *wishes: bool) -> Tuple[bool, ...]:
        """Which of the wishes all ranks follow now."""
        if self._ranks.world_size == 1:
            return wishes
        self._calls += 1
        if self._calls < self._next_exchange:
            return (False,) * len(wishes)
        agreed = self._collect(len(wishes))
        self._exchange([wish and not followed for wish, followed in zip(wishes, agreed)])
        if self._is_slow:
            at_once = self._collect(len(wishes))
            agreed = tuple(early or now for early, now in zip(agreed, at_once))
        return agreed

    def close(self) -> None:
        """Wait until nothing is pending, before the ranks part."""
        if self._values is not None:
            self._work.wait()

    def _collect(self, count: int) -> Tuple[bool, ...]:
        """The answer to the pending exchange, and how soon all ask again."""
        if self._values is None:
            return (False,) * count
        self._work.wait()
        *agreed, pace = self._values.tolist()
        self._values = None
        self._next_exchange, self._is_slow = self._calls + int(pace), pace <= 1
        return tuple(bool(value) for value in agreed)

    def _exchange(self, wishes: Sequence[bool]) -> None:
        self._values = torch.tensor([*(float(wish) for wish in wishes), float(self._own_pace())])
        self._work = dist.all_reduce(
            self._values, dist.ReduceOp.MAX, group=self._ranks.group, async_op=True
        )

    def _own_pace(self) -> int:
        """Not every fast step starts an exchange."""
        per_call = (time.monotonic() - self._began) / self._calls
        return max(1, min(_MOST_CALLS_BETWEEN, round(_ASK_EVERY_SECONDS / max(per_call, 1e-6))))
