"""What a person reads, and what her shell learns."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from diamond.cli.links import SavedLink
from diamond.cli.main import COMMANDS, app
from diamond.cli.output import print_error, print_table
from diamond.cli.profiles import profile_lines, summary
from diamond.cli.running import _asked_for
from diamond.cli.waiting import exit_code
from diamond.cli.words import (
    REASONS,
    age,
    ending_words,
    endpoint_step,
    next_step,
    reason_words,
    span,
    waited,
    why,
)
from diamond.core.errors import BadRequest, InvalidSpec
from diamond.core.task import Reason
from diamond.sdk.models import Endpoint, Task, build


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
    assert ending_words(task).startswith("It failed")
    assert "{" not in next_step(task)


def test_ages_read_as_people_say_them() -> None:
    assert [span(s) for s in (4, 200, 7200, 400_000)] == ["4 s", "3 min", "2.0 h", "5 days"]
    assert age(1000, now=1002) == "just now" and age(1000, now=1180) == "3 min ago"
    assert age(None) == ""


def test_a_failed_task_says_why_in_a_table() -> None:
    assert why(ended("failed", "exit-code", exit_code=3)) == "exit code 3"
    assert why(Task(state="pending", phase="queued")) == "in the batch system's queue"
    assert why(Task(state="pending", message="waits for nodes")) == "waits for nodes"


def test_why_it_waited_is_told_once_for_each_reason() -> None:
    queued = {
        "type": "observed",
        "at": 1.0,
        "data": {"status": "queued"},
        "message": "no free nodes",
    }
    held = {"type": "held", "at": 3.0, "message": "", "data": {"reason": "site-limit"}}
    lines = waited([queued, {**queued, "at": 2.0}, held, {"type": "started", "at": 4.0}])
    assert [line.split("  ", 1)[1] for line in lines] == [
        "no free nodes",
        REASONS[Reason.SITE_LIMIT],
    ]


@pytest.mark.parametrize("state", ["offline", "sign-in", "pairing", "confirming"])
def test_an_endpoint_that_is_away_has_a_next_step(state: str) -> None:
    assert "diamond endpoint" in endpoint_step(Endpoint(name="alpha", state=state))


def test_unknown_fields_are_kept_and_null_is_the_default() -> None:
    task = build(Task, {"id": "t1", "retry_of": None, "of_tomorrow": 1})
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
    assert summary(profile) == "Slurm 22.05, 0 partition(s)"
    lines = list(profile_lines(profile))
    assert "corrected by hand" in lines[0] and "sinfo" in lines[1]


def test_a_spec_and_a_command_are_told_apart() -> None:
    assert _asked_for(["a.yaml"], None) == "a.yaml"
    assert _asked_for([], ["a.yaml", "--x"]) == ["a.yaml", "--x"]
    for specs, command in ((["a", "b"], None), (["a"], ["b"]), ([], [])):
        with pytest.raises(BadRequest, match="not clear"):
            _asked_for(specs, command)


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
