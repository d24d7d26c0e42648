"""Datasets and a dataset in a browser: empty, added by a form, with a preview, failed, chosen for a job."""

from __future__ import annotations

import re
from pathlib import Path

import numpy
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from support.browser import PHONE, OpenPage, Site, faults_in_both_looks
from support.waiting import wait_for


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table, an array, images and words."""
    folder = tmp_path_factory.mktemp("measured")
    rows = [f"{n},{n * 0.37 % 7:.3f},{'red' if n % 3 else 'blue'}" for n in range(400)]
    (folder / "table.csv").write_text("id,size,colour\n" + "\n".join(rows) + "\n")
    (folder / "README.md").write_text("# Measured things\n\nTwo colours, many sizes.\n")
    numpy.save(folder / "field.npy", numpy.random.default_rng(1).normal(size=(40, 50)))
    (folder / "images").mkdir()
    for number in range(8):
        colour = (30 * number, 90, 240 - 30 * number)
        Image.new("RGB", (320, 240), colour).save(folder / "images" / f"{number}.png")
    return folder


def test_data_is_added_by_a_form_and_seen(open_page: OpenPage, site: Site, folder: Path) -> None:
    page = open_page("/datasets")
    expect(page.get_by_text("No datasets yet")).to_be_visible()
    page.get_by_role("button", name="Add data").click()
    dialog = page.get_by_role("dialog", name="Add data")
    dialog.get_by_role("textbox", name="Name").fill("measured")
    dialog.get_by_role("textbox", name="Path").fill("relative/path")
    dialog.get_by_role("button", name="Add", exact=True).click()
    expect(dialog.get_by_text("is not an absolute path")).to_be_visible()
    assert faults_in_both_looks(page) == []
    dialog.get_by_role("textbox", name="Path").fill(str(folder))
    dialog.get_by_role("textbox", name="Licence").fill("CC0-1.0")
    dialog.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("heading", name="measured", level=1)).to_be_visible()
    preview = page.get_by_role("region", name="Preview")
    wait_for(lambda: has_preview(site), 60, what="the preview")
    table = preview.get_by_role("table", name="First rows of table.csv")
    expect(
        table.get_by_role("img", name=re.compile("Histogram of size, from 0 to"))
    ).to_be_visible()
    expect(preview.get_by_text(re.compile("400 rows"))).to_be_visible()
    expect(preview.get_by_text("Measured things")).to_be_visible()
    expect(preview.get_by_role("cell", name="40 × 50")).to_be_visible()
    assert loaded_pictures(page) == 8
    assert faults_in_both_looks(page) == []
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def has_preview(site: Site) -> bool:
    client = site.client()
    is_added = bool(client.dataset("measured")["versions"])
    return is_added and client.dataset_preview("measured")["state"] == "done"


def loaded_pictures(page: Page) -> int:
    images = page.get_by_role("region", name="Preview").get_by_role("listitem").get_by_role("img")
    images.last.scroll_into_view_if_needed()
    return sum(
        int(image.evaluate("one => one.decode().then(() => one.naturalWidth > 0)"))
        for image in images.all()
    )


def test_a_url_that_cannot_be_read_says_why_on_its_page(open_page: OpenPage) -> None:
    page = open_page("/datasets")
    page.get_by_role("button", name="Add data").click()
    dialog = page.get_by_role("dialog", name="Add data")
    dialog.get_by_role("textbox", name="Name").fill("broken")
    dialog.get_by_text("A URL", exact=True).click()
    dialog.get_by_role("textbox", name="URL").fill("git+file:///no/such/repository@main")
    dialog.get_by_role("button", name="Add", exact=True).click()
    card = page.get_by_role("region", name=re.compile("Adding git"))
    expect(card.get_by_text(re.compile("does not appear to be a git repository"))).to_be_visible()
    assert faults_in_both_looks(page) == []


def test_a_dataset_is_chosen_for_a_job_by_name_and_version(open_page: OpenPage) -> None:
    page = open_page("/compose")
    page.get_by_role("button", name="Add data").click()
    page.get_by_role("combobox", name="Dataset or path 1").fill("meas")
    page.get_by_role("option", name=re.compile("measured@v1")).click()
    expect(page.get_by_label("Data name 1")).to_have_value("measured")
    expect(page.get_by_role("combobox", name="Dataset or path 1")).to_have_value("measured@v1")
