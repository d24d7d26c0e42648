"""The web pages in Chromium: with 100 000 tasks, a log of a million lines, a million points, ten thousand events."""

from __future__ import annotations

import contextlib
import gzip
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from playwright.sync_api import BrowserContext, Page

from bench.browser import FRAMES, chromium, heap_bytes, seconds_until, signed_in
from bench.claim import Claim, Findings, Options
from bench.filling import fill_tasks
from bench.jobs import spec
from bench.numbers import median, seconds
from bench.stack import Service, local_agent, started_service
from bench.waiting import wait_for

FULL_COUNT = 10
TASKS = 100_000
LINES = 1_000_000
SERIES, POINTS = 20, 50_000
EVENTS_FEW, EVENTS_MANY = 1_000, 10_000
SCROLL_SECONDS = 5
PIXELS_A_FRAME = 120
ROWS_ARE_THERE = "document.querySelectorAll('[role=grid] [role=row][aria-rowindex]').length > 50"
LINES_ARE_THERE = "document.querySelectorAll('[data-line]').length > 20"
CHART_IS_DRAWN = "document.querySelectorAll('[data-chart=drawn]').length >= 1"
WRITE_LINES = f"for n in range({LINES}): print('line', n, 'of a long log that a training wrote')"
WRITE_POINTS = f"""
import json, math, os
with open(os.environ['DIAMOND_METRICS'], 'a') as out:
    for step in range({POINTS}):
        line = {{'step': step, 'time': step / 10}}
        for series in range({SERIES}):
            line['series/%02d' % series] = math.exp(-step / 9000) + 0.1 * math.sin(step * (series + 1) / 50)
        out.write(json.dumps(line) + chr(10))
"""


def measure(options: Options) -> Findings:
    findings = Findings()
    with contextlib.ExitStack() as exits:
        service = exits.enter_context(started_service(options.folder / "service"))
        exits.enter_context(local_agent(service, options.folder / "agent"))
        log_task = finished(service, WRITE_LINES)
        chart_task = finished(service, WRITE_POINTS)
        fill_tasks(service, "", TASKS)
        # Last: while Playwright is running, no other event loop can run in this thread.
        context = exits.enter_context(signed_in(exits.enter_context(chromium()), service))
        count = options.samples(FULL_COUNT)
        task_list(findings, context, count)
        log_view(findings, context, log_task, count)
        chart(findings, context, chart_task, count)
        first_paint(findings, context)
        memory(findings, context, service)
    findings.note("Warm cache; seconds are the browser's own, from the start of the navigation.")
    return findings


def finished(service: Service, program: str) -> str:
    """A task that has ended, after all its output has arrived."""
    client = service.client()
    task = client.run(spec([sys.executable, "-c", program], on="local")).task.id
    wait_for(
        lambda: client.transport.get(f"/api/v1/tasks/{task}")["state"] == "succeeded", within=600
    )
    return str(task)


def task_list(findings: Findings, context: BrowserContext, count: int) -> None:
    page = context.new_page()
    taken = [seconds_until(page, "/tasks", ROWS_ARE_THERE) for _ in range(count + 1)][1:]
    findings.add(
        "50 rows of 100 000 tasks in the DOM", seconds(taken), "median ≤ 1.0 s", median(taken) <= 1
    )
    smooth(findings, page, "[role=grid]", "scrolling the task list")
    page.close()


def log_view(findings: Findings, context: BrowserContext, task: str, count: int) -> None:
    page = context.new_page()
    address = f"/tasks/{task}?tab=log"
    taken = [seconds_until(page, address, LINES_ARE_THERE) for _ in range(count + 1)][1:]
    findings.add("first lines of a log of 1 000 000 lines", seconds(taken))
    smooth(findings, page, "[data-log]", "scrolling that log", -PIXELS_A_FRAME)
    page.close()


def smooth(
    findings: Findings, page: Page, selector: str, what: str, pixels: int = PIXELS_A_FRAME
) -> None:
    seen: dict[str, Any] = page.evaluate(FRAMES, [selector, SCROLL_SECONDS, pixels])
    words = f"longest frame {seen['worst']:.0f} ms of {seen['frames']} ({seen['top']:.0f} px)"
    findings.add(what, words, "≤ 100 ms", seen["worst"] <= 100)


def chart(findings: Findings, context: BrowserContext, task: str, count: int) -> None:
    page = context.new_page()
    address = f"/tasks/{task}?tab=metrics&together=true"
    taken = [seconds_until(page, address, CHART_IS_DRAWN) for _ in range(count + 1)][1:]
    what = f"chart of {SERIES} series × {POINTS:,} points".replace(",", " ")
    findings.add(what, seconds(taken), "median ≤ 1.0 s", median(taken) <= 1)
    page.close()


def first_paint(findings: Findings, context: BrowserContext) -> None:
    """JavaScript requested before the first paint, compressed as it is sent."""
    page = context.new_page()
    page.goto("/")
    page.get_by_role("heading", level=1).wait_for()
    names: list[str] = page.evaluate(
        """() => {
          const paint = performance.getEntriesByName('first-contentful-paint')[0].startTime;
          return performance.getEntriesByType('resource')
            .filter((one) => one.name.includes('.js') && one.startTime < paint).map((one) => one.name);
        }"""
    )
    sizes = [len(gzip.compress(context.request.get(name).body(), 9)) for name in names]
    words = f"{sum(sizes) / 1000:.0f} kB in {len(sizes)} files"
    findings.add(
        "JavaScript before the first paint, gzipped", words, "≤ 250 kB", sum(sizes) <= 250_000
    )
    page.close()


def memory(findings: Findings, context: BrowserContext, service: Service) -> None:
    page = context.new_page()
    page.goto("/tasks")
    make_events(service, EVENTS_FEW)
    few = settled_heap(page, EVENTS_FEW)
    make_events(service, EVENTS_MANY - EVENTS_FEW)
    many = settled_heap(page, EVENTS_MANY)
    words = f"{many / few:.2f}× ({many / 1e6:.1f} MB over {few / 1e6:.1f} MB)"
    findings.add("heap after 10 000 events over after 1 000", words, "≤ 1.2×", many <= 1.2 * few)
    page.close()


def make_events(service: Service, count: int) -> None:
    """Each new task is an event; the endpoint has no agent, so they never start."""
    client = service.client()

    def submit(number: int) -> None:
        body = {"spec": spec(["true"], name=f"event-{number}", on="alpha")}
        client.transport.post("/api/v1/jobs", body, creates=True)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(submit, range(count)))


def settled_heap(page: Page, events: int) -> int:
    name = f"event-{(events if events == EVENTS_FEW else EVENTS_MANY - EVENTS_FEW) - 1}"
    page.get_by_text(name, exact=True).first.wait_for(timeout=60_000)
    return heap_bytes(page)


CLAIM = Claim("pages", "The web pages in Chromium", measure)
