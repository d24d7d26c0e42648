"""Work that was done before is not repeated: the key of a step, and the earlier step that has it."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.compose.spec_check import Composed
from diamond.core.artifacts import plain_digest
from diamond.core.order import Code
from diamond.pipelines.cache_key import CodeFile, Work, code_digest, key_of
from diamond.service.pipelines import store
from diamond.service.pipelines.bind import Bound
from diamond.service.pipelines.board import Board
from diamond.service.pipelines.rows import StepRow
from diamond.service.trees.trees import places_of


def step_key(
    board: Board, step: StepRow, bound: Bound, composed: Composed, code: Sequence[CodeFile]
) -> str:
    """Empty for a step that is never taken from the cache."""
    stage = board.pipeline.stages[step.stage]
    outputs = board.pipeline.graph.stages[step.stage].outputs
    order = composed.order
    if not stage.cache or not outputs or order.data:
        return ""
    spec = bound.spec
    source = order.code or Code()
    files = code_digest(code, without=board.row.spec_file, only=stage.files)
    trees = {name: plain_digest(tree.digest) for name, tree in order.trees.items()}
    work = Work(
        command=spec.get("run") or "",
        notebook=str(spec.get("notebook") or ""),
        params=dict(order.params),
        code=files if source.snapshot else f"{source.git_url}@{source.git_commit}",
        environment=composed.image.identity if composed.image else spec.get("environment"),
        inputs=trees,
        outputs={name: [output.path, output.kind] for name, output in outputs.items()},
        secrets=sorted(order.secrets),
    )
    return key_of(work)


async def find_cached(connection: AsyncConnection, owner: str, key: str) -> StepRow | None:
    """The newest step of the same person that did this work, and whose results are still somewhere unchanged."""
    for step in await store.done_with_key(connection, owner, key):
        trees = {output.tree for output in step.outputs.values() if output.tree}
        places = await places_of(connection, owner, trees)
        if all(any(not place.changed for place in places[tree]) for tree in trees):
            return step
    return None
