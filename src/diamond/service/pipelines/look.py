"""What a pipeline needs to know from disks and endpoints, read before its transaction begins."""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from diamond.core.errors import BadRequest, DiamondError, EndpointAway
from diamond.core.task import State
from diamond.data.manifest import read_manifest as tree_entries
from diamond.pipelines.cache_key import CodeFile
from diamond.pipelines.items import MOST_STEPS
from diamond.pipelines.readiness import GOOD, StepState
from diamond.service.code.manifests import read_manifest
from diamond.service.endpoints.ask_agent import require_files, require_online
from diamond.service.output.files import read_pieces
from diamond.service.pipelines.board import Board
from diamond.service.platform.services import Services
from diamond.service.results import store as result_store
from diamond.service.results.rows import READY
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.store import tasks_by_id

AT_ONCE = 16
"""Values that are asked for at the same time."""
_UNFIT = re.compile("[\0\ud800-\udfff]")
LARGEST_VALUE = 64 << 10
"""Bytes of the file of a value: it becomes a param, which is stored and shown."""


@dataclass(frozen=True)
class ReadValue:
    value: JsonValue = None
    problem: str = ""


@dataclass
class Seen:
    values: dict[tuple[str, str], ReadValue] = field(default_factory=dict)
    """By task and the name of the output."""
    names: dict[str, list[str]] = field(default_factory=dict)
    """What is at the top of a tree, by its digest."""
    code: tuple[CodeFile, ...] = ()


async def look(services: Services, board: Board) -> Seen:
    """What cannot be read now, as its endpoint is away, is missing here: it is looked for again."""
    seen = Seen(code=await _code(services, board))
    async with services.store.read() as connection:
        running = [step for step in board.steps.values() if step.state is StepState.RUNNING]
        tasks = await tasks_by_id(connection, {step.task for step in running})
        done = {task for task, row in tasks.items() if row.state == State.SUCCEEDED.value}
        results = await result_store.results_by_task(connection, done)
    values = [
        (tasks[step.task], output.name, output.path)
        for step in running
        if step.task in done
        for output in board.pipeline.graph.stages[step.stage].outputs.values()
        if output.is_value and output.name not in step.outputs
    ]
    for first in range(0, len(values), AT_ONCE):
        some = values[first : first + AT_ONCE]
        await asyncio.gather(*(_see_value(services, seen, *value) for value in some))
    ready = [one for rows in results.values() for one in rows if one.state == READY]
    await _see_trees(services, seen, {one.tree for one in ready if one.files == 1})
    await _see_trees(services, seen, _mapped_trees(board))
    return seen


def _mapped_trees(board: Board) -> set[str]:
    """Trees over whose items a stage is mapped that has no steps yet."""
    expanded = board.states
    sources = {
        axis.source
        for name, stage in board.pipeline.graph.stages.items()
        for axis in stage.axes
        if axis.source and name not in expanded
    }
    return {
        output.tree
        for source in sources
        for (stage, _), step in board.steps.items()
        if stage == source.stage and step.state in GOOD
        if (output := step.outputs.get(source.output)) and output.tree
    }


async def _see_trees(services: Services, seen: Seen, trees: Collection[str]) -> None:
    for tree in trees:
        if tree not in seen.names:
            try:
                path = services.manifests.find(tree)
                seen.names[tree] = await asyncio.to_thread(top_names, path)
            except DiamondError:  # its machine lets no manifest leave
                seen.names[tree] = []


def top_names(manifest: Path) -> list[str]:
    """One more than there may be steps at most. It may list millions of files: none of them is kept in memory."""
    names: dict[str, None] = {}
    with manifest.open("rb") as source:
        for entry in tree_entries(source):
            names[entry.path.partition("/")[0]] = None
            if len(names) > MOST_STEPS:
                break
    return list(names)


async def _see_value(services: Services, seen: Seen, task: TaskRow, name: str, path: str) -> None:
    try:
        seen.values[task.id, name] = ReadValue(await _value(services, task, path))
    except EndpointAway:
        return
    except DiamondError as error:
        seen.values[task.id, name] = ReadValue(
            problem=f"the value {name} ({path}): {error.message}"
        )


async def _value(services: Services, task: TaskRow, path: str) -> JsonValue:
    require_files(task)
    await require_online(services, task)
    which = {"task": task.id, "path": path}
    facts = await services.relay.ask_json(task.endpoint, "stat-file", **which)
    size = int(facts["size"])
    if size > LARGEST_VALUE:
        raise BadRequest(f"it has {size} bytes, but a value has at most {LARGEST_VALUE}")
    pieces = [piece async for piece in read_pieces(services, task.endpoint, which, 0, size)]
    return parse_value(b"".join(pieces))


def parse_value(text: bytes) -> JsonValue:
    """A JSON text, number or boolean, or a list of these. Raises `BadRequest`."""
    try:
        value: JsonValue = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise BadRequest("it is not JSON") from None
    items = value if isinstance(value, list) else [value]
    if any(isinstance(item, (list, dict)) for item in items):
        raise BadRequest("it is neither a plain value nor a list of plain values")
    if not all(_can_be_stored(item) for item in items):
        raise BadRequest(
            "it has a number that is not finite or beyond 64 bits, or a text that is not Unicode"
        )
    return value


def _can_be_stored(item: JsonValue) -> bool:
    if isinstance(item, str):
        return not _UNFIT.search(item)
    if isinstance(item, float):
        return math.isfinite(item)
    return not isinstance(item, int) or -(2**63) <= item < 2**63


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is not a number")


async def _code(services: Services, board: Board) -> tuple[CodeFile, ...]:
    snapshot = board.row.code.snapshot if board.row.code else ""
    if not snapshot:
        return ()
    if snapshot not in _listed:
        manifest = await read_manifest(services.blobs, snapshot)
        if len(_listed) >= MOST_LISTED:
            _listed.clear()
        _listed[snapshot] = tuple(
            CodeFile(file.path, file.sha256 or file.link, file.mode) for file in manifest.files
        )
    return _listed[snapshot]


MOST_LISTED = 64
_listed: dict[str, tuple[CodeFile, ...]] = {}
"""Snapshots never change: each is read once."""
