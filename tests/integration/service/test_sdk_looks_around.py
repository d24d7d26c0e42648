"""The Python door to what the pages see, and the hourly look for what will soon need a person."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from diamond.sdk.client import Client
from diamond.service.app import services_for
from diamond.service.endpoints import store as endpoint_rows
from diamond.service.endpoints.rows import EndpointRow, SiteProfile
from diamond.service.notifications.store import list_notifications
from diamond.service.platform.database.rows import JsonObject
from diamond.service.platform.wakeups.notifier import Notifier
from diamond.service.settings import Settings
from diamond.service.tasks.warnings import warn
from support.scene import new_scene
from support.service import running_service


def test_python_sees_what_the_pages_see(tmp_path: Path) -> None:
    with running_service(tmp_path) as service:
        scene, client = new_scene(service), Client(service.url, service.token)
        task, attempt = scene.taken(name="seen")
        part = {"task": task, "attempt": attempt, "run": 1, "rank": 0, "offset": 0}
        scene.agent.bytes(({**part, "stream": "stdout"}, b"one\ntwo needles\nthree\n"))
        points = [json.dumps({"step": n, "loss": 1 / (n + 1)}).encode() + b"\n" for n in range(9)]
        scene.agent.bytes(({**part, "stream": "metrics"}, b"".join(points)))
        assert [one["text"] for one in client.search_log(task, "NEEDLE")] == ["two needles"]
        assert list(client.search_log(task, "NEEDLE", case=True)) == []
        (curve,) = client.compare([task], names=["loss"], steps=(2, 4))
        assert [point[0] for point in curve["points"]] == [2, 3, 4]
        assert client.count_tasks(search="seen")["total"] == 1
        assert [one.id for one in client.tasks(search="seen", limit=5)] == [task]
        assert client.overview()["endpoints"][0]["name"] == scene.name
        assert not client.compose({"run": "x", "on": "nowhere"})["ok"]
        job = client.run_recipe("plain-script", on=scene.name, set={"steps": 7})
        assert job.task.raw["order"]["params"] == {"steps": 7}
        assert "train.py" in [one["path"] for one in client.code(job.task.id)["files"]]
        assert client.diff(job.task.id) == ""
        told = client.cancel_all([job.task.id, "tnosuch"])
        assert [bool(one["problem"]) for one in told] == [False, True]
        (again,) = client.retry_all([job.task.id])
        assert again["task"]["retry_of"] == job.task.id
        assert client.recipe("spiral")["title"] == "Two spirals"


def test_little_room_is_told_once_a_week(tmp_path: Path) -> None:
    facts: JsonObject = {
        "folders": {"value": {"work": {"path": "/w", "free_bytes": 1, "quota_bytes": 100}}}
    }
    row = EndpointRow(
        id="e1",
        owner="local",
        name="small",
        carrier="local",
        ssh_host="",
        state="online",
        since=time.time(),
        last_seen=time.time(),
        created=time.time(),
        confirmed=True,
        profile=SiteProfile(1.0, facts),
    )

    async def look_twice() -> list[Any]:
        async with services_for(Settings(tmp_path), Notifier()) as services:
            await services.store.run(lambda tx: endpoint_rows.add_endpoint(tx, row))
            await warn(services)
            await warn(services)
            async with services.store.read() as connection:
                page = await list_notifications(
                    connection, "local", only_unread=False, limit=10, cursor=None
                )
        return [asdict(row) for row in page.rows]

    (told,) = asyncio.run(look_twice())
    assert (told["kind"], told["endpoint"]) == ("quota", "small")
    assert "1 B are left of 100 B" in told["text"]
