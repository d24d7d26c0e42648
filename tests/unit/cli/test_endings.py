"""How a command ends: in words for a person, in JSON for a program, quietly when nobody reads on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

FAULT = """
import diamond.cli.tasks as tasks
class Client:
    def __init__(self): raise TypeError("a wheel came off")
tasks.Client = Client
import sys; sys.argv = ["diamond", "tasks", *sys.argv[1:]]
from diamond.cli.main import main
main()
"""


def python(*words: str, home: Path, **more: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "DIAMOND_HOME": str(home), **more}
    command = [sys.executable, *words]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def test_an_error_is_json_where_json_is_asked_for(tmp_path: Path) -> None:
    done = python("-m", "diamond.cli", "tasks", "--kind", "foo", "--json", home=tmp_path)
    told = json.loads(done.stdout)["error"]
    assert done.returncode == 1 and not done.stderr
    assert told["code"] == "bad-request" and told["hint"].startswith("Kinds: run, trial, ")


def test_json_of_the_command_that_is_run_is_not_ours(tmp_path: Path) -> None:
    done = python("-m", "diamond.cli", "run", "--", "tool", "--json", home=tmp_path)
    assert done.returncode == 1 and done.stderr.startswith("Error: ") and not done.stdout


def test_a_fault_of_our_own_is_one_line_and_a_file(tmp_path: Path) -> None:
    done = python("-c", FAULT, home=tmp_path)
    log = tmp_path / "cli.log"
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert done.stderr.startswith("Error: Internal error in Diamond: TypeError: a wheel came off\n")
    assert str(log) in done.stderr and "diamond doctor" in done.stderr
    assert "Traceback" in log.read_text() and "diamond tasks" in log.read_text()


def test_a_developer_sees_where_a_fault_happened(tmp_path: Path) -> None:
    assert "Traceback" in python("-c", FAULT, home=tmp_path, DIAMOND_DEBUG="1").stderr


def test_a_reader_that_stops_is_no_error(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "diamond.cli", "run", "--help"],
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)
    assert done.stderr == ""
