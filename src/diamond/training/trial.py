"""A trial of a study, for programs that name their own space: an object like Optuna's.

A job has no connection to the service. What the study has chosen is in the params; a name that is new is drawn at
random here, and reported, so that later trials get it from the sampler.
"""

from __future__ import annotations

import math
import os
import random
from typing import Any, Dict, List, Optional, Sequence, Union

from diamond.training.context import params, should_stop
from diamond.training.facts import note
from diamond.training.metrics import log

Value = Union[str, int, float, bool, None]


class Trial:
    """`objective`: the metric that `report` logs; the study's objective has the same name."""

    def __init__(self, objective: str = "objective") -> None:
        self._objective = objective
        self._given = params()
        self.params: Dict[str, Value] = {}
        """What was suggested so far."""
        self._new: List[Dict[str, Any]] = []

    def suggest_float(
        self,
        name: str,
        low: float,
        high: float,
        *,
        step: Optional[float] = None,
        log: bool = False,
    ) -> float:
        """A number from `low` to `high`."""
        space = {"kind": "float", "low": float(low), "high": float(high), "log": log, "step": step}
        return float(str(self._suggest(name, space)))

    def suggest_int(
        self, name: str, low: int, high: int, *, step: int = 1, log: bool = False
    ) -> int:
        """A whole number from `low` to `high`, both included."""
        apart = None if step == 1 else step
        space = {"kind": "int", "low": float(low), "high": float(high), "log": log, "step": apart}
        return int(str(self._suggest(name, space)))

    def suggest_categorical(self, name: str, choices: Sequence[Value]) -> Value:
        """One of `choices`."""
        return self._suggest(name, {"kind": "choice", "choices": list(choices)})

    def report(self, value: float, step: Union[int, float]) -> None:
        """Log a value of the objective."""
        values: Dict[str, Any] = {self._objective: value}
        log(int(step), **values)

    def should_prune(self) -> bool:
        """Whether the study has given this trial up: save what you need and exit within seconds."""
        return should_stop()

    def _suggest(self, name: str, space: Dict[str, Any]) -> Value:
        if name in self.params:
            return self.params[name]
        value = self._given.get(name)
        if not _fits(value, space):
            value = _draw(name, space)
            self._new.append({"name": name, "value": value, **space})
            note({"suggested": self._new})
        self.params[name] = value
        return value


def trial(objective: str = "objective") -> Trial:
    """The trial that this job is; outside of a study all its values are drawn at random."""
    return Trial(objective)


def _fits(value: Any, space: Dict[str, Any]) -> bool:
    if space["kind"] == "choice":
        return any(value == each and type(value) is type(each) for each in space["choices"])
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    if space["kind"] == "int" and value != int(value):
        return False
    return bool(space["low"] <= value <= space["high"])


def _draw(name: str, space: Dict[str, Any]) -> Value:
    """The same in all ranks of a job, and in all its attempts."""
    task = os.environ.get("DIAMOND_TASK", "")
    chance = random.Random(f"{task}:{name}") if task else random.Random()
    if space["kind"] == "choice":
        chosen: Value = chance.choice(space["choices"])
        return chosen
    low, high, is_int = space["low"], space["high"], space["kind"] == "int"
    step = space["step"] or (1.0 if is_int and not space["log"] else None)
    if step is not None:
        value = low + step * chance.randint(0, math.floor((high - low) / step + 1e-9))
    elif space["log"]:
        value = math.exp(chance.uniform(math.log(low), math.log(high)))
    else:
        value = chance.uniform(low, high)
    inside = float(min(max(value, low), high))
    return round(inside) if is_int else inside
