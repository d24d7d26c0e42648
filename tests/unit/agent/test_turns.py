"""A follow-up's script waits for the attempt before it: told by the agent, or by files where there is none."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

from diamond.core.order import Continue, Order
from diamond.launchers.script import Batch, command_file, render_script
from support.sync_service import eventually

VARIABLES = {"job_id": "$JOB_ID", "restart_count": "0", "seconds_left": 'echo "$LIMIT"'}
ORDER = Order("x", command="echo begun >>began", resume=Continue(on=["exit-75", "wall-time"]))


class Pair:
    """Attempt 1 as files alone, attempt 2 as a script that follows it."""

    def __init__(self, folder: Path, order: Order = ORDER, *, early: bool = True) -> None:
        self.task = folder / "tasks" / "t1"
        self.before, self.own = (self.task / "attempts" / name for name in ("a1", "a2"))
        for place in (self.before / "runs" / "1", self.own / "runs" / "1", self.task / "run"):
            place.mkdir(parents=True)
        (self.task / "turns").mkdir()
        (folder / "inbox").mkdir()
        (self.before / "runs" / "1" / "stdout.log").touch()
        batch = Batch(
            task="t1", attempt="a2", number=2, folder=str(self.own), run_dir=str(self.task / "run"),
            inbox=str(folder / "inbox"), order=order, after=str(self.before) if early else "",
        )  # fmt: skip
        (self.own / "script.sh").write_text(
            render_script(batch, directives=[], variables=VARIABLES)
        )
        (self.own / "command.sh").write_text(command_file(order))
        self.mark = folder / "inbox" / "t1.a2.0.arrived"

    def start(self, **more: str) -> subprocess.Popen[bytes]:
        words = ["bash", str(self.own / "script.sh")]
        return subprocess.Popen(words, env={**os.environ, "JOB_ID": "7", "LIMIT": "60", **more})

    @property
    def has_begun(self) -> bool:
        return (self.task / "run" / "began").exists()

    def word(self, word: str) -> None:
        (self.before / "over").write_text(word)


def test_the_program_starts_when_the_agent_says_go(tmp_path: Path) -> None:
    pair = Pair(tmp_path)
    job = pair.start()
    eventually(lambda: pair.mark.exists())
    assert not pair.has_begun
    pair.word("go")
    assert job.wait(30) == 0
    assert pair.has_begun


def test_it_leaves_by_itself_when_the_work_is_done(tmp_path: Path) -> None:
    pair = Pair(tmp_path)
    job = pair.start()
    eventually(lambda: pair.mark.exists())
    (pair.before / "runs" / "1" / "exit").write_text("0 1\n")
    assert job.wait(30) == 74
    assert not pair.has_begun


def test_it_leaves_when_the_chain_has_stopped_or_it_was_called_off(tmp_path: Path) -> None:
    stopped, off = Pair(tmp_path / "1"), Pair(tmp_path / "2")
    stopped.word("stop")
    (off.own / "tombstone").touch()
    assert stopped.start().wait(30) == off.start().wait(30) == 74
    assert not stopped.has_begun and not off.has_begun


def test_a_signal_ends_the_wait(tmp_path: Path) -> None:
    pair = Pair(tmp_path)
    job = pair.start()
    eventually(lambda: pair.mark.exists())
    job.send_signal(signal.SIGTERM)
    assert job.wait(30) == 143
    assert not pair.has_begun


def test_an_attempt_that_comes_back_after_a_later_one_has_begun_does_not_run(
    tmp_path: Path,
) -> None:
    pair = Pair(tmp_path, early=False)
    (pair.task / "turns" / "3").touch()
    assert pair.start().wait(30) == 74
    assert not pair.has_begun


def test_the_time_it_waited_is_gone_from_its_limit(tmp_path: Path) -> None:
    pair = Pair(
        tmp_path, Order("x", command="echo $DIAMOND_DEADLINE >deadline", resume=ORDER.resume)
    )
    job = pair.start(LIMIT="5000")
    eventually(lambda: pair.mark.exists())
    (pair.own / "limit").write_text("9000\n")
    pair.word("go")
    assert job.wait(30) == 0
    *_, begun, left = (pair.own / "runs" / "1" / "started").read_text().split()
    assert 8900 < int(left) <= 9000
    assert int((pair.task / "run" / "deadline").read_text()) == int(begun) + int(left)


def test_a_limit_that_is_cut_raises_the_flag_and_moves_the_deadline(tmp_path: Path) -> None:
    waits = 'until [ -e "$DIAMOND_STOP_FILE" ]; do sleep 0.05; done; exit 75'
    pair = Pair(tmp_path, Order("x", command=waits, resume=ORDER.resume), early=False)
    job = pair.start(LIMIT="100000")
    eventually(lambda: (pair.own / "runs" / "1" / "heartbeat").exists())
    (pair.own / "limit").write_text("2\n")
    assert job.wait(60) == 75
    assert (pair.own / "deadline").read_text().strip().isdigit()


def test_one_that_waits_behind_another_that_waits_never_begins_by_itself(tmp_path: Path) -> None:
    """Its predecessor wrote no `started`: its silence, however long, means nothing."""
    pair = Pair(tmp_path)
    script = pair.own / "script.sh"
    impatient = script.read_text().replace("-ge 180", "-ge 0")
    script.write_text(impatient.replace("sleep 1;", "sleep 0.1; echo >>looks;"))
    job = pair.start()
    eventually(lambda: len(looks(pair)) > 3)
    assert not pair.has_begun
    (pair.before / "runs" / "1" / "started").write_text("6 0 node 0 60\n")
    assert job.wait(30) == 0
    assert pair.has_begun


def looks(pair: Pair) -> list[str]:
    """How often the script has looked, so far in vain."""
    try:
        return (pair.own / "looks").read_text().splitlines(keepends=True)
    except FileNotFoundError:
        return []
