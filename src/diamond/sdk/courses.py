"""Courses: assignments, rosters, and everyone's results in one folder."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from diamond.core.errors import DiamondError
from diamond.sdk.client import Client, Spec
from diamond.sdk.models import Job, job_from_json
from diamond.sdk.transport import API, path_segment

JsonObject = dict[str, Any]


class Courses:
    """Calls about courses: `Courses(Client())`."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.transport = client.transport

    def set(self, project: str, terms: Mapping[str, Any]) -> JsonObject:
        """Make a project a course, or change its terms: `starts`, `ends`, `account`, `reservation`."""
        return dict(self.transport.send("PUT", _course(project, "course"), dict(terms)))

    def stop(self, project: str) -> None:
        """Turn a course back into an ordinary project."""
        self.transport.send("DELETE", _course(project, "course"))

    def roster(self, project: str, csv: str) -> JsonObject:
        """Add students: people with an account become members, others are invited. `invited` has their links, shown only once."""
        return dict(self.transport.post(_course(project, "roster"), {"csv": csv}))

    def assignments(self, project: str) -> list[JsonObject]:
        return list(self.transport.get(_course(project, "assignments"))["items"])

    def assign(
        self,
        project: str,
        name: str,
        spec: Spec,
        *,
        title: str = "",
        text: str = "",
        due: float | None = None,
        say: Callable[[str], None] = lambda message: None,
    ) -> JsonObject:
        """Publish a spec with its code as an assignment; replaces one of the same name."""
        body = self.client.request_body(spec, say=say)
        wanted = {"name": name, "title": title, "text": text, "due": due, **body}
        if any(known["name"] == name for known in self.assignments(project)):
            path = _course(project, "assignments", name)
            return dict(self.transport.send("PUT", path, wanted))
        return dict(self.transport.post(_course(project, "assignments"), wanted))

    def run(self, project: str, name: str, *, on: str = "") -> Job:
        """Run a copy of an assignment as your own job."""
        path = _course(project, "assignments", name, "run")
        answer = self.transport.post(path, {"on": on}, creates=True)
        return job_from_json({**answer["job"], "warnings": answer["warnings"]}, answer["tasks"])

    def table(self, project: str) -> JsonObject:
        return dict(self.transport.get(_course(project, "table")))

    def collect(
        self,
        project: str,
        folder: Path,
        *,
        assignment: str = "",
        say: Callable[[str], None] = lambda message: None,
    ) -> list[JsonObject]:
        """Download everyone's newest results to `folder/ASSIGNMENT/PERSON/`; failures are reported, not raised."""
        collected = []
        lines = self.table(project)["items"]
        names = folder_names(lines)
        for line in lines:
            for cell in line["cells"]:
                if assignment and cell["assignment"] != assignment:
                    continue
                top = folder / folder_safe_name(cell["assignment"]) / names[line["id"]]
                collected.append(self._fetch(line, cell, top, say))
        return collected

    def _fetch(
        self, line: JsonObject, cell: JsonObject, top: Path, say: Callable[[str], None]
    ) -> JsonObject:
        result = {
            "person": line["id"],
            "name": line["name"],
            "email": line["email"],
            "assignment": cell["assignment"],
            "task": cell["task"],
            "state": cell["state"],
            "folder": str(top),
            "files": 0,
            "error": "",
        }
        try:
            written = self.client.get(cell["task"], ".", top, say=lambda message: None)
        except DiamondError as error:
            say(f"{line['name']}, {cell['assignment']}: {error.message}")
            return {**result, "error": error.message}
        say(f"{line['name']}, {cell['assignment']}: {len(written)} files in {top}")
        return {**result, "files": len(written)}


def folder_safe_name(text: str) -> str:
    """A folder name from any text, such as a person's name."""
    return re.sub(r"[^A-Za-z0-9._@-]+", "-", text).strip("-.")[:100] or "unnamed"


def folder_names(lines: list[JsonObject]) -> dict[str, str]:
    """Folder names by e-mail address or name, with the id where that is ambiguous."""
    names = {line["id"]: folder_safe_name(line["email"] or line["name"]) for line in lines}
    # Some file systems ignore case.
    counts = Counter(name.lower() for name in names.values())
    is_plain = {line["id"]: bool(line["email"]) for line in lines}
    return {
        key: name if is_plain[key] and counts[name.lower()] == 1 else f"{name}-{key}"
        for key, name in names.items()
    }


def _course(project: str, *parts: str) -> str:
    return "/".join([f"{API}/projects/{path_segment(project)}", *map(path_segment, parts)])
