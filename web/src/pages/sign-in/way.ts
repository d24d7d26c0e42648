type Here = { pathname: string; search: string };

/** Where a provider's button leads: an invitation goes along, and the view that was asked for is where one comes back. */
export function wayTo(url: string, here: Here, wish: "in" | "again" | "link" = "in"): string {
  const invitation = invitationIn(here.search);
  const asked = new URLSearchParams(here.search);
  asked.delete("invitation");
  const rest = asked.toString();
  const along = new URLSearchParams({ next: here.pathname + (rest ? `?${rest}` : "") });
  if (invitation) along.set("invitation", invitation);
  if (wish === "again") along.set("fresh", "true");
  if (wish === "link") along.set("link", "true");
  return `${url}?${along}`;
}

export function invitationIn(search: string): string {
  return new URLSearchParams(search).get("invitation") ?? "";
}
