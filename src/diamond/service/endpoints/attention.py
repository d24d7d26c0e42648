"""What waits for the person: sign-in, confirmation, little room, files soon to be purged, tasks that need a decision."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from diamond.core.units import show_bytes
from diamond.core.words import reason_words, sentence
from diamond.service.endpoints.facts import FolderFact, fact_time, folder_facts
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.views import revive_line

NEAR_PART = 0.1
"""Less than a tenth of a quota is little."""
LITTLE_BYTES = {"keep": 20 << 20, "work": 2 << 30}
"""The same where no quota is known; keys and secrets take some kB."""
PURGE_DAYS = 7.0
DAY = 86400.0
MOST_HINT = 200


class AttentionTask(Protocol):
    """What a task must say here; `tasks.rows.TaskRow` does."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def endpoint_name(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def updated(self) -> float: ...
    @property
    def ended(self) -> float | None: ...


@dataclass(frozen=True)
class Need:
    """Something that needs the person's attention."""

    kind: str
    title: str
    hint: str
    command: str = ""
    """To type, where that helps."""
    task: str = ""
    endpoint: str = ""
    at: float = 0.0


def endpoint_needs(endpoint: EndpointRow, *, has_open_tasks: bool) -> list[Need]:
    return [*_presence(endpoint, has_open_tasks), *quota_needs(endpoint)]


def failed_need(task: AttentionTask) -> Need:
    return Need(
        "failed",
        f"{task.name} failed",
        _first_line(sentence(task.message or reason_words(task.reason))) or "Its log says more.",
        task=task.id,
        endpoint=task.endpoint_name,
        at=task.ended or task.updated,
    )


def _first_line(text: str) -> str:
    """Of what may be the output of an installer; the task's page has all of it."""
    first = text.strip().split("\n", 1)[0]
    return first if len(first) <= MOST_HINT else first[: MOST_HINT - 1].rstrip() + "…"


def held_need(task: AttentionTask) -> Need:
    return Need(
        "held",
        f"{task.name} is held back",
        sentence(task.message) or "The site or Diamond keeps it; nothing happens until that ends.",
        task=task.id,
        endpoint=task.endpoint_name,
        at=task.updated,
    )


def asking_need(task: AttentionTask) -> Need:
    return Need(
        "asking",
        f"{task.name} asks to continue",
        sentence(task.message) or "It waits for your word.",
        task=task.id,
        endpoint=task.endpoint_name,
        at=task.updated,
    )


def purge_days(endpoint: EndpointRow) -> float | None:
    """After how many days the site removes what is in the work folder."""
    work = folder_facts(endpoint).get("work")
    return float(work.purge_days) if work and work.purge_days else None


def purge_need(endpoint: EndpointRow, *, count: int, oldest: float, days: float) -> Need:
    left = max(0.0, (oldest + days * DAY - time.time()) / DAY)
    what = "one result" if count == 1 else f"{count} results"
    return Need(
        "purge",
        f"{endpoint.name} will remove {what} within {PURGE_DAYS:.0f} days",
        f"The site purges files after {days:g} days; the oldest goes in {left:.0f}. Fetch what you need.",
        endpoint=endpoint.name,
        at=oldest + days * DAY,
    )


def quota_needs(endpoint: EndpointRow) -> list[Need]:
    at = fact_time(endpoint, "folders") or endpoint.since
    return [
        Need(
            "quota",
            f"Little room left in the {name} folder of {endpoint.name}",
            f"{room} in {folder.path}. Remove what you no longer need, or run diamond clean.",
            command=f"diamond clean --on {endpoint.name} --older-than 30",
            endpoint=endpoint.name,
            at=at,
        )
        for name, folder in folder_facts(endpoint).items()
        if name in LITTLE_BYTES and (room := _little_room(folder, LITTLE_BYTES[name]))
    ]


def _presence(endpoint: EndpointRow, has_open_tasks: bool) -> Iterator[Need]:
    if endpoint.state == "sign-in":
        yield Need(
            "sign-in",
            f"{endpoint.name} needs you to sign in",
            "Jobs there continue; Diamond cannot see them or start others until you do.",
            command=revive_line(endpoint),
            endpoint=endpoint.name,
            at=endpoint.since,
        )
    elif endpoint.state == "confirming":
        yield Need(
            "confirm",
            f"{endpoint.user}@{endpoint.host} wants to be your endpoint {endpoint.name}",
            "Confirm it if that is you: until then it can do nothing.",
            endpoint=endpoint.name,
            at=endpoint.since,
        )
    elif endpoint.state == "offline" and has_open_tasks:
        yield Need(
            "offline",
            f"{endpoint.name} does not answer",
            "What is shown of its tasks is as of its last call.",
            command=revive_line(endpoint),
            endpoint=endpoint.name,
            at=endpoint.since,
        )


def _little_room(folder: FolderFact, little_bytes: int) -> str:
    free, quota = folder.free_bytes, folder.quota_bytes
    if free is not None and (free < NEAR_PART * quota if quota else free < little_bytes):
        return f"{show_bytes(free)} are left" + (f" of {show_bytes(quota)}" if quota else "")
    files, most = folder.free_files, folder.quota_files
    if files is not None and most and files < NEAR_PART * most:
        return f"{files} more files may be made, of {most}"
    return ""
