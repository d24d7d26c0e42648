"""Space in the service is seen and freed; data is found by browsing; pictures that a script logs are shown."""

from __future__ import annotations

import base64
import json
import re
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from diamond.sdk.client import Client
from diamond.sdk.client_config import saved_address
from support.browser import DESKTOP, PHONE, OpenPage, Site, faults_in_both_looks, picture
from support.waiting import wait_for

pytestmark = pytest.mark.slow
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR42mNkYPhfz4AHMNJIGgCbLwP9G0IO3gAAAABJRU5ErkJggg=="
)
MEDIA = "wandb/offline-run-20260101_120000-abc123/files/media"
TABLE = {"columns": ["name", "score"], "data": [["<script>alert(1)</script>", 1], ["b", 2]]}


def both_looks(page: Page, name: str) -> None:
    """Pictures for whoever looks, and no serious fault of access."""
    picture(page, f"{name}-light")
    page.emulate_media(color_scheme="dark")
    picture(page, f"{name}-dark")
    page.emulate_media(color_scheme="light")
    assert faults_in_both_looks(page) == []


def test_code_is_seen_and_removed_and_its_task_says_so(
    open_page: OpenPage, site: Site, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text("print('hello')\n")
    (tmp_path / "weights.bin").write_bytes(bytes(300_000))
    (tmp_path / "diamond.yaml").write_text(
        "name: space\nrun: python3 train.py\ncode: .\non: local\n"
    )
    task = str(site.diamond.ask("run", str(tmp_path))["tasks"][0]["id"])
    site.diamond.wait_for_state(task, "succeeded")
    page = open_page("/settings?tab=storage")
    row = page.get_by_role("row", name=re.compile(r"^space \w{12}"))
    expect(row).to_contain_text("1 ended task")
    both_looks(page, "storage-desktop")
    narrow = open_page("/settings?tab=storage", size=PHONE)
    expect(narrow.get_by_role("row", name=re.compile(r"^space \w{12}"))).to_be_visible()
    both_looks(narrow, "storage-phone")
    row.get_by_role("button", name=re.compile("^Remove space")).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("They keep their records")
    both_looks(page, "storage-dialog")
    dialog.get_by_role("button", name="Remove").click()
    expect(page.get_by_text(re.compile("Code removed: .* freed"))).to_be_visible()
    expect(row).to_have_count(0)
    page.goto(f"{site.url}/tasks/{task}?tab=code&part=files")
    expect(page.get_by_text("This code was removed from the service")).to_be_visible()


def test_data_is_found_by_browsing_the_endpoint(open_page: OpenPage, site: Site) -> None:
    home = Path.home()
    folder = home / "diamond-browse-test" / "era5 <b>2026"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "train.csv").write_text("1,2\n")
    (folder / "co:lon").write_text("x")
    try:
        for size, name in ((DESKTOP, "desktop"), (PHONE, "phone")):
            page = open_page("/compose", size=size)
            page.get_by_role("textbox", name="Command").fill("true")
            page.get_by_role("button", name="Add data").click()
            page.get_by_role("button", name=re.compile("^Browse for")).click()
            dialog = page.get_by_role("dialog")
            dialog.get_by_role("button", name=f"Folder {home}", exact=True).click()
            dialog.get_by_role("button", name="Folder diamond-browse-test").click()
            dialog.get_by_role("button", name=re.compile("era5")).click()
            expect(dialog.get_by_role("button", name=re.compile("co:lon"))).to_be_disabled()
            both_looks(page, f"browse-{name}")
            dialog.get_by_role("button", name=re.compile("train.csv")).click()
            dialog.get_by_role("button", name="Use this file").click()
            expect(page.get_by_label("Dataset or path 1")).to_have_value(str(folder / "train.csv"))
            expect(page.get_by_label("Data name 1")).to_have_value("train")
    finally:
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
        folder.parent.rmdir()


def test_pictures_and_tables_of_a_script_are_shown(open_page: OpenPage, site: Site) -> None:
    task = site.diamond.submit("sh", "-c", "sleep 1", options=("--no-code", "--name", "media"))
    site.diamond.wait_for_state(task, "succeeded")
    run = Path(site.diamond.ask("show", task)["run_dir"]) / "run" / MEDIA
    (run / "images").mkdir(parents=True)
    (run / "table").mkdir()
    for step in (1, 2):
        (run / "images" / f"sample_{step}_0a1b2c3d4e5f60718293.png").write_bytes(PNG)
    (run / "table" / "scores_2_0a1b2c3d4e5f60718293.table.json").write_text(json.dumps(TABLE))
    for size, name in ((DESKTOP, "desktop"), (PHONE, "phone")):
        page = open_page(f"/tasks/{task}?tab=metrics", size=size)
        image = page.get_by_role("img", name="sample at step 2")
        expect(image).to_be_visible()
        wait_for(partial(image.evaluate, "one => one.naturalWidth"), what="the picture itself")
        expect(page.get_by_role("cell", name="<script>alert(1)</script>")).to_be_visible()
        both_looks(page, f"media-{name}")
        page.get_by_role("slider", name="Step of sample").press("ArrowLeft")
        expect(page.get_by_role("img", name="sample at step 1")).to_be_visible()


def test_a_build_says_how_far_it_is(open_page: OpenPage, site: Site, go: Path) -> None:
    saved = saved_address(site.diamond.home)
    assert saved
    client = Client(saved.url, saved.token)
    wait = f"until [ -e {go} ]; do sleep 0.1; done"
    started = client.build_image({"commands": ["true", wait]}, name="far", on="local")
    task = started["build"]["task"]["id"]
    page = open_page(f"/build/{task}")
    steps = page.get_by_role("region", name="Build steps")
    expect(steps.get_by_text(re.compile(r"^Step \d of \d"))).to_be_visible()
    expect(steps.get_by_role("progressbar", name="Build progress")).to_be_visible()
    both_looks(page, "build-desktop")
    both_looks(open_page(f"/build/{task}", size=PHONE), "build-phone")
    go.touch()
    wait_for(lambda: client.build(task)["standing"] is None, what="its end")
