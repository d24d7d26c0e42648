"""Each row once in an epoch, equally many steps, and the same order whatever the number of ranks."""

from __future__ import annotations

import json
from itertools import chain, zip_longest
from pathlib import Path

import pytest

from support.framing import run_ranks

EPOCHS, ROWS = 2, 864
"""Rides with a zone in the list of zones."""


@pytest.fixture(scope="module")
def alone(data: Path, tmp_path_factory: pytest.TempPathFactory) -> list[int]:
    """All samples of two epochs, as one rank sees them."""
    used, _, _ = train(1, tmp_path_factory.mktemp("alone"), data, 10_000)
    return used


def test_an_epoch_has_every_row_once_in_another_order(alone: list[int]) -> None:
    assert len(alone) == 2 * ROWS
    first, second = alone[:ROWS], alone[ROWS:]
    assert sorted(first) == sorted(second)
    assert len(set(first)) == ROWS
    assert first != second
    assert first != sorted(first)


def test_a_training_continues_with_four_ranks_where_two_stopped(
    alone: list[int], data: Path, tmp_path: Path
) -> None:
    before, state, steps = train(2, tmp_path, data, 20)
    assert before == alone[: 20 * 2 * 3]
    assert steps == -(-ROWS // 2 // 3)
    (tmp_path / "state.json").write_text(json.dumps(state))
    after, state, _ = train(4, tmp_path, data, 10_000, tmp_path / "state.json")
    rest = alone[len(before) :]
    left = ROWS - len(before)
    padding = -left % 4
    assert after[:left] == rest[:left]
    assert after[left : left + padding] == alone[:padding], "used twice, so that steps are equal"
    assert after[left + padding :][:ROWS] == rest[left:]
    assert state["epoch"] == EPOCHS


def train(
    world: int, folder: Path, data: Path, steps: int, state: Path | None = None
) -> tuple[list[int], dict[str, object], int]:
    """Samples in the order that all ranks share, the state of a checkpoint, and the steps of an epoch."""
    words = [data, folder, steps, EPOCHS, *([state] if state else [])]
    for code, _, error in run_ranks(world, folder, "order", *words):
        assert code == 0, error
    ranks = [json.loads((folder / f"{rank}.json").read_text()) for rank in range(world)]
    assert len({len(used) for used, _, _ in ranks}) == 1, "equal steps"
    assert all(rank[1:] == ranks[0][1:] for rank in ranks)
    together = chain.from_iterable(zip_longest(*(used for used, _, _ in ranks)))
    return list(together), ranks[0][1], ranks[0][2]
