"""A chain of attempts on a task's page: how far each came, and a word that lets it go on."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from support.browser import OpenPage, Site, faults_in_both_looks, picture
from support.waiting import wait_for

ATTEMPT = """\
mkdir -p ckpt
n=$(ls ckpt | wc -l)
echo "{{\\"step\\": $((n + 1)), \\"loss\\": 0.5}}" >>"$DIAMOND_METRICS"
touch "ckpt/$n.pt"
[ -e "{enough}" ] || exit 75
"""


def test_a_chain_that_asks_shows_its_attempts_and_goes_on_at_a_word(
    open_page: OpenPage, site: Site, tmp_path: Path
) -> None:
    enough = tmp_path / "enough"
    client = site.client()
    spec = {
        "name": "long",
        "run": ["sh", "-c", ATTEMPT.format(enough=enough)],
        "continue": {"on": ["exit-75"], "from": "ckpt/*.pt", "max_attempts": 20},
    }
    task = client.run(spec).task.id
    wait_for(
        lambda: client.transport.get(f"/api/v1/tasks/{task}")["chain"]["asks"],
        what="a chain that asks",
    )
    page = open_page(f"/tasks/{task}")
    attempts = page.get_by_role("region", name="Attempts")
    expect(attempts.get_by_role("row")).to_have_count(5)
    expect(attempts.get_by_role("row").nth(4)).to_contain_text("3.pt")
    expect(attempts).to_contain_text("waits for your word")
    assert not faults_in_both_looks(page)
    picture(page, "chain")
    enough.touch()
    page.get_by_role("button", name="Let it go on").click()
    page.get_by_role("textbox", name="Attempts more").fill("2")
    page.get_by_role("button", name="Go on", exact=True).click()
    expect(page.get_by_text("long goes on")).to_be_visible()
    expect(attempts.get_by_role("row")).to_have_count(6)
    expect(page.get_by_role("main").get_by_text("succeeded", exact=True).first).to_be_visible()
