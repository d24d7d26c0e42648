"""Curves packed as numbers, thinned with their peaks, cut to a range."""

from __future__ import annotations

from math import nan

import pytest

from diamond.service.output.curves import Curve, Triple, pack, unpack, within
from diamond.service.output.headline import most_telling
from diamond.service.output.thinning import thin


def curve(*points: Triple) -> Curve:
    made = Curve()
    made.add(points)
    return made


def test_packing_gives_the_same_points_back() -> None:
    points: list[Triple] = [(1, 10.5, 0.25), (2, None, None), (None, 11.0, -3e300)]
    again = unpack(pack(curve(*points)))
    assert [again.at(index) for index in range(len(again))] == points


def test_a_range_keeps_its_points_and_leaves_out_those_without_a_place() -> None:
    whole = curve(*((n, 100.0 + n, 0.0) for n in range(10)), (None, None, 1.0))
    assert [whole.at(n)[0] for n in range(3)] == [0, 1, 2]
    cut = within(whole, 0, 3, 5)
    assert list(cut.steps) == [3, 4, 5]
    assert list(within(whole, 1, 108, None).steps) == [8, 9]
    assert len(within(whole, 0, None, None)) == 11
    back = curve((1, 1.0, 1.0), (2, 2.0, 1.0), (1, 3.0, 2.0))
    assert list(within(back, 0, 1, 1).times) == [1.0, 3.0]


@pytest.mark.parametrize("limit", [10, 57, 100])
def test_thinning_keeps_lowest_and_highest(limit: int) -> None:
    whole = curve(*((n, None, float(n % 13)) for n in range(1000)))
    whole.values[333], whole.values[700] = 99.0, -99.0
    kept = thin(whole.values, limit)
    assert {333, 700} <= set(kept)
    assert len(kept) <= limit
    whole.values[500] = nan
    assert 500 in thin(whole.values, limit)


@pytest.mark.parametrize(
    ("names", "best"),
    [
        (["train_loss", "val_loss"], "val_loss"),
        (["loss", "lr", "val_acc"], "val_acc"),
        (["epoch", "accuracy", "loss"], "accuracy"),
        (["lr", "grad_norm"], "grad_norm"),
        ([], None),
    ],
)
def test_the_headline_is_quality_on_unseen_data_first(names: list[str], best: str | None) -> None:
    assert most_telling(names) == best
