"""Datasets, copies and additions as text."""

from __future__ import annotations

from typing import Any

from diamond.cli.dependency_format import progress_text
from diamond.cli.format import time_ago
from diamond.cli.output import plural
from diamond.core.units import show_bytes

Data = dict[str, Any]
KINDS = {"in-place": "in place", "copy": "copy", "archive": "archive"}


def dataset_row(dataset: Data) -> tuple[str, ...]:
    newest = dataset["newest"] or {}
    return (
        dataset["name"],
        newest.get("name", "-"),
        f"{newest['files']:,}" if newest else "-",
        show_bytes(newest["bytes"]) if newest else "-",
        ", ".join(dataset["places"]) or "-",
        time_ago(dataset["updated"]),
    )


def dataset_lines(dataset: Data) -> list[str]:
    limits = dataset["endpoints"]
    lines = [
        f"{dataset['name']}  {dataset['id']}",
        f"owner     {dataset['owner_name']}",
        *([f"about     {dataset['description']}"] if dataset["description"] else []),
        *([f"licence   {dataset['license']}"] if dataset["license"] else []),
        f"layout    {dataset['layout']}",
        f"may be   {'on any endpoint' if limits is None else 'only on ' + ', '.join(limits)}",
        *(version_line(version) for version in dataset["versions"]),
        f"used by   {plural(dataset['uses'], 'task')}, {dataset['in_use']} of them still open",
    ]
    lines += [f"adding    {addition_text(one)}" for one in dataset["additions"]]
    lines += [f"transfer  {transfer_text(one)}" for one in dataset["transfers"]]
    return lines


def version_line(version: Data) -> str:
    files = f"{version['files']:,} {'file' if version['files'] == 1 else 'files'}"
    digest = version["digest"][:19]
    origin = version["origin"] or {}
    source = f", from {origin.get('address') or version['source']}" if version["source"] else ""
    if origin.get("revision") and origin["revision"] not in source:
        source += f" ({origin['revision'][:24]})"
    return (
        f"{version['name']:9} {digest}  {show_bytes(version['bytes'])} in {files}{source}, "
        f"{time_ago(version['created'])}"
    )


def addition_text(addition: Data) -> str:
    far = progress_text(addition) or "waiting for the first bytes"
    where = f"{addition['source']} ({addition['id']})"
    if addition["state"] in ("failed", "cancelled"):
        return f"{where} {addition['state']}: {addition['message']}"
    return f"{where}: {far}"


def transfer_text(transfer: Data) -> str:
    """For example: v2 to beta, copied from alpha: 1 GB of 2 GB (50 %), 80 MB/s, 12 s left."""
    head = f"{transfer['version']} to {transfer['endpoint']} ({transfer['id']})"
    if transfer["state"] in ("failed", "cancelled"):
        return f"{head} {transfer['state']}: {transfer['message']}"
    return f"{head}: {progress_text(transfer) or transfer['state']}"


def is_changed(check: Data) -> bool:
    return bool(check["changed"] or check["source_changed"] or check["state"] != "done")


def check_line(check: Data) -> str:
    """For example: v2 on alpha: unchanged."""
    words = check["message"] or ("changed" if is_changed(check) else "unchanged")
    if check["source_changed"] is not None:
        words = "the source has changed" if check["source_changed"] else "the source is unchanged"
    elif not is_changed(check):
        words = "unchanged"
    named = f": {', '.join(check['changed'][:10])}" if check["changed"] else ""
    return f"{check['version']} on {check['endpoint']}: {words}{named}"


def sent_text(transfer: Data) -> str:
    """For example: copied from alpha directly by ssh, 1.2 GB sent."""
    how = str(transfer["words"]).partition(": ")[0] if not transfer["tried"] else transfer["words"]
    return f"{how}, {show_bytes(transfer['moved'])} sent"


def way_line(way: Data) -> str:
    """For example: To beta, v2 would be copied from alpha directly by ssh: 2 GB, about 20 s."""
    if not way["way"]:
        return f"{way['version']} cannot come to {way['endpoint']}: {way['words']}."
    others = f" Else: {', '.join(way['others'])}." if way["others"] else ""
    return f"To {way['endpoint']}, {way['version']} would be {way['words']}.{others}"


def place_row(place: Data) -> tuple[str, ...]:
    notes = [
        "pinned" if place["pinned"] else "",
        plural(place["in_use"], "task") if place["in_use"] else "",
        "last copy" if place["is_last"] else "",
        f"CHANGED: {place['changed'][0]}" if place["changed"] else "",
    ]
    return (
        place["version"],
        place["endpoint"],
        KINDS[place["kind"]],
        time_ago(place["used"]),
        time_ago(place["checked"]) if place["checked"] else "-",
        ", ".join(note for note in notes if note) or "-",
        place["path"],
    )


def gc_row(item: Data) -> tuple[str, ...]:
    return (
        f"{item['dataset']}@{item['version']}",
        item["endpoint"],
        item["layout"],
        show_bytes(item["bytes"]),
        f"{item['inodes']:,}",
        time_ago(item["used"]),
    )
