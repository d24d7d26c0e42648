"""Sets of tasks whose records belong together: a paper needs a set."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from diamond.core.errors import BadRequest, Conflict, NotFound

if TYPE_CHECKING:
    from diamond.sdk.client import Client


def tasks_of(client: Client, word: str) -> list[str]:
    """Of a task, a pipeline, a study, a saved view of runs, or a model. Raises `NotFound`."""
    for found in (_task, _tasks_of_pipeline, _tasks_of_study):
        try:
            return found(client, word)
        except NotFound:
            continue
    for view in client.views("runs"):
        if word in (view["name"], view["id"]):
            where = list(view["query"].get("filter") or ())
            rows = client.runs(["source"], where=where, project=view["project"])
            return [str(row["id"]) for row in rows if row["source"] == "diamond"]
    return _tasks_of_model(client, word)


def _task(client: Client, word: str) -> list[str]:
    return [client.task(word).id]


def _tasks_of_pipeline(client: Client, word: str) -> list[str]:
    """The runs that made its outputs, cached ones included."""
    steps = [step for stage in client.pipeline(word)["stages"] for step in stage["steps"]]
    return _some(word, dict.fromkeys(step["task"] for step in steps if step["task"]))


def _tasks_of_study(client: Client, word: str) -> list[str]:
    """All tries of all trials."""
    study = client.get_study(word)
    numbers = [trial["number"] for trial in study.trials()]
    tasks = [str(task) for number in numbers for task in study.trial(number)["tasks"]]
    return _some(word, dict.fromkeys(tasks))


def _some(word: str, tasks: Iterable[str]) -> list[str]:
    found = list(tasks)
    if not found:
        raise Conflict(f"{word} has no runs yet", "Export it when some have ended.")
    return found


def _tasks_of_model(client: Client, word: str) -> list[str]:
    """The run that made a version, and all that led to it."""
    try:
        version = client.model_version(word)
    except (NotFound, BadRequest):
        raise NotFound(
            f"There is no task, pipeline, study, saved view or model {word!r}",
            "See: diamond tasks, diamond pipeline list, diamond study list, diamond runs --names, diamond model list.",
        ) from None
    graph = client.lineage(str(version["digest"]), direction="backward")
    made = [str(node["id"]) for node in graph["nodes"] if node["kind"] == "task"]
    if not made:
        raise NotFound(f"{word} was pushed from outside: there is no record of how it was made")
    return made
