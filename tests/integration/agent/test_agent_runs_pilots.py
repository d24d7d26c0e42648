"""A pilot is a task; tasks that are placed in it run inside its job, by the same agent."""

from __future__ import annotations

from pathlib import Path

from diamond.core.task import Task
from diamond.pilots.journal import Claimed, Opened
from support.agents import AgentProcess
from support.pilots import start_pilot
from support.sync_service import SyncService, eventually


def test_two_tasks_run_in_a_pilot_and_a_third_is_refused_once_it_has_closed(
    agent: AgentProcess, service: SyncService
) -> None:
    pilot = start_pilot(agent, service)
    first = pilot.place("echo one; echo $DIAMOND_PILOT_JOB_ID")
    second = pilot.place("exit 3")
    assert service.until(first.id, "succeeded").exit_code == 0
    ended = service.until(second.id, "failed")
    assert (ended.exit_code, ended.reason.value) == (3, "exit-code")
    native = f"{pilot.task.id}.{first.attempt.id}"
    eventually(lambda: service.text(first.id) == f"one\n{native}\n")
    assert isinstance(pilot.journal[0], Opened)
    ids = [first.attempt.id, second.attempt.id]
    assert sorted(each.id for each in pilot.journal if isinstance(each, Claimed)) == sorted(ids)
    assert [pilot.ends()[each].code for each in ids] == [0, 3]
    pilot.close()
    assert service.until(pilot.task.id, "succeeded").exit_code == 0
    late = pilot.place("true")
    assert service.until(late.id, "failed").reason.value == "pilot-closed"


def test_a_cancelled_task_ends_in_its_pilot_and_the_pilot_with_all_that_it_runs(
    agent: AgentProcess, service: SyncService
) -> None:
    pilot = start_pilot(agent, service)
    first, second = (pilot.place("trap '' TERM; while :; do sleep 0.1; done") for _ in range(2))
    for task in (first, second):
        service.until(task.id, "running")
    waiting = pilot.place("true")
    service.until(waiting.id, "pending")
    service.cancel(waiting.id)
    service.until(waiting.id, "cancelled")
    service.cancel(first.id)
    service.until(first.id, "cancelled")
    assert service.tasks[second.id].state.value == "running"
    service.cancel(pilot.task.id)
    service.until(pilot.task.id, "cancelled")
    ended = service.until(second.id, "failed")
    assert ended.reason.value in ("by-site", "node-lost")
    assert "pilot" in ended.message


PROGRAM = """\
import os, sys
import heavy
if sys.argv[1] == "crash":
    os.kill(os.getpid(), 9)
print(heavy.VALUE, sys.argv[1], os.environ["DIAMOND_TASK"], os.environ["COLOUR"], os.getcwd())
sys.exit(int(sys.argv[2]))
"""


def test_programs_of_one_kind_import_what_they_need_once_and_one_that_crashes_ends_alone(
    agent: AgentProcess, service: SyncService, tmp_path: Path
) -> None:
    imported, library = tmp_path / "imported", tmp_path / "library"
    library.mkdir()
    line = f"open({str(imported)!r}, 'a').write('once\\n')\nVALUE = 7\n"
    (library / "heavy.py").write_text(line)
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    pilot = start_pilot(agent, service)
    variables = {"COLOUR": "a 'b' $c", "PYTHONPATH": str(library)}

    def place(word: str, code: int) -> Task:
        command = f"python3 {program} {word} {code}"
        return pilot.place(command, environment={"variables": variables})

    tasks = {word: place(word, code) for word, code in (("a", 0), ("crash", 0), ("b", 3), ("c", 0))}
    for word, task in tasks.items():
        ended = service.until(task.id, "succeeded" if word in "ac" else "failed")
        assert ended.reason.value == {"crash": "signal", "b": "exit-code"}.get(word, "")
        if word != "crash":
            run_dir = agent.work / "tasks" / task.id / "run"
            expected = f"7 {word} {task.id} a 'b' $c {run_dir}\n"
            eventually(lambda: service.text(task.id) == expected)  # noqa: B023
    assert service.tasks[tasks["b"].id].exit_code == 3
    assert imported.read_text() == "once\n"
