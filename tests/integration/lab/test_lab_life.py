"""Labs that come and go: refusals, several callers at once, and nothing left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from diamond.testing.lab import Lab, LabError
from diamond.testing.lab.machine import HOSTS
from diamond.testing.lab.processes import all_pids, wait_until
from support.waiting import PATIENCE


def mentions(folder: Path) -> list[str]:
    """Command lines of living processes that name a lab's folder."""
    found = []
    for pid in all_pids():
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        except (OSError, UnicodeDecodeError):
            continue
        if f"{folder}/" in line:
            found.append(line)
    return found


def test_down_leaves_nothing_behind(folder: Path) -> None:
    lab = Lab.up(folder, clusters="solo", nodes=1, netns=True, ssh=True, accounting=False)
    solo = lab.cluster("solo")
    script = f"setsid sleep 1000 {folder}/ & sleep 1000"
    solo.run(["sbatch", "-o", "/dev/null", "--wrap", script], user="alice")
    assert wait_until(lambda: solo.run(["squeue", "-h", "-t", "R"]).stdout, PATIENCE)
    lab.down(purge=True)
    assert mentions(folder) == []
    assert not folder.exists()
    assert str(folder) not in HOSTS.read_text()
    assert not Path(f"/run/netns/{lab.shape.netns}").exists()
    assert str(folder) not in Path("/proc/mounts").read_text()


def test_three_may_call_up_at_once(folder: Path) -> None:
    options = ["--clusters", "solo", "--nodes", "1", "--no-accounting"]
    command = [sys.executable, "-m", "diamond.testing.lab", "up", str(folder), *options]
    callers = [subprocess.Popen(command) for _ in range(3)]
    assert [caller.wait(timeout=PATIENCE) for caller in callers] == [0, 0, 0]
    controllers = [line for line in mentions(folder) if "slurmctld -D" in line]
    assert len(controllers) == 1
    assert Lab(folder).status()["complete"]


def test_any_slurm_setting_may_be_given(folder: Path) -> None:
    prolog = folder / "prolog"
    prolog.write_text(f"#!/bin/sh\nhostname > {folder}/prolog.out\n")
    prolog.chmod(0o755)
    settings = [f"Prolog={prolog}", "JobAcctGatherParams=OverMemoryKill"]
    lab = Lab.up(folder, clusters="solo", nodes=1, accounting=False, set=settings)
    solo = lab.cluster("solo")
    assert solo.run(["srun", "true"], user="alice").returncode == 0
    assert (folder / "prolog.out").read_text() == "solo-n1\n"
    greedy = "import time; x = bytearray(200_000_000); time.sleep(60)"
    words = ["srun", "--mem=50", "/usr/bin/python3", "-c", greedy]
    assert "memory" in solo.run(words, user="alice", check=False).stderr


def test_the_tutorial_in_the_docs_works(folder: Path) -> None:
    page = Path(__file__).parents[3] / "docs" / "lab.md"
    script = page.read_text().partition("```sh\n")[2].partition("```")[0]
    diamond = f'diamond() {{ shift; {sys.executable} -m diamond.testing.lab "$@"; }}'
    done = subprocess.run(
        ["bash", "-euc", f"{diamond}\n{script}"],
        capture_output=True,
        text=True,
        env={**os.environ, "DIAMOND_LAB_DIR": str(folder)},
    )
    assert done.returncode == 0, done.stderr
    assert "GPU 0 on alpha-n" in done.stdout
    assert not (folder / "lab.json").exists()


def test_a_lab_that_went_down_comes_up_with_its_old_options_and_jobs(folder: Path) -> None:
    lab = Lab.up(folder, clusters="solo", nodes=1, gpus="t4:2", accounting=False)
    first = lab.cluster("solo").run(["sbatch", "--parsable", "-H", "--wrap", "true"]).stdout
    lab.down()
    solo = Lab.up(folder).cluster("solo")
    assert solo.run(["sinfo", "-h", "-p", "debug", "-o", "%G"]).stdout.strip() == "gpu:t4:2"
    second = solo.run(["sbatch", "--parsable", "-H", "--wrap", "true"]).stdout
    assert int(second) == int(first) + 1


def test_a_folder_closed_to_users_is_refused(folder: Path) -> None:
    folder.chmod(0o700)
    with pytest.raises(LabError, match="closed to ordinary users"):
        Lab.up(folder / "inner", accounting=False)


def test_a_path_too_long_for_sockets_is_refused(folder: Path) -> None:
    with pytest.raises(LabError, match="too long"):
        Lab.up(folder / ("x" * 80), accounting=False)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"like": "moon"}, "sites: open, tacc, delta"),
        ({"clusters": "Alpha"}, "lower-case"),
        ({"nodes": "0"}, "not a whole number above 0"),
        ({"nodes": "alpha=2"}, "no value for cluster 'beta'"),
        ({"gpus": "a100"}, "not a whole number above 0"),
        ({"set": "Nonsense"}, "write KEY=VALUE"),
    ],
)
def test_a_bad_option_is_explained(folder: Path, options: dict[str, str], words: str) -> None:
    arguments = [word for key, value in options.items() for word in (f"--{key}", value)]
    command = [sys.executable, "-m", "diamond.testing.lab", "up", str(folder), *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert words in done.stderr
