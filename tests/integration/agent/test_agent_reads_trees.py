"""Versioned data in a task: checked before each start, read-only, as files or as an archive."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

import pytest

from diamond.agent.data.archives import Archives
from diamond.agent.data.places import Place, TreePlaces
from diamond.agent.data.reports import Reporter
from diamond.agent.folders import Folders
from diamond.agent.site.profile import Profile
from diamond.data.scanning import scan
from support.agents import AgentProcess
from support.sync_service import SyncService
from support.waiting import wait_for

READ = 'cat "$DIAMOND_DATA/era5/sub/file"; touch "$DIAMOND_DATA/era5/new" 2>/dev/null && echo WRITTEN; true'


def places_of(agent: AgentProcess) -> TreePlaces:
    return TreePlaces(Folders(agent.keep, agent.work, agent.folder))


def registered(agent: AgentProcess, root: Path) -> str:
    """As a scan leaves it."""
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "file").write_text("the data")
    places = places_of(agent)
    done = scan(str(root), manifest=root.parent / "m", state=places.state_of(str(root)))
    tree = done.summary.digest
    manifest = places.manifest(tree)
    manifest.parent.mkdir(parents=True, exist_ok=True)
    (root.parent / "m").rename(manifest)
    place = Place(tree, "files", str(root), managed=False, fingerprint=done.fingerprint)
    places.put(place)
    return tree


def output(agent: AgentProcess, task: str) -> str:
    return (agent.attempt_folder(task) / "runs" / "1" / "stdout.log").read_text()


def test_a_task_reads_a_tree_by_its_name(
    agent: AgentProcess, service: SyncService, tmp_path: Path
) -> None:
    tree = registered(agent, tmp_path / "data")
    order = {"command": READ, "trees": {"era5": {"digest": f"sha256:{tree}"}}}
    task = service.submit(order).id
    wait_for(lambda: service.tasks[task].is_final)
    assert service.tasks[task].state.value == "succeeded", service.tasks[task]
    assert output(agent, task).startswith("the data")


def test_a_changed_file_stops_the_start_with_its_name(
    agent: AgentProcess, service: SyncService, tmp_path: Path
) -> None:
    tree = registered(agent, tmp_path / "data")
    (tmp_path / "data" / "sub" / "file").write_text("the DATA")
    task = service.submit({"command": READ, "trees": {"era5": {"digest": tree}}}).id
    wait_for(lambda: service.tasks[task].is_final)
    ended = service.tasks[task]
    assert (ended.state.value, ended.reason.value) == ("failed", "data")
    assert "sub/file" in ended.message and "'era5'" in ended.message


def test_a_tree_that_is_not_here_stops_the_start(agent: AgentProcess, service: SyncService) -> None:
    task = service.submit({"command": READ, "trees": {"era5": {"digest": "0" * 64}}}).id
    wait_for(lambda: service.tasks[task].is_final)
    assert "not on this machine" in service.tasks[task].message


@pytest.mark.parametrize("has_fuse", [True, False])
def test_a_task_reads_an_archive(
    agent: AgentProcess, service: SyncService, tmp_path: Path, has_fuse: bool
) -> None:
    """Mounted; on a node without FUSE it is unpacked on the node's own disk, and goes with the job."""
    if not (
        shutil.which("mksquashfs") and shutil.which("squashfuse") and Path("/dev/fuse").exists()
    ):
        pytest.skip("squashfs-tools and squashfuse are needed")
    tree = registered(agent, tmp_path / "data")
    places = places_of(agent)
    found = places.find(tree, "files")
    assert found is not None
    reporter = Reporter(None, lambda: True)  # type: ignore[arg-type]
    Archives(places, reporter, Profile).pack(Path(found.path), found, lambda: False)
    order = {"command": READ, "trees": {"era5": {"digest": tree, "layout": "archive"}}}
    if not has_fuse:
        modules = ["squashfuse() { false; }", "squashfuse_ll() { false; }"]
        (agent.keep / "settings.json").write_text(json.dumps({"corrections": {"modules": modules}}))
        agent.stop()
        agent.start()
    task = service.submit(order).id
    wait_for(lambda: service.tasks[task].is_final)
    assert service.tasks[task].state.value == "succeeded", service.tasks[task]
    said = output(agent, task)
    assert said == "the data" if has_fuse else said.startswith("the data")  # root writes anywhere
    attempt = agent.attempt_folder(task).name
    assert not list(Path(tempfile.gettempdir()).glob(f"diamond-{attempt}-*"))
    mounted = agent.attempt_folder(task) / "mounts" / "era5"
    assert str(mounted) not in Path("/proc/mounts").read_text()
