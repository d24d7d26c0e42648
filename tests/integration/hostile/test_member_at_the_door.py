"""Strangers and members at the ways in and out of the service. docs/security.md names each of these."""

from __future__ import annotations

import pytest

from diamond.service.sign_in.devices import network_of
from support.http import Client
from support.people import add_person, execute
from support.scene import Scene
from support.scripted_agent import ScriptedAgent
from support.service import RunningService


def ask_from(service: RunningService, address: str) -> int:
    headers = {"X-Forwarded-For": address}
    return Client(service.url).call("POST", "/sign-in/device", {}, headers).status


def test_twenty_addresses_do_not_keep_others_from_signing_in(service: RunningService) -> None:
    """All places are taken, as twenty addresses may take fifty each; written down, as asking takes long."""
    rows = ", ".join(
        f"('h{address}-{n}', 'C{address:02}{n:02}-X', 'waiting', 'x', '', '198.51.100.{address}', "
        f"{1e9 + n}, 9e9, '', '', '')"
        for address in range(20)
        for n in range(50)
    )
    columns = "hash, user_code, state, name, scopes, address, created, expires, maker, redirect, word_hash"
    execute(service, f"INSERT INTO device_codes ({columns}) VALUES {rows}")
    try:
        assert ask_from(service, "203.0.113.50") == 201
        assert ask_from(service, "198.51.100.7") == 413
    finally:
        execute(service, "DELETE FROM device_codes WHERE address LIKE '198.51.100.%'")


def test_the_many_addresses_of_one_customer_count_as_one() -> None:
    assert network_of("2001:db8::1") == network_of("2001:db8::ffff") != network_of("2001:db9::1")
    assert [network_of(one) for one in ("203.0.113.5", "")] == ["203.0.113.5", ""]


def test_mail_goes_only_to_a_verified_address(shared: RunningService) -> None:
    ada_id, ada = add_person(shared, "ada")
    execute(shared, f"UPDATE users SET email = 'ada@example.org' WHERE id = '{ada_id}'")

    def save(address: str) -> int:
        wanted = {"email": {"address": address, "events": ["succeeded"]}}
        return ada.call("PUT", "/me/notifications", wanted).status

    assert [save(one) for one in ("victim@example.org", "Ada@example.org")] == [400, 200]
    execute(shared, f"UPDATE users SET email = 'other@example.org' WHERE id = '{ada_id}'")
    tried = ada.post("/me/notifications/try", {"channel": "email"})
    assert tried["error"] == "Ada@example.org is not your verified address", "saved long ago"


@pytest.mark.parametrize("host", ["localhost.localdomain", "no-such-host.invalid", "ip6-localhost"])
def test_trying_a_webhook_tells_nothing_of_the_services_network(
    service: RunningService, host: str
) -> None:
    _, ada = add_person(service, "ada")
    ada.call("PUT", "/me/notifications", {"webhook": {"url": f"https://{host}/x", "events": []}})
    tried = ada.post("/me/notifications/try", {"channel": "webhook"})
    assert tried["error"] == f"{host} did not answer, or is not a public address"


def test_nothing_runs_again_where_a_restricted_project_no_longer_lets_it(
    service: RunningService,
) -> None:
    _, ada = add_person(service, "ada")
    added = ada.post("/endpoints", {"name": "own", "carrier": "local"})
    agent = ScriptedAgent(service.url, added["key"], epoch="door")
    agent.hello()
    scene = Scene(service, ada, agent, "own")
    project = ada.post("/projects", {"name": "secret-work"})["id"]
    spec = {"name": "x", "run": "true", "on": "own", "continue": {"on": ["exit-75"]}}
    [task] = ada.post("/jobs", {"spec": spec, "project": project})["tasks"]
    scene.tell("started", task["id"], task["attempt"], run=1)
    ada.call("PATCH", f"/projects/{project}", {"endpoints": []})
    for state in ("running", "ended"):
        refused = ada.call("POST", f"/tasks/{task['id']}/resume", {"attempts": 5})
        assert (refused.status, refused.json["code"]) == (409, "restricted"), state
        scene.tell("exited", task["id"], task["attempt"], run=1, exit_code=1)
        scene.tell("observed", task["id"], task["attempt"], status="ended", exit_code=1)
    refused = ada.call("POST", f"/tasks/{task['id']}/retry")
    assert (refused.status, refused.json["code"]) == (409, "restricted")
