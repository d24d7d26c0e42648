"""What users read, and the exit codes that their shell gets."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from diamond.cli.endpoint_status import describe_offline, endpoint_next_step
from diamond.cli.format import describe_resources, duration, format_amount, time_ago
from diamond.cli.logs import LogSource, check_available, check_rank
from diamond.cli.main import COMMANDS, app
from diamond.cli.metrics_format import metric_lines
from diamond.cli.output import print_error, print_table, without_control_characters
from diamond.cli.profile_corrections import changes_of
from diamond.cli.profile_format import account_option, profile_lines, profile_summary
from diamond.cli.run import _spec_or_command
from diamond.cli.saved_links import SavedLink
from diamond.cli.task_status import (
    describe_ending,
    describe_state,
    diagnosis_lines,
    fix_step,
    next_step,
    resume_warning,
    short_reason,
    waiting_reasons,
)
from diamond.cli.wait import exit_code
from diamond.core.corrections import corrected
from diamond.core.errors import BadRequest, InvalidSpec
from diamond.core.task import Reason
from diamond.core.words import REASONS, attempt_ending, reason_words
from diamond.sdk.models import Endpoint, Task, model_from_json


def ended(state: str, reason: str = "", **more: Any) -> Task:
    return Task(id="t1234567890ab", state=state, reason=reason, **more)


@pytest.mark.parametrize(
    ("task", "code"),
    [
        (ended("succeeded", exit_code=0), 0),
        (ended("failed", "exit-code", exit_code=7), 7),
        (ended("failed", "signal", exit_code=137, signal=9), 137),
        (ended("failed", "wall-time", exit_code=143, signal=15), 124),
        (ended("cancelled", "by-person"), 130),
        (ended("failed", "out-of-memory", exit_code=137, signal=9), 125),
        (ended("failed", "node-lost"), 125),
        (ended("failed", "exit-code"), 125),
    ],
)
def test_the_exit_code_says_how_it_ended(task: Task, code: int) -> None:
    assert exit_code(task) == code


def test_every_reason_has_words() -> None:
    assert set(REASONS) == set(Reason) - {Reason.NONE}
    assert reason_words("a-reason-of-tomorrow") == "a-reason-of-tomorrow"


@pytest.mark.parametrize("reason", [reason.value for reason in Reason] + ["new"])
def test_every_ending_has_words_and_a_next_step(reason: str) -> None:
    task = ended("failed", reason, exit_code=1)
    assert describe_ending(task).startswith("The task failed")
    assert not re.search(r"\{\w+\}", next_step(task))


def test_ages_read_as_people_say_them() -> None:
    assert [duration(s) for s in (4, 93, 1500, 7200)] == ["4 s", "1 min 33 s", "25 min", "2 h"]
    assert [duration(s) for s in (59.7, 8999, 400_000)] == ["1 min", "2 h 29 min", "5 days"]
    assert time_ago(1000, now=1093) == "1 min ago"
    assert time_ago(1000, now=1002) == "just now" and time_ago(1000, now=1180) == "3 min ago"
    assert time_ago(None) == ""


def test_a_failed_task_says_why_in_a_table() -> None:
    assert short_reason(ended("failed", "exit-code", exit_code=3)) == "exit code 3"
    assert short_reason(Task(state="pending", phase="queued")) == "waiting in the queue"
    assert short_reason(Task(state="pending", message="waits for nodes")) == "waits for nodes"
    assert len(short_reason(Task(state="failed", message="a long story " * 50))) <= 100


def test_why_it_waited_is_told_once_for_each_reason() -> None:
    queued = {
        "type": "observed",
        "at": 1.0,
        "data": {"status": "queued"},
        "message": "no free nodes",
    }
    held = {"type": "held", "at": 3.0, "message": "", "data": {"reason": "site-limit"}}
    lines = waiting_reasons([queued, {**queued, "at": 2.0}, held, {"type": "started", "at": 4.0}])
    assert [line.split("  ", 1)[1] for line in lines] == [
        "no free nodes",
        REASONS[Reason.SITE_LIMIT],
    ]


@pytest.mark.parametrize("state", ["offline", "sign-in", "pairing", "confirming"])
def test_an_endpoint_that_is_away_has_a_next_step(state: str) -> None:
    assert "diamond endpoint" in endpoint_next_step(Endpoint(name="alpha", state=state))


def test_unknown_fields_are_kept_and_null_is_the_default() -> None:
    task = model_from_json(Task, {"id": "t1", "retry_of": None, "of_tomorrow": 1})
    assert (task.id, task.retry_of, task.raw["of_tomorrow"]) == ("t1", "", 1)


def test_all_faults_are_printed_with_the_hint(capsys: pytest.CaptureFixture[str]) -> None:
    faults = [
        {"field": "on", "message": "no mars", "hint": "local"},
        {"field": "run", "message": "?"},
    ]
    print_error(InvalidSpec("2 faults", "See docs", faults=faults))
    told = capsys.readouterr().err
    assert all(word in told for word in ("2 faults", "on: no mars", "local", "run: ?", "See docs"))


def test_a_table_holds_no_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("A", "B"), [("x\033[31m\ny", "running")])
    out = capsys.readouterr().out
    assert "\033" not in out and len(out.splitlines()) == 2


def test_a_profile_reads_as_words() -> None:
    facts = {
        "scheduler": {"value": {"name": "slurm", "version": "22.05"}, "source": "sinfo", "at": 1}
    }
    profile = {"facts": facts, "corrections": {"modules": {"value": ["module load x"]}}}
    assert profile_summary(profile) == "Slurm 22.05, 0 partitions"
    lines = list(profile_lines(profile))
    assert "corrected by hand" in lines[0] and "sinfo" in lines[1]


def test_what_login_and_compute_nodes_have_alike_is_said_once() -> None:
    facts = {"python": {"value": {"login": "3.11", "compute": "3.11"}}}
    assert "3.11 on login and compute nodes" in next(iter(profile_lines({"facts": facts})))


def test_ones_own_machine_has_no_login_node() -> None:
    facts = {"scheduler": {"value": {"name": "local"}}, "internet": {"value": {"login": True}}}
    assert not any("login" in line for line in profile_lines({"facts": facts}))


def test_a_build_that_failed_leads_to_its_steps() -> None:
    step = next_step(Task(id="t1", kind="build", state="failed", reason="exit-code"))
    assert "diamond image show t1" in step


def test_small_amounts_are_told_without_powers_of_ten() -> None:
    assert [format_amount(one) for one in (0.0, 3e-5, 0.25)] == ["0", "under 0.001", "0.25"]


def test_a_spec_and_a_command_are_told_apart() -> None:
    assert _spec_or_command(["a.yaml"], None) == "a.yaml"
    assert _spec_or_command([], ["a.yaml", "--x"]) == ["a.yaml", "--x"]
    for specs, command in ((["a", "b"], None), (["a"], ["b"]), ([], [])):
        with pytest.raises(BadRequest, match=r"Nothing to run|Too many arguments"):
            _spec_or_command(specs, command)


def test_a_link_does_not_show_its_key() -> None:
    assert "hidden" not in repr(SavedLink("alpha", "e1", "http://127.0.0.1:1", "hidden"))


def commands(group: Any, words: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any]]:
    """Every command of the tree with its words."""
    found: list[tuple[tuple[str, ...], Any]] = []
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        inner = hasattr(command, "list_commands")
        found += commands(command, (*words, name)) if inner else [((*words, name), command)]
    return found


def test_every_command_speaks_json_and_has_help() -> None:
    known = commands(get_command(app))
    assert {words[0] for words, _ in known} == set(COMMANDS)
    for words, command in known:
        options = {name for one in command.params for name in one.opts}
        assert words == ("lab",) or "--json" in options, words
        assert command.help, words


def test_the_version_is_told() -> None:
    assert CliRunner().invoke(app, ["--version"]).output.startswith("diamond ")


def test_task_json_is_not_recoloured(capsys: pytest.CaptureFixture[str]) -> None:
    from diamond.cli.output import print_json

    print_json({"name": "é"})
    assert json.loads(capsys.readouterr().out) == {"name": "é"}


def test_one_is_singular() -> None:
    asked = {"nodes": 1, "cpus_per_task": 2, "gpus_per_node": 1, "gpu_type": "a100"}
    assert describe_resources(asked) == "1 node, 2 CPUs, 1 a100 GPU per node, 1h"


def test_an_attempt_that_asked_to_be_continued_did_not_fail() -> None:
    asked = {"reason": "exit-code", "runs": [{"exit_code": 75}]}
    assert attempt_ending(asked) == "asked to be continued"
    for why_no_next in ("budget", "continue-limit"):
        assert attempt_ending({**asked, "reason": why_no_next}) == "asked to be continued"
    assert attempt_ending({"reason": "exit-code", "runs": [{"exit_code": 1}]}) != ""


def test_a_metric_that_is_no_number_says_since_when() -> None:
    loss = {"name": "loss", "points": [[1, 1.0, 0.5], [3, 2.0, None], [4, 3.0, None]]}
    accuracy = {"name": "accuracy", "points": [[4, 3.0, 0.25]]}
    usage = {"name": "gpu0_memory_mb", "points": [[None, 1.0, 10.0], [None, 2.0, None]]}
    best = {"name": "accuracy", "min": 0.1, "max": 0.5, "max_step": 2, "best": "max"}
    assert metric_lines({"values": [best]}, [loss, accuracy], [usage]) == [
        "loss          not a number since step 3",
        "accuracy      0.25 at step 4  (best 0.5 at step 2)",
        "GPU 0 memory  at most 10 MB",
    ]


def test_a_machine_that_is_away_says_since_when_and_how_to_get_it_back() -> None:
    away = Endpoint(name="alpha", state="sign-in", last_seen=time.time() - 180)
    words = describe_offline(away)
    assert (
        "alpha is offline (last seen 3 min ago)" in words
        and "diamond endpoint connect alpha" in words
    )


def test_a_task_that_waits_for_its_cancel_says_so() -> None:
    task = Task(state="running", started=1.0, cancel_requested=True)
    assert describe_state(task) == "running, being cancelled"
    assert describe_state(Task(state="running", started=100.0), 280.0) == "running for 3 min"


def test_files_that_were_removed_are_not_advised() -> None:
    assert "diamond files" in next_step(ended("succeeded"))
    assert next_step(ended("succeeded", cleaned=1.0)) == ""


@pytest.mark.parametrize("reason", ["environment", "data", "refused"])
def test_what_cannot_work_is_not_to_be_tried_again(reason: str) -> None:
    step = next_step(ended("failed", reason))
    assert "retry" not in step and "spec" in step


def test_every_fact_reads_as_words_and_an_odd_one_as_it_is() -> None:
    values: dict[str, Any] = {
        "flags": {"mem": "refuses"},
        "free": {"debug": {"nodes_idle": 1, "nodes_total": 2}},
        "qos": [{"name": "debug", "max_minutes": 30}],
        "python": {"login": "3.9", "compute": None},
        "internet": {"login": True},
        "gpus": 4,
        "runtimes": {"login": {"apptainer": "1.1"}},
        "builders": {
            "login": {"runtimes": {"podman": {"builds": True}, "venv": {"builds": False}}}
        },
    }
    lines = "\n".join(profile_lines({"facts": {n: {"value": v} for n, v in values.items()}}))
    assert "refuses --mem" in lines and "debug 1 of 2 nodes" in lines and "gpus: 4" in lines
    assert "images are built with podman on the login node" in lines
    assert "debug (up to 30m)" in lines and "3.9 on the login node" in lines
    assert "{" not in lines


def test_one_word_about_a_folder_keeps_what_is_learned_of_it() -> None:
    work = {"path": "/scratch/me", "free_bytes": 7, "purge_days": None}
    facts = {"folders": {"work": work, "keep": {"path": "/home/me", "free_bytes": 1}}}
    profile = {"facts": {"folders": {"value": facts["folders"]}}, "corrections": {}}
    changes = changes_of(profile, ["folders.work.purge_days=30"])
    said = {"folders": {"work": {"path": "/scratch/me", "purge_days": 30}}}
    assert changes == {"corrections": said}
    known = corrected(facts, said)["folders"]
    assert known["work"] == {"path": "/scratch/me", "free_bytes": 7, "purge_days": 30}
    assert known["keep"] == facts["folders"]["keep"]
    moved = {"folders": {"work": {"path": "/elsewhere"}}}
    assert corrected(facts, moved)["folders"]["work"] == {"path": "/elsewhere"}


def test_a_deeper_correction_keeps_its_neighbours() -> None:
    profile = {"facts": {"flags": {"value": {"mem": "takes", "gres": "takes"}}}, "corrections": {}}
    changes = changes_of(profile, ["flags.mem=refuses", "internet.login=false"])
    assert changes["corrections"] == {
        "flags": {"mem": "refuses", "gres": "takes"},
        "internet": {"login": False},
    }


def test_a_rank_that_a_task_has_not_is_told() -> None:
    order = {"resources": {"nodes": 2, "tasks_per_node": 2}}
    task = Task(id="t12345678901", raw={"order": order})
    check_rank(task, 3)
    with pytest.raises(BadRequest, match="t1234567 has no rank 4") as caught:
        check_rank(task, 4)
    assert caught.value.hint == "Ranks: 0 to 3"


def test_the_log_of_a_rank_that_is_not_carried_is_named_by_its_file() -> None:
    attempts = [{"id": "a1", "number": 1, "run": 2, "runs": []}]
    task = Task(id="t1", endpoint="alpha", attempts=attempts, raw={"run_dir": "/w/tasks/t1"})
    check_available(task, LogSource("a1", None, 63))
    with pytest.raises(
        BadRequest, match="ranks 64 and higher are only available on alpha"
    ) as caught:
        check_available(task, LogSource("a1", None, 64))
    assert caught.value.hint.endswith("/w/tasks/t1/attempts/a1/runs/2/rank-64.stdout.log")


def test_a_first_job_names_who_pays_where_several_may() -> None:
    two = [{"name": "teaching"}, {"name": "research", "default": True}]
    assert account_option({"facts": {"accounts": {"value": two}}}) == " --account research"
    assert account_option({"facts": {"accounts": {"value": two[:1]}}}) == ""
    assert account_option({"facts": {}}) == ""


def test_words_of_others_do_not_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    steering = "a\x1b]0;title\x07\x1b[2Jb\rc\x9b31md\u202ee"
    print_table(["NAME"], [[steering]])
    print_error(BadRequest(steering))
    seen = capsys.readouterr()
    for text in (seen.out, seen.err, without_control_characters(steering)):
        assert not set(text) & set("\x1b\x07\r\x9b\u202e")
    assert without_control_characters("\x1b[31mred\x1b[0m\n") == "\x1b[31mred\x1b[0m\n"


def test_a_task_without_a_checkpoint_is_resumed_with_a_warning() -> None:
    assert "no checkpoint of this task is known" in resume_warning(Task(state="failed"))
    assert resume_warning(Task(state="failed", chain={"checkpoint": "ckpt/5.pt"})) == ""
    assert resume_warning(Task(state="running")) == ""


def test_a_known_cause_comes_with_the_command_that_mends_it() -> None:
    fix = {"label": "Add torch to the Python packages and rerun", "changes": {}}
    diagnosis = {"title": "Not installed", "hint": "Add it.", "fix": fix}
    assert diagnosis_lines(diagnosis) == ["Not installed", "Add it."]
    step = fix_step(Task(id="tabcdefghij", state="failed"), diagnosis)
    assert step == "Add torch to the Python packages and rerun: diamond fix tabcdefg"
    assert fix_step(Task(), {"title": "", "hint": "", "fix": None}) == ""
