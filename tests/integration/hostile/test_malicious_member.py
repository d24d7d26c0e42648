"""Members of one service who share images with each other, one of them with bad intent. docs/security.md names each of these."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from diamond.core.protocol import OLDEST
from support.http import Client
from support.image_scene import ENVIRONMENT, BuildReporter, record_of, start_build, take_commands
from support.people import add_person
from support.scene import Scene
from support.scripted_agent import ScriptedAgent
from support.service import RunningService

_numbers = count(1000)


def machine(service: RunningService, client: Client) -> Scene:
    name = f"h{next(_numbers)}"
    added = client.post("/endpoints", {"name": name, "carrier": "local"})
    agent = ScriptedAgent(service.url, added["key"], epoch=name)
    agent.hello()
    return Scene(service, client, agent, name)


class Pair:
    """Ada, who has two machines, and Mallory, who may say anything of his images."""

    def __init__(self, service: RunningService) -> None:
        self.ada_id, ada = add_person(service, f"ada{next(_numbers)}")
        _, mallory = add_person(service, f"mallory{next(_numbers)}")
        self.first, self.second = machine(service, ada), machine(service, ada)
        self.his = machine(service, mallory)
        self.number = next(_numbers)

    def built(self, scene: Scene, name: str, **record: Any) -> Any:
        environment = {**ENVIRONMENT, "test": f"echo {self.number}"}
        answer = start_build(scene, environment, name=name)
        take_commands(scene)
        told = record_of(self.number, **record)
        BuildReporter(scene, answer["build"]["task"]).succeeds(told, environment)
        return scene.client.get(f"/images/{name}")

    def shared(self, **record: Any) -> Any:
        image = self.built(self.his, f"his-{self.number}", **record)
        self.his.client.post(f"/images/{image['id']}/shares", {"with_kind": "everyone"})
        return image


@pytest.fixture
def pair(service: RunningService) -> Pair:
    return Pair(service)


def fetches(scene: Scene) -> list[str]:
    """Digests of the files that an endpoint is told to fetch."""
    commands = take_commands(scene)
    return [one["record"]["sha256"] for one in commands if one.get("act") == "fetch"]


def inventory(scene: Scene, *records: dict[str, Any]) -> None:
    scene.agent.good("images", {"items": list(records), "age": 0.0})


def test_my_own_image_takes_no_file_of_somebody_who_claims_its_recipe(pair: Pair) -> None:
    own = pair.built(pair.first, f"own-{pair.number}")
    pair.shared(sha256="e" * 64, size=1, variables={"BASH_ENV": "$(touch owned)"})
    pair.second.submit(environment=own["name"])
    assert fetches(pair.second) == [record_of(pair.number)["sha256"]]


def test_nor_when_my_own_file_is_gone(pair: Pair) -> None:
    """Then it is built again from my own recipe."""
    own = pair.built(pair.first, f"own-{pair.number}")
    pair.shared(sha256="e" * 64, size=1)
    pair.first.client.call("DELETE", f"/endpoints/{pair.first.name}")
    task = pair.second.submit(environment=own["name"])
    commands = take_commands(pair.second)
    assert [one.get("act") for one in commands] == [None]
    assert commands[0]["task_json"]["kind"] == "build" and task["awaits"]


def test_a_shared_image_that_i_chose_is_taken_by_the_digest_it_had_then(pair: Pair) -> None:
    his = pair.shared(sha256="a" * 64)
    pair.first.submit(environment=his["name"])
    assert fetches(pair.first) == ["a" * 64]
    inventory(pair.his, record_of(pair.number, sha256="e" * 64))
    pair.second.submit(environment=his["name"])
    assert fetches(pair.second) == []


def test_an_image_that_i_build_myself_is_mine_from_then_on(pair: Pair) -> None:
    his = pair.shared(sha256="a" * 64)
    pair.first.submit(environment=his["name"])
    take_commands(pair.first)
    pair.built(pair.first, f"own-{pair.number}", sha256="b" * 64)
    pair.second.submit(environment=f"own-{pair.number}")
    assert fetches(pair.second) == ["b" * 64]


def test_a_file_from_elsewhere_does_not_become_my_image_by_claiming_its_recipe(pair: Pair) -> None:
    own = pair.built(pair.first, f"own-{pair.number}")
    planted = record_of(pair.number, sha256="e" * 64, arrived=True)
    inventory(pair.second, planted)
    copies = pair.first.client.get(f"/images/{own['id']}")["copies"]
    assert {one["sha256"] for one in copies} == {record_of(pair.number)["sha256"]}


def test_a_pulled_image_does_not_replace_my_own_of_its_recipe(pair: Pair) -> None:
    own = pair.built(pair.first, f"own-{pair.number}")
    body = {"reference": "oras://registry.example/his:1", "endpoint": pair.second.name}
    pair.second.client.post("/images/pull", {**body, "name": f"pulled-{pair.number}"})
    [command] = take_commands(pair.second)
    record = record_of(pair.number, sha256="e" * 64, arrived=True)
    item = {"move": command["move"], "state": "done", "bytes": 1, "size": 1, "record": record}
    pair.second.agent.good("moves", {"items": [item]})
    seen = pair.first.client.get(f"/images/{own['id']}")
    assert {one["sha256"] for one in seen["copies"]} == {record_of(pair.number)["sha256"]}
    assert seen["name"] == own["name"]


def test_an_order_names_the_file_with_what_is_set_inside(pair: Pair) -> None:
    record = {"variables": {"GREETING": "x"}, "path": ["/opt/venv/bin"]}
    own = pair.built(pair.first, f"own-{pair.number}", **record)
    task = pair.first.submit(environment=own["name"])
    image = pair.first.task(task["id"])["order"]["image"]
    assert image == {
        "identity": own["identity"],
        "sha256": record_of(pair.number)["sha256"],
        "format": "squashfs",
        **record,
    }


def test_an_agent_older_than_the_fix_gets_no_new_work_and_the_way_to_upgrade(pair: Pair) -> None:
    scene = pair.first
    task, attempt = scene.taken()
    scene.agent.hello(protocol=OLDEST - 1)
    waiting = scene.submit()
    scene.client.post(f"/tasks/{task}/cancel")
    kinds = {one["type"] for one in scene.agent.commands()["commands"]}
    assert kinds == {"cancel"}
    shown = scene.client.get(f"/endpoints/{scene.name}")
    assert "too old" in shown["outdated"] and "Start it again" in shown["outdated"]
    scene.agent.hello()
    assert scene.client.get(f"/endpoints/{scene.name}")["outdated"] == ""
    told = scene.agent.commands()["commands"]
    assert waiting["id"] in [one["task"] for one in told if one["type"] == "submit"]
    assert attempt
