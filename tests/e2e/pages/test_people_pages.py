"""Two people, a course and an administrator, each in a browser of her own, in front of a shared Diamond."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from support.browser import DESKTOP, faults_in_both_looks, picture
from support.service import RunningService
from support.shared_pages import agent_of, client_of, shared_diamond, sign_in

pytestmark = pytest.mark.slow
Enter = Callable[..., Page]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with shared_diamond(tmp_path_factory.mktemp("shared")) as service:
        yield service


@pytest.fixture
def enter(browser: Browser, shared: RunningService) -> Iterator[Enter]:
    """Somebody comes in by a browser of her own; errors of its pages fail the test."""
    contexts: list[BrowserContext] = []
    errors: list[str] = []

    def come(login: str, path: str = "/") -> Page:
        context = browser.new_context(
            base_url=shared.url,
            viewport=DESKTOP,  # type: ignore[arg-type]
            reduced_motion="reduce",
            color_scheme="light",
        )
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(path)
        expect(page.get_by_role("heading", name="Sign in to Diamond")).to_be_visible()
        picture(page, "sign-in")
        sign_in(page, login)
        expect(page.get_by_role("navigation", name="Pages")).to_be_visible()
        return page

    yield come
    for context in contexts:
        context.close()
    assert not errors, errors


def make_project(page: Page, name: str, title: str) -> None:
    page.goto("/projects?dialog=new")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill(name)
    dialog.get_by_label("Title").fill(title)
    dialog.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()


def test_one_invites_and_shares_and_the_other_sees(enter: Enter, shared: RunningService) -> None:
    ada = enter("ada@example.org")
    make_project(ada, "climate-lab", "Climate lab")
    ada.get_by_role("link", name="Add people").click()
    ada.get_by_label("E-mail address").fill("grace@elsewhere.example")
    ada.get_by_role("button", name="Add", exact=True).click()
    link = ada.get_by_role("dialog").get_by_text(re.compile("invitation=")).inner_text()
    grace = enter("grace@elsewhere.example", "/?" + link.split("?")[1])
    grace.get_by_role("link", name="Projects").click()
    grace.get_by_role("link", name="climate-lab").click()
    expect(grace.get_by_text("your role: member")).to_be_visible()
    grace.get_by_role("tab", name="People").click()
    expect(grace.get_by_role("row", name=re.compile("grace"))).to_be_visible()
    picture(grace, "project")

    person = client_of(ada.context, shared)
    person.post("/endpoints", {"name": "desk", "carrier": "local"})
    made = person.post("/jobs", {"spec": {"name": "secret-run", "run": "true", "on": "desk"}})
    task = made["tasks"][0]["id"]
    grace.goto(f"/tasks/{task}")
    expect(grace.get_by_text("There is no task")).to_be_visible()

    ada.goto(f"/tasks/{task}")
    ada.get_by_role("button", name="Share").click()
    dialog = ada.get_by_role("dialog")
    dialog.get_by_label("Share with a person").fill("nobody@example.org")
    dialog.get_by_role("button", name="Share").click()
    expect(dialog.get_by_text("There is no person")).to_be_visible()
    dialog.get_by_label("Share with a person").fill("grace@elsewhere.example")
    dialog.get_by_role("button", name="Share").click()
    expect(dialog.get_by_role("list", name="Shared with").get_by_text("grace")).to_be_visible()
    assert not faults_in_both_looks(ada)
    picture(ada, "sharing")

    grace.goto("/projects")
    grace.get_by_role("region", name="Shared with you").get_by_role("link").first.click()
    expect(grace.get_by_role("heading", name="secret-run")).to_be_visible()
    expect(grace.get_by_text("by ada")).to_be_visible()
    expect(grace.get_by_role("button", name="Cancel")).to_have_count(0)
    dialog.get_by_role("button", name="Stop sharing with grace").click()
    expect(dialog.get_by_text("Not shared with anyone yet")).to_be_visible()
    grace.reload()
    expect(grace.get_by_text("There is no task")).to_be_visible()


def test_a_member_leaves_and_a_project_is_handed_over(enter: Enter) -> None:
    kim = enter("kim@example.org")
    enter("lee@example.org")
    make_project(kim, "hand-over", "To be handed over")
    kim.get_by_role("link", name="Add people").click()
    kim.get_by_label("E-mail address").fill("lee@example.org")
    kim.get_by_role("button", name="Add", exact=True).click()
    kim.get_by_role("button", name="Close").last.click()
    kim.get_by_role("button", name="Actions for lee").click()
    kim.get_by_role("menuitem", name="Transfer ownership").click()
    kim.get_by_role("button", name="Transfer", exact=True).click()
    expect(kim.get_by_text("your role: manager")).to_be_visible()
    kim.get_by_role("button", name="Actions for kim").click()
    kim.get_by_role("menuitem", name="Leave project").click()
    kim.get_by_role("button", name="Leave", exact=True).click()
    expect(kim.get_by_text("No projects yet")).to_be_visible()


def test_a_course_from_its_list_of_students_to_their_last_errors(
    enter: Enter, shared: RunningService, tmp_path: Path
) -> None:
    bob = enter("bob@example.org")
    lecturer = enter("turing@example.org")
    make_project(lecturer, "ml101", "Machine learning 101")
    lecturer.get_by_role("tab", name="Settings").click()
    lecturer.get_by_role("button", name="Turn into a course").click()
    lecturer.get_by_role("tab", name="Students").click()
    lecturer.get_by_role("button", name="Add students").click()
    lecturer.get_by_role("textbox", name="Students").fill(
        "email\nbob@example.org\nnew@elsewhere.example\nx\n"
    )
    lecturer.get_by_role("dialog").get_by_role("button", name="Add students").click()
    expect(lecturer.get_by_text("1 student added")).to_be_visible()
    expect(lecturer.get_by_text("Line 4")).to_be_visible()
    expect(lecturer.get_by_role("link", name="Download links")).to_be_visible()
    lecturer.get_by_role("button", name="Close").last.click()
    lecturer.get_by_role("tab", name="Assignments").click()
    lecturer.get_by_role("button", name="New assignment").click()
    dialog = lecturer.get_by_role("dialog")
    dialog.get_by_label("Name").fill("week-1")
    dialog.get_by_label("Title").fill("A first network")
    dialog.get_by_label("Job (diamond.yaml)").fill("name: week-1\nrun: exit 3\n")
    dialog.get_by_role("button", name="Publish").click()
    expect(lecturer.get_by_role("heading", name="A first network")).to_be_visible()

    with agent_of(client_of(bob.context, shared), tmp_path, "bobs"):
        bob.goto("/projects")
        bob.get_by_role("link", name="ml101").click()
        bob.get_by_role("button", name="Start my copy").click()
        expect(bob.get_by_role("heading", name="week-1")).to_be_visible()
        lecturer.get_by_role("tab", name="Students").click()
        line = lecturer.get_by_role("table", name="Student progress").get_by_role("row", name="bob")
        expect(line.get_by_role("link", name="failed")).to_be_visible(timeout=90_000)
        expect(line.get_by_text("3", exact=False).first).to_be_visible()
        expect(lecturer.get_by_role("row", name="new@elsewhere.example")).to_contain_text("invited")
        picture(lecturer, "course")
        assert not faults_in_both_looks(lecturer)
        bob.go_back()
        bob.get_by_role("link", name="Edit before starting").click()
        expect(bob.get_by_text("Your copy of week-1")).to_be_visible()
        bob.get_by_role("textbox", name="Command").fill("true")
        bob.get_by_role("button", name=re.compile("^Submit")).click()
        expect(line.get_by_role("link", name="succeeded")).to_be_visible(timeout=90_000)
        expect(line.get_by_text("2 attempts")).to_be_visible()


def test_an_administrator_announces_limits_disables_and_reads_what_was_done(enter: Enter) -> None:
    eve = enter("eve@example.org")
    expect(eve.get_by_role("link", name="Users")).to_have_count(0)
    root = enter("root@example.org")
    root.get_by_role("link", name="Announcements").click()
    root.get_by_role("button", name="New announcement").first.click()
    root.get_by_label("Text").fill("Maintenance on Friday.")
    root.get_by_role("dialog").get_by_role("button", name="Publish").click()
    expect(eve.get_by_role("status", name="Announcement")).to_contain_text("Maintenance")
    eve.get_by_role("button", name="Close announcement").click()
    expect(eve.get_by_role("status", name="Announcement")).to_have_count(0)

    root.get_by_role("link", name="Users").click()
    root.get_by_label("Search people").fill("eve@")
    root.get_by_role("link", name="eve").click()
    root.get_by_label("Node-hours").fill("12")
    root.get_by_role("button", name="Save limits").click()
    expect(root.get_by_text("0 of 12")).to_be_visible()
    picture(root, "users")
    root.get_by_role("button", name="Disable account").click()
    root.get_by_role("button", name="Disable", exact=True).click()
    expect(root.get_by_role("dialog").get_by_text("disabled").first).to_be_visible()
    eve.reload()
    expect(eve.get_by_role("heading", name="Sign in to Diamond")).to_be_visible()

    root.get_by_role("dialog").get_by_role("link", name="audit log").click()
    expect(root.get_by_role("table", name="Audit log")).to_contain_text("signed in")
    root.get_by_role("button", name="Show all people").click()
    expect(root.get_by_role("table", name="Audit log")).to_contain_text("posted an announcement")
    picture(root, "audit")
    root.get_by_label("Search the log").fill("announcements")
    expect(root.get_by_role("table", name="Audit log")).to_contain_text("posted an announcement")
    expect(root.get_by_role("table", name="Audit log")).not_to_contain_text("signed in")
    root.get_by_role("button", name="Export").click()
    with root.expect_download() as told:
        root.get_by_role("menuitem", name="CSV").click()
    root.goto("/announcements")
    expect(root.get_by_text("Maintenance on Friday.").first).to_be_visible()
    picture(root, "announcements")
    assert "POST /announcements" in told.value.path().read_text()


def test_a_browser_elsewhere_is_signed_out_and_one_signs_out_here(enter: Enter) -> None:
    here, elsewhere = enter("zoe@example.org"), enter("zoe@example.org")
    here.goto("/settings?tab=account")
    expect(here.get_by_text("this browser")).to_be_visible()
    here.get_by_role("button", name="Sign out Chrome").click()
    elsewhere.reload()
    expect(elsewhere.get_by_role("heading", name="Sign in to Diamond")).to_be_visible()
    here.get_by_role("button", name="Account: zoe").click()
    here.get_by_role("menuitem", name="Sign out").click()
    here.get_by_role("button", name=re.compile("Yes, sign me out")).click()
    expect(here.get_by_role("heading", name="Sign in to Diamond")).to_be_visible()


PAGES = [
    "/projects",
    "/projects?dialog=new",
    "/settings?tab=account",
    "/settings?tab=tokens",
    "/users",
    "/users?tab=use",
    "/users?tab=limits",
    "/users?tab=settings",
    "/users?dialog=invite",
    "/announcements",
    "/audit",
]


def test_the_pages_about_people_are_for_everybody_in_both_looks(enter: Enter) -> None:
    root = enter("root@example.org")
    make_project(root, "seen", "Seen by all")
    inside = root.url.split("?")[0]
    tabs = [f"{inside}?tab={one}" for one in ("work", "people", "use", "about")]
    for path in [*PAGES, *tabs]:
        root.goto(path)
        expect(root.get_by_role("heading", level=1).first).to_be_visible()
        expect(root.locator("[aria-busy=true]")).to_have_count(0)
        assert not faults_in_both_looks(root), path
        if path == "/users?tab=limits":
            picture(root, "limits")


def test_nothing_that_people_named_acts_in_others_pages(
    enter: Enter, shared: RunningService
) -> None:
    words = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>'
    root = enter("root@example.org")
    names = client_of(root.context, shared)
    project = names.post("/projects", {"name": "hostile", "title": words})["id"]
    made = names.post("/announcements", {"text": words})
    for path in ("/", "/projects", f"/projects/{project}", "/audit"):
        root.goto(path)
        expect(root.get_by_text("onerror").first).to_be_visible()
        assert root.evaluate("window.hit") is None
        assert root.locator('img[src="x"]').count() == 0
    assert names.call("DELETE", f"/announcements/{made['id']}").status == 204
