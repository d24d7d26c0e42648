"""Whether a version fits on an endpoint, in bytes and in files, and when an archive would be kinder."""

from __future__ import annotations

from diamond.compose.profile_facts import well_formed_facts
from diamond.core.errors import Conflict
from diamond.core.units import show_bytes
from diamond.service.datasets.rows import VersionRow
from diamond.service.endpoints.facts import effective_facts
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.platform.database.rows import JsonObject

MANY_FILES = 10_000


def require_room(endpoint: EndpointRow, name: str, version: VersionRow, layout: str) -> None:
    """By what the endpoint last reported of its work folder; the agent looks again before it begins."""
    work = _work_folder(endpoint)
    free_bytes, free_files = work.get("free_bytes"), work.get("free_files")
    inodes = 1 if layout == "archive" else version.files
    step = f"Make room: diamond data gc --on {endpoint.name}"
    if isinstance(free_bytes, int) and version.bytes > free_bytes:
        raise Conflict(
            f"{name}@{version.name} needs {show_bytes(version.bytes)}, and {endpoint.name} has {show_bytes(free_bytes)} left",
            step,
            code="no-room",
        )
    if isinstance(free_files, int) and inodes > free_files:
        raise Conflict(
            f"{name}@{version.name} has {inodes:,} files, and {endpoint.name} has room for {free_files:,} more",
            f"{step}, or use one archive: --layout archive",
            code="no-room",
        )


def advice(endpoint: EndpointRow, name: str, version: VersionRow, layout: str) -> list[str]:
    limit = _work_folder(endpoint).get("quota_files")
    if layout == "archive" or version.files <= MANY_FILES or not limit:
        return []
    return [
        f"{name}@{version.name} has {version.files:,} files, and {endpoint.name} has a quota of {limit:,} files. "
        "With `layout: archive` it takes one: diamond data copy NAME --to ENDPOINT --layout archive"
    ]


def _work_folder(endpoint: EndpointRow) -> JsonObject:
    folders = well_formed_facts(effective_facts(endpoint)).get("folders")
    work = folders.get("work") if isinstance(folders, dict) else None
    return work if isinstance(work, dict) else {}
