"""The record of a task, crates of others, and what a reviewer sees, in Chromium."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from support.browser import OpenPage, Site, faults_of_access

CRATE = {
    "@graph": [
        {"@id": "ro-crate-metadata.json", "about": {"@id": "./"}},
        {"@id": "./", "name": "Pictures <b>of</b> cats"},
        {"@id": "#tool", "@type": "SoftwareApplication", "name": "ImageMagick"},
        {
            "@id": "#run",
            "@type": "CreateAction",
            "name": "convert",
            "instrument": {"@id": "#tool"},
        },
    ]
}


@pytest.fixture(scope="module")
def task(site: Site) -> str:
    made = site.diamond.ask("run", "--wait", "--", "true")
    return str(made["tasks"][0]["id"])


def test_the_record_tab_shows_a_verified_record_and_exports_it(
    open_page: OpenPage, task: str, tmp_path: Path
) -> None:
    page = open_page(f"/tasks/{task}?tab=record")
    expect(page.get_by_text("Verified:")).to_be_visible()
    entries = page.get_by_role("region", name="Entries")
    expect(entries.get_by_text("1. Submitted")).to_be_visible()
    expect(entries.get_by_text("Task ended")).to_be_visible()
    assert faults_of_access(page) == []
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="RO-Crate", exact=True).click()
    assert download.value.suggested_filename.endswith(".crate.zip")


def test_a_crate_of_another_tool_is_imported_and_shown(open_page: OpenPage, tmp_path: Path) -> None:
    file = tmp_path / "ro-crate-metadata.json"
    file.write_text(json.dumps(CRATE))
    page = open_page("/crates")
    expect(page.get_by_role("heading", name="No crates yet")).to_be_visible()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Import a crate").click()
    chooser.value.set_files(file)
    expect(page.get_by_role("heading", level=1, name="Pictures <b>of</b> cats")).to_be_visible()
    runs = page.get_by_role("region", name="Runs")
    expect(runs.get_by_role("cell", name="ImageMagick")).to_be_visible()
    assert faults_of_access(page) == []
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_role("heading", name="No crates yet")).to_be_visible()


def test_a_reviewer_without_an_account_sees_the_record_and_no_names(
    site: Site, open_page: OpenPage, task: str
) -> None:
    made = site.diamond.ask("record", "link", task, "--title", "Submission 17")
    page = open_page(made["path"])
    page.context.clear_cookies()
    page.reload()
    expect(page.get_by_role("heading", level=1, name="Submission 17")).to_be_visible()
    expect(page.get_by_text("Verified:")).to_be_visible()
    expect(page.get_by_role("navigation")).to_have_count(0)
    site.diamond.ask("record", "link", "--withdraw", made["id"])
    page.reload()
    expect(page.get_by_text("This link does not work any more")).to_be_visible()
