"""Records as a crate or as PROV-JSON: what belongs to each task, put together and streamed."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import BadRequest, NotFound
from diamond.core.order import Order, order_from
from diamond.launchers.starters.plain import plain_start
from diamond.notation.yaml_writer import write_text
from diamond.provenance import crate as crates
from diamond.provenance import plain_run
from diamond.provenance.anchors import in_order, proof_of
from diamond.provenance.crate import CrateFile, CrateRequest, CrateTask, crate_metadata
from diamond.provenance.plain_run import PlainRun
from diamond.provenance.prov import prov_json
from diamond.provenance.public import public, without_secrets
from diamond.provenance.record import Record, assemble
from diamond.schedulers.plain import batch_lines
from diamond.service.access.principal import Principal
from diamond.service.code.manifests import ListedFile
from diamond.service.entries import store
from diamond.service.entries.rows import EntryRow
from diamond.service.people.store import find_user
from diamond.service.platform.services import Services
from diamond.service.records.attachments import MOST_FILES, Attached, attached
from diamond.service.records.schemas import (
    ExportFormat,
    ExportOptions,
    ExportPart,
    ExportRequest,
)
from diamond.service.records.zip_stream import ZipPart, ZipTree, zip_stream
from diamond.service.tasks.code import listed_files
from diamond.service.tasks.record_entries import ensure_record
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.schemas import TaskMatch
from diamond.service.tasks.task_list import TaskFilter
from diamond.service.tasks.tasks import find_task, list_tasks
from diamond.training.install import training_sources

MOST_TASKS = 500
SHELL, JSON = "text/x-shellscript", "application/json"


@dataclass(frozen=True)
class Exported:
    name: str
    """Of the file."""
    media_type: str
    pieces: AsyncIterator[bytes]


@dataclass(frozen=True)
class _TaskParts:
    """One task: what the crate says of it, and its files."""

    task: CrateTask
    files: list[ZipPart] = field(default_factory=list)
    attached: list[ZipPart | ZipTree] = field(default_factory=list)
    entries: int = 0
    """Of the data among these."""


async def export_tasks(
    services: Services, principal: Principal, tasks: Sequence[str], options: ExportOptions
) -> Exported:
    """Of tasks that the caller may read."""
    async with services.store.read() as connection:
        wanted = list(dict.fromkeys(tasks))
        rows = [await find_task(connection, principal, task) for task in wanted]
    return await export_rows(services, rows, options, principal)


async def export_request(
    services: Services, principal: Principal, request: ExportRequest
) -> Exported:
    if bool(request.tasks) == bool(request.matching):
        raise BadRequest("Name some tasks, or give `matching`: one of them, not both")
    if request.matching is None:
        return await export_tasks(services, principal, request.tasks, request)
    wanted = await chosen_tasks(services, principal, request.matching)
    return await export_tasks(services, principal, wanted, request)


async def chosen_tasks(services: Services, principal: Principal, wanted: TaskMatch) -> list[str]:
    """All that match. Raises `BadRequest` for more than a crate holds."""
    values = wanted.model_dump(exclude={"state"})
    taken = TaskFilter(states=list(wanted.state), **values)
    items, _ = await list_tasks(services, principal, taken, limit=MOST_TASKS + 1, cursor=None)
    chosen = [item.id for item in items]
    if len(chosen) > MOST_TASKS:
        raise BadRequest(f"More than {MOST_TASKS} tasks match", "Narrow the filter.")
    return chosen


async def export_rows(
    services: Services,
    rows: Sequence[TaskRow],
    options: ExportOptions,
    principal: Principal | None = None,
) -> Exported:
    """`principal`: who takes data and images along; without one, neither goes."""
    if not 0 < len(rows) <= MOST_TASKS:
        raise BadRequest(f"{len(rows)} tasks: a crate holds 1 to {MOST_TASKS}")
    alone = len(rows) == 1
    parts: list[_TaskParts] = []
    room = MOST_FILES
    for row in rows:
        parts.append(await _task_parts(services, row, options, principal, alone=alone, room=room))
        room -= parts[-1].entries
    title = options.name or (rows[0].name if len(rows) == 1 else f"{len(rows)} tasks")
    if options.format is ExportFormat.PROV:
        body = prov_json([part.task for part in parts])
        return Exported(f"{_file_name(title)}.prov.json", JSON, _once(body))
    request = CrateRequest(title, [part.task for part in parts], time.time())
    if options.license:
        request = replace(request, license=options.license)
    metadata = ZipPart(crates.METADATA, crate_metadata(request))
    files: list[ZipPart | ZipTree] = [metadata, *(file for part in parts for file in part.files)]
    files += [file for part in parts for file in part.attached]
    return Exported(f"{_file_name(title)}.crate.zip", "application/zip", zip_stream(files))


async def _task_parts(
    services: Services,
    row: TaskRow,
    options: ExportOptions,
    principal: Principal | None,
    *,
    alone: bool,
    room: int,
) -> _TaskParts:
    await services.store.run(lambda tx: ensure_record(tx, row))
    async with services.store.read() as connection:
        kept = await store.entries_of(connection, row.id)
        user = None if options.blind else await find_user(connection, row.owner)
        whole = assemble(one.entry for one in kept)
        shown = assemble(replace(one.entry, sealed={}) for one in kept)
        anchor = await _anchor(connection, row.id)
        lock = await _lock(connection, row, whole, options)
    folder = "" if alone else f"tasks/{row.id}/"
    order = _order(whole, row)
    code = await _code(services, folder, whole, options)
    beside = Attached()
    if principal is not None and options.format is ExportFormat.CRATE:
        beside = await attached(services, principal, row, order, options.parts, folder, room=room)
    plain = PlainRun(
        name=row.name,
        order=order,
        start=plain_start(order),
        directives=batch_lines(row.name, order.resources),
        has_code=bool(code),
        has_support=bool(code),
        lock=plain_run.LOCK if lock else "",
        variables=_variables(order),
        image=_enterable(beside, order),
    )
    scripts = _scripts(folder, plain)
    files = [
        *_record_files(folder, kept, shown, anchor),
        *([ZipPart(f"{folder}{plain_run.LOCK}", lock.encode())] if lock else []),
        *code,
    ]
    described = CrateTask(
        task=row.id,
        record=shown,
        folder=folder,
        who=user.name if user else "",
        files=[_described(part, folder) for part in files],
        scripts=[_described(part, folder, SHELL) for part in scripts],
        folders=beside.folders,
        image=beside.image,
    )
    whole_files = [*scripts, *files, *_support(folder, code)]
    return _TaskParts(described, whole_files, beside.parts, beside.entries)


def _enterable(beside: Attached, order: Order) -> str:
    """The file of the image, below the task's folder, where `run.sh` can enter it with Apptainer."""
    is_squashed = order.image is not None and order.image.format in ("", "squashfs")
    starts_inside = order.launch.kind in ("torchrun", "accelerate")  # its starter is in the image
    if beside.image is None or not is_squashed or starts_inside:
        return ""
    return f"{plain_run.IMAGE}/{beside.image.name}"


def _record_files(
    folder: str, kept: Sequence[EntryRow], record: Record, anchor: bytes
) -> list[ZipPart]:
    spec = record.submitted.spec if record.submitted else {}
    lines = "".join(f"{row.line}\n" for row in kept).encode()
    files = [
        ZipPart(f"{folder}{crates.RECORD}", lines),
        ZipPart(f"{folder}{crates.SPEC}", write_text(spec).encode()),
    ]
    if anchor:
        files.append(ZipPart(f"{folder}{crates.ANCHOR}", anchor))
    if record.metrics is not None:
        values = {name: vars(value) for name, value in record.metrics.values.items()}
        content = json.dumps(values, indent=1, sort_keys=True).encode()
        files.append(ZipPart(f"{folder}{crates.METRICS}", content))
    return files


def _scripts(folder: str, plain: PlainRun) -> list[ZipPart]:
    params = json.dumps(public(without_secrets(plain.order.params)), indent=1).encode()
    return [
        ZipPart(f"{folder}{plain_run.RUN}", plain_run.run_script(plain).encode(), True),
        ZipPart(f"{folder}{plain_run.BATCH}", plain_run.batch_script(plain).encode(), True),
        ZipPart(f"{folder}{plain_run.COMMAND}", plain_run.command_file(plain.order).encode()),
        ZipPart(f"{folder}{plain_run.PARAMS}", params),
    ]


def _order(record: Record, row: TaskRow) -> Order:
    """As recorded, with its paths; secrets are masked there."""
    return order_from(record.order or row.order_json)


def _variables(order: Order) -> dict[str, str]:
    """Of the spec and its image, without those that hold a secret or a path of the machine."""
    own = {
        **(order.image.variables if order.image else {}),
        **(order.environment.variables if order.environment else {}),
    }
    shown = public(without_secrets(own))
    return {name: value for name, value in own.items() if shown[name] == value}


async def _code(
    services: Services, folder: str, record: Record, options: ExportOptions
) -> list[ZipPart]:
    used = record.submitted.code if record.submitted else None
    if ExportPart.CODE not in options.parts or used is None or not used.snapshot:
        return []
    try:
        files = await listed_files(services, used.snapshot)
        return [
            _code_part(services, f"{folder}{plain_run.CODE}/{file.path}", file) for file in files
        ]
    except NotFound:  # Its owner removed it; the record names its digest.
        return []


def _code_part(services: Services, path: str, file: ListedFile) -> ZipPart:
    if file.link:
        return ZipPart(path, link=file.link)
    is_executable = file.mode.endswith(("755", "775", "777"))
    return ZipPart(path, services.blobs.find(file.sha256), is_executable)


def _support(folder: str, code: Sequence[ZipPart]) -> list[ZipPart]:
    """`diamond.training`, which the code may import: it needs nothing else of Diamond."""
    if not code:
        return []
    place = f"{folder}{plain_run.SUPPORT}"
    return [ZipPart(f"{place}/{name}", content) for name, content in training_sources().items()]


async def _lock(
    connection: AsyncConnection, row: TaskRow, record: Record, options: ExportOptions
) -> str:
    digest = record.image.lock if record.image else ""
    if ExportPart.LOCK not in options.parts or not digest:
        return ""
    return (await store.read_texts(connection, row.owner, [digest])).get(digest, "")


async def _anchor(connection: AsyncConnection, task: str) -> bytes:
    """The newest anchor that covers the record, and what leads from the record to it."""
    covers = await store.anchored(connection, task)
    anchor = await store.anchor_by_number(connection, covers[-1].anchor) if covers else None
    if anchor is None:
        return b""
    heads = in_order(one.value for one in await store.heads_in(connection, anchor.n))
    position = next(n for n, one in enumerate(heads) if one.task == task)
    proof = [vars(step) for step in proof_of([head.leaf for head in heads], position)]
    covered = {"task": task, "n": covers[-1].n, "head": covers[-1].head}
    return json.dumps({"anchor": vars(anchor), "covers": covered, "proof": proof}).encode()


def _described(part: ZipPart, folder: str, media_type: str = "") -> CrateFile:
    name = part.path.removeprefix(folder)
    kind = media_type or _FORMATS.get(name.rpartition(".")[2], "text/plain")
    if not isinstance(part.content, bytes):
        size = part.content.stat().st_size
        return CrateFile(part.path, name, "text/plain", size, part.content.name)
    digest = hashlib.sha256(part.content).hexdigest() if part.content else ""
    return CrateFile(part.path, name, kind, len(part.content), digest)


_FORMATS = {"json": JSON, "jsonl": "application/jsonl", "yaml": "application/yaml", "sh": SHELL}


def _file_name(title: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "._-" else "-" for letter in title)[:80]


async def _once(body: bytes) -> AsyncIterator[bytes]:
    yield body
