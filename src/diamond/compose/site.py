"""Check a request against the site profile: partitions, accounts, QoS and limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diamond.compose.faults import Faults
from diamond.core.batch_systems import read_abilities
from diamond.core.order import Resources
from diamond.core.units import show_bytes, show_minutes

Facts = Mapping[str, Any]


def choose_partition(facts: Facts, wanted: str, faults: Faults, named_by: str = "on") -> str:
    """The partition that the spec names in the field `named_by`, or the site's default."""
    partitions = {p["name"]: p for p in facts.get("partitions") or []}
    probed = "partitions" in facts or not read_abilities(facts).has_partitions
    if wanted and probed and wanted not in partitions:
        valid = (
            f"Partitions here: {', '.join(partitions)}"
            if partitions
            else "This endpoint has no partitions."
        )
        faults.add(named_by, f"There is no partition {wanted!r}", valid, near=(wanted, partitions))
        return ""
    if wanted or not partitions:
        return wanted
    return next((name for name, p in partitions.items() if p.get("default")), "")


def choose_account(facts: Facts, partition: str, named: str, faults: Faults) -> str:
    """The account that pays: the one named, or the only one that may use the partition."""
    accounts = [a["name"] for a in facts.get("accounts") or []]
    if not accounts:
        return named
    able = [name for name in accounts if may_use(facts, name, partition)]
    where = f" on {partition}" if partition else ""
    if named and named not in accounts:
        faults.add(
            "account",
            f"You have no account {named!r} here",
            f"Accounts you can use{where}: {', '.join(able) or 'none'}",
            near=(named, able),
        )
    elif named and named not in able:
        faults.add(
            "account",
            f"Account {named!r} may not use partition {partition!r}",
            f"Accounts that may use it: {', '.join(able) or 'none'}",
        )
    elif not named and not able:
        faults.add(
            "account",
            f"None of your accounts may be used{where}",
            f"Your accounts: {', '.join(accounts)}. Choose another partition.",
        )
    elif not named and len(able) > 1:
        faults.add(
            "account",
            f"Several of your accounts can pay{where}, so name one",
            f"Choose one of {', '.join(able)}. Add --account {able[0]} to the command, or `account:` to the spec.",
        )
    return named or (able[0] if len(able) == 1 else "")


def default_minutes(facts: Facts, partition: str, qos: str = "") -> int:
    """One hour, or less if partition or QoS allow less; short requests start sooner."""
    site, _ = _limits(facts, partition)
    return min(60, int(site.get("max_minutes") or 60), _qos_minutes(facts, qos) or 60)


def check_limits(facts: Facts, partition: str, asked: Resources, faults: Faults) -> None:
    """Add a fault for each limit of the partition (or machine) that the request exceeds."""
    site, where = _limits(facts, partition)
    _most(
        faults,
        "resources.walltime",
        asked.walltime_minutes,
        site.get("max_minutes"),
        f"{where} allows",
        show_minutes,
        _longer(facts, asked.walltime_minutes),
    )
    _most(
        faults,
        "resources.nodes",
        asked.nodes,
        site.get("max_nodes") or site.get("nodes_total"),
        f"{where} allows",
        str,
    )
    _cpus_fit(site, asked, where, faults)
    _most(
        faults,
        "resources.memory",
        asked.memory_mb,
        site.get("memory_mb_per_node"),
        f"a node of {where} has",
        _megabytes,
    )
    _gpus_fit(facts, site, asked, where, faults)


def check_qos(facts: Facts, partition: str, account: str, qos: str, faults: Faults) -> None:
    """The QoS must be allowed by the partition and the account, where they list any."""
    own: Facts = next((a for a in facts.get("accounts") or [] if a["name"] == account), {})
    lists = [
        allowed
        for allowed in ((partition_named(facts, partition) or {}).get("qos"), own.get("qos"))
        if allowed
    ]
    if not lists and facts.get("accounts") and facts.get("qos"):
        lists = [[level["name"] for level in facts["qos"]]]
    if not qos or not lists:
        return
    known = [name for name in lists[0] if all(name in names for names in lists)]
    if qos not in known:
        faults.add(
            "qos",
            f"You cannot use QoS {qos!r}" + (f" in partition {partition}" if partition else ""),
            f"Valid: {', '.join(known) or 'none'}",
            near=(qos, known),
        )


def check_qos_limit(facts: Facts, qos: str, asked: Resources, faults: Faults) -> None:
    most = _qos_minutes(facts, qos)
    known = {fault["field"] for fault in faults.items}
    if "resources.walltime" not in known:
        _most(
            faults,
            "resources.walltime",
            asked.walltime_minutes,
            most,
            f"QoS {qos} allows",
            show_minutes,
        )


def _qos_minutes(facts: Facts, name: str) -> int:
    limits = [qos.get("max_minutes") for qos in facts.get("qos") or [] if qos["name"] == name]
    return int(limits[0] or 0) if limits else 0


def _limits(facts: Facts, partition: str) -> tuple[Facts, str]:
    """The limits of the partition; if it is unknown, the widest of all partitions; else those of the machine."""
    site = partition_named(facts, partition)
    if partition and site is not None:
        return site, f"partition {partition}"
    if site is None and facts.get("partitions"):
        return _widest(facts["partitions"]), "any partition here"
    return site or machine_limits(facts), "this machine"


def _widest(partitions: list[Facts]) -> dict[str, Any]:
    """The largest limits of all partitions; None where one partition has no limit."""
    names = ("max_minutes", "cpus_per_node", "memory_mb_per_node")
    known = {name: [partition.get(name) or 0 for partition in partitions] for name in names}
    known["max_nodes"] = [
        partition.get("max_nodes") or partition.get("nodes_total") or 0 for partition in partitions
    ]
    widest: dict[str, Any] = {
        name: max(values) if all(values) else None for name, values in known.items()
    }
    gpus = [partition.get("gpus_per_node") for partition in partitions]
    return {**widest, "gpus_per_node": None if None in gpus else _most_gpus(gpus)}


def _most_gpus(nodes: list[Any]) -> dict[str, int]:
    most: dict[str, int] = {}
    for gpus in nodes:
        most.update({kind: max(count, most.get(kind, 0)) for kind, count in gpus.items()})
    return most


def _cpus_fit(site: Facts, asked: Resources, where: str, faults: Faults) -> None:
    has, tasks = site.get("cpus_per_node"), asked.tasks_per_node
    if not has or asked.cpus_per_node <= has:
        return
    text = f"{asked.cpus_per_task}"
    if tasks > 1:
        text += f" for each of {tasks} processes ({asked.cpus_per_node} in total)"
    faults.add(
        "resources.cpus_per_task",
        f"{text} is more than a node of {where} has: {has}",
        f"Request at most {has // tasks}." if tasks <= has else f"Start at most {has} processes.",
    )


def _gpus_fit(facts: Facts, site: Facts, asked: Resources, where: str, faults: Faults) -> None:
    gpus = site.get("gpus_per_node")
    if gpus is None or not asked.gpus_per_node:
        return
    has = _gpu_words(gpus)
    if not any(gpus.values()):
        message = "no node here has a GPU" if where.startswith("any") else f"{where} has no GPU"
        faults.add("resources.gpus_per_node", message, _gpus_elsewhere(facts))
        return
    if asked.gpu_type and asked.gpu_type not in gpus:
        faults.add(
            "resources.gpu_type",
            f"{where} has no GPU of type {asked.gpu_type!r}",
            f"A node has: {has}",
            near=(asked.gpu_type, gpus),
        )
        return
    most = gpus[asked.gpu_type] if asked.gpu_type else max(gpus.values(), default=0)
    if asked.gpus_per_node > most:
        faults.add(
            "resources.gpus_per_node",
            f"{asked.gpus_per_node} per node is more than a node of {where} has",
            f"A node has: {has}. Request more nodes instead.",
        )


def _gpus_elsewhere(facts: Facts) -> str:
    have = [
        f"{partition['name']} ({_gpu_words(partition['gpus_per_node'])} per node)"
        for partition in facts.get("partitions") or []
        if any((partition.get("gpus_per_node") or {}).values())
    ]
    if have:
        return f"Partitions with GPUs: {', '.join(have)}"
    return "Remove gpus_per_node, or choose a machine with GPUs with `on:`."


def _gpu_words(gpus: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in gpus.items())


def _longer(facts: Facts, minutes: int) -> str:
    """A sentence for the hint: partitions that allow this much time."""
    able = [
        str(partition["name"])
        for partition in facts.get("partitions") or []
        if not partition.get("max_minutes") or partition["max_minutes"] >= minutes
    ]
    return f" Partitions that allow it: {', '.join(able)}." if able else ""


def _most(
    faults: Faults, where: str, asked: int, limit: Any, who: str, show: Any, more: str = ""
) -> None:
    if limit and asked > int(limit):
        faults.add(
            where,
            f"{show(asked)} is more than {who}: {show(int(limit))}",
            f"Request at most {show(int(limit))}.{more}",
        )


def _megabytes(count: int) -> str:
    return show_bytes(count * 2**20)


def may_use(facts: Facts, account: str, partition: str) -> bool:
    site = partition_named(facts, partition) or {}
    allowed = site.get("accounts")
    own: Facts = next((a for a in facts.get("accounts") or [] if a["name"] == account), {})
    partitions = own.get("partitions")
    return (allowed is None or account in allowed) and (
        not partition or partitions is None or partition in partitions
    )


def partition_named(facts: Facts, name: str) -> Facts | None:
    return next((p for p in facts.get("partitions") or [] if p["name"] == name), None)


def longest_walltime_minutes(facts: Facts, partition: str) -> int:
    """0 where the site sets no limit."""
    return int((partition_named(facts, partition) or {}).get("max_minutes") or 0)


def charge_rate(facts: Facts, partition: str) -> float | None:
    """Units of the site for a node-hour; None: not known."""
    rate: float | None = (facts.get("charge") or {}).get(partition)
    return rate


def machine_limits(facts: Facts) -> dict[str, Any]:
    gpus = facts.get("gpus")
    return {
        "max_nodes": None if read_abilities(facts).spans_nodes else 1,
        "cpus_per_node": facts.get("cores"),
        "memory_mb_per_node": facts.get("memory_mb"),
        "gpus_per_node": gpus if isinstance(gpus, dict) else None,
    }
