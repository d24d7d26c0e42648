"""Pipelines as Python objects.

>>> pipeline = Pipeline("forecast", on="delta")
>>> prepared = pipeline.add("prepare", run="python prepare.py", outputs={"features": "features"})
>>> pipeline.add("train", run=f"python train.py {prepared.features}")
>>> Client().run_pipeline(pipeline)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from diamond.core.errors import BadRequest
from diamond.training.stages import mark_of


@dataclass(frozen=True)
class StageOutput:
    """An output of a stage: in a command it stands for its path or value."""

    stage: str
    name: str

    def __str__(self) -> str:
        return f"{{{self.stage}.{self.name}}}"

    def __format__(self, spec: str) -> str:
        return str(self)


@dataclass(frozen=True)
class AddedStage:
    """A stage of a pipeline; its outputs are attributes."""

    name: str
    outputs: tuple[str, ...]

    def __getattr__(self, name: str) -> StageOutput:
        if name not in self.outputs:
            known = ", ".join(self.outputs) or "none"
            raise AttributeError(f"the stage {self.name} has no output {name!r}: it has {known}")
        return StageOutput(self.name, name)


class Pipeline:
    """A pipeline that is put together in Python; `spec` is what a diamond.yaml would say."""

    def __init__(self, name: str, **shared: Any) -> None:
        """`shared`: fields for all stages, such as `on`, `environment`, `resources` and `params`; also `on_failure`."""
        self._shared = {"name": name, **shared}
        self._stages: dict[str, dict[str, Any]] = {}

    @property
    def spec(self) -> dict[str, Any]:
        return {**self._shared, "pipeline": {name: dict(one) for name, one in self._stages.items()}}

    def add(self, stage: str | Callable[..., Any], /, **fields: Any) -> AddedStage:
        """A stage by its name and the fields of a spec; or a function marked with `@stage`, and its arguments.

        An argument that is an output of an earlier stage reaches the function as a path or a value; others are params.
        """
        if isinstance(stage, str):
            return self._put(stage, fields)
        return self._put(stage.__name__, _function_fields(stage, fields))

    def _put(self, name: str, fields: Mapping[str, Any]) -> AddedStage:
        if name in self._stages:
            raise BadRequest(f"There is a stage {name!r} already", "Use another name.")
        self._stages[name] = {key: _written(value) for key, value in fields.items()}
        return AddedStage(name, tuple(fields.get("outputs") or ()))


def _function_fields(function: Callable[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    mark = mark_of(function)
    known = inspect.signature(function).parameters
    mapped = mark.fields.get("map") or {}
    unknown = [name for name in arguments if name not in known]
    if unknown:
        raise BadRequest(
            f"{function.__name__} has no argument {unknown[0]!r}", f"It has: {', '.join(known)}."
        )
    missing = [
        name
        for name, one in known.items()
        if one.default is inspect.Parameter.empty and name not in arguments and name not in mapped
    ]
    if missing and not isinstance(mapped, str):
        raise BadRequest(f"{function.__name__} needs {missing[0]!r}", "Give it in pipeline.add(…).")
    if function.__module__ == "__main__":
        raise BadRequest(
            f"{function.__name__} is defined in the script that is run",
            "Move it to a module of its own, which the job can import.",
        )
    inputs = {name: one for name, one in arguments.items() if isinstance(one, StageOutput)}
    params = {name: one for name, one in arguments.items() if name not in inputs}
    target = f"{function.__module__}:{function.__qualname__}"
    fields: dict[str, Any] = {
        "run": ["python3", "-m", "diamond.training.stages", target],
        "outputs": dict(mark.outputs),
        **mark.fields,
    }
    if inputs:
        fields["inputs"] = {name: f"{one.stage}.{one.name}" for name, one in inputs.items()}
    if params:
        fields["params"] = {**(mark.fields.get("params") or {}), **params}
    return fields


def _written(value: Any) -> Any:
    """Outputs in lists and mappings as text."""
    if isinstance(value, StageOutput):
        return str(value)
    if isinstance(value, Mapping):
        return {key: _written(one) for key, one in value.items()}
    return [_written(one) for one in value] if isinstance(value, (list, tuple)) else value
