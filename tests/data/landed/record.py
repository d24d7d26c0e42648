"""`python record.py`: lets the archived version do some work, and stores its database, files and answers beside this file."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from diamond.sdk import Client as Sdk  # noqa: E402
from support.http import Client  # noqa: E402
from support.landed import landed_agent, start_landed_service, unpack  # noqa: E402
from support.service import RunningService  # noqa: E402
from support.waiting import wait_for  # noqa: E402

SECOND_PERSON = """
import asyncio, sys
from pathlib import Path
from diamond.service.notify import Notifier
from diamond.service.settings import Settings
from diamond.service.store import users
from diamond.service.store.engine import Store

async def main():
    store = Store(Settings(Path(sys.argv[1])).database, Notifier())
    async def add(tx):
        await users.add_user(tx, "u-grace", "Grace", is_admin=False)
        return (await users.add_credential(tx, "u-grace", users.TOKEN, "laptop", scopes=""))[1]
    print(await store.run(add))
    await store.close()

asyncio.run(main())
"""
TRAIN = """\
import json, os, sys
with open(os.environ["DIAMOND_METRICS"], "a") as file:
    for step in range(3):
        print(json.dumps({"step": step, "loss": 1 / (step + 1)}), file=file)
print("trained")
sys.exit(int(sys.argv[1]))
"""
FINAL = ("succeeded", "failed", "cancelled")


def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="dr-"))
    source = unpack(folder / "landed")
    service = start_landed_service(source, folder / "home")
    try:
        with landed_agent(service.client, "laptop", folder / "agent"):
            tasks = work(service, folder, source)
            wait_for(lambda: service.client.get("/notifications")["items"], what="a notification")
            answers = {path: service.client.get(path) for path in paths(service.client, tasks)}
    finally:
        service.stop()
    (HERE / "answers.json").write_text(dumped(answers, folder))
    store(folder / "home", folder, HERE)
    shutil.rmtree(folder)


def work(service: RunningService, folder: Path, source: Path) -> list[str]:
    client = service.client
    add_grace(service, source)
    client.post("/tokens", {"name": "ci"})
    client.post("/projects", {"name": "vision"})
    code = folder / "code"
    code.mkdir()
    (code / "train.py").write_text(TRAIN)
    (code / "diamond.yaml").write_text("run: python3 train.py 0\n")
    sdk = Sdk(service.url, service.token)
    again = {"on": ["exit-75"], "from": "*.pt", "max_attempts": 2}
    programs = {"good": "0", "bad": "3", "chain": "75"}
    tasks = []
    for name, code_word in programs.items():
        spec: dict[str, Any] = {
            "name": name,
            "run": ["python3", "train.py", code_word],
            "on": "laptop",
        }
        spec["resources"] = {"walltime": "5m"}
        if name == "chain":
            spec["continue"] = again
        tasks.append(sdk.run(spec, folder=code).task.id)
    environment = {"requirements": ["six==1.17.0"], "labels": {"of": "landed"}}
    wanted = {"environment": environment, "name": "small", "endpoint": "laptop"}
    tasks.append(client.post("/images/builds", wanted)["build"]["task"]["id"])
    wait_for(lambda: all(state(client, task) in FINAL for task in tasks), what="all ends")
    waiting = {"name": "waiting", "run": "true", "on": "nowhere"}
    client.post("/endpoints", {"name": "nowhere", "carrier": "ssh"})
    tasks.append(client.post("/jobs", {"spec": waiting})["tasks"][0]["id"])
    return tasks


def state(client: Client, task: str) -> str:
    return str(client.get(f"/tasks/{task}")["state"])


def add_grace(service: RunningService, source: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(source)}
    words = [sys.executable, "-c", SECOND_PERSON, str(service.home)]
    done = subprocess.run(words, env=env, check=True, capture_output=True, text=True)
    (HERE / "tokens.json").write_text(json.dumps([service.token, done.stdout.strip()]) + "\n")


def paths(client: Client, tasks: list[str]) -> list[str]:
    lists = [
        "/me",
        "/tokens",
        "/projects",
        "/endpoints",
        "/tasks",
        "/jobs",
        "/images",
        "/notifications",
    ]
    each = [
        f"/tasks/{task}{more}" for task in tasks for more in ("", "/history", "/code", "/metrics")
    ]
    return [path for path in [*lists, *each] if client.call("GET", path).status == 200]


def dumped(answers: dict[str, Any], folder: Path) -> str:
    return (
        json.dumps(answers, indent=1, sort_keys=True)
        .replace(f"{folder}/agent/work", "/recorded/agent-work")
        .replace(str(folder), "/recorded")
        + "\n"
    )


def store(home: Path, folder: Path, target: Path) -> None:
    database = sqlite3.connect(next(home.glob("*.db")))
    text = (
        "\n".join(database.iterdump())
        .replace(f"{folder}/agent/work", "/recorded/agent-work")
        .replace(str(folder), "/recorded")
    )
    (target / "database.sql").write_text(text + "\n")
    shutil.rmtree(target / "home", ignore_errors=True)
    shutil.copytree(
        home,
        target / "home",
        ignore=shutil.ignore_patterns("*.db*", "*.log", "*.json", "*.pyz", "tmp"),
    )


if __name__ == "__main__":
    main()
