"""Checkpoints by several ranks: sharded, taken up by another number of them, stopped together."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.training_job import Job, run_to_the_end

CLOSE = 1e-5


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_another_number_of_ranks_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    """From two sharded ranks to one whole process, to four sharded ones; without dropout, to float tolerance."""
    quiet = run_to_the_end(tmp_path / "quiet", ["exact-quiet", "18"])
    folder = tmp_path / "chain"
    for kind, steps, world_size in [("fsdp-exact", "6", 2), ("exact", "11", 1)]:
        run_to_the_end(folder, [kind, steps], world_size=world_size)
    last = run_to_the_end(folder, ["fsdp-exact", "18"], world_size=4)
    assert last["weights"] == pytest.approx(quiet["weights"], abs=CLOSE)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_ranks_that_divide_nothing_evenly_load_the_same_bits(tmp_path: Path) -> None:
    """Sharded over two, over three, and whole on two: 32 rows among three ranks, and no step between."""
    made = run_to_the_end(tmp_path, ["fsdp", "6"], world_size=2)
    for kind, ranks in [("fsdp", 3), ("whole", 2)]:
        loaded = run_to_the_end(tmp_path, [kind, "6"], world_size=ranks)
        assert loaded["digest"] == made["digest"]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_every_rank_writes_a_share_and_all_stop_at_the_same_step(tmp_path: Path) -> None:
    flag = tmp_path / "stop"
    words = ["ddp", "100000"]
    with Job(tmp_path / "run", words, world_size=2, DIAMOND_STOP_FILE=str(flag)) as job:
        job.wait_until(lambda: len(job.said("step")) >= 8, "eight steps")
        flag.touch()
        assert job.end() == [75, 75], job.errors()
    assert job.said("step", 0)[-1]["step"] == job.said("step", 1)[-1]["step"]
    latest = tmp_path / "run" / "checkpoints" / "latest"
    assert int(latest.resolve().name[5:13]) == job.said("step")[-1]["step"]
    sizes = [path.stat().st_size for path in latest.glob("__*.distcp")]
    assert len(sizes) == 2
    assert min(sizes) > 0.25 * max(sizes)
