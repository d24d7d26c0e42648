"""No parameter is ever read as shell code: bash itself is asked."""

from __future__ import annotations

import shlex
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diamond.compose.faults import Faults
from diamond.compose.parameters import (
    fill_arguments,
    fill_command,
    late_command,
    missing_params,
    placeholder_warnings,
)
from diamond.compose.resume_check import check_resume

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
    line = late_command(words, {"n": "a b"}, resumes=True)
    said = bash(f"DIAMOND_RESUME_FROM={shlex.quote(checkpoint)}\n{line}", tmp_path)
    assert said == f"<--n=a b><--from={checkpoint}><{checkpoint}><><$HOME>"


def test_words_without_a_checkpoint_need_no_shell() -> None:
    assert late_command(["t", "{n}"], {"n": 1}, resumes=True) == ""
    assert late_command(["t", "{resume}"], {"resume": "no"}, resumes=True) == ""


CHECKPOINT = "/w/a b'$(touch pwned).pt"


@pytest.mark.parametrize(
    ("line", "first", "later"),
    [
        (
            "printf '<%s>' t {resume:--resume_from_checkpoint %} end",
            "<t><end>",
            "<t><--resume_from_checkpoint><C><end>",
        ),
        ("printf '<%s>' t {resume:--init_from=resume}", "<t>", "<t><--init_from=resume>"),
        ("printf '<%s>' t {resume:--ckpt_path=%}", "<t>", "<t><--ckpt_path=C>"),
        ("printf '<%s>' \"t {resume:--r %}\"", "<t >", "<t --r C>"),
        ("printf '<%s>' 't {resume:--r %}'", "<t >", "<t --r C>"),
        ("printf '<%s>' t {resume}", "<t><>", "<t><C>"),
    ],
)
def test_an_option_appears_only_if_there_is_a_checkpoint(
    line: str, first: str, later: str, tmp_path: Path
) -> None:
    """Both as a line and, where it is one plain command, as a list of words."""
    filled = fill_command(line, {}, resumes=True)
    for checkpoint, expected in (("", first), (CHECKPOINT, later.replace("C", CHECKPOINT))):
        before = f"DIAMOND_RESUME_FROM={shlex.quote(checkpoint)}\n"
        assert bash(before + filled, tmp_path) == expected
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize("checkpoint", ["", CHECKPOINT])
def test_words_may_be_left_out_without_a_checkpoint(checkpoint: str, tmp_path: Path) -> None:
    words = ["printf", "<%s>", "t", "{resume:--r %}", "{wd:--wd %}", "x={resume:%}{n}"]
    line = late_command(words, {"n": "{resume}", "wd": ""}, resumes=True)
    said = bash(f"DIAMOND_RESUME_FROM={shlex.quote(checkpoint)}\n{line}", tmp_path)
    option = f"<--r><{checkpoint}>" if checkpoint else ""
    assert said == f"<t>{option}<x={checkpoint}{{resume}}>"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, ""),
        ("", ""),
        (False, ""),
        ([], ""),
        (0, "<--x><0>"),
        (True, "<--x><true>"),
        ("a b", "<--x><a b>"),
        ("$(touch pwned)", "<--x><$(touch pwned)>"),
        ("%", "<--x><%>"),
    ],
)
def test_an_option_of_a_parameter_is_left_out_if_it_has_no_value(
    value: object, shown: str, tmp_path: Path
) -> None:
    line = "printf '<%s>' t {x:--x %}"
    assert bash(fill_command(line, {"x": value}), tmp_path) == f"<t>{shown}"
    words = fill_arguments(["t", "{x:--x %}"], {"x": value})
    assert "".join(f"<{word}>" for word in words) == f"<t>{shown}"
    assert not (tmp_path / "pwned").exists()


def test_a_flag_without_a_value_follows_a_truth() -> None:
    for line, value, filled in [
        ("t {compile:--compile}", True, "t --compile"),
        ("t {compile:--compile}", False, "t "),
        ("t {flag:%}", "--fast", "t --fast"),
        ("t {flag:%}", "", "t "),
    ]:
        name = line[3:].partition(":")[0]
        assert fill_command(line, {name: value}) == filled


@pytest.mark.parametrize("spec", [">8", ".3f", ".1%", "-.2f", "02d", "1,2"])
def test_a_format_of_python_is_left_alone(spec: str) -> None:
    command = f"python -c \"print(f'{{lr:{spec}}}')\""
    assert fill_command(command, {"lr": 1}) == command


def test_an_empty_parameter_that_becomes_an_empty_argument_is_told() -> None:
    (warning,) = placeholder_warnings("t {flag}", {"flag": ""})
    assert "passes it as an empty argument" in warning and "`{flag:%}`" in warning
    assert placeholder_warnings("t {flag:%} {x}", {"flag": "", "x": 0}) == []


@pytest.mark.parametrize("run", ["t {resume:--r '%'}", ["t", "{resume:--r $(x)}"]])
def test_an_option_with_shell_characters_is_a_fault(run: str | list[str]) -> None:
    faults = Faults()
    check_resume(run, {}, "*.pt", faults)
    assert "not allowed there" in faults.items[0]["message"]


def test_resuming_from_nowhere_is_told() -> None:
    faults = Faults()
    assert check_resume("t {resume:--r %}", {}, "", faults) == []
    assert "continue: {from:" in faults.items[0]["hint"]
    assert "`continue.from` is missing" in check_resume("t {resume}", {}, "", Faults())[0]
    assert check_resume("t {resume:--r %} {resume}", {}, "*.pt", Faults()) == []
    assert check_resume("t {resume:--r %}", {"resume": "a"}, "", Faults()) == []


def test_a_megabyte_of_one_word_is_filled_at_once() -> None:
    word = "{" * 1_000_000
    began = time.monotonic()
    assert fill_command(word, {"x": 1}) == word
    assert time.monotonic() - began < 5


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


def test_data_is_named_by_its_path_and_other_braces_stay() -> None:
    filled = fill_command("""t {d} '{d}' "{d}" {d:--x %} {other} awk '{print}'""", {}, data=["d"])
    path = "${DIAMOND_DATA}"
    assert filled == (
        f"""t "{path}"/d ''"{path}"'/d' "{path}/d" --x "{path}"/d {{other}} awk '{{print}}'"""
    )


def test_words_with_data_become_a_line_whose_other_words_are_quoted() -> None:
    line = late_command(["t", "{d}", "--in={d}/x", "{n}"], {"n": "a; b"}, data=["d"])
    assert line == """t "${DIAMOND_DATA}"/d --in="${DIAMOND_DATA}/d"/x 'a; b'"""
    assert late_command(["t", "{d}"], {"d": 1}, data=["d"]) == ""
    assert missing_params("t {d} {n}", {}, data=["d"]) == ["n"]
