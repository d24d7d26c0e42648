"""What a failing Slurm command means, shown with commands that really fail."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from diamond.core.errors import Refused, Unanswered
from diamond.core.order import Placement, Resources
from diamond.schedulers.base import Submission
from diamond.schedulers.slurm import SlurmScheduler
from diamond.schedulers.slurm_calls import ask

ROW = "{id}|FAILED|9|0|1794806020|JobLaunchFailure|n1|1:00:00|diamond-a1"


class Commands:
    """A folder in front of PATH, whose programs play Slurm's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def play(self, name: str, text: str) -> None:
        path = self.folder / name
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return Commands(folder)


@pytest.fixture
def scheduler(tmp_path: Path) -> SlurmScheduler:
    return SlurmScheduler(tmp_path / "state")


@pytest.fixture
def work(tmp_path: Path) -> Submission:
    folder = tmp_path / "attempt"
    folder.mkdir()
    (folder / "script.sh").write_text("#!/bin/bash\n")
    return Submission("diamond-a1", folder / "script.sh", folder, Resources(), Placement())


@pytest.mark.parametrize(
    "said",
    [
        "sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)",
        "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation",
        "slurm_load_jobs error: Unable to contact slurm controller (connect failure)",
        "sacct: error: slurm_persist_conn_open_without_init: failed to open persistent connection",
        "sbatch: error: Batch job submission failed: Zero Bytes were transmitted or received",
        "sbatch: error: If munged is up, restart with --num-threads=10",
    ],
)
def test_a_controller_that_is_away_has_not_refused(commands: Commands, said: str) -> None:
    commands.play("sbatch", f"echo '{said}' >&2; exit 1")
    with pytest.raises(Unanswered):
        ask(["sbatch", "x"])


def test_a_child_killed_by_a_signal_may_have_submitted(
    commands: Commands, scheduler: SlurmScheduler, work: Submission
) -> None:
    commands.play("sbatch", "kill -9 $$")
    with pytest.raises(Unanswered, match="signal 9"):
        scheduler.submit(work)


def test_a_command_that_hangs_is_given_up(commands: Commands) -> None:
    commands.play("squeue", "exec sleep 60")
    with pytest.raises(Unanswered, match="no answer"):
        ask(["squeue"], seconds=0.3)


def test_an_answer_without_an_id_may_be_a_submission(
    commands: Commands, scheduler: SlurmScheduler, work: Submission
) -> None:
    commands.play("sbatch", "echo welcome; exit 0")
    with pytest.raises(Unanswered):
        scheduler.submit(work)


def test_a_refusal_carries_plain_words_and_the_sites(
    commands: Commands, scheduler: SlurmScheduler, work: Submission
) -> None:
    commands.play(
        "sbatch", "echo 'sbatch: error: Invalid account or account/partition x' >&2; exit 1"
    )
    with pytest.raises(Refused, match=r"may not use this partition.*Slurm said: Invalid account"):
        scheduler.submit(work)


def test_a_missing_command_is_a_refusal_with_a_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Refused, match="not installed"):
        ask(["sbatch"])


def test_a_folder_that_is_gone_is_not_a_missing_command(
    commands: Commands, scheduler: SlurmScheduler, work: Submission, tmp_path: Path
) -> None:
    commands.play("sbatch", "echo 7")
    work.folder.rename(tmp_path / "away")
    with pytest.raises(Refused, match="could not be started"):
        scheduler.submit(work)


def test_a_question_that_fails_has_taught_nothing(
    commands: Commands, scheduler: SlurmScheduler
) -> None:
    commands.play("squeue", "echo 'squeue: error: what nobody foresaw' >&2; exit 1")
    with pytest.raises(Unanswered, match="what nobody foresaw"):
        scheduler.status(["7"])
    with pytest.raises(Unanswered):
        scheduler.find("diamond-a1")


def test_without_accounting_the_history_is_empty(
    commands: Commands, scheduler: SlurmScheduler
) -> None:
    commands.play("sacct", "echo 'Slurm accounting storage is disabled' >&2; exit 1")
    assert scheduler.history(["7"]) == {}
    commands.play("squeue", "exit 0")
    assert scheduler.find("diamond-a1") is None


def test_a_database_that_is_away_is_not_an_empty_history(
    commands: Commands, scheduler: SlurmScheduler
) -> None:
    commands.play("sacct", "echo 'sacct: error: Problem talking to the database' >&2; exit 1")
    with pytest.raises(Unanswered):
        scheduler.history(["7"])


@pytest.mark.parametrize(
    ("log", "reason"),
    [
        ("slurmstepd: error: Exceeded job memory limit\n", "out-of-memory"),
        (
            "slurmstepd: error: Step 7.batch exceeded memory limit (4 > 1), being killed\n",
            "out-of-memory",
        ),
        ("slurmstepd: error: Detected 1 oom_kill event in StepId=7.batch\n", "out-of-memory"),
        ("Killed\n", "signal"),
    ],
)
def test_a_kill_for_memory_is_told_from_the_log(
    commands: Commands, scheduler: SlurmScheduler, work: Submission, log: str, reason: str
) -> None:
    commands.play("sbatch", "echo 7")
    commands.play("squeue", f"echo '{ROW.format(id=7)}'")
    native_id = scheduler.submit(work)
    (work.folder / "native.log").write_text(log)
    assert scheduler.status([native_id])[native_id].reason == reason


def test_what_is_remembered_goes_with_the_run_directory(
    commands: Commands, scheduler: SlurmScheduler, work: Submission, tmp_path: Path
) -> None:
    commands.play("sbatch", "echo 7")
    scheduler.submit(work)
    assert (tmp_path / "state" / "attempts" / "7").is_symlink()
    work.folder.rename(tmp_path / "away")
    SlurmScheduler(tmp_path / "state")
    assert not (tmp_path / "state" / "attempts" / "7").is_symlink()


def test_cancelling_what_is_gone_is_fine(commands: Commands, scheduler: SlurmScheduler) -> None:
    commands.play(
        "scancel",
        "echo 'scancel: error: Kill job error on job id 7: Invalid job id specified' >&2; exit 1",
    )
    scheduler.cancel("7")
    commands.play(
        "scancel",
        "echo 'scancel: error: Kill job error on job id 7: Access/permission denied' >&2; exit 1",
    )
    with pytest.raises(Refused):
        scheduler.cancel("7")


def test_nodes_are_left_out_of_a_job_that_waits(
    commands: Commands, scheduler: SlurmScheduler, work: Submission, tmp_path: Path
) -> None:
    """Beside those that the person named; that it has nodes by now is fine."""
    said = tmp_path / "said"
    commands.play("scontrol", f"echo $* >{said}")
    named = replace(work, exclude=["n3"], placement=Placement(options={"exclude": "n[1-2]"}))
    scheduler.leave_out("7", named, {"exclude": "refuses"})
    assert not said.exists()
    scheduler.leave_out("7", named, {})
    assert said.read_text() == "update JobId=7 ExcNodeList=n[1-2],n3\n"
    commands.play("scontrol", "echo 'Job is no longer pending execution for job 7' >&2; exit 1")
    scheduler.leave_out("7", named, {})
    commands.play("scontrol", "echo 'Access/permission denied for job 7' >&2; exit 1")
    with pytest.raises(Refused):
        scheduler.leave_out("7", named, {})


def test_nothing_is_asked_about_nothing(commands: Commands, scheduler: SlurmScheduler) -> None:
    commands.play("squeue", "exit 9")
    commands.play("sacct", "exit 9")
    assert scheduler.status([]) == scheduler.history([]) == {}
