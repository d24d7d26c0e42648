"""Select the code to upload with a spec, and check the spec first."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from diamond.code.snapshots import DEFAULT_SIZE_LIMIT, Snapshot, take_snapshot, why_not_by_itself
from diamond.core.errors import BadRequest, Conflict, InvalidSpec
from diamond.sdk.pipeline_calls import stage_specs
from diamond.sdk.script_check import missing_files
from diamond.sdk.specs import split_command
from diamond.sdk.transport import API, Transport, path_segment
from diamond.sdk.uploads import FileChanged, sha256_digest, upload_snapshot

UPLOAD_TRIES = 3


@dataclass(frozen=True)
class CodeSelection:
    """The code to upload with a spec: a snapshot or nothing; `notes` are for the user."""

    snapshot: Snapshot | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def messages(self) -> list[str]:
        """Everything the user should know about it."""
        left = self.snapshot.left_out if self.snapshot else []
        return [*(f"Not uploaded: {path} ({why})" for path, why in left), *self.notes]

    @property
    def body(self) -> dict[str, Any] | None:
        """The `code` of POST /jobs."""
        return _body(self.snapshot) if self.snapshot else None


def choose_code(
    spec: Mapping[str, Any],
    folder: Path,
    *,
    cache: Path | None = None,
    size_limit: int = DEFAULT_SIZE_LIMIT,
) -> CodeSelection:
    """A snapshot of the folder in `code:`, relative to `folder`; without `code:`, of `folder` itself if that is safe."""
    code = spec.get("code")
    if isinstance(code, str) and is_git_url(code):
        return CodeSelection()
    if not isinstance(code, str) and (why := why_not_by_itself(folder)):
        _reject_local_files(spec.get("run"), folder, why)
        if faults := missing_files(spec, folder):
            raise _as_error(faults)
        return CodeSelection(notes=[f"No code is uploaded: {why}. {_NEXT_STEP}"])
    chosen = folder / code if isinstance(code, str) else folder
    snapshot = take_snapshot(chosen, size_limit=size_limit, cache=cache)
    return CodeSelection(snapshot, list(snapshot.warnings))


def upload_code(
    transport: Transport,
    choose: Callable[[], CodeSelection],
    say: Callable[[str], None],
    project: str = "",
) -> CodeSelection:
    """Choose the code and upload it; once more if a file changes meanwhile, as a log or a notebook does."""
    for tries_left in reversed(range(UPLOAD_TRIES)):
        code = choose()
        if code.snapshot is None:
            return code
        try:
            upload_snapshot(transport, code.snapshot, say, project)
        except FileChanged as error:
            if not tries_left:
                raise
            say(f"{error.message}; reading the folder again")
        else:
            return code
    raise AssertionError("unreachable")


def will_upload(spec: Mapping[str, Any], folder: Path) -> bool:
    """Whether files would be uploaded; only then is the spec checked separately first."""
    code = spec.get("code")
    if isinstance(code, str):
        return not is_git_url(code)
    return not why_not_by_itself(folder)


def precheck(
    transport: Transport,
    spec: Mapping[str, Any],
    folder: Path,
    *,
    script: bool = False,
    with_code: bool = True,
    project: str = "",
    call: str = "jobs/check",
) -> dict[str, Any]:
    """The service's check before any upload; missing local files are reported with the other faults."""
    faults = _local_faults(spec, folder) if with_code else []
    body = {"spec": without_code_folder(spec), **({"project": project} if project else {})}
    try:
        answer = transport.post(f"{API}/{call}" + ("?script=true" if script else ""), body)
    except InvalidSpec as error:
        raise _with_faults(error, faults) if faults and error.faults else error from None
    if faults:
        raise _as_error(faults)
    return dict(answer)


def require_unrestricted(transport: Transport, project: str) -> None:
    """Do not start an upload that a restricted project would reject at the end."""
    if transport.get(f"{API}/projects/{path_segment(project)}").get("endpoints") is not None:
        raise Conflict(
            f"{project} is restricted: its code may not pass through the service",
            "Use a git repository with a commit (code: https://…@COMMIT), or --no-code.",
            code="restricted",
        )


def without_code_folder(spec: Mapping[str, Any]) -> dict[str, Any]:
    """The spec without its code folder, as the service can check it before the upload."""
    return {key: value for key, value in spec.items() if not _is_folder(key, value)}


def _is_folder(key: str, value: object) -> bool:
    return key == "code" and isinstance(value, str) and not is_git_url(value)


def _local_faults(spec: Mapping[str, Any], folder: Path) -> list[dict[str, str]]:
    code = spec.get("code")
    if isinstance(code, str) and is_git_url(code):
        return []
    chosen = folder / code if isinstance(code, str) else folder
    return _code_faults(code, folder) or missing_files(spec, chosen) + _missing_in_stages(
        spec, chosen
    )


def _missing_in_stages(spec: Mapping[str, Any], folder: Path) -> list[dict[str, str]]:
    return [
        {**fault, "field": f"pipeline.{name}.{fault['field']}"}
        for name, stage in stage_specs(spec).items()
        for fault in missing_files(stage, folder)
    ]


def _as_error(faults: list[dict[str, str]]) -> InvalidSpec:
    first = faults[0]
    return InvalidSpec(f"{first['field']}: {first['message']}", first["hint"], faults=faults)


def _code_faults(code: object, folder: Path) -> list[dict[str, str]]:
    if not isinstance(code, str) or is_git_url(code) or _is_dir(folder / code):
        return []
    hint = f"The path is relative to {folder}. You can also use GIT_URL@commit."
    return [{"field": "code", "message": f"There is no folder {code!r}", "hint": hint}]


def _is_dir(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _with_faults(error: InvalidSpec, more: list[dict[str, str]]) -> InvalidSpec:
    faults = [*error.faults, *more]
    message = f"The spec has {len(faults)} faults"
    return InvalidSpec(message, "Each fault is listed with the valid values.", faults=faults)


_NEXT_STEP = "To upload this folder: --set code=. (or put a diamond.yaml in it, or run git init)."


def _reject_local_files(run: object, folder: Path, why: str) -> None:
    """Fail now rather than after the queue wait if the command names a local file that is not uploaded."""
    for word in split_command(run):
        if not Path(word).is_absolute() and _is_file(folder / word):
            raise BadRequest(
                f"{word} is a local file, but no code is uploaded: {why}",
                f"{_NEXT_STEP} If the program needs no local files: --no-code.",
            )


def _is_file(path: Path) -> bool:
    """False for an argument that is too long to be a file name."""
    try:
        return path.is_file()
    except OSError:
        return False


def is_git_url(text: str) -> bool:
    return "://" in text or text.startswith("git@")


def _body(snapshot: Snapshot) -> dict[str, Any]:
    body: dict[str, Any] = {
        "snapshot": snapshot.digest,
        "commit": snapshot.commit,
        "dirty": snapshot.dirty,
        "left_out": [
            *(f"{path} ({why})" for path, why in snapshot.left_out),
            *(f"{path} (listed in .gitignore or .diamondignore)" for path in snapshot.ignored),
        ],
        "files": len(json.loads(snapshot.manifest)["files"]),
        "bytes": snapshot.size,
    }
    if snapshot.dirty_diff:
        body["diff"] = sha256_digest(snapshot.dirty_diff)
    return body
