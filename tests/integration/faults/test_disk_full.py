"""No room in the run directory: nothing runs by half, and no ending is made up."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from diamond.testing.lab import Lab
from support.slurm import open_folder, skip_without_lab_support
from support.stack import UNTIL_GO, Stack, running_stack
from support.waiting import wait_for

TWO_MB = 2 * 2**20


@pytest.fixture(scope="module")
def tight() -> Iterator[Stack]:
    """A cluster whose work folder has two megabytes; mounted first, since nodes see older mounts only."""
    skip_without_lab_support()
    with open_folder() as folder:
        work = folder / "work"
        work.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", f"size={TWO_MB},mode=755", "tmpfs", str(work)]
        if subprocess.run(mount, check=False).returncode:
            pytest.skip("a small file system cannot be mounted here")
        try:
            yield from tight_stack(folder, work)
        finally:
            subprocess.run(["umount", "--lazy", str(work)], check=False)


def tight_stack(folder: Path, work: Path) -> Iterator[Stack]:
    lab = Lab.up(folder, clusters="gamma", nodes=1, gpus="0", accounting=False)
    (folder / "stack").mkdir()
    with running_stack(lab.cluster("gamma"), folder / "stack", work=work) as stack:
        yield stack


@pytest.fixture
def filler(tight: Stack) -> Iterator[Path]:
    """What takes the room; removed after the test."""
    path = tight.work / "filler"
    yield path
    path.unlink(missing_ok=True)


def fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        try:
            while file.write(b"x" * 512):
                pass
        except OSError:
            return


def test_a_task_that_cannot_be_written_down_is_not_submitted(tight: Stack, filler: Path) -> None:
    fill(filler)
    task = tight.submit("echo never\n")
    ended = tight.until(task, "failed")
    assert ended["reason"] == "disk"
    assert "No space left on device" in ended["message"]
    assert (tight.executions(task), tight.sbatch.calls) == (0, 0)


def test_a_job_that_finds_no_room_at_its_start_starts_nothing(tight: Stack, filler: Path) -> None:
    node = "gamma-n1"
    tight.slurm("scontrol", "update", f"nodename={node}", "state=drain", "reason=test")
    task = tight.submit("echo never\n")
    tight.until(task, "queued", "held")
    fill(filler)
    tight.slurm("scontrol", "update", f"nodename={node}", "state=resume")
    ended = tight.until(task, "failed")
    assert ended["reason"] == "disk"
    assert "the program was not started" in ended["message"]
    assert tight.executions(task) == 0


@pytest.mark.parametrize(("code", "state"), [(0, "succeeded"), (7, "failed")])
def test_a_program_that_fills_the_disk_ends_as_it_did(
    tight: Stack, filler: Path, code: int, state: str
) -> None:
    """There is no room for the exit file: the batch system heard the same code."""
    task = tight.submit(f"echo begun\n{UNTIL_GO}echo never kept 2>/dev/null\nexit {code}\n")
    tight.until(task, "running")
    wait_for(lambda: b"begun" in (tight.attempt_folder(task) / "runs/1/stdout.log").read_bytes())
    go = tight.run_dir(task) / "go"
    fill(filler)
    go.touch()
    ended = tight.until(task, state)
    assert ended["exit_code"] == code
    tight.check(task)


def test_a_program_that_asks_to_go_on_from_a_full_disk_can_be_resumed_once_there_is_room(
    tight: Stack, filler: Path
) -> None:
    """Neither its exit file nor the next attempt can be written."""
    first = "[ ! -e again ] || exit 0\n" + UNTIL_GO
    task = tight.submit(f"{first}echo never kept 2>/dev/null\nexit 75\n")
    tight.until(task, "running")
    go = tight.run_dir(task) / "go"
    fill(filler)
    go.touch()
    ended = tight.until(task, "failed")
    assert (ended["reason"], len(ended["attempts"])) == ("disk", 2)
    assert "No space left on device" in ended["message"]
    filler.unlink()
    (tight.run_dir(task) / "again").touch()
    more = tight.client.post(f"/tasks/{task}/resume", {})["id"]
    tight.until(more, "succeeded")
    assert (tight.run_dir(more) / "go").exists(), "the files of the first"
    assert (tight.executions(task), tight.executions(more)) == (1, 1)
