"""`python -m diamond.service.maintenance.backup`: everything a service knows in one file, taken while it runs; and back."""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from diamond.core.errors import BadRequest, Conflict, DiamondError
from diamond.core.ids import new_id
from diamond.service.access.principal import LOCAL_USER
from diamond.service.people import store as users
from diamond.service.platform.database.engine import Store
from diamond.service.platform.wakeups.notifier import Notifier
from diamond.service.settings import Settings

SQLITE, POSTGRES = "diamond.db", "postgresql.dump"
KEYS = ("relay.key", "sign-in.key")
BLOBS = "blobs"
BUSY_SECONDS = 60.0


def make_backup(home: Path, database_url: str, file: Path) -> None:
    """The database first: what it names among the blobs is there by then, and a blob never changes."""
    aside = file.with_name(f".{file.name}.{os.getpid()}")
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        dump = _dump(home, database_url, Path(folder))
        handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as out, tarfile.open(fileobj=out, mode="w|") as tar:
            tar.add(dump, dump.name)
            for name in (*KEYS, BLOBS):
                if (home / name).exists():
                    tar.add(home / name, name)
    aside.replace(file)


def restore_backup(home: Path, database_url: str, file: Path) -> None:
    """Also under a running service, which then restarts by itself. SQLite's present content is kept beside it as .before."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home) as folder:
        with tarfile.open(file) as tar:
            tar.extractall(folder, filter="data")
        unpacked = Path(folder)
        _load(home, database_url, unpacked)
        for key in KEYS:
            if (unpacked / key).exists():
                shutil.copy2(unpacked / key, home / key)
        if (unpacked / BLOBS).exists():
            shutil.copytree(unpacked / BLOBS, home / BLOBS, dirs_exist_ok=True)
    asyncio.run(_mark_restored(home, database_url))


def _dump(home: Path, database_url: str, folder: Path) -> Path:
    if database_url:
        dump = folder / POSTGRES
        _run(["pg_dump", "--format=custom", f"--file={dump}"], database_url)
        return dump
    source, dump = home / SQLITE, folder / SQLITE
    if not source.exists():
        raise BadRequest(f"There is no database in {home}", "Is DIAMOND_HOME right?")
    _copy(source, dump)
    return dump


def _load(home: Path, database_url: str, unpacked: Path) -> None:
    wanted = POSTGRES if database_url else SQLITE
    dump = unpacked / wanted
    if not dump.exists():
        raise BadRequest(
            f"This is not a backup of {'PostgreSQL' if database_url else 'SQLite'}",
            "Restore it into a service with the same kind of database.",
        )
    if database_url:
        command = ["pg_restore", "--clean", "--if-exists", "--no-owner", "--exit-on-error"]
        _run(
            [*command, "--single-transaction", f"--dbname={_name(database_url)}", str(dump)],
            database_url,
        )
        return
    if (home / SQLITE).exists():
        (home / f"{SQLITE}.before").unlink(missing_ok=True)
        _copy(home / SQLITE, home / f"{SQLITE}.before")
    _copy(dump, home / SQLITE)


def _copy(source: Path, target: Path) -> None:
    """As one transaction of SQLite's own: whoever has the target open sees the old content, then the new."""
    target.touch(0o600)
    with (
        closing(sqlite3.connect(source, timeout=BUSY_SECONDS)) as old,
        closing(sqlite3.connect(target, timeout=BUSY_SECONDS)) as new,
    ):
        old.backup(new)


async def _mark_restored(home: Path, database_url: str) -> None:
    """A running service keeps much in memory that is no longer true: it sees this mark and restarts."""
    store = Store(Settings(home, database_url=database_url).database, Notifier())
    try:
        await store.run(lambda tx: users.replace_fact(tx, LOCAL_USER, users.RESTORED, new_id("r")))
    finally:
        await store.close()


def _run(command: list[str], database_url: str) -> None:
    """The password by a variable: a command line is seen by everybody."""
    places = [*map(str, Path("/usr/lib/postgresql").glob("*/bin"))]
    path = os.pathsep.join([os.environ.get("PATH", ""), *sorted(places, reverse=True)])
    program = shutil.which(command[0], path=path)
    if program is None:
        raise BadRequest(
            f"{command[0]} is not on this machine", "Install PostgreSQL's client programs."
        )
    environment = {**os.environ, **_variables(database_url)}
    done = subprocess.run(
        [program, *command[1:]], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Conflict(f"{command[0]} failed: {done.stderr.strip()[-500:]}")


def _variables(database_url: str) -> dict[str, str]:
    parts = urlsplit(database_url)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    variables = {
        "PGHOST": parts.hostname or query.get("host", ""),
        "PGPORT": str(parts.port or query.get("port", "")),
        "PGUSER": unquote(parts.username or "") or query.get("user", ""),
        "PGPASSWORD": unquote(parts.password or "") or query.get("password", ""),
        "PGDATABASE": _name(database_url),
    }
    return {name: value for name, value in variables.items() if value}


def _name(database_url: str) -> str:
    return unquote(urlsplit(database_url).path.lstrip("/"))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m diamond.service.maintenance.backup", description=__doc__
    )
    parser.add_argument("act", choices=("backup", "restore"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--home", type=Path, required=True)
    given = parser.parse_args(arguments)
    acts: dict[str, Callable[[Path, str, Path], None]] = {
        "backup": make_backup,
        "restore": restore_backup,
    }
    try:
        # By a variable, since the address may hold a password.
        acts[given.act](
            given.home, os.environ.get("DIAMOND_DATABASE_URL", ""), given.file.absolute()
        )
    except (DiamondError, OSError, tarfile.TarError) as error:
        hint = error.hint if isinstance(error, DiamondError) else ""
        print(f"{error}\n{hint}".strip(), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
