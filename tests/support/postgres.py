"""A real PostgreSQL in a temporary folder, for tests; under an unprivileged user if we are root."""

from __future__ import annotations

import glob
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from support.service import free_port


@dataclass
class Postgres:
    """`new_database()` returns the URL of an empty one."""

    folder: Path
    port: int
    programs: Path
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def new_database(self) -> str:
        name = f"diamond{next(self._numbers)}"
        self._psql("postgres", f"CREATE DATABASE {name}")
        return f"postgresql://diamond@127.0.0.1:{self.port}/{name}"

    def _psql(self, database: str, statement: str) -> None:
        words = [str(self.programs / "psql"), "-h", "127.0.0.1", "-p", str(self.port)]
        words += ["-U", "diamond", "-d", database, "-qc", statement]
        subprocess.run(words, check=True, stdin=subprocess.DEVNULL, capture_output=True)


def find_programs() -> Path | None:
    """The folder with `initdb` and `postgres`, if this machine has one."""
    on_path = shutil.which("initdb")
    folders = [str(Path(on_path).resolve().parent)] if on_path else []
    folders += sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)  # noqa: PTH207
    usable = [Path(one) for one in folders if (Path(one) / "postgres").exists()]
    return usable[0] if usable else None


@contextmanager
def running_postgres(programs: Path) -> Iterator[Postgres]:
    folder = Path(tempfile.mkdtemp(prefix="diamond-postgres-"))
    as_user, user = _unprivileged()
    if user:
        shutil.chown(folder, user)
    try:
        postgres = Postgres(folder, free_port(), programs)
        _make(postgres, as_user)
        with _serving(postgres, as_user):
            yield postgres
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _make(postgres: Postgres, as_user: list[str]) -> None:
    words = [str(postgres.programs / "initdb"), "-D", str(postgres.folder / "data")]
    words += ["-U", "diamond", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C.UTF-8"]
    subprocess.run([*as_user, *words], check=True, capture_output=True, cwd="/")


@contextmanager
def _serving(postgres: Postgres, as_user: list[str]) -> Iterator[None]:
    settings = {
        "port": str(postgres.port),
        "listen_addresses": "127.0.0.1",
        "unix_socket_directories": str(postgres.folder),
        "fsync": "off",
        "synchronous_commit": "off",
        "full_page_writes": "off",
    }
    words = [str(postgres.programs / "postgres"), "-D", str(postgres.folder / "data")]
    for name, value in settings.items():
        words += ["-c", f"{name}={value}"]
    with (postgres.folder / "log").open("wb") as log:
        process = subprocess.Popen([*as_user, *words], stdout=log, stderr=log, cwd="/")
    try:
        _wait_until_ready(postgres, process)
        yield
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(20)


def _wait_until_ready(postgres: Postgres, process: subprocess.Popen[bytes]) -> None:
    words = [str(postgres.programs / "pg_isready"), "-qh", "127.0.0.1", "-p", str(postgres.port)]
    deadline = time.monotonic() + 60
    while subprocess.run(words, check=False).returncode != 0:
        if process.poll() is not None or time.monotonic() > deadline:
            raise AssertionError((postgres.folder / "log").read_text())
        time.sleep(0.05)


def _unprivileged() -> tuple[list[str], str]:
    """PostgreSQL does not run as root."""
    if os.geteuid() != 0:
        return [], ""
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        ids = [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        return ["setpriv", *ids], name
    raise AssertionError("root, and no unprivileged user to run PostgreSQL as")
