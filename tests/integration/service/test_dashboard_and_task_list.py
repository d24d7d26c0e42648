"""What the dashboard and the list of tasks ask for: counts, search, order, many at once, an overview."""

from __future__ import annotations

import csv
import io
import json
import time
from typing import Any
from urllib.parse import quote

import pytest

from support.http import Answer
from support.people import add_person
from support.scene import Scene, new_scene
from support.scripted_agent import ScriptedAgent
from support.service import RunningService

DAY = 86400.0


@pytest.fixture
def scene(service: RunningService) -> Scene:
    return new_scene(service)


def end(scene: Scene, task: str, attempt: str, code: int) -> None:
    scene.tell("started", task, attempt, run=1, node="n7")
    scene.tell("exited", task, attempt, run=1, exit_code=code)
    if code:
        scene.tell("observed", task, attempt, status="ended", exit_code=code)


def send_metrics(scene: Scene, task: str, attempt: str, rows: list[dict[str, Any]]) -> None:
    data = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    part = {"task": task, "attempt": attempt, "run": 1, "rank": 0, "stream": "metrics", "offset": 0}
    scene.agent.bytes((part, data))


def patch(scene: Scene, task: str, **changes: Any) -> Answer:
    return scene.client.call("PATCH", f"/tasks/{task}", changes)


def ids(answer: Any) -> list[str]:
    return [one["id"] for one in answer["items"]]


def test_counts_and_search_look_at_the_same_tasks(scene: Scene) -> None:
    word = f"w{scene.name}"
    first, attempt = scene.taken(name=f"{word} alpha")
    scene.submit(name=f"{word} beta")
    scene.tell("submitted", first, attempt, native_id="8675309")
    counted = scene.client.get(f"/tasks/counts?search={word}")
    assert counted["total"] == 2
    assert sum(counted["counts"].values()) == 2
    for search in (f"{word}+ALPHA", "8675309", first[:8], f"alpha+{scene.name}"):
        assert ids(scene.client.get(f"/tasks?search={search}")) == [first]
        assert scene.client.get(f"/tasks/counts?search={search}")["total"] == 1
    assert ids(scene.client.get(f"/tasks?search={word}+gamma")) == []
    assert scene.client.get(f"/tasks/counts?search={quote('100% _')}")["total"] == 0


def test_tasks_by_their_end_are_only_those_that_have_ended(scene: Scene) -> None:
    done = []
    for name in ("one", "two"):
        task, attempt = scene.taken(name=name)
        end(scene, task, attempt, 0)
        done.append(task)
    scene.submit(name="open")
    listed = scene.client.get(f"/tasks?endpoint={scene.name}&sort=-ended&limit=1")
    rest = scene.client.get(
        f"/tasks?endpoint={scene.name}&sort=-ended&limit=1&cursor={listed['next']}"
    )
    assert ids(listed) + ids(rest) == done[::-1]
    assert ids(scene.client.get(f"/tasks?endpoint={scene.name}&sort=ended")) == done
    names = [
        one["name"] for one in scene.client.get(f"/tasks?endpoint={scene.name}&sort=-name")["items"]
    ]
    assert names == ["two", "open", "one"]


def test_many_are_cancelled_each_by_itself(scene: Scene) -> None:
    tasks = [scene.submit()["id"] for _ in range(3)]
    answer = scene.client.post("/tasks/cancel", {"tasks": [*tasks, "tnosuchtask", tasks[0]]})
    assert (answer["done"], answer["failed"]) == (3, 1)
    assert [one["task"]["state"] for one in answer["items"][:3]] == ["cancelled"] * 3
    assert answer["items"][3]["problem"]["code"] == "not-found"
    assert scene.client.call("POST", "/tasks/cancel", {"tasks": []}).status == 422


def test_many_are_retried_once_for_each_key(scene: Scene) -> None:
    tasks = [scene.submit()["id"] for _ in range(2)]
    scene.client.post("/tasks/cancel", {"tasks": tasks})
    still_open = scene.submit()["id"]
    body = {"tasks": [*tasks, still_open]}
    headers = {"Idempotency-Key": f"retry-{scene.name}"}
    first = scene.client.post("/tasks/retry", body, **headers)
    again = scene.client.post("/tasks/retry", body, **headers)
    made = [one["task"]["id"] for one in first["items"][:2]]
    assert [one["task"]["id"] for one in again["items"][:2]] == made
    assert first["items"][2]["problem"]["code"] == "conflict"
    assert [scene.task(one)["retry_of"] for one in made] == tasks


def test_the_overview_tells_what_runs_what_failed_and_the_best_number(scene: Scene) -> None:
    good, attempt = scene.taken(name="good")
    send_metrics(
        scene,
        good,
        attempt,
        [
            {"step": 1, "train_loss": 3.0, "val_acc": 0.5},
            {"step": 2, "train_loss": 2.0, "val_acc": 0.75},
        ],
    )
    end(scene, good, attempt, 0)
    bad, attempt = scene.taken(name="bad")
    end(scene, bad, attempt, 3)
    running, attempt = scene.taken(name="busy")
    scene.tell("started", running, attempt, run=1, node="n1")
    told = scene.client.get("/overview")
    assert running in [one["id"] for one in told["running"]]
    result = next(one for one in told["recent"] if one["task"]["id"] == good)
    assert result["headline"] == {"name": "val_acc", "value": 0.75, "step": 2}
    failed = [one for one in told["needs"] if one["task"] == bad]
    assert [one["kind"] for one in failed] == ["failed"]
    place = next(one for one in told["endpoints"] if one["name"] == scene.name)
    assert (place["running"], place["waiting"]) == (1, 0)

    ended = scene.task(bad)["ended"]
    assert scene.client.call("POST", "/overview/seen", {"at": ended}).status == 204
    told = scene.client.get("/overview")
    assert bad not in [one["task"] for one in told["needs"]]
    assert told["seen"] == ended


def test_a_cluster_that_was_added_twice_counts_its_gpus_once(service: RunningService) -> None:
    _, ada = add_person(service, "ada")
    for name, cluster in (("one", "alpha@c1"), ("again", "alpha@c1"), ("other", "alpha@c2")):
        added = ada.post("/endpoints", {"name": name, "carrier": "local"})
        agent = ScriptedAgent(service.url, added["key"], epoch=name)
        agent.hello()
        partition = {"name": "gpu", "nodes_total": 2, "gpus_per_node": {"a100": 4}}
        facts = {"cluster": cluster, "partitions": [partition]}
        stamped = {key: {"value": value, "source": "x", "at": 5.0} for key, value in facts.items()}
        agent.good("profile", {"version": 1, "probed_at": 5.0, "facts": stamped})
    assert ada.get("/overview")["gpus"]["total"] == 16


def test_the_overview_tells_what_an_endpoint_needs_and_has_free(scene: Scene) -> None:
    facts = {
        "partitions": [
            {"name": "gpu", "nodes_total": 2, "gpus_per_node": {"a100": 4}},
            {"name": "gpu-long", "nodes_total": 2, "gpus_per_node": {"a100": 4}},
            {"name": "cpu", "nodes_total": 9, "gpus_per_node": {}},
        ],
        "free": {"gpu": {"nodes_idle": 1, "gpus_idle": 5}, "gpu-long": {"gpus_idle": 5}},
        "folders": {
            "work": {"path": "/w", "free_bytes": 5, "quota_bytes": 100, "purge_days": 10},
            "keep": {"path": "/k", "free_bytes": 60 << 20},
        },
    }
    stamped = {name: {"value": value, "source": "x", "at": 5.0} for name, value in facts.items()}
    task, attempt = scene.taken(name="old result")
    long_ago = time.time() - 6 * DAY
    scene.tell("started", task, attempt, run=1, node="n", at=long_ago)
    scene.tell("exited", task, attempt, run=1, exit_code=0, at=long_ago)
    scene.agent.good("profile", {"version": 1, "probed_at": 5.0, "facts": stamped})
    told = scene.client.get("/overview")
    place = next(one for one in told["endpoints"] if one["name"] == scene.name)
    assert place["gpus"] == {"free": 5, "total": 8}
    assert [one["gpus_total"] for one in place["partitions"]] == [8, 8, 0]
    kinds = {one["kind"] for one in told["needs"] if one["endpoint"] == scene.name}
    assert kinds == {"quota", "purge"}
    assert not any("keep" in one["title"] for one in told["needs"]), "it takes some kB"


def test_curves_of_several_tasks_come_together_and_zoom_refines(scene: Scene) -> None:
    tasks = []
    for peak in (123, 4567):
        task, attempt = scene.taken()
        rows = [
            {"step": n, "time": 10.0 + n, "loss": 9.0 if n == peak else 1.0} for n in range(6000)
        ]
        send_metrics(scene, task, attempt, [*rows, {"step": 6000, "other": 1.0}])
        tasks.append(task)
    asked = f"/metrics?task={tasks[0]}&task={tasks[1]}"
    told = scene.client.get(f"{asked}&name=loss&points=50")
    assert [(one["task"], one["count"], one["thinned"]) for one in told["items"]] == [
        (task, 6000, True) for task in tasks
    ]
    assert all(len(one["points"]) <= 50 for one in told["items"])
    assert [4567, 4577.0, 9.0] in told["items"][1]["points"]
    assert [one["name"] for one in told["names"]] == ["loss", "other"]
    zoomed = scene.client.get(f"{asked}&name=loss&points=50&from_step=100&to_step=139")
    assert [point[0] for point in zoomed["items"][0]["points"]] == list(range(100, 140))
    assert not zoomed["items"][0]["thinned"]
    timed = scene.client.get(f"{asked}&name=loss&from_time=4577&to_time=4577")
    assert timed["items"][1]["points"] == [[4567, 4577.0, 9.0]]
    assert scene.client.call("GET", f"{asked}&task=tnosuch").status == 404


def test_every_point_is_in_the_csv(scene: Scene) -> None:
    task, attempt = scene.taken(name="curves")
    send_metrics(scene, task, attempt, [{"step": 1, "x,y": 0.5}, {"step": 2, "x,y": float("nan")}])
    answer = scene.client.call("GET", f"/tasks/{task}/metrics.csv")
    rows = list(csv.DictReader(io.StringIO(answer.body.decode())))
    assert [(row["name"], row["step"], row["value"]) for row in rows] == [
        ("x,y", "1.0", "0.5"),
        ("x,y", "2.0", ""),
    ]
    assert "attachment" in answer.headers["content-disposition"]


def test_preferences_are_kept_whole(scene: Scene) -> None:
    wanted = {"endpoint": scene.name, "appearance": "dark", "account": "research"}
    assert scene.client.call("PUT", "/me/preferences", wanted).status == 200
    kept = scene.client.get("/me/preferences")
    assert {name: kept[name] for name in wanted} == wanted
    assert scene.client.call("PUT", "/me/preferences", {"appearance": "pink"}).status == 422


def test_all_that_match_are_cancelled_and_those_made_since_are_not(scene: Scene) -> None:
    tasks = [scene.submit(name="of-many")["id"] for _ in range(3)]
    other = scene.submit(name="other")["id"]
    matching = {"endpoint": scene.name, "search": "of-many"}
    asked = scene.client.post("/tasks/cancel", {"matching": matching, "dry_run": True})
    assert (asked["matching"], asked["items"]) == (3, [])
    late = scene.submit(name="of-many")["id"]
    body = {"matching": {**matching, "until": asked["until"]}}
    done = scene.client.post("/tasks/cancel", body)
    assert sorted(one["id"] for one in done["items"]) == sorted(tasks)
    assert (done["done"], done["next"]) == (3, None)
    assert {scene.task(one)["state"] for one in (late, other)} == {"preparing"}
    again = scene.client.post("/tasks/cancel", {**body, "dry_run": True})
    assert again["matching"] == 0


def test_all_that_failed_are_retried_and_what_succeeded_only_when_it_is_named(scene: Scene) -> None:
    good, attempt = scene.taken(name="good")
    end(scene, good, attempt, 0)
    bad = scene.submit(name="bad")["id"]
    scene.client.post("/tasks/cancel", {"tasks": [bad]})
    matching = {"endpoint": scene.name}
    asked = scene.client.post("/tasks/retry", {"matching": matching, "dry_run": True})
    assert asked["matching"] == 1
    done = scene.client.post("/tasks/retry", {"matching": {**matching, "until": asked["until"]}})
    assert [one["task"]["retry_of"] for one in done["items"]] == [bad]
    named = {"matching": {**matching, "state": ["succeeded"]}, "dry_run": True}
    assert scene.client.post("/tasks/retry", named)["matching"] == 1


def test_many_are_worked_through_a_hundred_a_call(scene: Scene) -> None:
    tasks = {scene.submit(name="crowd")["id"] for _ in range(101)}
    body = {"matching": {"endpoint": scene.name, "name": "crowd"}}
    first = scene.client.post("/tasks/cancel", body)
    assert len(first["items"]) == 100 and first["next"]
    rest = scene.client.post("/tasks/cancel", {**body, "cursor": first["next"]})
    assert {one["id"] for one in first["items"] + rest["items"]} == tasks
    assert rest["next"] is None


def test_either_some_tasks_or_a_filter(scene: Scene) -> None:
    for body in (
        {},
        {"tasks": ["t1"], "matching": {}},
        {"tasks": ["t1"], "dry_run": True},
        {"matching": {"state": ["asleep"]}},
    ):
        assert scene.client.call("POST", "/tasks/cancel", body).status == 422


def test_tags_note_and_name_are_changed_at_any_time_and_tags_are_found(scene: Scene) -> None:
    task, attempt = scene.taken(name="first-try")
    other, _ = scene.taken(name="first-try")
    tag = f"paper-{scene.name}"[:40]
    changed = patch(scene, task, add_tags=[tag, "fp16"], note="see 3.2", name="ablation").json
    assert (changed["tags"], changed["note"], changed["name"]) == (
        [tag, "fp16"],
        "see 3.2",
        "ablation",
    )
    assert changed["version"] > 1 and changed["order"]["name"] == "first-try"
    end(scene, task, attempt, 0)
    assert scene.task(task)["tags"] == [tag, "fp16"]
    assert ids(scene.client.get(f"/tasks?tag={tag}")) == [task]
    assert ids(scene.client.get("/tasks?name=ablation")) == [task]
    assert scene.client.get(f"/tasks/counts?tag={tag}")["counts"]["succeeded"] == 1
    assert ids(scene.client.get(f"/tasks?tag={tag[:-1]}")) == []
    assert {"tag": tag, "tasks": 1} in scene.client.get("/tasks/tags")["items"]
    left = patch(scene, task, remove_tags=[tag]).json
    assert left["tags"] == ["fp16"] and scene.task(other)["tags"] == []
    refused = patch(scene, task, add_tags=['a"b']).status
    assert refused == 422


def test_a_summary_has_progress_and_the_range_of_each_metric_over_attempts(scene: Scene) -> None:
    task, attempt = scene.taken(run="python train.py --steps 10")
    scene.tell("started", task, attempt, run=1, node="n7")
    now = time.time()
    rows = [{"step": n, "time": now - 8 + 2 * n, "loss": 1 / n, "lr": n} for n in (1, 2, 3, 4)]
    send_metrics(scene, task, attempt, [*rows, {"step": 5, "time": now, "loss": float("nan")}])
    (summary,) = scene.client.get(f"/metrics/summaries?task={task}&sparks=true")["items"]
    progress = summary["progress"]
    assert (progress["unit"], progress["done"], progress["total"]) == ("step", 5, 10)
    assert 0 < progress["seconds_left"] <= 12
    loss = next(one for one in summary["values"] if one["name"] == "loss")
    assert (loss["last"], loss["step"], loss["min"], loss["max_step"]) == (0.25, 4, 0.25, 1)
    assert (summary["main"], loss["best"], len(summary["spark"])) == ("loss", "min", 4)
    overview = scene.client.get("/overview")
    assert task in [one["task"] for one in overview["summaries"]]
