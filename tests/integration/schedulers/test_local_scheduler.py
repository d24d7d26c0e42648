"""What the local scheduler promises beyond the shared suite: order, sharing, and truth after a death."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from diamond.core.errors import Refused
from diamond.core.native import NativeStatus
from diamond.core.order import Placement, Resources
from diamond.core.task import Reason
from diamond.schedulers import local_supervisor
from diamond.schedulers.base import Submission
from diamond.schedulers.local import UNCLAIMED_SECONDS, LocalScheduler
from diamond.schedulers.local_endings import read_ending
from diamond.testing.wait import wait_until
from support.waiting import PATIENCE

CORES, MEMORY_MB, GPUS = 2, 1000, 2


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    state = tmp_path / "state"
    state.mkdir()
    settings = {"cores": CORES, "memory_mb": MEMORY_MB, "gpus": GPUS}
    (state / "settings.json").write_text(json.dumps(settings))
    return state


@pytest.fixture
def local(folder: Path) -> LocalScheduler:
    return LocalScheduler(folder)


def submission(
    tmp_path: Path, name: str, text: str, resources: Resources | None = None
) -> Submission:
    attempt = tmp_path / name
    attempt.mkdir()
    (attempt / "script.sh").write_text(text + "\n")
    return Submission(name, attempt / "script.sh", attempt, resources or Resources(), Placement())


def ended(local: LocalScheduler, native_id: str) -> NativeStatus:
    def reached() -> NativeStatus | None:
        local.advance()
        seen = local.status([native_id])[native_id]
        return seen if seen.status == "ended" else None

    return wait_until(reached, what=f"end of {native_id}")


def supervisor_of(folder: Path, native_id: str) -> int:
    said = wait_until(lambda: read(folder / "running" / native_id / "supervisor"))
    return int(said.split()[0])


def read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def test_ten_jobs_share_the_machine_in_order(local: LocalScheduler, tmp_path: Path) -> None:
    log = tmp_path / "log"
    text = f"echo + >>'{log}'; sleep 0.1; echo - >>'{log}'"
    ids = [local.submit(submission(tmp_path, f"job{n}", text)) for n in range(10)]
    statuses = [ended(local, native_id) for native_id in ids]
    assert all(status.exit_code == 0 for status in statuses)
    depth = most = 0
    for sign in log.read_text().split():
        depth += 1 if sign == "+" else -1
        most = max(most, depth)
    assert most <= CORES


def test_a_large_job_is_not_overtaken_for_ever(local: LocalScheduler, tmp_path: Path) -> None:
    first = local.submit(submission(tmp_path, "first", "sleep 60"))
    large = local.submit(submission(tmp_path, "large", "true", Resources(cpus_per_task=CORES)))
    small = local.submit(submission(tmp_path, "small", "true"))
    seen = local.status([large, small])
    assert "2 of the machine's 2 cores" in seen[large].message
    assert "ahead" in seen[small].message
    local.cancel(first)
    ended(local, large)
    ended(local, small)


def test_memory_is_shared_out_too(local: LocalScheduler, tmp_path: Path) -> None:
    asked = Resources(memory_mb=600)
    first = local.submit(submission(tmp_path, "a", "sleep 60", asked))
    second = local.submit(submission(tmp_path, "b", "true", asked))
    assert "memory" in local.status([second])[second].message
    local.cancel(first)
    assert ended(local, second).exit_code == 0


def test_each_job_has_gpus_of_its_own(local: LocalScheduler, tmp_path: Path) -> None:
    asked = Resources(gpus_per_node=1)
    text = "echo $CUDA_VISIBLE_DEVICES >seen; while [ ! -e go ]; do sleep 0.05; done"
    ids = [local.submit(submission(tmp_path, name, text, asked)) for name in "ab"]
    seen = [wait_until(lambda n=name: read(tmp_path / n / "seen")) for name in "ab"]  # type: ignore[misc]
    assert sorted(seen) == ["0\n", "1\n"]
    for name in "ab":
        (tmp_path / name / "go").touch()
    assert [ended(local, native_id).exit_code for native_id in ids] == [0, 0]


def test_each_process_of_a_job_is_told_its_own_number_of_threads(
    local: LocalScheduler, tmp_path: Path
) -> None:
    asked = Resources(tasks_per_node=2, cpus_per_task=1)
    job = submission(tmp_path, "ranks", "echo $OMP_NUM_THREADS >seen", asked)
    ended(local, local.submit(job))
    assert read(tmp_path / "ranks" / "seen") == "1\n"


def test_a_job_larger_than_the_machine_is_refused_with_what_it_has(
    local: LocalScheduler, tmp_path: Path
) -> None:
    asked = Resources(nodes=2, cpus_per_task=3, memory_mb=2000, gpus_per_node=3)
    with pytest.raises(Refused) as refused:
        local.submit(submission(tmp_path, "huge", "true", asked))
    for has in ("one node", "2 cores", "1000.0 MB", "2 GPUs"):
        assert has in refused.value.message


def test_jobs_and_queue_outlive_the_agent(folder: Path, tmp_path: Path) -> None:
    before = LocalScheduler(folder)
    text = "while [ ! -e go ]; do sleep 0.05; done; exit 5"
    everything = Resources(cpus_per_task=CORES)
    running = before.submit(submission(tmp_path, "running", text, everything))
    waiting = before.submit(submission(tmp_path, "waiting", "exit 6", everything))
    supervisor_of(folder, running)
    after = LocalScheduler(folder)
    assert {key: s.status for key, s in after.status([running, waiting]).items()} == {
        running: "running",
        waiting: "queued",
    }
    (tmp_path / "running" / "go").touch()
    assert ended(after, running).exit_code == 5
    assert ended(after, waiting).exit_code == 6


def test_a_job_survives_the_death_of_the_process_that_started_it(
    folder: Path, tmp_path: Path
) -> None:
    work = submission(tmp_path, "orphan", "while [ ! -e go ]; do sleep 0.05; done; exit 5")
    code = (
        "import os, signal, sys; from pathlib import Path\n"
        "from diamond.core.order import Placement, Resources\n"
        "from diamond.schedulers.base import Submission\n"
        "from diamond.schedulers.local import LocalScheduler\n"
        "s, a = Path(sys.argv[1]), Path(sys.argv[2])\n"
        "x = Submission('orphan', a / 'script.sh', a, Resources(), Placement())\n"
        "print(LocalScheduler(s).submit(x), flush=True)\n"
        "os.killpg(0, signal.SIGKILL)\n"
    )
    died = subprocess.run(
        [sys.executable, "-c", code, str(folder), str(work.folder)],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": ":".join(sys.path)},
    )
    assert died.returncode == -signal.SIGKILL
    local, native_id = LocalScheduler(folder), died.stdout.strip()
    supervisor_of(folder, native_id)
    assert local.status([native_id])[native_id].status == "running"
    (work.folder / "go").touch()
    assert ended(local, native_id).exit_code == 5


def test_a_killed_supervisor_means_a_lost_job_and_nothing_is_left_running(
    local: LocalScheduler, folder: Path, tmp_path: Path
) -> None:
    work = submission(tmp_path, "victim", "while :; do date >alive; sleep 0.05; done")
    native_id = local.submit(work)
    wait_until((work.folder / "alive").exists)
    os.kill(supervisor_of(folder, native_id), signal.SIGKILL)
    assert ended(local, native_id).reason == Reason.NODE_LOST
    (work.folder / "alive").unlink(missing_ok=True)
    with pytest.raises(AssertionError):
        wait_until((work.folder / "alive").exists, seconds=0.5)


def test_a_restart_of_the_machine_ends_its_jobs(
    local: LocalScheduler, folder: Path, tmp_path: Path
) -> None:
    native_id = local.submit(submission(tmp_path, "old", "sleep 60"))
    pid = supervisor_of(folder, native_id)
    identity = folder / "running" / native_id / "supervisor"
    before = identity.read_text()
    identity.write_text(" ".join([*before.split()[:2], "another-boot"]))
    seen = ended(local, native_id)
    assert seen.reason == Reason.NODE_LOST
    assert "restarted" in seen.message
    os.kill(pid, signal.SIGKILL)


def test_a_recycled_process_number_is_not_mistaken_for_the_supervisor(
    local: LocalScheduler, folder: Path, tmp_path: Path
) -> None:
    native_id = local.submit(submission(tmp_path, "old", "true"))
    ended(local, native_id)
    local.advance()
    path = folder / "running" / native_id
    (folder / "ended" / native_id).rename(path)
    (path / "end").unlink()
    _, start, boot = local_supervisor.identity(os.getpid()).split()
    (path / "supervisor").write_text(f"{os.getpid()} {int(start) - 1} {boot}")
    assert ended(local, native_id).reason == Reason.NODE_LOST


def test_a_job_that_an_agent_left_between_two_lines_is_started_by_the_next(
    folder: Path, tmp_path: Path
) -> None:
    local = LocalScheduler(folder)
    blocker = local.submit(submission(tmp_path, "a", "sleep 60", Resources(cpus_per_task=CORES)))
    native_id = local.submit(submission(tmp_path, "b", "exit 4"))
    left = folder / "running" / native_id
    (folder / "queued" / native_id).rename(left)
    os.utime(left, (0, time.time() - UNCLAIMED_SECONDS - 1))
    local.cancel(blocker)
    assert ended(LocalScheduler(folder), native_id).exit_code == 4


def test_only_one_supervisor_runs_a_job(tmp_path: Path) -> None:
    assert local_supervisor.claim(str(tmp_path))
    assert not local_supervisor.claim(str(tmp_path))


def test_what_a_job_leaves_behind_ends_with_it(local: LocalScheduler, tmp_path: Path) -> None:
    text = (
        "setsid sh -c 'trap \"\" TERM HUP; while :; do date >alive; sleep 0.05; done' & sleep 0.3"
    )
    work = submission(tmp_path, "litter", text)
    assert ended(local, local.submit(work)).exit_code == 0
    (work.folder / "alive").unlink(missing_ok=True)
    with pytest.raises(AssertionError):
        wait_until((work.folder / "alive").exists, seconds=0.5)


def test_a_time_limit_is_kept_without_any_agent(tmp_path: Path) -> None:
    job, attempt = tmp_path / "job", tmp_path / "attempt"
    job.mkdir()
    attempt.mkdir()
    script = attempt / "script.sh"
    script.write_text("trap 'exit 9' TERM; while :; do sleep 0.05; done\n")
    words = [sys.executable, "-I", "-S", local_supervisor.__file__, job, attempt, script, "0.5"]
    subprocess.run([str(word) for word in words], check=True, timeout=PATIENCE)
    ending = read_ending((job / "end").read_text())
    assert ending is not None
    assert (ending.cause, ending.exit_code) == ("time-limit", 9)


def test_a_script_that_cannot_start_is_said_to_have_failed(
    local: LocalScheduler, tmp_path: Path
) -> None:
    work = submission(tmp_path, "gone", "true")
    work.script.unlink()
    assert ended(local, local.submit(work)).exit_code == 127


def test_a_shutdown_is_not_a_cancel(local: LocalScheduler, folder: Path, tmp_path: Path) -> None:
    native_id = local.submit(submission(tmp_path, "shut", "sleep 60"))
    os.kill(supervisor_of(folder, native_id), signal.SIGTERM)
    assert ended(local, native_id).reason == Reason.NODE_LOST


def test_what_is_free_follows_the_jobs(local: LocalScheduler, tmp_path: Path) -> None:
    native_id = local.submit(submission(tmp_path, "a", "sleep 60"))
    assert local.free()["value"]["local"]["cpus_idle"] == CORES - 1
    local.cancel(native_id)
    ended(local, native_id)
    assert local.free()["value"]["local"]["cpus_idle"] == CORES


def test_an_id_is_never_a_path(local: LocalScheduler) -> None:
    assert local.status(["../queued", "", ".", "/etc"]) == {}
    local.cancel("../..")
