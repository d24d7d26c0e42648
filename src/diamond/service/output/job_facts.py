"""What jobs note for their record: machine, libraries, seeds. Read from a stream, bounded, decoded by type."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from diamond.core.facts import MOST_BYTES, JobFacts, NamedResult, Suggested, merge, read_facts
from diamond.provenance import entries as kinds
from diamond.provenance.bodies import FactsSeen, Gpu
from diamond.provenance.entries import Draft, canonical, digest
from diamond.provenance.public import public, without_secrets
from diamond.service.entries.store import put_texts
from diamond.service.output.rows import LogStreamRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.tasks.rows import TaskRow


@dataclass(frozen=True)
class TakenFacts:
    partial: bytes
    """The beginning of the next line."""
    drafts: list[Draft] = field(default_factory=list)
    """For the record of the task."""
    results: list[NamedResult] = field(default_factory=list)
    suggested: list[Suggested] = field(default_factory=list)


async def take_facts(
    tx: Transaction, task: TaskRow, stream: LogStreamRow, data: bytes
) -> TakenFacts:
    """One entry for all whole lines that have come; the caller adds it to the record. Beyond the bound all is dropped."""
    if stream.size + len(data) > MOST_BYTES:
        return TakenFacts(b"")
    whole, _, partial = (bytes(stream.partial) + data).rpartition(b"\n")
    seen = [facts for line in whole.splitlines() if (facts := read_facts(line)) is not None]
    if not seen:
        return TakenFacts(partial)
    facts = merge(seen)
    drafts: list[Draft] = []
    if replace(facts, results=[], suggested=[]) != JobFacts():
        packages = canonical(facts.packages) if facts.packages else ""
        if packages:
            await put_texts(tx, task.owner, [(digest(packages), packages)])
        drafts = [_draft(stream, facts, digest(packages) if packages else "")]
    return TakenFacts(partial, drafts, facts.results, facts.suggested)


def _draft(stream: LogStreamRow, facts: JobFacts, packages: str) -> Draft:
    body = FactsSeen(
        attempt=stream.attempt,
        run=stream.run,
        cpu=facts.cpu,
        cores=facts.cores,
        memory_mb=facts.memory_mb,
        gpus=[Gpu(gpu.name, gpu.memory_mb) for gpu in facts.gpus],
        driver=facts.driver,
        cuda=facts.cuda,
        kernel=facts.kernel,
        system=facts.system,
        architecture=facts.architecture,
        python=facts.python,
        libraries=public(without_secrets(facts.libraries)),
        packages=packages,
        seeds=without_secrets(facts.seeds),
        settings=without_secrets(facts.settings),
    )
    sealed = {"host": facts.host, "nodes": facts.nodes}
    if facts.inputs:
        sealed["inputs"] = without_secrets(facts.inputs)
    return Draft(kinds.FACTS, time.time(), body, sealed)
