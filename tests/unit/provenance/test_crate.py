"""What leaves as a crate passes the profiles it names, by a validator that is not ours."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from prov.model import ProvDocument

from diamond.provenance.crate import CrateFile, CrateRequest, CrateTask, crate_metadata
from diamond.provenance.prov import prov_json
from diamond.provenance.record import assemble
from support.crates import PROFILES, faults, seed_cache
from support.records import HEX, sample_entries

FILES = ("record.jsonl", "metrics.json", "lock.txt")
SCRIPTS = ("run.sh", "job.sh")


def crate_task(task: str, *, folder: str = "", who: str = "lovelace") -> CrateTask:
    return CrateTask(
        task,
        assemble(sample_entries(task)),
        folder,
        who,
        files=[CrateFile(f"{folder}{name}", name, size=1, sha256=HEX) for name in FILES],
        scripts=[CrateFile(f"{folder}{name}", name, size=1) for name in SCRIPTS],
    )


def lay_out(folder: Path, request: CrateRequest) -> Path:
    folder.mkdir(parents=True)
    for task in request.tasks:
        for name in (*FILES, *SCRIPTS, "diamond.yaml"):
            (folder / task.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / task.folder / name).write_text("x")
    (folder / "ro-crate-metadata.json").write_bytes(crate_metadata(request))
    return folder


def test_a_task_is_a_process_workflow_and_provenance_run_crate(tmp_path: Path) -> None:
    crate = lay_out(tmp_path / "crate", CrateRequest("digits", [crate_task("t1")], 1e9))
    cache = seed_cache(tmp_path)
    found = {profile: faults(crate, profile, cache) for profile in PROFILES}
    assert not any(found.values()), found


def test_the_validator_refuses_a_run_without_its_tool(tmp_path: Path) -> None:
    """So that the test above can fail."""
    crate = lay_out(tmp_path / "crate", CrateRequest("digits", [crate_task("t1")], 1e9))
    metadata = crate / "ro-crate-metadata.json"
    content = json.loads(metadata.read_text())
    for entity in content["@graph"]:
        entity.pop("instrument", None)
    metadata.write_text(json.dumps(content))
    assert faults(crate, PROFILES[0], seed_cache(tmp_path))


def test_several_tasks_are_a_process_run_crate(tmp_path: Path) -> None:
    tasks = [crate_task(name, folder=f"tasks/{name}/") for name in ("t1", "t2")]
    crate = lay_out(tmp_path / "crate", CrateRequest("a paper", tasks, 1e9))
    assert faults(crate, PROFILES[0], seed_cache(tmp_path)) == []


@pytest.mark.parametrize("who", ["lovelace", ""])
def test_somebody_who_stays_unnamed_is_nowhere_in_it(who: str) -> None:
    request = CrateRequest("digits", [crate_task("t1", who=who)], 1e9)
    text = crate_metadata(request).decode() + prov_json(request.tasks).decode()
    assert ("lovelace" in text) is bool(who)
    assert "alpha" not in text
    assert '"n1"' not in text


def test_the_same_as_prov_is_read_by_the_prov_package() -> None:
    document = ProvDocument.deserialize(
        content=prov_json([crate_task("t1"), crate_task("t2")]).decode(), format="json"
    )
    text = document.get_provn()
    assert "activity(task:t1, 1970-01-01T00:01:40+00:00" in text
    assert f"used(task:t1, sha256:{HEX}" in text
    assert "wasAssociatedWith(" in text
