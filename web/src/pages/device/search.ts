/** What the address of this page may carry. */
export type DeviceSearch = { code?: string };

export function deviceSearch(search: Record<string, unknown>): DeviceSearch {
  return typeof search.code === "string" ? { code: search.code } : {};
}
