type Here = { pathname: string; search: string };

/** Where a provider's button leads: an invitation goes along, and the view that was asked for is where one comes back. */
export function signInUrl(
  url: string,
  here: Here,
  purpose: "in" | "again" | "link" = "in",
): string {
  const invitation = invitationIn(here.search);
  const search = new URLSearchParams(here.search);
  search.delete("invitation");
  const rest = search.toString();
  const parameters = new URLSearchParams({ next: here.pathname + (rest ? `?${rest}` : "") });
  if (invitation) parameters.set("invitation", invitation);
  if (purpose === "again") parameters.set("fresh", "true");
  if (purpose === "link") parameters.set("link", "true");
  return `${url}?${parameters}`;
}

export function invitationIn(search: string): string {
  return new URLSearchParams(search).get("invitation") ?? "";
}
