from __future__ import annotations

import time
from itertools import count
from typing import Any

import pytest

from diamond.service.access.principal import Role
from support.http import Client
from support.people import add_person, execute, put_in_project
from support.scripted_agent import ScriptedAgent
from support.service import RunningService

_numbers = count(1)
SPEC = {"name": "homework", "run": "true", "account": "auto"}


@pytest.fixture(scope="module")
def service(first_sqlite: RunningService) -> RunningService:
    return first_sqlite


class Course:
    """A lecturer with a course of one assignment, and students as they come."""

    def __init__(self, service: RunningService, **terms: Any) -> None:
        self.service = service
        _, self.lecturer = add_person(service, "lecturer")
        self.id = self.lecturer.post("/projects", {"name": f"c{next(_numbers)}"})["id"]
        self.put("/course", terms)
        self.lecturer.post(f"/projects/{self.id}/assignments", {"name": "one", "spec": SPEC})

    def put(self, path: str, body: Any) -> Any:
        answer = self.lecturer.call("PUT", f"/projects/{self.id}{path}", body)
        assert answer.status == 200, answer.body
        return answer.json

    def student(self, name: str) -> tuple[str, Client, ScriptedAgent]:
        person, client = add_person(self.service, name)
        put_in_project(self.service, self.id, person, Role.MEMBER)
        added = client.post("/endpoints", {"name": "own", "carrier": "local"})
        agent = ScriptedAgent(self.service.url, added["key"])
        agent.hello()
        return person, client, agent

    def run(self, student: Client, **body: Any) -> Any:
        return student.call("POST", f"/projects/{self.id}/assignments/one/run", body)


def test_an_assignment_is_copied_in_one_click_with_the_course_s_account(
    service: RunningService,
) -> None:
    course = Course(service, account="class-2026", reservation="monday")
    ada_id, ada, _ = course.student("ada")
    made = course.run(ada).json
    placement = made["tasks"][0]["order"]["placement"]
    assert (placement["account"], placement["reservation"]) == ("class-2026", "monday")
    job = ada.get(f"/jobs/{made['job']['id']}")
    assert (job["owner"], job["project"]) == (ada_id, course.id)
    other = ada.post("/jobs", {"spec": {**SPEC, "account": "other"}, "project": course.id})
    assert other["tasks"][0]["order"]["placement"]["account"] == "class-2026"


def test_students_see_neither_one_another_nor_one_another_s_work(service: RunningService) -> None:
    course = Course(service)
    ada_id, ada, _ = course.student("ada")
    _, bob, _ = course.student("bob")
    task = course.run(ada).json["tasks"][0]["id"]
    assert bob.call("GET", f"/tasks/{task}").status == 404
    assert bob.get(f"/tasks?project={course.id}")["items"] == []
    assert [one["id"] for one in ada.get(f"/tasks?project={course.id}")["items"]] == [task]
    assert course.lecturer.get(f"/tasks/{task}")["owner"] == ada_id
    seen = {one["id"] for one in bob.get(f"/projects/{course.id}")["members"]}
    assert ada_id not in seen and len(seen) == 2
    assert bob.call("GET", f"/projects/{course.id}/table").json["code"] == "role"


def test_the_lecturer_has_one_table_of_everyone_s_state_and_last_error(
    service: RunningService,
) -> None:
    course = Course(service)
    ada_id, ada, agent = course.student("ada")
    bob_id, _, _ = course.student("bob")
    task = course.run(ada).json["tasks"][0]
    about = {"task": task["id"], "attempt": task["attempt"]}
    agent.tell({"type": "prepare-failed", **about, "reason": "environment", "message": "no torch"})
    course.run(ada)
    table = course.lecturer.get(f"/projects/{course.id}/table")
    lines = {one["id"]: one for one in table["items"]}
    assert table["assignments"] == ["one"]
    cell = lines[ada_id]["cells"][0]
    assert (cell["tries"], cell["state"], cell["is_late"]) == (2, "preparing", False)
    assert "no torch" in lines[ada_id]["last_error"]
    assert lines[ada_id]["use"]["running_tasks"] == 1
    assert (lines[bob_id]["cells"], lines[bob_id]["last_error"]) == ([], "")


def test_a_roster_adds_who_is_known_and_invites_the_others(service: RunningService) -> None:
    course = Course(service)
    ada_id, _ = add_person(service, "ada")
    execute(service, f"UPDATE users SET email = 'ada@x.edu' WHERE id = '{ada_id}'")
    roster = "Name;E-Mail\nAda;Ada@x.edu\nBob;bob@x.edu\n\nCarol;none\nBob again;bob@x.edu\n"
    path = f"/projects/{course.id}/roster"
    taken = course.lecturer.post(path, {"csv": roster})
    assert [one["id"] for one in taken["added"]] == [ada_id]
    assert [one["email"] for one in taken["invited"]] == ["bob@x.edu"]
    assert "/?invitation=" in taken["invited"][0]["url"]
    assert [one["line"] for one in taken["faults"]] == [5]
    broken = course.lecturer.call("POST", path, {"csv": "a,b\r0\x00" + '"' + "x" * 200_000})
    assert broken.status in (200, 400)
    again = course.lecturer.post(path, {"csv": roster})
    assert (again["added"], again["invited"], len(again["known"])) == ([], [], 2)
    items = course.lecturer.get(f"/projects/{course.id}/table")["items"]
    assert [one["email"] for one in items if one["role"] == "invited"] == ["bob@x.edu"]


def test_a_course_takes_no_work_before_it_begins_or_after_its_end(service: RunningService) -> None:
    course = Course(service, starts=time.time() + 3600)
    _, ada, _ = course.student("ada")
    assert course.run(ada).json["code"] == "course-closed"
    course.put("/course", {"starts": 1.0, "ends": time.time() + 3600})
    task = course.run(ada).json["tasks"][0]["id"]
    ada.post(f"/tasks/{task}/cancel")
    course.put("/course", {"starts": 1.0, "ends": 2.0})
    assert course.run(ada).json["code"] == "course-closed"
    assert ada.call("POST", f"/tasks/{task}/retry").json["code"] == "course-closed"
    wrong = course.lecturer.call("PUT", f"/projects/{course.id}/course", {"starts": 2, "ends": 1})
    assert wrong.status == 400


def test_a_cap_for_each_student_is_checked_before_submit(service: RunningService) -> None:
    course = Course(service)
    _, ada, _ = course.student("ada")
    _, bob, _ = course.student("bob")
    course.put("/limits", {"running_tasks": 1})
    assert course.run(ada).status == 201
    assert course.run(ada).json["code"] == "over-limit"
    assert course.run(bob).status == 201


def test_a_restricted_project_runs_only_where_it_is_listed_and_stores_no_code(
    service: RunningService,
) -> None:
    course = Course(service)
    _, ada, _ = course.student("ada")
    path = f"/projects/{course.id}"
    assert course.lecturer.call("PATCH", path, {"endpoints": ["nowhere"]}).status == 404
    assert course.lecturer.call("PATCH", path, {"endpoints": []}).status == 200
    assert course.run(ada).json["code"] == "restricted"
    endpoint = ada.get("/endpoints/own")["id"]
    course.lecturer.call("PATCH", path, {"endpoints": [endpoint]})
    assert course.run(ada).status == 201
    sent = {"snapshot": "sha256:" + "0" * 64}
    refused = ada.call("POST", "/jobs", {"spec": SPEC, "code": sent, "project": course.id})
    assert (refused.status, refused.json["code"]) == (422, "restricted")
    assert ada.call("POST", "/jobs", {"spec": SPEC, "code": sent}).json["code"] == "invalid-spec"
    laid = {**SPEC, "environment": {"base": "debian", "files": [{"from": "x", "to": "/x"}]}}
    refused = ada.call("POST", "/jobs", {"spec": laid, "project": course.id})
    assert [one["field"] for one in refused.json["faults"]] == ["environment.files"]
    assert "environment.commands" in refused.json["hint"]
    given = {"name": "two", "spec": laid}
    refused = course.lecturer.call("POST", f"/projects/{course.id}/assignments", given)
    assert (refused.status, refused.json["code"]) == (422, "restricted")
    for path in ("/blobs", "/snapshots"):
        blob = ada.call("POST", f"{path}?project={course.id}", b"never read")
        assert (blob.status, blob.json["code"]) == (422, "restricted")
        assert "repository" in blob.json["hint"]


def test_what_would_become_of_a_spec_is_told_for_the_project_it_goes_into(
    service: RunningService,
) -> None:
    course = Course(service, account="class-2026")
    _, ada, _ = course.student("ada")
    ada.post("/endpoints", {"name": "other", "carrier": "local"})
    body = {"spec": {**SPEC, "on": "own"}, "project": course.id}
    assert ada.post("/jobs/compose", body)["order"]["placement"]["account"] == "class-2026"
    listed = [ada.get("/endpoints/own")["id"]]
    course.lecturer.call("PATCH", f"/projects/{course.id}", {"endpoints": listed})
    told = ada.post("/jobs/compose", body)
    assert [one["name"] for one in told["choices"]["endpoints"]] == ["own"] and told["ok"]
    goal = {"steps": 10, "step_seconds": 1.0}
    assert ada.post("/plans", {**body, "goal": goal})["endpoint"] == "own"
    course.lecturer.call("PATCH", f"/projects/{course.id}", {"endpoints": []})
    told = ada.post("/jobs/compose", body)
    assert (told["ok"], told["faults"][0]["field"]) == (False, "project")
    assert ada.call("POST", "/plans", {**body, "goal": goal}).json["code"] == "restricted"


def test_a_student_neither_moves_her_work_out_of_the_course_nor_shows_it(
    service: RunningService,
) -> None:
    """Else her cap would be free again, and the course's account would go on paying."""
    course = Course(service)
    _, ada, _ = course.student("ada")
    bob_id, bob, _ = course.student("bob")
    job = course.run(ada).json["job"]["id"]
    for with_kind, with_id in (("person", bob_id), ("project", course.id), ("everyone", "")):
        body = {"with_kind": with_kind, "with_id": with_id}
        assert ada.call("POST", f"/jobs/{job}/shares", body).json["code"] == "bound"
    assert ada.call("PUT", f"/jobs/{job}/project", {"project": ""}).json["code"] == "bound"
    assert ada.call("DELETE", f"/projects/{course.id}/members/{ada.get('/me')['id']}").status == 204
    assert ada.call("PUT", f"/jobs/{job}/project", {"project": ""}).json["code"] == "bound"
    assert bob.call("GET", f"/jobs/{job}").status == 404


def test_work_stays_where_it_counts_against_a_limit_unless_a_manager_moves_it(
    service: RunningService,
) -> None:
    _, ada = add_person(service, "ada")
    bob_id, bob = add_person(service, "bob")
    project = ada.post("/projects", {"name": f"p{next(_numbers)}"})["id"]
    put_in_project(service, project, bob_id, Role.MEMBER)
    bob.post("/endpoints", {"name": "own", "carrier": "local"})
    job = bob.post("/jobs", {"spec": {**SPEC, "on": "own"}, "project": project})["job"]["id"]
    ada.call("PUT", f"/projects/{project}/limits", {"node_hours": 9})
    assert bob.call("PUT", f"/jobs/{job}/project", {"project": ""}).json["code"] == "bound"
    ada.call("PUT", f"/projects/{project}/members/{bob_id}", {"role": "manager"})
    assert bob.call("PUT", f"/jobs/{job}/project", {"project": ""}).status < 300


def test_a_restricted_project_takes_in_nothing_that_ran_elsewhere(service: RunningService) -> None:
    _, ada = add_person(service, "ada")
    for name in ("listed", "other"):
        ada.post("/endpoints", {"name": name, "carrier": "local"})
    project = ada.post("/projects", {"name": f"p{next(_numbers)}"})["id"]
    ada.call("PATCH", f"/projects/{project}", {"endpoints": ["listed"]})
    moved = {}
    for name in ("listed", "other"):
        job = ada.post("/jobs", {"spec": {**SPEC, "on": name}})["job"]["id"]
        moved[name] = ada.call("PUT", f"/jobs/{job}/project", {"project": project}).status
    assert (moved["listed"] < 300, moved["other"]) == (True, 409)


def test_shares_of_pipelines_end_when_a_project_becomes_a_course(service: RunningService) -> None:
    _, lecturer = add_person(service, "lecturer")
    project = lecturer.post("/projects", {"name": f"p{next(_numbers)}"})["id"]
    (bob_id, bob), (ada_id, ada) = add_person(service, "bob"), add_person(service, "ada")
    put_in_project(service, project, bob_id, Role.MEMBER)
    bob.post("/endpoints", {"name": "own", "carrier": "local"})
    spec = {"name": "p", "on": "own", "pipeline": {"only": {"run": "a"}}}
    path = f"/pipelines/{bob.post('/pipelines', {'spec': spec, 'project': project})['id']}"
    with_ada = {"with_kind": "person", "with_id": ada_id}
    bob.post(f"{path}/shares", with_ada)
    assert ada.call("GET", path).status == 200
    assert lecturer.call("PUT", f"/projects/{project}/course", {}).status == 200
    assert ada.call("GET", path).status == 404
    assert bob.call("POST", f"{path}/shares", with_ada).json["code"] == "bound"
