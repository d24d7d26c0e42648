"""A batch system that does not answer is told to those who wait for it."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from diamond.agent.tasks import submission as submit
from diamond.agent.tasks.submission import Submitter
from diamond.agent.tasks.work_queue import SubmissionQueue
from support.waiting import wait_for


def test_everybody_behind_a_question_without_an_answer_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submit, "SILENCE_SECONDS", 0.0)
    asked, go_on = threading.Event(), threading.Event()
    told: list[tuple[str, str]] = []

    def hang(_: object) -> str:
        asked.set()
        assert go_on.wait(60)
        return "7"

    submitter = _submitter(hang, told)
    submitter.report_silence()
    submitter.start()
    for name in ("a1", "a2"):
        (tmp_path / name).mkdir()
        submitter.queue.put(_folder(tmp_path / name), partition="", sequence=1)
    assert asked.wait(60)
    submitter.report_silence()
    submitter.report_silence()
    assert told == [("a1", submit.SILENCE), ("a2", submit.SILENCE)]
    go_on.set()
    wait_for(lambda: not submitter.queue.entries)
    submitter.report_silence()
    assert len(told) == 2


def _submitter(hang: Any, told: list[tuple[str, str]]) -> Submitter:
    def note(folder: Any, message: str, code: str) -> None:
        told.append((folder.attempt, message))

    scheduler: Any = SimpleNamespace(name="slow", submit=hang)
    outcome: Any = SimpleNamespace(note=note, submitted=lambda *_: None)
    still: Any = SimpleNamespace(check=lambda: None, reached=lambda _: None)
    as_it_is: Any = lambda folder: folder  # noqa: E731
    now: Any = lambda _: ""  # noqa: E731
    return Submitter(SubmissionQueue(), scheduler, as_it_is, still, still, outcome, now, now, still)


def _folder(path: Path) -> Any:
    return SimpleNamespace(
        path=path, attempt=path.name, is_cancelled=False, write_native=lambda *_, **__: None
    )
