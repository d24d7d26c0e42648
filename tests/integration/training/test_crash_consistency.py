"""Whatever is killed and whenever: there is a checkpoint to load, and the end is bit-equal to a quiet run's."""

from __future__ import annotations

import random
import threading
from functools import partial
from pathlib import Path

import pytest

from diamond.training.checkpoints.folder import Folder
from support.training_job import Job, run_to_the_end

STEPS = 40
VICTIMS = ("rank", "writer", "job")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_killed_writer_and_a_killed_rank_leave_the_end_bit_equal(tmp_path: Path) -> None:
    quiet = run_to_the_end(tmp_path / "quiet", ["ddp-quiet", str(STEPS)], world_size=2)
    folder = tmp_path / "disturbed"
    with Job(folder, ["ddp", str(STEPS)], world_size=2, HOLD_AT="30") as first:
        first.wait_until(lambda: len(first.said("step")) >= 10, "step 10")
        first.kill_writer(0)
        first.wait_until(lambda: first.said("held"), "step 30")
        first.kill_rank(1)
    second = Job(folder, ["ddp", str(STEPS)], world_size=2)
    assert second.end() == [0, 0], second.errors()
    assert second.said("step")[0]["step"] > 4, (
        "nothing was saved before or after the writer was killed"
    )
    assert second.said("end")[0]["digest"] == quiet["digest"]


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", ["ddp", "fsdp"])
def test_killed_again_and_again_it_ends_as_if_nobody_had_disturbed_it(
    tmp_path: Path, kind: str
) -> None:
    """25 kills each; a kill comes after a random number of further steps, or while the job still starts."""
    chance = random.Random(20261116)
    quiet = run_to_the_end(tmp_path / "quiet", [f"{kind}-quiet", "400"], world_size=2)
    folder = tmp_path / "disturbed"
    kills = 0
    while kills < 25:
        newest = newest_step(folder)
        with Job(folder, [kind, "400"], world_size=2, SAVE_EVERY="3", PAUSE="0.02") as job:
            kills += disturb(job, chance)
            steps = job.said("step")
            assert not steps or steps[0]["step"] == newest + 1, (
                "the newest checkpoint was not loaded"
            )
    last = run_to_the_end(folder, [kind, "400"], world_size=2)
    assert last["digest"] == quiet["digest"]


def newest_step(folder: Path) -> int:
    """0 before anything was saved."""
    return max((one.step for one in Folder(folder / "checkpoints").saved()), default=0)


def disturb(job: Job, chance: random.Random) -> int:
    """Kill something of this job until that ends it; how often something was killed."""
    kills = 0
    while True:
        wanted = len(job.said("step")) + chance.randrange(12)
        job.wait_until(partial(has_done, job, wanted), f"{wanted} steps")
        victim = chance.choice(VICTIMS)
        kills += kill(job, victim, chance)
        if victim != "writer":
            return kills


def has_done(job: Job, steps: int) -> bool:
    return bool(job.said("started")) and len(job.said("step")) >= steps


def kill(job: Job, victim: str, chance: random.Random) -> bool:
    """Whether there was something to kill; a job survives the loss of a writer."""
    rank = chance.randrange(2)
    threading.Event().wait(chance.random() / 20)
    if victim == "writer":
        return job.kill_writer(rank)
    job.kill() if victim == "job" else job.kill_rank(rank)
    return True
