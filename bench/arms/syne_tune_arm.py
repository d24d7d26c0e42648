"""Syne Tune's ASHA on the tabulated trainings: prints the epochs that each seed needs, as JSON. Runs in an environment of its own."""

from __future__ import annotations

import datetime
import json
import sys
from typing import Any

from replay_trials import Point, Table, epochs_until
from syne_tune.backend.trial_status import Trial
from syne_tune.config_space import choice
from syne_tune.optimizer.baselines import ASHA
from syne_tune.optimizer.scheduler import SchedulerDecision


def one_seed(table: Table, target: float, seed: int, workers: int) -> float:
    space = {name: choice(values) for name, values in table.choices().items()}
    scheduler = ASHA(
        space,
        metric="loss",
        time_attr="epoch",
        max_t=81,
        grace_period=1,
        reduction_factor=3,
        random_seed=seed,
    )
    trials: dict[int, Trial] = {}

    def ask() -> tuple[int, Point]:
        number = len(trials)
        config = scheduler.suggest().config
        trials[number] = Trial(number, config, datetime.datetime.now())
        scheduler.on_trial_add(trials[number])
        return number, config

    def report(number: int, epoch: int, loss: float) -> bool:
        result: dict[str, Any] = {"loss": loss, "epoch": epoch}
        return scheduler.on_trial_result(trials[number], result) == SchedulerDecision.CONTINUE

    return epochs_until(table, target, ask, report, workers=workers)


def main() -> None:
    share, workers, seeds = float(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    table = Table()
    target = table.good(share)
    print(json.dumps([one_seed(table, target, seed, workers) for seed in range(seeds)]))


if __name__ == "__main__":
    main()
