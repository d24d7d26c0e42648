from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.postgres import Postgres, find_programs, running_postgres
from support.service import RunningService, running_service

DATABASES = ["sqlite", "postgresql"]


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    programs = find_programs()
    if programs is None:
        pytest.skip("no PostgreSQL here: `initdb` is neither on PATH nor in /usr/lib/postgresql")
    with running_postgres(programs) as server:
        yield server


@pytest.fixture(params=DATABASES)
def database_url(request: pytest.FixtureRequest) -> str:
    """An empty database of each kind; '' is SQLite in the service's home."""
    if request.param == "sqlite":
        return ""
    server: Postgres = request.getfixturevalue("postgres")
    return server.new_database()


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)], scope="module"
)
def first_sqlite(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    """As `service`, for files whose second database is left to `make test-all`."""
    server = request.getfixturevalue("postgres") if request.param == "postgresql" else None
    url = server.new_database() if server is not None else ""
    with running_service(tmp_path_factory.mktemp("home"), database_url=url) as running:
        yield running


@pytest.fixture(params=DATABASES, scope="module")
def service(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    """A real service on each database, shared by the tests of a file."""
    url = ""
    if request.param == "postgresql":
        server: Postgres = request.getfixturevalue("postgres")
        url = server.new_database()
    home: Path = tmp_path_factory.mktemp("home")
    with running_service(home, database_url=url) as running:
        yield running
