"""Files of a run directory, its script and its report: fetched from the agent while a person waits."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from diamond import __version__
from diamond.compose.spec_check import Composed
from diamond.core.errors import BadRequest, DiamondError, EndpointAway
from diamond.core.order import order_data
from diamond.core.redact import redacted
from diamond.service.access.principal import Principal
from diamond.service.endpoints.ask_agent import (
    require_endpoint_online,
    require_files,
    require_online,
)
from diamond.service.endpoints.community import usable_endpoint
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import endpoint_by_id
from diamond.service.output.logs import LogWanted, list_logs, read_log
from diamond.service.output.schemas import FileEntry, LoggedMedia
from diamond.service.platform.database.rows import JsonObject, values_of
from diamond.service.platform.http.safe_download import guessed_type, preview_of
from diamond.service.platform.http.schemas import Page
from diamond.service.platform.services import Services
from diamond.service.tasks.code import listed_files
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.tasks import load_task, task_history
from diamond.service.tasks.views import show_tasks

PIECE_BYTES = 4 << 20
MOST_MEDIA = 500
REPORT_LOG_BYTES = 16 << 10
_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


@dataclass(frozen=True)
class Content:
    """A file, or the part of it that was asked for."""

    size: int
    first: int
    end: int
    etag: str
    pieces: AsyncIterator[bytes]

    @property
    def is_part(self) -> bool:
        return (self.first, self.end) != (0, self.size)


async def list_files(
    services: Services, principal: Principal, task: str, path: str, cursor: str | None
) -> Page[FileEntry]:
    """A page of a folder; an older agent only knows the first."""
    start = _start(cursor)
    row = await _online_task(services, principal, task)
    answer = await services.relay.ask_json(
        row.endpoint, "list-files", task=row.id, path=path, start=start
    )
    following = answer.get("next")
    entries = [FileEntry.model_validate(entry) for entry in answer.get("items", [])]
    sent = await _sent_files(services, row)
    return Page(
        items=[_with_preview(with_origin(entry, sent, row.started)) for entry in entries],
        next=str(following) if isinstance(following, int) else None,
    )


async def list_media(services: Services, principal: Principal, task: str) -> list[LoggedMedia]:
    """What a script logged with W&B or MLflow besides numbers. What an agent sends that is none is left out."""
    row = await _online_task(services, principal, task)
    answer = await services.relay.ask_json(row.endpoint, "list-media", task=row.id)
    items = answer.get("items")
    shown = []
    for item in items[:MOST_MEDIA] if isinstance(items, list) else []:
        try:
            media = LoggedMedia.model_validate(item)
        except ValidationError:
            continue
        # A page shows as a picture only what the service would send as one.
        if media.kind == "table" or preview_of(media.path) == "image":
            shown.append(media)
    return shown


def _start(cursor: str | None) -> int:
    if cursor and not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
        raise BadRequest("This cursor is not one of ours", "Use the `next` of the page before it.")
    return int(cursor or 0)


async def open_file(
    services: Services,
    principal: Principal,
    task: str,
    path: str,
    byte_range: str | None,
    if_range: str | None,
) -> Content:
    """Look first (size and digest), then read piece by piece."""
    row = await _online_task(services, principal, task)
    which = {"task": row.id, "path": path}
    facts = await services.relay.ask_json(row.endpoint, "stat-file", **which)
    size, etag = int(facts["size"]), f'"sha256:{facts["sha256"].removeprefix("sha256:")}"'
    changed = if_range is not None and if_range != etag
    first, end = (0, size) if changed else _span(byte_range, size)
    pieces = read_pieces(services, row.endpoint, which, first, end)
    return Content(size, first, end, etag, pieces)


async def task_script(services: Services, principal: Principal, task: str) -> str:
    row = await _online_task(services, principal, task)
    answer = await services.relay.ask_json(
        row.endpoint, "script", order=row.order_json, task=row.id, attempt=row.attempt
    )
    return str(answer.get("script", ""))


async def preview_script(services: Services, principal: Principal, composed: Composed) -> str:
    async with services.store.read() as connection:
        endpoint = await usable_endpoint(connection, principal.user, composed.endpoint)
    require_endpoint_online(services, endpoint)
    answer = await services.relay.ask_json(endpoint.id, "script", order=order_data(composed.order))
    return str(answer.get("script", ""))


async def task_report(services: Services, principal: Principal, task: str) -> dict[str, Any]:
    """Everything a support ticket needs, without private data. Works while the endpoint is offline.

    Whoever only sees the task learns nothing more of the machine: its profile and its agent's log are for its owner.
    """
    row = await load_task(services, principal, task)
    async with services.store.read() as connection:
        endpoint = await endpoint_by_id(connection, row.endpoint)
        shown = (await show_tasks(connection, [row]))[0]
    owns = endpoint is not None and endpoint.owner == principal.user
    facts = {
        "diamond": __version__,
        "task": shown.model_dump(mode="json"),
        "history": [line.model_dump() for line in await task_history(services, principal, row.id)],
        "logs": [log.model_dump() for log in (await list_logs(services, principal, row.id)).items],
        "log_ends": await _log_ends(services, principal, row),
        "endpoint": _endpoint_facts(endpoint, OWNERS_FACTS if owns else EVERYONES_FACTS),
    }
    machine = await _machine(services, row, facts)
    masked = machine.pop("facts", None) or _without_unmasked(facts, row)
    if not owns:
        machine = {name: value for name, value in machine.items() if name in OF_THE_TASK}
    return dict(redacted({**masked, "machine": machine}))


async def _sent_files(services: Services, row: TaskRow) -> dict[str, int]:
    """Paths and sizes of the code that the job came with."""
    code = row.order.code
    try:
        files = await listed_files(services, code.snapshot) if code else []
    except DiamondError:
        return {}
    return {file.path: file.size or 0 for file in files}


def with_origin(entry: FileEntry, sent: dict[str, int], started: float | None) -> FileEntry:
    """Whether it came with the job or was made by it. A folder that the job came with counts as input, whatever else is in it now."""
    if entry.kind == "folder":
        is_input = any(path.startswith(f"{entry.path}/") for path in sent)
    else:
        is_changed = started is not None and (entry.modified or 0.0) > started + 1.0
        is_input = sent.get(entry.path) == entry.size and not is_changed
    return entry.model_copy(update={"origin": "input" if is_input else "result"})


def _with_preview(entry: FileEntry) -> FileEntry:
    """With how it may be shown, judged by its name."""
    if entry.kind != "file":
        return entry
    shown = {"type": guessed_type(entry.path), "preview": preview_of(entry.path)}
    return entry.model_copy(update=shown)


async def _online_task(services: Services, principal: Principal, task: str) -> TaskRow:
    row = await load_task(services, principal, task)
    require_files(row)
    await require_online(services, row)
    return row


async def read_pieces(
    services: Services, endpoint: str, which: dict[str, str], first: int, end: int
) -> AsyncIterator[bytes]:
    at = first
    while at < end:
        wanted = min(PIECE_BYTES, end - at)
        piece = await services.relay.ask_bytes(
            endpoint, "read-file", **which, offset=at, length=wanted
        )
        if not piece:
            raise EndpointAway("The file became shorter while it was read", "Fetch it again.")
        yield piece
        at += len(piece)


def _span(header: str | None, size: int) -> tuple[int, int]:
    """[first, end) of a Range header; anything but a single range is ignored."""
    match = _RANGE.fullmatch(header.strip()) if header else None
    if not match or match.groups() == ("", ""):
        return 0, size
    first, last = match.groups()
    if first == "":
        return max(size - int(last), 0), size
    start, end = int(first), min(int(last) + 1, size) if last else size
    if start > size or start > end or (start == size and size):
        raise RangeOutside(f"The file has {size} bytes; there is nothing at {start}")
    return start, end


class RangeOutside(BadRequest):
    code = "range-outside"
    status = 416


async def _log_ends(services: Services, principal: Principal, row: TaskRow) -> dict[str, str]:
    ends = {}
    for stream in ("stdout", "stderr"):
        wanted = LogWanted(stream, offset=-REPORT_LOG_BYTES)
        try:
            part = await read_log(services, principal, row.id, wanted)
        except DiamondError as error:
            ends[stream] = f"({error.message})"
        else:
            ends[stream] = part.data.decode("utf-8", "replace")
    return ends


async def _machine(services: Services, row: TaskRow, facts: dict[str, Any]) -> dict[str, Any]:
    """The endpoint's own part, and `facts` with the values of its secrets removed."""
    try:
        require_files(row)
        await require_online(services, row)
        asked = {"task": row.id, "facts": facts}
        return await services.relay.ask_json(row.endpoint, "report", **asked)
    except DiamondError as error:
        return {"missing": error.message}


def _without_unmasked(facts: dict[str, Any], row: TaskRow) -> dict[str, Any]:
    """A program may have printed its secrets, and only the endpoint knows them by value."""
    if not row.order.secrets:
        return facts
    left_out = "(left out: the task has secrets, and its endpoint did not answer to mask them)"
    return {**facts, "log_ends": dict.fromkeys(facts["log_ends"], left_out)}


EVERYONES_FACTS = ("name", "state", "carrier", "agent_version", "python", "stays", "last_seen")
OWNERS_FACTS = (*EVERYONES_FACTS, "profile", "corrections")
OF_THE_TASK = frozenset({"agent", "host", "task", "attempts", "missing"})
"""What an agent reports of one task alone."""


def _endpoint_facts(endpoint: EndpointRow | None, names: tuple[str, ...]) -> JsonObject:
    if endpoint is None:
        return {}
    values = values_of(endpoint)
    return {name: values[name] for name in names}
