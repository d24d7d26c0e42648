"""Endpoints: adding one, what is known of it, correcting that, and what is said when it is away."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from support.browser import PHONE, Fresh, OpenPage, Site, faults_of_access
from support.waiting import PATIENCE, wait_for

HOLD = "while [ ! -e {} ]; do sleep 0.2; done"


def card(page: Page, name: str) -> Locator:
    return page.get_by_role("article", name=f"Endpoint {name}", exact=True)


@contextmanager
def agent_that_calls(site: Site, code: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """What the pasted line does: fetch the agent, and pair it by the code."""
    (folder / "agent.pyz").write_bytes(site.client().agent_file())
    pairing = ("pair", "--url", site.url, "--foreground", "--scheduler", "local")
    with agent_process(site, folder, *pairing) as agent:
        assert agent.stdin
        agent.stdin.write(code.encode() + b"\n")
        agent.stdin.close()
        yield agent


@contextmanager
def agent_process(site: Site, folder: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    agent = subprocess.Popen(
        [sys.executable, str(folder / "agent.pyz"), *words],
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**site.diamond.env, "DIAMOND_KEEP": str(folder / "keep")},
    )
    try:
        yield agent
    finally:
        agent.terminate()
        agent.wait(PATIENCE)


def test_a_machine_is_added_by_a_line_to_paste_and_the_owners_word(
    open_page: OpenPage, site: Site, tmp_path: Path, fresh: Fresh
) -> None:
    page, paired = open_page("/endpoints"), fresh("paired")
    page.get_by_role("button", name="Add endpoint").click()
    assert not faults_of_access(page)
    dialog = page.get_by_role("dialog", name="Add endpoint")
    dialog.get_by_role("button", name=re.compile("pairing code")).click()
    name = dialog.get_by_label("Name")
    name.fill("local")
    dialog.get_by_role("button", name="Show pairing code").click()
    expect(dialog.get_by_text("You already have an endpoint local")).to_be_visible()
    expect(name).to_have_value("local")
    name.fill(paired)
    page.keyboard.press("Enter")
    expect(dialog.get_by_text("agent.pyz pair --url")).to_be_visible()
    expect(dialog.get_by_text(f"Waiting for {paired}")).to_be_visible()
    code = dialog.locator("code").nth(1).inner_text()
    with agent_that_calls(site, code, tmp_path):
        dialog.get_by_role("button", name="Confirm").click()
        expect(dialog.get_by_text(f"{paired} is connected")).to_be_visible()
        dialog.get_by_role("link", name="View endpoint").click()
        expect(page.get_by_role("heading", level=1, name=paired)).to_be_visible()
        expect(page.get_by_role("heading", name="Folders")).to_be_visible()
        page.get_by_role("button", name=f"Actions for {paired}").click()
        page.get_by_role("menuitem", name="Make default").click()
        expect(page.get_by_role("main").get_by_text("default", exact=True)).to_be_visible()
        page.get_by_role("button", name=f"Actions for {paired}").click()
        page.get_by_role("menuitem", name=re.compile("Upgrade the agent")).click()
        expect(page.get_by_text("Upgrading the agent.")).to_be_visible()
    site.client().endpoint_away(paired)
    expect(page.get_by_text("To bring it back online, run:")).to_be_visible()
    page.get_by_role("button", name=f"Actions for {paired}").click()
    page.get_by_role("menuitem", name="Remove…").click()
    page.get_by_role("button", name=f"Remove {paired}").click()
    expect(page).to_have_url(re.compile("/endpoints$"))
    expect(card(page, paired)).to_have_count(0)


def test_adding_by_ssh_gives_the_line_and_waits_for_the_call(open_page: OpenPage) -> None:
    page = open_page("/endpoints?add=ssh")
    page.get_by_label("Host").fill("me@login.delta.example.org")
    line = "diamond endpoint add login --ssh me@login.delta.example.org"
    expect(page.get_by_text(line)).to_be_visible()
    page.get_by_label("Name").fill("delta")
    expect(page.get_by_text(line.replace("add login", "add delta"))).to_be_visible()
    expect(page.get_by_text("Waiting for delta")).to_be_visible()


def test_one_that_goes_away_says_what_to_do_and_is_seen_to_return(
    open_page: OpenPage, site: Site
) -> None:
    page = open_page("/endpoints")
    expect(card(page, "local")).to_contain_text("online")
    pid = int((site.diamond.home / "agents/local/agent.pid").read_text().split()[0])
    os.kill(pid, signal.SIGSTOP)
    try:
        site.client().endpoint_away("local")
        expect(card(page, "local").get_by_text("diamond endpoint start local")).to_be_visible()
        assert not faults_of_access(page)
    finally:
        os.kill(pid, signal.SIGCONT)
    expect(card(page, "local")).to_contain_text("online")
    expect(page.get_by_text("diamond endpoint start local")).to_have_count(0)


@pytest.mark.slow
def test_an_agent_is_killed_and_starts_again_while_the_pages_look_on(
    open_page: OpenPage, site: Site, tmp_path: Path, go: Path, fresh: Fresh
) -> None:
    second = fresh("second")
    code = str(site.client().add_endpoint(second, "https")["pairing_code"])
    with agent_that_calls(site, code, tmp_path) as agent:
        wait_for(lambda: site.client().endpoint(second).state == "confirming", what="a call")
        site.client().confirm_endpoint(second)
        hold = HOLD.format(go)
        task = site.diamond.submit("sh", "-c", hold, options=("--on", second, "--name", "held"))
        site.diamond.wait_for_state(task, "running")
        page = open_page("/endpoints")
        expect(card(page, second)).to_contain_text("online")
        watching = page.context.new_page()
        watching.goto(f"/tasks/{task}")
        expect(watching.get_by_text("running", exact=True).first).to_be_visible()
        for one in (page, watching):
            one.evaluate("window.notReloaded = true")
        agent.kill()
        agent.wait(PATIENCE)
    site.client().endpoint_away(second)  # As forty seconds of silence do.
    expect(card(page, second)).to_contain_text("Went offline")
    expect(card(page, second)).to_contain_text("To bring it back online, run:")
    away = watching.get_by_role("alert").filter(has_text=f"{second} is offline")
    expect(away).to_contain_text("Last updated")
    expect(away.locator("code")).to_contain_text("agent.pyz")
    with agent_process(site, tmp_path, "run"):
        expect(card(page, second)).to_contain_text("online")
        expect(away).to_have_count(0)
        go.touch()
        expect(watching.get_by_text("succeeded", exact=True).first).to_be_visible()
    assert page.evaluate("window.notReloaded") and watching.evaluate("window.notReloaded")


def test_a_fact_is_corrected_refused_in_the_services_words_and_taken_back(
    open_page: OpenPage,
) -> None:
    page = open_page("/endpoints/local?tab=profile")
    cores = page.get_by_role("region", name="Processor cores")
    cores.get_by_role("button", name="Correct Processor cores").click()
    field = cores.get_by_role("textbox", name="Processor cores")
    field.fill("-3")
    page.keyboard.press("Enter")
    expect(cores.get_by_text("Write: a number, such as 8")).to_be_visible()
    expect(field).to_have_value("-3")
    field.fill("1")
    cores.get_by_role("button", name="Save").click()
    expect(cores.get_by_text("corrected by")).to_be_visible()
    expect(cores.get_by_text("Probed value (not used):")).to_be_visible()
    cores.get_by_role("button", name="Reset Processor cores").click()
    expect(cores.get_by_text("corrected by")).to_have_count(0)
    expect(cores.get_by_text("from this machine")).to_be_visible()


def test_a_quota_and_a_purge_age_are_told_by_hand_and_little_room_needs_the_person(
    open_page: OpenPage,
) -> None:
    page = open_page("/endpoints/local?tab=profile")
    folders = page.get_by_role("region", name="Folders")
    folders.get_by_role("button", name="Correct Folders").click()
    work = folders.get_by_role("group", name="Work")
    work.get_by_role("textbox", name="Quota (GB)").fill("900000")
    work.get_by_role("textbox", name="Deleted after (days)").fill("30")
    folders.get_by_role("button", name="Save").click()
    expect(folders.get_by_text("Probed value (not used):")).to_be_visible()
    expect(folders.get_by_text(re.compile("keep: .* free"))).to_be_visible()
    told = re.compile("free, quota 879 TB, .*files deleted after 30 days")
    expect(folders.get_by_text(told)).to_be_visible()
    page.goto("/endpoints")
    expect(card(page, "local").get_by_text(told)).to_be_visible()
    page.goto("/")
    needs = page.get_by_role("region", name="Needs attention")
    expect(needs.get_by_text("Little room left in the work folder of local")).to_be_visible()
    page.goto("/endpoints/local?tab=profile")
    folders.get_by_role("button", name="Reset Folders").click()
    expect(folders.get_by_text("corrected by")).to_have_count(0)


def test_secrets_go_by_name_and_what_is_asked_too_early_is_refused(
    open_page: OpenPage, site: Site, go: Path
) -> None:
    held = site.diamond.submit(
        "sh", "-c", HOLD.format(go), options=("--on", "local", "--name", "held")
    )
    page = open_page("/endpoints/local?tab=secrets")
    page.get_by_label("Name").fill("HF_TOKEN")
    page.get_by_role("textbox", name="Value").fill("very-secret")
    page.get_by_role("button", name="Save secret").click()
    expect(page.get_by_role("listitem").filter(has_text="HF_TOKEN")).to_be_visible()
    expect(page.get_by_text("very-secret")).to_have_count(0)
    page.get_by_role("button", name="Delete HF_TOKEN").click()
    expect(page.get_by_text("No secrets yet.")).to_be_visible()
    page.get_by_role("button", name="Actions for local").click()
    page.get_by_role("menuitem", name="Remove…").click()
    page.get_by_role("button", name="Remove local").click()
    expect(page.get_by_text(re.compile("still open on local"))).to_be_visible()
    page.get_by_role("button", name="Cancel", exact=True).click()
    go.touch()
    site.diamond.wait_for_state(held, "succeeded")


def test_room_is_made_after_a_look_at_what_would_go(open_page: OpenPage, site: Site) -> None:
    old = site.diamond.submit("true", options=("--on", "local", "--name", "to-be-cleaned"))
    site.diamond.wait_for_state(old, "succeeded")
    page = open_page("/endpoints/local?tab=upkeep")
    page.get_by_label("Minimum age (days)").fill("0")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("cell", name="to-be-cleaned").first).to_be_visible()
    page.get_by_role("button", name=re.compile("Delete .* run director")).click()
    expect(page.get_by_text("Deleting run directories.")).to_be_visible()
    page.get_by_label("Older than (days)").fill("30")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Rule saved.")).to_be_visible()
    page.reload()
    expect(page.get_by_label("Older than (days)")).to_have_value("30")


@pytest.mark.slow
def test_endpoints_are_for_everybody_in_both_looks_and_on_a_phone(open_page: OpenPage) -> None:
    paths = ["/endpoints", *(f"/endpoints/local{tab}" for tab in ("", "?tab=profile"))]
    for look in ("light", "dark"):
        page = open_page("/endpoints", scheme=look)
        for path in paths:
            page.goto(path)
            expect(page.get_by_text("online").first).to_be_visible()
            assert not faults_of_access(page)
    page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
    expect(page.get_by_role("heading", name="Site profile")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
