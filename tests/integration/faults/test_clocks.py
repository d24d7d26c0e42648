"""The service's clock and the cluster's are an hour apart."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from diamond.testing.lab import Cluster
from support.stack import UNTIL_GO, Stack, new_stack
from support.waiting import wait_for

LIBRARY = "faketime/libfaketime.so.1"
HOUR = 3600.0


@pytest.fixture(params=["+1h", "-1h"])
def apart(
    cluster: Cluster,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[tuple[Stack, float]]:
    """A service whose clock is off, and by how many seconds."""
    found = next(Path("/usr/lib").glob(f"*/{LIBRARY}"), None)
    if found is None:
        pytest.skip("no libfaketime here: install Debian's `faketime`")
    with monkeypatch.context() as variables:
        variables.setenv("LD_PRELOAD", str(found))
        variables.setenv("FAKETIME", request.param)
        variables.setenv("DONT_FAKE_MONOTONIC", "1")
        stack = new_stack(cluster, tmp_path)
    try:
        stack.start_agent()
        yield stack, HOUR if request.param == "+1h" else -HOUR
    finally:
        stack.close()


def test_clocks_an_hour_apart_move_no_time_and_end_nothing(apart: tuple[Stack, float]) -> None:
    stack, off = apart
    task = stack.submit(f"echo begun\n{UNTIL_GO}echo ended\n")
    stack.until(task, "running")
    stack.kill_agent()
    stack.go(task)
    wait_for((stack.attempt_folder(task) / "runs/1/exit").exists, what="exit file")
    stack.start_agent()
    ended = stack.until(task, "succeeded")
    for moment in ("created", "started", "ended", "as_of"):
        assert abs(ended[moment] - (time.time() + off)) < 120, moment
    assert ended["created"] - 1 <= ended["started"] <= ended["ended"]
    stack.check(task)
