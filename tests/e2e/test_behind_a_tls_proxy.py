"""A shared service behind a TLS proxy: people and agents reach it by https alone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.diamond import Diamond
from support.http import Client
from support.service import RunningService, free_port, running_service
from support.tls_proxy import TlsProxy, tls_proxy
from support.waiting import PATIENCE, wait_for


@dataclass(frozen=True)
class Shared:
    service: RunningService
    proxy: TlsProxy
    person: Diamond


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    top = tmp_path_factory.mktemp("tls")
    (top / "empty").mkdir()
    port, behind = free_port(), free_port()
    with (
        tls_proxy(top, port, behind) as proxy,
        running_service(top / "home", port=behind, public_url=proxy.url) as service,
    ):
        address = {"DIAMOND_URL": proxy.url, "DIAMOND_TOKEN": service.token}
        trust = {"SSL_CERT_FILE": str(proxy.certificate)}
        yield Shared(service, proxy, Diamond(top / "person", top / "empty", {**address, **trust}))


@pytest.mark.slow
def test_an_agent_pairs_and_serves_over_https_and_its_log_comes_live(
    shared: Shared, tmp_path: Path
) -> None:
    person = shared.person
    added = person.ask("endpoint", "add", "campus")
    assert shared.proxy.url in added["line"]
    words = [sys.executable, "-m", "diamond.agent", "pair", "--scheduler", "local", "--foreground"]
    agent = subprocess.Popen(
        [*words, "--url", shared.proxy.url],
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**person.env, "DIAMOND_KEEP": str(tmp_path / "keep")},
    )
    try:
        assert agent.stdin
        agent.stdin.write(added["pairing_code"].encode() + b"\n")
        agent.stdin.close()
        wait_for(lambda: state(person) == "confirming", what="a call")
        assert person.call("endpoint", "confirm", "campus", "--yes").returncode == 0
        wait_for(lambda: state(person) == "online", what="an agent")
        done = person.call("run", "--on", "campus", "--wait", "--", "sh", "-c", "echo far; exit 3")
        assert (done.returncode, done.stdout) == (3, "far\n"), done.stderr
    finally:
        agent.terminate()
        agent.wait(PATIENCE)


def state(person: Diamond) -> str:
    return str(person.ask("endpoint", "show", "campus")["state"])


def test_a_certificate_that_is_not_trusted_is_told_without_a_traceback(shared: Shared) -> None:
    address = {"DIAMOND_URL": shared.proxy.url, "DIAMOND_TOKEN": shared.service.token}
    done = Diamond(shared.person.home, shared.person.folder, address).call("tasks")
    assert done.returncode == 1
    assert "certificate" in done.stderr.lower() and "Traceback" not in done.stderr


def test_the_public_name_is_not_served_in_the_clear(shared: Shared) -> None:
    host = shared.proxy.url.removeprefix("https://")
    plain = Client(f"http://127.0.0.1:{shared.service.port}", shared.service.token)
    answer = plain.call("GET", "/tasks", headers={"Host": host})
    assert answer.status == 403
    assert "https" in answer.json["hint"]
