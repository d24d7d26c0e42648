import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "~/api/client";

/** Who invites to what; also before signing in. */
export const invitationQuery = (code: string) =>
  queryOptions({
    queryKey: ["invitation", code],
    queryFn: () => dataOf(api.POST("/api/v1/invitations/look", { body: { code } })),
    enabled: Boolean(code),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });

export function invitationTitle(shown: Schemas["InvitationShown"] | undefined): string {
  if (!shown) return "You are invited";
  const who = shown.by || "Someone";
  if (!shown.project) return `${who} invites you to this Diamond`;
  const role = shown.role ? ` as ${shown.role}` : "";
  return `${who} invites you to the project ${shown.project}${role}`;
}
