from __future__ import annotations

from itertools import zip_longest
from pathlib import Path

import pytest

from diamond.training.context import NotGiven
from diamond.training.shards import Shards, shards

FILES = [Path(f"shard-{number:02d}") for number in range(12)]


def read(world: int, *, epochs: int = 1, state: dict[str, int] | None = None) -> list[str]:
    """What all ranks together read, round by round."""
    ranks = []
    for rank in range(world):
        one = Shards(FILES, seed=7, rank=rank, world=world)
        one.load(state)
        ranks.append([f"{shard.epoch}:{shard.path}" for shard in one.epochs(epochs)])
    return [path for turn in zip_longest(*ranks) for path in turn if path is not None]


@pytest.mark.parametrize("world", [1, 2, 3, 4, 6, 12])
def test_the_order_does_not_depend_on_the_number_of_ranks(world: int) -> None:
    assert read(world, epochs=2) == read(1, epochs=2)


def test_every_epoch_has_its_own_order_with_every_shard_once() -> None:
    order = read(1, epochs=2)
    first, second = order[:12], order[12:]
    assert sorted(path[2:] for path in first) == sorted(map(str, FILES))
    assert [path[2:] for path in first] != [path[2:] for path in second]


@pytest.mark.parametrize("world", [1, 2, 3])
@pytest.mark.parametrize("later", [1, 2, 4])
def test_a_run_continues_in_the_middle_of_an_epoch_on_another_number_of_ranks(
    world: int, later: int
) -> None:
    """`later` divides what was read, so that nothing is read twice or left out."""
    one = Shards(FILES, seed=7, rank=0, world=world)
    for done, _ in enumerate(one.epochs(2), 1):
        if done == 4:
            break
    state = {**one.state(), "shards": one.state()["shards"] + world}
    assert read(later, epochs=2, state=state) == read(1, epochs=2)[4 * world :]


def test_the_samples_of_a_shard_that_was_begun_are_passed_over() -> None:
    one = Shards(FILES, rank=1, world=2)
    shard = next(one.epochs(1))
    one.used(30)
    one.used(12)
    again = Shards(FILES, rank=1, world=2)
    again.load(one.state())
    assert next(again.epochs(1)) == shard._replace(skip=42)
    other = Shards(FILES, rank=1, world=3)
    other.load(one.state())
    assert next(other.epochs(1)).skip == 0


def test_every_rank_reads_equally_many_shards() -> None:
    ranks = [list(Shards(FILES, rank=rank, world=5).epochs(1)) for rank in range(5)]
    assert {len(one) for one in ranks} == {3}
    assert {shard.path for one in ranks for shard in one} == set(FILES)


def test_shards_are_the_files_of_the_data_that_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "era5" / "train").mkdir(parents=True)
    for name in ("b.csv", "a.csv", "notes.txt"):
        (tmp_path / "era5" / "train" / name).write_text("x")
    monkeypatch.setenv("DIAMOND_DATA", str(tmp_path))
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    found = shards("era5", "train/*.csv", shuffle=False)
    assert (found.rank, found.world, len(found)) == (1, 2, 1)
    assert [shard.path.name for shard in found.epochs(1)] == ["b.csv"]
    with pytest.raises(NotGiven, match="matches"):
        shards("era5", "*.parquet")


def train(one: Shards, steps: int | None = None) -> tuple[list[str], dict[str, int]]:
    """Batches of two samples, each shard with five; stopped after some steps. What was seen, and the saved state."""
    seen: list[str] = []
    done = 0
    for shard in one.epochs(2):
        left = list(range(shard.skip, 5))
        while left:
            if done == steps:
                return seen, one.state()
            batch, left = left[:2], left[2:]
            seen += [f"{shard.epoch}:{shard.path}:{sample}" for sample in batch]
            one.used(len(batch))
            done += 1
    return seen, one.state()


@pytest.mark.parametrize("rank", [0, 1])
def test_stopped_after_any_step_no_sample_is_read_twice_or_left_out(rank: int) -> None:
    def fresh() -> Shards:
        return Shards(FILES[:5], seed=3, rank=rank, world=2)

    whole, _ = train(fresh())
    for steps in range(1, 19):
        before, state = train(fresh(), steps)
        again = fresh()
        again.load(state)
        after, _ = train(again)
        assert before + after == whole, steps
