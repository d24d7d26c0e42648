"""Every sample once an epoch, whoever stops where and goes on with how many ranks."""

from __future__ import annotations

import itertools

import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from diamond.training.resumable import ResumableLoader, ResumableSampler


def ranks(size: int, world_size: int) -> list[ResumableSampler]:
    return [
        ResumableSampler(range(size), rank=rank, world_size=world_size)
        for rank in range(world_size)
    ]


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 40), st.integers(1, 4), st.integers(1, 4), st.integers(0, 10))
def test_another_number_of_ranks_takes_up_exactly_what_is_left(
    size: int, before: int, after: int, each: int
) -> None:
    assume(each * before <= size)
    first, second = ranks(size, before), ranks(size, after)
    seen = [index for one in first for index in itertools.islice(iter(one), each)]
    for one in second:
        one.load_state_dict(first[0].state_dict())
    rest = [index for one in second for index in one]
    assert set(seen) | set(rest) == set(range(size))
    assert len(seen) + len(rest) < size + before + after


def test_epochs_differ_and_the_same_seed_gives_the_same_order() -> None:
    one, other = ranks(50, 1)[0], ranks(50, 1)[0]
    assert list(one) == list(other)
    assert one.epoch == 1
    assert list(one) != sorted(range(50))
    assert one.epoch == 2


def test_without_shuffling_the_order_is_that_of_the_data() -> None:
    assert list(ResumableSampler(range(5), shuffle=False)) == [0, 1, 2, 3, 4]


def test_ranks_get_equally_many_also_when_it_does_not_divide() -> None:
    assert [len(list(one)) for one in ranks(10, 4)] == [3, 3, 3, 3]
    dropping = [ResumableSampler(range(10), rank=r, world_size=4, drop_last=True) for r in range(4)]
    assert [len(list(one)) for one in dropping] == [2, 2, 2, 2]


def test_a_loader_counts_what_was_handed_out_and_not_what_workers_fetched_ahead() -> None:
    data = torch.arange(20)
    loader = ResumableLoader(data, 2, num_workers=2, seed=5)
    taken = [batch.tolist() for batch in itertools.islice(iter(loader), 3)]
    assert loader.state_dict() == {"epoch": 0, "taken": 6, "seed": 5}
    again = ResumableLoader(data, 2, seed=0)
    again.load_state_dict(loader.state_dict())
    rest = [batch.tolist() for batch in again]
    assert sorted(itertools.chain(*taken, *rest)) == list(range(20))
    assert again.epoch == 1


def test_taking_up_an_epoch_draws_no_random_number_that_was_drawn_before() -> None:
    loader = ResumableLoader(torch.arange(6), 2)
    torch.manual_seed(1)
    drawn = []
    for batch in loader:
        drawn.append((batch.tolist(), torch.rand(1).item()))
        if len(drawn) == 2:
            place, random_state = loader.state_dict(), torch.get_rng_state()
    resumed = ResumableLoader(torch.arange(6), 2)
    resumed.load_state_dict(place)
    torch.set_rng_state(random_state)
    assert [(batch.tolist(), torch.rand(1).item()) for batch in resumed] == drawn[2:]
