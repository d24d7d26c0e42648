"""What a site has told pip is told to uv."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from diamond.runtimes.pip_settings import pip_settings, uv_flags, uv_variables
from diamond.runtimes.tools import own_python


def test_several_indexes_and_wheel_folders_are_all_handed_on() -> None:
    found = uv_variables(
        {"extra-index-url": "file:///a/simple\n  file:///b/simple", "find-links": "/w1 /w2"}
    )
    assert found["UV_EXTRA_INDEX_URL"] == "file:///a/simple file:///b/simple"
    assert found["UV_FIND_LINKS"] == "/w1,/w2"


def test_indexes_are_merged_as_pip_merges_them() -> None:
    assert uv_variables({})["UV_INDEX_STRATEGY"] == "unsafe-best-match"


def test_certificate_timeout_and_proxy_become_variables() -> None:
    found = uv_variables({"cert": "/ca.pem", "timeout": "180", "proxy": "http://proxy:3128"})
    assert found["SSL_CERT_FILE"] == "/ca.pem"
    assert found["UV_HTTP_TIMEOUT"] == "180"
    assert found["HTTPS_PROXY"] == found["HTTP_PROXY"] == "http://proxy:3128"


@pytest.mark.parametrize(
    ("value", "flags"), [("true", ["--no-index"]), ("1", ["--no-index"]), ("0", []), ("no", [])]
)
def test_no_index_is_a_switch(value: str, flags: list[str]) -> None:
    assert uv_flags({"no-index": value}) == flags


def test_a_variable_wins_over_a_file_and_install_over_global(tmp_path: Path) -> None:
    config = tmp_path / "pip.conf"
    config.write_text(
        "[global]\nindex-url = https://one/simple\nfind-links = /one\ntimeout = 5\n"
        "[install]\nfind-links = /two\n[list]\nformat = json\n"
    )
    found = pip_settings(
        {"HOME": str(tmp_path), "PIP_CONFIG_FILE": str(config), "PIP_DEFAULT_TIMEOUT": "9"}
    )
    assert (found["index-url"], found["find-links"]) == ("https://one/simple", "/two")
    assert found["timeout"] == "9"
    assert "format" not in found


def test_a_broken_file_counts_as_absent(tmp_path: Path) -> None:
    config = tmp_path / "pip.conf"
    config.write_text("this is no configuration")
    assert isinstance(pip_settings({"HOME": str(tmp_path), "PIP_CONFIG_FILE": str(config)}), dict)


def test_the_answer_is_the_one_that_pip_gives(tmp_path: Path) -> None:
    (tmp_path / ".config" / "pip").mkdir(parents=True)
    (tmp_path / ".config" / "pip" / "pip.conf").write_text(
        "[global]\nextra-index-url = https://a/simple\n   https://b/simple\n"
    )
    environ = {**os.environ, "HOME": str(tmp_path), "PIP_FIND_LINKS": "/wheels"}
    environ.pop("XDG_CONFIG_HOME", None)
    script = (
        "import json; from pip._internal.configuration import Configuration as C\n"
        "c = C(isolated=False); c.load(); print(json.dumps(dict(c.items())))"
    )
    answer = subprocess.run(
        [own_python(), "-c", script], env=environ, capture_output=True, text=True, check=False
    )
    if answer.returncode:
        pytest.skip("this Python has no pip to ask")
    theirs = {key: _flat(value) for key, value in json.loads(answer.stdout).items()}
    ours = pip_settings(environ)
    assert ours["extra-index-url"].split() == theirs["global.extra-index-url"].split()
    assert ours["find-links"] == theirs[":env:.find-links"]


def _flat(value: object) -> str:
    """pip 25.1 and later answer {file: value} for each key."""
    return str(next(iter(value.values()))) if isinstance(value, dict) else str(value)
