"""Two real ranks: what each of them has is saved and taken up, and trouble on one is met by both in the same way."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from diamond.training.checkpoints import manifest
from diamond.training.checkpoints.folder import Folder
from support.training_job import LONG, Job, run_to_the_end
from support.waiting import wait_for

STEPS = "20"
MEGABYTE = 1 << 20

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The last words of a run that saves nothing."""
    return run_to_the_end(
        tmp_path_factory.mktemp("quiet") / "run", ["ddp-quiet", STEPS], world_size=2
    )


def steps_saved(folder: Path) -> list[int]:
    return [one.step for one in Folder(folder).saved()]


def test_the_scale_of_the_gradients_goes_on_where_it_stood(tmp_path: Path) -> None:
    """So large that steps are skipped: a scaler that starts fresh skips others."""
    words = "ddp-scaler"
    whole = run_to_the_end(tmp_path / "quiet", [f"{words}-quiet", "17"], world_size=2)
    run_to_the_end(tmp_path / "chain", [words, "7"], world_size=2)
    last = run_to_the_end(tmp_path / "chain", [words, "17"], world_size=2)
    assert last["scaler"] == whole["scaler"]
    assert last["digest"] == whole["digest"]


def seen(job: Job, rank: int) -> list[float]:
    return [one["seen"] for one in job.said("step", rank)]


def ended(job: Job) -> Job:
    assert job.end() == [0] * len(job.ranks), job.errors()
    return job


@pytest.mark.parametrize(
    ("ranks", "workers"),
    [
        (1, "2"),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in ((1, "0"), (2, "0"), (2, "2"))),
    ],
)
def test_the_place_in_torchdatas_loader_is_kept(tmp_path: Path, workers: str, ranks: int) -> None:
    """In mid-epoch and across its end, on each rank its own, with the random numbers that follow."""
    given = {"WORKERS": workers}
    whole = ended(Job(tmp_path / "quiet", ["stateful-quiet", "17"], world_size=ranks, **given))
    first = ended(Job(tmp_path / "chain", ["stateful", "7"], world_size=ranks, **given))
    before = [seen(first, rank) for rank in range(ranks)]
    second = ended(Job(tmp_path / "chain", ["stateful", "17"], world_size=ranks, **given))
    for rank in range(ranks):
        assert before[rank] + seen(second, rank) == seen(whole, rank)
    assert second.said("end")[0]["digest"] == whole.said("end")[0]["digest"]


def test_on_another_number_of_ranks_torchdatas_loader_begins_anew_and_says_so(
    tmp_path: Path,
) -> None:
    ended(Job(tmp_path, ["stateful", "4"], world_size=2))
    alone = ended(Job(tmp_path, ["stateful", "6"]))
    assert alone.errors().count("loader starts fresh: it was saved by 2 ranks") == 1
    assert alone.said("step")[0]["step"] == 5


@pytest.fixture(scope="module")
def saved_twice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two ranks have saved steps 4 and 8."""
    folder = tmp_path_factory.mktemp("saved") / "run"
    run_to_the_end(folder, ["ddp", "8"], world_size=2)
    return folder


def cut_short(checkpoint: Path) -> None:
    os.truncate(checkpoint / "__1_0.distcp", 100)


def flip_a_bit(checkpoint: Path) -> None:
    content = bytearray((checkpoint / "__0_0.distcp").read_bytes())
    content[len(content) // 2] ^= 1
    (checkpoint / "__0_0.distcp").write_bytes(bytes(content))


def lose_the_manifest(checkpoint: Path) -> None:
    (checkpoint / "manifest.json").unlink()


@pytest.mark.parametrize("damage", [cut_short, flip_a_bit, lose_the_manifest])
def test_all_ranks_take_the_checkpoint_before_a_damaged_one(
    saved_twice: Path, tmp_path: Path, damage: Callable[[Path], None], quiet: dict[str, Any]
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(saved_twice, folder, symlinks=True)
    damage(folder / "checkpoints" / "step-00000008-c0001")
    job = ended(Job(folder, ["ddp", STEPS], world_size=2))
    assert [job.said("step", rank)[0]["step"] for rank in (0, 1)] == [5, 5]
    assert job.errors().count("skipping a checkpoint: step-00000008-c0001") == 1
    assert job.said("end")[0]["digest"] == quiet["digest"]


def test_where_all_are_damaged_every_rank_ends_with_the_same_words(
    saved_twice: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(saved_twice, folder, symlinks=True)
    for one in Folder(folder / "checkpoints").saved():
        cut_short(one.path)
    with Job(folder, ["ddp", STEPS], world_size=2) as job:
        assert [one.wait(LONG) for one in job.ranks] == [1, 1]
    said = [(folder / f"rank-{rank}.err").read_text() for rank in (0, 1)]
    assert ["Move the folder away to start from scratch" in one for one in said] == [True, True]


def test_a_disk_that_fills_up_leaves_both_ranks_at_work_and_is_told_once_a_save(
    small_disk: Path, tmp_path: Path
) -> None:
    wide = {"WIDTH": "12000"}
    whole = run_to_the_end(tmp_path / "quiet", ["ddp-quiet", STEPS], world_size=2, **wide)
    place, ballast = small_disk / "checkpoints", small_disk / "ballast"
    given = {**wide, "CHECKPOINTS": str(place), "HOLD_AT": "6,14"}
    with Job(tmp_path / "run", ["ddp", STEPS], world_size=2, **given) as job:
        job.wait_until(lambda: job.held_at(6) and steps_saved(place) == [4], "the first save")
        left = os.statvfs(small_disk)
        ballast.write_bytes(bytes(left.f_bavail * left.f_frsize - MEGABYTE // 2))
        job.release(6)
        job.wait_until(lambda: job.held_at(14), "steps of both ranks on a full disk")
        wait_for(lambda: "of step 12 could not be written" in job.errors(), what="the words")
        assert job.errors().count("of step 8 could not be written") == 1
        assert "No space left on device" in job.errors()
        assert steps_saved(place) == [4]
        manifest.verify(place / "latest", manifest.read(place / "latest").files)
        ballast.unlink()
        job.release(14)
        assert job.end() == [0, 0], job.errors()
    assert steps_saved(place) == [20, 16]
    assert job.said("end")[0]["digest"] == whole["digest"]
    again = ended(
        Job(tmp_path / "run", ["ddp", "22"], world_size=2, **wide, CHECKPOINTS=str(place))
    )
    assert again.said("step", 1)[0]["step"] == 21


def test_the_best_by_what_rank_0_measures_stays_beside_the_newest(tmp_path: Path) -> None:
    """A tensor with gradients, on one rank only; what is no number is the best of nothing."""
    given = {"METRICS": "0.5,0.1,nan,0.3,0.2", "SAVE_EVERY": "2"}
    ended(Job(tmp_path, ["ddp", "10"], world_size=2, **given))
    wait_for(lambda: steps_saved(tmp_path / "checkpoints") == [10, 8, 4], 60, what="pruning")
    found = Folder(tmp_path / "checkpoints").saved()[-1]
    assert manifest.read(found.path).metric == pytest.approx(0.1)


@pytest.mark.parametrize("ending", ["goes on", pytest.param("is killed", marks=pytest.mark.slow)])
def test_a_slow_writer_on_one_rank_holds_up_nobody_and_a_rank_may_die_meanwhile(
    tmp_path: Path, ending: str, quiet: dict[str, Any]
) -> None:
    place = tmp_path / "checkpoints"
    with Job(tmp_path, ["ddp", STEPS], world_size=2, WAIT_AT="6", HOLD_AT="6,10") as job:
        job.wait_until(lambda: job.held_at(6), "the first save")
        job.signal_writer(1, signal.SIGSTOP)
        job.release(6)
        job.wait_until(lambda: job.held_at(10), "steps beside a save that does not end")
        assert steps_saved(place) == [4]
        if ending == "is killed":
            job.kill_rank(1)
        else:
            job.signal_writer(1, signal.SIGCONT)
            job.release(10)
            assert job.end() == [0, 0], job.errors()
    if ending == "is killed":
        job = ended(Job(tmp_path, ["ddp", STEPS], world_size=2))
        assert [job.said("step", rank)[0]["step"] for rank in (0, 1)] == [5, 5]
    assert job.said("end")[0]["digest"] == quiet["digest"]
