"""Tune before train: a study over what makes a spec faster, on one node, that gives up whatever costs too much loss."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from diamond.compose.raw_spec import RawSpec, params_of, probe_variant
from diamond.core.errors import InvalidSpec
from diamond.planning.param_changes import batch_names
from diamond.planning.tune_space import as_written, tuning_space, untuned
from diamond.service.access.authorize import Action, require
from diamond.service.access.principal import Principal
from diamond.service.composer.compose import resolve
from diamond.service.composer.request import RequestedSpec, read_request
from diamond.service.planning.scale_probes import ranks_of
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.idempotency import Once, once_as
from diamond.service.platform.services import Services
from diamond.service.platform.wakeups.notifier import STUDIES
from diamond.service.studies import store
from diamond.service.studies.advance import new_trial
from diamond.service.studies.rows import ADDED, Counts
from diamond.service.studies.schemas import Study, TuneRequest
from diamond.service.studies.start import new_study
from diamond.service.studies.views import show_study
from diamond.studies.optuna_mirror import Asked

THROUGHPUT = "throughput"
RANDOM_FIRST = 5
"""Trials before the sampler learns: there are few of them."""


async def start_tuning(
    services: Services, principal: Principal, body: TuneRequest, key: str | None
) -> Study:
    """The first trial is the spec as written: all others are measured against it."""
    require(principal, Action.WRITE, owner=principal.user)
    requested = await read_request(services, principal, body, project=body.project)
    if requested.spec.get("study"):
        raise InvalidSpec("This spec has a `study:` block", "Leave it out: tuning makes its own.")

    async def make(tx: Transaction) -> Study:
        composer = await resolve(tx.connection, principal, requested, body.project)
        short = probe_variant(requested.spec, nodes=1, minutes=body.minutes)
        order = composer.compose(short).order
        params = params_of(requested.spec)
        names = batch_names(params, body.batch_param, body.accumulate_param)
        space = tuning_space(params, names, cpus=order.resources.cpus_per_task)
        batches = int(params.get(names.accumulate) or 1) * ranks_of(order, short)
        block = _block(body, space, names.batch, batches)
        spec: RawSpec = {**short, "name": f"{short.get('name') or 'run'}-tune", "study": block}
        row = await new_study(
            tx.connection, principal, RequestedSpec(spec, requested.code), body.project
        )
        notes = tuple(untuned(params, names))
        row = replace(
            row, asked=1, open=1, counts=Counts(waiting=1), warnings=(*row.warnings, *notes)
        )
        await store.add_study(tx, row)
        point = Asked(0, as_written(params, space), {})
        await store.add_trials(
            tx, [replace(new_trial(row, point, time.time(), ADDED), revision=row.version)]
        )
        tx.wake(STUDIES)
        await publish(tx, row.owner, [changed("studies")])
        return show_study(row, [])

    asked = {**body.model_dump(exclude={"spec", "code"}), **requested.as_data()}
    once = Once.of(key, "POST /studies/tune", asked)
    return await once_as(Study, services.store, principal, once, make)


def _block(body: TuneRequest, space: dict[str, Any], batch: str, batches: int) -> dict[str, Any]:
    """As it would be written by hand."""
    return {
        "objective": {THROUGHPUT: "maximize"},
        "space": space,
        "sampler": {"tpe": {"n_startup_trials": RANDOM_FIRST}},
        "trials": body.trials,
        "parallel": 1,
        "tune": {
            "metric": body.metric,
            "within": body.within,
            "steps": body.steps,
            "batch": batch,
            "samples_each": batches,
        },
    }
