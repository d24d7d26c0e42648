"""Points come from Optuna's samplers, and can be asked for again from the rows alone."""

from __future__ import annotations

import random

import pytest

from diamond.core.errors import BadRequest
from diamond.studies.importance import importances
from diamond.studies.optuna_mirror import (
    MirrorTrial,
    OptunaMirror,
    check_sampler,
    dimension_of,
    distribution,
)
from diamond.studies.plan import Objective, Sampler, StudyPlan, plan_from, plan_json
from diamond.studies.space import (
    Dimension,
    check_point,
    grid_size,
    middle_point,
    ordered,
    task_params,
)

SPACE = ordered(
    (
        Dimension("layers", "int", 1, 6, when={"width": (64, 128)}),
        Dimension("lr", "float", 1e-5, 1e-1, log=True),
        Dimension("width", "choice", choices=(32, 64, 128)),
    )
)


def plan(sampler: str = "tpe", **more: object) -> StudyPlan:
    given = {"sampler": Sampler(sampler), "seed": 3, **more}
    return StudyPlan((Objective("accuracy", True),), SPACE, **given)  # type: ignore[arg-type]


def value(params: object) -> float:
    assert isinstance(params, dict)
    return float(params["lr"] * params["width"] + params.get("layers", 0))


@pytest.mark.parametrize("sampler", ["tpe", "random", "nsga2", "cmaes"])
def test_a_copy_rebuilt_from_rows_asks_for_the_same_next_point(sampler: str) -> None:
    asked, whole = plan(sampler), []
    mirror = OptunaMirror(asked)
    for number in range(30):
        point = mirror.ask(SPACE, number)
        whole.append(point)
        ended = MirrorTrial(
            number, point.params, SPACE, False, (value(point.params),), attributes=point.attributes
        )
        mirror.put(ended)
    rebuilt = OptunaMirror(asked)
    for point in whole[:20]:
        rebuilt.put(
            MirrorTrial(
                point.number,
                point.params,
                SPACE,
                False,
                (value(point.params),),
                attributes=point.attributes,
            )
        )
    assert rebuilt.count == 20
    assert rebuilt.ask(SPACE, 20).params == whole[20].params


def test_random_points_depend_on_seed_and_number_alone() -> None:
    mirror, other = OptunaMirror(plan("random")), OptunaMirror(plan("random"))
    points = [mirror.ask(SPACE, number).params for number in range(5)]
    for number in range(4):
        other.put(MirrorTrial(number, {"lr": 0.1, "width": 32}, SPACE, False, ()))
    assert other.ask(SPACE, 4).params == points[4]
    assert len({str(point) for point in points}) == 5


def test_conditions_decide_which_dimensions_a_point_has() -> None:
    mirror = OptunaMirror(plan("random"))
    for number in range(30):
        params = mirror.ask(SPACE, number).params
        assert ("layers" in params) == (params["width"] != 32)
        assert check_point(SPACE, params) == ""


def test_the_sampler_avoids_where_trials_failed() -> None:
    """Failed trials count as pruned without a value: TPE puts them among the bad ones."""
    line = (Dimension("x", "float", 0, 1),)
    mirror = OptunaMirror(StudyPlan((Objective("y", True),), line, seed=1))
    failures = []
    for number in range(80):
        x = float(str(mirror.ask(line, number).params["x"]))
        failures.append(x > 0.5)
        values = () if x > 0.5 else (0.5,)
        mirror.put(MirrorTrial(number, {"x": x}, line, False, values))
    assert sum(failures[40:]) <= 8, "half of all points would fail at random"


def test_a_plan_is_stored_and_read_as_it_was() -> None:
    whole = plan("tpe", on=("a", "b/gpu"), warm_start=("h1",), repeats=2)
    assert plan_from(plan_json(whole) | {"from_the_future": 1}) == whole


def test_a_grid_has_an_end_only_if_each_dimension_has() -> None:
    assert grid_size((Dimension("n", "int", 1, 4), Dimension("c", "choice", choices=(1, 2)))) == 8
    assert grid_size((Dimension("x", "float", 0, 1, step=0.25),)) == 5
    assert grid_size((Dimension("x", "float", 0, 1),)) == 0


def test_a_point_by_hand_must_fit_the_space() -> None:
    assert "lr is 5" in check_point(SPACE, {"lr": 5, "width": 32})
    assert "layers is missing" in check_point(SPACE, {"lr": 0.1, "width": 64})
    assert "only when width is 64 or 128" in check_point(
        SPACE, {"lr": 0.1, "width": 32, "layers": 2}
    )
    assert "deep is not in the space" in check_point(SPACE, {"lr": 0.1, "width": 32, "deep": 1})
    assert task_params(SPACE, {"lr": 0.1, "width": 32})["layers"] is None
    assert check_point(SPACE, middle_point(SPACE)) == ""


def test_conditions_in_a_circle_are_rejected() -> None:
    with pytest.raises(ValueError, match="circle"):
        ordered(
            (
                Dimension("a", "int", 1, 2, when={"b": (1,)}),
                Dimension("b", "int", 1, 2, when={"a": (1,)}),
            )
        )


@pytest.mark.parametrize("dimension", SPACE, ids=lambda each: each.name)
def test_dimensions_go_to_optuna_and_back(dimension: Dimension) -> None:
    back = dimension_of(dimension.name, distribution(dimension))
    assert (back.kind, back.low, back.high, back.log, back.choices) == (
        dimension.kind,
        dimension.low,
        dimension.high,
        dimension.log,
        dimension.choices,
    )


def test_draws_at_random_stay_inside() -> None:
    rng = random.Random(0)
    for dimension in (*SPACE, Dimension("n", "int", 1, 100, log=True)):
        assert all(dimension.contains(dimension.draw(rng)) for _ in range(100))


def test_an_unknown_option_or_a_missing_package_is_named() -> None:
    with pytest.raises(BadRequest, match="no option warm"):
        check_sampler(Sampler("tpe", {"warm": 1}))
    check_sampler(Sampler("tpe", {"n_startup_trials": 5}))


def test_importances_find_the_dimension_that_decides() -> None:
    space = (Dimension("x", "float", 0, 1), Dimension("y", "float", 0, 1))
    mirror = OptunaMirror(StudyPlan((Objective("z", True),), space, sampler=Sampler("random")))
    for number in range(60):
        point = mirror.ask(space, number).params
        x, y = float(str(point["x"])), float(str(point["y"]))
        mirror.put(MirrorTrial(number, point, space, False, (x * x + y / 100,)))
    shares = importances(mirror.study, 0, "ped-anova")
    assert shares["x"] > 0.8 and sum(shares.values()) == pytest.approx(1)
