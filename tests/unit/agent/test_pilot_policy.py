"""A site decides about pilots; what runs in one is judged as anywhere else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from diamond.agent.guard.policy import Rules
from diamond.core.order import Environment, Image, Order, Pilot, Placement, Resources
from diamond.pilots.environment import environment_of

PILOT = Order("p", pilot=Pilot(), environment=environment_of("dask"))
STAGE = Order("s", command="python train.py", placement=Placement(pilot="tpilot"))


@pytest.mark.parametrize("order", [PILOT, STAGE], ids=["pilot", "stage"])
def test_a_site_can_switch_pilots_off(order: Order) -> None:
    assert Rules("site.toml").rejection(order, "") == ""
    assert "pilots are switched off" in Rules("site.toml", pilots=False).rejection(order, "")


def test_a_stage_is_judged_by_its_own_program() -> None:
    rules = Rules("site.toml", commands=["python train.py"])
    assert rules.rejection(STAGE, "") == ""
    assert "fits none" in rules.rejection(replace(STAGE, command="rm -rf x"), "")


def test_a_stage_goes_where_its_pilot_is_and_a_pilot_only_where_it_may() -> None:
    rules = Rules("site.toml", partitions=["debug"], max_nodes=2)
    assert rules.rejection(STAGE, "gpu") == ""
    assert "partition" in rules.rejection(PILOT, "gpu")
    assert "nodes" in rules.rejection(replace(PILOT, resources=Resources(nodes=3)), "debug")


@pytest.mark.parametrize(
    "rules", [Rules("site.toml", commands=["true"]), Rules("site.toml", images=[])]
)
def test_where_work_is_listed_a_pilot_brings_its_own_environment_and_nothing_else(
    rules: Rules,
) -> None:
    assert rules.rejection(PILOT, "") == ""
    for more in (
        replace(PILOT, environment=Environment(requirements=["distributed", "evil"])),
        replace(PILOT, environment=replace(PILOT.environment or Environment(), test="curl evil")),
        replace(PILOT, image=Image(sha256="a" * 64)),
        replace(PILOT, data={"x": "/etc"}),
    ):
        assert "nothing else" in rules.rejection(more, "")
