from __future__ import annotations

import sqlite3
import time
from typing import Any

import pytest

from support.http import Client
from support.scene import Scene, new_scene
from support.scripted_agent import ScriptedAgent
from support.service import RunningService

MACHINE = {"host": "login1", "user": "ada", "agent_version": "0.1.0", "python": "3.9"}


@pytest.fixture
def scene(service: RunningService) -> Scene:
    return new_scene(service)


def pair(service: RunningService, code: str) -> Any:
    return Client(service.url).call("POST", "/sync/pair", {"code": code, **MACHINE})


def test_a_machine_pairs_once_and_waits_for_its_owner(service: RunningService) -> None:
    added = service.client.post("/endpoints", {"name": "delta", "carrier": "https"})
    code = added["pairing_code"]
    assert len(code) >= 22
    assert code not in added["line"]
    assert added["endpoint"]["state"] == "pairing"
    paired = pair(service, code).json
    assert pair(service, code).json["code"] == "bad-pairing-code"
    agent = ScriptedAgent(service.url, paired["key"])
    waiting = agent.call("hello", {"epoch": "e"})
    assert (waiting.status, waiting.json["code"]) == (403, "awaiting-confirmation")
    assert waiting.json["retryable"]
    seen = service.client.get("/endpoints/delta")
    assert (seen["state"], seen["host"], seen["user"]) == ("confirming", "login1", "ada")
    service.client.post("/endpoints/delta/confirm", {"accept": True})
    agent.hello()
    assert service.client.get("/endpoints/delta")["state"] == "online"
    assert "login1" in service.client.get("/endpoints/delta")["revive"]
    assert service.client.call("DELETE", "/endpoints/delta").status == 204


def test_an_owner_who_does_not_know_the_machine_ends_its_key(service: RunningService) -> None:
    added = service.client.post("/endpoints", {"name": "strange", "carrier": "https"})
    key = pair(service, added["pairing_code"]).json["key"]
    refused = service.client.post("/endpoints/strange/confirm", {"accept": False})
    assert (refused["state"], refused["host"]) == ("pairing", "")
    assert ScriptedAgent(service.url, key).call("hello", {}).status == 401
    fresh = service.client.post("/endpoints/strange/pairing")["pairing_code"]
    assert pair(service, fresh).status == 200


def test_a_new_key_ends_the_older_one(scene: Scene) -> None:
    fresh = scene.client.post(f"/endpoints/{scene.name}/key")["key"]
    assert scene.agent.call("hello", {}).status == 401
    ScriptedAgent(scene.agent.url, fresh).hello()


def test_a_key_opens_its_own_calls_only(scene: Scene) -> None:
    assert Client(scene.agent.url, scene.agent.key).call("GET", "/tasks").status == 401
    assert ScriptedAgent(scene.agent.url, scene.service.token).call("hello", {}).status == 401


def test_an_ssh_endpoint_needs_a_sign_in_when_its_bridge_closes(service: RunningService) -> None:
    scene = new_scene(service, carrier="ssh")
    assert scene.client.get(f"/endpoints/{scene.name}")["state"] == "online"
    away = scene.client.post(f"/endpoints/{scene.name}/away")
    assert away["state"] == "sign-in"
    assert away["revive"] == f"diamond endpoint connect {scene.name}"
    task = scene.submit()
    assert task["state"] == "preparing"


def test_corrections_win_over_what_was_probed(scene: Scene) -> None:
    fact = {"value": 8, "source": "nproc", "at": 1.0}
    scene.agent.good("profile", {"version": 1, "probed_at": 1.0, "facts": {"cores": fact}})
    path = f"/endpoints/{scene.name}"
    changed = scene.client.call("PATCH", path, {"corrections": {"cores": 4}}).json
    assert changed["profile"]["facts"]["cores"]["value"] == 8
    assert changed["profile"]["corrections"]["cores"]["value"] == 4
    assert changed["profile"]["values"] == {"cores": 4}
    exported = scene.client.get(f"{path}/profile")
    assert scene.client.call("PUT", f"{path}/profile", exported).json == exported
    scene.client.call("PATCH", path, {"retention": {"older_than_days": 30}})
    for told in (scene.agent.commands(), scene.agent.hello()):
        assert told["settings"]["corrections"] == {"cores": 4}
        assert told["settings"]["retention"]["older_than_days"] == 30
    cleared = scene.client.call("PATCH", path, {"corrections": {"cores": None}}).json
    assert cleared["profile"]["corrections"] == {}


def test_an_endpoint_is_renamed_with_its_tasks_and_kept_while_they_are_open(scene: Scene) -> None:
    task = scene.submit()["id"]
    path = f"/endpoints/{scene.name}"
    assert scene.client.call("DELETE", path).status == 409
    scene.client.call("PATCH", path, {"name": f"{scene.name}-new"})
    assert scene.task(task)["endpoint"] == f"{scene.name}-new"
    assert scene.client.call("GET", path).status == 404


def test_names_are_plain_and_taken_once(scene: Scene) -> None:
    bad = ["", "a b", "a'b", "a\nb", "$(x)", "-x", "x" * 80, "ü"]
    answers = [scene.client.call("POST", "/endpoints", {"name": name}).status for name in bad]
    assert answers == [422] * len(bad)
    again = scene.client.call("POST", "/endpoints", {"name": scene.name})
    assert (again.status, again.json["code"]) == (409, "conflict")


def test_a_probe_is_a_durable_command(scene: Scene) -> None:
    answer = scene.client.call("POST", f"/endpoints/{scene.name}/probe", {"compute": True})
    assert answer.status == 202
    command = scene.agent.commands()["commands"][0]
    assert (command["type"], command["compute"]) == ("probe", True)


def test_agents_on_one_cluster_share_its_questions(service: RunningService) -> None:
    scenes = [new_scene(service) for _ in range(4)]
    cluster = {"cluster": {"value": f"c-{scenes[0].name}", "source": "scontrol", "at": 1.0}}
    for scene in scenes:
        scene.agent.good("profile", {"version": 1, "facts": cluster})
    shares = [scene.agent.commands()["status_questions_per_minute"] for scene in scenes]
    assert shares == [1.5] * 4
    for scene in scenes[1:]:
        scene.client.post(f"/endpoints/{scene.name}/away")
    assert scenes[0].agent.commands()["status_questions_per_minute"] == 4.0


def test_a_pairing_code_is_good_for_ten_minutes_and_no_longer(service: RunningService) -> None:
    database = service.home / "diamond.db"
    if not database.exists():
        pytest.skip("its end is brought nearer in the SQLite file")
    begun = time.time()
    code = service.client.post("/endpoints", {"name": "waited"})["pairing_code"]
    with sqlite3.connect(database) as connection:
        ends = connection.execute(
            "SELECT pairing_expires FROM endpoints WHERE name = 'waited'"
        ).fetchone()[0]
        assert 600 <= ends - begun < 630
        connection.execute(
            "UPDATE endpoints SET pairing_expires = ? WHERE name = 'waited'", (begun,)
        )
    refused = pair(service, code)
    assert (refused.status, refused.json["code"]) == (400, "bad-pairing-code")
    fresh = service.client.post("/endpoints/waited/pairing")["pairing_code"]
    assert pair(service, fresh).status == 200


def test_no_secret_lies_in_the_database(service: RunningService) -> None:
    database = service.home / "diamond.db"
    if not database.exists():
        pytest.skip("looked for in the SQLite file")
    key = service.client.post(
        "/endpoints", {"name": "keyed", "carrier": "ssh"}, **{"Idempotency-Key": "k1"}
    )["key"]
    code = service.client.post("/endpoints", {"name": "coded"})["pairing_code"]
    with sqlite3.connect(database) as connection:
        dump = "\n".join(connection.iterdump())
    for secret in (key, code, service.token):
        assert secret not in dump


def test_a_key_or_code_asked_for_again_is_a_fresh_one_also_under_the_same_idempotency_key(
    service: RunningService,
) -> None:
    once = {"Idempotency-Key": "the-same"}
    for carrier, path, field in (("ssh", "key", "key"), ("https", "pairing", "pairing_code")):
        name = f"again-{carrier}"
        service.client.post("/endpoints", {"name": name, "carrier": carrier})
        made = {service.client.post(f"/endpoints/{name}/{path}", **once)[field] for _ in range(2)}
        assert len(made) == 2


def test_what_is_free_becomes_a_history_of_how_busy_it_was(scene: Scene) -> None:
    def report(idle: int) -> None:
        free = {"gpu": {"nodes_idle": 1, "nodes_total": 4, "gpus_idle": idle, "pending": 6}}
        partitions = [{"name": "gpu", "nodes_total": 4, "gpus_per_node": {"a100": 4}}]
        facts = {
            name: {"value": value, "source": "sinfo", "at": time.time()}
            for name, value in (("free", free), ("partitions", partitions))
        }
        scene.agent.good("profile", {"probed_at": time.time(), "facts": facts})

    report(16)
    report(0)
    task, attempt = scene.taken()
    scene.tell("started", task, attempt, run=1, node="n1")
    load = scene.client.get(f"/endpoints/{scene.name}/load")
    (partition,) = load["partitions"]
    assert partition["name"] == "gpu"
    assert sum(hour["busy"] for hour in partition["hours"]) in (0.5, 1.0)  # 1.0: a new hour began
    assert partition["hours"][-1]["pending"] == 6
    assert load["used"][-1]["tasks"] == 1
