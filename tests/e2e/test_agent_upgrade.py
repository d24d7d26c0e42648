"""Agents and services of different builds get along, and an upgrade leaves jobs alone."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

from diamond.sdk.client import Client
from diamond.sdk.client_config import saved_address
from support.diamond import Diamond, diamond_up
from support.service import free_port
from support.waiting import PATIENCE, wait_for


def older(bundle: bytes, target: Path) -> Path:
    """The same agent as an older minor version: another version word, other bytes."""
    target.with_suffix(".new").write_bytes(bundle)
    with zipfile.ZipFile(target.with_suffix(".new")) as source, target.open("wb") as file:
        file.write(b"#!/usr/bin/env python3\n")
        with zipfile.ZipFile(file, "w") as copy:
            for item in source.infolist():
                content = source.read(item)
                if item.filename == "diamond/__init__.py":
                    content = content.replace(b'"0.1.0"', b'"0.0.9"')
                copy.writestr(item, content)
    return target


def test_an_older_agent_serves_and_becomes_the_served_one_while_a_job_runs(tmp_path: Path) -> None:
    diamond, port = Diamond(tmp_path / "home", tmp_path), free_port()
    with diamond_up(diamond, port=port):
        saved = saved_address(diamond.home)
        assert saved
        client = Client(saved.url, saved.token)
        served = client.agent_file()
        file = older(served, tmp_path / "agent.pyz")
        added = diamond.ask("endpoint", "add", "old")
        words = [sys.executable, str(file), "pair", "--scheduler", "local", "--foreground"]
        agent = subprocess.Popen(
            [*words, "--url", client.url],
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**diamond.env, "DIAMOND_KEEP": str(tmp_path / "keep")},
        )
        try:
            assert agent.stdin
            agent.stdin.write(added["pairing_code"].encode() + b"\n")
            agent.stdin.close()
            wait_for(lambda: client.endpoint("old").state == "confirming", what="a call")
            client.confirm_endpoint("old")
            wait_for(lambda: client.endpoint("old").agent_version == "0.0.9", what="a hello")
            waiting = f"while [ ! -e {tmp_path}/go ]; do sleep 0.1; done"
            task = diamond.submit("sh", "-c", waiting, options=("--on", "old"))
            diamond.wait_for_state(task, "running")
            client.upgrade("old")
            wait_for(lambda: client.endpoint("old").agent_version == "0.1.0", what="a new one")
            assert hashlib.sha256(file.read_bytes()).digest() == hashlib.sha256(served).digest()
            assert client.task(task).state == "running"
            (tmp_path / "go").touch()
            diamond.wait_for_state(task, "succeeded")
        finally:
            agent.terminate()
            agent.wait(PATIENCE)
