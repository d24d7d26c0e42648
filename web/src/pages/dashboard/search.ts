/** What the address of this page may carry: `guide` is `show` or the task that the guide follows; `invitation` is a link's code. */
export type DashboardSearch = { guide?: string; invitation?: string };

export function dashboardSearch(search: Record<string, unknown>): DashboardSearch {
  return {
    ...(typeof search.guide === "string" && search.guide ? { guide: search.guide } : {}),
    ...(search.invitation ? { invitation: String(search.invitation) } : {}),
  };
}
