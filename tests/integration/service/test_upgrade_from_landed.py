"""A database of the earlier landed version, with everything it stored, is upgraded and read by this one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from diamond.core.task import FINAL_WORDS
from support.diamond import Diamond
from support.http import Client
from support.landed import DATA, lost, restore_stored
from support.service import RunningService, running_service

ANSWERS: dict[str, Any] = json.loads((DATA / "answers.json").read_text())


@pytest.fixture(scope="module")
def upgraded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    home = tmp_path_factory.mktemp("landed") / "home"
    restore_stored(DATA, home)
    with running_service(home) as service:
        yield service


@pytest.mark.parametrize("path", sorted(ANSWERS))
def test_what_was_stored_is_read_as_before(upgraded: RunningService, path: str) -> None:
    owner = Client(upgraded.url, tokens()[0])
    assert lost(ANSWERS[path], owner.get(path)) == []


def test_tokens_still_open_the_door(upgraded: RunningService) -> None:
    assert Client(upgraded.url, tokens()[1]).get("/me")["name"] == "Grace"


def test_code_and_curves_are_still_there(upgraded: RunningService) -> None:
    owner = Client(upgraded.url, tokens()[0])
    good = next(task for task in ANSWERS["/tasks"]["items"] if task["name"] == "good")["id"]
    assert b"DIAMOND_METRICS" in owner.call("GET", f"/tasks/{good}/code/content?path=train.py").body
    assert b"loss" in owner.call("GET", f"/tasks/{good}/metrics.csv").body
    assert b"trained" in owner.call("GET", f"/tasks/{good}/logs/stdout/download").body


def test_the_command_line_shows_them(upgraded: RunningService, tmp_path: Path) -> None:
    extra = {"DIAMOND_URL": upgraded.url, "DIAMOND_TOKEN": tokens()[0]}
    diamond = Diamond(tmp_path / "own", tmp_path, extra)
    for task in ANSWERS["/tasks"]["items"]:
        shown = diamond.ask("show", task["id"])
        assert shown["name"] == task["name"]
        if task["state"] in FINAL_WORDS:
            assert (shown["state"], shown["exit_code"]) == (task["state"], task["exit_code"])
    assert "laptop" in diamond.call("endpoint", "list").stdout


def test_a_stored_job_runs_again(upgraded: RunningService) -> None:
    owner = Client(upgraded.url, tokens()[0])
    bad = next(task for task in ANSWERS["/tasks"]["items"] if task["name"] == "bad")["id"]
    again = owner.post(f"/tasks/{bad}/retry")
    assert owner.get(f"/tasks/{again['id']}")["retry_of"] == bad


def tokens() -> list[str]:
    return list(json.loads((DATA / "tokens.json").read_text()))
