"""The agent as one file, over both carriers, on the oldest Python it must run on."""

from __future__ import annotations

import ast
import contextlib
import json
import os
import shutil
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from diamond.agent.site.bundle import build_bundle, bundle_bytes, bundle_files
from support.agents import AgentProcess
from support.sync_service import KEY, SyncService, eventually
from support.waiting import PATIENCE

LIMIT_BYTES = 2 * 2**20


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    file = tmp_path / "agent.pyz"
    build_bundle(file)
    return file


def test_the_file_is_small_and_the_same_each_time(bundle: Path) -> None:
    assert bundle.stat().st_size <= LIMIT_BYTES
    assert bundle.read_bytes() == bundle_bytes()
    assert bundle.read_bytes().startswith(b"#!/usr/bin/env python3\n")


def test_everything_in_it_is_written_for_python_3_9() -> None:
    for name, file in bundle_files().items():
        if name.endswith(".py"):
            ast.parse(file.read_text(), filename=name, feature_version=(3, 9))


def test_it_speaks_over_a_pipe_as_ssh_carries_it(
    endpoint: AgentProcess, service: SyncService, bundle: Path
) -> None:
    process = _start_stdio(endpoint, bundle, sys.executable)
    carrying = Bridge(process, service)
    task = service.submit({"command": "echo over the pipe; until [ -e go ]; do sleep 0.05; done"})
    service.until(task.id, "running")
    assert eventually(lambda: service.text(task.id)) == "over the pipe\n"
    assert service.hellos[-1]["stays"] == "connection"
    carrying.cut()
    (endpoint.work / "tasks" / task.id / "run" / "go").touch()
    assert process.wait(PATIENCE) == 0, "without a link it goes on while there is work, then ends"
    again = _start_stdio(endpoint, bundle, sys.executable)
    carrying = Bridge(again, service)
    service.until(task.id, "succeeded")
    carrying.cut()
    assert again.wait(PATIENCE) == 0


def test_one_that_is_superseded_leaves_an_open_pipe_in_good_order(
    endpoint: AgentProcess, service: SyncService, bundle: Path
) -> None:
    older = _start_stdio(endpoint, bundle, sys.executable)
    carrying = Bridge(older, service)
    eventually(lambda: service.hellos)
    newer = _start_stdio(endpoint, bundle, sys.executable)
    carrying_on = Bridge(newer, service)
    assert older.wait(PATIENCE) == 3
    carrying.cut()
    carrying_on.cut()
    assert newer.wait(PATIENCE) == 0


def test_it_runs_on_python_3_9_where_one_is_found(
    endpoint: AgentProcess, service: SyncService, bundle: Path
) -> None:
    python = _python_3_9()
    if python is None:
        pytest.skip("there is no Python 3.9 on this machine")
    process = _start_stdio(endpoint, bundle, python)
    carrying = Bridge(process, service)
    task = service.submit({"command": "echo $((6 * 7)); exit 4"})
    assert service.until(task.id, "failed").exit_code == 4
    assert eventually(lambda: service.text(task.id)) == "42\n"
    assert service.hellos[-1]["python"].startswith("3.9.")
    carrying.cut()
    assert process.wait(PATIENCE) == 0


def test_pairing_reads_the_code_from_standard_input_and_keeps_the_key_to_itself(
    endpoint: AgentProcess, service: SyncService, bundle: Path
) -> None:
    service.is_confirmed = False
    words = [
        sys.executable,
        str(bundle),
        "pair",
        "--url",
        service.url,
        "--scheduler",
        "local",
        "--foreground",
    ]
    process = subprocess.Popen(
        words, env=endpoint.environment(), stdin=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    process.stdin.write(b"a-pairing-code\n")
    process.stdin.close()
    kept = endpoint.keep / "agent.json"
    eventually(kept.exists)
    assert json.loads(kept.read_text())["key"] == KEY
    assert kept.stat().st_mode & 0o777 == 0o600
    eventually(lambda: "must confirm" in endpoint.log())
    service.is_confirmed = True
    task = service.submit({"command": "true"})
    service.until(task.id, "succeeded")
    assert KEY not in endpoint.log() and "a-pairing-code" not in endpoint.log()
    stopped = subprocess.run(
        [sys.executable, str(bundle), "stop"],
        env=endpoint.environment(),
        check=True,
        capture_output=True,
    )
    assert b"jobs continue" in stopped.stdout
    assert process.wait(PATIENCE) == 0
    assert process.stderr is not None
    process.stderr.close()


def test_a_used_code_is_refused_with_a_next_step(
    endpoint: AgentProcess, service: SyncService, bundle: Path
) -> None:
    done = subprocess.run(
        [sys.executable, str(bundle), "pair", "--url", service.url, "--no-run"],
        env=endpoint.environment(),
        input="wrong\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1 and "fresh code" in done.stderr


def test_a_key_never_travels_in_the_clear_beyond_this_machine(
    endpoint: AgentProcess, bundle: Path
) -> None:
    done = subprocess.run(
        [sys.executable, str(bundle), "pair", "--url", "http://diamond.example.org", "--no-run"],
        env=endpoint.environment(),
        input="code\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1 and "https" in done.stderr


class Bridge:
    """The laptop's end: frames from the agent become HTTP calls with the endpoint's key."""

    def __init__(self, process: subprocess.Popen[bytes], service: SyncService) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._in, self._out = process.stdin, process.stdout
        self._service, self._lock = service, threading.Lock()
        threading.Thread(target=self._read, args=(self._out,), daemon=True).start()

    def cut(self) -> None:
        with self._lock, contextlib.suppress(BrokenPipeError):
            self._in.close()

    def _read(self, frames: BinaryIO) -> None:
        while line := frames.readline():
            head = json.loads(line)
            body = frames.read(head["length"])
            threading.Thread(target=self._forward, args=(head, body), daemon=True).start()

    def _forward(self, head: dict[str, Any], body: bytes) -> None:
        query = f"?{head['query']}" if head["query"] else ""
        address = f"{self._service.url}/api/v1/sync/{head['call']}{query}"
        headers = {"Authorization": f"Bearer {KEY}", "Diamond-Generation": str(head["generation"])}
        request = urllib.request.Request(address, data=body, headers=headers)
        try:
            with urllib.request.urlopen(request) as answer:
                status, content = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, content = error.code, error.read()
        except OSError:
            status, content = 503, b"{}"
        frame = json.dumps({"id": head["id"], "status": status, "length": len(content)}).encode()
        with self._lock, contextlib.suppress(BrokenPipeError):
            if not self._in.closed:
                self._in.write(frame + b"\n" + content)
                self._in.flush()


def _start_stdio(endpoint: AgentProcess, bundle: Path, python: str) -> subprocess.Popen[bytes]:
    environment = {k: v for k, v in endpoint.environment().items() if k != "PYTHONPATH"}
    endpoint.process = subprocess.Popen(
        [python, str(bundle), "run", "--stdio", "--scheduler", "local"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    return endpoint.process


def _python_3_9() -> str | None:
    known = [shutil.which("python3.9"), os.environ.get("DIAMOND_PYTHON_3_9")]
    known += map(str, Path.home().glob(".pyenv/versions/3.9.*/bin/python3.9"))
    return next((python for python in known if python and _is_3_9(python)), None)


def _is_3_9(python: str) -> bool:
    """A version manager may put a name on PATH that leads nowhere."""
    try:
        done = subprocess.run([python, "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return False
    return done.stdout.startswith("Python 3.9.")
