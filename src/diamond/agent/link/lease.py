"""A pairing is a lease: it ends unless its owner renews it on this machine, behind the site's own sign-in."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from diamond.agent.disk import read_json, write_json
from diamond.agent.guard.policy import Policy
from diamond.core.agent_messages import MachinePolicy

DAY = 86400.0


@dataclass(frozen=True)
class Lease:
    keep: Path
    policy: Policy

    @property
    def until(self) -> float | None:
        """None where nothing was paired: such an agent depends on its owner's own connection."""
        if not (self.keep / "agent.json").exists():
            return None
        renewed = (read_json(self._file) or {}).get("renewed")
        if not isinstance(renewed, (int, float)):
            return self.renew()
        return float(renewed) + self.policy.lease_days * DAY

    def rejection(self) -> str:
        """Why no new work is accepted; '' while it is."""
        until = self.until
        if until is None or time.time() < until:
            return ""
        day = time.strftime("%Y-%m-%d", time.localtime(until))
        return (
            f"the pairing of this machine ended on {day}; running jobs finish. "
            "Type there: python3 ~/.diamond-agent/agent.pyz renew"
        )

    def renew(self) -> float:
        """Returns the new end."""
        now = time.time()
        write_json(self._file, {"renewed": now}, mode=0o600, durable=True)
        return now + self.policy.lease_days * DAY

    def policy_report(self) -> MachinePolicy:
        """What each hello reports about the policy and the lease."""
        return MachinePolicy(
            egress=self.policy.egress,
            lease_until=self.until,
            require_signed=self.policy.require_signed,
            community=self.policy.is_community,
            stands=self.policy.stands,
        )

    @property
    def _file(self) -> Path:
        return self.keep / "lease.json"
