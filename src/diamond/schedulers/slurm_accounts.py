"""Whose allocation may pay for what: associations and QOS as `sacctmgr` lists them."""

from __future__ import annotations

import os
import pwd
from dataclasses import dataclass, field, replace
from typing import Any, Dict, List, Optional

from diamond.schedulers.slurm_balances import Balance, ask_balances
from diamond.schedulers.slurm_calls import answer
from diamond.schedulers.slurm_parsing import minutes, table

USER_FORMAT = "DefaultAccount,Cluster,Account,Partition,QOS,MaxSubmitJobs"
QOS_FORMAT = "Name,MaxWall,MaxSubmitJobsPerUser"


@dataclass(frozen=True)
class Association:
    """One account of the owner, in one partition or (empty) in all."""

    account: str
    is_default: bool
    partition: str
    qos: List[str]
    submit_limit: Optional[int]


@dataclass(frozen=True)
class Qos:
    name: str
    max_minutes: Optional[int]
    submit_limit: Optional[int]


@dataclass(frozen=True)
class Accounting:
    """Empty where the site keeps no accounts."""

    associations: List[Association] = field(default_factory=list)
    qos: Dict[str, Qos] = field(default_factory=dict)
    balances: Dict[str, Balance] = field(default_factory=dict)

    @property
    def accounts(self) -> List[str]:
        return list(dict.fromkeys(each.account for each in self.associations))

    @property
    def default_account(self) -> str:
        named = [each.account for each in self.associations if each.is_default]
        return (named or self.accounts or [""])[0]

    def accounts_for(self, partition: Dict[str, str]) -> Optional[List[str]]:
        """The owner's accounts that may use a partition; None where accounts are not known."""
        if not self.associations:
            return None
        allowed, denied = (_names(partition, key) for key in ("AllowAccounts", "DenyAccounts"))
        here = [
            each.account
            for each in self.associations
            if each.partition in {"", partition["PartitionName"]}
        ]
        return [
            name
            for name in dict.fromkeys(here)
            if (allowed is None or name in allowed) and name not in (denied or [])
        ]

    def qos_for(self, partition: Dict[str, str]) -> Optional[List[str]]:
        """The owner's QOS that a partition admits; None where it admits any."""
        allowed, denied = (_names(partition, key) for key in ("AllowQos", "DenyQos"))
        if allowed is None and not denied:
            return None
        mine = list(dict.fromkeys(name for each in self.associations for name in each.qos))
        known = mine or allowed or []
        return [n for n in known if (allowed is None or n in allowed) and n not in (denied or [])]

    def submit_limit(self, qos_name: str) -> Optional[int]:
        qos = self.qos.get(qos_name)
        return qos.submit_limit if qos else None

    def accounts_fact(self) -> List[Dict[str, Any]]:
        return [self._account_fact(name) for name in self.accounts]

    def qos_fact(self) -> List[Dict[str, Any]]:
        mine = {name for each in self.associations for name in each.qos}
        return [
            {"name": q.name, "max_minutes": q.max_minutes, "submit_limit": q.submit_limit}
            for q in self.qos.values()
            if q.name in mine
        ]

    def _account_fact(self, name: str) -> Dict[str, Any]:
        mine = [each for each in self.associations if each.account == name]
        everywhere = any(not each.partition for each in mine)
        limits = [each.submit_limit for each in mine if each.submit_limit is not None]
        left, unit = self.balances.get(name, (None, ""))
        return {
            "name": name,
            "default": any(each.is_default for each in mine),
            "qos": list(dict.fromkeys(q for each in mine for q in each.qos)),
            "partitions": None if everywhere else [each.partition for each in mine],
            "submit_limit": min(limits) if limits else None,
            **({} if left is None else {"balance": left, "unit": unit}),
        }


def read_accounting(cluster: str) -> Accounting:
    who = pwd.getpwuid(os.getuid()).pw_name
    users = answer(["sacctmgr", "-nP", "show", "user", who, "withassoc", f"format={USER_FORMAT}"])
    qos = answer(["sacctmgr", "-nP", "show", "qos", f"format={QOS_FORMAT}"])
    accounting = Accounting(read_associations(users, cluster), read_qos(qos))
    return replace(accounting, balances=ask_balances(accounting.accounts))


def read_associations(output: str, cluster: str) -> List[Association]:
    rows = (row for row in table(output) if len(row) >= 6)
    return [
        Association(
            account=account,
            is_default=account == default,
            partition=partition,
            qos=[name for name in qos.split(",") if name],
            submit_limit=_number(limit),
        )
        for default, of_cluster, account, partition, qos, limit in (row[:6] for row in rows)
        if account and (not cluster or of_cluster == cluster)
    ]


def read_qos(output: str) -> Dict[str, Qos]:
    rows = (row for row in table(output) if len(row) >= 3)
    return {
        name: Qos(name, minutes(wall), _number(limit))
        for name, wall, limit in (row[:3] for row in rows)
    }


def _names(partition: Dict[str, str], key: str) -> Optional[List[str]]:
    said = partition.get(key, "ALL")
    return None if said in {"ALL", "", "(null)", "N/A"} else said.split(",")


def _number(said: str) -> Optional[int]:
    return int(said) if said.isdecimal() else None
