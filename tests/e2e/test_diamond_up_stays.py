"""`diamond up` keeps what it started alive, and says why when it cannot."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from support.diamond import Diamond, diamond_up
from support.service import free_port
from support.tls_proxy import HOST, make_certificate
from support.waiting import wait_for


def service_pids(home: Path) -> list[int]:
    """The processes that serve this home."""
    wanted = ["-m", "diamond.service", "--home", str(home)]
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = place.read_text().split("\0")
        except OSError:
            continue
        if words[1:5] == wanted:
            found.append(int(place.parent.name))
    return found


@pytest.mark.slow
def test_a_service_that_is_killed_is_started_again(tmp_path: Path) -> None:
    diamond = Diamond(tmp_path / "home", tmp_path)
    with diamond_up(diamond) as up:
        (first,) = service_pids(diamond.home)
        os.kill(first, signal.SIGKILL)
        assert up.stderr
        assert "The service exited with code -9" in up.stderr.readline()
        wait_for(lambda: service_pids(diamond.home) not in ([], [first]), what="new service")
        wait_for(lambda: diamond.call("tasks").returncode == 0, what="answer")
        done = diamond.call("run", "--wait", "--", "echo", "back")
        assert (done.returncode, done.stdout) == (0, "back\n")


@pytest.mark.parametrize(
    "ending", [signal.SIGKILL, pytest.param(signal.SIGHUP, marks=pytest.mark.slow)]
)
def test_what_it_started_ends_with_it_however_it_ends(
    tmp_path: Path, ending: signal.Signals
) -> None:
    diamond = Diamond(tmp_path / "home", tmp_path)
    with diamond_up(diamond) as up:
        children = pids_of_parent(up.pid)
        assert len(children) == 2
        up.send_signal(ending)
        wait_for(lambda: not any(map(is_alive, children)), what="the ends of service and agent")


def pids_of_parent(parent: int) -> list[int]:
    return [
        int(place.parent.name)
        for place in Path("/proc").glob("[0-9]*/stat")
        if fields_of(place)[1:2] == [str(parent)]
    ]


def is_alive(pid: int) -> bool:
    return fields_of(Path(f"/proc/{pid}/stat"))[:1] not in ([], ["Z"])


def fields_of(stat: Path) -> list[str]:
    """State, parent and so on; empty for a process that is gone."""
    try:
        return stat.read_text().rpartition(")")[2].split()
    except OSError:
        return []


def test_a_certificate_that_this_machine_does_not_trust_does_not_stop_the_service(
    tmp_path: Path,
) -> None:
    chain, key = make_certificate(tmp_path)
    port = free_port()
    config = tmp_path / "diamond.toml"
    config.write_text(
        f'port = {port}\npublic_url = "https://{HOST}:{port}"\n'
        f'certificate = "{chain}"\ncertificate_key = "{key}"\n'
    )
    diamond = Diamond(tmp_path / "home", tmp_path)
    process = diamond.start("up", "--config", str(config))
    try:
        assert process.stderr
        said = process.stderr.readline()
        assert "does not trust its certificate" in said and f"SSL_CERT_FILE={chain}" in said
        trusting = Diamond(diamond.home, tmp_path, {"SSL_CERT_FILE": str(chain)})
        assert trusting.call("tasks").returncode == 0
    finally:
        process.terminate()
        process.communicate(timeout=60)


@pytest.mark.slow
def test_a_service_that_will_not_stay_up_is_restarted_until_it_does(tmp_path: Path) -> None:
    diamond = Diamond(tmp_path / "home", tmp_path)
    diamond.home.mkdir()
    (diamond.home / "service.log").write_text("words of long ago\n")
    process = diamond.start("up", "--no-agent", "--port", str(free_port()))
    try:
        assert process.stdout and "Diamond is up at" in process.stdout.readline()
        for file in diamond.home.glob("diamond.db*"):
            file.rename(file.with_name(f"kept-{file.name}"))
        (diamond.home / "diamond.db").write_bytes(b"this is no database" * 1000)
        os.kill(service_pids(diamond.home)[0], signal.SIGKILL)
        assert process.stderr
        said = [process.stderr.readline() for _ in range(6)]
        assert all("Restarting it" in line for line in said)
        assert "not a database" in said[-1] and " s. Its log: " in said[-1]
        assert "long ago" not in "".join(said)
        (diamond.home / "diamond.db").unlink()
        for file in diamond.home.glob("kept-*"):
            file.rename(file.with_name(file.name.removeprefix("kept-")))
        wait_for(lambda: diamond.call("tasks").returncode == 0, what="an answer")
    finally:
        process.terminate()
        process.communicate(timeout=60)
