"""One thing that fails never stops the other periodic work."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from diamond.service.maintenance import periodic
from diamond.service.platform.separately import separately
from diamond.service.platform.services import Services


def test_each_item_is_tried_and_a_failure_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    done: list[int] = []

    async def work(item: int) -> None:
        if item == 2:
            raise RecursionError("too deep")
        done.append(item)

    asyncio.run(separately([1, 2, 3], work, "counting"))
    assert done == [1, 3]
    assert "counting failed for 2" in caplog.text


def test_every_part_of_the_hourly_work_is_done_when_all_the_others_fail(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[str] = []

    class Broken:
        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, name: str) -> Any:
            tried.append(f"{self._name}.{name}")
            raise RecursionError

    class BrokenStore:
        async def run(self, work: object) -> None:
            tried.append("store.run")
            raise RecursionError

    async def fails(*_: object) -> None:
        tried.append("work")
        raise RecursionError

    parts = ("archive_due_tasks", "prune_blobs", "rebuild_records", "tidy_trees", "warn")
    for part in parts:
        monkeypatch.setattr(periodic, part, fails)

    class BrokenServices:
        store = BrokenStore()
        blobs = Broken("blobs")
        image_files = Broken("image_files")

    asyncio.run(periodic.tidy(cast("Services", BrokenServices())))
    assert sorted(tried) == sorted(
        ["store.run"] * len(periodic.FORGOTTEN) + ["image_files.prune"] + ["work"] * len(parts)
    )
