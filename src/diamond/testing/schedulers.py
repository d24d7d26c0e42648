"""The conformance suite for scheduler adapters. Inherit the class, return your adapter from fixtures, run pytest.

    class TestMine(SchedulerConformance):
        @pytest.fixture
        def scheduler(self, tmp_path: Path) -> Scheduler:
            return MyScheduler(tmp_path / "state")

See docs/schedulers.md.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from diamond.core.batch_systems import BatchAbilities, read_abilities
from diamond.core.errors import Refused
from diamond.core.ids import ATTEMPT, new_id
from diamond.core.native import NativeStatus
from diamond.core.order import Placement, Resources
from diamond.core.task import Reason
from diamond.launchers.starters.registry import STARTERS
from diamond.schedulers.base import OpensShells, RunsItsOwnQueue, Scheduler, Submission
from diamond.testing.wait import wait_until

ODD_NAME = "odd %j \\ ' \" #$(touch x) é"


class SchedulerConformance:
    patience_seconds = 90.0
    """How long a change may take to become visible."""
    placement = Placement()
    """Where test jobs run."""
    everything = Resources(cpus_per_task=1, walltime_minutes=5)
    """A request so large that a second one does not fit next to it."""
    impossible = Resources(cpus_per_task=10**6, walltime_minutes=5)
    """A request that the batch system rejects."""

    odd_name = ODD_NAME
    """The name of a folder with every character that a batch system should take as it is."""

    @pytest.fixture
    def scheduler(self) -> Scheduler:
        """The adapter under test."""
        raise NotImplementedError

    @pytest.fixture
    def another(self) -> Scheduler:
        """A second adapter on the same machine with its own folder, as another agent has."""
        raise NotImplementedError

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        """The folder of the attempts; jobs must be able to write there."""
        return tmp_path

    def submission_of(
        self, scheduler: Scheduler, folder: Path, text: str, resources: Resources | None = None
    ) -> Submission:
        """An attempt in its own folder, with a script of these lines."""
        name = f"diamond-{new_id(ATTEMPT)}"
        attempt = folder / name
        attempt.mkdir(parents=True)
        asked = resources or Resources(walltime_minutes=5)
        submission = Submission(name, attempt / "script.sh", attempt, asked, self.placement)
        head = ["#!/bin/bash", *scheduler.directives(submission, {})]
        submission.script.write_text("\n".join([*head, text, ""]), encoding="utf-8")
        return submission

    def wait_for(self, scheduler: Scheduler, native_id: str, status: str) -> NativeStatus:
        """Wait until the job has this status."""

        def reached() -> NativeStatus | None:
            advance(scheduler)
            seen = scheduler.status([native_id]).get(native_id)
            return seen if seen and seen.status == status else None

        return wait_until(reached, seconds=self.patience_seconds, what=f"{native_id} {status}")

    def wait_for_file(self, scheduler: Scheduler, path: Path) -> str:
        def written() -> str:
            advance(scheduler)
            return path.read_text(encoding="utf-8") if path.exists() else ""

        return wait_until(written, seconds=self.patience_seconds, what=str(path))

    def test_a_job_that_succeeds_ends_without_a_reason(
        self, scheduler: Scheduler, folder: Path
    ) -> None:
        native_id = scheduler.submit(self.submission_of(scheduler, folder, "true"))
        ended = self.wait_for(scheduler, native_id, "ended")
        assert (ended.reason, ended.exit_code, ended.signal) == ("", 0, None)

    def test_a_job_that_fails_ends_with_its_exit_code(
        self, scheduler: Scheduler, folder: Path
    ) -> None:
        native_id = scheduler.submit(self.submission_of(scheduler, folder, "exit 7"))
        ended = self.wait_for(scheduler, native_id, "ended")
        assert (ended.reason, ended.exit_code) == (Reason.EXIT_CODE, 7)
        assert ended.message

    def test_a_job_that_is_killed_ends_with_the_signal(
        self, scheduler: Scheduler, folder: Path
    ) -> None:
        native_id = scheduler.submit(self.submission_of(scheduler, folder, "kill -9 $$"))
        ended = self.wait_for(scheduler, native_id, "ended")
        assert (ended.reason, ended.signal) == (Reason.SIGNAL, 9)

    def test_a_running_job_is_seen_to_run(self, scheduler: Scheduler, folder: Path) -> None:
        native_id = scheduler.submit(self.submission_of(scheduler, folder, "sleep 600"))
        seen = self.wait_for(scheduler, native_id, "running")
        assert seen.restarts == 0
        assert not seen.held
        scheduler.cancel(native_id)

    def test_a_submission_is_found_by_its_name_also_when_it_has_ended(
        self, scheduler: Scheduler, folder: Path
    ) -> None:
        submission = self.submission_of(scheduler, folder, "true")
        assert scheduler.find(submission.name) is None
        native_id = scheduler.submit(submission)
        assert scheduler.find(submission.name) == native_id
        self.wait_for(scheduler, native_id, "ended")
        assert scheduler.find(submission.name) == native_id

    def test_the_status_carries_name_and_submit_time(
        self, scheduler: Scheduler, folder: Path
    ) -> None:
        submission = self.submission_of(scheduler, folder, "true")
        native_id = scheduler.submit(submission)
        ended = self.wait_for(scheduler, native_id, "ended")
        assert ended.name == submission.name
        assert abs(ended.submitted_at - submission.script.stat().st_mtime) < 60

    def test_one_question_answers_for_many_and_leaves_out_the_unknown(
        self, scheduler: Scheduler, folder: Path
    ) -> None:
        ids = [scheduler.submit(self.submission_of(scheduler, folder, "true")) for _ in range(3)]
        seen = scheduler.status([*ids, "99999999", "nonsense"])
        assert set(seen) == set(ids)
        assert scheduler.status([]) == {}

    def test_a_job_that_does_not_fit_yet_waits_and_says_why(
        self, scheduler: Scheduler, folder: Path
    ) -> None:
        first = self.submission_of(scheduler, folder, "sleep 600", self.everything)
        second = self.submission_of(scheduler, folder, "true", self.everything)
        running, waiting = scheduler.submit(first), scheduler.submit(second)
        self.wait_for(scheduler, running, "running")
        seen = self.wait_for(scheduler, waiting, "queued")
        assert seen.message
        scheduler.cancel(running)
        self.wait_for(scheduler, waiting, "ended")

    def test_a_queued_job_that_is_cancelled_never_runs(
        self, scheduler: Scheduler, folder: Path
    ) -> None:
        first = self.submission_of(scheduler, folder, "sleep 600", self.everything)
        second = self.submission_of(scheduler, folder, "echo x >ran", self.everything)
        running, waiting = scheduler.submit(first), scheduler.submit(second)
        self.wait_for(scheduler, running, "running")
        scheduler.cancel(waiting)
        ended = self.wait_for(scheduler, waiting, "ended")
        assert ended.reason == Reason.BY_SITE
        scheduler.cancel(running)
        self.wait_for(scheduler, running, "ended")
        assert not (second.folder / "ran").exists()

    def test_a_running_job_that_is_cancelled_ends_with_all_its_processes(
        self, scheduler: Scheduler, folder: Path
    ) -> None:
        text = "trap '' TERM; (while :; do date >alive; sleep 0.1; done) & echo x >up; wait"
        submission = self.submission_of(scheduler, folder, text)
        native_id = scheduler.submit(submission)
        self.wait_for_file(scheduler, submission.folder / "up")
        scheduler.cancel(native_id)
        ended = self.wait_for(scheduler, native_id, "ended")
        assert ended.reason == Reason.BY_SITE
        alive = submission.folder / "alive"
        alive.unlink(missing_ok=True)
        with pytest.raises(AssertionError):
            wait_until(alive.exists, seconds=1)

    def test_a_cancelled_program_hears_term_first(self, scheduler: Scheduler, folder: Path) -> None:
        text = "trap 'echo x >heard; exit 3' TERM; echo x >up; while :; do sleep 0.1; done"
        submission = self.submission_of(scheduler, folder, text)
        native_id = scheduler.submit(submission)
        self.wait_for_file(scheduler, submission.folder / "up")
        scheduler.cancel(native_id)
        self.wait_for(scheduler, native_id, "ended")
        assert (submission.folder / "heard").exists()

    def test_cancelling_twice_too_late_or_the_unknown_is_fine(
        self, scheduler: Scheduler, folder: Path
    ) -> None:
        native_id = scheduler.submit(self.submission_of(scheduler, folder, "sleep 600"))
        scheduler.cancel(native_id)
        scheduler.cancel(native_id)
        self.wait_for(scheduler, native_id, "ended")
        scheduler.cancel(native_id)
        scheduler.cancel("99999999")

    def test_an_impossible_request_is_refused_and_leaves_no_trace(
        self, scheduler: Scheduler, folder: Path
    ) -> None:
        submission = self.submission_of(scheduler, folder, "true", self.impossible)
        with pytest.raises(Refused) as refused:
            scheduler.submit(submission)
        assert refused.value.message
        assert refused.value.hint
        assert scheduler.find(submission.name) is None

    def test_a_folder_of_any_name_gets_the_log(self, scheduler: Scheduler, folder: Path) -> None:
        submission = self.submission_of(scheduler, folder / self.odd_name, "echo out; echo err >&2")
        native_id = scheduler.submit(submission)
        ended = self.wait_for(scheduler, native_id, "ended")
        assert (ended.message, ended.exit_code) == ("", 0)
        assert (submission.folder / "native.log").read_text().split() == ["out", "err"]

    def test_the_script_learns_about_itself(self, scheduler: Scheduler, folder: Path) -> None:
        known = scheduler.script_variables()
        text = (
            f"job={known.job_id}\nrestarts={known.restart_count}\n"
            f"left() {{\n{known.seconds_left}\n}}\n"
            'echo "$job $restarts $(left)" >.report && mv .report report'
        )
        submission = self.submission_of(scheduler, folder, text)
        native_id = scheduler.submit(submission)
        job, restarts, left = self.wait_for_file(scheduler, submission.folder / "report").split()
        assert (job, restarts) == (native_id, "0")
        assert 200 < int(left) <= 300

    def test_a_job_can_ask_whether_another_has_nodes(
        self, scheduler: Scheduler, folder: Path
    ) -> None:
        known = scheduler.script_variables()
        if not known.has_nodes:
            pytest.skip("jobs of this batch system cannot query it")
        text = (
            f"has_nodes() {{\n{known.has_nodes}\n}}\n"
            f'has_nodes {known.job_id} && echo I >>.report; has_nodes 999999 || echo "not they" >>.report\n'
            "mv .report report"
        )
        submission = self.submission_of(scheduler, folder, text)
        scheduler.submit(submission)
        report = self.wait_for_file(scheduler, submission.folder / "report")
        assert report.splitlines() == ["I", "not they"]

    def test_two_agents_do_not_mistake_each_others_jobs(
        self, scheduler: Scheduler, another: Scheduler, folder: Path
    ) -> None:
        mine, theirs = (self.submission_of(each, folder, "true") for each in (scheduler, another))
        my_id, their_id = scheduler.submit(mine), another.submit(theirs)
        assert my_id != their_id
        seen = another.status([my_id])
        assert my_id not in seen or seen[my_id].name == mine.name
        self.wait_for(scheduler, my_id, "ended")
        self.wait_for(another, their_id, "ended")

    def test_the_probe_names_the_scheduler_and_tells_what_is_free(
        self, scheduler: Scheduler
    ) -> None:
        facts = scheduler.probe()
        assert facts["scheduler"]["value"]["name"] == scheduler.name
        assert all({"value", "source", "at"} <= set(fact) for fact in facts.values())
        assert all(free["nodes_total"] >= 1 for free in scheduler.free()["value"].values())

    def test_the_abilities_are_stated_and_hold_for_what_the_probe_finds(
        self, scheduler: Scheduler
    ) -> None:
        able = scheduler.abilities
        assert isinstance(able, BatchAbilities)
        assert read_abilities({"scheduler": {"name": "x", "abilities": able.data()}}) == able
        partitions = scheduler.probe().get("partitions", {}).get("value") or []
        assert able.has_partitions or not partitions
        if not able.spans_nodes:
            assert not scheduler.script_variables().starter

    def test_what_starts_the_ranks_of_a_job_is_known_to_diamond(self, scheduler: Scheduler) -> None:
        assert scheduler.script_variables().starter in STARTERS

    def test_a_job_is_recognised_by_the_variable_that_the_adapter_names(
        self, scheduler: Scheduler, folder: Path
    ) -> None:
        name = scheduler.tools.job_variable
        if not name:
            pytest.skip("no variable tells a job of this batch system from other processes")
        assert name not in os.environ
        submission = self.submission_of(scheduler, folder, f"echo ${name} >.seen; mv .seen seen")
        scheduler.submit(submission)
        assert self.wait_for_file(scheduler, submission.folder / "seen").strip()

    def test_variables_that_go_into_an_image_are_those_of_the_job(
        self, scheduler: Scheduler, folder: Path
    ) -> None:
        names = scheduler.script_variables().names
        if not names:
            pytest.skip("this batch system sets no variables that a program would need")
        prefixes = [pattern[:-1] for pattern in names]
        assert all(re.fullmatch(r"[A-Z][A-Z0-9_]*_", prefix) for prefix in prefixes), names
        submission = self.submission_of(scheduler, folder, "env >.seen; mv .seen seen")
        scheduler.submit(submission)
        seen = self.wait_for_file(scheduler, submission.folder / "seen").splitlines()
        assert any(line.startswith(tuple(prefixes)) for line in seen)

    def test_text_for_the_batch_script_is_valid_shell(
        self, scheduler: Scheduler, folder: Path
    ) -> None:
        known = scheduler.script_variables()
        text = (
            f"{known.at_start}\nbefore() {{\n{known.before_program or ':'}\n}}\n"
            "before && echo ok >.seen && mv .seen seen"
        )
        submission = self.submission_of(scheduler, folder, text)
        scheduler.submit(submission)
        assert self.wait_for_file(scheduler, submission.folder / "seen").strip() == "ok"

    def test_a_command_is_started_inside_a_running_job(
        self, scheduler: Scheduler, folder: Path
    ) -> None:
        if not isinstance(scheduler, OpensShells):
            pytest.skip("this batch system cannot start a command in a running job")
        native_id = scheduler.submit(self.submission_of(scheduler, folder, "sleep 600"))
        self.wait_for(scheduler, native_id, "running")
        command = ["sh", "-c", 'env; echo "$1"; exit 7', "sh", "a b $HOME"]
        call = scheduler.inside_job(native_id, command)
        done = subprocess.run(
            list(call.words), env=dict(call.environment), capture_output=True, text=True, timeout=60
        )
        scheduler.cancel(native_id)
        assert done.returncode == 7, done.stderr
        prefixes = tuple(name.rstrip("*") for name in scheduler.script_variables().names)
        assert done.stdout.splitlines()[-1] == "a b $HOME"
        assert not prefixes or f"={native_id}\n" in done.stdout

    @pytest.mark.slow
    def test_a_job_over_its_time_ends_with_the_reason_wall_time(
        self, scheduler: Scheduler, folder: Path
    ) -> None:
        short = Resources(walltime_minutes=1)
        native_id = scheduler.submit(self.submission_of(scheduler, folder, "sleep 300", short))
        self.patience_seconds = 150
        ended = self.wait_for(scheduler, native_id, "ended")
        assert ended.reason == Reason.WALL_TIME


def advance(scheduler: Scheduler) -> None:
    """Let an adapter with its own queue make progress."""
    if isinstance(scheduler, RunsItsOwnQueue):
        scheduler.advance()
