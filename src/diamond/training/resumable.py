"""Data in an order that can be resumed in mid-epoch, also with another number of ranks."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional, Sized

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler, Sampler

from diamond.training.checkpoints.rng import give_rng, take_rng


class ResumableSampler(Sampler):
    """Shuffles by seed and epoch and divides each epoch among the ranks, every sample once.

    Its position counts the samples of all ranks together, so it is valid for any number of ranks.
    Alone, it is exact only with `num_workers=0`: workers fetch ahead, which only `ResumableLoader` knows.
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
        """Without `drop_last`, the last ranks get a few samples twice, so that all have the same number."""
        joined = dist.is_available() and dist.is_initialized()
        self.rank = rank if rank is not None else (dist.get_rank() if joined else 0)
        self.world_size = world_size or (dist.get_world_size() if joined else 1)
        self._dataset, self._shuffle, self._seed = dataset, shuffle, seed
        self._drop_last = drop_last
        self.epoch = 0
        self.taken = 0
        """Samples used in this epoch, by all ranks."""
        self._resumed = False

    def __iter__(self) -> Iterator[int]:
        epoch = self.begin()
        for index in self.own_part():
            self.go_to(epoch, self.taken + self.world_size)
            yield index
        self.go_to(epoch + 1, 0)

    def begin(self) -> int:
        """Start to iterate; return the epoch's number.

        An epoch that was left at its very end is over. One that was resumed there is iterated once more, without any
        samples, because the program still has to do its end-of-epoch work.
        """
        resumed, self._resumed = self._resumed, False
        if self.taken >= len(self._dataset) and not resumed:
            self.go_to(self.epoch + 1, 0)
        return self.epoch

    def own_part(self) -> List[int]:
        """What is left of the epoch for this rank."""
        return self._left()[self.rank :: self.world_size]

    def __len__(self) -> int:
        """Samples of this rank in a whole epoch."""
        size = len(self._dataset)
        whole = size // self.world_size
        return whole if self._drop_last or size % self.world_size == 0 else whole + 1

    def go_to(self, epoch: int, taken: int) -> None:
        self.epoch, self.taken = epoch, min(taken, len(self._dataset))

    def state_dict(self) -> Dict[str, int]:
        return {"epoch": self.epoch, "taken": self.taken, "seed": self._seed}

    def load_state_dict(self, state: Dict[str, int]) -> None:
        self._seed = state["seed"]
        self.go_to(state["epoch"], state["taken"])
        self._resumed = True

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
    """A DataLoader that knows its position: `for batch in loader` continues where the checkpoint was made.

    Random changes that worker processes make to samples are not reproduced after a resume.
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
        """`options` are DataLoader's, except those that determine the order."""
        self._place = ResumableSampler(dataset, shuffle=shuffle, seed=seed, drop_last=drop_last)
        self._pass = _Pass(len(self._place))
        self._resumed = False
        super().__init__(dataset, batch_size, sampler=self._pass, drop_last=drop_last, **options)

    @property
    def epoch(self) -> int:
        """The epoch that the next batch belongs to: `for epoch in range(loader.epoch, epochs)`."""
        return self._place.epoch

    def __iter__(self) -> Iterator[Any]:
        """The position is read now, not when the first batch is requested."""
        epoch, start = self._place.begin(), self._place.taken
        self._pass.indices = self._place.own_part()
        return self._counted(self._batches(start), epoch, start)

    def state_dict(self) -> Dict[str, int]:
        return self._place.state_dict()

    def load_state_dict(self, state: Dict[str, int]) -> None:
        self._place.load_state_dict(state)
        self._resumed = True

    def _counted(self, batches: Iterator[Any], epoch: int, start: int) -> Iterator[Any]:
        each = self.batch_size * self._place.world_size
        for count, batch in enumerate(batches, 1):
            self._place.go_to(epoch, start + count * each)
            yield batch
        self._place.go_to(epoch + 1, 0)

    def _batches(self, start: int) -> Iterator[Any]:
        """Starting an epoch draws a random number; in mid-epoch, it was drawn before the checkpoint."""
        resumed, self._resumed = self._resumed, False
        before = take_rng() if resumed and start else None
        iterator: Iterator[Any] = super().__iter__()
        if before is not None:
            give_rng(before)
        return iterator


class _Pass(DistributedSampler):
    """One pass through the data, or what is left of it.

    A DistributedSampler in name only: it tells Lightning that the data are already divided among the ranks.
    """

    def __init__(self, length: int) -> None:
        self.indices: List[int] = []
        self._length = length

    def set_epoch(self, epoch: int) -> None:
        """The loader counts epochs itself."""

    def __iter__(self) -> Iterator[int]:
        return iter(self.indices)

    def __len__(self) -> int:
        """The length of a whole epoch: progress bars and trainers divide by it."""
        return self._length
