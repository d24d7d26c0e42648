"""The earlier landed version (commit 52c2f53), unpacked from tests/data/landed: its service and its agent as processes."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.http import Client
from support.service import RunningService, start_service
from support.waiting import PATIENCE, wait_for

DATA = Path(__file__).parents[1] / "data" / "landed"
SECOND = DATA / "second"
"""What commit 7984dbe5 stored, with all that the first one did not know yet."""
MOVES_ON = {"anchors", "covered", "as_of", "since", "used", "seen", "last_seen", "version"}
"""What time alone changes."""
WORDS = {"message", "hint", "words", "title", "text", "ending"}
"""Sentences may be said better now."""
AWAY = {"state": "online"}


def unpack(folder: Path) -> Path:
    """A folder for PYTHONPATH."""
    with tarfile.open(DATA / "diamond.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder


def start_landed_service(
    source: Path, home: Path, *, port: int = 0, database_url: str = ""
) -> RunningService:
    return start_service(home, port=port, database_url=database_url, source=source)


@dataclass
class LandedAgent:
    """One file, as the service serves it; it replaces itself by an upgrade."""

    file: Path
    process: subprocess.Popen[bytes]
    log: Path

    def end(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)


@contextmanager
def landed_agent(
    client: Client,
    name: str,
    folder: Path,
    *,
    scheduler: str = "local",
    env: Mapping[str, str] = os.environ,
) -> Iterator[LandedAgent]:
    """Paired and confirmed; its files are below `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    file, log = folder / "agent.pyz", folder / "agent.out"
    file.write_bytes(client.call("GET", "//agent.pyz").body)
    added = client.post("/endpoints", {"name": name, "carrier": "https"})
    places = {f"DIAMOND_{one.upper()}": str(folder / one) for one in ("keep", "work", "tmp")}
    words = [sys.executable, str(file), "pair", "--scheduler", scheduler, "--foreground"]
    with log.open("ab") as out:
        process = subprocess.Popen(
            [*words, "--url", client.url],
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=out,
            env={**{k: v for k, v in env.items() if not k.startswith("DIAMOND_")}, **places},
        )
    assert process.stdin
    process.stdin.write(added["pairing_code"].encode() + b"\n")
    process.stdin.close()
    agent = LandedAgent(file, process, log)
    try:
        wait_for(lambda: state_of(client, name) == "confirming", what="a call of the agent")
        client.post(f"/endpoints/{name}/confirm", {"accept": True})
        wait_for(lambda: state_of(client, name) == "online", what="a hello of the agent")
        wait_for(lambda: has_profile(client, name), what="a profile")
        yield agent
    finally:
        agent.end()


def state_of(client: Client, name: str) -> str:
    return str(client.get(f"/endpoints/{name}")["state"])


def has_profile(client: Client, name: str) -> bool:
    return "scheduler" in client.get(f"/endpoints/{name}")["profile"].get("facts", {})


def wait_for_states(client: Client, wanted: Mapping[str, str], seconds: float = PATIENCE) -> None:
    """Each task in its state."""

    def fits() -> bool:
        seen = {task: client.get(f"/tasks/{task}")["state"] for task in wanted}
        return seen == dict(wanted)

    wait_for(fits, seconds, what=f"states {dict(wanted)}", every=0.2)


def restore_stored(stored: Path, home: Path) -> None:
    """The home of a service that ended before the upgrade."""
    shutil.copytree(stored / "home", home)
    with sqlite3.connect(home / "diamond.db") as database:
        database.executescript((stored / "database.sql").read_text())
    database.close()


def lost(old: Any, new: Any, at: str = "") -> list[str]:
    """What the old answer says and the new one does not."""
    if isinstance(old, dict) and isinstance(new, dict):
        return [
            fault
            for name, value in old.items()
            if name not in MOVES_ON | WORDS and AWAY.get(name) != value
            for fault in (
                lost(value, new[name], f"{at}.{name}") if name in new else [f"{at}.{name}"]
            )
        ]
    if isinstance(old, list) and isinstance(new, list):
        pairs = zip(old, matching(old, new), strict=True)
        return [fault for n, (a, b) in enumerate(pairs) for fault in lost(a, b, f"{at}[{n}]")]
    return [] if old == new else [f"{at}: {old!r} is now {new!r}"]


def matching(old: list[Any], new: list[Any]) -> list[Any]:
    """The new items in the order of the old ones: this start has added a token, and tasks."""
    if not old or not isinstance(old[0], dict) or "id" not in old[0]:
        return new
    known = {item["id"]: item for item in new}
    return [known.get(item["id"]) for item in old]
