"""Another user of the node: they can neither use a pilot's engine nor read what it keeps; garbage in its files does no harm."""

from __future__ import annotations

import os
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from diamond.pilots.json_lines import Appender
from diamond.pilots.requests import Cancel, Close, request_line
from support.agents import AgentProcess
from support.pilots import TestPilot, processes_of, start_pilot
from support.sync_service import SyncService, eventually

NOBODY = 65534
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="acts as another user")


@pytest.fixture
def service() -> Iterator[SyncService]:
    service = SyncService()
    yield service
    service.stop()


@pytest.fixture
def agent(tmp_path: Path, service: SyncService) -> Iterator[AgentProcess]:
    agent = AgentProcess(tmp_path, service)
    agent.start()
    yield agent
    agent.stop()
    agent.end_jobs()


@pytest.fixture
def pilot(agent: AgentProcess, service: SyncService) -> TestPilot:
    pilot = start_pilot(agent, service, engine="dask")
    pilot.until_open()
    return pilot


def test_nobody_else_can_use_the_engine_or_read_its_keys(
    pilot: TestPilot, agent: AgentProcess, service: SyncService, tmp_path: Path
) -> None:
    engine = [*processes_of(pilot, "dask-scheduler"), *processes_of(pilot, "dask-worker")]
    ports = eventually(lambda: sorted({port for pid in engine for port in listening(pid)}))
    assert len(ports) == 2
    for port in ports:
        refuses_strangers(port, tmp_path)
    keys = list(pilot.folder.glob("keys-*/*"))
    assert len(keys) == 2
    for place in [pilot.folder, *keys, agent.work]:
        assert place.stat().st_mode & 0o077 == 0
    read = subprocess.run(["cat", *map(str, keys)], user=NOBODY, capture_output=True)
    assert (read.returncode, read.stdout) == (1, b"")
    task = pilot.place("echo still here")
    service.until(task.id, "succeeded")
    pilot.close()
    service.until(pilot.task.id, "succeeded")
    assert not list(pilot.folder.glob("keys-*"))


def test_garbage_in_requests_and_journal_stops_nothing(
    pilot: TestPilot, service: SyncService
) -> None:
    for name in ("requests.jsonl", "journal.jsonl"):
        with (pilot.folder / name).open("ab") as file:
            file.write(b'\x00\xff{"run":\n[]\n{"run":{"id":"../../x","script":"/bin/sh"}}\n')
            file.write(b'{"ended":{"id":"a/b"}}\n' + 2_000_000 * b"[" + b"\n")
    appender = Appender(str(pilot.folder / "requests.jsonl"))
    appender.write([request_line(Cancel("nobody"))], durable=False)
    task = pilot.place("echo fine")
    service.until(task.id, "succeeded")
    appender.write([request_line(Close())], durable=False)
    service.until(pilot.task.id, "succeeded")


def listening(pid: int) -> list[int]:
    """Ports on which a process listens, as the kernel lists them."""
    inodes = set()
    for place in Path(f"/proc/{pid}/fd").iterdir():
        if (link := os.readlink(place)).startswith("socket:"):  # noqa: PTH115
            inodes.add(link[8:-1])
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return [
        int(row[1].partition(":")[2], 16) for row in rows if row[3] == "0A" and row[9] in inodes
    ]


def refuses_strangers(port: int, folder: Path) -> None:
    """Without TLS, without a certificate, and with one of their own."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as plain:
        plain.sendall(b"GET / HTTP/1.0\r\n\r\n")
        assert b"200" not in answer(plain)
    for certificate in (None, own_certificate(folder)):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        if certificate is not None:
            context.load_cert_chain(*certificate)
        with (
            pytest.raises((ssl.SSLError, ConnectionError)),
            socket.create_connection(("127.0.0.1", port), timeout=10) as raw,
            context.wrap_socket(raw) as wrapped,
        ):
            wrapped.sendall(64 * b"\0")
            if not wrapped.recv(1):
                raise ConnectionError("closed")


def answer(connection: socket.socket) -> bytes:
    try:
        return connection.recv(100)
    except ConnectionError:
        return b""


def own_certificate(folder: Path) -> tuple[str, str]:
    """As anybody can make one."""
    script = (
        "import sys; from pathlib import Path; from diamond.pilots.keys import make_keys; "
        "print(*make_keys(Path(sys.argv[1])))"
    )
    place = folder / f"keys-{len(list(folder.glob('keys-*')))}"
    done = subprocess.run(
        [sys.executable, "-c", script, str(place)], capture_output=True, text=True, check=True
    )
    certificate, key = done.stdout.split()
    return certificate, key
