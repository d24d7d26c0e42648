"""`diamond shell`: one more command, or a terminal, inside a task that is running."""

from __future__ import annotations

import json
import os
import pty
import select
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from diamond.testing.lab import Lab
from support.containers import busybox, skip_without
from support.diamond import COMMAND, Diamond, diamond_up
from support.slurm import open_folder, skip_without_lab_support
from support.waiting import wait_for

SPEC = """\
name: {name}
run: "echo $OWN > started; until [ -e {go} ]; do sleep 0.1; done"
on: {endpoint}
environment:
  variables: {{OWN: "of the spec $HOME"}}
params: {{lr: 0.1}}
"""
LOOK = (
    'echo "$OWN"; cat started; echo "$DIAMOND_TASK"; echo "${DIAMOND_METRICS-unset}"; pwd; exit 7'
)


@pytest.fixture(scope="module")
def laptop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Diamond]:
    top = tmp_path_factory.mktemp("shell")
    made = Diamond(top / "home", top)
    with diamond_up(made):
        yield made


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    skip_without_lab_support()
    with open_folder() as folder:
        yield Lab.up(folder, clusters=["alpha"], nodes=2, ssh=True, accounting=False)


@pytest.fixture(scope="module")
def far(laptop: Diamond, lab: Lab) -> Iterator[Diamond]:
    made = Diamond(
        laptop.home, laptop.folder, {"DIAMOND_SSH": f"ssh -F {lab.ssh_config} -o LogLevel=ERROR"}
    )
    added = made.call("endpoint", "add", "alpha", "--ssh", "alpha")
    assert added.returncode == 0, added.stderr
    yield made
    made.call("endpoint", "remove", "alpha")


@contextmanager
def running(
    diamond: Diamond, folder: Path, endpoint: str, go: Path, more: str = ""
) -> Iterator[str]:
    """A task that runs until the end of the block, then succeeds."""
    (folder / "job.yaml").write_text(SPEC.format(name="shell", endpoint=endpoint, go=go) + more)
    task = str(diamond.ask("run", str(folder / "job.yaml"))["tasks"][0]["id"])
    diamond.wait_for_state(task, "running", "failed")
    wait_for(lambda: "started" in diamond.call("files", task).stdout, what="the program")
    yield task
    go.touch()
    diamond.wait_for_state(task, "succeeded")


def test_a_command_runs_beside_a_local_task_as_its_program_does(
    laptop: Diamond, tmp_path: Path
) -> None:
    with running(laptop, tmp_path, "local", tmp_path / "go") as task:
        done = laptop.call("shell", task, "--", "sh", "-c", LOOK)
        lines = done.stdout.splitlines()
        assert done.returncode == 7, done.stderr
        assert lines[:4] == ["of the spec $HOME", "of the spec $HOME", task, "unset"]
        assert lines[4] == laptop.ask("show", task)["run_dir"] + "/run"
        wrong = laptop.call("shell", task, "--node", "mars", "--", "true")
        assert wrong.returncode == 1 and "no node 'mars'" in wrong.stderr
    assert laptop.call("logs", task).stdout == ""


def test_what_is_not_running_has_no_shell(laptop: Diamond) -> None:
    done = laptop.call("run", "--wait", "--", "true")
    assert done.returncode == 0
    task = laptop.ask("tasks")["items"][0]["id"]
    said = laptop.call("shell", task)
    assert said.returncode == 1
    assert "has ended: succeeded" in said.stderr and f"diamond retry {task}" in said.stderr


def test_the_command_can_be_printed_and_rank_and_node_exclude_each_other(
    laptop: Diamond, tmp_path: Path
) -> None:
    with running(laptop, tmp_path, "local", tmp_path / "go") as task:
        printed = laptop.ask("shell", task, "--", "nvidia-smi")
        assert printed["command"][1:] == ["-m", "diamond.agent", "shell", task, "--", "nvidia-smi"]
        both = laptop.call("shell", task, "--node", "a", "--rank", "1")
        assert both.returncode == 1 and "--rank" in both.stderr
        rank = laptop.call("shell", task, "--rank", "1")
        assert rank.returncode == 1 and "no rank 1" in rank.stderr


def test_over_ssh_it_is_a_step_of_the_tasks_own_job(far: Diamond, lab: Lab, tmp_path: Path) -> None:
    with running(far, tmp_path, "alpha", lab.root / "go-step") as task:
        job = far.ask("show", task)["native_id"]
        look = f"echo $SLURM_JOB_ID $SLURM_STEP_ID $(hostname); {LOOK}"
        done = far.call("shell", task, "--", "sh", "-c", look)
        assert done.returncode == 7, done.stderr
        lines = done.stdout.splitlines()
        assert lines[0] == f"{job} 0 alpha-n1"
        assert lines[1:5] == ["of the spec $HOME", "of the spec $HOME", task, "unset"]
        odd = ["a b", "$HOME", "it's", '"', "*"]
        said = far.call("shell", task, "--", "printf", "%s\\n", *odd)
        assert said.stdout.splitlines() == odd
        wrong = far.call("shell", task, "--node", "alpha-n9", "--", "true")
        assert wrong.returncode == 1 and "Its nodes: alpha-n1" in wrong.stderr


def test_a_terminal_over_ssh_is_a_terminal(far: Diamond, lab: Lab, tmp_path: Path) -> None:
    with (
        running(far, tmp_path, "alpha", lab.root / "go-terminal") as task,
        terminal([*COMMAND, "shell", task], far) as (screen, pid),
    ):
        read_until(screen, b"diamond ")
        os.write(screen, b"tty >&2; echo is-$OWN; exit 5\n")
        assert b"/dev/pts/" in read_until(screen, b"is-of the spec")
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 5


def test_the_node_of_a_rank_is_found(far: Diamond, lab: Lab, tmp_path: Path) -> None:
    more = "resources: {nodes: 2, tasks_per_node: 1}\nlaunch: mpi\n"
    with running(far, tmp_path, "alpha", lab.root / "go-rank", more) as task:
        found = {
            option: far.call("shell", task, *option.split(), "--", "hostname").stdout.strip()
            for option in ("--rank 0", "--rank 1", "--node alpha-n2")
        }
        assert sorted((found["--rank 0"], found["--rank 1"])) == ["alpha-n1", "alpha-n2"]
        assert found["--node alpha-n2"] == "alpha-n2"
        far_off = far.call("shell", task, "--rank", "2", "--", "hostname")
        assert far_off.returncode == 1 and "Its ranks: 0 to 1" in far_off.stderr


def test_a_host_that_ssh_cannot_reach_is_named(far: Diamond, lab: Lab, tmp_path: Path) -> None:
    with running(far, tmp_path, "alpha", lab.root / "go-away") as task:
        said = far.call("shell", task, "--ssh", "no-such-host.invalid", "--", "true")
        assert said.returncode == 1
        assert "alpha could not be reached by ssh" in said.stderr
        assert "no-such-host.invalid" in said.stderr
        elsewhere = Diamond(tmp_path / "other", tmp_path, {**far.extra, **address(far)})
        lost = elsewhere.call("shell", task, "--", "true")
        assert lost.returncode == 1 and "add --ssh HOST" in lost.stderr
        named = elsewhere.call("shell", task, "--ssh", "alpha", "--", "hostname")
        assert (named.returncode, named.stdout) == (0, "alpha-n1\n"), named.stderr


def test_the_shell_of_a_task_in_an_image_is_in_that_image(
    far: Diamond, lab: Lab, tmp_path: Path
) -> None:
    skip_without("apptainer")
    base = busybox(lab.root / "shell-base")
    (tmp_path / "inside.yaml").write_text(
        f"base: rootfs:{base}\ncommands: [echo of the image >/opt/one]\n"
    )
    built = far.call("image", "build", str(tmp_path / "inside.yaml"), "--on", "alpha")
    assert built.returncode == 0, built.stderr
    job = (
        "name: inside\nenvironment: inside\non: alpha\n"
        'run: "touch started; until [ -e go ]; do sleep 0.1; done"\n'
    )
    (tmp_path / "job.yaml").write_text(job)
    task = str(far.ask("run", str(tmp_path / "job.yaml"))["tasks"][0]["id"])
    far.wait_for_state(task, "running", "failed")
    wait_for(lambda: "started" in far.call("files", task).stdout, what="the program")
    seen = far.call("shell", task, "--", "cat", "/opt/one")
    assert (seen.returncode, seen.stdout) == (0, "of the image\n"), seen.stderr
    typed = far.call("shell", task, stdin="cat /opt/one; ls /usr/bin/sbatch; touch go; exit 3\n")
    assert typed.returncode == 3 and "of the image" in typed.stdout, typed.stderr
    assert "No such file" in typed.stderr
    far.wait_for_state(task, "succeeded")


def address(diamond: Diamond) -> dict[str, str]:
    saved = json.loads((diamond.home / "token.json").read_text())
    return {"DIAMOND_URL": saved["url"], "DIAMOND_TOKEN": saved["token"]}


@contextmanager
def terminal(words: list[str], person: Diamond) -> Iterator[tuple[int, int]]:
    pid, screen = pty.fork()
    if pid == 0:
        os.chdir(person.folder)
        os.execve(words[0], words, {**person.env, "TERM": "xterm"})
    try:
        yield screen, pid
    finally:
        os.close(screen)


def read_until(screen: int, wanted: bytes) -> bytes:
    seen = bytearray()

    def look() -> bool:
        if select.select([screen], [], [], 0.1)[0]:
            seen.extend(os.read(screen, 4096))
        return wanted in seen

    wait_for(look, 60, what=f"{wanted!r} on the terminal", every=0)
    return bytes(seen)
