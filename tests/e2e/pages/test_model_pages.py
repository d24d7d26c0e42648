"""Models in a browser: the list, a model with its versions, pushing a folder, and continuing from a version."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from support.browser import PHONE, OpenPage, Site, faults_in_both_looks
from support.waiting import wait_for

PROGRAM = """\
from diamond import training
for step in range(1, 40):
    training.log(step=step, loss=2 / step, accuracy=1 - 1 / step)
import pathlib
out = pathlib.Path("artifacts/net"); out.mkdir(parents=True)
(out / "model.pt").write_bytes(bytes(1000))
training.artifact(out, "net", kind="model", format="torch", signature={
    "inputs": {"image": "float32[N, 64]"}, "outputs": {"digit": "float32[N, 10]"}})
"""


@pytest.fixture(scope="module")
def model(site: Site) -> str:
    """`digits` with a version from a run that has curves, kept, with an alias that has moved."""
    client = site.client()
    folder = site.diamond.folder / "train"
    folder.mkdir()
    (folder / "train.py").write_text(PROGRAM)
    spec = {"name": "train-digits", "code": str(folder), "run": "python3 train.py --lr {lr}"}
    job = client.run({**spec, "params": {"lr": 0.1}}, wait=True)
    task = job.task.id

    def is_ready() -> bool:
        states = {one["name"]: one["state"] for one in client.results(task)}
        return states.get("net") == "ready" and bool(client.metrics(task))

    wait_for(is_ready, what="the result and its curves")
    client.add_model_version("digits", task=task, result="net", note="first good one")
    folder.joinpath("pushed.safetensors").write_bytes(b"x" * 2000)
    client.push_model("digits", folder / "pushed.safetensors", note="from my laptop")
    client.set_model_alias("digits", "production", 1)
    client.set_model_alias("digits", "production", 2)
    client.change_model("digits", description="Reads handwritten digits", license="apache-2.0")
    wait_for(lambda: client.model_safety("digits@v1")["state"] == "kept", what="a kept copy")
    return task


def test_a_model_shows_its_versions_where_they_lie_and_who_moved_what(
    open_page: OpenPage, model: str
) -> None:
    page = open_page("/models")
    page.get_by_role("link", name="digits", exact=True).click()
    expect(page.get_by_role("heading", name="digits", exact=True)).to_be_visible()
    expect(page.get_by_text("Reads handwritten digits")).to_be_visible()
    page.get_by_role("tab", name="Versions").click()
    first = page.get_by_role("listitem", name="Version 1")
    expect(first.get_by_text("A verified copy is in this service.")).to_be_visible()
    expect(first.get_by_role("table", name="Signature of version 1")).to_contain_text("image")
    expect(first.get_by_role("link", name=model)).to_be_visible()
    second = page.get_by_role("listitem", name="Version 2")
    expect(second.get_by_text("pushed from outside", exact=False)).to_be_visible()
    assert faults_in_both_looks(page) == []
    page.get_by_role("tab", name="History").click()
    expect(page.get_by_text("production moved from v1 to v2")).to_be_visible()


def test_the_card_of_a_run_has_a_picture_of_its_curves(
    open_page: OpenPage, site: Site, model: str
) -> None:
    site.client().add_model_version("curves", task=model, result="net")
    page = open_page("/models/curves")
    picture = page.get_by_role("img", name="Curves of version 1")
    expect(picture).to_be_visible()
    wait_for(lambda: picture.evaluate("image => image.naturalWidth") > 0, what="the picture")
    expect(page.get_by_text("library_name")).to_have_count(0)
    assert faults_in_both_looks(page) == []


def test_fine_tuning_opens_the_composer_filled_in(open_page: OpenPage, model: str) -> None:
    page = open_page("/models/digits?tab=versions", size=PHONE)
    page.get_by_role("link", name="Fine-tune version 1").click()
    expect(page).to_have_url(re.compile("model="))
    expect(page.get_by_role("textbox", name="Name", exact=True)).to_have_value("digits-tuned")
    expect(page.get_by_text(re.compile("model:digits@v1")).first).to_be_attached()
    expect(page.get_by_role("button", name=re.compile("^Submit"))).to_be_enabled()
    expect(page.get_by_text("error to fix")).to_have_count(0)
    assert model


def test_a_folder_of_an_endpoint_is_pushed(open_page: OpenPage, model: str, tmp_path: Path) -> None:
    (tmp_path / "w.pt").write_bytes(b"weights")
    page = open_page("/models")
    page.get_by_role("button", name="Push").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("pushed-here")
    dialog.get_by_label("Folder").fill(str(tmp_path))
    dialog.get_by_role("button", name="Push").click()
    expect(page.get_by_role("heading", name="pushed-here")).to_be_visible()
    assert model


def test_a_model_that_is_not_there_and_none_at_all(open_page: OpenPage, model: str) -> None:
    page = open_page("/models/never-was")
    expect(page.get_by_text("There is no model 'never-was'")).to_be_visible()
    page.get_by_role("link", name="All models").click()
    page.get_by_label("Search models").fill("nothing like this")
    expect(page.get_by_role("heading", name="No matching models")).to_be_visible()
    assert model
