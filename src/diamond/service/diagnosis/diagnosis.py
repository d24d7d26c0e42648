"""Gathers what is known about a task that failed, and carries out the fix that is offered."""

from __future__ import annotations

from diamond.core.errors import Conflict, DiamondError
from diamond.core.task import Reason, State
from diamond.images.accelerators import has_gpus
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.chains.view import may_resume
from diamond.service.composer.request import RequestedSpec
from diamond.service.diagnosis import schemas
from diamond.service.diagnosis.advice import Diagnosis, Ending, Fix, advise, changed_spec
from diamond.service.diagnosis.causes import find_cause
from diamond.service.endpoints.facts import effective_facts
from diamond.service.endpoints.store import endpoint_by_id
from diamond.service.jobs.retry import retry_task
from diamond.service.jobs.submit import Submission, check, submit
from diamond.service.output.logs import LogWanted, read_log
from diamond.service.platform.idempotency import Once
from diamond.service.platform.services import Services
from diamond.service.tasks import job_store
from diamond.service.tasks.rows import JobRow, TaskRow
from diamond.service.tasks.schemas import Task
from diamond.service.tasks.tasks import find_task, load_task

TAIL_BYTES = 64 << 10
NOTHING_KNOWN = (
    "Read its log: diamond logs {task} --stderr. Then edit the spec or the code, and run it again."
)


async def diagnose(services: Services, principal: Principal, task: str) -> schemas.Diagnosis:
    row = await load_task(services, principal, task)
    known = await _diagnosis(services, principal, row)
    if known is None:
        return schemas.Diagnosis(task=row.id, cause="", title="", hint="", line="", fix=None)
    fix = known.fix
    if fix is not None and not await _is_possible(services, principal, row, fix):
        fix = None
    return schemas.Diagnosis(
        task=row.id,
        cause=known.cause.value,
        title=known.title,
        hint=known.hint,
        line=known.line,
        fix=schemas.Fix(label=fix.label, changes=dict(fix.changes)) if fix else None,
    )


async def fix(services: Services, principal: Principal, task: str, key: str | None) -> Task:
    async with services.store.read() as connection:
        row = await find_task(connection, principal, task, action=Action.WRITE)
    known = await _diagnosis(services, principal, row)
    if known is None or known.fix is None:
        hint = known.hint if known else NOTHING_KNOWN.format(task=row.id)
        raise Conflict(f"Diamond knows no change that would make {row.id} run", hint, code="no-fix")
    job = await _job_of(services, row)
    _require_own(principal, row, job)
    if not known.fix.changes:
        return await retry_task(services, principal, row.id, key)
    submission = _submission(row, job, known.fix, key)
    return (await submit(services, principal, submission)).tasks[0]


async def _diagnosis(services: Services, principal: Principal, task: TaskRow) -> Diagnosis | None:
    if task.state != State.FAILED.value and task.reason != Reason.BY_SITE.value:
        return None
    if task.kind != "run":
        return None
    texts = [await _tail(services, principal, task, stream) for stream in ("stderr", "stdout")]
    found = find_cause(
        Reason(task.reason), texts, signal=task.signal or 0, exit_code=task.exit_code
    )
    return advise(found, await _ending(services, task)) if found else None


async def _tail(services: Services, principal: Principal, task: TaskRow, stream: str) -> str:
    """What the service has, or the endpoint answers now; an endpoint that is away delays nothing."""
    wanted = LogWanted(stream, offset=-TAIL_BYTES, limit=TAIL_BYTES)
    try:
        part = await read_log(services, principal, task.id, wanted)
    except DiamondError:
        return ""
    return part.data.decode("utf-8", "replace")


async def _ending(services: Services, task: TaskRow) -> Ending:
    job = await _job_of(services, task)
    async with services.store.read() as connection:
        endpoint = await endpoint_by_id(connection, task.endpoint)
    code = job.code
    checkpoints = [attempt.reached.checkpoint for attempt in task.attempts]
    return Ending(
        task=task.id,
        endpoint=task.endpoint_name,
        spec=job.spec,
        resources=task.order.resources,
        left_out=code.left_out if code else (),
        has_gpus=has_gpus(effective_facts(endpoint)) if endpoint else None,
        has_checkpoint=any(checkpoints),
        may_resume=may_resume(task),
    )


async def _job_of(services: Services, task: TaskRow) -> JobRow:
    async with services.store.read() as connection:
        job = await job_store.find_job(connection, task.job)
    if job is None:
        raise Conflict(f"The job of {task.id} has been removed", "Run the spec again.")
    return job


def _require_own(principal: Principal, task: TaskRow, job: JobRow) -> None:
    if not _may_fix(principal, task, job):
        raise Conflict(
            f"{task.id} cannot be changed and run again with one call",
            "Work of others, of an assignment, and signed work: change the spec, and run that.",
            code="no-fix",
        )


def _may_fix(principal: Principal, task: TaskRow, job: JobRow) -> bool:
    return task.owner == principal.user and not job.assignment and not task.chain.signature


async def _is_possible(
    services: Services, principal: Principal, task: TaskRow, wanted: Fix
) -> bool:
    """Offered only to whoever may do it, and only if the spec is valid with it."""
    job = await _job_of(services, task)
    if not _may_fix(principal, task, job):
        return False
    try:
        if wanted.changes:
            await check(services, principal, _submission(task, job, wanted, None))
    except DiamondError:
        return False
    return True


def _submission(task: TaskRow, job: JobRow, wanted: Fix, key: str | None) -> Submission:
    spec = changed_spec(job.spec, wanted, task.endpoint_name)
    once = Once.of(key, "POST /tasks/fix", {"task": task.id})
    return Submission(RequestedSpec(spec, job.code), project=job.project, once=once)
