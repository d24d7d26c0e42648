export const SPANS = { day: 86_400, week: 7 * 86_400, month: 30 * 86_400 } as const;
export type Span = keyof typeof SPANS;

/** What the address of this page may carry. */
export type AuditSearch = { search?: string; user?: string; span?: Span };

export function auditSearch(given: Record<string, unknown>): AuditSearch {
  const span = (Object.keys(SPANS) as Span[]).find((span) => span === given.span);
  return {
    ...(given.search ? { search: String(given.search) } : {}),
    ...(typeof given.user === "string" && given.user ? { user: given.user } : {}),
    ...(span ? { span } : {}),
  };
}

/** As API parameters; `now` in seconds. */
export function auditFilters({ search = "", user = "", span }: AuditSearch, now: number) {
  return { search, user, ...(span ? { since: Math.floor(now - SPANS[span]) } : {}) };
}

export function exportUrl(filters: ReturnType<typeof auditFilters>, kind: "csv" | "jsonl"): string {
  const parameters = Object.entries({ ...filters, kind }).filter(([, value]) => value !== "");
  return `/api/v1/audit/export?${new URLSearchParams(parameters.map(([name, value]) => [name, String(value)]))}`;
}
