"""What a pilot's adapter says of many executions at once."""

from __future__ import annotations

from pathlib import Path

from diamond.pilots.journal import Claimed, Entry, Opened, Share, entry_line
from diamond.pilots.json_lines import Appender
from diamond.pilots.requests import Execution, Run, request_line
from diamond.schedulers.pilot import Fate, PilotScheduler


class Counted:
    """What the agent knows of its pilots; each question costs it a look at everything it runs."""

    def __init__(self) -> None:
        self.questions = 0

    def is_over(self, pilot: str) -> bool:
        self.questions += 1
        return False

    def fate(self, pilot: str, allocation: str) -> Fate | None:
        self.questions += 1
        return None


def test_the_end_of_a_pilot_is_asked_for_once_for_all_that_is_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "tpilot" / "run" / "pilot"
    folder.mkdir(parents=True)
    names = [f"a{n}" for n in range(200)]
    requests = Appender(str(folder / "requests.jsonl"))
    asked = [Run(Execution(name, "/x/script.sh", "/x")) for name in names]
    requests.write([request_line(each) for each in asked], durable=False)
    requests.close()
    journal = Appender(str(folder / "journal.jsonl"))
    written: list[Entry] = [Opened("7", at=1.0)]
    written += [Claimed(name, "7", [Share("n1", [0])], at=2.0) for name in names[:100]]
    journal.write([entry_line(each) for each in written], durable=False)
    journal.close()
    knows = Counted()
    found = PilotScheduler(tmp_path, knows).status([f"tpilot.{name}" for name in names])
    assert [found[f"tpilot.{name}"].status for name in ("a0", "a199")] == ["running", "queued"]
    assert knows.questions == 2
