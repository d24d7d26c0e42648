from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from diamond.service.access.principal import Role
from support.http import Client
from support.image_scene import ENVIRONMENT, built
from support.people import add_person, put_in_project
from support.scene import Scene
from support.scripted_agent import ScriptedAgent
from support.service import RunningService

_numbers = count(1)


@pytest.fixture(scope="module")
def service(first_sqlite: RunningService) -> RunningService:
    return first_sqlite


def new_person(service: RunningService, name: str) -> tuple[str, Scene]:
    """With a machine of her own."""
    person, client = add_person(service, name)
    machine = f"m{next(_numbers)}"
    added = client.post("/endpoints", {"name": machine, "carrier": "local"})
    agent = ScriptedAgent(service.url, added["key"])
    agent.hello()
    return person, Scene(service, client, agent, machine)


def new_image(scene: Scene) -> Any:
    number = next(_numbers)
    return built(scene, f"image-{number}", number, {**ENVIRONMENT, "test": f"echo {number}"})


def share(client: Client, path: str, with_kind: str, with_id: str = "") -> Any:
    return client.post(f"{path}/shares", {"with_kind": with_kind, "with_id": with_id})["items"]


def test_a_shared_image_is_seen_inside_and_not_where_it_lies(service: RunningService) -> None:
    _, ada = new_person(service, "ada")
    bob_id, bob = new_person(service, "bob")
    image = new_image(ada)
    path = f"/images/{image['id']}"
    assert bob.client.call("GET", path).status == 404
    assert share(ada.client, path, "person", bob_id)[0]["with_id"] == bob_id
    seen = bob.client.get(path)
    assert (seen["name"], seen["copies"], seen["uses"]) == (image["name"], [], 0)
    assert bob.client.call("GET", f"{path}/contents").status == 200
    assert [one["id"] for one in bob.client.get("/images?shared=true")["items"]] == [image["id"]]
    assert bob.client.get("/images")["items"] == []
    for method, rest in (("PATCH", ""), ("DELETE", ""), ("GET", "/uses"), ("GET", "/shares")):
        body = {"name": "mine"} if method == "PATCH" else None
        assert bob.client.call(method, path + rest, body).json["code"] == "role", (method, rest)
    gone = ada.client.call("DELETE", f"{path}/shares?with_kind=person&with_id={bob_id}")
    assert gone.status == 204
    assert bob.client.call("GET", path).status == 404


def test_who_uses_a_shared_image_gets_an_entry_of_her_own(service: RunningService) -> None:
    _, ada = new_person(service, "ada")
    bob_id, bob = new_person(service, "bob")
    project = ada.client.post("/projects", {"name": f"p{next(_numbers)}"})["id"]
    put_in_project(service, project, bob_id, Role.MEMBER)
    image = new_image(ada)
    share(ada.client, f"/images/{image['id']}", "project", project)
    task = bob.submit(environment=image["name"])
    assert task["phase"] in ("staging", "building") and task["awaits"]
    own = bob.client.get("/images")["items"]
    assert [(one["name"], one["owner"]) for one in own] == [(image["name"], bob_id)]
    assert own[0]["identity"] == image["identity"] and own[0]["id"] != image["id"]
    assert ada.client.get(f"/images/{image['id']}")["uses"] == 0


def test_a_shared_profile_tells_of_the_machine_and_nothing_of_its_owner(
    service: RunningService,
) -> None:
    _, ada = new_person(service, "ada")
    _, bob = new_person(service, "bob")
    facts = {
        "scheduler": {"value": {"name": "slurm", "version": "22"}},
        "partitions": {"value": [{"name": "gpu", "accounts": ["hers"], "max_nodes": 4}]},
        "accounts": {"value": [{"name": "hers"}]},
    }
    profile = {"version": 1, "facts": facts, "corrections": {}}
    assert ada.client.call("PUT", f"/endpoints/{ada.name}/profile", profile).status == 200
    assert bob.client.get("/profiles")["items"] == []
    share(ada.client, f"/endpoints/{ada.name}", "everyone")
    shown = bob.client.get("/profiles")["items"][0]
    assert "hers" not in str(shown) and "gpu" in str(shown)
    assert bob.client.call("GET", f"/endpoints/{ada.name}").status == 404
    added = bob.client.post("/endpoints", {"name": "there", "profile": shown["id"]})
    assert added["pairing_code"]
    known = added["endpoint"]["profile"]["facts"]
    assert known["partitions"]["value"][0]["max_nodes"] == 4 and "accounts" not in known
    assert bob.client.call("POST", "/endpoints", {"name": "x", "profile": "e0"}).status == 404


def test_a_colleague_s_task_is_followed_live(service: RunningService) -> None:
    _, ada = new_person(service, "ada")
    bob_id, bob = new_person(service, "bob")
    project = ada.client.post("/projects", {"name": f"p{next(_numbers)}"})["id"]
    put_in_project(service, project, bob_id, Role.VIEWER)
    stream = bob.client.events()
    stream.until("ready")
    spec = {"name": "x", "run": "true", "on": ada.name}
    task = ada.client.post("/jobs", {"spec": spec, "project": project})["tasks"][0]["id"]
    stream.until("task", id=task, state="preparing")
    ada.client.post(f"/tasks/{task}/cancel")
    stream.until("task", id=task, state="cancelled")
    stream.close()


def test_a_task_shared_with_me_is_watched_live(service: RunningService) -> None:
    _, ada = new_person(service, "ada")
    bob_id, bob = new_person(service, "bob")
    task = ada.submit()
    assert bob.client.call("GET", f"/events?watch={task['id']}").status == 404
    share(ada.client, f"/jobs/{task['job']}", "person", bob_id)
    stream = bob.client.events(f"?watch={task['id']}")
    stream.until("ready")
    ada.client.post(f"/tasks/{task['id']}/cancel")
    stream.until("task", id=task["id"], state="cancelled")
    stream.close()


def test_others_run_through_a_community_account_and_each_job_names_its_person(
    service: RunningService,
) -> None:
    _, ada = new_person(service, "ada")
    bob_id, bob = new_person(service, "bob")
    spec = {"name": "x", "run": "true", "on": ada.name}
    share(ada.client, f"/endpoints/{ada.name}", "person", bob_id)
    assert bob.client.call("POST", "/jobs", {"spec": spec}).json["code"] == "invalid-spec"
    ada.agent.hello(policy={"egress": "all", "lease_until": None, "community": True})
    seen = {one["name"]: one["community"] for one in bob.client.get("/profiles")["items"]}
    assert seen[ada.name]
    task = bob.client.post("/jobs", {"spec": spec})["tasks"][0]
    assert task["owner"] == bob_id
    told = ada.agent.commands(wait=5)["commands"][0]
    assert (told["task_json"]["person"]["id"], told["by"]["user"]) == (bob_id, bob_id)
    stream = bob.client.events()
    stream.until("ready")
    about = {"task": task["id"], "attempt": task["attempt"], "run": 1}
    ada.agent.tell({"type": "started", **about, "node": "n1"})
    stream.until("task", id=task["id"], state="running")
    stream.close()
    ada.agent.tell({"type": "exited", **about, "exit_code": 0})
    assert bob.client.get(f"/tasks/{task['id']}")["state"] == "succeeded"
    assert ada.client.call("GET", f"/tasks/{task['id']}").status == 404
    assert bob.client.get("/me/usage")["use"]["tasks"] == 1
    secret = {"spec": {**spec, "secrets": ["HF_TOKEN"]}}
    assert bob.client.call("POST", "/jobs", secret).json["code"] == "invalid-spec"
    ada.client.call("DELETE", f"/endpoints/{ada.name}/shares?with_kind=person&with_id={bob_id}")
    assert bob.client.call("POST", f"/tasks/{task['id']}/retry").status == 409
    assert bob.client.call("POST", "/jobs", {"spec": spec}).json["code"] == "invalid-spec"


def test_a_community_account_gives_back_tasks_only_to_those_who_may_use_it(
    service: RunningService,
) -> None:
    """After a restore the machine says whose a task was: it could name anybody."""
    _, ada = new_person(service, "ada")
    bob_id, bob = new_person(service, "bob")
    carol_id, carol = new_person(service, "carol")
    share(ada.client, f"/endpoints/{ada.name}", "person", bob_id)
    ada.agent.hello(policy={"egress": "all", "lease_until": None, "community": True})
    order = ada.submit()["order"]
    for place, person in enumerate((bob_id, carol_id)):
        task = f"tgiven234567{place}{ada.name[-4:]}"
        facts = {
            "version": 1,
            "task": task,
            "job": task.replace("t", "j", 1),
            "name": "x",
            "order": order,
            "person": {"id": person, "name": "x"},
        }
        attempts = [{"attempt": task.replace("t", "a", 1), "number": 1}]
        ada.agent.good("adopt", {"task_json": facts, "attempts": attempts})
    assert [one["id"][:13] for one in bob.client.get("/tasks")["items"]] == ["tgiven2345670"]
    assert carol.client.get("/tasks")["items"] == []
