"""No parameter is ever read as shell code: bash itself is asked."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diamond.compose.parameters import (
    command_with_resume,
    fill_arguments,
    fill_command,
    missing_params,
    placeholder_warnings,
)

HOSTILE = [
    "$(touch pwned)",
    "`touch pwned`",
    "'; touch pwned; '",
    '"; touch pwned; "',
    "a b",
    "\\",
    "*",
    "\n",
]
PLACES = ["printf %s {x}", 'printf %s "{x}"', "printf %s '{x}'", 'printf %s "$(printf %s "{x}")"']


def bash(script: str, cwd: Path) -> str:
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, cwd=cwd, check=True
    )
    return done.stdout


@pytest.mark.parametrize("place", PLACES[:3])
@pytest.mark.parametrize("value", HOSTILE)
def test_a_hostile_value_arrives_as_it_is(place: str, value: str, tmp_path: Path) -> None:
    assert bash(fill_command(place, {"x": value}), tmp_path) == value
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize("value", HOSTILE)
def test_nothing_runs_even_in_a_nested_substitution(value: str, tmp_path: Path) -> None:
    bash(fill_command(PLACES[3], {"x": value}), tmp_path)
    assert not (tmp_path / "pwned").exists()


@settings(max_examples=40, deadline=None)
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30))
def test_any_text_arrives_as_it_is(value: str) -> None:
    value = value.replace("\r", "")
    assert bash(fill_command('printf %s "{x}"', {"x": value}), Path("/")) == value


def test_plain_values_stay_readable() -> None:
    assert fill_command("python t.py --lr {lr}", {"lr": 1e-3}) == "python t.py --lr 0.001"


def test_braces_that_name_no_parameter_are_left_alone() -> None:
    command = "awk '{print $1}' f; echo ${HOME} {a,b} ${lr}"
    assert fill_command(command, {"lr": 1}) == command


def test_the_checkpoint_to_resume_from_is_a_variable() -> None:
    assert fill_command("t --r {resume}", {}, resumes=True) == 't --r "${DIAMOND_RESUME_FROM}"'


def test_words_are_filled_without_a_shell() -> None:
    assert fill_arguments(["t", "--n={n}"], {"n": "a b"}) == ["t", "--n=a b"]


@pytest.mark.parametrize("checkpoint", ["", "/w/run/ckpt/a b'$(x).pt"])
def test_words_with_a_checkpoint_stay_the_same_words(checkpoint: str, tmp_path: Path) -> None:
    words = ["printf", "<%s>", "--n={n}", "--from={resume}", "{resume}", "", "$HOME"]
    line = command_with_resume(words, {"n": "a b"})
    said = bash(f"DIAMOND_RESUME_FROM={shlex.quote(checkpoint)}\n{line}", tmp_path)
    assert said == f"<--n=a b><--from={checkpoint}><{checkpoint}><><$HOME>"


def test_words_without_a_checkpoint_need_no_shell() -> None:
    assert command_with_resume(["t", "{n}"], {"n": 1}) == ""
    assert command_with_resume(["t", "{resume}"], {"resume": "no"}) == ""


@pytest.mark.parametrize(
    ("run", "missing"),
    [
        ("python t.py --lr {lr}", ["lr"]),
        ("python t.py --lr={lr} {n}\necho {lr}", ["lr", "n"]),
        (["python", "t.py", "--lr={lr}"], ["lr"]),
        ("python t.py --from {resume}", ["resume"]),
        ("python -c \"print('{lr}'.format(lr=1))\"", []),
        ("awk '{print}' x | grep {lr}", []),
        ("xargs -I {x} cp {x} y", []),
        ("echo ${lr} a{lr}b {1,2} { true; }", []),
        ("exec {fd}>file", []),
        ("echo \\{lr} '{lr}'", []),
    ],
)
def test_a_placeholder_without_a_parameter_is_missing(
    run: str | list[str], missing: list[str]
) -> None:
    assert missing_params(run, {}) == missing
    assert missing_params(run, dict.fromkeys(["lr", "n", "resume"], 1)) == []


def test_a_field_that_names_no_parameter_is_told() -> None:
    assert placeholder_warnings("t {lr} 'x{fo}'", {"lr": 1}) == [
        "`{fo}` is not a param (lr), so it is left unchanged"
    ]
    assert "Did you mean `{lr}`?" in placeholder_warnings(["t", "a{lrr}", "{lr}"], {"lr": 1})[0]


@pytest.mark.parametrize(
    "command",
    [
        "t {lr} ${fo}",
        "awk '{print}' {lr}",
        "t {lr} {1,2}",
        "t {lr} {resume}",
        "t $DIAMOND_PARAMS",
    ],
)
def test_braces_of_another_kind_are_left_alone(command: str) -> None:
    assert placeholder_warnings(command, {"lr": 1}, resumes=True) == []


def test_without_parameters_braces_are_the_commands_own() -> None:
    assert placeholder_warnings("t {fo}", {}) == []


def test_a_parameter_that_is_used_nowhere_is_told() -> None:
    assert "`run` does not contain `{n}`" in placeholder_warnings("t {lr}", {"lr": 1, "n": 2})[0]
