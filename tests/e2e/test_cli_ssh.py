"""A laptop and a cluster that cannot reach it: everything goes over the person's own ssh."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from diamond.testing.lab import Lab
from support.containers import busybox, skip_without
from support.diamond import COMMAND, Diamond, diamond_up
from support.service import free_port
from support.slurm import open_folder, skip_without_lab_support
from support.waiting import PATIENCE, wait_for


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """One cluster with a network of its own and no way out."""
    skip_without_lab_support()
    with open_folder() as folder:
        yield Lab.up(folder, clusters=["alpha"], nodes=2, ssh=True, netns=True, accounting=False)


@pytest.fixture(scope="module")
def diamond(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Diamond]:
    top = tmp_path_factory.mktemp("ssh")
    made = Diamond(top / "home", top, {"DIAMOND_SSH": f"ssh -F {lab.ssh_config}"})
    with diamond_up(made):
        added = made.call("endpoint", "add", "alpha", "--ssh", "alpha")
        assert added.returncode == 0, added.stderr
        yield made
        made.call("endpoint", "remove", "alpha")
        end_bridge(made)


def end_bridge(diamond: Diamond, number: int = signal.SIGTERM) -> None:
    pid = bridge(diamond)
    if pid:
        os.kill(pid, number)


def bridge(diamond: Diamond) -> int:
    file = diamond.home / "endpoints" / "alpha.pid"
    return int(file.read_text() or 0) if file.exists() else 0


def endpoint_state(diamond: Diamond) -> str:
    return str(diamond.ask("endpoint", "show", "alpha")["state"])


def cut_the_connection(diamond: Diamond) -> None:
    """ssh itself dies, as when a laptop changes its network."""
    found = subprocess.run(
        ["pgrep", "-P", str(bridge(diamond)), "-x", "ssh"],
        capture_output=True,
        text=True,
        check=True,
    )
    os.kill(int(found.stdout), signal.SIGKILL)
    wait_for(lambda: endpoint_state(diamond) == "sign-in", what="sign-in")


def test_the_first_job_runs_on_the_cluster(diamond: Diamond) -> None:
    done = diamond.call(
        "run", "--on", "alpha", "--wait", "--", "sh", "-c", "hostname; id -un; exit 5"
    )
    assert done.returncode == 5, done.stderr
    assert done.stdout.split() == ["alpha-n1", "alice"]


def test_the_site_is_known(diamond: Diamond) -> None:
    shown = diamond.call("endpoint", "show", "alpha").stdout
    assert "alice@alpha-login" in shown and "batch" in shown
    exported = diamond.ask("endpoint", "export", "alpha")
    assert exported["facts"]["scheduler"]["value"]["name"] == "slurm"


def test_code_travels_over_ssh_and_results_come_back(diamond: Diamond, tmp_path: Path) -> None:
    (tmp_path / "diamond.yaml").write_text(
        "name: far\ncode: .\nrun: cp data.bin copy.bin\non: alpha\n"
    )
    (tmp_path / "data.bin").write_bytes(os.urandom(3_000_000))
    done = diamond.call("run", str(tmp_path), "--wait")
    assert done.returncode == 0, done.stderr
    task = diamond.ask("tasks", "--name", "far")["items"][0]["id"]
    assert diamond.call("get", task, "copy.bin", str(tmp_path / "back.bin")).returncode == 0
    assert (tmp_path / "back.bin").read_bytes() == (tmp_path / "data.bin").read_bytes()


@pytest.mark.slow
def test_a_failed_step_is_looked_into_over_ssh(diamond: Diamond, lab: Lab, tmp_path: Path) -> None:
    skip_without("apptainer")
    base = busybox(lab.root / "base")
    (tmp_path / "far.yaml").write_text(
        f"base: rootfs:{base}\ncommands: [echo before the end >/opt/one, exit 3]\n"
    )
    built = diamond.call("image", "build", str(tmp_path / "far.yaml"), "--on", "alpha")
    assert built.returncode == 1 and "command-2 failed" in built.stdout + built.stderr
    task = diamond.ask("tasks", "--kind", "build")["items"][0]["id"]
    said = diamond.call("image", "shell", task, stdin="cat /opt/one; exit\n")
    assert "before the end" in said.stdout, said.stderr


@pytest.mark.slow
def test_an_image_that_was_built_over_ssh_is_used_there_and_copied_off(
    diamond: Diamond, lab: Lab, tmp_path: Path
) -> None:
    """An agent that is started over ssh keeps its files to itself; what it builds is still readable for jobs."""
    skip_without("apptainer")
    base = busybox(lab.root / "copied")
    (tmp_path / "copied.yaml").write_text(
        f"base: rootfs:{base}\ncommands: [echo readable >/opt/one]\ntest: cat /opt/one\n"
    )
    built = diamond.call("image", "build", str(tmp_path / "copied.yaml"), "--on", "alpha")
    assert built.returncode == 0, built.stderr
    (tmp_path / "job.yaml").write_text("run: cat /opt/one\nenvironment: copied\non: alpha\n")
    done = diamond.call("run", str(tmp_path / "job.yaml"), "--wait")
    assert (done.returncode, done.stdout) == (0, "readable\n"), done.stderr
    copied = diamond.call("image", "copy", "copied", "--on", "local", "--how", "move")
    assert copied.returncode == 0 and "(alpha -> local), done" in copied.stderr, copied.stderr
    where = {copy["endpoint"] for copy in diamond.ask("image", "show", "copied")["copies"]}
    assert where == {"alpha", "local"}


def test_a_job_outlives_the_connection(diamond: Diamond, lab: Lab) -> None:
    go = lab.root / "go"
    script = f"echo 1; until [ -e {go} ]; do sleep 0.1; done; echo 2"
    task = diamond.submit("sh", "-c", script, options=("--on", "alpha"))
    diamond.wait_for_state(task, "running")
    cut_the_connection(diamond)
    assert "diamond endpoint connect alpha" in diamond.call("endpoint", "list").stdout
    assert diamond.state(task) == "running"
    go.touch()
    assert diamond.call("endpoint", "connect", "alpha").returncode == 0
    diamond.wait_for_state(task, "succeeded")
    wait_for(lambda: diamond.call("logs", task).stdout == "1\n2\n", what="whole log")


def test_a_task_sent_while_away_starts_after_signing_in(diamond: Diamond) -> None:
    cut_the_connection(diamond)
    task = diamond.submit("echo", "later", options=("--on", "alpha"))
    assert diamond.state(task) == "preparing"
    assert diamond.call("endpoint", "connect", "alpha").returncode == 0
    diamond.wait_for_state(task, "succeeded")


def test_a_connection_in_the_foreground_ends_by_ctrl_c(diamond: Diamond) -> None:
    cut_the_connection(diamond)
    connection = diamond.start("endpoint", "connect", "alpha", "--foreground")
    wait_for(lambda: endpoint_state(diamond) == "online", what="a connection")
    os.kill(connection.pid, signal.SIGINT)
    connection.communicate(timeout=PATIENCE)
    assert endpoint_state(diamond) == "sign-in"
    assert diamond.call("endpoint", "connect", "alpha").returncode == 0


def test_connecting_twice_is_harmless(diamond: Diamond) -> None:
    before = bridge(diamond)
    done = diamond.call("endpoint", "connect", "alpha")
    assert done.returncode == 0 and "already connected" in done.stderr
    assert bridge(diamond) == before


def test_a_bridge_that_was_killed_is_replaced(diamond: Diamond) -> None:
    end_bridge(diamond, signal.SIGKILL)
    assert diamond.call("endpoint", "connect", "alpha").returncode == 0
    assert diamond.call("run", "--on", "alpha", "--wait", "--", "true").returncode == 0


@pytest.mark.slow
def test_the_bridge_outlives_a_restart_of_diamond(lab: Lab, tmp_path: Path) -> None:
    laptop = Diamond(tmp_path / "home", tmp_path, {"DIAMOND_SSH": f"ssh -F {lab.ssh_config}"})
    port = free_port()
    with diamond_up(laptop, port=port):
        assert laptop.call("endpoint", "add", "alpha", "--ssh", "alpha").returncode == 0
    with diamond_up(laptop, port=port):
        done = laptop.call("run", "--on", "alpha", "--wait", "--", "echo", "again")
        assert (done.returncode, done.stdout) == (0, "again\n"), done.stderr
        assert laptop.call("endpoint", "remove", "alpha").returncode == 0


def test_a_host_that_is_not_there_is_told_in_sshs_words(diamond: Diamond) -> None:
    done = diamond.call("endpoint", "add", "mars", "--ssh", "no-such-host.invalid")
    assert done.returncode == 1 and "no-such-host.invalid" in done.stderr
    assert "mars" not in diamond.call("endpoint", "list").stdout


def test_a_login_node_without_python_is_told(diamond: Diamond) -> None:
    done = diamond.call("endpoint", "add", "old", "--ssh", "alpha", "--python", "/no/such/python")
    assert done.returncode == 1 and "--python" in done.stderr


def test_the_key_never_reaches_the_cluster(diamond: Diamond, lab: Lab) -> None:
    key = (diamond.home / "endpoints" / "alpha.json").read_text().split('"key": "')[1].split('"')[0]
    words = [
        "ssh",
        "-F",
        str(lab.ssh_config),
        "alpha",
        "cat ~/.diamond-agent/* 2>/dev/null; ps -ef",
    ]
    seen = subprocess.run(words, capture_output=True, check=True).stdout
    assert len(key) > 20 and key.encode() not in seen


def test_a_second_factor_is_asked_for_on_the_persons_terminal(
    diamond: Diamond, tmp_path: Path, lab: Lab
) -> None:
    """ssh asks on /dev/tty; once signed in the terminal may go, and the connection stays."""
    asking = tmp_path / "asking-ssh"
    real = f'exec ssh -F {lab.ssh_config} "$@"'
    asking.write_text(
        f'#!/bin/sh\nprintf "Code: " > /dev/tty\nread code < /dev/tty\n[ "$code" = 123 ] || exit 9\n{real}\n'
    )
    asking.chmod(0o755)
    cut_the_connection(diamond)
    person = Diamond(diamond.home, diamond.folder, {"DIAMOND_SSH": str(asking)})
    with terminal([*COMMAND, "endpoint", "connect", "alpha"], person) as (screen, pid):
        read_until(screen, b"Code: ")
        os.write(screen, b"123\n")
        read_until(screen, b"alpha is online")
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert diamond.call("run", "--on", "alpha", "--wait", "--", "true").returncode == 0


@contextmanager
def terminal(words: list[str], person: Diamond) -> Iterator[tuple[int, int]]:
    """A process with a terminal of its own, which is hung up at the end."""
    pid, screen = pty.fork()
    if pid == 0:
        os.chdir(person.folder)
        os.execve(words[0], words, person.env)
    try:
        yield screen, pid
    finally:
        os.close(screen)


def read_until(screen: int, wanted: bytes, seconds: float = 60) -> bytes:
    seen = bytearray()

    def look() -> bool:
        if select.select([screen], [], [], 0.1)[0]:
            seen.extend(os.read(screen, 4096))
        return wanted in seen

    wait_for(look, seconds, what=f"{wanted!r} on the terminal", every=0)
    return bytes(seen)
