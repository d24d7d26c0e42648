"""The files of a dataset as shards: each rank reads its own, in one order for all, and continues exactly where it stopped.

    shards = training.shards("era5", "train/*.parquet", seed=1)
    shards.load(state)                       # of a checkpoint
    for shard in shards.epochs(10):
        for batch in batches(shard.path, skip=shard.skip):
            step(batch)
            shards.used(len(batch))
    save(shards.state())

The order of an epoch follows from the seed, the epoch and the names of the files alone. With N ranks, rank r reads every Nth
shard from the rth on, so all ranks together read the same sequence whatever N is.
"""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence

from diamond.training.context import NotGiven, data


class Shard(NamedTuple):
    path: Path
    epoch: int
    skip: int
    """Samples of it that were used before: skip them."""


class Shards:
    """Iterate with `epochs`; keep `state()` in a checkpoint and give it to `load`."""

    def __init__(
        self,
        files: Sequence[Path],
        *,
        seed: int = 0,
        shuffle: bool = True,
        rank: Optional[int] = None,
        world: Optional[int] = None,
    ) -> None:
        self._files = list(files)
        self._seed, self._shuffle = seed, shuffle
        self.world = max(1, _number("WORLD_SIZE", 1) if world is None else world)
        self.rank = _number("RANK", 0) if rank is None else rank
        if not 0 <= self.rank < self.world:
            raise ValueError(f"rank {self.rank} is not below the number of ranks, {self.world}")
        self.epoch = 0
        self._begun = 0
        """Shards of this epoch that all ranks together had finished at the last full round."""
        self._samples = 0

    def __len__(self) -> int:
        """Shards that this rank reads in an epoch: as many as every other rank."""
        return -(-len(self._files) // self.world)

    def order(self, epoch: int) -> List[Path]:
        """All shards of an epoch in the order that all ranks share."""
        files = list(self._files)
        if self._shuffle:
            random.Random(f"{self._seed}:{epoch}").shuffle(files)
        return files

    def epochs(self, count: int) -> Iterator[Shard]:
        """This rank's shards until `count` epochs are done; a loaded state continues in the middle.

        Every rank gets equally many: where the last round is not full, shards from the beginning of the epoch are read again.
        """
        while self.epoch < count:
            files = self.order(self.epoch)
            while self._begun < len(files):
                position = (self._begun + self.rank) % len(files)
                yield Shard(files[position], self.epoch, self._samples)
                self._begun += self.world
                self._samples = 0
            self.epoch, self._begun = self.epoch + 1, 0

    def used(self, samples: int) -> None:
        """So many samples of the present shard have been used; without it, a shard that was begun is read again."""
        self._samples += samples

    def state(self) -> Dict[str, int]:
        """Where this rank stands. Save it when all ranks have done the same number of steps."""
        return {
            "epoch": self.epoch,
            "shards": self._begun,
            "samples": self._samples,
            "world": self.world,
        }

    def load(self, state: Optional[Dict[str, int]]) -> None:
        """Continue there; with another number of ranks, at the beginning of the round that was under way."""
        if not state:
            return
        self.epoch, self._begun = int(state["epoch"]), int(state["shards"])
        same = int(state.get("world", self.world)) == self.world
        self._samples = int(state.get("samples", 0)) if same else 0


def shards(
    name: str,
    pattern: str = "**/*",
    *,
    seed: int = 0,
    shuffle: bool = True,
    rank: Optional[int] = None,
    world: Optional[int] = None,
) -> Shards:
    """The files of the spec's `data:` of this name that match a pattern, as shards for this rank."""
    folder = data(name)
    files = [folder] if folder.is_file() else sorted(_files(folder, pattern), key=str)
    if not files:
        raise NotGiven(f"no file of the data {name!r} matches {pattern!r}: {folder}")
    return Shards(files, seed=seed, shuffle=shuffle, rank=rank, world=world)


def _files(folder: Path, pattern: str) -> Iterator[Path]:
    """By names below the folder, so that the order is the same wherever the folder is."""
    return (path for path in folder.glob(pattern) if path.is_file())


def _number(name: str, default: int) -> int:
    text = os.environ.get(name, "")
    return int(text) if text.isdigit() else default
