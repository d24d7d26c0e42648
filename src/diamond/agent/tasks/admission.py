"""Whether this machine accepts a command: its policy, the lease of the pairing, and signatures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from diamond.agent.guard.policy import Policy
from diamond.agent.guard.signatures import UsedSignatures
from diamond.agent.link.lease import Lease
from diamond.agent.site.profile import Profile
from diamond.agent.tasks.folders import AttemptFolder
from diamond.core.data_commands import SendTree
from diamond.core.protocol import (
    Command,
    PushImage,
    SendImage,
    Submit,
    TaskRequest,
    Upgrade,
    read_task_request,
)


@dataclass(frozen=True)
class Admission:
    policy: Policy
    lease: Lease
    signatures: UsedSignatures
    profile: Callable[[], Profile]

    def rejection(self, command: Command) -> str:
        """Why a command is rejected, or ''. A cancel is always accepted."""
        if isinstance(command, (SendImage, PushImage)):
            is_kept = not self.policy.allows_files
            return "the policy of this machine keeps images on it" if is_kept else ""
        if isinstance(command, SendTree):
            is_kept = not self.policy.allows_files
            return "the policy of this machine keeps data on it" if is_kept else ""
        if isinstance(command, Upgrade):
            return self.policy.agent_fault()
        if not isinstance(command, Submit):
            return ""
        request = command.request
        return (
            self.lease.rejection()
            or self.policy.person_fault(request.person, request.order.secrets)
            or self.policy.rejection(request, self._partition(request))
            or self._signature_fault(command)
        )

    def follow_up_rejection(self, folder: AttemptFolder, number: int) -> str:
        """Why no further attempt of a task may begin, or ''. Each one is a new batch job, whoever makes it."""
        request = read_task_request(folder.task_json())
        why = self.lease.rejection() or self.policy.rejection(request, self._partition(request))
        if not why and self.policy.require_signed and number > request.order.resume.max_attempts:
            why = f"{request.order.resume.max_attempts} attempts were signed"
        return why

    def accepted(self, command: Submit) -> None:
        """The intent of a submission is on disk: its signature counts as used."""
        request = command.request
        if request.signature is not None and self.policy.require_signed:
            self.signatures.add(request, command.task)

    def _partition(self, request: TaskRequest) -> str:
        return self.profile().partition(request.order.placement.partition)

    def _signature_fault(self, command: Submit) -> str:
        if not self.policy.require_signed:
            return ""
        why = self.signatures.fault(command.request, command.task, command.number)
        return f"the policy of this machine does not allow it: {why}" if why else ""
