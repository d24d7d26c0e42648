"""A real agent with a service that lies, and a real service with members who do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.agents import AgentProcess
from support.service import RunningService, running_service
from support.sync_service import SyncService

# In the place of the container tool: notes which file is entered and what of a shell's variables reached it.
_TOOL = """\
#!/bin/sh
case $1 in --version) echo "apptainer version 1.4.0"; exit ;; esac
for word; do
  shift
  case $word in *.sqfs) break ;; esac
done
printf '%s|%s\\n' "$(cat "$word")" "${GREETING-}" >>"{log}"
exec "$@"
"""


@pytest.fixture
def liar() -> Iterator[SyncService]:
    """Speaks the sync protocol; what it says is each test's own."""
    service = SyncService()
    yield service
    service.stop()


@pytest.fixture
def endpoint(tmp_path: Path, liar: SyncService) -> Iterator[AgentProcess]:
    """Not started yet. Its container tool writes `entered` and runs the command outside."""
    tool = tmp_path / "bin" / "apptainer"
    tool.parent.mkdir()
    tool.write_text(_TOOL.replace("{log}", str(tmp_path / "entered")))
    tool.chmod(0o755)
    path = f"{tool.parent}:/usr/bin:/bin"
    endpoint = AgentProcess(tmp_path / "machine", liar, variables={"PATH": path})
    endpoint.keep.mkdir(parents=True)
    yield endpoint
    endpoint.stop()
    endpoint.end_jobs()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with running_service(tmp_path_factory.mktemp("home")) as running:
        yield running


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """People of a provider, which nobody asks here."""
    home = tmp_path_factory.mktemp("shared")
    (home / "secret").write_text("s")
    config = home / "diamond.toml"
    config.write_text(
        '[people.providers.campus]\nissuer = "http://127.0.0.1:9"\ntitle = "Campus"\n'
        f'client_id = "diamond"\nclient_secret_file = "{home}/secret"\n'
    )
    with running_service(home, people=config) as running:
        yield running
