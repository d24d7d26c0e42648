"""`diamond image copy` says how far it is."""

from __future__ import annotations

from typing import Any

import pytest

from diamond.cli.transfer_progress import TransferProgress

MB = 1 << 20


def move(have: int, **more: Any) -> dict[str, Any]:
    return {"state": "running", "bytes": have * MB, "size": 100 * MB, "message": "", **more}


def test_a_line_has_bytes_percent_and_time_left() -> None:
    now = [0.0]
    progress = TransferProgress(clock=lambda: now[0])
    assert progress.line(move(0)) == "0 B of 100.0 MB (0 %), waiting for the first bytes"
    progress.line(move(20))
    now[0] = 4.0
    assert progress.line(move(40)) == "40.0 MB of 100.0 MB (40 %), 5.0 MB/s, 12 s left"


def test_it_says_which_endpoint_it_waits_for() -> None:
    line = TransferProgress().line(move(3, message="waiting for alpha, which is offline"))
    assert line == "3.0 MB of 100.0 MB (3 %), waiting for alpha, which is offline"


def test_a_log_gets_a_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    now = [0.0]
    progress = TransferProgress(clock=lambda: now[0])
    for second in range(25):
        now[0] = float(second)
        progress(move(second * 4))
    progress(move(100, state="done"))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2 and "(40 %)" in lines[0] and "s left" in lines[1]


def test_programs_see_no_progress(capsys: pytest.CaptureFixture[str]) -> None:
    now = [0.0]
    progress = TransferProgress(quiet=True, clock=lambda: now[0])
    now[0] = 60.0
    progress(move(50))
    assert capsys.readouterr().err == ""
