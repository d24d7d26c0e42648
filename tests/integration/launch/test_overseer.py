"""The overseer and its shims on one machine without a batch system, also by the oldest Python they must run on."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.overseeing import Scene
from support.waiting import PATIENCE, wait_for

UNTIL_GO = "until [ -e go ]; do sleep 0.05; done\n"


def oldest_python() -> str:
    """3.8 where there is one that runs; else this one."""
    found = shutil.which("python3.8")
    runs = found and subprocess.run([found, "-c", ""], capture_output=True, check=False)
    return found if found and runs and not runs.returncode else sys.executable


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path, sys.executable)


def test_all_ranks_run_and_their_lines_are_kept_apart_and_together(tmp_path: Path) -> None:
    it = Scene(tmp_path, oldest_python())
    assert it.start("echo out $RANK; printf 'unfinished' >&2").wait(PATIENCE) == 0
    assert it.lines("stdout.log") == ["[1] out 1", "[2] out 2", "out 0"]
    assert it.lines("rank-1.stdout.log") == ["out 1"]
    assert it.lines("stderr.log") == ["[1] unfinished", "[2] unfinished", "unfinished"]
    assert (it.run / "rank-2.stderr.log").read_text() == "unfinished"
    assert not (it.run / "culprit.json").exists()


def test_a_module_of_the_persons_with_a_famous_name_does_no_harm(scene: Scene) -> None:
    for name in ("signal", "select", "subprocess", "json", "diamond"):
        (scene.folder / f"{name}.py").write_text("raise RuntimeError('not this one')\n")
    assert scene.start("true", 2).wait(PATIENCE) == 0


def test_what_a_rank_leaves_behind_does_not_keep_it(scene: Scene) -> None:
    process = scene.start("(trap '' TERM HUP; sleep 600) & echo $! >left.$RANK", 2)
    assert process.wait(PATIENCE) == 0
    left = [int(file.read_text()) for file in scene.folder.glob("left.*")]
    wait_for(lambda: not any(is_alive(pid) for pid in left), what="the end of what was left")


def test_a_signal_reaches_every_rank_once(scene: Scene) -> None:
    command = "trap 'echo asked >>asked.$RANK; exit 75' USR1 TERM; touch ready.$RANK\n" + UNTIL_GO
    process = scene.start(command)
    scene.wait_for_files("ready.*", 3)
    process.send_signal(signal.SIGUSR1)
    assert process.wait(PATIENCE) == 75
    assert [(scene.folder / f"asked.{rank}").read_text() for rank in range(3)] == ["asked\n"] * 3


def test_a_program_that_cannot_be_started_is_told(scene: Scene) -> None:
    assert scene.start("exec /no/such/program", 2).wait(PATIENCE) in (126, 127)
    assert "No such file" in scene.culprit()["message"]


def test_a_rank_that_aborts_as_it_shuts_down_leaves_the_others_time_to_finish(scene: Scene) -> None:
    """As seen with Lightning and gloo."""
    command = (
        "if [ $RANK = 1 ]; then echo terminate called without an active exception >&2; kill -ABRT $$; fi\n"
        "sleep 1; touch saved.$RANK"
    )
    assert scene.start(command).wait(PATIENCE) == 0
    assert len(list(scene.folder.glob("saved.*"))) == 2
    assert any("rank 1 was aborted by its libraries" in line for line in scene.lines("stderr.log"))


def test_a_rank_that_stands_still_is_ended_and_named(scene: Scene) -> None:
    """Rank 1 stops at step 2 while the others are at 3; nobody goes on."""
    command = (
        "touch begun.$RANK; until [ -e begun.0 ] && [ -e begun.1 ] && [ -e begun.2 ]; do sleep 0.05; done\n"
        'if [ "$RANK" = 1 ]; then echo "waits for ever"; echo 2 >"$DIAMOND_STEP_FILE"; else echo 3 >"$DIAMOND_STEP_FILE"; fi\n'
        + UNTIL_GO
    )
    assert scene.start(command, hang_seconds=4.0).wait(PATIENCE) == 70
    culprit = scene.culprit()
    assert (culprit["rank"], culprit["reason"], culprit["blames_node"]) == (1, "hung", True)
    assert "is at step 2, the others at 3" in culprit["message"]
    assert culprit["message"].endswith("waits for ever")


def test_a_run_that_writes_to_tensorboard_alone_is_called_hung_when_its_files_stand_still(
    scene: Scene,
) -> None:
    command = (
        "mkdir -p logs/run\n"
        "until [ -e still ]; do echo record >>logs/run/events.out.tfevents.1.node; sleep 0.2; done\n"
        "touch stands; until [ -e never ]; do sleep 0.2; done\n"
    )
    process = scene.start(command, 1, hang_seconds=4.0)
    file = scene.folder / "logs/run/events.out.tfevents.1.node"
    wait_for(lambda: file.exists() and file.stat().st_size > 60 * 7, what="12 s of records")
    assert process.poll() is None, "as long as its files grow, it runs"
    (scene.folder / "still").touch()
    assert process.wait(PATIENCE) == 70
    assert (scene.folder / "stands").exists()
    assert scene.culprit()["reason"] == "hung"


def test_a_rank_that_vanished_together_with_its_shim_is_named(scene: Scene) -> None:
    """As with a node: the others are asked to end, also if they will not hear, and are not to blame."""
    program = "trap '' TERM; touch ready.$RANK\nif [ $RANK = 1 ]; then until [ -e go ]; do sleep 0.05; done; kill -9 $PPID $$; fi\n"
    process = scene.start(program + "until [ -e never ]; do sleep 0.05; done")
    scene.wait_for_files("ready.*", 3)
    (scene.folder / "go").touch()
    assert process.wait(PATIENCE) == 137
    culprit = scene.culprit()
    assert (culprit["rank"], culprit["blames_node"]) == (1, True)
    assert "disappeared" in culprit["message"]


@pytest.mark.slow  # a look counts as late after 15 s, and all ranks have 30 s to be heard of again
def test_a_run_that_was_suspended_is_not_called_hung(scene: Scene) -> None:
    """Its first node may come back before the others."""
    steps = "until [ -e go ]; do n=$((n + 1)); echo $n >$DIAMOND_STEP_FILE; sleep 6; done\n"
    process = scene.start(steps, hang_seconds=8.0)
    scene.wait_for_files("runs/1/ranks/*.step", 3)
    time.sleep(3)
    ranks = descendants(process.pid)
    signal_all([process.pid, *ranks], signal.SIGSTOP)
    time.sleep(30)
    process.send_signal(signal.SIGCONT)
    time.sleep(2)
    signal_all(ranks, signal.SIGCONT)
    time.sleep(40)
    (scene.folder / "go").touch()
    assert process.wait(PATIENCE) == 0


def test_a_rank_that_the_kernel_kills_for_want_of_memory_blames_no_node(
    scene: Scene, small_group: str
) -> None:
    """Nothing stands in its log; also where a shell stands between the shim and the program."""
    eats = f"{sys.executable} -c 'bytearray(1 << 30)'\n"
    process = scene.start(f"[ $RANK = 0 ] || {eats}", count=2, group=small_group)
    assert process.wait(PATIENCE) == 137
    culprit = scene.culprit()
    assert (culprit["rank"], culprit["reason"]) == (1, "out-of-memory")
    assert not culprit["blames_node"]


def test_open_mpi_leaves_every_rank_all_cores(scene: Scene) -> None:
    """It binds each of two ranks to one core, where all threads of it then take turns."""
    mpirun = shutil.which("mpirun")
    if not mpirun or b"Open MPI" not in subprocess.check_output([mpirun, "--version"]):
        pytest.skip("no Open MPI here")
    process = scene.start(
        "env -u OMP_NUM_THREADS nproc >cpus.$RANK", 2, kind="mpi", mpi="mpirun", cpus_per_rank=64
    )
    assert process.wait(PATIENCE) == 0
    cores = str(len(os.sched_getaffinity(0)))
    assert [file.read_text().strip() for file in scene.folder.glob("cpus.*")] == [cores, cores]


AFFINITY = f"{sys.executable} -c 'import os; print(*os.sched_getaffinity(0))' >cores.$RANK"


@pytest.mark.parametrize("kind", ["per-rank", "mpi"])
def test_ranks_that_have_the_whole_machine_have_cores_of_their_own(scene: Scene, kind: str) -> None:
    if kind == "mpi" and not shutil.which("mpirun"):
        pytest.skip("no MPI is installed here")
    allowed = os.sched_getaffinity(0)
    if len(allowed) < 2:
        pytest.skip("this machine has one core")
    assert scene.start(AFFINITY, len(allowed), kind=kind).wait(PATIENCE) == 0
    found = [{*map(int, file.read_text().split())} for file in scene.folder.glob("cores.*")]
    assert [len(cores) for cores in found] == [1] * len(allowed)
    assert set.union(*found) == allowed


def test_a_person_may_keep_ranks_from_being_bound(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIAMOND_BIND", "none")
    allowed = os.sched_getaffinity(0)
    assert scene.start(AFFINITY, len(allowed)).wait(PATIENCE) == 0
    found = [{*map(int, file.read_text().split())} for file in scene.folder.glob("cores.*")]
    assert found == [allowed] * len(allowed)


def test_ranks_for_which_there_are_too_few_cores_are_bound_to_none(scene: Scene) -> None:
    allowed = os.sched_getaffinity(0)
    assert scene.start(AFFINITY, len(allowed) + 1).wait(PATIENCE) == 0
    found = [{*map(int, file.read_text().split())} for file in scene.folder.glob("cores.*")]
    assert found == [allowed] * (len(allowed) + 1)


def test_every_worker_of_tensorflow_hears_of_a_port_of_each(scene: Scene) -> None:
    process = scene.start('echo "$TF_CONFIG" >config.$RANK', 3, kind="tensorflow")
    assert process.wait(PATIENCE) == 0
    told = [json.loads((scene.folder / f"config.{rank}").read_text()) for rank in range(3)]
    assert [one["task"] for one in told] == [{"type": "worker", "index": r} for r in range(3)]
    [workers] = {tuple(one["cluster"]["worker"]) for one in told}
    assert len(set(workers)) == 3
    assert all(worker.startswith("127.0.0.1:") for worker in workers)


@pytest.fixture
def small_group() -> Iterator[str]:
    """A control group of 200 MB."""
    place = Path("/sys/fs/cgroup/memory") / f"diamond-{uuid.uuid4().hex}"
    try:
        place.mkdir()
        (place / "memory.limit_in_bytes").write_text(str(200 << 20))
    except OSError as error:
        pytest.skip(f"no control group can be made here: {error}")
    yield str(place / "cgroup.procs")
    wait_for(lambda: not (place / "cgroup.procs").read_text(), what="the end of the group")
    place.rmdir()


def descendants(pid: int) -> list[int]:
    found = []
    for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        found += [int(word), *descendants(int(word))]
    return found


def signal_all(pids: list[int], number: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
