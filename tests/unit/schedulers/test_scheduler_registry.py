from __future__ import annotations

from pathlib import Path

import pytest

from diamond.core.batch_systems import BatchAbilities
from diamond.core.errors import BadRequest
from diamond.schedulers.base import NativeTools, abilities_of, tools_of
from diamond.schedulers.registry import (
    crontabs,
    detect,
    is_inside_a_job,
    load_scheduler,
    scheduler_names,
)


@pytest.mark.parametrize("name", ["local", "slurm"])
def test_a_scheduler_is_found_by_name(name: str, tmp_path: Path) -> None:
    assert load_scheduler(name, tmp_path / "new" / "folder").name == name


def test_an_unknown_name_is_answered_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(BadRequest) as refused:
        load_scheduler("pbs", tmp_path)
    assert "local, slurm" in refused.value.hint


def test_the_built_in_ones_need_no_metadata() -> None:
    assert {"local", "slurm"} <= set(scheduler_names())


def test_a_third_partys_adapter_is_found_by_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "mine-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[diamond.schedulers]\nmine = my_adapter:Mine\n")
    (tmp_path / "my_adapter.py").write_text(
        "class Mine:\n    name = 'mine'\n    def __init__(self, folder): self.folder = folder\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    found = load_scheduler("mine", tmp_path / "state")
    assert found.name == "mine"
    assert abilities_of(found) == BatchAbilities(), "one that states nothing is a shared cluster"
    assert tools_of(found) == NativeTools()


def test_a_third_partys_adapter_states_what_it_can_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "mine-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[diamond.schedulers]\nmine = able_adapter:Mine\nbroken = no_such_module:Broken\n"
    )
    (tmp_path / "able_adapter.py").write_text(
        "from diamond.core.batch_systems import BatchAbilities\n"
        "from diamond.schedulers.base import NativeTools\n"
        "class Mine:\n"
        "    name = 'mine'\n"
        "    abilities = BatchAbilities(spans_nodes=False, placement=('partition',))\n"
        "    tools = NativeTools(job_variable='MINE_JOB', crontab='minecron')\n"
        "    def __init__(self, folder): self.folder = folder\n"
        "    @staticmethod\n"
        "    def is_here(): return True\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert detect() == "mine", "a package that cannot be loaded stops nobody"
    assert not abilities_of(load_scheduler("mine", tmp_path / "state")).spans_nodes
    assert is_inside_a_job({"MINE_JOB": "7"})
    assert "minecron" in crontabs()


def test_without_sbatch_the_machine_is_local(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert detect() == "local"


def test_slurm_is_detected_where_sbatch_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sbatch = tmp_path / "sbatch"
    sbatch.write_text("#!/bin/sh\necho slurm 23.11.1\n")
    sbatch.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert detect() == "slurm"
    sbatch.write_text("#!/bin/sh\nexit 1\n")
    assert detect() == "local"
