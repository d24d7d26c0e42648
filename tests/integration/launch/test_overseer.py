"""The overseer and its shims on one machine without a batch system, also by the oldest Python they must run on."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from diamond.launchers import ranks
from diamond.launchers.ranks.plan import Plan, plan_text
from diamond.training.install import install_training
from support.waiting import PATIENCE, wait_for

UNTIL_GO = "until [ -e go ]; do sleep 0.05; done\n"


@dataclass
class Scene:
    folder: Path
    python: str

    @property
    def run(self) -> Path:
        return self.folder / "runs" / "1"

    def start(self, command: str, count: int = 3, **plan: Any) -> subprocess.Popen[bytes]:
        training = install_training(self.folder / "training", also=[ranks])
        self.run.mkdir(parents=True)
        (self.folder / "command.sh").write_text(command)
        words = ["bash", str(self.folder / "command.sh")]
        file = self.folder / "launch.json"
        file.write_text(plan_text(Plan("per-rank", ranks_per_node=count, command=words, **plan)))
        own = {"DIAMOND_METRICS": str(self.run / "metrics.jsonl"), "DIAMOND_ATTEMPT": "a1"}
        program = Path(training) / "diamond/launchers/ranks/__main__.py"
        with (
            (self.run / "stdout.log").open("wb") as out,
            (self.run / "stderr.log").open("wb") as err,
        ):
            return subprocess.Popen(
                [self.python, "-E", "-S", str(program), "oversee", str(file)],
                cwd=self.folder, env={**os.environ, "PYTHONPATH": training, **own},
                stdout=out, stderr=err,
            )  # fmt: skip

    def lines(self, name: str) -> list[str]:
        return sorted((self.run / name).read_text().splitlines())

    def culprit(self) -> dict[str, Any]:
        return dict(json.loads((self.run / "culprit.json").read_text()))

    def wait_for_files(self, pattern: str, count: int) -> None:
        wait_for(lambda: len(list(self.folder.glob(pattern))) == count, what=pattern)


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
    assert "stands at step 2, the others at 3" in culprit["message"]
    assert culprit["message"].endswith("waits for ever")


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
