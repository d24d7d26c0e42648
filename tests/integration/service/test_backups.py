from __future__ import annotations

import io
import sqlite3
import tarfile
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from support.backups import run_backup as run
from support.scene import new_scene
from support.service import RunningService, running_service
from support.waiting import PATIENCE


def add_blob(service: RunningService, data: bytes) -> str:
    out, digest = io.BytesIO(), sha256(data).hexdigest()
    with tarfile.open(fileobj=out, mode="w") as tar:
        info = tarfile.TarInfo(digest)
        info.size = len(data)
        tar.addfile(info, io.BytesIO(data))
    assert service.client.call("POST", "/blobs", out.getvalue()).status == 201
    return digest


@pytest.mark.slow
def test_a_backup_of_a_service_that_runs_brings_back_what_it_knew(
    tmp_path: Path, database_url: str
) -> None:
    home, file = tmp_path / "home", tmp_path / "backup.tar"
    with running_service(home, database_url=database_url) as service:
        before = new_scene(service).submit(name="before")["id"]
        digest = add_blob(service, b"code")
        assert (made := run("backup", file, home, database_url)).returncode == 0, made.stderr
        after = new_scene(service).submit(name="after")["id"]
    assert file.stat().st_mode & 0o077 == 0
    assert (back := run("restore", file, home, database_url)).returncode == 0, back.stderr
    with running_service(home, database_url=database_url) as service:
        client = service.client
        assert client.get(f"/tasks/{before}")["name"] == "before"
        assert client.call("GET", f"/tasks/{after}").status == 404
        assert client.post("/blobs/missing", {"digests": [digest]})["missing"] == []


@pytest.mark.slow
def test_a_backup_is_brought_back_under_a_service_that_runs_and_it_begins_anew(
    tmp_path: Path, database_url: str
) -> None:
    home, file = tmp_path / "home", tmp_path / "backup.tar"
    with running_service(home, database_url=database_url) as service:
        before = new_scene(service).submit(name="before")["id"]
        assert run("backup", file, home, database_url).returncode == 0
        after = new_scene(service).submit(name="after")["id"]
        assert (back := run("restore", file, home, database_url)).returncode == 0, back.stderr
        assert service.client.call("GET", f"/tasks/{after}").status == 404
        service.process.wait(PATIENCE)
        assert "a backup was restored" in service.log.read_text()
    with running_service(home, database_url=database_url) as service:
        assert service.client.get(f"/tasks/{before}")["name"] == "before"
        assert service.client.call("GET", f"/tasks/{after}").status == 404
        new_scene(service).submit(name="next")
        assert service.process.poll() is None
    if not database_url:
        with closing(sqlite3.connect(home / "diamond.db.before")) as kept:
            assert kept.execute("SELECT id FROM tasks WHERE id = ?", [after]).fetchone()


@pytest.mark.slow
def test_a_backup_comes_back_on_another_machine(tmp_path: Path) -> None:
    file = tmp_path / "backup.tar"
    with running_service(tmp_path / "old") as service:
        task = new_scene(service).submit()["id"]
        instance = service.client.get("/health")["instance"]
        assert run("backup", file, tmp_path / "old", "").returncode == 0
    assert run("restore", file, tmp_path / "new", "").returncode == 0
    with running_service(tmp_path / "new") as service:
        assert service.client.get("/health")["instance"] == instance
        assert service.client.get(f"/tasks/{task}")["id"] == task
