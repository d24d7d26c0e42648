"""Data in an order that can be taken up again in mid-epoch, also by another number of ranks."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional, Sized

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Sampler

from diamond.training.checkpoints.rng import give_rng, take_rng


class ResumableSampler(Sampler):
    """Shuffles by seed and epoch and divides each epoch among the ranks, every sample once.

    Its position is counted in samples of all ranks together, so that it means the same to any number of them.
    By itself it is exact with `num_workers=0`: workers fetch ahead, which only `ResumableLoader` can tell.
    """

    def __init__(
        self,
        dataset: Sized,
        *,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
        rank: Optional[int] = None,
        world_size: Optional[int] = None,
    ) -> None:
        """Without `drop_last` the last ranks get a few samples a second time, so that all have the same number."""
        joined = dist.is_available() and dist.is_initialized()
        self.rank = rank if rank is not None else (dist.get_rank() if joined else 0)
        self.world_size = world_size or (dist.get_world_size() if joined else 1)
        self._dataset, self._shuffle, self._seed = dataset, shuffle, seed
        self._drop_last = drop_last
        self.epoch = 0
        self.taken = 0
        """Of this epoch, by all ranks."""

    def __iter__(self) -> Iterator[int]:
        epoch, own = self.epoch, self._left()[self.rank :: self.world_size]
        for index in own:
            self.epoch = epoch
            self.taken = min(self.taken + self.world_size, len(self._dataset))
            yield index
        self.go_to(epoch + 1, 0)

    def __len__(self) -> int:
        """Samples left for this rank in this epoch."""
        return len(self._left()) // self.world_size

    def go_to(self, epoch: int, taken: int) -> None:
        self.epoch, self.taken = epoch, min(taken, len(self._dataset))

    def state_dict(self) -> Dict[str, int]:
        return {"epoch": self.epoch, "taken": self.taken, "seed": self._seed}

    def load_state_dict(self, state: Dict[str, int]) -> None:
        self._seed = state["seed"]
        self.go_to(state["epoch"], state["taken"])

    def _left(self) -> List[int]:
        """What is left of the epoch, in order, made divisible by the number of ranks."""
        order = self._order()
        left = order[self.taken :]
        surplus = len(left) % self.world_size
        if surplus and self._drop_last:
            return left[: len(left) - surplus]
        missing = -len(left) % self.world_size
        repeated = order * (missing // len(order) + 1) if missing else []
        return left + repeated[:missing]

    def _order(self) -> List[int]:
        size = len(self._dataset)
        if not self._shuffle:
            return list(range(size))
        generator = torch.Generator().manual_seed(self._seed * 1_000_003 + self.epoch)
        order: List[int] = torch.randperm(size, generator=generator).tolist()
        return order


class ResumableLoader(DataLoader):
    """A DataLoader that knows its place: `for batch in loader` goes on where the checkpoint was made.

    Random changes that worker processes make to samples are drawn anew after a resume.
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int = 1,
        *,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
        **options: Any,
    ) -> None:
        """`options` are those of DataLoader, but for the ones that choose the order."""
        self._place = ResumableSampler(dataset, shuffle=shuffle, seed=seed, drop_last=drop_last)
        self._resumed = False
        super().__init__(dataset, batch_size, sampler=self._place, drop_last=drop_last, **options)

    @property
    def epoch(self) -> int:
        """The epoch that the next batch belongs to: `for epoch in range(loader.epoch, epochs)`."""
        return self._place.epoch

    def __iter__(self) -> Iterator[Any]:
        epoch, start = self._place.epoch, self._place.taken
        each = self.batch_size * self._place.world_size
        for count, batch in enumerate(self._batches(start), 1):
            self._place.go_to(epoch, start + count * each)
            yield batch
        self._place.go_to(epoch + 1, 0)

    def state_dict(self) -> Dict[str, int]:
        return self._place.state_dict()

    def load_state_dict(self, state: Dict[str, int]) -> None:
        self._place.load_state_dict(state)
        self._resumed = True

    def _batches(self, start: int) -> Iterator[Any]:
        """Beginning an epoch draws a random number; in mid-epoch that was drawn before the checkpoint."""
        resumed, self._resumed = self._resumed, False
        before = take_rng() if resumed and start else None
        iterator: Iterator[Any] = super().__iter__()
        if before is not None:
            give_rng(before)
        return iterator
