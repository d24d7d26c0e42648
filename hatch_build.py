"""Put the web pages and the documentation into the wheel: `pip install .` builds them, also where there is no Node."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent / "web"))

import tools


class Pages(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """A release without pages can be asked for by DIAMOND_WITHOUT_PAGES=1."""
        if self.target_name == "wheel" and not os.environ.get("DIAMOND_WITHOUT_PAGES"):
            docs = _start_building_docs()
            tools.build()
            docs.wait()


def _start_building_docs() -> subprocess.Popen[bytes]:
    """Beside the pages, whose packages take longer to arrive; if they fail, the installation continues."""
    script = Path(__file__).parent / "docs" / "build_site.py"
    return subprocess.Popen([sys.executable, str(script), "--if-possible"])
