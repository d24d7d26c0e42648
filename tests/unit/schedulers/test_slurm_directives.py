from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from diamond.core.errors import BadRequest
from diamond.core.order import Placement, Resources
from diamond.schedulers.base import Submission
from diamond.schedulers.options import PROTECTED_OPTIONS, check_option
from diamond.schedulers.slurm import SECONDS_LEFT
from diamond.schedulers.slurm_directives import directives, output_pattern, quoted


def lines(
    resources: Resources | None = None,
    placement: Placement | None = None,
    *,
    flags: dict[str, str] | None = None,
    folder: str = "/w/a",
) -> list[str]:
    submission = Submission(
        "diamond-a1",
        Path(folder) / "script.sh",
        Path(folder),
        resources or Resources(),
        placement or Placement(),
    )
    return directives(submission, flags or {})


def test_the_smallest_job_names_all_that_diamond_owns() -> None:
    assert lines() == [
        "#SBATCH --job-name=diamond-a1",
        "#SBATCH --output=/w/a/native.log",
        "#SBATCH --open-mode=append",
        "#SBATCH --no-requeue",
        "#SBATCH --nodes=1",
        "#SBATCH --ntasks=1",
        "#SBATCH --cpus-per-task=1",
        "#SBATCH --time=60",
    ]


def test_a_large_job_says_what_it_needs() -> None:
    said = lines(
        Resources(
            nodes=4,
            gpus_per_node=2,
            gpu_type="a100",
            cpus_per_task=8,
            memory_mb=64000,
            walltime_minutes=1500,
        ),
        Placement("gpu", "research", "high", "course", "ib", {"mail-type": "END", "exclusive": ""}),
    )
    for line in (
        "--nodes=4",
        "--ntasks=4",
        "--ntasks-per-node=1",
        "--gres=gpu:a100:2",
        "--mem=64000M",
        "--time=1500",
        "--partition=gpu",
        "--account=research",
        "--qos=high",
        "--reservation=course",
        "--constraint=ib",
        "--mail-type=END",
        "--exclusive",
    ):
        assert f"#SBATCH {line}" in said


@pytest.mark.parametrize("flag", ["mem", "gres", "ntasks", "nodes", "time", "account"])
def test_what_a_site_refuses_is_left_out(flag: str) -> None:
    asked = Resources(nodes=2, gpus_per_node=1, memory_mb=100)
    said = lines(asked, Placement(account="x"), flags={flag: "refuses"})
    assert not any(re.match(rf"#SBATCH --{flag}\b", line) for line in said)
    assert any(
        re.match(rf"#SBATCH --{flag}\b", line) for line in lines(asked, Placement(account="x"))
    )


def test_gpus_without_a_type_are_asked_for_by_number() -> None:
    assert "#SBATCH --gres=gpu:3" in lines(Resources(gpus_per_node=3))


def test_an_option_given_raw_wins_over_the_named_one() -> None:
    said = lines(placement=Placement(qos="normal", options={"qos": "debug"}))
    assert [line for line in said if "qos" in line] == ["#SBATCH --qos=debug"]


def test_a_weird_folder_stays_one_word() -> None:
    said = lines(folder="/w/a b'c\"d #e")
    assert '#SBATCH --output="/w/a b\'c\\"d #e/native.log"' in said


def test_percent_signs_and_backslashes_of_a_path_are_its_own() -> None:
    assert output_pattern(Path("/w/100%j/x")) == "/w/100%%j/x"
    assert output_pattern(Path("/w/a\\b%j")) == "/w/a\\\\b%j"


def test_a_line_break_never_reaches_a_script() -> None:
    with pytest.raises(BadRequest):
        lines(folder="/w/a\n#SBATCH --wrap=evil")
    with pytest.raises(BadRequest):
        quoted("a\x00b")


@pytest.mark.parametrize("key", sorted(PROTECTED_OPTIONS))
def test_options_that_diamond_owns_are_refused_by_name(key: str) -> None:
    with pytest.raises(BadRequest) as refused:
        lines(placement=Placement(options={key: "1"}))
    assert repr(key) in refused.value.message
    assert refused.value.hint


@pytest.mark.parametrize("key", ["parti", "tim", "wra", "arra", "acco", "node", "ui", "clu", "exp"])
def test_the_begin_of_a_name_that_diamond_owns_is_refused_as_the_name(key: str) -> None:
    """sbatch takes it for the whole: `--parti=other` would pass any check of the partition by."""
    with pytest.raises(BadRequest, match="short for"):
        lines(placement=Placement(options={key: "1"}))


@pytest.mark.parametrize("key", ["x y", "--wrap", "Constraint", "a=b", "x\n", "", "q"])
def test_what_is_no_long_option_is_refused(key: str) -> None:
    with pytest.raises(BadRequest):
        check_option(key, "1")


@pytest.mark.parametrize("value", ["a\nb", 'a"b', "a'b", "a\\b", "a`b", "a\x7fb", "a\rb"])
def test_a_value_that_would_break_the_line_is_refused_by_name(value: str) -> None:
    with pytest.raises(BadRequest, match="constraint"):
        check_option("constraint", value)


def test_values_with_spaces_and_dollars_are_quoted() -> None:
    said = lines(placement=Placement(options={"mail-user": "a b $(id)"}))
    assert '#SBATCH --mail-user="a b $(id)"' in said


def seconds_left(tmp_path: Path, variables: dict[str, str], head: list[str]) -> str:
    script = tmp_path / "script.sh"
    script.write_text("\n".join(["#!/bin/bash", *head, "", SECONDS_LEFT, ""]))
    said = subprocess.run(
        ["bash", str(script)],
        env={"PATH": "/usr/bin:/bin", **variables},
        check=True,
        capture_output=True,
        text=True,
    )
    return said.stdout.strip()


def test_the_time_left_is_what_the_controller_says(tmp_path: Path) -> None:
    variables = {"SLURM_JOB_START_TIME": "1000", "SLURM_JOB_END_TIME": "4600"}
    assert seconds_left(tmp_path, variables, ["#SBATCH --time=5"]) == "3600"


def test_before_slurm_says_it_the_time_left_is_what_was_asked_for(tmp_path: Path) -> None:
    assert seconds_left(tmp_path, {}, lines(Resources(walltime_minutes=90))) == "5400"


def test_without_either_the_time_left_is_not_known(tmp_path: Path) -> None:
    assert seconds_left(tmp_path, {}, []) == ""


def test_several_processes_a_node_are_asked_for_as_tasks() -> None:
    found = lines(Resources(nodes=2, tasks_per_node=4, cpus_per_task=8))
    assert {
        "#SBATCH --ntasks=8",
        "#SBATCH --ntasks-per-node=4",
        "#SBATCH --cpus-per-task=8",
    } <= set(found)


@pytest.mark.parametrize(("flags", "said"), [({}, True), ({"exclude": "refuses"}, False)])
def test_nodes_that_failed_are_left_out_where_the_site_takes_it(
    flags: dict[str, str], said: bool
) -> None:
    own = Placement(options={"exclude": "n9"})
    submission = Submission(
        "diamond-a1", Path("/w/a/script.sh"), Path("/w/a"), Resources(), own, exclude=("n1", "n2")
    )
    assert ("#SBATCH --exclude=n9,n1,n2" in directives(submission, flags)) is said
