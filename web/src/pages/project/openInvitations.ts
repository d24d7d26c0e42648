import type { Schemas } from "~/api/client";

type Invitation = Schemas["Invitation"];

/** Those into one project that still let somebody in. */
export function openInvitations(sent: Invitation[], project: string, now: number): Invitation[] {
  return sent.filter(
    (invitation) =>
      invitation.project === project && invitation.used == null && invitation.expires > now,
  );
}
