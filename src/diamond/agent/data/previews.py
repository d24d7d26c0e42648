"""A preview of a tree that is here: made by a small job, in an environment of Diamond's where a format needs packages."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from diamond.agent.data.jobs import DataJobs
from diamond.agent.data.places import TreePlaces
from diamond.agent.data.reports import Reporter
from diamond.agent.guard.policy import Policy
from diamond.agent.link.carriers import Link
from diamond.core.data_commands import PreviewTree
from diamond.core.data_messages import DataReport
from diamond.core.errors import DiamondError, EnvironmentFailed, Forbidden, NotFound
from diamond.core.order import Environment
from diamond.core.previews import MOST_BYTES
from diamond.data.manifest import FileEntry
from diamond.data.previews.formats import choose, requirements
from diamond.runtimes.venv import ensure_environment

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Previews:
    places: TreePlaces
    link: Link
    reporter: Reporter
    policy: Policy
    jobs: DataJobs

    def make(self, command: PreviewTree, cancelled: Callable[[], bool]) -> None:
        """Repeatable. Raises `DiamondError`: a preview that fails leaves the data as it is."""
        if not self.policy.allows_files:
            raise Forbidden(
                "The policy of this machine keeps file contents on it (egress)",
                "Look at the files on the machine.",
            )
        place = self.places.find(command.tree, "files")
        if place is None:
            raise NotFound(
                "The data is not here as files", "Copy it to an endpoint with layout: files."
            )
        place = self.places.check(place)
        python, lacking = self._environment(command.tree, cancelled)
        root = Path(place.path)
        job = {
            "root": str(root.parent if root.is_file() else root),
            "manifest": str(self.places.manifest(command.tree)),
            "tree": command.tree,
            "lacking": lacking,
        }
        result = self.jobs.run(
            "preview", command.scan, job, cancelled, reads=place.path, python=python
        )
        content = json.dumps(result["preview"]).encode()
        if len(content) > MOST_BYTES:
            raise DiamondError("The preview is too large")
        self.link.call(f"preview-bytes/{command.scan}", content, timeout=120)
        self.reporter.report(
            DataReport(name=command.scan, act="preview", state="done", tree=command.tree)
        )
        shutil.rmtree(self.jobs.folder(command.scan), ignore_errors=True)

    def _environment(self, tree: str, cancelled: Callable[[], bool]) -> tuple[str, str]:
        """A Python with the packages that its files need, and why there is none where it cannot be made."""
        entries = [one for one in self.places.entries(tree) if isinstance(one, FileEntry)]
        packages = requirements(choose(entries))
        if not packages:
            return "", ""
        if "build" in self.policy.own_facts:
            return (
                "",
                f"it takes {', '.join(packages)}, and this machine's policy lists what may run",
            )
        environment = Environment(requirements=packages)
        try:
            entered = ensure_environment(
                environment, folder=self.places.folders.work, say=log.info, cancelled=cancelled
            )
        except EnvironmentFailed as error:
            log.info("no environment for previews: %s", error)
            return "", f"it takes {', '.join(packages)}, which cannot be installed here"
        return str(Path(entered.path[0]) / "python"), ""
