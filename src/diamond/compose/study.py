"""The `study:` block of a spec: what to search, how, and within which limits."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from diamond.compose.fields import (
    BudgetText,
    Identifier,
    Minutes,
    Printable,
    Scalar,
    StrictModel,
    Whole,
)
from diamond.studies.plan import BEST, LAST, SAMPLERS, Objective, Sampler, StudyPlan, Tune
from diamond.studies.pruning import RULES, Pruner
from diamond.studies.space import CHOICE, FLOAT, INT, Dimension, grid_size, ordered

Number = int | Annotated[float, Field(allow_inf_nan=False)]
MOST_DIMENSIONS = 200
MOST_CHOICES = 1000
MOST_OBJECTIVES = 5


class DimensionSpec(StrictModel):
    """One of `log`, `float`, `int` and `choice`."""

    float_: list[Number] | None = Field(
        None, alias="float", description="From and to, such as [0, 1]"
    )
    int_: list[Whole] | None = Field(None, alias="int", description="From and to, both included")
    log: list[Number] | bool | None = Field(
        None, description="From and to on a logarithmic scale; or `true` beside `float` or `int`"
    )
    choice: list[Scalar] | None = Field(None, max_length=MOST_CHOICES, description="The values")
    step: Number | None = Field(None, gt=0, description="Distance between two values")
    when: dict[Identifier, list[Scalar]] = Field(
        {}, description="Search it only while other dimensions have one of these values"
    )

    @model_validator(mode="after")
    def _is_one_kind(self) -> DimensionSpec:
        ranges = [self.float_, self.int_, self.log if isinstance(self.log, list) else None]
        given = [each for each in (*ranges, self.choice) if each is not None]
        if len(given) != 1:
            raise ValueError(
                "give one of log: [1e-5, 1e-1], float: [0, 1], int: [1, 6] and choice: [a, b]"
            )
        if self.choice is not None:
            if not self.choice:
                raise ValueError("choice has no values")
            return self
        bounds = given[0]
        if len(bounds) != 2 or bounds[0] >= bounds[1]:  # type: ignore[operator]
            raise ValueError(f"{bounds} is not a range: give the lowest and the highest value")
        if self.log and bounds[0] <= 0:  # type: ignore[operator]
            raise ValueError("a logarithmic range must begin above 0")
        if self.log and self.step:
            raise ValueError("a logarithmic range has no step")
        return self

    def dimension(self, name: str) -> Dimension:
        when = {other: tuple(values) for other, values in self.when.items()}
        if self.choice is not None:
            return Dimension(name, CHOICE, choices=tuple(self.choice), when=when)
        bounds = self.int_ or self.float_ or self.log
        assert isinstance(bounds, list)
        kind = INT if self.int_ else FLOAT
        low, high = float(bounds[0]), float(bounds[1])
        return Dimension(name, kind, low, high, bool(self.log), self.step, when=when)


class PrunerSpec(StrictModel):
    unit: Printable = Field(
        "step", description="What `min` and `max` count: step, or a logged metric such as epoch"
    )
    min: Annotated[Number, Field(gt=0)] = Field(1, description="The first rung")
    max: Annotated[Number, Field(gt=0)] = Field(100, description="Where a trial ends by itself")
    factor: Whole = Field(3, ge=2, le=100, description="One in this many continues at each rung")
    mode: Literal["stop", "promote"] = Field(
        "stop", description="promote: trials wait at a rung; the best continue from a checkpoint"
    )
    startup: Whole = Field(5, ge=0, le=10_000, description="Trials (wilcoxon: values) to wait for")
    warmup: Annotated[Number, Field(ge=0)] = Field(0, description="Prune nothing before this")
    interval: Annotated[Number, Field(gt=0)] = Field(1, description="How often to look")
    percentile: Annotated[Number, Field(gt=0, lt=100)] = Field(25, description="Who may continue")
    p: Annotated[Number, Field(gt=0, lt=1)] = Field(0.1, description="Level of significance")


_OPTIONS = {
    "none": (),
    "asha": ("unit", "min", "max", "factor", "mode"),
    "hyperband": ("unit", "min", "max", "factor"),
    "median": ("unit", "startup", "warmup", "interval"),
    "percentile": ("unit", "percentile", "startup", "warmup", "interval"),
    "wilcoxon": ("unit", "p", "startup"),
}


def _known_pruner(value: Any) -> Any:
    """`asha`, or `{asha: {…}}`; one name of ours."""
    name, options = _one_name(value, "pruner", RULES)
    allowed = _OPTIONS[name]
    unknown = [option for option in options if option not in allowed]
    if unknown:
        some = f"Options: {', '.join(allowed)}" if allowed else "It has none"
        raise ValueError(f"the pruner {name} has no option {unknown[0]!r}. {some}")
    return value


def _known_sampler(value: Any) -> Any:
    _one_name(value, "sampler", SAMPLERS)
    return value


def _one_name(value: Any, what: str, names: tuple[str, ...]) -> tuple[str, dict[str, Any]]:
    options: Any = {}
    if isinstance(value, str):
        name = value
    elif isinstance(value, dict) and len(value) == 1:
        ((name, options),) = value.items()
        options = {} if options is None else options
    else:
        raise ValueError(f"write one name, such as {names[1]}, or {{{names[1]}: {{…}}}}")
    if name not in names:
        raise ValueError(f"there is no {what} {name!r}. Valid: {', '.join(names)}")
    if not isinstance(options, dict):
        raise ValueError(f"the options of {name} must be a mapping")
    return name, options


Choices = Annotated[
    DimensionSpec,
    BeforeValidator(lambda value: {"choice": value} if isinstance(value, list) else value),
]


class TuneSpec(StrictModel):
    metric: Printable = Field(description="That may not fall behind, such as loss; lower is better")
    within: Annotated[Number, Field(ge=0, le=10)] = Field(
        0.05, description="How much worse it may be than as written: 0.05 is 5 %"
    )
    steps: Whole = Field(30, ge=3, le=100_000, description="To measure in each trial")
    batch: Identifier | Literal[""] = Field("", description="The param for samples in a batch")
    samples_each: Whole = Field(1, ge=1, description="Batches in an update")


class StudySpec(StrictModel):
    objective: dict[Printable, Literal["maximize", "minimize"]] = Field(
        {}, max_length=MOST_OBJECTIVES, description="Metrics that it logs: maximize or minimize"
    )
    value: Literal["best", "last"] | None = Field(
        None,
        description="Which value of the curve counts; default: best, with several metrics last",
    )
    space: dict[Identifier, Choices] = Field({}, max_length=MOST_DIMENSIONS)
    sampler: Annotated[
        str | dict[str, dict[Identifier, Scalar] | None], AfterValidator(_known_sampler)
    ] = "tpe"
    pruner: Annotated[str | dict[str, PrunerSpec | None], BeforeValidator(_known_pruner)] = "none"
    trials: Whole = Field(100, ge=1, le=100_000)
    parallel: Whole = Field(
        4,
        ge=0,
        le=10_000,
        description="Trials at the same time; 0: your own program asks for points",
    )
    budget: BudgetText | None = Field(None, description="For all trials, such as 40 node-hours")
    on: list[Printable] = Field([], description="Endpoints among which trials are spread")
    ahead: Minutes | None = Field(
        None,
        description="For how long endpoints get points ahead, such as 8h, so that slots stay busy while the service sleeps",
    )
    pack: Literal["auto", "off"] | Annotated[Whole, Field(ge=1, le=1000)] = Field(
        "off", description="Trials that share an allocation: a number, `auto` or `off`"
    )
    tune: TuneSpec | None = Field(
        None, description="Measure the throughput of short runs; `diamond scale --tune` writes it"
    )
    repeats: Whole = Field(1, ge=1, le=100, description="Runs of each point, with other seeds")
    seed: Whole = Field(0, ge=0, le=2**31, description="Of the sampler")
    from_: list[Printable] = Field(
        [], alias="from", description="Studies whose trials the sampler learns from"
    )


def plan_of(study: StudySpec) -> StudyPlan:
    """Of a block without faults."""
    objectives = tuple(
        Objective(name, direction == "maximize") for name, direction in study.objective.items()
    )
    space = ordered([each.dimension(name) for name, each in study.space.items()])
    return StudyPlan(
        objectives,
        space,
        value=study.value or (BEST if len(objectives) == 1 else LAST),
        sampler=sampler_of(study),
        pruner=pruner_of(study),
        trials=min(study.trials, grid_size(space)) if is_grid(study) else study.trials,
        parallel=study.parallel,
        budget=study.budget or "",
        on=tuple(study.on),
        repeats=study.repeats,
        seed=study.seed,
        warm_start=tuple(study.from_),
        ahead_minutes=study.ahead or 0,
        pack=study.pack,
        tune=Tune(**study.tune.model_dump()) if study.tune else None,
    )


def is_grid(study: StudySpec) -> bool:
    return _one_name(study.sampler, "sampler", SAMPLERS)[0] == "grid"


def sampler_of(study: StudySpec) -> Sampler:
    return Sampler(*_one_name(study.sampler, "sampler", SAMPLERS))


def pruner_of(study: StudySpec) -> Pruner:
    if isinstance(study.pruner, str):
        return Pruner(study.pruner)
    ((name, options),) = study.pruner.items()
    return Pruner(name, **(options.model_dump() if options else {}))
