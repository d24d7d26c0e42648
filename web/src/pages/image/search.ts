export const TABS = ["overview", "contents", "uses", "definition"] as const;
export type ImageTab = (typeof TABS)[number];

/** What the address of this page may carry. */
export type ImageSearch = { tab?: ImageTab };

export function imageSearch(given: Record<string, unknown>): ImageSearch {
  const tab = TABS.find((tab) => tab === given.tab);
  return tab && tab !== "overview" ? { tab } : {};
}
