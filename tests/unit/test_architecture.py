"""Imports point one way, and what travels to a cluster needs nothing but an old Python."""

from __future__ import annotations

import ast
import graphlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "diamond"
CARRIED = (
    "core",
    "schedulers",
    "images",
    "runtimes",
    "launchers",
    "agent",
    "training",
    "frames",
    "code",
    "planning",
    "data",
    "pilots",
)
CAPABILITIES = {
    "compose",
    "planning",
    "images",
    "code",
    "schedulers",
    "runtimes",
    "launchers",
    "training",
    "frames",
    "data",
    "provenance",
    "studies",
    "pipelines",
    "pilots",
}
ALLOWED = {
    "core": {"core"},
    **{name: {"core", name} for name in CAPABILITIES},
    "compose": {"core", "compose", "schedulers", "images", "pilots", "pipelines", "studies"},
    "frames": {"frames", "training"},
    "runtimes": {"core", "images", "runtimes"},
    "launchers": {"core", "launchers", "runtimes"},
    "schedulers": {"core", "schedulers", "pilots"},
    "pilots": {"core", "launchers", "pilots"},
    "planning": {"core", "planning", "training"},
    "agent": {"core", "agent"} | CAPABILITIES - {"compose", "provenance", "pipelines", "studies"},
    "notation": {"core", "notation"},
    "service": {"core", "service", "notation"} | CAPABILITIES | {"agent"},
    "sdk": {"core", "sdk", "code", "data", "notation", "provenance", "studies", "training"},
    "cli": {"core", "cli", "sdk", "code"},
    "testing": {"core", "schedulers", "images", "runtimes", "launchers", "testing"},
}
LONGEST_FUNCTION = 60
# From the bottom up: a slice imports only slices that stand before it.
SLICE_TABLES = {
    "service": """
        access:
        platform: access
        people: access platform
        entries: platform
        recipes: people platform
        notifications: access people platform
        endpoints: access notifications people platform
        artifacts: access endpoints people platform
        projects: access endpoints notifications people platform
        sign_in: access people platform projects
        pages: people platform sign_in
        storage: access artifacts endpoints people platform projects
        code: access artifacts people platform projects storage
        chains: endpoints platform
        limits: access chains endpoints people platform projects sign_in
        announcements: access limits people platform
        administration: access endpoints limits people platform projects sign_in
        lineage: access people platform
        tasks: access chains code endpoints entries limits lineage notifications people platform projects
        output: access endpoints entries people platform storage tasks
        views: access people platform projects
        images: access artifacts endpoints entries output people platform tasks
        runs: access images lineage output people platform projects tasks
        trees: access artifacts endpoints people platform storage tasks
        datasets: access endpoints lineage people platform projects tasks trees
        results: access datasets endpoints entries lineage people platform tasks trees
        models: access artifacts code datasets endpoints output people platform results storage tasks trees
        composer: access artifacts code datasets endpoints images models people platform projects recipes tasks
        planning: access chains composer endpoints images limits output people platform tasks
        jobs: access chains composer datasets endpoints images output people planning platform projects tasks trees
        diagnosis: access chains composer endpoints jobs output people platform tasks
        scales: access composer endpoints images jobs output people planning platform tasks
        pilots: access composer endpoints jobs output people platform projects tasks
        studies: access chains composer endpoints images jobs limits models notifications output people pilots planning platform projects results tasks
        pipelines: access code composer datasets endpoints jobs notifications output people pilots platform projects results tasks trees
        sharing: access datasets endpoints images models notifications people pipelines platform projects tasks
        courses: access code composer jobs limits people platform projects sign_in tasks
        sync: code datasets endpoints images models output platform results storage studies tasks trees
        reproduce: access composer endpoints entries images jobs output people platform projects runs tasks
        records: access code datasets endpoints entries images people platform tasks trees
        dashboard: access chains endpoints output people platform tasks
        events: access endpoints images notifications output people planning platform tasks
        maintenance: access code endpoints entries limits notifications output people platform records tasks trees
    """,
    "agent": """
        guard:
        link: guard
        site: guard link
        images: link site
        data: guard link site
        tasks: data guard images link site
        output: guard link tasks
        forwarding: guard tasks
    """,
}
SLICES = {
    part: {
        name: set(allowed.split())
        for name, _, allowed in (line.strip().partition(":") for line in table.strip().splitlines())
    }
    for part, table in SLICE_TABLES.items()
}
BESIDE_SLICES = {
    ("service", "settings"): "platform",
    ("service", "app"): "app",
    ("agent", "disk"): "",
    ("agent", "folders"): "",
}
"""Modules beside the slices: settings are the platform's; nothing imports `app`; '' is below all slices."""
LAZY = {
    ("service", "agent"): "service/platform/agent_file.py builds the file it serves",
    ("cli", "testing"): "`diamond lab`",
}


def modules(*folders: str) -> Iterator[Path]:
    for folder in folders:
        yield from sorted((SOURCE / folder).rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


@pytest.mark.parametrize("part", sorted(ALLOWED))
def test_imports_point_one_way(part: str) -> None:
    wrong = []
    for path in modules(part):
        for name in imported(path):
            words = name.split(".")
            if words[0] != "diamond" or len(words) < 2:
                continue
            if words[1] not in ALLOWED[part] and (part, words[1]) not in LAZY:
                wrong.append(f"{path.relative_to(SOURCE)} imports {name}")
    assert not wrong


def test_what_travels_imports_the_standard_library_only() -> None:
    foreign = [
        f"{path.relative_to(SOURCE)} imports {name}"
        for path in modules(*CARRIED)
        for name in imported(path)
        if name.split(".")[0]
        not in sys.stdlib_module_names | {"diamond"} | brought_by_the_job(path)
    ]
    assert not foreign


def brought_by_the_job(path: Path) -> set[str]:
    """What a training has anyway, or an environment that Diamond makes for previews; imported when it is first used.

    The helper for Globus is run by another Python, which has its SDK.
    """
    if path == SOURCE / "data" / "globus_job.py":
        return {"globus_sdk"}
    if path in (SOURCE / "pilots" / "dask_processes.py", SOURCE / "pilots" / "keys.py"):
        return {"distributed", "dask", "cryptography"}
    if path.is_relative_to(SOURCE / "training"):
        return {"torch", "lightning", "safetensors", "transformers"}
    if path.is_relative_to(SOURCE / "data" / "previews"):
        return {"numpy", "pyarrow", "h5py", "netCDF4", "zarr", "PIL"}
    return set()


def test_the_training_library_is_there_without_torch() -> None:
    script = (
        "import sys; sys.modules['torch'] = None; "
        "import diamond.training, diamond.training.sampler, diamond.training.install; "
        "from diamond.training.checkpoints import events, folder, interval, manifest, room"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize(
    ("folders", "version"), [(CARRIED, (3, 9)), (("training",), (3, 8))], ids=["agent", "job"]
)
def test_what_travels_is_written_in_an_older_python(
    folders: tuple[str, ...], version: tuple[int, int]
) -> None:
    for path in [SOURCE / "__init__.py", *modules(*folders)]:
        tree = ast.parse(path.read_text(), filename=str(path), feature_version=version)
        assert not [n for n in ast.walk(tree) if isinstance(n, ast.Match)], path


@pytest.mark.parametrize("part", sorted(SLICES))
def test_slices_import_only_what_is_listed_for_them(part: str) -> None:
    wrong = [
        f"{path.relative_to(SOURCE)} imports {name}: not listed for {slice_}"
        for slice_, path in sliced(part)
        for name in imported(path)
        if (other := slice_of(part, name)) and other not in {slice_, *SLICES[part][slice_]}
    ]
    assert not wrong


@pytest.mark.parametrize("part", sorted(SLICES))
def test_the_list_of_slices_is_acyclic_and_complete(part: str) -> None:
    graph = graphlib.TopologicalSorter(SLICES[part])
    assert set(graph.static_order()) == set(SLICES[part])
    folders = {path.name for path in (SOURCE / part).iterdir() if (path / "__init__.py").exists()}
    assert folders == set(SLICES[part])


def sliced(part: str) -> Iterator[tuple[str, Path]]:
    """Every module of a slice; those beside the slices put them together."""
    for slice_ in SLICES[part]:
        for path in modules(f"{part}/{slice_}"):
            yield slice_, path


def slice_of(part: str, name: str) -> str:
    words = name.split(".")
    if words[:2] != ["diamond", part] or len(words) < 3:
        return ""
    return BESIDE_SLICES.get((part, words[2]), words[2])


def test_parts_of_the_agent_are_wired_through_their_constructors() -> None:
    """None sets an attribute of another afterwards; `_own` is what each thread keeps for itself."""
    wrong = [
        f"{path.relative_to(SOURCE)}:{node.lineno} {ast.unparse(node)}"
        for path in modules("agent")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr != "_own"
    ]
    assert not wrong


def test_files_and_functions_stay_small() -> None:
    big = [
        f"{p.relative_to(SOURCE)}: {n} lines"
        for p in SOURCE.rglob("*.py")
        if (n := len(p.read_text().splitlines())) > 600
    ]
    long = [
        f"{p.relative_to(SOURCE)}: {node.name} has {n} lines"
        for p in SOURCE.rglob("*.py")
        if "migrations" not in p.parts  # they are history: nobody edits them
        for node in ast.walk(ast.parse(p.read_text()))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and (n := (node.end_lineno or 0) - node.lineno + 1) > LONGEST_FUNCTION
    ]
    assert not big + long


def test_the_service_passes_typed_values() -> None:
    """`Any`, and reading by string key and its kin, stay rare: values are frozen dataclasses and models.

    Counted for each 1,000 lines as they stand, migrations included; `@router.get("…")` counts as a `.get("…")` too.
    """
    texts = [path.read_text() for path in modules("service")]
    thousands = sum(len(text.splitlines()) for text in texts) / 1000
    loose = sum(len(re.findall(r"\bAny\b", text)) for text in texts)
    by_key = sum(
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, str)
        for text in texts
        for node in ast.walk(ast.parse(text))
    )
    kin = r'\.get\(\s*f?"|\bcast\(|Mapping\[str, object\]|type: ignore'
    by_key += sum(len(re.findall(kin, text)) for text in texts)
    assert loose / thousands <= 8
    assert by_key / thousands <= 15


def test_the_formatter_formats_everything_and_types_are_published() -> None:
    skipped = re.compile(r"#\s*fmt:\s*(skip|off)")
    assert not [path for path in SOURCE.rglob("*.py") if skipped.search(path.read_text())]
    assert (SOURCE / "py.typed").exists()


def test_the_architecture_names_every_slice_and_package() -> None:
    page = (SOURCE.parents[1] / "ARCHITECTURE.md").read_text()
    packages = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    missing = [name for name in sorted(packages) if f"{name}/" not in page]
    missing += [
        f"{part}/{name}"
        for part, slices in SLICES.items()
        for name in slices
        if not re.search(rf"\b{name}\b", page)
    ]
    assert not missing, "give each a line in ARCHITECTURE.md"


def test_the_walk_of_one_job_names_files_and_functions_that_exist() -> None:
    page = (SOURCE.parents[1] / "ARCHITECTURE.md").read_text()
    hops = re.findall(r"`([a-z_]+(?:/[a-z_]+)+\.(?:py|sh))(?:: ([\w.]+))?`", page)
    absent = [
        f"{path}: {name}"
        for path, name in hops
        if path.split("/")[0] != "tests"
        and (not (SOURCE / path).exists() or name.split(".")[-1] not in (SOURCE / path).read_text())
    ]
    assert len(hops) > 30
    assert not absent
