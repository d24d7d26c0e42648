"""Images in a real browser: built, mended where they fail, used, brought to another machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from diamond.sdk.client_config import saved_address
from support.browser import LAPTOP, Fresh, OpenPage, Site, faults_in_both_looks, picture
from support.containers import alices_folder, busybox, skip_without
from support.http import Client
from support.image_machines import Machine, machine


@dataclass(frozen=True)
class Told:
    """What a machine must know of a site to join it."""

    url: str
    client: Client


@dataclass(frozen=True)
class Machines:
    alpha: Machine
    folder: Path
    service: Any

    @property
    def base(self) -> str:
        return f"rootfs:{self.folder / 'busybox.tar'}"


@pytest.fixture(scope="module")
def machines(site: Site) -> Iterator[Machines]:
    """alpha, where alice builds with apptainer, on a base of two megabytes."""
    skip_without("apptainer")
    saved = saved_address(site.diamond.home)
    assert saved
    told: Any = Told(saved.url, Client(saved.url, saved.token))
    with alices_folder() as folder, ExitStack() as running:
        busybox(folder)
        alpha = running.enter_context(machine(told, "alpha", "alice", folder))
        yield Machines(alpha, folder, told)


def test_a_build_that_fails_is_mended_in_the_debugger_resumed_and_used(
    open_page: OpenPage, machines: Machines, fresh: Fresh
) -> None:
    first = fresh("/opt/first")  # A second try would find the image of the first.
    page = open_page("/build", size=LAPTOP)
    page.get_by_role("radio", name="alpha").click()
    open_step(page, "Base image")
    page.get_by_text("A file on the endpoint").click()
    page.get_by_role("textbox", name="Base image").fill(machines.base)
    open_step(page, "Commands")
    page.get_by_role("button", name="Add command").click()
    page.get_by_label("Command 1", exact=True).fill(f"echo made once > {first}")
    page.get_by_role("button", name="Add command").click()
    page.get_by_label("Command 2", exact=True).fill("no-such-program --at all")
    expect(page.get_by_role("region", name="Definition file")).to_contain_text("no-such-program")
    picture(page, "image-builder")

    page.reload()  # What was typed is still there.
    expect(page.get_by_label("Command 2", exact=True)).to_have_value("no-such-program --at all")
    open_step(page, "Review")
    page.get_by_label("Name", exact=True).fill("mended")
    page.get_by_role("button", name="Build image").click()

    debugger = page.get_by_role("region", name="Debugger")
    expect(debugger).to_contain_text("Failed at", timeout=60_000)
    expect(debugger.get_by_label("Last lines of output")).to_contain_text("no-such-program")
    assert faults_in_both_looks(page) == []
    picture(page, "image-debugger")
    debugger.get_by_label("Command or content").fill("echo mended > /opt/second")
    debugger.get_by_role("button", name="Resume with changes").click()

    expect(page.get_by_text("mended is ready")).to_be_visible(timeout=60_000)
    steps = page.get_by_role("region", name="Build steps")
    expect(steps.get_by_role("button", name=re.compile("made once"))).to_contain_text("cached")
    page.get_by_role("link", name="Use in a job").click()
    page.get_by_role("textbox", name=re.compile("^Command")).fill(f"cat {first} /opt/second")
    choose(page, "Endpoint", "alpha")
    page.get_by_role("button", name="Submit to alpha").click()
    expect(page.locator("[data-state=succeeded]").first).to_be_visible(timeout=60_000)
    task = page.url.rsplit("/", 1)[-1].split("?")[0]
    assert "mended" in machines.alpha.output(task)


def test_an_image_is_found_looked_into_renamed_and_deleted(
    open_page: OpenPage, machines: Machines, fresh: Fresh
) -> None:
    alpha, plain, other = machines.alpha, fresh("plain"), fresh("other")
    alpha.build(plain, {"base": machines.base, "variables": {"WHO": fresh("one")}})
    alpha.build(other, {"base": machines.base, "variables": {"WHO": fresh("two")}})
    simple, page = fresh("simple"), open_page("/images", size=LAPTOP)
    expect(page.get_by_role("link", name=other, exact=True)).to_be_visible()
    picture(page, "images")
    assert faults_in_both_looks(page) == []
    for name in (plain, other):
        page.get_by_label(f"Compare {name}", exact=True).check()
    page.get_by_role("link", name="Compare").click()
    expect(page.get_by_role("region", name="Recipe")).to_contain_text(fresh("two"))
    assert faults_in_both_looks(page) == []

    page.goto(f"/images?search={plain}")
    expect(page.get_by_role("link", name=other, exact=True)).to_have_count(0)
    page.get_by_role("link", name=plain, exact=True).click()
    expect(page.get_by_role("region", name="Location")).to_contain_text("alpha")
    picture(page, "image")
    assert faults_in_both_looks(page) == []
    page.get_by_role("tab", name="Definition").click()
    expect(page.get_by_label("Definition", exact=True).last).to_contain_text("WHO")
    act(page, plain, "Rename…")
    page.get_by_label("New name").fill(simple)
    page.get_by_role("button", name="Rename", exact=True).click()
    expect(page.get_by_role("heading", level=1, name=simple)).to_be_visible()
    act(page, simple, "Delete…")
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page).to_have_url(re.compile(r"/images$"))
    expect(page.get_by_role("link", name=simple, exact=True)).to_have_count(0)


def test_a_file_that_one_has_fills_the_form(open_page: OpenPage, machines: Machines) -> None:
    page = open_page("/build")
    dockerfile = "FROM ubuntu:24.04\nENV LANG=C\nEXPOSE 80\nRUN echo hello > /opt/x\n"
    with page.expect_file_chooser() as choosing:
        page.get_by_role("button", name="A file").click()
    choosing.value.set_files(
        {"name": "Dockerfile", "mimeType": "text/plain", "buffer": dockerfile.encode()}
    )
    expect(page.get_by_text("Dockerfile imported")).to_be_visible()
    expect(page.get_by_role("list").filter(has_text="EXPOSE")).to_be_visible()
    assert faults_in_both_looks(page) == []
    page.goto("/build?step=commands&tab=yaml")
    expect(page.get_by_label("Command 1", exact=True)).to_have_value(re.compile("echo hello"))
    expect(page.get_by_label("The environment as YAML")).to_contain_text("ubuntu:24.04")
    page.goto("/build?step=dependencies")
    page.get_by_label("Python", exact=True).fill("two")
    expect(page.get_by_label("Python", exact=True)).to_have_attribute("aria-invalid", "true")
    open_step(page, "Review")
    expect(page.get_by_role("alert")).to_contain_text("Python")
    assert faults_in_both_looks(page) == []


@pytest.mark.slow
def test_one_image_is_used_on_another_machine(open_page: OpenPage, machines: Machines) -> None:
    image = machines.alpha.build("traveller", {"base": machines.base, "commands": ["echo far"]})
    with machine(machines.service, "beta", "bob", machines.folder) as beta:
        page = open_page(f"/images/{image['id']}")
        page.get_by_role("button", name="Transfer to another endpoint").click()
        choose(page, "Endpoint", "beta")
        page.get_by_role("button", name="Transfer", exact=True).click()
        expect(page.get_by_role("dialog").get_by_role("status")).to_contain_text(
            re.compile("transferred|built")
        )
        assert faults_in_both_looks(page) == []
        page.get_by_role("button", name="Close").last.click()
        place = page.get_by_role("region", name="Location")
        expect(place.get_by_role("cell", name="beta", exact=True)).to_be_visible(timeout=60_000)
        task = beta.run("traveller", "echo here")
        beta.ended(task["id"])
        page.get_by_role("tab", name="Used by").click()
        expect(page.get_by_role("link", name="inside")).to_be_visible()


def open_step(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Steps").get_by_role("link", name=name).click()


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_role("textbox", name=label).or_(page.get_by_role("combobox", name=label)).click()
    page.get_by_role("option", name=option, exact=True).click()


def act(page: Page, image: str, deed: str) -> None:
    page.get_by_role("button", name=f"Actions for {image}").click()
    page.get_by_role("menuitem", name=deed).click()
