"""Pipelines as they are shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.artifacts import PREFIX
from diamond.pipelines.critical import critical_path
from diamond.pipelines.readiness import StepState
from diamond.service.pilots.store import pilots_of
from diamond.service.pipelines import store
from diamond.service.pipelines.bind import label
from diamond.service.pipelines.board import Board
from diamond.service.pipelines.rows import PipelineRow, StepRow
from diamond.service.pipelines.schemas import (
    Pipeline,
    PipelineDetail,
    PipelinePilot,
    Stage,
    Step,
    StepCounts,
    StepOutputView,
)
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.store import tasks_by_id

WORST_FIRST = (
    StepState.FAILED,
    StepState.CANCELLED,
    StepState.RUNNING,
    StepState.STOPPED,
    StepState.WAITING,
    StepState.DONE,
    StepState.CACHED,
    StepState.SKIPPED,
)


async def show_pipeline(connection: AsyncConnection, pipeline: str) -> PipelineDetail:
    row = await store.find_pipeline(connection, pipeline)
    assert row is not None
    board = Board.of(row, await store.steps_of(connection, [pipeline]))
    tasks = await tasks_by_id(connection, {step.task for step in board.steps.values() if step.task})
    graph, grouped = board.pipeline.graph, _by_stage(board.steps.values())
    ends = {
        name: max(step.ended or step.started or 0.0 for step in steps)
        for name, steps in grouped.items()
        if any(step.started for step in steps)
    }
    critical = set(critical_path(graph, ends))
    stages = [
        _stage(board, name, grouped.get(name, []), tasks, is_critical=name in critical)
        for name in graph.order
    ]
    summary = summarize(row, Counter(step.state.value for step in board.steps.values()))
    helds = await pilots_of(connection, row.id, {task.pilot for task in tasks.values()})
    return PipelineDetail(
        **summary.model_dump(),
        spec=row.spec,
        forced=list(row.forced),
        pilots=[_pilot(held.task) for held in helds],
        stages=stages,
    )


def summarize(row: PipelineRow, counts: Mapping[str, int]) -> Pipeline:
    """`counts`: of its steps by state."""
    return Pipeline.model_validate({**vars(row), "counts": StepCounts(**counts)})


def _pilot(task: TaskRow) -> PipelinePilot:
    return PipelinePilot.model_validate(
        {
            "id": task.id,
            "name": task.name,
            "state": task.state,
            "reason": task.reason,
            "message": task.message,
            "nodes": task.resources.nodes,
            "allocations": sum(attempt.started is not None for attempt in task.attempts),
            "created": task.created,
            "started": task.started,
            "ended": task.ended,
        }
    )


def _by_stage(steps: Iterable[StepRow]) -> dict[str, list[StepRow]]:
    grouped: dict[str, list[StepRow]] = {}
    for step in sorted(steps, key=lambda step: step.n):
        grouped.setdefault(step.stage, []).append(step)
    return grouped


def _stage(
    board: Board,
    name: str,
    steps: Sequence[StepRow],
    tasks: Mapping[str, TaskRow],
    *,
    is_critical: bool,
) -> Stage:
    stage = board.pipeline.graph.stages[name]
    present = {step.state for step in steps}
    state = next((one for one in WORST_FIRST if one in present), StepState.WAITING)
    return Stage(
        name=name,
        parents=board.pipeline.graph.parents(name),
        is_mapped=stage.is_mapped,
        group=board.pipeline.group_of(name),
        when=stage.when,
        state=state.value,
        is_critical=is_critical,
        steps=[_step(board, step, tasks.get(step.task)) for step in steps],
    )


def _step(board: Board, step: StepRow, task: TaskRow | None) -> Step:
    is_cached = step.state is StepState.CACHED
    resources = task.resources if task else None
    nodes = resources.nodes if resources else 0
    return Step(
        n=step.n,
        label=label(step) if step.item else "",
        state=step.state.value,
        message=step.message or (task.message if task and not is_cached else ""),
        item=step.item,
        task=step.task,
        pilot=task.pilot if task and not is_cached else "",
        task_state=task.state if task else "",
        phase=task.phase if task and not is_cached else "",
        endpoint=task.endpoint_name if task else "",
        nodes=nodes,
        cpus=nodes * resources.cpus_per_node if resources else 0,
        gpus=nodes * resources.gpus_per_node if resources else 0,
        tries=step.tries,
        lost=step.lost,
        queued=step.started,
        started=step.started if is_cached else task.started if task else None,
        ended=step.ended or (task.ended if task and not is_cached else None),
        outputs=_outputs(board, step),
    )


def _outputs(board: Board, step: StepRow) -> dict[str, StepOutputView]:
    shown = {}
    for name, output in board.pipeline.graph.stages[step.stage].outputs.items():
        made = step.outputs.get(name)
        shown[name] = StepOutputView(
            kind=output.kind,
            path=output.path,
            digest=PREFIX + made.tree if made and made.tree else "",
            size=made.size if made else 0,
            files=made.files if made else 0,
            value=made.value if made else None,
            dataset=made.dataset if made else "",
        )
    return shown
