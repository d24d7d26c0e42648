"""What probe runs told, in the lines that a person reads."""

from __future__ import annotations

from typing import Any

from diamond.cli.scale_format import scale_lines


def probe(label: str, throughput: float, samples: float = 64.0, **params: Any) -> dict[str, Any]:
    changed = ", ".join(f"{name} -> {value}" for name, value in params.items())
    measured = {"step_seconds": samples / throughput, "throughput": throughput, "efficiency": None}
    told = {"samples_per_step": samples, "params": params, "changed": changed, "words": ""}
    return {"label": label, "state": "measured", "task": "t1", "steps": 30, **measured, **told}


def tuned(*probes: dict[str, Any]) -> list[str]:
    base = probes[0]["throughput"]
    gains = [
        {"change": one["label"], "helps": one["throughput"] > base, "words": one["label"]}
        for one in probes[1:]
    ]
    scale = {
        "name": "net",
        "id": "s1",
        "kind": "tune",
        "state": "done",
        "endpoint": "local",
        "partition": "",
        "node_hours_at_most": 1.0,
        "notes": [],
        "unit": "samples",
        "probes": list(probes),
        "gains": gains,
        "advice": None,
        "message": "",
        "goal": "soonest",
    }
    return list(scale_lines(scale))


def test_settings_that_help_are_written_as_the_spec_has_them() -> None:
    lines = tuned(
        probe("as written", 19320.7),
        probe("amp=True", 40000, amp=True),
        probe("num_workers=2", 25000, num_workers=2),
    )
    assert lines[-2:] == ["Use it: params: {amp: true}", "Use it: params: {num_workers: 2}"]


def test_a_larger_batch_is_left_to_the_person() -> None:
    lines = tuned(probe("as written", 100), probe("batch_size=64", 300, 256.0, batch_size=64))
    assert (
        lines[-1] == "A larger batch changes the training: use it only if the model learns as well."
    )
    assert not any("Use it" in line for line in lines)


def test_where_nothing_helps_that_is_said() -> None:
    lines = tuned(probe("as written", 100), probe("precision=bf16", 50, precision="bf16"))
    assert lines[-1] == "None of these helps: keep the spec as it is."


def test_speeds_are_plain_numbers_and_settings_have_no_efficiency() -> None:
    lines = tuned(probe("as written", 19320.7))
    assert lines[1].split() == ["s/step", "samples/s"]
    assert lines[2].split() == ["as", "written", "0.003313", "19321"]
