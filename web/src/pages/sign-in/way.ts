/** Where a provider's button leads: an invitation goes along, and the view that was asked for is where one comes back. */
export function wayTo(url: string, here: { pathname: string; search: string }): string {
  const asked = new URLSearchParams(here.search);
  const invitation = asked.get("invitation");
  asked.delete("invitation");
  const rest = asked.toString();
  const along = new URLSearchParams({ next: here.pathname + (rest ? `?${rest}` : "") });
  if (invitation) along.set("invitation", invitation);
  return `${url}?${along}`;
}
