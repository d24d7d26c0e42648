"""The space that a study searches: dimensions by name, some of them only under a condition."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Value = str | int | float | bool | None
Point = Mapping[str, Value]
FLOAT, INT, CHOICE = "float", "int", "choice"
MOST_GRID_POINTS = 100_000


@dataclass(frozen=True)
class Dimension:
    name: str
    kind: str
    low: float = 0.0
    high: float = 0.0
    log: bool = False
    step: float | None = None
    choices: tuple[Value, ...] = ()
    when: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    """Other dimensions, with the values at which this one is searched."""

    def middle(self) -> Value:
        if self.kind == CHOICE:
            return self.choices[len(self.choices) // 2]
        inside = math.sqrt(self.low * self.high) if self.log else (self.low + self.high) / 2
        return round(inside) if self.kind == INT else inside

    def draw(self, random_: random.Random) -> Value:
        """A value at random, as the sampler `random` would draw it."""
        if self.kind == CHOICE:
            return random_.choice(self.choices)
        if self.step is not None or (self.kind == INT and not self.log):
            step = self.step or 1
            steps = math.floor((self.high - self.low) / step + 1e-9)
            value = self.low + step * random_.randint(0, steps)
        elif self.log:
            low = self.low - 0.5 if self.kind == INT else self.low
            high = self.high + 0.5 if self.kind == INT else self.high
            value = math.exp(random_.uniform(math.log(low), math.log(high)))
        else:
            value = random_.uniform(self.low, self.high)
        value = min(max(value, self.low), self.high)
        return round(value) if self.kind == INT else value

    def contains(self, value: Value) -> bool:
        if self.kind == CHOICE:
            return any(value == choice and type(value) is type(choice) for choice in self.choices)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return False
        if self.kind == INT and value != int(value):
            return False
        return self.low <= value <= self.high

    def words(self) -> str:
        """Its valid values, for people."""
        if self.kind == CHOICE:
            return "one of " + ", ".join(str(choice) for choice in self.choices)
        kind = "a whole number" if self.kind == INT else "a number"
        return f"{kind} from {self.low:g} to {self.high:g}"

    @property
    def is_short(self) -> bool:
        """Whether its values can be listed: a sampler that tries all of them makes that list."""
        step = self.step or (1 if self.kind == INT else None)
        if self.kind == CHOICE:
            return True
        return step is not None and (self.high - self.low) / step <= MOST_GRID_POINTS

    def grid(self) -> tuple[Value, ...]:
        """All its values; empty where there are too many to list."""
        if self.kind == CHOICE:
            return self.choices
        step = self.step or (1 if self.kind == INT and not self.log else None)
        if step is None or not self.is_short:
            return ()
        count = math.floor((self.high - self.low) / step + 1e-9) + 1
        values = [self.low + n * step for n in range(count)]
        return tuple(round(value) if self.kind == INT else value for value in values)


Space = tuple[Dimension, ...]
"""In an order in which a dimension comes after those that its condition names."""


def is_active(dimension: Dimension, chosen: Point) -> bool:
    return all(name in chosen and chosen[name] in values for name, values in dimension.when.items())


def middle_point(space: Sequence[Dimension]) -> dict[str, Value]:
    """Somewhere inside, with a value for every dimension: to check a spec with."""
    return {dimension.name: dimension.middle() for dimension in space}


def task_params(space: Sequence[Dimension], point: Point) -> dict[str, Value]:
    """What the program gets: dimensions that the point leaves out are empty, and `{name:--name %}` disappears."""
    return {**{dimension.name: None for dimension in space}, **point}


def ordered(space: Sequence[Dimension]) -> Space:
    """Conditions first. Raises ValueError for a condition on itself or in a circle."""
    done: dict[str, Dimension] = {}
    waiting = list(space)
    while waiting:
        ready = [each for each in waiting if all(name in done for name in each.when)]
        if not ready:
            raise ValueError(f"the conditions of {waiting[0].name} lead in a circle")
        done.update((each.name, each) for each in ready)
        waiting = [each for each in waiting if each.name not in done]
    return tuple(done.values())


def grid_size(space: Sequence[Dimension]) -> int:
    """How many points a grid has; 0 where it has no end."""
    size = 1
    for dimension in space:
        size *= len(dimension.grid())
    return size


def check_point(space: Sequence[Dimension], point: Point) -> str:
    """Why a point given by hand does not fit, or ''."""
    known = {dimension.name: dimension for dimension in space}
    for name, value in point.items():
        if name not in known:
            return f"{name} is not in the space; it has {', '.join(known) or 'no dimensions'}"
        if not known[name].contains(value):
            return f"{name} is {value!r}, but must be {known[name].words()}"
    for dimension in space:
        active = is_active(dimension, point)
        if active and dimension.name not in point:
            return f"{dimension.name} is missing: {dimension.words()}"
        if not active and dimension.name in point:
            return f"{dimension.name} is searched only when {_condition_words(dimension)}"
    return ""


def _condition_words(dimension: Dimension) -> str:
    return " and ".join(
        f"{name} is {' or '.join(map(str, values))}" for name, values in dimension.when.items()
    )


def check_dimension(dimension: Dimension) -> str:
    """What is wrong with one that another program describes, or ''."""
    if dimension.kind == CHOICE:
        return "" if dimension.choices else "it has no choices"
    if dimension.low > dimension.high:
        return f"{dimension.low:g} is above {dimension.high:g}"
    if dimension.log and dimension.low <= 0:
        return "a logarithmic range must begin above 0"
    if dimension.step is not None and (dimension.step <= 0 or dimension.log):
        return "its step is not valid"
    return ""
