"""Sets of tasks whose records belong together: a paper needs a set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diamond.core.errors import BadRequest, NotFound

if TYPE_CHECKING:
    from diamond.sdk.client import Client


def tasks_of(client: Client, word: str) -> list[str]:
    """Of a task, a saved view of runs, or a model. Raises `NotFound`."""
    try:
        return [client.task(word).id]
    except NotFound:
        pass
    for view in client.views("runs"):
        if word in (view["name"], view["id"]):
            where = list(view["query"].get("filter") or ())
            rows = client.runs(["source"], where=where, project=view["project"])
            return [str(row["id"]) for row in rows if row["source"] == "diamond"]
    return _tasks_of_model(client, word)


def _tasks_of_model(client: Client, word: str) -> list[str]:
    """The run that made a version, and all that led to it."""
    try:
        version = client.model_version(word)
    except (NotFound, BadRequest):
        raise NotFound(
            f"There is no task, saved view or model {word!r}",
            "See: diamond tasks, diamond runs --names, diamond model list.",
        ) from None
    graph = client.lineage(str(version["digest"]), direction="backward")
    made = [str(node["id"]) for node in graph["nodes"] if node["kind"] == "task"]
    if not made:
        raise NotFound(f"{word} was pushed from outside: there is no record of how it was made")
    return made
