"""What is left on an account, where the site bounds it: the TRES-minutes of `sshare`."""

from __future__ import annotations

from typing import Dict, List, Tuple

from diamond.core.errors import DiamondError
from diamond.schedulers.slurm_calls import answer
from diamond.schedulers.slurm_parsing import table

FORMAT = "Account,User,GrpTRESMins,GrpTRESRaw"
# What a site bounds by, the most telling first: what it bills, else the dearest thing.
_UNITS = {
    "billing": "billing-hours",
    "gres/gpu": "GPU-hours",
    "node": "node-hours",
    "cpu": "core-hours",
}

Balance = Tuple[float, str]
"""How much, and of what."""


def ask_balances(accounts: List[str]) -> Dict[str, Balance]:
    """Empty where the site bounds nothing, or keeps what was used to itself."""
    if not accounts:
        return {}
    try:
        return read_balances(answer(["sshare", "-nP", "-A", ",".join(accounts), "-o", FORMAT]))
    except DiamondError:
        return {}


def read_balances(output: str) -> Dict[str, Balance]:
    """From the rows of the accounts themselves; their people follow below each."""
    rows = [row for row in table(output) if len(row) >= 4 and not row[1].strip()]
    balances = {name.strip(): _left(_amounts(most), _amounts(used)) for name, _, most, used in rows}
    return {name: balance[0] for name, balance in balances.items() if balance}


def _left(most: Dict[str, float], used: Dict[str, float]) -> List[Balance]:
    return [
        (round(max(0.0, most[tres] - used.get(tres, 0.0)) / 60, 2), unit)
        for tres, unit in _UNITS.items()
        if tres in most
    ]


def _amounts(said: str) -> Dict[str, float]:
    """`cpu=1000,gres/gpu=90` as numbers; minutes in both columns (Slurm 22.05)."""
    pairs = (part.partition("=") for part in said.split(","))
    return {name: float(value) for name, _, value in pairs if value.isdecimal()}
