"""The far end of an ssh connection: installing the agent and carrying its calls."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from diamond.cli.ssh_bootstrap import MARK, NO_PYTHON, bootstrap_input, remote_command, ssh_command
from diamond.cli.ssh_bridge import Bridge
from diamond.core.errors import BadRequest
from diamond.sdk.client_config import ServiceAddress
from support.small_server import Reply, Request, serving
from support.waiting import wait_for


def agent_that(program: str) -> bytes:
    """A zipapp with one module."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("__main__.py", program)
    return made.getvalue()


@pytest.mark.parametrize("shell", ["sh", "bash", "dash", "zsh", "tcsh", "fish"])
def test_any_login_shell_starts_the_agent(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    echo = "import sys; print(sys.argv[1:], sys.stdin.readline())"
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    done = subprocess.run(
        [shell, "-c", remote_command()],
        env=env,
        capture_output=True,
        check=True,
        input=bootstrap_input(agent_that(echo), "e1") + b"the first answer\n",
    )
    said = done.stdout.partition(MARK)[2]
    assert said == b"['run', '--stdio', '--endpoint', 'e1'] the first answer\n\n", done.stderr
    assert (tmp_path / ".diamond-agent" / "e1" / "agent.pyz").stat().st_mode & 0o077 == 0


def test_a_machine_without_python_says_so(tmp_path: Path) -> None:
    env = {"PATH": str(tmp_path), "HOME": str(tmp_path)}
    words = ["/bin/sh", "-c", remote_command("/no/python")]
    done = subprocess.run(words, env=env, capture_output=True, check=False, input=b"")
    assert done.returncode == NO_PYTHON and b"no Python 3.9" in done.stderr


def test_an_agent_damaged_on_the_way_is_not_installed(tmp_path: Path) -> None:
    sent = bytearray(bootstrap_input(agent_that("print('never')"), "e1"))
    sent[-1] ^= 1
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    words = ["sh", "-c", remote_command()]
    done = subprocess.run(words, env=env, capture_output=True, check=False, input=bytes(sent))
    assert done.returncode and b"damaged" in done.stderr
    assert not list(tmp_path.rglob("agent.pyz"))


def test_a_host_is_never_an_option() -> None:
    with pytest.raises(BadRequest):
        ssh_command("-oProxyCommand=touch x")
    with pytest.raises(BadRequest):
        remote_command("python; touch x")
    words = ssh_command("alpha", ssh="ssh -v", config="/c", options=["Port=2"])
    assert words[:2] == ["ssh", "-v"] and words[-3:-1] == ["--", "alpha"]
    assert words[-7:-3] == ["-F", "/c", "-o", "Port=2"]


class Pipes:
    """The agent's side of a bridge."""

    def __init__(self, address: ServiceAddress) -> None:
        source, self._out = os.pipe()
        back, target = os.pipe()
        self.answers = os.fdopen(back, "rb")
        self.hellos: list[int] = []
        self.bridge = Bridge(
            address,
            os.fdopen(source, "rb"),
            os.fdopen(target, "wb"),
            on_hello=lambda answer: self.hellos.append(answer.status),
        )

    def say(self, data: bytes) -> None:
        os.write(self._out, data)

    def call(self, number: int, name: str, body: bytes = b"", **more: object) -> None:
        head = {"id": number, "call": name, "query": "", "length": len(body), **more}
        self.say(json.dumps(head).encode() + b"\n" + body)

    def answer(self) -> tuple[int, int, bytes]:
        head = json.loads(self.answers.readline())
        return head["id"], head["status"], self.answers.read(head["length"])

    def hang_up(self) -> None:
        os.close(self._out)


@pytest.fixture
def held() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def test_calls_overlap_and_carry_the_key(held: threading.Event) -> None:
    def service(request: Request) -> Reply:
        if request.path.endswith("commands"):
            held.wait(10)
        return Reply(request.body.upper())

    with serving(service) as server:
        pipes = Pipes(ServiceAddress(server.url, "endpoint-key"))
        threading.Thread(target=pipes.bridge.serve, daemon=True).start()
        pipes.call(1, "commands", b"slow", generation=4)
        pipes.call(2, "events", b"quick", generation=4)
        assert pipes.answer() == (2, 200, b"QUICK")
        held.set()
        assert pipes.answer() == (1, 200, b"SLOW")
        pipes.call(3, "answers/r1", b"x", query="status=ok&more=0")
        assert pipes.answer() == (3, 200, b"X")
    first = server.requests[0]
    assert first.headers["authorization"] == "Bearer endpoint-key"
    assert first.headers["diamond-generation"] == "4"
    assert server.requests[-1].query == {"status": ["ok"], "more": ["0"]}


def test_only_calls_of_the_protocol_are_passed_on() -> None:
    with serving(lambda request: Reply()) as server:
        pipes = Pipes(ServiceAddress(server.url, "k"))
        threading.Thread(target=pipes.bridge.serve, daemon=True).start()
        for number, call in enumerate(["../tokens", "answers/../../tokens", "pair"]):
            pipes.call(number, call)
            assert pipes.answer()[1] == 400
    assert not server.requests


def test_a_service_that_is_down_is_told_to_the_agent() -> None:
    with serving(lambda request: Reply()) as server:
        url = server.url
    pipes = Pipes(ServiceAddress(url, "k"))
    threading.Thread(target=pipes.bridge.serve, daemon=True).start()
    pipes.call(1, "events")
    number, status, body = pipes.answer()
    assert (number, status) == (1, 503) and json.loads(body)["code"] == "service-unreachable"


def test_a_newer_agent_is_noticed_and_the_end_too(held: threading.Event) -> None:
    def service(request: Request) -> Reply:
        if request.path.endswith("commands"):
            held.wait(10)
        stale = request.path.endswith("events")
        return Reply(b'{"code": "generation-stale"}', 409) if stale else Reply()

    with serving(service) as server:
        pipes = Pipes(ServiceAddress(server.url, "k"))
        serving_calls = threading.Thread(target=pipes.bridge.serve, daemon=True)
        serving_calls.start()
        pipes.call(1, "hello")
        pipes.answer()
        pipes.call(2, "events")
        pipes.answer()
        pipes.call(3, "commands")
        pipes.hang_up()
        wait_for(lambda: not serving_calls.is_alive(), 5, what="an end while a call is held")
    assert pipes.hellos == [200] and pipes.bridge.is_stale


def test_what_a_login_shell_prints_is_skipped() -> None:
    pipes = Pipes(ServiceAddress("http://127.0.0.1:9", "k"))
    pipes.say(b"Welcome to alpha!\nquota: 3%" + MARK)
    assert pipes.bridge.wait_for_agent()
    pipes.say(b"only noise\n")
    pipes.hang_up()
    assert not pipes.bridge.wait_for_agent()
