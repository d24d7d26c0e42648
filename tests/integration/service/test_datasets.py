from __future__ import annotations

from itertools import count

from diamond.service.access.principal import Role
from support.data_scene import FILES, added, data_commands, finish_scan, report
from support.people import put_in_project
from support.scene import Scene, machine_of, new_person, new_scene
from support.service import RunningService

_numbers = count(1)


def share(scene: Scene, dataset: str, with_kind: str, with_id: str = "") -> None:
    body = {"with_kind": with_kind, "with_id": with_id}
    scene.client.post(f"/datasets/{dataset}/shares", body)


def test_a_folder_becomes_a_version_and_the_same_content_stays_that_version(
    service: RunningService,
) -> None:
    _, ada = new_person(service, "ada")
    asked = {"name": "era5", "endpoint": ada.name, "path": "/data/era5", "license": "CC-BY-4.0"}
    addition = ada.client.post("/datasets", asked)
    assert (addition["state"], addition["kind"]) == ("waiting", "scan")
    command = data_commands(ada)[0]
    assert (command["act"], command["path"]) == ("scan", "/data/era5")
    report(ada, name=addition["id"], act="scan", state="running", bytes=5, size=10, files=3)
    assert ada.client.get(f"/datasets/additions/{addition['id']}")["bytes"] == 5
    assert ada.client.get("/datasets/era5")["newest"] is None
    digest = finish_scan(ada, addition["id"], FILES)
    shown = ada.client.get("/datasets/era5")
    assert shown["newest"]["digest"] == f"sha256:{digest}"
    assert (shown["newest"]["name"], shown["newest"]["files"]) == ("v1", 3)
    assert (shown["license"], shown["places"]) == ("CC-BY-4.0", [ada.name])
    again = added(ada, "era5")
    assert (again["version"], again["is_new"]) == ("v1", False)
    more = added(ada, "era5", {**FILES, "c.csv": b"5,6\n"})
    assert (more["version"], more["is_new"]) == ("v2", True)
    assert [one["name"] for one in ada.client.get("/datasets/era5")["versions"]] == ["v2", "v1"]


def test_references_mean_versions_and_errors_name_the_valid_ones(service: RunningService) -> None:
    _, ada = new_person(service, "ada")
    added(ada, "era5")
    second = added(ada, "era5", {"a": b"1"})

    def means(text: str) -> str:
        answer = ada.client.get(f"/datasets/reference?text={text}")
        return str(answer["version"]["name"])

    assert means("era5") == means("era5@v2") == means(f"era5@{second['digest'][:20]}") == "v2"
    assert means("era5@v1") == "v1"
    wrong = ada.client.call("GET", "/datasets/reference?text=era5@v7")
    assert wrong.status == 404 and wrong.json["hint"] == "Versions: v2, v1"
    assert ada.client.call("GET", "/datasets/reference?text=other").status == 404
    assert ada.client.call("GET", "/datasets/reference?text=a/b/c@v1").status in (400, 404)


def test_a_shared_dataset_is_found_by_name_and_owner_and_not_where_it_lies(
    service: RunningService,
) -> None:
    ada_id, ada = new_person(service, "ada")
    bob_id, bob = new_person(service, "bob")
    added(ada, "shared-data")
    assert bob.client.call("GET", "/datasets/shared-data").status == 404
    share(ada, "shared-data", "person", bob_id)
    seen = bob.client.get("/datasets/shared-data")
    assert (seen["owner"], seen["places"], seen["uses"]) == (ada_id, [], 0)
    assert ada.name not in str(seen["additions"])
    assert bob.client.get("/datasets/shared-data/places")["items"] == []
    names = bob.client.get("/datasets/shared-data/files?folder=train")["entries"]
    assert [one["name"] for one in names] == ["a.csv", "b.csv"]
    found = bob.client.get(f"/datasets/reference?text={ada_id}/shared-data@v1")
    assert found["dataset"]["id"] == seen["id"]
    assert [one["id"] for one in bob.client.get("/datasets?shared=true")["items"]] == [seen["id"]]
    assert bob.client.get("/datasets")["items"] == []
    for method, rest, body in (
        ("PATCH", "", {"description": "mine"}),
        ("DELETE", "", None),
        ("GET", "/shares", None),
    ):
        answer = bob.client.call(method, f"/datasets/{seen['id']}{rest}", body)
        assert answer.json["code"] == "role", (method, rest)
    added(bob, "shared-data", {"own": b"1"})
    assert bob.client.get("/datasets/shared-data")["owner"] == bob_id
    gone = f"/datasets/shared-data/shares?with_kind=person&with_id={bob_id}"
    assert ada.client.call("DELETE", gone).status == 204
    assert bob.client.call("GET", f"/datasets/{seen['id']}").status == 404


def test_a_fellow_member_who_guesses_a_digest_learns_nothing(service: RunningService) -> None:
    _, ada = new_person(service, "ada")
    bob_id, bob = new_person(service, "bob")
    project = ada.client.post("/projects", {"name": f"p{next(_numbers)}"})["id"]
    put_in_project(service, project, bob_id, Role.MEMBER)
    digest = added(ada, "secret")["digest"]
    added(bob, "mine", {"other": b"bytes"})
    for text in (f"mine@{digest}", f"secret@{digest}", f"mine@{'sha256:' + 64 * '0'}"):
        answer = bob.client.call("GET", f"/datasets/reference?text={text}")
        assert answer.status == 404
        assert "v1" in answer.json["hint"] or "data list" in answer.json["hint"]
    known = bob.client.call("GET", f"/datasets/reference?text=mine@{digest}")
    never = bob.client.call("GET", f"/datasets/reference?text=mine@sha256:{64 * 'a'}")
    assert known.body.replace(digest.encode(), b"D") == never.body.replace(
        f"sha256:{64 * 'a'}".encode(), b"D"
    )
    twin = added(bob, "twin")
    assert (twin["version"], twin["is_new"], twin["digest"]) == ("v1", True, digest)
    assert bob.client.get("/datasets/twin/places")["items"][0]["is_last"] is True
    assert "secret" not in str(bob.client.get("/datasets?shared=true"))
    assert "secret" not in str(bob.client.post("/datasets/gc", {"unused_days": 0}))


def test_a_project_s_dataset_is_its_members_and_a_restricted_one_stays_on_its_endpoints(
    service: RunningService,
) -> None:
    _, ada = new_person(service, "ada")
    bob_id, bob = new_person(service, "bob")
    _, eve = new_person(service, "eve")
    name = f"p{next(_numbers)}"
    project = ada.client.post("/projects", {"name": name})["id"]
    put_in_project(service, project, bob_id, Role.VIEWER)
    added(ada, "group-data", project=name)
    assert bob.client.get("/datasets/group-data")["project"] == project
    assert eve.client.call("GET", "/datasets/group-data").status == 404
    change = {"endpoints": [ada.name]}
    answer = ada.client.call("PATCH", f"/projects/{project}", change)
    assert answer.status == 200, answer.body
    refused = bob.client.call("POST", "/datasets/group-data/copies", {"endpoint": bob.name})
    assert (refused.status, refused.json["code"]) == (409, "restricted")
    other = machine_of(service, ada.client)
    refused = ada.client.call(
        "POST", "/datasets", {"name": "group-data", "endpoint": other.name, "path": "/x"}
    )
    assert (refused.status, refused.json["code"]) == (409, "restricted")
    body = {"with_kind": "everyone", "with_id": ""}
    assert ada.client.call("POST", "/datasets/group-data/shares", body).status == 409


def test_a_copy_is_made_once_and_where_says_what_lies_where(service: RunningService) -> None:
    _, ada = new_person(service, "ada")
    goal = machine_of(service, ada.client)
    digest = added(ada, "era5")["digest"].removeprefix("sha256:")
    made = ada.client.post("/datasets/era5/copies", {"endpoint": goal.name})
    again = ada.client.post("/datasets/era5/copies", {"endpoint": goal.name})
    assert made["how"] == "transfer" and again["transfer"]["id"] == made["transfer"]["id"]
    command = data_commands(goal)[0]
    assert (command["act"], command["tree"]) == ("fetch", digest)
    report(goal, name=made["transfer"]["id"], act="fetch", state="running", bytes=10, size=30)
    moving = ada.client.get(f"/datasets/transfers/{made['transfer']['id']}")
    assert (moving["bytes"], moving["size"], moving["version"]) == (10, 30, "v1")
    report(
        goal,
        name=made["transfer"]["id"],
        act="fetch",
        state="done",
        tree=digest,
        path="/w/data/x",
        bytes=30,
        size=30,
        moved=30,
    )
    places = ada.client.get("/datasets/era5/places")["items"]
    assert {(one["endpoint"], one["kind"]) for one in places} == {
        (ada.name, "in-place"),
        (goal.name, "copy"),
    }
    assert not any(one["is_last"] for one in places)
    assert ada.client.post("/datasets/era5/copies", {"endpoint": goal.name})["how"] == "here"


def test_room_is_made_only_from_copies_that_lie_elsewhere_too(service: RunningService) -> None:
    _, ada = new_person(service, "ada")
    goal = machine_of(service, ada.client)
    digest = added(ada, "era5")["digest"].removeprefix("sha256:")
    made = ada.client.post("/datasets/era5/copies", {"endpoint": goal.name})["transfer"]["id"]
    report(goal, name=made, act="fetch", state="done", tree=digest, path="/w/x")
    shown = ada.client.post("/datasets/gc", {"endpoint": goal.name, "unused_days": 0})
    assert [(one["dataset"], one["endpoint"]) for one in shown["items"]] == [("era5", goal.name)]
    assert shown["dry_run"] and len(ada.client.get("/datasets/era5/places")["items"]) == 2
    young = ada.client.post("/datasets/gc", {"endpoint": goal.name})
    assert young["items"] == [] and "used recently" in young["kept"][0]
    task = goal.submit(data={"era5": "era5@v1"})
    nodes = ada.client.get(f"/lineage?of={task['id']}")["nodes"]
    assert ("era5@v1", "/datasets/era5") in {(node["name"], node["link"]) for node in nodes}
    for name in ("era5", "era5@v1"):
        users = ada.client.get(f"/lineage?of={name}&direction=forward")["nodes"]
        assert task["id"] in {node["id"] for node in users}
    assert ada.client.call("GET", "/lineage?of=era5@v9").status == 404
    _, bob = new_person(service, "bob")
    assert bob.client.call("GET", "/lineage?of=era5@v1").status == 404
    busy = ada.client.post("/datasets/gc", {"endpoint": goal.name, "unused_days": 0})
    assert busy["items"] == [] and "a task needs it" in busy["kept"][0]
    ada.client.post(f"/tasks/{task['id']}/cancel")
    last = {"endpoint": ada.name, "version": "v1"}
    gone = {"endpoint": goal.name, "unused_days": 0, "dry_run": False}
    if ada.client.get(f"/tasks/{task['id']}")["state"] == "cancelled":
        assert len(ada.client.post("/datasets/gc", gone)["items"]) == 1
        assert "remove" in {one["act"] for one in data_commands(goal)}
        refused = ada.client.call("POST", "/datasets/era5/copies/remove", last)
        assert (refused.status, refused.json["code"]) == (409, "last-copy")


def test_changed_files_block_the_version_and_are_named(service: RunningService) -> None:
    _, ada = new_person(service, "ada")
    digest = added(ada, "era5")["digest"].removeprefix("sha256:")
    item = {"tree": digest, "layout": "files", "path": "/data", "changed": ["train/a.csv"]}
    ada.agent.good("trees", {"items": [item]})
    place = ada.client.get("/datasets/era5/places")["items"][0]
    assert place["changed"] == ["train/a.csv"]
    body = {"spec": {"name": "x", "run": "true", "on": ada.name, "data": {"era5": "era5"}}}
    answer = ada.client.call("POST", "/jobs", body)
    assert answer.status in (409, 422) and "train/a.csv" in answer.json["title"]


def test_names_and_limits_of_a_dataset_can_be_changed_and_its_versions_cannot(
    service: RunningService,
) -> None:
    _, ada = new_person(service, "ada")
    goal = machine_of(service, ada.client)
    added(ada, "first")
    added(ada, "second")
    changed = ada.client.call("PATCH", "/datasets/first", {"name": "second"})
    assert changed.status == 409
    body = {"description": "<script>alert(1)</script>", "endpoints": [ada.name]}
    shown = ada.client.call("PATCH", "/datasets/first", body).json
    assert shown["endpoints"] == [ada.name] and shown["description"] == body["description"]
    refused = ada.client.call("POST", "/datasets/first/copies", {"endpoint": goal.name})
    assert (refused.status, refused.json["code"]) == (409, "restricted")
    ada.client.call("PATCH", "/datasets/first", {"anywhere": True})
    assert ada.client.post("/datasets/first/copies", {"endpoint": goal.name})["how"] == "transfer"
    assert ada.client.call("DELETE", "/datasets/second").status == 200
    assert ada.client.call("GET", "/datasets/second").status == 404


def test_a_source_with_a_password_is_rejected(service: RunningService) -> None:
    scene = new_scene(service)
    body = {"name": "x", "endpoint": scene.name, "url": "https://u:pw@example.org/a.csv"}
    answer = service.client.call("POST", "/datasets", body)
    assert answer.status == 400 and "pw" not in str(answer.json)
    for wrong in ({"path": "relative"}, {"url": "ftp://x"}, {}, {"path": "/a", "url": "s3://b/c"}):
        body = {"name": "x", "endpoint": scene.name, **wrong}
        assert service.client.call("POST", "/datasets", body).status == 400, wrong
    good = {"name": "x", "endpoint": scene.name, "url": "s3://bucket/prefix", "secret": "S3"}
    assert service.client.post("/datasets", good)["kind"] == "import"
    command = data_commands(scene)[0]
    assert (command["source"], command["secret"]) == ("s3://bucket/prefix", "S3")


def test_a_list_of_images_says_nothing_about_data(service: RunningService) -> None:
    """An endpoint without images had its data forgotten with each list of images."""
    _, ada = new_person(service, "ada-images")
    added(ada, "beside-images")
    assert ada.client.get("/datasets/beside-images")["places"] == [ada.name]
    ada.agent.good("images", {"items": [], "age": -60.0})
    assert ada.client.get("/datasets/beside-images")["places"] == [ada.name]


def test_an_endpoint_lists_its_data_again_where_a_place_is_younger_than_the_list(
    service: RunningService,
) -> None:
    _, ada = new_person(service, "ada-again")
    added(ada, "young")
    first = ada.agent.good("trees", {"items": []})
    assert first["again"] and ada.client.get("/datasets/young")["places"] == [ada.name]
    later = ada.agent.good("trees", {"items": [], "age": -60.0})
    assert not later["again"] and ada.client.get("/datasets/young")["places"] == []
