"""A record as W3C PROV-JSON (https://www.w3.org/submissions/prov-json)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from diamond.provenance.crate import CrateTask

PREFIXES = {
    "diamond": "https://w3id.org/diamond/terms#",
    "task": "urn:diamond:task:",
    "sha256": "urn:sha256:",
    "person": "urn:diamond:person:",
}
Document = dict[str, dict[str, Any]]


def prov_json(tasks: Sequence[CrateTask]) -> bytes:
    document: Document = {"prefix": dict(PREFIXES)}
    for task in tasks:
        _add(document, task)
    return json.dumps(document, indent=1, sort_keys=True).encode()


def _add(document: Document, task: CrateTask) -> None:
    activity, record = f"task:{task.task}", task.record
    ended, submitted = record.ended, record.submitted
    described: dict[str, Any] = {"prov:label": submitted.name if submitted else task.task}
    if ended is not None:
        described["diamond:state"] = ended.state
        if ended.started:
            described["prov:startTime"] = _time(ended.started)
        if ended.ended:
            described["prov:endTime"] = _time(ended.ended)
    _put(document, "activity", activity, described)
    for name, digest, kind in _used(task):
        _relate(document, "used", activity, _entity(document, name, digest, kind))
    for file in task.files:
        if file.sha256:
            made = _entity(document, file.path, f"sha256:{file.sha256}", "file")
            _generated(document, made, activity)
    for result in record.results:
        made = _entity(document, result.name, result.tree, result.kind)
        _generated(document, made, activity)
    _people(document, task, activity)
    if submitted is not None and submitted.retry_of:
        before = f"task:{submitted.retry_of}"
        _put(document, "activity", before, {})
        relation = {"prov:informed": activity, "prov:informant": before}
        _put(document, "wasInformedBy", _next(document, "wasInformedBy"), relation)


def _used(task: CrateTask) -> list[tuple[str, str, str]]:
    record, used = task.record, []
    if record.submitted is not None:
        code = record.submitted.code
        if code is not None and (code.snapshot or code.git_commit):
            used.append(("code", code.snapshot or f"git:{code.git_commit}", "code"))
        used += [
            (one.name, one.tree, "data" if one.tree else "data that is not versioned")
            for one in record.submitted.inputs
        ]
    if record.image is not None:
        used.append((record.image.base or "image", record.image.sha256, "image"))
    return used


def _people(document: Document, task: CrateTask, activity: str) -> None:
    if not task.who:
        return
    person = "person:" + re.sub(r"[^A-Za-z0-9_-]", "_", task.who)
    _put(
        document,
        "agent",
        person,
        {"prov:type": {"$": "prov:Person", "type": "prov:QUALIFIED_NAME"}},
    )
    relation = {"prov:activity": activity, "prov:agent": person}
    _put(document, "wasAssociatedWith", _next(document, "wasAssociatedWith"), relation)


def _entity(document: Document, name: str, digest: str, kind: str) -> str:
    plain = digest.rpartition(":")[2]
    entity = (
        f"sha256:{plain}" if re.fullmatch(r"[0-9a-f]{40,64}", plain) else _named(document, name)
    )
    _put(document, "entity", entity, {"prov:label": name, "diamond:kind": kind})
    return entity


def _named(document: Document, name: str) -> str:
    return f"diamond:not-versioned-{len(document.get('entity', {})) + 1}"


def _relate(document: Document, relation: str, activity: str, entity: str) -> None:
    values = {"prov:activity": activity, "prov:entity": entity}
    _put(document, relation, _next(document, relation), values)


def _generated(document: Document, entity: str, activity: str) -> None:
    _relate(document, "wasGeneratedBy", activity, entity)


def _put(document: Document, kind: str, name: str, values: dict[str, Any]) -> None:
    document.setdefault(kind, {}).setdefault(name, values)


def _next(document: Document, relation: str) -> str:
    return f"_:{relation}{len(document.get(relation, {})) + 1}"


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()
