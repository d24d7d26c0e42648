from __future__ import annotations

from typing import Any

import pytest

from diamond.core.errors import BadRequest
from diamond.service.output.curves import Curve
from diamond.service.output.metric_summary import MOST_NAMES, curve_summary, with_values
from diamond.service.platform.packed_metrics import Unpacker, pack_metrics, unpack_metrics
from diamond.service.runs.columns import column, less_is_better
from diamond.service.runs.filters import parse_filter
from diamond.service.runs.rows import RunRow
from diamond.service.runs.table import (
    MOST_GROUPS_SHOWN,
    as_csv,
    chosen,
    groups,
    read_request,
)


def run(name: str, **changes: Any) -> RunRow:
    values: dict[str, Any] = {
        "id": name,
        "source": "diamond",
        "name": name,
        "state": "succeeded",
        "reason": "",
        "exit_code": 0,
        "endpoint": "alpha",
        "owner": "ada",
        "project": "",
        "created": 100.0,
        "started": 110.0,
        "ended": 170.0,
        "node_seconds": 120.0,
        "retry_of": "",
        "tags": [],
        "facts": {},
        "metrics": {},
    }
    values |= changes
    values["metrics"] = Unpacker().read(pack_metrics(values["metrics"]))
    return RunRow(**values)


def with_params(name: str, **params: Any) -> RunRow:
    return run(name, facts={"params": params})


def names(runs: list[RunRow]) -> list[str]:
    return [each.name for each in runs]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("duration", 60.0),
        ("wait", 10.0),
        ("node_hours", 0.033333),
        ("param.lr", 0.1),
        ("param.sizes", "64, 32"),
        ("param.absent", None),
        ("metric.val/loss", 0.5),
        ("min.val/loss", 0.25),
        ("max.val/loss", 2.0),
        ("best.val/loss", 0.25),
        ("best.acc", 0.9),
        ("step.val/loss", 7),
        ("data.era5", "era5@v2"),
        ("tag.good", True),
        ("tag.bad", False),
    ],
)
def test_a_column_reads_its_value(name: str, value: object) -> None:
    facts = {"params": {"lr": 0.1, "sizes": [64, 32]}, "data": {"era5": "era5@v2"}}
    metrics = {"val/loss": [0.5, 0.25, 2.0, 7], "acc": [0.8, 0.1, 0.9, 7]}
    assert column(name).read(run("a", facts=facts, metrics=metrics, tags=["good"])) == value


def test_an_unknown_column_names_those_that_there_are() -> None:
    with pytest.raises(BadRequest) as error:
        column("lr")
    assert "param.…" in error.value.hint and "node_hours" in error.value.hint


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("param.lr>0.01", ["a"]),
        ("param.lr >= 0.01", ["a", "b"]),
        ("param.lr=0.010", ["b"]),
        ("param.lr!=0.1", ["b", "c"]),
        ("param.lr?", ["a", "b"]),
        ("name~A", ["a"]),
        ("name!~a", ["b", "c"]),
        ("state=succeeded", ["a", "b", "c"]),
        ("metric.loss<1", []),
    ],
)
def test_a_filter_keeps_what_it_says(text: str, kept: list[str]) -> None:
    runs = [with_params("a", lr=0.1), with_params("b", lr=0.01), run("c")]
    assert names(chosen(runs, read_request([], [text], [], []))) == kept


def test_a_name_with_a_sign_stands_in_quotes() -> None:
    runs = [run("a", facts={"params": {"x=y": 3}}), run("b")]
    assert [each.name for each in runs if parse_filter('"param.x=y"=3').holds(each)] == ["a"]


@pytest.mark.parametrize("text", ["", "nonsense", "param.lr>fast", "metric.loss?1", "=3", "lr=1"])
def test_a_filter_that_says_nothing_is_rejected(text: str) -> None:
    with pytest.raises(BadRequest):
        parse_filter(text)


@pytest.mark.parametrize(
    ("sort", "order"),
    [("param.x", ["c", "b", "a", "d"]), ("-param.x", ["a", "b", "c", "d"])],
)
def test_numbers_come_before_texts_and_runs_without_a_value_come_last(
    sort: str, order: list[str]
) -> None:
    runs = [run("d"), with_params("a", x="large"), with_params("b", x=10), with_params("c", x=9)]
    assert names(chosen(runs, read_request([], [], [sort], []))) == order


def test_a_diverged_run_never_sorts_as_the_best() -> None:
    runs = [
        run("nan", metrics={"loss": [None, 0.1, 5.0, 3]}),
        run("ok", metrics={"loss": [0.4] * 4}),
    ]
    assert names(chosen(runs, read_request([], [], ["metric.loss"], []))) == ["ok", "nan"]


def test_groups_have_mean_and_spread_of_each_column() -> None:
    runs = [
        run(f"{model}{n}", facts={"params": {"model": model}}, metrics={"acc": [value] * 4})
        for model, values in {"cnn": (0.5, 0.7), "mlp": (0.4,)}.items()
        for n, value in enumerate(values)
    ]
    (cnn, mlp), count = groups(runs, read_request(["metric.acc", "name"], [], [], ["param.model"]))
    assert count == 2
    assert cnn.by == ["cnn"] and cnn.count == 2 and cnn.runs == ["cnn0", "cnn1"]
    acc = cnn.columns[0]
    assert acc is not None
    assert acc.mean == pytest.approx(0.6) and acc.spread == pytest.approx(0.1414214)
    assert cnn.columns[1] is None
    assert mlp.columns[0] is not None and mlp.columns[0].spread is None


def test_of_very_many_groups_the_first_are_shown_and_all_are_counted() -> None:
    runs = [run(f"r{n}", facts={"params": {"x": n}}) for n in range(MOST_GROUPS_SHOWN + 5)]
    shown, count = groups(runs, read_request(["name"], [], [], ["param.x"]))
    assert len(shown) == MOST_GROUPS_SHOWN
    assert count == MOST_GROUPS_SHOWN + 5


def test_a_formula_in_a_csv_is_only_text() -> None:
    runs = [run("=HYPERLINK(1)", facts={"params": {"@x": "+1"}})]
    asked = read_request(["name", "param.@x", "exit_code"], [], [], [])
    assert as_csv(runs, asked.columns).splitlines() == [
        "name,param.@x,exit_code",
        "'=HYPERLINK(1),'+1,0",
    ]


def test_too_many_columns_are_rejected() -> None:
    with pytest.raises(BadRequest, match="101 columns"):
        read_request([f"param.p{n}" for n in range(101)], [], [], [])


@pytest.mark.parametrize(
    ("metric", "less"),
    [
        ("val/loss", True),
        ("rmse", True),
        ("acc", False),
        ("time_to_first", True),
        ("reward", False),
    ],
)
def test_the_best_of_a_loss_is_the_lowest(metric: str, less: bool) -> None:
    assert less_is_better(metric) is less


def test_a_summary_follows_the_points_of_a_metric() -> None:
    first = with_values({}, {"loss": [(1, 0.5), (2, 0.25)]})
    assert first == {"loss": (0.25, 0.25, 0.5, 2)}
    assert with_values(first, {"loss": [(3, None)]}) == {"loss": (None, 0.25, 0.5, 3)}
    assert with_values(first, {"acc": []}) == first


def test_a_summary_has_a_limit_of_names() -> None:
    many = with_values({}, {f"m{n}": [(1, 1.0)] for n in range(MOST_NAMES + 5)})
    assert len(many) == MOST_NAMES
    assert with_values(many, {"m0": [(2, 3.0)]})["m0"] == (3.0, 1.0, 3.0, 2)


def test_packed_metrics_come_back_as_they_were() -> None:
    entries = {"val/loss": (0.5, 0.25, 2.0, 7.0), "ünï\n": (None, 1e-300, 1e300, None)}
    assert unpack_metrics(pack_metrics(entries)) == entries
    assert unpack_metrics(b"") == {} == unpack_metrics(None)


def test_a_summary_of_stored_curves_equals_one_that_was_kept_along() -> None:
    points = [(1.0, 0.5), (2.0, None), (3.0, 0.1)]
    curve = Curve()
    curve.add((step, None, value) for step, value in points)
    assert curve_summary([("loss", curve)]) == with_values({}, {"loss": points})
