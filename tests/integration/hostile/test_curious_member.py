"""Members who want to see, or be let into, what is not theirs. docs/security.md names each of these."""

from __future__ import annotations

import json
from itertools import count
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from diamond.service.access.principal import Role
from support.http import Answer, Client
from support.people import add_person, execute, put_in_project
from support.scene import Scene
from support.scripted_agent import ScriptedAgent
from support.service import RunningService

_numbers = count(1)
FORM = "application/x-www-form-urlencoded"


def new_machine(service: RunningService, owner: Client, **policy: Any) -> Scene:
    name = f"c{next(_numbers)}"
    added = owner.post("/endpoints", {"name": name, "carrier": "local"})
    agent = ScriptedAgent(service.url, added["key"], epoch=name)
    agent.hello(policy={"egress": "all", "lease_until": None, **policy})
    return Scene(service, owner, agent, name)


@pytest.fixture
def scene(service: RunningService) -> Scene:
    return new_machine(service, add_person(service, "ada")[1])


def report_of_the_machine(request: dict[str, Any]) -> tuple[bytes, bool]:
    private = {"profile": {"accounts": ["grant-7"]}, "agent_log": "/home/ada", "new": "thing"}
    return json.dumps({"host": "login1", "attempts": [], **private}).encode(), True


def test_a_report_shows_a_viewer_the_task_and_nothing_of_the_machine(scene: Scene) -> None:
    accounts = [{"name": "public"}, {"name": "grant-7", "balance": 12}]
    facts = {"accounts": {"value": accounts}}
    scene.agent.good("profile", {"probed_at": 1.0, "facts": facts})
    task = scene.submit(account="public")
    bob_id, bob = add_person(scene.service, "bob")
    whom = {"with_kind": "person", "with_id": bob_id}
    scene.client.post(f"/jobs/{task['job']}/shares", whom)
    with scene.agent.answering(report_of_the_machine):
        seen = bob.get(f"/tasks/{task['id']}/report")
        own = scene.client.get(f"/tasks/{task['id']}/report")
    assert (seen["task"]["id"], seen["machine"]) == (task["id"], {"host": "login1", "attempts": []})
    assert "grant-7" not in json.dumps(seen) and "profile" not in seen["endpoint"]
    assert "grant-7" in json.dumps(own["endpoint"]) and own["machine"]["agent_log"] == "/home/ada"


def test_a_link_of_another_signs_nobody_in_unawares(shared: RunningService) -> None:
    """By an image on a foreign page, by a redirect, by a mail: a GET only asks."""
    _, mallory = add_person(shared, "mallory")
    link = urlsplit(mallory.post("/open")["url"])
    browser = Client(shared.url)
    seen = browser.call("GET", f"/{link.path}?{link.query}")
    assert (seen.status, "set-cookie" in seen.headers) == (200, False)
    assert b"Sign in as mallory" in seen.body
    assert seen.headers["referrer-policy"] == "same-origin"
    code = parse_qs(link.query)["code"][0]
    for headers in (
        {"Origin": "https://evil.example"},
        {"Origin": shared.url, "Sec-Fetch-Site": "cross-site"},
        {"Origin": "null"},
        {},
    ):
        foreign = confirm(browser, code, headers)
        assert (foreign.status, foreign.json["code"]) == (403, "bad-origin")
    signed_in = confirm(browser, code, {"Origin": shared.url, "Sec-Fetch-Site": "same-origin"})
    assert (signed_in.status, "set-cookie" in signed_in.headers) == (303, True)
    assert browser.call("GET", f"/{link.path}?{link.query}").status == 403


def confirm(browser: Client, code: str, headers: dict[str, str]) -> Answer:
    body = urlencode({"code": code}).encode()
    return browser.call("POST", "//open", body, {"Content-Type": FORM, **headers})


def test_a_name_that_is_an_address_is_nobody_s_address(service: RunningService) -> None:
    _, ada = add_person(service, "ada")
    bob = f"bob{next(_numbers)}@example.org"
    mallory_id, _ = add_person(service, "mallory")
    execute(service, f"UPDATE users SET name = '{bob}' WHERE id = '{mallory_id}'")
    project = ada.post("/projects", {"name": f"p{next(_numbers)}"})["id"]
    role = {"role": "member"}
    assert ada.call("PUT", f"/projects/{project}/members/{bob}", role).status == 404
    bob_id, _ = add_person(service, "bob")
    execute(service, f"UPDATE users SET email = '{bob}' WHERE id = '{bob_id}'")
    page = ada.call("PUT", f"/projects/{project}/members/{bob}", role).json
    people = {one["id"] for one in page["members"]}
    assert bob_id in people and mallory_id not in people


def test_nobody_s_job_goes_to_another_person_s_account_by_itself(service: RunningService) -> None:
    """A machine says itself that it is a community account, and its owner shares it with everyone."""
    mallory_id, mallory = add_person(service, "mallory")
    trap = new_machine(service, mallory, community=True)
    mallory.post(f"/endpoints/{trap.name}/shares", {"with_kind": "everyone"})
    _, newcomer = add_person(service, "newcomer")
    job = {"spec": {"name": "first", "run": "true"}}
    for call in ("/jobs", "/jobs/check"):
        refused = newcomer.call("POST", call, job)
        assert refused.json["code"] == "invalid-spec"
        assert trap.name in refused.json["faults"][0]["hint"]
    named = {"spec": {**job["spec"], "on": trap.name}}
    for warnings in (
        newcomer.post("/jobs/check", named)["warnings"],
        newcomer.post("/jobs/compose", named)["warnings"],
        newcomer.post("/jobs", named)["warnings"],
    ):
        assert any(f"the account of mallory {mallory_id}, who can read" in one for one in warnings)
    new_machine(service, newcomer)
    assert newcomer.post("/jobs", job)["tasks"][0]["endpoint"] != trap.name


def test_a_community_account_does_not_take_the_name_of_another(service: RunningService) -> None:
    _, site = add_person(service, "site")
    _, mallory = add_person(service, "mallory")
    good = new_machine(service, site, community=True)
    site.post(f"/endpoints/{good.name}/shares", {"with_kind": "everyone"})
    added = mallory.post("/endpoints", {"name": good.name, "carrier": "local"})
    agent = ScriptedAgent(service.url, added["key"], epoch="trap")
    agent.hello(policy={"egress": "all", "lease_until": None, "community": True})
    mallory.post(f"/endpoints/{good.name}/shares", {"with_kind": "everyone"})
    _, newcomer = add_person(service, "newcomer")
    task = newcomer.post("/jobs", {"spec": {"name": "x", "run": "true", "on": good.name}})
    assert [one["task"] for one in good.agent.commands(wait=5)["commands"]] == [
        task["tasks"][0]["id"]
    ]


def test_work_that_was_shared_is_no_longer_once_it_is_in_a_course(service: RunningService) -> None:
    _, lecturer = add_person(service, "lecturer")
    student_id, student = add_person(service, "student")
    fellow_id, fellow = add_person(service, "fellow")
    course = lecturer.post("/projects", {"name": f"course{next(_numbers)}"})["id"]
    for person in (student_id, fellow_id):
        put_in_project(service, course, person, Role.MEMBER)
    machine = new_machine(service, student)
    before, early = machine.submit(), machine.submit()
    for task in (before, early):
        student.post(f"/jobs/{task['job']}/shares", {"with_kind": "everyone"})
        assert fellow.call("GET", f"/tasks/{task['id']}").status == 200
    student.call("PUT", f"/jobs/{early['job']}/project", {"project": course})
    assert lecturer.call("PUT", f"/projects/{course}/course", {}).status == 200
    student.call("PUT", f"/jobs/{before['job']}/project", {"project": course})
    for task in (before, early):
        assert lecturer.call("GET", f"/tasks/{task['id']}").status == 200
        assert fellow.call("GET", f"/tasks/{task['id']}").status == 404


def test_a_token_in_the_url_of_a_repository_is_neither_stored_nor_repeated(scene: Scene) -> None:
    """Whoever sees a task sees its spec."""
    spec = {"name": "x", "run": "true", "on": scene.name}
    for field in (
        {"code": "https://ghp_s3cret@git.example.org/x.git@abc123"},
        {"environment": {"requirements": ["git+https://glpat-s3cret@git.example.org/x.git"]}},
    ):
        refused = scene.client.call("POST", "/jobs", {"spec": {**spec, **field}})
        assert (refused.status, refused.json["code"]) == (422, "invalid-spec")
        assert b"s3cret" not in refused.body
