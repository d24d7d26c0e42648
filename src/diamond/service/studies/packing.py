"""The pilots of a study: trials that are short or small share their allocations. What is packed is decided in `studies/packing.py`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.compose.allocation_spec import AllocationSpec, with_shared
from diamond.compose.allocations import read_allocation
from diamond.compose.faults import Faults
from diamond.compose.raw_spec import RawSpec
from diamond.compose.site import machine_limits, partition_named
from diamond.core.order import Order, Resources
from diamond.core.protocol import WITH_PILOTS
from diamond.core.task import State
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.images.image_requests import endpoint_facts
from diamond.service.people.absent import owner_of
from diamond.service.pilots import store as pilot_store
from diamond.service.pilots.rows import Held
from diamond.service.pilots.start import add_pilot, prepare_pilot
from diamond.service.pilots.stop import close_pilot
from diamond.service.platform.database.engine import Transaction
from diamond.service.studies.rows import PilotFacts, StudyRow, TrialTask
from diamond.studies.decisions import NOT_ITS_OWN
from diamond.studies.packing import OFF, Shared, Site, allocation, slots_in, together

ENGINE = "direct"
"""It needs nothing installed, and its first trial begins within a second. Trials stay on one node each."""
IDLE_SECONDS = 120
NO_LONGER = "its study: no trial needs it any more"


@dataclass(frozen=True)
class Place:
    """Where a trial is to run, and what it needs there."""

    spec: RawSpec
    order: Order
    endpoint: EndpointRow
    share: int
    """Of the study's slots, those of this endpoint."""
    before: str = ""
    """The pilot in which it ran before."""

    @property
    def resources(self) -> Resources:
        return self.order.resources

    @property
    def partition(self) -> str:
        """The site's default, where the spec names none."""
        return self.order.placement.partition


@dataclass
class StudyPilots:
    """Those of one transaction."""

    tx: Transaction
    study: StudyRow
    held: list[Held]
    inside: dict[str, int]
    """By pilot: tasks of the study that have not ended."""
    lasted: Sequence[float]
    """Seconds of trials that have ended."""
    left: int
    """Trials that are still to end."""
    _facts: dict[str, Site] = field(default_factory=dict)

    async def place(self, place: Place) -> str:
        """The task of the pilot that takes it; empty: it is a batch job of its own. Raises a `DiamondError` if none can be started."""
        if self.study.plan.pack == OFF:
            return ""
        chosen = self._with_room(place) or await self._started(place) or self._least_full(place)
        if chosen is None:
            return ""
        self.inside[chosen.task.id] = self.inside.get(chosen.task.id, 0) + 1
        return chosen.task.id

    async def release(self, *, is_over: bool) -> None:
        """Close those that no trial needs any more; all of them once the study is over."""
        for held in self.held:
            if held.is_open and (is_over or not self.inside.get(held.task.id)):
                await close_pilot(self.tx, held, by=NO_LONGER)

    def packs(self, place: Place) -> bool:
        return bool(self._here(place)) or self._together(place) > 1

    def _here(self, place: Place) -> list[Held]:
        return [
            held
            for held in self.held
            if held.is_open
            and held.task.endpoint == place.endpoint.id
            and slots_in(held.task.resources, place.resources)
        ]

    def _with_room(self, place: Place) -> Held | None:
        free = [held for held in self._here(place) if self._fullness(held, place) < 1]
        back = [held for held in free if held.task.id == place.before]
        return min(back or free, key=lambda held: self._fullness(held, place), default=None)

    def _least_full(self, place: Place) -> Held | None:
        """What is more than its slots waits there."""
        here = self._here(place)
        return min(here, key=lambda held: self._fullness(held, place), default=None)

    def _fullness(self, held: Held, place: Place) -> float:
        return self.inside.get(held.task.id, 0) / slots_in(held.task.resources, place.resources)

    async def _started(self, place: Place) -> Held | None:
        here = self._here(place)
        slots = sum(slots_in(held.task.resources, place.resources) for held in here)
        wanted = min(self._together(place), place.share - slots)
        if wanted < 1 or (wanted < 2 and not here):
            return None
        shared = allocation(
            min(wanted, max(2, self.left)),
            place.resources,
            self._site(place),
            lasted=self.lasted,
            left=self.left,
        )
        tx, study = self.tx, self.study
        prepared = await prepare_pilot(
            tx.connection,
            await owner_of(tx, study.owner),
            _asked(place, shared),
            study.name,
            study.project,
            engine=ENGINE,
        )
        task = await add_pilot(tx, study.owner, prepared, made_for=study.id)
        held = (await pilot_store.pilots_by_id(tx.connection, [task.id]))[task.id]
        self.held.insert(0, held)
        return held

    def _together(self, place: Place) -> int:
        plan = self.study.plan
        return together(
            plan.pack,
            place.resources,
            self._site(place),
            parallel=place.share,
            lasted=self.lasted,
        )

    def _site(self, place: Place) -> Site:
        key = f"{place.endpoint.id}/{place.partition}"
        if key not in self._facts:
            self._facts[key] = site_of(place.endpoint, place.partition, place.resources)
        return self._facts[key]


async def study_pilots(
    tx: Transaction,
    study: StudyRow,
    *,
    inside: Mapping[str, int],
    lasted: Sequence[float] = (),
    left: int = 0,
) -> StudyPilots:
    held = []
    if study.plan.pack != OFF:
        held = await pilot_store.pilots_made_for(tx.connection, study.id, study.owner)
    return StudyPilots(tx, study, held, dict(inside), lasted, left)


async def pilot_facts(
    connection: AsyncConnection, study: StudyRow, pilots: Collection[str]
) -> dict[str, PilotFacts]:
    """Of pilots in which trials run or have just ended."""
    held = await pilot_store.pilots_by_id(connection, pilots)
    return {name: _facts_of(each, study.inputs.trial) for name, each in held.items()}


def site_of(endpoint: EndpointRow, partition: str, trial: Resources) -> Site:
    facts = endpoint_facts(endpoint, "").facts
    limits = (partition_named(facts, partition) if partition else None) or machine_limits(facts)
    gpus = limits.get("gpus_per_node") or {}
    allows = facts.get("pilots") is not False and not endpoint.policy.require_signed
    return Site(
        cores=int(limits.get("cpus_per_node") or 0),
        memory_mb=int(limits.get("memory_mb_per_node") or 0),
        gpus=int(gpus.get(trial.gpu_type, 0) if trial.gpu_type else sum(gpus.values())),
        most_nodes=int(limits.get("max_nodes") or limits.get("nodes_total") or 0),
        most_minutes=int(limits.get("max_minutes") or 0),
        most_jobs=limits.get("submit_limit"),
        whole_nodes=bool(limits.get("whole_nodes")),
        allows_pilots=allows and (not endpoint.generation or endpoint.protocol >= WITH_PILOTS),
    )


def count_inside(tasks: Sequence[TrialTask]) -> dict[str, int]:
    """Open tasks by pilot."""
    inside: dict[str, int] = {}
    for task in tasks:
        if task.pilot and not task.has_ended:
            inside[task.pilot] = inside.get(task.pilot, 0) + 1
    return inside


def _facts_of(held: Held, trial: Resources) -> PilotFacts:
    has = held.task.resources
    slots = slots_in(has, trial)
    return PilotFacts(max(1, slots // has.nodes), slots if held.is_open else 0, _failure(held))


def _failure(held: Held) -> str:
    """Not of one whose allocation ended before its work did: the next one is started without a question."""
    task = held.task
    if task.state != State.FAILED.value or task.reason in NOT_ITS_OWN:
        return ""
    return task.message or task.reason


def _asked(place: Place, shared: Shared) -> AllocationSpec:
    """Where and by whom it is paid is what the spec says of its trials."""
    trial = place.resources
    given: dict[str, object] = {
        "nodes": shared.nodes,
        "walltime": f"{shared.minutes}m",
        "cpus_per_node": shared.each * trial.cpus_per_node,
        "gpus_per_node": shared.each * trial.gpus_per_node,
        "gpu_type": trial.gpu_type,
        "idle": f"{IDLE_SECONDS}s",
    }
    if trial.memory_mb:
        given["memory"] = f"{shared.each * trial.memory_mb}MB"
    placed = {name: value for name, value in place.spec.items() if name != "budget"}
    faults = Faults()
    asked = read_allocation(with_shared(given, placed), "study.pack", faults)
    faults.raise_if_any()
    assert asked is not None
    return asked
