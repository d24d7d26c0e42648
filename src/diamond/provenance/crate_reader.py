"""Crates of others, read and never unpacked: any Process, Workflow or Provenance Run Crate as far as its profile says.

Whoever made the file may mean harm: every size is bounded, every text is cut, no name in it is ever used as a path.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from diamond.core.errors import BadRequest
from diamond.core.units import show_bytes
from diamond.provenance import crate as crates
from diamond.provenance.anchors import AnchoredHead, ProofStep, root_by
from diamond.provenance.entries import Entry, Fault, Head, KeptEntry, digest, find_fault, read_entry
from diamond.provenance.record import Record, assemble

MOST_MEMBERS = 100_000
MOST_METADATA, MOST_RECORD = 16 << 20, 64 << 20
MOST_ENTITIES, MOST_ENTRIES = 50_000, 20_000
MOST_SHOWN = 1000
LONGEST = 2000
Data = Mapping[str, Any]


@dataclass(frozen=True)
class ForeignFile:
    path: str
    name: str = ""
    size: int | None = None
    is_inside: bool = False
    """Whether the crate holds its bytes."""


@dataclass(frozen=True)
class ForeignRun:
    """An action: something that ran."""

    id: str
    name: str = ""
    status: str = ""
    started: str = ""
    ended: str = ""
    instrument: str = ""
    agent: str = ""
    error: str = ""
    description: str = ""
    inputs: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class ForeignRecord:
    """A record of Diamond inside a crate, verified."""

    path: str
    entries: tuple[Entry, ...]
    record: Record
    head: str = ""
    fault: Fault | None = None
    anchor: str = ""
    """The hash of the anchor that covers it, if the crate proves that."""


@dataclass(frozen=True)
class ForeignCrate:
    name: str = ""
    description: str = ""
    license: str = ""
    published: str = ""
    profiles: list[str] = field(default_factory=list)
    people: list[str] = field(default_factory=list)
    software: list[str] = field(default_factory=list)
    runs: list[ForeignRun] = field(default_factory=list)
    files: list[ForeignFile] = field(default_factory=list)
    records: list[ForeignRecord] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def read_crate(source: Path) -> ForeignCrate:
    """A zip, or the `ro-crate-metadata.json` of a crate alone. Raises `BadRequest`."""
    if not zipfile.is_zipfile(source):
        return _crate(_metadata(_bounded_file(source, MOST_METADATA)), frozenset(), [])
    try:
        with zipfile.ZipFile(source) as archive:
            return _read_zip(archive)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        raise BadRequest(f"This zip cannot be read: {error}") from None


def _read_zip(archive: zipfile.ZipFile) -> ForeignCrate:
    members = {info.filename: info for info in archive.infolist()}
    if len(members) > MOST_MEMBERS:
        raise BadRequest(f"The zip has {len(members)} files; at most {MOST_MEMBERS} are read")
    for name in members:
        _require_inside(name)
    top = _top(members)
    metadata = _metadata(_member(archive, f"{top}{crates.METADATA}", MOST_METADATA))
    records = [
        _record(archive, name, members)
        for name in sorted(members)
        if name.startswith(top) and _is_record(name.removeprefix(top))
    ][:MOST_SHOWN]
    inside = frozenset(name.removeprefix(top) for name in members)
    return _crate(metadata, inside, records)


def _is_record(name: str) -> bool:
    """Of the crate itself, not a file of that name in its data or code."""
    *folders, file = name.split("/")
    return file == crates.RECORD and (not folders or (len(folders) == 2 and folders[0] == "tasks"))


def _require_inside(name: str) -> None:
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in name[:2] or "\0" in name:
        raise BadRequest(f"The zip names a file outside of itself: {_shown(name)[:200]!r}")


def _top(members: Mapping[str, object]) -> str:
    """Some zips hold the crate in one folder."""
    places = [name for name in members if name.rpartition("/")[2] == crates.METADATA]
    nearest = min(places, key=lambda name: name.count("/"), default="")
    if not nearest or nearest.count("/") > 1:
        raise BadRequest(
            f"The zip has no {crates.METADATA}: it is not an RO-Crate",
            "Choose a file that `diamond record export` or another tool wrote as an RO-Crate.",
        )
    return nearest.removesuffix(crates.METADATA)


def _member(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """At most `most` bytes, whatever the zip claims about its size."""
    with archive.open(name) as source:
        return _whole(source.read(most + 1), name, most)


def _bounded_file(source: Path, most: int) -> bytes:
    with source.open("rb") as opened:
        return _whole(opened.read(most + 1), source.name, most)


def _whole(content: bytes, name: str, most: int) -> bytes:
    if len(content) > most:
        raise BadRequest(f"{_shown(name)[:200]} has more than {show_bytes(most)}")
    return content


def _metadata(content: bytes) -> list[Data]:
    try:
        graph = json.loads(content)["@graph"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BadRequest(
            f"{crates.METADATA} is not JSON-LD with a @graph", "Is it an RO-Crate?"
        ) from None
    if not isinstance(graph, list) or len(graph) > MOST_ENTITIES:
        raise BadRequest(f"{crates.METADATA} must list at most {MOST_ENTITIES} entities")
    return [one for one in graph if isinstance(one, dict) and isinstance(one.get("@id"), str)]


def _crate(
    graph: Sequence[Data], inside: frozenset[str], records: list[ForeignRecord]
) -> ForeignCrate:
    known = {one["@id"]: one for one in graph}
    about = _ids(known.get(crates.METADATA, {}).get("about"))
    root = known.get(about[0] if about else "./", {})
    return ForeignCrate(
        name=_text(root.get("name")),
        description=_text(root.get("description")),
        license=_named(known, root.get("license")),
        published=_text(root.get("datePublished")),
        profiles=_ids(root.get("conformsTo")),
        people=_of_type(graph, "Person", "Organization"),
        software=_of_type(
            graph, "SoftwareApplication", "SoftwareSourceCode", "ComputationalWorkflow"
        ),
        runs=[_run(known, one) for one in _actions(graph)][:MOST_SHOWN],
        files=[_file(one, inside) for one in graph if "File" in _types(one)][:MOST_SHOWN],
        records=records,
        warnings=_warnings(graph, inside),
    )


def _warnings(graph: Sequence[Data], inside: frozenset[str]) -> list[str]:
    named = [one["@id"] for one in graph if "File" in _types(one) and "://" not in one["@id"]]
    missing = [name for name in named if inside and name not in inside]
    if not missing:
        return []
    return [f"{len(missing)} files are named and not in the crate, such as {_shown(missing[0])}"]


def _actions(graph: Sequence[Data]) -> Iterator[Data]:
    return (
        one for one in graph if {"CreateAction", "ActivateAction", "UpdateAction"} & _types(one)
    )


def _run(known: Mapping[str, Data], action: Data) -> ForeignRun:
    return ForeignRun(
        id=_shown(action["@id"]),
        name=_text(action.get("name")),
        status=_named(known, action.get("actionStatus")).rpartition("/")[2],
        started=_text(action.get("startTime")),
        ended=_text(action.get("endTime")),
        instrument=_named(known, action.get("instrument")),
        agent=_named(known, action.get("agent")),
        error=_text(action.get("error")),
        description=_text(action.get("description")),
        inputs=[_named(known, one) for one in _list(action.get("object"))][:MOST_SHOWN],
        results=[_named(known, one) for one in _list(action.get("result"))][:MOST_SHOWN],
    )


def _file(entity: Data, inside: frozenset[str]) -> ForeignFile:
    size = _text(entity.get("contentSize"))
    return ForeignFile(
        path=_shown(entity["@id"]),
        name=_text(entity.get("name")),
        size=int(size) if size.isascii() and size.isdigit() and len(size) < 18 else None,
        is_inside=entity["@id"] in inside,
    )


def _of_type(graph: Sequence[Data], *kinds: str) -> list[str]:
    names = (
        _text(one.get("name")) or _shown(one["@id"]) for one in graph if set(kinds) & _types(one)
    )
    return list(dict.fromkeys(names))[:MOST_SHOWN]


def _types(entity: Data) -> set[str]:
    return {one for one in _list(entity.get("@type")) if isinstance(one, str)}


def _named(known: Mapping[str, Data], value: Any) -> str:
    """The name of what a value refers to; a parameter with its value."""
    for one in _list(value):
        if not isinstance(one, Mapping):
            return _text(one)
        name = str(one.get("@id", ""))
        entity = known.get(name, {})
        words = _text(entity.get("name")) or _shown(name)
        is_parameter = "PropertyValue" in _types(entity)
        return f"{words} = {_text(entity.get('value'))}" if is_parameter else words
    return ""


def _ids(value: Any) -> list[str]:
    return [
        _shown(str(one["@id"])) for one in _list(value) if isinstance(one, Mapping) and "@id" in one
    ]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_text(one) for one in value[:20])[:LONGEST]
    if isinstance(value, Mapping):
        return _shown(str(value.get("@id") or value.get("@value") or ""))
    return _shown(str(value)) if isinstance(value, (str, int, float)) else ""


def _shown(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text[:LONGEST])


def _record(archive: zipfile.ZipFile, name: str, members: Mapping[str, object]) -> ForeignRecord:
    """Verified as it is there: the sealed values stayed where it was made."""
    lines = _member(archive, name, MOST_RECORD).decode("utf-8", "replace").splitlines()
    kept = [KeptEntry(n, line, digest(line)) for n, line in enumerate(lines[:MOST_ENTRIES], 1)]
    fault = find_fault(kept)
    entries: tuple[Entry, ...] = ()
    record = Record(())
    if fault is None and kept:
        entries = tuple(read_entry(one.line) for one in kept)
        try:
            record = assemble(entries)
        except BadRequest as error:
            fault = Fault(1, f"its entries cannot be read: {error.message}")
    proof = f"{name.removesuffix(crates.RECORD)}{crates.ANCHOR}"
    anchor, anchor_fault = ("", None)
    if proof in members and entries:
        anchor, anchor_fault = _anchored(_member(archive, proof, MOST_METADATA), entries)
    head = kept[-1].hash if kept else ""
    return ForeignRecord(_shown(name), entries, record, head, fault or anchor_fault, anchor)


def _anchored(content: bytes, entries: Sequence[Entry]) -> tuple[str, Fault | None]:
    """The anchor's hash, if what stands beside the record leads from it to the anchor."""
    try:
        data = json.loads(content)
        task, n, head = (data["covers"][name] for name in ("task", "n", "head"))
        leaf = AnchoredHead(str(task), Head(int(n), str(head))).leaf
        steps = [ProofStep(str(one["hash"]), bool(one["is_left"])) for one in data["proof"][:64]]
        anchor, root = str(data["anchor"]["hash"]), str(data["anchor"]["root"])
        reached = root_by(leaf, steps)
    except (ValueError, KeyError, TypeError, RecursionError, AttributeError, OverflowError):
        return "", Fault(1, "anchor.json cannot be read")
    if not 0 < int(n) <= len(entries) or entries[int(n) - 1].hash != head:
        return "", Fault(
            min(int(n), len(entries) + 1), f"entry {n} is not the one that was anchored"
        )
    if reached != root:
        return "", Fault(int(n), "anchor.json does not lead from this record to its anchor")
    return _shown(anchor), None
