"""The run in a crate, run again on a Diamond that may never have seen it."""

from __future__ import annotations

import tempfile
import time
import zipfile
from collections.abc import Collection, Sequence
from dataclasses import asdict
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from diamond.core.errors import BadRequest, InvalidSpec
from diamond.notation.yaml_reader import read_spec
from diamond.provenance.causes import Witness, causes
from diamond.provenance.crate_reader import ForeignRecord, read_crate
from diamond.provenance.record import Record
from diamond.provenance.tolerance import parse_tolerances
from diamond.provenance.verdicts import Level, Outcome, Verdict, judge, not_reproducible
from diamond.sdk.code_selection import is_git_url
from diamond.sdk.crate_inputs import with_inputs
from diamond.sdk.specs import MOST_CHARACTERS

if TYPE_CHECKING:
    from diamond.sdk.client import Client

CODE, SPEC = "code/", "diamond.yaml"
MOST_BYTES = 500 << 20
HASHING_SECONDS, POLL_SECONDS = 300.0, 0.5
SITE_FIELDS = ("on", "partition", "account", "qos", "reservation", "constraint", "options")


def reproduce_crate(
    client: Client,
    crate: Path,
    *,
    on: str = "",
    account: str = "",
    tolerance: Sequence[str] = (),
) -> dict[str, Any]:
    """Waits for the end of the second run. Gives its `task` ('' if nothing could run) and the `verdict`."""
    stated = parse_tolerances(tolerance)
    first = _only_record(crate)
    with tempfile.TemporaryDirectory() as place:
        missing, spec = _unpack(crate, Path(place), first.record)
        if missing:
            return {"task": "", "verdict": _as_json(not_reproducible(missing), [])}
        with zipfile.ZipFile(crate) as archive:
            spec = with_inputs(client, archive, Path(place), first.record, spec, on)
        spec |= {"account": account} if account else {}
        try:
            has_code = "code" in spec
            folder = Path(place)
            job = client.run(spec, on=on or None, folder=folder, with_code=has_code, wait=True)
        except InvalidSpec as error:
            faults = [f"{each.get('field')}: {each.get('message')}" for each in error.faults]
            verdict = not_reproducible(faults or [error.message])
            return {"task": "", "verdict": _as_json(verdict, [])}
        _wait_for_results(client, job.task.id, {one.name for one in first.record.results})
        second = _only_record(client.export_records([job.task.id], Path(place) / "again.zip"))
    verdict = judge(_outcome(first.record), _outcome(second.record), stated)
    named = [_witness(first.record), _witness(second.record)]
    return {"task": job.task.id, "verdict": _as_json(verdict, named)}


def _wait_for_results(client: Client, task: str, names: Collection[str]) -> None:
    """They are hashed once the run has ended; what never comes is missing in the verdict."""
    deadline = time.monotonic() + HASHING_SECONDS
    while time.monotonic() < deadline:
        ready = {one["name"] for one in client.results(task) if one["state"] != "waiting"}
        if ready.issuperset(names):
            return
        time.sleep(POLL_SECONDS)


def _only_record(crate: Path) -> ForeignRecord:
    """Raises `BadRequest` for a crate of another tool, of several tasks, or one that was changed."""
    records = read_crate(crate).records
    if len(records) != 1:
        raise BadRequest(
            f"{crate.name} has {len(records)} records of Diamond",
            "Export one task: diamond record export TASK --with code,lock",
        )
    if records[0].fault is not None:
        raise BadRequest(
            f"The record in {crate.name} was changed: {records[0].fault}",
            "Ask whoever sent it for another copy.",
        )
    return records[0]


def _unpack(crate: Path, place: Path, record: Record) -> tuple[list[str], dict[str, Any]]:
    """What is missing, and the spec for this Diamond. Only files below code/ are written, by name, below `place`."""
    with zipfile.ZipFile(crate) as archive:
        names = [info.filename for info in archive.infolist() if not info.is_dir()]
        if SPEC not in names:
            return ["the crate holds no diamond.yaml"], {}
        if archive.getinfo(SPEC).file_size > MOST_CHARACTERS:
            raise BadRequest(f"{SPEC} in the crate has more than 1 MB, too much for a spec")
        spec = dict(read_spec(archive.read(SPEC).decode(errors="replace")))
        code = [name for name in names if name.startswith(CODE)]
        submitted = record.submitted
        if submitted and submitted.code and submitted.code.snapshot and not code:
            return ["the crate holds no code: it was exported without --with code"], {}
        size = sum(archive.getinfo(name).file_size for name in code)
        if size > MOST_BYTES:
            return [
                f"its code has {size >> 20} MB, and at most {MOST_BYTES >> 20} are unpacked"
            ], {}
        for name in code:
            _write(archive, name, place)
    kept = _without_own_files({name: spec[name] for name in spec if name not in SITE_FIELDS})
    return [], {**kept, **({"code": str(place / "code")} if code else {})}


def _without_own_files(spec: dict[str, Any]) -> dict[str, Any]:
    """Whoever made the crate does not say which files of this computer are uploaded. Raises `BadRequest`."""
    environment = spec.get("environment")
    files = environment.get("files") if isinstance(environment, dict) else None
    for file in files if isinstance(files, list) else []:
        if isinstance(file, dict) and "from" in file:
            raise BadRequest(
                f"The crate asks for the file {str(file['from'])[:200]!r} of your computer",
                "A crate that Diamond wrote names the digests of such files.",
            )
    code = spec.get("code")
    is_elsewhere = isinstance(code, str) and is_git_url(code)
    return spec if is_elsewhere else {name: spec[name] for name in spec if name != "code"}


def _write(archive: zipfile.ZipFile, name: str, place: Path) -> None:
    """The reader has refused names that lead out; a link in a zip is written as a plain file."""
    parts = PurePosixPath(name).parts
    if ".." in parts or PurePosixPath(name).is_absolute():
        raise BadRequest(f"The zip names a file outside of itself: {name[:200]!r}")
    target = place.joinpath(*parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = archive.getinfo(name).external_attr >> 16 & 0o777
    target.write_bytes(archive.read(name))
    target.chmod(0o700 if mode & 0o100 else 0o600)


def _outcome(record: Record) -> Outcome:
    """Results by the digests of their trees; a crate has no other."""
    ended, metrics = record.ended, record.metrics
    values = metrics.values if metrics else {}
    files = {result.name: result.tree for result in record.results}
    return Outcome(
        state=ended.state if ended else "",
        reason=ended.reason if ended else "",
        files=files or None,
        metrics={name: _number(value.last) for name, value in values.items()},
        why_no_files="" if files else "the crate names no results",
    )


def _number(value: Any) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number else None


def _witness(record: Record) -> Witness:
    inputs: dict[str, dict[str, str]] = {}
    for facts in record.facts:
        for path, digest in facts.inputs.items():
            name, _, rest = path.partition("/")
            inputs.setdefault(name, {})[rest] = digest
    return Witness(record, inputs=inputs)


def _as_json(verdict: Verdict, witnesses: Sequence[Witness]) -> dict[str, Any]:
    """As the service shows a verdict."""
    differs = verdict.level is not Level.IDENTICAL and len(witnesses) == 2
    named = causes(witnesses[0], witnesses[1]) if differs else []
    return {
        **asdict(verdict),
        "level": verdict.level.value,
        "causes": [asdict(cause) for cause in named],
    }
