"""Whether response times reveal to a stranger that a private task exists."""

from __future__ import annotations

import http.client
import time
from urllib.parse import urlsplit

from bench.claim import Claim, Findings, Options
from bench.jobs import spec
from bench.numbers import median
from bench.people import add_people
from bench.stack import Service, started_service
from diamond.core.ids import new_id

FULL_COUNT = 200
MOST = 0.10


def measure(options: Options) -> Findings:
    with started_service(options.folder / "service") as service:
        service.client().transport.post("/api/v1/endpoints", {"name": "m", "carrier": "local"})
        task = service.client().run(spec(["true"], on="m"), folder=options.folder).task.id
        stranger = add_people(service, 1)[0]
        hidden, absent = interleaved(service, stranger.token, task, options.samples(FULL_COUNT))
    apart = abs(median(hidden) / median(absent) - 1)
    findings = Findings()
    findings.add("another person's task", f"median {1000 * median(hidden):.3f} ms")
    findings.add("a task that does not exist", f"median {1000 * median(absent):.3f} ms")
    findings.add("apart", f"{100 * apart:.1f} %", f"< {100 * MOST:.0f} %", apart < MOST)
    return findings


def interleaved(
    service: Service, token: str, task: str, count: int
) -> tuple[list[float], list[float]]:
    """On one persistent connection, in turn; the first of each is not counted."""
    connection = http.client.HTTPConnection(urlsplit(service.url).netloc, timeout=60)
    hidden, absent = [], []
    for _ in range(count + 1):
        hidden.append(timed(connection, token, task))
        absent.append(timed(connection, token, new_id("t")))
    connection.close()
    return hidden[1:], absent[1:]


def timed(connection: http.client.HTTPConnection, token: str, task: str) -> float:
    began = time.perf_counter()
    headers = {"Authorization": f"Bearer {token}"}
    connection.request("GET", f"/api/v1/tasks/{task}", headers=headers)
    answer = connection.getresponse()
    answer.read()
    assert answer.status == 404
    return time.perf_counter() - began


CLAIM = Claim("hidden", "A stranger's 404: a private task and one that does not exist", measure)
