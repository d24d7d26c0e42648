"""Which flags a site takes, refuses or requires: found by asking it, without submitting anything."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional

from diamond.core.errors import Refused
from diamond.schedulers.slurm_accounts import Accounting
from diamond.schedulers.slurm_calls import ask

Words = Dict[str, str]


def probe_flags(partitions: List[Dict[str, Any]], accounting: Accounting) -> Dict[str, str]:
    """{flag: takes|refuses|requires}; empty when the site takes none of our trial jobs."""
    values = _values(accounting)
    place = _usable(partitions, accounting)
    base = _accepted_base(values, place)
    if base is None:
        return {}
    verdicts = {flag: _verdict(flag, values, base, place) for flag in values if flag != "gres"}
    verdicts["gres"] = _gres_verdict(values, base, partitions, place)
    return verdicts


def _values(accounting: Accounting) -> Words:
    values = {"nodes": "1", "ntasks": "1", "time": "1", "mem": "100M", "export": "NONE"}
    account = accounting.default_account
    return {**values, **({"account": account} if account else {}), "gres": "gpu:1"}


def _usable(partitions: List[Dict[str, Any]], accounting: Accounting) -> Words:
    """The default partition where the owner may use it; else the first allowed one."""
    account = accounting.default_account
    open_to_us = [p for p in partitions if not account or account in (p["accounts"] or [])]
    if not open_to_us or any(p["default"] for p in open_to_us):
        return {}
    return {"partition": str(open_to_us[0]["name"])}


def _accepted_base(values: Words, place: Words) -> Optional[Words]:
    plain = [flag for flag in ("nodes", "ntasks", "time", "account") if flag in values]
    for more in ([], ["mem"], ["mem", "gres"], ["gres"]):
        base = {flag: values[flag] for flag in [*plain, *more]}
        if _takes({**base, **place}):
            return base
    return None


def _verdict(flag: str, values: Words, base: Words, place: Words) -> str:
    if flag in base:
        without = {key: value for key, value in base.items() if key != flag}
        return "takes" if _takes({**without, **place}) else "requires"
    return "takes" if _takes({**base, flag: values[flag], **place}) else "refuses"


def _gres_verdict(
    values: Words, base: Words, partitions: List[Dict[str, Any]], place: Words
) -> str:
    with_gpus = next((p for p in partitions if p["gpus_per_node"]), None)
    where = {"partition": str(with_gpus["name"])} if with_gpus else place
    return _verdict("gres", values, base, where)


def _takes(options: Words) -> bool:
    """`--test-only` passes the site's own submit filter like a real job (seen on 22.05)."""
    with tempfile.TemporaryDirectory(prefix="diamond-") as folder:
        script = Path(folder) / "trial.sh"
        script.write_text("#!/bin/sh\nexit 0\n")
        options_given = [f"--{key}={value}" for key, value in options.items()]
        try:
            return ask(["sbatch", "--test-only", *options_given, str(script)]).returncode == 0
        except Refused:
            return False
