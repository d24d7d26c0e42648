"""Records and crates as lines for a terminal."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from diamond.cli.output import color, print_table, say

JsonObject = dict[str, Any]


def print_record(record: JsonObject) -> None:
    check = record.get("check") or record
    for name, value in _lines(record):
        print(f"{name:<12}{value}")
    fault = check.get("fault") or check.get("anchor_fault")
    if fault:
        print(f"{'record':<12}{color('changed', 'red')}: {fault['message']}")
    else:
        print(f"{'record':<12}{color('whole', 'green')}, {len(record['entries'])} entries")
    if record["is_rebuilt"]:
        say(
            "This task ran before Diamond kept records. This one was compiled from what was stored."
        )


def entry_rows(entries: Sequence[JsonObject]) -> list[tuple[str, str, str, str]]:
    return [
        (
            str(entry["n"]),
            time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(entry["at"])),
            entry["kind"],
            entry["hash"].removeprefix("sha256:")[:12],
        )
        for entry in entries
    ]


def print_crate(crate: JsonObject) -> None:
    print(f"{'crate':<12}{crate['name']}  ({crate['id']})")
    if crate["license"]:
        print(f"{'license':<12}{crate['license']}")
    for profile in crate["profiles"]:
        print(f"{'profile':<12}{profile}")
    for warning in crate["warnings"]:
        say(f"Note: {warning}")
    if crate["runs"]:
        rows = [
            (run["name"] or run["id"], run["status"], run["started"], run["instrument"])
            for run in crate["runs"]
        ]
        print_table(("RUN", "STATUS", "STARTED", "BY"), rows)
    for record in crate["records"]:
        print()
        print_record(record)


def _lines(record: JsonObject) -> Iterator[tuple[str, str]]:
    if record["name"]:
        yield "name", record["name"]
    if record.get("code"):
        code = record["code"]
        dirty = " with changes" if code["is_dirty"] else ""
        commit = f", commit {code['commit'][:12]}{dirty}" if code["commit"] else ""
        yield "code", f"{(code['snapshot'] or code['git_commit'])[:19]}{commit}"
    if record.get("image"):
        image = record["image"]
        yield "image", f"{image['base'] or image['identity'][:19]}, file {image['sha256'][:12]}"
    for one in record["inputs"]:
        yield "data", f"{one['name']}: {one['version'] or one['tree'] or 'not versioned'}"
    if record["seeds"]:
        yield "seeds", ", ".join(f"{name}={value}" for name, value in record["seeds"].items())
    for machine in record["machines"]:
        words = [machine["cpu"], *(gpu["name"] for gpu in machine["gpus"]), machine["kernel"]]
        words += [f"{name} {version}" for name, version in list(machine["libraries"].items())[:6]]
        shown = ", ".join(word for word in words if word)
        if shown:
            yield "machine", shown
    for attempt in record["attempts"]:
        ending = attempt["reason"] or f"exit {attempt['exit_code']}"
        yield "attempt", f"{attempt['number']}: {ending}"
    if record.get("end"):
        yield "end", f"{record['end']['state']}, {record['end']['node_hours']:.3g} node-hours"
    joules = (record.get("metrics") or {}).get("energy_joules")
    if joules is not None:
        yield "energy", f"{joules / 3.6e6:.3g} kWh as the nodes reported it"
    for name, value in ((record.get("metrics") or {}).get("values") or {}).items():
        yield "metric", f"{name} {value['last']}"
