"""Every command, option, error, reason, setting and variable is found in the docs, and the docs name nothing else."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from diamond.cli.main import app
from diamond.compose import EndpointFacts, check
from diamond.compose.spec import Spec, spec_schema
from diamond.core.errors import error_classes
from diamond.core.task import Phase, Reason, State
from diamond.notation.yaml_reader import read_spec
from diamond.service.settings import Settings

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "diamond"
DOCS = ROOT / "docs"
PAGES = sorted(
    path
    for pattern in ("*.md", "docs/*.md", "docs/internals/*.md", "recipes/*/README.md")
    for path in ROOT.glob(pattern)
)
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def page(name: str) -> str:
    return (DOCS / name).read_text()


def commands() -> dict[str, Any]:
    """Each command that does something, by its words: `endpoint add`."""
    found: dict[str, Any] = {}
    pending: list[tuple[str, Any]] = [("", typer.main.get_command(app))]
    while pending:
        words, command = pending.pop()
        if hasattr(command, "list_commands"):
            for name in command.list_commands(None):
                pending.append((f"{words} {name}".strip(), command.get_command(None, name)))
        else:
            found[words] = command
    return found


COMMANDS = commands()


def options(command: Any) -> set[str]:
    return {
        name for parameter in command.params for name in parameter.opts + parameter.secondary_opts
    }


def section(words: str) -> str:
    match = re.search(
        rf"^### diamond {re.escape(words)}$(.*?)(?=^##|\Z)",
        page("cli.md"),
        re.MULTILINE | re.DOTALL,
    )
    assert match, f"docs/cli.md has no section `### diamond {words}`"
    return match.group(1)


@pytest.mark.parametrize("words", sorted(COMMANDS))
def test_every_command_has_a_section_that_names_its_options(words: str) -> None:
    text = section(words)
    named = {name for name in options(COMMANDS[words]) if name.startswith("-")}
    missing = sorted(
        name for name in named - {"--json"} if not re.search(rf"(?<![\w-]){name}(?![\w-])", text)
    )
    assert not missing


def test_no_command_is_described_that_does_not_exist() -> None:
    described = set(re.findall(r"^### diamond (.+)$", page("cli.md"), re.MULTILINE))
    assert described == set(COMMANDS)


def examples() -> Iterator[tuple[str, str]]:
    for path in PAGES:
        for language, text in FENCE.findall(path.read_text()):
            if language in ("sh", "console"):
                yield from ((path.name, line) for line in _diamond_lines(text))
        for line in re.findall(r"`(diamond [a-z][^`]*)`", FENCE.sub("", path.read_text())):
            yield from ((path.name, found) for found in _diamond_lines(line))


def _diamond_lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        words = line.removeprefix("$ ").strip()
        if words.startswith("diamond ") and not words.startswith("diamond lab"):
            yield words


@pytest.mark.parametrize(("name", "line"), sorted(set(examples())))
def test_an_example_uses_commands_and_options_that_exist(name: str, line: str) -> None:
    words = shlex.split(line, comments=True)[1:]
    given = words[: words.index("--")] if "--" in words else words
    meant = (" ".join(given[:2]), given[0], f"{given[0]} start")
    chosen = next((c for c in meant if c in COMMANDS), None)
    assert chosen, f"{name}: no such command: {line}"
    used = {re.split("[= ]", word)[0] for word in given if re.match(r"--?[a-z]", word)}
    assert used <= options(COMMANDS[chosen]) | {"--help"}


def codes_in_source() -> set[str]:
    """Codes of error classes anywhere, and those given to an error as `code=`."""
    found: set[str] = set()
    names = {cls.__name__ for cls in error_classes().values()}
    for path in SOURCE.rglob("*.py"):
        tree = ast.parse(path.read_text())
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and _is_error(node, names):
                found.update(_class_codes(node))
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in names:
                found.update(_given_codes(node))
    return found


def _is_error(node: ast.ClassDef, names: set[str]) -> bool:
    return any(getattr(base, "id", "") in names for base in node.bases)


def _class_codes(node: ast.ClassDef) -> Iterator[str]:
    for line in node.body:
        if isinstance(line, ast.Assign) and getattr(line.targets[0], "id", "") == "code":
            yield str(ast.literal_eval(line.value))


def _given_codes(node: ast.Call) -> Iterator[str]:
    for keyword in node.keywords:
        if keyword.arg == "code" and isinstance(keyword.value, ast.Constant):
            yield str(keyword.value.value)


@pytest.mark.parametrize("code", sorted(codes_in_source() | {"internal"}))
def test_every_error_code_is_explained(code: str) -> None:
    assert f"| `{code}` |" in page("errors.md")


@pytest.mark.parametrize("reason", [reason.value for reason in Reason if reason.value])
def test_every_reason_is_explained_with_a_next_step(reason: str) -> None:
    assert re.search(rf"^\| `{reason}` \| .+ \| .+ \|$", page("errors.md"), re.MULTILINE)


@pytest.mark.parametrize("word", [one.value for one in (*State, *Phase) if one.value])
def test_every_state_and_phase_is_in_the_glossary(word: str) -> None:
    assert f"`{word}`" in page("glossary.md")


def spec_fields() -> Iterator[str]:
    schema = spec_schema()
    for name, field in schema["properties"].items():
        inner = re.findall(r"#/\$defs/(\w+)", str(field))
        if not inner:
            yield name
        for definition in inner:
            yield from schema["$defs"][definition]["properties"]


@pytest.mark.parametrize("field", sorted(set(spec_fields())))
def test_every_field_of_a_spec_is_listed(field: str) -> None:
    assert re.search(rf"`(\w+\.)?{field}(\.\w+)?`", page("spec.md"))


@pytest.mark.parametrize(
    "name", ["host", "port", "database_url", "public_url", "certificate", "proxies"]
)
def test_every_setting_of_the_service_is_listed(name: str) -> None:
    assert name in Settings.__dataclass_fields__
    assert f"`{name}`" in section("up")


def variables() -> set[str]:
    """Those that a person may set or a program may read; not what parts of Diamond tell each other."""
    text = "\n".join(
        path.read_text()
        for path in SOURCE.rglob("*")
        if path.suffix in (".py", ".sh") and "lab" not in path.relative_to(SOURCE).parts
    )
    found = set(re.findall(r"\bDIAMOND_[A-Z]+(?:_[A-Z]+)*\b", text))
    private = ("DIAMOND_TEST", "DIAMOND_LAB", "DIAMOND_LOCAL")
    return {name for name in found if not name.startswith(private)}


@pytest.mark.parametrize("name", sorted(variables()))
def test_every_variable_is_explained(name: str) -> None:
    assert any(name in path.read_text() for path in PAGES)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text()):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        linked = (path.parent / file) if file else path
        assert linked.exists(), target
        if anchor:
            assert anchor in anchors(linked.read_text()), target


def test_every_picture_is_taken_by_a_story_and_shown_on_a_page() -> None:
    shown = {
        name for path in PAGES for name in re.findall(r"pictures/([\w-]+)\.png", path.read_text())
    }
    assert {path.stem for path in (DOCS / "pictures").iterdir()} == shown
    stories = "".join(path.read_text() for path in (ROOT / "tests/e2e/pages").glob("test_*.py"))
    by_tab = {name for name in shown if name.startswith("task-")}
    for name in shown - by_tab:
        assert f'"{name}")' in stories, f"no story takes {name}.png"


def anchors(text: str) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


def code_blocks(language: str) -> list[tuple[str, str]]:
    return [
        (path.name, text)
        for path in PAGES
        for found, text in FENCE.findall(path.read_text())
        if found == language
    ]


@pytest.mark.parametrize(("name", "text"), code_blocks("python"))
def test_python_in_the_docs_is_python(name: str, text: str) -> None:
    ast.parse(text)


@pytest.mark.parametrize(
    ("name", "text"), [block for block in code_blocks("yaml") if "\nrun:" in f"\n{block[1]}"]
)
def test_a_spec_in_the_docs_is_a_valid_one(name: str, text: str) -> None:
    assert Spec.model_validate(read_spec(text)).run


@pytest.mark.parametrize(
    ("name", "text"),
    [block for block in code_blocks("yaml") if block[0] == "bring-your-script.md"],
)
def test_a_guide_is_accepted_as_it_stands(name: str, text: str) -> None:
    """By a cluster with GPUs, without a warning."""
    partition = {"name": "gpu", "default": True, "nodes_total": 4, "cpus_per_node": 64}
    partition |= {"max_minutes": 1440, "memory_mb_per_node": 256000, "gpus_per_node": {"a100": 4}}
    facts = {"scheduler": {"name": "slurm"}, "partitions": [partition]}
    cluster = EndpointFacts(name="mycluster", state="online", default=True, facts=facts)
    spec = {**read_spec(text), "on": "mycluster", "account": "research"}
    composed = check(spec, endpoints=[cluster], code=None)
    assert composed.warnings == []


def commands_in_messages() -> set[tuple[str, str]]:
    """What messages and hints tell a person to type."""
    found: set[tuple[str, str]] = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                named = re.findall(r"(?:^|[`:] ?)diamond ([a-z]+(?: [a-z]+)?)", node.value)
                found.update((path.name, words) for words in named)
    return found


@pytest.mark.parametrize(("name", "words"), sorted(commands_in_messages()))
def test_a_message_names_a_command_that_exists(name: str, words: str) -> None:
    first = words.split()[0]
    assert words in COMMANDS or first in COMMANDS or words in {c.split()[0] for c in COMMANDS}


def threats() -> list[tuple[str, str]]:
    """Each line of the threat model: (threat, who tries it)."""
    table = page("security.md").split("## Threats, and who tries them")[1]
    lines = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("|")]
    return [(cells[0], cells[-1]) for cells in lines[2:]]


def test_each_threat_is_tried_by_a_test_that_exists() -> None:
    """By a file, or by the functions of one, which then must be there too."""
    known = {path.name for path in (ROOT / "tests").rglob("test_*.py")}
    for path in (ROOT / "tests" / "integration" / "hostile").glob("test_*.py"):
        known |= set(re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE))
    known |= {f"python -m bench {path.stem}" for path in (ROOT / "bench" / "claims").glob("*.py")}
    named = [(threat, re.findall(r"`([^`]+)`", tried)) for threat, tried in threats()]
    assert len(named) > 30
    faults = [(threat, tests) for threat, tests in named if not tests or set(tests) - known]
    assert not faults


def test_each_hostile_scenario_stands_in_the_threat_model() -> None:
    tried = " ".join(tests for _, tests in threats())
    scenarios = [
        name
        for path in sorted((ROOT / "tests" / "integration" / "hostile").glob("test_*.py"))
        for name in re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE)
    ]
    assert len(scenarios) > 30
    assert [name for name in scenarios if f"`{name}`" not in tried] == []


def test_every_test_that_the_docs_name_is_there() -> None:
    files = [*(ROOT / "tests").rglob("test_*.py"), *(SOURCE / "testing").rglob("*.py")]
    known = {path.stem for path in files}
    for path in files:
        known |= set(re.findall(r"def (test_\w+)\(", path.read_text()))
    named = {name for path in PAGES for name in re.findall(r"\b(test_\w+)", path.read_text())}
    assert named - known == set()
