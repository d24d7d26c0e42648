type Here = { pathname: string; search: string };

/** The address of a provider's sign-in. It keeps an invitation, and returns to the current page. */
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
