"""Every call of the API, made for real by every kind of caller, held against `service/access/rules.py`."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from diamond.service.access.principal import EVERYTHING, Role, Scope
from diamond.service.access.rules import RULES, Rule, Who
from diamond.service.platform.http.routing import PREFIX
from support.data_scene import added, manifest_of
from support.http import Answer, Client
from support.image_scene import ENVIRONMENT, built
from support.people import add_person, disable, put_in_project
from support.scene import Scene, new_scene
from support.scripted_agent import ScriptedAgent
from support.service import RunningService

DESCRIPTION = json.loads((Path(__file__).parents[3] / "web" / "openapi.json").read_text())
CALLS = [
    f"{method.upper()} {path.removeprefix(PREFIX)}"
    for path, methods in DESCRIPTION["paths"].items()
    for method in methods
]
SPEC = {"name": "x", "run": "true"}
IMPORTED = {"source": "mlflow", "key": "r0", "name": "x", "state": "succeeded", "created": 1.0}
BODIES: dict[str, Any] = {
    "POST /records/links": {"tasks": ["x"]},
    "POST /studies/{study}/points": {"points": [{"lr": 0.1}]},
    "POST /studies/{study}/tell": {"trials": [{"number": 0, "values": [1.0]}]},
    "PUT /views": {"page": "runs", "name": "mine", "query": {}},
    "POST /runs/imports": IMPORTED,
    "PATCH /users/{user}": {"is_admin": False},
    "POST /endpoints/{name}/confirm": {"accept": True},
    "POST /endpoints/{name}/probe": {"compute": False},
    "PUT /endpoints/{name}/profile": {"version": 1, "facts": {}, "corrections": {}},
    "PUT /endpoints/{name}/secrets/{secret}": {"value": "x"},
    "PUT /projects/{project}/members/{user}": {"role": "viewer"},
    "POST /projects/{project}/owner": {"user": "nobody"},
    "PUT /jobs/{job}/project": {"project": "group"},
    "POST /projects/{project}/roster": {"csv": ""},
    "POST /projects/{project}/assignments": {"name": "a", "spec": SPEC},
    "PUT /projects/{project}/assignments/{assignment}": {"name": "a", "spec": SPEC},
    "POST /jobs/{job}/shares": {"with_kind": "person", "with_id": "local"},
    "POST /datasets/{dataset}/shares": {"with_kind": "person", "with_id": "local"},
    "POST /tasks/{task}/results/{result}/dataset": {"name": "x"},
    "POST /datasets/{dataset}/copies": {"endpoint": "away"},
    "POST /images/{image}/shares": {"with_kind": "person", "with_id": "local"},
    "POST /endpoints/{name}/shares": {"with_kind": "person", "with_id": "local"},
    "PATCH /images/{image}": {"name": "renamed"},
    "POST /pipelines/{pipeline}/shares": {"with_kind": "person", "with_id": "local"},
    "POST /models/{model}/shares": {"with_kind": "person", "with_id": "local"},
    "PUT /models/{model}/aliases/{alias}": {"version": 1},
    "POST /images/{image}/copies": {"endpoint": "away"},
    "POST /images/{image}/push": {"reference": "registry.example.org/x:1"},
}
QUERIES = {
    "GET /tasks/{task}/verdict": "?against=x",
    "GET /runs/compare": "?run=x&run=y",
    "GET /images/diff": "?a=x&b=x",
    "GET /tasks/{task}/logs/{stream}/search": "?text=x",
    "GET /tasks/{task}/files/content": "?path=x",
    "GET /tasks/{task}/code/content": "?path=x",
    "DELETE /me/identities": "?issuer=x&subject=y",
    "GET /datasets/reference": "?text=x",
    "DELETE /datasets/{dataset}/shares": "?with_kind=person&with_id=x",
    "DELETE /images/{image}/shares": "?with_kind=person&with_id=x",
    "GET /models/{model}/versions/{version}/content": "?path=x",
    "DELETE /models/{model}/shares": "?with_kind=person&with_id=x",
    "DELETE /pipelines/{pipeline}/shares": "?with_kind=person&with_id=x",
    "DELETE /endpoints/{name}/shares": "?with_kind=person&with_id=x",
    "DELETE /jobs/{job}/shares": "?with_kind=person&with_id=x",
}
NOT_ALLOWED = {"not-signed-in", "forbidden", "scope", "role", "account-disabled", "no-rule"}
IN_PROJECT = {"viewer": Role.VIEWER, "member": Role.MEMBER, "manager": Role.MANAGER}
_numbers = count(1)


@dataclass
class Cast:
    """One owner with her things, and everybody else."""

    service: RunningService
    callers: dict[str, Client]
    ids: dict[str, str]

    def caller(self, name: str) -> Client:
        return self.callers[name]

    def too_small(self, rule: Rule) -> Client:
        """The owner's own token, for everything but this."""
        assert rule.scope is not None
        return self.callers[f"all but {rule.scope.value}"]


@pytest.fixture(scope="module")
def cast(service: RunningService) -> Cast:
    people = {
        name: add_person(service, name, is_admin=name == "admin")
        for name in ("owner", "viewer", "member", "manager", "stranger", "admin", "disabled")
    }
    ids = {name: person for name, (person, _) in people.items()}
    callers = {name: client for name, (_, client) in people.items()}
    owner = callers["owner"]
    ids["project"] = owner.post("/projects", {"name": "group"})["id"]
    for name, role in IN_PROJECT.items():
        put_in_project(service, ids["project"], ids[name], role)
    owner.post("/endpoints", {"name": "away", "carrier": "local"})
    body = {"spec": {**SPEC, "on": "away"}, "project": "group"}
    made = owner.post("/jobs", body)
    ids["job"], ids["task"] = made["job"]["id"], made["tasks"][0]["id"]
    disable(service, ids["disabled"])
    callers["nobody"] = Client(service.url)
    callers["other agent"] = Client(service.url, new_scene(service).agent.key)
    for scope in Scope:
        _, small = add_person(service, "", user=ids["owner"], scopes=EVERYTHING - {scope})
        callers[f"all but {scope.value}"] = small
    return Cast(service, callers, ids)


def _new_endpoint(cast: Cast) -> str:
    name = f"m{next(_numbers)}"
    cast.caller("owner").post("/endpoints", {"name": name, "carrier": "local"})
    return name


def _new_token(cast: Cast) -> str:
    made = cast.caller("owner").post("/tokens", {"name": f"t{next(_numbers)}"})
    return str(made["id"])


def _new_image(cast: Cast) -> str:
    number, owner = next(_numbers), cast.caller("owner")
    added = owner.post("/endpoints", {"name": f"m{number}", "carrier": "local"})
    agent = ScriptedAgent(cast.service.url, added["key"])
    agent.hello()
    scene = Scene(cast.service, owner, agent, f"m{number}")
    environment = {**ENVIRONMENT, "test": f"echo {number}"}
    return str(built(scene, f"image-{number}", number, environment)["id"])


def _new_model(cast: Cast) -> str:
    made = cast.caller("owner").post("/models", {"name": f"model-{next(_numbers)}"})
    return str(made["id"])


def _new_move(cast: Cast) -> str:
    body = {"reference": "registry.example.org/x:1"}
    made = cast.caller("owner").post(f"/images/{_new_image(cast)}/push", body)
    return str(made["id"])


def _new_machine(cast: Cast) -> Scene:
    number, owner = next(_numbers), cast.caller("owner")
    key = owner.post("/endpoints", {"name": f"m{number}", "carrier": "local"})["key"]
    agent = ScriptedAgent(cast.service.url, key)
    agent.hello()
    return Scene(cast.service, owner, agent, f"m{number}")


def _new_addition(cast: Cast) -> str:
    body = {"name": f"d{next(_numbers)}", "endpoint": "away", "path": "/data", "project": "group"}
    return str(cast.caller("owner").post("/datasets", body)["id"])


def _new_upload(cast: Cast) -> str:
    number, owner = next(_numbers), cast.caller("owner")
    digest, manifest = manifest_of({f"file-{number}": b"x"})
    size = len(manifest)
    owner.call("POST", f"/datasets/manifests/{digest}?offset=0&size={size}", manifest)
    body = {"name": f"u{number}", "endpoint": "away", "digest": digest}
    return str(owner.post("/datasets/uploads", body)["id"])


def _new_push(cast: Cast) -> str:
    number, owner = next(_numbers), cast.caller("owner")
    digest, manifest = manifest_of({f"model-{number}": b"x"})
    size = len(manifest)
    owner.call("POST", f"/datasets/manifests/{digest}?offset=0&size={size}", manifest)
    return str(owner.post(f"/models/p{number}/pushes", {"digest": digest})["id"])


def _new_dataset(cast: Cast) -> str:
    return str(added(_new_machine(cast), f"d{next(_numbers)}", project="group")["dataset"])


def _new_data_transfer(cast: Cast) -> str:
    path = f"/datasets/{_new_dataset(cast)}/copies"
    return str(cast.caller("owner").post(path, {"endpoint": "away"})["transfer"]["id"])


def _new_check(cast: Cast) -> str:
    path = f"/datasets/{_new_dataset(cast)}/checks"
    return str(cast.caller("owner").post(path, {})["items"][0]["id"])


def _new_invitation(cast: Cast) -> str:
    return str(cast.caller("owner").post("/projects/group/invitations")["id"])


def _new_session(cast: Cast) -> str:
    """A browser of the owner's."""
    link = urlsplit(cast.caller("owner").post("/open")["url"])
    Client(cast.service.url).call("GET", f"/{link.path}?{link.query}")
    return str(cast.caller("owner").get("/me/sessions")["items"][0]["id"])


def _new_pipeline(cast: Cast) -> str:
    spec = {"name": "p", "on": "away", "pipeline": {"one": {"run": "true"}}}
    body = {"spec": spec, "project": cast.ids["project"]}
    return str(cast.caller("owner").post("/pipelines", body)["id"])


def _new_pilot(cast: Cast) -> str:
    body = {"allocation": {"on": "away"}}
    return str(cast.caller("owner").post("/pilots", body)["id"])


def _new_scale(cast: Cast) -> str:
    body = {"spec": {**SPEC, "on": "away"}, "nodes": [1]}
    return str(cast.caller("owner").post("/scales", body)["id"])


def _new_study(cast: Cast) -> str:
    """In the project, with one trial that the owner's own program tries."""
    study = {"objective": {"loss": "minimize"}, "space": {"lr": [0.1, 0.2]}, "parallel": 0}
    body = {"spec": {"name": "search", "study": study}, "project": cast.ids["project"]}
    made = str(cast.caller("owner").post("/studies", body)["id"])
    cast.caller("owner").post(f"/studies/{made}/ask", {"count": 1})
    return made


def _new_view(cast: Cast) -> str:
    body = {"page": "runs", "name": f"v{next(_numbers)}", "query": {}}
    return str(cast.caller("owner").call("PUT", "/views", body).json["id"])


def _new_import(cast: Cast) -> str:
    run = {**IMPORTED, "key": f"r{next(_numbers)}"}
    return str(cast.caller("owner").post("/runs/imports", run)["id"])


def _new_crate(cast: Cast) -> str:
    return str(cast.caller("owner").post("/records/imports", {"@graph": []})["id"])


def _new_link(cast: Cast) -> str:
    body = {"tasks": [cast.ids["task"]]}
    return str(cast.caller("owner").post("/records/links", body)["id"])


def _new_project(cast: Cast) -> str:
    """With the same people in it, for a call that changes what they see."""
    made = str(cast.caller("owner").post("/projects", {"name": f"g{next(_numbers)}"})["id"])
    for name, role in IN_PROJECT.items():
        put_in_project(cast.service, made, cast.ids[name], role)
    return made


APART: dict[str, Callable[[Cast], str]] = {"PUT /projects/{project}/course": _new_project}
THINGS: dict[str, Callable[[Cast], str]] = {
    "task": lambda cast: cast.ids["task"],
    "job": lambda cast: cast.ids["job"],
    "project": lambda cast: cast.ids["project"],
    "endpoint": _new_endpoint,
    "token": _new_token,
    "image": _new_image,
    "model": _new_model,
    "move": _new_move,
    "dataset": _new_dataset,
    "upload": _new_upload,
    "push": _new_push,
    "addition": _new_addition,
    "transfer": _new_data_transfer,
    "check": _new_check,
    "invitation": _new_invitation,
    "session": _new_session,
    "scale": _new_scale,
    "study": _new_study,
    "pipeline": _new_pipeline,
    "pilot": _new_pilot,
    "view": _new_view,
    "imported": _new_import,
    "crate": _new_crate,
    "link": _new_link,
    "profile": lambda cast: str(cast.caller("owner").get("/endpoints/away")["id"]),
}
"""The owner's thing of each kind that a path may name; those that a call may end are made anew."""
SEEN_IN_PROJECT = {"task", "job", "project", "dataset", "study", "pipeline"}
"""Kinds that a project's members see; of the others everybody has only her own."""


def make_call(client: Client, call: str, thing: str = "") -> Answer:
    method, path = call.split(" ", 1)
    kind = RULES[call].thing
    first = {"endpoint": "{name}"}.get(kind, f"{{{kind}}}")
    path = path.replace(first, thing).replace("{stream}", "stdout").replace("{number}", "0")
    filled = path.replace("{", "").replace("}", "")
    query = QUERIES.get(call, "")
    body = None if method in ("GET", "DELETE") else BODIES.get(call, {})
    if call == "GET /events":
        return _head_of_stream(client)
    return client.call(method, filled + query, body, {"Diamond-Generation": "1"})


def _head_of_stream(client: Client) -> Answer:
    """A stream never ends: its first line tells whether it was opened."""
    connection = http.client.HTTPConnection(urlsplit(client.url).netloc, timeout=60)
    try:
        connection.request("GET", f"{PREFIX}/events", headers=client.headers)
        answer = connection.getresponse()
        body = b"" if answer.status == 200 else answer.read()
        return Answer(answer.status, {}, body)
    finally:
        connection.close()


def code_of(answer: Answer) -> str:
    if answer.status < 400 or not answer.body:
        return ""
    return str(answer.json["code"])


def is_allowed(answer: Answer) -> bool:
    return code_of(answer) not in NOT_ALLOWED


@pytest.mark.parametrize("call", CALLS)
def test_a_call_is_answered_as_its_rule_says(cast: Cast, call: str) -> None:
    rule = RULES[call]
    if rule.who is Who.ANYONE:
        assert is_allowed(make_call(cast.caller("nobody"), call))
    elif rule.who is Who.AGENT:
        for name in ("nobody", "owner", "admin", "stranger", "disabled"):
            assert make_call(cast.caller(name), call).status == 401, name
    else:
        _check_for_people(cast, call, rule)


def _check_for_people(cast: Cast, call: str, rule: Rule) -> None:
    thing = APART.get(call, THINGS[rule.thing])(cast) if rule.thing else ""
    for name in ("nobody", "other agent"):
        assert make_call(cast.caller(name), call, thing).status == 401, name
    disabled = make_call(cast.caller("disabled"), call, thing)
    assert (disabled.status, code_of(disabled)) == (403, "account-disabled")
    small = make_call(cast.too_small(rule), call, thing)
    assert (small.status, code_of(small)) == (403, "scope")
    if rule.who is Who.ADMIN:
        assert make_call(cast.caller("owner"), call, thing).status == 403
        assert is_allowed(make_call(cast.caller("admin"), call, thing))
    elif rule.thing:
        _check_by_role(cast, call, rule, thing)
    else:
        _check_for_oneself(cast, call)


def _check_by_role(cast: Cast, call: str, rule: Rule, thing: str) -> None:
    """Strangers, and administrators too, cannot tell the thing from one that never was."""
    for name in ("stranger", "admin"):
        hidden = make_call(cast.caller(name), call, thing)
        absent = make_call(cast.caller(name), call, "tneverwas2345")
        assert hidden.status == absent.status == 404, name
        assert hidden.body.decode().replace(thing, "tneverwas2345") == absent.body.decode()
    for name, role in IN_PROJECT.items():
        answer = make_call(cast.caller(name), call, thing)
        if rule.thing not in SEEN_IN_PROJECT:
            assert answer.status == 404, name
        elif role.rank < rule.role.rank:
            assert (answer.status, code_of(answer)) == (403, "role"), name
        else:
            assert is_allowed(answer), (name, answer.body)
    assert is_allowed(make_call(cast.caller("owner"), call, thing))


def _check_for_oneself(cast: Cast, call: str) -> None:
    """Whoever calls gets her own, and nothing of another's."""
    for name in ("stranger", "admin", "viewer", "owner"):
        answer = make_call(cast.caller(name), call)
        assert is_allowed(answer), name
        if name == "stranger":
            for kind in ("task", "job", "project"):
                assert cast.ids[kind].encode() not in answer.body


def test_a_route_that_no_rule_names_is_refused(cast: Cast) -> None:
    known = set(CALLS)
    assert known == set(RULES)
    answer = cast.caller("owner").call("GET", "/openapi.json")
    assert answer.status == 200
