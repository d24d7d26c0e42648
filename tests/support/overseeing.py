"""An overseer with its shims, started directly in a folder."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from diamond.launchers import ranks, starters
from diamond.launchers.starters.plan import LaunchPlan, plan_text
from diamond.training.install import install_training
from support.waiting import wait_for


@dataclass
class Scene:
    folder: Path
    python: str
    within: list[str] = field(default_factory=list)
    """A command to run the overseer in."""

    @property
    def run(self) -> Path:
        return self.folder / "runs" / "1"

    def start(
        self, command: str, count: int = 3, *, kind: str = "per-rank", group: str = "", **plan: Any
    ) -> subprocess.Popen[bytes]:
        """`group`: the file that adds processes to a control group."""
        words = self.prepare(command, count, kind=kind, **plan)
        with (
            (self.run / "stdout.log").open("wb") as out,
            (self.run / "stderr.log").open("wb") as err,
        ):
            return subprocess.Popen(
                [*self.within, self.python, "-E", "-S", *words],
                cwd=self.folder,
                env={**os.environ, **dict(pair.split("=", 1) for pair in self.settings())},
                stdout=out,
                stderr=err,
                preexec_fn=lambda: group and Path(group).write_text("0"),
            )

    def prepare(
        self, command: str, count: int, *, kind: str = "per-rank", **plan: Any
    ) -> list[str]:
        """Write the plan; the words for a Python that start its overseer."""
        training = self._install()
        self.run.mkdir(parents=True)
        (self.folder / "command.sh").write_text(command)
        words = ["bash", str(self.folder / "command.sh")]
        file = self.folder / "launch.json"
        file.write_text(plan_text(LaunchPlan(kind, ranks_per_node=count, command=words, **plan)))
        return [f"{training}/diamond/launchers/ranks/__main__.py", "oversee", str(file)]

    def settings(self) -> list[str]:
        """The variables that the batch script would set, as `env` takes them."""
        return [
            f"PYTHONPATH={self._install()}",
            f"DIAMOND_METRICS={self.run / 'metrics.jsonl'}",
            f"DIAMOND_RUN_DIR={self.folder}",
            "DIAMOND_ATTEMPT=a1",
        ]

    def _install(self) -> str:
        return install_training(self.folder / "training", also=[ranks, starters])

    def lines(self, name: str) -> list[str]:
        return sorted((self.run / name).read_text().splitlines())

    def culprit(self) -> dict[str, Any]:
        return dict(json.loads((self.run / "culprit.json").read_text()))

    def wait_for_files(self, pattern: str, count: int) -> None:
        wait_for(lambda: len(list(self.folder.glob(pattern))) == count, what=pattern)
