from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import DBAPIError

from diamond.service.access.principal import Role, Scope
from support.http import Client
from support.people import add_person, execute, put_in_project
from support.service import SOURCE, RunningService
from support.waiting import wait_for

_numbers = count(1)


@pytest.fixture
def ada(service: RunningService) -> Client:
    return add_person(service, "ada")[1]


def new_project(owner: Client) -> Any:
    return owner.post("/projects", {"name": f"p{next(_numbers)}"})


def new_job(owner: Client, project: str = "") -> Any:
    name = f"m{next(_numbers)}"
    owner.post("/endpoints", {"name": name, "carrier": "local"})
    body = {"spec": {"name": "x", "run": "true", "on": name}, "project": project}
    return owner.post("/jobs", body)


def test_members_see_the_work_of_their_project_and_nothing_else(
    service: RunningService, ada: Client
) -> None:
    project = new_project(ada)
    bob_id, bob = add_person(service, "bob")
    put_in_project(service, project["id"], bob_id, Role.VIEWER)
    inside, alone = new_job(ada, project["name"]), new_job(ada)
    listed = bob.get(f"/tasks?project={project['id']}")["items"]
    assert [one["id"] for one in listed] == [inside["tasks"][0]["id"]]
    assert bob.get(f"/tasks/counts?project={project['id']}")["total"] == 1
    assert bob.get(f"/jobs/{inside['job']['id']}")["project"] == project["id"]
    assert bob.call("GET", f"/jobs/{alone['job']['id']}").status == 404
    assert bob.get("/tasks")["items"] == []
    (others,) = bob.get("/tasks?whose=others")["items"]
    assert (others["id"], others["owner_name"]) == (listed[0]["id"], ada.get("/me")["name"])
    own = new_job(bob)["tasks"][0]["id"]
    assert [one["id"] for one in bob.get("/tasks?whose=all")["items"]] == [own, others["id"]]
    assert bob.get("/tasks/counts?whose=all")["total"] == 2
    assert bob.get("/tasks?whose=others&state=failed")["items"] == []


def test_a_viewer_adds_nothing_and_a_member_does(service: RunningService, ada: Client) -> None:
    project = new_project(ada)
    bob_id, bob = add_person(service, "bob")
    ada.call("PUT", f"/projects/{project['id']}/members/{bob_id}", {"role": "viewer"})
    bob.post("/endpoints", {"name": "mine", "carrier": "local"})
    body = {"spec": {"name": "x", "run": "true", "on": "mine"}, "project": project["name"]}
    assert bob.call("POST", "/jobs", body).json["code"] == "role"
    ada.call("PUT", f"/projects/{project['id']}/members/{bob_id}", {"role": "member"})
    made = bob.post("/jobs", body)
    assert ada.get(f"/tasks/{made['tasks'][0]['id']}")["owner"] == bob_id
    stopped = ada.post(f"/tasks/{made['tasks'][0]['id']}/cancel")
    assert stopped["state"] == "cancelled"


def test_who_leaves_loses_sight_and_the_project_keeps_her_work(
    service: RunningService, ada: Client
) -> None:
    project = new_project(ada)
    bob_id, bob = add_person(service, "bob")
    put_in_project(service, project["id"], bob_id, Role.MEMBER)
    hers, his = new_job(ada, project["id"]), new_job(bob, project["id"])
    assert bob.call("DELETE", f"/projects/{project['id']}/members/{bob_id}").status == 204
    assert bob.call("GET", f"/projects/{project['id']}").status == 404
    assert bob.call("GET", f"/jobs/{hers['job']['id']}").status == 404
    assert bob.get(f"/jobs/{his['job']['id']}")["owner"] == bob_id
    assert ada.get(f"/jobs/{his['job']['id']}")["owner"] == bob_id


def test_a_project_is_handed_over_and_never_without_an_owner(
    service: RunningService, ada: Client
) -> None:
    project = new_project(ada)["id"]
    bob_id, bob = add_person(service, "bob")
    me = ada.get("/me")["id"]
    assert ada.call("POST", f"/projects/{project}/owner", {"user": bob_id}).status == 404
    put_in_project(service, project, bob_id, Role.VIEWER)
    assert ada.call("DELETE", f"/projects/{project}/members/{me}").status == 409
    assert ada.post(f"/projects/{project}/owner", {"user": bob_id})["owner"] == bob_id
    assert bob.get(f"/projects/{project}")["role"] == "owner"
    assert ada.get(f"/projects/{project}")["role"] == "manager"
    assert ada.call("DELETE", f"/projects/{project}").status == 403


def test_an_archived_project_takes_no_new_work_and_one_with_work_is_not_removed(
    ada: Client,
) -> None:
    project = new_project(ada)
    new_job(ada, project["id"])
    assert ada.call("DELETE", f"/projects/{project['id']}").status == 409
    ada.call("PATCH", f"/projects/{project['id']}", {"archived": True})
    body = {"spec": {"name": "x", "run": "true"}, "project": project["id"]}
    assert ada.call("POST", "/jobs", body).status == 409


@pytest.mark.parametrize("with_kind", ["person", "project", "everyone"])
def test_a_job_is_shown_to_others_until_that_is_taken_back(
    service: RunningService, ada: Client, with_kind: str
) -> None:
    job = new_job(ada)
    bob_id, bob = add_person(service, "bob")
    project = new_project(ada)["id"]
    put_in_project(service, project, bob_id, Role.VIEWER)
    with_id = {"person": bob_id, "project": project, "everyone": ""}[with_kind]
    shares, task = f"/jobs/{job['job']['id']}/shares", f"/tasks/{job['tasks'][0]['id']}"
    assert bob.call("GET", task).status == 404
    (share,) = ada.post(shares, {"with_kind": with_kind, "with_id": with_id})["items"]
    assert bool(share["name"]) == (with_kind != "everyone")
    assert bob.get(task)["id"] == job["tasks"][0]["id"]
    (shown,) = [one for one in bob.get("/shares")["items"] if one["thing"] == job["job"]["id"]]
    assert (shown["by"], shown["task"]) == (ada.get("/me")["name"], job["tasks"][0]["id"])
    assert job["job"]["id"] not in {one["thing"] for one in ada.get("/shares")["items"]}
    shared = [
        one for one in bob.get("/tasks?whose=others")["items"] if f"/tasks/{one['id']}" == task
    ]
    assert [one["owner_name"] for one in shared] == [shown["by"]]
    assert bob.call("POST", f"{task}/cancel").json["code"] == "role"
    query = f"?with_kind={with_kind}&with_id={with_id}"
    assert ada.call("DELETE", shares + query).status == 204
    assert bob.call("GET", task).status == 404
    assert job["job"]["id"] not in {one["thing"] for one in bob.get("/shares")["items"]}


def test_a_token_never_hands_on_more_than_it_has(service: RunningService, ada: Client) -> None:
    me = ada.get("/me")["id"]
    _, small = add_person(service, "", user=me, scopes=[Scope.READ, Scope.MANAGE])
    assert small.call("POST", "/tokens", {"name": "big", "scopes": ["run"]}).status == 400
    assert small.post("/tokens", {"name": "same"})["scopes"] == ["read", "manage"]
    assert small.call("POST", "/open").json["code"] == "scope"
    asked = Client(service.url).post("/sign-in/device", {"scopes": ["run"]})
    answer = small.call("POST", f"/sign-in/device/{asked['user_code']}", {"accept": True})
    assert answer.json["code"] == "scope"


def test_what_is_done_is_written_down_with_who_did_it(service: RunningService, ada: Client) -> None:
    job = new_job(ada)["job"]
    me = ada.get("/me")["id"]
    lines = service.client.get(f"/audit?user={me}")["items"]
    assert [one["action"] for one in lines] == ["POST /endpoints", "POST /jobs"]
    assert [one["words"] for one in lines] == ["added an endpoint", "submitted a job"]
    assert (lines[1]["about"]["job"], lines[1]["about"]["digest"]) == (job["id"], job["digest"])
    assert lines[1]["address"] == "127.0.0.1"
    token = ada.get("/tokens")["items"][0]
    assert lines[1]["credential"] == token["id"]
    assert token["used"] is not None
    exported = service.client.call("GET", "/audit/export").body.decode().splitlines()
    assert [json.loads(one)["n"] for one in exported] == sorted(
        json.loads(one)["n"] for one in exported
    )


def test_the_audit_log_is_searched_read_backwards_and_exported_as_a_table(
    service: RunningService, ada: Client
) -> None:
    job, me = new_job(ada)["job"], ada.get("/me")["id"]
    admin = service.client
    newest = admin.get(f"/audit?user={me}&newest_first=true")["items"]
    assert [one["action"] for one in newest] == ["POST /jobs", "POST /endpoints"]
    older = admin.get(f"/audit?user={me}&newest_first=true&before={newest[0]['n']}")["items"]
    assert [one["n"] for one in older] == [newest[1]["n"]]
    found = admin.get(f"/audit?search=post%20{job['id']}")["items"]
    assert [one["n"] for one in found] == [newest[0]["n"]]
    assert admin.get(f"/audit?user={me}&until=1")["items"] == []
    table = admin.call("GET", f"/audit/export?kind=csv&user={me}").body.decode().splitlines()
    assert table[0].startswith("n,at,user,name,action")
    assert len(table) == 3


@pytest.mark.parametrize("words", ["DELETE FROM audit", "UPDATE audit SET name = 'nobody'"])
def test_the_database_itself_keeps_the_audit_log(
    service: RunningService, ada: Client, words: str
) -> None:
    new_project(ada)
    with pytest.raises(DBAPIError, match="append-only"):
        execute(service, words)


def test_a_program_is_let_in_by_its_person_once(service: RunningService, ada: Client) -> None:
    nobody = Client(service.url)
    asked = nobody.post("/sign-in/device", {"name": "notebook on m1", "scopes": ["read"]})
    body = {"device_code": asked["device_code"]}
    assert nobody.post("/sign-in/device/token", body) == {"state": "waiting", "token": None}
    shown = ada.get(f"/sign-in/device/{asked['user_code'].lower()}")
    assert (shown["name"], shown["scopes"]) == ("notebook on m1", ["read"])
    ada.call("POST", f"/sign-in/device/{asked['user_code']}", {"accept": True})
    told = nobody.post("/sign-in/device/token", body)
    program = Client(service.url, told["token"])
    assert program.get("/me")["id"] == ada.get("/me")["id"]
    assert program.call("POST", "/tokens", {"name": "x"}).json["code"] == "scope"
    assert nobody.call("POST", "/sign-in/device/token", body).status == 404


def test_diamond_login_signs_a_terminal_in_and_logout_ends_its_token(
    service: RunningService, ada: Client, tmp_path: Path
) -> None:
    env = {**os.environ, "DIAMOND_HOME": str(tmp_path), "PYTHONPATH": str(SOURCE)}
    for name in ("DIAMOND_URL", "DIAMOND_TOKEN"):
        env.pop(name, None)
    words = [sys.executable, "-m", "diamond.cli"]
    log = tmp_path / "log"
    with log.open("wb") as out:
        login = subprocess.Popen(
            [*words, "login", service.url, "--no-browser"], env=env, stderr=out
        )
    wait_for(lambda: "shows the code" in log.read_text())
    code = re.findall(r"code (\w{4}-\w{4})", log.read_text())[0]
    ada.call("POST", f"/sign-in/device/{code}", {"accept": True})
    assert login.wait(60) == 0, log.read_text()
    assert (tmp_path / "logins.json").stat().st_mode & 0o077 == 0
    made = subprocess.run([*words, "project", "create", f"p{next(_numbers)}"], env=env, check=False)
    assert made.returncode == 0
    before = len(ada.get("/tokens")["items"])
    assert subprocess.run([*words, "logout"], env=env, check=False).returncode == 0
    assert len(ada.get("/tokens")["items"]) == before - 1


def test_people_hear_of_what_is_shared_with_them_and_of_their_place_in_a_project(
    service: RunningService,
) -> None:
    _, ada = add_person(service, "ada")
    bob_id, bob = add_person(service, "bob")
    ada.post("/endpoints", {"name": "own", "carrier": "local"})
    stream = bob.events()
    stream.until("ready")
    spec = {"name": "x", "run": "true", "on": "own"}
    made = ada.post("/jobs", {"spec": spec})["job"]
    share = {"with_kind": "person", "with_id": bob_id}
    for _ in range(2):
        ada.post(f"/jobs/{made['id']}/shares", share)
    told = stream.until("notification").data
    assert "shares the job x with you" in told["title"] and told["task"] == made["tasks"][0]
    stream.close()
    project = ada.post("/projects", {"name": "group"})["id"]
    place = f"/projects/{project}/members/{bob_id}"
    ada.call("PUT", place, {"role": "member"})
    ada.call("DELETE", place)
    titles = [one["title"] for one in bob.get("/notifications")["items"]]
    assert ["removed you from group" in titles[0], "made you member of group" in titles[1]] == [
        True,
        True,
    ]
    assert len(titles) == 3 and ada.get("/notifications")["items"] == []


def test_who_holds_an_invitation_sees_who_sent_it_and_to_what(
    service: RunningService, ada: Client
) -> None:
    project = new_project(ada)
    code = ada.post(f"/projects/{project['id']}/invitations")["code"]
    stranger = Client(service.url)
    shown = stranger.post("/invitations/look", {"code": code})
    assert (shown["by"], shown["project"]) == (ada.get("/me")["name"], project["name"])
    assert stranger.call("POST", "/invitations/look", {"code": "made-up"}).status == 404
