"""What `make run` says while it installs."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from install_progress import Progress

PIP = """\
Obtaining file:///home/ada/diamond
  Installing build dependencies: started
  Installing build dependencies: finished with status 'done'
  Preparing editable metadata (pyproject.toml): started
  Preparing editable metadata (pyproject.toml): finished with status 'done'
Collecting alembic>=1.13 (from diamond-train==0.1)
  Downloading alembic-1.16.5-py3-none-any.whl (247 kB)
Collecting sqlalchemy[asyncio]>=2.0.30 (from diamond-train==0.1)
Installing collected packages: alembic, sqlalchemy, diamond-train
""".splitlines()


def test_each_line_of_pip_says_what_is_done_and_how_far() -> None:
    progress, seen = Progress(), []
    for at, line in enumerate(PIP):
        progress.take(line, float(at))
        seen.append(progress.text(float(at)))
    assert seen[1] == "2 of 6  fetching build tools, 1 s"
    assert seen[4] == "3 of 6  building the web pages and the documentation, 4 s"
    assert seen[5] == "4 of 6  fetching packages (1, alembic), 5 s"
    assert seen[7] == "4 of 6  fetching packages (2, sqlalchemy), 7 s"
    assert seen[8] == "5 of 6  installing packages (3), 8 s"
    assert progress.taken == {"venv": 1.0, "tools": 2.0, "pages": 2.0, "packages": 3.0}


def test_time_left_comes_from_the_last_installation_here() -> None:
    earlier = {"venv": 5.0, "packages": 20.0, "pages": 60.0, "install": 10.0, "compile": 5.0}
    progress = Progress(earlier)
    progress.take("Preparing editable metadata (pyproject.toml): started", 5.0)
    assert progress.text(10.0).endswith("10 s, 10 %, about 90 s left")
    progress.take("Collecting numpy", 65.0)
    assert progress.text(200.0).endswith("200 s, 93 %, about 15 s left")
