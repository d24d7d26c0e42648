export const TABS = ["overview", "queue", "profile", "secrets", "upkeep"] as const;
export type Tab = (typeof TABS)[number];

/** What the address of this page may carry. */
export type EndpointSearch = { tab?: Tab };

export function endpointSearch(search: Record<string, unknown>): EndpointSearch {
  const tab = TABS.find((tab) => tab === search.tab);
  return tab && tab !== "overview" ? { tab } : {};
}
