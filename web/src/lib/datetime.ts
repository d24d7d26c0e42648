/** The value of a datetime-local input: local time zone, to the minute. */
export function toInputValue(at: number | null | undefined): string {
  if (at == null) return "";
  const local = new Date(at * 1000);
  return new Date(local.getTime() - local.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export function fromInputValue(field: string): number | null {
  const at = new Date(field).getTime();
  return field && Number.isFinite(at) ? at / 1000 : null;
}

type Period = { starts: number | null; ends: number | null };

/** Whether a period is in the future, active or over; `now` in seconds. */
export function periodStatus(
  { starts, ends }: Period,
  now: number,
): "scheduled" | "now" | "expired" {
  if (ends != null && ends <= now) return "expired";
  return starts != null && starts > now ? "scheduled" : "now";
}
