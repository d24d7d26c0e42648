"""The endpoint that `diamond up` makes runs jobs on this machine itself, whatever it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from diamond.cli.local_processes import agent_command
from diamond.core.errors import NotFound
from diamond.sdk.client import Client


class Service:
    """Knows no endpoint yet, and makes any."""

    url = "http://127.0.0.1:1"

    def endpoint(self, name: str) -> Any:
        raise NotFound(name)

    def add_endpoint(self, name: str, carrier: str) -> dict[str, str]:
        return {"key": "secret"}


def words(home: Path, name: str, *, is_this_machine: bool = False) -> list[str]:
    service = cast(Client, Service())
    return agent_command(service, home, name, is_this_machine=is_this_machine)[0]


def test_it_is_told_to_the_agent_and_remembered_for_later_starts(tmp_path: Path) -> None:
    assert "--this-machine" in words(tmp_path, "mine", is_this_machine=True)
    assert "--this-machine" in words(tmp_path, "mine")


def test_an_endpoint_of_any_name_finds_its_batch_system_otherwise(tmp_path: Path) -> None:
    assert "--this-machine" not in words(tmp_path, "local")
