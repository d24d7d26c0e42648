"""The composer's calls: a spec as YAML and back, what a site says about it, recipes, a folder from a browser."""

from __future__ import annotations

import io
import tarfile
from typing import Any

import pytest

from diamond.service.recipes.catalog import list_recipes
from support.scene import Scene, new_scene
from support.service import RunningService

FACTS = {
    "scheduler": {"name": "slurm", "version": "22.05"},
    "partitions": [
        {
            "name": "gpu",
            "default": True,
            "max_minutes": 120,
            "nodes_total": 4,
            "cpus_per_node": 32,
            "memory_mb_per_node": 65536,
            "gpus_per_node": {"a100": 4},
            "accounts": ["research"],
        },
        {"name": "big", "max_minutes": 2880, "nodes_total": 64, "accounts": []},
    ],
    "free": {"gpu": {"nodes_idle": 2, "nodes_total": 4, "gpus_idle": 8, "pending": 3}},
    "accounts": [{"name": "research", "balance": 120.5, "unit": "SU"}],
    "charge": {"gpu": 3.0},
}


@pytest.fixture
def scene(service: RunningService) -> Scene:
    made = new_scene(service)
    stamped = {
        name: {"value": value, "source": "sinfo", "at": 7.0} for name, value in FACTS.items()
    }
    made.agent.good("profile", {"version": 1, "probed_at": 7.0, "facts": stamped})
    return made


def compose(scene: Scene, **spec: Any) -> Any:
    body = {"spec": {"run": "python train.py", "on": scene.name, **spec}}
    return scene.client.post("/jobs/compose", body)


def test_a_spec_with_faults_is_still_told_its_limits_and_choices(scene: Scene) -> None:
    told = compose(scene, resources={"nodes": 9, "walltime": "1h"}, nam="x", code="./folder")
    assert not told["ok"]
    assert told["order"] is None
    assert {one["field"] for one in told["faults"]} == {"nam", "resources.nodes"}
    assert (told["endpoint"], told["partition"], told["account"]) == (scene.name, "gpu", "research")
    nodes = told["limits"]["resources.nodes"]
    assert (nodes["max"], nodes["source"], nodes["as_of"]) == (4, "sinfo", 7.0)
    assert told["limits"]["resources.memory"]["max_text"] == "64GB"
    partitions = {one["name"]: one for one in told["choices"]["partitions"]}
    assert (partitions["gpu"]["usable"], partitions["big"]["usable"]) == (True, False)
    assert told["choices"]["gpu_types"] == ["a100"]


@pytest.mark.parametrize("kind", ["single", "auto"])
def test_patience_for_a_single_process_is_refused_with_what_to_write_instead(
    scene: Scene, kind: str
) -> None:
    """Nothing would watch it; `auto` chooses the same here."""
    spec = {"run": "python train.py", "on": scene.name, "launch": {"kind": kind, "hang": "5m"}}
    answer = scene.client.call("POST", "/jobs", {"spec": spec})
    assert answer.status == 422
    [fault] = answer.json["faults"]
    assert (fault["field"], "not watched" in fault["message"]) == ("launch.hang", True)
    assert fault["hint"].startswith("Use launch: {kind: per-rank, hang: …}")
    spec["launch"] = {"kind": "per-rank", "hang": "5m"}
    assert scene.client.call("POST", "/jobs", {"spec": spec}).status == 201


def test_cost_and_queue_are_told_from_the_profile_and_ones_own_past(scene: Scene) -> None:
    task, attempt = scene.taken(resources={"walltime": "10m"})
    created = scene.task(task)["created"]
    scene.tell("started", task, attempt, run=1, node="n1", at=created + 300)
    told = compose(scene, resources={"nodes": 2, "gpus_per_node": 4, "walltime": "90m"})
    assert told["ok"]
    cost = told["cost"]
    assert (cost["node_hours"], cost["gpu_hours"], cost["charge"], cost["balance"]) == (
        3.0,
        12.0,
        9.0,
        120.5,
    )
    queue = told["queue"]
    assert (queue["nodes_idle"], queue["pending"], queue["waits"]["count"]) == (2, 3, 1)
    assert 290 < queue["waits"]["median"] < 310
    assert told["order"]["resources"]["walltime_minutes"] == 90


def test_a_correction_by_hand_is_named_as_the_source(scene: Scene) -> None:
    partitions = [{"name": "gpu", "default": True, "max_nodes": 2}]
    change = {"corrections": {"partitions": partitions}}
    scene.client.call("PATCH", f"/endpoints/{scene.name}", change)
    limit = compose(scene)["limits"]["resources.nodes"]
    assert limit["max"] == 2
    assert limit["source"] not in ("", "sinfo")


def test_the_script_comes_from_the_endpoint_or_the_reason_why_not(scene: Scene) -> None:
    body = {"spec": {"run": "true", "on": scene.name}}
    with scene.agent.answering(lambda _: (b'{"script": "#!/bin/bash"}', True)):
        told = scene.client.post("/jobs/compose?script=true", body)
    assert told["script"] == "#!/bin/bash"
    scene.client.post(f"/endpoints/{scene.name}/away")
    told = scene.client.post("/jobs/compose?script=true", body)
    assert told["script"] is None
    assert scene.name in told["script_reason"]


def test_a_yaml_text_is_read_with_faults_at_their_lines(scene: Scene) -> None:
    text = "name: x\nresources:\n  nodes: many\n  gpu: 1\non: [a, b]\n"
    told = scene.client.post("/spec/parse", {"yaml": text})
    assert told["spec"]["on"] == ["a", "b"]
    places = {one["field"]: one["line"] for one in told["faults"]}
    assert places == {"resources.nodes": 3, "resources.gpu": 4}
    assert scene.client.post("/spec/parse", {"yaml": "name: x\n"})["faults"][0]["field"] == "run"
    broken = scene.client.post("/spec/parse", {"yaml": "run: a\nparams: {x: 1\n"})
    assert broken["spec"] is None
    assert broken["faults"][0]["line"] in (2, 3)


def test_a_job_can_be_asked_for_again_by_its_own_spec(scene: Scene) -> None:
    asked = {
        "name": "again",
        "run": "true",
        "on": scene.name,
        "resources": {"memory": "2GB", "walltime": "1h30m"},
        "continue": {"from": "ckpt/*.pt", "lead": "90s", "max_attempts": 3},
    }
    first = scene.client.post("/jobs", {"spec": asked})
    kept = scene.client.get(f"/jobs/{first['job']['id']}")["spec"]
    again = scene.client.post("/jobs", {"spec": kept})
    assert again["job"]["digest"] == first["job"]["digest"]
    yaml = scene.client.post("/spec/render", {"spec": kept})["yaml"]
    assert "walltime: 1h30m" in yaml
    assert "lead: 90s" in yaml
    assert "partition" not in yaml
    parsed = scene.client.post("/spec/parse", {"yaml": yaml})
    third = scene.client.post("/jobs", {"spec": parsed["spec"]})
    assert third["job"]["digest"] == first["job"]["digest"]


def test_the_schema_says_what_a_person_may_write(scene: Scene) -> None:
    schema = scene.client.get("/spec/schema")
    memory = schema["$defs"]["ResourcesSpec"]["properties"]["memory"]
    assert {"type": "string"} in memory["anyOf"]


def test_every_recipe_has_a_card_and_runs_with_its_own_code(scene: Scene) -> None:
    cards = scene.client.get("/recipes")["items"]
    assert [one["name"] for one in cards] == [one.name for one in list_recipes()]
    for card in cards:
        assert card["title"]
        assert card["summary"]
        recipe = scene.client.get(f"/recipes/{card['name']}")
        told = scene.client.post(
            "/jobs/compose", {"spec": {**recipe["spec"], "on": scene.name}, "recipe": card["name"]}
        )
        assert told["ok"], told["faults"]
        assert told["order"]["code"]["snapshot"].startswith("sha256:")
    assert scene.client.call("GET", "/recipes/no-such").status == 404


def multipart(files: dict[str, bytes]) -> tuple[bytes, dict[str, str]]:
    lines = b"".join(
        b'--cut\r\nContent-Disposition: form-data; name="files"; filename="%s"\r\n\r\n%s\r\n'
        % (name.encode(), data)
        for name, data in files.items()
    )
    return lines + b"--cut--\r\n", {"Content-Type": "multipart/form-data; boundary=cut"}


def test_a_folder_from_a_browser_becomes_code_without_its_keys(scene: Scene) -> None:
    files = {
        "proj/train.py": b"print(1)\n",
        "proj/lib/a.txt": b"x",
        "proj/.env": b"SECRET=1",
        "proj/.gitignore": b"*.log\n",
        "proj/run.log": b"noise",
    }
    answer = scene.client.call("POST", "/snapshots?strip=true", *multipart(files))
    assert answer.status == 201, answer.body
    code = answer.json
    assert code["left_out"] == [".env (looks like a key or password file)"]
    body = {"spec": {"run": "python train.py", "on": scene.name}, "code": code}
    task = scene.client.post("/jobs", body)["tasks"][0]["id"]
    listed = scene.client.get(f"/tasks/{task}/code")["files"]
    assert [one["path"] for one in listed] == [".gitignore", "lib/a.txt", "train.py"]


def test_a_folder_is_planned_before_it_is_sent(scene: Scene) -> None:
    listing = {
        "paths": ["train.py", ".env", ".git/HEAD", "out/run.log", ".gitignore"],
        "rules": {".gitignore": "out/\n"},
    }
    assert scene.client.post("/snapshots/plan", listing) == {
        "take": [".gitignore", "train.py"],
        "left_out": [
            ".env (looks like a key or password file)",
            ".git (made by tools; `!NAME/` in .diamondignore brings one back)",
        ],
    }


def test_a_tar_gives_the_same_snapshot_as_the_form(scene: Scene) -> None:
    files = {"a.py": b"1\n", "b/c.py": b"2\n"}
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    headers = {"Content-Type": "application/x-tar"}
    by_tar = scene.client.call("POST", "/snapshots", archive.getvalue(), headers).json
    by_form = scene.client.call("POST", "/snapshots", *multipart(files)).json
    assert by_tar["snapshot"] == by_form["snapshot"]


@pytest.mark.parametrize("name", ["../evil.py", "/etc/passwd", "a/../../b"])
def test_a_path_that_leads_out_is_refused(scene: Scene, name: str) -> None:
    answer = scene.client.call("POST", "/snapshots", *multipart({name: b"x"}))
    assert (answer.status, answer.json["code"]) == (400, "bad-request")
    assert not (scene.service.home.parent / "evil.py").exists()
