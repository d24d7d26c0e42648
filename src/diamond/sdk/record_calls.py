"""API calls about records: show, check, export, import, links for reviewers, deposit."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from diamond.core.errors import Conflict
from diamond.sdk.deposit import Deposited, DepositSite, deposit_file
from diamond.sdk.listing import Listing
from diamond.sdk.study_calls import StudyCalls
from diamond.sdk.transport import API, path_segment

JsonObject = dict[str, Any]
CHUNK = 1 << 20


class RecordCalls(StudyCalls):
    def record(self, task: str) -> JsonObject:
        """How a task came about and ended: `check`, `entries`, and what they say, put together."""
        return dict(self.transport.get(f"{API}/tasks/{path_segment(task)}/record"))

    def check_record(self, task: str) -> JsonObject:
        """Whether a record is still what was written: `is_whole`, `fault`, `anchor_fault`."""
        return dict(self.transport.get(f"{API}/tasks/{path_segment(task)}/record/check"))

    def check_anchors(self) -> JsonObject:
        """The service's line of anchors: `count`, `fault`, `last`."""
        return dict(self.transport.get(f"{API}/records/anchors"))

    def record_set(self, word: str) -> list[str]:
        """The tasks that a word stands for: a task, a saved view of runs, or a model with all that led to it."""
        from diamond.sdk.client import Client
        from diamond.sdk.record_sets import tasks_of

        assert isinstance(self, Client)
        return tasks_of(self, word)

    def export_records(
        self,
        tasks: Sequence[str],
        dest: Path | str = "",
        *,
        parts: Sequence[str] = ("lock",),
        format: str = "crate",
        blind: bool = False,
        matching: Mapping[str, Any] | None = None,
        name: str = "",
        license: str = "",
    ) -> Path:
        """Write one crate (or PROV-JSON) with the records of these tasks, or of all that match; gives the file.

        `dest` is a file or a folder; the default is a name of its own in the current folder.
        """
        body: JsonObject = {"parts": list(parts), "format": format, "blind": blind}
        body |= {"name": name, "license": license}
        body |= {"matching": dict(matching)} if matching is not None else {"tasks": list(tasks)}
        answer, connection = self.transport.open(f"{API}/records/export", body=body)
        try:
            target = _target(Path(dest), answer.headers.get_filename() or "record.crate.zip")
            part = target.with_name(target.name + ".part")
            with part.open("wb") as out:
                while piece := answer.read(CHUNK):
                    out.write(piece)
            part.replace(target)
            return target
        finally:
            connection.close()

    def import_crate(self, crate: Path | str) -> JsonObject:
        """Read a crate of somebody else: a zip, its folder, or its `ro-crate-metadata.json`."""
        source = Path(crate)
        if source.is_dir():
            source = source / "ro-crate-metadata.json"
        headers = {
            "Content-Type": "application/zip",
            "Content-Length": str(source.stat().st_size),
        }
        with source.open("rb") as opened:
            path, query = f"{API}/records/imports", {"name": source.name}
            return dict(
                self.transport.call("POST", path, query=query, body=opened, headers=headers).json()
            )

    def imported_crates(self, *, limit: int | None = None) -> Listing[JsonObject]:
        return self.pages(f"{API}/records/imports", {}, limit)

    def imported_crate(self, crate: str) -> JsonObject:
        return dict(self.transport.get(f"{API}/records/imports/{path_segment(crate)}"))

    def forget_crate(self, crate: str) -> None:
        self.transport.call("DELETE", f"{API}/records/imports/{path_segment(crate)}")

    def make_record_link(
        self,
        tasks: Sequence[str],
        *,
        days: int = 30,
        blind: bool = True,
        parts: Sequence[str] = ("lock",),
        title: str = "",
    ) -> JsonObject:
        """A link for reviewers; its `secret` and `url` are shown once."""
        options = {"blind": blind, "parts": list(parts)}
        body = {"tasks": list(tasks), "days": days, "title": title, "options": options}
        made = dict(self.transport.post(f"{API}/records/links", body))
        return {**made, "url": self.transport.address.url.rstrip("/") + made["path"]}

    def record_links(self) -> list[JsonObject]:
        return list(self.transport.get(f"{API}/records/links")["items"])

    def withdraw_record_link(self, link: str) -> None:
        self.transport.call("DELETE", f"{API}/records/links/{path_segment(link)}")

    def deposit_records(
        self, tasks: Sequence[str], site: DepositSite, about: Mapping[str, Any], **options: Any
    ) -> Deposited:
        """Export a crate and deposit it at Zenodo or another InvenioRDM. The token goes there only, never to Diamond."""
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            crate = self.export_records(tasks, folder, **options)
            return deposit_file(site, crate, about)


def _target(dest: Path, name: str) -> Path:
    safe = os.path.basename(name).lstrip(".") or "record.crate.zip"  # noqa: PTH119
    target = dest / safe if dest.is_dir() or str(dest) == "." else dest
    if target.is_symlink() or (target.exists() and not target.is_file()):
        raise Conflict(f"{target} is not a regular file", "Choose another destination.")
    target.parent.mkdir(parents=True, exist_ok=True)
    return target
