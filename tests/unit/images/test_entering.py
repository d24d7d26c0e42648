"""`enter.sh` and the command lines it starts, without any container tool."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from diamond.runtimes.adapters import RUNTIMES, runtime
from diamond.runtimes.apptainer import bind_words
from diamond.runtimes.base import Enter, Inside
from diamond.runtimes.entering import enter_script
from diamond.runtimes.manifests import ImageManifest

MANIFEST = ImageManifest(
    identity="sha256:" + "1" * 64,
    format="squashfs",
    runtime="apptainer",
    sha256="ab" * 32,
    native="cd" * 32,
    size=1,
    platform="linux/amd64",
    file="/images/it's here.sqfs",
    variables={"GREETING": "x"},
    path=["/opt/venv/bin"],
)
SHOW = "import json, os, sys; print(json.dumps([sys.argv[1:], dict(os.environ)]))"


def entered(
    enter: Enter, tmp_path: Path, *command: str, gpus: str = "", **variables: str
) -> tuple[list[str], dict[str, str]]:
    """What a program in place of the container tool is started with."""
    shown = replace(enter, words=["python3", "-c", SHOW, *enter.words], at=enter.at + 3)
    script = tmp_path / "enter.sh"
    script.write_text(
        enter_script(shown, MANIFEST, training="/training", names=["SLURM_*"], gpus=gpus)
    )
    words = ["env", "-i", "PATH=/usr/bin:/bin", *(f"{k}={v}" for k, v in variables.items())]
    done = subprocess.check_output([*words, "bash", str(script), *command], text=True)
    found = json.loads(done)
    return found[0], found[1]


def passing(words: list[str]) -> Enter:
    return Enter(
        words=words, at=1, pass_on='export "IN_$name=${!name}"', tmp='--tmp "$diamond_tmp"'
    )


def test_only_variables_that_belong_to_a_job_go_in(tmp_path: Path) -> None:
    """Also none of the image's own: they are set inside, as the program is started."""
    given = {"DIAMOND_RUN": "1", "SLURM_JOB_ID": "7", "HOME": "/home/x", "DIAMOND_TOKEN": "secret"}
    _, seen = entered(passing(["tool"]), tmp_path, "true", **given, EDITOR="vi", GREETING="it's $X")
    inside = {name[3:]: value for name, value in seen.items() if name.startswith("IN_")}
    assert inside == {
        "DIAMOND_RUN": "1",
        "SLURM_JOB_ID": "7",
        "PYTHONNOUSERSITE": "1",
        "PYTHONPATH": "/training",
        "TMPDIR": "/tmp",
    }


def test_words_are_handed_over_unharmed(tmp_path: Path) -> None:
    words, _ = entered(passing(["tool", "it's here"]), tmp_path, "echo", "a b", "$HOME", "'")
    assert words[:4] == ["tool", "--tmp", "/tmp", "it's here"]
    assert words[4:6] == ["/bin/sh", "-c"]
    assert words[7:] == ["/opt/venv/bin", "echo", "a b", "$HOME", "'"]


def test_an_image_without_bash_runs_the_command_by_sh(tmp_path: Path) -> None:
    words, _ = entered(passing(["tool"]), tmp_path, "bash", "command.sh")
    snippet = words[words.index("-c") + 1]
    (tmp_path / "command.sh").write_text("echo ran by $0\n")
    said = subprocess.check_output(
        ["/bin/sh", "-c", snippet, "", "bash", str(tmp_path / "command.sh")],
        env={"PATH": str(tmp_path / "bin")} | {"PATH": _only_sh(tmp_path)},
        text=True,
    )
    assert said == f"ran by {tmp_path}/command.sh\n"


def _only_sh(tmp_path: Path) -> str:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "sh").symlink_to("/bin/sh")
    return str(tmp_path / "bin")


def test_gpus_are_asked_for_in_the_words_of_each_tool(tmp_path: Path) -> None:
    apptainer = runtime("apptainer").enter(MANIFEST, Inside())
    assert apptainer is not None
    assert entered(apptainer, tmp_path, "true", gpus="nvidia")[0][3] == "--nv"
    assert entered(apptainer, tmp_path, "true", gpus="amd")[0][3] == "--rocm"
    assert "--nv" not in entered(apptainer, tmp_path, "true")[0]


@pytest.mark.parametrize("name", sorted(set(RUNTIMES) - {"venv"}))
def test_every_container_starts_with_nothing_of_the_home(name: str) -> None:
    enter = runtime(name).enter(MANIFEST, Inside([("/data", "/data")], "/data"))
    assert enter is not None
    words = " ".join(enter.words)
    assert "/data:/data" in words
    assert "/home" not in words


def test_a_path_with_colon_or_comma_is_bound_in_quotes() -> None:
    assert bind_words("/a", "/b") == ["--bind", "/a:/b"]
    assert bind_words("/a:1,2", "/b") == ["--mount", 'type=bind,"src=/a:1,2","dst=/b"']


def test_what_an_ordinary_shell_sets_by_itself_does_not_go_in(tmp_path: Path) -> None:
    _, seen = entered(passing(["tool"]), tmp_path, "true", TERM="xterm", LC_ALL="C", OMP_X="2")
    inside = {name for name in seen if name.startswith("IN_")}
    assert {"IN_TERM", "IN_LC_ALL", "IN_OMP_X"} <= inside
    _, seen = entered(passing(["tool"]), tmp_path, "true")
    assert not {"IN_TERM", "IN_BASH", "IN_SHLVL"} & set(seen)


@pytest.mark.parametrize(("told", "believed"), [(0, 137), (125, 125)])
def test_a_zero_of_podmans_counts_only_where_the_program_wrote_it_down(
    tmp_path: Path, told: int, believed: int
) -> None:
    """podman ends with 0 when it is told to end, whatever became of the program."""
    enter = runtime("podman").enter(MANIFEST, Inside())
    assert enter is not None
    tool = tmp_path / "bin" / "podman"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\ncase "$*" in *image\\ inspect*) exit 0 ;; esac\nexit {told}\n')
    tool.chmod(0o755)
    script = tmp_path / "enter.sh"
    script.write_text(enter_script(enter, MANIFEST, training="/training", gpus=""))
    words = ["env", "-i", f"PATH={tool.parent}:/usr/bin:/bin", f"TMPDIR={tmp_path}"]
    assert subprocess.run([*words, "bash", str(script), "true"], check=False).returncode == believed
