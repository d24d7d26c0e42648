"""The order of an epoch: a permutation, the same whatever the number of ranks."""

from __future__ import annotations

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diamond.frames.order import owners, positions


@settings(max_examples=40, deadline=None)
@given(count=st.integers(1, 3000), seed=st.integers(0, 2**40), epoch=st.integers(0, 5))
def test_every_row_has_a_place_of_its_own(count: int, seed: int, epoch: int) -> None:
    places = positions(count, numpy.arange(count), seed=seed, epoch=epoch)
    assert sorted(places.tolist()) == list(range(count))


def test_places_can_be_computed_in_parts() -> None:
    whole = positions(1000, numpy.arange(1000), seed=3, epoch=1)
    part = positions(1000, numpy.arange(400, 700), seed=3, epoch=1)
    assert part.tolist() == whole[400:700].tolist()


def test_epochs_and_seeds_differ_and_are_well_mixed() -> None:
    orders = [
        positions(1000, numpy.arange(1000), seed=seed, epoch=epoch)
        for seed in (0, 1)
        for epoch in (0, 1)
    ]
    assert len({tuple(order.tolist()) for order in orders}) == 4
    for order in orders:
        assert abs(numpy.corrcoef(order, numpy.arange(1000))[0, 1]) < 0.15


@settings(max_examples=60, deadline=None)
@given(count=st.integers(1, 60), world=st.integers(1, 9), data=st.data())
def test_all_ranks_have_equally_many_and_nothing_is_lost(
    count: int, world: int, data: st.DataObject
) -> None:
    taken = data.draw(st.integers(0, count))
    place = numpy.random.default_rng(count).permutation(count)
    index, number, rank = owners(place, count=count, taken=taken, world=world, even=True)
    left = count - taken
    assert sorted(number.tolist()) == list(range(left + -left % world))
    assert (rank == number % world).all()
    in_order = place[index[numpy.argsort(number)]]
    assert in_order[:left].tolist() == list(range(taken, count))
    assert in_order[left:].tolist() == [again % count for again in range(-left % world)]


@pytest.mark.parametrize(("count", "world", "kept"), [(10, 3, 9), (2, 3, 0), (9, 3, 9)])
def test_without_repeats_the_surplus_is_left_out(count: int, world: int, kept: int) -> None:
    _, number, _ = owners(numpy.arange(count), count=count, taken=0, world=world, even=False)
    assert sorted(number.tolist()) == list(range(kept))
