"""What a trial of a tuning study has measured: its throughput, and whether its loss keeps up with the spec as written."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from diamond.planning.probe_runs import ProbeState, judge_probe
from diamond.studies.plan import Tune
from diamond.studies.pruning import Steps
from diamond.studies.space import Value
from diamond.studies.values import LoggedPoint

LAST_PART = 0.2
"""Of the values up to the point where losses are compared: one value alone is noise."""


MOST_SAMPLES = 1 << 40
"""A spec that somebody wrote may name any param and any number."""


@dataclass(frozen=True)
class Tuned:
    """So far."""

    losses: Steps = ()
    """(samples, loss)."""
    throughput: float | None = None
    """Samples a second, once enough was measured."""
    refused: str = ""
    """Why it does not count."""

    @property
    def has_enough(self) -> bool:
        return self.throughput is not None or bool(self.refused)


def measured(
    tune: Tune,
    params: Mapping[str, Value],
    points: Sequence[LoggedPoint],
    written: Steps | None,
    *,
    has_ended: bool,
) -> Tuned:
    """`written`: the losses of the spec as written; None for itself. Losses are compared after equally many samples."""
    per_step = float(min(tune.samples_each, MOST_SAMPLES) * _batch(params.get(tune.batch)))
    losses = _by_samples(points, per_step)
    if points and math.isnan(points[-1][2]):
        return Tuned(losses, refused=f"{tune.metric} is not a finite number")
    verdict = judge_probe(
        [(step, at) for step, at, _ in points if step == step and at == at],
        tune.steps,
        has_ended=has_ended,
        why="",
    )
    seconds = verdict.measured.step_seconds
    wanted = written[-1][0] if written else 0.0
    is_far = bool(losses) and losses[-1][0] >= wanted
    if verdict.state is not ProbeState.MEASURED or not seconds or not (is_far or has_ended):
        return Tuned(losses)
    if written and not is_far:
        return Tuned(
            losses, refused=f"it ended after {losses[-1][0]:.0f} samples, before {wanted:.0f}"
        )
    return Tuned(losses, per_step / seconds, _worse(tune, losses, written))


def _batch(value: Value | None) -> int:
    """1 unless the param can be a number of samples."""
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MOST_SAMPLES
    return int(value) if is_count and value is not None else 1


def _worse(tune: Tune, losses: Steps, written: Steps | None) -> str:
    if not written:
        return ""
    most = _loss_at(written, written[-1][0])
    most += abs(most) * tune.within
    mine = _loss_at(losses, written[-1][0])
    if mine <= most:
        return ""
    return f"{tune.metric} {mine:.4g} after {written[-1][0]:.0f} samples; at most {most:.4g} is allowed"


def _loss_at(losses: Steps, samples: float) -> float:
    before = [loss for at, loss in losses if at <= samples] or [losses[0][1]]
    last = before[-max(1, math.ceil(LAST_PART * len(before))) :]
    return sum(last) / len(last)


def _by_samples(points: Sequence[LoggedPoint], per_step: float) -> Steps:
    """Samples that were trained before each value; programs count their steps from 0 or 1."""
    known = [(step, value) for step, _, value in points if step == step and value == value]
    if not known:
        return ()
    first = known[0][0]
    table = {(step - first + 1) * per_step: value for step, value in known}
    return tuple(sorted(table.items()))
