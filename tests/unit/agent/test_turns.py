"""A follow-up's script waits for the attempt before it: told by the agent, or by files where there is none."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from diamond.core.batch_systems import ScriptVariables
from diamond.core.order import Continue, Order
from diamond.launchers.script import Batch, render_script
from diamond.schedulers.slurm import HAS_NODES
from support.programs import lay_out_program
from support.sync_service import eventually

VARIABLES = ScriptVariables(job_id="$JOB_ID", seconds_left='echo "$LIMIT"')
ORDER = Order("x", command="echo begun >>began", resume=Continue(on=["exit-75", "wall-time"]))


class Pair:
    """Attempt 1 as files alone, attempt 2 as a script that follows it."""

    def __init__(
        self, folder: Path, order: Order = ORDER, *, early: bool = True, has_nodes: str = ""
    ) -> None:
        self.task = folder / "tasks" / "t1"
        self.before, self.own = (self.task / "attempts" / name for name in ("a1", "a2"))
        for place in (self.before / "runs" / "1", self.own / "runs" / "1", self.task / "run"):
            place.mkdir(parents=True)
        (self.task / "turns").mkdir()
        (folder / "inbox").mkdir()
        (self.before / "runs" / "1" / "stdout.log").touch()
        batch = Batch(
            task="t1",
            attempt="a2",
            number=2,
            folder=str(self.own),
            run_dir=str(self.task / "run"),
            inbox=str(folder / "inbox"),
            order=order,
            program=lay_out_program(order, self.own),
            after=str(self.before) if early else "",
        )
        (self.own / "script.sh").write_text(
            render_script(batch, directives=[], variables=replace(VARIABLES, has_nodes=has_nodes))
        )
        self.mark = folder / "inbox" / "t1.a2.0.arrived"

    def start(self, **more: str) -> subprocess.Popen[bytes]:
        words = ["bash", str(self.own / "script.sh")]
        return subprocess.Popen(words, env={**os.environ, "JOB_ID": "7", "LIMIT": "60", **more})

    def rewrite(self, **changed: str) -> None:
        """Other words in place of the script's own, of which each must be there."""
        script = self.own / "script.sh"
        for old, new in changed.items():
            assert old in script.read_text()
            script.write_text(script.read_text().replace(old, new))

    def hurry(self, *, patience: int, notice: int) -> None:
        self.rewrite(
            **{
                "diamond_patience=180": f"diamond_patience={patience}",
                "diamond_notice=240": f"diamond_notice={notice}",
                "sleep 1;": "sleep 0.1; echo >>looks;",
            }
        )

    def let_predecessor_run(self) -> None:
        (self.before / "claim").mkdir()
        (self.before / "claim" / "owner").write_text("6 node 0\n")
        (self.before / "runs" / "1" / "started").write_text("6 0 node 0 60\n")
        self.beat()

    def beat(self) -> None:
        """As on a full disk: nothing can be written, but the file is touched."""
        (self.before / "runs" / "1" / "heartbeat").write_text("")

    @contextmanager
    def beating(self) -> Iterator[None]:
        enough = threading.Event()

        def beats() -> None:
            while not enough.wait(0.05):
                self.beat()

        thread = threading.Thread(target=beats)
        thread.start()
        try:
            yield
        finally:
            enough.set()
            thread.join()

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
    pair.hurry(patience=1, notice=1)
    job = pair.start()
    eventually(lambda: len(looks(pair)) > 3)
    assert not pair.has_begun
    (pair.before / "runs" / "1" / "started").write_text("6 0 node 0 60\n")
    assert job.wait(30) == 0
    assert pair.has_begun


def test_a_predecessor_on_a_full_disk_is_not_taken_for_lost(tmp_path: Path) -> None:
    pair = Pair(tmp_path)
    pair.hurry(patience=5, notice=6)
    pair.let_predecessor_run()
    with pair.beating():
        job = pair.start()
        eventually(lambda: len(looks(pair)) > 20)
        assert not pair.has_begun
    assert job.wait(30) == 0
    assert pair.has_begun


def test_a_predecessor_that_has_its_nodes_is_waited_for_however_silent(tmp_path: Path) -> None:
    """Suspended, or cut off from the file system; and no answer of the batch system is no reason to begin."""
    pair = Pair(tmp_path, has_nodes=HAS_NODES)
    pair.hurry(patience=2, notice=3)
    pair.let_predecessor_run()
    answer = fake_squeue(tmp_path / "bin")
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    for words in ("echo SUSPENDED", "echo RUNNING", "echo 'no route to host' >&2; exit 1"):
        answer(words)
        (pair.own / "looks").unlink(missing_ok=True)
        job = pair.start(PATH=path)
        eventually(lambda: len(looks(pair)) > 12)
        assert not pair.has_begun
        job.terminate()
        assert job.wait(30) == 143
    answer("echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1")
    assert pair.start(PATH=path).wait(30) == 0
    assert pair.has_begun


def test_time_in_which_it_could_not_look_counts_for_nothing(tmp_path: Path) -> None:
    pair = Pair(tmp_path)
    pair.hurry(patience=20, notice=20)
    pair.let_predecessor_run()
    job = pair.start()
    eventually(lambda: len(looks(pair)) > 2)
    job.send_signal(signal.SIGSTOP)
    threading.Event().wait(2.5)
    job.send_signal(signal.SIGCONT)
    assert job.wait(30) == 0
    assert len(looks(pair)) >= 20


def test_one_that_was_taken_for_lost_ends_its_program_when_it_comes_to_itself(
    tmp_path: Path,
) -> None:
    deaf = "trap '' TERM; touch running; while :; do sleep 0.05; done"
    pair = Pair(tmp_path, Order("x", command=deaf, resume=ORDER.resume), early=False)
    pair.rewrite(**{"diamond_pause 10": "diamond_pause 1"})
    job = pair.start()
    eventually((pair.task / "run" / "running").exists)
    (pair.task / "turns" / "3").touch()
    assert job.wait(30) == 75
    run = pair.own / "runs" / "1"
    assert (run / "exit").read_text().split()[0] == "75"
    assert "attempt 3 of this task has begun" in (run / "stderr.log").read_text()


def test_one_that_takes_over_alone_takes_its_turn_before_it_begins(tmp_path: Path) -> None:
    """A predecessor that does live sees it, ends its program and says so: then it is awaited."""
    pair = Pair(tmp_path)
    pair.hurry(patience=2, notice=1000)
    pair.let_predecessor_run()
    job = pair.start()
    eventually((pair.task / "turns" / "2").exists)
    assert not pair.has_begun
    (pair.before / "runs" / "1" / "exit").write_text("75 1\n")
    assert job.wait(30) == 0
    assert pair.has_begun


def fake_squeue(folder: Path) -> Callable[[str], None]:
    """A `squeue` that answers by the words it is given."""
    folder.mkdir()
    program = folder / "squeue"

    def answer(words: str) -> None:
        program.write_text(f"#!/bin/sh\n{words}\n")
        program.chmod(0o755)

    return answer


def looks(pair: Pair) -> list[str]:
    """How often the script has looked, so far in vain."""
    try:
        return (pair.own / "looks").read_text().splitlines(keepends=True)
    except FileNotFoundError:
        return []
