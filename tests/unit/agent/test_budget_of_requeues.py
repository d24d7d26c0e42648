"""A batch script that is run again by the site keeps the task's budget by itself, from the files of earlier runs."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from diamond.agent.disk import write_json
from diamond.agent.tasks.folders import AttemptFolder
from diamond.agent.tasks.machine.state import AttemptState
from diamond.agent.tasks.machine.verdicts import NOT_STARTED
from diamond.agent.tasks.watching import read_runs
from diamond.core.batch_systems import ScriptVariables
from diamond.core.events import Exited
from diamond.core.order import Order, Resources
from diamond.launchers.script import Batch, render_script
from support.programs import lay_out_program

LIMIT = 300
VARIABLES = ScriptVariables(
    job_id="7",
    restart_count="${RESTARTS:-0}",
    seconds_left=f"echo {LIMIT}",
)
ORDER = Order("x", command="echo ran >>ran", resources=Resources(walltime_minutes=LIMIT // 60))


class Requeued:
    """Attempt `a2` of a task whose jobs may last `most` seconds in all; None: it has no budget."""

    def __init__(self, folder: Path, most: int | None) -> None:
        self.task = folder / "tasks" / "t1"
        self.own = self.task / "attempts" / "a2"
        for place in (self.own / "runs" / "1", self.task / "run", folder / "inbox"):
            place.mkdir(parents=True)
        batch = Batch(
            task="t1",
            attempt="a2",
            number=2,
            folder=str(self.own),
            run_dir=str(self.task / "run"),
            inbox=str(folder / "inbox"),
            order=ORDER,
            program=lay_out_program(ORDER, self.own),
        )
        text = render_script(batch, directives=[], variables=VARIABLES)
        (self.own / "script.sh").write_text(text)
        if most is not None:
            write_json(self.task / "chain.json", {"until": 9, "most_seconds": most})

    def earlier(self, run: str = "a2/runs/1", **files: str) -> None:
        """A run that left these files; `arrived` and `tombstone` belong to its attempt, whose number its name tells."""
        place = self.task / "attempts" / run
        place.mkdir(parents=True, exist_ok=True)
        write_json(place.parents[1] / "attempt.json", {"version": 1, "number": int(run[1])})
        if "started" in files:
            (place / "stdout.log").touch()
        for name, text in files.items():
            folder = place.parents[1] if name in ("arrived", "tombstone") else place
            (folder / name).write_text(text)

    def run(self, restarts: int = 1) -> int:
        words = ["bash", str(self.own / "script.sh")]
        return subprocess.run(words, env={**os.environ, "RESTARTS": str(restarts)}).returncode

    @property
    def has_run(self) -> bool:
        return (self.task / "run" / "ran").exists()

    def told(self) -> list[Exited]:
        """What the agent tells of the ends of its runs."""
        events = read_runs(AttemptFolder("t1", "a2", self.own), AttemptState("t1", "a2")).events
        return [event for event in events if isinstance(event, Exited)]


HUNDRED = {"started": "7 0 node 1000 300\n", "exit": "143 1100\n"}


@pytest.mark.parametrize("most", [LIMIT + 101, 10_000, None])
def test_a_second_run_that_fits_beside_the_first_begins(tmp_path: Path, most: int | None) -> None:
    it = Requeued(tmp_path, most)
    it.earlier(**HUNDRED)
    assert it.run() == 0
    assert it.has_run


def test_a_second_run_that_could_pass_the_budget_begins_no_program_and_says_why(
    tmp_path: Path,
) -> None:
    it = Requeued(tmp_path, LIMIT + 100)
    it.earlier(**HUNDRED)
    assert it.run() == NOT_STARTED
    assert not it.has_run
    last = it.told()[-1]
    assert (last.run, last.exit_code, last.reason) == (2, NOT_STARTED, "budget")
    assert last.message == (
        "the site put it back in the queue; after 0:01:41 h, a run of up to 0:05:00 h could go beyond the 0:06:40 h "
        "that its budget and limits allow: its program was not started"
    )
    assert last.message in (it.own / "runs/2/stderr.log").read_text()


def test_the_first_run_is_held_to_the_budget_too(tmp_path: Path) -> None:
    """Its limit was raised in the queue, or those before it were requeued while the service was away."""
    it = Requeued(tmp_path, LIMIT + 100)
    it.earlier("a1/runs/1", **HUNDRED)
    assert it.run(restarts=0) == NOT_STARTED
    assert not it.has_run


def test_what_earlier_runs_used_is_read_from_their_files(tmp_path: Path) -> None:
    """One that was killed beats no more: the last beat may be 15 s old. Nodes that waited, or were given back, count.
    And each may have lasted almost a second more than its times say."""
    it = Requeued(tmp_path, 10_000)
    it.earlier("a1/runs/1", started="5 0 n 1000 300\n", heartbeat="1200\n")
    it.earlier("a1/runs/2", started="5 1 n 50 300\n", exit="75 40\n")
    it.earlier("a2/runs/1", arrived="7 n 900\n", started="7 0 n 1000 300\n", exit="1 1010\n")
    it.earlier("a3/runs/1", arrived="8 n 2000\n", tombstone="")
    os.utime(it.task / "attempts/a3/arrived", (100, 100))
    os.utime(it.task / "attempts/a3/tombstone", (107, 107))
    used = 216 + 0 + 111 + 8
    write_json(it.task / "chain.json", {"most_seconds": used + LIMIT - 1})
    assert it.run() == NOT_STARTED
    write_json(it.task / "chain.json", {"most_seconds": used + 1 + LIMIT})
    assert it.run() == 0
    assert it.has_run


def test_a_requeued_follow_up_that_got_its_nodes_anew_does_not_forget_its_first_run(
    tmp_path: Path,
) -> None:
    it = Requeued(tmp_path, LIMIT + 100)
    it.earlier(arrived="7 n 5000\n", **HUNDRED)
    assert it.run() == NOT_STARTED


def test_a_run_for_which_a_follow_up_with_nodes_leaves_no_room_lets_that_one_go_on(
    tmp_path: Path,
) -> None:
    it = Requeued(tmp_path, 2 * LIMIT)
    it.earlier(**HUNDRED)
    it.earlier("a3/runs/1", arrived="8 n 2000\n")
    assert it.run() == 75
    assert not it.has_run
    assert (it.told()[-1].exit_code, it.told()[-1].reason) == (75, "")


def test_an_earlier_attempt_that_died_while_it_waited_with_nodes_counts_until_now_and_goes_on_no_more(
    tmp_path: Path,
) -> None:
    """The site ended its job: nothing was left beside the word that it had nodes."""
    it = Requeued(tmp_path, 2 * LIMIT - 1)
    it.earlier("a1/runs/1", arrived="6 n 2000\n")
    assert it.run(restarts=0) == 0
    assert it.has_run
    long_ago = time.time() - 10 * LIMIT
    os.utime(it.task / "attempts/a1/arrived", (long_ago, long_ago))
    assert it.run() == NOT_STARTED, "for its whole limit at most"


@pytest.mark.parametrize("beat", ["", "junk\n"])
def test_a_run_whose_files_do_not_tell_how_long_it_lasted_counts_with_its_whole_limit(
    tmp_path: Path, beat: str
) -> None:
    it = Requeued(tmp_path, 2 * LIMIT - 1)
    it.earlier(started="7 0 node 1000 300\n", heartbeat=beat)
    assert it.run() == NOT_STARTED
    write_json(it.task / "chain.json", {"most_seconds": 2 * LIMIT + 1})
    assert it.run() == 0


def test_a_grant_that_cannot_be_read_stops_nothing(tmp_path: Path) -> None:
    it = Requeued(tmp_path, None)
    (it.task / "chain.json").write_text(json.dumps({"most_seconds": "many"}))
    it.earlier(**HUNDRED)
    assert it.run() == 0
