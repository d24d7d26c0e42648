"""Pipelines on two real agents: results move from stage to stage, and work that was done is not repeated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from diamond.sdk.client import Client
from support.service import RunningService
from support.tree_scene import DataMachine
from support.waiting import wait_for

HOSTILE = [
    "$(touch pwned)",
    "; touch pwned #",
    "'\"`touch pwned`",
    "a b\nc",
    "{n}",
    "-x",
    "../../x",
]
CHAIN: dict[str, Any] = {
    "prepare": {
        "run": "mkdir parts; echo 1 > parts/a; echo 2 > parts/b; echo table > table.csv; echo 7 > n.json",
        "outputs": {
            "parts": "parts",
            "table": "table.csv",
            "n": {"path": "n.json", "kind": "value"},
        },
    },
    "square": {
        "map": {"part": "prepare.parts"},
        "run": "n=$(cat {prepare.parts}/{part}); echo $((n * n)) | tee out > n.json",
        "outputs": {"out": "out", "n": {"path": "n.json", "kind": "value"}},
    },
    "large": {
        "map": "square",
        "when": "{square.n} > 1",
        "run": "echo {part} $(cat {square.out}) > large",
        "outputs": {"large": "large"},
    },
    "report": {
        "on": "beta",
        "inputs": {"table": "prepare.table"},
        "params": {"title": "a b; c"},
        "run": [
            "sh",
            "-c",
            'echo "$1" > all; shift; cat "$@" "$DIAMOND_INPUTS/table" >> all',
            "sh",
            "{title} {prepare.n}",
            "{square.out}",
            "{large.large}",
        ],
        "outputs": {"all": "all"},
    },
}


def submit(service: RunningService, stages: Any, *, on: str = "alpha", **body: Any) -> Any:
    spec = {"name": "chain", "on": on, "resources": {"walltime": "5m"}, "pipeline": stages}
    return service.client.post("/pipelines", {"spec": spec, **body})


def ended(service: RunningService, pipeline: str) -> Any:
    def over() -> Any:
        found = service.client.get(f"/pipelines/{pipeline}")
        return found if found["state"] != "running" else None

    return wait_for(over, 90, what=f"the end of {pipeline}")


def states(pipeline: Any) -> dict[str, list[str]]:
    return {one["name"]: [step["state"] for step in one["steps"]] for one in pipeline["stages"]}


def steps(pipeline: Any, stage: str) -> list[Any]:
    return next(list(one["steps"]) for one in pipeline["stages"] if one["name"] == stage)


def left(machine: DataMachine, task: str, path: str) -> str:
    return (machine.work / "tasks" / task / "run" / path).read_text()


@pytest.fixture(scope="module")
def first(service: RunningService, alpha: DataMachine, beta: DataMachine) -> Any:
    """One run of the chain, from the first stage to the last."""
    return ended(service, submit(service, CHAIN)["id"])


def test_results_become_inputs_also_on_another_machine(first: Any, beta: DataMachine) -> None:
    assert (first["state"], first["message"]) == ("succeeded", "")
    assert states(first) == {
        "prepare": ["done"],
        "square": ["done", "done"],
        "large": ["skipped", "done"],
        "report": ["done"],
    }
    report = steps(first, "report")[0]
    assert left(beta, report["task"], "all") == "a b; c 7\n1\n4\nb 4\ntable\n"


def test_a_task_of_a_stage_names_what_it_read(first: Any, service: RunningService) -> None:
    report = steps(first, "report")[0]["task"]
    made = steps(first, "prepare")[0]
    task = service.client.get(f"/tasks/{report}")
    kinds = {(one["kind"], one["state"]) for one in task["dependencies"]}
    assert kinds == {("task", "met"), ("transfer", "met")}
    assert made["task"] in {one["id"] for one in task["dependencies"]}
    record = service.client.get(f"/tasks/{report}/record")
    digests = {f"sha256:{one['tree']}" for one in record["inputs"]}
    assert made["outputs"]["table"]["digest"] in digests
    runs = Client(service.url, service.token).record_set(first["id"])
    assert {report, made["task"]} < set(runs) and len(runs) == len(set(runs))


def test_the_same_pipeline_again_runs_nothing(first: Any, service: RunningService) -> None:
    before = service.client.get("/tasks/counts")["total"]
    again = ended(service, submit(service, CHAIN)["id"])
    assert again["state"] == "succeeded"
    found = {state for some in states(again).values() for state in some}
    assert found == {"cached", "skipped"}
    assert service.client.get("/tasks/counts")["total"] == before
    assert steps(again, "report")[0]["task"] == steps(first, "report")[0]["task"]
    assert steps(again, "report")[0]["outputs"] == steps(first, "report")[0]["outputs"]


def test_only_what_changed_is_run_again(first: Any, service: RunningService) -> None:
    changed = {**CHAIN, "report": {**CHAIN["report"], "params": {"title": "other"}}}
    again = ended(service, submit(service, changed)["id"])
    assert states(again)["square"] == ["cached", "cached"]
    assert states(again)["report"] == ["done"]
    forced = ended(service, submit(service, CHAIN, start_from=["large"])["id"])
    assert states(forced)["square"] == ["cached", "cached"]
    assert states(forced)["large"] == ["skipped", "done"]
    assert states(forced)["report"] == ["done"]


def test_a_failure_stops_what_depends_on_it_and_a_retry_continues(
    service: RunningService, alpha: DataMachine, tmp_path: Path
) -> None:
    flag = tmp_path / "flag"
    stages = {
        "good": {"run": "echo 1 > y", "outputs": {"y": "y"}},
        "bad": {"run": f"cp {flag} y", "outputs": {"y": "y"}, "needs": ["good"]},
        "behind": {"run": "cp {bad.y} y", "outputs": {"y": "y"}},
        "beside": {"run": "cp {good.y} y", "outputs": {"y": "y"}},
    }
    failed = ended(service, submit(service, stages)["id"])
    assert failed["state"] == "failed" and "bad failed: " in failed["message"]
    expected = {"good": ["done"], "bad": ["failed"], "behind": ["stopped"], "beside": ["done"]}
    assert states(failed) == expected
    assert (
        service.client.call("POST", f"/pipelines/{failed['id']}/retry", {"stages": ["good"]}).status
        == 409
    )
    flag.write_text("there")
    service.client.post(f"/pipelines/{failed['id']}/retry", {})
    whole = ended(service, failed["id"])
    assert {state for some in states(whole).values() for state in some} == {"done"}
    assert steps(whole, "good")[0]["task"] == steps(failed, "good")[0]["task"]


def test_a_stage_that_leaves_no_output_fails_and_names_it(
    service: RunningService, alpha: DataMachine
) -> None:
    stages = {"one": {"run": "true", "outputs": {"model": "out/model"}, "retries": 1}}
    failed = ended(service, submit(service, stages)["id"])
    assert "out/model" in failed["message"] and failed["state"] == "failed"


@pytest.mark.parametrize("together", [{}, {"together": {"walltime": "10m", "cpus_per_node": 1}}])
def test_what_a_stage_wrote_into_the_output_of_another_is_read_by_nobody(
    service: RunningService, alpha: DataMachine, together: dict[str, Any]
) -> None:
    stages = {
        "made": {
            "run": f"mkdir out; echo {together} >out/good.csv",
            "outputs": {"out": "out"},
        },
        "spoils": {"run": "echo more >>{made.out}/good.csv", "needs": ["sees"]},
        "sees": {"run": "cat {made.out}/good.csv $DIAMOND_INPUTS/made_out/good.csv"},
        "reads": {"run": "cat {made.out}/good.csv", "needs": ["spoils"]},
        "beside": {"run": "true", "needs": ["made"]},
    }
    spec = {"name": "spoiled", "on": "alpha", "resources": {"walltime": "5m"}, **together}
    made = service.client.post("/pipelines", {"spec": {**spec, "pipeline": stages}})
    pipeline = ended(service, made["id"])
    assert pipeline["state"] == "failed"
    (reads,) = steps(pipeline, "reads")
    assert reads["state"] == "failed"
    assert "good.csv" in reads["message"]
    assert states(pipeline)["beside"] == states(pipeline)["sees"] == ["done"]


def test_values_from_elsewhere_are_data_never_commands(
    service: RunningService, alpha: DataMachine
) -> None:
    stages = {
        "made": {
            "run": "cp given.json out.json 2>/dev/null || printf '%s' {text} > out.json",
            "params": {"text": json.dumps(HOSTILE)},
            "outputs": {"words": {"path": "out.json", "kind": "value"}},
        },
        "each": {
            "map": {"word": "made.words"},
            "run": "printf '%s' {word} > word",
            "outputs": {"word": "word"},
        },
        "listed": {"run": ["printf", "%s", "{word}"], "map": {"word": HOSTILE}},
    }
    pipeline = ended(service, submit(service, stages)["id"])
    assert pipeline["state"] == "succeeded", pipeline
    for step, word in zip(steps(pipeline, "each"), HOSTILE, strict=True):
        assert left(alpha, step["task"], "word") == word
    assert not list(alpha.work.rglob("pwned"))


def test_cancelling_ends_what_runs_and_starts_nothing(
    service: RunningService, alpha: DataMachine
) -> None:
    stages = {
        "long": {"run": "touch here; sleep 600", "outputs": {"y": "y"}},
        "then": {"run": "cp {long.y} y"},
    }
    pipeline = submit(service, stages)

    def running() -> Any:
        (step,) = steps(service.client.get(f"/pipelines/{pipeline['id']}"), "long")
        return step if step["task_state"] == "running" else None

    task = wait_for(running, 60, what="a running stage")["task"]
    cancelled = service.client.post(f"/pipelines/{pipeline['id']}/cancel")
    assert cancelled["state"] == "cancelled"
    assert states(cancelled) == {"long": ["cancelled"], "then": ["cancelled"]}
    wait_for(lambda: service.client.get(f"/tasks/{task}")["state"] == "cancelled", 60)


def test_on_failure_stop_ends_the_others(service: RunningService, alpha: DataMachine) -> None:
    stages = {"long": {"run": "sleep 600"}, "bad": {"run": "exit 3"}}
    spec = {"name": "stops", "on": "alpha", "on_failure": "stop", "pipeline": stages}
    made = service.client.post("/pipelines", {"spec": spec})
    over = ended(service, made["id"])
    assert over["state"] == "failed" and states(over)["long"] == ["cancelled"]


def test_all_faults_come_before_anything_is_submitted(
    service: RunningService, alpha: DataMachine
) -> None:
    stages = {
        "a": {"run": "x {b.y}", "resources": {"cpus_per_task": 100_000}, "on": "nowhere"},
        "b": {"run": "x {a.z}", "outputs": {"y": "y"}},
    }
    before = service.client.get("/pipelines")["items"]
    spec = {"name": "wrong", "on": "alpha", "pipeline": stages}
    answer = service.client.call("POST", "/pipelines", {"spec": spec})
    assert answer.status == 422
    fields = {fault["field"] for fault in answer.json["faults"]}
    assert {"pipeline.a.on", "pipeline.a.resources.cpus_per_task", "pipeline.b.run"} <= fields
    assert service.client.get("/pipelines")["items"] == before
    as_job = service.client.call("POST", "/jobs", {"spec": spec})
    assert as_job.status == 422 and "pipeline" in as_job.json["title"]


def test_a_digest_of_somebody_else_is_no_input(service: RunningService, alpha: DataMachine) -> None:
    spec = {
        "name": "j",
        "on": "alpha",
        "run": "true",
        "data": {"x": {"tree": "sha256:" + "0" * 64}},
    }
    answer = service.client.call("POST", "/jobs", {"spec": spec})
    assert answer.status == 404 and "no data with the digest" in answer.json["title"]


def test_a_param_of_all_stages_is_missed_only_where_no_stage_names_it(
    service: RunningService, alpha: DataMachine
) -> None:
    params = {"seed": 1, "unused": 2}
    stages = {"a": {"run": "x"}, "b": {"run": "y {seed}", "params": {"own": 3}}}
    spec = {"name": "params", "on": "alpha", "params": params, "pipeline": stages}
    warnings = service.client.post("/pipelines/check", {"spec": spec})["warnings"]
    missed = [one.partition("the param ")[2].split()[0] for one in warnings]
    assert missed == ["unused", "unused", "own"]
