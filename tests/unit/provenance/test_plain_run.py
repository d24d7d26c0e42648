"""What a crate holds runs with bash alone: no Diamond, nothing installed."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from diamond.core.order import Image, Launch, Order, OrderedTree, Resources
from diamond.launchers.starters.plain import plain_start
from diamond.provenance.plain_run import (
    PlainRun,
    batch_script,
    command_file,
    plain_command,
    run_script,
)
from diamond.schedulers.slurm_directives import plain_directives

ORDER = Order(name="digits", command="echo lr=0.1 >out; cat in.txt; pwd")


def lay_out(folder: Path, order: Order, *, with_code: bool = True, image: str = "") -> Path:
    folder.mkdir(parents=True)
    plain = PlainRun(
        order.name,
        order,
        plain_start(order),
        plain_directives(order.name, order.resources),
        has_code=with_code,
        variables={"GREETING": "it's $HOME"},
        image=image,
    )
    (folder / "run.sh").write_text(run_script(plain))
    (folder / "job.sh").write_text(batch_script(plain))
    (folder / "command.sh").write_text(command_file(order))
    (folder / "params.json").write_text("{}")
    if with_code:
        (folder / "code").mkdir()
        (folder / "code" / "in.txt").write_text("from the code\n")
    return folder


def run(folder: Path, script: str = "run.sh", **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", script],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("script", ["run.sh", "job.sh"])
def test_the_command_runs_in_a_folder_of_its_own(tmp_path: Path, script: str) -> None:
    crate = lay_out(tmp_path / "a crate", ORDER)
    done = run(crate, script)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"from the code\n{crate}/run\n"
    assert (crate / "run" / "out").read_text() == "lr=0.1\n"


def test_variables_are_words_and_nothing_is_evaluated(tmp_path: Path) -> None:
    order = replace(ORDER, command='printf %s "$GREETING"')
    assert run(lay_out(tmp_path / "crate", order)).stdout == "it's $HOME"


def test_data_is_named_where_it_lies_or_missed_in_words(tmp_path: Path) -> None:
    order = Order(
        name="x",
        command="cat /scratch/ada/era5/a; cat $DIAMOND_DATA/maps/b",
        data={"era5": "/scratch/ada/era5"},
        trees={"maps": OrderedTree("sha256:" + "0" * 64)},
    )
    crate = lay_out(tmp_path / "crate", order)
    assert "/scratch/ada" not in "".join(path.read_text() for path in crate.glob("*.sh"))
    missing = run(crate)
    assert missing.returncode == 66
    assert "Set DIAMOND_DATA_ERA5" in missing.stderr
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "a").write_text("A")
    (crate / "data" / "maps").mkdir(parents=True)
    (crate / "data" / "maps" / "b").write_text("B")
    assert run(crate, DIAMOND_DATA_ERA5=str(tmp_path / "here")).stdout == "AB"


def test_the_image_of_a_crate_is_entered_where_apptainer_is_there(tmp_path: Path) -> None:
    order = replace(ORDER, image=Image(format="squashfs", path=["/opt/env/bin"]))
    crate = lay_out(tmp_path / "crate", order, image="image/x y.sqfs")
    apptainer = tmp_path / "bin" / "apptainer"
    apptainer.parent.mkdir()
    apptainer.write_text('#!/bin/bash\necho "$APPTAINERENV_PREPEND_PATH"; printf "%s\\n" "$@"\n')
    apptainer.chmod(0o755)
    words = run(crate, PATH=f"{apptainer.parent}:/usr/bin:/bin").stdout.splitlines()
    assert words[:3] == ["/opt/env/bin", "exec", "--pwd"]
    assert f"{crate}/image/x y.sqfs" in words and words[-1] == f"{crate}/command.sh"
    assert run(crate, DIAMOND_ENVIRONMENT="none").stdout == f"from the code\n{crate}/run\n"


def test_another_path_of_the_machine_must_be_set(tmp_path: Path) -> None:
    order = replace(ORDER, command="cat /home/ada/notes.txt /usr/share/common")
    command = plain_command(order)
    assert command.text == "cat $DIAMOND_PATH_1 /usr/share/common"
    crate = lay_out(tmp_path / "crate", order)
    assert "DIAMOND_PATH_1: set it" in run(crate).stderr


def test_the_exit_code_is_the_command_s_own(tmp_path: Path) -> None:
    assert run(lay_out(tmp_path / "crate", replace(ORDER, command="exit 7"))).returncode == 7


def test_several_processes_know_their_rank(tmp_path: Path) -> None:
    order = Order(
        name="x",
        command='echo "$RANK of $WORLD_SIZE" >rank-$RANK; [ "$RANK" != 2 ] || exit 3',
        launch=Launch("ranks"),
        resources=Resources(tasks_per_node=3),
    )
    crate = lay_out(tmp_path / "crate", order)
    assert run(crate).returncode == 3
    written = sorted(path.read_text() for path in (crate / "run").glob("rank-*"))
    assert written == ["0 of 3\n", "1 of 3\n", "2 of 3\n"]


def test_a_batch_script_asks_for_the_same_and_names_no_site() -> None:
    order = replace(ORDER, resources=Resources(nodes=2, gpus_per_node=4, walltime_minutes=90))
    lines = plain_directives("digits", order.resources)
    assert "#SBATCH --nodes=2" in lines
    assert "#SBATCH --gres=gpu:4" in lines
    assert not [line for line in lines if "account" in line or "output" in line]


def test_a_name_never_becomes_a_line_of_the_script() -> None:
    plain = PlainRun("x\ntouch pwned", ORDER, plain_start(ORDER))
    assert "\ntouch" not in run_script(plain) + batch_script(plain)
