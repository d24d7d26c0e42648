"""20 calls a second while 200 pages of 40 people hold event streams open, compared with none."""

from __future__ import annotations

import time
from itertools import cycle, islice

from bench.claim import Claim, Findings, Options
from bench.cores import on_core
from bench.numbers import percentile
from bench.people import add_people
from bench.processes import memory_mb
from bench.stack import Service, started_service
from bench.streams import Streams
from diamond.sdk import Client

PEOPLE, STREAMS = 40, 200
CALLS_A_SECOND = 20.0
FULL_MINUTES = 2.0
WRITE_EVERY = 10
"""One call in this many changes something, which all pages of its person receive."""
HEARD = b'"what":"preferences"'
READS = ("/api/v1/tasks", "/api/v1/overview", "/api/v1/endpoints", "/api/v1/me")
MOST_TIMES, MOST_SECONDS, MOST_GROWTH = 5.0, 0.25, 1.2


def measure(options: Options) -> Findings:
    seconds = options.seconds(FULL_MINUTES)
    with on_core(0), started_service(options.folder / "service") as service, on_core(1):
        people = add_people(service, PEOPLE)
        called(people, 5.0)
        alone = called(people, seconds)
        with Streams(list(islice(cycle(people), STREAMS))) as streams:
            streams.wait_for(b"event: ready", 1)
            called(people, 5.0)
            before, heard_before = memory_mb(service.pid), sum(streams.count(HEARD))
            among = called(people, seconds)
            grown = memory_mb(service.pid) / before
            told = written(len(among)) * STREAMS // PEOPLE
            heard = heard_in_the_end(streams, heard_before + told) - heard_before
            still_open = streams.still_open
    findings = judged(alone, among)
    findings.add("streams still open", f"{still_open}", f"= {STREAMS}", still_open == STREAMS)
    findings.add("events heard", f"{heard} of {told}", "all", heard == told)
    steady = grown <= MOST_GROWTH
    findings.add("memory, after / before", f"{grown:.2f}×", f"≤ {MOST_GROWTH:g}×", steady)
    findings.note(
        f"{CALLS_A_SECOND:g} calls a second for {seconds:g} s each, one in {WRITE_EVERY} a change, by {PEOPLE} people; "
        "SQLite. Service on one core, generator on the other. A call counts from when it was due."
    )
    return findings


def judged(alone: list[float], among: list[float]) -> Findings:
    findings, without, with_them = Findings(), percentile(alone, 0.99), percentile(among, 0.99)
    ratio = with_them / without
    findings.add("p99 without streams", f"{1000 * without:.1f} ms")
    bar = f"< {1000 * MOST_SECONDS:g} ms"
    findings.add(
        f"p99 with {STREAMS} streams", f"{1000 * with_them:.1f} ms", bar, with_them < MOST_SECONDS
    )
    findings.add("with / without", f"{ratio:.2f}×", f"≤ {MOST_TIMES:g}×", ratio <= MOST_TIMES)
    return findings


def called(people: list[Service], seconds: float) -> list[float]:
    """How long after it was due each call was answered; one that waits behind a slow one counts as slow too."""
    clients = [one.client() for one in people]
    taken: list[float] = []
    began = time.perf_counter()
    for number in range(max(WRITE_EVERY, int(seconds * CALLS_A_SECOND))):
        due = began + number / CALLS_A_SECOND
        time.sleep(max(0.0, due - time.perf_counter()))
        call(clients, number)
        taken.append(time.perf_counter() - due)
    return taken


def call(clients: list[Client], number: int) -> None:
    """Each person in turn, with an occasional change."""
    turn, change = divmod(number, WRITE_EVERY)
    if change == 0:
        wanted = {"guide_done": True}
        clients[turn % len(clients)].transport.send("PUT", "/api/v1/me/preferences", wanted)
        return
    clients[number % len(clients)].transport.get(READS[number % len(READS)])


def written(calls: int) -> int:
    return -(-calls // WRITE_EVERY)


def heard_in_the_end(streams: Streams, wanted: int, within: float = 30.0) -> int:
    end = time.monotonic() + within
    while time.monotonic() < end and sum(streams.count(HEARD)) < wanted:
        time.sleep(0.1)
    return sum(streams.count(HEARD))


CLAIM = Claim("crowd", "20 calls a second beside 200 open event streams", measure)
