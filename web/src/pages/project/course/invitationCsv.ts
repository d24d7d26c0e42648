import type { Schemas } from "~/api/client";

/** For a mail merge: each address with its link. */
export function linksAsCsv(invited: Schemas["RosterInvitation"][]): string {
  const lines = invited.map(({ email, url }) => `${quoted(email)},${quoted(url)}`);
  return `${["email,link", ...lines].join("\r\n")}\r\n`;
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
