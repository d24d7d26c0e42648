"""Why two runs may have come out differently: what differs between their records, the most telling first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from diamond.provenance.bodies import FactsSeen
from diamond.provenance.record import Record

SHOWN = 5


@dataclass(frozen=True)
class Cause:
    kind: str
    """data, code, params, seed, image, library, launch, settings, hardware or nondeterminism."""
    text: str
    details: tuple[str, ...] = ()


@dataclass(frozen=True)
class Witness:
    """One run, as far as its record and what is on its machine tell."""

    record: Record
    inputs: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Digests of the files of each input by its name, where they were hashed."""
    packages: Mapping[str, str] = field(default_factory=dict)
    """Of its image or environment, with versions."""


def causes(first: Witness, second: Witness) -> list[Cause]:
    """Never empty: where the records agree in everything, only chance is left."""
    looks: Sequence[Callable[[Witness, Witness], Cause | None]] = (
        _data,
        _code,
        _params,
        _seed,
        _image,
        _library,
        _launch,
        _settings,
        _hardware,
    )
    named = [cause for look in looks if (cause := look(first, second)) is not None]
    return named or [_chance(first, second)]


def _data(first: Witness, second: Witness) -> Cause | None:
    changed = _changed_inputs(first, second)
    if changed:
        return Cause("data", f"The data differ: {_some(changed)}", tuple(changed))
    return None


def _changed_inputs(first: Witness, second: Witness) -> list[str]:
    found = []
    for name in sorted({*first.inputs, *second.inputs}):
        known, again = first.inputs.get(name), second.inputs.get(name)
        if known is None or again is None:
            continue
        found += [
            f"{name}/{path}".rstrip("/")
            for path in sorted({*known, *again})
            if known.get(path) != again.get(path)
        ]
    trees = [{one.name: one.tree for one in _inputs(each)} for each in (first, second)]
    for name in sorted({*trees[0]} & {*trees[1]}):
        if trees[0][name] != trees[1][name] and trees[0][name] and trees[1][name]:
            found.append(f"{name}: {_short(trees[0][name])} and {_short(trees[1][name])}")
    return found


def _inputs(witness: Witness) -> Sequence[Any]:
    submitted = witness.record.submitted
    return submitted.inputs if submitted else ()


def _code(first: Witness, second: Witness) -> Cause | None:
    codes = [
        each.record.submitted.code if each.record.submitted else None for each in (first, second)
    ]
    known = [(each.snapshot or each.git_commit) if each else "" for each in codes]
    if known[0] == known[1]:
        return None
    return Cause("code", f"The code differs: {_short(known[0])} and {_short(known[1])}")


def _params(first: Witness, second: Witness) -> Cause | None:
    changed = _changes(_visible_params(first), _visible_params(second))
    if not changed and _command(first) != _command(second) and _all_params_agree(first, second):
        changed = ["the command"]
    return (
        Cause("params", f"Parameters differ: {_some(changed)}", tuple(changed)) if changed else None
    )


def _command(witness: Witness) -> tuple[Any, Any]:
    return witness.record.order.get("command"), witness.record.order.get("argv")


def _all_params_agree(first: Witness, second: Witness) -> bool:
    """Else another seed alone makes another command. Sealed values of another service's record may not be here."""
    known = [each.record.submitted for each in (first, second)]
    if known[0] is None or known[1] is None or not _any_order(first, second):
        return False
    return known[0].params == known[1].params


def _any_order(first: Witness, second: Witness) -> bool:
    """Sealed values of another service's record may not be here."""
    return bool(first.record.order) and bool(second.record.order)


def _visible_params(witness: Witness) -> dict[str, Any]:
    submitted = witness.record.submitted
    params = dict(submitted.params) if submitted else {}
    return {name: value for name, value in params.items() if not is_seed(name)}


def is_seed(name: str) -> bool:
    return "seed" in name.lower()


def _seed(first: Witness, second: Witness) -> Cause | None:
    changed = _changes(_seeds(first), _seeds(second))
    return Cause("seed", f"The seed differs: {_some(changed)}", tuple(changed)) if changed else None


def _seeds(witness: Witness) -> dict[str, Any]:
    submitted = witness.record.submitted
    params = submitted.params if submitted else {}
    named = {name: str(value) for name, value in params.items() if is_seed(name)}
    return {**named, **witness.record.seeds}


def _image(first: Witness, second: Witness) -> Cause | None:
    """Only where no package tells more: two builds of one recipe have two digests."""
    if _changes(first.packages, second.packages) or _library_changes(first, second):
        return None
    known = [each.record.image.sha256 if each.record.image else "" for each in (first, second)]
    if known[0] == known[1] or not all(known):
        return None
    return Cause("image", f"The image differs: {_short(known[0])} and {_short(known[1])}")


def _library(first: Witness, second: Witness) -> Cause | None:
    changed = _library_changes(first, second) or _changes(first.packages, second.packages)
    if not changed:
        return None
    return Cause("library", f"Library versions differ: {_some(changed)}", tuple(changed))


def _library_changes(first: Witness, second: Witness) -> list[str]:
    facts = [_facts(each) for each in (first, second)]
    if facts[0] is None or facts[1] is None:
        return []
    versions = [{"Python": each.python, **each.libraries} for each in facts if each]
    return _changes(versions[0], versions[1])


def _launch(first: Witness, second: Witness) -> Cause | None:
    changed = _changes(_ranks(first), _ranks(second))
    if not changed:
        return None
    return Cause("launch", f"Nodes or ranks differ: {_some(changed)}", tuple(changed))


def _ranks(witness: Witness) -> dict[str, Any]:
    order = witness.record.order
    resources, launch = order.get("resources") or {}, order.get("launch") or {}
    names = ("nodes", "tasks_per_node", "gpus_per_node", "cpus_per_task")
    return {
        **{name: resources[name] for name in names if name in resources},
        **({"launch": launch["kind"]} if "kind" in launch else {}),
    }


def _settings(first: Witness, second: Witness) -> Cause | None:
    facts = [_facts(each) for each in (first, second)]
    if facts[0] is None or facts[1] is None:
        return None
    changed = _changes(facts[0].settings, facts[1].settings)
    if not changed:
        return None
    return Cause("settings", f"Numerical settings differ: {_some(changed)}", tuple(changed))


def _hardware(first: Witness, second: Witness) -> Cause | None:
    facts = [_facts(each) for each in (first, second)]
    if facts[0] is None or facts[1] is None:
        return None
    changed = _changes(_machine(facts[0]), _machine(facts[1]))
    if not changed:
        return None
    return Cause("hardware", f"The hardware differs: {_some(changed)}", tuple(changed))


def _machine(facts: FactsSeen) -> dict[str, Any]:
    return {
        "CPU": facts.cpu,
        "cores": facts.cores,
        "architecture": facts.architecture,
        "GPUs": ", ".join(gpu.name for gpu in facts.gpus),
        "driver": facts.driver,
        "CUDA": facts.cuda,
    }


def _chance(first: Witness, second: Witness) -> Cause:
    unknown = []
    if any(not one.is_versioned and one.name not in first.inputs for one in _inputs(first)):
        unknown.append("data that have no version")
    if not _seeds(first):
        unknown.append("a seed that was never set")
    if _facts(first) is None or _facts(second) is None:
        unknown.append("hardware and libraries that were not recorded")
    rest = f", or {' or '.join(unknown)}" if unknown else ""
    return Cause(
        "nondeterminism",
        f"The records agree in everything they hold. What is left: nondeterminism of the program{rest}",
    )


def _facts(witness: Witness) -> FactsSeen | None:
    """Of its last run, which may have several entries: the machine is seen before the libraries are."""
    seen = witness.record.facts
    if not seen:
        return None
    last, values = seen[-1], {}
    for facts in seen:
        if (facts.attempt, facts.run) == (last.attempt, last.run):
            values.update({name: value for name, value in vars(facts).items() if value})
    return FactsSeen(**{**vars(FactsSeen(last.attempt, last.run)), **values})


def _changes(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[str]:
    """`name: a and b` for each that differs."""
    names = [name for name in {**first, **second} if first.get(name) != second.get(name)]
    return [f"{name}: {_value(first.get(name))} and {_value(second.get(name))}" for name in names]


def _value(value: Any) -> str:
    return "none" if value is None or value == "" else str(value)[:80]


def _some(changes: Sequence[str]) -> str:
    more = f" and {len(changes) - SHOWN} more" if len(changes) > SHOWN else ""
    return ", ".join(changes[:SHOWN]) + more


def _short(digest: str) -> str:
    return digest.removeprefix("sha256:")[:12] or "none"
