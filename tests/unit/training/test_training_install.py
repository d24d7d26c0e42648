"""A job's own Python finds `diamond.training`, also when the agent is one zipped file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipapp
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import diamond
from diamond.training.install import install_training

SOURCE = Path(diamond.__file__).parent


def python_with(path: str, script: str) -> str:
    environ = {**os.environ, "PYTHONPATH": path}
    words = [sys.executable, "-S", "-c", script]
    return subprocess.check_output(words, env=environ, text=True).strip()


def test_the_library_is_imported_from_its_own_place(tmp_path: Path) -> None:
    entry = install_training(tmp_path)
    where = python_with(entry, "from diamond import training; print(training.__file__)")
    assert where.startswith(entry)


def test_nothing_else_of_diamond_lies_there(tmp_path: Path) -> None:
    entry = Path(install_training(tmp_path))
    assert sorted(path.name for path in (entry / "diamond").iterdir()) == [
        "__init__.py",
        "training",
    ]


def test_an_installed_diamond_stays_reachable(tmp_path: Path) -> None:
    path = os.pathsep.join([install_training(tmp_path), str(SOURCE.parent)])
    assert python_with(path, "import diamond.core.units as u; print(u.show_minutes(120))") == "2h"


def test_the_second_time_the_same_place_is_named_and_gaps_are_filled(tmp_path: Path) -> None:
    entry = install_training(tmp_path)
    (Path(entry) / "diamond" / "training" / "metrics.py").unlink()
    assert install_training(tmp_path) == entry
    assert (Path(entry) / "diamond" / "training" / "metrics.py").is_file()


def test_it_is_laid_out_from_a_zipped_agent_too(tmp_path: Path) -> None:
    tree = tmp_path / "tree" / "diamond"
    shutil.copytree(SOURCE / "training", tree / "training")
    shutil.copy(SOURCE / "__init__.py", tree)
    zipped = tmp_path / "agent.pyz"
    zipapp.create_archive(
        tmp_path / "tree", zipped, main="diamond.training.install:install_training"
    )
    script = (
        "from pathlib import Path; from diamond.training.install import install_training as i;"
        f"print(i(Path({str(tmp_path)!r})))"
    )
    entry = python_with(str(zipped), script)
    assert entry == install_training(tmp_path)
    assert python_with(entry, "from diamond.training import CONTINUE; print(CONTINUE)") == "75"


def test_many_threads_may_lay_it_out_at_the_same_moment(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        (entry,) = set(pool.map(install_training, [tmp_path] * 16))
    assert python_with(entry, "from diamond.training import CONTINUE; print(CONTINUE)") == "75"
    assert [one.name for one in tmp_path.iterdir()] == [Path(entry).name]
