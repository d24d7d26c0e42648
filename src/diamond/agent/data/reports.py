"""What is reported about scans and transfers. A policy of the machine may keep words and names here."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from diamond.agent.link.carriers import Declined, Link, LinkDown, ask
from diamond.core.data_messages import DataReport, DataReports

log = logging.getLogger(__name__)

KEPT_HERE = "the message stays on the machine, as its policy requires"
EVERY_SECONDS = 1.0


@dataclass(frozen=True)
class Reporter:
    link: Link
    tells_all: Callable[[], bool]

    def report(self, report: DataReport) -> None:
        """Raises `LinkDown`, `Declined`."""
        if not self.tells_all():
            message = KEPT_HERE if report.message else ""
            report = replace(report, message=message, path="", named=[], origin=None)
        ask(self.link, "data-reports", DataReports([report]), timeout=60)

    def try_to_report(self, report: DataReport) -> None:
        """Progress: the next one says it again."""
        try:
            self.report(report)
        except (LinkDown, Declined) as error:
            log.info("the progress of %s could not be reported: %s", report.name, error)


class Progressing:
    """Reports now and then, from a thread of its own, while the work continues."""

    def __init__(self, reporter: Reporter, look: Callable[[], DataReport | None]) -> None:
        self._reporter, self._look = reporter, look
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="progress", daemon=True)

    def __enter__(self) -> Progressing:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.wait(EVERY_SECONDS):
            report = self._look()
            if report is not None:
                self._reporter.try_to_report(report)
