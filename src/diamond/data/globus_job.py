"""One Globus transfer, as a process of its own: run by a Python that has globus-sdk, which the agent itself does not need.

Reads a job from standard input, prints a line of JSON for each look at it, and ends with the state of the transfer.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any, Dict

LOOK_SECONDS = 5.0


def main() -> int:
    job = json.load(sys.stdin)
    import globus_sdk  # type: ignore[import-not-found, unused-ignore]

    client = globus_sdk.TransferClient(
        authorizer=globus_sdk.AccessTokenAuthorizer(job["token"]),
    )
    task = job.get("task") or _submit(globus_sdk, client, job)
    _say(task=task, state="ACTIVE")
    while True:
        known = client.get_task(task)
        _say(
            task=task,
            state=known["status"],
            bytes=known.get("bytes_transferred") or 0,
            message=known.get("nice_status_short_description") or "",
        )
        if known["status"] in ("SUCCEEDED", "FAILED"):
            return 0
        time.sleep(float(job.get("look_seconds") or LOOK_SECONDS))


def _submit(globus_sdk: Any, client: Any, job: Dict[str, Any]) -> str:
    """Once: the submission id makes a repeated request the same transfer."""
    wanted = globus_sdk.TransferData(
        source_endpoint=job["source"],
        destination_endpoint=job["goal"],
        label=job["label"],
        submission_id=job["submission"] or None,
        verify_checksum=True,
        sync_level="checksum",
    )
    for source, goal, recursive in job["items"]:
        wanted.add_item(source, goal, recursive=recursive)
    return str(client.submit_transfer(wanted)["task_id"])


def _say(**fields: object) -> None:
    print(json.dumps(fields), flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Exception as error:  # whatever the SDK raises: its words are all that a person can use
        _say(state="FAILED", message=f"{type(error).__name__}: {str(error)[:500]}")
        sys.exit(1)
