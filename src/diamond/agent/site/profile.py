"""What this machine allows, as the agent itself needs it: probed facts overlaid by hand-made corrections."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from diamond.agent.disk import read_json, write_json
from diamond.agent.folders import Folders
from diamond.agent.guard.ledger import Ledger
from diamond.agent.guard.policy import Policy
from diamond.core.corrections import corrected
from diamond.core.order import Placement


@dataclass(frozen=True)
class Profile:
    """The facts in force: {name: value}."""

    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def flags(self) -> dict[str, str]:
        value = self.facts.get("flags")
        return {str(k): str(v) for k, v in value.items()} if isinstance(value, dict) else {}

    @property
    def modules(self) -> list[str]:
        value = self.facts.get("modules")
        return [str(line) for line in value] if isinstance(value, list) else []

    def partition(self, name: str) -> str:
        """The name itself, or the default partition's for ''."""
        if name:
            return name
        return next((str(p.get("name")) for p in self._partitions() if p.get("default")), "")

    def own_placement(self) -> Placement:
        """Where jobs of the agent's own go: the default partition, at the cost of an account that may use it."""
        chosen = next(
            (each for each in self._partitions() if each.get("name") == self.partition("")), {}
        )
        accounts = self.facts.get("accounts")
        names = [str(each["name"]) for each in accounts if each.get("default")] if accounts else []
        allowed = [str(name) for name in chosen.get("accounts") or []]
        account = next((name for name in names if name in allowed), "") or next(iter(allowed), "")
        return Placement(partition=str(chosen.get("name", "")), account=account)

    def longest_minutes(self) -> int | None:
        """How long a job may run in the default partition; None when nothing limits it."""
        for each in self._partitions():
            if each.get("name") == self.partition("") and isinstance(each.get("max_minutes"), int):
                return int(each["max_minutes"])
        return None

    def submit_limit(self, partition: str) -> int | None:
        """How many jobs a user may have in a partition; None when that is not known."""
        for each in self._partitions():
            if each.get("name") == partition and isinstance(each.get("submit_limit"), int):
                return int(each["submit_limit"])
        return None

    def _partitions(self) -> list[dict[str, Any]]:
        value = self.facts.get("partitions")
        return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


class SiteProfile:
    """The profile in force; a probe or new settings replace it."""

    def __init__(self, folders: Folders, policy: Policy, ledger: Ledger) -> None:
        self._folders, self._policy, self._ledger = folders, policy, ledger
        self._profile = load_profile(folders)

    def current(self) -> Profile:
        return self._profile

    def reload(self) -> None:
        self._profile = load_profile(self._folders)

    def apply_settings(self, given: dict[str, Any]) -> bool:
        """Save what was set on the service's side; True if something changed."""
        if not save_settings(self._folders, given, own=self._policy.own_facts):
            return False
        self._ledger.act("settings")
        self.reload()
        return True


def load_profile(folders: Folders) -> Profile:
    """From `profile.json` (probed) and `settings.json` (corrections)."""
    probed = (read_json(folders.profile) or {}).get("facts")
    facts = {name: fact.get("value") for name, fact in probed.items()} if probed else {}
    corrections = (read_json(folders.settings) or {}).get("corrections")
    return Profile(corrected(facts, corrections if isinstance(corrections, dict) else {}))


def save_settings(
    folders: Folders, settings: dict[str, Any], *, own: frozenset[str] = frozenset()
) -> bool:
    """Save what was set on the service's side: corrections of facts, retention. True if it is new.

    `own`: facts that are corrected in the file on this machine alone.
    """
    given: dict[str, Any] = {
        name: settings[name] for name in ("corrections", "retention") if name in settings
    }
    saved: dict[str, Any] = read_json(folders.settings) or {}
    if own and isinstance(given.get("corrections"), dict):
        known = saved.get("corrections") or {}
        others = {name: value for name, value in given["corrections"].items() if name not in own}
        given["corrections"] = {**others, **{name: known[name] for name in own if name in known}}
    fresh = {**saved, **given}
    if fresh == saved:
        return False
    write_json(folders.settings, fresh)
    return True
