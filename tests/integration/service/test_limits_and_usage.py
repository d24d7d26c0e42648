from __future__ import annotations

import csv
import io
from itertools import count
from typing import Any

import pytest

from diamond.core.order import order_from
from diamond.service.access.principal import Role
from support.http import Client
from support.people import add_person, execute, put_in_project
from support.scripted_agent import ScriptedAgent
from support.service import RunningService

_numbers = count(1)
NO_LIMITS = {"node_hours": None, "running_tasks": None, "storage_bytes": None}


@pytest.fixture(scope="module")
def service(first_sqlite: RunningService) -> RunningService:
    return first_sqlite


@pytest.fixture
def admin(service: RunningService) -> Client:
    return add_person(service, "root", is_admin=True)[1]


def new_machine(person: Client) -> tuple[str, ScriptedAgent]:
    name = f"m{next(_numbers)}"
    added = person.post("/endpoints", {"name": name, "carrier": "local"})
    agent = ScriptedAgent(person.url, added["key"])
    agent.hello()
    return name, agent


def spec_on(name: str, hours: int = 1) -> dict[str, Any]:
    return {"name": "x", "run": "true", "on": name, "resources": {"walltime": f"{hours}h"}}


def run(person: Client, name: str, *, hours: int = 1, project: str = "") -> Any:
    body = {"spec": spec_on(name, hours), "project": project}
    return person.call("POST", "/jobs", body)


def finish(agent: ScriptedAgent, task: Any, *, hours: float) -> None:
    """As if the program had run for so long."""
    about = {"task": task["id"], "attempt": task["attempt"], "run": 1}
    ended = agent.now
    agent.tell(
        {"type": "submitted", **about, "native_id": "1", "at": ended - 3600 * hours},
        {"type": "started", **about, "node": "n1", "at": ended - 3600 * hours},
        {"type": "exited", **about, "exit_code": 0, "at": ended},
    )


def test_node_hours_are_counted_and_the_limit_holds_before_anything_is_made(
    service: RunningService, admin: Client
) -> None:
    ada_id, ada = add_person(service, "ada")
    name, agent = new_machine(ada)
    admin.call("PUT", f"/users/{ada_id}/limits", {"node_hours": 4})
    first = run(ada, name, hours=2).json["tasks"][0]
    refused = run(ada, name, hours=3)
    assert (refused.status, refused.json["code"]) == (409, "over-limit")
    assert "4 node-hours" in refused.json["title"] and "this one 3" in refused.json["title"]
    finish(agent, first, hours=0.5)
    use = ada.get("/me/usage")["use"]
    assert use["node_hours"] == pytest.approx(0.5, abs=0.01)
    assert (use["node_hours_committed"], use["tasks"], use["running_tasks"]) == (0.0, 1, 0)
    assert run(ada, name, hours=3).status == 201
    assert ada.get("/me/usage")["use"]["node_hours_committed"] == 3.0
    assert len(ada.get("/tasks")["items"]) == 2


def test_everybody_s_limit_holds_for_who_has_none_of_her_own(
    service: RunningService, admin: Client
) -> None:
    ada_id, ada = add_person(service, "ada")
    name, _ = new_machine(ada)
    try:
        admin.call("PUT", "/limits", {"running_tasks": 1})
        assert run(ada, name).status == 201
        assert run(ada, name).json["code"] == "over-limit"
        admin.call("PUT", f"/users/{ada_id}/limits", {"running_tasks": 2})
        assert run(ada, name).status == 201
        assert ada.get("/me/usage")["limits"]["running_tasks"] == 2
    finally:
        admin.call("PUT", "/limits", {})
    assert admin.get("/limits") == NO_LIMITS


def test_a_project_has_a_limit_in_all_and_one_for_each_member(
    service: RunningService, admin: Client
) -> None:
    _, ada = add_person(service, "ada")
    bob_id, bob = add_person(service, "bob")
    project = ada.post("/projects", {"name": f"p{next(_numbers)}"})["id"]
    put_in_project(service, project, bob_id, Role.MEMBER)
    assert bob.call("PUT", f"/projects/{project}/limits", {}).json["code"] == "role"
    ada.call("PUT", f"/projects/{project}/limits", {"running_tasks": 1})
    admin.call("PUT", f"/limits/projects/{project}", {"node_hours": 3})
    assert bob.get(f"/projects/{project}/limits")["total"]["node_hours"] == 3
    (hers, _), (his, _) = new_machine(ada), new_machine(bob)
    assert run(bob, his, project=project).status == 201
    assert "in this project" in run(bob, his, project=project).json["title"]
    assert run(bob, his).status == 201
    assert "of the project" in run(ada, hers, hours=3, project=project).json["title"]
    used = ada.get(f"/projects/{project}/usage")
    assert used["use"]["running_tasks"] == 1
    assert {one["id"]: one["use"]["tasks"] for one in used["items"]}[bob_id] == 1


def test_results_that_hold_too_much_stop_new_work_until_there_is_room(
    service: RunningService, admin: Client
) -> None:
    ada_id, ada = add_person(service, "ada")
    name, _ = new_machine(ada)
    task = run(ada, name).json["tasks"][0]["id"]
    execute(service, f"UPDATE tasks SET bytes = 5000 WHERE id = '{task}'")
    admin.call("PUT", f"/users/{ada_id}/limits", {"storage_bytes": 4000})
    assert "storage" in run(ada, name).json["title"]
    execute(service, f"UPDATE tasks SET bytes = 0 WHERE id = '{task}'")
    assert run(ada, name).status == 201


def test_a_retry_is_held_against_the_limit_too(service: RunningService, admin: Client) -> None:
    ada_id, ada = add_person(service, "ada")
    name, _ = new_machine(ada)
    task = run(ada, name).json["tasks"][0]["id"]
    ada.post(f"/tasks/{task}/cancel")
    admin.call("PUT", f"/users/{ada_id}/limits", {"running_tasks": 0})
    assert ada.call("POST", f"/tasks/{task}/retry").json["code"] == "over-limit"


def test_usage_is_exported_by_person_project_and_endpoint(
    service: RunningService, admin: Client
) -> None:
    ada_id, ada = add_person(service, "=ada")
    name, agent = new_machine(ada)
    finish(agent, run(ada, name).json["tasks"][0], hours=0.25)
    text = admin.call("GET", "/usage/export").body.decode()
    line = next(one for one in csv.DictReader(io.StringIO(text)) if one["person"] == ada_id)
    assert line["endpoint"] == name and float(line["node_hours"]) == pytest.approx(0.25, abs=0.01)
    assert line["name"].startswith("'=")
    by_person = {one["id"]: one for one in admin.get("/usage")["items"]}
    assert by_person[ada_id]["use"]["tasks"] == 1
    assert admin.get("/usage?until=1")["items"][0]["use"]["tasks"] == 0
    assert ada.call("GET", "/usage").status == 403


def test_an_administrator_sees_a_person_and_ends_one_of_her_browsers(
    service: RunningService, admin: Client
) -> None:
    ada_id, ada = add_person(service, "ada")
    project = ada.post("/projects", {"name": f"p{next(_numbers)}"})["id"]
    link = ada.post("/open")["url"]
    Client(service.url).call("GET", "/" + link.removeprefix(service.url))
    shown = admin.get(f"/users/{ada_id}")
    assert [one["id"] for one in shown["projects"]] == [project]
    assert (shown["sessions"], shown["tokens"], shown["own_limits"]) == (1, 1, False)
    session = admin.get(f"/users/{ada_id}/sessions")["items"][0]["id"]
    assert admin.call("DELETE", f"/users/{ada_id}/sessions/{session}").status == 204
    assert admin.call("DELETE", f"/users/{ada_id}/sessions/{session}").status == 404
    assert admin.get(f"/users/{ada_id}")["sessions"] == 0


def test_an_announcement_reaches_every_page_at_once(service: RunningService, admin: Client) -> None:
    _, ada = add_person(service, "ada")
    stream = ada.events()
    made = admin.post("/announcements", {"text": "Maintenance at noon", "level": "warning"})
    stream.until("changed", what="announcements")
    stream.close()
    assert [one["text"] for one in ada.get("/announcements")["items"]] == ["Maintenance at noon"]
    over = {"text": "It was at noon", "ends": 2.0}
    assert admin.call("PUT", f"/announcements/{made['id']}", over).status == 200
    assert ada.get("/announcements")["items"] == []
    assert admin.get("/announcements/all")["items"][0]["text"] == "It was at noon"
    assert admin.call("DELETE", f"/announcements/{made['id']}").status == 204
    assert ada.call("POST", "/announcements", {"text": "mine"}).status == 403


def test_what_is_signed_runs_just_so_or_not_at_all(service: RunningService) -> None:
    _, ada = add_person(service, "ada")
    name, agent = new_machine(ada)
    body = {"spec": spec_on(name)}
    order = ada.post("/jobs/check", body)["order"]
    digest = order_from(order).digest
    seal = {"version": 2, "digest": digest, "until": 2e9, "signature": "SSH"}
    wrong = ada.call("POST", "/jobs", {**body, "signature": {**seal, "digest": "sha256:0"}})
    assert (wrong.status, wrong.json["code"]) == (409, "signature")
    assert ada.get("/tasks")["items"] == []
    task = ada.post("/jobs", {**body, "signature": seal})["tasks"][0]
    told = agent.commands(wait=5)["commands"][0]["task_json"]
    assert told["signature"] == seal and "signature" not in str(task)
    assert order_from(told["order"]).digest == seal["digest"]
    agent.hello(policy={"egress": "all", "lease_until": None, "require_signed": True})
    finish(agent, task, hours=0.1)
    assert ada.call("POST", f"/tasks/{task['id']}/retry").json["code"] == "signature"
