"""A record as an RO-Crate: metadata by `rocrate`, in the words of the Workflow Run Crate profiles 0.5.

One task is a Provenance Run Crate: its spec is the workflow, each attempt a run of its tool. Several tasks are a Process
Run Crate. Context 1.1, since the profiles are written for it; the terms they add stand in the crate itself, so that it can
be read without asking anybody.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from diamond.provenance.bodies import AttemptEnded
from diamond.provenance.record import Record

if TYPE_CHECKING:
    from rocrate.rocrate import ROCrate

METADATA = "ro-crate-metadata.json"
RECORD, SPEC, ANCHOR, METRICS = "record.jsonl", "diamond.yaml", "anchor.json", "metrics.json"
PROFILES = "https://w3id.org/ro/wfrun"
PROCESS, WORKFLOW, PROVENANCE = (
    f"{PROFILES}/{name}/0.5" for name in ("process", "workflow", "provenance")
)
WORKFLOW_CRATE = "https://w3id.org/workflowhub/workflow-ro-crate/1.0"
_TERMS = "https://w3id.org/ro/terms/workflow-run#"
TERMS = {name: f"{_TERMS}{name}" for name in ("ContainerImage", "containerImage", "sha256")}
ENDINGS = {
    "succeeded": "http://schema.org/CompletedActionStatus",
    "failed": "http://schema.org/FailedActionStatus",
    "cancelled": "http://schema.org/FailedActionStatus",
}
LICENSE = "https://choosealicense.com/no-permission/"


@dataclass(frozen=True)
class CrateFile:
    """A file of the crate: its path there, and what it is."""

    path: str
    name: str
    format: str = "text/plain"
    size: int = 0
    sha256: str = ""


@dataclass(frozen=True)
class CrateFolder:
    """A folder of the crate with data that the task read. Its path ends with /."""

    path: str
    name: str
    tree: str
    """Digest of its manifest."""
    size: int = 0
    files: int = 0


@dataclass(frozen=True)
class CrateTask:
    """One task of a crate. `folder` ends with / or is empty."""

    task: str
    record: Record
    folder: str = ""
    who: str = ""
    """Empty where the person stays unnamed."""
    files: Sequence[CrateFile] = ()
    """All but the spec and the scripts."""
    scripts: Sequence[CrateFile] = ()
    """`run.sh` first."""
    folders: Sequence[CrateFolder] = ()
    """Data that go along."""
    image: CrateFile | None = None
    """The file of its image, if that goes along."""


@dataclass(frozen=True)
class CrateRequest:
    name: str
    tasks: Sequence[CrateTask]
    at: float
    license: str = LICENSE
    about: Mapping[str, str] = field(default_factory=dict)
    """Fields of the root, such as `description`."""


def crate_metadata(request: CrateRequest) -> bytes:
    """`ro-crate-metadata.json`."""
    from rocrate.model.contextentity import ContextEntity
    from rocrate.rocrate import ROCrate

    crate = ROCrate(version="1.1", gen_preview=False)
    crate.metadata.extra_terms.update(TERMS)
    crate.name = request.name
    crate.description = request.about.get("description") or f"Records of Diamond: {request.name}"
    crate.datePublished = _time(request.at)
    crate.license = request.license
    is_single = len(request.tasks) == 1
    profiles = [PROCESS, WORKFLOW, PROVENANCE, WORKFLOW_CRATE] if is_single else [PROCESS]
    for profile in profiles:
        version = profile.rpartition("/")[2]
        properties = {"@type": "CreativeWork", "name": _profile_name(profile), "version": version}
        crate.add(ContextEntity(crate, profile, properties=properties))
    crate.root_dataset["conformsTo"] = [{"@id": profile} for profile in profiles]
    graph = _Graph(crate, is_single=is_single)
    for task in request.tasks:
        graph.add_task(task)
    crate.root_dataset["mentions"] = [{"@id": one} for one in graph.actions]
    return json.dumps(crate.metadata.generate(), indent=1, sort_keys=True).encode()


class _Graph:
    """Entities of tasks, added to a crate."""

    def __init__(self, crate: ROCrate, *, is_single: bool) -> None:
        self._crate = crate
        self._is_single = is_single
        self.actions: list[str] = []

    def add_task(self, task: CrateTask) -> None:
        inputs = [self._input(task, name) for name in self._input_names(task)]
        inputs += [self._param(task, name, value) for name, value in self._params(task).items()]
        results = [self._file(file) for file in task.files]
        run_script = self._scripts(task)
        outcome = [one for one in results if one.endswith((RECORD, METRICS))]
        attempts = [
            self._attempt(task, attempt, run_script, outcome) for attempt in task.record.attempts
        ]
        spec = self._spec(task, run_script)
        run = self._run(task, spec if self._is_single else run_script, inputs, outcome)
        self.actions += [run, *attempts]
        if self._is_single and attempts:
            self._engine(task, run, attempts)

    def _input_names(self, task: CrateTask) -> list[str]:
        submitted = task.record.submitted
        return [one.name for one in submitted.inputs] if submitted else []

    def _params(self, task: CrateTask) -> Mapping[str, Any]:
        return task.record.submitted.params if task.record.submitted else {}

    def _input(self, task: CrateTask, name: str) -> str:
        assert task.record.submitted is not None
        used = next(one for one in task.record.submitted.inputs if one.name == name)
        words = f"{used.version or name}, tree {used.tree}" if used.tree else "not versioned"
        described = {"@type": "CreativeWork", "name": name, "description": words}
        if used.tree:
            described["identifier"] = used.tree
        folder = next((one for one in task.folders if one.name == name), None)
        if folder is not None:
            return self._folder(folder, words)
        return self._context(f"#{task.task}-data-{name}", described)

    def _folder(self, folder: CrateFolder, words: str) -> str:
        from rocrate.model.dataset import Dataset

        described = {
            "@type": "Dataset",
            "name": folder.name,
            "description": f"{words}: {folder.files} files",
            "identifier": folder.tree,
            "contentSize": str(folder.size),
        }
        self._crate.add(Dataset(self._crate, dest_path=folder.path, properties=described))
        return folder.path

    def _param(self, task: CrateTask, name: str, value: Any) -> str:
        text = value if isinstance(value, str) else json.dumps(value)
        described = {"@type": "PropertyValue", "name": name, "value": text}
        return self._context(f"#{task.task}-param-{name}", described)

    def _file(self, file: CrateFile, *more_types: str, **properties: Any) -> str:
        from rocrate.model.file import File

        described = {
            "@type": ["File", *more_types] if more_types else "File",
            "name": file.name,
            "encodingFormat": file.format,
            "contentSize": str(file.size),
            **({"sha256": file.sha256} if file.sha256 else {}),
            **properties,
        }
        self._crate.add(File(self._crate, dest_path=file.path, properties=described))
        return file.path

    def _scripts(self, task: CrateTask) -> str:
        """`run.sh` is the tool that attempts ran."""
        language = self._context(
            "#bash",
            {"@type": "ComputerLanguage", "name": "Bash", "url": _url("gnu.org/software/bash")},
        )
        for script in task.scripts[1:]:
            self._file(script)
        described: dict[str, Any] = {"programmingLanguage": {"@id": language}}
        image = self._image(task)
        if image:
            described["softwareRequirements"] = {"@id": image}
        return self._file(task.scripts[0], "SoftwareSourceCode", "SoftwareApplication", **described)

    def _spec(self, task: CrateTask, run_script: str) -> str:
        spec = CrateFile(f"{task.folder}{SPEC}", f"Spec of {_name(task)}", "application/yaml")
        if not self._is_single:
            return self._file(spec)
        language = self._context(
            "#diamond-spec", {"@type": "ComputerLanguage", "name": "Diamond spec", "version": "1"}
        )
        step = f"#{task.task}-step"
        self._context(step, {"@type": "HowToStep", "position": "0", "workExample": _id(run_script)})
        path = self._file(
            spec,
            "SoftwareSourceCode",
            "ComputationalWorkflow",
            "HowTo",
            programmingLanguage={"@id": language},
            hasPart=[_id(run_script)],
            step=[_id(step)],
        )
        self._crate.root_dataset["mainEntity"] = _id(path)
        return path

    def _image(self, task: CrateTask) -> str:
        image = task.record.image
        if image is None:
            return ""
        described = {
            "@type": "ContainerImage",
            "name": image.base or image.identity,
            "identifier": image.identity,
            "sha256": image.sha256,
            "additionalType": {"@id": f"{_TERMS}SIFImage"},
            "description": f"{image.format} for {image.platform}, Python {image.python or 'none'}",
        }
        if task.image is not None:
            del described["@type"], described["sha256"]
            return self._file(task.image, "ContainerImage", **described)
        return self._context(f"#image-{image.sha256[:16]}", described)

    def _run(
        self, task: CrateTask, instrument: str, inputs: Sequence[str], results: Sequence[str]
    ) -> str:
        ended = task.record.ended
        described: dict[str, Any] = {
            "@type": "CreateAction",
            "name": f"Run of {_name(task)}",
            "instrument": _id(instrument),
            "object": [_id(one) for one in inputs],
            "result": [_id(one) for one in results],
            "actionStatus": {"@id": ENDINGS.get(ended.state if ended else "", _STARTED)},
            **_times(ended.started if ended else None, ended.ended if ended else None),
            **({"error": ended.reason} if ended and ended.reason else {}),
            **({"agent": _id(self._person(task))} if task.who else {}),
        }
        return self._context(f"#{task.task}", described)

    def _attempt(
        self, task: CrateTask, attempt: AttemptEnded, tool: str, results: Sequence[str]
    ) -> str:
        described: dict[str, Any] = {
            "@type": "CreateAction",
            "name": f"Attempt {attempt.number} of {_name(task)}",
            "instrument": _id(tool),
            "result": [_id(one) for one in results],
            "description": _machine_words(task.record, attempt),
            "actionStatus": {"@id": _attempt_status(attempt)},
            **_times(attempt.started, attempt.ended),
            **({"error": attempt.reason} if attempt.reason else {}),
        }
        image = self._image(task)
        if image:
            described["containerImage"] = _id(image)
        return self._context(f"#{task.task}-attempt-{attempt.number}", described)

    def _engine(self, task: CrateTask, run: str, attempts: Sequence[str]) -> None:
        """Diamond itself, which ran the step once for each attempt."""
        version = task.record.submitted.diamond if task.record.submitted else ""
        engine = self._context(
            "#diamond",
            {"@type": "SoftwareApplication", "name": "Diamond", "softwareVersion": version or "?"},
        )
        controls = [
            self._context(
                f"{attempt}-control",
                {
                    "@type": "ControlAction",
                    "name": f"Control of {attempt[1:]}",
                    "instrument": _id(f"#{task.task}-step"),
                    "object": _id(attempt),
                },
            )
            for attempt in attempts
        ]
        described = {
            "@type": "OrganizeAction",
            "name": f"Diamond's work on {_name(task)}",
            "instrument": _id(engine),
            "object": [_id(one) for one in controls],
            "result": _id(run),
        }
        self.actions.append(self._context(f"#{task.task}-organize", described))

    def _person(self, task: CrateTask) -> str:
        return self._context(f"#person-{task.who}", {"@type": "Person", "name": task.who})

    def _context(self, name: str, properties: Mapping[str, Any]) -> str:
        from rocrate.model.contextentity import ContextEntity

        name = name.replace(" ", "_")
        if self._crate.dereference(name) is None:
            self._crate.add(ContextEntity(self._crate, name, properties=dict(properties)))
        return name


_STARTED = "http://schema.org/ActiveActionStatus"


def _attempt_status(attempt: AttemptEnded) -> str:
    return ENDINGS["succeeded" if attempt.exit_code == 0 else "failed"]


def _machine_words(record: Record, attempt: AttemptEnded) -> str:
    """The machine of an attempt, in a line."""
    seen = [facts for facts in record.facts if facts.attempt == attempt.attempt]
    words = []
    for facts in seen:
        words += [facts.cpu, *(gpu.name for gpu in facts.gpus), facts.kernel]
        words += [f"{name} {version}" for name, version in list(facts.libraries.items())[:5]]
    return ", ".join(dict.fromkeys(word for word in words if word)) or "machine not known"


def _name(task: CrateTask) -> str:
    return task.record.submitted.name if task.record.submitted else task.task


def _times(started: float | None, ended: float | None) -> dict[str, str]:
    both = {"startTime": started, "endTime": ended}
    return {name: _time(at) for name, at in both.items() if at}


def _time(at: float) -> str:
    return datetime.fromtimestamp(int(at), UTC).isoformat()


def _id(name: str) -> dict[str, str]:
    return {"@id": name}


def _url(place: str) -> dict[str, str]:
    return {"@id": f"https://{place}/"}


def _profile_name(profile: str) -> str:
    names = {PROCESS: "Process Run Crate", WORKFLOW: "Workflow Run Crate"}
    return {**names, PROVENANCE: "Provenance Run Crate"}.get(profile, "Workflow RO-Crate")
