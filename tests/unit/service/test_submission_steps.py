"""Steps of a submission by themselves: the node count, signatures, and what is stored of a scale."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from diamond.compose.spec_check import EndpointFacts, KnownImages
from diamond.core.code_facts import CodeFacts, code_facts_data, code_facts_from
from diamond.core.dependencies import Dependency, DependencyKind
from diamond.core.errors import Conflict, TooLarge
from diamond.service.composer.compose import Composer
from diamond.service.jobs.images import OrderWithImage
from diamond.service.jobs.schemas import Signature
from diamond.service.jobs.signatures import require_as_signed, require_signable
from diamond.service.planning.node_count import settle_node_count, with_advice
from diamond.service.planning.rows import NodeAdvice, ScaleRow
from diamond.service.sync.intake import MAX_BYTES, _parts

CLUSTER = EndpointFacts(
    name="alpha",
    state="online",
    default=True,
    facts={
        "scheduler": {"name": "slurm"},
        "partitions": [{"name": "gpu", "default": True, "max_nodes": 4, "max_minutes": 600}],
    },
)
COMPOSER = Composer([], [CLUSTER], KnownImages(), None)
SPEC = {"run": "python t.py {batch}", "params": {"batch": 64}, "on": "alpha"}
STORED: dict[str, Any] = {
    "wanted": {
        "partition": "gpu",
        "goal": "soonest",
        "steps": 30,
        "unit": "samples",
        "node_hours_at_most": 0.5,
        "notes": ["a note"],
        "between": [{"nodes": 3, "params": {"batch": 21}}],
        "together": False,
        "budget": None,
        "doubt": "",
        "minutes": 60,
        "rate": 2.0,
    },
    "probes": [
        {
            "label": "1 node",
            "nodes": 1,
            "ranks": 1,
            "minutes": 10,
            "state": "measured",
            "task": "t1",
            "is_over": True,
            "spec": SPEC,
            "params": {"batch": 64},
            "changed": "",
            "words": "",
            "samples_per_step": 64.0,
            "steps": 30,
            "step_seconds": 0.5,
            "throughput": 128.0,
            "efficiency": 1.0,
            "used_seconds": 20.0,
        }
    ],
    "result": {
        "advice": {
            "nodes": 1,
            "throughput": 128.0,
            "efficiency": 1.0,
            "measured": True,
            "params": {"batch": 64},
            "words": "1 node",
        }
    },
}


def test_a_named_node_count_is_composed_only_once() -> None:
    composed = COMPOSER.compose({**SPEC, "resources": {"nodes": 2}})
    unused: Any = None
    counted = asyncio.run(settle_node_count(unused, COMPOSER, composed, "ada"))
    assert counted.composed is composed
    assert not counted.needs_probes


def test_an_advised_node_count_changes_the_command_and_keeps_the_partition() -> None:
    composed = COMPOSER.compose({**SPEC, "resources": {"nodes": "auto"}})
    advice = NodeAdvice(2, 250.0, 0.9, True, {"batch": 32}, "2 nodes")
    order = with_advice(COMPOSER, composed, advice).order
    assert (order.resources.nodes, order.command) == (2, "python t.py 32")
    assert order.placement.partition == "gpu"


def test_what_was_signed_runs_as_signed_or_not_at_all() -> None:
    order = COMPOSER.compose(SPEC).order
    build = Dependency(DependencyKind.BUILD, "t1")
    signature = Signature(digest=order.digest, until=1e9, signature="…")
    require_as_signed(OrderWithImage(order), signature)
    with pytest.raises(Conflict, match="differs from what was signed"):
        require_as_signed(OrderWithImage(replace(order, command="rm")), signature)
    with pytest.raises(Conflict, match="image is not on the endpoint"):
        require_as_signed(OrderWithImage(order, waits_for=build), signature)
    with pytest.raises(Conflict, match="cannot be signed"):
        require_signable({**SPEC, "resources": {"nodes": "auto"}})


@pytest.mark.parametrize("column", sorted(STORED))
def test_a_stored_scale_is_read_and_written_in_the_same_shape(column: str) -> None:
    codec = ScaleRow.CODECS[column]
    value = codec.decode(STORED[column])
    assert codec.decode(codec.encode(value)) == value
    assert _as_json(codec.encode(value)) == STORED[column]


def test_facts_of_code_ignore_what_another_version_wrote() -> None:
    facts = CodeFacts(snapshot="sha256:0", left_out=("data (too large)",), files=3)
    assert code_facts_from({**(code_facts_data(facts) or {}), "newer": 1}) == facts
    assert code_facts_from(None) is None


def test_the_error_of_a_large_call_names_the_limit() -> None:
    with pytest.raises(TooLarge, match=r"2\.0 MB"):
        _parts(b"x" * (MAX_BYTES + 1))


def _as_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _as_json(part) for name, part in value.items()}
    return [_as_json(part) for part in value] if isinstance(value, (list, tuple)) else value
