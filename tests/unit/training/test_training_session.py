"""The beginning and the end of a program, with and without a launcher around it."""

from __future__ import annotations

from pathlib import Path

import pytest

from diamond import training
from diamond.training.session import at_finish, not_at_finish


def test_alone_a_program_is_rank_zero_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE", "SLURM_PROCID"):
        monkeypatch.delenv(name, raising=False)
    session = training.init()
    assert (session.rank, session.local_rank, session.world_size) == (0, 0, 1)


def test_what_was_asked_for_is_done_once_at_the_end_and_the_rank_leaves_its_mark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIAMOND_METRICS", str(tmp_path / "metrics.jsonl"))
    monkeypatch.setenv("RANK", "3")
    done: list[str] = []
    at_finish(lambda together: done.append(f"closed, together: {together}"))
    training.finish()
    training.finish()
    assert done == ["closed, together: True"]
    assert (tmp_path / "finished" / "3").exists()


def test_what_has_been_done_already_is_not_done_again() -> None:
    done: list[str] = []

    def ending(together: bool) -> None:
        done.append("closed")

    at_finish(ending)
    not_at_finish(ending)
    training.finish()
    assert done == []


def test_a_name_that_needs_torch_is_imported_when_it_is_used_and_others_are_refused() -> None:
    assert training.Checkpointer.__module__ == "diamond.training.checkpoints.checkpointer"
    with pytest.raises(AttributeError, match="no attribute 'Checkpointr'"):
        training.Checkpointr  # noqa: B018
