"""Functions as stages of a pipeline: `@stage` marks one, and `python -m diamond.training.stages MODULE:FUNCTION` calls it in its job."""

from __future__ import annotations

import importlib
import inspect
import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, TypeVar

from diamond.training.context import params, run_dir

Function = TypeVar("Function", bound=Callable[..., Any])
_MARK = "__diamond_stage__"


@dataclass(frozen=True)
class StageMark:
    """What a decorated function says about its stage."""

    outputs: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)


def stage(
    outputs: Optional[Mapping[str, Any]] = None, **fields: Any
) -> Callable[[Function], Function]:
    """Make a function a stage of a pipeline: `@stage({"features": "features/"}, resources={"cpus_per_task": 2})`.

    Its arguments are params of the stage, or paths of outputs of earlier ones. `outputs` names what it leaves in its run
    directory; a value (`{"score": {"path": "score.json", "kind": "value"}}`) may be returned: `return {"score": 0.9}`.
    The function itself stays as it is: it can be called and tested without Diamond.
    """

    def mark(function: Function) -> Function:
        setattr(function, _MARK, StageMark(dict(outputs or {}), dict(fields)))
        return function

    return mark


def mark_of(function: Callable[..., Any]) -> StageMark:
    """Raises `TypeError` for a function that is not marked."""
    mark = getattr(function, _MARK, None)
    if not isinstance(mark, StageMark):
        name = getattr(function, "__name__", str(function))
        raise TypeError(f"{name} is not a stage: put @stage() above it")
    return mark


def call(function: Callable[..., Any], inputs: Path, given: Mapping[str, Any], into: Path) -> None:
    """Call a stage with what its job has for it, and write the values that it returns."""
    returned = function(**arguments_of(function, inputs, given))
    values = returned if isinstance(returned, dict) else {}
    for name, output in mark_of(function).outputs.items():
        is_value = isinstance(output, Mapping) and output.get("kind") == "value"
        if is_value and name in values:
            path = into / str(output["path"])
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(values[name]), encoding="utf-8")


def arguments_of(
    function: Callable[..., Any], inputs: Path, given: Mapping[str, Any]
) -> Dict[str, Any]:
    """By the names of its arguments: an input as a path, the outputs of a mapped stage as a list of paths, else a param."""
    arguments: Dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        several = _several(inputs, name)
        if (inputs / name).exists():
            arguments[name] = inputs / name
        elif several:
            arguments[name] = several
        elif name in given:
            arguments[name] = given[name]
        elif parameter.default is inspect.Parameter.empty:
            raise TypeError(f"{function.__name__} needs {name!r}: give it in pipeline.add(...)")
    return arguments


def _several(inputs: Path, name: str) -> List[Path]:
    paths: List[Path] = []
    while (inputs / f"{name}_{len(paths)}").exists():
        paths.append(inputs / f"{name}_{len(paths)}")
    return paths


def _main(target: str) -> None:
    sys.path.insert(0, os.getcwd())  # noqa: PTH109
    module, _, name = target.partition(":")
    function = getattr(importlib.import_module(module), name)
    inputs = Path(os.environ.get("DIAMOND_INPUTS") or os.environ["DIAMOND_DATA"])
    # Of the module as jobs import it: this file itself runs as `__main__`.
    library = importlib.import_module("diamond.training.stages")
    library.call(function, inputs, params(), run_dir())


if __name__ == "__main__":
    _main(sys.argv[1])
