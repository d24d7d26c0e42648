"""A community account on a real cluster: others' jobs run under it, and Slurm's own records name the real person."""

from __future__ import annotations

import csv
import io
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from diamond.testing.lab import Lab
from support.people import add_person
from support.stack import UNTIL_GO, Stack, new_stack
from support.waiting import wait_for

OVER_ETC = 'mount -t overlay overlay -o lowerdir="$1":/etc /etc && shift && exec "$@"'
"""What stands in the folder appears in /etc, for one process and its children alone."""


@pytest.fixture
def stack(slurm_lab: Lab, tmp_path: Path) -> Iterator[Stack]:
    """Its agent finds a site file of root that declares its account a community account."""
    site = tmp_path / "etc" / "diamond" / "site.toml"
    site.parent.mkdir(parents=True)
    site.write_text('community = ["root"]\n')
    site.chmod(0o644)
    made = new_stack(slurm_lab.cluster("alpha"), tmp_path / "stack")
    made.within = ["unshare", "--mount", "sh", "-c", OVER_ETC, "sh", str(tmp_path / "etc")]
    try:
        tried = subprocess.run([*made.within, "true"], capture_output=True, check=False)
        if tried.returncode:
            pytest.skip(f"no overlay over /etc here: {tried.stderr.decode(errors='replace')}")
        made.start_agent()
        yield made
    finally:
        made.close()


@pytest.mark.slow
def test_slurm_names_the_person_for_whom_a_community_account_runs(stack: Stack) -> None:
    bob_id, bob = add_person(stack.service, "Bob Ängström")
    spec = {"name": "hers", "run": UNTIL_GO, "on": stack.name, "resources": {"walltime": "5m"}}
    assert bob.call("POST", "/jobs", {"spec": spec}).json["code"] == "invalid-spec"
    share = {"with_kind": "person", "with_id": bob_id}
    stack.client.post(f"/endpoints/{stack.name}/shares", share)
    task = bob.post("/jobs", {"spec": spec})["tasks"][0]["id"]
    wait_for(lambda: bob.get(f"/tasks/{task}")["state"] == "running", what="running job")
    job = bob.get(f"/tasks/{task}")["native_id"]
    comment = stack.slurm("squeue", "--noheader", "--jobs", job, "--format", "%k")
    assert comment.startswith(f"diamond:{bob_id}:Bob_")
    stack.go(task)
    wait_for(lambda: bob.get(f"/tasks/{task}")["state"] == "succeeded", what="success")
    words = ("sacct", "-X", "-n", "-P", "-j", job, "-o", "comment")
    assert wait_for(lambda: stack.slurm(*words), what="comment in accounting") == comment
    assert stack.client.call("GET", f"/tasks/{task}").status == 404
    exported = stack.client.call("GET", "/usage/export").body.decode()
    used = {one["person"]: one for one in csv.DictReader(io.StringIO(exported))}
    assert used[bob_id]["endpoint"] == stack.name and float(used[bob_id]["node_hours"]) > 0


@pytest.mark.slow
def test_what_the_account_runs_for_its_owner_names_her_too(stack: Stack) -> None:
    task = stack.submit(UNTIL_GO)
    stack.until(task, "running")
    comment = stack.slurm("squeue", "--noheader", "-j", stack.native_id(task), "-o", "%k")
    assert comment.startswith("diamond:local:")
    stack.go(task)
    stack.until(task, "succeeded")
