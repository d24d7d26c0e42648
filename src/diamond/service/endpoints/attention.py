"""What waits for the person, told by endpoints: sign-in, confirmation, little room, files soon to be purged."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from diamond.core.units import show_bytes
from diamond.core.words import reason_words, sentence
from diamond.service.endpoints.free_now import fact_time, facts_of
from diamond.service.endpoints.views import revive_line

NEAR_PART = 0.1
"""Less than a tenth of a quota is little."""
LITTLE_BYTES = {"keep": 20 << 20, "work": 2 << 30}
"""The same where no quota is known; keys and secrets take some kB."""
PURGE_DAYS = 7.0
DAY = 86400.0
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Need:
    """Something that waits for the person."""

    kind: str
    title: str
    hint: str
    command: str = ""
    """To type, where that helps."""
    task: str = ""
    endpoint: str = ""
    at: float = 0.0


def endpoint_needs(row: Row, *, has_open_tasks: bool) -> list[Need]:
    return [*_presence(row, has_open_tasks), *quota_needs(row)]


def failed_need(task: Row) -> Need:
    return Need(
        "failed",
        f"{task['name']} failed",
        sentence(task["message"] or reason_words(task["reason"])) or "Its log tells more.",
        task=task["id"],
        endpoint=task["endpoint_name"],
        at=task["ended"] or task["updated"],
    )


def held_need(task: Row) -> Need:
    return Need(
        "held",
        f"{task['name']} is held back",
        sentence(task["message"])
        or "The site or Diamond keeps it; nothing happens until that ends.",
        task=task["id"],
        endpoint=task["endpoint_name"],
        at=task["updated"],
    )


def asking_need(task: Row) -> Need:
    return Need(
        "asking",
        f"{task['name']} asks to go on",
        sentence(task["message"]) or "It waits for your word.",
        task=task["id"],
        endpoint=task["endpoint_name"],
        at=task["updated"],
    )


def purge_days(row: Row) -> float | None:
    """After how many days the site removes what lies in the work folder."""
    work = (facts_of(row).get("folders") or {}).get("work") or {}
    days = work.get("purge_days")
    return float(days) if isinstance(days, (int, float)) and days > 0 else None


def purge_need(row: Row, *, count: int, oldest: float, days: float) -> Need:
    left = max(0.0, (oldest + days * DAY - time.time()) / DAY)
    what = "one result" if count == 1 else f"{count} results"
    return Need(
        "purge",
        f"{row['name']} will remove {what} within {PURGE_DAYS:.0f} days",
        f"The site purges files after {days:g} days; the oldest goes in {left:.0f}. Fetch what you need.",
        endpoint=row["name"],
        at=oldest + days * DAY,
    )


def quota_needs(row: Row) -> list[Need]:
    folders = facts_of(row).get("folders") or {}
    at = fact_time(row, "folders") or row["since"]
    return [
        Need(
            "quota",
            f"Little room left in the {name} folder of {row['name']}",
            f"{words} in {folder.get('path', '')}. Remove what you no longer need, or run diamond clean.",
            command=f"diamond clean --on {row['name']} --older-than 30",
            endpoint=row["name"],
            at=at,
        )
        for name, folder in folders.items()
        if name in LITTLE_BYTES and (words := _little_room(folder, LITTLE_BYTES[name]))
    ]


def _presence(row: Row, has_open_tasks: bool) -> Iterator[Need]:
    if row["state"] == "sign-in":
        yield Need(
            "sign-in",
            f"{row['name']} needs you to sign in",
            "Jobs there go on; Diamond cannot see them or start others until you do.",
            command=revive_line(row),
            endpoint=row["name"],
            at=row["since"],
        )
    elif row["state"] == "confirming":
        yield Need(
            "confirm",
            f"{row['user']}@{row['host']} wants to be your endpoint {row['name']}",
            "Confirm it if that is you: until then it can do nothing.",
            endpoint=row["name"],
            at=row["since"],
        )
    elif row["state"] == "offline" and has_open_tasks:
        yield Need(
            "offline",
            f"{row['name']} does not answer",
            "What is shown of its tasks is as of its last call.",
            command=revive_line(row),
            endpoint=row["name"],
            at=row["since"],
        )


def _little_room(folder: Mapping[str, Any], little_bytes: int) -> str:
    free, quota = folder.get("free_bytes"), folder.get("quota_bytes")
    if free is not None and (free < NEAR_PART * quota if quota else free < little_bytes):
        return f"{show_bytes(free)} are left" + (f" of {show_bytes(quota)}" if quota else "")
    files, most = folder.get("free_files"), folder.get("quota_files")
    if files is not None and most and files < NEAR_PART * most:
        return f"{files} more files may be made, of {most}"
    return ""
