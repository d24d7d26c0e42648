"""What a batch system can do, as a site profile states it or as an older profile implies it."""

from __future__ import annotations

import pytest

from diamond.core.batch_systems import (
    PLACEMENT,
    SINGLE_MACHINE,
    BatchAbilities,
    read_abilities,
)

SOME = BatchAbilities(has_queue=True, spans_nodes=False, placement=("partition", "account"))


@pytest.mark.parametrize("able", [BatchAbilities(), SINGLE_MACHINE, SOME])
def test_what_an_adapter_states_is_read_back_whatever_its_name(able: BatchAbilities) -> None:
    for name in ("local", "slurm", "pbs"):
        assert read_abilities({"scheduler": {"name": name, "abilities": able.data()}}) == able


def test_a_profile_from_before_abilities_is_read_by_the_name_of_its_batch_system() -> None:
    assert read_abilities({"scheduler": {"name": "local", "version": "1"}}) == SINGLE_MACHINE
    assert read_abilities({"scheduler": {"name": "slurm"}}) == BatchAbilities()


@pytest.mark.parametrize("facts", [{}, {"scheduler": None}, {"scheduler": "slurm"}])
def test_a_site_that_was_not_probed_counts_as_a_shared_cluster(facts: dict[str, object]) -> None:
    assert read_abilities(facts) == BatchAbilities()


def test_what_a_newer_or_a_broken_agent_states_is_passed_over() -> None:
    stated = {"has_queue": "yes", "flies": True, "spans_nodes": False, "placement": ["qos", "x"]}
    found = read_abilities({"scheduler": {"name": "x", "abilities": stated}})
    assert found == BatchAbilities(spans_nodes=False, placement=("qos",))
    assert not found.has_partitions


def test_a_shared_cluster_understands_every_field_of_a_placement() -> None:
    from diamond.core.order import Placement

    assert all(hasattr(Placement(), name) for name in PLACEMENT)
