"""`python record_second.py CHECKOUT`: lets commit 7984dbe5 do some work, and keeps its database, files and answers in `second/`.

It has what the first one has not: records, datasets, models, results, studies, pipelines.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from data.landed.record import FINAL, TRAIN, dumped, state, store  # noqa: E402
from diamond.sdk import Client as Sdk  # noqa: E402
from support.http import Client  # noqa: E402
from support.landed import landed_agent  # noqa: E402
from support.service import RunningService, start_service  # noqa: E402
from support.waiting import wait_for  # noqa: E402

SECOND = HERE / "second"
LISTS = (
    "me tokens projects endpoints tasks jobs images datasets models studies pipelines views runs"
)
OF_A_TASK = ("", "/history", "/metrics", "/record", "/results", "/diagnosis")
WRITE = "import pathlib\npathlib.Path('model.txt').write_text('w')\n"
STUDY = {
    "objective": {"loss": "minimize"},
    "space": {"lr": {"choice": [0.1, 0.01]}},
    "sampler": "grid",
    "trials": 2,
}
PIPELINE = {
    "prepare": {"run": "mkdir out && echo 4 > out/n", "outputs": {"made": "out"}},
    "train": {"run": "cat {prepare.made}/n > model.txt", "outputs": {"model": "model.txt"}},
}


def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="dr-"))
    service = start_service(folder / "home", source=Path(sys.argv[1]) / "src")
    try:
        with landed_agent(service.client, "laptop", folder / "agent"):
            work(service, folder)
            wait_for(lambda: all_ended(service.client), what="all ends", seconds=300)
            wait_for(lambda: service.client.get("/notifications")["items"], what="a notification")
            answers = {path: service.client.get(path) for path in paths(service.client)}
    finally:
        service.stop()
    shutil.rmtree(SECOND, ignore_errors=True)
    SECOND.mkdir()
    (SECOND / "tokens.json").write_text(json.dumps([service.token]) + "\n")
    (SECOND / "answers.json").write_text(dumped(answers, folder))
    store(folder / "home", folder, SECOND)
    shutil.rmtree(folder)


def work(service: RunningService, folder: Path) -> None:
    sdk = Sdk(service.url, service.token)
    service.client.post("/projects", {"name": "vision"})
    data = folder / "data"
    data.mkdir()
    (data / "rows.csv").write_text("x,y\n1,2\n3,4\n")
    addition = sdk.add_data("rows", path=str(data), on="laptop", description="two rows")
    sdk.wait_for_addition(addition["id"])
    code = folder / "code"
    code.mkdir()
    (code / "train.py").write_text(WRITE + TRAIN)
    (code / "diamond.yaml").write_text("run: python3 train.py 0\n")
    good = sdk.run(
        spec("good", ["python3", "train.py", "0"], data={"train": "rows@v1"}, params={"lr": 0.1}),
        folder=code,
    ).task.id
    sdk.run(spec("bad", ["python3", "train.py", "3"]), folder=code)
    environment = {"requirements": ["six==1.17.0"], "labels": {"of": "landed"}}
    service.client.post(
        "/images/builds", {"environment": environment, "name": "small", "endpoint": "laptop"}
    )
    trained = spec("search", "LR={lr} python3 train.py 0", params={"lr": 0.1}, study=STUDY)
    sdk.study(trained, folder=code)
    sdk.run_pipeline({"name": "flow", "on": "laptop", "pipeline": PIPELINE}, with_code=False)
    sdk.wait(good)
    sdk.annotate(good, note="the first", add_tags=["keep"])
    sdk.name_result(good, "model.txt", name="weights")
    sdk.create_model("digits", description="reads digits", license="MIT")
    sdk.add_model_version("digits", task=good, result="weights", note="a start")
    sdk.set_model_alias("digits", "best", 1)


def spec(name: str, run: Any, **more: Any) -> dict[str, Any]:
    return {"name": name, "run": run, "on": "laptop", "resources": {"walltime": "5m"}, **more}


def all_ended(client: Client) -> bool:
    tasks = client.get("/tasks?limit=100")["items"]
    tasks += client.get("/tasks?kind=build")["items"]
    others = [*client.get("/studies")["items"], *client.get("/pipelines")["items"]]
    return all(state(client, task["id"]) in FINAL for task in tasks) and not any(
        each["state"] in ("running", "open") for each in others
    )


def paths(client: Client) -> list[str]:
    tasks = [task["id"] for task in client.get("/tasks")["items"]]
    wanted = [f"/{name}" for name in LISTS.split()]
    wanted += [f"/tasks/{task}{more}" for task in tasks for more in OF_A_TASK]
    wanted += [f"/datasets/rows{more}" for more in ("", "/files", "/uses", "/places", "/preview")]
    wanted += [f"/models/digits{more}" for more in ("", "/versions", "/versions/1", "/card")]
    for study in client.get("/studies")["items"]:
        wanted += [f"/studies/{study['id']}{more}" for more in ("", "/trials")]
    wanted += [f"/pipelines/{each['id']}" for each in client.get("/pipelines")["items"]]
    return [path for path in wanted if client.call("GET", path).status == 200]


if __name__ == "__main__":
    main()
