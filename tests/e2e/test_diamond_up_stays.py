"""`diamond up` keeps what it started alive, and says why when it cannot."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from support.diamond import Diamond, diamond_up
from support.service import free_port
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


@pytest.mark.slow
def test_a_service_that_will_not_stay_up_is_given_up_with_its_own_words(tmp_path: Path) -> None:
    diamond = Diamond(tmp_path / "home", tmp_path)
    diamond.home.mkdir()
    (diamond.home / "service.log").write_text("words of long ago\n")
    process = diamond.start("up", "--no-agent", "--port", str(free_port()))
    try:
        assert process.stdout and "Diamond is up at" in process.stdout.readline()
        for file in diamond.home.glob("diamond.db*"):
            file.unlink()
        (diamond.home / "diamond.db").write_bytes(b"this is no database" * 1000)
        os.kill(service_pids(diamond.home)[0], signal.SIGKILL)
        _, said = process.communicate(timeout=120)
    finally:
        process.terminate()
    assert process.returncode == 1
    assert "always died quickly" in said
    assert "not a database" in said.split("Restarting it")[-1]
    assert "long ago" not in said
