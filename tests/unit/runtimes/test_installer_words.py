"""What people read while packages are installed: from the lines of a real uv 0.13."""

from __future__ import annotations

from diamond.runtimes.installer_words import InstallerProgress

LINES = """\
Using Python 3.11.2 environment at: /w/envs/a1
Resolved 17 packages in 709ms
Downloading networkx (2.0MiB)
Downloading torch (18.0MiB)
 Downloaded networkx
Building wheel for x
 Downloaded torch
Prepared 17 packages in 3.20s
Installed 17 packages in 1.05s
 + numpy==2.4.6
"""


def test_packages_bytes_share_and_time_left_are_said_and_raw_lines_are_not() -> None:
    said: list[str] = []
    clock = iter([float(n) for n in range(0, 100, 4)])
    hear = InstallerProgress(said.append, clock=lambda: next(clock))
    for line in LINES.splitlines():
        hear(line)
    assert said == [
        "installing 17 packages",
        "installing 17 packages: 0 of 1 large ones are here, 0 B of 2.0 MB (0 %)",
        "installing 17 packages: 0 of 2 large ones are here, 0 B of 20.0 MB (0 %)",
        "installing 17 packages: 1 of 2 large ones are here, 2.0 MB of 20.0 MB (10 %), about 72 s left",
        "installing 17 packages: 2 of 2 large ones are here, 20.0 MB of 20.0 MB (100 %)",
        "copying 17 packages into the environment",
        "installed 17 packages",
    ]


def test_odd_lines_do_no_harm() -> None:
    said: list[str] = []
    hear = InstallerProgress(said.append)
    for line in (
        "",
        "Downloading x (9XB)",
        "Downloading y (1..2MiB)",
        "Downloaded z",
        "Resolved many",
    ):
        hear(line)
    assert all("large ones" in words for words in said)


def test_pip_is_understood_where_there_is_no_uv() -> None:
    said: list[str] = []
    hear = InstallerProgress(said.append)
    for line in (
        "Collecting numpy",
        "  Using cached numpy.whl",
        "Installing collected packages: numpy",
    ):
        hear(line)
    assert said == ["fetching numpy", "copying the packages into the environment"]
