import type { Schemas } from "~/api/client";

type Invitation = Schemas["Invitation"];

/** Invitations to a project that are still valid. */
export function openInvitations(sent: Invitation[], project: string, now: number): Invitation[] {
  return sent.filter(
    (invitation) =>
      invitation.project === project && invitation.used == null && invitation.expires > now,
  );
}
