"""Starts the tasks of trials: each is a job of its own, composed from the study's spec with the point's values."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from diamond.compose.raw_spec import RawSpec, params_of, trial_spec
from diamond.compose.spec_check import Composed
from diamond.core.artifacts import plain_digest
from diamond.core.errors import Conflict
from diamond.core.order import Order
from diamond.core.protocol import WITH_SHARES
from diamond.core.task import FINAL_WORDS
from diamond.planning.budget import UNASKED_FOLLOW_UPS
from diamond.service.chains.grants import node_hours_at_most
from diamond.service.chains.rows import ChainRow
from diamond.service.composer.compose import Composer, composer_among
from diamond.service.endpoints.community import usable_endpoints
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.images import store as image_store
from diamond.service.jobs.data import repeat_uses, stage_again
from diamond.service.jobs.images import note_image_use
from diamond.service.jobs.submit import add_run_task
from diamond.service.limits.limits import check_limits
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import JsonObject
from diamond.service.projects.store import find_project
from diamond.service.projects.terms import ProjectTerms, terms_from
from diamond.service.studies import store
from diamond.service.studies.packing import Place, StudyPilots
from diamond.service.studies.round import Start
from diamond.service.studies.rows import Inputs, StudyRow, TrialRow
from diamond.service.tasks import job_store
from diamond.service.tasks.create import make_task, new_job
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.store import find_task
from diamond.studies.decisions import TrialQueue, TrialState, choose_queue, slots_at
from diamond.studies.packing import OFF
from diamond.studies.space import task_params

KIND = "trial"


@dataclass
class Launcher:
    """Starts the trials of one round."""

    tx: Transaction
    study: StudyRow
    terms: ProjectTerms
    endpoints: list[EndpointRow]
    load: dict[str, tuple[int, int]]
    """By endpoint: tasks of the study that wait there, and that run."""
    pilots: StudyPilots
    alone: dict[str, int] = field(default_factory=dict)
    """Endpoints where trials are jobs of their own though the study packs, with the most that may be there."""
    _composer: Composer | None = None

    async def start(self, start: Start) -> tuple[TrialRow, str]:
        """The trial as it is now, and its new task."""
        before = await find_task(self.tx.connection, start.after) if start.after else None
        task = await self._continued(start, before) if before else None
        task = task or await self._fresh(start, before)
        await store.add_task(self.tx, task.id, start.trial, start.repeat, start.n)
        waiting, running = self.load.get(task.endpoint_name, (0, 0))
        self.load[task.endpoint_name] = (waiting + 1, running)
        trial = replace(
            start.trial,
            state=TrialState.WAITING.value,
            cause="",
            message="",
            endpoint=task.endpoint_name,
            task=task.id,
        )
        return trial, task.id

    async def _continued(self, start: Start, before: TaskRow) -> TaskRow | None:
        """In the run directory of the task before it, from its checkpoint; None where there is none."""
        endpoint = next((each for each in self.endpoints if each.id == before.endpoint), None)
        job = await job_store.find_job(self.tx.connection, before.job)
        has_files = before.started is not None and not before.cleaned
        if not before.order.resume.pattern or endpoint is None or job is None or not has_files:
            return None
        if before.state not in FINAL_WORDS or endpoint.state != "online":
            return None
        spec = self._spec(start, self._word_of(endpoint))
        pilot = await self._pilot(spec, before.order, endpoint, before.pilot)
        order = replace(before.order, placement=replace(before.order.placement, pilot=pilot))
        share = None if pilot else self._share(endpoint)
        chain = ChainRow(allowed=1 + UNASKED_FOLLOW_UPS, continues=before.id, share=share)
        made = await make_task(
            self.tx,
            job=job,
            endpoint=endpoint,
            order=order,
            retry_of=before.id,
            kind=KIND,
            chain=chain,
            dependencies=await stage_again(self.tx, endpoint, before),
        )
        await repeat_uses(self.tx, before, made)
        used = await image_store.image_used_by(self.tx.connection, before.id)
        await note_image_use(self.tx, made, used or "")
        return made

    async def _fresh(self, start: Start, before: TaskRow | None) -> TaskRow:
        study = self.study
        spec = self._spec(start, self._choose_queue())
        composer = await self._compose_with(spec)
        composed = composer.compose(spec)
        endpoint = composer.endpoint_of(composed)
        self._compare_inputs(composed)
        pilot = await self._pilot(spec, composed.order, endpoint, before.pilot if before else "")
        if pilot:
            placement = replace(composed.order.placement, pilot=pilot)
            composed = replace(composed, order=replace(composed.order, placement=placement))
        else:
            hours = node_hours_at_most(composed.order.resources)
            await check_limits(self.tx, study.owner, study.project, hours)
        job = new_job(composed, study.owner, study.code, study.project)
        await job_store.add_job(self.tx, job)
        return await add_run_task(
            self.tx,
            endpoint,
            job,
            composed,
            kind=KIND,
            terms=self.terms,
            given=spec,
            share=None if pilot else self._share(endpoint),
        )

    def _spec(self, start: Start, on: str) -> RawSpec:
        study = self.study
        params = dict(task_params(study.plan.space, start.trial.params))
        name = f"{study.name} {start.trial.number}"
        if study.plan.repeats > 1:
            params["seed"] = int(params_of(study.spec).get("seed") or 0) + start.repeat
            name = f"{name}.{start.repeat}"
        return trial_spec(study.spec, name=name, params=params, on=on)

    async def _pilot(self, spec: RawSpec, order: Order, endpoint: EndpointRow, before: str) -> str:
        """The task of the one that takes this trial; empty: it is a batch job of its own."""
        place = Place(spec, order, endpoint, self._slots(endpoint), before)
        pilot = await self.pilots.place(place)
        if not pilot and self.study.plan.pack != OFF:
            self.alone[endpoint.name] = self._slots(endpoint)
        return pilot

    def _word_of(self, endpoint: EndpointRow) -> str:
        words = [word for word in self.study.plan.on if word.partition("/")[0] == endpoint.name]
        return words[0] if words else endpoint.name

    def _slots(self, endpoint: EndpointRow) -> int:
        """Its part of the study's slots. One that is offline leaves them to the others."""
        wanted = {word.partition("/")[0] for word in self.study.plan.on}
        online = [
            row.name for row in self.endpoints if row.state == "online" and row.name in wanted
        ]
        return slots_at([*online, endpoint.name], endpoint.name, self.study.plan.parallel)

    def _share(self, endpoint: EndpointRow) -> JsonObject | None:
        """How many of its trials the endpoint may run at the same time by itself."""
        plan = self.study.plan
        if not plan.ahead_minutes:
            return None
        if endpoint.generation and endpoint.protocol < WITH_SHARES:
            raise Conflict(
                f"The agent of {endpoint.name} is too old to hold points ahead: it would start all of them at once",
                f"Upgrade it: diamond endpoint upgrade {endpoint.name}. Or start the study without `ahead`.",
                code="agent-outdated",
            )
        return {"study": self.study.id, "slots": self._slots(endpoint)}

    async def _compose_with(self, spec: dict[str, object]) -> Composer:
        """One for all trials of the round: they differ in their params only."""
        if self._composer is None:
            study = self.study
            self._composer = await composer_among(
                self.tx.connection, study.owner, spec, study.code, self.endpoints, self.terms
            )
        return self._composer

    def _choose_queue(self) -> str:
        online = {row.name: row.state == "online" for row in self.endpoints}
        words = [word for word in self.study.plan.on if word.partition("/")[0] in online]
        if not words:
            names = ", ".join(self.study.plan.on)
            raise Conflict(
                f"None of its endpoints is there any more: {names}", "Start another study."
            )
        places = []
        for word in words:
            name = word.partition("/")[0]
            waiting, running = self.load.get(name, (0, 0))
            if waiting + running < self.alone.get(name, waiting + running + 1):
                places.append(TrialQueue(word, online[name], waiting, running))
        return choose_queue(places) if places else words[0]

    def _compare_inputs(self, composed: Composed) -> None:
        """Results are comparable only if all trials have the same image and data."""
        mine, known = inputs_of(composed.order, composed.endpoint), self.study.inputs
        if not known.endpoint:
            self.study = replace(self.study, inputs=mine)
            return
        warnings = [*self.study.warnings]
        if mine.image != known.image:
            warnings.append(
                f"{mine.endpoint} uses another image than {known.endpoint}: results may differ"
            )
        for name, digest in mine.data.items():
            if known.data.get(name) != digest:
                warnings.append(
                    f"{name} on {mine.endpoint} is not the data that {known.endpoint} uses: results may differ"
                )
        if len(warnings) > len(self.study.warnings):
            self.study = replace(self.study, warnings=tuple(dict.fromkeys(warnings)))


def inputs_of(order: Order, endpoint: str) -> Inputs:
    image = order.image.identity if order.image else ""
    trees = {name: plain_digest(tree.digest) for name, tree in order.trees.items()}
    asked = order.resources
    return Inputs(
        image,
        {**order.data, **trees},
        endpoint,
        node_hours_at_most(asked),
        cores=asked.cpus_per_node,
        memory_mb=asked.memory_mb,
        gpus=asked.gpus_per_node,
    )


async def launcher(
    tx: Transaction, study: StudyRow, load: dict[str, tuple[int, int]], pilots: StudyPilots
) -> Launcher:
    project = await find_project(tx.connection, study.project) if study.project else None
    terms = terms_from(project)
    usable = await usable_endpoints(tx.connection, study.owner)
    return Launcher(tx, study, terms, list(terms.allowed_endpoints(usable)), load, pilots)
