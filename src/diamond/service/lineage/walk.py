"""The graph around a task or a digest, as far as the caller may see it."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.artifacts import plain_digest
from diamond.core.errors import NotFound
from diamond.service.access.authorize import role_of
from diamond.service.access.principal import Principal
from diamond.service.lineage import store
from diamond.service.lineage.naming import Named, digest_of_name, names_of
from diamond.service.lineage.rows import Direction, EdgeRow, Kind, StepRow
from diamond.service.lineage.schemas import Lineage, LineageEdge, LineageNode
from diamond.service.lineage.store import Reader
from diamond.service.people.shares import JOB, things_shared_with
from diamond.service.platform.services import Services

MOST_TASKS = 1000
MOST_NODES = 3000


@dataclass(frozen=True)
class Wanted:
    start: str
    """A task, `NAME@v2` of a dataset or model, or the digest of code, an image or data."""
    backward: bool = True
    forward: bool = True
    depth: int = 100


@dataclass(frozen=True)
class _Part:
    tasks: list[str]
    is_complete: bool


async def read_lineage(services: Services, principal: Principal, wanted: Wanted) -> Lineage:
    async with services.store.read() as connection:
        reader = await _reader(connection, principal)
        start, ids, is_complete = await _reached(connection, reader, wanted)
        edges = await store.edges_of(connection, ids)
        steps = await store.steps_of(connection, ids)
        digests = {edge.digest for edge in edges}
        names = await names_of(connection, principal, digests)
    depths = _depths(start, edges, wanted)
    shown = sorted(depths, key=lambda node: (abs(depths[node]), node))[:MOST_NODES]
    return _graph(principal, start, shown, depths, edges, steps, names, is_complete)


async def _reader(connection: AsyncConnection, principal: Principal) -> Reader:
    """Projects of a course show only managers the work of others."""
    whole = [
        project
        for project in principal.projects
        if role_of(principal, owner="", project=project) is not None
    ]
    jobs = await things_shared_with(connection, JOB, principal.user)
    return Reader(principal.user, whole, jobs)


async def _reached(
    connection: AsyncConnection, reader: Reader, wanted: Wanted
) -> tuple[str, list[str], bool]:
    """Where it starts, the tasks around it, and whether these are all."""
    is_task = await store.visible_task(connection, reader, wanted.start)
    start = wanted.start
    if not is_task:
        start = await digest_of_name(connection, reader.user, start) or plain_digest(start)
    found: dict[str, None] = {}
    is_complete = True
    for backward in (True, False):
        if not (wanted.backward if backward else wanted.forward):
            continue
        first = [start] if is_task else await _users(connection, reader, start, backward=backward)
        part = await store.reached(
            connection, reader, first, backward=backward, most=MOST_TASKS + 1
        )
        is_complete = is_complete and len(part) <= MOST_TASKS
        found |= dict.fromkeys(part[:MOST_TASKS])
    if not found:
        found = dict.fromkeys(await _any_users(connection, reader, start))
    if not found:
        raise NotFound(
            f"There is no task, code, image or data {wanted.start!r}",
            "Give a whole task id or digest, or NAME@v2 of a dataset or model of yours.",
        )
    return start, list(found), is_complete


async def _users(
    connection: AsyncConnection, reader: Reader, digest: str, *, backward: bool
) -> list[str]:
    """Backward from a digest: who made it. Forward: who used it."""
    direction = Direction.OUT if backward else Direction.IN
    return await store.tasks_with(connection, reader, digest, direction, MOST_TASKS + 1)


async def _any_users(connection: AsyncConnection, reader: Reader, digest: str) -> list[str]:
    """Something that a visible task used, looked at backward: it is there, and nothing led to it."""
    return await store.tasks_with(connection, reader, digest, Direction.IN, 1)


def _depths(start: str, edges: Sequence[EdgeRow], wanted: Wanted) -> dict[str, int]:
    """Of each node that is reached, along edges that all point the same way."""
    into: dict[str, list[str]] = defaultdict(list)
    out_of: dict[str, list[str]] = defaultdict(list)
    for edge in edges:
        source, target = _ends(edge)
        into[target].append(source)
        out_of[source].append(target)
    depths = {start: 0}
    if wanted.backward:
        depths |= {node: -n for node, n in _breadth_first(start, into, wanted.depth).items()}
    if wanted.forward:
        depths |= _breadth_first(start, out_of, wanted.depth)
    return depths


def _breadth_first(start: str, neighbours: Mapping[str, list[str]], depth: int) -> dict[str, int]:
    known, waiting = {start: 0}, deque([start])
    while waiting:
        node = waiting.popleft()
        if known[node] >= depth:
            continue
        for other in neighbours.get(node, ()):
            if other not in known:
                known[other] = known[node] + 1
                waiting.append(other)
    return known


def _ends(edge: EdgeRow) -> tuple[str, str]:
    used = edge.direction == Direction.IN.value
    return (edge.digest, edge.task) if used else (edge.task, edge.digest)


def _graph(
    principal: Principal,
    start: str,
    shown: Sequence[str],
    depths: Mapping[str, int],
    edges: Sequence[EdgeRow],
    steps: Sequence[StepRow],
    names: Mapping[str, Named],
    is_complete: bool,
) -> Lineage:
    kinds = {edge.digest: edge.kind for edge in edges}
    roles = {edge.digest: edge.role for edge in edges}
    by_id = {step.id: step for step in steps}
    kept = set(shown)
    nodes = [
        _task_node(by_id[node], depths[node], principal)
        if node in by_id
        else _thing_node(node, kinds.get(node, ""), roles.get(node, ""), depths[node], names)
        for node in shown
    ]
    lines = [
        LineageEdge(source=source, target=target, role=edge.role)
        for edge in edges
        for source, target in (_ends(edge),)
        if source in kept and target in kept
    ]
    return Lineage(
        start=start,
        nodes=nodes,
        edges=lines,
        tasks=sum(node in by_id for node in shown),
        made=len(_made(edges, kept)),
        is_complete=is_complete and len(shown) == len(depths),
    )


def _made(edges: Iterable[EdgeRow], kept: Collection[str]) -> set[str]:
    return {
        edge.digest
        for edge in edges
        if edge.direction == Direction.OUT.value and edge.digest in kept and edge.task in kept
    }


def _task_node(step: StepRow, depth: int, principal: Principal) -> LineageNode:
    return LineageNode(
        id=step.id,
        kind="task",
        name=step.name,
        link=f"/tasks/{step.id}",
        state=step.state,
        endpoint=step.endpoint_name,
        created=step.created,
        is_own=step.owner == principal.user,
        depth=depth,
    )


def _thing_node(
    digest: str, kind: str, role: str, depth: int, names: Mapping[str, Named]
) -> LineageNode:
    named = names.get(digest)
    return LineageNode(
        id=digest,
        kind=Kind(kind or Kind.TREE.value).value,
        name=named.name if named else (role if kind == Kind.TREE.value else ""),
        link=named.link if named else "",
        depth=depth,
    )
